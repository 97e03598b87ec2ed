#include "store/store.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>

#include <array>
#include <stdexcept>
#include <vector>

#include "home.hpp"
#include "store/sqlite.hpp"
#include "sys/fd.hpp"

namespace chorus::store {
namespace {

std::int64_t count(Store& store, std::string_view table) {
    return query_integer(store.handle(), "SELECT count(*) FROM " + std::string(table));
}

unsigned mode_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777U;
}

TEST(Store, is_readable_for_its_owner_alone) {
    const Home home;
    const mode_t before = umask(0);
    Store store = home.open();
    add_agent(store, "ada");
    umask(before);
    for (const char* file : {"/chorus.db", "/chorus.db-wal", "/chorus.db-shm", "/locks/database"})
        EXPECT_EQ(mode_of(home.directory() + file), 0600U) << file;
    EXPECT_EQ(mode_of(home.directory() + "/locks"), 0700U);
}

TEST(Store, makes_the_home_where_it_is_missing) {
    const Home home;
    const Store::Paths paths{home.directory() + "/new/chorus.db",
                             home.directory() + "/new/locks/database"};
    Store store = Store::open(paths);
    EXPECT_EQ(add_agent(store, "ada"), 1);
}

// SQLite opens a file to read alone where it cannot be opened to write: also one that is made
// between the two calls.
TEST(Store, is_writable_for_all_who_make_it_at_once) {
    constexpr int rounds = 50;
    constexpr int processes = 16;
    for (int round = 0; round < rounds; ++round) {
        const Home home;
        std::array<pid_t, processes> children{};
        const sys::Fd begin(eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE));
        for (pid_t& child : children)
            child = start_child([&] {
                eventfd_t one = 0;
                eventfd_read(begin.get(), &one);
                (void)home.open();
            });
        eventfd_write(begin.get(), processes);
        for (const pid_t child : children) ASSERT_EQ(wait_for(child), 0) << "round " << round;
    }
}

TEST(Store, open_existing_makes_nothing) {
    const Home home;
    const base::Error error = error_of([&] { Store::open_existing(home.paths()); });
    EXPECT_EQ(error.code(), base::ErrorCode::not_found);
    EXPECT_TRUE(std::filesystem::is_empty(home.directory()));
}

TEST(Store, sets_every_connection_up_for_durability) {
    const Home home;
    for (int i = 0; i < 2; ++i) {
        const Store store = home.open();
        EXPECT_EQ(query_text(store.handle(), "PRAGMA journal_mode"), "wal");
        EXPECT_EQ(query_integer(store.handle(), "PRAGMA synchronous"), 2);
        EXPECT_EQ(query_integer(store.handle(), "PRAGMA foreign_keys"), 1);
        EXPECT_EQ(query_integer(store.handle(), "PRAGMA trusted_schema"), 0);
        EXPECT_EQ(query_integer(store.handle(), "PRAGMA busy_timeout"), 10'000);
    }
}

TEST(Store, keeps_sqlites_own_tables_from_being_written) {
    const Home home;
    const Store store = home.open();
    EXPECT_THROW(execute(store.handle(), "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema"),
                 base::Error);
}

TEST(Store, can_be_moved) {
    const Home home;
    Store first = home.open();
    add_agent(first, "ada");
    Store second = std::move(first);
    EXPECT_TRUE(find_agent(second, "ada"));
}

TEST(Store, gives_each_use_at_the_same_time_its_own_statement) {
    const Home home;
    Store store = home.open();
    for (const char* name : {"ada", "bob", "eve"}) add_agent(store, name);
    constexpr std::string_view sql = "SELECT name FROM agents ORDER BY name";
    std::string pairs;
    Statement outer = store.prepare(sql);
    while (outer.step()) {
        Statement inner = store.prepare(sql);
        while (inner.step()) pairs += outer.text(0) + inner.text(0) + " ";
    }
    EXPECT_EQ(pairs, "adaada adabob adaeve bobada bobbob bobeve eveada evebob eveeve ");
}

TEST(Transaction, rolls_back_unless_committed) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    EXPECT_THROW(
        {
            const Transaction transaction(store);
            insert_message(store, agent, 1, user_message("lost", 1));
            throw std::runtime_error("in the middle");
        },
        std::runtime_error);
    EXPECT_EQ(count(store, "messages"), 0);
    EXPECT_EQ(add_message(store, agent, user_message("kept", 1)), 1);
}

TEST(ReadTransaction, sees_one_state_and_writes_nothing) {
    const Home home;
    Store store = home.open();
    Store other = home.open();
    const AgentId agent = add_agent(store, "ada");
    {
        const ReadTransaction outer(store);
        EXPECT_EQ(count(store, "messages"), 0);
        add_message(other, agent, user_message("meanwhile", 1));
        { const ReadTransaction inner(store); }
        EXPECT_EQ(count(store, "messages"), 0);
        EXPECT_EQ(error_of([&] { store.prepare("DELETE FROM messages").run(); }).code(),
                  base::ErrorCode::internal);
    }
    EXPECT_EQ(count(store, "messages"), 1);
    const Transaction transaction(store);
    insert_message(store, agent, 1, user_message("seen at once", 1));
    const ReadTransaction within(store);
    EXPECT_EQ(count(store, "messages"), 2);
}

TEST(Transaction, is_needed_for_every_write) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    const base::Error error =
        error_of([&] { set_agent_status(store, agent, AgentStatus::active); });
    EXPECT_EQ(error.code(), base::ErrorCode::internal);
    EXPECT_EQ(find_agent(store, agent)->status, AgentStatus::creating);
}

TEST(Transaction, inside_another_is_refused_and_leaves_it_whole) {
    const Home home;
    Store store = home.open();
    {
        Transaction outer(store);
        EXPECT_EQ(error_of([&] { const Transaction inner(store); }).code(),
                  base::ErrorCode::internal);
        Agent agent;
        agent.name = "ada";
        insert_agent(store, agent);
        outer.commit();
    }
    EXPECT_TRUE(find_agent(store, "ada"));
}

TEST(Transaction, reports_a_full_disk_and_loses_nothing_committed) {
    const Home home;
    Store store = home.open();
    const AgentId agent = add_agent(store, "ada");
    add_message(store, agent, user_message("kept", 1));
    const std::int64_t pages = query_integer(store.handle(), "PRAGMA page_count");
    execute(store.handle(), "PRAGMA max_page_count = " + std::to_string(pages + 10));
    const base::Error error =
        error_of([&] { add_message(store, agent, user_message(std::string(1U << 20, 'x'), 2)); });
    EXPECT_EQ(error.code(), base::ErrorCode::failed);
    EXPECT_EQ(error.message(), "database: disk is full");
    EXPECT_FALSE(error.hint().empty());
    EXPECT_EQ(count(store, "messages"), 1);
    EXPECT_EQ(add_message(store, agent, user_message("goes on", 3)), 2);
}

// C-18: what was committed is there after kill -9, what was not is not.
TEST(Transaction, outlives_its_killed_process_once_committed) {
    const Home home;
    const pid_t child = start_child([&] {
        Store store = home.open();
        const AgentId agent = add_agent(store, "ada");
        add_message(store, agent, user_message("accepted", 1));
        const Transaction transaction(store);
        insert_message(store, agent, 1, user_message("not accepted", 2));
        raise(SIGKILL);
    });
    EXPECT_EQ(WTERMSIG(wait_for(child)), SIGKILL);
    Store store = home.open();
    const auto messages = load_messages_after(store, find_agent(store, "ada")->id, 1, 0);
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].content, "accepted");
    EXPECT_EQ(add_message(store, 1, user_message("the gate is free", 3)), 2);
}

TEST(Transaction, of_sixteen_processes_wait_for_each_other_and_lose_nothing) {
    constexpr int processes = 16;
    constexpr int transactions = 50;
    const Home home;
    std::vector<pid_t> children;
    for (int process = 0; process < processes; ++process)
        children.push_back(start_child([&] {
            Store store = home.open();
            store.set_patience(300'000, {});  // on a slow disk with others at work
            in_transaction(store, [&] {
                Agent agent;
                agent.name = "ada";
                if (!find_agent(store, "ada")) insert_agent(store, agent);
            });
            const AgentId agent = find_agent(store, "ada")->id;
            Turn turn;
            turn.agent_id = agent;
            for (int i = 0; i < transactions; ++i)
                in_transaction(store, [&] {
                    insert_message(store, agent, 1,
                                   user_message("from " + std::to_string(process), i));
                    count_turn(store, turn, i);
                });
        }));
    for (const pid_t child : children) EXPECT_EQ(wait_for(child), 0);
    Store store = home.open();
    EXPECT_EQ(count(store, "messages"), processes * transactions);
    in_transaction(store, [&] { index_waiting(store); });
    EXPECT_EQ(count(store, "messages_fts WHERE messages_fts MATCH 'from'"),
              processes * transactions);
    EXPECT_EQ(find_agent(store, "ada")->turn_count, processes * transactions);
    EXPECT_EQ(query_text(store.handle(), "PRAGMA integrity_check"), "ok");
}

TEST(Store, log_stays_short_where_every_process_commits_once) {
    const Home home;
    {
        Store store = home.open();
        add_agent(store, "ada");
    }
    for (int i = 0; i < 150; ++i) {
        Store store = home.open();
        add_message(store, 1, user_message("one", i));
    }
    EXPECT_LT(std::filesystem::file_size(home.directory() + "/chorus.db-wal"), 200U * 4096U);
    Store store = home.open();
    EXPECT_EQ(count(store, "messages"), 150);
}

TEST(Store, names_a_corrupt_file_and_the_way_out) {
    const Home home;
    {
        Store store = home.open();
        add_agent(store, "ada");
        execute(store.handle(), "PRAGMA wal_checkpoint(TRUNCATE)");
    }
    std::ofstream(home.paths().database, std::ios::in | std::ios::out | std::ios::binary)
        << std::string(512, '\xa5');
    const base::Error error = error_of([&] { home.open(); });
    EXPECT_EQ(error.code(), base::ErrorCode::failed);
    EXPECT_NE(error.message().find("chorus.db: damaged"), std::string::npos) << error.message();
    EXPECT_NE(error.hint().find("doctor"), std::string::npos);
}

// Root may write everywhere, so the child becomes somebody else first.
int open_as_nobody(const Home& home) {
    return wait_for(start_child([&] {
        if (getuid() == 0 && setuid(65534) != 0) _exit(2);
        const base::Error error = error_of([&] {
            Store store = home.open();
            add_agent(store, "bob");
        });
        const bool clear = error.message().find("read-only") != std::string::npos ||
                           error.message().find("ermission denied") != std::string::npos;
        if (error.code() != base::ErrorCode::failed || !clear) {
            std::fprintf(stderr, "%s\n", error.what());
            _exit(3);
        }
    }));
}

TEST(Store, says_that_a_home_is_read_only) {
    const Home home;
    {
        Store store = home.open();
        add_agent(store, "ada");
    }
    for (const char* file : {"/chorus.db", "/chorus.db-wal", "/chorus.db-shm"})
        chmod((home.directory() + file).c_str(), 0444);
    chmod(home.directory().c_str(), 0555);
    EXPECT_EQ(open_as_nobody(home), 0);
    chmod(home.directory().c_str(), 0700);
}

TEST(Store, says_that_a_home_may_not_be_written_before_there_is_a_database) {
    const Home home;
    chmod(home.directory().c_str(), 0555);
    EXPECT_EQ(open_as_nobody(home), 0);
    chmod(home.directory().c_str(), 0700);
}

TEST(Store, tells_that_somebody_else_has_committed) {
    const Home home;
    Store store = home.open();
    Store other = home.open();
    const std::int64_t before = store.version_by_others();
    EXPECT_EQ(store.version_by_others(), before);
    add_agent(store, "ada");
    EXPECT_EQ(store.version_by_others(), before);
    add_agent(other, "bob");
    EXPECT_NE(store.version_by_others(), before);
}

}  // namespace
}  // namespace chorus::store
