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
    std::string mark;  // tells one content from another
    friend auto operator<=>(const Plant&, const Plant&) = default;
};

// A workspace is given by a path without links, found once: where a directory of that path was
// exchanged for a link since, there is nothing.
class Plants {
  public:
    // ".mcp.json" and its like, at the top of a workspace, and ".hg/hgrc" below that. In the
    // sandbox the former are read-only.
    static std::span<const std::string_view> settings_files();
    static bool is_settings_file(std::string_view path);
    // Whether a path is in a repository, or the configuration of one around it makes it part of
    // itself: as an included file, in core.hooksPath, or as a word of what runs programs.
    static bool is_pointed_to(const std::string& workspace, std::string_view path);
    // All that is there now. The whole tree is looked through, no link followed, nothing run.
    static Plants in(const std::string& workspace);

    // "sub/.git/config: core.fsmonitor": what is here and was not in `before`.
    std::vector<std::string> since(const Plants& before) const;
    // Such lines in one sentence without a stop, "" of none: "there came to be …".
    static std::string told(const std::vector<std::string>& lines);

    // For another process to compare with.
    std::string text() const;
    static Plants parse(std::string_view text);

  private:
    std::set<Plant> all_;
};

}  // namespace chorus::sys
