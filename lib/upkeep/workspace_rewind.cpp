#include "upkeep/workspace_rewind.hpp"

#include <algorithm>

#include "agent/going_back.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "repo/repository.hpp"
#include "task/kept_plants.hpp"

namespace chorus::upkeep {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::size_t most_named_problems = 3;

std::set<std::string> changed_since(const sys::Fingerprint& now, const sys::Fingerprint& before) {
    std::set<std::string> paths;
    for (sys::Fingerprint::Change& change :
         now.all_changes_since(before, sys::Fingerprint::Copies::are_the_same))
        paths.insert(std::move(change.path));
    return paths;
}

void refuse_partial(const std::vector<std::string>& problems) {
    if (problems.empty()) return;
    throw Error(
        ErrorCode::failed,
        "workspace: some paths could not be restored: " +
            base::first_few(problems, most_named_problems),
        "run the same command again; without --workspace it only removes messages from the window");
}

}  // namespace

WorkspaceRewind::WorkspaceRewind(place::Place& place)
    : place_(place),
      checkpoints_(place.directory.checkpoints()),
      site_(place::checkpoint_site(place)) {}

WorkspaceRewind::WorkspaceRewind(place::Place& place, const store::Turn& turn)
    : WorkspaceRewind(place) {
    gone_.commit_then = turn.commit_before;
    if (const auto target = store::checkpoint_before(place.store, place.agent.id, turn.id))
        load(*target, "turn " + std::to_string(turn.turn_number));
}

WorkspaceRewind::WorkspaceRewind(place::Place& place, std::int64_t checkpoint)
    : WorkspaceRewind(place) {
    const auto target = store::find_checkpoint(place.store, place.agent.id, checkpoint);
    const std::string what = "checkpoint " + std::to_string(checkpoint);
    if (!target)
        throw Error(ErrorCode::not_found,
                    what + ": agent '" + place.agent.name + "' has no such checkpoint");
    load(*target, what);
}

void WorkspaceRewind::load(const store::Checkpoint& target, const std::string& what) {
    if (target.tree.empty())
        throw Error(ErrorCode::not_found,
                    what + ": there is no checkpoint of the workspace: " + target.problem,
                    "rewind without --workspace still removes the messages from the window");
    target_ = checkpoints_.find(target.tree);
    if (!target_)
        throw Error(ErrorCode::not_found,
                    what + ": checkpoint " + std::to_string(target.id) + " is damaged",
                    "rewind without --workspace still removes the messages from the window");
    gone_.checkpoint = target.id;
}

// Returns nothing if a turn was killed since the last noted end: its changes cannot be told from
// those of others. After a killed rewind, leaves out the changes that the rewind itself made.
std::set<std::string> WorkspaceRewind::changed_by_others(const sys::Fingerprint& now) {
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
    const std::set<std::string> before =
        changed_since(sys::Fingerprint::made_of(*then), end->files);
    std::erase_if(changed, [&](const std::string& path) { return !before.contains(path); });
    return changed;
}

store::TurnId WorkspaceRewind::newest_turn() {
    store::TurnId newest = 0;
    for (const store::Turn& turn : store::newest_turns(place_.store, place_.agent.id))
        newest = std::max(newest, turn.id);
    return newest;
}

WorkspaceGoneBack WorkspaceRewind::go_back(bool force) {
    const sys::Root& root = place_.root;
    gone_.commit_now = repo::head_commit(root.path());
    if (!target_) return gone_;
    const sys::Fingerprint now = sys::Fingerprint::of_files(root);
    const std::set<std::string> changed = changed_by_others(now);
    const auto aside = life::keep_checkpoint(site_, root, now, newest_turn(), true);
    has_checkpoint_ = true;
    const auto present = checkpoints_.find(aside.tree);
    if (!present)
        throw Error(ErrorCode::failed, "workspace: the checkpoint just made cannot be read");
    const agent::GoingBack back(*target_, {*present, changed, force});
    gone_.put_back = back.changes();
    gone_.kept = back.kept();
    gone_.missing = back.missing();
    if (begun_ || !gone_.put_back.empty()) gone_.undo = begun_ ? begun_->id : aside.id;
    task::KeptPlants before(root.path(), place_.directory.call_plants(place_.thread.id));
    const auto problems = back.apply(checkpoints_, root);
    if (const std::string told = before.told(); !told.empty())
        place_.surroundings.warn("during the rewind, " + told + task::plants_advice(root.path()));
    refuse_partial(problems);
    return gone_;
}

void WorkspaceRewind::note_end() {
    if (has_checkpoint_) life::note_end(site_, place_.root);
}

}  // namespace chorus::upkeep
