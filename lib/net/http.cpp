#include "net/http.hpp"

#include <new>
#include <utility>

#include "net/address.hpp"
#include "net/certificates.hpp"
#include "net/curl.hpp"
#include "net/curl_transfer.hpp"
#include "net/options.hpp"
#include "net/target.hpp"
#include "sys/file.hpp"

namespace chorus::net {

// The multi handle keeps the connections, so the next request reuses them.
struct Client::State {
    Transport transport;
    MultiHandle multi;
    EasyHandle easy;
    std::optional<Trust> trust;  // determined when TLS is first used

    void open() {
        if (!multi) multi.reset(curl().multi_init());
        if (!easy) easy.reset(curl().easy_init());
        if (!multi || !easy) throw std::bad_alloc();
        curl().easy_reset(easy.get());
    }
};

std::string header_of(const Headers& headers, const std::string& name) {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
}

Client::Client(Transport transport) : state_(std::make_unique<State>()) {
    state_->transport = std::move(transport);
}

Client::~Client() = default;

Response Client::send(const HttpRequest& request,
                      const std::function<Received(std::string_view)>& on_body,
                      const std::function<bool()>& stop, int wake_fd) {
    const Transport& transport = state_->transport;
    const Target target = parse_target(request.url, request.plain_http || transport.plain_http);
    if (!target.refusal.empty())
        return {.fault = TransportFault::other, .fault_message = target.refusal};
    if (request.public_only && target.is_private)
        return {.fault = TransportFault::connect, .fault_message = private_address + target.place};
    state_->open();
    const bool is_tls = target.https || !proxy_for(transport, target).empty();
    // an old copy of certificates may have been removed
    if (is_tls && !(state_->trust && sys::exists(state_->trust->file + state_->trust->directory)))
        state_->trust = trust_of(transport);
    return Transfer(state_->multi.get(), state_->easy.get(), transport,
                    state_->trust.value_or(Trust{}), request, target, on_body, {stop, wake_fd})
        .run();
}

}  // namespace chorus::net
