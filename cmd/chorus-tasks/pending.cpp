#include <optional>

#include "approval/decision.hpp"
#include "approval/expiry.hpp"
#include "chat/event.hpp"
#include "chorus-tasks/view.hpp"
#include "cli/time_text.hpp"
#include "turn/questions.hpp"

namespace chorus::command {
namespace {

struct Pending : Printing {
    explicit Pending(cli::Command& verb) {
        verb.word("NAME", name, "only questions of this agent and of its sub-agents");
    }

    void run(Opened& opened) const {
        std::optional<store::AgentId> wanted;
        if (!name.empty()) wanted = life::require_agent(opened.home, opened.store, name).id;
        for (const auto& prompt : approval::waiting_prompts(opened.store, wanted)) {
            const std::string agent = agent_of(opened, prompt);
            chat::PromptNotice asked = turn::notice_of(prompt);
            asked.changed = approval::changed_since_asked(opened.store, opened.home, prompt);
            std::vector<std::string> line{prompt.id, agent, cli::shown_time(prompt.created_at),
                                          one_line(approval::in_one_line(prompt))};
            if (!asked.changed.empty())
                line.push_back("since it was asked: " + one_line(asked.changed));
            const cli::Member members([&](chat::JsonText& out) { write_members(out, asked); });
            cli::print(json, "pending",
                       {{"agent", agent},
                        {"thread", cli::number(thread_of(opened, prompt), 0)},
                        {"turn_id", cli::number(prompt.turn_id, 0)},
                        {"created_at", Time{prompt.created_at}},
                        {"notice", members}},
                       cli::tabbed(line, ""));
        }
    }

    std::string name;
};

}  // namespace

const cli::Verb pending_verb = verb<Pending>("pending", "list pending questions", json_lines);

}  // namespace chorus::command
