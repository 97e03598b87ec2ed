// One line of exported JSON lines, held against what it has to be; for this room's own use.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "context/session_file.hpp"
#include "store/threads.hpp"
#include "store/records.hpp"
#include "store/transfer.hpp"
#include "store/turns.hpp"

namespace chorus::context {

// The way out of whatever is wrong with a file.
constexpr std::string_view import_hint =
    "chorus-context export NAME --format jsonl -o FILE writes one that can be imported";

struct AgentLine {
    std::string origin;
    std::int64_t cleared_until = 0;  // no window has messages up to this one
    std::string current_branch;      // "": main
};
// `branch` is "" where the file's is no name of a branch.
struct ThreadLine {
    store::Thread thread;
};
// It has ended, whatever the file says; its id is the file's.
struct TurnLine {
    store::Turn turn;
};
// Ids are the file's; what only a provider or the other home understands is gone.
struct MessageLine {
    store::StoredMessage stored;
};
struct SessionLine {
    std::string id;
    std::string text;
    SessionFile file;  // what it says
};
// A message that waits in the inbox; as whoever's it was, a person's.
struct QueuedLine {
    store::InboxRow row;
};
struct EndLine {
    std::int64_t threads = 0;
    std::int64_t turns = 0;
    std::int64_t messages = 0;
    std::int64_t sessions = 0;
    std::int64_t queued = 0;
};
using ImportLine =
    std::variant<AgentLine, ThreadLine, TurnLine, MessageLine, QueuedLine, SessionLine, EndLine>;

// `what` begins the words of an error: "ada.jsonl: line 12". Error(bad_request).
ImportLine parse_import_line(std::string_view text, const std::string& what);

}  // namespace chorus::context
