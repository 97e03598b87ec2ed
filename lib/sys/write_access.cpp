#include "sys/write_access.hpp"

#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

namespace chorus::sys {

bool may_write_unprivileged(const std::string& directory) {
    if (geteuid() != 0) return access(directory.c_str(), W_OK) == 0;
    struct stat status {};
    if (stat(directory.c_str(), &status) != 0) return false;
    if (status.st_uid == 0) return (status.st_mode & S_IWUSR) != 0;
    if (group_member(status.st_gid) != 0) return (status.st_mode & S_IWGRP) != 0;
    return (status.st_mode & S_IWOTH) != 0;
}

}  // namespace chorus::sys
