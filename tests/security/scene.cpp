#include "security/scene.hpp"

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "chat/json_text.hpp"

namespace chorus::security {

Scene::Scene(const std::string& base) {
    const fs::path parent = fs::is_directory(base) ? fs::path(base) : fs::temp_directory_path();
    std::string pattern = (parent / "chorus-security-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error(pattern);
    top_ = fs::canonical(pattern).string();
    fs::create_directory(workspace());
    fs::create_directory(outside());
}

Scene::~Scene() {
    std::error_code ignored;
    fs::remove_all(top_, ignored);
}

Place::Place(const Scene& scene)
    : root_(scene.workspace()),
      workplace_{.root = root_,
                 .home_configuration = home_configuration_,
                 .catalog = catalog_,
                 .agent = "a",
                 .sandbox = {.workspace = scene.workspace()},
                 .environment = {"PATH=/usr/bin:/bin"},
                 .sandbox_problem = {},
                 .stop = {},
                 .file_lock_path = scene.top() + "/lock"} {}

chat::ToolResult Place::call(std::string_view tool, const std::string& arguments,
                             const std::string& path) const {
    const std::string rest = arguments == "{}" ? "}" : ", " + arguments.substr(1);
    return call(tool, "{\"path\": " + chat::quoted(path) + rest);
}

chat::ToolResult Place::call(std::string_view tool, const std::string& arguments) const {
    const tools::Tool* found = tools::find_tool(tool);
    if (found == nullptr) throw std::runtime_error("no tool " + std::string(tool));
    const tools::Arguments parsed = tools::Arguments::parse(arguments);
    const std::string problem = tools::check_arguments(*found, parsed);
    if (!problem.empty()) return {problem, true};
    try {
        tools::Planned planned = tools::plan(*found, parsed, workplace_);
        if (auto* refused = std::get_if<chat::ToolResult>(&planned)) return *refused;
        return *std::get<tools::Plan>(planned).apply();
    } catch (const std::exception& error) {
        return {error.what(), true};
    }
}

void put(const std::string& path, const std::string& content) {
    std::ofstream(path, std::ios::binary) << content;
}

std::string text_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::string fingerprint(const std::string& directory) {
    std::vector<std::string> lines;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
        struct stat status {};
        lstat(entry.path().c_str(), &status);
        std::string line = entry.path().string() + " " + std::to_string(status.st_ino) + " " +
                           std::to_string(status.st_mode) + " " + std::to_string(status.st_nlink) +
                           " " + std::to_string(status.st_ctim.tv_sec) + "." +
                           std::to_string(status.st_ctim.tv_nsec);
        if (S_ISREG(status.st_mode)) line += " " + text_of(entry.path());
        lines.push_back(std::move(line));
    }
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
}

std::uint64_t clock_seed() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(now).count());
}

}  // namespace chorus::security
