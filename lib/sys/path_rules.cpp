#include "sys/path_rules.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "sys/beneath.hpp"

namespace chorus::sys {
namespace {

bool is_plain(std::string_view glob) {
    return glob.find_first_of("*?[\\") == std::string_view::npos;
}

bool is_below(std::string_view path, std::string_view directory) {
    return directory == "." || (path.size() > directory.size() && path.starts_with(directory) &&
                                path[directory.size()] == '/');
}

bool allows(std::string_view glob, std::string_view path) {
    return glob_matches(glob, path) || (is_plain(glob) && is_below(path, glob));
}

// Whether a path below the directory may match.
bool reaches_into(std::string_view glob, std::string_view directory) {
    if (directory == "." || allows(glob, directory)) return true;
    const std::vector<std::string_view> rules = base::split(glob, '/');
    const std::vector<std::string_view> names = base::split(directory, '/');
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i >= rules.size()) return false;
        if (rules[i].find("**") != std::string_view::npos) return true;
        if (!glob_matches(rules[i], names[i])) return false;
    }
    return rules.size() > names.size();
}

std::string denied_by(const std::vector<std::string>& globs, std::string_view path) {
    for (const std::string& glob : globs)
        for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
            if (glob_matches(glob, path.substr(0, end))) return "denied by paths.deny: " + glob;
            if (end == std::string_view::npos) break;
        }
    return {};
}

template <typename Allows>
std::string not_among(const char* key, const std::optional<std::vector<std::string>>& globs,
                      const Allows& is_allowed) {
    if (!globs || std::any_of(globs->begin(), globs->end(), is_allowed)) return {};
    return std::string("not in ") + key + ": " +
           (globs->empty() ? "it is empty" : base::join(*globs, ", "));
}

}  // namespace

std::string PathRules::why_not_read(std::string_view path) const {
    if (std::string denied = denied_by(deny, path); !denied.empty()) return denied;
    return not_among("paths.read", read, [&](const auto& glob) { return allows(glob, path); });
}

std::string PathRules::why_not_listed(std::string_view path) const {
    if (std::string denied = denied_by(deny, path); !denied.empty()) return denied;
    return not_among("paths.read", read,
                     [&](const auto& glob) { return reaches_into(glob, path); });
}

std::string PathRules::why_not_written(std::string_view path) const {
    if (std::string denied = denied_by(deny, path); !denied.empty()) return denied;
    return not_among("paths.write", write, [&](const auto& glob) { return allows(glob, path); });
}

const std::vector<std::string>& usual_denials() {
    static const std::vector<std::string> globs{"**/.git/**", "**/runtime/**", "**/.env",
                                                "**/node_modules/**"};
    return globs;
}

namespace {

bool covers_all(const std::optional<std::vector<std::string>>& globs) {
    return !globs || std::find(globs->begin(), globs->end(), "**") != globs->end();
}

}  // namespace

bool PathRules::shows_history() const {
    return covers_all(read) && std::all_of(deny.begin(), deny.end(), [](const auto& glob) {
               const std::vector<std::string>& usual = usual_denials();
               return std::find(usual.begin(), usual.end(), glob) != usual.end();
           });
}

std::string normal_glob(std::string_view glob, std::string_view root) {
    if (glob.starts_with(root) && (glob.size() == root.size() || glob[root.size()] == '/'))
        glob.remove_prefix(std::min(root.size() + 1, glob.size()));
    std::vector<std::string> names;
    for (const std::string_view name : base::split(glob, '/'))
        if (!name.empty() && name != ".") names.emplace_back(name);
    const std::string path = base::join(names, "/");
    return glob.starts_with('/') ? "/" + path : path.empty() ? "**" : path;
}

std::string glob_problem(std::string_view glob) {
    if (glob.empty()) return "is empty";
    if (glob.find('\0') != std::string_view::npos || base::find_invalid_utf8(glob))
        return "is no text";
    if (glob.find_first_of("{}") != std::string_view::npos)
        return "has braces, which stand for nothing in a glob of paths";
    if (has_unclosed_class(glob)) return "has a [ without a ]";
    for (const std::string_view name : base::split(glob, '/'))
        if (name == "..") return "leads upwards";
    if (glob.front() == '/' && glob != "/tmp/**") return "is absolute; a glob is relative";
    return {};
}

}  // namespace chorus::sys
