// What .gitignore files leave out, by the rules of gitignore(5). Nothing but .gitignore is read: no
// info/exclude, no file of the user.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::tools {

class Gitignore {
  public:
    // Enters a directory ("" or "src/") with the text of its .gitignore; rules of an inner
    // directory come before those of an outer one.
    void enter(std::string_view directory, std::string_view text);
    void leave() { levels_.pop_back(); }

    // `path` is relative to where "" is, and lies in the directory entered last. Its parents are
    // not looked at: who walks does not descend into what is ignored.
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
