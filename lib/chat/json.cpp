#include "chat/json.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "chat/braces.hpp"

namespace chorus::chat {
namespace {

using base::Error;
using base::ErrorCode;

// nlohmann's recursive destructor and copy overflow the stack on very deep values, so depth is
// checked on the text, before a value exists.
bool is_too_deep(std::string_view text) {
    Braces braces;
    return std::any_of(text.begin(), text.end(), [&](char c) {
        braces.follow(c);
        return std::cmp_greater(braces.depth(), base::limits::json_depth);
    });
}

enum class Build { yes, no };

Json parse_unique_keys(std::string_view text, const std::string& what, ErrorCode code,
                       Build build) {
    std::vector<std::set<std::string>> open;
    const auto callback = [&](int, Json::parse_event_t event, Json& value) {
        if (event == Json::parse_event_t::object_start) open.emplace_back();
        if (event == Json::parse_event_t::object_end) open.pop_back();
        if (event == Json::parse_event_t::key) {
            const auto& key = value.get_ref<const std::string&>();
            if (!open.back().insert(key).second)
                throw Error(code, what + ": duplicate key '" + key + "'");
        }
        return build == Build::yes || event != Json::parse_event_t::key;
    };
    return Json::parse(text, callback);
}

}  // namespace

// The parser's messages quote what it read last, which may be a key.
std::string without_quote(std::string_view message) {
    const std::size_t begin = message.find("; last read: '");
    const std::size_t end = message.rfind("; expected ");
    if (begin == message.npos) return std::string(message);
    const bool goes_on = end != message.npos && end > begin;
    return std::string(message.substr(0, begin))
        .append(goes_on ? message.substr(end) : std::string_view());
}

namespace {

template <typename Work>
auto parsed(std::string_view text, const std::string& subject, std::size_t most_bytes,
            ErrorCode code, const Work& work) {
    // configuration is in a file that a person edits
    const std::string hint = code == ErrorCode::config_invalid
                                 ? "edit the file; 'chorus-config doctor' shows any other problems"
                                 : "";
    if (text.size() > most_bytes)
        throw Error(code, subject + ": more than " + std::to_string(most_bytes) + " bytes");
    if (is_too_deep(text))
        throw Error(code, subject + ": nested deeper than " +
                              std::to_string(base::limits::json_depth) + " levels");
    try {
        return work();
    } catch (const nlohmann::json::exception& error) {
        std::string_view message = error.what();
        const std::size_t start = message.find("] ");
        if (start != std::string_view::npos) message.remove_prefix(start + 2);
        throw Error(code, subject + ": not JSON: " + without_quote(message), hint);
    }
}

}  // namespace

Json parse_json(std::string_view text, std::string_view what, DuplicateKeys duplicates,
                std::size_t most_bytes, ErrorCode code) {
    const std::string subject(what);
    return parsed(text, subject, most_bytes, code, [&] {
        return duplicates == DuplicateKeys::refuse
                   ? parse_unique_keys(text, subject, code, Build::yes)
                   : Json::parse(text);
    });
}

void require_json(std::string_view text, std::string_view what, std::size_t most_bytes,
                  ErrorCode code) {
    const std::string subject(what);
    parsed(text, subject, most_bytes, code,
           [&] { return parse_unique_keys(text, subject, code, Build::no); });
}

std::optional<Json> try_parse_json(std::string_view text, std::size_t most_bytes) {
    if (text.size() > most_bytes || is_too_deep(text)) return std::nullopt;
    Json value = Json::parse(text, nullptr, false);
    if (value.is_discarded()) return std::nullopt;
    return value;
}

std::string dump(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json& member(const Json& object, const char* key) {
    static const Json null;
    if (!object.is_object()) return null;
    const auto found = object.find(key);
    return found == object.end() ? null : *found;
}

std::string string_or(const Json& object, const char* key, std::string fallback) {
    const Json& value = member(object, key);
    return value.is_string() ? value.get<std::string>() : fallback;
}

std::int64_t integer_or(const Json& object, const char* key, std::int64_t fallback) {
    const Json& value = member(object, key);
    return value.is_number_integer() ? value.get<std::int64_t>() : fallback;
}

std::string external_id_of(const Json& message) {
    constexpr std::size_t most_bytes = 256;
    for (const char* key : {"external_id", "discord_message_id"}) {
        const Json& found = member(message, key);
        std::string id = found.is_number_integer() ? dump(found) : string_or(message, key);
        if (!id.empty() && id.size() <= most_bytes) return id;
    }
    return {};
}

}  // namespace chorus::chat
