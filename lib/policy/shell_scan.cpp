#include "policy/shell_scan.hpp"

#include <algorithm>
#include <utility>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace chorus::policy {
namespace {

constexpr auto none = std::string_view::npos;
constexpr std::size_t most_expanded_bytes = base::limits::action_bytes;
constexpr int most_depth = 16;

bool is_one_of(char c, std::string_view set) {
    return set.find(c) != none;
}
bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_name_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}
bool is_number(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), is_digit);
}

class Scanner {
  public:
    struct Delimiter {
        std::string text;
        bool after_tabs = false;
    };
    struct Place {
        std::size_t at = 0;
        int depth = 0;
    };

    Scanner(std::string_view text, Variables& variables, Scan& scan, Place place)
        : text_(text),
          variables_(variables),
          scan_(scan),
          at_(place.at),
          depth_(place.depth),
          begin_(place.at) {
        if (depth_ > most_depth) scan_.too_much = true;
    }

    // To the end of the text or, inside $(…), to the bracket that closes it; returns its place.
    std::size_t read_commands() {
        while (!at_end() && !scan_.too_much &&
               !(depth_ > 0 && peek() == ')' && open_ == 0 && cases_ == 0))
            step();
        end_command();
        return at_;
    }

    // Only what a here-document expands: quotes mean nothing in it.
    void read_expansions() {
        while (!at_end() && !scan_.too_much) {
            if (is_one_of(peek(), "$`\\")) {
                expansion(true);
            } else {
                ++at_;
            }
        }
    }

  private:
    bool at_end() const { return at_ >= text_.size(); }
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    void step() {
        const char c = peek();
        if (is_one_of(c, " \t")) {
            end_word();
            ++at_;
        } else if (is_one_of(c, "\n\r;&|()")) {
            separator();
        } else if (is_one_of(c, "<>")) {
            redirection();
        } else if (c == '#' && !in_word_) {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else {
            part_of_word();
        }
    }

    void separator() {
        end_command();
        const char c = text_[at_++];
        if (c == '(') ++open_;
        if (c == ')' && open_ > 0) --open_;
        if (c == '(' && at_ >= 2 && text_[at_ - 2] == '(') arithmetic_until_ = end_of_arithmetic();
        if (c == '\n') here_documents();
        begin_ = at_;
    }

    // Behind "((", whose brackets are closed together; else it is commands.
    std::size_t end_of_arithmetic() const {
        int depth = 1;
        for (std::size_t i = at_; i + 1 < text_.size(); ++i) {
            depth += text_[i] == '(' ? 1 : text_[i] == ')' ? -1 : 0;
            if (depth == 0) return text_[i + 1] == ')' ? i : 0;
        }
        return 0;
    }

    void mark_expanded() {
        if (target_.empty() && at_ >= arithmetic_until_) expanded_words_.push_back(words_.size());
    }

    bool is_glob() const {
        if (peek() == '[') return !is_one_of(peek(1), " \t[") && peek(1) != '\0';
        return cases_ == 0 && is_one_of(peek(), "*?");
    }

    void part_of_word() {
        if (is_glob()) mark_expanded();
        switch (peek()) {
            case '\'':
                return single_quoted();
            case '"':
                return double_quoted();
            case '$':
            case '`':
            case '\\':
                return expansion(false);
            default:
                put(text_[at_++]);
        }
    }

    void expansion(bool in_quotes) {
        switch (peek()) {
            case '\\':
                return escape();
            case '`':
                return backticks();
            default:
                return dollar(in_quotes);
        }
    }

    void put(char c) {
        word_ += c;
        in_word_ = true;
    }

    void escape() {
        if (peek(1) != '\n' && at_ + 1 < text_.size()) put(peek(1));
        bare_ = false;
        at_ += 2;
    }

    void single_quoted() {
        const std::size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
        word_ += text_.substr(at_ + 1, end - at_ - 1);
        in_word_ = true;
        bare_ = false;
        at_ = end + 1;
    }

    void double_quoted() {
        in_word_ = true;
        bare_ = false;
        ++at_;
        while (!at_end() && peek() != '"') {
            const bool is_text =
                peek() == '\\' ? !is_one_of(peek(1), "$`\"\\\n") : !is_one_of(peek(), "$`");
            if (is_text) {
                put(text_[at_++]);
            } else {
                expansion(true);
            }
        }
        ++at_;
    }

    void backticks() {
        std::string inner;
        mark_expanded();
        for (++at_; !at_end() && peek() != '`'; ++at_) {
            if (peek() == '\\' && is_one_of(peek(1), "`\\$\"")) ++at_;
            inner += peek();
        }
        ++at_;
        in_word_ = true;
        scan_.unread.push_back(std::move(inner));
    }

    void dollar(bool in_quotes) {
        const char next = peek(1);
        if (is_name_character(next) || is_one_of(next, "({@*#?!-$")) mark_expanded();
        if (next == '(') {
            ++at_;
            substitution();
        } else if (next == '{') {
            at_ += 2;
            braced(in_quotes);
        } else if (next == '\'' && !in_quotes) {
            ansi_quoted();
        } else if (next == '"' && !in_quotes) {
            ++at_;
        } else if (is_name_character(next) && !is_digit(next)) {
            ++at_;
            const std::string_view name = read_name();
            expand(value_of(name, ""), in_quotes);
        } else if (is_digit(next) || is_one_of(next, "@*#?!-$")) {
            in_word_ = in_word_ || in_quotes;
            at_ += 2;
        } else {
            put(text_[at_++]);
        }
    }

    // At the opening bracket of $(…), <(…) or >(…).
    void substitution() {
        const std::size_t begin = at_ + 1;
        const std::size_t end = std::min(
            Scanner(text_, variables_, scan_, {begin, depth_ + 1}).read_commands(), text_.size());
        if (begin < end) scan_.substitutions.emplace_back(text_.substr(begin, end - begin));
        at_ = end + 1;
    }

    std::string_view read_name() {
        const std::size_t begin = at_;
        while (is_name_character(peek())) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    // ${name}, ${name:-rm}: what stands behind the name is what an unset variable becomes.
    void braced(bool in_quotes) {
        if (++depth_ > most_depth) scan_.too_much = true;
        const std::string_view name = read_name();
        while (is_one_of(peek(), ":-=+?") && !at_end()) ++at_;
        std::string before = std::exchange(word_, {});
        const bool was_in_word = in_word_;
        while (!at_end() && !scan_.too_much && peek() != '}') {
            if (in_quotes && peek() == '\'') {
                put(text_[at_++]);  // a quote inside "${x:-'}" quotes nothing
            } else {
                part_of_word();
            }
        }
        ++at_;
        const std::string otherwise = std::exchange(word_, std::move(before));
        in_word_ = was_in_word;
        --depth_;
        expand(value_of(name, otherwise), in_quotes);
    }

    std::string value_of(std::string_view name, const std::string& otherwise) const {
        if (name == "IFS") return " ";
        const auto found = variables_.find(name);
        return found == variables_.end() ? otherwise : found->second;
    }

    void expand(const std::string& value, bool in_quotes) {
        expanded_ += value.size();
        if (expanded_ > most_expanded_bytes) scan_.too_much = true;
        if (scan_.too_much) return;
        for (const char c : value) {
            if (!in_quotes && is_one_of(c, " \t\n")) {
                end_word();
            } else {
                put(c);
            }
        }
    }

    // $'\x72m'
    void ansi_quoted() {
        in_word_ = true;
        bare_ = false;
        for (at_ += 2; !at_end() && peek() != '\'';) {
            if (peek() == '\\') {
                ++at_;
                ansi_escape();
            } else {
                put(text_[at_++]);
            }
        }
        ++at_;
    }

    void ansi_escape() {
        const char c = peek();
        if (is_one_of(c, "xuU") && !at_end()) {
            ++at_;
            put(number(16, c == 'x' ? 2 : c == 'u' ? 4 : 8));
        } else if (c >= '0' && c <= '7') {
            put(number(8, 3));
        } else {
            put(c == 'n' ? '\n' : c == 't' ? '\t' : c);
            ++at_;
        }
    }

    char number(unsigned base, int most_digits) {
        constexpr std::string_view digits = "0123456789abcdef";
        unsigned value = 0;
        for (int i = 0; i < most_digits && !at_end(); ++i, ++at_) {
            const char c = peek();
            const std::size_t digit =
                digits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
            if (digit >= base) break;
            value = value * base + static_cast<unsigned>(digit);
        }
        return static_cast<char>(value & 0xffU);
    }

    void redirection() {
        if (is_number(word_)) drop_word();
        end_word();
        if (peek(1) == '(') {
            ++at_;
            return substitution();
        }
        const std::size_t begin = at_;
        while (is_one_of(peek(), "<>&|-") && !at_end()) ++at_;
        target_ = text_.substr(begin, at_ - begin);
    }

    void drop_word() {
        word_.clear();
        in_word_ = false;
        bare_ = true;
    }

    void end_word() {
        if (!in_word_) return;
        if (!target_.empty()) {
            end_target();
        } else {
            count_cases();
            remember_assignment();
            words_.push_back(word_);
        }
        drop_word();
    }

    void end_target() {
        if (target_ == "<<<") scan_.unread.push_back(word_);
        if (target_ == "<<" || target_ == "<<-") delimiters_.push_back({word_, target_ == "<<-"});
        target_ = {};
    }

    // The `)` behind a pattern of `case` closes no $(…). Which `esac` is a word and which ends it
    // is not always told: the rest is read again as commands.
    void count_cases() {
        if (!bare_) return;
        if (word_ == "case" && words_.empty()) {
            ++cases_;
            if (depth_ > 0) scan_.unread.emplace_back(text_.substr(std::min(at_, text_.size())));
        }
        if (word_ == "esac" && cases_ > 0 && (words_.empty() || words_.back() == "in")) --cases_;
    }

    void remember_assignment() {
        const std::size_t equals = word_.find('=');
        if (equals == none || equals == 0) return;
        const auto name = std::string_view(word_).substr(0, equals);
        if (std::all_of(name.begin(), name.end(), is_name_character))
            variables_.insert_or_assign(std::string(name), word_.substr(equals + 1));
    }

    void here_documents() {
        for (const Delimiter& delimiter : std::exchange(delimiters_, {})) {
            const std::string_view body = here_document(delimiter);
            scan_.unread.emplace_back(body);
            Scanner(body, variables_, scan_, {0, depth_ + 1}).read_expansions();
        }
    }

    std::string_view here_document(const Delimiter& delimiter) {
        const std::size_t begin = at_;
        while (!at_end()) {
            const std::size_t line_at = at_;
            const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
            std::string_view line = text_.substr(at_, line_end - at_);
            at_ = std::min(line_end + 1, text_.size());
            if (delimiter.after_tabs)
                line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
            if (line == delimiter.text) return text_.substr(begin, line_at - begin);
        }
        return text_.substr(std::min(begin, text_.size()));
    }

    void end_command() {
        end_word();
        target_ = {};
        const std::size_t end = std::min(at_, text_.size());
        if (!(words_.empty() && expanded_words_.empty()) && begin_ < end)
            scan_.commands.push_back({std::string(base::trim(text_.substr(begin_, end - begin_))),
                                      std::move(words_), std::move(expanded_words_)});
        words_.clear();
        expanded_words_.clear();
    }

    std::string_view text_;
    Variables& variables_;
    Scan& scan_;
    std::size_t at_;
    int depth_;
    std::size_t begin_;
    std::size_t expanded_ = 0;
    std::size_t arithmetic_until_ = 0;
    std::vector<std::size_t> expanded_words_;
    int open_ = 0;
    int cases_ = 0;
    std::string word_;
    bool in_word_ = false;
    bool bare_ = true;
    std::string_view target_;  // the redirection whose target comes next
    std::vector<Delimiter> delimiters_;
    std::vector<std::string> words_;
};

}  // namespace

Scan scan_command(std::string_view text, Variables& variables) {
    Scan scan;
    Scanner(text, variables, scan, {}).read_commands();
    return scan;
}

}  // namespace chorus::policy
