#include "chorus-context/session.hpp"

#include "context/saved.hpp"
#include "sys/signals.hpp"

namespace chorus::context_command {

turn::Surroundings surroundings_of(const Opened& opened) {
    return {.home = opened.home,
            .environment = opened.environment,
            .interrupt = sys::Interrupt::install(),
            .on_event = [](const chat::Event&, const chat::EventSource&) {},
            .warn = notice,
            .ask = {}};
}

std::string minute(base::TimeMs time) {
    std::string text = base::iso8601(time).substr(0, 16);
    text[10] = ' ';
    return text;
}

void write_session(chat::JsonText& out, const store::Session& session) {
    out.key("id").string(session.id).key("agent").string(session.agent_name);
    out.key("description").string(session.description).key("summary").string(session.summary);
    out.key("trigger").string(session.trigger);
    cli::write_time(out, "saved_at", session.saved_at);
    out.key("message_count").number(session.message_count);
    cli::write_time(out, "window_start", session.window_start);
    cli::write_time(out, "window_end", session.window_end);
    out.key("file").string(session.file_path).key("sha256").string(session.sha256);
}

std::string described(const store::Session& session) {
    return "session " + one_line(context::short_id(session.id)) + ": " +
           one_line(session.description) + " (" + counted(session.message_count, "message") + ")";
}

}  // namespace chorus::context_command
