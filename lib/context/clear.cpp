#include "context/clear.hpp"

#include "store/artifacts.hpp"
#include "store/messages.hpp"
#include "store/threads.hpp"
#include "sys/clock.hpp"

namespace chorus::context {

Cleared clear_context(store::Store& store, const agent::Home& home, const store::Agent& agent,
                      base::TimeMs after_time, const std::optional<SessionAbout>& save,
                      const policy::Redaction& redaction, Archive archive) {
    const auto messages = agent_messages(store, agent, after_time);
    Cleared cleared;
    if (save && !messages.empty())
        cleared.saved = write_session(home, agent, messages, *save, redaction);
    store::Transaction transaction(store);
    if (cleared.saved) store::insert_session(store, *cleared.saved);
    store::advance_clear(store, agent.id, sys::now_ms(), store::newest_message_id(store, agent.id));
    store::clear_summaries(store, agent.id);
    if (archive == Archive::artifacts)
        cleared.artifacts = store::archive_artifacts(store, agent.id);
    transaction.commit();
    const auto left = agent_messages(store, *store::find_agent(store, agent.id), after_time);
    cleared.messages = messages.size() - left.size();
    return cleared;
}

}  // namespace chorus::context
