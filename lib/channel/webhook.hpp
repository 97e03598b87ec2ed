// Posts texts to a webhook, each as {"content": "…"}, in pieces of a size that such services
// accept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/model.hpp"
#include "net/http.hpp"

namespace chorus::channel {

struct Webhook {
    std::string url;
    bool public_only = true;
    net::Transport transport;
    std::int64_t deadline_ms = 0;  // monotonic
};

// Returns "" when everything is posted, else why not, without the URL. Waits as long as a server
// asks, and tries a failing one three times, within the deadline; posts nothing out of order. The
// body of a successful answer is ignored.
std::string post_to_webhook(const Webhook& webhook, std::string_view text,
                            const model::Interruption& interruption);

}  // namespace chorus::channel
