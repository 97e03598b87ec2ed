// The git configuration outside the workspace which is obeyed there; for this room's own use.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "sys/git_config.hpp"
#include "sys/workspace_view.hpp"

namespace chorus::sys {

struct OuterGitConfig {
    std::string tree = {};  // absolute, ends in '/'; "" for the user's, which every tree obeys
    std::string text = {};  // of all its files outside the workspace
    GitWords words = {};
    std::set<std::string> included = {};  // files of the workspace, relative to it
};

OuterGitConfig read_user_git_config(const WorkspaceView& workspace);
// Reads those of the repositories whose work trees contain the workspace.
std::vector<OuterGitConfig> read_enclosing_git_configs(const WorkspaceView& workspace);

}  // namespace chorus::sys
