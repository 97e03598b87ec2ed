#include "store/backup.hpp"

#include <sys/stat.h>

#include "home.hpp"
#include "store/sqlite.hpp"

namespace chorus::store {
namespace {

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
    const std::int64_t bytes = back_up(store, sys::OutputFile(path, sys::Overwrite::refuse));
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

TEST(Backup, goes_through_what_is_no_file) {
    const Home home;
    Store store = home.open();
    add_agent(store, "ada");
    const std::string pipe = home.directory() + "/pipe";
    const std::string path = home.directory() + "/copy.db";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    const pid_t reader = start_child([&] { std::ofstream(path) << read_bytes(pipe); });
    const std::int64_t bytes = back_up(store, sys::OutputFile(pipe));
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
    for (int i = 0; i < 5; ++i) back_up(store, sys::OutputFile(path));
    EXPECT_EQ(wait_for(writer), 0);
    EXPECT_EQ(count(path, "SELECT max(id) - count(*) FROM messages"), 0);
    for (const auto& entry : std::filesystem::directory_iterator(home.directory()))
        EXPECT_EQ(entry.path().filename().string().find(".tmp"), std::string::npos) << entry;
}

}  // namespace
}  // namespace chorus::store
