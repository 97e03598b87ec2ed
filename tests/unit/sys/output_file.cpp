#include "sys/named_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"
#include "sys/fd.hpp"
#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

using base::ErrorCode;
using chorus::test::error_of;
using test::put;
using test::Scratch;
using test::text_of;

TEST(OutputFile, replaces_a_regular_file_only_where_it_may) {
    const Scratch scratch;
    const std::string path = scratch / "file";
    OutputFile(path, Overwrite::refuse).write("first");
    EXPECT_EQ(test::mode_of(path), 0600U);
    EXPECT_EQ(error_of([&] { OutputFile(path, Overwrite::refuse); }).code(), ErrorCode::exists);
    OutputFile(path, Overwrite::allow).write("2");
    EXPECT_EQ(text_of(path), "2");
    const OutputFile late(scratch / "late", Overwrite::refuse);
    put(scratch / "late", "somebody's");
    EXPECT_EQ(error_of([&] { late.write("mine"); }).code(), ErrorCode::exists);
    EXPECT_EQ(text_of(scratch / "late"), "somebody's");
}

TEST(OutputFile, keeps_a_link_and_what_it_leads_to) {
    const Scratch scratch;
    put(scratch / "target", "long text that was there");
    ASSERT_EQ(symlink("target", (scratch / "link").c_str()), 0);
    ASSERT_EQ(symlink("nowhere", (scratch / "dangling").c_str()), 0);
    const auto refused = error_of([&] { OutputFile(scratch / "link", Overwrite::refuse); });
    EXPECT_EQ(refused.code(), ErrorCode::exists);
    OutputFile(scratch / "link").write("new");
    EXPECT_EQ(text_of(scratch / "target"), "new");
    EXPECT_TRUE(std::filesystem::is_symlink(scratch / "link"));
    error_of([&] { OutputFile(scratch / "dangling"); });
    EXPECT_FALSE(std::filesystem::exists(scratch / "nowhere"));
}

TEST(OutputFile, keeps_devices_and_pipes) {
    const Scratch scratch;
    struct stat before {};
    struct stat after {};
    ASSERT_EQ(stat("/dev/null", &before), 0);
    OutputFile("/dev/null", Overwrite::refuse).write("text");
    ASSERT_EQ(stat("/dev/null", &after), 0);
    EXPECT_EQ(before.st_ino, after.st_ino);
    EXPECT_TRUE(S_ISCHR(after.st_mode));
    error_of([] { OutputFile("/dev/full").write("text"); });
    const std::string pipe = scratch / "pipe";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const pid_t reader = test::start_child([&] { return text_of(pipe) == "text" ? 0 : 1; });
    OutputFile(pipe, Overwrite::refuse).fill([](const std::string&, int fd) {
        write_all(fd, "text", "");
    });
    EXPECT_EQ(test::wait_for(reader), 0);
}

TEST(OutputFile, a_descriptor_is_written_at_its_own_offset) {
    const Scratch scratch;
    const int given = open((scratch / "file").c_str(), O_WRONLY | O_CREAT, 0600);
    ASSERT_GE(given, 0);
    write_all(given, "before ", "");
    for (const char* directory : {"/dev/fd/", "/proc/self/fd/"})
        OutputFile(directory + std::to_string(given), Overwrite::refuse).write("text ");
    write_all(given, "after", "");
    EXPECT_EQ(text_of(scratch / "file"), "before text text after");
    ASSERT_EQ(fcntl(given, F_SETFD, FD_CLOEXEC), 0);
    error_of([&] { OutputFile("/dev/fd/" + std::to_string(given)); });
    close(given);
    error_of([&] { OutputFile("/dev/fd/" + std::to_string(given)); });
}

TEST(OutputFile, what_may_not_be_written_is_asked_first) {
    const Scratch scratch;
    put(scratch / "there", "old");
    const auto refuse = [](const std::string& path) {
        throw base::Error(ErrorCode::bad_request, path + ": no");
    };
    const int given = open((scratch / "there").c_str(), O_WRONLY | O_APPEND);
    for (const std::string& path :
         {scratch / "there", scratch / "new", "/dev/fd/" + std::to_string(given)})
        EXPECT_EQ(error_of([&] { OutputFile(path, Overwrite::refuse, refuse); }).message(),
                  path + ": no");
    EXPECT_EQ(error_of([&] { OutputFile(scratch.path()); }).code(), ErrorCode::bad_request);
    OutputFile("/dev/stdout", Overwrite::refuse, refuse);
    close(given);
}

}  // namespace
}  // namespace chorus::sys
