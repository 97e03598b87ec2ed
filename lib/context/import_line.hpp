// A line of a file that is imported; for this room's own use, in .cpp files only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "context/record_members.hpp"

namespace chorus::context {

// The hint of every error in a file.
constexpr std::string_view import_hint =
    "chorus-context export NAME --format jsonl -o FILE writes a file that can be imported";

struct ImportedAgent {
    std::string origin;
    std::int64_t cleared_until = 0;  // messages up to this one are in no window
    std::string current_branch;      // "": main
};
// A thread's branch is "" if the file's is not a valid branch name. Ids are the file's; a message
// that waits in the inbox is taken as a person's, whoever sent it.
using ImportLine = std::variant<ImportedAgent, store::Thread, store::Turn, store::StoredMessage,
                                Delivered, store::InboxRow, AttachedFile, SavedSession, EndLine>;

// `what` begins the error's message: "ada.jsonl: line 12". Error(bad_request).
ImportLine parse_import_line(std::string_view text, const std::string& what);

// Clears what a message of its role cannot have.
void keep_flags_of_role(chat::Message& message);
constexpr std::size_t most_calls = 1000;  // of one message

}  // namespace chorus::context
