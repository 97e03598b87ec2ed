// Owns a C library's handle: using Statement = Handle<sqlite3_stmt, sqlite3_finalize>.
#pragma once

#include <memory>

namespace chorus::base {

template <auto release>
struct Releaser {
    template <typename T>
    void operator()(T* handle) const {
        release(handle);
    }
};

template <typename T, auto release>
using Handle = std::unique_ptr<T, Releaser<release>>;

}  // namespace chorus::base
