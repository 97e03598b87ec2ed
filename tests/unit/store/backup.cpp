#include "store/backup.hpp"

#include <sys/stat.h>

#include "home.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

const Stop never = [] { return false; };

std::int64_t count(const std::string& path, const char* sql) {
    Store copy = Store::open_existing({path, path + ".gate"});
    return query_integer(copy.handle(), sql);
}

TEST(Backup, is_a_whole_database_of_one_moment) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    for (int i = 0; i < 500; ++i) add_message(store, agent, user_message("word", i));
    in_transaction(store, [&] { index_waiting(store); });
    const std::string path = home.directory() + "/copy.db";
    const std::int64_t bytes = back_up(store, sys::OutputFile(path, sys::Overwrite::refuse), never);
    struct stat status {};
    ASSERT_EQ(stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_size, bytes);
    EXPECT_EQ(status.st_mode & 0777U, 0600U);
    EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
    EXPECT_EQ(read_bytes(path).substr(18, 2), "\x01\x01") << "it needs no log beside it";
    add_message(store, agent, user_message("later", 1'000));
    EXPECT_EQ(count(path, "SELECT count(*) FROM messages"), 500);
    EXPECT_EQ(count(path, "SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'word'"),
              500);
    Store copy = Store::open_existing({path, path + ".gate"});
    EXPECT_EQ(query_text(copy.handle(), "PRAGMA integrity_check"), "ok");
    EXPECT_EQ(query_text(copy.handle(), "PRAGMA journal_mode"), "wal") << "once it is worked with";
}

void expect_no_temporary(const Home& home) {
    for (const auto& entry : std::filesystem::directory_iterator(home.directory()))
        EXPECT_EQ(entry.path().filename().string().find(".tmp"), std::string::npos) << entry;
}

// More pages than are copied between two questions whether to stop.
void fill(Store& store, AgentId agent) {
    const std::string text(20'000, 'x');
    for (int i = 0; i < 500; ++i) add_message(store, agent, user_message(text, i));
}

TEST(Backup, is_of_one_moment_though_others_write_between_its_steps) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    fill(store, agent);
    Store other = home.open();
    int writes = 0;
    const std::string path = home.directory() + "/copy.db";
    back_up(store, sys::OutputFile(path), [&] {
        add_message(other, agent, user_message("later", 1'000 + writes++));
        return false;
    });
    EXPECT_GE(writes, 2);
    EXPECT_EQ(count(path, "SELECT count(*) FROM messages"), 500);
}

TEST(Backup, leaves_nothing_and_changes_nothing_when_it_is_stopped) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    fill(store, agent);
    const std::string path = home.directory() + "/copy.db";
    back_up(store, sys::OutputFile(path), never);
    add_message(store, agent, user_message("later", 1'000));
    // at each question: between two steps of the copy, and while it is checked
    int asked = 0;
    bool is_whole = false;
    for (int k = 1; !is_whole; ++k) {
        const auto stop = [&, left = k]() mutable { return ++asked, --left == 0; };
        try {
            back_up(store, sys::OutputFile(path), stop);
            is_whole = true;
        } catch (const base::Error& error) {
            EXPECT_EQ(error.code(), base::ErrorCode::canceled) << error.message();
            EXPECT_EQ(count(path, "SELECT count(*) FROM messages"), 500) << k;
        }
        expect_no_temporary(home);
    }
    EXPECT_GE(asked, 6);
    EXPECT_EQ(count(path, "SELECT count(*) FROM messages"), 501);
}

TEST(Backup, goes_through_what_is_no_file) {
    const Home home;
    Store store = home.open();
    add_agent(store, "ada");
    const std::string pipe = home.directory() + "/pipe";
    const std::string path = home.directory() + "/copy.db";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const pid_t reader = start_child([&] { std::ofstream(path) << read_bytes(pipe); });
    const std::int64_t bytes = back_up(store, sys::OutputFile(pipe), never);
    EXPECT_EQ(wait_for(reader), 0);
    EXPECT_EQ(static_cast<std::int64_t>(std::filesystem::file_size(path)), bytes);
    EXPECT_EQ(count(path, "SELECT count(*) FROM agents"), 1);
}

TEST(Backup, goes_on_beside_who_writes) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const pid_t writer = start_child([&] {
        Store other = home.open();
        for (int i = 0; i < 100; ++i) add_message(other, agent, user_message("x", i));
    });
    const std::string path = home.directory() + "/copy.db";
    for (int i = 0; i < 5; ++i) back_up(store, sys::OutputFile(path), never);
    EXPECT_EQ(wait_for(writer), 0);
    EXPECT_EQ(count(path, "SELECT max(id) - count(*) FROM messages"), 0);
    expect_no_temporary(home);
}

}  // namespace
}  // namespace chorus::store
