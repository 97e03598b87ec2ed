// The turn's row and everything committed under it. Each function is one transaction, durable when
// it returns, but for keep(); the transcript follows the database and is repaired from it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chat/event.hpp"
#include "chat/message.hpp"
#include "place/place.hpp"
#include "store/ledger.hpp"
#include "store/prefixes.hpp"
#include "store/prompts.hpp"
#include "store/records.hpp"
#include "store/turns.hpp"
#include "turn/alerts.hpp"
#include "turn/judged.hpp"

namespace chorus::turn {

constexpr const char* refused_reason = "refused";  // of a turn that the model declined
constexpr const char* schema_reason = "schema";    // of one whose answer is not what is asked for
constexpr std::string_view budget_reason = "budget";  // of one that a budget had no room for
constexpr std::string_view tokens_reason = "tokens";  // of one at its token limit

class Record {
  public:
    // `chain` is the cumulative hash up to the newest message of the window; absent for a turn
    // whose window is not the thread's, which stores no hashes.
    Record(place::Place& place, store::Turn turn, std::optional<std::string> chain);

    store::Turn& turn() { return turn_; }
    const store::Turn& turn() const { return turn_; }
    // Restarts the hashes after a cut that left these messages. The hashes of messages that were in
    // no request yet are computed again, and the thread's cut is stored.
    void begin_chain(const std::vector<chat::Message>& window);
    bool keeps_chain() const { return chain_.has_value(); }
    // Sets the prefix of the request that the next answer is for; not used if no chain is kept.
    void use_prefix(store::Prefix prefix) { prefix_ = std::move(prefix); }

    // Shows an event of the turn to whoever watches, once the answer it follows is durable.
    void emit(const chat::Event& event);

    // The messages committed since the last call, in order.
    std::vector<chat::Message> take_committed() { return std::exchange(committed_, {}); }

    // Stored with the next commit.
    void keep_plan(const chat::Plan& plan);

    // Whether inbox messages came into the turn.
    bool has_inbox() const { return has_inbox_; }

    std::int64_t newest_answer() const { return newest_answer_; }
    // The ids of all calls of the turn, also of those that are no longer in the window.
    std::set<std::string> call_ids() const;
    // Why the transcript is incomplete, or "". It is a copy that the next turn completes.
    const std::string& transcript_problem() const { return transcript_problem_; }

    // Commits the turn's row, the inbox and the user message, which is accepted from then on.
    // Without a user message the inbox must not be empty. At most one inbox message that begins a
    // turn is taken; the others get turns of their own.
    void begin(std::optional<chat::Message> user_message);
    // Continues the same row with the next attempt; `last` is the newest message of the turn.
    void reopen(const chat::Message& last);
    // Commits an answer and its calls' rows, and emits it. One with calls comes with the next
    // commit, which each call needs before it begins: a call waits for the disk twice. What takes
    // time before that begins with commit_kept().
    void keep(const chat::Reply& reply);
    void commit_kept();
    // Commits an answer without calls, and what the model is told about it.
    void keep(const chat::Reply& reply, chat::Message told);
    // Adds what a request used to the turn. The ledger gets it with the next commit, or at once.
    void note_model_call(const store::ModelCall& call, base::TimeMs sent_at, bool at_once);
    // Commits the results of `ended` in call order, and of the other calls the decision and, if
    // they are planned, the intent. The audit rows that are still missing come with both.
    void advance(const std::vector<Judged*>& ended, const std::vector<Judged*>& others = {});
    // While a person is asked at the terminal, the turn waits like a suspended one, but keeps its
    // process. The question is stored.
    void begin_asking(const store::Prompt& prompt);
    void end_asking() { go_to(store::TurnState::working, "asked"); }
    Alerts& alerts() { return alerts_; }
    // Commits what `write` writes, and the alerts raised so far.
    void commit(const std::function<void()>& write);
    // From here on, requests are sent with another profile: the next attempt of the turn.
    void restart(const std::string& previous, const std::string& profile);
    void end_restart() { go_to(store::TurnState::working, "answered"); }
    // The turn sleeps until then, and keeps its process.
    void park(base::TimeMs resume_at, const std::string& credential);
    void unpark();
    // Commits questions for people; the row keeps no process.
    void suspend(const std::vector<store::Prompt>& prompts, const std::vector<Judged*>& decided);
    // The turn waits for the decisions about these prompts of its sub-agents.
    void suspend_for(const std::vector<store::Prompt>& below);
    // Delivers inbox messages as user messages, except those that begin a turn.
    void deliver_inbox();
    // Commits the final answer and the end of the turn.
    void conclude(const chat::Reply& reply, chat::TurnResult& result);
    // Commits the end of a turn without a final answer.
    void end(chat::TurnResult& result);

  private:
    struct Kept {
        chat::Reply reply;
        base::TimeMs at = 0;
        std::vector<chat::Event> events = {};  // emitted since
    };

    void wait_for_person(const std::vector<store::Prompt>& prompts,
                         const std::function<void()>& also);
    void go_to(store::TurnState next, const std::string& cause,
               const std::function<void()>& change = {});
    std::int64_t insert(chat::Message message);
    void note_prefix();
    void insert_reply(const chat::Reply& reply, base::TimeMs ended_at);
    void insert_kept();
    void show_kept();
    void emit_answer(const std::string& text);
    void note_permissions();
    void append_audit(Judged& call, base::TimeMs now);
    void use_up(const Judged& call, base::TimeMs now);
    store::ToolRun run_of(const Judged& call) const;
    void insert_intent(Judged& call, base::TimeMs now);
    void insert_result(const Judged& call, base::TimeMs now);
    void begin_work(const std::string& cause);
    void write_end(chat::TurnResult& result);
    void clear_end();
    std::vector<store::InboxRow> waiting(bool with_one_that_begins);
    void insert_inbox_messages(const std::vector<store::InboxRow>& rows, bool begins_turn);
    void append_transcript(const std::string& notice = {});
    void keep_end_for_channel(const chat::TurnResult& result);
    void step(const std::string& description, base::TimeMs started_at, base::TimeMs ended_at);

    place::Place& place_;
    Alerts alerts_{place_};
    store::Turn turn_;
    std::optional<std::string> chain_;
    store::Prefix prefix_;
    bool has_asked_ = false;
    bool has_inbox_ = false;
    std::int64_t next_position_ = 0;
    std::int64_t next_step_ = 0;
    std::int64_t newest_answer_ = 0;
    base::TimeMs last_commit_ = 0;
    std::vector<std::pair<store::ModelCall, base::TimeMs>> unsettled_;
    std::optional<Kept> kept_;          // comes with the next commit
    std::vector<chat::Message> fresh_;  // committed, not in the transcript yet
    std::vector<chat::Message> committed_;
    std::string transcript_;
    std::string transcript_problem_;
};

std::string transcript_of(const place::Place& place);
// Returns the message that tells the model why --json-schema refuses its final answer.
chat::Message invalid_answer(const std::string& problem);
// Sets the result's members about the audit log and about sub-agents as they are now.
void describe_records(store::Store& store, const store::Turn& turn, chat::TurnResult& result);
// Sets the turn's state and records the event. Inside a transaction of the caller.
void enter(store::Store& store, store::Turn& turn, store::TurnState next, const std::string& cause);

}  // namespace chorus::turn
