#include "store/checkpoints.hpp"

#include "chorus-context/verbs.hpp"
#include "store/turns.hpp"

namespace chorus::command {
namespace {

struct Checkpoints : Named {
    using Named::Named;

    static Fields fields_of(Opened& opened, const store::Agent& agent,
                            const store::Checkpoint& checkpoint) {
        const store::Turn turn = store::find_turn(opened.store, checkpoint.turn_id)
                                     .value_or(store::Turn{});  // a turn may be forgotten
        const std::string of_turn = "turn " + std::to_string(turn.turn_number) + " of thread " +
                                    std::to_string(turn.thread_id);
        const std::string made = (checkpoint.of_rewind ? "before a rewind" : "before the writes") +
                                 (turn.id == 0           ? std::string()
                                  : checkpoint.of_rewind ? ", after " + of_turn
                                                         : " of " + of_turn);
        return {{"agent", agent.name},
                {"checkpoint", checkpoint.id},
                {"created_at", Time{checkpoint.made_at}},
                {"of_rewind", checkpoint.of_rewind},
                {"thread", cli::number(turn.thread_id, 0)},
                {"turn", cli::number(turn.turn_number, 0)},
                {"turn_id", cli::number(turn.id, 0)},
                cli::shown("made", made)};
    }

    void run(Opened& opened) const {
        const store::Agent agent = require_agent(opened);
        const cli::Table table("checkpoint", {{"checkpoint", "CHECKPOINT", cli::Fit::right},
                                              {"created_at", "CREATED AT"},
                                              {"made", "MADE"}});
        table.print(cli::each(store::kept_checkpoints(opened.store, agent.id),
                              [&](const auto& one) { return fields_of(opened, agent, one); }),
                    cli::form_of_stdout(json));
    }
};

}  // namespace

const cli::Verb checkpoints_verb = verb<Checkpoints>(
    "checkpoints", "list the checkpoints of an agent's workspace, newest first", json_lines);

}  // namespace chorus::command
