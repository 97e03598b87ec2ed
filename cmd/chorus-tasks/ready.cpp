#include <iostream>

#include "chorus-tasks/verbs.hpp"
#include "command/verb.hpp"
#include "sys/file.hpp"

namespace chorus::command {
namespace {

struct Ready : Named {
    using Named::Named;

    void run(Opened& opened) const {
        const agent::Directory directory = opened.home.directory(require_agent(opened).dir);
        if (!sys::exists(directory.configuration()))
            throw Error(ErrorCode::not_ready,
                        "agent '" + name + "': " + directory.configuration() + " is gone");
        if (json) std::cout << cli::json("ready", {{"agent", name}, {"ready", true}}) << '\n';
    }
};

}  // namespace

const cli::Verb ready_verb =
    verb<Ready>("ready", "check whether an agent exists and is complete: exit 0 or 4",
                "print one JSON object if the agent is ready");

}  // namespace chorus::command
