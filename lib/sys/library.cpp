#include "sys/library.hpp"

#include <dlfcn.h>

#include "base/error.hpp"

namespace chorus::sys {

Library::Library(std::string path, std::string name, std::string package)
    : path_(std::move(path)),
      name_(std::move(name)),
      package_(std::move(package)),
      handle_(dlopen(path_.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
    if (handle_ == nullptr) throw_unusable(dlerror());
}

void Library::throw_unusable(const std::string& why) const {
    throw base::Error(base::ErrorCode::failed, name_ + " cannot be used: " + why,
                      "install the Debian package " + package_);
}

void* Library::address_of(const char* symbol) const {
    void* const address = dlsym(handle_, symbol);
    if (address == nullptr) throw_unusable(path_ + " lacks " + symbol);
    return address;
}

}  // namespace chorus::sys
