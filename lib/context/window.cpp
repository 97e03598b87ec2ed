#include "context/window.hpp"

#include <algorithm>
#include <iterator>
#include <limits>
#include <set>

#include "base/hash.hpp"
#include "base/text.hpp"
#include "chat/stored.hpp"

namespace chorus::context {
namespace {

using chat::Message;
using chat::Role;

// Providers scale images down to about this. How many pages a PDF has is only known to who reads
// it.
constexpr std::int64_t image_tokens = 1600;
constexpr std::int64_t page_tokens = 2500;
constexpr std::int64_t page_bytes = 64 << 10;

// Returns where a turn begins at or after `from`, or the end.
std::size_t next_cut(const std::vector<Message>& messages, std::size_t from) {
    while (from < messages.size() && !messages[from].starts_turn) ++from;
    return from;
}

// Returns the first index that must stay: that of the open turn's first message.
std::size_t last_possible_cut(const std::vector<Message>& messages, std::int64_t open_turn) {
    for (std::size_t i = 0; open_turn != 0 && i < messages.size(); ++i)
        if (messages[i].turn_id == open_turn) return i;
    return messages.size();
}

void drop_orphans(std::vector<Message>& messages) {
    std::set<std::string> called;
    std::erase_if(messages, [&](const Message& message) {
        for (const chat::ToolCall& call : message.tool_calls) called.insert(call.id);
        return message.role == Role::tool_result && !called.contains(message.tool_call_id);
    });
}

// Returns how many messages at the front are summaries of earlier ones.
std::size_t compactions(const std::vector<Message>& messages) {
    std::size_t count = 0;
    while (count < messages.size() && messages[count].is_compaction) ++count;
    return count;
}

struct Parts {
    std::size_t pinned = 0;  // end of the summaries, which stay
    std::size_t torn = 0;    // end of the rest of an incomplete turn
    std::size_t first = 0;   // end of what the limits leave out
};

Window without(std::vector<Message> loaded, const Parts& parts) {
    const auto at = [&](std::size_t index) {
        return loaded.begin() + static_cast<std::ptrdiff_t>(index);
    };
    Window window;
    window.left_out = parts.first - parts.torn;
    window.dropped.assign(std::make_move_iterator(at(parts.torn)),
                          std::make_move_iterator(at(parts.first)));
    loaded.erase(at(parts.pinned), at(parts.first));
    if (parts.pinned < loaded.size())
        window.start = loaded[parts.pinned].id;
    else if (!window.dropped.empty())
        window.start = window.dropped.back().id + 1;
    window.messages = std::move(loaded);
    return window;
}

}  // namespace

std::int64_t estimated_tokens(const Message& message) {
    std::size_t bytes = message.content.size() + message.status.size();
    for (const chat::ToolCall& call : message.tool_calls)
        bytes += call.arguments.size() + call.name.size();
    std::int64_t tokens = static_cast<std::int64_t>(bytes / 4) + 4;
    for (const chat::Attachment& file : message.attachments)
        tokens += file.mime_type == "application/pdf" ? (file.size / page_bytes + 1) * page_tokens
                                                      : image_tokens;
    return tokens;
}

std::int64_t estimated_tokens(const std::vector<Message>& messages) {
    std::int64_t tokens = 0;
    for (const Message& message : messages) tokens += estimated_tokens(message);
    return tokens;
}

std::int64_t estimated_opening(const chat::Request& request) {
    std::size_t bytes = request.system.size() + request.documents.size();
    for (const chat::ToolDefinition& tool : request.tools)
        bytes += tool.name.size() + tool.description.size() + tool.schema.size();
    return static_cast<std::int64_t>(bytes / 4);
}

std::int64_t estimated_input(const std::vector<Message>& messages, std::int64_t turn,
                             std::int64_t opening) {
    std::int64_t request = opening;
    std::int64_t all = 0;
    for (const Message& message : messages) {
        // every answer belongs to one request, which held all messages before it
        if (message.turn_id == turn && message.role == Role::assistant) all += request;
        request += estimated_tokens(message);
    }
    return all;
}

std::int64_t in_estimated_tokens(std::int64_t budget, std::int64_t reported,
                                 std::int64_t estimated) {
    if (reported <= 0 || estimated <= 0) return budget;
    const double factor = std::clamp(static_cast<double>(reported) / static_cast<double>(estimated),
                                     0.5, 1.0 * most_correction);
    // dividing a larger budget by 0.5 would overflow
    constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max() / 4;
    return std::max<std::int64_t>(
        static_cast<std::int64_t>(static_cast<double>(std::min(budget, largest)) / factor), 1);
}

Window cut_window(std::vector<Message> loaded, const WindowLimits& limits) {
    drop_orphans(loaded);
    const std::size_t pinned = compactions(loaded);
    const std::size_t latest = last_possible_cut(loaded, limits.open_turn);
    std::size_t first = std::min(next_cut(loaded, pinned), std::max(latest, pinned));
    const std::size_t torn = first;

    std::int64_t tokens = 0;
    for (std::size_t i = 0; i < loaded.size(); ++i)
        if (i < pinned || i >= first) tokens += estimated_tokens(loaded[i]);
    const bool over_budget = limits.token_budget > 0 && tokens > limits.token_budget;
    const std::int64_t token_goal =
        limits.token_budget / 10 * 6 + limits.token_budget % 10 * 6 / 10;
    const auto too_many = [&] {
        return limits.max_messages > 0 &&
               static_cast<std::int64_t>(pinned + loaded.size() - first) > limits.max_messages;
    };

    while (first < latest && ((over_budget && tokens > token_goal) || too_many())) {
        const std::size_t next = std::min(next_cut(loaded, first + 1), latest);
        for (std::size_t i = first; i < next; ++i) tokens -= estimated_tokens(loaded[i]);
        first = next;
    }
    return without(std::move(loaded), {pinned, torn, first});
}

std::string find_torn(const std::vector<Message>& messages) {
    if (!messages.empty() && messages.front().role != Role::user)
        return "the first message is not the user's";
    std::set<std::string> open;
    for (const Message& message : messages) {
        if (message.role == Role::tool_result) {
            if (open.erase(message.tool_call_id) == 0)
                return "message " + std::to_string(message.id) + ": a result without its call";
            continue;
        }
        if (!open.empty()) return "call " + *open.begin() + " has no result";
        for (const chat::ToolCall& call : message.tool_calls)
            if (!open.insert(call.id).second) return "call " + call.id + " appears twice";
    }
    return open.empty() ? "" : "call " + *open.begin() + " has no result";
}

std::string chained_hash(const std::string& previous, const Message& message) {
    const std::string calls = chat::store_tool_calls(message.tool_calls);
    const std::string extra = chat::store_extra(message);
    std::string text = previous;
    text.reserve(message.content.size() + calls.size() + extra.size() + 256);
    for (const std::string_view part :
         {chat::name(message.role), std::string_view(message.content), std::string_view(calls),
          std::string_view(message.tool_call_id), std::string_view(extra)}) {
        text += '\0';
        text += part;
    }
    return base::sha256_hex(text);
}

}  // namespace chorus::context
