// Random sequences of what an agent does to its own rights, of what befalls its agent.json, and of
// what people decide: rights grow only by the word of somebody who may give them, and not by more
// than was given.
//
//   security_rights --bin DIR [--seed N] [--points SEQUENCES] [--workers N]
//   security_rights --bin DIR --sequence 812 --seed N
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <set>

#include "agent/configuration.hpp"
#include "agent/trust_keys.hpp"
#include "fault/database.hpp"
#include "fault/launch.hpp"
#include "fault/suite.hpp"
#include "fault/world.hpp"
#include "life/trust.hpp"
#include "place/in_force.hpp"
#include "place/rights.hpp"
#include "policy/profile.hpp"
#include "store/agents.hpp"

namespace chorus::security {
namespace {

namespace fs = std::filesystem;
using fault::Database;
using fault::Outcome;
using fault::Point;
using sys::SandboxMode;

constexpr long sequences_of_a_run = 600;
constexpr const char* log_file = "log";

// Commands that a turn is made to ask for; each is a probe too, because `always` names it.
const std::vector<std::string> commands = {
    "echo ran >> log",
    "ls",
    "git status",
    "chorus-config trust a --yes; echo ran >> log",
    "env -u CHORUS_AGENT chorus-config set -A a permissions open; echo ran >> log",
    "env -u CHORUS_AGENT chorus-run a --approve all; echo ran >> log",
};

std::vector<std::string> probe_texts() {
    std::vector<std::string> texts = {
        "tool:create_file:x",
        "tool:append_file:x",
        "tool:str_replace:x",
        "tool:view:x",
        "tool:list_files:.",
        "tool:search_files:x",
        "tool:git:commit",
        "tool:git:push origin main",
        "tool:git:checkout main",
        "tool:git:branch x",
        "tool:artifact:x",
        "tool:ask_user:",
        "tool:task:1",
        "tool:load_skill:x",
        "tool:list_agents:",
        "tool:spawn_agent:x",
        "tool:mcp:x:y",
        "tool:send_to_agent:b",
        "tool:read_agent_docs:b",
        "tool:self_edit:system_prompt",
        "tool:self_edit:docs:notes/a.md",
        "tool:self_edit:docs:README.md",
        "tool:self_edit:model:builtin/script",
        "tool:self_edit:permissions:open",
        "tool:self_edit:permissions:custom",
        "tool:bash:make",
        "tool:bash:make test",
        "tool:bash:rm -rf /",
        "tool:bash:ls; rm x",
        "tool:bash:ls | sh",
    };
    for (const std::string& command : commands) texts.push_back("tool:bash:" + command);
    return texts;
}

// How free each probe is, 0 denied to 2 allowed: first where bash is confined, then where it is
// not.
using Freedom = std::vector<int>;

Freedom freedom_of(const std::vector<policy::Profile>& profiles) {
    static const std::vector<std::string> texts = probe_texts();
    Freedom freedom;
    for (const bool confined : {true, false})
        for (const std::string& text : texts) {
            const auto decision =
                policy::strictest(profiles, policy::parse_action(text), {confined});
            freedom.push_back(decision.verdict == policy::Verdict::allow ? 2
                              : decision.verdict == policy::Verdict::ask ? 1
                                                                         : 0);
        }
    return freedom;
}

std::string probe_name(std::size_t index) {
    static const std::vector<std::string> texts = probe_texts();
    return texts[index % texts.size()] + (index < texts.size() ? " (confined)" : "");
}

// What an agent may do at one moment.
struct Look {
    Freedom own;       // by the agent's own profile, whatever the home's limits
    Freedom trusted;   // by what people have set
    Freedom in_force;  // with what agent.json says beside it
    SandboxMode trusted_sandbox = SandboxMode::workspace;
    SandboxMode sandbox = SandboxMode::workspace;
    std::string part;           // what people have set, of agent.json
    std::string part_in_force;  // and what of it a turn works with
    bool readable = true;       // agent.json can be read at all
};

// What somebody has agreed to, until it is used.
struct Consent {
    Freedom most;
    std::string prompt;  // which it answers; "": at once, with the command that said it
};

// Who may grant what: three homes.
struct Granting {
    const char* keys;
    std::vector<std::string> may;  // "*": everything
};
const std::array<Granting, 3> grantings{
    Granting{"", {"*"}},
    Granting{R"(, "roles": {"root": "ops"}, "permission_grants": {"ops": ["locked", "standard"]})",
             {"locked", "standard"}},
    Granting{R"(, "permission_grants": {"admin": ["*"]})", {}},
};

const std::vector<std::string> rules = {
    R"("tool:bash:make( [a-z]+)?")",
    R"("tool:bash:ls")",
    R"("tool:bash:[\\s\\S]*")",
    R"({"pattern": "tool:bash:ls.*", "shell": true})",
    R"({"pattern": "tool:bash:echo ran >> log", "shell": true})",
    R"("tool:git:.*")",
    R"("tool:[\\s\\S]*")",
    R"("tool:self_edit:.*")",
    R"("tool:(view|list_files):.*")",
    R"("tool:create_file:.*")",
    R"("tool:(")",
};
const std::vector<std::string> named = {"open",   "standard", "sandboxed", "locked",
                                        "locked", "narrow",   "wide",      "nobody"};
constexpr const char* named_profiles =
    R"("permissions": {"narrow": {"base": "locked", "ask": ["tool:bash:make( [a-z]+)?"]},
                       "wide": {"allow": ["tool:[\\s\\S]*"]}})";

class Sequence {
  public:
    Sequence(std::string bin, const std::string& directory, const std::string& template_home,
             std::uint64_t seed)
        : bin_(std::move(bin)),
          directory_(directory),
          home_(directory + "/home"),
          template_home_(template_home),
          random_(seed) {}

    Outcome run() {
        begin();
        const int steps = 4 + below(5);
        Look before = look();
        for (int i = 0; i < steps && complaints_.empty(); ++i) {
            step();
            const Look after = look();
            compare(before, after);
            before = after;
        }
        Outcome outcome;
        for (const std::string& complaint : complaints_) {
            outcome.complaints.push_back(complaint);
            if (outcome.complaints.size() > 5) break;
        }
        if (!complaints_.empty())
            for (const std::string& line : history_) outcome.complaints.push_back("  " + line);
        outcome.counted = counted_;
        return outcome;
    }

    void keep_as(const std::string& path) const {
        std::error_code ignored;
        fs::remove_all(path, ignored);
        fs::copy(home_, path, fs::copy_options::recursive | fs::copy_options::copy_symlinks,
                 ignored);
    }

  private:
    int below(int limit) { return static_cast<int>(random_() % static_cast<unsigned>(limit)); }
    template <typename List>
    const auto& one_of(const List& list) {
        return list[static_cast<std::size_t>(below(static_cast<int>(list.size())))];
    }
    bool sometimes(int percent) { return below(100) < percent; }

    std::string agent_json() const { return home_ + "/agents/a/agent.json"; }
    std::string database() const { return home_ + "/chorus.db"; }

    // As a person's process, or as one that says itself that an agent started it.
    int command(const std::string& program, std::vector<std::string> arguments,
                bool from_inside = false) {
        arguments.insert(arguments.begin(), bin_ + "/" + program);
        std::string line;
        for (const std::string& word : arguments) line += word + " ";
        fault::Launch launch{.arguments = arguments,
                             .environment = {"CHORUS_HOME=" + home_, "HOME=" + directory_,
                                             "PATH=" + bin_ + ":/usr/bin:/bin"},
                             .out_path = directory_ + "/out",
                             .err_path = directory_ + "/err"};
        if (from_inside) launch.environment.push_back("CHORUS_AGENT=a");
        const fault::Ended ended = fault::launch(launch);
        ++counted_["processes"];
        history_.push_back((from_inside ? "(inside) " : "") + line + "= " +
                           std::to_string(ended.status) + " " +
                           fault::contents(directory_ + "/err"));
        if (ended.hung || ended.status > 127 || ended.status < 0)
            complaints_.push_back("ended with " + std::to_string(ended.status));
        return ended.status;
    }

    std::string list_of_rules() {
        std::string list = "[";
        for (int left = below(3); left > 0; --left) list += one_of(rules) + (left > 1 ? ", " : "");
        return list + "]";
    }

    // The JSON of a profile: by name, or written out.
    std::string profile() {
        if (sometimes(55)) return "\"" + one_of(named) + "\"";
        std::string object = "{";
        if (sometimes(70))
            object += R"("base": ")" + named[static_cast<std::size_t>(below(4))] + "\", ";
        return object + R"("deny": )" + list_of_rules() + R"(, "allow": )" + list_of_rules() +
               R"(, "ask": )" + list_of_rules() + "}";
    }

    void begin() {
        fs::remove_all(home_);
        fs::copy(template_home_, home_,
                 fs::copy_options::recursive | fs::copy_options::copy_symlinks);
        // the beginning is a person's word, before anybody's rights to give it are settled
        command("chorus-config", {"set", "-A", "a", "permissions", profile()});
        granting_ = sometimes(50) ? &grantings.front() : &one_of(grantings);
        std::string configuration = std::string("{") + named_profiles + R"(, "sandbox": ")" +
                                    (sometimes(80) ? "off" : "workspace") + "\"" + granting_->keys;
        if (sometimes(25))
            configuration += R"(, "limits": {"permissions": ")" +
                             std::string(sometimes(50) ? "standard" : "narrow") + "\"}";
        fault::write(home_ + "/config.json", configuration + "}");
        history_.push_back("config.json: " + configuration + "}");
    }

    bool may_grant(const std::string& name) const {
        return std::any_of(granting_->may.begin(), granting_->may.end(),
                           [&](const std::string& one) { return one == "*" || one == name; });
    }

    agent::HomeConfiguration home_configuration() const {
        return agent::load_home_configuration(agent::Home(home_));
    }

    // What a profile alone would let it do.
    std::optional<Freedom> freedom_of_profile(const std::string& json) const {
        try {
            std::vector<policy::Profile> profiles;
            profiles.push_back(agent::resolve_profile(agent::parse_permissions(json, "it"),
                                                      home_configuration(), "it"));
            return freedom_of(profiles);
        } catch (const base::Error&) {
            return std::nullopt;
        }
    }

    Look look() {
        const agent::Home home(home_);
        store::Store store = store::Store::open_existing({home.database(), home.gate()});
        const auto agent = store::find_agent(store, "a");
        const agent::HomeConfiguration configuration = home_configuration();
        const agent::Directory directory(home.path() + "/" + agent->dir);
        Look look;
        look.part = life::trusted_part(store, agent->id);
        const auto limited = [&](place::InForce&& of, SandboxMode& sandbox) {
            sandbox = agent::sandbox_in_force(of.configuration, configuration);
            return freedom_of(place::rights_of(of, configuration, sandbox).profiles);
        };
        place::InForce by_people{
            {}, look.part, agent::parse_configuration(look.part, "it"), {}, {}};
        look.trusted = limited(std::move(by_people), look.trusted_sandbox);
        try {
            place::InForce now =
                place::configuration_in_force(store, *agent, directory, configuration);
            look.part_in_force = agent::trust_part(now.configuration.text);
            const auto rights = place::rights_of(now, configuration, SandboxMode::workspace);
            std::vector<policy::Profile> own;
            own.push_back(policy::Profile::compile(rights.own, "its own"));
            look.own = freedom_of(own);
            look.in_force = limited(std::move(now), look.sandbox);
        } catch (const base::Error&) {
            look.readable = false;  // no turn begins
        }
        return look;
    }

    struct Waiting {
        std::string id;
        std::string tool;
        std::string arguments;
        std::string action;
        std::string kind;
    };
    std::vector<Waiting> waiting() const {
        Database database(this->database());
        std::vector<Waiting> all;
        for (const auto& row : database.rows("SELECT id, tool, arguments, action, kind FROM "
                                             "prompts WHERE state = 'pending' ORDER BY rowid"))
            all.push_back({row[0], row[1], row[2], row[3], row[4]});
        return all;
    }

    // --- what happens ---

    std::string script() {
        std::string text;
        for (int left = 1 + below(3); left > 0; --left) {
            switch (below(8)) {
                case 0:
                case 1:
                case 2:
                    text += R"(/self_edit_permissions {"new_profile": )" + profile() + "}\n";
                    break;
                case 3:
                    text += "/self_edit_docs {\"path\": \"notes/" + std::to_string(below(3)) +
                            ".md\", \"content\": \"" + std::to_string(below(100)) + "\"}\n";
                    break;
                case 4:
                    text += sometimes(50)
                                ? "/self_edit_model builtin/script\n"
                                : "/self_edit_system_prompt Be " + std::to_string(below(9)) + ".\n";
                    break;
                case 5:
                    text += "/create_file {\"path\": \"x\", \"content\": \"y\"}\n";
                    break;
                default:
                    text += "/bash " + one_of(commands) + "\n";
            }
        }
        return text;
    }

    void take_turn() {
        std::vector<std::string> arguments = {"a", "--fresh", "-p", script()};
        if (sometimes(20)) arguments.insert(arguments.end(), {"--on-ask", one_of(on_ask_)});
        if (sometimes(60)) arguments.push_back("--cancel-prompts");
        command("chorus-run", arguments);
    }

    // Whoever can write the file, and is no person who decides.
    void edit_file() {
        const std::string text = fault::contents(agent_json());
        std::map<std::string, std::string> members;
        if (sometimes(70)) members["permissions"] = profile();
        if (sometimes(40)) members["sandbox"] = one_of(sandboxes_);
        if (sometimes(20)) members["environment"] = R"(["SECRET"])";
        if (sometimes(20)) members["budget"] = R"({"tokens_per_turn": 100000})";
        try {
            fault::write(agent_json(), agent::with_members(text, members));
        } catch (const base::Error&) {
            return;
        }
        std::string line = "agent.json:";
        for (const auto& [name, value] : members) line += " " + name + " = " + value;
        history_.push_back(line);
    }

    void consent_to_profile(const std::string& json, const std::string& prompt) {
        if (!may_grant(name_of(json))) return;
        if (const auto most = freedom_of_profile(json)) consents_.push_back({*most, prompt});
    }

    void consent(const Waiting& prompt, bool always) {
        if (prompt.kind == "trust") {
            configured_ = true;
            return consent_to_profile(permissions_in_file(), "");
        }
        if (prompt.tool == "self_edit_permissions") {
            const auto json = wanted_json(prompt.arguments);
            if (!json) return;
            consent_to_profile(*json, prompt.id);
        }
        if (!always || !may_grant("custom")) return;
        Freedom most(2 * probe_texts().size(), 0);
        for (std::size_t i = 0; i < most.size(); ++i)
            if (probe_texts()[i % probe_texts().size()] == prompt.action) most[i] = 2;
        consents_.push_back({most, ""});
    }

    static std::optional<std::string> wanted_json(const std::string& arguments) {
        const std::string head = R"({"new_profile": )";
        if (!arguments.starts_with(head) || !arguments.ends_with('}')) return std::nullopt;
        return arguments.substr(head.size(), arguments.size() - head.size() - 1);
    }
    static std::string name_of(const std::string& json) {
        return json.front() == '"' ? json.substr(1, json.size() - 2) : "custom";
    }

    void decide() {
        if (waiting().empty()) take_turn();
        const auto before = waiting();
        const std::string id = before.empty() || sometimes(5) ? "zzzzzzzz"
                               : sometimes(30)                ? "all"
                                                              : one_of(before).id;
        const bool approves = sometimes(75);
        const bool always = approves && sometimes(30);
        const bool goes_on = id == "all" || sometimes(60);
        std::vector<std::string> arguments =
            goes_on ? std::vector<std::string>{"a", approves ? "--approve" : "--deny", id}
                    : std::vector<std::string>{approves ? "approve" : "deny", id};
        if (always) arguments.push_back("--always");
        if (sometimes(20)) {
            command(goes_on ? "chorus-run" : "chorus-tasks", arguments, true);
            for (const Waiting& prompt : before)
                if (state_of(prompt.id) != "pending")
                    complaints_.push_back("prompt " + prompt.id + " was decided from inside");
            return;
        }
        const Look then = look();
        // before it is known whether it will be decided: what goes on uses it at once
        if (approves)
            for (const Waiting& prompt : before)
                if (id == "all" || id == prompt.id) consent(prompt, always);
        command(goes_on ? "chorus-run" : "chorus-tasks", arguments);
        for (const Waiting& prompt : before) {
            if (id != "all" && id != prompt.id) continue;
            const bool approved = state_of(prompt.id) == "approved";
            counted_["approved"] += approved ? 1 : 0;
            if (approved && !approves)
                complaints_.push_back("prompt " + prompt.id + " was approved by a deny");
            const auto json = wanted_json(prompt.arguments);
            if (approved && prompt.tool == "self_edit_permissions" && json &&
                !may_grant(name_of(*json)) && gives_more(*json, then))
                complaints_.push_back("prompt " + prompt.id + " was approved without the role");
        }
    }

    // A stricter profile takes no role.
    bool gives_more(const std::string& json, const Look& then) const {
        const auto wanted = freedom_of_profile(json);
        return !wanted || then.own.empty() || !difference(*wanted, then.own).empty();
    }

    std::string state_of(const std::string& prompt) const {
        Database database(this->database());
        return database.value("SELECT state FROM prompts WHERE id = ?", {prompt});
    }

    void configure() {
        const bool inside = sometimes(30);
        const bool trusts = sometimes(50);
        const std::string wanted = profile();
        if (!inside) {
            consent_to_profile(trusts ? permissions_in_file() : wanted, "");
            configured_ = true;
        }
        const int status =
            trusts ? command("chorus-config", {"trust", "a", "--yes"}, inside)
                   : command("chorus-config", {"set", "-A", "a", "permissions", wanted}, inside);
        if (inside && status == 0) complaints_.push_back("configured from inside");
    }

    std::string permissions_in_file() const {
        try {
            const agent::Permissions permissions =
                agent::parse_configuration(fault::contents(agent_json()), "it").permissions;
            return permissions.json.empty() ? "\"" + permissions.name + "\"" : permissions.json;
        } catch (const base::Error&) {
            return R"("nobody")";
        }
    }

    // Days later.
    void let_expire() {
        history_.emplace_back("the prompts expire");
        Database database(this->database());
        database.rows("UPDATE prompts SET expires_at = 1 WHERE state = 'pending'");
    }

    void step() {
        ran_before_ = ran();
        configured_ = false;
        const int chosen = below(100);
        if (chosen < 40)
            take_turn();
        else if (chosen < 52)
            edit_file();
        else if (chosen < 78)
            decide();
        else if (chosen < 85)
            command("chorus-run", {"a", "--resume"});
        else if (chosen < 97)
            configure();
        else
            let_expire();
        ++counted_["steps"];
    }

    // --- what must hold ---

    long ran() const {
        const std::string log =
            fault::contents(home_ + "/agents/a/workspace/" + std::string(log_file));
        return std::count(log.begin(), log.end(), '\n');
    }

    static std::string difference(const Freedom& now, const Freedom& most) {
        for (std::size_t i = 0; i < now.size(); ++i)
            if (now[i] > most[i])
                return probe_name(i) + ": " + std::to_string(most[i]) + " became " +
                       std::to_string(now[i]);
        return {};
    }

    void compare(const Look& before, const Look& after) {
        Freedom most = before.trusted;
        for (const Consent& consent : consents_)
            for (std::size_t i = 0; i < most.size(); ++i)
                most[i] = std::max(most[i], consent.most[i]);
        if (const std::string wider = difference(after.trusted, most); !wider.empty())
            complaints_.push_back("wider than anybody agreed to: " + wider);
        counted_["widened"] += difference(after.trusted, before.trusted).empty() ? 0 : 1;
        counted_["narrowed"] += difference(before.trusted, after.trusted).empty() ? 0 : 1;
        if (!configured_ && after.trusted_sandbox != before.trusted_sandbox)
            complaints_.emplace_back("the sandbox in force was changed by nobody");
        if (after.readable) {
            if (const std::string wider = difference(after.in_force, after.trusted); !wider.empty())
                complaints_.push_back("agent.json gives more than people did: " + wider);
            if (after.sandbox > after.trusted_sandbox)
                complaints_.emplace_back("agent.json opens the sandbox");
            if (after.part_in_force != after.part &&
                agent::trust_part(after.part) != after.part_in_force && !narrower(after))
                complaints_.push_back("in force is " + after.part_in_force + ", trusted " +
                                      after.part);
        }
        check_commands(most);
        forget_used();
    }

    // The sandbox may be stricter in force than it is trusted to be.
    static bool narrower(const Look& look) {
        const auto without_sandbox = [](const std::string& part) {
            return agent::trust_part(agent::with_members(part, {{"sandbox", "null"}}));
        };
        return without_sandbox(look.part) == without_sandbox(look.part_in_force);
    }

    // Of an action that is a probe, where bash is confined or where it is not.
    static int freest(const std::string& action, const Freedom& freedom) {
        const std::vector<std::string> texts = probe_texts();
        const auto at = std::find(texts.begin(), texts.end(), action);
        if (at == texts.end()) return 0;
        const auto index = static_cast<std::size_t>(at - texts.begin());
        return std::max(freedom[index], freedom[index + texts.size()]);
    }

    // What ran was allowed all along, or somebody has approved that very call.
    void check_commands(const Freedom& most) {
        Database database(this->database());
        long told = 0;
        for (const auto& row :
             database.rows("SELECT r.decision, r.outcome, r.action, r.turn_id, r.tool_call_id FROM "
                           "tool_runs r WHERE r.tool = 'bash' AND r.outcome IN ('ok', 'error') AND "
                           "r.decision <> ''")) {
            told += row[2].find("ran >> log") != std::string::npos && row[1] == "ok" ? 1 : 0;
            const bool is_new = seen_.insert(row[3] + " " + row[4]).second;
            if (is_new && row[0] == "allow" && freest(row[2], most) < 2)
                complaints_.push_back("ran unasked, and nobody allowed it: " + row[2]);
            if (row[0] == "ask_approved" &&
                database.value("SELECT count(*) FROM prompts WHERE turn_id = ? AND tool_call_id = "
                               "? AND state = 'approved'",
                               {row[3], row[4]}) == "0")
                complaints_.push_back("ran without a decision: " + row[2]);
        }
        const long now = ran();
        counted_["ran"] += now - ran_before_;
        if (now > told) complaints_.emplace_back("a command ran that is not on record");
    }

    void forget_used() {
        Database database(this->database());
        const auto used = [&](const Consent& consent) {
            return consent.prompt.empty() ||
                   database.value(
                       "SELECT count(*) FROM prompts p JOIN turns t ON t.id = p.turn_id "
                       "WHERE p.id = ? AND p.state = 'approved' AND p.consumed_at IS "
                       "NULL AND t.ended_at IS NULL",
                       {consent.prompt}) == "0";
        };
        consents_.erase(std::remove_if(consents_.begin(), consents_.end(), used), consents_.end());
    }

    std::string bin_;
    std::string directory_;
    std::string home_;
    std::string template_home_;
    std::mt19937_64 random_;
    const Granting* granting_ = nullptr;
    std::vector<Consent> consents_;
    std::vector<std::string> complaints_;
    std::vector<std::string> history_;
    std::map<std::string, long> counted_;
    std::set<std::string> seen_;  // runs that were looked at
    long ran_before_ = 0;
    bool configured_ = false;
    const std::vector<std::string> on_ask_ = {"suspend", "deny", "fail"};
    const std::vector<std::string> sandboxes_ = {R"("off")", R"("workspace")",
                                                 R"("workspace+net")"};
};

std::string make_template(const fault::Options& options, const std::string& directory) {
    const std::string home = directory + "/template";
    const fault::Ended ended = fault::launch(
        {.arguments = {options.bin + "/chorus-init", "a", "--model", "builtin/script"},
         .environment = {"CHORUS_HOME=" + home, "HOME=" + directory, "PATH=/usr/bin:/bin"}});
    if (ended.status != 0) throw std::runtime_error("chorus-init failed");
    return home;
}

int main_of(int argc, char** argv) {
    const fault::Options options = fault::parse(argc, argv, {"sequence"});
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const std::string directory = fault::scratch_directory(argv[0]);
    const std::string home = make_template(options, directory);
    const std::string seed = std::to_string(options.seed);
    std::vector<Point> points;
    const bool one = options.point.contains("sequence");
    const long count = options.points > 0 ? options.points : sequences_of_a_run;
    if (one) points.push_back({{"sequence", options.point.at("sequence")}, {"seed", seed}});
    for (long i = 0; !one && i < count; ++i)
        points.push_back({{"sequence", std::to_string(i)}, {"seed", seed}});
    std::printf("seed %s\n", seed.c_str());
    // a run in which nothing could have gone wrong shows nothing
    fault::run_points(
        argv[0], options, directory, points,
        [&](const std::string& own) {
            auto last = std::make_shared<std::unique_ptr<Sequence>>();
            return fault::Worker{
                [=, &options](const Point& point) {
                    const std::uint64_t own_seed =
                        options.seed * 1'000'003 + std::stoull(point.at("sequence"));
                    *last = std::make_unique<Sequence>(options.bin, own, home, own_seed);
                    return (*last)->run();
                },
                [last](const std::string& path) { (*last)->keep_as(path); }};
        },
        {{"widened", count / 20 + 1}, {"approved", count / 10 + 1}, {"ran", count / 20 + 1}});
}

}  // namespace
}  // namespace chorus::security

int main(int argc, char** argv) {
    return fault::run_suite(chorus::security::main_of, argc, argv);
}
