#include "fault/clients/waits.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "agent/layout.hpp"
#include "fault/command.hpp"
#include "store/records.hpp"
#include "store/store.hpp"
#include "sys/clock.hpp"
#include "sys/lock.hpp"

namespace fault {
namespace {

constexpr std::size_t most_samples = 20'000;

struct Samples {
    std::size_t count = 0;
    std::array<std::int64_t, most_samples> us{};
};

// Runs `attempt`, which gives one wait, in processes of its own until the time is up.
Waits measure(int processes, int duration_ms,
              const std::function<std::function<std::int64_t()>(int)>& begin) {
    const std::size_t bytes = sizeof(Samples) * static_cast<std::size_t>(processes);
    void* shared = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) give_up("mmap");
    auto* samples = static_cast<Samples*>(shared);
    for (int i = 0; i < processes; ++i) {
        if (fork() != 0) continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        const auto attempt = begin(i);
        const std::int64_t until_us = now_us() + duration_ms * 1000LL;
        Samples& own = samples[i];
        while (now_us() < until_us && own.count < most_samples) own.us[own.count++] = attempt();
        _exit(0);
    }
    int status = 0;
    while (wait(&status) > 0)
        if (status != 0) give_up("a process that measures waits failed");
    Waits waits;
    for (int i = 0; i < processes; ++i)
        waits.us.insert(waits.us.end(), samples[i].us.begin(),
                        samples[i].us.begin() + static_cast<std::ptrdiff_t>(samples[i].count));
    munmap(shared, bytes);
    std::sort(waits.us.begin(), waits.us.end());
    return waits;
}

}  // namespace

double Waits::ms(double share) const {
    if (us.empty()) return 0;
    const auto last = static_cast<double>(us.size() - 1);
    return static_cast<double>(us[static_cast<std::size_t>(last * share)]) / 1000;
}

std::string Waits::text() const {
    std::array<char, 128> text{};
    std::snprintf(text.data(), text.size(), "%zu waits, p50 %.1f, p99 %.1f, most %.1f ms",
                  us.size(), ms(0.5), ms(0.99), ms(1));
    return text.data();
}

Waits gate_waits(const std::string& home, int processes, int duration_ms) {
    const chorus::agent::Home paths(home);
    return measure(processes, duration_ms, [&](int) {
        auto store = std::make_shared<chorus::store::Store>(
            chorus::store::Store::open({paths.database(), paths.gate()}));
        return [store] {
            const std::int64_t asked_us = now_us();
            chorus::store::Transaction transaction(*store);
            const std::int64_t waited_us = now_us() - asked_us;
            chorus::store::insert_event(*store, {.agent_id = 1,
                                                 .thread_id = 1,
                                                 .turn_id = 0,
                                                 .at = chorus::sys::now_ms(),
                                                 .kind = "turn",
                                                 .previous = {},
                                                 .next = {},
                                                 .cause = std::string(500, 'x'),
                                                 .data = {}});
            transaction.commit();
            return waited_us;
        };
    });
}

Waits lock_waits(const std::string& path, int processes, int duration_ms, int hold_ms) {
    return measure(processes, duration_ms, [&](int) {
        return [&path, hold_ms] {
            const std::int64_t asked_us = now_us();
            auto lock = chorus::sys::Lock::acquire(path, chorus::sys::Lock::Mode::exclusive, -1,
                                                   [] { return false; });
            const std::int64_t waited_us = now_us() - asked_us;
            usleep(static_cast<useconds_t>(hold_ms) * 1000);
            return waited_us;
        };
    });
}

}  // namespace fault
