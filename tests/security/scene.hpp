// Where a security test plays: a workspace, and beside it what nothing may reach.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "agent/configuration.hpp"
#include "model/catalog.hpp"
#include "sys/beneath.hpp"
#include "tools/tool.hpp"

namespace chorus::security {

namespace fs = std::filesystem;

class Scene {
  public:
    // A fresh directory below `base` (or the temporary directory, where that is not there) with
    // workspace/ and outside/ in it; gone with the object.
    explicit Scene(const std::string& base);
    ~Scene();
    Scene(const Scene&) = delete;

    const std::string& top() const { return top_; }
    std::string workspace() const { return top_ + "/workspace"; }
    std::string outside() const { return top_ + "/outside"; }

  private:
    std::string top_;
};

// The tools, in a scene's workspace.
class Place {
  public:
    explicit Place(const Scene& scene);
    const sys::Root& root() const { return root_; }
    // `arguments` is a JSON object; "path" is set in it.
    chat::ToolResult call(std::string_view tool, const std::string& arguments,
                          const std::string& path) const;
    chat::ToolResult call(std::string_view tool, const std::string& arguments) const;

  private:
    sys::Root root_;
    agent::HomeConfiguration home_configuration_;
    model::Catalog catalog_;
    tools::Workplace workplace_;
};

void put(const std::string& path, const std::string& content);
std::string text_of(const std::string& path);
// Names, kinds, inodes, change times and contents of everything below.
std::string fingerprint(const std::string& directory);
std::uint64_t clock_seed();

}  // namespace chorus::security
