#include <cstdlib>
#include <fstream>

#include "measure.hpp"

namespace bench {
namespace {

const char* const prompt = "say hello";

Words fresh(const std::string& text) {
    return {bin + "/chorus-run", "a", "--fresh", text};
}

void default_model(const std::string& model) {
    std::ofstream(fs::path(getenv("CHORUS_HOME")) / "config.json")
        << "{\"default_model\": \"" << model << "\"}";
}

double wall_ms(const Words& words) {
    return run(words).wall_ms;
}

void spawned_turn(int count) {
    new_home("spawning", "builtin/script");
    default_model("builtin/script");
    const std::string call =
        "\n/spawn_agent {\"preset\": \"explorer\", \"description\": \"look\", \"prompt\": \"say "
        "hello\"}";
    std::vector<double> ratios;
    std::vector<double> added;
    for (int i = 0; i < count; ++i) {
        const double plain = wall_ms(fresh(prompt));
        added.push_back(wall_ms(fresh(prompt + call)) - plain);
        ratios.push_back(added.back() / plain);
    }
    std::printf("  a spawned turn adds %.2f ms\n", median(added));
    report("a spawned one-line turn adds, to a one-line turn", median(ratios), "x", 1.5);
}

// A turn whose model spawns that many sub-agents in its first answer, time after time.
fs::path script_of(int spawned, int turns) {
    std::string answers;
    for (int turn = 0; turn < turns; ++turn) {
        std::string calls;
        for (int i = 0; i < spawned; ++i)
            calls += std::string(i == 0 ? "" : ",") + "{\"id\":\"c" + std::to_string(turn) + "_" +
                     std::to_string(i) +
                     "\",\"name\":\"spawn_agent\",\"arguments\":{\"preset\":\"explorer\","
                     "\"description\":\"look\",\"prompt\":\"say hello\"}}";
        if (spawned > 0) answers += "{\"say\":{\"tool_calls\":[" + calls + "]}},";
        for (int i = 0; i <= spawned; ++i) answers += "{\"say\":{\"text\":\"hello\"}},";
    }
    answers.pop_back();
    const fs::path path = scratch / ("spawn-" + std::to_string(spawned) + ".json");
    std::ofstream(path) << "{\"answers\":[" << answers << "],\"after\":\"repeat-last\"}";
    return path;
}

Words scripted(int spawned, int turns) {
    const fs::path log = scratch / ("log-" + std::to_string(spawned));
    fs::create_directory(log);
    return {"--script", script_of(spawned, turns), "--log", log};
}

void side_by_side(int count) {
    const Server none(scripted(0, count));
    const Server one(scripted(1, count));
    const Server four(scripted(4, count));
    new_home("side-by-side", "anthropic/bench");
    default_model("anthropic/bench");
    const auto at = [](const Server& server) {
        setenv("CHORUS_ANTHROPIC_BASE_URL", ("http://127.0.0.1:" + server.port()).c_str(), 1);
        return wall_ms(fresh(prompt));
    };
    std::vector<double> ratios;
    for (int i = 0; i < count; ++i) {
        const double plain = at(none);
        const double of_one = at(one) - plain;
        ratios.push_back((at(four) - plain) / of_one);
    }
    report("four sub-agents side by side, to one", median(ratios), "x", 2.6);
}

void tree(int count) {
    constexpr int sub_agents = 100;
    new_home("tree", "builtin/script");
    default_model("builtin/script");
    for (int i = 0; i < sub_agents; ++i)
        run({bin + "/chorus-run", "a", "--spawn", "explorer", prompt});
    report("status of an agent with 100 sub-agents",
           run_many({bin + "/chorus-tasks", "status", "a"}, count).wall_ms, "ms", 20);
}

void read_back(int count) {
    constexpr int messages = 10'000;
    new_home("moved", "builtin/script");
    const fs::path path = scratch / "session.md";
    std::ofstream file(path);
    file << "# explorer-20261128120000-long\n";
    for (int i = 1; i <= messages; ++i)
        file << "\n<!-- message " << i << (i % 2 == 1 ? " {\"extra\":{\"starts_turn\":true}}" : "")
             << " -->\n"
             << (i % 2 == 1 ? "## User" : "## Assistant") << " · 2026-11-28T12:00:00.000Z\n\n"
             << "message number " << i
             << " of usual length, about one hundred and eighty bytes of text as people and models "
                "write it to each other when they work on something together\n";
    file.close();
    std::vector<double> walls;
    for (int i = 0; i < count; ++i) {
        const std::string agent = "m" + std::to_string(i);
        run({bin + "/chorus-init", agent, "--model", "builtin/script"});
        walls.push_back(wall_ms({bin + "/chorus-context", "import", agent, path}));
    }
    report("session.md of 10,000 messages, read back", median(walls), "ms", 300);
}

}  // namespace

void sub_agents(int count) {
    spawned_turn(count);
    side_by_side(count);
    tree(count);
    read_back(count);
}

}  // namespace bench
