#include <charconv>
#include <iostream>

#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "chorus-context/verb.hpp"
#include "context/prefix.hpp"
#include "life/find_agent.hpp"
#include "store/integrity.hpp"
#include "store/records.hpp"

namespace chorus::context_command {
namespace {

using base::Error;
using base::ErrorCode;

struct Options {
    std::string agent;
    std::string expect;
    std::string thread;
    bool prefix = false;
    bool json = false;
};

store::AuditHead parse_head(const std::string& text) {
    store::AuditHead head;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), head.rows);
    const std::size_t colon = static_cast<std::size_t>(end - text.data());
    const bool has_colon = error == std::errc{} && colon < text.size() && text[colon] == ':';
    if (has_colon) head.hash = text.substr(colon + 1);
    const bool is_hash = head.hash.size() == 64 &&
                         head.hash.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (has_colon && head.rows >= 0 && (head.rows == 0 ? head.hash.empty() : is_hash)) return head;
    throw Error(ErrorCode::bad_request, "--expect: " + base::quoted(text) + " is not ROWS:HASH",
                "a result of chorus-run --json has them: jq -r '\"\\(.audit.rows // "
                "0):\\(.audit.hash // \"\")\"'");
}

// What is wrong, or "".
std::string problem_of(const store::AuditChain& chain,
                       const std::optional<store::AuditHead>& expected) {
    if (chain.broken_row != 0) return "row " + std::to_string(chain.broken_row) + " was changed";
    if (!expected || expected->rows == 0) return {};
    if (chain.head.rows < expected->rows)
        return "there are " + std::to_string(chain.head.rows) + " rows, not the " +
               std::to_string(expected->rows) + " expected: the end was cut off";
    if (chain.hash_at != expected->hash)
        return "row " + std::to_string(expected->rows) +
               " has another hash than expected: rows up to it were rewritten";
    return {};
}

void print_json(const store::AuditChain& chain, const std::string& problem) {
    chat::JsonText out = chat::open_object("audit-check");
    out.key("rows").number(chain.head.rows);
    write_text(out, "hash", chain.head.hash);
    out.key("ok").boolean(problem.empty());
    write_number(out, "broken_row", chain.broken_row, 0);
    write_text(out, "problem", problem);
    std::cout << out.end_object().text() << '\n';
}

std::string problem_of(const context::PrefixReport& report) {
    if (report.broken == 0) return {};
    return "thread " + std::to_string(report.thread) + ": message " +
           std::to_string(report.broken) + " differs from what was sent";
}

void write_report(chat::JsonText& out, const context::PrefixReport& report) {
    out.begin_object().key("thread").number(report.thread);
    out.key("messages").number(report.messages).key("unhashed").number(report.unhashed);
    write_number(out, "broken_message", report.broken, 0);
    out.key("cuts").number(report.cuts).key("model").number(report.model);
    out.key("prompt").number(report.prompt).key("docs").number(report.docs);
    out.key("project").number(report.project).key("tools").number(report.tools);
    out.end_object();
}

// "2 cuts, 1 change of docs"
std::string causes_of(const context::PrefixReport& report) {
    std::vector<std::string> causes;
    const auto add = [&](std::int64_t count, const std::string& one, const std::string& more) {
        if (count > 0) causes.push_back(std::to_string(count) + " " + (count == 1 ? one : more));
    };
    add(report.cuts, "cut", "cuts");
    for (const auto& [count, what] :
         {std::pair{report.model, "the model"}, std::pair{report.prompt, "the prompt"},
          std::pair{report.docs, "docs"}, std::pair{report.project, "AGENTS.md"},
          std::pair{report.tools, "the tool list"}})
        add(count, std::string("change of ") + what, std::string("changes of ") + what);
    return causes.empty() ? "nothing changed" : base::join(causes, ", ");
}

void print_text(const std::vector<context::PrefixReport>& reports) {
    for (const context::PrefixReport& report : reports)
        std::cout << "thread " << report.thread << ": " << report.messages
                  << (report.messages == 1 ? " message" : " messages")
                  << (report.unhashed == 0
                          ? ""
                          : " and " + std::to_string(report.unhashed) + " without a hash")
                  << ", " << causes_of(report) << '\n';
}

base::ExitStatus verify_prefix(const Options& options, Opened& opened) {
    store::Store& store = *opened.store;
    if (options.agent.empty())
        throw Error(ErrorCode::bad_request, "--prefix: needs the name of an agent",
                    "chorus-context verify NAME --prefix");
    const store::Agent agent = life::require_known(store, options.agent);
    std::vector<store::ThreadId> threads;
    if (!options.thread.empty())
        threads.push_back(require_thread(opened, agent, options.thread).id);
    else
        for (const store::Thread& thread : store::list_threads(store, agent.id))
            threads.push_back(thread.id);
    std::vector<context::PrefixReport> reports;
    std::string problem;
    for (const store::ThreadId thread : threads) {
        reports.push_back(context::check_prefix(store, agent.id, thread));
        if (problem.empty()) problem = problem_of(reports.back());
    }
    if (options.json) {
        chat::JsonText out = chat::open_object("prefix-check");
        out.key("agent").string(agent.name).key("threads").begin_array();
        for (const context::PrefixReport& report : reports) write_report(out, report);
        out.end_array().key("ok").boolean(problem.empty());
        write_text(out, "problem", problem);
        std::cout << out.end_object().text() << '\n';
    } else {
        print_text(reports);
    }
    if (!problem.empty()) throw Error(ErrorCode::failed, problem);
    return base::ExitStatus::done;
}

base::ExitStatus run(const Options& options, Opened& opened) {
    if (options.prefix) return verify_prefix(options, opened);
    std::optional<store::AuditHead> expected;
    if (!options.expect.empty()) expected = parse_head(options.expect);
    if (!options.agent.empty()) (void)life::require_known(*opened.store, options.agent);
    const store::AuditChain chain =
        store::check_audit(*opened.store, expected ? expected->rows : 0);
    std::string problem = problem_of(chain, expected);
    if (!problem.empty()) problem = "audit log: " + problem;
    const auto damage = store::integrity_problems(opened.store->handle());
    if (!damage.empty()) problem = "database: " + damage.front();
    if (options.json) print_json(chain, problem);
    if (!problem.empty()) throw Error(ErrorCode::failed, problem);
    if (!options.json)
        std::cout << chain.head.rows << (chain.head.rows == 1 ? " row" : " rows")
                  << (chain.head.hash.empty() ? "" : ", head " + chain.head.hash) << '\n';
    return base::ExitStatus::done;
}

}  // namespace

Action add_verify(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->agent, "the agent of --prefix; the audit log covers all agents");
    verb.flag("--prefix", options->prefix,
              "check instead that each request extends the one before");
    verb.option("-t,--thread THREAD", options->thread, "with --prefix: only this thread")
        .needs("--prefix");
    verb.option("--expect ROWS:HASH", options->expect,
                "rows and hash of an earlier result, to compare with");
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
