// The git repository of a workspace, a path without links; it may be a linked worktree or a
// submodule. A process of its own does the work, started at the first call and confined to the
// workspace and its git directory (chorus-sandbox(8), mode git). Of the system's and the user's
// configuration only safe.directory is read, no hook and no filter program runs, nothing is
// searched for upwards, objects and refs are synced (promise 7). Commits are made in the
// repository's own name, else in the author's. Throws base::Error(failed) with git's words.
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

struct Commit {
    std::string id;
    std::string author;
    std::string summary;
    std::string time;  // ISO 8601
};

struct PlannedCommit {
    std::string id;
    std::function<void()> finish;  // once; until it is gone nobody else changes the repository
    std::string note;  // a cherry-pick or revert of several commits that goes on afterwards, or ""
};
// The id of the commit that HEAD of a workspace, given by a path without links, names through loose
// and packed refs; "" before the first commit, and where anything cannot be read. Starts no
// process.
std::string head_commit(const std::string& workspace);
// Why nothing confines chorus-git here: every call of this header but head_commit() fails then.
std::optional<base::Error> confinement_problem(const std::string& workspace);
// Takes away what a process that was killed while it changed the workspace's repository left there,
// git's locks above all; nothing while another is at it.
void clear_broken_mutation(const std::string& workspace);
// `source` is a path or URL (file, https, ssh; "user@host:path" too); the clone's origin stays,
// without a password. `workspace` must be missing or empty. What is not taken is returned: links
// that lead out, and submodules unless they are wanted ("lib/"); hooks never come.
std::vector<std::string> clone(const std::string& source, const std::string& workspace,
                               const Author& author, bool with_submodules = false);
// The directory of this machine that a source names, or "".
std::string local_directory(const std::string& source);

class Repository {
  public:
    // git init with branch main, repository-local user.name and user.email, and an initial commit
    // of what is there. An existing repository keeps its configuration, and its commits if any.
    // What is made from here on has modes by `umask`.
    static Repository initialise(const std::string& workspace, const Author& author,
                                 unsigned umask = sys::private_umask);
    // Nothing where there is no .git; throws for one that belongs to another directory or user.
    static std::optional<Repository> open(const std::string& workspace,
                                          unsigned umask = sys::private_umask);

    // "branch main\n M a.txt\n?? b.txt\n"; the second line is "# a merge is in progress: ..." then.
    std::string status() const { return call({"status"}).at(0); }
    // A patch: work tree against HEAD (both empty), against `ref1`, or `ref2` against `ref1`.
    std::string diff(const std::string& ref1, const std::string& ref2) const {
        return call({"diff", ref1, ref2}).at(0);
    }
    std::vector<Commit> log(int count) const;  // of HEAD, newest first
    // Everything, or the files named, up to where the branch would move to the commit: its id is
    // known, and nobody sees it yet. Throws where there is nothing to commit, in a rebase or am,
    // and where a conflict is neither added to the index nor named in `files`. A merge, cherry-pick
    // or revert takes all that is staged besides, and ends.
    PlannedCommit plan_commit(const std::string& message, const std::vector<std::string>& files,
                              const Author& author);
    // Whether the history of HEAD or of a branch has this commit: tells a commit that was done from
    // one cut short.
    bool contains(const std::string& commit) const { return !call({"contains", commit}).empty(); }
    std::string branches() const { return call({"branches"}).at(0); }  // "* main\n  topic\n"
    void create_branch(const std::string& name) { call({"create-branch", name}); }
    void delete_branch(const std::string& name) { call({"delete-branch", name}); }
    // Refuses to overwrite changes, and to change the files `kept`.
    void checkout(const std::string& ref, bool create, const std::vector<std::string>& kept = {}) {
        call({"checkout", ref, create ? "create" : ""}, kept);
    }

  private:
    using Words = std::vector<std::string>;

    Repository(std::string workspace, unsigned umask)
        : workspace_(std::move(workspace)), umask_(umask) {}
    Words request(Words words, const Words& files) const;  // with the workspace as second word
    Words call(const Words& words, const Words& files = {}) const;  // what chorus-git answers

    std::string workspace_;  // links resolved
    unsigned umask_;
};

}  // namespace chorus::repo
