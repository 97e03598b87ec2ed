// Heads, framing, encodings and statuses.
#include <array>

#include "modes.hpp"

namespace hostile {
namespace {

const std::string event_type = "content-type: text/event-stream\r\n";

std::string good(const Scene& scene, std::string_view headers = "") {
    return stream(joined(good_events(scene.protocol)), headers);
}

std::string good_with_head(const Scene& scene, const std::string& head_text) {
    return head_text + chunked(joined(good_events(scene.protocol)));
}

std::string error_json(std::string_view type, std::string_view message) {
    return Json{{"type", "error"}, {"error", {{"type", type}, {"message", message}}}}.dump();
}

Mode closing(Mode mode) {
    mode.closes = true;
    return mode;
}

void add_lengths(std::vector<Mode>& all) {
    all.push_back(closing(raw("length-too-long", done, [](const Scene& s) {
        const std::string body = joined(good_events(s.protocol));
        return head(event_type + "content-length: " + std::to_string(body.size() + 999) + "\r\n") +
               body;
    })));
    all.push_back(once(raw("length-too-long-open", done, all.back().bytes)));
    all.back().timeout = "20s";
    all.push_back(closing(raw("length-too-short", no_internet, [](const Scene& s) {
        const Answer whole = answer(s.protocol, good_events(s.protocol), Framing::length);
        const std::string body = joined(good_events(s.protocol));
        const std::size_t wanted = whole.complete_at - whole.head_bytes - 20;
        return head(event_type + "content-length: " + std::to_string(wanted) + "\r\n") + body;
    })));
    for (const std::string_view length : {"abc", "-5", "", "99999999999999999999"})
        all.push_back(closing(
            raw("length-" + std::string(length.empty() ? "empty" : length),
                length.starts_with('9') ? done : provider_error, [length](const Scene& s) {
                    return head(event_type + "content-length: " + std::string(length) + "\r\n") +
                           joined(good_events(s.protocol));
                })));
    all.push_back(closing(raw("length-twice", no_internet, [](const Scene& s) {
        return head(event_type + "content-length: 10\r\ncontent-length: 90\r\n") +
               joined(good_events(s.protocol));
    })));
    all.push_back(raw("length-and-chunked", done,
                      [](const Scene& s) { return good(s, "content-length: 7\r\n"); }));
}

void add_chunks(std::vector<Mode>& all) {
    for (const std::string_view size : {"zz", "-1", "ffffffffffffffffff", "7fffffffffffffff", " "})
        all.push_back(closing(raw("chunk-size-" + std::string(size == " " ? "blank" : size),
                                  no_internet, [size](const Scene& s) {
                                      const Events events = good_events(s.protocol);
                                      return head(event_type + "transfer-encoding: chunked\r\n") +
                                             "a\r\n: 3456789\n" + "\r\n" + std::string(size) +
                                             "\r\n: comment\n\n";
                                  })));
    all.push_back(raw("chunk-extension", done, [](const Scene& s) {
        const std::string body = joined(good_events(s.protocol));
        std::array<char, 32> size{};
        std::snprintf(size.data(), size.size(), "%zX", body.size());
        return head(event_type + "transfer-encoding: chunked\r\n") + size.data() + ";a=\"b\";" +
               std::string(500, 'x') + "\r\n" + body + "\r\n0\r\n\r\n";
    }));
    all.push_back(closing(raw("chunk-without-last", done, [](const Scene& s) {
        const std::string whole = good(s);
        return whole.substr(0, whole.size() - 5);
    })));
    all.push_back(raw("trailers", done, [](const Scene& s) {
        const std::string whole = good(s);
        return whole.substr(0, whole.size() - 2) +
               "x-trailer: 1\r\nstatus: 500\r\ncontent-encoding: br\r\n\r\n";
    }));
    all.push_back(closing(raw("unknown-transfer-encoding", provider_error, [](const Scene&) {
        return head(event_type + "transfer-encoding: rot13\r\n") + "data: {}\n\n";
    })));
    all.push_back(raw("one-byte-chunks", done, [](const Scene& s) {
        std::string out = head(event_type + "transfer-encoding: chunked\r\n");
        for (const char c : joined(good_events(s.protocol)))
            out += std::string("1\r\n") + c + "\r\n";
        return out + "0\r\n\r\n";
    }));
    all.back().once = true;
}

void add_heads(std::vector<Mode>& all) {
    all.push_back(closing(raw("http-0.9", provider_error,
                              [](const Scene& s) { return joined(good_events(s.protocol)); })));
    all.push_back(closing(raw("http-1.0", done, [](const Scene& s) {
        return "HTTP/1.0 200 OK\r\n" + event_type + "\r\n" + joined(good_events(s.protocol));
    })));
    for (const std::string_view line :
         {"HTTP/9.9 200 OK", "HTTP/1.1 99999 Many", "HTTP/1.1 abc", "HTTP/1.1 000 Zero",
          "HTP/1.1 200 OK", "HTTP/1.1", "ICY 200 OK"})
        all.push_back(
            closing(raw("line-" + std::string(line), provider_error, [line](const Scene& s) {
                return good_with_head(s, std::string(line) + "\r\n" + event_type +
                                             "transfer-encoding: chunked\r\n\r\n");
            })));
    all.push_back(raw("line-without-reason", done, [](const Scene& s) {
        return good_with_head(s, "HTTP/1.1 200\r\ntransfer-encoding: chunked\r\n\r\n");
    }));
    all.push_back(closing(raw("http2-preface", provider_error, [](const Scene&) {
        return std::string("\0\0\x12\4\0\0\0\0\0\0\3\0\0\0\x64\0\4\0\x10\0\0\0\5\0\0\x40\0", 27);
    })));
    all.push_back(raw("bare-newlines", done, [](const Scene& s) {
        return good_with_head(s, "HTTP/1.1 200 OK\ntransfer-encoding: chunked\n\n");
    }));
    all.push_back(raw("folded-header", done, [](const Scene& s) {
        return good(s, "x-long: one\r\n two\r\n\tthree\r\n");
    }));
    all.push_back(raw("header-bytes", done, [](const Scene& s) {
        return good(s,
                    "x-\xff\xfe: \x80\xc0\x1b[31m\r\n: nameless\r\nrequest-id: "
                    "\x1b]0;pwned\x07\r\n");
    }));
    all.push_back(closing(raw("header-without-colon", provider_error,
                              [](const Scene& s) { return good(s, "no colon\r\n"); })));
    all.push_back(closing(raw("header-nul", provider_error, [](const Scene& s) {
        return good(s, std::string_view("x-nul: a\0b\r\n", 12));
    })));
    all.push_back(raw("cookies", done, [](const Scene& s) {
        std::string cookies;
        for (int i = 0; i < 300; ++i)
            cookies += "set-cookie: c" + std::to_string(i) + "=" + std::string(100, 'x') +
                       "; domain=.example; path=/\r\n";
        return good(s, cookies);
    }));
    all.back().once = true;
    all.push_back(raw("interim-answers", done, [](const Scene& s) {
        return "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\nx: y\r\n\r\n"
               "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" +
               good(s);
    }));
    all.push_back(closing(raw("switching-protocols", done, [](const Scene& s) {
        return "HTTP/1.1 101 Switching\r\nupgrade: h2c\r\nconnection: upgrade\r\n\r\n" + good(s);
    })));
    all.push_back(acting("answer-before-request", done, [](Peer& peer, const Scene& scene) {
        peer.send(good(scene));
        peer.wait_until_client_leaves();
    }));
    all.back().connection = std::move(all.back().act);
    // a second answer behind the first, for the next request to find
    all.push_back(once(raw("smuggled-answer", done, [](const Scene& s) {
        return stream(joined(call_events(s.protocol))) +
               stream(joined(say(s.protocol, {{"text", "smuggled"}})));
    })));
    all.back().tool_runs = 1;
    all.push_back(once(raw("surplus", done, [](const Scene& s) {
        return stream(joined(call_events(s.protocol))) + "HTTP/1.1 999 x\r\n\xff\xff garbage";
    })));
    all.back().tool_runs = 1;
}

void add_encodings(std::vector<Mode>& all) {
    for (const std::string_view encoding : {"gzip", "x-gzip", "GZIP"})
        all.push_back(raw("encoding-" + std::string(encoding), done, [encoding](const Scene& s) {
            return stream(gzipped(joined(good_events(s.protocol))),
                          "content-encoding: " + std::string(encoding) + "\r\n");
        }));
    all.push_back(raw("encoding-identity", done,
                      [](const Scene& s) { return good(s, "content-encoding: identity\r\n"); }));
    for (const std::string_view encoding : {"br", "deflate", "gzip, gzip", "zstd", "\x1b[31m"})
        all.push_back(raw("encoding-" + std::string(encoding[0] == '\x1b' ? "escape" : encoding),
                          provider_error, [encoding](const Scene& s) {
                              return good(s, "content-encoding: " + std::string(encoding) + "\r\n");
                          }));
    all.push_back(raw("gzip-garbage", no_internet,
                      [](const Scene& s) { return good(s, "content-encoding: gzip\r\n"); }));
    all.push_back(raw("gzip-damaged", no_internet, [](const Scene& s) {
        std::string packed = gzipped(joined(good_events(s.protocol)));
        packed[packed.size() / 3] = static_cast<char>(packed[packed.size() / 3] ^ 0x55);
        packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
        return stream(packed, "content-encoding: gzip\r\n");
    }));
    all.push_back(raw("gzip-members", done, [](const Scene& s) {
        const std::string body = joined(good_events(s.protocol));
        return stream(gzipped(body.substr(0, 100)) + gzipped("") + gzipped(body.substr(100)),
                      "content-encoding: gzip\r\n");
    }));
    all.push_back(raw("gzip-and-more", done, [](const Scene& s) {
        return stream(gzipped(joined(good_events(s.protocol))) + "\0\0\0padding",
                      "content-encoding: gzip\r\n");
    }));
    all.push_back(raw("gzip-inside-gzip", provider_error, [](const Scene& s) {
        return stream(gzipped(gzipped(joined(good_events(s.protocol)))),
                      "content-encoding: gzip\r\n");
    }));
    // 64 MiB of one line, of comments, of blank lines
    const auto bomb = [](std::string name, Outcome outcome, std::string_view unit) {
        return once(raw("bomb-" + std::move(name), outcome, [unit](const Scene&) {
            std::string body;
            while (body.size() < (64U << 10)) body += unit;
            const std::string member = gzipped(body);
            std::string packed;
            for (int i = 0; i < 1024; ++i) packed += member;
            return stream(packed, "content-encoding: gzip\r\n");
        }));
    };
    all.push_back(bomb("line", provider_error, "a"));
    all.push_back(bomb("event", provider_error, "data: 0123456789abcdef\n"));
    all.push_back(bomb("comments", no_internet, ": 0123456789abcdef0123456789abcdef\n"));
    all.push_back(bomb("blanks", no_internet, "\n"));
    all.push_back(once(raw("bomb-error-body", server_error, [](const Scene&) {
        std::string packed;
        const std::string member = gzipped(std::string(1U << 16, ' '));
        for (int i = 0; i < 1024; ++i) packed += member;
        return plain("500 Oh", packed, "content-encoding: gzip\r\n");
    })));
}

void add_bodies(std::vector<Mode>& all) {
    all.push_back(raw("empty", no_internet, [](const Scene&) { return plain("200 OK", ""); }));
    all.push_back(
        raw("no-content", no_internet, [](const Scene&) { return head("", "204 No Content"); }));
    all.push_back(raw("html", provider_error, [](const Scene&) {
        return plain("200 OK", "<!doctype html><html><body>log in</body></html>",
                     "content-type: text/html\r\n");
    }));
    const auto in_200 = [](std::string name, Outcome outcome, std::string body) {
        return raw("200-" + std::move(name), outcome, [body = std::move(body)](const Scene&) {
            return plain("200 OK", body, "content-type: application/json\r\n");
        });
    };
    all.push_back(in_200("overloaded", server_error, error_json("overloaded_error", "busy")));
    all.push_back(in_200("bad-key", unauthorized, error_json("authentication_error", "who?")));
    all.push_back(in_200("quota", out_of_credits, error_json("insufficient_quota", "pay")));
    all.push_back(in_200("bad", provider_error, error_json("invalid_request_error", "no")));
    all.push_back(in_200("error-is-null", server_error, R"({"error_":null})"));
}

void add_statuses(std::vector<Mode>& all) {
    const std::string html = "<html><head><title>5xx</title></head><body>\x1b[31mno</body></html>";
    const auto status = [&](std::string line, Outcome outcome, std::string body,
                            std::string headers = "") {
        const std::string mode_name = "status-" + line.substr(0, line.find(' '));
        all.push_back(raw(mode_name, outcome, [line, body, headers](const Scene&) {
            return plain(line, body, headers);
        }));
    };
    status("400 Bad", provider_error, error_json("invalid_request_error", "\x1b[2Jno\r\n\tno"));
    status("401 Who", unauthorized, error_json("authentication_error", "invalid x-api-key"));
    status("402 Pay", out_of_credits, html);
    status("403 No", unauthorized, html);
    status("404 Where", provider_error, html);
    status("408 Late", server_error, "");
    status("413 Large", provider_error, html);
    // a conversation with something to summarize is summarized, and the request goes out again
    all.back().outcomes = always({provider_error, done});
    status("422 Odd", provider_error, R"({"detail":[{"loc":["body"],"msg":"x"}]})");
    status("451 Law", provider_error, std::string("\0\1\2", 3));
    for (const std::string_view line : {"500 Oh", "502 Gate", "503 Later", "504 Slow", "529 Full"})
        status(std::string(line), server_error, html);
    status("500 Deep", server_error, std::string(30'000, '[') + std::string(30'000, ']'));
    all.back().name = "status-500-deep";
    all.back().once = true;
    status("500 Long", server_error,
           "{\"error\":{\"message\":\"" + std::string(200'000, 'x') + "\"}}");
    all.back().name = "status-500-long";
    all.back().once = true;
    for (const std::string_view body :
         {"null", "[]", "[[]]", "5", "\"x\"", "{\"error\":5}", "{\"error\":[]}",
          "{\"error\":{\"message\":{\"a\":[1]},\"type\":7,\"code\":[]}}",
          "{\"error\":{\"code\":1e308,\"details\":[{\"retryDelay\":\"1e999s\"}]}}",
          "{\"error\":", "{\"error\":{\"message\":\"\\ud800 \\u0000 \\u001b[31m\"}}"}) {
        status("503 Odd", server_error, std::string(body));
        all.back().name = "status-503-" + std::to_string(all.size());
    }
    int n = 0;
    for (const std::string_view wait :
         {"-1", "soon", "99999999999999999999", "1e400", "0", "nan",
          "Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "", "\xff"}) {
        status("429 Slow", parked, html, "retry-after: " + std::string(wait) + "\r\n");
        all.back().name = "status-429-" + std::to_string(++n);
    }
}

void add_redirects(std::vector<Mode>& all) {
    for (const int code : {301, 302, 303, 307, 308})
        for (const std::string_view where : {"http://127.0.0.1:PORT/v1/x", "file:///etc/passwd",
                                             "//127.0.0.1:PORT/", "gopher://127.0.0.1:PORT/_x", ""})
            all.push_back(raw("redirect-" + std::to_string(code) + "-" +
                                  std::string(where.substr(0, where.find(':'))),
                              provider_error, [code, where](const Scene& s) {
                                  std::string place(where);
                                  if (const auto at = place.find("PORT"); at != std::string::npos)
                                      place.replace(at, 4, std::to_string(s.trap_port));
                                  return plain(std::to_string(code) + " Away", "",
                                               "location: " + place +
                                                   "\r\nrefresh: 0; url=" + place + "\r\n");
                              }));
}

// The key comes back in what people are told.
void add_echoes(std::vector<Mode>& all) {
    const std::string key(secret);
    std::string escaped;
    for (const char c : key) {
        std::array<char, 8> text{};
        std::snprintf(text.data(), text.size(), "\\u%04x", static_cast<unsigned>(c));
        escaped += text.data();
    }
    const auto echo = [&](std::string name, Outcome outcome, std::string answer) {
        all.push_back(raw("echo-" + std::move(name), outcome,
                          [answer = std::move(answer)](const Scene&) { return answer; }));
    };
    echo("json", unauthorized, plain("401 Who", error_json("authentication_error", "bad " + key)));
    echo("type", provider_error, plain("400 Who", error_json(key, "bad")));
    echo("html", server_error, plain("500 Oh", "your key: " + key));
    echo("escaped", server_error,
         plain("500 Oh", R"({"error":{"message":"bad )" + escaped + "\"}}"));
    echo("at-the-cut", server_error, plain("500 Oh", std::string(470, 'x') + " " + key));
    echo("escaped-at-the-cut", server_error,
         plain("500 Oh",
               R"({"error":{"message":")" + std::string(464, 'x') + " " + escaped + "\"}}"));
    echo("request-id", server_error, plain("500 Oh", "no", "request-id: " + key + "\r\n"));
    echo("body-request-id", server_error,
         plain("500 Oh", R"({"request_id":")" + key + R"(","error":{"message":"x"}})"));
    echo("location", provider_error, plain("307 Away", "", "location: http://x/" + key + "\r\n"));
    echo("encoding", provider_error, plain("200 OK", "x", "content-encoding: " + key + "\r\n"));
    echo("event", server_error,
         stream("event: error\ndata: " + error_json("overloaded_error", "bad " + key) + "\n\n"));
    echo("escaped-event", server_error,
         stream("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
                "\"message\":\"" +
                std::string(460, 'x') + " " + escaped + "\"}}\n\n"));
}

}  // namespace

std::vector<Mode> http_modes() {
    std::vector<Mode> all;
    add_lengths(all);
    add_chunks(all);
    add_heads(all);
    add_encodings(all);
    add_bodies(all);
    add_statuses(all);
    add_redirects(all);
    add_echoes(all);
    return all;
}

}  // namespace hostile
