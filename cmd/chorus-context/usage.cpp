#include "store/usage.hpp"

#include <iostream>
#include <map>

#include "chorus-context/reading.hpp"
#include "chorus-context/verb.hpp"

namespace chorus::context_command {
namespace {

using store::UsageRow;

struct Options {
    store::UsageFilter filter;
    std::string by = "day";
    Span span;
    bool json = false;
};

void print_json(std::string_view by, const std::string& key, const UsageRow& row) {
    chat::JsonText out = chat::open_object("usage");
    write_text(out, "by", by);
    write_text(out, "key", key);
    write_text(out, "description", row.label);
    out.key("turns").number(row.turns);
    chat::write_usage(out, row.usage);
    chat::write_cost(out, row.priced_turns == 0 ? -1 : row.cost_usd);
    out.key("priced_turns").number(row.priced_turns);
    std::cout << out.end_object().text() << '\n';
}

// Returns the known cost, with a + if some turns have none.
std::string cost_of(const UsageRow& row) {
    return dollars(row.cost_usd, row.priced_turns > 0) +
           (row.priced_turns > 0 && row.priced_turns < row.turns ? "+" : "");
}

class Table {
  public:
    explicit Table(std::size_t first)
        : columns_({static_cast<int>(first), -6, -12, -12, -12, -12, -10}) {
        if (columns_.on_terminal())
            columns_.print({"", "turns", "input", "output", "cache read", "cache write", "cost"});
    }
    void print(const std::string& name, const UsageRow& row) const {
        std::vector<std::string> fields{one_line(name),
                                        std::to_string(row.turns),
                                        std::to_string(row.usage.input_tokens),
                                        std::to_string(row.usage.output_tokens),
                                        std::to_string(row.usage.cache_read_tokens),
                                        std::to_string(row.usage.cache_write_tokens),
                                        cost_of(row)};
        if (!row.label.empty()) fields.push_back(brief(row.label, 60));
        columns_.print(fields);
    }

  private:
    Columns columns_;
};

base::ExitStatus run(Options& options, Opened& opened) {
    static const std::map<std::string, store::UsageBy> groupings{
        {"day", store::UsageBy::day},
        {"agent", store::UsageBy::agent},
        {"model", store::UsageBy::model},
        {"session", store::UsageBy::session}};
    options.filter.by = groupings.at(options.by);
    options.filter.since = since_of(options.span);
    options.filter.until = until_of(options.span);
    if (!options.filter.agent.empty())
        (void)life::require_known(*opened.store, options.filter.agent);
    const auto rows = store::load_usage(*opened.store, options.filter);
    if (options.json) {
        for (const UsageRow& row : rows) print_json(options.by, row.key, row);
        print_json("total", "", store::total_of(rows));
        return base::ExitStatus::done;
    }
    const auto name_of = [](const UsageRow& row) { return row.key.empty() ? "-" : row.key; };
    std::size_t widest = 5;
    for (const UsageRow& row : rows) widest = std::max(widest, name_of(row).size());
    const Table table(widest);
    for (const UsageRow& row : rows) table.print(name_of(row), row);
    table.print("total", store::total_of(rows));
    return base::ExitStatus::done;
}

}  // namespace

Action add_usage(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->filter.agent, "the agent, also a destroyed one (default: all)");
    verb.option("--by WHAT", options->by, "group by day, agent, model or session (default: day)")
        .one_of({"day", "agent", "model", "session"});
    add_span(verb, options->span);
    verb.flag("--json", options->json, "print one JSON object per line");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
