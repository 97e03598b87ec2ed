#include "fault/world.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace fault {
namespace {

namespace fs = std::filesystem;

void copy_tree(const std::string& from, const std::string& to) {
    fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
}

const char* name(Sandbox sandbox) {
    return sandbox == Sandbox::on ? "/sandboxed" : "/open";
}

}  // namespace

std::string contents(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

World::World(Programs programs, std::string directory, std::string prepared)
    : programs_(std::move(programs)),
      directory_(std::move(directory)),
      prepared_(std::move(prepared)),
      home_(directory_ + "/home") {
    fs::create_directories(directory_ + "/user");
    fs::create_directories(prepared_);
}

Launch World::turn_launch(const std::vector<std::string>& arguments) const {
    Launch launch;
    launch.arguments = {programs_.run};
    launch.arguments.insert(launch.arguments.end(), arguments.begin(), arguments.end());
    launch.environment = {"PATH=/usr/local/bin:/usr/bin:/bin",
                          "LC_ALL=C.UTF-8",
                          "HOME=" + directory_ + "/user",
                          "CHORUS_HOME=" + home_,
                          "CHORUS_ANTHROPIC_BASE_URL=" + provider_.url(),
                          std::string("ANTHROPIC_API_KEY=") + canary};
    launch.out_path = directory_ + "/out";
    launch.err_path = directory_ + "/err";
    return launch;
}

Ended World::init(const std::vector<std::string>& arguments, long kill_at) {
    Launch launch = turn_launch(arguments);
    launch.arguments[0] = programs_.init;
    launch.kill_at = kill_at;
    forget_words();
    const Ended ended = fault::launch(launch);
    witness_.printed += out() + err();
    return ended;
}

void World::prepare() {
    for (const Sandbox sandbox : {Sandbox::off, Sandbox::on}) {
        begin_empty();
        const bool on = sandbox == Sandbox::on;
        if (init({"a", "--model", "anthropic/m", "--permissions", on ? "sandboxed" : "open"})
                .status != 0)
            throw std::runtime_error("chorus-init: " + err());
        write(home_ + "/config.json", std::string(R"({"max_retries": 0, "sandbox": ")") +
                                          (on ? "workspace" : "off") + "\"}\n");
        if (say("say 0").status != 0) throw std::runtime_error("chorus-run: " + err());
        const std::string target = prepared_ + name(sandbox);
        fs::remove_all(target);
        fs::rename(home_, target);
    }
}

void World::begin(Sandbox sandbox) {
    begin_empty();
    copy_tree(prepared_ + name(sandbox), home_);
    // what the prepared home holds already
    witness_.sent = {"say 0"};
    witness_.accepted = {{"1", "say 0"}};
    witness_.finished = {"1"};
}

void World::begin_empty() {
    fs::remove_all(home_);
    provider_.take_requests();
    witness_ = {};
}

Ended World::say(const std::string& text, long kill_at) {
    Launch launch = turn_launch({"a", "-p", text, "--output-format", "stream-json"});
    launch.kill_at = kill_at;
    return run(std::move(launch), text);
}

Ended World::resume(long kill_at) {
    Launch launch = turn_launch({"a", "--resume", "--output-format", "stream-json"});
    launch.kill_at = kill_at;
    return run(std::move(launch), "");
}

Ended World::run(Launch launch, const std::string& sent) {
    if (!sent.empty()) witness_.sent.push_back(sent);
    forget_words();
    const Ended ended = fault::launch(launch);
    for (Request& request : provider_.take_requests())
        witness_.requests.push_back(std::move(request));
    witness_.printed += out() + err();
    witness_events(sent);
    return ended;
}

// What was told before the end: whole lines, since each is one write.
void World::witness_events(const std::string& sent) {
    const std::string text = out();
    for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
        const Json event = Json::parse(text.substr(begin, end - begin), nullptr, false);
        if (!event.is_object()) continue;
        const std::string kind = event.value("kind", "");
        const std::string turn = event.value("taskId", "");
        if (kind == "task" && !sent.empty()) witness_.accepted.push_back({turn, sent});
        if (kind == "message" && event.value("role", "") == "assistant")
            witness_.answers.push_back(
                {std::to_string(event.value("messageId", 0)), event.value("text", "")});
        if (kind == "tool-complete")
            witness_.results.push_back({event.value("toolCallId", ""), event.value("outcome", "")});
        if (kind == "status-update" && event.value("final", false) &&
            event["status"].value("state", "") == "completed")
            witness_.finished.push_back(turn);
    }
}

// Of an earlier run: this one may print elsewhere.
void World::forget_words() const {
    fs::remove(directory_ + "/out");
    fs::remove(directory_ + "/err");
}

std::string World::out() const {
    return contents(directory_ + "/out");
}
std::string World::err() const {
    return contents(directory_ + "/err");
}

void World::keep_as(const std::string& path) const {
    fs::remove_all(path);
    copy_tree(directory_, path);
}

}  // namespace fault
