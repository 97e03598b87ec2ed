// What is said, read once from the script, and the events that each protocol makes of it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loopback_dialects.hpp"
#include "loopback_text.hpp"

namespace loopback {

struct Call {
    std::string id;
    std::string name;
    std::string arguments;
};

struct Usage {
    long input = 10;
    long output = 5;
    long cache_read = 0;
    long cache_write = 0;
};

struct Said {
    std::string thinking;
    std::string signature;
    std::string text;
    std::vector<Call> calls;
    // end, tool_use, max_tokens, refusal, none for a stream that just ends, or a word sent as it is
    std::string stop;
    Usage usage;
    Json error;  // {"type", "message"}: comes instead of the end
};

Said read_said(const Json& say, const Asked& asked);
// As deltas: some ten bytes each, or two hundred of them where the text is long.
std::vector<std::string> text_pieces(const std::string& text);

class Events {
  public:
    explicit Events(std::string_view line_end = "\n") : line_end_(line_end) {}

    void data(const Json& value) { raw(with_some_escapes(value.dump(), escape_next_)); }
    void raw(const std::string& text) { add("", text); }
    void typed(const Json& value) {
        add(value["type"].get<std::string>(), with_some_escapes(value.dump(), escape_next_));
    }
    std::vector<std::string> take() { return std::move(events_); }

  private:
    void add(const std::string& type, const std::string& text) {
        std::string event = type.empty() ? "" : "event: " + type + line_end_;
        events_.push_back(event + "data: " + text + line_end_ + line_end_);
    }

    std::string line_end_;
    bool escape_next_ = false;
    std::vector<std::string> events_;
};

std::vector<std::string> render_anthropic(const Said& said, const Asked& asked);
std::vector<std::string> render_responses(const Said& said, const Asked& asked);
std::vector<std::string> render_chat(const Said& said, const Asked& asked);
std::vector<std::string> render_gemini(const Said& said, const Asked& asked);
std::vector<std::string> render_ollama(const Said& said, const Asked& asked);

}  // namespace loopback
