#include "store/search.hpp"

#include <unistd.h>

#include <climits>
#include <iostream>
#include <map>

#include "chorus-context/reading.hpp"
#include "chorus-context/verb.hpp"
#include "cli/time_text.hpp"

namespace chorus::context_command {
namespace {

struct Options {
    store::Search search;
    std::string in = "all";
    std::string since;
    bool json = false;
};

std::string plain(const store::Found& found) {
    std::string text;
    for (const auto& piece : found.snippet) text += piece.text;
    return text;
}

std::string marked(const store::Found& found, bool color) {
    std::string text;
    for (const auto& piece : found.snippet)
        text += color && piece.is_hit ? "\x1b[1;31m" + one_line(piece.text) + "\x1b[0m"
                                      : one_line(piece.text);
    return text;
}

void print_json(const store::Found& found) {
    chat::JsonText out = chat::open_object("match");
    write_text(out, "agent", found.agent);
    out.key("id").number(found.id);
    write_time(out, "created_at", found.timestamp);
    out.key("thread").number(found.thread);
    write_number(out, "turn_id", found.turn_id, 0);
    write_text(out, "role", found.role);
    out.key("snippet").string(plain(found));
    std::cout << out.end_object().text() << '\n';
}

void print_text(const store::Found& found, bool on_terminal, bool color) {
    const std::string agent = one_line(found.agent);
    const std::string time = cli::shown_time(found.timestamp);
    if (on_terminal)
        std::cout << agent << "  message " << found.id << "  " << time << "  thread "
                  << found.thread << "  turn " << found.turn_id << "  " << found.role << "\n    "
                  << marked(found, color) << '\n';
    else
        Columns({}).print({agent, std::to_string(found.id), time, std::to_string(found.thread),
                           std::to_string(found.turn_id), found.role, marked(found, false)});
}

// If nothing is found, exits with 1 and prints nothing, like grep.
base::ExitStatus run(Options& options, Opened& opened) {
    static const std::map<std::string, store::SearchIn> places{
        {"all", store::SearchIn::all},
        {"prompts", store::SearchIn::prompts},
        {"answers", store::SearchIn::answers},
        {"tools", store::SearchIn::tools}};
    options.search.in = places.at(options.in);
    options.search.since = since_of({options.since, {}});
    if (!options.search.agent.empty())
        (void)life::require_known(*opened.store, options.search.agent);
    const bool on_terminal = isatty(STDOUT_FILENO) == 1;
    const bool color = in_color(opened.environment);
    const auto all = store::search_messages(*opened.store, options.search);
    for (const store::Found& found : all) {
        if (options.json)
            print_json(found);
        else
            print_text(found, on_terminal, color);
    }
    return all.empty() ? base::ExitStatus::failed : base::ExitStatus::done;
}

}  // namespace

Action add_search(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("QUERY", options->search.text, "words, \"a phrase\" or prefix*").required();
    verb.option("-A,--agent NAME", options->search.agent, "only this agent, also a destroyed one");
    verb.option("--in WHERE", options->in, "where to search: all, prompts, answers or tools")
        .one_of({"all", "prompts", "answers", "tools"});
    verb.option("--since TIME", options->since, "only from TIME on");
    verb.option("-n,--limit N", options->search.most, "only the best N (default: 20)").from(1);
    verb.flag("--json", options->json, "print one JSON object per line");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
