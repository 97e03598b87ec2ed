#include "agent/libarchive.hpp"

#include "sys/library.hpp"

namespace chorus::agent {
namespace {

Libarchive load() {
    const sys::Library library(CHORUS_ARCHIVE_PATH, "libarchive",
                               "install the Debian package libarchive13");
    Libarchive loaded{};
#define CHORUS_FIND(name) loaded.name = library.find(loaded.name, #name);
    CHORUS_ARCHIVE_FUNCTIONS(CHORUS_FIND)
#undef CHORUS_FIND
    return loaded;
}

}  // namespace

const Libarchive& libarchive() {
    static const Libarchive table = load();
    return table;
}

}  // namespace chorus::agent
