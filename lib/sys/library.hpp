// A shared library that is opened by its path when it is first needed: it brings many others with
// it, and most processes call none of them.
#pragma once

#include <string>

namespace chorus::sys {

class Library {
  public:
    // Throws Error(failed) that names the Debian package.
    Library(std::string path, std::string name, std::string package);

    // `function` is the declaration: its type alone counts. Throws Error(failed) likewise.
    template <typename Function>
    Function find(Function, const char* symbol) const {
        return reinterpret_cast<Function>(address_of(symbol));
    }
    [[noreturn]] void throw_unusable(const std::string& why) const;

  private:
    void* address_of(const char* symbol) const;

    std::string path_;
    std::string name_;
    std::string package_;
    void* handle_;  // never closed
};

}  // namespace chorus::sys
