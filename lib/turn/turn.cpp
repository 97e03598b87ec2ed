#include "turn/turn.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "approval/decision.hpp"
#include "approval/widening.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "channel/audit_sink.hpp"
#include "channel/posting.hpp"
#include "chat/json.hpp"
#include "context/forgetting.hpp"
#include "context/prompt_texts.hpp"
#include "context/window.hpp"
#include "life/trust.hpp"
#include "place/agent_tasks.hpp"
#include "place/shutdown.hpp"
#include "place/waiting.hpp"
#include "repo/repository.hpp"
#include "store/messages.hpp"
#include "store/records.hpp"
#include "store/settings.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "turn/alerts.hpp"
#include "turn/attaching.hpp"
#include "turn/compact.hpp"
#include "turn/ephemeral.hpp"
#include "turn/kept_options.hpp"
#include "turn/keyed.hpp"
#include "turn/last_turn.hpp"
#include "turn/live.hpp"
#include "turn/notice.hpp"
#include "turn/said.hpp"

namespace chorus::turn {
namespace {

using base::Error;
using base::ErrorCode;
using base::ExitStatus;
using store::TurnState;

// Returns whether the stored hash of the newest message belongs to this window. Hashes of messages
// up to the first request with the present prefix were made with other messages before them.
bool is_hashed_anew(place::Place& place, const AssembledWindow& window) {
    const auto prefix = store::newest_prefix(place.store, place.agent.id, place.thread.id);
    return !window.cut_moved && (!prefix || window.messages.back().id > prefix->message_id);
}

// Returns the cumulative hash up to the newest message of the next request.
std::string chain_of(place::Place& place, const AssembledWindow& window) {
    if (window.messages.empty()) return {};
    if (is_hashed_anew(place, window)) {
        std::string stored = store::prefix_hash_of(place.store, window.messages.back().id);
        if (!stored.empty()) return stored;
    }
    std::string chain;
    for (const chat::Message& message : window.messages)
        chain = context::chained_hash(chain, message);
    return chain;
}

store::Turn new_turn(const place::Place& place, const place::Loaded& loaded) {
    const place::TurnOptions& options = place.options;
    store::Turn turn;
    turn.agent_id = place.agent.id;
    turn.thread_id = place.thread.id;
    turn.actor = place.actor();
    turn.model = loaded.settings.model;
    turn.profile = loaded.rights.name;
    turn.idempotency_key = options.idempotency_key;
    const repo::Head head = repo::head_of(place.root.path());
    turn.options = kept_options(options, loaded.settings, place.redaction, head.ref);
    const bool is_elsewhere = !options.directory.empty() || !place.agent.place.empty();
    turn.working_directory = is_elsewhere ? place.root.path() : "";
    turn.commit_before = head.commit;
    return turn;
}

// AGENTS.md is sent to the model in every turn, so a change since the last turn is reported and
// recorded.
void note_project_text(place::Place& place) {
    const context::ProjectText project = context::project_text(place.root);
    if (!project.fault.empty())
        place.surroundings.warn(project.fault + "; the turn goes on without it");
    if (!project.text) return;
    const std::string scope = "agent/" + std::to_string(place.agent.id);
    const std::string key = "project-text " + place.root.path();
    const std::string hash = base::sha256_hex(place.redaction.apply(*project.text));
    const std::string before = store::find_setting(place.store, scope, key);
    if (before == hash) return;
    store::Transaction transaction(place.store);
    store::set_setting(place.store, scope, key, hash);
    if (!before.empty())
        store::append_audit(place.store, place.agent,
                            {.action = "project-text:AGENTS.md",
                             .decision = "allow",
                             .actor = place.actor(),
                             .detail = "changed: sha256 " + before + " to " + hash});
    transaction.commit();
    if (!before.empty()) place.surroundings.warn("AGENTS.md has changed since the last turn");
}

void warn_of_unread(const std::vector<std::string>& keys, const char* file,
                    const place::Surroundings& surroundings) {
    if (!keys.empty())
        surroundings.warn(std::string(file) + ": nothing reads " + base::quoted_list(keys));
}

void refresh_index(place::Place& place, const agent::Configuration& configuration) {
    store::Agent row = place.agent;
    row.permissions = configuration.permissions.name;
    // that of a sub-agent is the one it was spawned with
    if (row.parent_id == 0) row.description = place.redaction.apply(configuration.description);
    row.channel_id = configuration.channel_id;
    if (!configuration.model.empty()) row.model = configuration.model;
    if (row.model == place.agent.model && row.permissions == place.agent.permissions &&
        row.description == place.agent.description && row.channel_id == place.agent.channel_id)
        return;
    store::Transaction transaction(place.store);
    store::refresh_agent_index(place.store, row);
    transaction.commit();
}

// The files may have changed since the last turn, or while a question was pending.
void note_changed_files(place::Place& place, const place::Loaded& loaded) {
    warn_of_unread(loaded.configuration.unread, place.directory.file(), place.surroundings);
    warn_of_unread(place.home_configuration.unread, "config.json", place.surroundings);
    refresh_index(place, loaded.configuration);
    note_project_text(place);
    approval::ask_for_trust(place, loaded.untrusted);
}

chat::TurnResult begin_and_run(place::Place& place, place::Loaded loaded) {
    const place::TurnOptions& options = place.options;
    WindowFrame frame = frame_for(place, loaded.settings, sys::now_ms());
    frame.is_fresh = options.fresh;
    AssembledWindow window;
    std::optional<std::string> chain;
    if (!options.fresh) {
        window = fit_window(place, loaded, frame, 0);
        chain = chain_of(place, window);
    }
    const std::int64_t room =
        comes_from_elsewhere(options) ? room_for_messages(place, loaded, {}) : 0;
    Record record(place, new_turn(place, loaded), chain);
    // built before the first commit, so that invalid settings are refused before anything is
    // changed
    const std::string text = loaded.file;
    // on the heap: a turn works with a small stack
    const auto live = std::make_unique<LiveTurn>(place, record, std::move(loaded), frame);
    live->begin_with(std::move(window));
    place::check_may_begin(options, place.surroundings);
    auto running = place::settle_tasks(place, text);
    std::optional<chat::Message> said;
    if (!options.says_nothing())
        said = user_message(place, compose_message(place, KeepArtifact::yes), std::move(running));
    if (said) check_fits(*said, options, room);
    record.begin(std::move(said));
    place::limit_waits(place);
    chat::TurnResult result = live->take({});
    if (!options.says_nothing()) result.accepted = true;
    return result;
}

// Whether questions stay pending: nobody can be asked, and --on-ask was not given to settle them.
bool asks_nobody(const place::Place& place) {
    const place::TurnOptions& options = place.options;
    return !place.surroundings.ask &&
           !(options.on_ask_given && options.on_ask != place::OnAsk::suspend);
}

chat::TurnResult nothing_to_resume(place::Place& place, const std::optional<store::Turn>& last) {
    place.surroundings.warn(place.options.decided.empty()
                                ? "there is nothing to continue"
                                : "another process has continued the turn: chorus-context log " +
                                      place.agent.name + " shows it");
    return nothing_to_do(place, last);
}

chat::TurnResult begin_for_inbox(place::Place& place) {
    place::Loaded loaded = place::load(place);
    note_changed_files(place, loaded);
    return begin_and_run(place, std::move(loaded));
}

// Functions that the usual turn does not need are not inlined: the stack would hold what each of
// them loads.
[[gnu::noinline]] chat::TurnResult resume(place::Place& place) {
    const place::TurnOptions given = place.options;
    mend_transcript(place);
    warn_of_clock(place.agent, place.surroundings.warn);
    auto [last, crashed] = take_over(place);
    check_not_given_up(place, last);
    if (!last || (last->state == TurnState::idle && !may_go_on(given, *last)) ||
        is_superseded(place.store, *last))
        return has_inbox(place) ? begin_for_inbox(place) : nothing_to_resume(place, last);
    place.options = options_to_resume(given, *last);
    const place::TurnOptions& options = place.options;
    if (!options.directory.empty() || !given.directory.empty() || !place.agent.place.empty())
        place.root = place::root_of_turn(place);
    if (last->state == TurnState::prompt && asks_nobody(place))
        if (auto waiting = still_asked(place, *last)) return std::move(*waiting);
    base::TimeMs parked_until = 0;
    if (last->state == TurnState::parked) {
        const model::Provider provider =
            place.catalog.require_provider(model::parse_model_name(last->model).provider);
        const std::string credential = place::keys_for(place).credential(provider);
        if (auto parked = still_parked(place, *last, credential)) return std::move(*parked);
        if (waits_for(*last, credential)) parked_until = last->resume_at;
    }
    last->options = renewed_options(*last, options, place.redaction);
    place::Loaded loaded = place::load(place);
    note_changed_files(place, loaded);
    WindowFrame frame =
        frame_for(place, loaded.settings, std::min(last->started_at, sys::now_ms()));
    frame.is_fresh = options.fresh;
    auto unfinished = unfinished_calls(place, *last);
    if (crashed) say_recovered(place, *last, unfinished);
    if (options.retry) {
        end_waiting_below(place, *last);
        Record settling(place, *last, stored_chain(place, *last));
        settle_calls(settling, std::exchange(unfinished, {}));
        drop_failed_tail(place, *last);
    }
    Record record(place, *last, stored_chain(place, *last));
    const auto live = std::make_unique<LiveTurn>(place, record, std::move(loaded), frame);
    place::check_may_begin(options, place.surroundings);
    record.reopen(store::load_turn_messages(place.store, last->id).back());
    place::limit_waits(place);
    if (parked_until != 0) live->begin_parked(parked_until);
    return live->take(unfinished);
}

// A turn with a key is never begun again: its result is returned once more, or it continues.
[[gnu::noinline]] chat::TurnResult repeat(place::Place& place) {
    const store::Turn turn = *store::find_turn(place.store, place.keyed->id);
    check_same_prompt(turn, place.options);
    check_not_its_own(place, turn);
    if (place::has_answered(turn)) {
        chat::TurnResult result = chat::parse_result(turn.result);
        result.replayed = true;
        result.accepted = true;
        return result;
    }
    const auto newest = store::newest_turn(place.store, place.agent.id, place.thread.id);
    if (newest->id != turn.id || is_superseded(place.store, turn))
        throw Error(
            ErrorCode::failed,
            "--idempotency-key: turn " + std::to_string(turn.turn_number) + " of thread " +
                std::to_string(turn.thread_id) +
                " has this key, did not finish and cannot be resumed: the thread has gone on",
            "chorus-context messages " + place.agent.name +
                " shows what it did; another key begins a new turn");
    if (const std::string told = told_of_unused(place, turn); !told.empty())
        place.surroundings.warn(told);
    place.options.resume = true;
    place.options.max_iterations.reset();
    chat::TurnResult result = resume(place);
    result.accepted = true;
    return result;
}

// Records the decision before waiting for the thread; then exactly that turn continues.
[[gnu::noinline]] place::TurnOptions after_decision(const place::TurnOptions& given,
                                                    const place::Surroundings& surroundings) {
    place::Place place = place::open_place(given, surroundings);
    place::PromptDecision decision = *given.decision;
    if (const auto turn = store::find_open_turn(place.store, place.agent.id, place.thread.id))
        decision.turn = turn->id;
    place::TurnOptions options = given;
    const approval::DecisionContext decider{surroundings.home, surroundings.environment,
                                            place.actor(), surroundings.warn, &options.held};
    const auto decided = approval::decide(place.store, decider, given.agent, decision);
    if (surroundings.on_decision)
        std::for_each(decided.begin(), decided.end(), surroundings.on_decision);
    for (const store::Prompt& prompt : decided) options.decided.push_back(prompt.id);
    options.decision.reset();
    options.resume = true;
    continue_from_top(options, place, decided.front());
    if (options.wait_ms == 0) options.wait_ms = -1;
    return options;
}

[[gnu::noinline]] chat::TurnResult take_turn_in(place::Place& place) {
    const place::TurnOptions& options = place.options;
    const place::Surroundings& surroundings = place.surroundings;
    if (options.queue)
        if (const auto queued = queue_or_lock(place)) return *queued;
    if (!place.directory.is_of_sub_agent() &&
        life::trusted_part(place.store, place.agent.id).empty())
        (void)life::settled_trust(place.store, place.agent,
                                  agent::load_configuration(place.directory).text,
                                  {place.actor(), place.redaction});
    approval::check_given_permissions(place);
    if (place.keyed) return repeat(place);
    if (options.resume || options.retry) return resume(place);
    if (options.inbox && !has_inbox(place)) {
        const auto last = store::newest_turn(place.store, place.agent.id, place.thread.id);
        return last && leaves_messages(place.store, *last) ? resume(place)
                                                           : nothing_to_do(place, last);
    }
    place::Loaded loaded = place::load(place);
    check_attachments(options, loaded.settings);
    if (options.ephemeral) {
        begin_ephemeral_thread(place, loaded.settings.rolling_window_ms);
    } else if (options.new_thread) {
        place::begin_thread(place);
        surroundings.warn("thread " + std::to_string(place.thread.id));
    }
    context::forget_leftovers(surroundings.home, place.store, place.agent, [&](auto thread) {
        alert_of_killed(surroundings, place.store, place.redaction, place.agent, thread);
    });
    mend_transcript(place);
    warn_of_clock(place.agent, surroundings.warn);
    note_changed_files(place, loaded);
    const std::string credential =
        place::keys_for(place).credential(loaded.settings.endpoint.provider);
    if (const auto waiting = settle_last_turn(place, credential)) return *waiting;
    return begin_and_run(place, std::move(loaded));
}

struct Taken {
    chat::TurnResult result;
    bool goes_on = false;  // it ended by itself, and a message came too late for it
};

[[gnu::noinline]] void conclude(place::Place& place, Taken& taken) {
    const place::Surroundings& surroundings = place.surroundings;
    forget_if_over(place, taken.result);
    const chat::TurnResult& result = taken.result;
    taken.goes_on = result.state == chat::State::completed && !result.replayed && has_inbox(place);
    channel::deliver_audit(place.store,
                           {place.home_configuration.audit_sink, surroundings.home.audit_lock()},
                           surroundings.warn);
    // released first: the reader of the result may use the thread at once
    place.thread_lock.reset();
    place.key_lock.reset();
    place.agent_lock.reset();
    if (surroundings.on_end) surroundings.on_end(result);
    if (place.newest_post == 0) return;
    channel::Posting posting = channel::posting_of(surroundings, place.store, place.agent,
                                                   place.redaction, place.options.actor);
    posting.turn_id = result.turn_id;
    channel::post_outbox(posting, place.newest_post);
}

Taken take_one(const place::TurnOptions& given, const place::Surroundings& surroundings) {
    place::FoundAgent found = place::find_agent(given, surroundings);
    if (const auto top = from_top(given, found.store, found.agent))
        return take_one(*top, surroundings);
    const place::TurnOptions options = with_thread(given, found, surroundings);
    // another prompt with the key is refused at once
    (void)turn_of_key(found.store, found.agent.id, options);
    Taken taken;
    std::unique_ptr<place::Place> place;  // large: not on the stack
    try {
        if (!options.queue) place::hold_if_free(found, surroundings);
        place.reset(new place::Place(place::open_place(found, options, surroundings)));
        auto nothing = options.inbox ? nothing_to_take_up(*place) : std::nullopt;
        if (!nothing && !options.queue) place::lock_place(*place);
        taken.result = nothing ? std::move(*nothing) : take_turn_in(*place);
    } catch (const Error& error) {
        if (place && options.ephemeral) forget_thread(*place);
        store::Store& store = place ? place->store : found.store;
        const auto turn = turn_of_key(store, found.agent.id, options);
        if (!turn) throw;
        taken.result = kept_from_going_on(store, found.agent.name, *turn, error, surroundings);
    }
    if (place)
        conclude(*place, taken);
    else if (surroundings.on_end)
        surroundings.on_end(taken.result);
    return taken;
}

// Messages queued during the last answer begin turns of their own; the result of the requested turn
// does not change.
[[gnu::noinline]] void take_up_inbox(const place::TurnOptions& options, store::ThreadId thread,
                                     const place::Surroundings& surroundings) {
    place::TurnOptions next;
    next.agent = options.agent;
    next.thread = std::to_string(thread);
    next.inbox = true;
    next.deadline_ms = options.deadline_ms;
    next.actor = options.actor;
    next.groom = options.groom;
    place::Surroundings silent = surroundings;
    silent.on_event = [](const chat::Event&, const chat::EventSource&) {};
    silent.shows_text = false;
    silent.ask = {};
    silent.on_end = [&](const chat::TurnResult& result) {
        if (result.error) surroundings.warn(result.error->message());
    };
    surroundings.warn("thread " + next.thread +
                      ": a message queued meanwhile gets a turn of its own; its answer goes to "
                      "the transcript");
    try {
        while (take_one(next, silent).goes_on) {
        }
    } catch (const Error& error) {
        // another process has the thread and takes the message
        if (error.code() != ErrorCode::agent_busy) surroundings.warn(error.message());
    }
}

}  // namespace

chat::TurnResult take_turn(const place::TurnOptions& options,
                           const place::Surroundings& surroundings) {
    if (options.decision) return take_turn(after_decision(options, surroundings), surroundings);
    Taken taken = take_one(options, surroundings);
    if (taken.goes_on) take_up_inbox(options, taken.result.thread, surroundings);
    return std::move(taken.result);
}

}  // namespace chorus::turn
