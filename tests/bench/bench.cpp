// The figures of the README, measured in one run: whole processes, medians, ratios pair by pair.
//   bench BIN-DIRECTORY TEST-BIN-DIRECTORY        exit 1 where a figure does not hold
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>

#include "measure.hpp"

namespace {

using namespace bench;

void set_config(const std::string& json) {
    std::ofstream(fs::path(getenv("CHORUS_HOME")) / "config.json") << json;
}

Words turn(const Words& more = {}) {
    Words words{bin + "/chorus-run", "a"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

Words fresh_turn() {
    return turn({"--fresh", "say hello"});
}

Words floor_turn(const std::string& url, const Words& more = {}) {
    Words words{test_bin + "/floor", fs::path(getenv("CHORUS_HOME")) / "chorus.db", url,
                scratch / "body.json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

void write_body() {
    const std::string command =
        bin + "/chorus-run a --dry-run 'say hello' </dev/null >" + (scratch / "body.json").string();
    if (std::system(command.c_str()) != 0) std::exit(1);
}

void one_line_turns(int count) {
    const Server server;
    setenv("CHORUS_ANTHROPIC_BASE_URL", ("http://127.0.0.1:" + server.port()).c_str(), 1);
    new_home("one", "anthropic/bench");
    write_body();
    const std::string url = "http://127.0.0.1:" + server.port() + "/v1/messages";
    const Words floor = floor_turn(url);
    const Pair fresh = run_pairs(fresh_turn(), floor, count);
    std::printf(
        "  floor %.2f ms wall, %.2f ms cpu, %.1f MiB; chorus-run %.2f ms wall, %.2f ms cpu\n",
        fresh.b.wall_ms, fresh.b.cpu_ms, fresh.b.peak_mib, fresh.a.wall_ms, fresh.a.cpu_ms);
    report("one-line turn, fresh: wall to floor", fresh.ratio, "x", 0.85);
    report("one-line turn, fresh: scaled to a floor of 8 ms", fresh.ratio * 8, "ms", 10);
    new_home("script", "builtin/script");
    report("builtin/script, one line: scaled to a floor of 8 ms",
           run_pairs(fresh_turn(), floor_turn(url), count).ratio * 8, "ms", 4);
    scale_to_floor(fresh.b.wall_ms);
    report("one-line turn: peak memory", fresh.a.peak_mib, "MiB", 10);
    new_home("resumed", "anthropic/bench");
    run(turn({"say hello"}));
    const Pair resumed = run_pairs(turn({"say hello"}), floor, count);
    report("one-line turn, resumed: wall to floor", resumed.ratio, "x", 0.85);
}

void tls_turns(int count) {
    const std::string cert = scratch / "cert.pem";
    const std::string key = scratch / "key.pem";
    const fs::path directory = scratch / "ca";
    fs::create_directory(directory);
    const Server server({"--tls", cert, key});
    const std::string hash = "cp '" + cert + "' '" + directory.string() +
                             "/server.pem' && openssl rehash '" + directory.string() +
                             "' >/dev/null";
    if (std::system(hash.c_str()) != 0) std::exit(1);
    setenv("SSL_CERT_DIR", directory.c_str(), 1);
    setenv("CHORUS_ANTHROPIC_BASE_URL", ("https://127.0.0.1:" + server.port()).c_str(), 1);
    new_home("tls", "anthropic/bench");
    const Pair pair = run_pairs(
        fresh_turn(),
        floor_turn("https://127.0.0.1:" + server.port() + "/v1/messages", {directory}), count);
    std::printf("  floor %.2f ms, chorus-run %.2f ms\n", pair.b.wall_ms, pair.a.wall_ms);
    report("one-line turn over TLS: wall to floor", pair.ratio, "x", 0.9);
    unsetenv("SSL_CERT_DIR");
}

std::string calls(int count) {
    std::string prompt = "calls";
    for (int i = 0; i < count; ++i) prompt += "\n/bash true";
    return prompt;
}

// The mount points that went with the command (chorus(7), SANDBOX) are there again.
void make_mount_points(const Words& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        const fs::path path = words[i];
        if (words[i - 1] != "--ro-bind" || fs::exists(path) ||
            path.parent_path().filename() != ".git")
            continue;
        const bool is_file = path.filename() == "commondir" || path.has_extension();
        if (is_file)
            std::ofstream(path) << (path.filename() == "commondir" ? "./\n" : "");
        else
            fs::create_directory(path);
    }
}

// The very arguments that chorus-run gives bubblewrap, recorded by one that config.json names,
// without the inner program, whose descriptors are chorus-run's own.
Words recorded_bwrap() {
    const fs::path directory = scratch / "recording";
    fs::create_directory(directory);
    const std::string record = directory / "arguments";
    std::ofstream(directory / "bwrap")
        << "#!/bin/bash\nprintf '%s\\0' \"$@\" >'" << record << "'\nexec bwrap \"$@\"\n";
    fs::permissions(directory / "bwrap", fs::perms::owner_all);
    set_config(R"({"sandbox": "workspace", "programs": {"bwrap": ")" +
               (directory / "bwrap").string() + R"("}})");
    run(turn({"--fresh", calls(1)}));
    Words words{"bwrap"};
    std::ifstream file(record);
    for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
    const auto inner = std::find_if(words.begin(), words.end(), [](const std::string& word) {
        return word.rfind("/proc/self/fd/", 0) == 0;
    });
    words.erase(inner, std::next(std::find(inner, words.end(), "--")));
    make_mount_points(words);
    return words;
}

double wall_of(const Words& words, int times) {
    double sum = 0;
    for (int i = 0; i < times; ++i) sum += run(words).wall_ms;
    return sum / times;
}

double durable_commit_ms() {
    constexpr int commits = 100;
    const auto with = [](int number) {
        setenv("FLOOR_COMMITS", std::to_string(number).c_str(), 1);
        const double wall = run(floor_turn("-")).wall_ms;
        unsetenv("FLOOR_COMMITS");
        return wall;
    };
    const double many = with(commits);
    return (many - with(0)) / commits;
}

// What each of twenty calls adds to a turn, less what one bare spawn and two bare commits cost: all
// of one moment, since the machine's speed drifts.
double beyond_bare(const std::string& sandbox, const Words& bare, int count) {
    constexpr int calls_in_turn = 20;
    constexpr int spawns = 10;
    set_config("{\"sandbox\": \"" + sandbox + "\"}");
    const Words none = turn({"--fresh", "calls"});
    const Words twenty = turn({"--fresh", "--max-iterations", "50", calls(calls_in_turn)});
    std::vector<double> per_call;
    std::vector<double> per_spawn;
    std::vector<double> per_commit;
    std::vector<double> beyond;
    for (int i = 0; i < count; ++i) {
        const double with_calls = run(twenty).wall_ms;
        per_call.push_back((with_calls - run(none).wall_ms) / calls_in_turn);
        per_spawn.push_back(wall_of(bare, spawns));
        per_commit.push_back(durable_commit_ms());
        beyond.push_back(per_call.back() - per_spawn.back() - 2 * per_commit.back());
    }
    std::printf("  per call %.2f ms; bare %s %.2f ms; a durable commit %.2f ms\n", median(per_call),
                bare[0].c_str(), median(per_spawn), median(per_commit));
    return median(beyond);
}

void tool_calls(int count) {
    new_home("tools", "builtin/script");
    report("tool call, sandbox off: beyond bash and two commits",
           beyond_bare("off", {"bash", "-c", "true"}, count), "ms", 2);
    const Words bwrap = recorded_bwrap();
    report("tool call, sandbox on: beyond bwrap and two commits",
           beyond_bare("workspace", bwrap, count), "ms", 4);
}

void add_messages(int count) {
    sql(fs::path(getenv("CHORUS_HOME")) / "chorus.db",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
            std::to_string(count) +
            ") INSERT INTO messages (agent_id, thread_id, turn_id, role, content, tool_calls, "
            "tool_call_id, extra, "
            "timestamp) SELECT 1, 1, NULL, CASE i % 2 WHEN 1 THEN 'user' ELSE 'assistant' END, "
            "'message number ' || i || ' of usual length, about one hundred and eighty bytes of "
            "text as people and "
            "models write it to each other when they work on something together', '', '', "
            "CASE i % 2 WHEN 1 THEN '{\"starts_turn\":true}' END, "
            "CAST(strftime('%s','now') AS INTEGER) * 1000 FROM n;");
}

void growth(int count) {
    const Server server;
    setenv("CHORUS_ANTHROPIC_BASE_URL", ("http://127.0.0.1:" + server.port()).c_str(), 1);
    const auto begin = [](const std::string& name, int inside) {
        new_home(name, "anthropic/bench");
        add_messages(inside);
    };
    const auto wall_in = [](const std::string& name) {
        setenv("CHORUS_HOME", home_of(name).c_str(), 1);
        return run(turn({"say hello"})).wall_ms;
    };
    begin("growth-200", 200);
    begin("growth-4200", 4200);
    std::vector<double> small;
    std::vector<double> large;
    std::vector<double> growth;
    for (int i = 0; i < count; ++i) {
        small.push_back(wall_in("growth-200"));
        large.push_back(wall_in("growth-4200"));
        growth.push_back((large.back() - small.back()) / 4);
    }
    std::printf("  200 messages %.2f ms, 4,200 messages %.2f ms\n", median(small), median(large));
    report("growth per 1,000 messages in the window", median(growth), "ms", 2);

    begin("old", 1'000'000);
    sql(fs::path(home_of("old")) / "chorus.db",
        "UPDATE agents SET last_clear_message = (SELECT max(id) FROM messages) - 200; PRAGMA "
        "wal_checkpoint(TRUNCATE);");
    begin("young", 200);
    std::vector<double> ratios;
    for (int i = 0; i < count; ++i) {
        const double old = wall_in("old");
        ratios.push_back(old / wall_in("young"));
    }
    report("1,000,000 stored to 200 stored, 200 in the window", median(ratios), "x", 1.2);
}

// Prompts and answers as add_messages makes them, each pair a turn of its own.
void export_page(int count) {
    new_home("page", "builtin/script");
    add_messages(10'000);
    sql(fs::path(getenv("CHORUS_HOME")) / "chorus.db",
        "INSERT INTO turns (id, agent_id, thread_id, turn_number, state, reason, actor, model, "
        "profile, "
        "attempt, started_at, ended_at, iterations, tool_calls, current_step, error_category, "
        "error_detail, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, "
        "cost, "
        "options, result, working_directory, prefix_hash, commit_before, commit_after) "
        "SELECT id, 1, 1, id, 'idle', '', '', 'm', 'open', 1, timestamp, timestamp, 1, 1, '', '', "
        "'', "
        "id % 9999, id % 777, 0, 0, 1000, '', '', '', '', '', '' FROM messages WHERE id % 2 = 1; "
        "UPDATE messages SET turn_id = id - (id + 1) % 2; "
        "UPDATE messages SET tool_calls = "
        "'[{\"id\":\"c\",\"name\":\"bash\",\"arguments\":\"{\\\"command\\\":\\\"make\\\"}\"}]' "
        "WHERE id % 4 = 2; "
        "UPDATE messages SET role = 'tool_result', tool_call_id = 'c' WHERE id % 4 = 3");
    const Words words{bin + "/chorus-context", "export", "a", "--force", "-o",
                      scratch / "page.html"};
    report("10,000 messages as an HTML page", run_many(words, count).wall_ms, "ms", 1000);
}

// A year of calls of three models, and the sums that settling them makes.
void usage(int count) {
    new_home("usage", "builtin/script");
    const std::string path = fs::path(getenv("CHORUS_HOME")) / "chorus.db";
    sql(path,
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000) "
        "INSERT INTO model_calls SELECT CAST(strftime('%s','now') AS INTEGER) * 1000000 - i * "
        "31500000, 1, i, 'p/m' || i % 3, '', 'settled', NULL, NULL, i % 9999, i % 777, 0, "
        "0, 0, 1000 FROM n; "
        "INSERT INTO usage_sums SELECT date(id / 1000000, 'unixepoch', 'localtime'), agent_id, "
        "model, profile, count(*), count(*), 0, sum(input_tokens), sum(output_tokens), 0, 0, 0, "
        "sum(cost) FROM model_calls GROUP BY 1, 2, 3, 4; PRAGMA wal_checkpoint(TRUNCATE);");
    const auto wall = [&](const Words& more) {
        Words words{bin + "/chorus-context", "usage"};
        words.insert(words.end(), more.begin(), more.end());
        return run_many(words, count).wall_ms;
    };
    report("usage by day over 1,000,000 model calls", wall({}), "ms", 100);
    report("usage by model of the last two hours", wall({"--by", "model", "--since", "2h"}), "ms",
           100);
}

void throughput() {
    const Server server;
    setenv("CHORUS_ANTHROPIC_BASE_URL", ("http://127.0.0.1:" + server.port()).c_str(), 1);
    new_home("many", "anthropic/bench");
    for (int i = 2; i <= 8; ++i)
        run({bin + "/chorus-init", "a" + std::to_string(i), "--model", "anthropic/bench"});
    constexpr int turns_each = 60;
    const double begin = now_ms();
    std::vector<std::thread> workers;
    for (int i = 1; i <= 8; ++i)
        workers.emplace_back([i] {
            const std::string agent = i == 1 ? "a" : "a" + std::to_string(i);
            for (int k = 0; k < turns_each; ++k)
                run({bin + "/chorus-run", agent, "--fresh", "say hello"});
        });
    for (std::thread& worker : workers) worker.join();
    report("turns per second, eight at a time", 8 * turns_each / ((now_ms() - begin) / 1000), "/s",
           150, true);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 3) return 2;
    bin = argv[1];
    test_bin = argv[2];
    char pattern[] = "/tmp/chorus-bench-XXXXXX";
    scratch = mkdtemp(pattern);
    setenv("ANTHROPIC_API_KEY", "sk-test-0123456789abcdef", 1);
    for (const char* variable : {"CURL_CA_BUNDLE", "SSL_CERT_FILE", "CHORUS_MODEL"})
        unsetenv(variable);
    const int count = argc > 3 ? std::atoi(argv[3]) : 31;
    one_line_turns(count);
    tls_turns(count);
    streaming(std::max(5, count / 3));
    tool_calls(count);
    growth(std::max(5, count / 3));
    export_page(std::max(5, count / 3));
    usage(std::max(5, count / 3));
    history(std::max(5, count / 3));
    sub_agents(std::max(5, count / 3));
    throughput();
    durability();
    fs::remove_all(scratch);
    return failures == 0 ? 0 : 1;
}
