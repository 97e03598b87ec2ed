// The loop's host in a real turn: reads the context from store and directory, asks the model, runs
// calls under the profile, and records every step.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "context/window.hpp"
#include "net/http.hpp"
#include "place/keyring.hpp"
#include "place/place.hpp"
#include "place/shutdown.hpp"
#include "tools/task_tools.hpp"
#include "turn/calls.hpp"
#include "turn/loop.hpp"
#include "turn/messaging.hpp"
#include "turn/own_artifacts.hpp"
#include "turn/recovery.hpp"
#include "turn/sub_agent_runs.hpp"
#include "turn/turn_record.hpp"

namespace chorus::turn {

// The bounds of this turn's window, set once at its start.
struct WindowFrame {
    base::TimeMs after_time = 0;
    std::int64_t after_message = 0;
    bool is_fresh = false;  // holds only the messages of the turn itself
};

// The place must outlive the workplace.
tools::Workplace make_workplace(place::Place& place, const place::Settings& settings);

// The messages of the next request, without the project's text. compact.hpp handles messages that
// no longer fit, and moves the cut.
struct AssembledWindow {
    std::vector<chat::Message> messages;
    store::Thread thread;  // with the cut of this window
    bool cut_moved = false;
    bool limits_grew = false;  // since the cut: messages left out were considered again
    std::vector<chat::Message> dropped = {};  // now left out by the limits
    chat::Usage usage = {};                   // of a summary made for it
};
AssembledWindow assemble_window(place::Place& place, const place::Loaded& loaded,
                                const WindowFrame& frame, std::int64_t open_turn);
WindowFrame frame_for(const place::Place& place, const place::Settings& settings, base::TimeMs now);
// Returns how many estimated tokens the budget leaves for messages besides system prompt,
// documents, tools and the project's text; 0 for no limit.
std::int64_t room_for_messages(place::Place& place, const place::Loaded& loaded,
                               const std::vector<chat::Message>& messages);
// Returns whether max_messages or the token budget may leave out messages of the request. Token
// estimates are corrected by the provider's count in the thread's last turn.
bool exceeds_limits(place::Place& place, const place::Loaded& loaded, const chat::Request& request);
// Returns the tools that no profile hides.
std::vector<chat::ToolDefinition> visible_tools(const std::vector<policy::Profile>& profiles,
                                                const agent::Home& home);

// Returns the user's message with the current status block; `tasks` are the running tasks.
chat::Message user_message(place::Place& place, const std::string& text,
                           std::vector<store::Task> tasks);

// Fills in a request except for its conversation. Tools that it has stay as they are: providers'
// caches begin with them.
void write_opening(const place::Place& place, const place::Loaded& loaded, chat::Request& request);
// Returns what providers' caches depend on. The request must not hold the project's text yet.
store::Prefix prefix_of(const place::Loaded& loaded, const chat::Request& request,
                        const std::string& project);
// Returns AGENTS.md as the first user message, if there is one.
std::optional<chat::Message> project_message(const place::Place& place);

class LiveTurn : public LoopHost {
  public:
    LiveTurn(place::Place& place, Record& record, place::Loaded loaded, WindowFrame frame);

    // Sets the window as it was before the turn's own messages, if the caller has it already.
    void begin_with(AssembledWindow window);
    // Makes the turn sleep first, because its credential is rate-limited until then.
    void begin_parked(base::TimeMs until) { resume_at_ = until; }

    // Settles or repeats unfinished calls, runs the loop, then records the turn's end.
    chat::TurnResult take(const std::vector<Unfinished>& unfinished);

    bool stop_requested() override { return shutdown_.requested(); }
    std::int64_t tokens_below() override;
    const chat::Request& assemble(std::int64_t iteration) override;
    model::Answer ask(const chat::Request& request) override;
    void keep(const chat::Reply& reply) override;
    Decided decide(const std::vector<chat::ToolCall>& calls) override;
    Ran run(const std::vector<chat::ToolCall>& calls) override;
    void refuse_cut(const chat::Reply& reply) override;
    std::string check(std::string& text) override;
    void refuse_answer(const chat::Reply& reply, const std::string& problem) override;
    void conclude(const chat::Reply& reply, const std::string& text) override;

  private:
    void use_model();
    void add_usage(const chat::Usage& usage);
    model::Answer ask_once(const chat::Request& request);
    // Not inlined: what it loads would lie on the stack below every model call.
    [[gnu::noinline]] bool fall_back(const model::Answer& answer);
    [[gnu::noinline]] bool make_room(const model::Answer& answer);
    bool wait_parked(const std::string& why);
    store::Task next_task();
    void keep_plan(chat::Plan plan);
    void renew_rules();
    void reload();
    void renew_conversation();
    void use_window(AssembledWindow window);
    void begin_with_project();
    void give_unique_ids(const chat::Request& request, chat::Reply& reply) const;
    std::optional<LoopEnd> take_up(const std::vector<Unfinished>& unfinished);
    void fill(const LoopEnd& end);
    void fill_counts();
    void fill_failure(const model::Failure& failure);
    void run_to_end(const std::vector<Unfinished>& unfinished);
    void guard(const std::function<void()>& work);
    void tell(const chat::Reply& reply) const;

    place::Place& place_;
    Record& record_;
    place::Loaded loaded_;
    WindowFrame frame_;
    place::Shutdown shutdown_;
    tools::Workplace workplace_;
    tools::Tasks tasks_;
    chat::TurnResult result_;
    tools::SubAgents sub_agents_;
    tools::Artifacts artifacts_;
    tools::OtherAgents other_agents_;
    Calls calls_;
    LoopState state_;
    place::Keys keys_;
    base::TimeMs resume_at_ = 0;  // after a rate limit
    std::unique_ptr<net::Client> client_;
    std::unique_ptr<model::Model> model_;
    std::string model_name_;
    chat::Request request_;
    bool has_project_ = false;  // request_.messages begins with the project's text
    bool has_window_ = false;
    bool has_made_room_ = false;
    bool assembled_ = false;
    bool concluded_ = false;
};

}  // namespace chorus::turn
