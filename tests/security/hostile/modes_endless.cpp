// What never ends by itself: the bounds end it, or the turn's time.
#include "modes.hpp"

namespace hostile {
namespace {

constexpr std::size_t piece_bytes = 64U << 10;

// `unit` for ever, after `start`.
Mode endless(std::string name, Outcome outcome, std::function<std::string(const Scene&)> start,
             std::function<std::string(const Scene&)> unit) {
    Mode mode =
        acting(std::move(name), outcome,
               [start = std::move(start), unit = std::move(unit)](Peer& peer, const Scene& scene) {
                   std::string piece = unit(scene);
                   const std::string one = piece;
                   while (piece.size() < piece_bytes) piece += one;
                   if (!peer.send(start(scene))) return;
                   while (peer.send(piece)) {
                   }
               });
    mode.once = true;
    if (outcome.status == timed_out.status) mode.timeout = "700ms";
    return mode;
}

std::function<std::string(const Scene&)> text(std::string fixed) {
    return [fixed = std::move(fixed)](const Scene&) { return fixed; };
}

Mode endless_body(std::string name, Outcome outcome, std::string unit) {
    return endless(std::move(name), outcome, text(head("connection: close\r\n")),
                   text(std::move(unit)));
}

std::string beginning(const Scene& scene) {
    const Events events = with_event(scene.protocol, "");
    std::string begun = head("connection: close\r\n");
    for (const std::string& event : events) {
        if (event.empty()) break;
        begun += event;
    }
    return begun;
}

std::string call_event(const Scene& scene) {
    static const std::string anthropic =
        "data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"id\":"
        "\"\",\"name\":\"x\",\"input\":{}}}\n\n";
    static const std::string responses =
        "data: "
        "{\"type\":\"response.output_item.done\",\"item\":{\"type\":\"function_call\",\"name\":"
        "\"x\",\"arguments\":\"{}\",\"call_id\":\"\"}}\n\n";
    static const std::string chat =
        "data: "
        "{\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"x\",\"arguments\":"
        "\"{}\"}}]}}]}\n\n";
    switch (scene.protocol.dialect) {
        case loopback::Dialect::anthropic:
            return anthropic;
        case loopback::Dialect::responses:
            return responses;
        default:
            return chat;
    }
}

std::string argument_event(const Scene& scene) {
    const std::string x(1000, 'x');
    switch (scene.protocol.dialect) {
        case loopback::Dialect::anthropic:
            return "data: "
                   "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"input_json_delta\","
                   "\"partial_json\":\"" +
                   x + "\"}}\n\n";
        case loopback::Dialect::responses:
            return "data: {\"type\":\"response.function_call_arguments.delta\",\"delta\":\"" + x +
                   "\"}\n\n";
        default:
            return "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{"
                   "\"arguments\":\"" +
                   x + "\"}}]}}]}\n\n";
    }
}

}  // namespace

std::vector<Mode> endless_modes() {
    std::vector<Mode> all;
    all.push_back(endless("endless-headers", provider_error, text("HTTP/1.1 200 OK\r\n"),
                          text("x-header: 0123456789\r\n")));
    all.push_back(endless("endless-header-line", provider_error, text("HTTP/1.1 200 OK\r\nx: "),
                          text("0123456789")));
    all.push_back(endless("endless-status-line", provider_error, text("HTTP/1.1 200 "), text("O")));
    all.push_back(endless("endless-interim-answers", provider_error, text(""),
                          text("HTTP/1.1 100 Continue\r\n\r\n")));
    all.push_back(endless("endless-no-http", provider_error, text(""), text("spam and eggs\n")));
    all.push_back(endless("endless-chunk-size", no_internet,
                          text(head("transfer-encoding: chunked\r\n")), text("0")));
    all.push_back(endless("endless-chunk-extension", timed_out,
                          text(head("transfer-encoding: chunked\r\n") + "5;"), text("ext=1;")));
    all.push_back(endless("endless-trailers", provider_error,
                          text(head("transfer-encoding: chunked\r\n") + "0\r\n"),
                          text("x-trailer: 0123456789\r\n")));
    all.push_back(endless(
        "endless-trailers-after-end", done,
        [](const Scene& scene) {
            const std::string whole = stream(joined(good_events(scene.protocol)));
            return whole.substr(0, whole.size() - 2);
        },
        text("x-trailer: 0123456789\r\n")));
    all.push_back(endless(
        "endless-trailers-in-mid-answer", provider_error,
        [](const Scene&) { return head("transfer-encoding: chunked\r\n") + "1\r\n:\r\n0\r\n"; },
        text("x-trailer: 0123456789\r\n")));
    all.push_back(endless("endless-error-body", server_error,
                          text(head("connection: close\r\n", "500 Oh")), text("no no ")));
    all.push_back(endless_body("endless-line", provider_error, "data: xxxxxxxxx"));
    all.push_back(endless_body("endless-event", provider_error, "data: xxxxxxxxx\n"));
    all.push_back(endless_body("endless-empty-data", provider_error, "data\n"));
    all.push_back(endless_body("endless-event-names", timed_out, "event: x\n"));
    all.push_back(endless_body("endless-blank-lines", timed_out, "\n"));
    all.push_back(endless_body("endless-comments", timed_out, ": keep-alive\n\n"));
    all.push_back(endless_body("endless-pings", timed_out, "data: {\"type\":\"ping\"}\n\n"));
    all.push_back(endless(
        "endless-comments-after-end", done,
        [](const Scene& scene) {
            return head("connection: close\r\n") + joined(good_events(scene.protocol));
        },
        text(":\n")));
    all.push_back(endless("endless-text", provider_error, beginning, [](const Scene& scene) {
        return text_event(scene.protocol, '"' + std::string(4000, 'x') + '"');
    }));
    all.back().memory_mib = 400;
    all.push_back(endless("endless-thinking", provider_error, beginning, [](const Scene& scene) {
        return thinking_event(scene.protocol, std::string(4000, 'x'));
    }));
    all.back().memory_mib = 160;
    all.push_back(endless("endless-calls", provider_error, beginning, call_event));
    all.back().memory_mib = 400;
    all.push_back(endless(
        "endless-arguments", provider_error,
        [](const Scene& scene) { return beginning(scene) + call_event(scene); }, argument_event));
    all.back().memory_mib = 160;
    for (Mode& mode : all)
        if (mode.outcomes({protocols()[0]})[0].status != 0) mode.text.reset();
    return all;
}

}  // namespace hostile
