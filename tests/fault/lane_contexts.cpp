// What keeps, ends and brings back a context, and agents with it.
#include <algorithm>
#include <cstdlib>

#include "fault/lane.hpp"

namespace fault {
namespace {

constexpr std::size_t most_threads = 4;

bool is_empty(const std::map<int, Thread>& threads) {
    return std::all_of(threads.begin(), threads.end(),
                       [](const auto& entry) { return entry.second.window.empty(); });
}

}  // namespace

void Lane::save() {
    Words words = context_words("save");
    if (chance(70)) words.push_back("--no-summary");
    const std::size_t before = observer_.sessions(agent_).size();
    const Given given = give("save", words);
    settle_on(given, threads());
    const bool has_none = is_empty(threads());
    const std::size_t made = observer_.sessions(agent_).size() - before;
    if (!given.was_disturbed) {
        expect_status(given, has_none ? 4 : 0);
        expect(made == (has_none ? 0U : 1U), given, std::to_string(made) + " sessions were made");
    }
    if (given.status != 0 || !given.result.is_object()) return;
    auto& session = now().sessions[given.result.value("id", "")];
    for (const auto& [number, thread] : threads()) session[number] = thread.window;
}

void Lane::clear() {
    Given given = give("clear", context_words("clear"));
    // what a turn that has not ended keeps does not show whether it was cleared
    if (given.was_disturbed && given.status != 0)
        given = give("clear", context_words("clear"), false);
    std::vector<Threads> possible{threads()};
    for (auto& [number, thread] : possible[0]) {
        thread.is_cleared = thread.standing != Standing::ended && !thread.window.empty();
        thread.window = thread.is_cleared ? Window{thread.turn} : Window{};
    }
    // what was cut stays where its process has not been missed yet
    for (const auto& [number, thread] : threads()) {
        if (thread.standing != Standing::cut) continue;
        for (Threads gone : std::vector<Threads>(possible)) {
            gone[number].window.clear();
            possible.push_back(gone);
        }
    }
    expect_status(given, 0);
    resolve(given, possible);
}

void Lane::restore() {
    if (now().sessions.empty()) return save();
    auto chosen = now().sessions.begin();
    std::advance(chosen, static_cast<std::ptrdiff_t>(random_() % now().sessions.size()));
    Words words = context_words("restore");
    words.push_back(chosen->first);
    const Given given = give("restore", words);
    if (waits(threads())) {
        if (!given.was_disturbed) expect_status(given, 75);
        return settle_on(given, threads());
    }
    Threads after = threads();
    for (auto& [number, thread] : after) {
        const auto restored = chosen->second.find(number);
        if (restored == chosen->second.end() || restored->second.empty())
            thread.window.clear();
        else
            thread = {};
    }
    for (const auto& [number, window] : chosen->second) after[number].window = window;
    // a turn whose process was killed has not ended
    const bool may_be_refused = threads() != without_cut_turns();
    if (may_be_refused && given.status == 75) return settle_on(given, threads());
    if (!given.was_disturbed) expect_status(given, 0);
    settle_on(given, after);
}

void Lane::branch() {
    if (threads().size() >= most_threads) return destroy();
    const int thread = any_thread();
    Words words = context_words("branch");
    words.insert(words.end(), {"b" + std::to_string(++steps_), "-t", std::to_string(thread)});
    const Given given = give("branch", words);
    Threads after = threads();
    const int made = threads().rbegin()->first + 1;
    const Thread from = threads()[thread];
    after[made].window = from.window;
    std::vector<Threads> possible{after};
    if (from.standing != Standing::ended && !from.window.empty()) {
        if (waits(from)) possible.clear();
        after[made].window.pop_back();
        possible.push_back(after);
    }
    // the last one kept may have no answer; its prompt may be in a summary made in its middle
    for (Threads unanswered : std::vector<Threads>(possible)) {
        Thread& own = unanswered[made];
        own.standing = Standing::cut;
        own.turn = own.window.empty() ? 0 : own.window.back();
        own.is_fresh = fresh_.contains(own.turn) &&
                       observer_.has_turn(observer_.message(agent_, thread, own.turn));
        possible.push_back(unanswered);
    }
    const bool is_refused = given.status == 4 && from.window.empty();
    if (given.was_disturbed || is_refused) possible.push_back(threads());
    if (!given.was_disturbed && !is_refused) expect_status(given, 0);
    resolve(given, possible);
    const auto branch = threads().find(made);
    if (branch == threads().end() || branch->second.standing != Standing::cut) return;
    // both of them may go on
    ++copies_[branch->second.turn];
    const std::string turn = std::to_string(branch->second.turn);
    for (const std::string& line :
         {"ran " + turn, "appended " + turn, "ran q" + turn + "a", "ran q" + turn + "b"}) {
        const auto effect = now().effects.find(line);
        if (effect != now().effects.end() && effect->second.second > 0) ++effect->second.second;
    }
}

void Lane::compact() {
    const int thread = any_thread();
    Words words = context_words("compact");
    words.insert(words.end(), {"-t", std::to_string(thread)});
    const Given given = give("compact", words);
    std::vector<Threads> possible{threads()};
    const Window before = threads()[thread].window;
    for (std::size_t i = 0; i + 1 < before.size(); ++i) {
        possible.push_back(threads());
        Window& window = possible.back()[thread].window;
        for (std::size_t k = 0; k <= i; ++k) window[k] = -std::abs(window[k]);
    }
    resolve(given, possible);
}

void Lane::rewind() {
    const int thread = any_thread();
    const Window before = threads()[thread].window;
    if (before.empty()) return turn();
    const std::size_t at = random_() % before.size();
    if (before[at] < 0) return compact();
    const std::string message = observer_.message(agent_, thread, before[at]);
    Words words = context_words("rewind");
    words.insert(words.end(), {"--to", message, "-t", std::to_string(thread)});
    const Given given = give("rewind", words);
    // it may be in a turn that another prompt began
    if (given.status == 2 && crowded_.contains(before[at])) return settle_on(given, threads());
    Threads after = threads();
    after[thread].window.resize(at);
    after[thread].standing = Standing::ended;
    after[thread].is_cleared = false;
    if (!given.was_disturbed) {
        expect_status(given, 0);
        return resolve(given, {after});
    }
    // its turn is given up before its messages are taken back
    Threads given_up = threads();
    if (waits(given_up[thread])) {
        end(given_up[thread]);
        given_up[thread].standing = Standing::cut;
    }
    resolve(given, {threads(), after, without_cut_turns(), given_up});
}

void Lane::destroy() {
    const Given given =
        give("destroy", {bin_ + "/chorus-destroy", agent_, "--yes", "--json"}, true);
    if (given.status != 0) {
        expect(given.was_disturbed, given, "exit " + std::to_string(given.status));
        const Given again = give("destroy", {bin_ + "/chorus-destroy", agent_, "--yes"}, false);
        expect(again.status == 0 || again.status == 4, again,
               "exit " + std::to_string(again.status));
    }
    make();
}

// The agent goes away and comes back, by an archive or by its files: what it had in its context it
// has again, and no turn waits.
void Lane::move() {
    Threads after = threads();
    for (auto& [number, thread] : after) {
        const bool goes_on = thread.standing != Standing::ended;
        end(thread);
        if (goes_on) thread.standing = Standing::cut;
    }
    const std::string archive = directory_ + "/moved.tar";
    const bool packs = chance(50);
    Words ending{bin_ + "/chorus-destroy", agent_, "--yes"};
    Words beginning{bin_ + "/chorus-init", agent_};
    if (packs) {
        const Given packed = give(
            "pack", {bin_ + "/chorus-context", "pack", agent_, "--wait", "--force", "-o", archive},
            false);
        expect_status(packed, 0);
        beginning.insert(beginning.end(), {"--trust", "--adopt=" + archive});
    } else {
        ending.push_back("--keep-files");
    }
    expect_status(give("destroy", ending, false), 0);
    const Given adopted = give("adopt", beginning, false);
    expect_status(adopted, 0);
    if (adopted.status != 0) return make();
    resolve(adopted, {after});
    check_effects(adopted);
}

}  // namespace fault
