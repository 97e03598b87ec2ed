#include "agent/layout.hpp"

#include <filesystem>

#include "sys/file.hpp"

namespace chorus::agent {

bool Directory::is_isolated() const {
    return is_of_sub_agent() && sys::is_directory(work());
}

// A sub-agent lies in the directory `agents` of what is above it.
std::string Directory::workspace() const {
    if (is_isolated()) return work();
    const std::string::size_type above = path_.rfind("/agents/");
    if (above != std::string::npos && above > top_.size() && is_of_sub_agent())
        return Directory(path_.substr(0, above), top_).workspace();
    return (top_.empty() ? path_ : top_) + "/workspace";
}

std::string current_branch(const Directory& directory) {
    std::error_code no_link;
    const auto target = std::filesystem::read_symlink(directory.current(), no_link);
    return no_link ? "main" : target.filename().string();
}

}  // namespace chorus::agent
