// A shared library that is opened by its path when it is first needed: it loads many others, and
// most processes call none of them.
#pragma once

#include <string>
#include <vector>

namespace chorus::sys {

class Library {
  public:
    // Throws Error(failed) with that hint; "" as path is a library that is not installed.
    Library(std::string path, std::string name, std::string hint);

    // The first argument is the function's declaration, of which only the type counts. Throws
    // Error(failed) likewise.
    template <typename Function>
    Function find(Function, const char* symbol) const {
        return reinterpret_cast<Function>(address_of(symbol));
    }
    // Null where the library has no such function.
    template <typename Function>
    Function find_if_there(Function, const char* symbol) const {
        return reinterpret_cast<Function>(address_if_there(symbol));
    }
    [[noreturn]] void throw_unusable(const std::string& why) const;

  private:
    void* address_of(const char* symbol) const;
    void* address_if_there(const char* symbol) const;

    std::string path_;
    std::string name_;
    std::string hint_;
    void* handle_;  // never closed
};

// Returns the directories of this program's own programs and libraries, each with a slash at its
// end: first the one beside the executable, then libexec.
std::vector<std::string> installed_places();
// Returns the path of a library that is installed with this program; "" if it is not.
std::string installed_library(const std::string& name);

}  // namespace chorus::sys
