#include "life/adoption.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "agent/archive.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/id.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "chat/json.hpp"
#include "sys/beneath.hpp"
#include "sys/file.hpp"

namespace chorus::life {
namespace {

using chat::Json;

base::TimeMs time_of(const Json& object, const char* key, const char* other) {
    std::string text = chat::string_or(object, key);
    if (text.empty()) text = chat::string_or(object, other);
    return base::parse_iso8601(text).value_or(0);
}

store::Session session_row(const Json& file, const store::Agent& agent, const std::string& path,
                           const std::string& text) {
    store::Session row;
    row.id = chat::string_or(file, "id", chat::string_or(file, "session_id"));
    if (row.id.empty()) row.id = base::random_uuid();
    row.agent_id = agent.id;
    row.agent_name = chat::string_or(file, "agent_name", agent.name);
    row.description = chat::string_or(file, "description");
    row.summary = chat::string_or(file, "summary");
    row.trigger = chat::string_or(file, "trigger");
    row.saved_at = time_of(file, "saved_at", "timestamp");
    row.window_start = time_of(file, "window_start", "window_start");
    row.window_end = time_of(file, "window_end", "window_end");
    const Json* messages = file.contains("messages") ? &file["messages"] : nullptr;
    row.message_count = chat::integer_or(file, "message_count",
                                         messages != nullptr && messages->is_array()
                                             ? static_cast<std::int64_t>(messages->size())
                                             : 0);
    row.file_path = path;
    row.sha256 = base::sha256_hex(text);
    return row;
}

// More than any real repository has; entries beyond it are not compared.
constexpr std::size_t most_git_entries = 100'000;

// Takes an open .git, because a command may replace the directory by a link at any moment. Returns
// sorted names.
std::vector<std::string> traps_of(const sys::Root& git) {
    std::vector<std::string> traps = sys::list_directory(
        sys::Fd(openat(git.fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)), git.path());
    traps.emplace_back("objects/info");
    std::erase_if(traps, [&](const std::string& name) {
        return !agent::is_git_trap(".git/" + name) ||
               faccessat(git.fd(), name.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0;
    });
    return traps;
}

std::vector<std::string> visible(std::vector<std::string> paths) {
    for (std::string& path : paths) path = base::visible(path, base::Newlines::escape);
    return paths;
}

}  // namespace

std::vector<std::string> copy_template(const std::string& from, const std::string& to) {
    return visible(sys::copy_tree(from, to, [](const std::string& path, bool) {
        const auto parts = base::split(path, '/');
        const bool is_part =
            parts.front() == "docs" || parts.front() == "workspace" || path == "agent.json";
        return is_part && std::none_of(parts.begin(), parts.end(), sys::is_git_name);
    }));
}

std::vector<std::string> bring_in(const std::string& from, const std::string& to) {
    if (from != "-" && !sys::exists(from))
        throw base::Error(base::ErrorCode::not_found, from + ": no such directory or packed agent");
    if (from == "-" || !sys::is_directory(from)) return agent::unpack(from, to).left_out;
    std::vector<std::string> left_out =
        visible(sys::copy_tree(from, to, [](const std::string& path, bool is_directory) {
            return !agent::is_left_out(path, !is_directory) && !agent::is_of_packing(path);
        }));
    std::erase(left_out, "current");  // created again
    std::erase_if(left_out, agent::is_of_packing);
    return left_out;
}

void refuse_links(const agent::Directory& directory) {
    for (const std::string& part :
         {directory.path(), directory.configuration(), directory.docs(), directory.sessions(),
          directory.workspace(), directory.artifacts(), directory.branches(),
          directory.branch("main"), directory.transcript("main", 1, true)})
        if (sys::is_link(part))
            throw base::Error(base::ErrorCode::bad_request,
                              part + ": a link, not a part of an agent",
                              "replace the link by its target");
}

std::vector<std::string> reset_git(const std::string& workspace) {
    if (!sys::exists(workspace + "/.git")) return {};
    const std::string git = sys::real_path(workspace) + "/.git";
    const std::optional<sys::Root> opened = sys::Root::find(git);
    if (!opened) {
        sys::remove_real_tree(git);
        return {"workspace/.git"};
    }
    std::vector<std::string> removed;
    for (const std::string& trap : traps_of(*opened)) {
        sys::remove_real_tree(git + "/" + trap);
        removed.push_back(base::visible("workspace/.git/" + trap, base::Newlines::escape));
    }
    return removed;
}

std::string git_state(const std::string& workspace) {
    if (!sys::is_directory(workspace)) return {};
    const std::optional<sys::Root> root = sys::Root::find(sys::real_path(workspace) + "/.git");
    if (!root) return {};
    std::string state;
    for (const std::string& trap : traps_of(*root)) {
        std::string problem;
        state += trap + "\n";
        for (const sys::Entry& entry : root->walk(trap, most_git_entries, problem)) {
            std::string text;
            if (entry.kind == sys::Kind::file)
                (void)root->read_file(entry.path, base::limits::json_bytes, text, problem);
            state += entry.path + " " + std::to_string(static_cast<int>(entry.kind)) + " " +
                     std::to_string(entry.size_bytes) + " " + base::sha256_hex(text) + "\n";
        }
    }
    return base::sha256_hex(state);
}

std::vector<store::Session> read_sessions(const store::Agent& agent,
                                          const agent::Directory& directory) {
    std::vector<store::Session> rows;
    const sys::Root sessions(directory.sessions());
    for (const std::string& name : sys::list_directory(directory.sessions())) {
        if (name.size() < 5 || name.substr(name.size() - 5) != ".json") continue;
        std::string text;
        std::string problem;
        if (!sessions.read_file(name, base::limits::json_bytes * 10, text, problem)) continue;
        const auto file = chat::try_parse_json(text, text.size());
        if (!file || !file->is_object() || !file->contains("messages")) continue;
        rows.push_back(session_row(*file, agent, agent.dir + "/sessions/" + name, text));
    }
    return rows;
}

}  // namespace chorus::life
