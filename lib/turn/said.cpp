#include "turn/said.hpp"

#include "base/id.hpp"
#include "base/limits.hpp"
#include "base/text.hpp"
#include "store/artifacts.hpp"
#include "sys/file.hpp"

namespace chorus::turn {
namespace {

constexpr std::size_t head_bytes = 4U << 10;
constexpr std::size_t tail_bytes = 12U << 10;

// Data that holds the closing mark must not end the block from within.
std::string framed(const std::string& attributes, std::string text) {
    for (std::size_t at = 0; (at = text.find("</stdin>", at)) != std::string::npos; at += 9)
        text.replace(at, 8, "< /stdin>");
    if (!text.empty() && text.back() != '\n') text += '\n';
    return "<stdin" + attributes + ">\n" + text + "</stdin>";
}

std::string put_aside(Place& place, const std::string& text, base::TimeMs now) {
    const std::string id = "stdin-" + base::random_short_id(8);
    const std::string path = place.directory.artifacts() + "/" + id + ".txt";
    sys::make_directory(place.directory.artifacts(), 0700);
    sys::write_file(path, text);
    store::Transaction transaction(place.store);
    store::insert_artifact(place.store, {.agent_id = place.agent.id,
                                         .artifact_id = id,
                                         .kind = "file",
                                         .name = "stdin",
                                         .mime_type = "text/plain",
                                         .size_bytes = static_cast<std::int64_t>(text.size()),
                                         .path = "artifacts/" + id + ".txt",
                                         .created_at = now});
    transaction.commit();
    const std::string_view head = base::utf8_prefix(text, head_bytes);
    const std::string_view tail = base::utf8_suffix(text, tail_bytes);
    const std::size_t left_out = text.size() - head.size() - tail.size();
    return framed(" path=\"" + path + "\" bytes=\"" + std::to_string(text.size()) + "\"",
                  std::string(head) + "\n[" + std::to_string(left_out) +
                      " bytes left out here; view the path with offset and limit to read them]\n" +
                      std::string(tail));
}

}  // namespace

std::string compose_message(Place& place, const TurnOptions& options, base::TimeMs now) {
    const auto is_long = [&](const std::string& text) {
        return !options.inline_stdin && text.size() > base::limits::stdin_inline_bytes;
    };
    if (options.prompt_is_stdin && is_long(options.prompt)) return put_aside(place, options.prompt, now);
    if (options.stdin_text.empty()) return options.prompt;
    return options.prompt + "\n\n" + (is_long(options.stdin_text) ? put_aside(place, options.stdin_text, now)
                                                                  : framed("", options.stdin_text));
}

}  // namespace chorus::turn
