#include "place/served.hpp"

#include "base/error.hpp"
#include "base/time.hpp"
#include "place/in_force.hpp"
#include "place/secrets.hpp"
#include "sys/clock.hpp"

namespace chorus::place {
namespace {

constexpr std::int64_t local_ms = 2'000;
constexpr std::int64_t remote_ms = 30'000;

std::vector<std::string> in_full(const std::string& provider,
                                 const std::vector<std::string>& models) {
    std::vector<std::string> full;
    full.reserve(models.size());
    for (const std::string& model : models) full.push_back(provider + "/" + model);
    return full;
}

model::Listing ask_with_own_key(model::Endpoint endpoint, const KnownKeys& keys,
                                const sys::Environment& environment,
                                const sys::Interrupt& interrupt) {
    std::string key;
    try {
        key = keys.read(endpoint.provider);
    } catch (const base::Error& error) {
        model::Listing none;
        none.failure =
            model::Failure{.category = model::Category::other, .message = error.message()};
        return none;
    }
    endpoint.key = [&key] { return key; };
    return ask_provider(std::move(endpoint), environment, interrupt);
}

}  // namespace

model::Listing ask_provider(model::Endpoint endpoint, const sys::Environment& environment,
                            const sys::Interrupt& interrupt) {
    const std::int64_t most_ms = endpoint.provider.needs_key ? remote_ms : local_ms;
    endpoint.timeouts.connect_ms = std::min(endpoint.timeouts.connect_ms, most_ms);
    endpoint.timeouts.first_byte_ms = std::min(endpoint.timeouts.first_byte_ms, most_ms);
    endpoint.timeouts.stall_ms = std::min(endpoint.timeouts.stall_ms, most_ms);
    net::Client client(transport_for(environment, endpoint.trusted_http));
    const std::int64_t deadline_ms = sys::monotonic_ms() + most_ms;
    const auto is_late = [&] { return sys::monotonic_ms() >= deadline_ms; };
    model::Listing listing = model::list_models(
        endpoint, client, {[&] { return interrupt.requested() || is_late(); }, interrupt.fd()},
        sys::now_ms());
    if (interrupt.requested()) throw base::Error(base::ErrorCode::canceled, "stopped by a signal");
    if (listing.failure && is_late())
        listing.failure =
            model::Failure{.category = model::Category::no_internet,
                           .message = endpoint.provider.name + ": no list of models within " +
                                      base::seconds_text(most_ms)};
    if (listing.failure) {
        policy::Redaction redaction;
        add_sent_secrets(redaction, endpoint);
        listing.failure->message = redaction.without_active(listing.failure->message);
    }
    return listing;
}

std::vector<Served> served(const model::Catalog& catalog, const model::AvailableModels& available,
                           const agent::HomeConfiguration& home, const KnownKeys& keys,
                           const sys::Environment& environment, const std::string& provider,
                           Ask ask, const sys::Interrupt& interrupt) {
    std::vector<Served> all;
    const auto names =
        provider.empty() ? catalog.provider_names() : std::vector<std::string>{provider};
    for (const std::string& name : names) {
        Served one;
        one.provider = catalog.require_provider(name);
        const bool is_remote = one.provider.needs_key;
        const bool has_key = !keys.place(one.provider).empty();
        const auto listed = available.providers.find(name);
        one.models = catalog.model_names(name);
        if (listed != available.providers.end() && listed->second.valid &&
            !listed->second.models.empty())
            one.models = in_full(name, listed->second.models);
        one.is_usable = one.provider.protocol == model::Protocol::script || (is_remote && has_key);
        if (one.provider.protocol != model::Protocol::script &&
            (is_remote ? ask == Ask::all && has_key : true)) {
            one.asked = ask_with_own_key(endpoint_for(name + "/", home, catalog, environment), keys,
                                         environment, interrupt);
            one.is_usable = !one.asked->failure;
            if (one.is_usable) one.models = in_full(name, one.asked->models);
        }
        all.push_back(std::move(one));
    }
    return all;
}

}  // namespace chorus::place
