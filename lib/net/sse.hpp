// Parses server-sent events by the WHATWG rules (html.spec.whatwg.org, "Interpreting an event
// stream"): UTF-8 with an optional BOM, lines end in LF, CRLF or CR, `data` lines are joined by LF,
// comments and unknown fields are ignored. Unlike the standard, an event with empty data is not
// dispatched (MCP's priming events), and finish() dispatches a last event without its blank line or
// last newline, because servers forget them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace chorus::net {

struct ServerEvent {
    std::string type;  // "message" if none was given
    std::string data;
};

enum class Framing {
    events,
    lines,  // each line that is not blank is the data of an event
};

class SseParser {
  public:
    using Sink = std::function<void(const ServerEvent&)>;
    explicit SseParser(Sink sink, Framing framing = Framing::events)
        : sink_(std::move(sink)), framing_(framing) {}

    // The events do not depend on how the bytes are split. Returns false once a line or an event
    // exceeds its bound (base/limits.hpp); nothing more is dispatched then.
    bool feed(std::string_view bytes);
    // Call it for a stream that ended, not for one that was cut, whose last line may be incomplete.
    void finish();

  private:
    void end_line(std::string_view line);
    void add_field(std::string_view name, std::string_view value);
    void dispatch();

    Sink sink_;
    Framing framing_;
    std::string line_;
    ServerEvent event_;
    bool has_data_ = false;
    bool at_start_ = true;
    bool after_cr_ = false;
    bool broken_ = false;
};

}  // namespace chorus::net
