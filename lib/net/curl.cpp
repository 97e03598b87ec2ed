#include "net/curl.hpp"

#include "sys/library.hpp"

namespace chorus::net {
namespace {

Curl open_library() {
    const sys::Library library(CHORUS_CURL_PATH, "libcurl", "libcurl4");
    Curl c{};
    const auto look_up = [&](const char* name, auto& function) {
        function = library.find(function, name);
    };
    look_up("curl_global_init", c.global_init);
    look_up("curl_easy_init", c.easy_init);
    look_up("curl_easy_reset", c.easy_reset);
    look_up("curl_easy_cleanup", c.easy_cleanup);
    look_up("curl_easy_setopt", c.easy_setopt);
    look_up("curl_easy_getinfo", c.easy_getinfo);
    look_up("curl_easy_strerror", c.easy_strerror);
    look_up("curl_multi_init", c.multi_init);
    look_up("curl_multi_cleanup", c.multi_cleanup);
    look_up("curl_multi_add_handle", c.multi_add_handle);
    look_up("curl_multi_remove_handle", c.multi_remove_handle);
    look_up("curl_multi_perform", c.multi_perform);
    look_up("curl_multi_poll", c.multi_poll);
    look_up("curl_multi_info_read", c.multi_info_read);
    look_up("curl_multi_strerror", c.multi_strerror);
    look_up("curl_slist_append", c.slist_append);
    look_up("curl_slist_free_all", c.slist_free_all);
    look_up("curl_url", c.url);
    look_up("curl_url_cleanup", c.url_cleanup);
    look_up("curl_url_get", c.url_get);
    look_up("curl_url_set", c.url_set);
    look_up("curl_url_strerror", c.url_strerror);
    look_up("curl_free", c.free);
    look_up("curl_getdate", c.getdate);
    const CURLcode result = c.global_init(CURL_GLOBAL_DEFAULT);
    if (result != CURLE_OK) library.throw_unusable(c.easy_strerror(result));
    return c;
}

}  // namespace

const Curl& curl() {
    static const Curl table = open_library();
    return table;
}

void close_easy(CURL* easy) {
    curl().easy_cleanup(easy);
}
void close_multi(CURLM* multi) {
    curl().multi_cleanup(multi);
}
void free_list(curl_slist* list) {
    curl().slist_free_all(list);
}
void free_url(CURLU* url) {
    curl().url_cleanup(url);
}
void free_text(char* text) {
    curl().free(text);
}

}  // namespace chorus::net
