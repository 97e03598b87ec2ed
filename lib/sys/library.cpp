#include "sys/library.hpp"

#include <dlfcn.h>

#include "base/error.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"

namespace chorus::sys {

Library::Library(std::string path, std::string name, std::string hint)
    : path_(std::move(path)),
      name_(std::move(name)),
      hint_(std::move(hint)),
      handle_(path_.empty() ? nullptr : dlopen(path_.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    if (path_.empty()) throw_unusable("it is not installed with this program");
    if (handle_ == nullptr) throw_unusable(dlerror());
}

void Library::throw_unusable(const std::string& why) const {
    throw base::Error(base::ErrorCode::failed, name_ + " cannot be used: " + why, hint_);
}

void* Library::address_of(const char* symbol) const {
    void* const address = address_if_there(symbol);
    if (address == nullptr) throw_unusable(path_ + " lacks " + symbol);
    return address;
}

void* Library::address_if_there(const char* symbol) const {
    return dlsym(handle_, symbol);
}

std::vector<std::string> installed_places() {
    const std::string own = executable_path();
    const std::string directory = own.substr(0, own.rfind('/') + 1);
    return {directory, directory + CHORUS_LIBEXEC_FROM_BIN "/"};
}

std::string installed_library(const std::string& name) {
    for (const std::string& place : installed_places())
        if (is_regular_file(place + name)) return place + name;
    return {};
}

}  // namespace chorus::sys
