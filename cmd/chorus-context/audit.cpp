#include <climits>
#include <iostream>
#include <memory>

#include <unistd.h>

#include "base/text.hpp"
#include "base/time.hpp"
#include "chorus-context/reading.hpp"
#include "chorus-context/verb.hpp"
#include "cli/time_text.hpp"
#include "life/find_agent.hpp"
#include "policy/pattern.hpp"
#include "store/records.hpp"

namespace chorus::context_command {
namespace {

using base::Error;
using base::ErrorCode;
using store::AuditEntry;

struct Options {
    store::AuditFilter filter;
    std::string since;
    std::string until;
    std::string action;
    bool json = false;
};

std::function<bool(std::string_view)> matching(const std::string& expression) {
    const auto pattern = std::make_shared<policy::Pattern>(expression);
    if (const auto fault = pattern->fault())
        throw Error(ErrorCode::bad_request,
                    "--action: " + base::quoted(expression) + ": " + *fault);
    return [pattern](std::string_view action) { return pattern->is_in(action); };
}

// Prints columns and colours on a terminal, otherwise a tab between fields.
class Lines {
  public:
    explicit Lines(const sys::Environment& environment)
        : table_(isatty(STDOUT_FILENO) == 1), color_(in_color(environment)) {}

    void widen(std::size_t name) { name_width_ = std::max(name_width_, name); }

    void print(const AuditEntry& entry) const {
        const store::AuditRow& row = entry.row;
        print_field(base::iso8601(row.timestamp), 0);
        print_field(one_line(row.agent_name), name_width_);
        const std::string_view color = color_of(row.decision);
        std::cout << color;
        print_field(row.decision, decision_width);
        if (!color.empty()) std::cout << "\x1b[0m";
        print_field(one_line(row.action), 0);
        std::cout << one_line(row.detail) << '\n';
    }

  private:
    static constexpr std::size_t decision_width = 12;  // ask_approved

    void print_field(const std::string& text, std::size_t width) const {
        std::cout << text;
        if (!table_) {
            std::cout << '\t';
            return;
        }
        const std::size_t length = base::utf8_length(text);
        std::cout << std::string(2 + (width > length ? width - length : 0), ' ');
    }
    std::string_view color_of(std::string_view decision) const {
        if (!color_ || decision == "allow") return "";
        return decision == "ask_approved" ? "\x1b[33m" : "\x1b[31m";
    }

    bool table_;
    bool color_;
    std::size_t name_width_ = 0;
};

base::ExitStatus run(Options& options, Opened& opened) {
    store::AuditFilter& filter = options.filter;
    if (!options.since.empty()) filter.since = cli::require_time(options.since, "--since");
    if (!options.until.empty()) filter.until = cli::require_time(options.until, "--until");
    if (!options.action.empty()) filter.action = matching(options.action);
    if (!filter.agent.empty()) (void)life::require_known(*opened.store, filter.agent);
    Lines lines(opened.environment);
    for (const store::Agent& agent : store::list_agents(*opened.store))
        lines.widen(agent.name.size());
    store::for_each_audit(*opened.store, filter, [&](const AuditEntry& entry) {
        if (options.json)
            std::cout << store::audit_json(entry) << '\n';
        else
            lines.print(entry);
        return std::cout.good();
    });
    return base::ExitStatus::done;
}

}  // namespace

Action add_audit(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->filter.agent, "the agent, also a destroyed one (default: all)");
    verb.option("--since TIME", options->since, "only from TIME on");
    verb.option("--until TIME", options->until, "only before TIME");
    verb.option("--action RE", options->action, "only actions that match the RE2 expression");
    verb.option("--decision DECISION", options->filter.decision,
                "only this decision: allow, ask_approved, ask_denied or deny")
        .one_of({"allow", "ask_approved", "ask_denied", "deny"});
    verb.option("--turn TURN", options->filter.turn, "only this turn, by its turn_id").from(1);
    verb.option("-n,--limit N", options->filter.newest, "only the last N").from(1);
    verb.flag("--json", options->json, "print one JSON object per line");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
