#include "life/kept_artifacts.hpp"

#include <set>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "chat/json.hpp"
#include "chat/json_text.hpp"
#include "sys/beneath.hpp"
#include "sys/file.hpp"

namespace chorus::life {
namespace {

using store::Artifact;

constexpr const char* artifact_list = "artifacts.jsonl";
constexpr std::size_t most_text_bytes = 64U << 10;

bool is_plain_name(std::string_view text) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-~.";
    return !text.empty() && text.size() <= 128 && text.front() != '.' &&
           text.find_first_not_of(letters) == std::string_view::npos;
}

bool is_row(const Artifact& one) {
    constexpr std::string_view place = "artifacts/";
    const auto is_text = [](const std::string& text) {
        return text.size() <= most_text_bytes && !base::find_invalid_utf8(text);
    };
    return is_plain_name(one.artifact_id) && one.path.starts_with(place) &&
           is_plain_name(std::string_view(one.path).substr(place.size())) &&
           (one.kind == "file" || one.kind == "data" || one.kind == "dataset") &&
           (one.status == "complete" || one.is_archived()) && one.version > 0 &&
           is_text(one.name) && is_text(one.description) && is_text(one.mime_type);
}

std::string line_of(const Artifact& one) {
    chat::JsonText out;
    out.begin_object();
    out.member("id", one.artifact_id).member("kind", one.kind).member("name", one.name);
    out.member("description", one.description).member("mime_type", one.mime_type);
    out.member("status", one.status).member("version", one.version).member("path", one.path);
    out.member("created_at", base::iso8601(one.created_at));
    out.member("updated_at", base::iso8601(one.updated_at));
    return out.end_object().take() + "\n";
}

Artifact artifact_in(const chat::Json& line) {
    const auto time = [&line](const char* key) {
        return base::parse_iso8601(chat::string_or(line, key)).value_or(1);
    };
    return {.artifact_id = chat::string_or(line, "id"),
            .kind = chat::string_or(line, "kind"),
            .name = chat::string_or(line, "name"),
            .description = chat::string_or(line, "description"),
            .mime_type = chat::string_or(line, "mime_type"),
            .path = chat::string_or(line, "path"),
            .created_at = time("created_at"),
            .updated_at = time("updated_at"),
            .status = chat::string_or(line, "status"),
            .version = chat::integer_or(line, "version")};
}

}  // namespace

void keep_artifacts(store::Store& store, store::AgentId agent, const agent::Directory& directory,
                    const std::function<void(const std::string&)>& warn) {
    std::string text;
    for (const Artifact& one : store::list_artifacts(store, agent)) text += line_of(one);
    const std::string why = sys::Root(directory.path()).write_file(artifact_list, text);
    if (!why.empty()) warn(std::string(artifact_list) + ": " + why);
}

std::vector<Artifact> kept_artifacts(const agent::Directory& directory) {
    const sys::Root root(directory.path());
    std::vector<Artifact> all;
    std::set<std::string> seen;  // so no line makes one file be read again
    std::string text;
    std::string problem;
    if (!sys::exists(directory.path() + "/" + artifact_list) ||
        !root.read_file(artifact_list, base::limits::json_bytes, text, problem))
        return all;
    for (const std::string_view line : base::split_lines(text)) {
        const auto parsed = chat::try_parse_json(line);
        if (!parsed || !parsed->is_object()) continue;
        Artifact one = artifact_in(*parsed);
        std::string content;
        if (!is_row(one) || !seen.insert(one.artifact_id).second || !seen.insert(one.path).second ||
            !root.read_file(one.path, base::limits::edited_file_bytes, content, problem))
            continue;
        one.size_bytes = static_cast<std::int64_t>(content.size());
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace chorus::life
