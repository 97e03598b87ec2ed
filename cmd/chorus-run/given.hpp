// Reads the schema and the attachments, and opens the recordings that options of chorus-run name.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "agent/layout.hpp"
#include "cli/prompt_input.hpp"
#include "place/turn_options.hpp"

namespace chorus::run_command {

// Returns the schema that --json-schema gives, as JSON or in a file. Throws Error(bad_request).
std::string schema_given(const std::string& given);

// Reads the files of -a and finds out what they are. With "-" among them, stdin is not part of the
// prompt. Throws Error(bad_request).
void use_attachments(place::TurnOptions& turn, const std::vector<std::string>& paths,
                     cli::PromptSources& prompt,
                     const std::function<void(const std::string&)>& notice);

// Opens the recording that the model names, and the file of --record ("": none), which must be a
// regular or a new one, not that of -o, and not one of the home. Throws Error(bad_request).
void use_recordings(place::TurnOptions& turn, const std::string& record,
                    const std::string& other_output, const agent::Home& home);

}  // namespace chorus::run_command
