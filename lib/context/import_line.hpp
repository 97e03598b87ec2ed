// Parses and checks one line of exported JSON lines; for this room's own use.
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

// The hint of every error in a file.
constexpr std::string_view import_hint =
    "chorus-context export NAME --format jsonl -o FILE writes a file that can be imported";

struct ImportedAgent {
    std::string origin;
    std::int64_t cleared_until = 0;  // messages up to this one are in no window
    std::string current_branch;      // "": main
};
// `branch` is "" if the file's is not a valid branch name.
struct ThreadLine {
    store::Thread thread;
};
// Always ended, whatever the file says; its id is the file's.
struct TurnLine {
    store::Turn turn;
};
// Ids are the file's; what is specific to a provider or to the other home is dropped.
struct MessageLine {
    store::StoredMessage stored;
};
struct SessionLine {
    std::string id;
    std::string text;
    SessionFile file;  // `text`, parsed
};
// A message that waits in the inbox; taken as a person's, whoever sent it.
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
    std::variant<ImportedAgent, ThreadLine, TurnLine, MessageLine, QueuedLine, SessionLine, EndLine>;

// `what` begins the error's message: "ada.jsonl: line 12". Throws Error(bad_request).
ImportLine parse_import_line(std::string_view text, const std::string& what);

}  // namespace chorus::context
