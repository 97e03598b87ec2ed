#include "life/deciders.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include "home.hpp"
#include "store/turns.hpp"
#include "sys/process.hpp"

namespace chorus::life {
namespace {

using base::ErrorCode;
using sys::Environment;
using test::error_of;
using test::says;

class DecidersTest : public HomeTest {
  protected:
    void work_as(const sys::Identity& process) {
        store::Turn turn;
        turn.agent_id = give("ada").agent.id;
        turn.state = store::TurnState::working;
        turn.pid = process.pid;
        turn.pid_start = process.start;
        store::Transaction transaction(store);
        store::insert_turn(store, turn);
        transaction.commit();
    }
    // What refuse_from_inside says in a child of this process.
    std::string in_child() {
        int ends[2];
        if (pipe(ends) != 0) return "pipe";
        const pid_t child = fork();
        if (child == 0) {
            std::string said = "-";
            try {
                store::Store own = store::Store::open({home.database(), home.gate()});
                refuse_from_inside(own, Environment());
            } catch (const base::Error& error) {
                said = std::string(base::name(error.code())) + ": " + error.message();
            }
            [[maybe_unused]] const ssize_t written = write(ends[1], said.data(), said.size());
            _exit(0);
        }
        close(ends[1]);
        std::string said(500, '\0');
        const ssize_t count = read(ends[0], said.data(), said.size());
        said.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        close(ends[0]);
        waitpid(child, nullptr, 0);
        return said;
    }
};

TEST_F(DecidersTest, may_be_any_process_where_no_turn_is_its_ancestor) {
    EXPECT_NO_THROW(refuse_from_inside(store, Environment()));
    EXPECT_EQ(in_child(), "-");
    // of this process itself, not of what it came from
    work_as(sys::own_identity());
    EXPECT_NO_THROW(refuse_from_inside(store, Environment()));
}

TEST_F(DecidersTest, are_not_the_commands_of_an_agent) {
    for (const char* agent : {"ada", ""}) {
        const base::Error error = error_of([&] {
            refuse_from_inside(
                store, Environment(std::map<std::string, std::string>{{"CHORUS_AGENT", agent}}));
        });
        EXPECT_EQ(error.code(), ErrorCode::forbidden);
        EXPECT_TRUE(says(error, std::string("agent '") + agent + "'")) << error.message();
        EXPECT_FALSE(error.hint().empty());
    }
}

TEST_F(DecidersTest, are_not_descendants_of_a_turn_at_work_whatever_their_environment) {
    work_as(sys::own_identity());
    EXPECT_NE(in_child().find("FORBIDDEN: this process was started by a running turn"),
              std::string::npos);
}

TEST_F(DecidersTest, may_have_the_pid_of_a_turn_that_is_gone_above_them) {
    sys::Identity self = sys::own_identity();
    self.start += 1;
    work_as(self);
    EXPECT_EQ(in_child(), "-");
}

}  // namespace
}  // namespace chorus::life
