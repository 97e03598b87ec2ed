// The turn's row and everything committed under it. Each function is one transaction, durable when
// it returns; the transcript follows the database and is mended from it.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chat/event.hpp"
#include "chat/message.hpp"
#include "store/prefixes.hpp"
#include "store/prompts.hpp"
#include "store/records.hpp"
#include "store/turns.hpp"
#include "turn/place.hpp"

namespace chorus::turn {

constexpr const char* refused_reason = "refused";  // of a turn that the model declined

struct DecidedCall {
    chat::ToolCall call;
    std::string tool;
    std::string action;
    std::string
        decision;  // allow, ask_approved, ask_denied, deny; "" where there was nothing to decide
    std::string detail;         // of the audit row
    std::string evidence = {};  // of the intent (tools/effect.hpp)
    chat::Change change = {};   // without secrets
    bool runs = false;
    chat::ToolResult refusal;    // where it does not run
    std::string outcome = {};    // of the refusal, where it is no error: denied, expired
    std::string prompt_id = {};  // the row in which a person decided it: used up with the call
    bool audited = false;        // by whoever decided it
};

class Record {
  public:
    // `chain` is the cumulative hash up to the newest message of the window; nothing for a turn
    // whose window is not the thread's, which stores none.
    Record(Place& place, store::Turn turn, std::optional<std::string> chain);

    store::Turn& turn() { return turn_; }
    const store::Turn& turn() const { return turn_; }
    // A cut has left these of the conversation: hashes go on from there, and those of messages that
    // no request has held yet are made anew, with the thread's stored cut.
    void begin_chain(const std::vector<chat::Message>& window);
    bool keeps_chain() const { return chain_.has_value(); }
    // What stands before the messages of the request that the next answer is to; of no use where no
    // chain is kept.
    void use_prefix(store::Prefix prefix) { prefix_ = std::move(prefix); }

    // The messages committed since the last call, in order.
    std::vector<chat::Message> take_committed() { return std::exchange(committed_, {}); }

    // Whether the turn works for what came through the inbox too.
    bool has_inbox() const { return has_inbox_; }

    std::int64_t newest_answer() const { return newest_answer_; }
    // Of all calls of the turn, also those that are no longer in the window.
    std::set<std::string> call_ids() const;
    // Why the transcript lacks something, or "": it is a copy, which the next turn mends.
    const std::string& transcript_problem() const { return transcript_problem_; }

    // The turn's row, what waits in the inbox, and the user message: what is reported as accepted.
    // Without a message the inbox is to hold something, of which at most one begins a turn: the
    // others get turns of their own.
    void begin(std::optional<chat::Message> user_message);
    // The same row again, one attempt later; `last` is the newest message of the turn.
    void reopen(const chat::Message& last);
    // An answer and its calls' rows.
    void keep(const chat::Reply& reply, const chat::Opaque* opaque);
    // The audit rows of every decision and the intents of `starting`.
    void decide(const std::vector<DecidedCall>& calls, const std::vector<std::size_t>& starting);
    // Results in call order, and the intents of `starting`, in one transaction; audit rows of both
    // where they have none yet.
    struct Finished {
        const DecidedCall* call = nullptr;
        chat::ToolResult result;
        std::string outcome;
        base::TimeMs started_at = 0;
    };
    void finish(const std::vector<Finished>& results,
                const std::vector<const DecidedCall*>& starting);
    // While a person is asked at the terminal the turn waits as one that is suspended does, but
    // with its process; the question is on record.
    void begin_asking(const store::Prompt& prompt);
    void end_asking();
    // Questions for people; the row keeps no process.
    void suspend(const std::vector<store::Prompt>& prompts,
                 const std::vector<DecidedCall>& decided);
    // Delivers what waits in the inbox as user messages, without what begins a turn.
    void deliver_inbox();
    // The final answer and the end of the turn.
    void conclude(const chat::Reply& reply, const chat::Opaque* opaque, chat::TurnResult& result);
    // The end of a turn that did not conclude.
    void end(chat::TurnResult& result);
    void describe_audit(chat::TurnResult& result);

  private:
    class Change;
    std::int64_t insert(chat::Message message);
    void note_prefix();
    void insert_reply(const chat::Reply& reply, const chat::Opaque* opaque);
    void note_permissions();
    void append_audit(const DecidedCall& call, base::TimeMs now);
    void use_up(const DecidedCall& call, base::TimeMs now);
    void insert_intent(const DecidedCall& call, base::TimeMs now);
    void change_state(store::TurnState next, const std::string& cause);
    void write_end(chat::TurnResult& result);
    std::vector<store::InboxRow> waiting(bool with_one_that_begins);
    void insert_inbox_messages(const std::vector<store::InboxRow>& rows, bool begins_turn);
    void append_transcript();
    void wait_for_person(const std::string& cause);
    void append_notice(const std::string& text);
    void keep_end_for_channel(const chat::TurnResult& result);
    void step(const std::string& description, base::TimeMs started_at);

    Place& place_;
    store::Turn turn_;
    std::optional<std::string> chain_;
    store::Prefix prefix_;
    bool has_asked_ = false;
    bool has_inbox_ = false;
    std::int64_t next_position_ = 0;
    std::int64_t next_step_ = 0;
    std::int64_t newest_answer_ = 0;
    base::TimeMs last_commit_ = 0;
    std::vector<chat::Message> fresh_;  // committed, not in the transcript yet
    std::vector<chat::Message> committed_;
    std::string transcript_;
    std::string transcript_problem_;
};

std::string transcript_of(const Place& place);

}  // namespace chorus::turn
