#include <iostream>
#include <memory>

#include "chorus-tasks/view.hpp"
#include "life/find_agent.hpp"
#include "sys/file.hpp"

namespace chorus::tasks_command {
namespace {

using base::Error;
using base::ErrorCode;

void require_ready(Opened& opened, const std::string& name) {
    const store::Agent agent = life::require_agent(opened.home, opened.store, name);
    const agent::Directory directory(opened.home.path() + "/" + agent.dir);
    if (!sys::exists(directory.configuration()))
        throw Error(ErrorCode::not_ready,
                    "agent '" + agent.name + "': " + directory.configuration() + " is gone");
}

base::ExitStatus run(const ViewOptions& options, Opened& opened) {
    require_ready(opened, options.name);
    if (!options.json) return base::ExitStatus::done;
    chat::JsonText out = chat::open_object("ready");
    write_text(out, "agent", options.name);
    std::cout << out.key("ready").boolean(true).end_object().text() << '\n';
    return base::ExitStatus::done;
}

}  // namespace

Action add_ready(cli::Command& verb) {
    const auto options = std::make_shared<ViewOptions>();
    add_name(verb, *options);
    add_json(verb, *options, "print one JSON object if the agent is ready");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::tasks_command
