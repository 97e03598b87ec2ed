#include "sys/file.hpp"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <filesystem>

#include "base/error.hpp"
#include "sys/beneath.hpp"
#include "unit/sys/scratch.hpp"

namespace chorus::sys {
namespace {

namespace fs = std::filesystem;
using test::mode_of;
using test::put;
using test::Scratch;
using test::text_of;
using Names = std::vector<std::string>;

std::string message_of(const std::function<void()>& body) {
    try {
        body();
    } catch (const base::Error& error) {
        return error.message();
    }
    return "nothing thrown";
}

TEST(Temporaries, OfKilledProcessesAreRemoved) {
    const Scratch scratch;
    fs::create_directory(scratch / "sub");
    for (const char* name :
         {".chorus-write-0.tmp", ".chorus-write-7.tmp", "sub/.chorus-write-1.tmp", ".chorus-write"})
        put(scratch / name, "half");
    put(scratch / ".chorus-write-2.tmp", "of one that is at work");
    const Fd writer(open((scratch / ".chorus-write-2.tmp").c_str(), O_RDWR | O_CLOEXEC));
    ASSERT_EQ(flock(writer.get(), LOCK_EX), 0);
    remove_temporaries(scratch.path());
    EXPECT_FALSE(exists(scratch / ".chorus-write-0.tmp"));
    EXPECT_FALSE(exists(scratch / ".chorus-write-7.tmp"));
    EXPECT_TRUE(exists(scratch / ".chorus-write-2.tmp"));
    EXPECT_TRUE(exists(scratch / ".chorus-write"));
    const Root root(scratch.path());
    root.remove_temporaries("sub/file");
    EXPECT_FALSE(exists(scratch / "sub/.chorus-write-1.tmp"));
    root.remove_temporaries("../file");
    root.remove_temporaries("missing/file");
    remove_temporaries(scratch / "missing");
}

TEST(Exists, SeesDanglingLinksAndOnlyWhatIsThere) {
    const Scratch scratch;
    fs::create_symlink("nowhere", scratch / "link");
    EXPECT_TRUE(exists(scratch / "link"));
    EXPECT_FALSE(is_directory(scratch / "link"));
    EXPECT_EQ(why_not_writable(scratch.path()), "");
    EXPECT_EQ(why_not_writable(scratch / "missing"), "No such file or directory");
    EXPECT_TRUE(is_link(scratch / "link"));
    EXPECT_FALSE(is_link(scratch.path()));
    EXPECT_FALSE(is_link(scratch / "missing"));
    EXPECT_FALSE(exists(scratch / "missing"));
    put(scratch / "file", "");
    EXPECT_FALSE(exists(scratch / "file/below"));
    EXPECT_FALSE(exists(scratch / std::string(65'536, 'n')));
    fs::create_directory_symlink(scratch.path(), scratch / "self");
    EXPECT_TRUE(is_directory(scratch / "self"));
}

TEST(Paths, WithANulAreRefusedRatherThanCut) {
    const Scratch scratch;
    put(scratch / "file", "text");
    const std::string path = scratch / std::string("file\0.txt", 9);
    EXPECT_THROW(exists(path), base::Error);
    EXPECT_THROW(read_file(path, 100), base::Error);
    EXPECT_THROW(write_file(path, "x"), base::Error);
    EXPECT_THROW(append_file(path, "x"), base::Error);
    EXPECT_THROW(remove_tree(path), base::Error);
    EXPECT_EQ(text_of(scratch / "file"), "text");
}

TEST(ReadFile, ReadsWholeFilesAndNamesWhatItCannot) {
    const Scratch scratch;
    const std::string bytes("a\0b\xff\n", 5);
    put(scratch / "file", bytes);
    EXPECT_EQ(read_file(scratch / "file", 5), bytes);
    EXPECT_EQ(read_file_if_there(scratch / "missing", 5), std::nullopt);
    EXPECT_EQ(message_of([&] { read_file(scratch / "missing", 5); }),
              scratch / "missing: No such file or directory");
    EXPECT_EQ(message_of([&] { read_file(scratch / "file", 4); }),
              scratch / "file: more than 4 bytes");
    EXPECT_EQ(message_of([&] { read_file(scratch.path(), 4); }),
              scratch.path() + ": not a regular file");
}

TEST(ReadFile, DoesNotHangOnAFifoNorReadADevice) {
    const Scratch scratch;
    ASSERT_EQ(mkfifo((scratch / "fifo").c_str(), 0600), 0);
    EXPECT_EQ(test::in_child([&] {
                  return message_of([&] { read_file(scratch / "fifo", 10); }) ==
                                 scratch / "fifo: not a regular file"
                             ? 0
                             : 1;
              }),
              0);
    EXPECT_EQ(message_of([] { read_file("/dev/zero", 10); }), "/dev/zero: not a regular file");
}

TEST(WriteFile, MakesAndReplacesWholeFiles) {
    const Scratch scratch;
    write_file(scratch / "file", "one");
    EXPECT_EQ(text_of(scratch / "file"), "one");
    EXPECT_EQ(mode_of(scratch / "file"), 0600U);
    write_file(scratch / "file", "", 0644);
    EXPECT_EQ(text_of(scratch / "file"), "");
    EXPECT_EQ(mode_of(scratch / "file"), 0644U);
    EXPECT_EQ(list_directory(scratch.path()), Names{"file"});
}

TEST(WriteFile, TakesTheLongestName) {
    const Scratch scratch;
    const std::string path = scratch / std::string(255, 'n');
    write_file(path, "text");
    EXPECT_EQ(text_of(path), "text");
}

TEST(WriteFile, ReplacesALinkAndLeavesItsTarget) {
    const Scratch scratch;
    put(scratch / "target", "untouched");
    fs::create_symlink("target", scratch / "link");
    fs::create_hard_link(scratch / "target", scratch / "twin");
    write_file(scratch / "link", "new");
    write_file(scratch / "twin", "new");
    EXPECT_EQ(text_of(scratch / "target"), "untouched");
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(scratch / "link")));
}

TEST(WriteFile, AFailureLeavesTheOldFileAndNoTemporary) {
    const Scratch scratch;
    write_file(scratch / "file", "old");
    const auto body = [&] {
        signal(SIGXFSZ, SIG_IGN);
        const rlimit small{1000, 1000};
        setrlimit(RLIMIT_FSIZE, &small);
        return message_of([&] { write_file(scratch / "file", std::string(5000, 'x')); }) ==
                       scratch / "file: File too large"
                   ? 0
                   : 1;
    };
    EXPECT_EQ(test::in_child(body), 0);
    EXPECT_EQ(text_of(scratch / "file"), "old");
    EXPECT_EQ(list_directory(scratch.path()), Names{"file"});
}

// Makes the stat of a named file fail with EIO in this process; that of a descriptor, whose name is
// empty, as well.
bool break_stat() {
    std::array<sock_filter, 4> program = {
        {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_newfstatat, 0, 1),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EIO),
         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
    const sock_fprog filter{program.size(), program.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(WriteFile, LeavesNoTemporaryThatItCannotLookAt) {
    const Scratch scratch;
    const auto body = [&] {
        return break_stat() && message_of([&] { write_file(scratch / "file", "x"); }) ==
                                   scratch / "file: Input/output error"
                   ? 0
                   : 1;
    };
    EXPECT_EQ(test::in_child(body), 0);
    EXPECT_EQ(list_directory(scratch.path()), Names{});
}

TEST(WriteFile, OntoADirectoryLeavesNoTemporary) {
    const Scratch scratch;
    fs::create_directory(scratch / "directory");
    EXPECT_EQ(message_of([&] { write_file(scratch / "directory", "x"); }),
              scratch / "directory: Is a directory");
    EXPECT_THROW(write_file(scratch / "missing/file", "x"), base::Error);
    EXPECT_EQ(list_directory(scratch.path()), Names{"directory"});
}

TEST(WriteFile, ReadersSeeTheOldOrTheNewFile) {
    const Scratch scratch;
    const std::string path = scratch / "file";
    write_file(path, std::string(100'000, 'a'));
    const pid_t writer = test::start_child([&] {
        for (int i = 0; i < 100; ++i)
            write_file(path, std::string(100'000, i % 2 == 0 ? 'b' : 'a'));
        return 0;
    });
    int torn = 0;
    while (waitpid(writer, nullptr, WNOHANG) == 0) {
        const std::string text = read_file(path, 1'000'000);
        if (text != std::string(100'000, text[0])) ++torn;
    }
    EXPECT_EQ(torn, 0);
}

constexpr const char* first_temporary = ".chorus-write-0.tmp";

// A process that was killed in the middle of a write, by what it left.
TEST(WriteFile, TheNextWriteRemovesWhatAKilledOneLeft) {
    const Scratch scratch;
    for (const char* left : {first_temporary, ".chorus-write-1.tmp", ".chorus-write-2.tmp"})
        put(scratch / left, "half a fi");
    write_file(scratch / "file", "whole");
    EXPECT_EQ(text_of(scratch / "file"), "whole");
    EXPECT_EQ(list_directory(scratch.path()), Names{"file"});
}

TEST(WriteFile, KilledAtAnyMomentTheNextOneLeavesNothingElse) {
    const Scratch scratch;
    const std::string large(300'000, 'x');
    write_file(scratch / "file", large);
    int killed_in_between = 0;
    for (int i = 0; i < 40; ++i) {
        const pid_t writer = test::start_child([&] {
            for (;;) write_file(scratch / "file", large);
            return 0;
        });
        usleep(1000 + static_cast<unsigned>(i) * 137);
        kill(writer, SIGKILL);
        test::wait_for(writer);
        if (list_directory(scratch.path()).size() > 1) ++killed_in_between;
        EXPECT_EQ(text_of(scratch / "file"), large);
        write_file(scratch / "file", large);
        ASSERT_EQ(list_directory(scratch.path()), Names{"file"});
    }
    EXPECT_GT(killed_in_between, 0);
}

TEST(WriteFile, AnothersTemporaryIsLeftAlone) {
    const Scratch scratch;
    const Fd held(open((scratch / first_temporary).c_str(), O_WRONLY | O_CREAT, 0600));
    ASSERT_EQ(flock(held.get(), LOCK_EX), 0);
    write_file(scratch / "file", "whole");
    EXPECT_EQ(list_directory(scratch.path()), (Names{first_temporary, "file"}));
}

TEST(WriteFile, WhatStandsInPlaceOfATemporaryIsNeitherFollowedNorRemoved) {
    const Scratch scratch;
    put(scratch / "target", "untouched");
    fs::create_symlink("target", scratch / first_temporary);
    ASSERT_EQ(mkfifo((scratch / ".chorus-write-1.tmp").c_str(), 0600), 0);
    fs::create_directory(scratch / ".chorus-write-2.tmp");
    write_file(scratch / "file", "whole");
    EXPECT_EQ(text_of(scratch / "target"), "untouched");
    EXPECT_EQ(list_directory(scratch.path()).size(), 5U);
}

TEST(WriteFile, ManyAtOnceInOneDirectory) {
    const Scratch scratch;
    std::vector<pid_t> writers;
    for (int writer = 0; writer < 12; ++writer)
        writers.push_back(test::start_child([&, writer] {
            for (int i = 0; i < 20; ++i) {
                const std::string path = scratch / ("file" + std::to_string(writer));
                write_file(path, std::string(1000, static_cast<char>('a' + i)));
                if (text_of(path) != std::string(1000, static_cast<char>('a' + i))) return 1;
            }
            return 0;
        }));
    for (const pid_t writer : writers) EXPECT_EQ(test::wait_for(writer), 0);
    EXPECT_EQ(list_directory(scratch.path()).size(), 12U);
}

TEST(WriteFileIfFree, ReplacesNothing) {
    const Scratch scratch;
    EXPECT_TRUE(write_file_if_free(scratch / "file", "one"));
    EXPECT_FALSE(write_file_if_free(scratch / "file", "two"));
    fs::create_symlink("nowhere", scratch / "link");
    EXPECT_FALSE(write_file_if_free(scratch / "link", "two"));
    EXPECT_EQ(text_of(scratch / "file"), "one");
    EXPECT_EQ(mode_of(scratch / "file"), 0600U);
    EXPECT_EQ(list_directory(scratch.path()), (Names{"file", "link"}));
    EXPECT_THROW(write_file_if_free(scratch / "missing/file", "x"), base::Error);
}

TEST(WriteFileIfFree, OneOfManyGetsTheName) {
    const Scratch scratch;
    std::vector<pid_t> writers;
    for (int writer = 0; writer < 8; ++writer)
        writers.push_back(
            test::start_child([&] { return write_file_if_free(scratch / "file", "x") ? 1 : 0; }));
    int got_it = 0;
    for (const pid_t writer : writers) got_it += test::wait_for(writer);
    EXPECT_EQ(got_it, 1);
    EXPECT_EQ(list_directory(scratch.path()), Names{"file"});
}

TEST(AppendFile, AddsAtTheEndAndMakesPrivateFiles) {
    const Scratch scratch;
    append_file(scratch / "log", "one\n");
    append_file(scratch / "log", "two\n");
    EXPECT_EQ(text_of(scratch / "log"), "one\ntwo\n");
    EXPECT_EQ(mode_of(scratch / "log"), 0600U);
}

TEST(AppendFile, RefusesLinksFifosAndDevices) {
    const Scratch scratch;
    put(scratch / "target", "untouched");
    fs::create_symlink("target", scratch / "link");
    ASSERT_EQ(mkfifo((scratch / "fifo").c_str(), 0600), 0);
    EXPECT_THROW(append_file(scratch / "link", "x"), base::Error);
    EXPECT_THROW(append_file(scratch / "fifo", "x"), base::Error);
    EXPECT_THROW(append_file("/dev/null", "x"), base::Error);
    EXPECT_EQ(text_of(scratch / "target"), "untouched");
}

TEST(MakeDirectory, MakesParentsAndMindsNotWhatIsThere) {
    const Scratch scratch;
    make_directory(scratch / "a/b/c/");
    make_directory(scratch / "a/b/c");
    EXPECT_EQ(mode_of(scratch / "a/b"), 0700U);
    put(scratch / "file", "");
    EXPECT_EQ(message_of([&] { make_directory(scratch / "file"); }), scratch / "file: File exists");
    EXPECT_EQ(message_of([&] { make_directory(scratch / "file/below"); }),
              scratch / "file/below: Not a directory");
}

TEST(Rename, ReplacesOrRefusesAsAsked) {
    const Scratch scratch;
    put(scratch / "a", "a");
    put(scratch / "below/b", "b");
    EXPECT_FALSE(rename_if_free(scratch / "a", scratch / "below/b"));
    EXPECT_EQ(text_of(scratch / "below/b"), "b");
    EXPECT_TRUE(rename_if_free(scratch / "a", scratch / "below/c"));
    EXPECT_FALSE(exists(scratch / "a"));
    rename_path(scratch / "below/c", scratch / "below/b");
    EXPECT_EQ(text_of(scratch / "below/b"), "a");
    EXPECT_THROW(rename_path(scratch / "missing", scratch / "x"), base::Error);
    EXPECT_THROW(rename_if_free(scratch / "missing", scratch / "x"), base::Error);
    fs::create_directory(scratch / "full");
    EXPECT_FALSE(rename_if_free(scratch / "below", scratch / "full"));
}

TEST(ReplaceLink, MovesALinkInOneStep) {
    const Scratch scratch;
    const std::string path = scratch / "current";
    const std::string aside = scratch / "aside";
    replace_link(path, "one", aside);
    EXPECT_EQ(fs::read_symlink(path), "one");
    fs::create_symlink("left", aside);  // by a process that was killed
    replace_link(path, "two", aside);
    EXPECT_EQ(fs::read_symlink(path), "two");
    put(scratch / "file", "x");
    replace_link(scratch / "file", "three", aside);
    EXPECT_EQ(fs::read_symlink(scratch / "file"), "three");
    EXPECT_FALSE(exists(aside));
}

TEST(ReplaceLink, RemovesNoDirectory) {
    const Scratch scratch;
    make_directory(scratch / "current");
    EXPECT_EQ(message_of([&] { replace_link(scratch / "current", "one", scratch / "aside"); }),
              (scratch / "current") + ": Is a directory");
    EXPECT_FALSE(exists(scratch / "aside"));
    EXPECT_TRUE(is_directory(scratch / "current"));
}

TEST(Sync, NamesWhatItCannotSync) {
    const Scratch scratch;
    sync_directory(scratch.path());
    sync_filesystem(scratch.path());
    EXPECT_THROW(sync_directory(scratch / "missing"), base::Error);
    EXPECT_THROW(sync_filesystem(scratch / "missing"), base::Error);
}

TEST(RemoveTree, RemovesWhateverIsInIt) {
    const Scratch scratch;
    put(scratch / "tree/a/b/c", "x");
    put(scratch / "tree/a/line\nbreak", "x");
    put(scratch / "tree/.hidden/x", "x");
    ASSERT_EQ(mkfifo((scratch / "tree/fifo").c_str(), 0600), 0);
    fs::create_directory(scratch / "tree/empty");
    remove_tree(scratch / "tree/");
    EXPECT_FALSE(exists(scratch / "tree"));
    remove_tree(scratch / "tree");
    remove_tree(scratch / "missing/tree");
}

TEST(RemoveTree, NeverFollowsALink) {  // L-45
    const Scratch scratch;
    put(scratch / "outside/file", "kept");
    put(scratch / "tree/file", "x");
    fs::create_directory_symlink(scratch / "outside", scratch / "tree/link");
    fs::create_symlink(scratch / "outside/file", scratch / "tree/file-link");
    remove_tree(scratch / "tree");
    EXPECT_EQ(text_of(scratch / "outside/file"), "kept");
    fs::create_directory_symlink(scratch / "outside", scratch / "link");
    remove_tree(scratch / "link/");
    EXPECT_FALSE(exists(scratch / "link"));
    EXPECT_EQ(text_of(scratch / "outside/file"), "kept");
}

TEST(RemoveTree, RefusesNamesThatNameNothing) {
    const Scratch scratch;
    put(scratch / "file", "kept");
    for (const std::string& path :
         {std::string(), std::string("/"), scratch / ".", scratch / ".."}) {
        EXPECT_THROW(remove_tree(path), base::Error) << path;
        EXPECT_FALSE(try_remove_tree(path)) << path;
    }
    EXPECT_TRUE(try_remove_tree(scratch / "missing"));
    EXPECT_EQ(text_of(scratch / "file"), "kept");
}

TEST(RemoveTree, GoesDownFartherThanDescriptorsOrPathsReach) {
    const Scratch scratch;
    const std::string name(100, 'd');
    fs::create_directory(scratch / "tree");
    const auto nest = [&] {
        if (chdir((scratch / "tree").c_str()) != 0) return 1;
        for (int depth = 0; depth < 3000; ++depth)
            if (mkdir(name.c_str(), 0700) != 0 || chdir(name.c_str()) != 0) return 2;
        return 0;
    };
    ASSERT_EQ(test::in_child(nest), 0);
    const auto removal = [&] {
        const rlimit few{32, 32};
        setrlimit(RLIMIT_NOFILE, &few);
        remove_tree(scratch / "tree");
        return 0;
    };
    EXPECT_EQ(test::in_child(removal), 0);
    EXPECT_FALSE(exists(scratch / "tree"));
}

TEST(RemoveTree, OpensDirectoriesThatItsUserHasClosed) {
    const Scratch scratch;
    put(scratch / "mine/tree/none/below/file", "x");
    put(scratch / "mine/tree/read-only/file", "x");
    put(scratch / "mine/tree/write-only/file", "x");
    put(scratch / "outside/file", "x");
    fs::create_directory_symlink(scratch / "outside", scratch / "mine/tree/none/link");
    chmod(scratch.path().c_str(), 0755);
    chmod((scratch / "outside").c_str(), 0555);
    const auto body = [&] {
        chmod((scratch / "mine/tree/none").c_str(), 0);
        chmod((scratch / "mine/tree/read-only").c_str(), 0500);
        chmod((scratch / "mine/tree/write-only").c_str(), 0200);
        remove_tree(scratch / "mine/tree");
        return 0;
    };
    EXPECT_EQ(test::as_ordinary_user(scratch / "mine", body), 0);
    EXPECT_FALSE(exists(scratch / "mine/tree"));
    EXPECT_EQ(mode_of(scratch / "outside"), 0555U);
}

TEST(RemoveTree, AsRootNamesWhatItCannotRemove) {
    ASSERT_EQ(geteuid(), 0U) << "the tests want root: they give files to another user";
    const Scratch scratch;
    put(scratch / "mine/tree/a", "x");
    chmod(scratch.path().c_str(), 0755);
    const auto body = [&] {
        return message_of([&] { remove_tree(scratch / "root/tree"); }) ==
                       "remove " + (scratch / "root/tree: Permission denied")
                   ? 0
                   : 1;
    };
    fs::create_directory(scratch / "root");
    chmod((scratch / "root").c_str(), 0755);
    fs::create_directories(scratch / "root/tree/below");
    chmod((scratch / "root/tree").c_str(), 0755);
    chmod((scratch / "root/tree/below").c_str(), 0700);
    EXPECT_EQ(test::as_ordinary_user(scratch / "mine", body), 0);
    EXPECT_TRUE(exists(scratch / "root/tree/below"));
}

// Mounts are made in a user namespace of the child, so that they need no rights and vanish with it.
int with_mounts(const std::function<int()>& body) {
    return test::in_child([&] {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return 77;
        return body();
    });
}

TEST(RemoveTree, NeverLeavesTheFileSystem) {
    const Scratch scratch;
    put(scratch / "outside/file", "kept");
    fs::create_directories(scratch / "tree/mounted");
    const auto body = [&] {
        // A bind mount has the device number of the tree: only openat2 tells.
        if (mount((scratch / "outside").c_str(), (scratch / "tree/mounted").c_str(), nullptr,
                  MS_BIND, nullptr) != 0)
            return 77;
        return message_of([&] { remove_tree(scratch / "tree"); }) ==
                       "remove " + (scratch / "tree/mounted: another file system is mounted there")
                   ? 0
                   : 1;
    };
    const int status = with_mounts(body);
    ASSERT_NE(status, 77) << "no user namespaces here";
    EXPECT_EQ(status, 0);
    EXPECT_EQ(text_of(scratch / "outside/file"), "kept");
}

TEST(RemoveTree, SurvivesEntriesMadeAndMovedMeanwhile) {
    const Scratch scratch;
    put(scratch / "outside/file", "kept");
    const pid_t maker = test::start_child([&] {
        for (int i = 0; i < 3000; ++i) {
            std::error_code ignored;
            fs::create_directories(scratch / "tree/a/b", ignored);
            fs::create_directory_symlink(scratch / "outside", scratch / "tree/a/link", ignored);
            fs::rename(scratch / "tree/a", scratch / "tree/b", ignored);
            fs::rename(scratch / "tree/b/link", scratch / "tree/a", ignored);
        }
        return 0;
    });
    while (waitpid(maker, nullptr, WNOHANG) == 0)
        message_of([&] { remove_tree(scratch / "tree"); });
    remove_tree(scratch / "tree");
    EXPECT_FALSE(exists(scratch / "tree"));
    EXPECT_EQ(text_of(scratch / "outside/file"), "kept");
}

TEST(CopyTree, CopiesFilesAndDirectoriesWithTheirModes) {  // L-03
    const Scratch scratch;
    put(scratch / "from/docs/README.md", "# Notes\n");
    put(scratch / "from/workspace/.gitkeep", "");
    put(scratch / "from/run.sh", std::string(200'000, 's'));
    chmod((scratch / "from/run.sh").c_str(), 0555);
    chmod((scratch / "from/docs").c_str(), 0555);
    copy_tree(scratch / "from", scratch / "to/below");
    EXPECT_EQ(text_of(scratch / "to/below/docs/README.md"), "# Notes\n");
    EXPECT_EQ(text_of(scratch / "to/below/run.sh"), std::string(200'000, 's'));
    EXPECT_TRUE(exists(scratch / "to/below/workspace/.gitkeep"));
    EXPECT_EQ(mode_of(scratch / "to/below/run.sh"), 0700U) << "for the owner alone";
    EXPECT_EQ(mode_of(scratch / "to/below/docs"), 0700U);
}

TEST(CopyTree, CopiesNoSetIdBits) {
    const Scratch scratch;
    put(scratch / "from/below/file", "x");
    chmod((scratch / "from/below/file").c_str(), 06755);
    chmod((scratch / "from/below").c_str(), 03775);
    copy_tree(scratch / "from", scratch / "to");
    EXPECT_EQ(mode_of(scratch / "to/below/file"), 0700U);
    EXPECT_EQ(mode_of(scratch / "to/below"), 0700U);
}

TEST(CopyTree, TakesWhatItIsToldTo) {
    const Scratch scratch;
    for (const char* path : {"a/b/c", "a/d", "e", "f/g"}) put(scratch / "from" + "/" + path, "x");
    std::vector<std::string> seen;
    const auto takes = [&](const std::string& path, bool is_directory) {
        seen.push_back(path + (is_directory ? "/" : ""));
        return path != "a/b" && path != "e";
    };
    EXPECT_EQ(copy_tree(scratch / "from", scratch / "to", takes), (Names{"a/b", "e"}));
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, (Names{"a/", "a/b/", "a/d", "e", "f/", "f/g"}));
    EXPECT_EQ(list_directory(scratch / "to/a"), Names{"d"});
}

TEST(CopyTree, LeavesOutLinksSocketsAndFifos) {
    const Scratch scratch;
    put(scratch / "secret", "secret");
    put(scratch / "from/file", "x");
    fs::create_symlink(scratch / "secret", scratch / "from/link");
    fs::create_directory_symlink("/etc", scratch / "from/etc");
    ASSERT_EQ(mkfifo((scratch / "from/fifo").c_str(), 0600), 0);
    ASSERT_EQ(mknod((scratch / "from/socket").c_str(), S_IFSOCK | 0600, 0), 0);
    EXPECT_EQ(copy_tree(scratch / "from", scratch / "to"),
              (Names{"etc", "fifo", "link", "socket"}));
    EXPECT_EQ(list_directory(scratch / "to"), Names{"file"});
}

TEST(CopyTree, OverwritesNothingAndWritesThroughNoLink) {
    const Scratch scratch;
    put(scratch / "from/file", "new");
    put(scratch / "from/below/file", "new");
    put(scratch / "to/file", "old");
    EXPECT_THROW(copy_tree(scratch / "from", scratch / "to"), base::Error);
    EXPECT_EQ(text_of(scratch / "to/file"), "old");
    fs::create_directory(scratch / "outside");
    fs::create_directory(scratch / "to2");
    fs::create_directory_symlink(scratch / "outside", scratch / "to2/below");
    EXPECT_THROW(copy_tree(scratch / "from", scratch / "to2"), base::Error);
    EXPECT_EQ(test::count_of(scratch / "outside"), 0);
    EXPECT_THROW(copy_tree(scratch / "missing", scratch / "to3"), base::Error);
}

TEST(CopyTree, IntoItselfEnds) {
    const Scratch scratch;
    put(scratch / "from/file", "x");
    copy_tree(scratch / "from", scratch / "from/copy");
    EXPECT_EQ(list_directory(scratch / "from/copy"), Names{"file"});
}

TEST(FillFile, PutsInPlaceWhatAnotherWroteByItsPath) {
    const Scratch scratch;
    const std::string path = scratch / "file";
    EXPECT_TRUE(fill_file(path, false, [&](const std::string& temporary, int) {
        EXPECT_EQ(temporary.rfind(scratch.path() + "/", 0), 0U);
        EXPECT_FALSE(exists(path));
        std::ofstream(temporary) << "whole";
    }));
    EXPECT_EQ(text_of(path), "whole");
    EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_FALSE(fill_file(path, false, [](const std::string& temporary, int) {
        std::ofstream(temporary) << "other";
    }));
    EXPECT_EQ(text_of(path), "whole");
    EXPECT_TRUE(fill_file(path, true, [](const std::string& temporary, int) {
        std::ofstream(temporary) << "other";
    }));
    EXPECT_EQ(text_of(path), "other");
}

TEST(FillFile, LeavesNothingOfWhatFailed) {
    const Scratch scratch;
    EXPECT_THROW(fill_file(scratch / "file", true,
                           [](const std::string& temporary, int) {
                               std::ofstream(temporary) << "half";
                               throw base::Error(base::ErrorCode::failed, "no more");
                           }),
                 base::Error);
    EXPECT_TRUE(list_directory(scratch.path()).empty());
}

TEST(ListDirectory, IsSortedAndKeepsAnyName) {
    const Scratch scratch;
    for (const char* name : {"b", "a", ".git", "line\nbreak", "\xff"}) put(scratch / name, "");
    EXPECT_EQ(list_directory(scratch.path()), (Names{".git", "a", "b", "line\nbreak", "\xff"}));
    EXPECT_THROW(list_directory(scratch / "a"), base::Error);
    EXPECT_THROW(list_directory(scratch / "missing"), base::Error);
}

TEST(JoinPath, PutsOneSlashBetween) {
    EXPECT_EQ(join_path("a", "b"), "a/b");
    EXPECT_EQ(join_path("a/", "b"), "a/b");
    EXPECT_EQ(join_path("/", "b"), "/b");
    EXPECT_EQ(join_path("", "b"), "b");
    EXPECT_EQ(join_path("a", "/etc/passwd"), "a/etc/passwd");
}

TEST(RealPath, ResolvesLinks) {
    const Scratch scratch;
    put(scratch / "a/file", "");
    fs::create_directory_symlink("a", scratch / "link");
    EXPECT_EQ(real_path(scratch / "link/../link/file"), scratch / "a/file");
    EXPECT_EQ(message_of([&] { real_path(scratch / "missing"); }),
              scratch / "missing: No such file or directory");
}

TEST(FollowLinks, TellsWhereItLedAndThroughWhat) {
    const Scratch scratch;
    const std::string top = real_path(scratch / ".");
    put(scratch / "a/b/file", "");
    fs::create_directory_symlink("a", scratch / "link");
    fs::create_directory_symlink(top + "/link/../link", scratch / "a/b/back");
    fs::create_symlink("loop", scratch / "loop");
    const auto plain = follow_links(top + "/./a//b/../b/file");
    ASSERT_TRUE(plain.has_value());
    EXPECT_EQ(plain->path, top + "/a/b/file");
    EXPECT_TRUE(plain->links.empty());
    const auto led = follow_links(top + "/link/b/back/b/file");
    ASSERT_TRUE(led.has_value());
    EXPECT_EQ(led->path, top + "/a/b/file");
    EXPECT_EQ(led->links, (std::vector<std::string>{top + "/link", top + "/a/b/back", top + "/link",
                                                    top + "/link"}));
    EXPECT_EQ(follow_links("/")->path, "/");
    EXPECT_EQ(follow_links("/../..")->path, "/");
    for (const char* name : {"missing", "loop", "a/b/file/x", "link/missing"})
        EXPECT_FALSE(follow_links(top + "/" + name).has_value()) << name;
}

TEST(NetworkFilesystem, IsNoneHereAndLooksAtTheParentOfWhatIsToBeMade) {
    EXPECT_EQ(network_filesystem("/proc"), std::nullopt);
    EXPECT_EQ(network_filesystem("/dev/shm/not/yet/there"), std::nullopt);
    EXPECT_THROW(network_filesystem("/dev/null/below"), base::Error);
}

}  // namespace
}  // namespace chorus::sys
