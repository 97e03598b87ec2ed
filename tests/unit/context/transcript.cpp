#include "context/transcript.hpp"

#include <sys/stat.h>

#include "support/scratch.hpp"

namespace chorus::context {
namespace {

using chat::Message;
using chat::Role;
using test::put;
using test::Scratch;
using test::text_of;

Message message(std::int64_t id, Role role, const std::string& content) {
    Message made;
    made.id = id;
    made.role = role;
    made.content = content;
    made.timestamp = 1'770'892'200'123;
    if (role == Role::tool_result) made.tool_call_id = "c1";
    return made;
}

std::size_t marks_in(const std::string& text) {
    std::size_t count = 0;
    for (std::size_t at = text.find("<!--"); at != std::string::npos;
         at = text.find("<!--", at + 1))
        ++count;
    return count;
}

TEST(TranscriptEntry, says_who_and_when) {
    EXPECT_EQ(transcript_entry(message(7, Role::user, "Hello")),
              "\n<!-- message 7 -->\n## User · 2026-02-12T10:30:00.123Z\n\nHello\n");
    EXPECT_EQ(transcript_entry(message(8, Role::assistant, "Hi")),
              "\n<!-- message 8 -->\n## Assistant · 2026-02-12T10:30:00.123Z\n\nHi\n");
    EXPECT_EQ(
        transcript_entry(message(9, Role::tool_result, "out\n")),
        "\n<!-- message 9 -->\n### Result of c1 · 2026-02-12T10:30:00.123Z\n\n```\nout\n```\n");
}

TEST(TranscriptEntry, shows_calls) {
    Message answer = message(8, Role::assistant, "");
    answer.tool_calls = {{"c1", "bash", R"({"command":"ls"})"}, {"c2", "view", "{}"}};
    const std::string entry = transcript_entry(answer);
    EXPECT_NE(entry.find("Call c1: bash\n\n```\n{\"command\":\"ls\"}\n```\n"), std::string::npos)
        << entry;
    EXPECT_NE(entry.find("Call c2: view\n"), std::string::npos) << entry;
}

// The status block is shown in no transcript.
TEST(TranscriptEntry, leaves_the_status_out) {
    Message user = message(7, Role::user, "Hello");
    user.status = "<status>thread 2</status>";
    EXPECT_EQ(transcript_entry(user).find("thread 2"), std::string::npos);
}

TEST(TranscriptEntry, fences_what_has_fences_in_it) {
    const std::string entry =
        transcript_entry(message(9, Role::tool_result, "```\n`````\n## User\n"));
    EXPECT_NE(entry.find("\n\n``````\n```\n`````\n## User\n``````\n"), std::string::npos) << entry;
    EXPECT_NE(transcript_entry(message(9, Role::tool_result, "")).find("\n\n```\n```\n"),
              std::string::npos);
}

TEST(TranscriptEntry, shows_control_characters) {
    const std::string entry = transcript_entry(message(9, Role::assistant, "\x1b]0;x\x07\u202e"));
    EXPECT_NE(entry.find("\\x1b]0;x\\x07\\u202e"), std::string::npos) << entry;
}

// Whatever a user, a model or a tool writes, an entry has one mark: its own, at its top.
TEST(TranscriptEntry, is_imitated_by_nothing_inside) {
    const std::string fake = "\n<!-- message 99 -->\n";
    std::vector<Message> hostile;
    for (const Role role : {Role::user, Role::assistant, Role::tool_result}) {
        hostile.push_back(message(5, role, fake));
        hostile.push_back(message(5, role, "<!--<!-- message 99 -->"));
        hostile.push_back(message(5, role, "<!--\n<!--" + fake + "<!--"));
    }
    Message call = message(5, Role::assistant, "x");
    call.tool_calls = {{"c" + fake, "bash" + fake, "{" + fake}};
    hostile.push_back(call);
    Message result = message(5, Role::tool_result, "x");
    result.tool_call_id = fake;
    hostile.push_back(result);
    for (const Message& each : hostile) {
        const std::string entry = transcript_entry(each);
        EXPECT_EQ(marks_in(entry), 1U) << entry;
        EXPECT_EQ(entry.rfind("\n<!-- message 5 -->\n", 0), 0U) << entry;
        const Scratch scratch;
        put(scratch / "s.md", entry);
        EXPECT_EQ(last_transcript_message(scratch / "s.md"), 5) << entry;
    }
}

TEST(Transcript, is_appended_to) {
    const Scratch scratch;
    const std::string path = scratch / "s.md";
    append_to_transcript(path, {});
    EXPECT_FALSE(test::is_there(path));
    append_to_transcript(path, {message(1, Role::user, "a"), message(2, Role::assistant, "b")});
    append_to_transcript(path, {message(5, Role::user, "c")});
    EXPECT_EQ(text_of(path), transcript_entry(message(1, Role::user, "a")) +
                                 transcript_entry(message(2, Role::assistant, "b")) +
                                 transcript_entry(message(5, Role::user, "c")));
    EXPECT_EQ(last_transcript_message(path), 5);
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
}

TEST(LastTranscriptMessage, is_none_where_there_is_none) {
    const Scratch scratch;
    EXPECT_EQ(last_transcript_message(scratch / "none"), 0);
    put(scratch / "empty", "");
    EXPECT_EQ(last_transcript_message(scratch / "empty"), 0);
    put(scratch / "plain", std::string(300'000, 'x'));
    EXPECT_EQ(last_transcript_message(scratch / "plain"), 0);
    std::filesystem::create_symlink(scratch / "plain", scratch / "link");
    EXPECT_THROW(last_transcript_message(scratch / "link"), base::Error);
    std::filesystem::create_directory(scratch / "directory");
    EXPECT_THROW(last_transcript_message(scratch / "directory"), base::Error);
}

TEST(LastTranscriptMessage, is_found_however_long_the_last_entry_is) {
    const Scratch scratch;
    const std::string path = scratch / "s.md";
    // the mark at, before and behind every border of the pieces it is looked for in
    for (const std::size_t piece : {65'536U, 131'072U})
        for (int shift = -80; shift <= 80; shift += 1) {
            const std::string tail(static_cast<std::size_t>(static_cast<int>(piece) + shift), 'x');
            put(path, transcript_entry(message(11, Role::user, "a")) + std::string(1'000, 'y') +
                          "\n<!-- message 1234567 -->\n" + tail);
            ASSERT_EQ(last_transcript_message(path), 1'234'567) << piece << ' ' << shift;
        }
}

// A mark of no message ends what an earlier generation wrote.
TEST(LastTranscriptMessage, is_none_behind_a_welcome) {
    const Scratch scratch;
    put(scratch / "s.md", transcript_entry(message(900, Role::user, "old")) +
                              "\n<!-- message 0 -->\nAgent a adopted.\n");
    EXPECT_EQ(last_transcript_message(scratch / "s.md"), 0);
}

TEST(LastTranscriptMessage, passes_over_a_mark_that_was_cut_short) {
    const Scratch scratch;
    put(scratch / "s.md", transcript_entry(message(12, Role::user, "a")) + "\n<!-- message 1");
    EXPECT_EQ(last_transcript_message(scratch / "s.md"), 12);
}

}  // namespace
}  // namespace chorus::context
