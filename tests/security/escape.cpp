// An adversary swaps every name below a workspace and its .git for links that lead out, for FIFOs,
// directories and files of its own, by rename, exchange, link and mount, while every tool runs that
// works there: git tools first, then those for files, commands, and the programs that take a
// workspace as a whole. Nothing outside may be opened, read or changed, and every program comes to
// its end. The effects alone are judged.
//
//   security_escape --bin DIR [--seconds N] [--seed S] [--as-user UID] [--confined]
//                   [--without-landlock] [--sandbox MODE]
//
// Rounds take turns in how the adversary works (--kinds):
//   guarded   a process that moves what a command of the sandbox can move
//   whole     the same where .git is made under attack, so that all of it can be moved
//   confined  a task of the agent, in its sandbox, that also tries other ways out of that
//   spawned   a task of a sub-agent, likewise
//   before    such a task that began before there was a .git
//   linked    as confined, in a linked worktree of a person's repository
//   module    as confined, in a submodule of it
//   life      as whole, while the agent is rewound, packed, adopted, cloned and destroyed
//
// --harmless swaps names for others inside. --only TEXT swaps what has it in its path. --all goes
// on after an effect.
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <stdexcept>

#include "security/escape/round.hpp"

namespace escape {
namespace {

constexpr rlim_t most_memory = 8ULL << 30;
constexpr std::int64_t least_share = 20;  // per cent
// With fewer nothing is asked for.
constexpr std::int64_t least_calls = 500;
constexpr std::int64_t least_calls_of_a_tool = 50;

// For this program and all it starts: what leads to /dev/zero is not to take the machine along.
void limit() {
    const rlimit memory{most_memory, most_memory};
    const rlimit none{0, 0};
    setrlimit(RLIMIT_AS, &memory);
    setrlimit(RLIMIT_CORE, &none);
    umask(022);
}

// From here on the kernel knows no landlock(7), for whatever is started.
void forget_landlock() {
    std::array<sock_filter, 4> code{{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_landlock_create_ruleset, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (ENOSYS & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    const sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        throw std::runtime_error("seccomp");
    if (syscall(SYS_landlock_create_ruleset, nullptr, 0, 1) != -1 || errno != ENOSYS)
        throw std::runtime_error("landlock is still there");
}

void become(long user) {
    if (user < 0 || getuid() != 0) return;
    const auto id = static_cast<uid_t>(user);
    if (setgroups(0, nullptr) != 0 || setresgid(id, id, id) != 0 || setresuid(id, id, id) != 0)
        throw std::runtime_error("setuid");
}

// The options that make a round what it is, beside its seed and number.
std::string repeated(const Options& options) {
    std::string text;
    if (options.user >= 0) text += " --as-user " + std::to_string(options.user);
    if (options.sandbox != "workspace") text += " --sandbox " + options.sandbox;
    if (options.without_landlock) text += " --without-landlock";
    if (options.is_harmless) text += " --harmless";
    std::string kinds;
    for (const std::string& kind : options.kinds) kinds += (kinds.empty() ? "" : ",") + kind;
    return kinds.empty() ? text : text + " --kinds " + kinds;
}

void print(const std::map<std::string, std::map<std::string, std::int64_t>>& counted) {
    for (const auto& [name, outcomes] : counted) {
        std::printf("  %s:", name.c_str());
        for (const auto& [outcome, count] : outcomes)
            std::printf(" %s %lld", outcome.c_str(), static_cast<long long>(count));
        std::printf("\n");
    }
}

// Of the calls that git tools, and others, made; -1 where they were few.
std::int64_t share(const Tally& tally, bool of_git) {
    std::int64_t all = 0;
    std::int64_t well = 0;
    for (const auto& [tool, outcomes] : tally.calls)
        for (const auto& [outcome, count] : outcomes) {
            if (tool.starts_with("git_") != of_git) continue;
            all += count;
            if (outcome == "ok") well += count;
        }
    return all < least_calls ? -1 : well * 100 / all;
}

// Where nothing works, nothing is proved.
bool has_worked(const Tally& tally) {
    bool has = true;
    for (const bool of_git : {true, false}) {
        const std::int64_t found = share(tally, of_git);
        if (found < 0) continue;
        std::printf("%s: %lld %% of the calls worked\n", of_git ? "git tools" : "other tools",
                    static_cast<long long>(found));
        has = has && found >= least_share;
    }
    for (const auto& [tool, outcomes] : tally.calls) {
        std::int64_t all = 0;
        for (const auto& [outcome, count] : outcomes) all += count;
        if (all < least_calls_of_a_tool || outcomes.contains("ok")) continue;
        std::printf("%s: no call worked\n", tool.c_str());
        has = false;
    }
    return has;
}

int main_of(int argc, char** argv) {
    const Options options = parse(argc, argv);
    limit();
    const Kit kit(options.bin, options.user);
    become(options.user);
    if (options.without_landlock) forget_landlock();
    const std::vector<std::string> chosen = options.kinds.empty() ? kinds() : options.kinds;
    std::printf("seed %llu, as user %u\n", static_cast<unsigned long long>(options.seed), getuid());
    Tally tally;
    std::vector<std::string> effects;
    const std::int64_t until_us = fault::now_us() + options.seconds * 1'000'000;
    for (std::int64_t number = options.first_round;
         fault::now_us() < until_us && (effects.empty() || options.goes_on); ++number) {
        const std::string kind = chosen[static_cast<std::size_t>(number) % chosen.size()];
        const Result result =
            play(kit, options, kind, options.seed + static_cast<std::uint64_t>(number));
        tally.add(result.tally);
        for (const std::string& effect : result.effects)
            effects.push_back("round " + std::to_string(number) + " (" + kind + "): " + effect);
        if (!result.kept.empty())
            std::printf("round %lld (%s): its files are in %s\n", static_cast<long long>(number),
                        kind.c_str(), result.kept.c_str());
        if (!result.effects.empty())
            std::printf("again: %s --bin %s --seed %llu --round %lld --seconds 1%s\n", argv[0],
                        options.bin.c_str(), static_cast<unsigned long long>(options.seed),
                        static_cast<long long>(number), repeated(options).c_str());
        std::fflush(stdout);
    }
    std::printf(
        "%lld rounds, %lld turns (the longest %.1f s), %lld swaps of %lld targets, "
        "%lld adversaries with mounts\n",
        static_cast<long long>(tally.rounds), static_cast<long long>(tally.turns),
        static_cast<double>(tally.longest_ms) / 1e3, static_cast<long long>(tally.swaps),
        static_cast<long long>(tally.bursts), static_cast<long long>(tally.mounts));
    print(tally.calls);
    print(tally.commands);
    const bool has = has_worked(tally);
    if (!has) std::printf("FAILED: too few calls worked for this to show anything\n");
    // at the end, which is what is kept of a long log
    for (const std::string& effect : effects) std::printf("EFFECT: %s\n", effect.c_str());
    std::printf("%zu effects outside\n", effects.size());
    return effects.empty() && has ? 0 : 1;
}

}  // namespace
}  // namespace escape

int main(int argc, char** argv) {
    try {
        return escape::main_of(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "security_escape: %s\n", error.what());
        return 2;
    }
}
