#include "turn/said.hpp"

#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "base/id.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "chat/block.hpp"
#include "chat/json_text.hpp"
#include "context/window.hpp"
#include "life/find_agent.hpp"
#include "life/kept_artifacts.hpp"
#include "model/attachment.hpp"
#include "place/shutdown.hpp"
#include "place/waiting.hpp"
#include "store/artifacts.hpp"
#include "store/records.hpp"
#include "sys/clock.hpp"
#include "sys/file.hpp"
#include "sys/process.hpp"

namespace chorus::turn {
namespace {

constexpr std::size_t head_bytes = 4U << 10;
constexpr std::size_t tail_bytes = 12U << 10;

std::string path_of(const place::Place& place, const std::string& id) {
    return place.directory.artifacts() + "/" + id + ".txt";
}

std::string framed(const std::string& tag, const std::string& attributes, const std::string& data) {
    std::string text = chat::without_closing(data, tag);
    if (!text.empty() && text.back() != '\n') text += '\n';
    return "<" + tag + attributes + ">\n" + text + "</" + tag + ">";
}

std::string attached_texts(const place::Place& place) {
    std::string blocks;
    for (const place::GivenFile& file : place.options.files) {
        if (model::is_sent_as_bytes(file.attachment.mime_type)) continue;
        const std::string name = chat::quoted(place.redaction.apply(file.attachment.name));
        blocks +=
            "\n\n" + framed("attachment", " name=" + name, place.redaction.apply(*file.bytes));
    }
    return blocks;
}

void store_artifact(place::Place& place, const std::string& id, const std::string& text) {
    sys::make_directory(place.directory.artifacts(), 0700);
    sys::write_file(path_of(place, id), text);
    store::Transaction transaction(place.store);
    store::insert_artifact(place.store, {.agent_id = place.agent.id,
                                         .artifact_id = id,
                                         .kind = "file",
                                         .name = "stdin",
                                         .mime_type = "text/plain",
                                         .size_bytes = static_cast<std::int64_t>(text.size()),
                                         .path = "artifacts/" + id + ".txt",
                                         .created_at = sys::now_ms()});
    transaction.commit();
    life::keep_artifacts(place.store, place.agent.id, place.directory, place.surroundings.warn);
}

std::string put_aside(place::Place& place, const std::string& text, KeepArtifact keep) {
    const std::string id = "stdin-" + base::random_short_id(8);
    if (keep == KeepArtifact::yes) store_artifact(place, id, text);
    const std::string_view head = base::utf8_prefix(text, head_bytes);
    const std::string_view tail = base::utf8_suffix(text, tail_bytes);
    const std::size_t left_out = text.size() - head.size() - tail.size();
    return framed(
        "stdin",
        " path=\"" + path_of(place, id) + "\" bytes=\"" + std::to_string(text.size()) + "\"",
        std::string(head) + "\n[" + std::to_string(left_out) +
            " bytes left out here; view the path with offset and limit to read them]\n" +
            std::string(tail));
}

bool thread_is_at_work(place::Place& place) {
    const auto turn = store::find_open_turn(place.store, place.agent.id, place.thread.id);
    return turn && sys::is_alive({turn->pid, turn->pid_start});
}

// The inbox is read after the transaction that ends a turn, so a message inserted while the turn is
// open is always seen. Returns false if it is for a turn at work, and none is.
bool insert(place::Place& place, const std::string& text, bool for_live_turn) {
    store::Transaction transaction(place.store);
    (void)life::require_again(place.store, place.agent);
    if (for_live_turn && !thread_is_at_work(place)) return false;
    store::insert_inbox(place.store, {.agent_id = place.agent.id,
                                      .thread_id = place.thread.id,
                                      .source = "user",
                                      .actor = place.actor(),
                                      .content = text,
                                      .created_at = sys::now_ms()});
    transaction.commit();
    return true;
}

chat::TurnResult queued(const place::Place& place, const std::string& who) {
    place.surroundings.warn("queued for thread " + std::to_string(place.thread.id) + who);
    chat::TurnResult result;
    result.agent = place.agent.name;
    result.thread = place.thread.id;
    result.state = chat::State::submitted;
    result.reason = "queued";
    result.accepted = true;
    return result;
}

}  // namespace

std::string compose_message(place::Place& place, KeepArtifact keep) {
    const place::TurnOptions& options = place.options;
    std::string text = place.redaction.apply(options.prompt);
    const std::string data = place.redaction.apply(options.stdin_text);
    const auto is_long = [&](const std::string& given) {
        return !options.inline_stdin && given.size() > base::limits::stdin_inline_bytes;
    };
    if (options.prompt_is_stdin && is_long(text)) text = put_aside(place, text, keep);
    if (!data.empty())
        text += "\n\n" + (is_long(data) ? put_aside(place, data, keep) : framed("stdin", "", data));
    return text + attached_texts(place);
}

bool comes_from_elsewhere(const place::TurnOptions& options) {
    return options.inline_stdin || options.prompt_is_stdin || options.prompt_is_file ||
           !options.files.empty();
}

void check_fits(const chat::Message& message, const place::TurnOptions& options,
                std::int64_t room) {
    const std::int64_t tokens = context::estimated_tokens(message);
    if (room == 0 || tokens <= room) return;
    throw base::Error(
        base::ErrorCode::bad_request,
        "prompt: about " + std::to_string(tokens) + " tokens, and the window has room for " +
            std::to_string(room) + " beside system prompt and tools",
        options.inline_stdin
            ? "without --stdin inline it becomes a file that the model can view in parts"
            : "put it into a file of the workspace, which the model can view in parts");
}

std::optional<chat::TurnResult> queue_or_lock(place::Place& place) {
    const std::int64_t until_ms = sys::monotonic_ms() + base::limits::file_lock_ms;
    std::optional<std::string> text;
    for (;;) {
        const place::Tried tried = place::try_lock(place);
        if (tried == place::Tried::locked) return std::nullopt;
        place::check_may_begin(place.options, place.surroundings);
        // no turn can take the message now, and none may begin
        if (tried == place::Tried::agent_taken || sys::monotonic_ms() > until_ms)
            return queue_behind(place);
        if (thread_is_at_work(place)) {
            if (!text) text = compose_message(place, KeepArtifact::yes);
            if (insert(place, *text, true)) return queued(place, "");
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
}

chat::TurnResult queue_behind(place::Place& place) {
    insert(place, compose_message(place, KeepArtifact::yes), false);
    return queued(place, ": taken up when it continues");
}

}  // namespace chorus::turn
