#include "security/escape/round.hpp"

#include <algorithm>
#include <filesystem>

#include "fault/database.hpp"
#include "security/escape/evidence.hpp"

namespace escape {
namespace {

namespace fs = std::filesystem;
using fault::Words;

constexpr std::int64_t turns_us = 4'000'000;

bool is_below(const std::string& path, const std::string& top) {
    return path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/');
}

// What stands there before anything is attacked, and what differs later.
class Before {
  public:
    Before(const Place& place, bool with_person)
        : place_(place),
          with_person_(with_person),
          record_(record_of(kept())),
          own_(own()),
          names_(names()),
          watch_(place.outside()) {}

    void judge(std::vector<std::string>& effects) {
        for (const std::string& line : watch_.seen()) effects.push_back(line);
        for (const std::string& line : differences(record_, record_of(kept())))
            effects.push_back(line);
        for (const std::string& line : differences(own_, own())) effects.push_back(line);
        for (const std::string& name : names())
            if (!names_.contains(name)) effects.push_back(name + ": is new");
    }

  private:
    std::vector<std::string> kept() const {
        std::vector<std::string> paths{place_.outside(), place_.agent("other"),
                                       place_.home() + "/config.json"};
        // the person's own work tree: agents work in another
        if (with_person_)
            for (const char* name : {"/file.txt", "/a", "/.gitignore", "/.gitmodules"})
                paths.push_back(place_.person() + name);
        return paths;
    }
    // What Chorus itself may write anew, as it was.
    Record own() const {
        Record texts;
        for (const char* name : {"/agent.json", "/docs/README.md"})
            texts[place_.agent("a") + name] = fault::read_text(place_.agent("a") + name);
        for (const char* name : {"/.git/HEAD", "/.git/index", "/.git/config"})
            if (with_person_)
                texts[place_.person() + name] = fault::read_text(place_.person() + name);
        return texts;
    }
    // Of everything but what Chorus writes in its home, and what is attacked.
    std::set<std::string> names() const {
        const std::vector<std::string> left_out{place_.control(),
                                                place_.project(),
                                                place_.person(),
                                                place_.linked(),
                                                place_.foreign(),
                                                place_.home() + "/locks",
                                                place_.home() + "/archive",
                                                place_.home() + "/chorus.db",
                                                place_.home() + "/agents"};
        auto names = names_below(place_.top(), [&](const std::string& path) {
            return std::find(left_out.begin(), left_out.end(), path) != left_out.end();
        });
        std::erase_if(names, [&](const std::string& name) {
            return name.starts_with(place_.home() + "/chorus.db") ||
                   is_below(name, place_.home() + "/archive");
        });
        return names;
    }

    const Place& place_;
    bool with_person_;
    Record record_;
    Record own_;
    std::set<std::string> names_;
    Watch watch_;
};

class Round {
  public:
    Round(const Kit& kit, const Options& options, std::uint64_t seed)
        : random_(seed),
          place_(kit, options.is_harmless, options.sandbox),
          has_mounts_(options.sandbox != "landlock"),
          crew_(place_, options, random_) {}

    Result play(const std::string& kind) {
        if (kind == "life") prepare_life();
        const bool is_of_person = kind == "linked" || kind == "module";
        if (is_of_person) place_.make_person();
        Before before(place_, is_of_person);
        if (kind == "guarded") attack_and_turn("", "guarded");
        if (kind == "whole") attack_and_turn(place_.project(), "whole");
        // only mounts keep parts of the repository in their places
        if (kind == "confined") turn_confined("", has_mounts_ ? "guarded" : "whole");
        if (kind == "spawned") turn_spawned();
        if (kind == "before") turn_confined(place_.project(), "whole");
        if (kind == "linked") turn_of_person(place_.linked(), place_.person());
        if (kind == "module")
            turn_of_person(place_.module(), place_.person() + "/.git/modules/module");
        if (kind == "life") live();
        Result result;
        before.judge(crew_.effects());
        look_for_secrets();
        if (kind == "confined" || kind == "before") look_for_rights(kind);
        if (crew_.tally().swaps == 0) crew_.effects().emplace_back("nothing was swapped");
        count_calls();
        ++crew_.tally().rounds;
        result.effects = std::move(crew_.effects());
        result.tally = crew_.tally();
        return result;
    }
    Place& place() { return place_; }

  private:
    void attack_and_turn(const std::string& directory, const std::string& reach) {
        const std::string ground = directory.empty() ? place_.workspace("a") : directory;
        crew_.attack(ground, {"--reach", reach, "--part", "git"});
        crew_.attack(ground, {"--reach", reach, "--part", "both", "--mounts"});
        crew_.take_turns("a", directory, fault::now_us() + turns_us);
        crew_.stop_attacks();
    }

    void turn_confined(const std::string& directory, const std::string& reach) {
        for (const char* part : {"git", "both"})
            crew_.attack_confined("a", directory,
                                  directory.empty() ? place_.workspace("a") : directory,
                                  {"--reach", reach, "--part", part, "--probe"});
        crew_.take_turns("a", directory, fault::now_us() + turns_us);
        crew_.stop_confined("a");
    }

    // The adversary is a sub-agent; calls are its own, and those of the agent above it.
    void turn_spawned() {
        // without mounts a sub-agent has no commands
        if (!has_mounts_) return turn_confined("", "whole");
        const std::string child = place_.make_sub_agent();
        for (const char* part : {"git", "both"})
            crew_.attack_confined(child, "", place_.workspace("a"),
                                  {"--reach", "guarded", "--part", part, "--probe"});
        const std::int64_t begin_us = fault::now_us();
        crew_.take_turns(child, "", begin_us + turns_us / 2);
        crew_.take_turns("a", "", begin_us + turns_us);
        crew_.stop_confined(child);
    }

    // What the sandbox lets a command have of the repository, `git`, it may move.
    void turn_of_person(const std::string& directory, const std::string& git) {
        crew_.attack_confined("a", directory, directory, {"--reach", "whole", "--part", "tree"});
        crew_.attack_confined("a", directory, git, {"--reach", "whole", "--part", "both"});
        crew_.take_turns("a", directory, fault::now_us() + turns_us);
        crew_.stop_confined("a");
    }

    void prepare_life() {
        place_.make_agent("b");
        place_.make_agent("asks", "standard");
        fs::copy(place_.agent("b"), place_.foreign(),
                 fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    }

    // Everything but turns that reads or writes a workspace by its path.
    void live() {
        crew_.attack(place_.workspace("b"),
                     {"--reach", "whole", "--keep", place_.home() + "/agents"});
        crew_.attack(place_.foreign() + "/workspace", {"--reach", "whole"});
        crew_.attack(place_.workspace("asks"), {"--reach", "guarded"});
        const std::int64_t until_us = fault::now_us() + 2 * turns_us;
        for (int number = 0; fault::now_us() < until_us; ++number) {
            crew_.take_turns("b", "", fault::now_us() + 200'000);
            rewind();
            pack();
            ask();
            for (const char* verb : {"status", "list", "steps"})
                command("chorus-tasks", {verb, "b"});
            for (const char* verb : {"save", "artifacts", "export"})
                command("chorus-context", {verb, "b"});
            command("chorus-config", {"doctor"});
            bring_in("adopt", "c" + std::to_string(number), {"--adopt=" + place_.foreign()});
            bring_in("clone", "d" + std::to_string(number),
                     {"--clone", place_.foreign() + "/workspace"});
            bring_in("template", "e" + std::to_string(number), {"--template", place_.foreign()});
            command("chorus-destroy", {"b", "--yes", "--keep-files"});
            command("chorus-init", {"b", "--adopt"});
            if (random_() % 3 != 0) continue;
            command("chorus-destroy", {"b", "--yes"});
            command("chorus-init", {"b", "--model", "builtin/script", "--permissions",
                                    "@" + place_.control() + "/profile.json"});
        }
        crew_.stop_attacks();
    }

    bool command(const std::string& program, const Words& words) {
        Words all{place_.program(program)};
        all.insert(all.end(), words.begin(), words.end());
        std::string verb = program == "chorus-init" ? "chorus-init --adopt" : program;
        if (program == "chorus-run") verb += words[1] == "-p" ? " asks" : " --approve";
        if (program == "chorus-destroy") verb += words.size() > 2 ? " --keep-files" : "";
        if (program == "chorus-context" || program == "chorus-tasks" || program == "chorus-config")
            verb += " " + words[0];
        return crew_.run(verb, all);
    }

    void rewind() {
        fault::Database database(place_.home() + "/chorus.db");
        const auto rows = database.rows(
            "SELECT m.id, m.thread_id FROM messages m JOIN turns t ON t.id = m.turn_id JOIN agents "
            "a "
            "ON a.id = m.agent_id WHERE a.name = 'b' AND a.status = 'active' AND m.role = 'user' "
            "AND "
            "t.commit_before <> '' ORDER BY m.id DESC LIMIT 1");
        if (rows.empty()) return;
        command("chorus-context",
                {"rewind", "b", "--to", rows[0][0], "-t", rows[0][1], "--workspace", "--wait=5s"});
    }

    // A question, and its answer, look at all of the workspace.
    void ask() {
        command("chorus-run", {"asks", "-p", "/bash {\"command\": \"ls\", \"timeout\": 5}",
                               "--stdin", "ignore", "--cancel-prompts"});
        command("chorus-run", {"asks", "--approve", "all"});
    }

    void pack() {
        const std::string file = place_.control() + "/b.tar";
        command("chorus-context", {"pack", "b", "--wait=5s", "-o", file});
        if (has_secret_archived(fault::read_text(file)))
            crew_.effects().push_back(file + ": holds what is written outside");
        fs::remove(file);
    }

    // An agent made of what is under attack.
    void bring_in(const std::string& how, const std::string& name, const Words& words) {
        Words all{place_.program("chorus-init"), name, "--model", "builtin/script"};
        all.insert(all.end(), words.begin(), words.end());
        if (!crew_.run("chorus-init --" + how, all)) return;
        for (const std::string& line :
             secrets_below(place_.agent(name), [](auto&) { return false; }))
            crew_.effects().push_back(how + ": " + line);
        command("chorus-destroy", {name, "--yes"});
    }

    void look_for_secrets() {
        const auto is_left_out = [this](const std::string& path) {
            return is_below(path, place_.agent("other"));
        };
        for (const std::string& top : {place_.home(), place_.project()})
            for (const std::string& line : secrets_below(top, is_left_out))
                crew_.effects().push_back(line);
    }

    // What a command of the sandbox may not have given itself.
    void look_for_rights(const std::string& kind) {
        const std::string ground = kind == "before" ? place_.project() : place_.workspace("a");
        for (const std::string& line : risen_below(ground)) crew_.effects().push_back(line);
        if (kind == "before" || !has_mounts_) return;
        for (const char* name : {"config", "hooks/post-checkout", "info/exclude", "commondir"})
            if (fault::read_text(ground + "/.git/" + name).find("planted") != std::string::npos)
                crew_.effects().push_back(ground + "/.git/" + name +
                                          ": the sandbox was to protect it");
    }

    void count_calls() {
        fault::Database database(place_.home() + "/chorus.db");
        for (const auto& row : database.rows(
                 "SELECT tool, ifnull(outcome, 'none'), count(*) FROM tool_runs GROUP BY 1, 2"))
            crew_.tally().calls[row[0]][row[1]] += std::stoll(row[2]);
    }

    Random random_;
    Place place_;
    bool has_mounts_;
    Crew crew_;
};

}  // namespace

const std::vector<std::string>& kinds() {
    static const std::vector<std::string> all{"guarded", "whole",  "confined", "life",
                                              "before",  "linked", "module",   "spawned"};
    return all;
}

Result play(const Kit& kit, const Options& options, const std::string& kind, std::uint64_t seed) {
    Round round(kit, options, seed);
    Result result = round.play(kind);
    std::sort(result.effects.begin(), result.effects.end());
    result.effects.erase(std::unique(result.effects.begin(), result.effects.end()),
                         result.effects.end());
    if (!result.effects.empty() || options.keeps) {
        round.place().keep();
        result.kept = round.place().top();
    }
    return result;
}

}  // namespace escape
