// The configuration of a sub-agent: YAML front matter and a system message (chorus-preset(5)).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/configuration.hpp"
#include "agent/layout.hpp"

namespace chorus::agent {

// Globs say what a sub-agent may touch (sys::PathRules). They are relative to the directory it
// works in. An absent list does not limit it.
struct PathLists {
    std::optional<std::vector<std::string>> read = {};
    std::optional<std::vector<std::string>> write = {};
    std::vector<std::string> deny = {};

    bool operator==(const PathLists&) const = default;
};

struct Preset {
    std::string model = {};  // "provider/name", or a name alone; "": the home's default
    std::string description = {};
    std::optional<std::vector<std::string>> tools = {};  // absent: all
    std::string tools_place = {};                        // "Failed to load preset from P: line 3"
    std::optional<Permissions> permissions = {};         // absent: its parent's
    bool confirm_calls = false;  // what the permissions allow is asked nevertheless
    bool isolate = false;
    ModelOptions options = {};
    PathLists paths = {};
    std::string system_message = {};
    std::vector<std::string> unread = {};  // keys of the front matter that nothing reads
};

// Where the front matter stands in the text: its first byte, and the first byte of the line that
// ends it.
struct FrontMatter {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t body = 0;  // the first byte after that line
    bool is_ended = true;
};
// Nothing for a text whose first line is not "---".
std::optional<FrontMatter> find_front_matter(std::string_view text);

// Error(config_invalid): "Failed to load preset from <path>: line 3: tools: ...". Names of tools
// are not checked.
Preset parse_preset(std::string_view text, std::string_view path);
Preset load_preset(const std::string& path);
// Returns the text of the file; the same errors.
std::string preset_text(const std::string& path);
// Returns what the preset says of an agent's configuration. Without permissions it has `open`: it
// never has more than its parent.
Configuration configuration_of(const Preset& preset);
// Returns the names of all presets, sorted: the files NAME.md of the home's presets/ and of the
// installed ones, whose name is one (base::is_agent_name).
std::vector<std::string> preset_names(const Home& home);
// Returns the path of a preset; the home's before the installed one. Error(bad_request) with the
// known names.
std::string require_preset(const Home& home, const std::string& name);

// Returns the text with these lists as its `paths`. Comments, other keys and the body stay as they
// are, byte for byte; Error(config_invalid) where that cannot be done.
std::string with_paths(std::string_view text, const PathLists& paths, std::string_view path);

}  // namespace chorus::agent
