#include "turn/rewind.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "context/threads.hpp"
#include "context/transcript.hpp"
#include "store/messages.hpp"
#include "store/prompts.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "task/kept_plants.hpp"
#include "turn/last_turn.hpp"
#include "turn/place.hpp"
#include "turn/record.hpp"
#include "turn/recovery.hpp"

namespace chorus::turn {
namespace {

using base::Error;
using base::ErrorCode;

std::string named(std::int64_t message) {
    return "message " + std::to_string(message);
}

Place place_of(store::Store store, life::HeldAgent held, const RewindOptions& options,
               const Surroundings& surroundings) {
    const agent::Home& home = surroundings.home;
    const agent::Directory directory(home.path() + "/" + held.agent.dir);
    const store::Thread thread =
        context::require_thread(store, held.agent, directory, options.thread);
    sys::Root root = root_for(store, directory, {}, surroundings);
    return {.store = std::move(store),
            .agent = std::move(held.agent),
            .thread = thread,
            .directory = directory,
            .home_configuration = {},
            .root = std::move(root),
            .agent_lock = std::move(held.lock),
            .key_lock = {},
            .thread_lock = {}};
}

store::MessageRow require_beginning(Place& place, std::int64_t id) {
    auto row = store::find_message(place.store, id);
    const bool is_own = row && row->agent_id == place.agent.id;
    if (!is_own || row->thread_id != place.thread.id)
        throw Error(ErrorCode::not_found,
                    named(id) + ": thread " + std::to_string(place.thread.id) + " of agent '" +
                        place.agent.name + "' has none of that id",
                    is_own ? "it is in thread " + std::to_string(row->thread_id) + ": -t " +
                                 std::to_string(row->thread_id)
                           : "the thread's transcript shows the ids");
    if (!row->message.starts_turn)
        throw Error(ErrorCode::bad_request, named(id) + ": it began no turn",
                    "go back to before a message of the user");
    if (!row->is_kept)
        throw Error(ErrorCode::not_found, named(id) + ": it has left the window already",
                    "chorus-context branch " + place.agent.name + " BRANCH --at " +
                        std::to_string(id) + " begins a branch with it");
    return std::move(*row);
}

// The commit with which the turn of the message, or of its original, began.
std::string commit_before(Place& place, const store::MessageRow& row) {
    auto said = row.message.turn_id;
    if (said == 0 && row.original != 0)
        if (const auto original = store::find_message(place.store, row.original))
            said = original->message.turn_id;
    const auto turn = store::find_turn(place.store, said);
    if (turn && !turn->working_directory.empty())
        throw Error(ErrorCode::bad_request,
                    named(row.message.id) + ": its turn worked in " +
                        base::visible(turn->working_directory, base::Newlines::escape) +
                        ", not in the workspace",
                    "rewind without --workspace");
    if (!turn || turn->commit_before.empty())
        throw Error(ErrorCode::not_found,
                    named(row.message.id) + ": no commit of the workspace is known for it",
                    "rewind without --workspace");
    return turn->commit_before;
}

repo::Repository require_repository(const Place& place) {
    auto repository = repo::Repository::open(place.root.path());
    if (!repository)
        throw Error(ErrorCode::not_found,
                    "agent '" + place.agent.name + "': its workspace is no git repository",
                    "rewind without --workspace");
    return std::move(*repository);
}

// Closed, and each of its calls with a result: history shows how it ended.
std::int64_t give_up(Place& place, const store::Turn& turn, bool crashed) {
    const bool waits = turn.ended_at == 0;
    if (waits) end_open_turn(place, turn, "rewound");
    const auto calls = unfinished_calls(place, turn);
    if (!calls.empty()) {
        Record record(place, turn, stored_chain(place));
        settle_calls(record, calls, crashed ? "" : "cancelled");
    }
    return waits || crashed || !calls.empty() ? turn.turn_number : 0;
}

void reset_workspace(Place& place, Rewound& rewound, const Surroundings& surroundings) {
    const std::string& workspace = place.root.path();
    task::KeptPlants before(workspace, place.directory.call_plants(place.thread.id));
    rewound.aside = require_repository(place).reset(
        rewound.commit, "rewind-" + base::compact_utc(sys::now_ms()),
        {place.agent.name, place.agent.name + "@chorus.local"});
    if (const std::string told = before.told(); !told.empty())
        surroundings.warn("by going back " + told + task::plants_advice(workspace));
}

void take_back(Place& place, const RewindOptions& options, Rewound& rewound) {
    const base::TimeMs now = sys::now_ms();
    rewound.last = store::newest_kept_message_id(place.store, place.agent.id, place.thread.id);
    store::Transaction transaction(place.store);
    rewound.messages =
        store::rewind_messages(place.store, place.agent.id, place.thread.id, options.to);
    // the cut was made for what is gone
    if (place.thread.window_start >= options.to) {
        place.thread.window_start = place.thread.window_floor;
        store::set_cut(place.store, place.thread);
    }
    store::set_thread_status(place.store, place.agent.id, place.thread.id, "idle", now);
    store::insert_event(place.store, {.agent_id = place.agent.id,
                                      .thread_id = place.thread.id,
                                      .turn_id = 0,
                                      .at = now,
                                      .kind = "rewind",
                                      .previous = std::to_string(rewound.last),
                                      .next = std::to_string(options.to),
                                      .cause = rewound.aside.commit,
                                      .data = {}});
    transaction.commit();
}

// A copy for people, which may lack it; what was done stays done.
void tell_transcript(Place& place, const RewindOptions& options, const Rewound& rewound,
                     const Surroundings& surroundings) {
    std::string text = "Back to before message " + std::to_string(options.to) + ": messages " +
                       std::to_string(options.to) + " to " + std::to_string(rewound.last) +
                       " have left the window.\n";
    if (!rewound.aside.commit.empty())
        text += "The workspace is at " + rewound.commit + "; what was there is commit " +
                rewound.aside.commit + ", branch " + rewound.aside.branch + ".\n";
    try {
        mend_transcript(place);
        context::append_notice(transcript_of(place), "Rewound · " + base::iso8601(sys::now_ms()),
                               text);
    } catch (const Error& error) {
        surroundings.warn("transcript: " + error.message());
    }
}

}  // namespace

Rewound rewind(store::Store store, life::HeldAgent held, const RewindOptions& options,
               const Surroundings& surroundings) {
    Place place = place_of(std::move(store), std::move(held), options, surroundings);
    const store::MessageRow row = require_beginning(place, options.to);
    Rewound rewound;
    rewound.thread = place.thread.id;
    if (options.workspace) {
        rewound.commit = commit_before(place, row);
        require_repository(place).require_commit(rewound.commit);
    }
    const auto [last, crashed] = take_over(place, surroundings);
    if (last) rewound.given_up = give_up(place, *last, crashed);
    if (options.workspace) reset_workspace(place, rewound, surroundings);
    take_back(place, options, rewound);
    tell_transcript(place, options, rewound, surroundings);
    return rewound;
}

}  // namespace chorus::turn
