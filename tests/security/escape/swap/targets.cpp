#include "targets.hpp"

#include <algorithm>
#include <array>

namespace escape {
namespace {

constexpr std::array git_names{"HEAD",
                               "HEAD.lock",
                               "ORIG_HEAD",
                               "MERGE_HEAD",
                               "CHERRY_PICK_HEAD",
                               "COMMIT_EDITMSG",
                               "MERGE_MSG",
                               "index",
                               "index.lock",
                               "packed-refs",
                               "shallow",
                               "description",
                               "chorus.mutex",
                               "logs",
                               "logs",
                               "logs/HEAD",
                               "logs/HEAD",
                               "logs/HEAD",
                               "logs/refs",
                               "logs/refs/heads",
                               "logs/refs/heads/main",
                               "logs/refs/heads/b0",
                               "refs",
                               "refs/heads",
                               "refs/heads",
                               "refs/heads/main",
                               "refs/heads/main",
                               "refs/heads/main.lock",
                               "refs/heads/b0",
                               "refs/heads/b1",
                               "refs/tags",
                               "objects",
                               "objects",
                               "objects/info",
                               "objects/info/alternates",
                               "objects/info/alternates",
                               "objects/pack",
                               "objects/00",
                               "objects/7f"};

constexpr std::array guarded_names{"config",          "config",  "hooks",     "info",
                                   "info/exclude",    "modules", "worktrees", "commondir",
                                   "config.worktree", "gitdir",  ""};

constexpr std::array tree_names{"file.txt",
                                "new.txt",
                                ".gitignore",
                                ".gitignore",
                                ".gitattributes",
                                ".gitmodules",
                                ".mcp.json",
                                ".envrc",
                                ".gitconfig",
                                "a",
                                "a",
                                "a/file.txt",
                                "a/new.txt",
                                "a/.gitignore",
                                "a/.gitattributes",
                                "a/b",
                                "a/b",
                                "a/b/file.txt",
                                "a/b/new.txt",
                                "a/b/.gitignore",
                                "a/b/c",
                                "a/b/c",
                                "a/b/c/file.txt",
                                "a/b/c/new.txt",
                                "a/.git",
                                "sub",
                                "sub/.git",
                                "sub/.git",
                                "sub/.git/HEAD",
                                "sub/.git/config",
                                "sub/.git/objects",
                                "sub/.git/refs/heads",
                                "sub/file.txt"};

bool is_below(const std::string& path, const std::string& top) {
    return path.starts_with(top) && (path.size() == top.size() || path[top.size()] == '/');
}

bool is_guarded(const std::string& target) {
    if (target == ".git") return true;
    return std::any_of(guarded_names.begin(), guarded_names.end(), [&](const std::string& name) {
        return !name.empty() && is_below(target, ".git/" + name);
    });
}

}  // namespace

bool is_in_git(const std::string& target) {
    return target.starts_with(".git/");
}

std::string Targets::any(Random& random) const {
    const bool in_git = part_ == Part::git || (part_ == Part::both && random() % 2 == 0);
    if (random() % 3 == 0) return ground_.any_entry(in_git ? ".git" : "", random);
    // one that is written again is touched instead
    if (in_git && random() % 8 == 0) return ground_.any_entry(".git/objects", random);
    if (!in_git) return tree_names[random() % tree_names.size()];
    if (reach_ == Reach::guarded || random() % 3 != 0)
        return std::string(".git/") + git_names[random() % git_names.size()];
    const std::string name = guarded_names[random() % guarded_names.size()];
    return name.empty() ? ".git" : ".git/" + name;
}

bool Targets::is_allowed(const std::string& target) const {
    if (target.empty() || is_below(target, ".git/lfs") || is_below(target, ".cache")) return false;
    if (reach_ == Reach::guarded && is_guarded(target)) return false;
    return only_.empty() || target.find(only_) != std::string::npos;
}

std::string Targets::choose(Random& random) const {
    for (int tries = 0; tries < 10'000; ++tries) {
        const std::string target = any(random);
        if (is_allowed(target)) return target;
    }
    return {};
}

std::string Targets::decoy_for(const std::string& target, Random& random) const {
    const std::size_t slash = target.rfind('/');
    if (random() % 4 == 0 && slash != std::string::npos)
        return target.substr(0, slash) + "/.decoy-" + own_;
    return (is_in_git(target) ? ".git/lfs/" : ".cache/") + own_ + "/decoy";
}

}  // namespace escape
