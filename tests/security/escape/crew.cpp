#include "security/escape/crew.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "security/escape/calls.hpp"
#include "security/escape/evidence.hpp"

namespace escape {
namespace {

namespace fs = std::filesystem;
using fault::Words;

constexpr std::size_t turns_at_once = 3;
constexpr int calls_of_a_turn = 16;
// Chorus gives a git call that waits for something two minutes, and this machine may be busy.
constexpr std::int64_t bound_us = 300'000'000;
constexpr int most_stop_ms = 30'000;

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

// What the processes of a hung turn wait for, while they still do.
std::string waiting_processes(const std::string& top) {
    std::string all;
    for (const auto& entry : fs::directory_iterator("/proc")) {
        std::string words = text_of(entry.path() / "cmdline");
        std::replace(words.begin(), words.end(), '\0', ' ');
        if (words.find(top) == std::string::npos || words.find("/swap ") != std::string::npos)
            continue;
        all += "\n  " + entry.path().filename().string() + " " + words.substr(0, 160) + ": " +
               text_of(entry.path() / "wchan") + " " + text_of(entry.path() / "syscall");
    }
    return all;
}

bool is_crash(int status) {
    constexpr std::array crashes{128 + SIGILL, 128 + SIGABRT, 128 + SIGBUS,
                                 128 + SIGFPE, 128 + SIGSEGV, 128 + SIGSYS};
    return std::find(crashes.begin(), crashes.end(), status) != crashes.end();
}

std::string quoted(const std::string& text) {
    std::string out = "\"";
    for (const char c : text)
        out += (c == '"' || c == '\\') ? std::string("\\") + c : std::string(1, c);
    return out + "\"";
}

}  // namespace

void Tally::add(const Tally& other) {
    rounds += other.rounds;
    turns += other.turns;
    bursts += other.bursts;
    swaps += other.swaps;
    mounts += other.mounts;
    longest_ms = std::max(longest_ms, other.longest_ms);
    for (const auto& [tool, outcomes] : other.calls)
        for (const auto& [outcome, count] : outcomes) calls[tool][outcome] += count;
    for (const auto& [verb, outcomes] : other.commands)
        for (const auto& [outcome, count] : outcomes) commands[verb][outcome] += count;
}

std::string Crew::calls() {
    std::string text;
    for (int i = 0; i < calls_of_a_turn; ++i) text += any_call(options_.tools, random_) + "\n";
    return text;
}

Crew::Turn Crew::begin_turn(const std::string& agent, const std::string& directory) {
    const std::string prompt = place_.control() + "/prompt-" + std::to_string(++prompts_);
    fault::write_text(prompt, calls());
    Words words{place_.program("chorus-run"), agent, "-f", prompt, "--stdin", "ignore", "--json",
                // a sub-agent has one
                Place::is_sub_agent(agent) ? "--wait" : "--new-thread"};
    if (!directory.empty()) words.insert(words.end(), {"-C", directory});
    return {fault::Command(words, place_.variables()), "chorus-run, calls in " + prompt,
            fault::now_us()};
}

bool Crew::has_ended(Turn& turn) {
    const bool goes_on = turn.command.read_some();
    const bool hung = fault::now_us() - turn.started_us > bound_us;
    if (goes_on && !hung) return false;
    if (goes_on)
        effects_.push_back(turn.name + ": did not come to its end" +
                           waiting_processes(place_.top()) + "\n" +
                           text_of(turn.name.substr(turn.name.rfind(' ') + 1)));
    if (goes_on) turn.command.kill(SIGKILL);
    judge(turn, goes_on);
    return true;
}

void Crew::judge(Turn& turn, bool hung) {
    const int status = turn.command.finish(most_stop_ms);
    tally_.longest_ms = std::max(tally_.longest_ms, (fault::now_us() - turn.started_us) / 1'000);
    if (!hung && is_crash(status))
        effects_.push_back(turn.name + ": ended by signal " + std::to_string(status - 128));
    for (const std::string& text : {turn.command.out(), turn.command.err()})
        if (has_secret(text)) effects_.push_back(turn.name + ": says what is written outside");
}

void Crew::take_turns(const std::string& agent, const std::string& directory,
                      std::int64_t until_us) {
    std::list<Turn> turns;
    for (;;) {
        const bool goes_on = fault::now_us() < until_us;
        for (auto turn = turns.begin(); turn != turns.end();)
            turn = has_ended(*turn) ? turns.erase(turn) : std::next(turn);
        while (goes_on && turns.size() < turns_at_once) {
            turns.push_back(begin_turn(agent, directory));
            ++tally_.turns;
        }
        if (turns.empty()) return;
        std::vector<pollfd> wanted;
        for (const Turn& turn : turns) wanted.push_back({turn.command.fd(), POLLIN, 0});
        poll(wanted.data(), wanted.size(), 20);
    }
}

bool Crew::run(const std::string& verb, const Words& words) {
    Turn turn{fault::Command(words, place_.variables()), verb, fault::now_us()};
    while (!has_ended(turn)) {
        pollfd wanted{turn.command.fd(), POLLIN, 0};
        poll(&wanted, 1, 20);
    }
    const bool is_well = turn.command.status() == 0;
    ++tally_.commands[verb][is_well ? "ok" : std::to_string(turn.command.status())];
    return is_well;
}

Words Crew::swap_words(const std::string& directory, const Words& more) const {
    Words words{place_.program("swap"), "--dir", directory, "--seed", std::to_string(random_())};
    for (const Words& some : {place_.outside_words(), more})
        words.insert(words.end(), some.begin(), some.end());
    if (options_.is_harmless) words.push_back("--harmless");
    if (!options_.only.empty()) words.insert(words.end(), {"--only", options_.only});
    return words;
}

void Crew::attack(const std::string& directory, const Words& more) {
    adversaries_.emplace_back(swap_words(directory, more), place_.variables());
}

void Crew::attack_confined(const std::string& agent, const std::string& directory,
                           const std::string& ground, const Words& more) {
    std::string line;
    for (const std::string& word : swap_words(ground, more))
        line += (line.empty() ? "" : " ") + word;
    Words words{place_.program("chorus-run"),
                agent,
                "--stdin",
                "ignore",
                "-p",
                "/bash {\"command\": " + quoted("exec " + line) + ", \"background\": true}"};
    if (!directory.empty()) words.insert(words.end(), {"-C", directory});
    if (!run("chorus-run, to attack", words)) effects_.push_back("the attack did not begin");
}

void Crew::count_swaps(const std::string& text) {
    const auto number_after = [&](const std::string& word) -> std::int64_t {
        const std::size_t at = text.rfind(word + " ");
        return at == std::string::npos ? 0 : std::stoll(text.substr(at + word.size() + 1));
    };
    tally_.bursts += number_after("bursts");
    tally_.swaps += number_after("swaps");
    tally_.mounts += number_after("mounts");
}

void Crew::stop_attacks() {
    for (fault::Command& adversary : adversaries_) adversary.kill(SIGTERM);
    for (fault::Command& adversary : adversaries_) {
        adversary.finish(most_stop_ms);
        count_swaps(adversary.out());
    }
    adversaries_.clear();
}

void Crew::stop_confined(const std::string& agent) {
    run("chorus-tasks kill", {place_.program("chorus-tasks"), "kill", agent, "all"});
    if (!std::filesystem::exists(place_.agent(agent) + "/tasks")) return;
    for (const auto& entry : std::filesystem::directory_iterator(place_.agent(agent) + "/tasks")) {
        const std::string text = fault::read_text(entry.path() / "out.log");
        count_swaps(text);
        // one that was ended for what it swapped does not say how often
        if (fault::read_text(entry.path() / "err.log").find(" was replaced from outside") !=
            text.npos)
            ++tally_.swaps;
        for (std::size_t at = text.find("WORKED "); at != std::string::npos;
             at = text.find("WORKED ", at + 1))
            effects_.push_back("in the sandbox: " + text.substr(at, text.find('\n', at) - at));
    }
}

}  // namespace escape
