#include "command/verb.hpp"

#include "chat/dialect.hpp"
#include "cli/time_text.hpp"
#include "context/find_thread.hpp"
#include "life/here.hpp"
#include "life/opening.hpp"
#include "place/secrets.hpp"
#include "sys/signals.hpp"

namespace chorus::command {

place::Surroundings Begun::surroundings() const {
    return {.home = home,
            .environment = environment,
            .interrupt = sys::Interrupt::install(),
            .on_event = [](const chat::Event&, const chat::EventSource&) {},
            .warn = notice,
            .alert = cli::alert,
            .ask = {}};
}

Begun begin() {
    sys::Environment environment = model::take_environment();
    agent::Home home = agent::find_home(environment);
    return {std::move(environment), std::move(home)};
}

store::Store open_store(const Begun& begun, agent::IfMissing if_missing) {
    return life::open_home(begun.home, begun.environment, if_missing,
                           agent::groom_in_force("", begun.environment));
}

Opened open() {
    Begun begun = begin();
    store::Store store = open_store(begun);
    return {std::move(begun), std::move(store)};
}

int run_program(int argc, char** argv, cli::Program program) {
    program.agent_here = life::name_here;
    program.redact = place::redacted;
    return cli::run_main(argc, argv, program);
}

Named::Named(cli::Command& verb, std::string_view about) {
    verb.word("NAME", name, about).required();
}

store::Agent Named::require_agent(Opened& opened) const {
    return life::require_agent(opened.home, opened.store, name);
}

Holding::Holding(cli::Command& verb) : Named(verb) {
    verb.option("--wait[=TIME]", wait, "wait until the agent is free, at most TIME");
}

life::HeldAgent Holding::hold(Opened& opened, const store::Agent& agent,
                              sys::Lock::Mode mode) const {
    const std::int64_t wait_ms = !wait           ? 0
                                 : wait->empty() ? -1
                                                 : cli::require_duration_ms(*wait, "--wait");
    const auto interrupted = interruptible();
    if (wait_ms != 0) opened.store.set_patience(wait_ms, interrupted);
    return life::hold_agent(opened.home, opened.store, agent, mode, wait_ms, interrupted);
}

life::HeldAgent Holding::hold(Opened& opened, sys::Lock::Mode mode) const {
    return hold(opened, require_agent(opened), mode);
}

store::Thread require_thread(Opened& opened, const store::Agent& agent, const std::string& wanted) {
    return context::require_thread(opened.store, agent, opened.home.directory(agent.dir), wanted);
}

cli::Field error_field(const store::Turn& turn) {
    return {"error", cli::Member([category = turn.error_category,
                                  detail = turn.error_detail](chat::JsonText& out) {
                chat::write_error(out, {"", category, detail, ""});
            })};
}

std::function<bool()> interrupted() {
    return [&interrupt = sys::Interrupt::install()] { return interrupt.requested(); };
}

std::function<bool()> interruptible() {
    return [is_interrupted = interrupted()]() -> bool {
        if (is_interrupted()) throw Error(ErrorCode::canceled, "interrupted");
        return false;
    };
}

}  // namespace chorus::command
