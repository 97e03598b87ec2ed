#include "chorus-tasks/view.hpp"
#include "cli/time_text.hpp"
#include "store/records.hpp"

namespace chorus::command {
namespace {

using store::EventRow;

constexpr std::size_t most_at_once = 1'000;

struct Events : Named {
    explicit Events(cli::Command& verb) : Named(verb) {
        verb.option("--since TIME", since, "only events since TIME");
        watching.add_follow(verb);
    }

    Fields fields_of(const EventRow& row) const {
        return {{"id", row.id},
                {"created_at", Time{row.at}},
                {"agent", name},
                {"thread", cli::number(row.thread_id, 0)},
                {"turn_id", cli::number(row.turn_id, 0)},
                {"kind", row.kind},
                {"previous", row.previous},
                {"next", row.next},
                {"cause", row.cause},
                {"data", row.data}};
    }

    // "2026-02-12T10:30:00.000Z  thread 1  turn 7    working -> idle     completed"
    static std::string for_people(const EventRow& row) {
        const std::string where =
            row.thread_id == 0 ? "agent" : "thread " + std::to_string(row.thread_id);
        const std::string what =
            row.kind == "task"
                ? one_line(row.data)
                : row.kind + (row.turn_id == 0 ? "" : " " + std::to_string(row.turn_id));
        return iso(row.at) + "  " + cli::padded(where, 9) + "  " + cli::padded(one_line(what), 9) +
               "  " + cli::padded(one_line(row.previous + " -> " + row.next), 22) + "  " +
               one_line(row.cause);
    }

    ExitStatus run(Opened& opened) const {
        const cli::Table table("transition", {{"id"},
                                              {"created_at"},
                                              {"thread"},
                                              {"turn_id"},
                                              {"kind"},
                                              {"previous"},
                                              {"next"},
                                              {"cause"},
                                              {"data"}});
        const store::Agent known = life::require_known(opened.home, opened.store, name);
        store::EventFilter filter{.agent = known.id};
        if (!since.empty()) filter.since = cli::require_time(since, "--since");
        return watching.append(opened, json, [&](Form form, std::size_t width) {
            // the status is read before the events, so that the last frame has every event of the
            // agent
            cli::Frame frame{.lines = {}, .is_last = is_gone(again(opened, known))};
            store::for_each_event(opened.store, filter, [&](const EventRow& row) {
                filter.after = row.id;
                frame.lines.push_back(form == Form::terminal ? for_people(row)
                                                             : table.line(fields_of(row), form));
                return frame.lines.size() < most_at_once;
            });
            filter.since = 0;
            frame.goes_on = frame.lines.size() == most_at_once;
            if (form == Form::terminal) cut_lines(frame.lines, width);
            return frame;
        });
    }

    std::string since;
    Watching watching;
};

}  // namespace

const cli::Verb events_verb = verb<Events>("events", "list changes of state, in order", json_lines);

}  // namespace chorus::command
