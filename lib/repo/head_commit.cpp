#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "repo/repository.hpp"
#include "sys/git_config.hpp"
#include "sys/git_place.hpp"

namespace chorus::repo {
namespace {

constexpr int longest_chain = 5;
constexpr std::size_t ref_bytes = 4096;
constexpr std::size_t packed_refs_bytes = 16U << 20;

bool is_commit_id(std::string_view text) {
    return text.size() == 40 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

// Lines are "<id> <name>", "^<id>" (what the tag above points to) and comments.
std::string packed_commit(int directory, const std::string& name) {
    const std::string packed = sys::read_git_file(directory, "packed-refs", packed_refs_bytes);
    for (const std::string_view line : base::split_lines(packed)) {
        const std::string_view id = line.substr(0, line.find(' '));
        if (is_commit_id(id) && line.substr(id.size()) == " " + name) return std::string(id);
    }
    return {};
}

}  // namespace

std::string head_commit(const std::string& workspace) {
    constexpr std::string_view symbolic = "ref:";
    const sys::GitPlace place = sys::find_git(workspace);
    std::string name = "HEAD";
    for (int i = 0; i <= longest_chain && place.is_there(); ++i) {
        const int directory = (i == 0 ? place.git : place.common)->get();
        const std::string text = sys::read_git_file(directory, name, ref_bytes);
        const std::string_view line = base::trim(text);
        if (line.empty()) return packed_commit(directory, name);
        if (!line.starts_with(symbolic)) return is_commit_id(line) ? std::string(line) : "";
        name = base::trim(line.substr(symbolic.size()));
    }
    return {};
}

}  // namespace chorus::repo
