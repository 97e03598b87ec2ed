// What most unit tests need: a directory of their own, and the Error that something throws.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "base/error.hpp"

namespace chorus::test {

// In memory where that can be, because every file that is put in place is synced; on disk for tests
// of the file system itself.
enum class Where { memory, disk };

class Scratch {
  public:
    explicit Scratch(Where where = Where::memory) {
        std::error_code error;
        std::filesystem::path base = "/dev/shm";
        if (where == Where::disk || !std::filesystem::is_directory(base, error))
            base = std::filesystem::temp_directory_path();
        std::string pattern = (base / "chorus-test-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw base::system_error(pattern);
        path_ = std::filesystem::canonical(pattern).string();
    }
    ~Scratch() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::string& path() const { return path_; }
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  private:
    std::string path_;
};

inline void put(const std::string& path, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << content;
}

inline std::string text_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline bool is_there(const std::string& path) {
    return std::filesystem::exists(std::filesystem::symlink_status(path));
}

template <typename Act>
base::Error error_of(Act act) {
    try {
        act();
    } catch (const base::Error& error) {
        return error;
    }
    ADD_FAILURE() << "no error";
    return {base::ErrorCode::internal, "no error"};
}

// Whether an error's words hold a part.
inline bool says(const base::Error& error, const std::string& part) {
    return (error.message() + "\n" + error.hint()).find(part) != std::string::npos;
}

}  // namespace chorus::test
