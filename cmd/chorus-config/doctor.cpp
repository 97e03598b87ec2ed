#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <set>

#include "agent/home.hpp"
#include "base/limits.hpp"
#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "chorus-config/subject.hpp"
#include "context/branches.hpp"
#include "context/prompt_texts.hpp"
#include "context/session_check.hpp"
#include "life/credentials.hpp"
#include "life/deciders.hpp"
#include "life/known_models.hpp"
#include "life/leftovers.hpp"
#include "life/mending.hpp"
#include "life/opening.hpp"
#include "model/choice.hpp"
#include "place/in_force.hpp"
#include "place/rights.hpp"
#include "place/secrets.hpp"
#include "store/integrity.hpp"
#include "store/salvage.hpp"
#include "store/turns.hpp"
#include "sys/file.hpp"
#include "sys/git_place.hpp"

namespace chorus::command {
namespace {

using life::Flaws;

void add(Flaws& flaws, const std::vector<std::string>& all, bool mended) {
    for (const std::string& what : all) flaws.add(what, mended);
}

// Finds what is left of agents that were being made or destroyed.
void check_agents(const agent::Home& home, store::Store& store, Flaws& flaws) {
    const auto before = life::find_leftovers(home, store);
    if (flaws.fix()) life::reclaim_leftovers(home, store);
    const auto after = flaws.fix() ? life::find_leftovers(home, store) : before;
    for (const std::string& what : before)
        flaws.add(what, std::find(after.begin(), after.end(), what) == after.end());
    add(flaws, life::find_half_destroyed(home, store), false);
}

// Finds temporary files of killed processes, in the directories where files are replaced.
void check_temporaries(const agent::Home& home, store::Store& store, Flaws& flaws) {
    std::vector<std::string> directories{home.path(), home.locks()};
    for (const store::Agent& agent : store::list_agents(store)) {
        const auto written = home.directory(agent.dir).written();
        directories.insert(directories.end(), written.begin(), written.end());
    }
    for (const std::string& directory : directories)
        flaws.attempt("", [&] {
            if (sys::is_link(directory)) return;
            const auto left = sys::leftover_temporaries(directory);
            if (flaws.fix() && !left.empty()) sys::remove_temporaries(directory);
            for (const std::string& name : left)
                flaws.add(directory + "/" + name + ": temporary file of a killed process",
                          flaws.fix());
        });
}

void check_branches(const agent::Home& home, store::Store& store, Flaws& flaws) {
    for (const store::Agent& agent : store::list_agents(store))
        flaws.attempt("", [&] {
            for (const std::string& path : context::find_branch_leftovers(store, home, agent))
                flaws.add(path + ": left by a process that was killed while it made a branch",
                          flaws.fix());
            if (flaws.fix()) context::reclaim_branches(store, home, agent);
        });
}

// Looks where agents worked and in the working directory: a directory that was moved since is
// checked by running doctor in it.
void check_mount_points(const agent::Home& home, store::Store& store, Flaws& flaws) {
    const auto directories = store::working_directories(store);
    std::set<std::string> places(directories.begin(), directories.end());
    places.insert(sys::real_path("."));
    for (const store::Agent& agent : store::list_agents(store))
        flaws.attempt("", [&] {
            if (const agent::Directory directory = home.directory(agent.dir);
                sys::is_directory(directory.workspace()))
                places.insert(sys::real_path(directory.workspace()));
        });
    for (const std::string& place : places)
        flaws.attempt("", [&] {
            const auto left = sys::find_mount_points(place);
            if (flaws.fix()) sys::remove_mount_points(place);
            for (const std::string& path : left)
                flaws.add(
                    path + ": left by a killed command" + (flaws.fix() ? "" : "; --fix removes it"),
                    flaws.fix() && sys::find_mount_points(place).empty());
        });
}

void check_keys(const agent::Home& home, Flaws& flaws) {
    for (const life::Credential& one : life::load_credentials(home))
        if (one.source == life::KeySource::key_file)
            flaws.attempt("profile " + one.name + ": ", [&] {
                if (!sys::read_private_file(one.value, base::limits::config_bytes))
                    throw base::Error(base::ErrorCode::config_invalid,
                                      one.value + ": no such file");
            });
}

// Checks the files that a person edits and a turn reads.
void check_texts(const agent::Home& home, store::Store& store, Flaws& flaws) {
    const std::string wrong = life::problem_in(
        [&] { (void)model::parse_available_models(agent::available_models_text(home)); });
    if (!wrong.empty() && !life::access_problem(home.available_models()).empty())
        flaws.add(wrong);
    else if (!wrong.empty())
        flaws.mend(wrong, [&] {
            return "it was moved to " + life::set_aside(home.available_models()) +
                   "; chorus-config models --refresh makes a new one";
        });
    if (wrong.empty() || flaws.fix()) flaws.attempt("", [&] { (void)life::load_catalog(home); });
    flaws.attempt("", [&] { check_keys(home, flaws); });
    for (const store::Agent& agent : store::list_agents(store))
        flaws.attempt("agent '" + agent.name + "': ",
                      [&] { (void)context::documents_text(home.directory(agent.dir)); });
}

// Checks that the models and providers that files name exist. A turn takes a provider's models from
// files as they are, so whether it lists them is not checked.
void check_models(const agent::Home& home, store::Store& store, Flaws& flaws) {
    const model::Catalog catalog = life::load_catalog(home);
    const model::AvailableModels available =
        model::parse_available_models(agent::available_models_text(home));
    const auto check = [&](const std::string& where, const std::string& name) {
        if (name.empty()) return;
        flaws.attempt(where + ": ", [&] {
            (void)model::resolve_model(name, catalog, available, model::Check::none);
        });
    };
    const agent::HomeConfiguration shared = agent::load_home_configuration(home);
    flaws.attempt("", [&] { place::check_providers(shared, catalog); });
    check("config.json: default_model", shared.default_model);
    check("config.json: fallback_model", shared.shared.fallback_model.value_or(""));
    for (const store::Agent& agent : store::list_agents(store))
        // a configuration that cannot be read is reported by another check
        (void)life::problem_in([&] {
            const agent::Configuration own =
                place::configuration_in_force(store, agent, home.directory(agent.dir), shared)
                    .configuration;
            check("agent '" + agent.name + "'", own.model);
            check("agent '" + agent.name + "': fallback_model",
                  own.shared.fallback_model.value_or(""));
        });
    for (const life::Credential& one : life::load_credentials(home))
        if (!catalog.has_provider(one.provider))
            flaws.add("credentials.json: profile " + one.name + ": no provider " +
                      base::quoted(one.provider));
}

void add(Flaws& flaws, const std::vector<context::Finding>& findings) {
    for (const context::Finding& finding : findings) flaws.add(finding.what, finding.mended);
}

constexpr const char* ways =
    "; --fix recovers what can be read, 'chorus-context backup --restore FILE' restores a backup";

// Returns the database, or nothing and in `problems` what is wrong with its content. Other errors
// in reading it become flaws, because a new database would not mend them.
std::optional<store::Store> open_sound(const Begun& begun, std::vector<std::string>& problems,
                                       Flaws& flaws) {
    try {
        store::Store store = open_store(begun);
        problems = store::integrity_problems(store.handle());
        if (problems.empty()) return store;
    } catch (const base::Error& error) {
        if (error.cause() == base::Cause::damage)
            problems.push_back(error.message());
        else if (error.code() == base::ErrorCode::failed)
            flaws.attempt("", [&] { throw error; });
        else
            throw;
    }
    return std::nullopt;
}

// Makes a new database from what can be read of the damaged one.
std::optional<store::Store> save_database(const agent::Home& home,
                                          const sys::Environment& environment,
                                          const std::vector<std::string>& problems, Flaws& flaws) {
    try {
        const store::Salvage saved = store::salvage(life::database_paths(home));
        add(flaws, problems, true);
        flaws.add("chorus.db: rebuilt with " + std::to_string(saved.agents) + " agents and " +
                      std::to_string(saved.messages) + " messages" +
                      (saved.kept.empty() ? "" : "; the old one is " + saved.kept),
                  true);
        for (const std::string& lost : saved.lost) flaws.add("chorus.db: lost: " + lost);
        if (!saved.lost.empty() && !saved.kept.empty())
            flaws.add("chorus.db: the old one may contain more: sqlite3 " +
                      base::shell_quoted(saved.kept) + " .recover");
        return life::open_home(home, environment, agent::IfMissing::refuse,
                               agent::Groom::automatic);
    } catch (const base::Error& error) {
        if (error.code() == base::ErrorCode::agent_busy) throw;
        add(flaws, problems, false);
        flaws.add(error.message());
    }
    return std::nullopt;
}

// Checks that commands can run in the sandboxes that the home and its agents are set to.
void check_sandbox(const agent::Home& home, store::Store& store, Flaws& flaws) {
    if (access(home.locks().c_str(), W_OK) != 0) return;
    const agent::HomeConfiguration shared = agent::load_home_configuration(home);
    std::set<sys::SandboxMode> modes{agent::sandbox_in_force({}, shared)};
    for (const store::Agent& agent : store::list_agents(store))
        // a configuration that cannot be read is reported by another check
        (void)life::problem_in([&] {
            const agent::Directory directory = home.directory(agent.dir);
            const auto own = place::configuration_in_force(store, agent, directory, shared);
            modes.insert(agent::sandbox_in_force(own.configuration, shared));
        });
    for (const sys::SandboxMode mode : modes)
        // one that cannot be tried, for example on a full disk, is not reported
        (void)life::problem_in([&] {
            const auto problem =
                sys::sandbox_problem({.mode = mode, .program = shared.bwrap, .shell = shared.bash},
                                     home.sandbox_state());
            if (problem)
                flaws.add("sandbox " + std::string(sys::name(mode)) +
                          ": no command can be run: " + problem->message() +
                          (problem->hint().empty() ? "" : "; " + problem->hint()));
        });
}

void check_home(const Begun& begun, store::Store& store, bool is_configured, Flaws& flaws) {
    const agent::Home& home = begun.home;
    const sys::Environment& environment = begun.environment;
    flaws.attempt("", [&] { check_agents(home, store, flaws); });
    check_temporaries(home, store, flaws);
    // if config.json cannot be read, nothing is written that would need its redaction
    const life::Decider decider{
        place::actor_text("", environment),
        is_configured ? place::secrets_of(home, environment) : policy::Redaction()};
    life::check_agent_directories(home, store, environment, decider, flaws);
    check_branches(home, store, flaws);
    check_texts(home, store, flaws);
    if (const std::string place = agent::foreign_place(home); !place.empty()) flaws.add(place);
    if (is_configured) {
        check_sandbox(home, store, flaws);
        flaws.attempt("", [&] { check_models(home, store, flaws); });
    }
    flaws.attempt("", [&] { check_mount_points(home, store, flaws); });
    flaws.attempt("", [&] { add(flaws, context::check_sessions(store, home, flaws.fix())); });
    flaws.attempt("", [&] { add(flaws, context::check_windows(store, flaws.fix())); });
}

struct Doctor : Printing {
    explicit Doctor(cli::Command& verb) { verb.flag("--fix", fix, "repair what can be repaired"); }

    ExitStatus run(Begun& begun) const {
        const agent::Home& home = begun.home;
        if (fix) life::refuse_from_inside(begun.environment);
        Flaws flaws(fix);
        if (sys::exists(home.path())) life::check_home_parts(home, flaws);
        const bool is_configured = life::check_home_configuration(home, flaws);
        std::vector<std::string> problems;
        auto store = open_sound(begun, problems, flaws);
        if (fix && store) life::refuse_from_inside(*store, begun.environment);
        if (!problems.empty() && fix)
            store = save_database(home, begun.environment, problems, flaws);
        else
            for (const std::string& problem : problems) flaws.add(problem + ways);
        if (store) check_home(begun, *store, is_configured, flaws);

        ExitStatus status = ExitStatus::done;
        for (const life::Flaw& flaw : flaws.all()) {
            if (!flaw.mended) status = ExitStatus::failed;
            cli::print(json, "finding", {{"what", flaw.what}, {"mended", flaw.mended}},
                       (flaw.mended ? "mended: " : "found: ") +
                           base::visible(flaw.what, base::Newlines::escape));
        }
        if (flaws.all().empty() && !json) std::cout << "nothing to mend\n";
        return status;
    }

    bool fix = false;
};

}  // namespace

const cli::Verb doctor_verb =
    verb<Doctor>("doctor", "check the home for damage and leftovers of crashes", "print JSON");

}  // namespace chorus::command
