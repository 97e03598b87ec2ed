#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>

#include "base/text.hpp"
#include "chat/json_text.hpp"
#include "chorus-context/verb.hpp"
#include "life/agents.hpp"
#include "store/records.hpp"

namespace chorus::context_command {
namespace {

using base::Error;
using base::ErrorCode;

struct Options {
    std::string agent;
    std::string expect;
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
    throw Error(ErrorCode::bad_request,
                "--expect: '" + base::visible(text, base::Newlines::escape) + "' is not ROWS:HASH",
                "a result of chorus-run --json has them: jq -r '.audit | \"\\(.rows):\\(.hash)\"'");
}

// What is wrong, or "".
std::string problem_of(const store::AuditChain& chain,
                       const std::optional<store::AuditHead>& expected) {
    if (chain.broken_row != 0)
        return "row " + std::to_string(chain.broken_row) + " is not what was written";
    if (!expected || expected->rows == 0) return {};
    if (chain.head.rows < expected->rows)
        return "there are " + std::to_string(chain.head.rows) + " rows, not the " +
               std::to_string(expected->rows) + " expected: the end was cut off";
    if (chain.hash_at != expected->hash)
        return "row " + std::to_string(expected->rows) +
               " has another hash than expected: rows up to it were written anew";
    return {};
}

void print_json(const store::AuditChain& chain, const std::string& problem) {
    chat::JsonText out;
    out.begin_object().key("rows").number(chain.head.rows).key("hash").string(chain.head.hash);
    out.key("ok").boolean(problem.empty());
    out.key("broken_row");
    if (chain.broken_row == 0)
        out.null();
    else
        out.number(chain.broken_row);
    out.key("problem").string(problem);
    std::cout << out.end_object().text() << '\n';
}

base::ExitStatus run(const Options& options, Opened& opened) {
    std::optional<store::AuditHead> expected;
    if (!options.expect.empty()) expected = parse_head(options.expect);
    if (!options.agent.empty()) life::require_known_agent(*opened.store, options.agent);
    const store::AuditChain chain =
        store::check_audit(*opened.store, expected ? expected->rows : 0);
    const std::string problem = problem_of(chain, expected);
    if (options.json) print_json(chain, problem);
    if (!problem.empty()) throw Error(ErrorCode::failed, "audit log: " + problem);
    if (!options.json)
        std::cout << chain.head.rows << (chain.head.rows == 1 ? " row" : " rows")
                  << (chain.head.hash.empty() ? "" : ", head " + chain.head.hash) << '\n';
    return base::ExitStatus::done;
}

}  // namespace

Action add_verify(CLI::App& verb) {
    const auto options = std::make_shared<Options>();
    verb.add_option("NAME", options->agent, "an agent of the home; the log is that of all of them");
    verb.add_option("--expect", options->expect, "the audit of a result that was kept")
        ->type_name("ROWS:HASH");
    verb.add_flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
