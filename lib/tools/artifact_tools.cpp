#include <algorithm>

#include "chat/json.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "tools/artifact_holders.hpp"
#include "tools/effect.hpp"
#include "tools/files.hpp"
#include "tools/result.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {
namespace {

using store::Artifact;

constexpr std::size_t most_bytes = base::limits::edited_file_bytes;

bool is_artifact_id(std::string_view id) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    return !id.empty() && id.size() <= 63 && id.front() != '_' && id.front() != '-' &&
           id.find_first_not_of(letters) == std::string_view::npos;
}

std::string reserved_problem(const std::string& id) {
    if (!id.starts_with("stdin-")) return {};
    return base::quoted(id) + ": what a user has said is kept as it is; take another id";
}

// What is written of an artifact, and how.
struct Draft {
    Artifact artifact;
    std::string before_hash = no_file;
    std::string content;
    bool appends = false;
};

std::string title(const Artifact& artifact) {
    return artifact.artifact_id +
           (artifact.version > 1 ? ", version " + std::to_string(artifact.version) : "");
}

std::optional<std::string> content_in(const std::string& directory, const Artifact& artifact,
                                      std::string& problem) {
    const sys::Root own(directory, "the agent's directory");
    std::string text;
    if (own.read_file(artifact.path, most_bytes, text, problem)) return text;
    return std::nullopt;
}

// The own artifact with its content; without content if its file was never written.
struct Present {
    std::optional<Artifact> artifact = {};
    std::optional<std::string> content = {};
    std::string problem = {};
    std::string path = {};  // of its file; without an artifact, of one to be made
};

// The file of an archived artifact stays where it is, and so does one that nobody knows.
std::string free_path(const std::string& directory, const std::vector<Artifact>& own,
                      const std::string& id) {
    std::string path = "artifacts/" + id;
    const auto is_taken = [&] {
        return sys::exists(directory + "/" + path) ||
               std::any_of(own.begin(), own.end(),
                           [&](const Artifact& one) { return one.path == path; });
    };
    for (int number = 1; is_taken(); ++number)
        path = "artifacts/" + id + "~" + std::to_string(number);
    return path;
}

const Artifact* find_own(const std::vector<Artifact>& own, const std::string& id) {
    const auto at = std::find_if(own.begin(), own.end(), [&](const Artifact& one) {
        return one.artifact_id == id && !one.is_archived();
    });
    return at == own.end() ? nullptr : &*at;
}

Present present(const Workplace& workplace, const std::string& id) {
    Present found;
    const std::vector<ArtifactHolder> holders = workplace.artifacts->all();
    const auto& own = holders.front().artifacts;
    const Artifact* at = find_own(own, id);
    if (at == nullptr) {
        found.path = free_path(workplace.directory.path(), own, id);
        return found;
    }
    found.path = at->path;
    found.artifact = *at;
    found.content = content_in(workplace.directory.path(), *at, found.problem);
    return found;
}

// Returns why this cannot be the content of such an artifact, or "".
std::string content_problem(const std::string& kind, const std::string& content) {
    if (content.size() > most_bytes) return "more than " + std::to_string(most_bytes) + " bytes";
    if (kind == "data" && !chat::try_parse_json(content, most_bytes))
        return "the content of kind 'data' is one JSON value";
    if (kind != "dataset") return {};
    std::size_t number = 0;
    for (const std::string_view line : base::split_lines(content)) {
        ++number;
        if (!base::trim(line).empty() && !chat::try_parse_json(line, most_bytes))
            return "the content of kind 'dataset' is one JSON value on each line; line " +
                   std::to_string(number) + " is none";
    }
    return {};
}

Artifact as_written(Artifact artifact, std::size_t bytes) {
    artifact.size_bytes = static_cast<std::int64_t>(bytes);
    artifact.updated_at = sys::now_ms();
    return artifact;
}

// Returns the row of what artifact_create makes, or of the next version of what is there.
Artifact created(const Arguments& arguments, const std::string& path, const Artifact* before) {
    const std::string id = arguments.text("artifact_id");
    const std::string kind = arguments.text("kind", "file");
    const char* usual_type = kind == "file"   ? "text/plain"
                             : kind == "data" ? "application/json"
                                              : "application/jsonl";
    return {.artifact_id = id,
            .kind = kind,
            .name = arguments.text("name", id),
            .description = arguments.text("description"),
            .mime_type = arguments.text("mime_type", usual_type),
            .path = path,
            .created_at = before != nullptr ? before->created_at : sys::now_ms(),
            .version = before != nullptr ? before->version + 1 : 1};
}

Planned plan_draft(const Workplace& workplace, sys::Lock lock, Draft draft) {
    const std::string& id = draft.artifact.artifact_id;
    if (const std::string why = content_problem(draft.artifact.kind, draft.content); !why.empty())
        return failure(id + ": " + why);
    const auto held = std::make_shared<sys::Lock>(std::move(lock));
    Plan plan;
    plan.evidence = file_evidence(draft.artifact.path, draft.before_hash,
                                  content_hash(draft.content), of_agent);
    plan.apply = [&workplace, held, draft = std::move(draft)]() -> chat::ToolResult {
        // the file tells what a killed call has done, so it comes first: written_artifact
        const sys::Root own(workplace.directory.path(), "the agent's directory");
        if (const std::string why = own.write_file(draft.artifact.path, draft.content);
            !why.empty())
            return failure(why);
        const Artifact row = as_written(draft.artifact, draft.content.size());
        workplace.artifacts->save(row);
        workplace.artifacts->written(row, draft.appends);
        return answer((draft.appends ? "appended to " : "wrote ") + title(row) + " (" +
                      measure(draft.content) + ")\n");
    };
    return plan;
}

Planned plan_create(const Arguments& arguments, const Workplace& workplace) {
    const std::string id = arguments.text("artifact_id");
    if (!is_artifact_id(id))
        return failure("artifact_create: " + base::quoted(id) +
                       ": an id has 1 to 63 letters, digits, '_' and '-', beginning with a letter "
                       "or digit");
    if (const std::string why = reserved_problem(id); !why.empty()) return failure(why);
    const std::string kind = arguments.text("kind", "file");
    if (kind != "file" && kind != "data" && kind != "dataset")
        return failure("artifact_create: 'kind' is file, data or dataset");
    auto lock = lock_file(workplace, workplace.directory.path() + "/artifacts/" + id);
    if (!lock) return locked_failure(id);
    const Present before = present(workplace, id);
    Draft draft{
        .artifact = created(arguments, before.path, before.content ? &*before.artifact : nullptr),
        .content = arguments.text("content")};
    if (before.content) draft.before_hash = content_hash(*before.content);
    return plan_draft(workplace, std::move(*lock), std::move(draft));
}

Planned plan_append(const Arguments& arguments, const Workplace& workplace) {
    const std::string id = arguments.text("artifact_id");
    if (const std::string why = reserved_problem(id); !why.empty()) return failure(why);
    if (id.find('/') != std::string::npos)
        return failure(base::quoted(id) + ": a sub-agent's artifact is written by it alone");
    auto lock = lock_file(workplace, workplace.directory.path() + "/artifacts/" + id);
    if (!lock) return locked_failure(id);
    const Present before = present(workplace, id);
    if (!before.content)
        return failure(before.artifact ? before.problem
                                       : base::quoted(id) +
                                             ": no such artifact; artifact_create "
                                             "makes one");
    if (before.artifact->kind == "data")
        return failure(id + ": of kind 'data', which is written whole by artifact_create");
    Draft draft{.artifact = *before.artifact,
                .before_hash = content_hash(*before.content),
                .content = *before.content,
                .appends = true};
    const bool needs_newline =
        draft.artifact.kind == "dataset" && !draft.content.empty() && draft.content.back() != '\n';
    draft.content += (needs_newline ? "\n" : "") + arguments.text("content");
    draft.artifact.version += 1;
    return plan_draft(workplace, std::move(*lock), std::move(draft));
}

std::string full_id(const ArtifactHolder& holder, const Artifact& artifact) {
    return (holder.name.empty() ? "" : holder.name + "/") + artifact.artifact_id;
}

chat::ToolResult list_artifacts(const Arguments&, const Workplace& workplace) {
    std::string lines;
    for (const ArtifactHolder& holder : workplace.artifacts->all())
        for (const Artifact& artifact : holder.artifacts)
            if (!artifact.is_archived())
                lines += full_id(holder, artifact) + "\t" + artifact.kind + "\t" +
                         counted(artifact.size_bytes, "byte") + "\t" + listed(artifact.name) +
                         (artifact.description.empty() ? "" : "\t" + listed(artifact.description)) +
                         "\n";
    return answer(lines.empty() ? "[no artifacts]\n" : lines);
}

chat::ToolResult get(const Arguments& arguments, const Workplace& workplace) {
    const std::string id = arguments.text("artifact_id");
    for (const ArtifactHolder& holder : workplace.artifacts->all())
        for (const Artifact& artifact : holder.artifacts) {
            if (artifact.is_archived() || full_id(holder, artifact) != id) continue;
            std::string problem;
            const auto content = content_in(holder.path, artifact, problem);
            if (!content) return failure(problem);
            return answer(*content, Keep::start,
                          "view reads the rest: " + holder.path + "/" + artifact.path);
        }
    return failure(base::quoted(id) + ": no such artifact; artifact_list lists them");
}

}  // namespace

std::optional<Artifact> written_artifact(const std::string& tool, const Arguments& arguments,
                                         const std::string& path, const std::string& directory,
                                         const std::vector<Artifact>& own) {
    const Artifact* before = find_own(own, arguments.text("artifact_id"));
    const bool appends = tool == "artifact_append";
    if (appends && before == nullptr) return std::nullopt;
    Artifact row = appends ? *before : created(arguments, path, before);
    if (appends) ++row.version;
    std::string problem;
    const auto content = content_in(directory, row, problem);
    if (!content) return std::nullopt;
    return as_written(std::move(row), content->size());
}

Tool artifact_create_tool() {
    return {.parameters = {{"artifact_id", "string", "letters, digits, '_' and '-'", true},
                           {"content", "string", "its content", true},
                           {"kind", "string", "file (the default), data or dataset"},
                           {"name", "string", "a name for people; by default the id"},
                           {"description", "string", "what it is, in a sentence"},
                           {"mime_type", "string", "such as text/markdown"}},
            .kind = Class::write,
            .family = "artifact",
            .shown = {"artifact_id"},
            .plan = plan_create};
}

Tool artifact_append_tool() {
    return {.parameters = {{"artifact_id", "string", "of which artifact", true},
                           {"content", "string", "what to add at its end", true}},
            .kind = Class::write,
            .family = "artifact",
            .shown = {"artifact_id"},
            .plan = plan_append};
}

Tool artifact_list_tool() {
    return {.kind = Class::read, .family = "artifact", .run = list_artifacts};
}

Tool artifact_get_tool() {
    return {.parameters = {{"artifact_id", "string", "the id, as artifact_list shows it", true}},
            .kind = Class::read,
            .family = "artifact",
            .shown = {"artifact_id"},
            .run = get};
}

}  // namespace chorus::tools
