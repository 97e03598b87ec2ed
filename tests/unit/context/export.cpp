#include "context/export.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "chat/json.hpp"
#include "context/facts.hpp"

namespace chorus::context {
namespace {

using chat::Json;
using chat::Role;
using store::StoredMessage;

constexpr base::TimeMs start = 1'770'892'200'000;  // 2026-02-12T10:30:00Z

StoredMessage said(std::int64_t id, Role role, std::string content) {
    StoredMessage stored;
    stored.message.id = id;
    stored.message.role = role;
    stored.message.content = std::move(content);
    stored.message.timestamp = start + id * 1000;
    stored.message.turn_id = 7;
    stored.message.starts_turn = role == Role::user;
    return stored;
}

StoredMessage called(std::int64_t id, const std::string& call, std::string arguments) {
    StoredMessage stored = said(id, Role::assistant, "");
    stored.message.tool_calls = {{call, "bash", std::move(arguments)}};
    return stored;
}

StoredMessage answered(std::int64_t id, const std::string& call, std::string content) {
    StoredMessage stored = said(id, Role::tool_result, std::move(content));
    stored.message.tool_call_id = call;
    return stored;
}

ExportRecord record_of(std::vector<StoredMessage> messages) {
    ExportRecord record{.agent = {}, .title = "ada", .threads = {}, .turns = {}, .messages = {}};
    record.agent.name = "ada";
    record.agent.model = "anthropic/m";
    record.agent.created_at = start;
    store::Thread thread;
    thread.branch = "main";
    record.threads = {thread};
    store::Turn turn;
    turn.id = 7;
    turn.turn_number = 3;
    turn.started_at = start;
    turn.usage = {1200, 34, 0, 0, 0, 12'300};
    record.turns = {turn};
    record.messages = std::move(messages);
    return record;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::vector<Json> lines_of(const std::string& text) {
    std::vector<Json> lines;
    for (const std::string_view line : base::split_lines(text))
        lines.push_back(chat::parse_json(line, "line"));
    return lines;
}

TEST(Facts, NumbersAsPeopleReadThem) {
    EXPECT_EQ(with_commas(0), "0");
    EXPECT_EQ(with_commas(999), "999");
    EXPECT_EQ(with_commas(1000), "1,000");
    EXPECT_EQ(with_commas(-1'234'567), "-1,234,567");
    EXPECT_EQ(dollars(0.0123), "$0.0123");
    EXPECT_EQ(dollars(12.3), "$12.30");
    EXPECT_EQ(counted(1, "turn"), "1 turn");
    EXPECT_EQ(counted(1200, "turn"), "1,200 turns");
    EXPECT_EQ(shown_utc(start), "2026-02-12 10:30");
}

TEST(Export, MarkdownHasEveryMessageOnceInFencesThatHold) {
    const std::string text = to_markdown(
        record_of({said(1, Role::user, "do it"), called(2, "c1", R"({"command":"make"})"),
                   answered(3, "c1", "```\nnot the end\u202e"), said(4, Role::assistant, "done")}));
    EXPECT_EQ(text.substr(0, 6), "# ada\n");
    for (const char* part :
         {"- Model: anthropic/m\n", "- Messages: 4, 1 call\n", "- Tokens: 1,200 in, 34 out\n",
          "- Cost: $0.0123\n", "## User · 2026-02-12T10:30:01", "Call c1: bash", "### Result of c1",
          "````\n```\nnot the end\\u202e\n````\n"})
        EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

TEST(Export, EachFormatOfNothingIsWhole) {
    ExportRecord record = record_of({});
    record.turns = {};
    EXPECT_TRUE(has(to_markdown(record), "- Messages: 0\n"));
    EXPECT_TRUE(has(to_html(record), "</html>"));
    EXPECT_EQ(chat::parse_json(to_json(record, 0), "json")["messages"].size(), 0U);
    const auto lines = lines_of(to_jsonl(record, 0));
    ASSERT_EQ(lines.size(), 3U);
    EXPECT_EQ(lines[2]["messages"], 0);
}

TEST(Export, ThePageAllowsOnlyItsOwnStyleAndScript) {
    const std::string text = to_html(record_of({said(1, Role::user, "hello")}));
    EXPECT_TRUE(has(text, "default-src 'none'; style-src 'sha256-"));
    EXPECT_EQ(count(text, "<script>"), 1U);
    EXPECT_EQ(count(text, "<style>"), 1U);
    for (const char* part : {"@title@", "@style@", "@script_hash@", "unsafe-inline", "http://",
                             "https://", " src=", "@import", "url("})
        EXPECT_FALSE(has(text, part)) << part;
}

TEST(Export, APageHasCallsWithTheirResults) {
    StoredMessage result = answered(3, "c1", "all built");
    result.outcome = "denied";
    const std::string text =
        to_html(record_of({said(1, Role::user, "do it"),
                           called(2, "c1", R"({"command":"make -j2\nmake test","n":5})"), result,
                           called(4, "c2", "{broken"), said(5, Role::assistant, "done")}));
    for (const char* part :
         {"id=\"m1\"", "id=\"m3\"", "href=\"#m5\"", "<time datetime=\"2026-02-12T10:30:01.000Z\">",
          "<b>bash</b><code>make -j2…</code><i class=\"denied\">denied</i>", "make -j2\nmake test",
          "<small>n</small>", "all built", "{broken", "<i class=\"no result\">no result</i>",
          "turn 3", "1,200 in, 34 out", "$0.0123"})
        EXPECT_TRUE(has(text, part)) << part;
    EXPECT_EQ(count(text, "<article"), 4U);
    EXPECT_EQ(count(text, "<details>"), 2U);
}

TEST(Export, NoResultIsLostWhereNoCallAsksForIt) {
    const std::string text = to_html(
        record_of({answered(1, "gone", "first"), called(2, "c", "{}"), answered(3, "c", "second"),
                   answered(4, "c", "third"), answered(5, "other", "fourth")}));
    for (const char* part : {"first", "second", "third", "fourth"})
        EXPECT_EQ(count(text, std::string(part) + "</pre>"), 1U) << part;
}

TEST(Export, FencesHaveBlocksOfTheirOwn) {
    const auto page = [](const std::string& content) {
        return to_html(record_of({said(1, Role::assistant, content)}));
    };
    EXPECT_TRUE(has(page("a\n```cpp\nint x;\n```\nb"),
                    "<div class=\"text\" dir=\"auto\">a</div><pre class=\"code\">"
                    "<small>cpp</small>int x;</pre><div class=\"text\" dir=\"auto\">b</div>"));
    EXPECT_TRUE(has(page("````\n```\n````"), "<pre class=\"code\">```</pre>"));
    EXPECT_TRUE(has(page("```\nopen"), "<pre class=\"code\">open</pre>"));
    EXPECT_TRUE(has(page("```"), "<pre class=\"code\"></pre>"));
    EXPECT_TRUE(has(page("in ```line``` code"), "dir=\"auto\">in ```line``` code</div>"));
}

// page.js draws them; tests/browser looks at what it draws.
TEST(Export, AChartGetsEveryTurnWithItsFirstMessage) {
    ExportRecord record = record_of({said(1, Role::user, "hi"), said(2, Role::assistant, "ho")});
    store::Turn unknown;
    unknown.id = 8;
    unknown.thread_id = 2;
    unknown.turn_number = 1;
    unknown.started_at = start;
    record.turns.push_back(unknown);
    EXPECT_TRUE(has(to_html(record),
                    "data-turns=\"[[&quot;3&quot;,&quot;2026-02-12 10:30&quot;,1200,34,0.0123,1],"
                    "[&quot;2/1&quot;,&quot;2026-02-12 10:30&quot;,0,0,0,0]]\""));
}

TEST(Export, JsonHasAllThereIs) {
    ExportRecord record = record_of({said(1, Role::user, "hi"), called(2, "c1", "{}")});
    record.messages[1].message.opaque = chat::Opaque{"anthropic", "m", "[1]"};
    record.messages[1].restored_from = "s-1";
    record.messages[1].original_timestamp = start;
    record.messages[1].left_out = true;
    const Json json = chat::parse_json(to_json(record, start), "json");
    EXPECT_EQ(json["schema"], export_schema);
    EXPECT_EQ(json["agent"]["name"], "ada");
    EXPECT_EQ(json["turns"][0]["usage"]["input_tokens"], 1200);
    EXPECT_EQ(json["turns"][0]["cost_usd"], 0.0123);
    EXPECT_EQ(json["messages"][0]["extra"]["starts_turn"], true);
    EXPECT_EQ(json["messages"][1]["extra"]["wire"], "[1]");
    EXPECT_EQ(json["messages"][1]["tool_calls"][0]["id"], "c1");
    EXPECT_EQ(json["messages"][1]["original_timestamp"], "2026-02-12T10:30:00.000Z");
    EXPECT_EQ(json["messages"][1]["left_out"], true);
}

TEST(Export, JsonLinesBeginWithTheAgentAndEndWithCounts) {
    ExportRecord record = record_of({said(1, Role::user, "two\nlines")});
    record.sessions = {{{}, "{\"messages\":[]}\n"}};
    const auto lines = lines_of(to_jsonl(record, start));
    ASSERT_EQ(lines.size(), 6U);
    EXPECT_EQ(lines[0]["type"], "agent");
    EXPECT_EQ(lines[0]["schema"], export_schema);
    EXPECT_EQ(lines[3]["content"], "two\nlines");
    EXPECT_EQ(lines[4]["text"], "{\"messages\":[]}\n");
    EXPECT_EQ(lines[5]["type"], "end");
    EXPECT_EQ(lines[5]["threads"], 1);
    EXPECT_EQ(lines[5]["turns"], 1);
    EXPECT_EQ(lines[5]["messages"], 1);
    EXPECT_EQ(lines[5]["sessions"], 1);
}

TEST(Export, TranscriptsLoseWhatLooksLikeAKey) {
    const std::string key = "sk-ant-api03-" + std::string(80, 'k');
    ExportRecord record =
        record_of({said(1, Role::user, key), called(2, key, "{\"command\":\"" + key + "\"}"),
                   said(3, Role::tool_result, "x")});
    record.messages[1].message.tool_calls[0].name = key;
    record.messages[2].message.tool_call_id = key;
    redact(record, policy::Redaction());
    EXPECT_FALSE(has(to_html(record), key));
    EXPECT_FALSE(has(to_markdown(record), key));
    EXPECT_TRUE(has(to_markdown(record), "[redacted:"));
}

}  // namespace
}  // namespace chorus::context
