#include "task/log.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"

namespace chorus::task {

Log::Log(const std::string& path, const policy::Redaction& redaction, std::size_t most_bytes)
    : shown_(redaction, [this](std::string_view piece) { take(piece); }),
      file_(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
                 0600)),
      left_(most_bytes) {
    if (!file_) throw base::system_error(path);
}

void Log::take(std::string_view piece) {
    if (!problem_.empty() || piece.empty()) return;
    const std::size_t taken = std::min(piece.size(), left_);
    write(piece.substr(0, taken));
    left_ -= taken;
    if (taken == piece.size() || !problem_.empty()) return;
    problem_ =
        "output after " + std::to_string(base::limits::task_log_bytes >> 20) + " MiB was dropped";
    note(problem_);
}

void Log::note(std::string_view text) {
    std::string line = at_line_start_ ? "" : "\n";
    line.append("[chorus: ").append(text).append("]\n");
    if (sys::try_write_all(file_.get(), line)) at_line_start_ = true;
}

void Log::give_back() {
    constexpr off_t part = 256 << 10;
    struct stat status {};
    if (problem_.empty() || fstat(file_.get(), &status) != 0) return;
    (void)!ftruncate(file_.get(), std::max<off_t>(status.st_size - part, 0));
}

void Log::write(std::string_view bytes) {
    if (bytes.empty()) return;
    at_line_start_ = bytes.back() == '\n';
    if (sys::try_write_all(file_.get(), bytes)) return;
    problem_ = std::string("output was lost: ") + std::strerror(errno);
}

}  // namespace chorus::task
