#include "agent/layout.hpp"

#include <filesystem>

namespace chorus::agent {

std::string current_branch(const Directory& directory) {
    std::error_code no_link;
    const auto target = std::filesystem::read_symlink(directory.current(), no_link);
    return no_link ? "main" : target.filename().string();
}

}  // namespace chorus::agent
