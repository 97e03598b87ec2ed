#include "fault/births.hpp"

#include <filesystem>

#include "fault/checker.hpp"
#include "fault/database.hpp"

namespace fault {
namespace {

namespace fs = std::filesystem;

constexpr const char* imported_session =
    R"({"session_id": "s-1", "timestamp": "2026-02-12T10:30:00Z", "messages": [{"role": "user", "content": "hi"}]})";

bool is_adopted(BirthWay way) {
    return way == BirthWay::adopt || way == BirthWay::in_place;
}

std::string foreign(const World& world) {
    return world.directory() + "/foreign";
}

// An agent of another home: with history, a session, and rights that it is not to bring along.
void make_foreign(const World& world, const std::string& path) {
    fs::remove_all(path);
    fs::copy(world.agent("a"), path, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    write(path + "/sessions/2026-02-12_d.json", imported_session);
    write(
        path + "/agent.json",
        R"({"name": "old", "model": "anthropic/m", "system_prompt": "S", "permissions": "open"})");
}

Ended say_to_b(World& world) {
    return world.run(world.turn_launch({"b", "-p", "say 5"}), "");
}

void check_whole(World& world, BirthWay way, std::vector<std::string>& found) {
    const auto complain = [&](const std::string& what) { found.push_back(what); };
    Database database(world.home() + "/chorus.db");
    if (database.value("SELECT count(*) FROM agents WHERE name = 'b' AND status <> 'destroyed'") !=
        "1")
        complain("there is not one agent b");
    if (database.value("PRAGMA integrity_check") != "ok") complain("integrity_check");
    if (!database.rows("PRAGMA foreign_key_check").empty()) complain("foreign_key_check");
    for (const char* part :
         {"/docs", "/sessions", "/workspace/.git", "/branches/main/session.md", "/current"})
        if (!fs::exists(world.agent("b") + part)) complain(std::string("b has no ") + part);
    const std::string commits =
        output_of({"/usr/bin/git", "-C", world.agent("b") + "/workspace", "log", "--format=%s"},
                  {"PATH=/usr/bin:/bin", "HOME=" + world.directory()});
    if (commits.empty()) complain("b's repository has no commit");
    if (!is_adopted(way)) return;
    if (database.value("SELECT count(*) FROM sessions s JOIN agents a ON a.id = s.agent_id "
                       "WHERE a.name = 'b'") != "1")
        complain("b's session is out of reach");
    const std::string trusted = database.value(
        "SELECT substr(value, 66) FROM settings s JOIN agents a ON s.scope = 'agent/' || a.id "
        "WHERE s.key = 'trust' AND a.name = 'b' AND a.status <> 'destroyed'");
    if (trusted != "{}") complain("b has brought its rights along: " + trusted);
    if (contents(world.agent("b") + "/agent.json").find("open") == std::string::npos)
        complain("what b brought along is lost");
}

}  // namespace

const std::map<std::string, BirthWay>& birth_ways() {
    static const std::map<std::string, BirthWay> ways = {{"fresh", BirthWay::fresh},
                                                         {"first", BirthWay::first},
                                                         {"adopt", BirthWay::adopt},
                                                         {"in-place", BirthWay::in_place}};
    return ways;
}

BirthWay birth_way(const std::string& name) {
    return birth_ways().at(name);
}

void begin_birth(World& world, BirthWay way) {
    world.begin(Sandbox::off);
    if (way == BirthWay::adopt) make_foreign(world, foreign(world));
    if (way == BirthWay::in_place) make_foreign(world, world.agent("b"));
    if (way == BirthWay::first) world.begin_empty();
}

std::vector<std::string> birth_arguments(const World& world, BirthWay way) {
    if (way == BirthWay::adopt) return {"b", "--adopt=" + foreign(world)};
    if (way == BirthWay::in_place) return {"b", "--adopt"};
    return {"b", "--model", "anthropic/m"};
}

long count_birth_calls(World& world, BirthWay way) {
    Launch launch = world.turn_launch(birth_arguments(world, way));
    launch.arguments[0] = world.programs().init;
    launch.counts = true;
    return world.run(launch, "").calls;
}

std::vector<std::string> birth_complaints(World& world, BirthWay way, const std::string& then,
                                          const Ended& first) {
    std::vector<std::string> found;
    const bool told = world.out().find("Agent b ") != std::string::npos;
    if (then == "run") {
        const Ended early = say_to_b(world);
        for (const std::string& complaint : end_complaints(early, "an early turn"))
            found.push_back(complaint);
        // no agent, or a whole one
        if (early.status != 0 && early.status != 4 && early.status != 3)
            found.push_back("an early turn: exit status " + std::to_string(early.status) + ": " +
                            world.err());
        if (told && early.status != 0) found.push_back("b was told to be made: " + world.err());
    }
    const Ended again = world.init(birth_arguments(world, way));
    if (again.status != 0 && again.status != 5)
        found.push_back("chorus-init again: exit status " + std::to_string(again.status) + ": " +
                        world.err());
    if ((told || (!first.killed && first.status == 0)) && again.status != 5)
        found.push_back("b was told to be made, and was made again");
    const Ended turn = say_to_b(world);
    if (turn.status != 0 || world.out() != "Said 5.\n")
        found.push_back("a turn of b: exit status " + std::to_string(turn.status) + ": " +
                        world.err());
    for (const std::string& complaint : home_complaints(world)) found.push_back(complaint);
    check_whole(world, way, found);
    return found;
}

}  // namespace fault
