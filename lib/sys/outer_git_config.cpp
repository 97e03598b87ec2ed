#include "sys/outer_git_config.hpp"

#include <fcntl.h>

#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "sys/directory.hpp"
#include "sys/environment.hpp"
#include "sys/fd.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::sys {
namespace {

constexpr int open_flags = O_PATH | O_DIRECTORY | O_CLOEXEC;

struct GitDirectory {
    std::string path;  // ends in '/'
    Fd fd;
};

class OuterFiles {
  public:
    explicit OuterFiles(const WorkspaceView& workspace) : workspace_(workspace) {}

    void read(const std::string& path, int depth = 0) { add(path, read_git_file(path), depth); }

    void read_in(const GitDirectory& directory, const char* name) {
        if (directory.fd) add(directory.path + name, read_git_file(directory.fd.get(), name), 0);
    }

    OuterGitConfig of_tree(std::string tree) && {
        config_.tree = std::move(tree);
        config_.words = obeyed_git_words(config_.text);
        return std::move(config_);
    }

  private:
    void add(const std::string& path, const std::string& text, int depth) {
        config_.text += text + "\n";
        for (const char* section : {"include", "includeif.*"})
            for (const std::string& name : git_values(text, section, "path")) {
                const std::string file = workspace_.place_of(parent_of(path) + "/", name);
                if (const auto own = workspace_.beneath(file))
                    config_.included.insert(*own);
                else if (depth < most_included && read_.insert(file).second)
                    read(file, depth + 1);
            }
    }

    const WorkspaceView& workspace_;
    std::set<std::string> read_;  // may include each other
    OuterGitConfig config_;
};

// Follows links, as git does.
GitDirectory directory_at(const WorkspaceView& workspace, const std::string& from,
                          std::string_view text) {
    std::string path = workspace.place_of(from, std::string(base::trim(text))) + "/";
    Fd fd(open(path.c_str(), open_flags));
    return {std::move(path), std::move(fd)};
}

// The directory need not belong to the tree, as find_git() demands: git obeys it.
GitDirectory git_directory_of(const WorkspaceView& workspace, const std::string& tree, int root) {
    if (Fd own = open_beneath(root, ".git", open_flags, Links::none))
        return {tree + ".git/", std::move(own)};
    constexpr std::string_view prefix = "gitdir:";
    const std::string text = read_git_file(root, ".git");
    return directory_at(workspace, tree,
                        text.starts_with(prefix) ? std::string_view(text).substr(prefix.size())
                                                 : std::string_view(".git"));
}

}  // namespace

OuterGitConfig read_user_git_config(const WorkspaceView& workspace) {
    const std::string other = Environment::of_process().get("XDG_CONFIG_HOME");
    OuterFiles files(workspace);
    files.read(workspace.home() + "/.gitconfig");
    files.read((other.empty() ? workspace.home() + "/.config" : other) + "/git/config");
    return std::move(files).of_tree("");
}

std::vector<OuterGitConfig> read_enclosing_git_configs(const WorkspaceView& workspace) {
    std::vector<OuterGitConfig> configs;
    std::string place = workspace.workspace();
    while (place.size() > 1) {
        place = parent_of(place);
        // a command may have exchanged a directory for a link
        const Fd root = open_real(place, open_flags);
        if (!root) continue;
        const std::string tree = place == "/" ? place : place + "/";
        const GitDirectory own = git_directory_of(workspace, tree, root.get());
        if (!own.fd) continue;
        const std::string shared = read_git_file(own.fd.get(), "commondir");
        OuterFiles files(workspace);
        if (shared.empty())
            files.read_in(own, "config");
        else
            files.read_in(directory_at(workspace, own.path, shared), "config");
        files.read_in(own, "config.worktree");
        configs.push_back(std::move(files).of_tree(tree));
    }
    return configs;
}

}  // namespace chorus::sys
