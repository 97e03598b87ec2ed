#include "chat/dialect.hpp"

namespace chorus::chat {

JsonText open_object(std::string_view name, std::size_t expected_bytes) {
    JsonText out(expected_bytes);
    out.begin_object().member("schema", "chorus." + std::string(name) + "/1");
    return out;
}

void write_text(JsonText& out, std::string_view key, std::string_view value) {
    out.key(key);
    value.empty() ? out.null() : out.string(value);
}

void write_time(JsonText& out, std::string_view key, base::TimeMs time) {
    write_text(out, key, time == 0 ? std::string() : base::iso8601(time));
}

void write_number(JsonText& out, std::string_view key, std::int64_t value, std::int64_t none) {
    out.key(key);
    value == none ? out.null() : out.number(value);
}

void write_texts(JsonText& out, std::string_view key, const std::vector<std::string>& values) {
    out.key(key).begin_array();
    for (const std::string& value : values) out.string(value);
    out.end_array();
}

void write_cost(JsonText& out, base::MicroUsd cost) {
    out.key("cost_usd");
    cost == base::unknown_cost ? out.null() : out.real(base::in_usd(cost));
}

void write_usage(JsonText& out, const Usage& usage) {
    out.key("usage").begin_object().member("input_tokens", usage.input_tokens);
    out.member("output_tokens", usage.output_tokens);
    out.member("cache_read_tokens", usage.cache_read_tokens);
    out.member("cache_write_tokens", usage.cache_write_tokens);
    out.member("reasoning_tokens", usage.reasoning_tokens).end_object();
}

void write_json(JsonText& out, std::string_view key, std::string_view json) {
    out.key(key).raw(json.empty() ? "null" : json);
}

void write_error(JsonText& out, const WrittenError& error) {
    out.key("error");
    if (error.code.empty() && error.category.empty() && error.message.empty()) {
        out.null();
        return;
    }
    out.begin_object();
    write_text(out, "code", error.code);
    write_text(out, "category", error.category);
    write_text(out, "message", error.message);
    write_text(out, "hint", error.hint);
    out.end_object();
}

}  // namespace chorus::chat
