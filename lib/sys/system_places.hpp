// What of the system commands may read; for this room's own use.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace chorus::sys {

// Programs, libraries and their settings. On merged-usr systems all but three are links.
inline constexpr std::array system_directories{"/usr",   "/bin",    "/sbin", "/lib", "/lib32",
                                        "/lib64", "/libx32", "/etc",  "/opt"};

// What lies there and is not for everybody: as root, commands would be able to read it.
std::vector<std::string> system_secrets();

}  // namespace chorus::sys
