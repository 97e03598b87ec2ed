#include "tools/obeyed.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace chorus::tools {
namespace {

// Of repositories, below a directory of any name.
constexpr std::array repository_names{"HEAD",      "config",  "config.worktree",
                                      "commondir", "objects", "refs",
                                      "hooks",     "gitdir",  "git-rebase-todo"};

}  // namespace

bool may_be_obeyed(std::string_view path) {
    const auto parts = base::split(path, '/');
    return sys::Plants::is_settings_file(path) ||
           std::any_of(parts.begin(), parts.end(), [](std::string_view part) {
               return std::find(repository_names.begin(), repository_names.end(), part) !=
                      repository_names.end();
           });
}

std::string tell_plants(const sys::Plants& before, std::string_view when,
                        const Workplace& workplace) {
    const std::string& place = workplace.root.path();
    const std::string told = sys::Plants::told(sys::Plants::in(place).since(before));
    if (told.empty()) return {};
    if (workplace.warn)
        workplace.warn(std::string(when) + " " + told + "; look at it in " + place +
                       " before git or others run there");
    return "[" + std::string(when) + " " + told + "; the user has been told]\n";
}

}  // namespace chorus::tools
