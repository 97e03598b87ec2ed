// The loop's host in a real turn: context from store and directory, model over the network, calls
// under the profile, every step on record.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "context/window.hpp"
#include "net/http.hpp"
#include "tools/tasks.hpp"
#include "turn/calls.hpp"
#include "turn/loop.hpp"
#include "turn/place.hpp"
#include "turn/record.hpp"
#include "turn/recovery.hpp"
#include "turn/shutdown.hpp"

namespace chorus::turn {

// Where the window of this turn begins and ends; taken once at its start.
struct WindowFrame {
    base::TimeMs after_time = 0;
    std::int64_t after_message = 0;
    bool is_fresh = false;  // the messages of the turn itself are all that it has
};

// The parts of a turn that are loaded before anything is committed.
struct Loaded {
    agent::Configuration configuration;
    Settings settings;
    Rights rights;
    std::vector<agent::TrustChange> untrusted;
    std::string file;  // of what it was made: agent.json, and the trusted part of it
    std::string part;
    std::vector<std::string> joined;  // the rights of those it works for (turn/rights.hpp)
    bool is_shared = false;           // it works for others too
};
// As the turn has it, with its own permissions where it was given some.
InForce in_force_for(Place& place, const TurnOptions& options);
// Whether that would give the same again.
bool is_current(Place& place, const Loaded& loaded);
Loaded load(Place& place, const TurnOptions& options, const Surroundings& surroundings);
// Of the place, which outlives it.
tools::Workplace make_workplace(Place& place, const Surroundings& surroundings,
                                const Settings& settings);

// The messages of the next request, without the project's text. The place's thread knows the cut
// from then on; compact.hpp has what becomes of messages that no longer fit.
struct AssembledWindow {
    std::vector<chat::Message> messages;
    bool cut_moved = false;
    bool limits_grew = false;  // since the cut was made: what they left out was looked at again
    std::vector<chat::Message> dropped = {};  // by the limits, now
    chat::Usage usage = {};                   // of a summary that was made for it
};
AssembledWindow assemble_window(Place& place, const Loaded& loaded, const WindowFrame& frame,
                                std::int64_t open_turn);
WindowFrame frame_for(const Place& place, const Settings& settings, base::TimeMs now);
// Returns the tokens that the budget leaves for messages beside system prompt, documents, tools and
// the project's text, as it compares with estimates; 0 for no limit.
std::int64_t room_for_messages(Place& place, const Loaded& loaded,
                               const std::vector<chat::Message>& messages);
// Whether max_messages or the token budget may leave something out of it, tokens being counted as
// the provider did in the thread's last turn.
bool exceeds_limits(Place& place, const Loaded& loaded, const chat::Request& request);
// Tools that no profile hides.
std::vector<chat::ToolDefinition> visible_tools(const std::vector<policy::Profile>& profiles);

// The user's message, with the status block of this moment, for which `tasks` are those that run.
chat::Message user_message(Place& place, const std::string& text, std::vector<store::Task> tasks);

// Everything of a request but its conversation.
void write_opening(const Place& place, const Loaded& loaded, chat::Request& request);
// Of a text that seldom changes: the digest is made anew only when it does.
class Digest {
  public:
    const std::string& of(std::string_view text);

  private:
    std::string text_;
    std::string digest_;
};

struct PrefixDigests {
    Digest prompt;
    Digest docs;
    Digest project;
    Digest tools;
};

// What providers' caches hang on; the request is without the project's text yet.
store::Prefix prefix_of(const Loaded& loaded, const chat::Request& request,
                        const std::string& project, PrefixDigests& digests);
// AGENTS.md as the first user message, where there is one.
std::optional<chat::Message> project_message(const Place& place);

class LiveTurn : public LoopHost {
  public:
    LiveTurn(Place& place, Record& record, const TurnOptions& options,
             const Surroundings& surroundings, Loaded loaded, WindowFrame frame);
    ~LiveTurn() override;

    // The window as it was before the turn's own messages, where the caller has it already.
    void begin_with(AssembledWindow window);

    // Settles or runs again what the turn had left undone, then the loop, then the turn's end.
    chat::TurnResult take(const std::vector<Unfinished>& unfinished);

    bool stop_requested() override { return shutdown_.requested(); }
    const chat::Request& assemble(std::int64_t iteration) override;
    model::Answer ask(const chat::Request& request) override;
    void keep(const chat::Reply& reply) override;
    Decided decide(const std::vector<chat::ToolCall>& calls) override;
    Ran run(const std::vector<chat::ToolCall>& calls) override;
    void refuse_cut(const chat::Reply& reply) override;
    void conclude(const chat::Reply& reply, const std::string& text) override;

  private:
    void use_model(const std::string& name);
    store::Task next_task();
    void renew_rules();
    void reload();
    void renew_conversation();
    void give_unique_ids(const chat::Request& request, chat::Reply& reply) const;
    std::optional<LoopEnd> take_up(const std::vector<Unfinished>& unfinished);
    void fill(const LoopEnd& end);
    void fill_failure(const model::Failure& failure);
    void run_to_end(const std::vector<Unfinished>& unfinished);
    void guard(const std::function<void()>& work);
    void emit(const chat::Event& event) const;
    void tell(const chat::Reply& reply) const;
    const chat::Opaque* opaque_of(const chat::Reply& reply) const;

    Place& place_;
    Record& record_;
    const TurnOptions& options_;
    const Surroundings& surroundings_;
    Loaded loaded_;
    WindowFrame frame_;
    Shutdown shutdown_;
    tools::Workplace workplace_;
    tools::Tasks tasks_;
    chat::TurnResult result_;
    Calls calls_;
    LoopState state_;
    std::unique_ptr<net::Client> client_;
    std::unique_ptr<model::Model> model_;
    std::string model_name_;
    chat::Request request_;
    bool has_project_ = false;  // request_.messages begins with the project's text
    bool has_window_ = false;
    PrefixDigests digests_;
    bool assembled_ = false;
    bool concluded_ = false;
};

}  // namespace chorus::turn
