// Turns, and what decides and begins them.
#include <unistd.h>

#include <algorithm>
#include <set>

#include "fault/lane.hpp"

namespace fault {
namespace {

constexpr int crowd_size = 3;
constexpr std::int64_t most_wait_us = 60'000'000;  // for a process that nobody waits for

}  // namespace

void Lane::take_turn(int thread, const std::string& kind, const Words& more) {
    const int number = ++prompts_;
    const std::string prompt = kind + " " + std::to_string(number);
    Words words = run_words(thread);
    words.insert(words.end(), more.begin(), more.end());
    words.insert(words.end(), {"-p", prompt});
    const bool is_fresh = std::find(more.begin(), more.end(), "--fresh") != more.end();
    const bool withdraws = std::find(more.begin(), more.end(), "--cancel-prompts") != more.end();
    if (is_fresh) fresh_.insert(number);
    const Thread before = threads()[thread];
    if (kind == "work") {
        now().effects["ran " + std::to_string(number)] = {0, 1};
        now().effects["appended " + std::to_string(number)] = {0, 1};
    }
    if (kind == "ask")
        for (const char* letter : {"a", "b"})
            now().effects["ran q" + std::to_string(number) + letter] = {0, 0};
    const Given given = give("run " + kind, words);
    const bool is_refused = waits(before) && !withdraws;
    Threads after = threads();
    Thread& own = after[thread];
    if (!is_refused) {
        end(own);
        own.window.push_back(number);
        own.turn = number;
        own.is_fresh = is_fresh;
        own.standing = kind == "ask" ? Standing::asks : Standing::ended;
        check_requests(given, sent_by(own));
    }
    if (given.was_disturbed) {
        Threads cut = after;
        cut[thread].standing = Standing::cut;
        Threads given_up = threads();
        if (waits(before)) given_up[thread].standing = Standing::cut;
        Threads ended = threads();
        end(ended[thread]);
        Threads cleared = ended;
        cleared[thread].standing = Standing::cut;
        resolve(given, {threads(), cut, after, given_up, ended, cleared});
        if (given.status == 0 && !is_refused)
            expect(threads()[thread].turn == number, given, "exit 0, and it is not there");
    } else {
        resolve(given, {after});
        expect_status(given, is_refused || kind == "ask" ? 10 : 0);
        if (is_refused) expect(given.requests.empty(), given, "the model was called");
        if (kind == "work" && !is_refused) {
            now().effects["ran " + std::to_string(number)] = {1, 1};
            now().effects["appended " + std::to_string(number)] = {1, 1};
        }
    }
    check_effects(given);
}

void Lane::turn() {
    Words more;
    const int thread = any_thread();
    if (waits(threads()[thread]) && chance(50)) more.push_back("--cancel-prompts");
    if (chance(10)) more.push_back("--fresh");
    const int kind = static_cast<int>(random_() % 10);
    take_turn(thread, kind < 6 ? "say" : kind < 8 ? "work" : "ask", more);
}

// Given again and again with its key until it is done, and once more.
void Lane::take_turn_by_key() {
    const int thread = any_thread();
    if (waits(threads()[thread])) return decide();
    const int number = ++prompts_;
    const std::string text = std::to_string(number);
    Words words = run_words(thread);
    words.insert(words.end(), {"--idempotency-key", "key-" + text, "-p", "work " + text});
    for (const char* line : {"ran ", "appended "}) now().effects[line + text] = {0, 1};
    Threads done = threads();
    Thread& own = done[thread];
    end(own);
    own.window.push_back(number);
    own.turn = number;
    own.is_fresh = false;
    for (int tries = 0; tries < 4; ++tries) {
        const Given given = give("run by key", words, tries < 2);
        check_effects(given);
        check_requests(given, own.window);
        if (given.status == 0 && tries > 0 && threads() == done)
            expect(given.requests.empty(), given, "what was done is done again");
        if (!given.was_disturbed) {
            expect_status(given, 0);
            resolve(given, {done});
            continue;
        }
        Threads cut = done;
        cut[thread].standing = Standing::cut;
        Threads ended = threads();
        end(ended[thread]);
        Threads cleared = ended;
        cleared[thread].standing = Standing::cut;
        resolve(given, {threads(), done, cut, ended, cleared});
    }
}

// Several at once on one thread: each is there once, in any order, and none is lost.
void Lane::crowd() {
    const int thread = any_thread();
    const Thread before = threads()[thread];
    if (before.standing != Standing::ended) return go_on();
    Given given;
    given.what = agent_ + ": several at once on thread " + std::to_string(thread);
    provider_.take_requests();
    std::vector<Command> commands;
    std::set<int> numbers;
    for (int i = 0; i < crowd_size; ++i) {
        Words words = run_words(thread);
        const int number = ++prompts_;
        if (chance(40))
            std::replace(words.begin(), words.end(), std::string("--wait"), std::string("--queue"));
        numbers.insert(number);
        crowded_.insert(number);
        words.insert(words.end(), {"-p", "say " + std::to_string(number)});
        commands.emplace_back(words, variables_);
    }
    for (Command& command : commands) {
        command.finish();
        expect(command.status() == 0, given,
               "exit " + std::to_string(command.status()) + ": " + command.out() + command.err());
    }
    ++counts_["crowd"];
    Words rest = run_words(thread);
    rest.push_back("--resume");
    expect_status(give("resume", rest, false), 0);
    story_.push_back(given.what);
    given.requests = provider_.take_requests();
    for (const Request& request : given.requests)
        expect(request.problem.empty(), given, "a provider refuses it: " + request.problem);
    Threads real = observer_.threads(agent_);
    const Window& window = real[thread].window;
    const auto said = static_cast<std::ptrdiff_t>(before.window.size());
    const bool begins_alike =
        window.size() == before.window.size() + numbers.size() &&
        std::equal(before.window.begin(), before.window.end(), window.begin());
    expect(begins_alike && std::set<int>(window.begin() + said, window.end()) == numbers, given,
           "is " + text_of(window) + ", was " + text_of(before.window));
    Thread& own = threads()[thread];
    own.window = window;
    own.turn = real[thread].turn;
    own.is_fresh = false;
    resolve(given, {threads()});
}

void Lane::go_on() {
    const int thread = any_thread();
    const Thread before = threads()[thread];
    Words words = run_words(thread);
    const bool retries = chance(30);
    words.push_back(retries ? "--retry" : "--resume");
    const Given given = give(words.back().substr(2), words);
    check_requests(given, sent_by(before));
    Threads after = threads();
    const bool goes_on = before.standing == Standing::cut || before.standing == Standing::decided;
    if (goes_on) end(after[thread]);
    // a turn that asks may have been cut before it did, and asks again where its answer is retried
    Threads asking = threads();
    if (goes_on) reopen(asking[thread]);
    Threads cut = asking;
    if (before.standing == Standing::cut || (goes_on && retries))
        asking[thread].standing = Standing::asks;
    if (goes_on) cut[thread].standing = Standing::cut;
    if (given.was_disturbed) {
        Threads closed = after;
        if (goes_on) closed[thread].standing = Standing::cut;
        resolve(given, {threads(), after, asking, cut, closed});
    } else if (goes_on) {
        resolve(given, {after, asking});
        expect_status(given, threads()[thread].standing == Standing::asks ? 10 : 0);
    } else {
        resolve(given, {after});
        expect_status(given, before.standing == Standing::asks ? 10 : 0);
        expect(given.requests.empty(), given, "the model was called");
    }
    check_effects(given);
}

void Lane::decide() {
    const int thread = any_thread();
    const Thread before = threads()[thread];
    if (before.standing != Standing::asks) return turn();
    const bool approves = chance(60);
    Words words = run_words(thread);
    words.insert(words.end(), {approves ? "--approve" : "--deny", "all"});
    // one command changes what the other one names
    if (approves) words.push_back("--even-if-changed");
    if (approves)
        for (const char* letter : {"a", "b"})
            now().effects["ran q" + std::to_string(before.turn) + letter] = {
                0, 1 + copies_[before.turn]};
    const Given given = give(approves ? "approve" : "deny", words);
    check_requests(given, sent_by(before));
    Threads after = threads();
    end(after[thread]);
    if (given.was_disturbed) {
        Threads cut = threads();
        cut[thread].standing = Standing::cut;
        Threads decided = threads();
        decided[thread].standing = Standing::decided;
        for (Threads* one : {&decided, &threads()}) (*one)[thread].is_partly_decided = true;
        Threads closed = after;
        closed[thread].standing = Standing::cut;
        resolve(given, {threads(), after, cut, decided, closed});
    } else {
        resolve(given, {after});
        expect_status(given, 0);
        if (approves && !before.is_partly_decided)
            for (const char* letter : {"a", "b"})
                now().effects["ran q" + std::to_string(before.turn) + letter].first = 1;
    }
    check_effects(given);
}

// Decided elsewhere, one by one; nothing goes on.
void Lane::decide_elsewhere() {
    const int thread = any_thread();
    if (threads()[thread].standing != Standing::asks) return decide();
    const bool approves = chance(50);
    const int number = threads()[thread].turn;
    if (approves)
        for (const char* letter : {"a", "b"})
            now().effects["ran q" + std::to_string(number) + letter] = {0, 1 + copies_[number]};
    for (const std::string& id : observer_.pending(agent_, thread)) {
        Words words{bin_ + "/chorus-tasks", approves ? "approve" : "deny", id};
        if (approves) words.push_back("--even-if-changed");
        const Given given = give(approves ? "tasks approve" : "tasks deny", words);
        Threads decided = threads();
        decided[thread].standing = Standing::decided;
        for (Threads* one : {&decided, &threads()}) (*one)[thread].is_partly_decided = true;
        if (!given.was_disturbed) expect_status(given, 0);
        resolve(given, {threads(), decided});
        expect(given.requests.empty(), given, "the model was called");
    }
}

// What ends begins a turn of its own on the main thread, and goes on with nothing else.
void Lane::end_task() {
    if (waits(threads()[1])) return decide_elsewhere();
    const int number = ++prompts_;
    const Given given = give("task",
                             {bin_ + "/chorus-tasks", "run", agent_, "--on-exit",
                              "say " + std::to_string(number), "--run", "--", "true"},
                             false);
    expect_status(given, 0);
    const std::int64_t until_us = now_us() + most_wait_us;
    while (!observer_.has_ended(agent_, 1, number) && now_us() < until_us) usleep(10'000);
    Threads after = threads();
    Thread& own = after[1];
    end(own);
    own.window.push_back(number);
    own.turn = number;
    own.is_fresh = false;
    resolve(given, {after});
    check_effects(given);
    Given begun = given;
    begun.requests = provider_.take_requests();
    check_requests(begun, own.window);
}

}  // namespace fault
