#include "context/find_thread.hpp"

#include "context/branches.hpp"
#include "support/scratch.hpp"
#include "unit/store/home.hpp"

namespace chorus::context {
namespace {

using test::error_of;
using test::says;

TEST(BranchName, is_one_part_of_a_path_and_no_thread_number) {
    for (const char* name : {"a", "Z", "try-2", "v1.0", "x_y", "2nd", "20260212103000-x"})
        EXPECT_NO_THROW(check_branch_name(name)) << name;
    EXPECT_NO_THROW(check_branch_name(std::string(64, 'x')));
    for (const std::string& name :
         {std::string(), std::string("main"), std::string("7"), std::string("."), std::string(".."),
          std::string("../x"), std::string("a/b"), std::string("-rf"), std::string(".tmp-branch"),
          std::string("_a"), std::string("a b"), std::string("a\n"), std::string("ü"),
          std::string("a\0b", 3), std::string(65, 'x')})
        EXPECT_EQ(error_of([&] { check_branch_name(name); }).code(), base::ErrorCode::bad_request)
            << name;
}

class ThreadsTest : public testing::Test {
  protected:
    ThreadsTest() : store_(home_.open()), directory_(home_.directory() + "/agents/ada") {
        agent_ = *store::find_agent(store_, store::add_agent(store_, "ada"));
        std::filesystem::create_directories(directory_.path());
    }
    store::ThreadId add(const std::string& branch, std::int64_t branch_point) {
        store::Thread thread;
        thread.agent_id = agent_.id;
        thread.id = 0;
        thread.branch = branch;
        thread.parent_thread = 1;
        thread.branch_point = branch_point;
        store::Transaction transaction(store_);
        const store::ThreadId id = store::insert_thread(store_, thread).id;
        transaction.commit();
        return id;
    }
    store::ThreadId find(const std::string& wanted) {
        return require_thread(store_, agent_, directory_, wanted).id;
    }
    void point_current_at(const std::string& target) {
        std::filesystem::remove(directory_.current());
        std::filesystem::create_symlink(target, directory_.current());
    }

    store::Home home_;
    store::Store store_;
    agent::Directory directory_;
    store::Agent agent_;
};

TEST_F(ThreadsTest, are_found_by_number_and_by_either_name) {
    const store::ThreadId fork = add("20260212103000-try", 9);
    const store::ThreadId beside = add("20260212103000-try", 0);
    EXPECT_EQ(find("main"), 1);
    EXPECT_EQ(find("1"), 1);
    EXPECT_EQ(find(std::to_string(beside)), beside);
    EXPECT_EQ(find("try"), fork);
    EXPECT_EQ(find("20260212103000-try"), fork);
    EXPECT_EQ(branch_threads(store_, agent_).size(), 2U);
    for (const char* wanted : {"9", "tr", "Try", "-1", "0", "try\x1b[2J", "../main"})
        EXPECT_EQ(error_of([&] { find(wanted); }).code(), base::ErrorCode::not_found) << wanted;
}

TEST_F(ThreadsTest, are_not_guessed_at) {
    add("20260212103000-try", 9);
    const store::ThreadId second = add("20260212103001-try", 9);
    const base::Error error = error_of([&] { find("try"); });
    EXPECT_EQ(error.code(), base::ErrorCode::bad_request);
    EXPECT_TRUE(says(error, "'20260212103000-try' and '20260212103001-try'"));
    EXPECT_EQ(find("20260212103001-try"), second);
    // a name in full is never another's short one
    const store::ThreadId odd = add("20260212103002-20260212103000-try", 9);
    EXPECT_NE(find("20260212103000-try"), odd);
}

TEST_F(ThreadsTest, follow_the_link_current) {
    const store::ThreadId fork = add("20260212103000-try", 9);
    EXPECT_EQ(find(""), 1);
    point_current_at("branches/20260212103000-try");
    EXPECT_EQ(find(""), fork);
    EXPECT_EQ(current_branch(directory_), "20260212103000-try");
    point_current_at("/etc");
    EXPECT_TRUE(says(error_of([&] { find(""); }), "its current branch, 'etc', has no thread"));
    point_current_at("branches/main");
    EXPECT_EQ(find(""), 1);
}

}  // namespace
}  // namespace chorus::context
