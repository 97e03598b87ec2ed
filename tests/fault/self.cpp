// The checker itself: of a turn that nothing disturbed it has no complaint, and each kind of damage
// that it is there to see it does see.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <functional>

#include "fault/checker.hpp"
#include "fault/database.hpp"
#include "fault/suite.hpp"
#include "fault/world.hpp"

namespace fault {
namespace {

namespace fs = std::filesystem;

struct Damage {
    std::string complaint;  // a part of it; "" where there is to be none
    std::function<void(World&)> make;
};

void append(const std::string& path, const std::string& text) {
    write(path, contents(path) + text);
}

void sql(World& world, const std::string& statement) {
    Database(world.home() + "/chorus.db").rows(statement);
}

void hold_lock(World& world) {
    // until the program ends
    const int fd = open((world.home() + "/locks/agent-1").c_str(), O_RDWR | O_CLOEXEC);
    struct flock lock {};
    lock.l_type = F_RDLCK;
    fcntl(fd, F_OFD_SETLK, &lock);
}

void break_an_object(World& world) {
    for (const auto& entry :
         fs::recursive_directory_iterator(world.workspace() + "/.git/objects")) {
        if (!entry.is_regular_file()) continue;
        fs::permissions(entry.path(), fs::perms::owner_write, fs::perm_options::add);
        return write(entry.path(), "broken");
    }
}

const std::vector<Damage> damages = {
    {"", [](World&) {}},
    {"has taken effect 2 times",
     [](World& world) { append(world.workspace() + "/log.txt", "appended 1\n"); }},
    {"has taken effect 2 times",
     [](World& world) { append(world.workspace() + "/count.txt", "ran 1\n"); }},
    {"has had no effect", [](World& world) { fs::remove(world.workspace() + "/count.txt"); }},
    {"is torn", [](World& world) { write(world.workspace() + "/notes-1.txt", "fir"); }},
    {"has taken effect",
     [](World& world) {
         sql(world,
             "UPDATE tool_runs SET outcome = 'interrupted' WHERE tool_call_id = 'w1_git_commit'");
     }},
    {"left behind", [](World& world) { write(world.workspace() + "/.chorus-1-x", ""); }},
    {"left behind", [](World& world) { write(world.workspace() + "/.git/HEAD.lock", ""); }},
    {"the key is in", [](World& world) { write(world.agent("a") + "/docs/x.md", canary); }},
    {"is no JSON", [](World& world) { write(world.agent("a") + "/agent.json", "{\"name\":"); }},
    {"a directory without a row",
     [](World& world) { fs::create_directory(world.agent("nobody")); }},
    {"has no directory", [](World& world) { fs::remove(world.agent("a") + "/agent.json"); }},
    {"git fsck", break_an_object},
    {"the transcript",
     [](World& world) { write(world.agent("a") + "/branches/main/session.md", "# a\n"); }},
    {"accepted message",
     [](World& world) {
         sql(world, "UPDATE messages SET content = 'work' WHERE content = 'work 1'");
     }},
    {"more than one message",
     [](World& world) {
         sql(world,
             "INSERT INTO messages (agent_id, thread_id, turn_id, role, timestamp, content) SELECT "
             "agent_id, thread_id, turn_id, role, timestamp, content FROM messages WHERE content = "
             "'work 1'");
     }},
    {"calls without exactly one result",
     [](World& world) { sql(world, "DELETE FROM messages WHERE tool_call_id = 'w1_bash'"); }},
    {"what is stored is not what was asked",
     [](World& world) {
         sql(world, "UPDATE messages SET content = 'x' WHERE tool_call_id = 'w1_view'");
     }},
    {"answer ",
     [](World& world) {
         sql(world, "UPDATE messages SET content = 'Done' WHERE content = 'Done 1.'");
     }},
    {"still open",
     [](World& world) { sql(world, "UPDATE turns SET state = 'working' WHERE id = 2"); }},
    {"turn_count", [](World& world) { sql(world, "UPDATE agents SET turn_count = 3"); }},
    {"finished turn",
     [](World& world) { sql(world, "UPDATE turns SET state = 'exited' WHERE id = 2"); }},
    {"the audit chain",
     [](World& world) { sql(world, "UPDATE audit_log SET hash = 'x' WHERE id = 1"); }},
    {"a lock is held", hold_lock},
};

int main_of(int argc, char** argv) {
    const Options options = parse(argc, argv, {});
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    const std::string directory = scratch_directory(argv[0]);
    World world({options.bin + "/chorus-run", options.bin + "/chorus-init"}, directory,
                directory + "/prepared");
    world.prepare();
    int failed = 0;
    for (const Damage& damage : damages) {
        world.begin(Sandbox::off);
        const Ended ended = world.say("work 1");
        damage.make(world);
        std::string all;
        for (const std::string& complaint : complaints(world)) all += "  " + complaint + "\n";
        const bool fine = damage.complaint.empty()
                              ? ended.status == 0 && all.empty()
                              : all.find(damage.complaint) != std::string::npos;
        if (fine) continue;
        ++failed;
        std::printf("FAILED: '%s' is not among\n%s", damage.complaint.c_str(), all.c_str());
    }
    std::printf("%zu damages, %d not seen\n", damages.size() - 1, failed);
    std::fflush(stdout);
    fs::remove_all(directory);
    // the provider's threads wait for nothing any more
    _exit(failed == 0 ? 0 : 1);
}

}  // namespace
}  // namespace fault

int main(int argc, char** argv) {
    return fault::run_suite(fault::main_of, argc, argv);
}
