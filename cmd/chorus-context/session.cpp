#include "chorus-context/session.hpp"

#include <iostream>

#include "context/saved.hpp"
#include "sys/signals.hpp"

namespace chorus::context_command {

place::Surroundings surroundings_of(const Opened& opened) {
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

void write_members(chat::JsonText& out, const store::Session& session) {
    write_text(out, "agent", session.agent_name);
    write_text(out, "id", session.id);
    write_text(out, "description", session.description);
    write_text(out, "summary", session.summary);
    write_text(out, "trigger", session.trigger);
    write_time(out, "saved_at", session.saved_at);
    out.key("message_count").number(session.message_count);
    write_time(out, "window_start_at", session.window_start);
    write_time(out, "window_end_at", session.window_end);
    write_text(out, "file", session.file_path);
    write_text(out, "sha256", session.sha256);
}

void write_session(chat::JsonText& out, const char* key,
                   const std::optional<store::Session>& session) {
    out.key(key);
    if (session) {
        write_members(out.begin_object(), *session);
        out.end_object();
    } else {
        out.null();
    }
}

void print_json(const store::Session& session) {
    chat::JsonText out = chat::open_object("saved-session");
    write_members(out, session);
    std::cout << out.end_object().text() << '\n';
}

std::string described(const store::Session& session) {
    return "session " + one_line(context::short_id(session.id)) + ": " +
           one_line(session.description) + " (" + counted(session.message_count, "message") + ")";
}

}  // namespace chorus::context_command
