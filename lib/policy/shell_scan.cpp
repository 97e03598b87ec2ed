#include "policy/shell_scan.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/limits.hpp"
#include "base/text.hpp"

namespace chorus::policy {
namespace {

constexpr auto none = std::string_view::npos;
constexpr std::size_t most_expanded_bytes = base::limits::action_bytes;
constexpr int most_depth = 16;
constexpr std::size_t most_arithmetic_bytes = 1024;  // longer ones are read as commands

bool is_alphanumeric(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_name_character(char c) {
    return is_alphanumeric(c) || c == '_';
}

// Judged by its name: inside the workspace, and not a hidden file, which may configure a program as
// .gitconfig does.
bool is_workspace_file(const std::string& path) {
    static const RE2 elsewhere(R"([/~-].*|(?:.*/)?\.[^/].*)", RE2::Latin1);
    return !path.empty() && !RE2::FullMatch(path, elsewhere);
}

class Scanner {
  public:
    struct Delimiter {
        std::string text;
        bool after_tabs = false;
    };

    Scanner(std::string_view text, Variables& variables, Scan& scan, std::size_t at, int depth)
        : text_(text), variables_(variables), scan_(scan), at_(at), depth_(depth), begin_(at) {
        if (depth_ > most_depth) scan_.too_much = true;
    }

    // Reads to the end of the text or, inside $(…), to the closing bracket; returns its place.
    std::size_t read_commands() {
        while (!at_end() && !scan_.too_much &&
               !(depth_ > 0 && peek() == ')' && open_ == 0 && cases_ == 0))
            step();
        end_command();
        return here();
    }

    // Reads up to `end` what double quotes or, without `end`, a here-document expand.
    void read_expansions(std::optional<char> end = std::nullopt) {
        while (!at_end() && !scan_.too_much && peek() != end) {
            if (base::is_one_of(peek(), "$`\\")) not_plain(at_);
            const bool is_text = peek() == '\\' ? !base::is_one_of(peek(1), "$`\"\\\n")
                                                : !base::is_one_of(peek(), "$`");
            if (is_text) {
                put(text_[at_++]);
            } else {
                expansion(true);
            }
        }
    }

  private:
    std::size_t here() const { return std::min(at_, text_.size()); }
    bool at_end() const { return at_ >= text_.size(); }
    char peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
    }

    void not_plain(std::size_t at) { scan_.plain_bytes = std::min(scan_.plain_bytes, at); }

    void step() {
        const char c = peek();
        if (base::is_one_of(c, " \t")) {
            end_word();
            ++at_;
        } else if (base::is_one_of(c, "\n\r;&|()")) {
            separator();
        } else if (base::is_one_of(c, "<>")) {
            redirection();
        } else if (c == '#' && !in_word_) {
            not_plain(at_);
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else {
            if (!in_word_) word_at_ = at_;
            part_of_word();
        }
    }

    void separator() {
        if (peek() == ')' && cases_ > 0 && open_ == 0) command_.expanded.clear();  // a pattern
        end_command();
        const char c = peek();
        const bool doubled = base::is_one_of(c, "&|") && peek(1) == c;
        if (!base::is_one_of(c, doubled ? "&|" : ";|")) not_plain(at_);
        must_continue_ = c != ';';
        at_ += doubled ? 2 : 1;
        if (c == '(') ++open_;
        if (c == ')' && open_ > 0) --open_;
        if (c == '(' && at_ >= 2 && text_[at_ - 2] == '(') arithmetic_until_ = end_of_arithmetic();
        if (c == '\n') here_documents();
        begin_ = at_;
    }

    // Returns the end of the arithmetic after "((", or 0 if its brackets are not closed together:
    // then it contains commands.
    std::size_t end_of_arithmetic() const {
        int depth = 1;
        const std::size_t last = std::min(text_.size(), at_ + most_arithmetic_bytes);
        for (std::size_t i = at_; i + 1 < last; ++i) {
            depth += text_[i] == '(' ? 1 : text_[i] == ')' ? -1 : 0;
            if (depth == 0) return text_[i + 1] == ')' ? i : 0;
        }
        return 0;
    }

    // An expansion yields a word, possibly an empty one, which may be a program or a target.
    void mark_expanded() {
        in_word_ = true;
        if (target_.empty() && at_ >= arithmetic_until_)
            command_.expanded.push_back(command_.words.size());
    }

    bool is_glob() const {
        if (peek() == '[') return !base::is_one_of(peek(1), " \t[") && peek(1) != '\0';
        return base::is_one_of(peek(), "*?");
    }

    void part_of_word() {
        if (is_glob()) mark_expanded();
        if (!is_plain()) not_plain(at_);
        if (peek() == '\'') return single_quoted();
        if (peek() == '"') return double_quoted();
        if (base::is_one_of(peek(), "$`\\")) return expansion(false);
        put(text_[at_++]);
    }

    // "HEAD~2" and "HEAD^" are plain; "~" at the beginning of a word or a value is a home
    // directory.
    bool is_plain() const {
        const char c = peek();
        if (c == '\\') return base::is_one_of(peek(1), " '\"$`*?[](){}&;|<>!#~^\\");
        if (c == '~' || c == '^') return at_ > 0 && is_alphanumeric(text_[at_ - 1]);
        return is_alphanumeric(c) || base::is_one_of(c, "'\"_@%+=:,./-");
    }

    void expansion(bool in_quotes) {
        if (peek() == '\\') return escape();
        if (peek() == '`') return backticks();
        dollar(in_quotes);
    }

    void put(char c) {
        word_ += c;
        in_word_ = true;
    }

    void escape() {
        if (peek(1) != '\n') bare_ = false;
        if (peek(1) != '\n' && at_ + 1 < text_.size()) put(peek(1));
        at_ += 2;
    }

    void single_quoted() {
        const std::size_t begin = at_;
        const std::size_t end = std::min(text_.find('\'', at_ + 1), text_.size());
        word_ += text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        end_quotes(begin);
    }

    // Plain quotes enclose a whole word, or all of it after "=". Elsewhere the text of the command,
    // which patterns see, would differ from the word it means.
    void end_quotes(std::size_t begin) {
        in_word_ = true;
        bare_ = false;
        const bool may_begin = begin == word_at_ || text_[begin - 1] == '=';
        const bool may_end = at_ == text_.size() || base::is_one_of(peek(), " \t;|&<>");
        if (!may_begin || !may_end) not_plain(begin);
    }

    void double_quoted() {
        const std::size_t begin = at_++;
        read_expansions('"');
        ++at_;
        end_quotes(begin);
    }

    void backticks() {
        std::string inner;
        mark_expanded();
        for (++at_; !at_end() && peek() != '`'; ++at_) {
            if (peek() == '\\' && base::is_one_of(peek(1), "`\\$\"")) ++at_;
            inner += peek();
        }
        ++at_;
        scan_.unread.push_back(std::move(inner));
    }

    void dollar(bool in_quotes) {
        const char next = peek(1);
        if (is_name_character(next) || base::is_one_of(next, "({@*#?!-$")) mark_expanded();
        if (next == '(') return substitution();
        if (next == '{') return braced(in_quotes);
        if (next == '\'' && !in_quotes) return ansi_quoted();
        if (base::is_one_of(next, "0123456789@*#?!-$")) {
            at_ += 2;
        } else if (is_name_character(next)) {
            ++at_;
            expand(value_of(read_name(), ""), in_quotes);
        } else if (next == '"' && !in_quotes) {
            ++at_;
        } else {
            put(text_[at_++]);
        }
    }

    // $(…), <(…) or >(…)
    void substitution() {
        const std::size_t begin = at_ + 2;
        const std::size_t end =
            Scanner(text_, variables_, scan_, begin, depth_ + 1).read_commands();
        if (begin < end)
            scan_.commands.emplace_back().raw = base::trim(text_.substr(begin, end - begin));
        at_ = end + 1;
    }

    std::string_view read_name() {
        const std::size_t begin = at_;
        while (is_name_character(peek())) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    // ${name}, ${name:-rm}: an unset variable becomes the text after the name.
    void braced(bool in_quotes) {
        at_ += 2;
        if (++depth_ > most_depth) scan_.too_much = true;
        const std::string_view name = read_name();
        while (base::is_one_of(peek(), ":-=+?") && !at_end()) ++at_;
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
            if (in_quotes || !base::is_one_of(c, " \t\n")) {
                put(c);
            } else if (!word_.empty()) {
                end_word();
            }
        }
    }

    // $'\x72m'
    void ansi_quoted() {
        in_word_ = true;
        bare_ = false;
        for (at_ += 2; !at_end() && peek() != '\'';)
            put(peek() == '\\' ? ansi_escape() : text_[at_++]);
        ++at_;
    }

    char ansi_escape() {
        const char c = peek(1);
        const bool octal = c >= '0' && c <= '7';
        at_ += octal ? 1 : 2;
        if (!octal && !base::is_one_of(c, "xuU")) return c == 'n' ? '\n' : c == 't' ? '\t' : c;
        const int most = octal ? 3 : c == 'x' ? 2 : c == 'u' ? 4 : 8;
        const char* begin = text_.data() + here();
        const char* end = std::min(begin + most, text_.data() + text_.size());
        unsigned value = 0;
        at_ += static_cast<std::size_t>(std::from_chars(begin, end, value, octal ? 8 : 16).ptr -
                                        begin);
        return static_cast<char>(value & 0xffU);
    }

    void redirection() {
        static const RE2 descriptor(R"([0-9]+|\{[^{},]+\})", RE2::Latin1);  // 2>f, {fd}>f
        const bool numbered = bare_ && RE2::FullMatch(word_, descriptor);
        const std::size_t place = numbered ? word_at_ : at_;
        if (numbered) drop_word();
        if (!target_.empty()) not_plain(target_at_);
        end_word();
        if (peek(1) == '(') {
            not_plain(at_);
            return substitution();
        }
        const std::size_t begin = at_;
        while (base::is_one_of(peek(), "<>&|-") && !at_end()) ++at_;
        target_ = text_.substr(begin, at_ - begin);
        target_at_ = place;
        if (target_ == ">&" && !base::is_one_of(peek(), "012")) not_plain(place);
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
            command_.words.push_back(word_);
            command_.places.push_back(word_at_);
        }
        drop_word();
    }

    // Removes only the quotes of a word, as for the delimiter of a here-document.
    std::string unexpanded() const {
        std::string word(text_.substr(word_at_, here() - word_at_));
        static const RE2 quotes(R"(\$?['"]|\\)", RE2::Latin1);
        RE2::GlobalReplace(&word, quotes, "");
        return word;
    }

    void end_target() {
        if (target_ == "<<<") scan_.unread.push_back(word_);
        if (target_ == "<<" || target_ == "<<-")
            delimiters_.push_back({unexpanded(), target_ == "<<-"});
        const bool is_file = target_ == "<" || target_ == ">" || target_ == ">>";
        const bool is_used = is_file && word_ != "/dev/null";
        command_.uses_files = command_.uses_files || is_used;
        const bool is_descriptor = target_ == ">&" && bare_ && word_.size() == 1;
        if (is_used ? !is_workspace_file(word_) : !is_file && !is_descriptor) not_plain(target_at_);
        target_ = {};
    }

    // The `)` after a pattern of `case` does not close $(…). Whether an `esac` is a word or the end
    // is not always clear, so the rest is read again as commands.
    void count_cases() {
        if (!bare_) return;
        if (word_ == "case" && command_.words.empty()) {
            ++cases_;
            if (depth_ > 0) scan_.unread.emplace_back(text_.substr(here()));
        }
        if (word_ == "esac" && cases_ > 0 &&
            (command_.words.empty() || command_.words.back() == "in"))
            --cases_;
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
            const std::size_t begin = here();
            const std::size_t end = end_of_here_document(delimiter);
            scan_.unread.emplace_back(text_.substr(begin, end - begin));
            Scanner(text_.substr(0, end), variables_, scan_, begin, depth_ + 1).read_expansions();
        }
    }

    std::size_t end_of_here_document(const Delimiter& delimiter) {
        while (!at_end()) {
            const std::size_t line_at = at_;
            const std::size_t line_end = std::min(text_.find('\n', at_), text_.size());
            std::string_view line = text_.substr(at_, line_end - at_);
            at_ = std::min(line_end + 1, text_.size());
            if (delimiter.after_tabs)
                line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
            if (line == delimiter.text) return line_at;
        }
        return text_.size();
    }

    void end_command() {
        end_word();
        if (!std::exchange(target_, {}).empty()) not_plain(target_at_);
        const std::string_view raw = base::trim(text_.substr(begin_, here() - begin_));
        if (command_.words.empty() && (must_continue_ || !raw.empty() || !at_end())) not_plain(at_);
        const auto offset = raw.empty() ? 0 : raw.data() - text_.data();
        for (std::size_t& place : command_.places) place -= static_cast<std::size_t>(offset);
        command_.raw = raw;
        if (!command_.words.empty() || !command_.expanded.empty())
            scan_.commands.push_back(std::move(command_));
        command_ = {};
    }

    std::string_view text_;
    Variables& variables_;
    Scan& scan_;
    std::size_t at_;
    int depth_;
    std::size_t begin_;
    std::size_t expanded_ = 0;
    std::size_t arithmetic_until_ = 0;
    int open_ = 0;
    int cases_ = 0;
    std::string word_;
    bool in_word_ = false;
    bool bare_ = true;
    std::size_t word_at_ = 0;
    std::string_view target_;  // the redirection whose target comes next
    std::size_t target_at_ = 0;
    std::vector<Delimiter> delimiters_;
    bool must_continue_ = true;
    ScannedCommand command_;
};

}  // namespace

Scan scan_command(std::string_view text, Variables& variables) {
    Scan scan;
    Scanner(text, variables, scan, 0, 0).read_commands();
    return scan;
}

}  // namespace chorus::policy
