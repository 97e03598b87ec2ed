#include "net/curl.hpp"

#include "sys/library.hpp"

namespace chorus::net {
namespace {

sys::Library open_library() {
#ifdef CHORUS_CURL_PATH
    return {CHORUS_CURL_PATH, "libcurl", "install the Debian package libcurl4"};
#else
    constexpr const char* name = "libchorus-curl.so";
    return {sys::installed_library(name), name, "install Chorus again"};
#endif
}

struct Loaded {
    Curl curl{};
    OpenSsl openssl{};
    bool has_openssl = true;
};

Loaded load() {
    const sys::Library library = open_library();
    Loaded loaded;
    Curl& c = loaded.curl;
#define CHORUS_FIND(name) c.name = library.find(c.name, "curl_" #name);
    CHORUS_CURL_FUNCTIONS(CHORUS_FIND)
#undef CHORUS_FIND
    const CURLcode result = c.global_init(CURL_GLOBAL_DEFAULT);
    if (result != CURLE_OK) library.throw_unusable(c.easy_strerror(result));
#define CHORUS_FIND(name)                                                    \
    loaded.openssl.name = library.find_if_there(loaded.openssl.name, #name); \
    if (loaded.openssl.name == nullptr) loaded.has_openssl = false;
    CHORUS_OPENSSL_FUNCTIONS(CHORUS_FIND)
#undef CHORUS_FIND
    return loaded;
}

const Loaded& loaded() {
    static const Loaded table = load();
    return table;
}

}  // namespace

const Curl& curl() {
    return loaded().curl;
}

const OpenSsl* openssl() {
    return loaded().has_openssl ? &loaded().openssl : nullptr;
}

}  // namespace chorus::net
