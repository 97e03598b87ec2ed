// Server-sent events, to the WHATWG rules (html.spec.whatwg.org, "Interpreting an event stream"):
// UTF-8 with an optional BOM, lines end in LF, CRLF or CR, `data` lines are joined by LF, comments and
// unknown fields are passed over, an event without data is not dispatched. Unlike the standard, a last
// event without its blank line is dispatched by finish(), because servers forget it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/limits.hpp"

namespace chorus::net {

struct ServerEvent {
    std::string type;  // "message" where none was given
    std::string data;
};

class SseParser {
  public:
    using Sink = std::function<void(const ServerEvent&)>;
    explicit SseParser(Sink sink) : sink_(std::move(sink)) {}

    // Any split of the bytes gives the same events. False once a line or an event passed its bound
    // (base/limits.hpp): nothing more is dispatched then.
    bool feed(std::string_view bytes);
    void finish();

  private:
    void end_line();
    void dispatch();

    Sink sink_;
    std::string line_;
    ServerEvent event_;
    bool has_data_ = false;
    bool at_start_ = true;
    bool after_cr_ = false;
    bool broken_ = false;
};

}  // namespace chorus::net
