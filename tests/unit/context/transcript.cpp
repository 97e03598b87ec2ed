#include "context/transcript.hpp"

#include <sys/stat.h>

#include "context/transcript_entry.hpp"
#include "support/scratch.hpp"
#include "unit/context/entry_message.hpp"

namespace chorus::context {
namespace {

using chat::Message;
using chat::Role;
using test::put;
using test::Scratch;
using test::text_of;

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
