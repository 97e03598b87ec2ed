#include "net/sse.hpp"

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.hpp"

namespace chorus::net {

static bool operator==(const ServerEvent& a, const ServerEvent& b) {
    return a.type == b.type && a.data == b.data;
}
static void PrintTo(const ServerEvent& event, std::ostream* out) {
    *out << event.type << " <" << event.data << ">";
}

namespace {

using Events = std::vector<ServerEvent>;

Events parse(const std::vector<std::string_view>& feeds) {
    Events events;
    SseParser parser([&](const ServerEvent& event) { events.push_back(event); });
    for (const auto feed : feeds) EXPECT_TRUE(parser.feed(feed));
    parser.finish();
    return events;
}

void expect_at_every_split(std::string_view stream, const Events& expected) {
    std::vector<std::string_view> bytes;
    for (std::size_t i = 0; i < stream.size(); ++i) bytes.push_back(stream.substr(i, 1));
    EXPECT_EQ(parse(bytes), expected);
    for (std::size_t i = 0; i <= stream.size(); ++i)
        for (std::size_t j = i; j <= stream.size(); ++j)
            ASSERT_EQ(parse({stream.substr(0, i), stream.substr(i, j - i), stream.substr(j)}),
                      expected)
                << "cut at " << i << " and " << j;
}

TEST(Sse, JoinsDataLinesAndTakesOneSpaceAway) {
    expect_at_every_split("data: a\ndata:b\ndata:  c\n\n", {{"message", "a\nb\n c"}});
}

TEST(Sse, EndsLinesInLfCrLfAndCr) {
    expect_at_every_split("data: 1\r\n\r\ndata: 2\n\ndata: 3\r\rdata: 4\r\n\n",
                          {{"message", "1"}, {"message", "2"}, {"message", "3"}, {"message", "4"}});
}

TEST(Sse, DispatchesAtACarriageReturnWithoutWaitingForTheNextByte) {
    int events = 0;
    SseParser parser([&](const ServerEvent&) { ++events; });
    EXPECT_TRUE(parser.feed("data: x\r\r"));
    EXPECT_EQ(events, 1);
}

TEST(Sse, NamesTheTypeOfOneEventOnly) {
    expect_at_every_split("event: ping\ndata: {}\n\ndata: x\n\n",
                          {{"ping", "{}"}, {"message", "x"}});
    expect_at_every_split("event: a\nevent: b\ndata: x\n\n", {{"b", "x"}});
    expect_at_every_split("event: lost\n\ndata: x\n\n", {{"message", "x"}});
}

TEST(Sse, PassesOverCommentsAndUnknownFields) {
    expect_at_every_split(": hi\nid: 7\nretry: 5\n:\nfoo\ndata: x\nDATA: y\n data: z\n\n",
                          {{"message", "x"}});
}

TEST(Sse, TakesALineWithoutAColonForAName) {
    expect_at_every_split("data: a\ndata\ndata: b\n\n", {{"message", "a\n\nb"}});
}

TEST(Sse, DoesNotDispatchEmptyData) {
    expect_at_every_split("id: 1\ndata: \n\ndata\n\n\n\n: x\n\n", {});
}

TEST(Sse, TakesAByteOrderMarkAwayOnlyAtTheStart) {
    expect_at_every_split(
        "\xEF\xBB\xBF"
        "data: a\n\n\xEF\xBB\xBF"
        "data: b\n\n",
        {{"message", "a"}});
    expect_at_every_split("\xEF\xBB\xBF\n\ndata: a\n\n", {{"message", "a"}});
}

TEST(Sse, KeepsCharactersAndColonsAsTheyAre) {
    expect_at_every_split(
        "data: {\"t\": \"gr\xC3\xBC\xC3\x9F \xF0\x9F\x8E\x89: \\u00fc\\n\"}\n\n",
        {{"message", "{\"t\": \"gr\xC3\xBC\xC3\x9F \xF0\x9F\x8E\x89: \\u00fc\\n\"}"}});
    expect_at_every_split(std::string_view("data: a\0b\xFF\n\n", 12),
                          {{"message", std::string("a\0b\xFF", 4)}});
}

TEST(Sse, DispatchesALastEventThatLacksItsBlankLineOrItsNewline) {
    expect_at_every_split("data: a\n\nevent: e\ndata: b\n", {{"message", "a"}, {"e", "b"}});
    expect_at_every_split("data: a\n\nevent: e\ndata: b", {{"message", "a"}, {"e", "b"}});
    expect_at_every_split("data: a\r", {{"message", "a"}});
    expect_at_every_split("event: e\n: only\n", {});
}

TEST(Sse, FinishesOnce) {
    int events = 0;
    SseParser parser([&](const ServerEvent&) { ++events; });
    parser.feed("data: x");
    parser.finish();
    parser.finish();
    EXPECT_EQ(events, 1);
}

struct Bounded {
    std::size_t events = 0;
    std::size_t data_bytes = 0;
    SseParser parser{[this](const ServerEvent& event) {
        ++events;
        data_bytes = event.data.size();
    }};
};

TEST(Sse, BoundsALineToTheByte) {
    const std::string line = "data:" + std::string(base::limits::sse_event_bytes - 5, 'x');
    Bounded whole;
    EXPECT_TRUE(whole.parser.feed(line + "\n\n"));
    EXPECT_EQ(whole.events, 1U);
    EXPECT_EQ(whole.data_bytes, line.size() - 5);

    Bounded over;
    EXPECT_TRUE(over.parser.feed(line));
    EXPECT_FALSE(over.parser.feed("x"));
    EXPECT_FALSE(over.parser.feed("\n\ndata: later\n\n"));
    over.parser.finish();
    EXPECT_EQ(over.events, 0U);

    Bounded at_once;
    EXPECT_FALSE(at_once.parser.feed(line + "x\n\n"));
    Bounded comment;
    EXPECT_FALSE(comment.parser.feed(":" + line));
}

// Nine lines of the same size and the newlines between them.
void feed_event(Bounded& bounded, std::size_t bytes, bool expected) {
    constexpr std::size_t lines = 9;
    std::size_t left = bytes - (lines - 1);
    bool taken = true;
    for (std::size_t i = 0; i < lines; ++i) {
        const std::size_t part = left / (lines - i);
        left -= part;
        taken = bounded.parser.feed("data:" + std::string(part, 'y') + "\n");
    }
    EXPECT_EQ(taken, expected);
    EXPECT_EQ(bounded.parser.feed("\n"), expected);
}

TEST(Sse, BoundsAnEventToTheByte) {
    Bounded whole;
    feed_event(whole, base::limits::sse_event_bytes, true);
    EXPECT_EQ(whole.events, 1U);
    EXPECT_EQ(whole.data_bytes, base::limits::sse_event_bytes);
    Bounded over;
    feed_event(over, base::limits::sse_event_bytes + 1, false);
    EXPECT_EQ(over.events, 0U);
}

TEST(Sse, CountsEmptyDataLines) {
    Bounded bounded;
    std::string block;
    for (int i = 0; i < 1 << 16; ++i) block += "data\n";
    bool taken = true;
    for (std::size_t i = 0; i <= base::limits::sse_event_bytes >> 16U; ++i)
        taken = bounded.parser.feed(block);
    EXPECT_FALSE(taken);
    EXPECT_EQ(bounded.events, 0U);
}

TEST(Sse, ReadsAnEndlessStreamOfSmallEventsWithoutEnd) {
    Bounded bounded;
    for (int i = 0; i < 200'000; ++i) ASSERT_TRUE(bounded.parser.feed(": keep\ndata: 1\n\n"));
    EXPECT_EQ(bounded.events, 200'000U);
}

}  // namespace
}  // namespace chorus::net
