#include "repo/head.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "sys/fd.hpp"
#include "sys/git_place.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::repo {
namespace {

constexpr int longest_chain = 5;
constexpr std::size_t ref_bytes = 4096;
constexpr std::size_t packed_refs_bytes = 16U << 20;
constexpr std::string_view branches = "refs/heads/";

std::optional<std::string> read_in(const sys::Fd& directory, const std::string& path,
                                   std::size_t most) {
    const sys::Fd file = sys::open_beneath(directory.get(), path, O_RDONLY | O_NONBLOCK | O_NOCTTY,
                                           sys::Links::none);
    struct stat found {};
    if (!file || fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
    std::string text;
    if (!sys::try_read_all(file.get(), most, text)) return std::nullopt;
    return text;
}

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
std::string packed_commit(const sys::Fd& directory, std::string_view name) {
    const auto packed = read_in(directory, "packed-refs", packed_refs_bytes);
    if (!packed) return {};
    for (const std::string_view line : base::split_lines(*packed)) {
        const bool ours =
            line.size() == 41 + name.size() && line[40] == ' ' && line.substr(41) == name;
        if (ours && is_commit_id(line.substr(0, 40))) return std::string(line.substr(0, 40));
    }
    return {};
}

sys::Fd open_directory(const std::string& path) {
    return sys::Fd(open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

}  // namespace

Head read_head(const std::string& workspace) {
    constexpr std::string_view symbolic = "ref:";
    const sys::GitPlace place = sys::find_git(workspace);
    const sys::Fd own = open_directory(place.git_directory);
    const sys::Fd common = open_directory(place.common_directory);
    Head head;
    std::string name = "HEAD";
    for (int i = 0; i <= longest_chain && own && common; ++i) {
        const auto text = read_in(i == 0 ? own : common, name, ref_bytes);
        const std::string_view line = text ? base::trim(*text) : "";
        if (!text && i > 0) head.commit = packed_commit(common, name);
        if (is_commit_id(line)) head.commit = line;
        if (!line.starts_with(symbolic)) break;
        name = base::trim(line.substr(symbolic.size()));
        if (!is_ref_name(name)) break;
        if (i == 0 && name.starts_with(branches)) head.branch = name.substr(branches.size());
    }
    return head;
}

}  // namespace chorus::repo
