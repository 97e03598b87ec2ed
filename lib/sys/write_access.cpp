#include "sys/write_access.hpp"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

namespace chorus::sys {

std::string why_not_written(const std::string& directory) {
    struct stat status {};
    if (stat(directory.c_str(), &status) != 0) return "which does not exist";
    const bool is_own = status.st_uid == geteuid();
    bool may_write = access(directory.c_str(), W_OK) == 0;
    if (geteuid() == 0)
        may_write = (status.st_mode & (is_own                             ? S_IWUSR
                                       : group_member(status.st_gid) != 0 ? S_IWGRP
                                                                          : S_IWOTH)) != 0;
    if (may_write) return {};
    return is_own ? "whose mode does not let its owner write" : "which belongs to another user";
}

}  // namespace chorus::sys
