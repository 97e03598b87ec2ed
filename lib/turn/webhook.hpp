// Texts posted to a webhook, each as {"content": "…"}, in pieces that such services take.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/model.hpp"
#include "net/http.hpp"

namespace chorus::turn {

struct Webhook {
    std::string url;
    bool public_only = true;
    net::Transport transport;
    std::int64_t deadline_ms = 0;  // monotonic
};

// "" once all of it is there, else why not, without the URL. A server that asks for a pause gets
// it, and one that fails is tried three times, as long as there is time; nothing is posted out of
// order. What an answer's body says is not looked at.
std::string post_to_webhook(const Webhook& webhook, std::string_view text,
                            const model::Interruption& interruption);

}  // namespace chorus::turn
