#include "model/failure.hpp"

#include <algorithm>
#include <array>

#include "base/text.hpp"

namespace chorus::model {
namespace {

constexpr std::size_t longest_message_bytes = 500;
// A longer wait means that one side's clock is wrong.
constexpr std::int64_t longest_retry_after_ms = std::int64_t{31} * 24 * 3600 * 1000;

struct Word {
    std::string_view text;
    Category category;
};

// Codes, types and statuses as the providers write them, in lower case.
constexpr std::array known_words{
    Word{"account_deactivated", Category::unauthorized},
    Word{"api_key_invalid", Category::unauthorized},
    Word{"authentication_error", Category::unauthorized},
    Word{"incorrect_api_key", Category::unauthorized},
    Word{"invalid_api_key", Category::unauthorized},
    Word{"invalid_authentication", Category::unauthorized},
    Word{"permission_denied", Category::unauthorized},
    Word{"permission_error", Category::unauthorized},
    Word{"unauthenticated", Category::unauthorized},
    Word{"unauthorized", Category::unauthorized},

    Word{"billing", Category::out_of_credits},
    Word{"billing_error", Category::out_of_credits},
    Word{"billing_hard_limit_reached", Category::out_of_credits},
    Word{"billing_not_active", Category::out_of_credits},
    Word{"contract_spend_limit_reached", Category::out_of_credits},
    Word{"credit_balance_exhausted", Category::out_of_credits},
    Word{"enforced_spend_limit_reached", Category::out_of_credits},
    Word{"insufficient_balance", Category::out_of_credits},
    Word{"insufficient_credits", Category::out_of_credits},
    Word{"insufficient_quota", Category::out_of_credits},
    Word{"organization_spend_limit_exceeded", Category::out_of_credits},
    Word{"organization_usage_limit_exceeded", Category::out_of_credits},
    Word{"payment_required", Category::out_of_credits},
    Word{"project_spend_limit_exceeded", Category::out_of_credits},

    Word{"ramp_limit_exceeded", Category::rate_limited},
    Word{"rate_limit_error", Category::rate_limited},
    Word{"rate_limit_exceeded", Category::rate_limited},
    Word{"rate_limited", Category::rate_limited},
    Word{"resource_exhausted", Category::rate_limited},
    Word{"slow_down", Category::rate_limited},
    Word{"too_many_requests", Category::rate_limited},

    Word{"api_error", Category::server_error},
    Word{"deadline_exceeded", Category::server_error},
    Word{"engine_overloaded", Category::server_error},
    Word{"internal", Category::server_error},
    Word{"internal_error", Category::server_error},
    Word{"internal_server_error", Category::server_error},
    Word{"overloaded", Category::server_error},
    Word{"overloaded_error", Category::server_error},
    Word{"server_error", Category::server_error},
    Word{"server_is_overloaded", Category::server_error},
    Word{"service_unavailable", Category::server_error},
    Word{"timeout_error", Category::server_error},
    Word{"unavailable", Category::server_error},
};

// Phrases in the messages of servers without codes, in search order.
constexpr std::array known_phrases{
    Word{"invalid api key", Category::unauthorized},
    Word{"incorrect api key", Category::unauthorized},
    Word{"invalid x-api-key", Category::unauthorized},
    Word{"api key not valid", Category::unauthorized},
    Word{"authentication_error", Category::unauthorized},
    Word{"permission_error", Category::unauthorized},
    Word{"credit balance is too low", Category::out_of_credits},
    Word{"insufficient credits", Category::out_of_credits},
    Word{"insufficient_credits", Category::out_of_credits},
    Word{"insufficient balance", Category::out_of_credits},
    Word{"exceeded your current quota", Category::out_of_credits},
    Word{"payment required", Category::out_of_credits},
    Word{"payment_required", Category::out_of_credits},
    Word{"spend limit", Category::out_of_credits},
    Word{"api usage limits", Category::out_of_credits},
    Word{"too many requests", Category::rate_limited},
    Word{"rate limit", Category::rate_limited},
    Word{"rate_limit", Category::rate_limited},
    Word{"overloaded", Category::server_error},
    Word{"connection refused", Category::no_internet},
    Word{"econnrefused", Category::no_internet},
};

constexpr std::array<std::string_view, 3> overflow_words{
    "context_length_exceeded", "exceed_context_size_error", "model_context_window_exceeded"};
constexpr std::array<std::string_view, 8> overflow_phrases{"prompt is too long",
                                                           "maximum context length",
                                                           "context_length_exceeded",
                                                           "exceed_context_size",
                                                           "exceeds the context window",
                                                           "available context size",
                                                           "exceeds the maximum number of tokens",
                                                           "model_context_window_exceeded"};

constexpr std::array<std::string_view, 4> declining_words{
    "content_filter", "content_policy_violation", "invalid_prompt", "responsibleaipolicyviolation"};

std::optional<Category> of_word(std::string_view word) {
    const std::string lower = base::to_lower_ascii(word);
    for (const Word& known : known_words)
        if (known.text == lower) return known.category;
    return std::nullopt;
}

std::optional<Category> of_status(int status) {
    if (status == 401 || status == 403) return Category::unauthorized;
    if (status == 402) return Category::out_of_credits;
    if (status == 429) return Category::rate_limited;
    if (status == 407) return Category::no_internet;
    if (status == 408 || status == 425 || status >= 500) return Category::server_error;
    return std::nullopt;
}

std::optional<Category> of_phrase(const std::string& lower_message) {
    for (const Word& known : known_phrases)
        if (lower_message.find(known.text) != std::string::npos) return known.category;
    return std::nullopt;
}

bool is_declining(const Complaint& complaint) {
    const std::string code = base::to_lower_ascii(complaint.code);
    const std::string type = base::to_lower_ascii(complaint.type);
    return std::any_of(declining_words.begin(), declining_words.end(),
                       [&](std::string_view word) { return code == word || type == word; });
}

bool is_overflow(const Complaint& complaint, const std::string& lower_message) {
    const std::string code = base::to_lower_ascii(complaint.code);
    const std::string type = base::to_lower_ascii(complaint.type);
    for (const std::string_view word : overflow_words)
        if (code == word || type == word) return true;
    return std::any_of(
        overflow_phrases.begin(), overflow_phrases.end(),
        [&](std::string_view phrase) { return lower_message.find(phrase) != std::string::npos; });
}

Category category_of(const Complaint& complaint, const std::string& lower_message) {
    if (const auto category = of_word(complaint.code)) return *category;
    if (const auto category = of_word(complaint.type)) return *category;
    if (const auto category = of_status(complaint.status)) return *category;
    return of_phrase(lower_message).value_or(Category::other);
}

bool is_worth_another_try(Category category, int status) {
    switch (category) {
        case Category::rate_limited:
            return true;
        // 407 comes from a proxy
        case Category::no_internet:
            return status != 407;
        // 501 and 505 to 511 are permanent
        case Category::server_error:
            return status != 501 && (status < 505 || status > 511);
        case Category::other:
            return status == 409;
        case Category::unauthorized:
        case Category::out_of_credits:
            return false;
    }
    return false;
}

// "<provider>: <status> <type>: <message>"; parts that are missing are left out.
std::string in_words(std::string_view provider, const Complaint& complaint) {
    const std::string& kind = complaint.type.empty() ? complaint.code : complaint.type;
    std::string said = complaint.status > 0 ? std::to_string(complaint.status) : std::string();
    if (!kind.empty()) said += (said.empty() ? "" : " ") + kind;
    std::string out = std::string(provider) + ": " + (said.empty() ? "error" : said);
    if (!complaint.message.empty()) out += ": " + complaint.message;
    out = base::visible(out, base::Newlines::escape);
    if (out.size() <= longest_message_bytes) return out;
    return std::string(base::utf8_prefix(out, longest_message_bytes)) + " […]";
}

}  // namespace

std::string_view name(Category category) {
    switch (category) {
        case Category::unauthorized:
            return "unauthorized";
        case Category::out_of_credits:
            return "out_of_credits";
        case Category::rate_limited:
            return "rate_limited";
        case Category::no_internet:
            return "no_internet";
        case Category::server_error:
            return "server_error";
        case Category::other:
            return "other";
    }
    return "";
}

base::ErrorCode error_code(Category category) {
    switch (category) {
        case Category::unauthorized:
            return base::ErrorCode::unauthorized;
        case Category::out_of_credits:
            return base::ErrorCode::out_of_credits;
        case Category::rate_limited:
            return base::ErrorCode::rate_limited;
        case Category::no_internet:
            return base::ErrorCode::no_internet;
        case Category::server_error:
            return base::ErrorCode::server_error;
        case Category::other:
            return base::ErrorCode::provider_error;
    }
    return base::ErrorCode::provider_error;
}

Failure classify(std::string_view provider, const Complaint& complaint) {
    const std::string lower_message = base::to_lower_ascii(complaint.message);
    Failure failure{.category = category_of(complaint, lower_message),
                    .message = in_words(provider, complaint),
                    .request_id = base::visible(complaint.request_id.substr(0, longest_id_bytes),
                                                base::Newlines::escape),
                    .status = complaint.status,
                    .retry_after_ms = complaint.retry_after_ms};
    if (failure.retry_after_ms)
        failure.retry_after_ms = std::min(*failure.retry_after_ms, longest_retry_after_ms);
    failure.retryable = is_worth_another_try(failure.category, complaint.status);
    const bool may_overflow =
        failure.category == Category::other || failure.category == Category::server_error;
    if (may_overflow && (complaint.status == 413 || is_overflow(complaint, lower_message))) {
        failure.category = Category::other;
        failure.context_overflow = true;
        failure.retryable = false;
    }
    failure.declined = failure.category == Category::other && is_declining(complaint);
    if (complaint.should_retry) failure.retryable = *complaint.should_retry;
    return failure;
}

}  // namespace chorus::model
