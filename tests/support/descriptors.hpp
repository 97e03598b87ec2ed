// What a process has open, by number, as /proc tells it.
#pragma once

#include <dirent.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <map>
#include <string>

namespace chorus::test {

using Descriptors = std::map<int, std::string>;

inline Descriptors open_descriptors() {
    Descriptors all;
    DIR* directory = opendir("/proc/self/fd");
    if (directory == nullptr) return all;
    while (const dirent* entry = readdir(directory)) {
        const int number = std::atoi(entry->d_name);
        if (entry->d_name[0] == '.' || number == dirfd(directory)) continue;
        std::array<char, 512> target{};
        const ssize_t size =
            readlinkat(dirfd(directory), entry->d_name, target.data(), target.size());
        all[number] = std::string(target.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    }
    closedir(directory);
    return all;
}

// "7 /etc/passwd, 9 pipe:[1]": what is open now and was not then, or is another file.
inline std::string opened_since(const Descriptors& before) {
    std::string all;
    for (const auto& [number, target] : open_descriptors()) {
        const auto found = before.find(number);
        if (found != before.end() && found->second == target) continue;
        if (!all.empty()) all += ", ";
        all += std::to_string(number) + " " + target;
    }
    return all;
}

}  // namespace chorus::test
