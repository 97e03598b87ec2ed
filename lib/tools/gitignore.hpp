// Tells what .gitignore files ignore, by the rules of gitignore(5). Only .gitignore is read, not
// info/exclude or a file of the user.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::tools {

class Gitignore {
  public:
    // Enters a directory ("" or "src/") with the text of its .gitignore; rules of an inner
    // directory override those of an outer one.
    void enter(std::string_view directory, std::string_view text);
    void leave() { levels_.pop_back(); }

    // `path` is relative to the directory "" and lies in the directory entered last. Its parents
    // are not checked, as a walk does not descend into ignored directories.
    bool ignores(std::string_view path, bool is_directory) const;

  private:
    struct Rule {
        std::string pattern;
        bool is_exception = false;        // !pattern
        bool is_for_directories = false;  // pattern/
        bool is_anchored = false;         // has a slash: matched from the directory down
        bool is_literal = false;
    };
    struct Level {
        std::size_t directory_bytes = 0;
        std::vector<Rule> rules;
    };
    static bool parse_rule(std::string_view line, Rule& rule);
    static bool matches(const Rule& rule, std::string_view path, std::string_view name);

    std::vector<Level> levels_;
};

}  // namespace chorus::tools
