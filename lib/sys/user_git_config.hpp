// The user's own git configuration, and what it includes; for this room's own use.
#pragma once

#include <set>
#include <string>

#include "sys/git_config.hpp"
#include "sys/workspace_view.hpp"

namespace chorus::sys {

struct UserGitConfig {
    std::string text;  // of all its files outside the workspace
    GitWords words;
    std::set<std::string> included;  // files of the workspace, relative to it
};

UserGitConfig read_user_git_config(const WorkspaceView& workspace);

}  // namespace chorus::sys
