#include "model/complaint.hpp"

#include <string>

#include "base/enum_names.hpp"
#include "base/number.hpp"
#include "base/text.hpp"
#include "model/event_json.hpp"

namespace chorus::model {
namespace {

// shorter ones, such as "none" for a local server, are not secrets
constexpr std::size_t shortest_key = 8;

std::string as_text(const Json& value) {
    if (value.is_null()) return {};
    return value.is_string() ? value.get<std::string>() : chat::dump(value);
}

// "34s", "1.5s" of google.rpc.RetryInfo
std::optional<std::int64_t> protobuf_duration_ms(std::string_view text) {
    if (!text.ends_with('s')) return std::nullopt;
    const auto seconds = base::parse_number<double>(text.substr(0, text.size() - 1));
    if (!seconds || !(*seconds >= 0 && *seconds < 1e9)) return std::nullopt;
    return static_cast<std::int64_t>(*seconds * 1000);
}

std::optional<std::int64_t> retry_delay_ms(const Json& error) {
    for (const Json& detail : list_in(error, "details"))
        if (const auto delay = protobuf_duration_ms(text_of(detail, "retryDelay"))) return delay;
    return std::nullopt;
}

// Finds the error object in any of the known shapes.
const Json& particulars(const Json& body) {
    if (body.is_array() && !body.empty()) return particulars(body.front());
    const Json& of_response = member(member(body, "response"), "error");
    if (of_response.is_object()) return of_response;
    const Json& error = member(body, "error");
    return error.is_null() ? body : error;
}

// Routers report "Provider returned error" and put the provider's own message in the metadata.
std::string said_behind(const Json& error) {
    const Json& metadata = member(error, "metadata");
    std::string said = as_text(member(metadata, "raw"));
    const std::string_view who = text_of(metadata, "provider_name");
    if (!said.empty() && !who.empty()) said.insert(0, std::string(who) + ": ");
    return said.empty() ? said : ": " + said;
}

std::string message_in(const Json& error) {
    if (error.is_string()) return error.get<std::string>();
    for (const char* key : {"message", "detail", "error_description"})
        if (std::string text = as_text(member(error, key)); !text.empty())
            return text + said_behind(error);
    return {};
}

// A code may be a word or, with some servers, the HTTP status as a number.
void read_code(const Json& error, Complaint& complaint) {
    complaint.code = text_of(member(error, "details"), "error_code");
    if (complaint.code.empty()) complaint.code = text_of(error, "code");
    const std::optional<std::int64_t> number = count_of(error, "code");
    if (number && *number >= 400 && *number < 600) complaint.status = static_cast<int>(*number);
}

void read_type(const Json& error, Complaint& complaint) {
    complaint.type = text_of(error, "type");
    if (complaint.type.empty() || complaint.type == "error")
        complaint.type = text_of(error, "status");
}

// The text of a page's <title>, or "".
std::string title_of(std::string_view page) {
    const std::string lower = base::to_lower_ascii(page);
    const std::size_t open = lower.find("<title");
    const std::size_t begin = lower.find('>', open);
    const std::size_t end = lower.find("</title", open);
    if (open == lower.npos || begin == lower.npos || end == lower.npos || end < begin) return {};
    return std::string(base::trim(page.substr(begin + 1, end - begin - 1)));
}

std::string plain_text(std::string_view body) {
    const std::string_view text = base::trim(body);
    if (!text.starts_with('<')) return std::string(text);
    const std::string title = title_of(text);
    return title.empty() ? "a web page" : "a web page: " + title;
}

void read_headers(const net::Response& response, Complaint& complaint) {
    if (std::string id = request_id_of(response); !id.empty()) complaint.request_id = std::move(id);
    const std::string should_retry = net::header_of(response.headers, "x-should-retry");
    if (should_retry == "true" || should_retry == "false")
        complaint.should_retry = should_retry == "true";
    if (response.retry_after_ms) complaint.retry_after_ms = response.retry_after_ms;
}

constexpr base::EnumNames<net::TransportFault, 11> fault_words{
    {"the stream was cut", "the host name was not found", "no connection", "no TLS connection",
     "no answer in time", "the stream stalled", "the stream was cut",
     "the connection was closed without an answer", "stopped", "the answer exceeds the size limit",
     "the request failed"}};

bool is_of_the_network(net::TransportFault fault) {
    using net::TransportFault;
    return fault != TransportFault::stopped && fault != TransportFault::too_large &&
           fault != TransportFault::other;
}

}  // namespace

std::string without_key(std::string text, std::string_view key) {
    if (key.size() < shortest_key) return text;
    for (std::size_t at = 0; (at = text.find(key, at)) != std::string::npos;)
        text.replace(at, key.size(), "[key]");
    return text;
}

void strike_key(Complaint& complaint, std::string_view key) {
    for (std::string* text :
         {&complaint.code, &complaint.type, &complaint.message, &complaint.request_id})
        *text = without_key(std::move(*text), key);
}

std::string request_id_of(const net::Response& response) {
    std::string id = net::header_of(response.headers, "request-id");
    if (id.empty()) id = net::header_of(response.headers, "x-request-id");
    return base::visible(id.substr(0, longest_id_bytes), base::Newlines::escape);
}

Complaint read_complaint(std::string_view body) {
    Complaint complaint;
    const std::optional<Json> json = parse_event(body);
    if (!json || !(json->is_object() || json->is_array())) {
        complaint.message = plain_text(body);
        return complaint;
    }
    const Json& error = particulars(*json);
    complaint.message = message_in(error);
    complaint.request_id = text_of(*json, "request_id");
    if (!error.is_object()) return complaint;
    read_code(error, complaint);
    read_type(error, complaint);
    complaint.retry_after_ms = retry_delay_ms(error);
    return complaint;
}

Failure http_failure(std::string_view provider, const net::Response& response,
                     std::string_view key) {
    Complaint complaint = read_complaint(without_key(response.body, key));
    if (response.status >= 300) complaint.status = response.status;
    const bool is_redirect =
        response.status >= 300 && response.status < 400 && response.status != 304;
    if (is_redirect) complaint.message = "a redirect, which is not followed: check the base URL";
    if (response.status == 407) complaint.message = "the proxy asks for a user name and a password";
    const bool may_be_elsewhere =
        response.status == 400 || response.status == 404 || response.status == 405;
    if (may_be_elsewhere && base::trim(response.body).starts_with('<'))
        complaint.message += ": check the base URL";
    read_headers(response, complaint);
    strike_key(complaint, key);
    return classify(provider, complaint);
}

Failure foreign_failure(std::string_view provider, const net::Response& response,
                        std::string_view key, std::string_view what) {
    Complaint complaint;
    complaint.status = response.status;
    const std::string told =
        what.empty() ? plain_text(without_key(response.body, key)) : std::string(what);
    complaint.message = "not an answer but " + told + ": check the base URL";
    return classify(provider, complaint);
}

Failure transport_failure(std::string_view provider, const net::Response& response) {
    const bool network = is_of_the_network(response.fault);
    const std::string reason = base::visible(response.fault_message, base::Newlines::escape);
    std::string message = std::string(provider) + ": ";
    const std::string_view words = fault_words.name(response.fault);
    // the reason may already begin with these words
    if (!reason.starts_with(words)) message += words;
    if (!reason.empty()) message += (message.ends_with(": ") ? "" : ": ") + reason;
    return {.category = network ? Category::no_internet : Category::other,
            .message = std::move(message),
            .status = response.status,
            .retryable = network && !response.fault_lasts};
}

}  // namespace chorus::model
