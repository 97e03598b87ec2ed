// JSON written as text, for the hot path: a request of a thousand messages is one growing string
// and never a tree. Reading is nlohmann::json's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace chorus::chat {

// A quoted JSON string; text must be valid UTF-8.
void append_quoted(std::string& out, std::string_view text);
std::string quoted(std::string_view text);

// {"a":1,"b":[…]} with the commas put where they belong. Values are written in call order.
class JsonText {
  public:
    JsonText() = default;
    // Room for about that many bytes: a large text that grows step by step is copied as often.
    explicit JsonText(std::size_t expected_bytes) { text_.reserve(expected_bytes); }
    JsonText& begin_object();
    JsonText& end_object();
    JsonText& begin_array();
    JsonText& end_array();
    // A name of ours, which needs no escape; another goes through any_key.
    JsonText& key(std::string_view name);
    JsonText& any_key(std::string_view name);
    JsonText& string(std::string_view value);
    JsonText& number(std::int64_t value);
    JsonText& real(double value);
    JsonText& boolean(bool value);
    JsonText& null();
    // JSON that is already text, spliced in as it is.
    JsonText& raw(std::string_view json);

    const std::string& text() const { return text_; }
    std::string take() { return std::move(text_); }

  private:
    void before_value();
    std::string text_;
    bool needs_comma_ = false;
};

}  // namespace chorus::chat
