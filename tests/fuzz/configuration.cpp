// agent.json and config.json: what cannot be read is refused with the file's name, and what can be
// read survives being rewritten.
#include "agent/configuration.hpp"

#include <stdlib.h>
#include <unistd.h>

#include <fstream>

#include "agent/trust_keys.hpp"
#include "fuzz/property.hpp"

namespace chorus::agent {
namespace {

using fuzz::require;
using fuzz::require_equal;

void check_error(const base::Error& error, std::string_view file) {
    require(error.code() == base::ErrorCode::config_invalid, "exit 3", error.message());
    require(std::string_view(error.message()).starts_with(file), "the file is named",
            error.message());
    require(fuzz::is_utf8(error.message()), "the message is UTF-8", error.message());
}

std::string shown(const std::optional<std::int64_t>& value) {
    require(!value || *value >= 0, "what is counted is not negative");
    return value ? std::to_string(*value) : "-";
}

std::string shown(const Shared& shared) {
    std::string all;
    for (const auto& one : {shared.rolling_window_ms, shared.idle_timeout_ms, shared.max_iterations,
                            shared.max_messages, shared.context_tokens, shared.parallel_tools,
                            shared.budget.tokens_per_turn})
        all += shown(one) + " ";
    for (const auto& one : {shared.budget.usd_per_turn, shared.budget.usd_per_day}) {
        require(!one || *one >= 0, "no budget is negative");
        all += one ? std::to_string(*one) + " " : "- ";
    }
    if (shared.auto_compact) all += *shared.auto_compact ? "compact " : "whole ";
    if (shared.sandbox) all += std::to_string(static_cast<int>(*shared.sandbox));
    return all + base::join(shared.environment, ",");
}

std::string shown(const Permissions& permissions) {
    return permissions.name + "\n" + permissions.json;
}

// Without the model, which is set.
std::string shown(const Configuration& read) {
    return base::join({read.system_prompt, read.description, read.channel_id,
                       shown(read.permissions), shown(read.shared)},
                      "\n");
}

void check_profile(const Permissions& permissions) {
    const auto error =
        fuzz::error_of([&] { resolve_profile(permissions, HomeConfiguration{}, "agent.json"); });
    if (error) check_error(*error, "agent.json: permissions");
    if (permissions.json.empty()) return;
    const Permissions again = parse_permissions(permissions.json, "again");
    require_equal("permissions as they were read say the same", shown(permissions), shown(again));
    require(permissions.custom.has_value() == again.custom.has_value(), "custom again");
}

void check_trust(std::string_view text) {
    const std::string part = trust_part(text);
    require_equal("what is trusted stays", with_trust_part(text, part), text);
    require(trust_changes(part, text).empty(), "what is trusted has not changed", part);
    const std::string without = with_trust_part(text, "{}");
    require_equal("nothing else is left", trust_part(without), "{}");
    require_equal("and it can be put back", trust_part(with_trust_part(without, part)), part);
    std::string grown = "{}";
    for (const TrustChange& change : trust_changes("{}", text))
        grown = with_trusted_key(grown, change.key, text);
    require_equal("key by key it is the same", grown, part);
}

void check_agent(std::string_view text) {
    Configuration read;
    const auto error = fuzz::error_of([&] { read = parse_configuration(text, "agent.json"); });
    if (error) return check_error(*error, "agent.json: ");
    require_equal("the text is kept", read.text, text);
    check_profile(read.permissions);
    check_trust(text);
    const std::string changed = with_members(text, {{"model", R"("other/one")"}});
    const Configuration again = parse_configuration(changed, "rewritten");
    require_equal("the member is set", again.model, "other/one");
    require_equal("the others stay", shown(read), shown(again));
    require_equal("rewriting is done once", with_members(changed, {}), changed);
}

class TemporaryHome {
  public:
    TemporaryHome() {
        std::string pattern = "/dev/shm/chorus-fuzz-XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr) throw base::system_error(pattern);
        home_.emplace(pattern);
    }
    ~TemporaryHome() {
        unlink(home_->config().c_str());
        rmdir(home_->path().c_str());
    }
    const Home& home() const { return *home_; }

  private:
    std::optional<Home> home_;
};

void check_home(std::string_view text) {
    static const TemporaryHome place;
    std::ofstream(place.home().config(), std::ios::binary) << text;
    HomeConfiguration read;
    const auto error = fuzz::error_of([&] { read = load_home_configuration(place.home()); });
    if (error) return check_error(*error, place.home().config() + ": ");
    shown(read.shared);
    require(read.max_bash_timeout_ms >= 0 && read.max_retries >= 0 && read.prompt_ttl_ms >= 0,
            "what is counted is not negative");
    for (const auto& lists : {read.roles, read.permission_grants})
        for (const auto& [name, names] : lists)
            for (const std::string& one : names) require(!one.empty(), "a name is no empty text");
    require(
        read.audit_sink.empty() || read.audit_sink == "syslog" || read.audit_sink.starts_with('/'),
        "a sink is absolute", read.audit_sink);
    const auto problem = fuzz::error_of([&] { check_profiles(read, "config.json"); });
    if (problem) check_error(*problem, "config.json: ");
    for (const auto& [name, profile] : read.profiles) {
        const Permissions named{.name = name, .custom = {}};
        const auto fault = fuzz::error_of([&] { resolve_profile(named, read, "agent.json"); });
        if (fault) check_error(*fault, "config.json: permissions.");
    }
}

}  // namespace
}  // namespace chorus::agent

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    const std::string_view text = chorus::fuzz::text_of(bytes, size);
    chorus::agent::check_agent(text);
    chorus::agent::check_home(text);
    return 0;
}
