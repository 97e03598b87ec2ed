#include "turn/compact.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "context/compaction.hpp"
#include "context/restore.hpp"
#include "store/turns.hpp"
#include "turn/present.hpp"
#include "turn/summary.hpp"

namespace chorus::turn {
namespace {

using base::Error;
using base::ErrorCode;
using context::SessionMessage;

std::vector<SessionMessage> of_thread(const std::vector<chat::Message>& messages,
                                      store::ThreadId thread) {
    std::vector<SessionMessage> all;
    for (const chat::Message& message : messages) all.push_back({message, thread});
    return all;
}

std::vector<chat::Message> plain(const std::vector<SessionMessage>& messages) {
    std::vector<chat::Message> all;
    for (const SessionMessage& each : messages) all.push_back(each.message);
    return all;
}

context::SessionAbout about_compaction(const place::Settings& settings,
                                       const std::vector<SessionMessage>& messages) {
    return {.trigger = context::SessionTrigger::compaction,
            .model = settings.model,
            .description = context::topic(messages)};
}

// Returns false if there is no summary; the window is then cut without one.
bool compact_dropped(place::Place& place, const place::Settings& settings, const WindowFrame& frame,
                     std::int64_t open_turn, AssembledWindow& window, const std::string& why) {
    const place::Surroundings& surroundings = place.surroundings;
    std::vector<chat::Message> replaced;
    for (const chat::Message& message : window.messages)
        if (message.is_compaction) replaced.push_back(message);
    replaced.insert(replaced.end(), window.dropped.begin(), window.dropped.end());
    const Summary summary =
        summarize(of_thread(replaced, place.thread.id), SummaryFor::model,
                  {place.store, place.agent.id, open_turn, "", settings, place.home_configuration,
                   place.catalog, surroundings, place.options.profile_mode});
    window.usage = summary.usage;
    if (summary.text.empty()) {
        surroundings.warn(why + ": no summary: " + summary.problem);
        return false;
    }
    const auto whole =
        context::session_messages(place.store, place.agent, {place.thread.id}, frame.after_time);
    const auto saved = context::write_session(surroundings.home, place.agent, whole,
                                              about_compaction(settings, whole), place.redaction);
    context::write_compaction(place.store, place.thread, replaced,
                              context::compaction_message(replaced.size(), summary.text), saved);
    surroundings.warn(why + ": a summary replaces " +
                      base::counted(std::ssize(replaced), "message") + "; session " +
                      saved.id.substr(0, 8) + " keeps them");
    return true;
}

AssembledWindow after_compaction(place::Place& place, const place::Loaded& loaded,
                                 const WindowFrame& frame, std::int64_t open_turn,
                                 const chat::Usage& usage) {
    AssembledWindow window = assemble_window(place, loaded, frame, open_turn);
    place.thread = window.thread;
    window.cut_moved = true;
    window.usage = usage;
    return window;
}

}  // namespace

Compacted compact(store::Store& store, const store::Agent& agent, store::Thread thread,
                  const place::Surroundings& surroundings,
                  const std::function<life::HeldAgent()>& hold) {
    // a turn that waits will not have ended when the lock is held, so the model is not asked
    for (const store::Turn& turn : store::open_turns(store, agent.id))
        if (turn.pid == 0) context::require_no_open_turn(store, agent);
    const Present present = present_context(store, agent, {thread.id}, surroundings);
    const auto window = plain(present.messages);
    const std::size_t half = context::older_half(window);
    if (half == 0)
        throw Error(ErrorCode::not_found, "agent '" + agent.name + "': thread " +
                                              std::to_string(thread.id) +
                                              " has no earlier turn to summarise");
    const std::vector<chat::Message> replaced(window.begin(),
                                              window.begin() + static_cast<std::ptrdiff_t>(half));
    const Summary summary = summarize(of_thread(replaced, thread.id), SummaryFor::model,
                                      {store, agent.id, 0, present.problem, present.settings,
                                       present.home, present.catalog, surroundings, ""});
    if (summary.text.empty())
        throw Error(ErrorCode::provider_error, "compact: no summary: " + summary.problem,
                    "nothing was changed");

    const life::HeldAgent held = hold();
    context::require_no_open_turn(store, held.agent);
    if (plain(context::session_messages(store, held.agent, {thread.id}, present.after_time)) !=
        window)
        throw Error(ErrorCode::agent_busy,
                    "agent '" + agent.name + "': its context has changed meanwhile",
                    "nothing was changed; try again");
    Compacted compacted{half, window.size() - half, {}};
    compacted.saved = context::write_session(surroundings.home, held.agent, present.messages,
                                             about_compaction(present.settings, present.messages),
                                             present.redaction);
    context::write_compaction(store, thread, replaced,
                              context::compaction_message(half, summary.text), compacted.saved);
    return compacted;
}

AssembledWindow fit_window(place::Place& place, const place::Loaded& loaded,
                           const WindowFrame& frame, std::int64_t open_turn) {
    AssembledWindow window = assemble_window(place, loaded, frame, open_turn);
    place.thread = window.thread;
    if (loaded.settings.auto_compact && !place.options.ephemeral && !window.dropped.empty() &&
        compact_dropped(place, loaded.settings, frame, open_turn, window, "auto_compact")) {
        window = after_compaction(place, loaded, frame, open_turn, window.usage);
    } else if (!window.dropped.empty()) {
        place.surroundings.warn(
            base::counted(std::ssize(window.dropped), "message") +
            " no longer fit into the window; chorus-context compact would replace "
            "them with a summary");
    }
    if (open_turn == 0 && (window.cut_moved || window.limits_grew)) {
        store::Transaction transaction(place.store);
        store::set_cut(place.store, place.thread);
        transaction.commit();
    }
    return window;
}

std::optional<AssembledWindow> shrink_window(place::Place& place, const place::Loaded& loaded,
                                             const WindowFrame& frame, std::int64_t open_turn) {
    AssembledWindow window = assemble_window(place, loaded, frame, open_turn);
    const auto half = static_cast<std::ptrdiff_t>(context::older_half(window.messages));
    if (half == 0) return std::nullopt;
    const auto kept = window.messages.begin() + half;
    window.dropped.assign(window.messages.begin(), kept);
    window.messages.erase(window.messages.begin(), kept);
    if (!compact_dropped(place, loaded.settings, frame, open_turn, window,
                         "the conversation is larger than the context of " + loaded.settings.model))
        return std::nullopt;
    return after_compaction(place, loaded, frame, open_turn, window.usage);
}

}  // namespace chorus::turn
