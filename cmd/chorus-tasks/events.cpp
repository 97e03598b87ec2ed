#include <memory>

#include "chorus-tasks/view.hpp"
#include "cli/table.hpp"
#include "cli/time_text.hpp"
#include "store/records.hpp"

namespace chorus::tasks_command {
namespace {

using cli::Form;
using store::EventRow;

constexpr std::size_t most_at_once = 1'000;

struct Options : ViewOptions {
    std::string since;
};

std::string json_of(const EventRow& row, const std::string& agent) {
    chat::JsonText out = chat::open_object("transition");
    out.key("id").number(row.id);
    write_time(out, "created_at", row.at);
    write_text(out, "agent", agent);
    write_number(out, "thread", row.thread_id, 0);
    write_number(out, "turn_id", row.turn_id, 0);
    write_text(out, "kind", row.kind);
    write_text(out, "previous", row.previous);
    write_text(out, "next", row.next);
    write_text(out, "cause", row.cause);
    write_text(out, "data", row.data);
    return out.end_object().take();
}

std::string number(std::int64_t id) {
    return id == 0 ? "" : std::to_string(id);
}

std::string plain_line(const EventRow& row) {
    return cli::tabbed({std::to_string(row.id), iso(row.at), number(row.thread_id),
                        number(row.turn_id), one_line(row.kind), one_line(row.previous),
                        one_line(row.next), one_line(row.cause), one_line(row.data)});
}

// "2026-02-12T10:30:00.000Z  thread 1  turn 7    working -> idle     completed"
std::string for_people(const EventRow& row) {
    const std::string where =
        row.thread_id == 0 ? "agent" : "thread " + std::to_string(row.thread_id);
    const std::string what =
        row.kind == "task" ? one_line(row.data)
                           : row.kind + (row.turn_id == 0 ? "" : " " + std::to_string(row.turn_id));
    return iso(row.at) + "  " + cli::padded(where, 9) + "  " + cli::padded(one_line(what), 9) +
           "  " + cli::padded(one_line(row.previous + " -> " + row.next), 22) + "  " +
           one_line(row.cause);
}

}  // namespace

Action add_events(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    add_name(verb, *options);
    verb.option("--since TIME", options->since, "only events since TIME");
    add_follow(verb, *options);
    add_json(verb, *options, "print one JSON object per line");
    return [options](Opened& opened) {
        const store::Agent known = known_agent(opened, options->name);
        store::EventFilter filter{.agent = known.id};
        if (!options->since.empty()) filter.since = cli::require_time(options->since, "--since");
        return append(opened, *options, [&](Form form, std::size_t width) {
            // the status is read before the events, so that the last frame has every event of the
            // agent
            cli::Frame frame{.lines = {}, .is_last = is_gone(again(opened, known))};
            store::for_each_event(opened.store, filter, [&](const EventRow& row) {
                filter.after = row.id;
                frame.lines.push_back(form == Form::json    ? json_of(row, known.name)
                                      : form == Form::plain ? plain_line(row)
                                                            : for_people(row));
                return frame.lines.size() < most_at_once;
            });
            filter.since = 0;
            frame.goes_on = frame.lines.size() == most_at_once;
            if (form == Form::terminal) cut_lines(frame.lines, width);
            return frame;
        });
    };
}

}  // namespace chorus::tasks_command
