// libcurl, opened by name at the first request. Include it in this room's .cpp files only.
#pragma once

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "base/handle.hpp"

namespace chorus::net {

struct Curl {
    decltype(&curl_global_init) global_init;
    decltype(&curl_easy_init) easy_init;
    decltype(&curl_easy_reset) easy_reset;
    decltype(&curl_easy_cleanup) easy_cleanup;
    decltype(&curl_easy_setopt) easy_setopt;
    decltype(&curl_easy_getinfo) easy_getinfo;
    decltype(&curl_easy_strerror) easy_strerror;
    decltype(&curl_multi_init) multi_init;
    decltype(&curl_multi_cleanup) multi_cleanup;
    decltype(&curl_multi_add_handle) multi_add_handle;
    decltype(&curl_multi_remove_handle) multi_remove_handle;
    decltype(&curl_multi_perform) multi_perform;
    decltype(&curl_multi_poll) multi_poll;
    decltype(&curl_multi_info_read) multi_info_read;
    decltype(&curl_multi_strerror) multi_strerror;
    decltype(&curl_slist_append) slist_append;
    decltype(&curl_slist_free_all) slist_free_all;
    decltype(&curl_url) url;
    decltype(&curl_url_cleanup) url_cleanup;
    decltype(&curl_url_get) url_get;
    decltype(&curl_url_set) url_set;
    decltype(&curl_url_strerror) url_strerror;
    decltype(&curl_free) free;
    decltype(&curl_getdate) getdate;
};

// Opens and initialises it once for the process. Throws Error(failed) that names the Debian
// package.
const Curl& curl();

void close_easy(CURL* easy);
void close_multi(CURLM* multi);
void free_list(curl_slist* list);
void free_url(CURLU* url);
void free_text(char* text);

using EasyHandle = base::Handle<CURL, close_easy>;
using MultiHandle = base::Handle<CURLM, close_multi>;
using ListHandle = base::Handle<curl_slist, free_list>;
using UrlHandle = base::Handle<CURLU, free_url>;
using TextHandle = base::Handle<char, free_text>;

}  // namespace chorus::net
