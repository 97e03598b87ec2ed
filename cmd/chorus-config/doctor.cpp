#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <set>

#include "agent/home.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "chorus-config/call.hpp"
#include "context/branches.hpp"
#include "context/session_check.hpp"
#include "life/deciders.hpp"
#include "life/leftovers.hpp"
#include "life/mending.hpp"
#include "life/opening.hpp"
#include "store/integrity.hpp"
#include "store/salvage.hpp"
#include "store/turns.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"
#include "turn/secrets.hpp"
#include "turn/settings.hpp"

namespace chorus::config {
namespace {

using base::ExitStatus;
using context::Finding;

void add(std::vector<Finding>& findings, const std::vector<std::string>& all, bool mended) {
    for (const std::string& what : all) findings.push_back({what, mended});
}

// Of agents that were being made or destroyed.
void check_agents(const agent::Home& home, store::Store& store, bool fix,
                  std::vector<Finding>& findings) {
    const auto before = life::find_leftovers(home, store);
    if (fix) life::reclaim_leftovers(home, store);
    const auto after = fix ? life::find_leftovers(home, store) : before;
    for (const std::string& what : before)
        findings.push_back({what, std::find(after.begin(), after.end(), what) == after.end()});
    add(findings, life::find_half_destroyed(home, store), false);
}

// Halves of files, where files are put in place.
void check_temporaries(const agent::Home& home, store::Store& store, bool fix,
                       std::vector<Finding>& findings) {
    std::vector<std::string> directories{home.path(), home.locks()};
    for (const store::Agent& agent : store::list_agents(store)) {
        const agent::Directory directory(home.path() + "/" + agent.dir);
        directories.insert(directories.end(),
                           {directory.path(), directory.sessions(), directory.artifacts(),
                            directory.checkpoints(), directory.checkpoints() + "/trees"});
    }
    for (const std::string& directory : directories) {
        const auto left = sys::leftover_temporaries(directory);
        if (fix && !left.empty()) sys::remove_temporaries(directory);
        for (const std::string& name : left)
            findings.push_back({directory + "/" + name + ": half a file of a killed process", fix});
    }
}

void check_branches(const agent::Home& home, store::Store& store, bool fix,
                    std::vector<Finding>& findings) {
    for (const store::Agent& agent : store::list_agents(store)) {
        for (const std::string& path : context::find_branch_leftovers(store, home, agent))
            findings.push_back({path + ": of a branch that a killed process was making", fix});
        if (fix) context::reclaim_branches(store, home, agent);
    }
}

// Where agents worked, and here: a directory that was moved is found where doctor is run.
void check_mount_points(const agent::Home& home, store::Store& store, bool fix,
                        std::vector<Finding>& findings) {
    const auto directories = store::working_directories(store);
    std::set<std::string> places(directories.begin(), directories.end());
    places.insert(sys::real_path("."));
    for (const store::Agent& agent : store::list_agents(store))
        if (const agent::Directory directory(home.path() + "/" + agent.dir);
            sys::is_directory(directory.workspace()))
            places.insert(sys::real_path(directory.workspace()));
    for (const std::string& place : places) {
        const auto left = sys::find_mount_points(place);
        if (fix) sys::remove_mount_points(place);
        for (const std::string& path : left)
            findings.push_back(
                {path + ": left by a killed command" + (fix ? "" : "; --fix removes it"),
                 fix && sys::find_mount_points(place).empty()});
    }
}

void print_json(const std::vector<Finding>& findings, ExitStatus status) {
    chat::JsonText out;
    out.begin_object().key("schema").string("chorus.doctor/1").key("findings").begin_array();
    for (const Finding& finding : findings)
        out.begin_object()
            .key("what")
            .string(finding.what)
            .key("mended")
            .boolean(finding.mended)
            .end_object();
    out.end_array().key("exit_code").number(static_cast<int>(status));
    std::cout << out.end_object().text() << '\n';
}

constexpr const char* ways =
    "; --fix saves what can be read, 'chorus-context backup --restore FILE' puts a backup in its "
    "place";

// The database, or what is wrong with it. What is not about its content is thrown.
std::optional<store::Store> open_sound(const agent::Home& home, const sys::Environment& environment,
                                       std::vector<std::string>& problems) {
    try {
        store::Store store = life::open_home(home, environment, agent::IfMissing::refuse,
                                             agent::groom_in_force("", environment));
        problems = store::integrity_problems(store.handle());
        if (problems.empty()) return store;
    } catch (const base::Error& error) {
        const bool is_gone =
            error.code() == base::ErrorCode::not_found && life::has_directories(home);
        if (!is_gone && error.cause() != base::Cause::damage) throw;
        problems.push_back(error.message());
    }
    return std::nullopt;
}

// Makes a new database of what can be read of the damaged one.
std::optional<store::Store> save_database(const agent::Home& home,
                                          const sys::Environment& environment,
                                          const std::vector<std::string>& problems,
                                          std::vector<Finding>& findings) {
    try {
        const store::Salvage saved = store::salvage(life::database_paths(home));
        add(findings, problems, true);
        findings.push_back({"chorus.db: made anew, with " + std::to_string(saved.agents) +
                                " agents and " + std::to_string(saved.messages) + " messages" +
                                (saved.kept.empty() ? "" : "; the old one is " + saved.kept),
                            true});
        for (const std::string& lost : saved.lost)
            findings.push_back({"chorus.db: lost: " + lost, false});
        return life::open_home(home, environment, agent::IfMissing::refuse,
                               agent::Groom::automatic);
    } catch (const base::Error& error) {
        if (error.code() == base::ErrorCode::agent_busy) throw;
        add(findings, problems, false);
        findings.push_back({error.message(), false});
    }
    return std::nullopt;
}

void check_home(const agent::Home& home, store::Store& store, const sys::Environment& environment,
                bool is_configured, bool fix, std::vector<Finding>& findings) {
    check_agents(home, store, fix, findings);
    check_temporaries(home, store, fix, findings);
    // of a home whose config.json cannot be read nothing is written that needs it
    const life::Decider decider{
        static_cast<std::int64_t>(getuid()), turn::actor_text("", environment),
        is_configured ? turn::secrets_of(home, environment) : policy::Redaction()};
    for (const life::Flaw& flaw :
         life::check_agent_directories(home, store, environment, decider, fix))
        findings.push_back({flaw.what, flaw.mended});
    check_branches(home, store, fix, findings);
    check_mount_points(home, store, fix, findings);
    for (Finding& finding : context::check_sessions(store, home, fix))
        findings.push_back(std::move(finding));
}

}  // namespace

ExitStatus doctor(const Call& call, const sys::Environment& environment) {
    const agent::Home home = agent::find_home(environment);
    std::vector<Finding> findings;
    for (const life::Flaw& flaw : life::check_home_configuration(home))
        findings.push_back({flaw.what, flaw.mended});
    const bool is_configured = findings.empty();
    std::vector<std::string> problems;
    auto store = open_sound(home, environment, problems);
    if (call.fix) life::refuse_from_inside(environment);
    if (call.fix && store) life::refuse_from_inside(*store, environment);
    if (!store && call.fix)
        store = save_database(home, environment, problems, findings);
    else
        for (const std::string& problem : problems) findings.push_back({problem + ways, false});
    if (store) check_home(home, *store, environment, is_configured, call.fix, findings);

    ExitStatus status = ExitStatus::done;
    for (const Finding& finding : findings)
        if (!finding.mended) status = ExitStatus::failed;
    if (call.json) {
        print_json(findings, status);
        return status;
    }
    for (const Finding& finding : findings)
        std::cout << (finding.mended ? "mended: " : "found: ")
                  << base::visible(finding.what, base::Newlines::escape) << '\n';
    if (findings.empty()) std::cout << "nothing to mend\n";
    return status;
}

}  // namespace chorus::config
