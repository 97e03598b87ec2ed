#include "upkeep/cancel.hpp"
#include "chorus-tasks/view.hpp"
#include "cli/time_text.hpp"
#include "life/children.hpp"

namespace chorus::command {
namespace {

using store::Turn;

struct Cancel : Named {
    explicit Cancel(cli::Command& verb) : Named(verb) {
        verb.option("-t,--thread THREAD", thread, "only this thread: main, a number or a branch");
        verb.option("--subagent ID", sub_agent, "only this sub-agent of the agent");
        verb.option("--wait TIME", wait, "time to wait for the end of the turns (default: 60s)");
    }

    void print(const std::string& agent, const Turn& turn) const {
        const std::string_view state = store::name(report::state_now(turn));
        const std::string why =
            turn.exit_code >= 0 ? "exit " + std::to_string(turn.exit_code) : one_line(turn.reason);
        cli::print(json, "canceled",
                   {{"agent", agent},
                    {"thread", turn.thread_id},
                    {"turn", turn.turn_number},
                    {"turn_id", turn.id},
                    {"turn_state", state},
                    {"reason", turn.reason},
                    {"exit_code", cli::number(turn.exit_code, -1)}},
                   (store::is_ephemeral(turn.thread_id)
                        ? "ephemeral turn"
                        : "turn " + std::to_string(turn.turn_number) + " of thread " +
                              std::to_string(turn.thread_id)) +
                       ": " + std::string(state) + (why.empty() ? "" : " (" + why + ")"));
    }

    void run(Opened& opened) const {
        store::Agent agent = require_agent(opened);
        if (!sub_agent.empty())
            agent = life::require_sub_agent(opened.home, opened.store, agent, sub_agent);
        upkeep::CancelOptions wanted;
        wanted.wait_ms = cli::require_duration_ms(wait, "--wait");
        if (!thread.empty()) wanted.thread = require_thread(opened, agent, thread).id;
        const auto ended =
            upkeep::cancel_turns(opened.home, opened.store, agent.id, wanted, interruptible());
        if (ended.empty()) notice("agent '" + agent.name + "': no turn is running or parked");
        for (const Turn& turn : ended) print(agent.name, turn);
    }

    std::string thread;
    std::string sub_agent;
    std::string wait = "60s";  // more than a turn takes to end
};

}  // namespace

const cli::Verb cancel_verb =
    verb<Cancel>("cancel", "cancel the running turns of an agent", json_lines);

}  // namespace chorus::command
