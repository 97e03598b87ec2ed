// Reads the values of options of chorus-run, and the files that they name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "channel/trace.hpp"
#include "cli/prompt_input.hpp"
#include "place/turn_options.hpp"

namespace chorus::run_command {

// Returns the schema that --json-schema gives, as JSON or in a file. Throws Error(bad_request).
std::string schema_given(const std::string& given);

// Throws Error(bad_request) unless --temperature is a number from 0 to 2.
double temperature_given(const std::string& text);

// Returns the JSON object that the KEY=VALUE pairs of --meta make, "" for none. Throws
// Error(bad_request).
std::string metadata_given(const std::vector<std::string>& pairs);

// Reads the files of -a and finds out what they are. With "-" among them, stdin is not part of the
// prompt. Throws Error(bad_request).
void use_attachments(place::TurnOptions& turn, const std::vector<std::string>& paths,
                     cli::PromptSources& prompt,
                     const std::function<void(const std::string&)>& notice);

// Opens the file of --trace, or of CHORUS_TRACE, where `given` is "". Child processes get both
// CHORUS_TRACE and TRACEPARENT from the environment. Nothing where neither is set.
std::unique_ptr<channel::Trace> open_trace(const std::string& given, sys::Environment& environment,
                                           const agent::Home& home);

// Opens the recording that the model names, and the file of --record ("": none), which must be a
// regular or a new one, not that of -o, and not one of the home. Throws Error(bad_request).
void use_recordings(place::TurnOptions& turn, const std::string& record,
                    const std::string& other_output, const agent::Home& home);

}  // namespace chorus::run_command
