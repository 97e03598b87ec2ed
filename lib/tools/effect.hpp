// Finds out whether a killed call had its effect, from the evidence committed with its intent
// (chorus(7), section RELIABILITY).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sys/beneath.hpp"

namespace chorus::tools {

// Returns the SHA-256 of a file's content, as evidence records it.
std::string content_hash(std::string_view content);
extern const std::string no_file;  // takes the place of a hash if there is no file

// The state of a file in `root` before a write.
struct Before {
    std::string hash;                 // no_file if there is none, "" if unknown
    std::optional<std::string> text;  // nothing in both cases
};
Before before_write(const sys::Root& root, const std::string& path);

// {"path": "a.txt", "before": "<hash>", "after": "<hash>"}, with "of": of_agent for a file in the
// agent's directory instead of the call's root.
constexpr std::string_view of_agent = "agent";
std::string file_evidence(const std::string& path, const std::string& before,
                          const std::string& after, std::string_view of = "");
bool is_of_own_file(const std::string& evidence);
// {"commit": "<id>"}
std::string commit_evidence(const std::string& id);

enum class Effect {
    done,
    absent,   // everything is as it was before: the call may run
    unclear,  // no evidence, or something else happened since
};
struct Trace {
    Effect effect = Effect::unclear;
    std::string what;  // for the model: "a.txt was written"; "" if nothing is known
};
// `root` is what the call worked in, or the agent's directory for a file there. Never throws
// because of what the evidence names; what cannot be read is unclear.
Trace find_effect(const std::string& evidence, const sys::Root& root);

}  // namespace chorus::tools
