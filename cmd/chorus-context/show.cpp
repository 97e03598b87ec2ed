#include <iostream>

#include "chorus-context/reading.hpp"
#include "chorus-context/session.hpp"
#include "chorus-context/verb.hpp"
#include "turn/next_request.hpp"

namespace chorus::context_command {
namespace {

using turn::NextRequest;

struct Options {
    place::TurnOptions turn;
    bool assembled = false;
    bool json = false;
};

void write_messages(chat::JsonText& out, const NextRequest& next, std::size_t from) {
    out.key("messages").begin_array();
    for (std::size_t i = from; i < next.request.messages.size(); ++i) {
        write_members(out.begin_object(), {next.request.messages[i], next.thread, {}, 0, {}, {}});
        out.end_object();
    }
    out.end_array();
}

void write_tools(chat::JsonText& out, const std::vector<chat::ToolDefinition>& tools) {
    out.key("tools").begin_array();
    for (const chat::ToolDefinition& tool : tools) {
        out.begin_object();
        write_text(out, "name", tool.name);
        write_text(out, "description", tool.description);
        out.key("schema").raw(tool.schema.empty() ? "{}" : tool.schema).end_object();
    }
    out.end_array();
}

void print_json(const Options& options, const NextRequest& next) {
    const std::size_t first = next.begins_with_project ? 1 : 0;
    chat::JsonText out = chat::open_object("context");
    write_text(out, "agent", next.agent);
    out.key("thread").number(next.thread);
    write_text(out, "model", next.model);
    out.key("estimated_tokens").number(next.estimated_tokens);
    out.key("token_budget").number(next.token_budget);
    write_text(out, "system",
               options.assembled ? next.request.system + next.request.documents : "");
    write_tools(out, options.assembled ? next.request.tools : std::vector<chat::ToolDefinition>{});
    write_text(out, "project",
               options.assembled && first != 0 ? next.request.messages.front().content : "");
    write_messages(out, next, first);
    write_text(out, "status", options.assembled ? next.status : "");
    std::cout << out.end_object().text() << '\n';
}

void print_part(std::string_view name, std::string_view text) {
    if (!text.empty()) std::cout << name << '\n' << indented(text) << '\n';
}

void print_text(const Options& options, const NextRequest& next) {
    const MessageLines lines;
    if (options.assembled) {
        print_part("model", next.model);
        print_part("system", next.request.system + next.request.documents);
        std::string tools;
        for (const chat::ToolDefinition& tool : next.request.tools) tools += tool.name + "\n";
        print_part("tools", tools);
    }
    for (std::size_t i = 0; i < next.request.messages.size(); ++i) {
        const chat::Message& message = next.request.messages[i];
        const bool is_project = i == 0 && next.begins_with_project;
        if (!options.assembled && !is_project)
            lines.print({message, next.thread, {}, 0, {}, {}});
        else if (options.assembled)
            print_part(is_project ? "project" : chat::name(message.role),
                       message.status + (message.status.empty() ? "" : "\n\n") + text_of(message));
    }
    if (options.assembled) print_part("status", next.status);
}

base::ExitStatus run(const Options& options, Opened& opened) {
    const place::Surroundings surroundings = surroundings_of(opened);
    const NextRequest next = turn::next_request(options.turn, surroundings);
    if (options.json)
        print_json(options, next);
    else
        print_text(options, next);
    return base::ExitStatus::done;
}

}  // namespace

Action add_show(cli::Command& verb) {
    const auto options = std::make_shared<Options>();
    verb.word("NAME", options->turn.agent, "the agent").required();
    verb.flag("--assembled", options->assembled, "print the whole next request");
    verb.option("-t,--thread THREAD", options->turn.thread,
                "thread: main, a number or a branch (default: the current one)");
    verb.flag("--json", options->json, "print one JSON object");
    return [options](Opened& opened) { return run(*options, opened); };
}

}  // namespace chorus::context_command
