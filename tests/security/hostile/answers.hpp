// What an honest server would send, as bytes, and where in them the answer is whole: the material
// that the modes break.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "support/loopback_dialects.hpp"

namespace hostile {

using loopback::Json;

struct Protocol {
    std::string_view name;  // of the provider, too
    loopback::Dialect dialect;
    std::string_view base_url_variable;
    std::string_view base_path;
    std::string_view key_variable;
};
const std::vector<Protocol>& protocols();

enum class Framing { chunked, length, close, gzip, tls, tls_close };
std::string_view name(Framing framing);
bool is_over_tls(Framing framing);

constexpr std::string_view good_text = "Grüße ☀ \"über\" \\ den Fluß 👋";
constexpr std::string_view secret = "sk-hostile-Zq8xW3nT5vB7kJ1m";

using Events = std::vector<std::string>;

Events say(const Protocol& protocol, const Json& what);
Events good_events(const Protocol& protocol);
// Text and one call of list_files.
Events call_events(const Protocol& protocol);
// One more event with a piece of text, given as JSON text, its quotes included.
std::string text_event(const Protocol& protocol, std::string_view json_text);
std::string thinking_event(const Protocol& protocol, std::string_view text);
// The good events with another one in the midst of its text.
Events with_event(const Protocol& protocol, std::string event);

struct Answer {
    std::string bytes;
    std::size_t head_bytes = 0;
    std::size_t complete_at = 0;        // the terminal marker has come with so many bytes
    std::size_t complete_at_close = 0;  // and if the connection then ends in good order
};
Answer answer(const Protocol& protocol, const Events& events, Framing framing);

std::string joined(const Events& events);
std::string chunked(std::string_view body);
std::string gzipped(std::string_view body);
std::string head(std::string_view headers, std::string_view status = "200 OK");
// An event stream of any bytes, in chunks.
std::string stream(std::string_view body, std::string_view headers = "");
// With its length.
std::string plain(std::string_view status, std::string_view body, std::string_view headers = "");

}  // namespace hostile
