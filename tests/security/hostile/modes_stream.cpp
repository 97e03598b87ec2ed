// Events, and what is in them.
#include <algorithm>
#include <array>

#include "modes.hpp"

namespace hostile {
namespace {

constexpr std::size_t line_bytes = 32U << 20;   // chorus(7), section LIMITS
constexpr std::size_t event_bytes = 32U << 20;  // likewise
constexpr std::size_t json_depth = 64;

using loopback::Dialect;

std::string replaced(std::string text, std::string_view what, std::string_view with) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size())
        text.replace(at, what.size(), with);
    return text;
}

std::string good_body(const Scene& scene) {
    return joined(good_events(scene.protocol));
}

// The good answer with something in the midst of it.
Mode with(std::string name, Outcome outcome, std::function<std::string(const Scene&)> event) {
    return raw(std::move(name), outcome, [event = std::move(event)](const Scene& scene) {
        return stream(joined(with_event(scene.protocol, event(scene))));
    });
}

// A piece of text, as JSON, that becomes `text` in the midst of the good one.
Mode with_text(std::string name, std::string json, std::string_view text) {
    Mode mode = with(std::move(name), done, [json = std::move(json)](const Scene& scene) {
        return text_event(scene.protocol, json);
    });
    mode.text = std::string(good_text);
    // after the first piece, which is "Grüße ☀"
    mode.text->insert(mode.text->find(" \""), text);
    return mode;
}

void add_lines(std::vector<Mode>& all) {
    const auto body = [](std::string name, std::function<std::string(std::string)> change) {
        return raw(std::move(name), done, [change = std::move(change)](const Scene& scene) {
            return stream(change(good_body(scene)));
        });
    };
    all.push_back(body("bom", [](std::string b) { return "\xEF\xBB\xBF" + b; }));
    all.push_back(body("crlf", [](std::string b) { return replaced(b, "\n", "\r\n"); }));
    all.push_back(body("cr", [](std::string b) { return replaced(b, "\n", "\r"); }));
    all.push_back(body("mixed-line-ends", [](std::string b) {
        constexpr std::array<std::string_view, 3> ends{"\r", "\n", "\r\n"};
        std::string out;
        std::size_t n = 0;
        for (const char c : b)
            if (c == '\n')
                out += ends[n++ % 2 == 0 ? 2 : n % 3 == 0 ? 1 : 2];
            else
                out += c;
        return out;
    }));
    all.push_back(body("no-last-blank-line", [](std::string b) {
        b.resize(b.size() - 2);
        return b;
    }));
    all.push_back(body("comments", [](std::string b) {
        return ":\n: keep-alive\n\n" + replaced(b, "\n\n", "\n: x\n\n:\n");
    }));
    all.push_back(body("odd-fields", [](std::string b) {
        return "retry: 0\nid: \xff\nevent\nDATA: {}\n data: {}\nnonsense\n" + b;
    }));
    all.push_back(
        body("no-space-after-colon", [](std::string b) { return replaced(b, "data: ", "data:"); }));
    all.push_back(body("done-first", [](std::string b) { return b; }));
    all.back().bytes = [](const Scene& scene) {
        const bool knows = scene.protocol.dialect != Dialect::anthropic;
        return stream((knows ? "data: [DONE]\n\n" : "") + good_body(scene));
    };
    all.push_back(body("goes-on-after-end", [](std::string b) {
        return b +
               "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\"}}\n\ndata: "
               "\xff{[\n\nevent: error\ndata: x\n\n";
    }));
    all.push_back(with("blank-data", done, [](const Scene&) { return "data:\ndata\ndata: \n\n"; }));
    all.back().outcomes = always({done, server_error});
    all.push_back(raw("no-terminal", no_internet, [](const Scene& scene) {
        Events events = good_events(scene.protocol);
        return stream(joined(events).substr(0, 200));
    }));
    all.push_back(raw("only-terminal", provider_error, [](const Scene& scene) {
        Events events = good_events(scene.protocol);
        const std::size_t last = scene.protocol.dialect == Dialect::chat ? 3 : 1;
        return stream(joined({events.end() - static_cast<std::ptrdiff_t>(last), events.end()}));
    }));
    all.back().text.reset();
    // that of Responses has the text, which is empty elsewhere
    all.back().outcomes = always({done, provider_error});
}

void add_sizes(std::vector<Mode>& all) {
    const auto line = [](std::size_t bytes) {
        return [bytes](const Scene&) { return ":" + std::string(bytes - 1, 'x') + "\n"; };
    };
    all.push_back(once(with("line-limit-minus-1", done, line(line_bytes - 1))));
    all.push_back(once(with("line-limit", done, line(line_bytes))));
    all.push_back(once(with("line-limit-plus-1", provider_error, line(line_bytes + 1))));
    // An object over several lines of blanks: its first line, a break and its last brace are 13
    // bytes.
    const auto event = [](std::size_t bytes) {
        return [bytes](const Scene&) {
            std::string out = "data: {\"type\":\"x\"\n";
            for (std::size_t left = bytes - 13; left > 0;) {
                const std::size_t piece = std::min<std::size_t>(left, 1'000'000);
                out += "data: " + std::string(piece - 1, ' ') + "\n";
                left -= piece;
            }
            return out + "data: }\n\n";
        };
    };
    all.push_back(once(with("event-limit-minus-1", done, event(event_bytes - 1))));
    all.push_back(once(with("event-limit", done, event(event_bytes))));
    all.push_back(once(with("event-limit-plus-1", provider_error, event(event_bytes + 1))));
}

void add_json(std::vector<Mode>& all) {
    const auto deep = [](std::size_t levels) {
        return [levels](const Scene&) {
            return "data: {\"type\":\"x\",\"a\":" + std::string(levels - 1, '[') +
                   std::string(levels - 1, ']') + "}\n\n";
        };
    };
    all.push_back(with("depth-63", done, deep(json_depth - 1)));
    all.push_back(with("depth-64", done, deep(json_depth)));
    all.push_back(with("depth-65", server_error, deep(json_depth + 1)));
    all.push_back(once(with("depth-100000", server_error, deep(100'000))));
    all.push_back(once(with("depth-open", server_error, [](const Scene&) {
        return "data: {\"a\":" + std::string(500'000, '[') + "\n\n";
    })));
    for (const std::string_view text : {"x", "{", "{}}", "5", "null", "[]", "\"text\"", "{'a':1}",
                                        "{\"a\":NaN}", "{\"a\":1e999}", "\xff\xfe"}) {
        all.push_back(with("not-json-" + std::to_string(all.size()), server_error,
                           [text](const Scene&) { return "data: " + std::string(text) + "\n\n"; }));
    }
    all.push_back(with("duplicate-keys", done, [](const Scene&) {
        return "data: {\"type\":\"x\",\"type\":\"y\",\"type\":\"x\"}\n\n";
    }));
    all.push_back(with("nul-bytes", server_error, [](const Scene& scene) {
        return text_event(scene.protocol, std::string("\"a\0b\"", 5));
    }));
    all.push_back(with("huge-number", done, [](const Scene&) {
        return "data: {\"type\":\"x\",\"index\":" + std::string(400, '9') + "}\n\n";
    }));
    all.back().outcomes = always({done, server_error});
    all.push_back(with("unknown-event", done, [](const Scene&) {
        return "event: server.tool.of.the.future\ndata: {\"type\":\"server.tool.of.the.future\","
               "\"delta\":{\"text\":\"no\"},\"index\":77,\"item\":null}\n\n";
    }));
    all.push_back(with("ping", done,
                       [](const Scene&) { return "event: ping\ndata: {\"type\":\"ping\"}\n\n"; }));
}

void add_texts(std::vector<Mode>& all) {
    all.push_back(with_text("text-empty", "\"\"", ""));
    all.push_back(with_text("text-invalid-utf8", "\"a\xff\xc3\xe2\x82z\"", "a\uFFFD\uFFFD\uFFFDz"));
    all.back().text.reset();  // how many marks stand for it is not the point
    all.push_back(with_text("text-overlong", "\"\xc0\xaf\"", ""));
    all.back().text.reset();
    all.push_back(with_text("text-lone-surrogate", "\"\\ud800x\"", "\uFFFDx"));
    all.push_back(with_text("text-low-surrogate", "\"\\udc00x\"", "\uFFFDx"));
    all.push_back(with_text("text-pair", "\"\\ud83d\\ude00\"", "\U0001F600"));
    all.push_back(with_text("text-nul", "\"a\\u0000b\"", std::string_view("a\0b", 3)));
    all.push_back(
        with_text("text-escapes", "\"\\u001b[2J\\u0007\\r\\u009b31m\"", "\x1b[2J\x07\r\u009b31m"));
    all.push_back(with_text("text-bidi", "\"\\u202e\\u2066\\u200b\"", "\u202e\u2066\u200b"));
    all.push_back(once(with_text("text-half-a-line", '"' + std::string(500'000, 'y') + '"',
                                 std::string(500'000, 'y'))));
    all.push_back(with("error-event", server_error, [](const Scene&) {
        return "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
               "\"message\":\"\\u001b[31mbusy\\n\\nchorus-run: error: forged\"}}\n\n";
    }));
}

// Every value of every event, one after the other, becomes something else.
constexpr std::array<std::string_view, 8> wrong_values{"5",  "-1",   "null", "[]",
                                                       "{}", "true", "\"\"", "1e308"};

void collect(Json& value, std::vector<Json*>& places) {
    for (Json& member : value) {
        places.push_back(&member);
        if (member.is_structured()) collect(member, places);
    }
}

std::string body_of(const std::string& event, std::string_view& prefix) {
    const std::size_t at = event.find("data: ") + 6;
    prefix = std::string_view(event).substr(0, at);
    return event.substr(at, event.find('\n', at) - at);
}

// Counts the values; the one with number `at` is replaced.
std::size_t spoil(Events& events, std::size_t at) {
    std::size_t count = 0;
    for (std::string& event : events) {
        std::string_view prefix;
        Json json = Json::parse(body_of(event, prefix), nullptr, false);
        if (json.is_discarded()) continue;
        std::vector<Json*> places;
        collect(json, places);
        const std::size_t first = count;
        count += places.size() * wrong_values.size();
        if (at < first || at >= count) continue;
        *places[(at - first) / wrong_values.size()] =
            Json::parse(wrong_values[(at - first) % wrong_values.size()]);
        event = std::string(prefix) + json.dump() + "\n\n";
    }
    return count;
}

Mode wrong_types(std::string name, Events (*events_of)(const Protocol&)) {
    Mode mode = acting(std::move(name), done, [events_of](Peer& peer, const Scene& scene) {
        Events events = events_of(scene.protocol);
        spoil(events, scene.at);
        peer.send(stream(joined(events)));
    });
    mode.points = [events_of](const Scene& scene) {
        Events events = events_of(scene.protocol);
        return spoil(events, static_cast<std::size_t>(-1)) - 1;
    };
    mode.outcomes = always({done, no_internet, server_error, provider_error, limited});
    mode.text.reset();
    mode.tool_runs.reset();
    return mode;
}

Mode calls(std::string name, Outcome outcome, Json tool_calls, std::optional<int> runs = {}) {
    Mode mode = raw(std::move(name), outcome, [tool_calls](const Scene& scene) {
        return stream(joined(say(scene.protocol, {{"text", "x"}, {"tool_calls", tool_calls}})));
    });
    mode.tool_runs = runs;
    if (outcome.status != 0) mode.text.reset();
    return mode;
}

Json call(std::string_view id, std::string_view name, std::string_view arguments) {
    return {{"id", id}, {"name", name}, {"arguments_text", arguments}};
}

void add_calls(std::vector<Mode>& all) {
    const auto one = [&](std::string name, const Json& that) {
        all.push_back(calls(std::move(name), done, Json::array({that}), 1));
    };
    one("call", call("c1", "list_files", "{}"));
    one("call-unknown", call("c1", "rm_rf", "{}"));
    one("call-nameless", call("c1", "", "{}"));
    one("call-name-escapes", call("c1", "\x1b[2J\n\u202e", "{}"));
    one("call-name-long", call("c1", std::string(20'000, 'n'), "{}"));
    all.back().once = true;
    one("call-id-empty", call("", "list_files", "{}"));
    one("call-id-long", call(std::string(20'000, 'i'), "list_files", "{}"));
    all.back().once = true;
    one("call-id-escapes", call("\x1b[2J\n\"\\'", "list_files", "{}"));
    for (const std::string_view broken : {"{\"path\":", "[]", "null", "5", "\"x\"", "{\"path\":5}",
                                          "{\"path\":[\"a\"]}", "}{", "{}{}"})
        one("call-arguments-" + std::to_string(all.size()), call("c1", "view", broken));
    one("call-arguments-deep",
        call("c1", "view", "{\"path\":" + std::string(64, '[') + std::string(64, ']') + "}"));
    one("call-arguments-very-deep", call("c1", "view", "{\"path\":" + std::string(20'000, '[')));
    all.back().once = true;
    one("call-arguments-long",
        call("c1", "create_file",
             Json{{"path", "f"}, {"content", std::string(900'000, 'z')}}.dump()));
    all.back().once = true;
    one("call-path-escapes", call("c1", "view", R"({"path":"../../../../etc/shadow"})"));
    one("call-path-nul", call("c1", "view", "{\"path\":\"a\\u0000b\"}"));
    one("call-holds-key",
        call("c1", "create_file", Json{{"path", "f"}, {"content", std::string(secret)}}.dump()));
    all.back().keeps_key = true;
    Json same = Json::array();
    for (int i = 0; i < 3; ++i) same.push_back(call("same", "list_files", "{}"));
    all.push_back(calls("call-ids-thrice", done, same, 3));
    Json many = Json::array();
    for (int i = 0; i < 40; ++i) many.push_back(call("c" + std::to_string(i), "nosuch", "{}"));
    all.push_back(calls("calls-many-bad", failed, many, 40));
    all.back().once = true;
    Json good_many = Json::array();
    for (int i = 0; i < 64; ++i)
        good_many.push_back(call("c" + std::to_string(i), "list_files", "{}"));
    all.push_back(calls("calls-many", done, good_many, 64));
    all.back().once = true;
    all.push_back(raw("call-cut-at-limit", done, [](const Scene& scene) {
        return stream(joined(say(
            scene.protocol,
            {{"text", "x"},
             {"tool_calls", Json::array({call("c1", "create_file", "{\"path\":\"f\",\"conte")})},
             {"stop", "max_tokens"}})));
    }));
    all.back().tool_runs = 1;  // on record, and never begun
    all.push_back(raw("text-cut-at-limit", limited, [](const Scene& scene) {
        return stream(joined(say(scene.protocol, {{"text", "half"}, {"stop", "max_tokens"}})));
    }));
}

}  // namespace

std::vector<Mode> stream_modes() {
    std::vector<Mode> all;
    all.push_back(raw("good", done, [](const Scene& scene) { return stream(good_body(scene)); }));
    add_lines(all);
    add_sizes(all);
    add_json(all);
    add_texts(all);
    all.push_back(wrong_types("wrong-types", good_events));
    all.push_back(wrong_types("wrong-types-call", call_events));
    add_calls(all);
    return all;
}

}  // namespace hostile
