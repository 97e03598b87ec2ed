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
    const std::string path = home.directory() + "/copy.db";
    const std::int64_t bytes = back_up(store, path, IfThere::refuse);
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

TEST(Backup, replaces_a_file_only_where_it_is_told_to) {
    const Home home;
    Store store = home.open();
    add_agent(store, "ada");
    const std::string path = home.directory() + "/copy.db";
    std::ofstream(path) << "mine";
    EXPECT_EQ(error_of([&] { back_up(store, path, IfThere::refuse); }).code(),
              base::ErrorCode::exists);
    EXPECT_EQ(read_bytes(path), "mine");
    back_up(store, path, IfThere::replace);
    EXPECT_EQ(count(path, "SELECT count(*) FROM agents"), 1);
}

TEST(Backup, never_replaces_the_database_or_a_directory) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    std::filesystem::create_symlink(home.paths().database, home.directory() + "/link.db");
    for (const std::string& path :
         {home.paths().database,
          home.directory() + "/../" + std::filesystem::path(home.directory()).filename().string() +
              "/chorus.db",
          home.directory() + "/link.db", home.directory()})
        EXPECT_EQ(error_of([&] { back_up(store, path, IfThere::replace); }).code(),
                  base::ErrorCode::bad_request)
            << path;
    EXPECT_EQ(error_of([&] { back_up(store, home.directory() + "/no/x", IfThere::refuse); }).code(),
              base::ErrorCode::failed);
    add_message(store, agent, user_message("still there", 1));
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
    for (int i = 0; i < 5; ++i) back_up(store, path, IfThere::replace);
    EXPECT_EQ(wait_for(writer), 0);
    EXPECT_EQ(count(path, "SELECT max(id) - count(*) FROM messages"), 0);
    for (const auto& entry : std::filesystem::directory_iterator(home.directory()))
        EXPECT_EQ(entry.path().filename().string().find(".tmp"), std::string::npos) << entry;
}

}  // namespace
}  // namespace chorus::store
