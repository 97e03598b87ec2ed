#include <memory>

#include "chorus-tasks/standing.hpp"
#include "chorus-tasks/view.hpp"
#include "cli/table.hpp"

namespace chorus::tasks_command {
namespace {

using cli::Align;
using cli::Form;
using report::ThreadStanding;

std::vector<std::string> for_people(const std::vector<ThreadStanding>& threads, std::size_t width) {
    cli::Table table({{"THREAD", Align::right},
                      {"BRANCH", Align::left, true},
                      {"STATE"},
                      {"DOING", Align::left, true},
                      {"LAST ACTIVITY"},
                      {"ABOUT", Align::left, true}});
    for (const ThreadStanding& one : threads)
        table.add({std::to_string(one.thread.id), one_line(one.thread.branch), state_of(one),
                   report::is_at_work(one.state) ? doing_of(one) : one_line(report::what_of(one)),
                   ago(one.thread.last_activity), one_line(one.thread.summary)});
    return table.lines(width);
}

std::string plain_line(const ThreadStanding& one) {
    return cli::tabbed({std::to_string(one.thread.id), one_line(one.thread.branch), state_of(one),
                        one_line(report::what_of(one)),
                        report::is_at_work(one.state) ? iso(one.since) : "",
                        iso(one.thread.last_activity), one_line(one.thread.summary)});
}

std::string json_of(const ThreadStanding& thread, const std::string& agent) {
    chat::JsonText out = chat::open_object("thread");
    write_members(out, thread, agent);
    return out.end_object().take();
}

cli::Frame draw(Opened& opened, const store::Agent& known, Form form, std::size_t width) {
    const store::Agent agent = again(opened, known);
    const auto threads = report::standing_of_threads(opened.store, agent);
    cli::Frame frame{.lines = {}, .is_last = is_gone(agent)};
    if (form == Form::terminal)
        frame.lines = for_people(threads, width);
    else
        for (const ThreadStanding& one : threads)
            frame.lines.push_back(form == Form::json ? json_of(one, agent.name) : plain_line(one));
    return frame;
}

}  // namespace

Action add_threads(cli::Command& verb) {
    const auto options = std::make_shared<ViewOptions>();
    add_name(verb, *options);
    add_follow(verb, *options);
    add_json(verb, *options, "print one JSON object per line");
    return [options](Opened& opened) {
        const store::Agent agent = known_agent(opened, options->name);
        return show(opened, *options,
                    [&](Form form, std::size_t width) { return draw(opened, agent, form, width); });
    };
}

}  // namespace chorus::tasks_command
