#include <algorithm>
#include <iostream>

#include "base/text.hpp"
#include "chorus-context/reading.hpp"
#include "chorus-context/verbs.hpp"
#include "policy/pattern.hpp"
#include "store/records.hpp"

namespace chorus::command {
namespace {

struct Audit : Printing {
    explicit Audit(cli::Command& verb) {
        verb.word("NAME", filter.agent, "the agent, also a destroyed one (default: all)");
        span.add(verb);
        verb.option("--action RE", action, "only actions that match the RE2 expression");
        verb.option("--decision DECISION", filter.decision,
                    "only this decision: allow, ask_approved, ask_denied or deny")
            .one_of({"allow", "ask_approved", "ask_denied", "deny"});
        verb.option("--turn TURN", filter.turn, "only this turn, by its turn_id").from(1);
        verb.option("-n,--limit N", filter.newest, "only the last N").from(1);
    }

    static std::function<bool(std::string_view)> matching(const std::string& expression) {
        const auto pattern = std::make_shared<policy::Pattern>(expression);
        if (const auto fault = pattern->fault())
            throw Error(ErrorCode::bad_request,
                        "--action: " + base::quoted(expression) + ": " + *fault);
        return [pattern](std::string_view text) { return pattern->is_in(text); };
    }

    static std::string line(const store::AuditRow& row, Form form, bool color,
                            std::size_t name_width) {
        const std::string time = base::iso8601(row.timestamp);
        const std::string name = one_line(row.agent_name);
        const std::string act = one_line(row.action);
        const std::string detail = one_line(row.detail);
        if (form == Form::plain) return cli::tabbed({time, name, row.decision, act, detail}, "");
        std::string decision = cli::padded(row.decision, 14);  // ask_approved and two blanks
        if (color && row.decision != "allow")
            decision =
                (row.decision == "ask_approved" ? "\x1b[33m" : "\x1b[31m") + decision + "\x1b[0m";
        return time + "  " + cli::padded(name, name_width) + "  " + decision + act + "  " + detail;
    }

    void run(Opened& opened) {
        span.limit(filter);
        if (!action.empty()) filter.action = matching(action);
        if (!filter.agent.empty())
            (void)life::require_known(opened.home, opened.store, filter.agent);
        std::size_t widest = 0;
        for (const store::Agent& agent : store::list_agents(opened.store))
            widest = std::max(widest, agent.name.size());
        const bool color = in_color(opened.environment);
        const Form form = cli::form_of_stdout(json);
        store::for_each_audit(opened.store, filter, [&](const store::AuditEntry& entry) {
            std::cout << (json ? store::audit_json(entry) : line(entry.row, form, color, widest))
                      << '\n';
            return std::cout.good();
        });
    }

    store::AuditFilter filter;
    Span span;
    std::string action;
};

}  // namespace

const cli::Verb audit_verb =
    verb<Audit>("audit", "print the audit log: what was decided, and by whom", json_lines);

}  // namespace chorus::command
