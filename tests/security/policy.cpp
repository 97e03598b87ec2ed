// What profiles decide about commands, line by line of a corpus, and what the same commands do when
// they are run in the sandbox. A line that is allowed must not run `canary`, and none may change
// what lies outside.
//
//   security_policy CORPUS
//   security_policy --sources CORPUS           each line says where it is from, and is to be asked
//                                              about under the preset `standard` too
//   security_policy --generate N [--seed N]    commands put together by chance
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>

#include "policy/profile.hpp"
#include "security/corpus.hpp"
#include "security/scene.hpp"
#include "sys/process.hpp"
#include "sys/sandbox.hpp"

namespace chorus::security {
namespace {

using policy::Verdict;

// Commands, each in a directory of its own, one after another in one sandbox.
class Trial {
  public:
    Trial() : scene_("/var/tmp") {
        put(scene_.outside() + "/kept.txt", "kept\n");
        fs::create_directories(scene_.workspace() + "/base/bin");
        fs::create_directories(scene_.workspace() + "/bin");
        fs::create_directories(scene_.workspace() + "/commands");
        put(scene_.workspace() + "/base/a.txt", "one\ntwo\n");
        put(scene_.workspace() + "/base/canary.sh", "canary\n");
        put(scene_.workspace() + "/bin/canary",
            "#!/bin/sh\n: > " + scene_.workspace() + "/canary-ran\n");
        fs::permissions(scene_.workspace() + "/bin/canary", fs::perms::owner_all);
        fs::copy_file(scene_.workspace() + "/bin/canary", scene_.workspace() + "/base/bin/canary");
        before_ = fingerprint(scene_.outside());
    }

    void add(std::size_t id, const std::string& command) {
        put(scene_.workspace() + "/commands/" + std::to_string(id), command);
    }

    // The commands that ran canary.
    std::set<std::size_t> run() {
        const sys::Sandbox sandbox{.workspace = scene_.workspace()};
        sys::ProcessCommand command;
        command.arguments = {"bash", "-c", each_command};
        command.environment = {"PATH=" + scene_.workspace() + "/bin:/usr/bin:/bin",
                               "HOME=" + scene_.workspace(), "LC_ALL=C.UTF-8"};
        command.directory = scene_.workspace();
        const auto ended = sys::run(sys::sandboxed(sandbox, command), {.timeout_ms = 120'000});
        if (ended.exit_code != 0 || ended.out.text.find("all were run\n") == std::string::npos)
            throw std::runtime_error("not all were run: " + ended.out.text + ended.err.text);
        std::set<std::size_t> ran;
        for (const auto& entry : fs::directory_iterator(scene_.workspace() + "/ran"))
            ran.insert(std::stoul(entry.path().filename().string()));
        return ran;
    }

    bool left_outside_alone() const { return fingerprint(scene_.outside()) == before_; }

  private:
    static constexpr const char* each_command = R"(
        top=$PWD
        mkdir ran work
        for file in commands/*; do
            id=${file##*/}
            cp -r base "work/$id" && cd "work/$id" || exit 1
            IFS= read -r -d '' command < "$top/$file"
            timeout -k 1 2 bash -c -- "$command" < /dev/null > /dev/null 2>&1
            cd "$top" || exit 1
            if [ -e canary-ran ]; then rm canary-ran && : > "ran/$id"; fi
        done
        echo all were run)";

    Scene scene_;
    std::string before_;
};

bool can_be_run(const std::string& command) {
    return command.find('\0') == std::string::npos && command.size() < 100'000;
}

policy::Profile compiled(const policy::ProfileText& text) {
    return policy::Profile::compile(text, "corpus");
}

Verdict decide(const policy::Profile& profile, const std::string& command) {
    return profile.decide(policy::parse_action("tool:bash:" + command), {}).verdict;
}

// "profile:", "allow:" and the like; true where the line is one.
bool add_rule(const std::string& line, policy::ProfileText& text) {
    const auto rest = [&](const std::string& head) { return line.substr(head.size()); };
    if (line.starts_with("profile: "))
        text = {};
    else if (line.starts_with("allow: "))
        text.allow.push_back({rest("allow: ")});
    else if (line.starts_with("ask: "))
        text.ask.push_back({rest("ask: ")});
    else if (line.starts_with("deny: "))
        text.deny.push_back({rest("deny: ")});
    else
        return false;
    return true;
}

struct Case {
    Line line;
    std::string expected;
    std::string command;
    Verdict found = Verdict::allow;
    bool standard_asks = true;  // or denies
};

// `fields`: of a case, 3 where its source stands in the middle.
std::vector<Case> read_cases(const std::string& path, std::size_t fields, std::size_t& expected) {
    const policy::Profile standard = *policy::Profile::preset("standard");
    policy::ProfileText text;
    std::vector<Case> cases;
    for (const Line& line : read_corpus(path, fields)) {
        const std::string& first = line.fields[0];
        if (line.fields.size() == fields) {
            const std::string& command = line.fields.back();
            cases.push_back({line, first, command, decide(compiled(text), command),
                             decide(standard, command) != Verdict::allow});
        } else if (first.starts_with("cases: ")) {
            expected = std::stoul(first.substr(7));
        } else if (!add_rule(first, text)) {
            throw std::runtime_error(path + ":" + std::to_string(line.number) + ": no case");
        }
    }
    return cases;
}

int judge_corpus(const std::string& path, std::size_t fields) {
    std::size_t expected = 0;
    const std::vector<Case> cases = read_cases(path, fields, expected);
    Trial trial;
    for (const Case& one : cases)
        if (can_be_run(one.command)) trial.add(one.line.number, one.command);
    const std::set<std::size_t> ran = trial.run();

    Report report(fs::path(path).filename(), expected);
    std::size_t live = 0;
    for (const Case& one : cases) {
        const std::string found(policy::name(one.found));
        const bool ran_canary = ran.count(one.line.number) != 0;
        const bool allowed = one.found == Verdict::allow;
        if (ran_canary && !allowed) ++live;
        const bool holds = found == one.expected && !(ran_canary && allowed) &&
                           (fields == 2 || (one.standard_asks && !allowed));
        report.ran(holds, one.line,
                   found + (ran_canary ? ", ran canary" : "") +
                       (one.standard_asks ? "" : ", standard allows it") + ", not " + one.expected +
                       ": " + one.command.substr(0, 200));
    }
    std::cout << live << " of them run something else when they are not stopped\n";
    if (!trial.left_outside_alone()) {
        std::cout << "FAILED: something outside was changed\n";
        return 1;
    }
    return report.finish();
}

// What a command is made of, right and wrong.
const std::vector<std::string> starts{"git status",   "ls",         "ls -l a.txt",    "cat a.txt",
                                      "echo x",       "echo 'x y'", "grep one a.txt", "pwd",
                                      "timeout 2 ls", "env",        "nice ls",        "echo \"x\""};
const std::vector<std::string> pieces{";",
                                      " ; ",
                                      "&&",
                                      "||",
                                      "|",
                                      "&",
                                      "|&",
                                      ";;",
                                      "\n",
                                      "\r",
                                      "\t",
                                      " ",
                                      "  ",
                                      "#",
                                      " # ",
                                      "\\",
                                      "\\\n",
                                      "'",
                                      "\"",
                                      "`",
                                      "$(",
                                      ")",
                                      "(",
                                      "{",
                                      "}",
                                      "${x:-",
                                      "$((",
                                      "))",
                                      "<(",
                                      ">(",
                                      "<<<",
                                      "<< E\n",
                                      "\nE\n",
                                      "<",
                                      ">",
                                      ">>",
                                      ">|",
                                      "<>",
                                      "&>",
                                      "2>&1",
                                      "2>",
                                      ">&",
                                      "canary",
                                      " canary ",
                                      "canary",
                                      "canary",
                                      "$'",
                                      "$\"",
                                      "\\x63",
                                      "can",
                                      "ary",
                                      "x=",
                                      "=",
                                      "PATH=bin ",
                                      "!",
                                      "! ",
                                      "time ",
                                      "exec ",
                                      "eval ",
                                      "command ",
                                      "env ",
                                      "nice ",
                                      "sh -c ",
                                      "if ",
                                      "; then ",
                                      "; fi",
                                      "~",
                                      "*",
                                      "?",
                                      "[",
                                      "]",
                                      ",",
                                      "a.txt",
                                      "-",
                                      "--",
                                      "-c ",
                                      "\x0b",
                                      "\xc2\xa0",
                                      "\xc2\xad",
                                      "\xe2\x80\xa8",
                                      "@",
                                      "%",
                                      "^",
                                      "+",
                                      ":",
                                      ".",
                                      "/",
                                      "..",
                                      "bin/",
                                      "timeout 2 ",
                                      "nohup ",
                                      "stdbuf -o0 ",
                                      "setsid -w ",
                                      "xargs ",
                                      "echo canary",
                                      "| sh",
                                      "| bash",
                                      "E",
                                      "function ",
                                      "ls ",
                                      "git ",
                                      "status",
                                      "cat ",
                                      "echo ",
                                      "done",
                                      "do ",
                                      "case x in x) ",
                                      "esac"};

std::string put_together(std::mt19937_64& random) {
    std::string command = starts[random() % starts.size()];
    for (auto left = 1 + random() % 4; left > 0; --left) {
        const std::size_t at = random() % 3 == 0 ? random() % (command.size() + 1) : command.size();
        command.insert(at, pieces[random() % pieces.size()]);
    }
    if (random() % 4 == 0) command += starts[random() % starts.size()];
    return command;
}

int judge_generated(std::size_t count, std::uint64_t seed) {
    policy::ProfileText text;
    text.allow = {{"tool:bash:git status( .*)?"},
                  {"tool:bash:(ls|cat|echo|grep|pwd|env|nice|timeout|nohup|stdbuf|setsid)( .*)?"}};
    text.ask = {{R"(tool:bash:[\s\S]*)"}};
    const policy::Profile profile = compiled(text);
    std::mt19937_64 random(seed);
    std::vector<std::string> allowed;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string command = put_together(random);
        if (command.find("canary") != std::string::npos && seen.insert(command).second &&
            decide(profile, command) == Verdict::allow)
            allowed.push_back(command);
    }
    const std::size_t most = 300 + count / 1000;
    if (allowed.size() > most) allowed.resize(most);
    Trial trial;
    for (std::size_t i = 0; i < allowed.size(); ++i) trial.add(i, allowed[i]);
    const std::set<std::size_t> ran = trial.run();
    std::cout << count << " commands, " << seen.size() << " of them name canary, " << allowed.size()
              << " of these were allowed and run, " << ran.size() << " ran canary\n";
    for (const std::size_t i : ran)
        std::cout << "FAILED: allowed, ran canary: " << allowed[i] << "\n";
    if (allowed.size() < 20) std::cout << "FAILED: too few were allowed\n";
    if (!trial.left_outside_alone()) std::cout << "FAILED: something outside was changed\n";
    if (ran.empty() && allowed.size() >= 20 && trial.left_outside_alone()) return 0;
    std::cout << "again: security_policy --generate " << count << " --seed " << seed << "\n";
    return 1;
}

}  // namespace
}  // namespace chorus::security

int main(int argc, char** argv) {
    using namespace chorus::security;
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words.size() == 1) return judge_corpus(words[0], 2);
    if (words.size() == 2 && words[0] == "--sources") return judge_corpus(words[1], 3);
    if (words.size() < 2 || words[0] != "--generate")
        throw std::runtime_error("policy [--sources] CORPUS, or policy --generate N [--seed N]");
    const std::uint64_t seed = words.size() == 4 ? std::stoull(words[3]) : clock_seed();
    std::cout << "seed " << seed << std::endl;
    return judge_generated(std::stoul(words[1]), seed);
}
