// A real workspace in a temporary directory, and calls of tools in it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "agent/configuration.hpp"
#include "model/catalog.hpp"
#include "tools/tool.hpp"

namespace chorus::tools {

class Workspace : public testing::Test {
  protected:
    static std::string make_directory() {
        std::string path = std::filesystem::temp_directory_path() / "chorus-tools-XXXXXX";
        if (mkdtemp(path.data()) == nullptr) throw std::runtime_error("mkdtemp");
        std::filesystem::create_directory(path + "/workspace");
        std::ofstream(path + "/outside.txt") << "outside\n";
        return path;
    }
    ~Workspace() override { std::filesystem::remove_all(home); }

    void put(const std::string& path, const std::string& content) const {
        std::filesystem::create_directories(std::filesystem::path(at(path)).parent_path());
        std::ofstream(at(path), std::ios::binary) << content;
    }
    std::string get(const std::string& path) const {
        std::ostringstream text;
        text << std::ifstream(at(path), std::ios::binary).rdbuf();
        return text.str();
    }
    std::string at(const std::string& path) const { return root.path() + "/" + path; }

    chat::ToolResult call(const std::string& name, const std::string& json) const {
        const Tool* tool = find_tool(name);
        if (tool == nullptr) throw std::runtime_error("no tool " + name);
        const Arguments arguments = Arguments::parse(json);
        const std::string problem = check_arguments(*tool, arguments);
        if (!problem.empty()) throw std::runtime_error(problem);
        Planned planned = plan(*tool, arguments, workplace);
        if (auto* refused = std::get_if<chat::ToolResult>(&planned)) return *refused;
        return *std::get<Plan>(planned).apply();
    }
    std::string ok(const std::string& name, const std::string& json) const {
        const chat::ToolResult result = call(name, json);
        EXPECT_FALSE(result.is_error) << name << json << ": " << result.text;
        return result.text;
    }
    std::string fails(const std::string& name, const std::string& json) const {
        const chat::ToolResult result = call(name, json);
        EXPECT_TRUE(result.is_error) << name << json << ": " << result.text;
        return result.text;
    }
    std::string action_of(const std::string& name, const std::string& json) const {
        return action(*find_tool(name), Arguments::parse(json), workplace);
    }

    std::string home = make_directory();
    sys::Root root{home + "/workspace"};
    agent::HomeConfiguration home_configuration;
    model::Catalog catalog;
    Workplace workplace{.root = root,
                        .home_configuration = home_configuration,
                        .catalog = catalog,
                        .agent = "ada",
                        .sandbox = {.mode = sys::SandboxMode::off,
                                    .workspace = home + "/workspace",
                                    .readable = {},
                                    .masked = {},
                                    .program = "bwrap"},
                        .environment = {"PATH=/usr/bin:/bin"},
                        .sandbox_problem = {},
                        .stop = {},
                        .file_lock_path = home + "/files.lock"};
};

inline bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

inline std::string repeated(const std::string& text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

}  // namespace chorus::tools
