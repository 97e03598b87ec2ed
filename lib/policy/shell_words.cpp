#include "policy/shell_words.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace chorus::policy {
namespace {

constexpr std::array<std::string_view, 18> keywords{
    "case",     "coproc", "do", "done",   "elif", "else", "esac",  "fi",    "for",
    "function", "if",     "in", "select", "then", "time", "until", "while", "[["};

constexpr std::string_view blanks = " \t";
constexpr std::string_view word_ends = " \t;|&<>";

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_alphanumeric(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_one_of(char c, std::string_view set) {
    return set.find(c) != std::string_view::npos;
}

bool is_protected(std::string_view component) {
    return component == ".." || (component.size() > 1 && component.front() == '.');
}

// A file of the workspace, as far as its name tells, and none that configures a program: HOME is
// the workspace, so .gitconfig and its like are read from there.
bool is_workspace_file(std::string_view path) {
    if (path.empty() || is_one_of(path.front(), "/~-")) return false;
    const auto components = base::split(path, '/');
    return std::none_of(components.begin(), components.end(), is_protected);
}

class PlainReader {
  public:
    explicit PlainReader(std::string_view text) : text_(text) {}
    std::size_t at() const { return at_; }

    std::optional<std::vector<PlainCommand>> read() {
        for (skip_blanks(); !at_end(); skip_blanks())
            if (!step()) return std::nullopt;
        if (current_.words.empty() ? (must_continue_ || has_redirection_) : !finish_command())
            return std::nullopt;
        return commands_.empty() ? std::nullopt : std::optional(std::move(commands_));
    }

  private:
    bool at_end() const { return at_ >= text_.size(); }
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }
    bool at_word_end() const { return at_end() || is_one_of(peek(), word_ends); }
    void skip_blanks() {
        while (!at_end() && is_one_of(peek(), blanks)) ++at_;
    }

    bool step() {
        if (is_one_of(peek(), ";|&")) return separator();
        if (current_.words.empty() && !has_redirection_) current_.at = at_;
        if (is_redirection()) return redirection();
        auto next = word();
        if (!next) return false;
        current_.words.push_back(std::move(*next));
        current_.end = at_;
        return true;
    }

    bool separator() {
        const char c = peek();
        const bool doubled = peek(1) == c;
        if ((c == '&' && !doubled) || (c == ';' && doubled)) return false;
        at_ += doubled ? 2 : 1;
        must_continue_ = c != ';';
        return !is_one_of(at_end() ? ' ' : peek(), ";|&") && finish_command();
    }

    bool finish_command() {
        if (current_.words.empty()) return false;
        if (!is_program_word(current_.words.front())) return stop_at(current_.words.front().at);
        commands_.push_back(std::exchange(current_, {}));
        has_redirection_ = false;
        return true;
    }

    // "2>" counts only where the digits are a word's beginning.
    bool is_redirection() const {
        std::size_t ahead = 0;
        while (is_digit(peek(ahead))) ++ahead;
        return peek(ahead) == '<' || peek(ahead) == '>';
    }

    bool redirection() {
        const std::size_t begin = at_;
        while (is_digit(peek())) ++at_;
        const char direction = text_[at_++];
        has_redirection_ = true;
        if (direction == '>' && peek() == '&') return descriptor();
        if (direction == '>' && peek() == '>') ++at_;
        skip_blanks();
        if (at_word_end()) return stop_at(begin);
        const auto target = word();
        if (!target || peek() == '<' || peek() == '>') return stop_at(begin);
        current_.end = at_;
        if (target->text == "/dev/null") return true;
        current_.uses_files = true;
        return is_workspace_file(target->text) || stop_at(begin);
    }

    bool stop_at(std::size_t place) {
        at_ = place;
        return false;
    }

    bool descriptor() {
        if (!is_one_of(peek(1), "012")) return false;
        at_ += 2;
        current_.end = at_;
        return at_word_end() && peek() != '<' && peek() != '>';
    }

    // Quotes hold a whole word, or all of it after "=": in between, the text of the command and the
    // word it means would differ, and a pattern sees the text.
    std::optional<Word> word() {
        Word next{"", at_, true};
        while (!at_word_end()) {
            const char c = peek();
            if (c == '\'' || c == '"') {
                const bool may_begin = at_ == next.at || text_[at_ - 1] == '=';
                if (!may_begin || !quoted(next.text) || !at_word_end()) return std::nullopt;
                next.bare = false;
            } else if (c == '\\') {
                if (!escaped(next.text)) return std::nullopt;
                next.bare = false;
            } else {
                if (!is_plain(c)) return std::nullopt;
                next.text += c;
                ++at_;
            }
        }
        return next;
    }

    bool quoted(std::string& into) {
        const char quote = text_[at_];
        const std::size_t end = text_.find(quote, at_ + 1);
        if (end == std::string_view::npos) return false;
        const std::string_view inside = text_.substr(at_ + 1, end - at_ - 1);
        if (quote == '"' && inside.find_first_of("$`\\") != std::string_view::npos) return false;
        into += inside;
        at_ = end + 1;
        return true;
    }

    bool escaped(std::string& into) {
        if (!is_one_of(peek(1), " '\"$`*?[](){}&;|<>!#~^\\")) return false;
        into += peek(1);
        at_ += 2;
        return true;
    }

    // "HEAD~2" and "HEAD^" are plain; "~" is a home directory where a word or a value begins.
    bool is_plain(char c) const {
        if (c == '~' || c == '^') return at_ > 0 && is_alphanumeric(text_[at_ - 1]);
        return is_alphanumeric(c) || is_one_of(c, "_@%+=:,./-");
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<PlainCommand> commands_;
    PlainCommand current_;
    bool has_redirection_ = false;
    bool must_continue_ = false;
};

}  // namespace

bool is_program_word(const Word& word) {
    const auto fits = [](char c) { return is_alphanumeric(c) || is_one_of(c, "_+./-"); };
    return word.bare && !word.text.empty() &&
           std::all_of(word.text.begin(), word.text.end(), fits) &&
           std::find(keywords.begin(), keywords.end(), word.text) == keywords.end();
}

// Whoever is asked could not read the rest.
bool shows_what_it_is(std::string_view command) {
    return base::visible(command, base::Newlines::escape) == command;
}

std::optional<std::vector<PlainCommand>> read_plain_commands(std::string_view command,
                                                             std::size_t& stopped_at) {
    PlainReader reader(command);
    auto commands = reader.read();
    stopped_at = reader.at();
    return commands;
}

}  // namespace chorus::policy
