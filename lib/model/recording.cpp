#include "model/recording.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/enum_names.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"

namespace chorus::model {
namespace {

using chat::Json;

constexpr const char* recording_schema = "chorus.recording/1";
constexpr std::array<const char*, 5> kept_headers{"content-type", "request-id", "retry-after",
                                                  "x-request-id", "x-should-retry"};
constexpr base::EnumNames<net::TransportFault, 11> fault_names{
    {"none", "dns", "connect", "tls", "timeout", "stalled", "cut", "empty", "stopped", "too_large",
     "other"}};

void redact_strings(Json& value, const Redact& redact) {
    if (value.is_string()) value = redact(value.get_ref<const std::string&>());
    if (value.is_structured())
        for (Json& each : value) redact_strings(each, redact);
}

std::string pretty(const Json& value) {
    return value.dump(1, ' ', false, Json::error_handler_t::replace);
}

Json request_json(const net::HttpRequest& request, const Redact& redact) {
    Json body = chat::try_parse_json(request.body, request.body.size()).value_or(Json());
    redact_strings(body, redact);
    return body;
}

Json lines_of(const std::string& text) {
    Json lines = Json::array();
    std::size_t begin = 0;
    for (std::size_t end = 0; (end = text.find('\n', begin)) != text.npos; begin = end + 1)
        lines.push_back(text.substr(begin, end - begin));
    lines.push_back(text.substr(begin));
    return lines;
}

// Each byte as the character of that number, and back.
std::string characters_of(std::string_view bytes) {
    std::string text;
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80) {
            text += c;
        } else {
            text += static_cast<char>(0xc0U | (byte >> 6U));
            text += static_cast<char>(0x80U | (byte & 0x3fU));
        }
    }
    return text;
}
std::string bytes_of(std::string_view text) {
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        const bool is_pair = (byte == 0xc2 || byte == 0xc3) && i + 1 < text.size();
        bytes += is_pair ? static_cast<char>(((byte & 3U) << 6U) |
                                             (static_cast<unsigned char>(text[++i]) & 0x3fU))
                         : text[i];
    }
    return bytes;
}

Json response_json(const net::Response& response, const Redact& redact) {
    Json out = {{"status", response.status}};
    if (response.fault != net::TransportFault::none) {
        out["fault"] = fault_names.name(response.fault);
        out["fault_message"] = redact(response.fault_message);
        out["fault_lasts"] = response.fault_lasts;
    }
    if (response.retry_after_ms) out["retry_after_ms"] = *response.retry_after_ms;
    for (const char* name : kept_headers)
        if (const std::string value = net::header_of(response.headers, name); !value.empty())
            out["headers"][name] = redact(value);
    return out;
}

net::Response response_of(const Json& json, const std::string& answer) {
    net::Response response;
    response.status = static_cast<int>(chat::integer_or(json, "status"));
    response.fault = fault_names.find(chat::string_or(json, "fault", "none"))
                         .value_or(net::TransportFault::other);
    response.fault_message = chat::string_or(json, "fault_message");
    response.fault_lasts = chat::member(json, "fault_lasts") == true;
    if (json.contains("retry_after_ms"))
        response.retry_after_ms = chat::integer_or(json, "retry_after_ms");
    if (const Json& headers = chat::member(json, "headers"); headers.is_object())
        for (const auto& [name, value] : headers.items())
            if (value.is_string()) response.headers[name] = value.get<std::string>();
    if (response.status >= 300) response.body = answer;
    return response;
}

[[noreturn]] void refuse_recording(const std::string& what, const std::string& why) {
    throw base::Error(base::ErrorCode::bad_request, what + ": " + why);
}

std::vector<Json> objects_in(std::string_view text, const std::string& what) {
    std::vector<Json> all;
    while (!base::trim(text).empty()) {
        const std::size_t end = text.find("\n}\n");
        if (end == text.npos) refuse_recording(what, "it is cut, or not a recording");
        auto json = chat::try_parse_json(text.substr(0, end + 2), text.size());
        if (!json || !json->is_object())
            refuse_recording(what, "object " + std::to_string(all.size() + 1) +
                                       " is not JSON: it is not a recording");
        all.push_back(std::move(*json));
        text.remove_prefix(end + 3);
    }
    return all;
}

// The first lines that differ, or "".
std::string difference_of(const Json& recorded, const Json& now) {
    const Json before = lines_of(pretty(recorded));
    const Json after = lines_of(pretty(now));
    for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
        const std::string old = i < before.size() ? before[i].get<std::string>() : "";
        const std::string current = i < after.size() ? after[i].get<std::string>() : "";
        if (old == current) continue;
        // the texts may be long, and differ near their end
        const auto [one, other] =
            std::mismatch(old.begin(), old.end(), current.begin(), current.end());
        constexpr std::ptrdiff_t before_it = 30;
        constexpr std::size_t most_shown = 80;
        const auto from = std::max<std::ptrdiff_t>(one - old.begin() - before_it, 0);
        const auto piece = [&](const std::string& line) {
            const std::string part =
                base::replace_invalid_utf8(line.substr(static_cast<std::size_t>(from), most_shown));
            return base::quoted(std::string(base::trim(part)));
        };
        return "line " + std::to_string(i + 1) + ": " + piece(old) + " is now " + piece(current);
    }
    return {};
}

}  // namespace

bool is_replay(std::string_view model) {
    return model.starts_with("replay/");
}

Recorder::Recorder(std::function<void(std::string_view)> write)
    : write_(std::move(write)), text_(pretty({{"schema", recording_schema}}) + "\n") {}

void Recorder::attach(Endpoint& endpoint, const std::string& model, const Redact& redact) {
    const bool elsewhere = base_url_of(endpoint) != endpoint.provider.base_url;
    endpoint.send = [this, model, redact, elsewhere](
                        net::Client& client, const net::HttpRequest& request, const OnBody& on_body,
                        const std::function<bool()>& stop, int wake_fd) {
        std::string answer;
        net::Response response = client.send(
            request,
            [&](std::string_view bytes) {
                answer += bytes;
                return on_body(bytes);
            },
            stop, wake_fd);
        Json exchange = {{"model", model}};
        if (elsewhere) exchange["elsewhere"] = true;
        exchange["request"] = request_json(request, redact);
        exchange["response"] = response_json(response, redact);
        if (response.status >= 300) answer = response.body;
        const bool is_text = !base::find_invalid_utf8(answer);
        if (!is_text) exchange["is_text"] = false;
        exchange["answer"] = lines_of(redact(is_text ? answer : characters_of(answer)));
        text_ += pretty(exchange) + "\n";
        write_(text_);
        return response;
    };
}

struct Replay::Exchange {
    std::string model;
    bool elsewhere = false;
    Json request;
    std::string answer;
    net::Response response;
};

Replay::~Replay() = default;

Replay::Replay(std::string_view recording, const std::string& what) : what_(what) {
    const std::vector<Json> objects = objects_in(recording, what);
    const std::string schema = objects.empty() ? "" : chat::string_or(objects.front(), "schema");
    if (!schema.starts_with("chorus.recording/")) refuse_recording(what, "it is not a recording");
    if (schema != recording_schema)
        refuse_recording(
            what, "it is a " + base::quoted(schema) + ", not a " + base::quoted(recording_schema));
    for (std::size_t i = 1; i < objects.size(); ++i) {
        const Json& object = objects[i];
        const std::string named = "exchange " + std::to_string(i);
        const Json& answer = chat::member(object, "answer");
        const bool is_lines =
            answer.is_array() && std::all_of(answer.begin(), answer.end(),
                                             [](const Json& line) { return line.is_string(); });
        if (!object.contains("request") || !object.contains("response") || !is_lines)
            refuse_recording(what, named + ": it is damaged");
        std::string bytes = base::join(answer.get<std::vector<std::string>>(), "\n");
        if (chat::member(object, "is_text") == false) bytes = bytes_of(bytes);
        exchanges_.push_back({chat::string_or(object, "model"),
                              chat::member(object, "elsewhere") == true, object["request"], bytes,
                              response_of(object["response"], bytes)});
        if (exchanges_.back().model != exchanges_.front().model)
            refuse_recording(
                what, named + ": it is of another model, " + base::quoted(exchanges_.back().model));
    }
    if (exchanges_.empty()) refuse_recording(what, "it has no answer");
}

const std::string& Replay::model() const {
    return exchanges_.front().model;
}

void Replay::attach(Endpoint& endpoint, bool strict, const Redact& redact) {
    endpoint.provider.name = "replay";  // whose keys, profiles and prices are nobody's
    endpoint.provider.needs_key = false;
    endpoint.provider.key_variable.clear();
    endpoint.facts.prices = {Price{.cache_read = 0, .cache_write = 0}};
    endpoint.base_url = exchanges_.front().elsewhere ? "http://127.0.0.1" : "";
    endpoint.send = [this, strict, redact](net::Client&, const net::HttpRequest& request,
                                           const OnBody& on_body, const std::function<bool()>&,
                                           int) {
        const std::string number = std::to_string(next_ + 1);
        if (next_ == exchanges_.size())
            throw base::Error(base::ErrorCode::failed,
                              what_ + ": it has no answer to request " + number);
        const Exchange& exchange = exchanges_[next_++];
        const std::string difference =
            strict ? difference_of(exchange.request, request_json(request, redact)) : "";
        if (!difference.empty())
            throw base::Error(base::ErrorCode::failed,
                              what_ + ": request " + number + " differs: " + difference);
        net::Response response = exchange.response;
        if (response.status < 300 && !exchange.answer.empty()) {
            const net::Received received = on_body(exchange.answer);
            if (received == net::Received::refused && response.fault == net::TransportFault::none)
                response.fault = net::TransportFault::too_large;
            response.streamed_bytes = exchange.answer.size();
        }
        return response;
    };
}

}  // namespace chorus::model
