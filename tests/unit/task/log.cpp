#include "task/log.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace chorus::task {
namespace {

const policy::Redaction nothing;

class Logs : public testing::Test {
  protected:
    Logs() {
        std::string path = std::filesystem::temp_directory_path() / "chorus-log-XXXXXX";
        if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("mkdtemp");
        directory_ = path;
    }
    ~Logs() override { std::filesystem::remove_all(directory_); }
    std::string text() const {
        std::ostringstream text;
        text << std::ifstream(path()).rdbuf();
        return text.str();
    }
    std::string path() const { return directory_ + "/out.log"; }
    std::string directory_;
};

TEST_F(Logs, keep_all_up_to_the_bound_and_say_where_it_is_passed) {
    for (const int over : {-1, 0, 1}) {
        Log log(path(), nothing, 10);
        log.append("12345");
        log.append(std::string(static_cast<std::size_t>(5 + over), 'x'));
        if (over <= 0) {
            EXPECT_EQ(text(), "12345" + std::string(static_cast<std::size_t>(5 + over), 'x'));
            EXPECT_EQ(log.problem(), "");
        } else {
            EXPECT_EQ(text(), "12345xxxxx\n[chorus: " + log.problem() + "]\n");
        }
        log.append("more");
        if (over > 0) {
            EXPECT_EQ(text().find("more"), std::string::npos);
        }
    }
}

TEST_F(Logs, hold_no_secret_that_comes_in_pieces) {
    const policy::Redaction redaction({"abcdefghijklmnop"});
    Log log(path(), redaction);
    for (const char* piece : {"one abcdef", "ghijkl", "mnop two", " abcdefgh"}) log.append(piece);
    EXPECT_EQ(text(), "one [redacted:key] two ");
    log.end();
    EXPECT_EQ(text(), "one [redacted:key] two abcdefgh");
}

TEST_F(Logs, begin_a_note_on_a_line_of_its_own) {
    Log log(path(), nothing);
    log.note("one");
    log.append("text");
    log.note("two");
    log.append("line\n");
    log.note("three");
    EXPECT_EQ(text(), "[chorus: one]\ntext\n[chorus: two]\nline\n[chorus: three]\n");
}

TEST_F(Logs, follow_no_link) {
    std::filesystem::create_symlink("/etc/passwd", path());
    EXPECT_ANY_THROW(Log log(path(), nothing));
}

}  // namespace
}  // namespace chorus::task
