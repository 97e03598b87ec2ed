#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "policy/shell.hpp"
#include "policy/shell_scan.hpp"
#include "policy/starters.hpp"

namespace chorus::policy {
namespace {

constexpr std::size_t most_bytes = 16U << 20;
constexpr int most_depth = 8;
constexpr std::size_t most_alternatives = 64;
constexpr int most_groups = 8;
constexpr int most_own_words = 3;

constexpr std::string_view leading_words =
    "! { } case coproc do elif else for function if in select then time until while";

bool is_assignment(std::string_view word) {
    const std::size_t equals = word.find('=');
    return equals != std::string_view::npos && equals > 0 &&
           word.substr(0, equals).find_first_of("/-.") == std::string_view::npos;
}

// What is left of a word with more braces than are worth following.
std::vector<std::string> split_at_braces(const std::string& word) {
    std::vector<std::string> all;
    for (std::size_t at = 0; (at = word.find_first_not_of("{},", at)) != std::string::npos;) {
        const std::size_t end = std::min(word.find_first_of("{},", at), word.size());
        all.push_back(word.substr(at, end - at));
        at = end;
    }
    return all;
}

struct Braces {
    std::size_t open = 0;
    std::size_t close = 0;
    std::vector<std::string_view> alternatives;
};

// The group that opens at `open`; nothing where it is not closed or holds no comma of its own.
std::optional<Braces> read_braces(std::string_view word, std::size_t open) {
    Braces braces{open, 0, {}};
    int depth = 0;
    std::size_t begin = open + 1;
    for (std::size_t at = open; at < word.size(); ++at) {
        if (word[at] == '{') ++depth;
        if (word[at] == '}') --depth;
        if (depth == 0 || (depth == 1 && word[at] == ',')) {
            braces.alternatives.push_back(word.substr(begin, at - begin));
            begin = at + 1;
        }
        if (depth > 0) continue;
        braces.close = at;
        return braces.alternatives.size() > 1 ? std::optional(braces) : std::nullopt;
    }
    return std::nullopt;
}

std::optional<Braces> find_braces(std::string_view word) {
    int tried = 0;
    for (std::size_t at = 0; (at = word.find('{', at)) != std::string_view::npos; ++at) {
        if (++tried > most_groups) return std::nullopt;
        if (auto found = read_braces(word, at)) return found;
    }
    return std::nullopt;
}

// {rm,-rf,x} is three words.
std::vector<std::string> brace_expanded(const std::string& word, int depth = 0) {
    const auto braces = find_braces(word);
    if (!braces) return {word};
    if (depth == most_groups) return split_at_braces(word);
    std::vector<std::string> all;
    for (const std::string_view one : braces->alternatives) {
        const std::string text =
            word.substr(0, braces->open) + std::string(one) + word.substr(braces->close + 1);
        for (auto& expanded : brace_expanded(text, depth + 1)) {
            if (all.size() == most_alternatives) return split_at_braces(word);
            if (!expanded.empty()) all.push_back(std::move(expanded));
        }
    }
    return all;
}

std::vector<std::string> all_brace_expanded(const std::vector<std::string>& words) {
    std::vector<std::string> all;
    for (const std::string& word : words)
        for (auto& expanded : brace_expanded(word)) all.push_back(std::move(expanded));
    return all;
}

std::string joined(Words words) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += ' ';
        text += word;
    }
    return text;
}

// A command as it is written behind "if", "{" or "X=1"; empty where those are written in quotes.
std::string_view without_leading(std::string_view raw, Words leading) {
    for (const std::string& word : leading) {
        raw = base::trim(raw);
        if (!raw.starts_with(word)) return {};
        raw.remove_prefix(word.size());
    }
    return base::trim(raw);
}

class PartCollector {
  public:
    void read(std::string_view text, int depth) {
        if (depth > most_depth) complete_ = false;
        if (!complete_) return;
        add(std::string(base::trim(text)));
        const Scan scan = scan_command(text, variables_);
        if (scan.too_much) complete_ = false;
        const bool feeds_shell =
            std::any_of(scan.commands.begin(), scan.commands.end(), runs_shell);
        for (const ScannedCommand& one : scan.commands) {
            add(one.raw);
            hides_ = hides_ || hides_program(one);
            read_command(one.raw, all_brace_expanded(one.words), feeds_shell, depth);
        }
        for (const std::string& text_inside : scan.substitutions)
            add(std::string(base::trim(text_inside)));
        for (const std::string& unread : scan.unread) read(unread, depth + 1);
    }

    bool hides() const { return hides_; }
    std::optional<std::vector<std::string>> take() {
        return complete_ ? std::optional(std::move(parts_)) : std::nullopt;
    }

  private:
    // Where a program's name stands, behind env and its like too.
    static bool hides_program(const ScannedCommand& command) {
        std::vector<std::string> words = command.words;
        const auto& expanded = command.expanded;
        if (!expanded.empty() && expanded.back() == words.size()) words.emplace_back("$");
        std::size_t at = 0;
        while (at < words.size() &&
               (is_listed(words[at], leading_words) || is_assignment(words[at])))
            ++at;
        if (at > 0 && is_listed(words[at - 1], "case for function in select")) return false;
        for (int depth = 0; depth < most_depth; ++depth) {
            if (std::find(expanded.begin(), expanded.end(), at) != expanded.end()) return true;
            if (at >= words.size()) return false;
            const Starts starts =
                what_starts({words.begin() + static_cast<std::ptrdiff_t>(at), words.end()});
            if (starts.what != Starts::What::inner) return false;
            at += starts.at;
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

    void read_command(std::string_view raw, const std::vector<std::string>& all, bool feeds_shell,
                      int depth) {
        std::size_t first = 0;
        while (first < all.size() &&
               (is_listed(all[first], leading_words) || is_assignment(all[first])))
            ++first;
        if (first > 0) add(joined(all));
        if (first == all.size()) return;
        if (first > 0) add(std::string(without_leading(raw, Words(all).first(first))));
        const std::vector<std::string> words(all.begin() + static_cast<std::ptrdiff_t>(first),
                                             all.end());
        add_command(words);
        for (std::size_t i = 0; i < words.size(); ++i)
            if (words[i].size() > 1 && words[i].front() == '!') add_behind_mark(words, i);
        const bool prints = is_listed(base_name(words.front()), "echo printf");
        const bool leads = first > 0 && is_listed(all[first - 1], leading_words);
        if (what_starts(words).what != Starts::What::itself || (prints && feeds_shell) || leads)
            read_started(words, depth);
    }

    // "!rm x", as editors take it
    void add_behind_mark(std::vector<std::string> words, std::size_t at) {
        words[at].erase(0, 1);
        add_command(Words(words).subspan(at));
    }

    // Each word may begin the command that is started, or be its text.
    void read_started(const std::vector<std::string>& words, int depth) {
        for (std::size_t i = 1; i < words.size() && complete_; ++i) {
            add_command(Words(words).subspan(i));
            read_text(words[i], depth);
            std::size_t at = words[i].find('=');
            for (int n = 0; n < most_own_words && at != std::string::npos; ++n) {
                read_text(words[i].substr(at + 1), depth);
                at = words[i].find('=', at + 1);
            }
            if (words[i].starts_with('-') && words[i].size() > 2)
                read_text(words[i].substr(2), depth);
        }
    }

    void read_text(const std::string& word, int depth) {
        if (word.starts_with('!') || word.starts_with(':')) return read_text(word.substr(1), depth);
        if (word.find_first_of(" \t\n;&|<>()$`'\"\\") == std::string::npos) return add(word);
        read(word, depth + 1);
        // what the program's own language has before it: "shell rm", "1e rm", "exec=rm"
        std::size_t at = 0;
        for (int i = 0; i < most_own_words; ++i) {
            at = word.find_first_of(" \t=/!", at);
            if (at == std::string::npos) return;
            read(std::string_view(word).substr(++at), depth + 1);
        }
    }

    // The command, with its program's directory taken off, and git without its global options.
    void add_command(Words words) {
        add(joined(words));
        const std::string program(base_name(words.front()));
        if (program.empty()) return;
        const std::string rest = words.size() > 1 ? " " + joined(words.subspan(1)) : "";
        if (program != words.front()) add(program + rest);
        if (program != "git") return;
        const std::size_t at = git_subcommand({words.begin(), words.end()});
        if (at > 1 && at < words.size()) add("git " + joined(words.subspan(at)));
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

std::optional<std::vector<std::string>> parts_for_deny(std::string_view command, bool* hides) {
    PartCollector collector;
    collector.read(command, 0);
    if (hides != nullptr) *hides = collector.hides();
    auto parts = collector.take();
    // blanks and all, as the other lists see them
    if (parts)
        for (std::string& one : simple_commands(command).value_or(std::vector<std::string>()))
            parts->push_back(std::move(one));
    return parts;
}

}  // namespace chorus::policy
