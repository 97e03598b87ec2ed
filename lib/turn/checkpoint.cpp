#include "turn/checkpoint.hpp"

#include "base/error.hpp"

namespace chorus::turn {
namespace {

using base::Error;
using tools::Class;

bool writes_in_workspace(const tools::Tool& tool) {
    return tool.kind == Class::command || tool.kind == Class::repository ||
           tool.kind == Class::agent ||
           (tool.kind == Class::write && tool.family != "self_edit" && tool.family != "task" &&
            tool.family != "artifact");
}

}  // namespace

// The workspace is the one that the turn above has kept before the call, or a clone of it.
bool TurnCheckpoint::is_of_call(const store::Turn& turn) const {
    return place_.agent.parent_turn != 0 && turn.turn_number == 1;
}

bool TurnCheckpoint::is_due(const tools::Tool& tool, const store::Turn& turn) const {
    return !may_have_written_ && turn.working_directory.empty() && writes_in_workspace(tool);
}

bool TurnCheckpoint::before(const tools::Tool& tool, const store::Turn& turn,
                            const std::function<bool()>& stopping) {
    if (!is_due(tool, turn)) return true;
    may_have_written_ =
        store::has_checkpoint(place_.store, place_.agent.id, turn.id) || keep(turn, stopping);
    return may_have_written_;
}

bool TurnCheckpoint::keep(const store::Turn& turn, const std::function<bool()>& stopping) {
    const auto site = place::checkpoint_site(place_, stopping);
    std::string problem = "limits.checkpoint_mib of config.json was 0";
    try {
        if (is_of_call(turn)) {
            problem = "a turn above it has one, of before the call";
        } else if (site.most_bytes > 0) {
            (void)life::keep_checkpoint(site, place_.root, sys::Fingerprint::of_files(place_.root),
                                        turn.id, false);
            return true;
        }
    } catch (const Error& error) {
        if (error.code() == base::ErrorCode::canceled) return false;
        problem = error.message();
        place_.surroundings.warn("rewind --workspace cannot go back to before this turn: " +
                                 problem);
    }
    life::note_no_checkpoint(site, turn.id, problem);
    return true;
}

void TurnCheckpoint::note_end(const store::Turn& turn) {
    if (!may_have_written_ || is_of_call(turn)) return;
    try {
        life::note_end(place::checkpoint_site(place_), place_.root);
    } catch (const Error& error) {
        place_.surroundings.warn("rewind --workspace cannot recognise later changes: " +
                                 error.message());
    }
}

}  // namespace chorus::turn
