#include <iostream>

#include "base/enum_names.hpp"
#include "chorus-context/reading.hpp"
#include "chorus-context/verbs.hpp"
#include "cli/time_text.hpp"
#include "store/search.hpp"

namespace chorus::command {
namespace {

struct Search : Printing {
    explicit Search(cli::Command& verb) {
        verb.word("QUERY", search.text, "words, \"a phrase\" or prefix*").required();
        verb.option("-A,--agent NAME", search.agent, "only this agent, also a destroyed one");
        verb.option("--in WHERE", in, "where to search: all, prompts, answers or tools")
            .one_of({"all", "prompts", "answers", "tools"});
        verb.option("--since TIME", since, "only from TIME on");
        verb.option("-n,--limit N", search.most, "only the best N (default: 20)").from(1);
    }

    static std::string marked(const store::Found& found, bool color) {
        std::string text;
        for (const auto& piece : found.snippet)
            text += color && piece.is_hit ? "\x1b[1;31m" + one_line(piece.text) + "\x1b[0m"
                                          : one_line(piece.text);
        return text;
    }

    static Fields fields_of(const store::Found& found) {
        std::string text;
        for (const auto& piece : found.snippet) text += piece.text;
        return {{"agent", found.agent},
                {"id", found.id},
                {"created_at", Time{found.timestamp}},
                {"thread", found.thread},
                {"turn_id", cli::number(found.turn_id, 0), turn_of(found)},
                {"role", found.role},
                {"snippet", cli::Json{chat::quoted(text)}, marked(found, false)}};
    }

    // A restored message is of no turn.
    static std::string turn_of(const store::Found& found) {
        return found.turn_id == 0 ? "-" : std::to_string(found.turn_id);
    }

    static void print_paragraph(const store::Found& found, bool color) {
        std::cout << one_line(found.agent) << "  message " << found.id << "  "
                  << cli::shown_time(found.timestamp) << "  thread " << found.thread << "  turn "
                  << turn_of(found) << "  " << found.role << "\n    " << marked(found, color)
                  << '\n';
    }

    // If nothing is found, exits with 1 and prints nothing, like grep.
    ExitStatus run(Opened& opened) {
        constexpr base::EnumNames<store::SearchIn, 4> places{
            {"all", "prompts", "answers", "tools"}};
        search.in = *places.find(in);
        if (!since.empty()) search.since = cli::require_time(since, "--since");
        if (!search.agent.empty())
            (void)life::require_known(opened.home, opened.store, search.agent);
        const auto all = store::search_messages(opened.store, search);
        const Form form = cli::form_of_stdout(json);
        const cli::Table table(
            "match",
            {{"agent"}, {"id"}, {"created_at"}, {"thread"}, {"turn_id"}, {"role"}, {"snippet"}},
            "");
        if (form == Form::terminal)
            for (const store::Found& found : all)
                print_paragraph(found, in_color(opened.environment));
        else
            table.print(cli::each(all, fields_of), form);
        return all.empty() ? ExitStatus::failed : ExitStatus::done;
    }

    store::Search search;
    std::string in = "all";
    std::string since;
};

}  // namespace

const cli::Verb search_verb = verb<Search>("search", "search all messages (full text)", json_lines);

}  // namespace chorus::command
