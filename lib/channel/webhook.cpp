#include "channel/webhook.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "agent/channel.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "chat/json_text.hpp"
#include "context/pieces.hpp"
#include "model/retry.hpp"
#include "sys/clock.hpp"

namespace chorus::channel {
namespace {

constexpr std::int64_t pause_ms = 1'000;
constexpr std::int64_t shortest_pause_ms = 100;
constexpr int attempts = 3;
constexpr std::size_t shown_reply_bytes = 200;
constexpr int too_many_requests = 429;

net::HttpRequest request_of(const Webhook& webhook, const std::string& content) {
    net::HttpRequest request;
    request.url = webhook.url;
    request.public_only = webhook.public_only;
    request.headers = {"Content-Type: application/json"};
    request.body =
        chat::JsonText().begin_object().key("content").string(content).end_object().take();
    return request;
}

std::string late(const Webhook& webhook) {
    return agent::webhook_host(webhook.url) + ": timed out";
}

std::string problem_of(const net::Response& response, const Webhook& webhook) {
    if (response.fault == net::TransportFault::stopped) return late(webhook);
    if (response.status == 0 || response.fault != net::TransportFault::none)
        return response.fault_message;
    std::string problem =
        agent::webhook_host(webhook.url) + ": HTTP " + std::to_string(response.status);
    const std::string said = base::replace_invalid_utf8(base::trim(response.body));
    if (!said.empty())
        problem += ": " + base::visible(base::utf8_prefix(said, shown_reply_bytes),
                                        base::Newlines::escape);
    return problem;
}

// Returns nothing if another attempt would fail in the same way.
std::optional<std::int64_t> pause_before(const net::Response& response, int attempt) {
    const std::int64_t asked =
        std::max(response.retry_after_ms.value_or(pause_ms * attempt), shortest_pause_ms);
    if (response.status == too_many_requests) return asked;
    if (response.status < 500 || attempt == attempts) return std::nullopt;
    return asked;
}

std::string post(net::Client& client, const Webhook& webhook, const std::string& content,
                 const model::Interruption& interruption) {
    const net::HttpRequest request = request_of(webhook, content);
    for (int attempt = 1;; ++attempt) {
        const net::Response response = client.send(
            request, [](std::string_view) { return net::Received::answer; }, interruption.stop,
            interruption.wake_fd);
        if (response.status / 100 == 2) return {};
        const std::string problem = problem_of(response, webhook);
        const auto pause = pause_before(response, attempt);
        if (!pause) return problem;
        if (sys::monotonic_ms() + *pause >= webhook.deadline_ms)
            return problem + "; the next attempt would be in " + base::seconds_text(*pause);
        if (!model::wait_for(*pause, interruption)) return late(webhook);
    }
}

}  // namespace

std::string post_to_webhook(const Webhook& webhook, std::string_view text,
                            const model::Interruption& interruption) {
    net::Client client(webhook.transport);
    const model::Interruption ends{[&] {
                                       return sys::monotonic_ms() >= webhook.deadline_ms ||
                                              (interruption.stop && interruption.stop());
                                   },
                                   interruption.wake_fd};
    std::vector<context::Piece> pieces =
        context::split_text(text, base::limits::webhook_characters);
    // services refuse blank text
    std::erase_if(pieces,
                  [](const context::Piece& piece) { return base::trim(piece.text).empty(); });
    for (std::size_t done = 0; done < pieces.size(); ++done) {
        std::string problem = post(client, webhook, pieces[done].body(), ends);
        if (problem.empty()) continue;
        if (pieces.size() > 1)
            problem += "; " + std::to_string(done) + " of " + std::to_string(pieces.size()) +
                       " parts were posted";
        return problem;
    }
    return {};
}

}  // namespace chorus::channel
