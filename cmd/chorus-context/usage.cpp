#include "store/usage.hpp"
#include "chorus-context/reading.hpp"
#include "chorus-context/verbs.hpp"
#include "store/ledger.hpp"

namespace chorus::command {
namespace {

using cli::Fit;

struct Usage : Printing {
    explicit Usage(cli::Command& verb) {
        verb.word("NAME", filter.agent, "the agent with its sub-agents, also a destroyed one (default: all)");
        verb.option("--by WHAT", by,
                    "group by day, agent, model, profile or session (default: day)")
            .one_of({store::usage_groupings.names.begin(), store::usage_groupings.names.end()});
        span.add(verb);
    }

    static Fields fields_of(const store::UsageRow& row, std::string_view by,
                            const std::string& name) {
        const bool has_price = row.priced_calls > 0;
        const base::MicroUsd sum = has_price ? row.usage.cost : base::unknown_cost;
        // a + if some calls have no known cost, a ~ if some are estimated
        const std::string cost = (has_price && row.estimated_calls > 0 ? "~" : "") + dollars(sum) +
                                 (has_price && row.priced_calls < row.calls ? "+" : "");
        Fields fields{{"by", by},
                      {"key", row.key, one_line(name)},
                      {"description", row.label},
                      {"calls", row.calls},
                      {"priced_calls", row.priced_calls},
                      {"estimated_calls", row.estimated_calls},
                      usage_field(row.usage),
                      cost_field(sum),
                      cli::shown("input", std::to_string(row.usage.input_tokens)),
                      cli::shown("output", std::to_string(row.usage.output_tokens)),
                      cli::shown("cache read", std::to_string(row.usage.cache_read_tokens)),
                      cli::shown("cache write", std::to_string(row.usage.cache_write_tokens)),
                      cli::shown("cost", cost)};
        if (!row.label.empty()) fields.push_back(cli::shown("label", brief(row.label, 60)));
        return fields;
    }

    void run(Opened& opened) {
        filter.by = *store::usage_groupings.find(by);
        span.limit(filter);
        if (!filter.agent.empty())
            (void)life::require_known(opened.home, opened.store, filter.agent);
        store::settle_gone(opened.store);
        const auto rows = store::load_usage(opened.store, filter);
        auto all = cli::each(rows, [&](const store::UsageRow& row) {
            return fields_of(row, by, row.key.empty() ? "-" : row.key);
        });
        all.push_back(fields_of(store::total_of(rows), "total", "total"));
        const cli::Table table("usage",
                               {{"key"},
                                {"calls", "calls", Fit::right, 6},
                                {"input", "input", Fit::right, 12},
                                {"output", "output", Fit::right, 12},
                                {"cache read", "cache read", Fit::right, 12},
                                {"cache write", "cache write", Fit::right, 12},
                                {"cost", "cost", Fit::right, 10},
                                {"label"}},
                               "");
        table.print(all, cli::form_of_stdout(json));
    }

    store::UsageFilter filter;
    std::string by = "day";
    Span span;
};

}  // namespace

const cli::Verb usage_verb = verb<Usage>("usage", "print tokens and cost", json_lines);

}  // namespace chorus::command
