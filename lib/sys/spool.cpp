#include "sys/spool.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.hpp"

namespace chorus::sys {
namespace {

std::string temporary_directory() {
    std::error_code problem;
    const auto named = std::filesystem::temp_directory_path(problem);
    return problem ? "/tmp" : named.string();
}

}  // namespace

Spool::Spool()
    : path_(temporary_directory() + "/chorus-spool-XXXXXX"),
      fd_(mkostemp(path_.data(), O_CLOEXEC)) {
    if (!fd_) throw base::system_error(path_);
}

Spool::~Spool() {
    unlink(path_.c_str());
}

}  // namespace chorus::sys
