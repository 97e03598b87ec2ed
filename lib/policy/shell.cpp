#include "policy/shell.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "policy/shell_scan.hpp"
#include "policy/starters.hpp"

namespace chorus::policy {
namespace {

constexpr std::size_t most_bytes = 16U << 20;
constexpr int most_nesting = 8;  // of nested texts and of wrappers
constexpr std::size_t most_alternatives = 64;
constexpr int most_groups = 8;
constexpr std::size_t most_own_words = 3;
constexpr std::size_t most_joined = 8;
constexpr const char* special = "\n;&|<>()$`'\"\\";  // to a shell that reads a text

constexpr std::string_view leading_words =
    "! { } case coproc do elif else for function if in select then time until while";

// Whether a word can name a program: only letters, digits and _ + . / -, written without quotes or
// escapes, and not a keyword.
bool names_program(const ScannedCommand& command, std::size_t at) {
    constexpr std::string_view letters =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_+./-";
    const std::string& word = command.words[at];
    return !word.empty() && word.find_first_not_of(letters) == std::string::npos &&
           command.raw.compare(command.places[at], word.size(), word) == 0 &&
           !is_listed(word, leading_words) && !is_listed(word, "done esac fi");
}

// Appends the command and the commands it wraps, outermost first. Returns false if these cannot be
// determined; the last part is then the one that hides something.
bool append_parts(const ScannedCommand& command, std::vector<std::string>& parts) {
    std::size_t word = 0;
    for (int depth = 0; depth <= most_nesting; ++depth) {
        parts.push_back(command.raw.substr(word == 0 ? 0 : command.places[word]));
        const auto inner = what_starts(Words(command.words).subspan(word));
        if (!inner || *inner == 0) return inner.has_value();
        word += *inner;
        if (!names_program(command, word)) return false;
    }
    return false;
}

// Whether the line changes the directory and then depends on it: a repository elsewhere has its own
// configuration, which names programs.
bool works_elsewhere(const std::vector<ScannedCommand>& commands) {
    bool changes_directory = false;
    bool depends_on_it = false;
    for (const ScannedCommand& one : commands) {
        changes_directory = changes_directory || is_listed(one.words.front(), "cd pushd popd");
        depends_on_it = depends_on_it || one.uses_files ||
                        std::any_of(one.words.begin(), one.words.end(),
                                    [](const auto& word) { return base_name(word) == "git"; });
    }
    return changes_directory && depends_on_it;
}

std::string quoted_start(std::string_view text) {
    constexpr std::size_t most_shown_bytes = 40;
    const std::string_view shown = base::utf8_prefix(text, most_shown_bytes);
    return "'" + std::string(shown) + (shown.size() < text.size() ? "…'" : "'");
}

// Appends the simple commands. Returns why the text does not consist of simple commands, or "".
std::string read_simple(std::string_view text, std::vector<std::string>& commands) {
    if (base::visible(text, base::Newlines::escape) != text)
        return "it holds a newline, a hidden character or a long run of blanks";
    Variables variables;
    const Scan scan = scan_command(text, variables);
    if (scan.plain_bytes < text.size()) return "at " + quoted_start(text.substr(scan.plain_bytes));
    if (scan.plain_bytes == text.size()) return "there is no command at its end";
    if (works_elsewhere(scan.commands))
        return "it changes the directory, and what is done there depends on it";
    for (const ScannedCommand& one : scan.commands) {
        if (!names_program(one, 0))
            return "at " + quoted_start(std::string_view(one.raw).substr(one.places.front()));
        if (!append_parts(one, commands))
            return quoted_start(commands.back()) +
                   " may run or write what its arguments do not show";
    }
    return {};
}

bool is_assignment(std::string_view word) {
    const std::size_t equals = word.find('=');
    return equals != std::string_view::npos && equals > 0 && word.find_first_of("/-.") > equals;
}

// Returns how many keywords and assignments precede the program.
std::size_t count_leading(Words words) {
    std::size_t count = 0;
    while (count < words.size() &&
           (is_listed(words[count], leading_words) || is_assignment(words[count])))
        ++count;
    return count;
}

// Returns the place of the program after keywords, the names they define, their options, and
// assignments; nothing if the words are none of a command, as in "for x in a b".
std::optional<std::size_t> find_program(Words words) {
    std::size_t at = 0;
    while (at < words.size() && (is_listed(words[at], leading_words) || is_assignment(words[at]))) {
        const std::string& word = words[at];
        if (is_listed(word, "case for in select")) return std::nullopt;
        const bool defines = word == "function" || (word == "coproc" && at + 2 < words.size() &&
                                                    is_listed(words[at + 2], leading_words));
        at += defines ? 2 : 1;
        while (word == "time" && at < words.size() && words[at].starts_with('-')) ++at;
    }
    return at;
}

// Splits a word that has too many braces to expand.
std::vector<std::string> split_at_braces(const std::string& word) {
    std::vector<std::string> all;
    for (std::size_t at = 0; (at = word.find_first_not_of("{},", at)) != std::string::npos;) {
        const std::size_t end = std::min(word.find_first_of("{},", at), word.size());
        all.push_back(word.substr(at, end - at));
        at = end;
    }
    return all;
}

// Expands {rm,-rf,x} to three words.
std::vector<std::string> brace_expanded(const std::string& word, int depth = 0) {
    std::vector<std::size_t> group;
    std::size_t open = word.find('{');
    for (int tried = 0; tried < most_groups && group.size() < 3 && open < word.size(); ++tried) {
        group = brace_group(word, open);
        open = word.find('{', open + 1);
    }
    if (group.size() < 3) return {word};
    if (depth == most_groups) return split_at_braces(word);
    std::vector<std::string> all;
    for (std::size_t i = 0; i + 1 < group.size(); ++i) {
        const std::string one = word.substr(group[i] + 1, group[i + 1] - group[i] - 1);
        const std::string text =
            word.substr(0, group.front()) + one + word.substr(group.back() + 1);
        for (auto& expanded : brace_expanded(text, depth + 1)) {
            if (all.size() == most_alternatives) return split_at_braces(word);
            if (!expanded.empty()) all.push_back(std::move(expanded));
        }
    }
    return all;
}

// Returns the command as written after "if", "{" or "X=1".
std::string behind_word(const ScannedCommand& command, std::size_t word) {
    const std::size_t end = command.places[word] + command.words[word].size();
    return std::string(base::trim(command.raw.substr(std::min(end, command.raw.size()))));
}

std::string joined(Words words) {
    std::string text;
    for (const std::string& word : words) text.append(text.empty() ? "" : " ").append(word);
    return text;
}

// Returns the place of git's subcommand, after global options and their values.
std::size_t git_subcommand(Words words) {
    constexpr std::string_view with_value =
        "-c -C --git-dir --work-tree --namespace --exec-path --super-prefix --config-env";
    std::size_t at = 1;
    while (at < words.size() && words[at].starts_with('-'))
        at += is_listed(words[at], with_value) ? 2 : 1;
    return std::min(at, words.size());
}

// The texts that follow the first few of these characters.
std::vector<std::string> behind(const std::string& word, const char* characters) {
    std::vector<std::string> all;
    std::size_t at = word.find_first_of(characters);
    for (; at != std::string::npos && all.size() < most_own_words;
         at = word.find_first_of(characters, at + 1))
        all.push_back(word.substr(at + 1));
    return all;
}

class PartCollector {
  public:
    std::optional<std::vector<std::string>> collect(std::string_view command, bool* hides) {
        read(command, 0);
        if (hides != nullptr) *hides = hides_;
        if (!complete_) return std::nullopt;
        read_simple(command, parts_);  // with all blanks, as the other lists see the commands
        return std::move(parts_);
    }

  private:
    void read(std::string_view text, int depth) {
        if (depth > most_nesting) complete_ = false;
        if (!complete_) return;
        add(std::string(base::trim(text)));
        const Scan scan = scan_command(text, variables_);
        if (scan.too_much) complete_ = false;
        const bool feeds_shell =
            std::any_of(scan.commands.begin(), scan.commands.end(), runs_shell);
        for (const ScannedCommand& one : scan.commands) {
            add(one.raw);
            hides_ = hides_ || hides_program(one);
            read_command(one, feeds_shell, depth);
        }
        for (const std::string& unread : scan.unread) read(unread, depth + 1);
    }

    // Whether a program's name is an expansion, also after env and the like, or may be one because
    // it is not known which word names the program.
    static bool hides_program(const ScannedCommand& command) {
        constexpr std::string_view variables_only =
            "declare export hash jobs local read readonly set shopt typeset unset wait";
        const Words words = command.words;
        const auto& expanded = command.expanded;
        auto found = find_program(words);
        if (!found) return false;
        std::size_t at = *found;
        for (int depth = 0; depth < most_nesting; ++depth) {
            if (std::find(expanded.begin(), expanded.end(), at) != expanded.end()) return true;
            if (at >= words.size() || is_listed(words[at], variables_only)) return false;
            const auto inner = what_starts(words.subspan(at));
            if (!inner)
                return std::any_of(expanded.begin(), expanded.end(),
                                   [at](std::size_t word) { return word > at; });
            if (*inner == 0) return false;
            at += *inner;
            while (at < words.size() && is_assignment(words[at])) ++at;
        }
        return true;
    }

    static bool runs_shell(const ScannedCommand& command) {
        if (command.words.empty()) return false;
        if (is_listed(base_name(command.words.front()), "source . ed")) return true;
        return std::any_of(command.words.begin(), command.words.end(),
                           [](const std::string& word) { return is_shell(word); });
    }

    void read_command(const ScannedCommand& command, bool feeds_shell, int depth) {
        std::vector<std::string> all;
        for (const std::string& word : command.words)
            for (auto& expanded : brace_expanded(word)) all.push_back(std::move(expanded));
        const std::size_t first = count_leading(all);
        if (first > 0) add(joined(all));
        for (const std::string& word : all) read_kept_substitutions(word, depth);
        if (first == all.size()) return;
        // programs run commands of their environment: PROMPT_COMMAND, GIT_SSH_COMMAND
        for (std::size_t i = 0; i < first; ++i)
            if (is_assignment(all[i])) read_text(all[i].substr(all[i].find('=') + 1), depth);
        if (first > 0 && first <= command.places.size()) add(behind_word(command, first - 1));
        const Words words = Words(all).subspan(first);
        add_command(words);
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i].size() < 2 || words[i].front() != '!') continue;
            const Words from = words.subspan(i);
            std::vector<std::string> told(from.begin(), from.end());
            told.front().erase(0, 1);  // "!rm x", as editors read it
            add_command(told);
        }
        const bool prints = is_listed(base_name(words.front()), "echo printf");
        const bool leads = first > 0 && is_listed(all[first - 1], leading_words);
        if (what_starts(words) != 0 || (prints && feeds_shell) || leads) read_started(words, depth);
    }

    // Each word may begin the command that is started, or contain its text.
    void read_started(Words words, int depth) {
        for (std::size_t i = 1; i < words.size() && complete_; ++i) {
            add_command(words.subspan(i));
            // eval reads what its words are together
            if (i <= most_joined && i + 1 < words.size()) {
                const std::string together = joined(words.subspan(i));
                if (together.find_first_of(special) != std::string::npos) read(together, depth + 1);
            }
            read_text(words[i], depth);
            for (const std::string& own : behind(words[i], "=")) read_text(own, depth);
            if (words[i].starts_with('-') && words[i].size() > 2)
                read_text(words[i].substr(2), depth);
        }
    }

    // bash evaluates quoted text again: a subscript in arithmetic, [[ -eq ]], -v and declare
    // ('a[$(rm x)]'), and the value of a variable in arithmetic, in ${x@P} and as PS4.
    void read_kept_substitutions(std::string_view word, int depth) {
        if (!is_assignment(word) && word.find('[') == word.npos) return;
        for (std::size_t at = word.find_first_of("$`"); at != word.npos;
             at = word.find_first_of("$`", at + 1)) {
            if (word[at] == '$' && !word.substr(at).starts_with("$(")) continue;
            read(word.substr(at + (word[at] == '$' ? 2 : 1)), depth + 1);
        }
    }

    void read_text(const std::string& word, int depth) {
        if (word.starts_with('!') || word.starts_with(':')) return read_text(word.substr(1), depth);
        const auto has_any = [&](const char* of) {
            return word.find_first_of(of) != std::string::npos;
        };
        const bool names_by_glob = has_any("/") && has_any("*?[");
        if (!has_any(" \t") && !has_any(special) && !names_by_glob) return add(word);
        read(word, depth + 1);
        // after a prefix in the program's own language: "shell rm", "1e rm", "exec=rm"
        for (const std::string& own : behind(word, " \t=/!")) read(own, depth + 1);
    }

    // Adds the command, also without its program's directory and, for git, without global options.
    void add_command(Words words) {
        const std::string command = joined(words);
        const std::string_view program = base_name(words.front());
        add(command);
        if (!program.empty()) add(command.substr(words.front().size() - program.size()));
        const std::size_t at = program == "git" ? git_subcommand(words) : 0;
        if (at > 1 && at < words.size()) add("git " + joined(words.subspan(at)));
        std::vector<std::string> told(words.begin(), words.end());
        // an expansion may be empty: rm $x -rf x
        if (std::erase(told, "") > 0 && !told.empty()) add_command(told);
    }

    void add(std::string part) {
        bytes_ += part.size() + sizeof part;
        if (bytes_ > most_bytes) complete_ = false;
        if (complete_ && !part.empty() && (parts_.empty() || parts_.back() != part))
            parts_.push_back(std::move(part));
    }

    Variables variables_;
    std::vector<std::string> parts_;
    std::size_t bytes_ = 0;
    bool complete_ = true;
    bool hides_ = false;
};

}  // namespace

std::vector<std::size_t> brace_group(std::string_view word, std::size_t open) {
    std::vector<std::size_t> places{open};
    int depth = 0;
    for (std::size_t at = open; at < word.size(); ++at) {
        depth += word[at] == '{' ? 1 : word[at] == '}' ? -1 : 0;
        if (depth == 0 || (depth == 1 && word[at] == ',')) places.push_back(at);
        if (depth == 0) return places;
    }
    return {};
}

std::optional<std::vector<std::string>> simple_commands(std::string_view command,
                                                        std::string* why_not) {
    std::vector<std::string> commands;
    const std::string why = read_simple(command, commands);
    if (why_not != nullptr) *why_not = why;
    return why.empty() ? std::optional(std::move(commands)) : std::nullopt;
}

std::optional<std::vector<std::string>> parts_for_deny(std::string_view command, bool* hides) {
    return PartCollector().collect(command, hides);
}

}  // namespace chorus::policy
