#include "turn/turn.hpp"

#include <unistd.h>

#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "chat/json_text.hpp"
#include "context/window.hpp"
#include "life/trust.hpp"
#include "repo/repository.hpp"
#include "store/messages.hpp"
#include "store/records.hpp"
#include "store/settings.hpp"
#include "sys/clock.hpp"
#include "turn/audit_sink.hpp"
#include "turn/channel.hpp"
#include "turn/compact.hpp"
#include "turn/last_turn.hpp"
#include "turn/live.hpp"
#include "turn/queue.hpp"
#include "turn/said.hpp"
#include "turn/shutdown.hpp"
#include "turn/tasks.hpp"
#include "turn/trust.hpp"

namespace chorus::turn {
namespace {

using base::Error;
using base::ErrorCode;
using base::ExitStatus;
using store::TurnState;

// What --resume needs of the options that began the turn.
std::string store_options(const TurnOptions& options, const Settings& settings,
                          std::int64_t fresh_after) {
    chat::JsonText out;
    out.begin_object().key("model").string(options.model);
    out.key("max_iterations").number(settings.max_iterations);
    out.key("on_ask").string(name(options.on_ask));
    if (fresh_after >= 0) out.key("fresh_after").number(fresh_after);
    return out.end_object().take();
}

TurnOptions stored_options(const TurnOptions& given, const store::Turn& turn,
                           std::int64_t& fresh_after) {
    TurnOptions options = given;
    const chat::Json stored =
        chat::parse_json(turn.options.empty() ? "{}" : turn.options, "turn options");
    options.model = chat::string_or(stored, "model");
    if (!options.max_iterations)
        options.max_iterations = chat::integer_or(stored, "max_iterations", 25);
    fresh_after = chat::integer_or(stored, "fresh_after", -1);
    options.directory = turn.working_directory;
    if (!given.on_ask_given)
        options.on_ask = parse_on_ask(chat::string_or(stored, "on_ask")).value_or(OnAsk::suspend);
    return options;
}

// The cumulative hash up to the newest message that the next request will hold.
std::string chain_of(Place& place, const AssembledWindow& window) {
    if (window.messages.empty()) return {};
    if (!window.cut_moved) {
        std::string stored = store::prefix_hash_of(place.store, window.messages.back().id);
        if (!stored.empty()) return stored;
    }
    std::string chain;
    for (const chat::Message& message : window.messages)
        chain = context::chained_hash(chain, message);
    store::Transaction transaction(place.store);
    store::set_window_start(place.store, place.agent.id, place.thread.id,
                            place.thread.window_start);
    transaction.commit();
    return chain;
}

store::Turn new_turn(const Place& place, const TurnOptions& options,
                     const Surroundings& surroundings, const Loaded& loaded,
                     std::int64_t fresh_after) {
    store::Turn turn;
    turn.agent_id = place.agent.id;
    turn.thread_id = place.thread.id;
    turn.actor = actor_text(options.actor, surroundings.environment);
    turn.model = loaded.settings.model;
    turn.profile = loaded.configuration.permissions.name;
    turn.idempotency_key = options.idempotency_key;
    turn.options = store_options(options, loaded.settings, fresh_after);
    turn.working_directory = options.directory.empty() ? "" : place.root.path();
    turn.commit_before = repo::head_commit(place.root.path());
    return turn;
}

// AGENTS.md speaks to the model in every turn: that it changed since the last one is told and
// recorded.
void note_project_text(Place& place, const TurnOptions& options, const Surroundings& surroundings) {
    const auto message = project_message(place);
    if (!message) return;
    const std::string scope = "agent/" + std::to_string(place.agent.id);
    const std::string key = "project-text " + place.root.path();
    const std::string hash = base::sha256_hex(message->content);
    const std::string before = store::find_setting(place.store, scope, key);
    if (before == hash) return;
    store::Transaction transaction(place.store);
    store::set_setting(place.store, scope, key, hash);
    if (!before.empty())
        store::append_audit(place.store,
                            {.agent_id = place.agent.id,
                             .agent_name = place.agent.name,
                             .timestamp = sys::now_ms(),
                             .turn_id = 0,
                             .action = "project-text:AGENTS.md",
                             .decision = "allow",
                             .user_id = static_cast<std::int64_t>(getuid()),
                             .actor = actor_text(options.actor, surroundings.environment),
                             .detail = "changed: sha256 " + before + " to " + hash});
    transaction.commit();
    if (!before.empty()) surroundings.warn("AGENTS.md has changed since the last turn");
}

void refresh_index(Place& place, const agent::Configuration& configuration) {
    store::Agent row = place.agent;
    row.permissions = configuration.permissions.name;
    row.description = place.redaction.apply(configuration.description);
    row.channel_id = configuration.channel_id;
    if (!configuration.model.empty()) row.model = configuration.model;
    if (row.model == place.agent.model && row.permissions == place.agent.permissions &&
        row.description == place.agent.description && row.channel_id == place.agent.channel_id)
        return;
    store::Transaction transaction(place.store);
    store::refresh_agent_index(place.store, row);
    transaction.commit();
}

// A finished turn with this key answers again.
std::optional<chat::TurnResult> answered_before(Place& place, const TurnOptions& options) {
    if (options.idempotency_key.empty()) return std::nullopt;
    if (place.redaction.holds_active(options.idempotency_key))
        throw Error(ErrorCode::bad_request, "--idempotency-key: it holds a key");
    const auto turn = store::find_turn_by_key(place.store, place.agent.id, options.idempotency_key);
    if (!turn || turn->ended_at == 0 || turn->state != TurnState::idle || turn->result.empty())
        return std::nullopt;
    return chat::parse_result(turn->result);
}

// One that failed, crashed or was given up may be tried again under its key.
void release_key(Place& place, const TurnOptions& options) {
    if (options.idempotency_key.empty()) return;
    const auto turn = store::find_turn_by_key(place.store, place.agent.id, options.idempotency_key);
    if (!turn) return;
    if (turn->ended_at == 0)
        throw Error(ErrorCode::agent_busy, "agent '" + place.agent.name +
                                               "': a turn with this idempotency key is open on " +
                                               "thread " + std::to_string(turn->thread_id));
    store::Turn released = *turn;
    released.idempotency_key.clear();
    store::Transaction transaction(place.store);
    store::update_turn(place.store, released);
    transaction.commit();
}

// Nothing has been committed yet.
void check_fits(const chat::Message& message, const TurnOptions& options,
                const Settings& settings) {
    const std::int64_t tokens = context::estimated_tokens(message);
    if (!options.inline_stdin || settings.token_budget == 0 || tokens <= settings.token_budget)
        return;
    throw Error(ErrorCode::bad_request,
                "--stdin inline: about " + std::to_string(tokens) +
                    " tokens, and the window holds " + std::to_string(settings.token_budget),
                "without inline it becomes a file that the model can view in parts");
}

chat::TurnResult begin_and_run(Place& place, const TurnOptions& options,
                               const Surroundings& surroundings, Loaded loaded) {
    const std::int64_t newest =
        store::newest_message_id(place.store, place.agent.id, place.thread.id);
    WindowFrame frame = frame_for(place, loaded.settings, options.fresh, sys::now_ms());
    if (options.fresh) frame.after_message = std::max(frame.after_message, newest);
    AssembledWindow window;
    std::optional<std::string> chain;
    if (!options.fresh) {
        window = fit_window(place, loaded, surroundings, frame, 0, true);
        chain = chain_of(place, window);
    }
    Record record(
        place, new_turn(place, options, surroundings, loaded, options.fresh ? newest : -1), chain);
    // built before the first commit: what it cannot work with is refused while nothing has happened
    const std::string text = loaded.file;
    LiveTurn live(place, record, options, surroundings, std::move(loaded), frame);
    live.begin_with(std::move(window));
    check_may_begin(options, surroundings);
    auto running = settle_tasks(place, surroundings, text);
    std::optional<chat::Message> said;
    if (!options.resume && !options.retry)
        said = user_message(place, compose_message(place, options, Keep::yes, sys::now_ms()),
                            std::move(running));
    if (said) check_fits(*said, options, live.settings());
    record.begin(std::move(said));
    limit_waits(place.store, options);
    return live.take({});
}

// There is no turn to go on with; what waits in the inbox begins one.
chat::TurnResult resume_from_inbox(Place& place, const TurnOptions& options,
                                   const Surroundings& surroundings,
                                   const std::optional<store::Turn>& last) {
    if (!store::undelivered(place.store, place.agent.id, place.thread.id).empty())
        return begin_and_run(place, options, surroundings, load(place, options, surroundings));
    chat::TurnResult result = last ? about(place, *last) : chat::TurnResult{};
    result.agent = place.agent.name;
    result.thread = place.thread.id;
    result.reason = "nothing_to_do";
    return result;
}

// It was rewound, or a session was restored behind it: what it would go on with comes after that.
bool is_superseded(Place& place, const store::Turn& turn) {
    const auto messages = store::load_turn_messages(place.store, turn.id);
    return messages.empty() || store::is_restored_after(place.store, place.agent.id,
                                                        place.thread.id, messages.back().id);
}

chat::TurnResult resume(Place& place, const TurnOptions& given, const Surroundings& surroundings) {
    mend_transcript(place);
    const auto [last, crashed] = take_over(place, surroundings);
    if (!last || last->state == TurnState::idle || is_superseded(place, *last))
        return resume_from_inbox(place, given, surroundings, last);
    if (last->state == TurnState::prompt) {
        const auto pending = asked_of(place, *last).pending;
        if (!pending.empty() && !surroundings.ask) return still_waiting(place, *last, pending);
    }
    if (last->state == TurnState::parked && last->resume_at > sys::now_ms())
        refuse_parked(place, *last);

    std::int64_t fresh_after = -1;
    const TurnOptions options = stored_options(given, *last, fresh_after);
    if (!options.directory.empty()) {
        place.root = root_for(place.store, place.directory, options, surroundings);
        if (place.root.path() != options.directory)
            throw Error(ErrorCode::bad_request,
                        "-C: " + base::quoted(options.directory) + ": a link leads elsewhere now");
    }
    Loaded loaded = load(place, options, surroundings);
    WindowFrame frame = frame_for(place, loaded.settings, fresh_after >= 0, last->started_at);
    if (fresh_after >= 0) frame.after_message = std::max(frame.after_message, fresh_after);
    auto unfinished = unfinished_calls(place, *last);
    if (crashed) say_recovered(surroundings, *last, unfinished);
    if (options.retry) {
        Record settling(place, *last, stored_chain(place));
        settle_calls(settling, std::exchange(unfinished, {}));
        drop_failed_tail(place, *last);
    }
    Record record(place, *last, stored_chain(place));
    LiveTurn live(place, record, options, surroundings, std::move(loaded), frame);
    check_may_begin(options, surroundings);
    record.reopen(store::load_turn_messages(place.store, last->id).back());
    limit_waits(place.store, options);
    return live.take(unfinished);
}

// The decision is on record before the thread is waited for; then that very turn goes on.
TurnOptions after_decision(const TurnOptions& given, const Surroundings& surroundings) {
    Place place = open_place(given, surroundings, Hold::nothing);
    Decision decision = *given.decision;
    if (const auto turn = store::find_open_turn(place.store, place.agent.id, place.thread.id))
        decision.turn = turn->id;
    TurnOptions options = given;
    const Decider decider{surroundings.home,
                          surroundings.environment,
                          actor_text(given.actor, surroundings.environment),
                          surroundings.on_decision,
                          surroundings.warn,
                          &options.held};
    const auto decided = decide(place.store, decider, given.agent, decision);
    options.decision.reset();
    options.resume = true;
    if (const auto turn = store::find_turn(place.store, decided.front().turn_id))
        options.thread = std::to_string(turn->thread_id);
    if (options.wait_ms == 0) options.wait_ms = -1;
    return options;
}

chat::TurnResult take_turn_in(Place& place, const TurnOptions& options,
                              const Surroundings& surroundings) {
    if (options.queue)
        if (const auto queued = queue_or_lock(place, options, surroundings)) return *queued;
    if (const auto before = answered_before(place, options)) return *before;
    // an agent that is older than the record of what is trusted
    if (life::trusted_part(place.store, place.agent.id).empty())
        (void)life::settled_trust(
            place.store, place.agent, agent::load_configuration(place.directory).text,
            {static_cast<std::int64_t>(getuid()),
             actor_text(options.actor, surroundings.environment), place.redaction});
    if (options.resume || options.retry) return resume(place, options, surroundings);
    Loaded loaded = load(place, options, surroundings);
    if (options.new_thread) {
        begin_thread(place, options, surroundings);
        surroundings.warn("thread " + std::to_string(place.thread.id));
    }
    mend_transcript(place);
    refresh_index(place, loaded.configuration);
    note_project_text(place, options, surroundings);
    ask_for_trust(place, loaded, surroundings);
    if (const auto waiting = settle_last_turn(place, options, surroundings)) return *waiting;
    release_key(place, options);
    return begin_and_run(place, options, surroundings, std::move(loaded));
}

}  // namespace

std::string_view name(OnAsk on_ask) {
    constexpr std::array<std::string_view, 3> names{"suspend", "deny", "fail"};
    return names[static_cast<std::size_t>(on_ask)];
}

std::optional<OnAsk> parse_on_ask(std::string_view text) {
    for (const OnAsk one : {OnAsk::suspend, OnAsk::deny, OnAsk::fail})
        if (name(one) == text) return one;
    return std::nullopt;
}

chat::TurnResult take_turn(const TurnOptions& options, const Surroundings& surroundings) {
    if (options.decision) return take_turn(after_decision(options, surroundings), surroundings);
    Place place = open_place(options, surroundings, options.queue ? Hold::agent_lock : Hold::locks);
    place.held = options.held;
    chat::TurnResult result = take_turn_in(place, options, surroundings);
    deliver_audit(place.store,
                  {place.home_configuration.audit_sink, surroundings.home.audit_lock()},
                  surroundings.warn);
    // whoever reads the result may go on with the thread
    place.thread_lock.reset();
    place.agent_lock.reset();
    if (surroundings.on_end) surroundings.on_end(result);
    if (!place.news.empty())
        post_to_channel({.home = surroundings.home,
                         .environment = surroundings.environment,
                         .store = place.store,
                         .agent = place.agent,
                         .warn = surroundings.warn,
                         .redaction = place.redaction,
                         .interrupt = &surroundings.interrupt,
                         .actor = actor_text(options.actor, surroundings.environment),
                         .turn_id = result.turn_id},
                        place.news);
    return result;
}

}  // namespace chorus::turn
