// Artifacts, tokens and cost, and the audit log.
#include <charconv>
#include <iostream>

#include "base/enum_names.hpp"
#include "base/text.hpp"
#include "chorus-context/reading.hpp"
#include "chorus-context/verbs.hpp"
#include "command/verb.hpp"
#include "context/prefix.hpp"
#include "policy/pattern.hpp"
#include "store/artifacts.hpp"
#include "store/integrity.hpp"
#include "store/records.hpp"
#include "store/usage.hpp"

namespace chorus::command {
namespace {

using cli::Fit;

struct Artifacts : Named {
    explicit Artifacts(cli::Command& verb) : Named(verb, "the agent, also a destroyed one") {
        verb.flag("--json", json, "print one JSON object per line");
    }

    ExitStatus run(Opened& opened) const {
        const store::Agent agent = life::require_known(opened.store, name);
        const Form form = cli::form_of_stdout(json);
        const cli::Table table("artifact",
                               {{.key = "id", .width = 16},
                                {.key = "kind", .width = 8},
                                {.key = "size_bytes", .fit = Fit::right, .width = 10},
                                {.key = "created_at", .width = 14},
                                {.key = "name", .width = 16},
                                {.key = "path"}},
                               "");
        for (const store::Artifact& artifact : store::list_artifacts(opened.store, agent.id)) {
            const Fields fields{{"agent", agent.name},
                                {"id", artifact.artifact_id},
                                {"kind", artifact.kind},
                                {"name", artifact.name},
                                {"description", artifact.description},
                                {"mime_type", artifact.mime_type},
                                {"status", artifact.status},
                                {"version", artifact.version},
                                {"size_bytes", artifact.size_bytes},
                                {"path", artifact.path},
                                {"turn_id", cli::number(artifact.turn_id, 0)},
                                {"created_at", Time{artifact.created_at}},
                                {"updated_at", Time{artifact.updated_at}}};
            std::cout << table.line(fields, form) << '\n';
        }
        return ExitStatus::done;
    }

    bool json = false;
};

struct Audit {
    explicit Audit(cli::Command& verb) {
        verb.word("NAME", filter.agent, "the agent, also a destroyed one (default: all)");
        span.add(verb);
        verb.option("--action RE", action, "only actions that match the RE2 expression");
        verb.option("--decision DECISION", filter.decision,
                    "only this decision: allow, ask_approved, ask_denied or deny")
            .one_of({"allow", "ask_approved", "ask_denied", "deny"});
        verb.option("--turn TURN", filter.turn, "only this turn, by its turn_id").from(1);
        verb.option("-n,--limit N", filter.newest, "only the last N").from(1);
        verb.flag("--json", json, "print one JSON object per line");
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

    ExitStatus run(Opened& opened) {
        span.limit(filter);
        if (!action.empty()) filter.action = matching(action);
        if (!filter.agent.empty()) life::require_known_agent(opened.store, filter.agent);
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
        return ExitStatus::done;
    }

    store::AuditFilter filter;
    Span span;
    std::string action;
    bool json = false;
};

struct Usage {
    explicit Usage(cli::Command& verb) {
        verb.word("NAME", filter.agent, "the agent, also a destroyed one (default: all)");
        verb.option("--by WHAT", by, "group by day, agent, model or session (default: day)")
            .one_of({"day", "agent", "model", "session"});
        span.add(verb);
        verb.flag("--json", json, "print one JSON object per line");
    }

    static Fields fields_of(const store::UsageRow& row, std::string_view by,
                            const std::string& name) {
        const bool has_price = row.priced_turns > 0;
        // a + if some turns have no known cost
        const std::string cost = dollars(row.cost_usd, has_price) +
                                 (has_price && row.priced_turns < row.turns ? "+" : "");
        Fields fields{{"by", by},
                      {"key", row.key, one_line(name)},
                      {"description", row.label},
                      {"turns", row.turns},
                      usage_field(row.usage),
                      cost_field(has_price ? row.cost_usd : -1),
                      {"priced_turns", row.priced_turns},
                      cli::shown("input", std::to_string(row.usage.input_tokens)),
                      cli::shown("output", std::to_string(row.usage.output_tokens)),
                      cli::shown("cache read", std::to_string(row.usage.cache_read_tokens)),
                      cli::shown("cache write", std::to_string(row.usage.cache_write_tokens)),
                      cli::shown("cost", cost)};
        if (!row.label.empty()) fields.push_back(cli::shown("label", brief(row.label, 60)));
        return fields;
    }

    ExitStatus run(Opened& opened) {
        constexpr base::EnumNames<store::UsageBy, 4> groupings{
            {"day", "agent", "model", "session"}};
        filter.by = *groupings.find(by);
        span.limit(filter);
        if (!filter.agent.empty()) life::require_known_agent(opened.store, filter.agent);
        const auto rows = store::load_usage(opened.store, filter);
        auto all = cli::each(rows, [&](const store::UsageRow& row) {
            return fields_of(row, by, row.key.empty() ? "-" : row.key);
        });
        all.push_back(fields_of(store::total_of(rows), "total", "total"));
        const cli::Table table("usage",
                               {{"key"},
                                {"turns", "turns", Fit::right, 6},
                                {"input", "input", Fit::right, 12},
                                {"output", "output", Fit::right, 12},
                                {"cache read", "cache read", Fit::right, 12},
                                {"cache write", "cache write", Fit::right, 12},
                                {"cost", "cost", Fit::right, 10},
                                {"label"}},
                               "");
        table.print(all, cli::form_of_stdout(json));
        return ExitStatus::done;
    }

    store::UsageFilter filter;
    std::string by = "day";
    Span span;
    bool json = false;
};

struct Verify {
    explicit Verify(cli::Command& verb) {
        verb.word("NAME", name, "the agent of --prefix; the audit log covers all agents");
        verb.flag("--prefix", prefix, "check instead that each request extends the one before");
        verb.option("-t,--thread THREAD", thread, "with --prefix: only this thread")
            .needs("--prefix");
        verb.option("--expect ROWS:HASH", expect,
                    "rows and hash of an earlier result, to compare with");
        verb.flag("--json", json, "print one JSON object");
    }

    static store::AuditHead parse_head(const std::string& text) {
        store::AuditHead head;
        const auto [end, error] =
            std::from_chars(text.data(), text.data() + text.size(), head.rows);
        const std::size_t colon = static_cast<std::size_t>(end - text.data());
        const bool has_colon = error == std::errc{} && colon < text.size() && text[colon] == ':';
        if (has_colon) head.hash = text.substr(colon + 1);
        const bool is_hash = head.hash.size() == 64 &&
                             head.hash.find_first_not_of("0123456789abcdef") == std::string::npos;
        if (has_colon && head.rows >= 0 && (head.rows == 0 ? head.hash.empty() : is_hash))
            return head;
        throw Error(ErrorCode::bad_request, "--expect: " + base::quoted(text) + " is not ROWS:HASH",
                    "a result of chorus-run --json has them: jq -r '\"\\(.audit.rows // "
                    "0):\\(.audit.hash // \"\")\"'");
    }

    // What is wrong, or "".
    static std::string problem_of(const store::AuditChain& chain,
                                  const store::AuditHead& expected) {
        if (chain.broken_row != 0)
            return "audit log: row " + std::to_string(chain.broken_row) + " was changed";
        if (expected.rows == 0) return {};
        if (chain.head.rows < expected.rows)
            return "audit log: there are " + std::to_string(chain.head.rows) + " rows, not the " +
                   std::to_string(expected.rows) + " expected: the end was cut off";
        if (chain.hash_at != expected.hash)
            return "audit log: row " + std::to_string(expected.rows) +
                   " has another hash than expected: rows up to it were rewritten";
        return {};
    }

    static std::string problem_of(const context::PrefixReport& report) {
        if (report.broken == 0) return {};
        return "thread " + std::to_string(report.thread) + ": message " +
               std::to_string(report.broken) + " differs from what was sent";
    }

    static Fields fields_of(const context::PrefixReport& report) {
        return {{"thread", report.thread},     {"messages", report.messages},
                {"unhashed", report.unhashed}, {"broken_message", cli::number(report.broken, 0)},
                {"cuts", report.cuts},         {"model", report.model},
                {"prompt", report.prompt},     {"docs", report.docs},
                {"project", report.project},   {"tools", report.tools}};
    }

    // "thread 1: 7 messages, 2 cuts, 1 change of docs"
    static std::string text_of(const context::PrefixReport& report) {
        std::vector<std::string> causes;
        if (report.cuts > 0) causes.push_back(counted(report.cuts, "cut"));
        for (const auto& [count, what] :
             {std::pair{report.model, "the model"}, std::pair{report.prompt, "the prompt"},
              std::pair{report.docs, "docs"}, std::pair{report.project, "AGENTS.md"},
              std::pair{report.tools, "the tool list"}})
            if (count > 0) causes.push_back(counted(count, "change") + " of " + what);
        return "thread " + std::to_string(report.thread) + ": " +
               counted(report.messages, "message") +
               (report.unhashed == 0
                    ? ""
                    : " and " + std::to_string(report.unhashed) + " without a hash") +
               ", " + (causes.empty() ? "nothing changed" : base::join(causes, ", "));
    }

    ExitStatus verify_prefix(Opened& opened) const {
        if (name.empty())
            throw Error(ErrorCode::bad_request, "--prefix: needs the name of an agent",
                        "chorus-context verify NAME --prefix");
        const store::Agent agent = life::require_known(opened.store, name);
        const auto threads = thread.empty() ? store::list_threads(opened.store, agent.id)
                                            : std::vector{require_thread(opened, agent, thread)};
        std::vector<context::PrefixReport> reports;
        std::string problem;
        for (const store::Thread& one : threads) {
            reports.push_back(context::check_prefix(opened.store, agent.id, one.id));
            if (problem.empty()) problem = problem_of(reports.back());
        }
        if (json)
            std::cout << cli::json("prefix-check", {{"agent", agent.name},
                                                    {"threads", cli::each(reports, fields_of)},
                                                    {"ok", problem.empty()},
                                                    {"problem", problem}})
                      << '\n';
        else
            for (const auto& report : reports) std::cout << text_of(report) << '\n';
        if (!problem.empty()) throw Error(ErrorCode::failed, problem);
        return ExitStatus::done;
    }

    ExitStatus run(Opened& opened) const {
        if (prefix) return verify_prefix(opened);
        const store::AuditHead expected = expect.empty() ? store::AuditHead() : parse_head(expect);
        if (!name.empty()) life::require_known_agent(opened.store, name);
        const store::AuditChain chain = store::check_audit(opened.store, expected.rows);
        std::string problem = problem_of(chain, expected);
        const auto damage = store::integrity_problems(opened.store.handle());
        if (!damage.empty()) problem = "database: " + damage.front();
        if (json || problem.empty())
            cli::print(json, "audit-check",
                       {{"rows", chain.head.rows},
                        {"hash", chain.head.hash},
                        {"ok", problem.empty()},
                        {"broken_row", cli::number(chain.broken_row, 0)},
                        {"problem", problem}},
                       counted(chain.head.rows, "row") +
                           (chain.head.hash.empty() ? "" : ", head " + chain.head.hash));
        if (!problem.empty()) throw Error(ErrorCode::failed, problem);
        return ExitStatus::done;
    }

    std::string name;
    std::string expect;
    std::string thread;
    bool prefix = false;
    bool json = false;
};

}  // namespace

std::vector<cli::Verb> record_verbs() {
    return {verb<Artifacts>("artifacts", "list the artifacts of an agent"),
            verb<Audit>("audit", "print the audit log: what was decided, and by whom"),
            verb<Usage>("usage", "print tokens and cost"),
            verb<Verify>("verify", "check the integrity of the audit log")};
}

}  // namespace chorus::command
