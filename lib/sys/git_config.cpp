#include "sys/git_config.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/limits.hpp"
#include "base/text.hpp"
#include "sys/fd.hpp"

namespace chorus::sys {
namespace {

std::string plain_value(std::string_view value) {
    std::string plain;
    bool quoted = false;
    for (std::size_t i = 0; i < value.size(); ++i) {
        if (value[i] == '"') {
            quoted = !quoted;
            continue;
        }
        if (!quoted && (value[i] == '#' || value[i] == ';')) break;
        if (value[i] == '\\' && i + 1 < value.size()) ++i;
        plain += value[i];
    }
    return std::string(base::trim(plain));
}

}  // namespace

std::string read_git_file(const std::string& path) {
    const Fd file(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    struct stat status {};
    std::string text;
    const bool is_read = file && fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                         try_read_all(file.get(), base::limits::config_bytes, text);
    return is_read ? text : "";
}

std::vector<std::string> git_values(std::string_view configuration, std::string_view section,
                                    std::string_view key) {
    std::vector<std::string> values;
    bool is_inside = false;
    for (std::string_view line : base::split_lines(configuration)) {
        line = base::trim(line);
        if (line.starts_with('[')) {
            const std::size_t end = line.find(']');
            const std::string name(base::trim(line.substr(1, end - 1)));
            is_inside = base::to_lower_ascii(name) == section;
            line = end == line.npos ? "" : base::trim(line.substr(end + 1));
        }
        const std::size_t equals = line.find('=');
        if (!is_inside || base::to_lower_ascii(base::trim(line.substr(0, equals))) != key) continue;
        values.push_back(equals == line.npos ? "true" : plain_value(line.substr(equals + 1)));
    }
    return values;
}

}  // namespace chorus::sys
