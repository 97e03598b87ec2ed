#include "agent/editing.hpp"

#include "agent/kept_numbers.hpp"
#include "agent/reading.hpp"
#include "base/error.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/json_text.hpp"

namespace chorus::agent {
namespace {

using base::Error;
using base::ErrorCode;
using chat::Json;

std::string shown(std::string_view text) {
    return base::visible(text, base::Newlines::escape);
}

Json parse_file(std::string_view text, std::string_view what) {
    Json object = chat::parse_json(text, what, chat::DuplicateKeys::refuse,
                                   base::limits::config_bytes, ErrorCode::config_invalid);
    if (!object.is_object()) refuse(what, "the whole file", "an object", object);
    return object;
}

std::string joined(const std::vector<std::string>& names, std::size_t count) {
    return base::join({names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count)}, ".");
}

[[noreturn]] void refuse_on_the_way(const KeyPlace& place, std::size_t depth,
                                    const std::string& found) {
    throw Error(ErrorCode::bad_request,
                place.dotted() + ": " + joined(place.names, depth) + " is " + shown(found) +
                    ", not an object",
                "set " + joined(place.names, depth) + " as a whole");
}

// Returns the object that holds the value; creates it if there is none.
Json& parent_of(Json& object, const KeyPlace& place) {
    Json* parent = &object;
    for (std::size_t depth = 1; depth < place.names.size(); ++depth) {
        Json& child = (*parent)[place.names[depth - 1]];
        // an object here would silently replace the built-in value
        const auto fallback = depth == 1 ? fallback_in(*place.key, place.file) : "";
        if (child.is_null() && !fallback.empty())
            refuse_on_the_way(place, depth, std::string(fallback));
        if (child.is_null()) child = Json::object();
        if (!child.is_object()) refuse_on_the_way(place, depth, chat::dump(child));
        parent = &child;
    }
    return *parent;
}

}  // namespace

std::string KeyPlace::dotted() const {
    return joined(names, names.size());
}

std::optional<KeyPlace> find_place(std::string_view dotted, File file) {
    const auto parts = base::split(dotted, '.');
    const Key* key = find_key(parts.front());
    if (key == nullptr || !belongs(*key, file)) return std::nullopt;
    KeyPlace place{key, file, type_in(*key, file), {std::string(parts.front())}};
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const Member* member = find_member(place.type, parts[i]);
        if (member == nullptr || parts[i].empty()) return std::nullopt;
        // user names may contain dots
        const bool takes_the_rest = place.type == KeyType::name_lists;
        place.names.emplace_back(takes_the_rest ? dotted.substr(key->name.size() + 1) : parts[i]);
        place.type = member->type;
        if (takes_the_rest) break;
    }
    return place;
}

Astray astray(std::string_view dotted, File file) {
    Astray result;
    const auto parts = base::split(dotted, '.');
    std::string known;
    for (const std::string_view part : parts) {
        const std::string next =
            known.empty() ? std::string(part) : known + "." + std::string(part);
        result.dotted = next;
        if (!find_place(next, file)) break;
        known = next;
    }
    if (known.empty()) {
        for (const Key& key : keys())
            if (belongs(key, file)) result.there_are.emplace_back(key.name);
    } else if (const auto place = find_place(known, file)) {
        for (const Member& member : members(place->type))
            if (!member.name.empty())
                result.there_are.push_back(known + "." + std::string(member.name));
    }
    return result;
}

std::string value_json(std::string_view given, const KeyPlace& place) {
    if (const auto bad = base::find_invalid_utf8(given))
        throw Error(ErrorCode::bad_request,
                    place.dotted() + ": not valid UTF-8 at byte " + std::to_string(*bad));
    const auto parsed = chat::try_parse_json(given, base::limits::config_bytes);
    if (parsed && fits(*parsed, place.type)) {
        (void)chat::parse_json(given, place.dotted(), chat::DuplicateKeys::refuse,
                               base::limits::config_bytes, ErrorCode::bad_request);
        KeptNumbers numbers;
        return numbers.in_one_line(chat::parse_json(numbers.keep(given), place.dotted()));
    }
    const bool takes_all = place.type == KeyType::text || place.type == KeyType::text_or_null ||
                           place.type == KeyType::channel;
    // an object or a list is not meant as a name
    const bool is_meant =
        parsed && (parsed->is_structured() || !fits(chat::Json(std::string(given)), place.type));
    return is_meant && !takes_all ? chat::dump(*parsed) : chat::quoted(given);
}

void check_place(const KeyPlace& place, std::string_view json, std::string_view what) {
    check_value(chat::parse_json(json, what), place.type, what, place.dotted());
}

std::optional<std::string> find_value(std::string_view text, const KeyPlace& place,
                                      std::string_view what) {
    (void)parse_file(text, what);
    KeptNumbers numbers;
    const Json object = parse_file(numbers.keep(text), what);
    const Json* value = &object;
    for (const std::string& name : place.names) {
        value = value->is_object() ? find(*value, name.c_str()) : nullptr;
        if (value == nullptr) return std::nullopt;
    }
    return numbers.in_one_line(*value);
}

std::string with_value(std::string_view text, const KeyPlace& place, std::string_view json,
                       std::string_view what) {
    Json checked = parse_file(text, what);
    (void)parent_of(checked, place);
    KeptNumbers numbers;
    Json object = parse_file(numbers.keep(text), what);
    parent_of(object, place)[place.names.back()] =
        chat::parse_json(numbers.keep(json), place.dotted());
    return numbers.written(object);
}

std::string without_value(std::string_view text, const KeyPlace& place, std::string_view what) {
    if (!find_value(text, place, what)) return std::string(text);
    KeptNumbers numbers;
    Json object = parse_file(numbers.keep(text), what);
    parent_of(object, place).erase(place.names.back());
    return numbers.written(object);
}

}  // namespace chorus::agent
