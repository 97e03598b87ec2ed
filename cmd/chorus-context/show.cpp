#include <iostream>

#include "chorus-context/reading.hpp"
#include "chorus-context/verbs.hpp"
#include "turn/next_request.hpp"

namespace chorus::command {
namespace {

struct Show : Named {
    explicit Show(cli::Command& verb) : Named(verb) {
        verb.flag("--assembled", assembled, "print the whole next request");
        verb.option("-t,--thread THREAD", turn.thread,
                    "thread: main, a number or a branch (default: the current one)");
    }

    Fields fields_of(const turn::NextRequest& next) const {
        const auto& messages = next.request.messages;
        const auto first = messages.begin() + (next.begins_with_project ? 1 : 0);
        const auto message_fields = [&](const chat::Message& message) {
            store::StoredMessage said;
            said.message = message;
            said.thread = next.thread;
            return command::fields_of(said);
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

    void run(Begun& begun) {
        turn.agent = name;
        const turn::NextRequest next = turn::next_request(turn, begun.surroundings());
        if (json)
            std::cout << cli::json("context", fields_of(next)) << '\n';
        else if (assembled)
            print_request(next);
        else
            for (std::size_t i = next.begins_with_project ? 1 : 0; i < next.request.messages.size();
                 ++i) {
                store::StoredMessage said;
                said.message = next.request.messages[i];
                said.thread = next.thread;
                print(said, cli::form_of_stdout(false));
            }
    }

    place::TurnOptions turn;
    bool assembled = false;
};

}  // namespace

const cli::Verb show_verb =
    verb<Show>("show", "print the window, or the whole next request", json_object);

}  // namespace chorus::command
