// Reads the lines of an exported file in order, and checks each and that it is allowed where it is;
// for this room's own use, in .cpp files only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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
                                store::InboxRow, AttachedFile, SavedSession, EndLine>;

// A transcript has the lines that an export of its messages would have. `name` is what errors call
// the file. Throws Error(bad_request), which names the line, or the message.
void for_each_line(std::string_view text, const std::string& name,
                   const std::function<void(ImportLine&)>& use);

// The contents of a file. Every line is read before anything is written.
struct Contents {
    std::vector<SavedSession> sessions;
    std::int64_t messages = 0;  // including results to be added for calls without one
    std::int64_t turns = 0;
};
Contents contents_of(std::string_view text, const std::string& name);

}  // namespace chorus::context
