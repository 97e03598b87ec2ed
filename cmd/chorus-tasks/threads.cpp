#include "chorus-tasks/view.hpp"

namespace chorus::command {
namespace {

using cli::Fit;

struct Threads : Named {
    explicit Threads(cli::Command& verb) : Named(verb) { watching.add_follow(verb); }

    ExitStatus run(Opened& opened) const {
        const cli::Table for_people("thread", {{"thread", "THREAD", Fit::right},
                                               {"branch", "BRANCH", Fit::gives_way},
                                               {"turn_state", "STATE"},
                                               {"doing", "DOING", Fit::gives_way},
                                               {"last_activity_at", "LAST ACTIVITY"},
                                               {"summary", "ABOUT", Fit::gives_way}});
        const cli::Table for_scripts("thread", {{"thread"},
                                                {"branch"},
                                                {"turn_state"},
                                                {"what"},
                                                {"working since"},
                                                {"last_activity_at"},
                                                {"summary"}});
        const store::Agent known = life::require_known(opened.home, opened.store, name);
        return watching.show(opened, json, [&](Form form, std::size_t width) {
            const store::Agent agent = again(opened, known);
            const auto rows = thread_fields(report::standing_of_threads(opened.store, agent), name);
            const cli::Table& table = form == Form::terminal ? for_people : for_scripts;
            return cli::Frame{.lines = table.lines(rows, form, width), .is_last = is_gone(agent)};
        });
    }

    Watching watching;
};

}  // namespace

const cli::Verb threads_verb =
    verb<Threads>("threads", "list the threads of an agent and what they do", json_lines);

}  // namespace chorus::command
