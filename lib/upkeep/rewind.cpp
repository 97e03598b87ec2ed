#include "upkeep/rewind.hpp"

#include <algorithm>
#include <set>

#include "agent/going_back.hpp"
#include "agent/snapshots.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "chat/json.hpp"
#include "context/find_thread.hpp"
#include "place/place.hpp"
#include "repo/repository.hpp"
#include "store/messages.hpp"
#include "store/prompts.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "task/kept_plants.hpp"
#include "turn/alerts.hpp"
#include "turn/last_turn.hpp"
#include "turn/notice.hpp"
#include "turn/present.hpp"
#include "turn/recovery.hpp"
#include "turn/turn_record.hpp"

namespace chorus::upkeep {
namespace {

using base::Error;
using base::ErrorCode;

std::string named(std::int64_t message) {
    return "message " + std::to_string(message);
}

constexpr std::size_t most_named_problems = 3;

std::set<std::string> changed_since(const sys::Fingerprint& now, const sys::Fingerprint& before) {
    std::set<std::string> paths;
    for (sys::Fingerprint::Change& change :
         now.all_changes_since(before, sys::Fingerprint::Copies::are_the_same))
        paths.insert(std::move(change.path));
    return paths;
}

// The workspace's part of a rewind.
class WorkspaceRewind {
  public:
    // Goes back to before the turn wrote, or to the checkpoint. Error(not_found) if there is none.
    WorkspaceRewind(place::Place& place, const store::Turn& turn) : WorkspaceRewind(place) {
        gone_.commit_then = turn.commit_before;
        gone_.branch_then =
            chat::string_or(chat::parse_json(store::options_json(turn), "turn options"), "branch");
        if (const auto target = store::checkpoint_before(place.store, place.agent.id, turn.id))
            load(*target, "turn " + std::to_string(turn.turn_number));
    }

    WorkspaceRewind(place::Place& place, std::int64_t checkpoint) : WorkspaceRewind(place) {
        const auto target = store::find_checkpoint(place.store, place.agent.id, checkpoint);
        const std::string what = "checkpoint " + std::to_string(checkpoint);
        if (!target)
            throw Error(ErrorCode::not_found,
                        what + ": agent '" + place.agent.name + "' has no such checkpoint",
                        "chorus-context checkpoints " + place.agent.name + " lists them");
        load(*target, what);
    }

    WorkspaceGoneBack go_back(bool force) {
        const sys::Root& root = place_.root;
        const repo::Head head = repo::head_of(root.path());
        gone_.commit_now = head.commit;
        gone_.branch_now = head.ref;
        if (!target_) return gone_;
        const sys::Fingerprint now = sys::Fingerprint::of_files(root);
        std::set<std::string> changed = changed_by_others(now);
        const auto aside = life::keep_checkpoint(site_, root, now, newest_turn(), true);
        has_checkpoint_ = true;
        const auto present = checkpoints_.find(aside.tree);
        if (!present)
            throw Error(ErrorCode::failed, "workspace: the checkpoint just made cannot be read");
        checkpoints_.note_target(target_name_);
        // since an interrupted rewind began
        if (const auto then = begun_ ? checkpoints_.find(begun_->tree) : std::nullopt)
            changed.merge(agent::changed_meanwhile(*then, *present, checkpoints_.find_targets()));
        const agent::GoingBack back(*target_, {*present, changed, checkpoints_, force});
        if (!back.damaged().empty())
            throw Error(ErrorCode::failed,
                        "workspace: some paths cannot be restored, and nothing was changed: their "
                        "copies in the checkpoint are damaged: " +
                            base::visible(base::first_few(back.damaged(), most_named_problems),
                                          base::Newlines::escape),
                        "--force leaves these as they are; without --workspace it only removes "
                        "messages from the window");
        gone_.put_back = back.changes();
        gone_.kept = back.kept();
        gone_.missing = back.missing();
        if (begun_ || !gone_.put_back.empty()) gone_.undo = begun_ ? begun_->id : aside.id;
        task::KeptPlants before(root.path(), place_.directory.call_plants(place_.thread.id));
        const auto problems = back.apply(checkpoints_, root, [this] {
            if (site_.stop()) throw Error(ErrorCode::canceled, "interrupted", ways_on());
        });
        alert(before.report());
        if (problems.empty()) return gone_;
        throw Error(ErrorCode::failed,
                    "workspace: some paths could not be restored: " +
                        base::first_few(problems, most_named_problems),
                    ways_on() + "; without --workspace it only removes messages from the window");
    }

    // Called when the rewind is complete; a rewind without this mark was killed.
    void note_end() {
        if (has_checkpoint_) life::note_end(site_, place_.root, gone_.kept);
    }

  private:
    void alert(const sys::PlantReport& report) {
        const std::string when = "during the rewind, ";
        if (!report.line.empty())
            turn::alert(place_.surroundings, place_.store, place_.redaction, place_.agent,
                        {.actor = place_.actor()},
                        {when + report.line + task::plants_advice(place_.root.path()),
                         when + report.record});
        task::forget_plants(place_.directory.call_plants(place_.thread.id));
    }

    std::string ways_on() const {
        return "run the same command again, or go back to before it: chorus-context rewind " +
               place_.agent.name + " --checkpoint " + std::to_string(gone_.undo);
    }

    explicit WorkspaceRewind(place::Place& place)
        : place_(place),
          checkpoints_(place.directory.checkpoints()),
          site_(place::checkpoint_site(
              place, [&place] { return place.surroundings.interrupt.requested(); })) {}

    void load(const store::Checkpoint& target, const std::string& what) {
        if (target.tree.empty())
            throw Error(ErrorCode::not_found,
                        what + ": there is no checkpoint of the workspace: " + target.problem,
                        "rewind without --workspace still removes the messages from the window");
        target_ = checkpoints_.find(target.tree);
        if (!target_)
            throw Error(ErrorCode::not_found,
                        what + ": checkpoint " + std::to_string(target.id) + " is damaged",
                        "rewind without --workspace still removes the messages from the window");
        target_name_ = target.tree;
        gone_.checkpoint = target.id;
    }

    // Returns nothing if a turn was killed since the last noted end: its changes cannot be told
    // from those of others. After a killed rewind, leaves out the changes that the rewind itself
    // made.
    std::set<std::string> changed_by_others(const sys::Fingerprint& now) {
        const auto end = checkpoints_.find_end();
        const std::int64_t noted = end ? end->newest : 0;
        begun_ = store::first_of_rewind_after(place_.store, place_.agent.id, noted);
        if (!end || store::newest_checkpoint_of_turn(place_.store, place_.agent.id) > noted) {
            place_.surroundings.warn(
                "the turn that wrote last was cut short: later changes are undone too");
            return {};
        }
        std::set<std::string> changed = changed_since(now, end->files);
        const auto then = begun_ ? checkpoints_.find(begun_->tree) : std::nullopt;
        if (!then) return changed;
        const std::set<std::string> before = changed_since(sys::Fingerprint(*then), end->files);
        std::erase_if(changed, [&](const std::string& path) { return !before.contains(path); });
        return changed;
    }

    store::TurnId newest_turn() {
        store::TurnId newest = 0;
        for (const store::Turn& turn : store::newest_turns(place_.store, place_.agent.id))
            newest = std::max(newest, turn.id);
        return newest;
    }

    place::Place& place_;
    agent::Checkpoints checkpoints_;
    life::CheckpointSite site_;
    std::optional<agent::Tree> target_;  // absent: nothing was written since
    std::string target_name_;
    std::optional<store::Checkpoint> begun_;  // of the interrupted rewind that continues
    WorkspaceGoneBack gone_;
    bool has_checkpoint_ = false;
};

place::Place place_of(store::Store store, life::HeldAgent held, const RewindOptions& options,
                      const place::Surroundings& surroundings) {
    const agent::Home& home = surroundings.home;
    const agent::Directory directory = home.directory(held.agent.dir);
    const store::Thread thread =
        context::require_thread(store, held.agent, directory, options.thread);
    sys::Root root = place::root_for(store, held.agent, {}, home, surroundings.environment);
    return {.surroundings = surroundings,
            .options = {},
            .store = std::move(store),
            .agent = std::move(held.agent),
            .thread = thread,
            .directory = directory,
            .home_configuration = agent::load_home_configuration(surroundings.home),
            .catalog = model::Catalog(),
            .root = std::move(root),
            .agent_lock = std::move(held.lock)};
}

void require_in_window(place::Place& place, const turn::Present& present, std::int64_t id) {
    if (std::any_of(present.messages.begin(), present.messages.end(),
                    [&](const auto& each) { return each.message.id == id; }))
        return;
    const auto newest = store::newest_checkpoint(place.store, place.agent.id);
    const std::string undo = newest && newest->of_rewind
                                 ? "; chorus-context rewind " + place.agent.name +
                                       " --checkpoint " + std::to_string(newest->id) +
                                       " undoes what the last rewind did to the files"
                                 : "";
    throw Error(ErrorCode::not_found, named(id) + ": it has left the window already",
                "chorus-context branch " + place.agent.name + " BRANCH --at " + std::to_string(id) +
                    " -t " + std::to_string(place.thread.id) + " begins a branch with it" + undo);
}

store::StoredMessage require_beginning(place::Place& place, const turn::Present& present,
                                       std::int64_t id) {
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
    require_in_window(place, present, id);
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
                    named(row.message.id) + (turn ? ": its turn did not run in this workspace"
                                                  : ": it was restored, and its turn is not known"),
                    "rewind without --workspace");
    return *turn;
}

// Closes the turn and gives each of its calls a result, so that the history shows how it ended.
std::int64_t give_up(place::Place& place, const store::Turn& turn, bool crashed) {
    const bool waits = turn.ended_at == 0;
    if (waits)
        turn::end_open_turn(place, turn, "rewound");
    else
        turn::end_waiting_below(place, turn);
    const auto calls = turn::settle_unfinished(
        place, turn, crashed ? std::nullopt : std::optional(turn::CallOutcome::cancelled));
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
        const turn::Present present =
            turn::present_context(place.store, place.agent, {place.thread.id}, surroundings);
        place.redaction = present.redaction;
        const store::StoredMessage row = require_beginning(place, present, options.to);
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
