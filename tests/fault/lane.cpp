#include "fault/lane.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <set>

namespace fault {
namespace {

constexpr std::size_t told_steps = 12;

// Where a command that nobody disturbs may be ended: as long as it takes, and a bit.
constexpr int most_delay_us = 45'000;

const std::array<const char*, 8> failing_calls{
    "openat:error=EMFILE", "fdatasync:error=EIO", "fsync:error=EIO",    "pwrite64:error=ENOSPC",
    "write:error=ENOSPC",  "renameat2:error=EIO", "mkdir:error=EACCES", "read:error=EIO"};

}  // namespace

Lane::Lane(std::string bin, std::string home, std::string directory, int number, std::uint64_t seed)
    : bin_(std::move(bin)),
      home_(std::move(home)),
      directory_(std::move(directory)),
      number_(number),
      random_(seed),
      variables_{{"CHORUS_HOME", home_},
                 {"HOME", directory_},
                 {"CHORUS_ANTHROPIC_BASE_URL", provider_.url()},
                 {"ANTHROPIC_API_KEY", "sk-none"}},
      observer_(bin_, home_, variables_) {
    for (const char* letter : {"a", "b"}) {
        agent_ = "lane" + std::to_string(number_) + letter;
        make();
    }
}

void Lane::expect(bool holds, const Given& given, const std::string& what) {
    if (holds) return;
    std::string text = given.what + "\n    " + what;
    if (!given.err.empty()) text += "\n    stderr: " + given.err;
    text += "\n    before that:";
    for (const std::string& step : story_) text += "\n      " + step;
    failures_.push_back(text);
}

void Lane::expect_status(const Given& given, int status) {
    expect(given.status == status, given,
           "exit " + std::to_string(given.status) + ", not " + std::to_string(status) + ": " +
               given.out);
}

Lane::Given Lane::give(const std::string& verb, Words words, bool may_be_disturbed) {
    Given given;
    ++counts_[verb];
    provider_.take_requests();
    const int fate = may_be_disturbed ? static_cast<int>(random_() % 100) : 100;
    const bool is_killed = fate < 25;
    const bool is_failed = fate >= 25 && fate < 33;
    if (is_failed) {
        const std::string call = failing_calls[random_() % failing_calls.size()];
        const std::string name = call.substr(0, call.find(':'));
        words.insert(
            words.begin(),
            {"strace", "-qq", "-o", "/dev/null", "-e", "trace=" + name, "-e", "signal=none", "-e",
             "inject=" + call + ":when=" + std::to_string(1 + random_() % 40)});
    }
    for (const std::string& word : words)
        given.what += (given.what.empty() ? "" : " ") + word.substr(word.rfind('/') + 1);
    Command command(words, variables_);
    if (is_killed) {
        usleep(static_cast<useconds_t>(random_() % most_delay_us));
        const int signal = chance(80) ? SIGKILL : SIGTERM;
        command.kill(signal);
        given.what += signal == SIGKILL ? " (killed)" : " (terminated)";
    }
    if (is_failed) given.what += " (a call fails)";
    given.status = command.finish();
    given.out = command.out();
    given.err = command.err();
    given.was_disturbed = is_killed || is_failed;
    counts_["killed"] += is_killed && given.status == 128 + SIGKILL ? 1 : 0;
    counts_["failed"] += is_failed && given.status != 0 ? 1 : 0;
    given.result = Json::parse(given.out, nullptr, false);
    given.requests = provider_.take_requests();
    given.what += " = " + std::to_string(given.status);
    story_.push_back(given.what);
    if (story_.size() > told_steps) story_.erase(story_.begin());
    for (const Request& request : given.requests)
        expect(request.problem.empty(), given, "a provider refuses it: " + request.problem);
    for (const char* word : {"SQLITE", "UNIQUE", "internal", "terminate called", "constraint"})
        expect(given.err.find(word) == std::string::npos, given, word);
    return given;
}

void Lane::resolve(const Given& given, const std::vector<Threads>& possible) {
    const Threads real = observer_.threads(agent_);
    for (const Threads& one : possible) {
        if (one != real) continue;
        threads() = one;
        return;
    }
    std::string text = "is " + text_of(real);
    for (const Threads& one : possible) text += "\n    or " + text_of(one);
    expect(false, given, text);
    threads() = real;
}

void Lane::settle_on(const Given& given, const Threads& expected) {
    if (given.was_disturbed)
        resolve(given, {threads(), expected, without_cut_turns()});
    else
        resolve(given, {expected});
}

void Lane::check_requests(const Given& given, const Window& window) {
    for (const Request& request : given.requests) {
        const Window sent = window_of(request);
        expect(sent == window, given,
               "the request has " + text_of(sent) + ", not " + text_of(window));
    }
}

void Lane::check_effects(const Given& given) {
    for (const auto& [line, times] : now().effects) {
        const int count = observer_.count(agent_, line);
        expect(count >= times.first && count <= times.second, given,
               "'" + line + "' happened " + std::to_string(count) + " times, not " +
                   std::to_string(times.first) + " to " + std::to_string(times.second));
    }
}

int Lane::any_thread() {
    auto entry = threads().begin();
    std::advance(entry, static_cast<std::ptrdiff_t>(random_() % threads().size()));
    return entry->first;
}

Words Lane::run_words(int thread) const {
    return {bin_ + "/chorus-run", agent_, "--json", "--wait", "-t", std::to_string(thread)};
}

Words Lane::context_words(const std::string& verb) const {
    return {bin_ + "/chorus-context", verb, agent_, "--json", "--wait"};
}

Lane::Threads Lane::without_cut_turns() const {
    Threads threads = agents_.at(agent_).threads;
    for (auto& [number, thread] : threads)
        if (thread.standing == Standing::cut) thread.standing = Standing::ended;
    return threads;
}

void Lane::make() {
    const Given given = give("init",
                             {bin_ + "/chorus-init", agent_, "--model", "anthropic/m",
                              "--permissions", "@" + home_ + "/profile.json"},
                             false);
    expect_status(given, 0);
    agents_[agent_] = {};
    story_.clear();
}

void Lane::step() {
    agent_ = "lane" + std::to_string(number_) + (chance(50) ? "a" : "b");
    const int chosen = static_cast<int>(random_() % 100);
    if (chosen < 32) return turn();
    if (chosen < 36) return take_turn_by_key();
    if (chosen < 40) return crowd();
    if (chosen < 55) return go_on();
    if (chosen < 60) return decide();
    if (chosen < 63) return decide_elsewhere();
    if (chosen < 65) return end_task();
    if (chosen < 73) return save();
    if (chosen < 78) return clear();
    if (chosen < 83) return restore();
    if (chosen < 88) return branch();
    if (chosen < 93) return compact();
    if (chosen < 97) return rewind();
    if (chosen < 99) return move();
    destroy();
}

void Lane::settle() {
    for (const auto& [name, believed] : agents_) {
        agent_ = name;
        const Given verified =
            give("verify", {bin_ + "/chorus-context", "verify", agent_, "--prefix"}, false);
        expect_status(verified, 0);
        for (const auto& [number, thread] : Threads(threads()))
            take_turn(number, "say", {"--cancel-prompts"});
    }
}

}  // namespace fault
