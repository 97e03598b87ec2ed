// libcurl, opened by its path at the first request. Include it in this room's .cpp files only.
#pragma once

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

namespace chorus::net {

// The functions that are called, without their "curl_".
#define CHORUS_CURL_FUNCTIONS(FUNCTION) \
    FUNCTION(global_init)               \
    FUNCTION(easy_init)                 \
    FUNCTION(easy_reset)                \
    FUNCTION(easy_cleanup)              \
    FUNCTION(easy_setopt)               \
    FUNCTION(easy_getinfo)              \
    FUNCTION(easy_nextheader)           \
    FUNCTION(easy_strerror)             \
    FUNCTION(multi_init)                \
    FUNCTION(multi_cleanup)             \
    FUNCTION(multi_add_handle)          \
    FUNCTION(multi_remove_handle)       \
    FUNCTION(multi_perform)             \
    FUNCTION(multi_poll)                \
    FUNCTION(multi_info_read)           \
    FUNCTION(multi_strerror)            \
    FUNCTION(slist_append)              \
    FUNCTION(slist_free_all)            \
    FUNCTION(url)                       \
    FUNCTION(url_cleanup)               \
    FUNCTION(url_get)                   \
    FUNCTION(url_set)                   \
    FUNCTION(url_strerror)              \
    FUNCTION(free)                      \
    FUNCTION(getdate)

struct Curl {
#define CHORUS_MEMBER(name) decltype(&curl_##name) name;
    CHORUS_CURL_FUNCTIONS(CHORUS_MEMBER)
#undef CHORUS_MEMBER
};

// Opens and initialises libcurl once per process. Throws Error(failed) that names the Debian
// package.
const Curl& curl();

#define CHORUS_OPENSSL_FUNCTIONS(FUNCTION) \
    FUNCTION(BIO_new_mem_buf)              \
    FUNCTION(BIO_free)                     \
    FUNCTION(PEM_read_bio_X509_AUX)        \
    FUNCTION(X509_subject_name_hash)       \
    FUNCTION(X509_free)

struct OpenSsl {
#define CHORUS_MEMBER(name) decltype(&::name) name;
    CHORUS_OPENSSL_FUNCTIONS(CHORUS_MEMBER)
#undef CHORUS_MEMBER
};

// Returns the OpenSSL that libcurl uses; null where it uses another library.
const OpenSsl* openssl();

// Releases with one of libcurl's functions.
template <auto function>
struct CurlReleaser {
    template <typename T>
    void operator()(T* handle) const {
        (curl().*function)(handle);
    }
};
using EasyHandle = std::unique_ptr<CURL, CurlReleaser<&Curl::easy_cleanup>>;
using MultiHandle = std::unique_ptr<CURLM, CurlReleaser<&Curl::multi_cleanup>>;
using ListHandle = std::unique_ptr<curl_slist, CurlReleaser<&Curl::slist_free_all>>;
using UrlHandle = std::unique_ptr<CURLU, CurlReleaser<&Curl::url_cleanup>>;
using TextHandle = std::unique_ptr<char, CurlReleaser<&Curl::free>>;

}  // namespace chorus::net
