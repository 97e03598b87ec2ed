// chorus-run against servers that are broken or mean, in every way of the table in modes*.cpp.
//
//   hostile PROGRAMS [--seed N] [--exchanges N] [--every-byte] [--mode NAME] [--only EXCHANGE]
//           [--jobs N] [--list]
//
// PROGRAMS is the directory of the executables. An exchange is MODE/PROTOCOL/FRAMING@POINT; the
// point is a byte of the answer where that makes sense. Every mode is met over every protocol, then
// points are drawn until there are N exchanges (1,500); --every-byte takes each point of each mode,
// or N of them. After each exchange the record is looked at, and the next turn must work.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <thread>

#include "exchange.hpp"

namespace hostile {

std::function<std::vector<Outcome>(const Scene&)> always(std::vector<Outcome> outcomes) {
    return [outcomes = std::move(outcomes)](const Scene&) { return outcomes; };
}

Mode once(Mode mode) {
    mode.once = true;
    return mode;
}

Mode raw(std::string name, Outcome outcome, std::function<std::string(const Scene&)> bytes) {
    Mode mode;
    mode.name = std::move(name);
    mode.outcomes = always({outcome});
    mode.bytes = std::move(bytes);
    if (outcome.status != 0) mode.text.reset();
    return mode;
}

Mode acting(std::string name, Outcome outcome, std::function<void(Peer&, const Scene&)> act) {
    Mode mode = raw(std::move(name), outcome, nullptr);
    mode.act = std::move(act);
    return mode;
}

namespace {

constexpr std::size_t usual_exchanges = 1500;

struct Options {
    std::string programs;
    std::uint64_t seed = 0;
    std::optional<std::size_t> exchanges;
    bool every_byte = false;
    bool list = false;
    std::string mode;
    std::string only;
    unsigned jobs = 0;
};

Options parse_options(const std::vector<std::string>& arguments) {
    Options options;
    options.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                              std::chrono::seconds(1));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto next = [&]() -> const std::string& {
            if (++i >= arguments.size()) throw std::runtime_error(arguments[i - 1] + ": no value");
            return arguments[i];
        };
        const std::string& name = arguments[i];
        if (name == "--seed") {
            options.seed = std::stoull(next());
        } else if (name == "--exchanges") {
            options.exchanges = std::stoul(next());
        } else if (name == "--every-byte") {
            options.every_byte = true;
        } else if (name == "--list") {
            options.list = true;
        } else if (name == "--mode") {
            options.mode = next();
        } else if (name == "--only") {
            options.only = next();
        } else if (name == "--jobs") {
            options.jobs = static_cast<unsigned>(std::stoul(next()));
        } else if (options.programs.empty() && !name.starts_with("-")) {
            options.programs = name;
        } else {
            throw std::runtime_error("unknown argument " + name);
        }
    }
    if (options.programs.empty())
        throw std::runtime_error("the directory of the programs is needed");
    // most of them wait for a server's silence now and then
    if (options.jobs == 0) options.jobs = 3 * std::max(1U, std::thread::hardware_concurrency());
    return options;
}

struct Exchange {
    const Mode* mode = nullptr;
    Scene scene;

    std::string id() const {
        return mode->name + "/" + std::string(scene.protocol.name) + "/" +
               std::string(name(scene.framing)) + "@" + std::to_string(scene.at);
    }
};

std::vector<Mode> all_modes(const std::string& only) {
    std::vector<Mode> all;
    for (auto part : {broken_modes(), http_modes(), stream_modes(), endless_modes(), tls_modes()})
        for (Mode& mode : part)
            if (only.empty() || mode.name == only) all.push_back(std::move(mode));
    if (all.empty()) throw std::runtime_error("no mode has that name");
    return all;
}

// Points are 0 … last.
std::size_t last_point(const Mode& mode, const Scene& scene) {
    if (mode.once) return 0;
    if (mode.points) return mode.points(scene);
    return mode.bytes ? mode.bytes(scene).size() - 1 : 0;
}

class Plan {
  public:
    Plan(const std::vector<Mode>& modes, const Options& options)
        : modes_(modes), random_(options.seed) {
        if (!options.only.empty() || options.every_byte)
            take_every_point(options.only);
        else
            draw(options.exchanges.value_or(usual_exchanges));
        if (exchanges_.empty()) throw std::runtime_error("there is no such exchange");
        std::shuffle(exchanges_.begin(), exchanges_.end(), random_);
        if (options.every_byte && options.exchanges && *options.exchanges < exchanges_.size())
            exchanges_.erase(exchanges_.begin() + static_cast<std::ptrdiff_t>(*options.exchanges),
                             exchanges_.end());
    }
    const std::vector<Exchange>& exchanges() const { return exchanges_; }

  private:
    void take_every_point(const std::string& only) {
        for (const Mode& mode : modes_)
            for (const Protocol& protocol : protocols())
                for (const Framing framing : mode.framings) {
                    if (!only.empty() && !only.starts_with(mode.name + "/")) continue;
                    Exchange exchange{&mode, {protocol, framing}};
                    const std::size_t last = last_point(mode, exchange.scene);
                    for (; exchange.scene.at <= last; ++exchange.scene.at)
                        if (only.empty() || exchange.id() == only) exchanges_.push_back(exchange);
                }
    }
    void draw(std::size_t count) {
        std::vector<const Mode*> many;
        for (const Mode& mode : modes_) {
            for (const Protocol& protocol : protocols())
                exchanges_.push_back(drawn(mode, protocol));
            const Scene scene{protocols().front(), mode.framings.front()};
            if (last_point(mode, scene) > 0) many.push_back(&mode);
        }
        while (!many.empty() && exchanges_.size() < count)
            exchanges_.push_back(
                drawn(*many[below(many.size())], protocols()[below(protocols().size())]));
    }
    Exchange drawn(const Mode& mode, const Protocol& protocol) {
        Exchange exchange{&mode, {protocol, mode.framings[below(mode.framings.size())]}};
        exchange.scene.at = below(last_point(mode, exchange.scene) + 1);
        return exchange;
    }
    // Not a distribution of the library's: those differ from one library to the next.
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

    const std::vector<Mode>& modes_;
    std::mt19937_64 random_;
    std::vector<Exchange> exchanges_;
};

// The same for the same exchange, alone or among others.
std::size_t number_of(const std::string& id, std::uint64_t seed) {
    std::uint64_t hash = 14695981039346656037U ^ seed;
    for (const char c : id) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    return hash >> 16U;
}

class Suite {
  public:
    explicit Suite(Options options)
        : options_(std::move(options)),
          starters_(make_starters(options_.jobs)),
          modes_(all_modes(options_.mode)),
          plan_(modes_, options_),
          directory_(make_directory()) {
        certificates_ = std::make_unique<Certificates>(directory_);
    }
    ~Suite() {
        std::error_code ignored;
        std::filesystem::remove_all(directory_, ignored);
    }
    Suite(const Suite&) = delete;
    Suite& operator=(const Suite&) = delete;

    bool run() {
        const auto begin = std::chrono::steady_clock::now();
        std::printf("hostile: seed %llu, %zu modes, %zu exchanges\n",
                    static_cast<unsigned long long>(options_.seed), modes_.size(),
                    plan_.exchanges().size());
        std::fflush(stdout);
        std::vector<std::thread> workers;
        for (unsigned i = 0; i < options_.jobs; ++i) workers.emplace_back([this, i] { work(i); });
        for (std::thread& worker : workers) worker.join();
        const auto took = std::chrono::steady_clock::now() - begin;
        std::printf("hostile: %zu exchanges, %zu failed, %.1f s\n", plan_.exchanges().size(),
                    failed_, std::chrono::duration<double>(took).count());
        return failed_ == 0;
    }
    void list() const {
        for (const Exchange& exchange : plan_.exchanges()) std::puts(exchange.id().c_str());
    }

  private:
    static std::vector<std::unique_ptr<Starter>> make_starters(unsigned count) {
        std::vector<std::unique_ptr<Starter>> starters;
        for (unsigned i = 0; i < count; ++i) starters.push_back(std::make_unique<Starter>());
        return starters;
    }
    static std::string make_directory() {
        std::string pattern =
            (std::filesystem::exists("/dev/shm") ? std::filesystem::path("/dev/shm")
                                                 : std::filesystem::temp_directory_path()) /
            "chorus-hostile-XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no scratch directory");
        return pattern;
    }

    void work(unsigned number) {
        const Programs programs{options_.programs};
        Stage stage(programs, *certificates_, *starters_[number],
                    directory_ + "/" + std::to_string(number));
        for (std::size_t i; (i = next_++) < plan_.exchanges().size();) {
            const Exchange& exchange = plan_.exchanges()[i];
            const std::string id = exchange.id();
            std::vector<std::string> wrong;
            try {
                wrong = stage.play(*exchange.mode, exchange.scene, number_of(id, options_.seed));
            } catch (const std::exception& error) {
                wrong.push_back(error.what());
            }
            if (!wrong.empty()) report(id, wrong);
        }
    }

    void report(const std::string& id, const std::vector<std::string>& wrong) {
        const std::lock_guard lock(mutex_);
        ++failed_;
        std::printf("FAILED %s\n", id.c_str());
        for (const std::string& what : wrong) std::printf("  %s\n", what.c_str());
        std::printf("  again: hostile %s --seed %llu --only '%s'\n", options_.programs.c_str(),
                    static_cast<unsigned long long>(options_.seed), id.c_str());
        std::fflush(stdout);
    }

    Options options_;
    // before a long plan is made, whose memory would count as that of what they start
    std::vector<std::unique_ptr<Starter>> starters_;
    std::vector<Mode> modes_;
    Plan plan_;
    std::string directory_;
    std::unique_ptr<Certificates> certificates_;
    std::atomic<std::size_t> next_ = 0;
    std::mutex mutex_;
    std::size_t failed_ = 0;
};

}  // namespace
}  // namespace hostile

int main(int count, char** arguments) {
    std::signal(SIGPIPE, SIG_IGN);
    try {
        hostile::Options options = hostile::parse_options({arguments + 1, arguments + count});
        const bool list = options.list;
        hostile::Suite suite(std::move(options));
        if (list) return suite.list(), 0;
        return suite.run() ? 0 : 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "hostile: %s\n", error.what());
        return 1;
    }
}
