#include "chorus-context/verb.hpp"

#include <charconv>

#include "agent/own_places.hpp"
#include "base/text.hpp"
#include "cli/main.hpp"
#include "cli/time_text.hpp"
#include "context/find_thread.hpp"
#include "sys/signals.hpp"

namespace chorus::context_command {

using base::Error;
using base::ErrorCode;

void add_name(cli::Command& verb, Named& named) {
    verb.word("NAME", named.name, "the agent").required();
}

void add_name_and_wait(cli::Command& verb, Named& named) {
    add_name(verb, named);
    verb.option("--wait[=TIME]", named.wait, "wait until the agent is free, at most TIME");
}

store::Agent require_agent(Opened& opened, const Named& named) {
    return life::require_agent(opened.home, *opened.store, named.name);
}

life::HeldAgent hold_agent(Opened& opened, const Named& named, const store::Agent& agent,
                           sys::Lock::Mode mode) {
    const std::int64_t wait_ms = !named.wait ? 0
                                 : named.wait->empty()
                                     ? -1
                                     : cli::require_duration_ms(*named.wait, "--wait");
    sys::Interrupt& interrupt = sys::Interrupt::install();
    const auto interrupted = [&interrupt]() -> bool {
        if (interrupt.requested()) throw Error(ErrorCode::canceled, "interrupted");
        return false;
    };
    if (wait_ms != 0) opened.store->set_patience(wait_ms, interrupted);
    return life::hold_agent(opened.home, *opened.store, agent, mode, wait_ms, interrupted);
}

life::HeldAgent hold_agent(Opened& opened, const Named& named, sys::Lock::Mode mode) {
    return hold_agent(opened, named, require_agent(opened, named), mode);
}

void add_force(cli::Command& verb, Output& output) {
    verb.flag("--force", output.force, "replace an existing file");
}

sys::OutputFile output_file(const Opened& opened, const Output& output) {
    return sys::OutputFile(output.file,
                           output.force ? sys::Overwrite::allow : sys::Overwrite::refuse,
                           agent::refuse_own_places(opened.home));
}

std::int64_t require_message_id(const std::string& text, const char* option) {
    std::int64_t id = 0;
    const char* last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, id);
    if (error == std::errc{} && end == last && id > 0) return id;
    throw Error(ErrorCode::bad_request,
                std::string(option) + ": '" + base::visible(text, base::Newlines::escape) +
                    "' is not the id of a message",
                "the transcript shows them: <!-- message 7 -->");
}

store::Thread require_thread(Opened& opened, const store::Agent& agent, const std::string& wanted) {
    const agent::Directory directory(opened.home.path() + "/" + agent.dir);
    return context::require_thread(*opened.store, agent, directory, wanted);
}

void notice(const std::string& what) {
    cli::print_line(program, "notice", what);
}

}  // namespace chorus::context_command
