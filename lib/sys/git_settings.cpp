#include "sys/git_settings.hpp"

#include <fcntl.h>

#include "base/text.hpp"
#include "sys/fd.hpp"
#include "sys/process.hpp"

namespace chorus::sys {
namespace {

constexpr std::size_t most_bytes = 1U << 20;

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (c == '\n')
            result += "\\n";
        else
            result += c;
    }
    return result + "\"";
}

// Of `key = value`; a comment ends it outside of quotes.
std::string value_of(std::string_view text) {
    std::string value;
    bool in_quotes = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '"') {
            in_quotes = !in_quotes;
            continue;
        }
        if (!in_quotes && (text[i] == '#' || text[i] == ';')) break;
        if (text[i] == '\\' && i + 1 < text.size()) ++i;
        value += text[i];
    }
    return std::string(base::trim(value));
}

void add_safe_directories(const std::string& configuration, const std::string& home,
                          std::vector<std::string>& all) {
    bool in_safe = false;
    for (std::string_view line : base::split_lines(configuration)) {
        line = base::trim(line);
        if (line.starts_with('[')) {
            const std::size_t end = line.find(']');
            if (end == std::string_view::npos) continue;
            in_safe = base::to_lower_ascii(base::trim(line.substr(1, end - 1))) == "safe";
            line = base::trim(line.substr(end + 1));
        }
        const std::size_t equals = line.find('=');
        if (!in_safe || equals == std::string_view::npos ||
            base::to_lower_ascii(base::trim(line.substr(0, equals))) != "directory")
            continue;
        std::string value = value_of(base::trim(line.substr(equals + 1)));
        if (value.starts_with("~/")) value.replace(0, 1, home);
        if (value.empty()) all.clear();  // as git takes it
        if (!value.empty()) all.push_back(std::move(value));
    }
}

// "" of what git cannot use either.
std::string text_of(const std::string& path) {
    const Fd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    std::string text;
    return file && try_read_all(file.get(), most_bytes, text) ? text : "";
}

}  // namespace

std::vector<std::string> safe_directories(const Environment& environment) {
    const std::string home = environment.get("HOME");
    std::vector<std::string> files{environment.get("GIT_CONFIG_SYSTEM", "/etc/gitconfig")};
    if (environment.has("GIT_CONFIG_GLOBAL")) {
        files.push_back(environment.get("GIT_CONFIG_GLOBAL"));
    } else if (!home.empty()) {
        files.push_back(environment.get("XDG_CONFIG_HOME", home + "/.config") + "/git/config");
        files.push_back(home + "/.gitconfig");
    }
    std::vector<std::string> all;
    for (const std::string& file : files) add_safe_directories(text_of(file), home, all);
    return all;
}

std::string git_settings(const std::string& name, const std::string& email,
                         const Environment& environment) {
    std::string text = "[user]\n\tname = " + quoted(name) + "\n\temail = " + quoted(email) +
                       "\n[safe]\n\tbareRepository = explicit\n";
    for (const std::string& directory : safe_directories(environment))
        text += "\tdirectory = " + quoted(directory) + "\n";
    std::string program;
    if (find_program("git-lfs", program) == 0)
        text +=
            "[filter \"lfs\"]\n\tclean = git-lfs clean -- %f\n\tsmudge = git-lfs smudge -- %f\n"
            "\tprocess = git-lfs filter-process\n\trequired = true\n";
    return text;
}

}  // namespace chorus::sys
