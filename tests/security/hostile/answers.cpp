#include "answers.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <stdexcept>

namespace hostile {
namespace {

constexpr std::string_view first_piece = "Gr";

bool is_terminal(const Protocol& protocol, const std::string& event) {
    switch (protocol.dialect) {
        case loopback::Dialect::anthropic:
            return event.find("\"stop_reason\":\"") != std::string::npos;
        case loopback::Dialect::responses:
            return event.find("event: response.completed") != std::string::npos;
        default:
            return event.find("\"finish_reason\":\"") != std::string::npos;
    }
}

std::string chunk(std::string_view data) {
    std::array<char, 24> size{};
    std::snprintf(size.data(), size.size(), "%zx\r\n", data.size());
    return size.data() + std::string(data) + "\r\n";
}

// How many bytes of a gzip stream it takes to have so many of what it holds.
std::size_t packed_prefix(std::string_view packed, std::size_t unpacked_bytes) {
    z_stream z{};
    if (inflateInit2(&z, 15 + 16) != Z_OK) throw std::runtime_error("inflate");
    std::array<char, 65536> out;
    std::size_t used = 0;
    for (; used < packed.size() && z.total_out < unpacked_bytes; ++used) {
        z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + used));
        z.avail_in = 1;
        z.next_out = reinterpret_cast<Bytef*>(out.data());
        z.avail_out = out.size();
        inflate(&z, Z_SYNC_FLUSH);
    }
    inflateEnd(&z);
    return used;
}

}  // namespace

const std::vector<Protocol>& protocols() {
    using loopback::Dialect;
    static const std::vector<Protocol> all{
        {"anthropic", Dialect::anthropic, "CHORUS_ANTHROPIC_BASE_URL", "", "ANTHROPIC_API_KEY"},
        {"openai", Dialect::responses, "CHORUS_OPENAI_BASE_URL", "/v1", "OPENAI_API_KEY"},
        {"openai-chat", Dialect::chat, "CHORUS_OPENAI_CHAT_BASE_URL", "/v1", "OPENAI_API_KEY"}};
    return all;
}

std::string_view name(Framing framing) {
    constexpr std::array<std::string_view, 6> names{"chunked", "length", "close",
                                                    "gzip",    "tls",    "tls-close"};
    return names[static_cast<std::size_t>(framing)];
}

bool is_over_tls(Framing framing) {
    return framing == Framing::tls || framing == Framing::tls_close;
}

Events say(const Protocol& protocol, const Json& what) {
    return loopback::render(what, {protocol.dialect, "m", 1, true});
}

Events good_events(const Protocol& protocol) {
    return say(protocol, {{"text", good_text}});
}

Events call_events(const Protocol& protocol) {
    return say(protocol, {{"text", good_text},
                          {"tool_calls", Json::array({{{"id", "c1"}, {"name", "list_files"}}})}});
}

std::string text_event(const Protocol& protocol, std::string_view json_text) {
    const std::string text(json_text);
    switch (protocol.dialect) {
        case loopback::Dialect::anthropic:
            return "event: content_block_delta\ndata: "
                   "{\"type\":\"content_block_delta\",\"index\":0,"
                   "\"delta\":{\"type\":\"text_delta\",\"text\":" +
                   text + "}}\n\n";
        case loopback::Dialect::responses:
            return "event: response.output_text.delta\ndata: "
                   "{\"type\":\"response.output_text.delta\",\"item_id\":\"msg_1\","
                   "\"output_index\":0,\"content_index\":0,\"delta\":" +
                   text + "}\n\n";
        default:
            return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":" + text +
                   "},\"finish_reason\":null}]}\n\n";
    }
}

std::string thinking_event(const Protocol& protocol, std::string_view text) {
    const std::string quoted = Json(text).dump();
    switch (protocol.dialect) {
        case loopback::Dialect::anthropic:
            return "event: content_block_delta\ndata: "
                   "{\"type\":\"content_block_delta\",\"index\":0,"
                   "\"delta\":{\"type\":\"thinking_delta\",\"thinking\":" +
                   quoted + "}}\n\n";
        case loopback::Dialect::responses:
            return "event: response.reasoning_text.delta\ndata: "
                   "{\"type\":\"response.reasoning_text.delta\",\"item_id\":\"rs_1\","
                   "\"output_index\":0,\"delta\":" +
                   quoted + "}\n\n";
        default:
            return "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":" + quoted +
                   "},\"finish_reason\":null}]}\n\n";
    }
}

Events with_event(const Protocol& protocol, std::string event) {
    Events events = good_events(protocol);
    const auto first = std::find_if(events.begin(), events.end(), [](const std::string& e) {
        return e.find('"' + std::string(first_piece)) != std::string::npos;
    });
    if (first == events.end()) throw std::runtime_error("no text among the events");
    events.insert(first + 1, std::move(event));
    return events;
}

Answer answer(const Protocol& protocol, const Events& events, Framing framing) {
    const std::string body = joined(events);
    std::size_t whole = 0;  // of the body, up to the terminal event's end
    std::size_t index = 0;
    while (index < events.size() && !is_terminal(protocol, events[index]))
        whole += events[index++].size();
    if (index < events.size()) whole += events[index].size();

    Answer out;
    const std::string type = "content-type: text/event-stream\r\n";
    if (framing == Framing::length) {
        out.bytes = head(type + "content-length: " + std::to_string(body.size()) + "\r\n");
    } else if (framing == Framing::close || framing == Framing::tls_close) {
        out.bytes = head(type + "connection: close\r\n");
    } else {
        out.bytes = head(type + "transfer-encoding: chunked\r\n" +
                         (framing == Framing::gzip ? "content-encoding: gzip\r\n" : ""));
    }
    out.head_bytes = out.bytes.size();
    if (framing == Framing::gzip) {
        const std::string packed = gzipped(body);
        const std::string framed = chunk(packed);
        out.complete_at =
            out.head_bytes + (framed.size() - 2 - packed.size()) + packed_prefix(packed, whole);
        out.bytes += framed + "0\r\n\r\n";
    } else if (framing == Framing::chunked || framing == Framing::tls) {
        for (std::size_t i = 0; i < events.size(); ++i) {
            out.bytes += chunk(events[i]);
            if (i == index) out.complete_at = out.bytes.size() - 2;
        }
        out.bytes += "0\r\n\r\n";
    } else {
        out.complete_at = out.head_bytes + whole;
        out.bytes += body;
    }
    // a last event needs no blank line, if the end is one
    out.complete_at_close = framing == Framing::close ? out.complete_at - 2 : out.complete_at;
    return out;
}

std::string joined(const Events& events) {
    std::string out;
    for (const std::string& event : events) out += event;
    return out;
}

std::string chunked(std::string_view body) {
    return (body.empty() ? "" : chunk(body)) + "0\r\n\r\n";
}

std::string gzipped(std::string_view body) {
    z_stream z{};
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        throw std::runtime_error("deflate");
    std::string out(deflateBound(&z, body.size()), '\0');
    z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
    z.avail_in = static_cast<uInt>(body.size());
    z.next_out = reinterpret_cast<Bytef*>(out.data());
    z.avail_out = static_cast<uInt>(out.size());
    deflate(&z, Z_FINISH);
    out.resize(z.total_out);
    deflateEnd(&z);
    return out;
}

std::string head(std::string_view headers, std::string_view status) {
    return "HTTP/1.1 " + std::string(status) + "\r\n" + std::string(headers) + "\r\n";
}

std::string stream(std::string_view body, std::string_view headers) {
    return head("content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n" +
                std::string(headers)) +
           chunked(body);
}

std::string plain(std::string_view status, std::string_view body, std::string_view headers) {
    return head(std::string(headers) + "content-length: " + std::to_string(body.size()) + "\r\n",
                status) +
           std::string(body);
}

}  // namespace hostile
