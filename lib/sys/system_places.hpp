// What commands may read of the system; for this room's own use.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace chorus::sys {

// Programs, libraries and their settings. On merged-usr systems all but three are links.
inline constexpr std::array system_directories{"/usr",   "/bin",    "/sbin", "/lib", "/lib32",
                                        "/lib64", "/libx32", "/etc",  "/opt"};

// Files there that are not for every user: commands that run as root could read them.
std::vector<std::string> system_secrets();

}  // namespace chorus::sys
