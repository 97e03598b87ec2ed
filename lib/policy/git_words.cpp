#include <algorithm>
#include <array>

#include "policy/option_words.hpp"
#include "policy/starters.hpp"

namespace chorus::policy {
namespace {

constexpr std::string_view harmless_globals =
    "-P --no-pager --version --help --no-optional-locks --literal-pathspecs";
constexpr std::string_view globals_with_value =
    "-c -C --git-dir --work-tree --namespace --exec-path --super-prefix --config-env";

// Anything else may be an alias or a program named git-…
constexpr std::string_view subcommands =
    "add apply blame branch cat-file check-ignore checkout cherry cherry-pick clean clone commit "
    "commit-tree config count-objects describe diff diff-files diff-index diff-tree fetch "
    "for-each-ref "
    "format-patch fsck gc grep hash-object init log ls-files ls-remote ls-tree merge merge-base mv "
    "name-rev pull push range-diff read-tree rebase reflog remote reset restore rev-list rev-parse "
    "revert rm shortlog show show-ref sparse-checkout stash status switch symbolic-ref tag "
    "update-ref "
    "verify-commit whatchanged worktree write-tree";

// Options that name a program, an editor, configuration, a file to write anywhere, or a template
// whose hooks would run.
constexpr std::string_view refused =
    "--exec --upload-pack --receive-pack --ext-diff --textconv --open-files-in-pager --output "
    "--output-directory --extcmd "
    "--template --config --interactive --edit --edit-description --sequence-editor --unsafe-paths";

struct Letters {
    std::string_view subcommand;
    std::string_view refused;
};
constexpr std::array letters{Letters{"add", "-e -i"},   Letters{"clone", "-u -c"},
                             Letters{"commit", "-e"},   Letters{"format-patch", "-o"},
                             Letters{"grep", "-O"},     Letters{"ls-remote", "-u"},
                             Letters{"rebase", "-x -i"}};

constexpr std::string_view takes_remote = "clone fetch ls-remote pull push remote";

// A remote may name a program: ext::sh -c …
bool is_remote_program(std::string_view subcommand, std::string_view word) {
    return is_listed(subcommand, takes_remote) && word.find("::") != std::string_view::npos;
}

bool is_refused(std::string_view subcommand, std::string_view word) {
    if (is_remote_program(subcommand, word) || is_option_of(word, refused)) return true;
    const auto* own = std::find_if(letters.begin(), letters.end(), [&](const Letters& one) {
        return one.subcommand == subcommand;
    });
    return own != letters.end() && is_option_of(word, own->refused);
}

}  // namespace

std::size_t git_subcommand(const std::vector<std::string>& words) {
    std::size_t at = 1;
    while (at < words.size() && words[at].starts_with('-'))
        at += is_listed(words[at], globals_with_value) ? 2 : 1;
    return std::min(at, words.size());
}

bool git_is_plain(const std::vector<std::string>& words) {
    const std::size_t at = git_subcommand(words);
    for (std::size_t i = 1; i < at; ++i)
        if (!is_listed(words[i], harmless_globals)) return false;
    if (at == words.size()) return true;
    const std::string& subcommand = words[at];
    if (!is_listed(subcommand, subcommands)) return false;
    if (subcommand == "config")
        return at + 1 < words.size() && is_listed(words[at + 1], "--get --get-all --list -l");
    return std::none_of(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end(),
                        [&](const std::string& word) { return is_refused(subcommand, word); });
}

}  // namespace chorus::policy
