// Whether a call that was killed had its effect: told from the evidence committed with its intent
// (chorus(7), section RELIABILITY).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sys/beneath.hpp"

namespace chorus::tools {

// What a file holds, as evidence names it: SHA-256.
std::string content_hash(std::string_view content);
extern const std::string no_file;  // stands for a hash where there is no file

// Of a file in `root`.
struct Before {
    std::string hash;                 // no_file where there is none, "" where it cannot be told
    std::optional<std::string> text;  // nothing in both cases
};
Before before_write(const sys::Root& root, const std::string& path);

// {"path": "a.txt", "before": "<hash>", "after": "<hash>"}
std::string file_evidence(const std::string& path, const std::string& before,
                          const std::string& after);
// The same of a file in the agent's directory, not in what the call works in; and which it is.
std::string own_file_evidence(const std::string& path, const std::string& before,
                              const std::string& after);
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
    std::string what;  // for the model, of a done one: "a.txt was written"
};
// `root` is what the call worked in, or the agent's directory for a file there. Never throws for
// what the evidence names; unreadable is unclear.
Trace find_effect(const std::string& evidence, const sys::Root& root);

}  // namespace chorus::tools
