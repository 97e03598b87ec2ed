#include "agent/pack.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "agent/archive.hpp"
#include "support/scratch.hpp"

namespace chorus::agent {
namespace {

using base::ErrorCode;
using test::error_of;
using test::is_there;
using test::put;
using test::Scratch;
using test::text_of;

std::vector<std::string> all_below(const std::string& directory) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
        names.push_back(std::filesystem::relative(entry.path(), directory).string());
    std::sort(names.begin(), names.end());
    return names;
}

class PackTest : public testing::Test {
  protected:
    PackTest() : agent_(scratch_ / "agent") {
        put(agent_ + "/agent.json", "{}");
        put(agent_ + "/sessions/2026-02-12_d.json", "session");
        put(agent_ + "/workspace/tool", "#!/bin/sh\n");
        chmod((agent_ + "/workspace/tool").c_str(), 0755);
        put(agent_ + "/workspace/.git/HEAD", "ref: refs/heads/main\n");
        put(agent_ + "/workspace/.git/objects/ab/cd", std::string("x\0y", 3));
        std::filesystem::create_directories(agent_ + "/workspace/.git/refs/heads");
    }
    std::string unpacked(const std::string& archive) {
        const std::string to = scratch_ / "to";
        std::filesystem::create_directory(to);
        left_out_ = unpack(archive, to).left_out;
        return to;
    }

    Scratch scratch_;
    std::string agent_;
    std::vector<std::string> left_out_;
};

TEST_F(PackTest, WhatIsPackedIsUnpackedWhole) {
    const Packed packed =
        pack(agent_, {{"export.jsonl", "{}\n"}}, sys::OutputFile(scratch_ / "a.tar"));
    EXPECT_EQ(packed.files, 6U);
    EXPECT_TRUE(packed.left_out.empty());
    const std::string to = unpacked(scratch_ / "a.tar");
    EXPECT_TRUE(left_out_.empty());
    std::vector<std::string> expected = all_below(agent_);
    expected.insert(std::upper_bound(expected.begin(), expected.end(), "export.jsonl"),
                    "export.jsonl");
    EXPECT_EQ(all_below(to), expected);
    EXPECT_EQ(text_of(to + "/workspace/.git/objects/ab/cd"), std::string("x\0y", 3));
    EXPECT_EQ(access((to + "/workspace/tool").c_str(), X_OK), 0);
    EXPECT_EQ(text_of(to + "/export.jsonl"), "{}\n");
}

TEST_F(PackTest, TheNameSaysHowItIsCompressed) {
    for (const std::string name : {"a.tar.gz", "a.tgz", "a.tar.bz2", "a.tar.xz", "a.tar.zst"}) {
        pack(agent_, {}, sys::OutputFile(scratch_ / name));
        EXPECT_EQ(text_of(unpacked(scratch_ / name) + "/agent.json"), "{}") << name;
        std::filesystem::remove_all(scratch_ / "to");
    }
    EXPECT_EQ(text_of(scratch_ / "a.tgz").substr(0, 2), "\x1f\x8b");
}

TEST_F(PackTest, NothingIsPackedThatNobodyTakes) {
    put(agent_ + "/workspace/.git/hooks/post-commit", "#!/bin/sh\n");
    put(agent_ + "/workspace/.git/config", "[core]\n");
    put(agent_ + "/.chorus-write-0.tmp", "torn");
    put(agent_ + "/export.jsonl", "old");
    put(scratch_ / "secret", "secret");
    std::filesystem::create_symlink("branches/main", agent_ + "/current");
    std::filesystem::create_symlink(scratch_ / "secret", agent_ + "/workspace/link");
    std::filesystem::create_directory_symlink(scratch_.path(), agent_ + "/docs");
    mkfifo((agent_ + "/workspace/pipe").c_str(), 0600);
    std::string deep = "workspace";
    while (deep.size() + 201 <= 2'000) deep += "/" + std::string(200, 'd');
    const std::string too_deep = deep + "/" + std::string(2'000 - deep.size(), 'd');
    std::filesystem::create_directories(agent_ + "/" + too_deep + "/below");
    const Packed packed =
        pack(agent_, {{"export.jsonl", "new"}}, sys::OutputFile(scratch_ / "a.tar"));
    EXPECT_EQ(packed.left_out,
              (std::vector<std::string>{"docs", too_deep, "workspace/link", "workspace/pipe"}));
    const std::string to = unpacked(scratch_ / "a.tar");
    EXPECT_TRUE(left_out_.empty());
    EXPECT_EQ(text_of(to + "/export.jsonl"), "new");
    for (const char* name : {"/workspace/.git/hooks", "/workspace/.git/config", "/current",
                             "/.chorus-write-0.tmp", "/docs"})
        EXPECT_FALSE(is_there(to + name)) << name;
    EXPECT_EQ(text_of(scratch_ / "a.tar").find("secret\n"), std::string::npos);
}

TEST_F(PackTest, ItIsWholeOrNotThere) {
    EXPECT_EQ(error_of([&] { pack(agent_, {}, sys::OutputFile(agent_ + "/a.tar")); }).code(),
              ErrorCode::bad_request);
    EXPECT_EQ(
        error_of([&] { pack(agent_, {}, sys::OutputFile(agent_ + "/workspace/a.tar")); }).code(),
        ErrorCode::bad_request);
    EXPECT_EQ(
        error_of([&] { pack(scratch_ / "none", {}, sys::OutputFile(scratch_ / "a.tar")); }).code(),
        ErrorCode::failed);
    EXPECT_FALSE(is_there(scratch_ / "a.tar"));
    EXPECT_FALSE(is_there(scratch_ / ".chorus-write-0.tmp"));
    put(scratch_ / "a.tar", "old");
    pack(agent_, {}, sys::OutputFile(scratch_ / "a.tar"));
    EXPECT_GT(text_of(scratch_ / "a.tar").size(), 1000U);
}

TEST_F(PackTest, NamesOfAnyBytesComeAlong) {
    const std::string long_name(180, 'n');
    const std::vector<std::string> names{"\xc3\xbc", "a\xff", "with blank", long_name};
    for (const std::string& name : names) put(agent_ + "/workspace/" + name, name);
    pack(agent_, {}, sys::OutputFile(scratch_ / "a.tar"));
    const std::string to = unpacked(scratch_ / "a.tar");
    for (const std::string& name : names) EXPECT_EQ(text_of(to + "/workspace/" + name), name);
}

}  // namespace
}  // namespace chorus::agent
