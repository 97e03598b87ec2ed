#include "life/birth.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "agent/archive.hpp"
#include "agent/home.hpp"
#include "agent/transcript_mark.hpp"
#include "agent/trust_keys.hpp"
#include "base/error.hpp"
#include "base/id.hpp"
#include "base/limits.hpp"
#include "base/shell_quoted.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "life/adoption.hpp"
#include "life/find_agent.hpp"
#include "life/kept_artifacts.hpp"
#include "life/leftovers.hpp"
#include "life/named_path.hpp"
#include "life/plan.hpp"
#include "life/trust.hpp"
#include "repo/repository.hpp"
#include "store/imports.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/lock.hpp"
#include "sys/named_file.hpp"
#include "sys/plants.hpp"
#include "sys/scaffold.hpp"

namespace chorus::life {
namespace {

using agent::Directory;
using agent::Home;
using base::Error;
using base::ErrorCode;

constexpr std::int64_t birth_lock_ms = 30'000;

void check_name(const std::string& name) {
    if (base::is_agent_name(name)) return;
    throw Error(ErrorCode::bad_request, "agent name: " + base::quoted(name) + " is not valid",
                "use 1 to 63 characters of a-z, 0-9, _ and -, starting with a letter or digit");
}

[[noreturn]] void refuse_taken(const std::string& name) {
    throw Error(ErrorCode::exists, "agent '" + name + "': the name is taken",
                "choose another name, run chorus-destroy first, or use --exist-ok");
}

std::string stamped(const std::string& text, base::TimeMs now) {
    return agent::with_members(text, {{"created_at", chat::quoted(base::iso8601(now))}});
}

void take_plan(Birth& birth, const BirthPlan& plan, const BirthOptions& options, base::TimeMs now) {
    birth.model_origin = plan.model_origin;
    birth.system_prompt = plan.configuration.system_prompt;
    store::Agent& row = birth.agent;
    row.name = options.name;
    row.place = options.place;
    row.dir = "agents/" + options.name;
    row.model = plan.model;
    row.permissions = plan.configuration.permissions.name;
    row.description = plan.configuration.description;
    row.channel_id = plan.configuration.channel_id;
    row.created_at = now;
    row.last_clear_time = now;
    row.last_activity = now;
}

// Makes no repository if the user turned the sandbox off and chorus-git cannot be confined here.
void make_repository(const std::string& workspace, const BirthOptions& options,
                     const BirthPlan& plan, Birth& birth) {
    if (plan.sandbox == sys::SandboxMode::off) {
        if (const auto problem = repo::confinement_problem(workspace)) {
            birth.left_out.push_back(".git: " + problem->message());
            return;
        }
    }
    repo::Repository::initialise(workspace, repo::author_of_agent(options.name));
}

// Creates the directories that are missing, and the repository of the workspace. Adds to
// birth.left_out what the clone or this machine does not provide, and finds birth.plants.
void complete_tree(const agent::Directory& directory, const BirthOptions& options,
                   const BirthPlan& plan, Birth& birth) {
    // a copied directory has the mode of its source
    if (chmod(directory.path().c_str(), 0700) != 0) throw base::system_error(directory.path());
    for (const std::string& path :
         {directory.docs(), directory.sessions(), directory.branch("main")})
        sys::make_directory(path, 0700);
    if (!sys::exists(directory.current()) &&
        symlink("branches/main", directory.current().c_str()) != 0)
        throw base::system_error(directory.current());
    if (options.clone.empty()) {
        sys::make_directory(directory.workspace(), 0700);
        make_repository(sys::real_path(directory.workspace()), options, plan, birth);
    } else {
        sys::remove_tree(directory.workspace());
        for (std::string& path :
             repo::clone(options.clone, directory.workspace(), repo::author_of_agent(options.name),
                         options.submodules))
            birth.left_out.push_back(std::move(path));
    }
    birth.plants = sys::Plants::in(sys::real_path(directory.workspace())).since({});
}

// Appends an entry that is not a message. Everything above it, also in the transcripts of branches,
// belongs to an earlier generation.
void append_welcome(const Directory& directory, const Birth& birth) {
    const std::string text = "\n" + agent::transcript_mark(0) +
                             agent::without_marks(base::visible(welcome(birth))) + "\n";
    for (const std::string& branch : sys::list_directory(directory.branches())) {
        if (sys::is_link(directory.branch(branch)) || !sys::is_directory(directory.branch(branch)))
            continue;
        const std::string path = directory.transcript(branch, 1, true);
        const bool is_new = !sys::exists(path);
        if (branch == "main" || !is_new)
            sys::append_file(path, (is_new ? "# " + birth.agent.name + "\n" : "") + text);
    }
}

void insert_rows(store::Store& store, Birth& birth, const BirthPlan& plan,
                 const BirthOptions& options, std::vector<store::Session> sessions,
                 std::vector<store::Artifact> artifacts) {
    store::Transaction transaction(store);
    birth.agent = store::insert_agent(store, birth.agent);
    const store::Agent& inserted = birth.agent;
    trust(store, inserted.id, plan.part);
    if (options.trust)
        decide_trust(store, inserted, agent::trust_part(plan.text), plan.text, options.decider);
    for (store::Session& session : sessions) {
        session.agent_id = inserted.id;
        store::insert_session(store, session);
    }
    for (store::Artifact& artifact : artifacts) {
        artifact.agent_id = inserted.id;
        store::save_artifact(store, artifact);
    }
    if (birth.adopted && options.bring_conversation) store::announce_import(store, inserted.id);
    transaction.commit();
}

// If the conversation cannot be imported, the agent is removed, now or after a crash.
void bring_conversation(store::Store& store, Birth& birth, const BirthOptions& options,
                        const Directory& directory) {
    if (!options.bring_conversation) return;
    try {
        birth.messages = options.bring_conversation(store, directory, birth.agent);
        store::Transaction transaction(store);
        store::end_import(store, birth.agent.id);
        transaction.commit();
    } catch (...) {
        store::delete_agent(store, birth.agent.id);
        throw;
    }
}

void begin_life(store::Store& store, Birth& birth, const BirthPlan& plan, bool is_trusted) {
    commit_status(store, birth.agent, store::AgentStatus::active,
                  birth.adopted ? "adopted" : "created");
    birth.agent.status = store::AgentStatus::active;
    (is_trusted ? birth.trusted : birth.set_aside) = plan.untrusted;
    // if this fails or is killed, the first turn asks
    if (!birth.set_aside.empty())
        ask_for_trust(store, birth.agent, birth.set_aside, policy::Redaction(), plan.prompt_ttl_ms);
}

// If the directory exists meanwhile, the row is removed too.
void place(sys::Scaffold& scaffold, const Home& home, store::Store& store,
           const store::Agent& row) {
    if (scaffold.move_to(home.agent(row.name))) return scaffold.keep();
    store::delete_agent(store, row.id);
    throw Error(ErrorCode::exists, home.agent(row.name) + ": already exists",
                "adopt it with --adopt, or move it away");
}

Birth birth_of_new(const Home& home, store::Store& store, const sys::Environment& environment,
                   const BirthOptions& options) {
    const std::string from = agent::template_directory(home, options.template_directory);
    const BirthPlan plan = make_plan(home, environment, source_of_template(home, from),
                                     SourceKind::of_template, options);

    Birth birth;
    const base::TimeMs now = sys::now_ms();
    take_plan(birth, plan, options, now);

    sys::Scaffold scaffold(temporary_directory(home, options.name));
    const Directory directory(scaffold.path());
    birth.left_out = copy_template(from, scaffold.path());
    if (options.template_directory.empty())
        for (const char* name : {"models.json", "presets"}) std::erase(birth.left_out, name);
    sys::write_file(directory.configuration(), stamped(plan.text, now));
    complete_tree(directory, options, plan, birth);
    append_welcome(directory, birth);
    sys::sync_filesystem(scaffold.path());

    const sys::Lock lock = require_birth_lock(home);
    reclaim_locked(home, store);
    insert_rows(store, birth, plan, options, {}, {});
    place(scaffold, home, store, birth.agent);
    begin_life(store, birth, plan, options.trust);
    return birth;
}

// Decisions about the agent that left the directory in place still apply.
std::string known_part(store::Store& store, const std::optional<store::Agent>& kept) {
    const std::string part = kept ? trusted_part(store, kept->id) : "";
    return part.empty() ? "{}" : part;
}

// In an unchanged directory the user's own hooks and remotes are kept.
std::vector<std::string> settle_git(store::Store& store, const std::string& workspace,
                                    const std::optional<store::Agent>& kept) {
    const bool is_unchanged = kept && sys::exists(workspace) && !sys::is_link(workspace) &&
                              kept_git_state(store, kept->id) == git_state(workspace);
    return is_unchanged ? std::vector<std::string>{} : reset_git(workspace);
}

// For an archive or a directory that contains the agent's directory instead of its content.
std::string hint_of_nested(const std::string& from, const std::string& unpacked) {
    for (const std::string& name : sys::list_directory(unpacked))
        if (sys::exists(Directory(unpacked + "/" + name).configuration()))
            return sys::is_directory(from)
                       ? "it is in " + name + ": use --adopt=" + from + "/" + name
                       : "it is in " + name + "; pack that directory: tar cf " + from + " -C " +
                             name + " .";
    return "";
}

[[noreturn]] void refuse_no_agent(const std::string& what, const std::string& hint) {
    throw Error(ErrorCode::bad_request, what + ": not an agent: it has no agent.json", hint);
}

Birth birth_by_adoption(const Home& home, store::Store& store, const sys::Environment& environment,
                        const BirthOptions& options,
                        const std::optional<store::Agent>& predecessor) {
    const sys::Lock lock = require_birth_lock(home);
    reclaim_locked(home, store);
    const std::string in_place = home.agent(options.name);
    const std::string from = options.adopt.value_or("");
    const bool elsewhere = !from.empty() && (from == "-" || !sys::exists(in_place) ||
                                             sys::real_path(from) != sys::real_path(in_place));
    if (elsewhere && sys::exists(in_place))
        throw Error(ErrorCode::exists, in_place + ": already exists", "move it away first");
    if (!elsewhere && !sys::exists(in_place))
        throw Error(ErrorCode::not_found, in_place + ": no such directory",
                    "chorus-init " + options.name + " --adopt=DIR adopts another one");
    const auto kept = elsewhere ? std::nullopt : predecessor;

    Birth birth;
    birth.adopted = true;
    std::optional<sys::Scaffold> scaffold;
    if (elsewhere) {
        const bool is_directory = from != "-" && sys::is_directory(from);
        if (is_directory && !sys::exists(Directory(from).configuration()))
            refuse_no_agent(from, hint_of_nested(from, from));
        scaffold.emplace(temporary_directory(home, options.name));
        birth.left_out = bring_in(from, scaffold->path());
    }
    const Directory directory(elsewhere ? scaffold->path() : in_place);
    refuse_links(directory);
    // left by a killed adoption: the lock is held, and no turn runs yet
    sys::remove_temporaries(directory.path());
    const std::string text =
        sys::read_file_if_there(directory.configuration(), base::limits::config_bytes).value_or("");
    if (text.empty())
        refuse_no_agent(elsewhere ? sys::input_name(from) : in_place,
                        elsewhere ? hint_of_nested(from, scaffold->path()) : "");
    const BirthPlan plan =
        make_plan(home, environment, {text, directory.configuration(), known_part(store, kept)},
                  SourceKind::its_own, options);
    const base::TimeMs now = sys::now_ms();
    take_plan(birth, plan, options, now);

    if (!elsewhere)
        for (const std::string& path : sys::strip_set_ids(sys::real_path(directory.path())))
            birth.left_out.push_back(base::visible(path, base::Newlines::escape) + ": set-id bits");
    for (std::string& removed : settle_git(store, directory.workspace(), kept))
        birth.left_out.push_back(std::move(removed));
    sys::remove_tree(directory.commands());
    sys::remove_tree(directory.checkpoints());
    complete_tree(directory, options, plan, birth);
    sys::write_file(directory.configuration(), stamped(plan.text, now));
    // the row is inserted when the agent is complete
    std::vector<store::Session> sessions = read_sessions(birth.agent, directory);
    birth.sessions = sessions.size();
    append_welcome(directory, birth);
    sys::sync_filesystem(directory.path());
    insert_rows(store, birth, plan, options, std::move(sessions), kept_artifacts(directory));
    bring_conversation(store, birth, options, directory);
    if (elsewhere) place(*scaffold, home, store, birth.agent);
    begin_life(store, birth, plan, options.trust);
    return birth;
}

// Resolves the paths: nothing is taken through a link that an agent's command may have made.
void settle_paths(const Home& home, store::Store& store, BirthOptions& options) {
    const auto settled = [&](const char* option, const std::string& given, const char* inside) {
        const std::string path = given.starts_with('/') ? given : sys::real_path(".") + "/" + given;
        const std::string led = named_path(store, home, ErrorCode::bad_request, option, path);
        named_path(store, home, ErrorCode::bad_request, option, path + inside);
        return led.empty() ? given : led;
    };
    if (!options.template_directory.empty())
        options.template_directory =
            settled("--template", options.template_directory, "/agent.json");
    if (options.adopt && !options.adopt->empty() && options.adopt != "-")
        options.adopt = settled("--adopt", *options.adopt, "/agent.json");
    const std::string cloned = repo::local_directory(options.clone);
    if (cloned.empty()) return;
    const std::string path = settled("--clone", cloned, "/.git");
    if (options.clone == cloned) options.clone = path;
}

// If the agent's place no longer exists, the directory was moved.
std::string settle_place(store::Store& store, store::Agent& agent, const BirthOptions& options) {
    store::Transaction transaction(store);
    agent = require_again(store, agent);
    const std::string before = agent.place;
    if (before.empty() || sys::is_directory(before)) return {};
    if (const auto other = store::find_agent_of_place(store, options.place))
        throw Error(ErrorCode::exists, options.place + ": agent '" + other->name + "' works there",
                    "chorus-destroy " + other->name + " makes the directory free");
    store::set_agent_place(store, agent.id, options.place);
    append_decision(store, agent, options.decider, "agent:place:" + options.place, "ask_approved",
                    "before: " + before);
    transaction.commit();
    agent.place = options.place;
    return before;
}

Birth existing(const Home& home, store::Store& store, const store::Agent& row,
               const BirthOptions& options) {
    const agent::Configuration present = agent::load_configuration(home.directory(row.dir));
    Birth birth;
    birth.agent = row;
    birth.existed = true;
    if (!options.place.empty() && row.place != options.place)
        birth.moved_from = settle_place(store, birth.agent, options);
    birth.system_prompt = present.system_prompt;
    const auto compare = [&](const char* option, bool is_so, const std::string& what) {
        if (!is_so) birth.unchanged.push_back(std::string(option) + " (" + what + ")");
    };
    const std::string model = present.model.empty() ? row.model : present.model;
    compare("--model", options.model.empty() || options.model == model, "it is " + model);
    compare("--permissions",
            !options.permissions || *options.permissions == chat::quoted(row.permissions),
            "they are " + row.permissions);
    compare("--description", !options.description || *options.description == present.description,
            "it has another one");
    compare("--system-prompt",
            !options.system_prompt || *options.system_prompt == present.system_prompt,
            "it has another one");
    compare("--channel", !options.channel || *options.channel == present.channel_id,
            present.channel_id.empty() ? "it has none" : "it has another one");
    compare("--template", options.template_directory.empty(), "it exists already");
    compare("--clone", options.clone.empty(), "its workspace exists already");
    compare("--adopt", !options.adopt, "it exists already");
    compare("--here", options.place.empty() || options.place == birth.agent.place,
            birth.agent.place.empty() ? "it works in its own workspace"
                                      : "it works in " + birth.agent.place);
    return birth;
}

Birth give_birth_once(const Home& home, store::Store& store, const sys::Environment& environment,
                      BirthOptions options) {
    check_name(options.name);
    reclaim_leftovers(home, store);
    if (const auto present = store::find_agent(store, options.name)) {
        if (options.exist_ok && present->status == store::AgentStatus::active)
            return existing(home, store, *present, options);
        refuse_taken(options.name);
    }
    const auto predecessor = store::find_destroyed_agent(store, options.name);
    const bool kept = predecessor && predecessor->files_kept;
    const bool in_place = sys::exists(home.agent(options.name));
    if (in_place &&
        (sys::is_link(home.agent(options.name)) || !sys::is_directory(home.agent(options.name))))
        throw Error(ErrorCode::exists,
                    home.agent(options.name) + ": already exists, and is not a directory",
                    "mv " + base::shell_quoted(home.agent(options.name)) + " " +
                        base::shell_quoted(home.agent(options.name) + ".aside"));
    if (in_place && !kept && !options.adopt)
        throw Error(ErrorCode::exists, home.agent(options.name) + ": the directory already exists",
                    "adopt it with --adopt, or move it away");
    if ((options.adopt || in_place) && !options.clone.empty())
        throw Error(ErrorCode::bad_request, "--clone: an adopted agent has its own workspace",
                    "adopt it without --clone, or move " + home.agent(options.name) + " away");
    settle_paths(home, store, options);
    if (options.adopt || in_place)
        return birth_by_adoption(home, store, environment, options,
                                 kept ? predecessor : std::nullopt);
    return birth_of_new(home, store, environment, options);
}

}  // namespace

sys::Lock require_birth_lock(const Home& home) {
    auto lock = sys::Lock::acquire(home.birth_lock(), sys::Lock::Mode::exclusive, birth_lock_ms);
    if (!lock)
        throw Error(ErrorCode::agent_busy,
                    "chorus-init: another chorus-init has been running for 30 s");
    return std::move(*lock);
}

Birth give_birth(const Home& home, store::Store& store, const sys::Environment& environment,
                 BirthOptions options) {
    if (!options.exist_ok) return give_birth_once(home, store, environment, std::move(options));
    try {
        return give_birth_once(home, store, environment, options);
    } catch (const Error& error) {
        if (error.code() != ErrorCode::exists) throw;
        // another chorus-init may have been faster: its agent is complete once this lock is free
        const sys::Lock lock = require_birth_lock(home);
        const auto present = store::find_agent(store, options.name);
        if (!present || present->status != store::AgentStatus::active) throw;
        return existing(home, store, *present, options);
    }
}

std::string announcement(const Birth& birth) {
    std::string text = "Agent " + birth.agent.name + (birth.adopted ? " adopted" : " created") +
                       ". Model: " + birth.agent.model;
    if (!birth.model_origin.empty()) text += " (from " + birth.model_origin + ")";
    text += ". Permissions: " + birth.agent.permissions + ".\n";
    if (birth.adopted && birth.sessions > 0)
        text += base::counted(static_cast<std::int64_t>(birth.sessions), "saved session") +
                " can be restored.\n";
    return text;
}

std::string welcome(const Birth& birth) {
    return announcement(birth) + "\nSystem prompt:\n" + birth.system_prompt + "\n";
}

}  // namespace chorus::life
