// Programs that start other programs, and whether their words tell which.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::policy {

struct Starts {
    enum class What {
        itself,   // nothing but the program named
        inner,    // and the command that begins at word `at`
        unknown,  // something that cannot be told, or that the words hide
    };
    What what = What::itself;
    std::size_t at = 0;
};

// `words` are unquoted; the first is the program, with or without its directory.
Starts what_starts(const std::vector<std::string>& words);

// "/usr/bin/python3.11" is "python3.11".
std::string_view base_name(std::string_view program);
// sh, bash, dash and their like, which run what they are told or fed.
bool is_shell(std::string_view program);
// The place of git's subcommand among its words: global options and their values are passed over.
std::size_t git_subcommand(const std::vector<std::string>& words);
// A known subcommand without configuration, aliases or options that name programs.
bool git_is_plain(const std::vector<std::string>& words);
// Every script a substitution, a print, a deletion or a quit that cannot run or write anything; no
// -i, no -f.
bool sed_is_plain(const std::vector<std::string>& words);

}  // namespace chorus::policy
