#include "context/prefix.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "context/window.hpp"
#include "store/history.hpp"
#include "store/trim.hpp"

namespace chorus::context {
namespace {

using store::Prefix;
using store::StoredMessage;

class Check {
  public:
    Check(store::Store& store, store::AgentId agent, store::ThreadId thread)
        : store_(store),
          agent_(agent),
          prefixes_(store::load_prefixes(store, agent, thread)),
          trimmed_(store::newest_trimmed(store, agent, thread)),
          report_{.thread = thread} {}

    PrefixReport run() {
        count_causes();
        store::for_each_message(store_, {.agent = agent_, .thread = report_.thread},
                                [this](const StoredMessage& said) { return add(said); });
        if (report_.broken == 0) check_asked(nullptr);
        return report_;
    }

  private:
    void count_causes() {
        for (std::size_t i = 1; i < prefixes_.size(); ++i) {
            const Prefix& before = prefixes_[i - 1];
            const Prefix& now = prefixes_[i];
            report_.cuts += now.window_start != before.window_start ? 1 : 0;
            report_.model += now.model != before.model ? 1 : 0;
            report_.prompt += now.prompt != before.prompt ? 1 : 0;
            report_.docs += now.docs != before.docs ? 1 : 0;
            report_.project += now.project != before.project ? 1 : 0;
            report_.tools += now.tools != before.tools ? 1 : 0;
        }
    }

    bool add(const StoredMessage& said) {
        if (said.left_for == 0) return true;  // a failed answer that --retry took back
        if (said.message.is_compaction) compactions_.push_back(said);
        // a summary is hashed at the start of the next request, not at its own place
        if (said.message.is_compaction && said.prefix_hash.empty()) return true;
        if (said.message.role == chat::Role::assistant) return check_asked(&said) && check(said);
        asked_.push_back(said);
        return true;
    }

    // A request is recorded once it has an answer. A message without one may have been hashed for a
    // window that was cut again before anything was sent.
    bool check_asked(const StoredMessage* answer) {
        for (const StoredMessage& said : std::exchange(asked_, {}))
            if (!check(said, answer != nullptr && answer->message.turn_id == said.message.turn_id))
                return false;
        if (compactions_.size() > 1)
            compactions_.erase(compactions_.begin(), compactions_.end() - 1);
        return true;
    }

    bool check(const StoredMessage& said, bool has_answer = true) {
        if (said.prefix_hash.empty()) {
            ++report_.unhashed;
            previous_.clear();
            return true;
        }
        const bool goes_on =
            !previous_.empty() && said.prefix_hash == chained_hash(previous_, said.message);
        // the messages before it were removed, so this cannot be checked
        const bool is_known = has_answer && !(trimmed_ > 0 && start_of(said) <= trimmed_);
        if (!goes_on && !begins_window(said) && !follows_a_cut(said) && is_known) {
            report_.broken = said.message.id;
            return false;
        }
        ++report_.messages;
        previous_ = said.prefix_hash;
        return true;
    }

    // Returns the first request recorded after the message.
    std::vector<Prefix>::const_iterator after(const StoredMessage& said) const {
        return std::upper_bound(
            prefixes_.begin(), prefixes_.end(), said.message.id,
            [](std::int64_t id, const Prefix& one) { return id < one.message_id; });
    }

    // Returns where the window of the first request with the message began.
    std::int64_t start_of(const StoredMessage& said) const {
        const auto later = after(said);
        return later == prefixes_.begin() ? 0 : std::prev(later)->window_start;
    }

    // A request is recorded once it has an answer; restored messages may still wait for their
    // first.
    bool begins_window(const StoredMessage& said) {
        if (said.prefix_hash != chained_hash("", said.message)) return false;
        const bool is_on_record =
            std::any_of(prefixes_.begin(), prefixes_.end(),
                        [&](const Prefix& one) { return one.window_start == said.message.id; });
        if (!is_on_record && report_.messages > 0) ++report_.cuts;
        return true;
    }

    // The window began at another message, or its hashes were not kept: its chain is computed again
    // from where it began. The user's message is stored before the request that records that.
    bool follows_a_cut(const StoredMessage& said) {
        const auto later = after(said);
        const auto fits = [&](std::int64_t start) {
            return follows(said, "", start) ||
                   std::any_of(compactions_.begin(), compactions_.end(), [&](const auto& one) {
                       return follows(said, chained_hash("", one.message), start);
                   });
        };
        if (later != prefixes_.begin() && fits(std::prev(later)->window_start)) return true;
        return fits(later == prefixes_.end() ? 0 : later->window_start);
    }

    // Chains the messages that were in the window then, after what it began with. A summary that
    // came later had replaced nothing yet. For a rewound message left_for is the id from which on
    // it was gone, negated.
    bool follows(const StoredMessage& end, std::string chain, std::int64_t start) {
        store::for_each_message(
            store_, {.agent = agent_, .thread = report_.thread, .after = start - 1},
            [&](const StoredMessage& one) {
                if (one.message.id >= end.message.id) return false;
                const bool was_there = !one.left_for || std::abs(*one.left_for) > end.message.id;
                if (was_there && !one.message.is_compaction)
                    chain = chained_hash(chain, one.message);
                return true;
            });
        return end.prefix_hash == chained_hash(chain, end.message);
    }

    store::Store& store_;
    store::AgentId agent_;
    std::vector<Prefix> prefixes_;
    std::int64_t trimmed_;  // the newest message that was removed
    PrefixReport report_;
    // The newest one before `asked_`, and those written before its answer.
    std::vector<StoredMessage> compactions_;
    std::vector<StoredMessage> asked_;  // messages that the next answer replies to
    std::string previous_;              // the stored hash of the message before; "": none
};

}  // namespace

PrefixReport check_prefix(store::Store& store, store::AgentId agent, store::ThreadId thread) {
    return Check(store, agent, thread).run();
}

}  // namespace chorus::context
