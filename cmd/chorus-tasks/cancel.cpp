#include <iostream>
#include <memory>

#include "chorus-tasks/standing.hpp"
#include "chorus-tasks/view.hpp"
#include "cli/time_text.hpp"
#include "context/find_thread.hpp"
#include "life/find_agent.hpp"
#include "sys/signals.hpp"
#include "upkeep/cancel.hpp"

namespace chorus::tasks_command {
namespace {

using base::Error;
using base::ErrorCode;

struct Options : ViewOptions {
    std::string thread;
    std::string wait = "60s";  // more than a turn takes to end
};

std::string json_of(const store::Turn& turn, const std::string& agent) {
    chat::JsonText out = chat::open_object("canceled");
    write_text(out, "agent", agent);
    out.key("thread").number(turn.thread_id).key("turn").number(turn.turn_number);
    out.key("turn_id").number(turn.id);
    write_text(out, "turn_state", store::name(report::state_now(turn)));
    write_text(out, "reason", turn.reason);
    write_number(out, "exit_code", turn.exit_code, -1);
    return out.end_object().take();
}

std::string text_of(const store::Turn& turn) {
    const std::string why =
        turn.exit_code >= 0 ? "exit " + std::to_string(turn.exit_code) : one_line(turn.reason);
    return "turn " + std::to_string(turn.turn_number) + " of thread " +
           std::to_string(turn.thread_id) + ": " +
           std::string(store::name(report::state_now(turn))) +
           (why.empty() ? "" : " (" + why + ")");
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const store::Agent agent = life::require_agent(opened.home, opened.store, options.name);
    const agent::Directory directory(opened.home.path() + "/" + agent.dir);
    upkeep::CancelOptions wanted;
    wanted.wait_ms = cli::require_duration_ms(options.wait, "--wait");
    if (!options.thread.empty())
        wanted.thread = context::require_thread(opened.store, agent, directory, options.thread).id;
    sys::Interrupt& interrupt = sys::Interrupt::install();
    const auto ended =
        upkeep::cancel_turns(opened.home, opened.store, agent.id, wanted, [&interrupt]() -> bool {
            if (interrupt.requested()) throw Error(ErrorCode::canceled, "interrupted");
            return false;
        });
    if (ended.empty()) notice("agent '" + agent.name + "': no turn is running or parked");
    for (const store::Turn& turn : ended)
        std::cout << (options.json ? json_of(turn, agent.name) : text_of(turn)) << '\n';
    return base::ExitStatus::done;
}

}  // namespace

Action add_cancel(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name(verb, *options);
    verb.option("-t,--thread THREAD", options->thread,
                "only this thread: main, a number or a branch");
    verb.option("--wait TIME", options->wait,
                "time to wait for the end of the turns (default: 60s)");
    add_json(verb, *options, "print one JSON object per line");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::tasks_command
