#include <iostream>

#include "chorus-context/verbs.hpp"
#include "life/children.hpp"
#include "life/deciders.hpp"
#include "life/path_scope.hpp"
#include "place/place.hpp"
#include "sys/file.hpp"
#include "sys/sandbox.hpp"

namespace chorus::command {
namespace {

using life::PathList;

enum class Action { show, allow, deny, validate };
constexpr base::EnumNames<Action, 4> actions{{"show", "allow", "deny", "validate"}};

struct Scope : Named {
    explicit Scope(cli::Command& verb) : Named(verb, "the agent, or a sub-agent's id") {
        verb.word("ACTION", action_word, "show (default), allow, deny or validate");
        verb.word("PATH", path, "a glob to allow or deny, or the path to validate");
        verb.option("--subagent ID", sub_agent, "the sub-agent of NAME");
        verb.flag("--write", also_write, "allow: for writing too");
    }

    void run(Opened& opened) const {
        const auto action = actions.find(action_word);
        if (!action)
            throw Error(ErrorCode::bad_request,
                        "usage: ACTION " + base::quoted(action_word) + ": unknown",
                        "there are 'show', 'allow', 'deny' and 'validate'");
        if ((*action == Action::show) == path.has_value())
            throw Error(ErrorCode::bad_request,
                        "usage: " + action_word + (path ? ": takes no PATH" : ": needs a PATH"),
                        "see chorus-context scope --help");
        if (also_write && *action != Action::allow)
            throw Error(ErrorCode::bad_request, "usage: --write: only allow takes it");
        store::Agent agent = require_agent(opened);
        if (!sub_agent.empty())
            agent = life::require_sub_agent(opened.home, opened.store, agent, sub_agent);
        life::require_scope(opened.store, agent);
        if (*action == Action::show) return show(opened, agent);
        if (*action == Action::validate) return validate(opened, agent);
        life::refuse_from_inside(opened.store, opened.environment);
        const life::Decider person{place::actor_text("", opened.environment)};
        const PathList list = *action == Action::deny ? PathList::deny : PathList::read;
        bool is_changed = life::widen_scope(opened.home, opened.store, agent, list, *path, person);
        if (also_write)
            is_changed = life::widen_scope(opened.home, opened.store, agent, PathList::write, *path,
                                           person) ||
                         is_changed;
        if (!is_changed) return notice("it was so already");
        if (list == PathList::read) note_limits(opened, agent);
        if (json) show(opened, agent);
    }

    // Reports what the new rule alone does not give.
    void note_limits(Opened& opened, const store::Agent& agent) const {
        const bool is_path = path->find_first_of("*?[\\") == std::string::npos;
        if (is_path) {
            const life::PathAccess access =
                life::access_of(opened.home, opened.store, agent, *path);
            if (!access.read.why.empty())
                notice(*path + " is still denied: " + access.read.why +
                       (access.read.of.empty() ? "" : " (" + access.read.of + ")"));
        }
        const std::string place = life::workplace_of(opened.home, agent) + "/" + *path;
        if (is_path ? sys::exists(place) && !sys::is_directory(place)
                    : !sys::mounted_directory(*path))
            notice("it has no commands while a list names anything but directories");
    }

    void show(Opened& opened, const store::Agent& agent) const {
        const Form form = cli::form_of_stdout(json);
        const cli::Table table(
            "scope_rule",
            {{.key = "list", .width = 8}, {.key = "glob", .width = 24}, {.key = "of"}});
        for (const life::ScopeRule& rule : life::scope_of(opened.home, opened.store, agent))
            std::cout << table.line({{"sub_agent", agent.name},
                                     {"list", life::path_lists.name(rule.list)},
                                     {"glob", rule.glob},
                                     {"of", rule.of}},
                                    form)
                      << '\n';
    }

    void validate(Opened& opened, const store::Agent& agent) const {
        const life::PathAccess access = life::access_of(opened.home, opened.store, agent, *path);
        const Form form = cli::form_of_stdout(json);
        const cli::Table table("path_access", {{.key = "use", .width = 6},
                                               {.key = "decision", .width = 8},
                                               {.key = "path", .width = 16},
                                               {.key = "reason", .width = 24},
                                               {.key = "of"}});
        for (const auto& [use, refusal] :
             {std::pair{"read", &access.read}, std::pair{"write", &access.write}})
            std::cout << table.line({{"sub_agent", agent.name},
                                     {"use", use},
                                     {"decision", refusal->why.empty() ? "allow" : "deny"},
                                     {"path", access.path},
                                     {"reason", refusal->why},
                                     {"of", refusal->why.empty() ? "" : refusal->of}},
                                    form)
                      << '\n';
    }

    std::string action_word = "show";
    std::optional<std::string> path;
    std::string sub_agent;
    bool also_write = false;
};

}  // namespace

const cli::Verb scope_verb =
    verb<Scope>("scope", "show and change what a sub-agent may read and write", json_lines);

}  // namespace chorus::command
