// Writes JSON as text, for the hot path: a request of a thousand messages is one growing string,
// never a tree. nlohmann::json reads JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace chorus::chat {

// A quoted JSON string; invalid UTF-8 in `text` is replaced.
void append_quoted(std::string& out, std::string_view text);
std::string quoted(std::string_view text);

// Builds {"a":1,"b":[…]} and puts the commas. Values are written in call order.
class JsonText {
  public:
    JsonText() = default;
    // Reserves about that many bytes: a large text that grows step by step is copied at each step.
    explicit JsonText(std::size_t expected_bytes) { text_.reserve(expected_bytes); }
    JsonText& begin_object() { return open('{'); }
    JsonText& end_object() { return close('}'); }
    JsonText& begin_array() { return open('['); }
    JsonText& end_array() { return close(']'); }
    // `name` must need no escape; use any_key for other names.
    JsonText& key(std::string_view name);
    JsonText& any_key(std::string_view name);
    JsonText& string(std::string_view value);
    JsonText& number(std::int64_t value) { return raw(std::to_string(value)); }
    JsonText& real(double value);  // null if it is not finite
    JsonText& boolean(bool value) { return raw(value ? "true" : "false"); }
    JsonText& null() { return raw("null"); }
    // Inserts JSON text unchanged.
    JsonText& raw(std::string_view json);
    // A key and its value: text, a whole number or a boolean.
    template <typename Value>
    JsonText& member(std::string_view name, const Value& value) {
        key(name);
        if constexpr (std::is_same_v<Value, bool>)
            return boolean(value);
        else if constexpr (std::is_integral_v<Value>)
            return number(value);
        else
            return string(value);
    }

    const std::string& text() const { return text_; }
    std::string take() { return std::move(text_); }

  private:
    JsonText& open(char bracket);
    JsonText& close(char bracket);
    void before_value();
    std::string text_;
    bool needs_comma_ = false;
};

}  // namespace chorus::chat
