// The git repository of a workspace, a path without links; it may be a linked worktree or a
// submodule. A separate process does the work. It is started at the first call and confined to the
// workspace and its git directory (chorus-sandbox(8), mode git). Of the system's and the user's
// configuration only safe.directory is read. No hook and no filter program runs, parent directories
// are not searched, and objects and refs are synced (promise 7). Commits are made in the
// repository's own name, else in the author's. Throws base::Error(failed) with git's message.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "sys/environment.hpp"

namespace chorus::repo {

struct Author {
    std::string name;
    std::string email;
};

// Of what an agent commits.
inline Author author_of_agent(const std::string& name) {
    return {name, name + "@chorus.local"};
}

struct Commit {
    std::string id;
    std::string author;
    std::string summary;
    std::string time;  // ISO 8601
};

struct PlannedCommit {
    std::string id;
    std::function<void()> finish;  // once; while it exists nobody else changes the repository
    std::string note;  // a cherry-pick or revert of several commits that continues, or ""
};
struct Head {
    std::string ref = {};     // "refs/heads/main"; "" where HEAD names a commit
    std::string commit = {};  // its id
};
// Returns what a workspace's HEAD names, through loose and packed refs: "" before the first commit,
// and for what cannot be read. `workspace` is a path without links. Starts no process.
Head head_of(const std::string& workspace);
// Returns why chorus-git cannot be confined here. Every call of this header except head_of() fails
// then.
std::optional<base::Error> confinement_problem(const std::string& workspace);
// Removes what a process that was killed during a change left in the workspace's repository, mainly
// git's locks; does nothing while another process changes it.
void clear_broken_mutation(const std::string& workspace);
// `source` is a path or URL (file, https, ssh; also "user@host:path"); it remains the clone's
// origin, without a password. `workspace` must be missing or empty. Returns what is not cloned:
// links that lead outside, and submodules unless they are wanted ("lib/"). Hooks are never copied.
std::vector<std::string> clone(const std::string& source, const std::string& workspace,
                               const Author& author, bool with_submodules = false);
// Clones HEAD of a local repository, and nothing that HEAD does not need, as the branch `work`
// without a remote. `source` and `workspace`, a missing directory, are paths without links.
// Submodules are not cloned.
void clone_head(const std::string& source, const std::string& workspace, const Author& author);
// The local directory that a source names, or "".
std::string local_directory(const std::string& source);

// Returns the paths that a status names.
std::vector<std::string> changed_paths(std::string_view status);

class Repository {
  public:
    // git init with branch main, repository-local user.name and user.email, and an initial commit
    // of the files present. An existing repository keeps its configuration, and its commits if any.
    // Files made from here on get modes by `umask`.
    static Repository initialise(const std::string& workspace, const Author& author,
                                 unsigned umask = sys::private_umask);
    // Returns nothing if there is no .git; throws for one that belongs to another directory or
    // user.
    static std::optional<Repository> open(const std::string& workspace,
                                          unsigned umask = sys::private_umask);

    // "branch main\n M a.txt\n?? b.txt\n"; during an operation the second line is "# a merge is in
    // progress: ...".
    std::string status() const { return call({"status"}).at(0); }
    // A patch: work tree against HEAD (both empty), against `ref1`, or `ref2` against `ref1`.
    std::string diff(const std::string& ref1, const std::string& ref2) const {
        return call({"diff", ref1, ref2}).at(0);
    }
    std::vector<Commit> log(int count) const;  // of HEAD, newest first
    // Prepares a commit of everything, or of the files named, up to moving the branch to it: its id
    // is known, but no ref shows it yet. Throws if there is nothing to commit, during a rebase or
    // am, and if a conflict is neither added to the index nor named in `files`. During a merge,
    // cherry-pick or revert everything staged is committed as well, and the operation ends. What
    // matches a glob of `hidden` stays as it is in HEAD; it cannot be named in `files`.
    PlannedCommit plan_commit(const std::string& message, const std::vector<std::string>& files,
                              const Author& author, const std::vector<std::string>& hidden = {});
    // Whether the history of HEAD or of a branch contains this commit; tells a completed commit
    // from an interrupted one.
    bool contains(const std::string& commit) const { return !call({"contains", commit}).empty(); }
    std::string branches() const { return call({"branches"}).at(0); }  // "* main\n  topic\n"
    void create_branch(const std::string& name) { call({"create-branch", name}); }
    void delete_branch(const std::string& name) { call({"delete-branch", name}); }
    // Fetches HEAD of the repository at `source`, a path without links, as this branch, which it
    // moves forward only. Returns false, and changes nothing, if HEAD here contains it.
    bool take(const std::string& source, const std::string& branch) const;
    // Refuses to overwrite changes, and to change the files `kept`.
    void checkout(const std::string& ref, bool create, const std::vector<std::string>& kept = {}) {
        call({"checkout", ref, create ? "create" : ""}, kept);
    }

  private:
    using Words = std::vector<std::string>;

    Repository(std::string workspace, unsigned umask)
        : workspace_(std::move(workspace)), umask_(umask) {}
    Words request(Words words, const Words& files) const;  // with the workspace as second word
    Words call(const Words& words, const Words& files = {}) const;  // returns chorus-git's answer

    std::string workspace_;  // links resolved
    unsigned umask_;
};

}  // namespace chorus::repo
