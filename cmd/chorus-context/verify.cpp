#include <iostream>

#include "base/number.hpp"
#include "base/text.hpp"
#include "chorus-context/verbs.hpp"
#include "context/prefix.hpp"
#include "store/integrity.hpp"
#include "store/records.hpp"

namespace chorus::command {
namespace {

struct Verify : Printing {
    explicit Verify(cli::Command& verb) {
        verb.word("NAME", name, "the agent of --prefix; the audit log covers all agents");
        verb.flag("--prefix", prefix, "check instead that each request extends the one before");
        verb.option("-t,--thread THREAD", thread, "with --prefix: only this thread")
            .needs("--prefix");
        verb.option("--expect ROWS:HASH", expect,
                    "rows and hash of an earlier result, to compare with");
    }

    static store::AuditHead parse_head(const std::string& text) {
        store::AuditHead head;
        std::string_view rest = text;
        head.rows = base::take_number<std::int64_t>(rest).value_or(-1);
        const bool has_colon = rest.starts_with(':');
        if (has_colon) head.hash = rest.substr(1);
        const bool is_hash = head.hash.size() == 64 &&
                             head.hash.find_first_not_of("0123456789abcdef") == std::string::npos;
        if (has_colon && head.rows >= 0 && (head.rows == 0 ? head.hash.empty() : is_hash))
            return head;
        throw Error(ErrorCode::bad_request, "--expect: " + base::quoted(text) + " is not ROWS:HASH",
                    "a result of chorus-run --json has them: jq -r '\"\\(.audit.rows // "
                    "0):\\(.audit.hash // \"\")\"'");
    }

    // Returns the first problem, or "".
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

    void verify_prefix(Opened& opened) const {
        if (name.empty())
            throw Error(ErrorCode::bad_request, "--prefix: needs the name of an agent",
                        "chorus-context verify NAME --prefix");
        const store::Agent agent = life::require_known(opened.home, opened.store, name);
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
    }

    void run(Opened& opened) const {
        if (prefix) return verify_prefix(opened);
        const store::AuditHead expected = expect.empty() ? store::AuditHead() : parse_head(expect);
        if (!name.empty()) (void)life::require_known(opened.home, opened.store, name);
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
    }

    std::string name;
    std::string expect;
    std::string thread;
    bool prefix = false;
};

}  // namespace

const cli::Verb verify_verb =
    verb<Verify>("verify", "check the integrity of the audit log", json_object);

}  // namespace chorus::command
