#include "chorus-context/session.hpp"

#include "context/saved.hpp"

namespace chorus::command {

Fields fields_of(const store::Session& session) {
    return {{"agent", session.agent_name},
            {"id", session.id},
            {"description", session.description},
            {"summary", session.summary},
            {"trigger", session.trigger},
            {"saved_at", Time{session.saved_at}},
            {"message_count", session.message_count},
            {"window_start_at", Time{session.window_start}},
            {"window_end_at", Time{session.window_end}},
            {"file", session.file_path},
            {"sha256", session.sha256}};
}

cli::Value value_of(const std::optional<store::Session>& session) {
    return session ? fields_of(*session) : cli::Value();
}

std::string described(const store::Session& session) {
    return "session " + one_line(context::short_id(session.id)) + ": " +
           one_line(session.description) + " (" + counted(session.message_count, "message") + ")";
}

turn::Summaries summaries(bool by_rule) {
    return by_rule ? turn::Summaries::by_rule : turn::Summaries::by_model;
}

}  // namespace chorus::command
