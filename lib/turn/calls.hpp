// One answer's calls: decided all at once, then run, each step on record before the next.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "policy/profile.hpp"
#include "tools/tool.hpp"
#include "turn/loop.hpp"
#include "turn/record.hpp"
#include "turn/settings.hpp"

namespace chorus::turn {

// What deciding and running need beside the record; refreshed at each iteration.
struct CallRules {
    const policy::Profile* profile = nullptr;
    const Settings* settings = nullptr;
    std::int64_t prompt_ttl_ms = 0;
    std::function<bool()> stopping;  // nothing new is begun
};

// Whether commands really run in the sandbox without network, as `sandboxed` asks; `problem` is
// sys::sandbox_problem's.
policy::Surroundings shell_surroundings(const sys::Sandbox& sandbox, const std::string& problem);

class Calls {
  public:
    Calls(Place& place, Record& record, tools::Workplace& workplace,
          const Surroundings& surroundings, std::vector<chat::TurnResult::Denied>& denied);

    void use(const CallRules& rules) { rules_ = rules; }
    // Suspended: every ask has become a row and nothing was run; `prompts` tells them.
    Decided decide(const std::vector<chat::ToolCall>& calls);
    std::vector<CallOutcome> run();
    const std::vector<chat::PromptNotice>& prompts() const { return prompts_; }

  private:
    struct Judged {
        DecidedCall decided;
        const tools::Tool* tool = nullptr;
        tools::Arguments arguments;
        std::function<chat::ToolResult()> apply = {};  // once planned, until it is done
        bool asks = false;
    };
    Judged judge(const chat::ToolCall& call);
    void deny(Judged& judged, const std::string& reason);
    void ask_terminal(Judged& judged);
    void suspend();
    store::Prompt prompt_row(const Judged& judged, base::TimeMs now) const;
    bool side_by_side() const;
    std::vector<CallOutcome> run_in_order();
    std::vector<CallOutcome> run_side_by_side();
    void plan(Judged& judged);
    chat::ToolResult at_the_border(const Judged& judged,
                                   const std::function<chat::ToolResult()>& use) const;
    chat::ToolResult execute(Judged& judged) const;
    Record::Finished finished(const Judged& judged, chat::ToolResult result,
                              base::TimeMs started_at);
    void prepare_sandbox();
    void emit(const chat::Event& event) const;

    Place& place_;
    Record& record_;
    tools::Workplace& workplace_;
    const Surroundings& surroundings_;
    std::vector<chat::TurnResult::Denied>& denied_;
    CallRules rules_;
    std::vector<Judged> judged_;
    std::vector<chat::PromptNotice> prompts_;
    bool sandbox_tested_ = false;
};

}  // namespace chorus::turn
