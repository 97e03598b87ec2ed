#include <memory>

#include "base/text.hpp"
#include "repo/repository.hpp"
#include "tools/effect.hpp"
#include "tools/files.hpp"
#include "tools/obeyed.hpp"
#include "tools/result.hpp"

namespace chorus::tools {
namespace {

using repo::Repository;

constexpr std::int64_t default_commits = 20;
constexpr std::int64_t most_commits = 1'000;
constexpr std::size_t short_id_bytes = 10;
constexpr std::string_view no_repository =
    "there is no git repository in the workspace; git_init creates one";

repo::Author author_of(const Workplace& workplace) {
    return repo::author_of_agent(workplace.agent);
}

std::optional<Repository> open(const Workplace& workplace) {
    return Repository::open(workplace.root.path(), workplace.root.mask());
}

// `use` gets the repository and returns the text of the result.
template <typename Use>
chat::ToolResult with_repository(const Workplace& workplace, std::string_view hint, Use use) {
    std::optional<Repository> repository = open(workplace);
    if (!repository) return failure(no_repository);
    return answer(use(*repository), Keep::start, hint);
}

// For a call that writes the work tree, and that may write part of it even if it fails; then only
// the user is told.
class TellingPlants {
  public:
    explicit TellingPlants(const Workplace& workplace)
        : workplace_(workplace), before_(look_for_plants(workplace)) {}
    ~TellingPlants() {
        if (!is_told_) (void)tell();
    }
    TellingPlants(const TellingPlants&) = delete;
    TellingPlants& operator=(const TellingPlants&) = delete;
    std::string tell() {
        is_told_ = true;
        return tell_plants(before_, "during this call", workplace_);
    }

  private:
    const Workplace& workplace_;
    task::KeptPlants before_;
    bool is_told_ = false;
};

// Threads of an agent share the index and the refs, so only one call at a time may change them.
template <typename Use>
chat::ToolResult with_changes(const Workplace& workplace, Use use) {
    const std::optional<sys::Lock> lock = lock_file(workplace, ".git");
    return lock ? with_repository(workplace, {}, use) : locked_failure(".git");
}

chat::ToolResult init(const Arguments&, const Workplace& workplace) {
    const std::optional<sys::Lock> lock = lock_file(workplace, ".git");
    if (!lock) return locked_failure(".git");
    const sys::Root& root = workplace.root;
    TellingPlants plants(workplace);
    const bool was_there = open(workplace).has_value();
    const Repository repository =
        Repository::initialise(root.path(), author_of(workplace), root.mask());
    return answer((was_there ? "the repository exists already\n" : "created a git repository\n") +
                  repository.status() + plants.tell());
}

chat::ToolResult status(const Arguments&, const Workplace& workplace) {
    return with_repository(workplace, {},
                           [](Repository& repository) { return repository.status(); });
}

chat::ToolResult diff(const Arguments& arguments, const Workplace& workplace) {
    const std::string ref1 = arguments.text("ref1");
    const std::string ref2 = arguments.text("ref2");
    if (ref1.empty() && !ref2.empty())
        return failure("git_diff: 'ref2' needs 'ref1' to compare with");
    return with_repository(workplace, "compare commits that differ less",
                           [&](Repository& repository) {
                               const std::string text = repository.diff(ref1, ref2);
                               return text.empty() ? "no difference\n" : text;
                           });
}

chat::ToolResult log(const Arguments& arguments, const Workplace& workplace) {
    const std::int64_t count = arguments.integer("count", default_commits);
    if (count < 1 || count > most_commits)
        return failure("git_log: 'count' must be from 1 to " + std::to_string(most_commits));
    return with_repository(workplace, "ask for a smaller 'count'", [&](Repository& repository) {
        std::string lines;
        for (const repo::Commit& commit : repository.log(static_cast<int>(count)))
            lines += commit.id.substr(0, short_id_bytes) + " " + commit.time + " " + commit.author +
                     ": " + commit.summary + "\n";
        return lines.empty() ? "no commit yet\n" : lines;
    });
}

Planned plan_commit(const Arguments& arguments, const Workplace& workplace) {
    const std::string message = arguments.text("message");
    if (base::trim(message).empty()) return failure("git_commit: the message is empty");
    std::optional<sys::Lock> lock = lock_file(workplace, ".git");
    if (!lock) return locked_failure(".git");
    std::optional<Repository> repository = open(workplace);
    if (!repository) return failure(no_repository);
    struct Held {
        sys::Lock lock;
        Repository repository;
        repo::PlannedCommit planned = {};
    };
    const auto held = std::make_shared<Held>(Held{std::move(*lock), std::move(*repository)});
    held->planned = held->repository.plan_commit(
        message, arguments.list("files"), author_of(workplace), workplace.root.hidden_files());
    const std::string id = held->planned.id;
    const std::string& note = held->planned.note;
    const std::string summary(base::split_lines(base::trim(message)).front());
    const std::string text =
        "committed " + id + " " + summary + "\n" + (note.empty() ? "" : note + "\n");
    return Plan{commit_evidence(id), [=] {
                    held->planned.finish();
                    return answer(text);
                }};
}

chat::ToolResult branch(const Arguments& arguments, const Workplace& workplace) {
    const std::string name = arguments.text("name");
    const bool deletes = arguments.flag("delete");
    return with_changes(workplace, [&](Repository& repository) {
        if (deletes)
            repository.delete_branch(name);
        else
            repository.create_branch(name);
        return (deletes ? "deleted branch " : "created branch ") + name + "\n" +
               repository.branches();
    });
}

chat::ToolResult checkout(const Arguments& arguments, const Workplace& workplace) {
    const std::string ref = arguments.text("ref");
    TellingPlants plants(workplace);
    chat::ToolResult result = with_changes(workplace, [&](Repository& repository) {
        repository.checkout(ref, arguments.flag("create"), guarded_files(workplace));
        return "checked out " + ref + "\n" + repository.status();
    });
    result.text += plants.tell();
    return result;
}

}  // namespace

Tool git_branch_tool() {
    return {.parameters = {{"name", "string", "name of the branch", true},
                           {"delete", "boolean", "delete it; default false"}},
            .kind = Class::repository,
            .family = "git",
            .shown = {"name"},
            .run = branch};
}

Tool git_checkout_tool() {
    return {.parameters = {{"ref", "string", "branch, tag or commit", true},
                           {"create", "boolean",
                            "create it as a new branch at HEAD first; default false"}},
            .kind = Class::repository,
            .family = "git",
            .shown = {"ref"},
            .run = checkout};
}

Tool git_commit_tool() {
    return {.parameters = {{"message", "string", "the commit message", true},
                           {"files", "array", "paths to commit; default every change"}},
            .kind = Class::repository,
            .family = "git",
            .plan = plan_commit};
}

Tool git_diff_tool() {
    return {.parameters = {{"ref1", "string", "commit to compare from; default HEAD"},
                           {"ref2", "string", "commit to compare with; default the work tree"}},
            .kind = Class::read,
            .family = "git",
            .shown = {"ref1", "ref2"},
            .run = diff};
}

Tool git_init_tool() {
    return {.kind = Class::repository, .family = "git", .run = init};
}

Tool git_log_tool() {
    return {.parameters = {{"count", "integer", "how many commits; default 20"}},
            .kind = Class::read,
            .family = "git",
            .run = log};
}

Tool git_status_tool() {
    return {.kind = Class::read, .family = "git", .run = status};
}

}  // namespace chorus::tools
