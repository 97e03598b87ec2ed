#include "life/child_adoption.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "life/adoption.hpp"
#include "life/child_files.hpp"
#include "life/kept_artifacts.hpp"
#include "life/leftovers.hpp"
#include "life/named_path.hpp"
#include "life/trust.hpp"
#include "store/imports.hpp"
#include "store/settings.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/named_file.hpp"
#include "sys/scaffold.hpp"

namespace chorus::life {
namespace {

using agent::Directory;
using agent::Home;
using base::Error;
using base::ErrorCode;

constexpr const char* foreign_setting = "foreign_preset";  // the hash of one not yet trusted
constexpr std::size_t id_bytes = 200;
constexpr std::size_t time_characters = 15;  // with the dash before it
constexpr std::size_t most_transcript_bytes = 1U << 30U;

std::string scope_of_child(const store::Agent& child) {
    return "agent/" + std::to_string(child.id);
}

bool is_id(const std::string& id) {
    return id.size() <= id_bytes && !preset_in(id).empty() &&
           std::all_of(id.begin(), id.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
           });
}

// Returns the words of its description that its id has.
std::string description_in(const std::string& id) {
    std::string words = id.substr(std::min(preset_in(id).size() + time_characters, id.size()));
    std::replace(words.begin(), words.end(), '-', ' ');
    return std::string(base::trim(words));
}

void refuse_child_links(const Directory& directory) {
    for (const std::string& part :
         {directory.path(), directory.configuration(), directory.metadata(), directory.tool_log(),
          directory.transcript("main", 1, true), directory.work(), directory.artifacts()})
        if (sys::is_link(part))
            throw Error(ErrorCode::bad_request, part + ": a link, not a part of a sub-agent",
                        "replace the link by its target");
}

// A clone is handed back to the repository that its metadata names.
void check_clone(const Home& home, const store::Agent& parent, const Directory& directory,
                 const agent::Preset& preset) {
    const std::string source = directory.cloned_from();
    if (source.empty() && preset.isolate)
        throw Error(ErrorCode::bad_request,
                    directory.path() + ": it is isolated, and its clone is not there",
                    "spawn another one");
    if (source.empty()) return;
    const bool is_of_parent =
        sys::is_directory(source) && sys::real_path(source) == workplace_of(home, parent);
    if (!is_of_parent)
        throw Error(ErrorCode::bad_request,
                    directory.path() + ": its work is a clone of " + base::quoted(source) +
                        ", where agent '" + parent.name + "' does not work",
                    "spawn another one, and let it fetch what is committed there");
    (void)reset_git(directory.work());
}

// Whether this home has written the same text for a sub-agent of that id: branches have copies, one
// whose files were kept left its hash, and one from elsewhere may have had no preset.md.
bool is_known_preset(const Home& home, store::Store& store, const store::Agent& parent,
                     const store::Agent& row, const std::string& text) {
    for (const store::Agent& known : store::list_children_named(store, row.name)) {
        const Directory directory = home.directory(known.dir);
        // what it may write is meant for its clone
        if (directory.is_isolated()) continue;
        const auto present =
            sys::try_read_file(directory.configuration(), base::limits::config_bytes);
        if (present == text && has_trusted_preset(store, known)) return true;
    }
    if (kept_preset_hash(store, row.dir) == base::sha256_hex(text)) return true;
    const std::vector<std::string> presets = agent::preset_names(home);
    return std::find(presets.begin(), presets.end(), row.preset) != presets.end() &&
           preset_for(home, parent, row.preset) == text;
}

store::Agent row_of(const store::Agent& parent, const std::string& dir,
                    const agent::Preset& preset) {
    store::Agent row;
    row.name = dir.substr(dir.rfind('/') + 1);
    if (!is_id(row.name))
        throw Error(ErrorCode::bad_request, base::quoted(row.name) + ": not the id of a sub-agent",
                    "ids are PRESET-YYYYMMDDHHMMSS-WORDS");
    row.kind = "child";
    row.parent_id = parent.id;
    row.preset = preset_in(row.name);
    row.description = description_in(row.name);
    row.model = preset.model;
    row.permissions = preset.permissions ? preset.permissions->name : "";
    row.dir = dir;
    row.created_at = row.last_clear_time = row.last_activity = sys::now_ms();
    return row;
}

void adopt_below(const Home& home, store::Store& store, const store::Agent& agent,
                 const ChildAdoption& adoption, AdoptedChildren& all) {
    const Directory directory = home.directory(agent.dir);
    std::vector<std::string> branches{"main"};
    if (!directory.is_of_sub_agent() && sys::is_directory(directory.branches()))
        branches = sys::list_directory(directory.branches());
    for (const std::string& branch : branches) {
        const std::string agents = directory.branch_agents(branch);
        if (sys::is_link(directory.branch(branch)) || sys::is_link(agents) ||
            !sys::is_directory(agents))
            continue;
        for (const std::string& id : sys::list_directory(agents)) {
            const std::string dir = agents.substr(home.path().size() + 1) + "/" + id;
            if (!is_id(id)) continue;
            auto child = store::find_child(store, dir);
            if (child && child->status == store::AgentStatus::destroying) continue;
            try {
                if (!child || child->status == store::AgentStatus::creating) {
                    const AdoptedChild adopted = adopt_child(home, store, agent, dir, adoption);
                    child = adopted.agent;
                    all.ids.push_back(child->name);
                    if (adopted.messages == 0)
                        all.problems.push_back("sub-agent " + base::quoted(id) +
                                               ": its session.md has no message");
                }
                adopt_below(home, store, *child, adoption, all);
            } catch (const Error& error) {
                if (error.code() == ErrorCode::agent_busy) throw;
                all.problems.push_back("sub-agent " + base::quoted(id) +
                                       " is not adopted: " + error.message());
            }
        }
    }
}

std::string id_in_transcript(const std::string& text) {
    const std::string line = text.substr(0, text.find_first_of("\r\n"));
    return line.starts_with("# ") ? line.substr(2) : "";
}

}  // namespace

AdoptedChild adopt_child(const Home& home, store::Store& store, const store::Agent& parent,
                         const std::string& dir, const ChildAdoption& adoption) {
    const Directory directory = home.directory(dir);
    refuse_child_links(directory);
    check_depth(ancestors_of(store, parent).size() + 1, parent);
    const std::string text = agent::preset_text(directory.configuration());
    const agent::Preset preset = agent::parse_preset(text, directory.configuration());
    store::Agent row = row_of(parent, dir, preset);
    const ChildrenLock lock = lock_children(home, store, parent);
    // another process may have been faster
    if (auto known = store::find_child(store, dir)) return {*known};
    check_clone(home, parent, directory, preset);
    const bool is_foreign =
        !adoption.is_trusted && !is_known_preset(home, store, parent, row, text);
    store::Transaction transaction(store);
    row = store::insert_agent(store, row);
    store::announce_import(store, row.id);
    if (is_foreign)
        store::set_setting(store, scope_of_child(row), foreign_setting, base::sha256_hex(text));
    transaction.commit();
    AdoptedChild adopted;
    try {
        adopted.messages = adoption.bring(store, directory, row);
        store::Transaction ended(store);
        store::end_import(store, row.id);
        for (store::Artifact& artifact : kept_artifacts(directory)) {
            artifact.agent_id = row.id;
            store::save_artifact(store, artifact);
        }
        ended.commit();
    } catch (...) {
        store::delete_agent(store, row.id);
        throw;
    }
    commit_status(store, row, store::AgentStatus::active, "adopted");
    row.status = store::AgentStatus::active;
    adopted.agent = std::move(row);
    return adopted;
}

AdoptedChildren adopt_children(const Home& home, store::Store& store, const store::Agent& agent,
                               const ChildAdoption& adoption) {
    AdoptedChildren all;
    adopt_below(home, store, agent, adoption, all);
    return all;
}

AdoptedChild adopt_copy(const Home& home, store::Store& store, const store::Agent& parent,
                        const std::string& path, const ChildAdoption& adoption) {
    const std::string given = path.starts_with('/') ? path : sys::real_path(".") + "/" + path;
    const std::string led = named_path(store, home, ErrorCode::bad_request, "--subagent", given);
    const auto refuse = [&](const std::string& why, const std::string& hint) {
        throw Error(ErrorCode::bad_request, "--subagent: " + path + ": " + why, hint);
    };
    if (led.empty())
        throw Error(ErrorCode::not_found, "--subagent: " + path + ": no such file or directory");
    const bool is_whole = sys::is_directory(led);
    const std::string transcript_path = is_whole ? led + "/session.md" : led;
    if (!sys::is_regular_file(transcript_path))
        refuse(is_whole ? "there is no session.md in it" : "not a regular file", "");
    ChildFiles files;
    files.parent = parent.name;
    files.transcript = sys::read_input_file(transcript_path, most_transcript_bytes);
    const bool is_beside = is_whole || led.ends_with("/session.md");
    const Directory from(transcript_path.substr(0, transcript_path.rfind('/')), home.path());
    store::Agent row;
    if (is_beside) row.name = from.path().substr(from.path().rfind('/') + 1);
    if (!is_id(row.name)) row.name = id_in_transcript(files.transcript);
    if (!is_id(row.name))
        refuse("not a sub-agent's session.md",
               "its first line, or its directory, has the id: # PRESET-YYYYMMDDHHMMSS-WORDS");
    if (!adoption.has_message(files.transcript, path)) refuse("it has no message", "");
    row.preset = preset_in(row.name);
    row.created_at = sys::now_ms();
    const bool has_own_preset = is_beside && sys::exists(from.configuration());
    if (has_own_preset) {
        refuse_child_links(from);
        files.preset = agent::preset_text(from.configuration());
        files.tool_log =
            sys::try_read_file(from.tool_log(), most_transcript_bytes).value_or(std::string());
    } else {
        files.preset = preset_for(home, parent, row.preset);
    }
    if ((is_beside && from.is_isolated()) ||
        agent::parse_preset(files.preset, from.configuration()).isolate)
        refuse("it is isolated, and goes on only where its clone is",
               "spawn another one, and let it fetch what was committed");
    const Directory directory = home.directory(parent.dir);
    const std::string agents = directory.branch_agents(agent::current_branch(directory));
    const std::string to = agents + "/" + row.name;
    sys::Scaffold scaffold(temporary_directory(home, row.name));
    write_child_files(home, scaffold.path(), row, files);
    sys::make_directory(agents, 0700);
    if (!scaffold.move_to(to))
        throw Error(ErrorCode::exists, to + ": already exists",
                    "chorus-run " + parent.name + " --subagent " + row.name + " goes on with it");
    ChildAdoption own = adoption;
    own.is_trusted = own.is_trusted || !has_own_preset;
    AdoptedChild adopted = adopt_child(home, store, parent, to.substr(home.path().size() + 1), own);
    scaffold.keep();
    return adopted;
}

bool has_trusted_preset(store::Store& store, const store::Agent& child) {
    return store::find_setting(store, scope_of_child(child), foreign_setting).empty();
}

void require_trusted_preset(const Home& home, store::Store& store, const store::Agent& child) {
    if (has_trusted_preset(store, child)) return;
    const std::vector<store::Agent> above = ancestors_of(store, child);
    throw Error(ErrorCode::forbidden,
                "sub-agent '" + child.name + "': its preset.md is from elsewhere: " +
                    home.directory(child.dir).configuration(),
                "chorus-config trust " + (above.empty() ? "" : above.back().name + " --subagent ") +
                    child.name + " shows it, and asks");
}

void trust_preset(store::Store& store, const store::Agent& child, const std::string& text,
                  const Decider& decider) {
    store::Transaction transaction(store);
    store::set_setting(store, scope_of_child(child), foreign_setting, "");
    append_decision(store, child, decider, "trust:preset.md", "ask_approved",
                    "sha256 " + base::sha256_hex(text));
    transaction.commit();
}

}  // namespace chorus::life
