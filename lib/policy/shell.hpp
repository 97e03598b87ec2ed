// Parses a shell command far enough to determine what it starts. A command that cannot be parsed is
// treated as not simple.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::policy {

// Returns the simple commands that `&&`, `||`, `;` and `|` join, each as its own text, blanks
// trimmed. Returns nothing if the command does not consist of simple ones: substitution, expansion,
// glob, grouping, assignment prefix, keyword, background, a redirection that leaves the workspace
// or names a hidden file (programs read their configuration there), a newline, a quoted program
// name, a word that is only partly quoted, a hidden character, or a program that starts programs in
// a way that cannot be determined (sh -c, eval, xargs, find -exec, awk …). A program that plainly
// starts another (env, timeout, nice …) adds the command it starts as a part.
// Also returns nothing if the command changes the directory and uses git or files in redirections,
// which then may be outside the workspace.
// `why_not` receives the reason for people, "at '$(rm x)'", or "".
std::optional<std::vector<std::string>> simple_commands(std::string_view command,
                                                        std::string* why_not = nullptr);

// Returns every part that deny patterns are tried on, more rather than fewer: the raw text; each
// command as written, and unquoted with single blanks, without its redirections, without the
// program's directory; substitutions; what wrappers and `sh -c` strings start. Returns nothing if
// there would be too many (deep nesting, megabytes of parts); the caller then denies.
// `hides`: whether the name of a program is an expansion or a glob, so that no part contains it.
std::optional<std::vector<std::string>> parts_for_deny(std::string_view command,
                                                       bool* hides = nullptr);

// Returns the places of the brace at `open`, of the commas of its group and of its closing brace,
// as a shell reads {a,b}; nothing if it is not closed.
std::vector<std::size_t> brace_group(std::string_view word, std::size_t open);

}  // namespace chorus::policy
