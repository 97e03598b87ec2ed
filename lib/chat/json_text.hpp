// Writes JSON as text, for the hot path: a request of a thousand messages is one growing string,
// never a tree. nlohmann::json reads JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
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
    JsonText& begin_object();
    JsonText& end_object();
    JsonText& begin_array();
    JsonText& end_array();
    // `name` must need no escape; use any_key for other names.
    JsonText& key(std::string_view name);
    JsonText& any_key(std::string_view name);
    JsonText& string(std::string_view value);
    JsonText& number(std::int64_t value);
    JsonText& real(double value);
    JsonText& boolean(bool value);
    JsonText& null();
    // Inserts JSON text unchanged.
    JsonText& raw(std::string_view json);

    const std::string& text() const { return text_; }
    std::string take() { return std::move(text_); }

  private:
    void before_value();
    std::string text_;
    bool needs_comma_ = false;
};

}  // namespace chorus::chat
