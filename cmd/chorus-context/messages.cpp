#include <iostream>

#include "base/enum_names.hpp"
#include "base/text.hpp"
#include "chorus-context/reading.hpp"
#include "chorus-context/verbs.hpp"
#include "command/verb.hpp"
#include "store/search.hpp"
#include "turn/next_request.hpp"

namespace chorus::command {
namespace {

struct Messages : Named {
    explicit Messages(cli::Command& verb) : Named(verb, "the agent, also a destroyed one") {
        verb.flag("--all", all, "include calls, results and what --retry dropped");
        span.add(verb);
        verb.option("--id-gt MESSAGE", filter.after, "only messages with a greater id").from(0);
        verb.option("-t,--thread THREAD", thread, "only this thread: main, a number or a branch");
        verb.option("-n,--limit N", filter.newest, "only the last N").from(1);
        verb.flag("--json", json, "print one JSON object per line");
    }

    ExitStatus run(Opened& opened) {
        span.limit(filter);
        const store::Agent agent = life::require_known(opened.store, name);
        filter.agent = agent.id;
        if (!thread.empty()) filter.thread = require_thread(opened, agent, thread).id;
        filter.said = all ? store::Said::everything : store::Said::by_people_and_agent;
        const Form form = cli::form_of_stdout(json);
        store::for_each_message(opened.store, filter, [&](const store::SaidMessage& said) {
            if (form == Form::json) {
                Fields fields = fields_of(said);
                fields.insert(fields.begin(), {"agent", agent.name});
                std::cout << cli::json("message", fields) << '\n';
            } else {
                print(said, form);
            }
            return std::cout.good();
        });
        return ExitStatus::done;
    }

    store::MessageFilter filter;
    std::string thread;
    Span span;
    bool all = false;
    bool json = false;
};

struct Search {
    explicit Search(cli::Command& verb) {
        verb.word("QUERY", search.text, "words, \"a phrase\" or prefix*").required();
        verb.option("-A,--agent NAME", search.agent, "only this agent, also a destroyed one");
        verb.option("--in WHERE", in, "where to search: all, prompts, answers or tools")
            .one_of({"all", "prompts", "answers", "tools"});
        verb.option("--since TIME", since, "only from TIME on");
        verb.option("-n,--limit N", search.most, "only the best N (default: 20)").from(1);
        verb.flag("--json", json, "print one JSON object per line");
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
                {"turn_id", cli::number(found.turn_id, 0), std::to_string(found.turn_id)},
                {"role", found.role},
                {"snippet", cli::Json{chat::quoted(text)}, marked(found, false)}};
    }

    static void print_paragraph(const store::Found& found, bool color) {
        std::cout << one_line(found.agent) << "  message " << found.id << "  "
                  << cli::shown_time(found.timestamp) << "  thread " << found.thread << "  turn "
                  << found.turn_id << "  " << found.role << "\n    " << marked(found, color)
                  << '\n';
    }

    // If nothing is found, exits with 1 and prints nothing, like grep.
    ExitStatus run(Opened& opened) {
        constexpr base::EnumNames<store::SearchIn, 4> places{
            {"all", "prompts", "answers", "tools"}};
        search.in = *places.find(in);
        if (!since.empty()) search.since = cli::require_time(since, "--since");
        if (!search.agent.empty()) life::require_known_agent(opened.store, search.agent);
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
    bool json = false;
};

struct Show : Named {
    explicit Show(cli::Command& verb) : Named(verb) {
        verb.flag("--assembled", assembled, "print the whole next request");
        verb.option("-t,--thread THREAD", turn.thread,
                    "thread: main, a number or a branch (default: the current one)");
        verb.flag("--json", json, "print one JSON object");
    }

    Fields fields_of(const turn::NextRequest& next) const {
        const auto& messages = next.request.messages;
        const auto first = messages.begin() + (next.begins_with_project ? 1 : 0);
        const auto message_fields = [&](const chat::Message& message) {
            return command::fields_of({message, next.thread, {}, 0, {}, {}});
        };
        const auto tool_fields = [](const chat::ToolDefinition& tool) -> Fields {
            return {{"name", tool.name},
                    {"description", tool.description},
                    {"schema", cli::Json{tool.schema.empty() ? "{}" : tool.schema}}};
        };
        const chat::Request whole = assembled ? next.request : chat::Request();
        const bool has_project = assembled && next.begins_with_project;
        return {{"agent", next.agent},
                {"thread", next.thread},
                {"model", next.model},
                {"estimated_tokens", next.estimated_tokens},
                {"token_budget", next.token_budget},
                {"system", whole.system + whole.documents},
                {"tools", cli::each(whole.tools, tool_fields)},
                {"project", has_project ? messages.front().content : ""},
                {"messages", cli::each(std::vector(first, messages.end()), message_fields)},
                {"status", assembled ? next.status : ""}};
    }

    static void print_part(std::string_view part, std::string_view text) {
        if (!text.empty()) std::cout << part << '\n' << indented(text) << '\n';
    }

    static void print_request(const turn::NextRequest& next) {
        const chat::Request& request = next.request;
        print_part("model", next.model);
        print_part("system", request.system + request.documents);
        std::string tools;
        for (const chat::ToolDefinition& tool : request.tools) tools += tool.name + "\n";
        print_part("tools", tools);
        for (const chat::Message& message : request.messages)
            print_part(next.begins_with_project && &message == &request.messages.front()
                           ? "project"
                           : chat::name(message.role),
                       message.status + (message.status.empty() ? "" : "\n\n") + text_of(message));
        print_part("status", next.status);
    }

    ExitStatus run(Begun& begun) {
        turn.agent = name;
        const turn::NextRequest next = turn::next_request(turn, begun.surroundings());
        if (json)
            std::cout << cli::json("context", fields_of(next)) << '\n';
        else if (assembled)
            print_request(next);
        else
            for (std::size_t i = next.begins_with_project ? 1 : 0; i < next.request.messages.size();
                 ++i)
                print({next.request.messages[i], next.thread, {}, 0, {}, {}},
                      cli::form_of_stdout(false));
        return ExitStatus::done;
    }

    place::TurnOptions turn;
    bool assembled = false;
    bool json = false;
};

}  // namespace

std::vector<cli::Verb> message_verbs() {
    return {verb<Messages>("messages", "print all messages, also those outside the window"),
            verb<Search>("search", "search all messages (full text)"),
            verb<Show>("show", "print the window, or the whole next request")};
}

}  // namespace chorus::command
