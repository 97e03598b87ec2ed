// Writes what a turn does as spans of OpenTelemetry: one line of OTLP/JSON, appended to a file.
// Sources: opentelemetry.io/docs/specs/otlp (JSON Protobuf encoding), the GenAI semantic
// conventions of open-telemetry/semantic-conventions-genai, w3.org/TR/trace-context.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "chat/event.hpp"
#include "sys/line_log.hpp"

namespace chorus::channel {

class Trace {
  public:
    // The option or the variable that names the file, and the code of an error in it.
    struct Source {
        const char* name = nullptr;
        base::ErrorCode code = base::ErrorCode::bad_request;
    };
    // Makes the file where it is missing. `parent` is a traceparent; one that is malformed is
    // ignored, as the specification wants it. Throws where the file cannot be written or is not a
    // regular one.
    Trace(const std::string& file, const std::string& parent, const Source& source);

    // The traceparent of the turn's span, for child processes.
    std::string traceparent() const;
    void event(const chat::Event& event);
    // Appends the line. One that cannot be written is a warning.
    void finish(const chat::TurnResult& result,
                const std::function<void(const std::string&)>& warn);

  private:
    struct Span {
        std::string id;
        std::string name;
        int kind = 0;
        base::TimeMs began = 0;
        base::TimeMs ended = 0;  // 0: not yet
        std::vector<std::pair<std::string, std::string>> texts = {};
        std::vector<std::pair<std::string, std::int64_t>> numbers = {};
        std::string error = {};  // its category; "": none
        std::string problem = {};
    };

    static Span begin(std::string name, int kind, std::string_view operation);
    void begin_model_call(const std::string& data);
    void end_model_call(const std::string& data);
    void write(chat::JsonText& out, const Span& span) const;

    sys::LineLog file_;
    std::string trace_id_;
    std::string parent_id_;  // "": the turn's span is the root
    std::string flags_ = "01";
    bool has_run_ = false;
    Span turn_;
    std::vector<Span> spans_;
    std::map<std::string, std::size_t> open_calls_;  // by the call's id
    std::optional<std::size_t> model_call_;          // the open one
};

}  // namespace chorus::channel
