#include "fault/server.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>

namespace fault {
namespace {

constexpr int start_tries = 20'000;
constexpr unsigned start_pause_us = 500;

}  // namespace

Json say(const std::string& text, const Json& calls) {
    Json said{{"text", text}};
    if (!calls.empty()) said["tool_calls"] = calls;
    return {{"say", said}};
}

Json call(const std::string& id, const std::string& tool, const Json& arguments) {
    return {{"id", id}, {"name", tool}, {"arguments", arguments}};
}

Server::Server(const std::string& program, const std::string& directory, const Json& answers)
    : directory_(directory) {
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directories(directory_ + "/log");
    write_text(directory_ + "/script", Json{{"answers", answers}, {"after", "repeat-last"}}.dump());
    server_ =
        std::make_unique<Command>(Words{program, "--script", directory_ + "/script", "--log",
                                        directory_ + "/log", "--port-file", directory_ + "/port"},
                                  Variables{});
    for (int tries = 0; port_.empty(); ++tries) {
        if (tries > start_tries) give_up("the loopback provider did not start");
        usleep(start_pause_us);
        port_ = read_text(directory_ + "/port");
    }
    port_.pop_back();
}

Variables Server::variables() const {
    return {{"CHORUS_ANTHROPIC_BASE_URL", "http://127.0.0.1:" + port_},
            {"ANTHROPIC_API_KEY", "sk-test-0123456789abcdef"}};
}

std::vector<Json> Server::requests() const {
    std::vector<Json> all;
    for (int k = 1; all.size() < most_; ++k) {
        std::array<char, 24> name{};
        std::snprintf(name.data(), name.size(), "/log/%04d.json", k);
        const std::string body = read_text(directory_ + name.data());
        if (body.empty()) return all;
        all.push_back(Json::parse(body));
    }
    return all;
}

}  // namespace fault
