#include "security/escape/calls.hpp"

#include <algorithm>
#include <array>

namespace escape {
namespace {

using Random = std::mt19937_64;

// What is in braces is chosen anew for each call: a file, a directory, a branch, a number.
constexpr std::array calls{
    R"(/git_init {})",
    R"(/git_init {})",
    R"(/git_status {})",
    R"(/git_status {})",
    R"(/git_diff {})",
    R"(/git_diff {"ref1": "HEAD~1"})",
    R"(/git_diff {"ref1": "<branch>"})",
    R"(/git_diff {"ref1": "main", "ref2": "<branch>"})",
    R"(/git_log {})",
    R"(/git_log {"count": 3})",
    R"(/git_commit {"message": "commit <number>"})",
    R"(/git_commit {"message": "commit <number>"})",
    R"(/git_commit {"message": "commit <number>"})",
    R"(/git_commit {"message": "commit <number>", "files": ["<file>"]})",
    R"(/git_branch {"name": "n<number>"})",
    R"(/git_branch {"name": "<branch>"})",
    R"(/git_branch {"name": "<branch>", "delete": true})",
    R"(/git_checkout {"ref": "<branch>"})",
    R"(/git_checkout {"ref": "<branch>"})",
    R"(/git_checkout {"ref": "main"})",
    R"(/git_checkout {"ref": "HEAD~1"})",
    R"(/git_checkout {"ref": "c<number>", "create": true})",
    R"(/view {"path": "<file>"})",
    R"(/view {"path": "<directory>"})",
    R"(/list_files {})",
    R"(/list_files {"path": "<directory>"})",
    R"(/search_files {"pattern": "what is [k]ept|(?i)inside"})",
    R"(/search_files {"pattern": "[k]ept", "path": "<directory>"})",
    R"(/create_file {"path": "<file>", "content": "inside <number>\n"})",
    R"(/create_file {"path": "<file>", "content": "inside <number>\n"})",
    R"(/create_file {"path": "<directory>/d<number>/new.txt", "content": "inside\n"})",
    R"(/append_file {"path": "<file>", "content": "inside, appended\n"})",
    R"(/append_file {"path": "<file>", "content": "inside, appended\n"})",
    R"(/str_replace {"path": "<file>", "old_str": "i", "new_str": "I", "all": true})",
    R"(/str_replace {"path": "<file>", "old_str": "I", "new_str": "i", "all": true})",
    R"(/bash {"command": "cat .envrc .mcp.json .gitmodules .gitconfig .git/config .git/info/* a/file.txt; ls -la . .git .git/*/", "timeout": 5})",
    R"(/bash {"command": "echo inside >> <file>; git add -A; git commit -qm 'by hand'; git status --short | head -3", "timeout": 5})",
    R"(/bash {"command": "for f in .git/config .git/hooks/x .git/info/x .envrc <file>; do echo >> $f; done", "timeout": 5})",
    R"(/self_edit_docs {"path": "notes/n<number>.md", "content": "a note\n"})",
};

constexpr std::array files{"file.txt",     "a/file.txt",    "a/b/file.txt", "a/b/c/file.txt",
                           "a/new.txt",    "a/b/c/new.txt", "new.txt",      ".gitignore",
                           "a/.gitignore", ".gitattributes"};
constexpr std::array directories{"a", "a/b", "a/b/c", "sub", "."};
constexpr std::array branches{"main", "b0", "b1", "l0", "n1"};

template <typename Choice>
void fill(std::string& text, const std::string& word, Choice choice) {
    for (std::size_t at; (at = text.find(word)) != std::string::npos;)
        text.replace(at, word.size(), choice());
}

}  // namespace

std::string any_call(const std::vector<std::string>& tools, Random& random) {
    const auto one_of = [&](const auto& all) { return std::string(all[random() % all.size()]); };
    std::string text;
    do text = one_of(calls);
    while (!tools.empty() && std::find(tools.begin(), tools.end(),
                                       text.substr(1, text.find(' ') - 1)) == tools.end());
    fill(text, "<file>", [&] { return one_of(files); });
    fill(text, "<directory>", [&] { return one_of(directories); });
    fill(text, "<branch>", [&] { return one_of(branches); });
    fill(text, "<number>", [&] { return std::to_string(random() % 20); });
    return text;
}

}  // namespace escape
