#include "upkeep/rewind.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/time.hpp"
#include "context/find_thread.hpp"
#include "context/transcript.hpp"
#include "place/place.hpp"
#include "store/messages.hpp"
#include "store/prompts.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "turn/last_turn.hpp"
#include "turn/notice.hpp"
#include "turn/present.hpp"
#include "turn/recovery.hpp"
#include "turn/turn_record.hpp"
#include "upkeep/workspace_rewind.hpp"

namespace chorus::upkeep {
namespace {

using base::Error;
using base::ErrorCode;

std::string named(std::int64_t message) {
    return "message " + std::to_string(message);
}

place::Place place_of(store::Store store, life::HeldAgent held, const RewindOptions& options,
                      const place::Surroundings& surroundings) {
    const agent::Home& home = surroundings.home;
    const agent::Directory directory(home.path() + "/" + held.agent.dir);
    const store::Thread thread =
        context::require_thread(store, held.agent, directory, options.thread);
    sys::Root root = place::root_for(store, directory, {}, home, surroundings.environment);
    return {.surroundings = surroundings,
            .options = {},
            .store = std::move(store),
            .agent = std::move(held.agent),
            .thread = thread,
            .directory = directory,
            .home_configuration = agent::load_home_configuration(surroundings.home),
            .root = std::move(root),
            .agent_lock = std::move(held.lock)};
}

void require_in_window(place::Place& place, std::int64_t id) {
    const turn::Present present =
        turn::present_context(place.store, place.agent, {place.thread.id}, place.surroundings);
    if (std::any_of(present.messages.begin(), present.messages.end(),
                    [&](const auto& each) { return each.message.id == id; }))
        return;
    throw Error(ErrorCode::not_found, named(id) + ": it has left the window already",
                "chorus-context branch " + place.agent.name + " BRANCH --at " + std::to_string(id) +
                    " -t " + std::to_string(place.thread.id) + " begins a branch with it");
}

store::MessageRow require_beginning(place::Place& place, std::int64_t id) {
    auto row = store::find_message(place.store, id);
    const bool is_own = row && row->agent_id == place.agent.id;
    if (!is_own || row->thread != place.thread.id)
        throw Error(ErrorCode::not_found,
                    named(id) + ": thread " + std::to_string(place.thread.id) + " of agent '" +
                        place.agent.name + "' has no such message",
                    is_own ? "it is in thread " + std::to_string(row->thread) + ": -t " +
                                 std::to_string(row->thread)
                           : "chorus-context messages " + place.agent.name + " -t " +
                                 std::to_string(place.thread.id) + " shows the ids");
    if (!row->message.starts_turn || row->message.is_compaction)
        throw Error(ErrorCode::bad_request, named(id) + ": it did not begin a turn",
                    "name a message of the user that began a turn");
    require_in_window(place, id);
    return std::move(*row);
}

// Returns the turn of the message, or of the message it was copied from.
store::Turn turn_of(place::Place& place, const store::StoredMessage& row) {
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
    if (!turn || turn->attempt == 0)
        throw Error(ErrorCode::not_found,
                    named(row.message.id) + ": its turn did not run in this workspace",
                    "rewind without --workspace");
    return *turn;
}

// Closes the turn and gives each of its calls a result, so that the history shows how it ended.
std::int64_t give_up(place::Place& place, const store::Turn& turn, bool crashed) {
    const bool waits = turn.ended_at == 0;
    if (waits) turn::end_open_turn(place, turn, "rewound");
    const auto calls = turn::settle_unfinished(place, turn, crashed ? "" : "cancelled");
    return waits || crashed || !calls.empty() ? turn.turn_number : 0;
}

std::string checkpoint_text(const WorkspaceGoneBack& gone) {
    return gone.checkpoint == 0 ? "" : "checkpoint " + std::to_string(gone.checkpoint);
}

void take_back(place::Place& place, const RewindOptions& options, Rewound& rewound) {
    const base::TimeMs now = sys::now_ms();
    rewound.last = store::newest_kept_message_id(place.store, place.agent.id, place.thread.id);
    store::Transaction transaction(place.store);
    rewound.messages =
        store::rewind_messages(place.store, place.agent.id, place.thread.id, options.to);
    // the cut was made for messages that are gone
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
                                      .cause = checkpoint_text(rewound.workspace)});
    transaction.commit();
}

void tell_transcript(place::Place& place, const RewindOptions& options, const Rewound& rewound) {
    std::string text = "Back to before message " + std::to_string(options.to) + ": messages " +
                       std::to_string(options.to) + " to " + std::to_string(rewound.last) +
                       " have left the window.\n";
    if (rewound.workspace.checkpoint != 0)
        text +=
            "The files of the workspace are those of " + checkpoint_text(rewound.workspace) + ".\n";
    turn::tell_people(place.store, place.surroundings.home, place.agent,
                      {.heading = "Rewound", .text = text, .threads = {{place.thread.id, 0}}},
                      place.redaction, place.surroundings.warn);
}

}  // namespace

Rewound rewind(store::Store store, life::HeldAgent held, const RewindOptions& options,
               const place::Surroundings& surroundings) {
    place::Place place = place_of(std::move(store), std::move(held), options, surroundings);
    Rewound rewound;
    rewound.thread = place.thread.id;
    std::optional<WorkspaceRewind> workspace;
    if (options.to != 0) {
        const store::MessageRow row = require_beginning(place, options.to);
        if (options.workspace) workspace.emplace(place, turn_of(place, row));
    } else {
        workspace.emplace(place, options.checkpoint);
    }
    if (options.to != 0) {
        const auto [last, crashed] = turn::take_over(place);
        if (last) rewound.given_up = give_up(place, *last, crashed);
    }
    if (workspace) rewound.workspace = workspace->go_back(options.force);
    if (options.to != 0) {
        take_back(place, options, rewound);
        tell_transcript(place, options, rewound);
    }
    if (workspace) workspace->note_end();
    return rewound;
}

}  // namespace chorus::upkeep
