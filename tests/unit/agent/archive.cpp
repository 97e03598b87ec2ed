#include "agent/archive.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "support/scratch.hpp"

namespace chorus::agent {
namespace {

using base::ErrorCode;
using test::error_of;
using test::is_there;
using test::put;
using test::says;
using test::Scratch;
using test::text_of;

struct Entry {
    std::string name;
    char type = '0';  // 0 file, 1 hard link, 2 symbolic link, 3 device, 5 directory, 6 fifo
    std::string content = {};
    std::string target = {};
    unsigned mode = 0644;
};

std::string octal(std::uint64_t value, int width) {
    char text[32];
    std::snprintf(text, sizeof text, "%0*llo", width - 1, static_cast<unsigned long long>(value));
    return std::string(text, static_cast<std::size_t>(width));
}

// A ustar header as POSIX lays it out, so that a test can write what no packer would.
std::string header(const Entry& entry) {
    std::string block = entry.name;
    block.resize(100);
    block += octal(entry.mode, 8) + octal(0, 8) + octal(0, 8) + octal(entry.content.size(), 12) +
             octal(0, 12);
    block += "        ";
    block += entry.type;
    std::string target = entry.target;
    target.resize(100);
    block += target + std::string("ustar\0", 6) + "00";
    block.resize(512);
    unsigned sum = 0;
    for (const char c : block) sum += static_cast<unsigned char>(c);
    block.replace(148, 8, octal(sum, 7) + " ");
    return block;
}

std::string padded(std::string content) {
    content.resize((content.size() + 511) / 512 * 512);
    return content;
}

std::string tar(const std::vector<Entry>& entries) {
    std::string out;
    for (const Entry& entry : entries) out += header(entry) + padded(entry.content);
    return out + std::string(1024, '\0');
}

class ArchiveTest : public testing::Test {
  protected:
    Unpacked unpack_bytes(const std::string& bytes) {
        put(archive_, bytes);
        std::filesystem::create_directory(to_);
        return unpack(archive_, to_);
    }
    Unpacked unpack_entries(const std::vector<Entry>& entries) {
        return unpack_bytes(tar(entries));
    }
    std::string at(const std::string& name) const { return to_ + "/" + name; }
    // The names in the directory and below, sorted, and nothing beside it.
    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(to_))
            found.push_back(entry.path().string().substr(to_.size() + 1));
        std::sort(found.begin(), found.end());
        return found;
    }

    Scratch scratch_;
    std::string archive_ = scratch_ / "a.tar";
    std::string to_ = scratch_ / "to";
};

using Names = std::vector<std::string>;

TEST_F(ArchiveTest, takes_files_and_directories) {
    const Unpacked unpacked = unpack_entries({{"./", '5'},
                                              {"./agent.json", '0', "{}"},
                                              {"docs/", '5'},
                                              {"docs/a/b.md", '0', std::string(70'000, 'x')},
                                              {"run.sh", '0', "#!/bin/sh\n", "", 0755},
                                              {"empty", '0', ""}});
    EXPECT_EQ(unpacked.files, 4U);
    EXPECT_TRUE(unpacked.left_out.empty());
    EXPECT_EQ(names(), (Names{"agent.json", "docs", "docs/a", "docs/a/b.md", "empty", "run.sh"}));
    EXPECT_EQ(text_of(at("docs/a/b.md")).size(), 70'000U);
    EXPECT_EQ(text_of(at("agent.json")), "{}");
}

TEST_F(ArchiveTest, gives_modes_of_its_own) {
    unpack_entries(
        {{"d/", '5', "", "", 07777}, {"d/x", '0', "", "", 06755}, {"d/y", '0', "", "", 0666}});
    struct stat status {};
    ASSERT_EQ(stat(at("d").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0700U);
    ASSERT_EQ(stat(at("d/x").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0700U);
    ASSERT_EQ(stat(at("d/y").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST_F(ArchiveTest, takes_no_name_that_leads_out) {
    const std::string absolute = scratch_ / "outside";
    const Unpacked unpacked = unpack_entries({{absolute, '0', "x"},
                                              {"../outside", '0', "x"},
                                              {"a/../../outside", '0', "x"},
                                              {"a/..", '0', "x"},
                                              {"..", '5'},
                                              {"/", '5'},
                                              {"/tmp/", '5'},
                                              {".", '0', "x"},
                                              {"./.", '0', "x"},
                                              {"fine", '0', "x"}});
    EXPECT_EQ(unpacked.files, 1U);
    EXPECT_EQ(unpacked.left_out.size(), 9U);
    EXPECT_EQ(names(), Names{"fine"});
    EXPECT_FALSE(is_there(absolute));
}

TEST_F(ArchiveTest, takes_no_links_and_no_devices) {
    put(scratch_ / "secret", "secret");
    const Unpacked unpacked = unpack_entries({{"fine", '0', "x"},
                                              {"hard", '1', "", scratch_ / "secret"},
                                              {"inner", '1', "", "fine"},
                                              {"soft", '2', "", scratch_ / "secret"},
                                              {"dir", '2', "", scratch_.path()},
                                              {"null", '3'},
                                              {"block", '4'},
                                              {"pipe", '6'}});
    EXPECT_EQ(unpacked.left_out, (Names{"hard", "inner", "soft", "dir", "null", "block", "pipe"}));
    EXPECT_EQ(names(), Names{"fine"});
}

TEST_F(ArchiveTest, writes_through_no_link) {
    std::filesystem::create_directory(scratch_ / "elsewhere");
    unpack_entries({{"dir", '2', "", scratch_ / "elsewhere"}, {"dir/x", '0', "x"}});
    EXPECT_EQ(names(), (Names{"dir", "dir/x"}));
    EXPECT_TRUE(std::filesystem::is_empty(scratch_ / "elsewhere"));
}

TEST_F(ArchiveTest, takes_nothing_that_git_would_run_or_obey) {
    const Unpacked unpacked =
        unpack_entries({{"workspace/.git/", '5'},
                        {"workspace/.git/hooks/", '5'},
                        {"workspace/.git/hooks/pre-commit", '0', "x", "", 0755},
                        {"workspace/.git/config", '0', "[core] fsmonitor=x"},
                        {"workspace/.GIT/Config", '0', "x"},
                        {"workspace//.git/./hooks//a", '0', "x"},
                        {"workspace/sub/.git", '0', "gitdir: ../evil"},
                        {"workspace/sub2/.Git", '0', "gitdir: ../evil"},
                        {"workspace/.git/x/.git/hooks/b", '0', "x"},
                        {"workspace/.git/objects/info/alternates", '0', "/"},
                        {"workspace/.git/HEAD", '0', "ref: refs/heads/main\n"}});
    EXPECT_EQ(unpacked.left_out.size(), 8U);
    EXPECT_EQ(names(), (Names{"workspace", "workspace/.git", "workspace/.git/HEAD"}));
}

TEST_F(ArchiveTest, says_names_without_their_control_characters) {
    const Unpacked unpacked = unpack_entries({{"../\x1b[31m\nx", '0', "x"}});
    EXPECT_EQ(unpacked.left_out, Names{"../\\x1b[31m\\nx"});
}

TEST_F(ArchiveTest, takes_names_of_any_language) {
    // a pax header: what packers write for a name that is not ASCII
    const std::string record =
        "22 path=docs/\xc3\xbc"
        "ber.md\n";
    ASSERT_EQ(record.size(), 22U);
    const std::string bytes = header({"PaxHeader", 'x', record}) + padded(record) +
                              tar({{"docs/other.md", '0', "hi"}, {"gn\xc3\xbc", '0', "x"}});
    EXPECT_EQ(unpack_bytes(bytes).files, 2U);
    EXPECT_EQ(text_of(at("docs/\xc3\xbc"
                         "ber.md")),
              "hi");
    EXPECT_EQ(text_of(at("gn\xc3\xbc")), "x");
}

TEST_F(ArchiveTest, takes_compressed_ones) {
    put(scratch_ / "in/agent.json", "{}");
    for (const std::string flag : {"", "-z", "-j", "-J", "--zstd"}) {
        const std::string command =
            "tar -c " + flag + " -C '" + scratch_ / "in" + "' -f '" + archive_ + "' . 2>/dev/null";
        if (std::system(command.c_str()) != 0) continue;  // that packer is not installed here
        std::filesystem::remove_all(to_);
        std::filesystem::create_directory(to_);
        EXPECT_EQ(unpack(archive_, to_).files, 1U) << flag;
        EXPECT_EQ(text_of(at("agent.json")), "{}") << flag;
    }
}

TEST_F(ArchiveTest, refuses_what_is_no_archive) {
    std::string cut = tar({{"a", '0', std::string(5'000, 'x')}});
    cut.resize(2'000);
    for (const std::string& bytes :
         {std::string("not an archive at all"), std::string(3'000, 'x'), std::string("PK\3\4zip"),
          std::string("\x1f\x8b\x08 gzip that is none"), cut}) {
        std::filesystem::remove_all(to_);
        const base::Error error = error_of([&] { (void)unpack_bytes(bytes); });
        EXPECT_EQ(error.code(), ErrorCode::bad_request) << error.message();
    }
    EXPECT_EQ(error_of([&] { (void)unpack(scratch_ / "none", to_); }).code(),
              ErrorCode::bad_request);
}

TEST_F(ArchiveTest, refuses_more_entries_than_an_agent_has) {
    std::string bytes;
    const std::string directory = header({"d/", '5'});
    bytes.reserve(directory.size() * 100'100);
    for (int i = 0; i < 100'001; ++i) bytes += directory;
    bytes.resize(bytes.size() + 1024);
    EXPECT_TRUE(says(error_of([&] { (void)unpack_bytes(bytes); }), "more than 100,000 entries"));
}

TEST(GitTrap, is_all_but_the_history) {
    for (const char* path : {".git/hooks",
                             ".git/hooks/pre-commit",
                             "w/.git/config",
                             "w/.GIT/CONFIG",
                             ".git/Config.Worktree",
                             ".git/commondir",
                             ".git/gitdir",
                             ".git/modules/a/config",
                             ".git/worktrees/b",
                             ".git/info/attributes",
                             ".git/objects/info/alternates",
                             ".git/x/.git/hooks/a",
                             "a/.gIt/b/c/.git/Hooks",
                             ".git/rebase-merge/git-rebase-todo",
                             ".git/rebase-apply/x",
                             ".git/sequencer/todo",
                             ".git/MERGE_RR",
                             ".git/MERGE_HEAD",
                             ".git/MERGE_MSG",
                             ".git/CHERRY_PICK_HEAD",
                             ".git/BISECT_LOG",
                             ".git/rr-cache/1/preimage",
                             ".git/remotes/x",
                             ".git/branches/x",
                             ".git/objects/info",
                             ".git/configs",
                             ".git/index.lock"})
        EXPECT_TRUE(is_git_trap(path)) << path;
    for (const char* path :
         {".git", "w/.git", ".git/HEAD", ".git/objects/ab/cd", ".git/refs/heads/hooks",
          ".git/index", "hooks", "config", "w/config", "x.git/config", ".gitx/config",
          ".git/objects", ".git/ORIG_HEAD", ".git/packed-refs", ".git/sharedindex.12",
          ".git/logs/HEAD", ".git/", ".gitattributes", ""})
        EXPECT_FALSE(is_git_trap(path)) << path;
}

}  // namespace
}  // namespace chorus::agent
