#include "channel/trace.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/id.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "chat/json_text.hpp"
#include "sys/clock.hpp"

namespace chorus::channel {
namespace {

constexpr int internal_kind = 1;
constexpr int client_kind = 3;
constexpr int error_code = 2;
constexpr std::size_t trace_id_length = 32;
constexpr std::size_t span_id_length = 16;

constexpr std::string_view finish_reasons = "gen_ai.response.finish_reasons";  // a list

// Providers that the conventions name otherwise.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> provider_names{
    {{"google", "gcp.gemini"}, {"mistral", "mistral_ai"}, {"xai", "x_ai"}}};

std::string random_hex(std::size_t length) {
    return base::sha256_hex(base::random_uuid()).substr(0, length);
}

bool is_id(std::string_view text, std::size_t length) {
    return text.size() == length &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
           text.find_first_not_of('0') != std::string_view::npos;
}

std::string nanoseconds(base::TimeMs ms) {
    return std::to_string(ms) + "000000";
}

std::string provider_of(const std::string& model) {
    const std::string provider = model.substr(0, model.find('/'));
    const auto* const found =
        std::find_if(provider_names.begin(), provider_names.end(),
                     [&](const auto& name) { return name.first == provider; });
    return found == provider_names.end() ? provider : std::string(found->second);
}

void add_usage(std::vector<std::pair<std::string, std::int64_t>>& numbers,
               const chat::Usage& usage) {
    numbers.emplace_back("gen_ai.usage.input_tokens", usage.input_tokens);
    numbers.emplace_back("gen_ai.usage.output_tokens", usage.output_tokens);
    numbers.emplace_back("gen_ai.usage.cache_read.input_tokens", usage.cache_read_tokens);
    numbers.emplace_back("gen_ai.usage.cache_creation.input_tokens", usage.cache_write_tokens);
}

sys::LineLog open_log(const std::string& file, const Trace::Source& source) {
    try {
        return sys::LineLog(file);
    } catch (const base::Error& error) {
        throw base::Error(source.code, std::string(source.name) + ": " + error.message(),
                          "name a regular file that you may write");
    }
}

void write_attribute(chat::JsonText& out, std::string_view key, std::string_view type,
                     std::string_view value) {
    out.begin_object().member("key", key).key("value").begin_object();
    if (key == finish_reasons) {
        out.key("arrayValue").begin_object().key("values").begin_array();
        out.begin_object().member(type, value).end_object();
        out.end_array().end_object();
    } else {
        out.member(type, value);
    }
    out.end_object().end_object();
}

}  // namespace

Trace::Trace(const std::string& file, const std::string& parent, const Source& source)
    : file_(open_log(file, source)), turn_(begin("invoke_agent", internal_kind, "invoke_agent")) {
    const auto parts = base::split(parent, '-');
    const bool is_usable = parts.size() == 4 && parts[0] == "00" &&
                           is_id(parts[1], trace_id_length) && is_id(parts[2], span_id_length) &&
                           parts[3].size() == 2 &&
                           parts[3].find_first_not_of("0123456789abcdef") == std::string_view::npos;
    if (is_usable) flags_ = parts[3];
    trace_id_ = is_usable ? std::string(parts[1]) : random_hex(trace_id_length);
    if (is_usable) parent_id_ = parts[2];
}

std::string Trace::traceparent() const {
    return "00-" + trace_id_ + "-" + turn_.id + "-" + flags_;
}

Trace::Span Trace::begin(std::string name, int kind, std::string_view operation) {
    Span span{.id = random_hex(span_id_length),
              .name = std::move(name),
              .kind = kind,
              .began = sys::now_ms()};
    span.texts.emplace_back("gen_ai.operation.name", operation);
    return span;
}

void Trace::begin_model_call(const std::string& data) {
    const std::string model = chat::string_or(chat::parse_json(data, "event"), "model");
    Span span = begin("chat " + model, client_kind, "chat");
    span.texts.emplace_back("gen_ai.provider.name", provider_of(model));
    span.texts.emplace_back("gen_ai.request.model", model.substr(model.find('/') + 1));
    model_call_ = spans_.size();
    spans_.push_back(std::move(span));
}

void Trace::end_model_call(const std::string& data) {
    if (!model_call_) return;
    Span& span = spans_[*std::exchange(model_call_, std::nullopt)];
    const chat::Json answer = chat::parse_json(data, "event");
    span.ended = sys::now_ms();
    span.error = chat::string_or(answer, "error");
    span.texts.emplace_back(finish_reasons, chat::string_or(answer, "stop"));
    const chat::Json& used = chat::member(answer, "usage");
    add_usage(span.numbers, {.input_tokens = chat::integer_or(used, "input_tokens"),
                             .output_tokens = chat::integer_or(used, "output_tokens"),
                             .cache_read_tokens = chat::integer_or(used, "cache_read_tokens"),
                             .cache_write_tokens = chat::integer_or(used, "cache_write_tokens")});
}

void Trace::event(const chat::Event& event) {
    if (std::holds_alternative<chat::Subtask>(event)) return;  // has spans of its own
    has_run_ = true;
    if (const auto* internal = std::get_if<chat::InternalEvent>(&event)) {
        if (internal->kind == "internal:model-call") begin_model_call(internal->data);
        if (internal->kind == "internal:model-answer") end_model_call(internal->data);
    } else if (const auto* call = std::get_if<chat::CallEvent>(&event)) {
        Span span = begin("execute_tool " + call->call.name, internal_kind, "execute_tool");
        span.texts.emplace_back("gen_ai.tool.name", call->call.name);
        span.texts.emplace_back("gen_ai.tool.call.id", call->call.id);
        open_calls_[call->call.id] = spans_.size();
        spans_.push_back(std::move(span));
    } else if (const auto* done = std::get_if<chat::CallComplete>(&event)) {
        const auto found = open_calls_.find(done->id);
        if (found == open_calls_.end()) return;
        Span& span = spans_[found->second];
        open_calls_.erase(found);
        span.ended = sys::now_ms();
        span.began = std::max(span.began, span.ended - done->duration_ms);
        span.texts.emplace_back("chorus.tool.outcome", done->outcome);
        if (done->outcome != "ok") span.error = done->outcome;
    }
}

void Trace::write(chat::JsonText& out, const Span& span) const {
    out.begin_object().member("traceId", trace_id_).member("spanId", span.id);
    const std::string& parent = &span == &turn_ ? parent_id_ : turn_.id;
    if (!parent.empty()) out.member("parentSpanId", parent);
    out.member("name", span.name).member("kind", span.kind);
    out.member("startTimeUnixNano", nanoseconds(span.began));
    out.member("endTimeUnixNano", nanoseconds(span.ended == 0 ? turn_.ended : span.ended));
    out.key("attributes").begin_array();
    for (const auto& [key, value] : span.texts)
        if (!value.empty()) write_attribute(out, key, "stringValue", value);
    for (const auto& [key, value] : span.numbers)
        write_attribute(out, key, "intValue", std::to_string(value));
    if (!span.error.empty()) write_attribute(out, "error.type", "stringValue", span.error);
    out.end_array().key("status").begin_object();
    if (!span.error.empty()) {
        out.member("code", error_code);
        if (!span.problem.empty()) out.member("message", span.problem);
    }
    out.end_object().end_object();
}

void Trace::finish(const chat::TurnResult& result,
                   const std::function<void(const std::string&)>& warn) try {
    if (!has_run_) return;  // refused, or repeated
    turn_.ended = sys::now_ms();
    turn_.name = "invoke_agent " + result.agent;
    turn_.texts.emplace_back("gen_ai.agent.name", result.agent);
    turn_.texts.emplace_back("gen_ai.conversation.id",
                             result.agent + "/" + std::to_string(result.thread));
    turn_.texts.emplace_back("chorus.turn.state", chat::name(result.state));
    const chat::Json metadata =
        chat::parse_json(result.metadata.empty() ? "{}" : result.metadata, "metadata");
    for (const auto& [key, value] : metadata.items())
        turn_.texts.emplace_back("chorus.meta." + key, value.get<std::string>());
    turn_.numbers.emplace_back("chorus.turn.id", result.turn_id);
    turn_.numbers.emplace_back("chorus.turn.exit_code", static_cast<int>(result.exit_status));
    add_usage(turn_.numbers, result.usage);
    if (result.error && result.state != chat::State::input_required) {
        turn_.error = result.error_category.empty() ? chat::name(result.state)
                                                    : std::string_view(result.error_category);
        turn_.problem = result.error->message();
    }
    chat::JsonText out;
    out.begin_object().key("resourceSpans").begin_array().begin_object();
    out.key("resource").begin_object().key("attributes").begin_array();
    write_attribute(out, "service.name", "stringValue", "chorus");
    out.end_array().end_object().key("scopeSpans").begin_array().begin_object();
    out.key("scope").begin_object().member("name", "chorus").end_object();
    out.key("spans").begin_array();
    write(out, turn_);
    for (const Span& span : spans_) write(out, span);
    out.end_array().end_object().end_array().end_object().end_array().end_object();
    file_.append(out.take() + "\n");
} catch (const base::Error& error) {
    warn("trace: " + error.message());
}

}  // namespace chorus::channel
