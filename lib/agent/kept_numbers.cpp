#include "agent/kept_numbers.hpp"

#include <algorithm>

namespace chorus::agent {
namespace {

constexpr std::string_view of_numbers = "+-.0123456789Ee";

bool begins_number(char first) {
    return first == '-' || (first >= '0' && first <= '9');
}

bool is_kept(std::string_view token) {
    constexpr std::size_t most_digits = 18;
    return begins_number(token.front()) &&
           (token.size() > most_digits || token.find_first_of(".Ee") != std::string_view::npos);
}

// A token is a string, a number, or one byte.
std::size_t end_of_token(std::string_view text, std::size_t at) {
    if (text[at] == '"') {
        for (++at; at < text.size() && text[at] != '"'; ++at)
            if (text[at] == '\\') ++at;
        return std::min(at + 1, text.size());
    }
    if (!begins_number(text[at])) return at + 1;
    return std::min(text.find_first_not_of(of_numbers, at), text.size());
}

std::string stand_in(std::size_t index) {
    return "\"\\u0000number " + std::to_string(index) + "\"";
}

}  // namespace

std::string KeptNumbers::keep(std::string_view json) {
    std::string text;
    for (std::size_t at = 0; at < json.size();) {
        const std::size_t end = end_of_token(json, at);
        const std::string_view token = json.substr(at, end - at);
        if (is_kept(token)) {
            text += stand_in(numbers_.size());
            numbers_.emplace_back(token);
        } else {
            text += token;
        }
        at = end;
    }
    return text;
}

std::string KeptNumbers::written(const chat::Json& object) const {
    return restored(object.dump(4, ' ', false, chat::Json::error_handler_t::replace) + "\n");
}

std::string KeptNumbers::in_one_line(const chat::Json& value) const {
    return restored(chat::dump(value));
}

std::string KeptNumbers::restored(std::string json) const {
    for (std::size_t i = 0; i < numbers_.size(); ++i) {
        const std::size_t at = json.find(stand_in(i));
        if (at != std::string::npos) json.replace(at, stand_in(i).size(), numbers_[i]);
    }
    return json;
}

}  // namespace chorus::agent
