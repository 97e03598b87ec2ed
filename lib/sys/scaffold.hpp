// A directory under construction, removed on destruction unless kept. What cannot be removed then
// is left to whoever reclaims leftovers.
#pragma once

#include <string>
#include <utility>

#include "sys/file.hpp"

namespace chorus::sys {

class Scaffold {
  public:
    explicit Scaffold(std::string path) : path_(std::move(path)) { make_directory(path_); }
    ~Scaffold() {
        if (!kept_) try_remove_tree(path_);
    }
    Scaffold(const Scaffold&) = delete;
    Scaffold& operator=(const Scaffold&) = delete;
    const std::string& path() const { return path_; }
    // Returns false where the path exists.
    bool move_to(const std::string& path) {
        if (!rename_if_free(path_, path)) return false;
        path_ = path;
        return true;
    }
    void keep() { kept_ = true; }

  private:
    std::string path_;
    bool kept_ = false;
};

}  // namespace chorus::sys
