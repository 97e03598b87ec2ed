#include "turn/notice.hpp"

#include "approval/decision.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "context/transcript.hpp"
#include "store/believed.hpp"
#include "store/messages.hpp"
#include "sys/clock.hpp"
#include "turn/turn_record.hpp"

namespace chorus::turn {

void append_missing(store::Store& store, const store::Thread& thread, const std::string& path,
                    const policy::Redaction& redaction, std::int64_t until) {
    auto missing = store::load_messages_after(store, thread.agent_id, thread.id,
                                              context::last_transcript_message(path));
    std::erase_if(missing, [&](const chat::Message& message) { return message.id > until; });
    context::append_to_transcript(path, context::without_secrets(std::move(missing), redaction));
}

void tell_people(store::Store& store, const agent::Home& home, const store::Agent& agent,
                 const Notice& notice, const policy::Redaction& redaction,
                 const std::function<void(const std::string&)>& warn) {
    const agent::Directory directory = home.directory(agent.dir);
    try {
        for (const auto& [id, through] : notice.threads) {
            const auto thread = store::find_thread(store, agent.id, id);
            if (!thread) continue;
            const std::string path = context::transcript_path(directory, *thread);
            append_missing(store, *thread, path, redaction, notice.said_until);
            context::append_notice(
                path, notice.heading + " · " + base::iso8601(sys::now_ms()),
                base::visible(redaction.apply(notice.text)),
                through == 0 ? std::nullopt : std::optional<std::int64_t>(through));
        }
    } catch (const base::Error& error) {
        warn("transcript: " + error.message());
    }
}

void warn_of_clock(const store::Agent& agent, const std::function<void(const std::string&)>& warn) {
    const base::TimeMs now = sys::now_ms();
    if (store::is_believed(agent.last_activity, now)) return;
    warn("agent '" + agent.name + "': its last activity is dated " +
         base::iso8601(agent.last_activity) + ", but it is now " + base::iso8601(now) +
         ": a clock was wrong; the window and the idle time use the present clock");
}

std::string how_to_decide(const std::string& agent, const std::vector<store::Prompt>& waiting) {
    std::string text;
    for (const store::Prompt& prompt : waiting) {
        if (prompt.state != store::PromptState::pending) continue;
        const bool is_question = prompt.kind == chat::PromptKind::question;
        text += prompt.id + ": " +
                base::visible(approval::in_one_line(prompt), base::Newlines::escape) +
                "\n\n    chorus-run " + agent +
                (is_question ? " --answer " + prompt.id + " TEXT" : " --approve " + prompt.id) +
                "\n    chorus-run " + agent + " --deny " + prompt.id + "\n\n";
    }
    return text;
}

}  // namespace chorus::turn
