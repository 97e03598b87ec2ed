#include "agent/layout.hpp"

#include <filesystem>

#include "base/text.hpp"
#include "chat/json.hpp"
#include "sys/file.hpp"

namespace chorus::agent {
namespace {

constexpr std::size_t most_metadata_bytes = 64U << 10;

}  // namespace

std::string Directory::cloned_from() const {
    if (!is_of_sub_agent()) return {};
    const std::string text =
        sys::try_read_file(metadata(), most_metadata_bytes).value_or(std::string());
    const std::string key = std::string(cloned_from_key) + ": ";
    for (const std::string_view line : base::split_lines(text)) {
        if (!line.starts_with(key)) continue;
        const auto source =
            chat::parse_json(line.substr(key.size()), metadata()).get<std::string>();
        return source == own_workspace ? top_workspace() : source;
    }
    return {};
}

std::string Directory::top_workspace() const {
    return (top_.empty() ? path_ : top_) + "/workspace";
}

// A sub-agent lies in the directory `agents` of what is above it.
std::string Directory::workspace() const {
    // one of both lost must not let it into the workspace of those above it
    if (is_isolated() || (is_of_sub_agent() && sys::exists(work()))) return work();
    const std::string::size_type above = path_.rfind("/agents/");
    if (above != std::string::npos && above > top_.size() && is_of_sub_agent())
        return Directory(path_.substr(0, above), top_).workspace();
    return top_workspace();
}

std::string current_branch(const Directory& directory) {
    std::error_code no_link;
    const auto target = std::filesystem::read_symlink(directory.current(), no_link);
    return no_link ? "main" : target.filename().string();
}

}  // namespace chorus::agent
