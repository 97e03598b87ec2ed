#include "sys/system_places.hpp"

#include <fnmatch.h>

#include "sys/file.hpp"

namespace chorus::sys {

std::vector<std::string> system_secrets() {
    std::vector<std::string> all{
        "/etc/shadow",           "/etc/shadow-",     "/etc/gshadow",         "/etc/gshadow-",
        "/etc/security/opasswd", "/etc/ssl/private", "/etc/pki/tls/private", "/etc/letsencrypt"};
    if (is_directory("/etc/ssh"))
        for (const std::string& name : list_directory("/etc/ssh"))
            if (fnmatch("ssh_host_*_key", name.c_str(), 0) == 0) all.push_back("/etc/ssh/" + name);
    return all;
}

}  // namespace chorus::sys
