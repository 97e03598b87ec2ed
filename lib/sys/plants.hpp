// What a command can leave in its workspace for programs outside the sandbox to obey, where mounts
// cannot prevent it: repositories that it makes or finds below the workspace, whose configuration
// or hooks run programs, and settings files of other programs.
#pragma once

#include <compare>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace chorus::sys {

struct Plant {
    std::string path;  // relative to the workspace
    std::string what;  // "core.fsmonitor", "a hook"
    std::string mark;  // identifies the content
    friend auto operator<=>(const Plant&, const Plant&) = default;
};

// A report says what changed, in one clause without a full stop: "files changed that …". Where
// nothing changed, both texts are "".
struct PlantReport {
    std::string line;    // for people and the model: of many, the first few
    std::string record;  // for the audit log: all paths, up to 1 MiB
};

// A workspace is given by a path without links, resolved once. Where a directory of that path was
// replaced by a link since, nothing is found.
class Plants {
  public:
    // The settings files of a workspace: ".mcp.json" and others at its top, which are read-only in
    // the sandbox, and ".hg/hgrc" and others below.
    static std::span<const std::string_view> settings_files();
    static bool is_settings_file(std::string_view path);
    // Whether a path is in a repository, or the configuration of a repository around it refers to
    // it: as an included file, in core.hooksPath, or as a word of a key that runs programs.
    static bool is_pointed_to(const std::string& workspace, std::string_view path);
    // Finds all plants in the whole tree. Follows no link and runs nothing.
    static Plants in(const std::string& workspace);

    // Returns what is here and was not in `before`, the paths with the fewest parts first:
    // "sub/.git/config: core.fsmonitor".
    std::vector<std::string> since(const Plants& before) const;
    // The same for people: of each path the first few changes.
    PlantReport report_since(const Plants& before) const;

    // For another process to compare with.
    std::string text() const;
    static Plants parse(std::string_view text);

  private:
    std::vector<const Plant*> new_since(const Plants& before) const;
    std::set<Plant> all_;
};

}  // namespace chorus::sys
