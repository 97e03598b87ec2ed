#include "repo/head.hpp"

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "sys/git_config.hpp"
#include "sys/git_place.hpp"

namespace chorus::repo {
namespace {

constexpr int longest_chain = 5;
constexpr std::size_t ref_bytes = 4096;
constexpr std::size_t packed_refs_bytes = 16U << 20;
constexpr std::string_view branches = "refs/heads/";

bool is_commit_id(std::string_view text) {
    return text.size() == 40 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

bool is_ref_name(std::string_view name) {
    return name.starts_with("refs/") && name.find("..") == std::string_view::npos &&
           name.find('\0') == std::string_view::npos;
}

// Lines are "<id> <name>", "^<id>" (what the tag above points to) and comments.
std::string packed_commit(int directory, std::string_view name) {
    const std::string packed = sys::read_git_file(directory, "packed-refs", packed_refs_bytes);
    for (const std::string_view line : base::split_lines(packed)) {
        const bool ours =
            line.size() == 41 + name.size() && line[40] == ' ' && line.substr(41) == name;
        if (ours && is_commit_id(line.substr(0, 40))) return std::string(line.substr(0, 40));
    }
    return {};
}

}  // namespace

Head read_head(const std::string& workspace) {
    constexpr std::string_view symbolic = "ref:";
    const sys::GitPlace place = sys::find_git(workspace);
    Head head;
    std::string name = "HEAD";
    for (int i = 0; i <= longest_chain && place.is_there(); ++i) {
        const int directory = (i == 0 ? place.git : place.common)->get();
        const std::string text = sys::read_git_file(directory, name, ref_bytes);
        const std::string_view line = base::trim(text);
        if (line.empty() && i > 0) head.commit = packed_commit(directory, name);
        if (is_commit_id(line)) head.commit = line;
        if (!line.starts_with(symbolic)) break;
        name = base::trim(line.substr(symbolic.size()));
        if (!is_ref_name(name)) break;
        if (i == 0 && name.starts_with(branches)) head.branch = name.substr(branches.size());
    }
    return head;
}

}  // namespace chorus::repo
