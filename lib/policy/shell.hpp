// Reading a shell command far enough to say what it starts. What cannot be told is not simple.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::policy {

// The simple commands that `&&`, `||`, `;` and `|` join, each as its own text, blanks trimmed.
// Nothing where the command is not made of simple ones: substitution, expansion, glob, grouping,
// assignment prefix, keyword, background, a redirection that leaves the workspace or names a hidden
// file (programs read their configuration there), a newline, a quoted program name, a word that is
// only partly quoted, a hidden character, or a program that starts programs in a way that cannot be
// told (sh -c, eval, xargs, find -exec, awk …). A program that plainly starts another (env,
// timeout, nice …) adds the command it starts as a part.
// Nothing either where it changes the directory and names files in redirections or git: what it
// says of the workspace would be said of elsewhere.
// `why_not`: why there is nothing, for people: "at '$(rm x)'", or "".
std::optional<std::vector<std::string>> simple_commands(std::string_view command,
                                                        std::string* why_not = nullptr);

// Every piece a deny pattern is tried on: the raw text and whatever parts can be told, generously:
// each command as written and again unquoted with single blanks, without its redirections, with the
// program's directory taken off; substitutions; what wrappers and `sh -c` strings start. Nothing
// where there would be too many (deep nesting, megabytes of parts): who denies, denies then.
// `hides`: whether the name of a program is an expansion or a glob, so that no part tells it.
std::optional<std::vector<std::string>> parts_for_deny(std::string_view command,
                                                       bool* hides = nullptr);

}  // namespace chorus::policy
