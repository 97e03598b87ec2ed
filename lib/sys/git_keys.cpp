#include "sys/git_keys.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.hpp"

namespace chorus::sys {
namespace {

// What git, git clone, git branch and git submodule write themselves, and habits of projects.
constexpr std::array<std::string_view, 66> plain_keys{"branch.autosetupmerge",
                                                      "branch.autosetuprebase",
                                                      "branch.description",
                                                      "branch.merge",
                                                      "branch.pushremote",
                                                      "branch.rebase",
                                                      "branch.remote",
                                                      "commit.gpgsign",
                                                      "commit.verbose",
                                                      "core.abbrev",
                                                      "core.autocrlf",
                                                      "core.bare",
                                                      "core.bigfilethreshold",
                                                      "core.compression",
                                                      "core.eol",
                                                      "core.filemode",
                                                      "core.ignorecase",
                                                      "core.logallrefupdates",
                                                      "core.precomposeunicode",
                                                      "core.preloadindex",
                                                      "core.protecthfs",
                                                      "core.protectntfs",
                                                      "core.quotepath",
                                                      "core.repositoryformatversion",
                                                      "core.safecrlf",
                                                      "core.sharedrepository",
                                                      "core.sparsecheckout",
                                                      "core.sparsecheckoutcone",
                                                      "core.symlinks",
                                                      "core.untrackedcache",
                                                      "extensions.compatobjectformat",
                                                      "extensions.noop",
                                                      "extensions.objectformat",
                                                      "extensions.partialclone",
                                                      "extensions.preciousobjects",
                                                      "extensions.refstorage",
                                                      "extensions.worktreeconfig",
                                                      "fetch.prune",
                                                      "gc.auto",
                                                      "index.version",
                                                      "init.defaultbranch",
                                                      "maintenance.auto",
                                                      "maintenance.strategy",
                                                      "merge.conflictstyle",
                                                      "merge.ff",
                                                      "pull.ff",
                                                      "pull.rebase",
                                                      "push.autosetupremote",
                                                      "push.default",
                                                      "rebase.autosquash",
                                                      "rebase.autostash",
                                                      "receive.denycurrentbranch",
                                                      "remote.fetch",
                                                      "remote.mirror",
                                                      "remote.partialclonefilter",
                                                      "remote.promisor",
                                                      "remote.prune",
                                                      "remote.push",
                                                      "remote.pushurl",
                                                      "remote.tagopt",
                                                      "remote.url",
                                                      "submodule.active",
                                                      "submodule.url",
                                                      "tag.gpgsign",
                                                      "user.email",
                                                      "user.name"};
static_assert(std::is_sorted(plain_keys.begin(), plain_keys.end()));

constexpr std::array<std::string_view, 4> plain_sections{"advice", "author", "color", "committer"};

bool is_plain(const std::string& section, const std::string& key, std::string_view value) {
    // "ext::COMMAND": the address names the program to run
    if (value.find("::") != std::string_view::npos) return false;
    return std::find(plain_sections.begin(), plain_sections.end(), section) !=
               plain_sections.end() ||
           std::binary_search(plain_keys.begin(), plain_keys.end(), section + "." + key);
}

// After the quote; nothing where no quote closes it.
std::optional<std::string_view> after_quoted(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') return text.substr(i + 1);
        if (text[i] == '\\') ++i;
    }
    return std::nullopt;
}

// The name of `[name "rest"]` at the start of `line`, which becomes what comes after.
std::optional<std::string> take_section(std::string_view& line) {
    const std::size_t end = line.find_first_of(" \t\"].");
    if (end == std::string_view::npos) return std::nullopt;
    std::string name = base::to_lower_ascii(line.substr(1, end - 1));
    std::string_view rest = line.substr(end);
    const std::size_t next = rest.find_first_of("\"]");
    if (next == std::string_view::npos) return std::nullopt;
    rest = rest.substr(next);
    if (rest.front() == '"') {
        const auto after = after_quoted(rest.substr(1));
        if (!after || !after->starts_with(']')) return std::nullopt;
        rest = *after;
    }
    line = base::trim(rest.substr(1));
    return name;
}

bool says_nothing(std::string_view line) {
    return line.empty() || line.front() == '#' || line.front() == ';';
}

}  // namespace

// Every line is read as the start of an entry, which is more than git does; one that goes on in the
// next is never plain.
std::vector<GitEntry> obeyed_git_entries(std::string_view configuration) {
    std::vector<GitEntry> found;
    if (configuration.starts_with("\xEF\xBB\xBF")) configuration.remove_prefix(3);
    std::string section;
    for (std::string_view line : base::split_lines(configuration)) {
        line = base::trim(line);
        bool readable = line.find('\0') == std::string_view::npos;
        while (readable && line.starts_with('[')) {
            const auto name = take_section(line);
            readable = name.has_value();
            section = name.value_or("");
        }
        if (readable && says_nothing(line)) continue;
        const std::size_t key_end = line.find_first_of("= \t#;");
        const std::string key = base::to_lower_ascii(line.substr(0, key_end));
        const std::string_view value =
            key_end == std::string_view::npos ? "" : line.substr(key_end);
        if (!readable)
            found.push_back({"an entry that cannot be read", std::string(line)});
        else if (line.ends_with('\\') || !is_plain(section, key, value))
            found.push_back({section + "." + key, std::string(line)});
    }
    return found;
}

bool has_exec_step(std::string_view steps) {
    for (const std::string_view line : base::split_lines(steps)) {
        const std::string_view step = base::trim(line);
        const std::string_view word = step.substr(0, step.find_first_of(" \t"));
        if (word == "exec" || word == "x") return true;
    }
    return false;
}

}  // namespace chorus::sys
