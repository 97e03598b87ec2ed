// The calls of one answer: first all are decided, then they are run; each step is recorded before
// the next.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/tool.hpp"
#include "turn/checkpoint.hpp"
#include "turn/judged.hpp"
#include "turn/loop.hpp"
#include "turn/questions.hpp"

namespace chorus::turn {

// Returns whether commands run in a working sandbox without network, as `sandboxed` requires;
// `problem` is the result of sys::sandbox_problem.
policy::ShellConfinement shell_surroundings(const sys::Sandbox& sandbox,
                                            const std::optional<base::Error>& problem);

class Calls {
  public:
    // The rules of the turn, which the place and the record do not have.
    struct Rules {
        const place::Loaded& loaded;
        std::function<bool()> stopping;  // if true, begin nothing new
        std::function<void()> renew;     // loads again what another call may have changed
    };
    Calls(place::Place& place, Record& record, tools::Workplace& workplace, Rules rules,
          std::vector<chat::TurnResult::Denied>& denied);

    // Suspended: every question has become a row, which `prompts` lists, and nothing was run.
    // Failed: each call has its result.
    Decided decide(const std::vector<chat::ToolCall>& calls);
    Ran run();
    const std::vector<chat::PromptNotice>& prompts() const { return prompts_; }
    // Called when the turn has ended, for whatever reason, and no call runs any more.
    void note_end() { checkpoint_.note_end(record_.turn()); }

  private:
    using Outcome = std::optional<chat::ToolResult>;  // nothing: it waits for a person

    // Whether a profile denies the tool with any arguments.
    bool is_hidden(const tools::Tool& tool) const;
    std::string unknown_tool(const std::string& name) const;
    Judged judge(const chat::ToolCall& call);
    policy::Decision weigh(const Judged& judged);
    std::string detail_of(const policy::Decision& decision) const;
    approval::Binding bind(const Judged& judged) const;
    void apply_policy(Judged& judged);
    void refuse_futile_question(Judged& judged) const;
    void deny(Judged& judged, const std::string& reason, const char* decision = "deny");
    void note_denied(const Judged& judged);
    void ask_terminal(Judged& judged);
    void answer_for_nobody(Judged& judged);
    Decided settle_open();
    void fail_all();
    void look_again(Judged& judged);
    Decided settle_again(Judged& judged);
    std::optional<base::Error> prepare(Judged& judged);
    CallOutcome end(Judged& judged, chat::ToolResult result);
    bool side_by_side() const;
    Ran run_in_order();
    Ran run_side_by_side();
    void execute_side_by_side(std::vector<Outcome>& results);
    void plan(Judged& judged);
    void note_edit(Judged& judged, const std::string& edit) const;
    Outcome at_the_border(const Judged& judged, const std::function<Outcome()>& use) const;
    Outcome execute(Judged& judged) const;
    Decided wait_for_person();
    bool goes_on_waiting();
    void prepare_sandbox();

    place::Place& place_;
    Record& record_;
    tools::Workplace& workplace_;
    Rules rules_;
    std::vector<chat::TurnResult::Denied>& denied_;
    Questions questions_;
    TurnCheckpoint checkpoint_;
    std::vector<Judged> judged_;
    std::vector<chat::PromptNotice> prompts_;
    std::vector<std::string> taken_up_;  // decisions that sub-agents went on with
    bool sandbox_tested_ = false;
};

}  // namespace chorus::turn
