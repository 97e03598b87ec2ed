#include "sys/user_git_config.hpp"

#include "sys/directory.hpp"
#include "sys/environment.hpp"

namespace chorus::sys {
namespace {

class UserFiles {
  public:
    explicit UserFiles(const WorkspaceView& workspace) : workspace_(workspace) {}

    UserGitConfig read_all() {
        const std::string other = Environment::of_process().get("XDG_CONFIG_HOME");
        read(workspace_.home() + "/.gitconfig", 0);
        read((other.empty() ? workspace_.home() + "/.config" : other) + "/git/config", 0);
        config_.words = obeyed_git_words(config_.text);
        return std::move(config_);
    }

  private:
    void read(const std::string& path, int depth) {
        const std::string text = read_git_file(path);
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
    UserGitConfig config_;
};

}  // namespace

UserGitConfig read_user_git_config(const WorkspaceView& workspace) {
    return UserFiles(workspace).read_all();
}

}  // namespace chorus::sys
