// The verbs of chorus-tasks.
#pragma once

#include "cli/command.hpp"

namespace chorus::command {

extern const cli::Verb answer_verb;
extern const cli::Verb approve_verb;
extern const cli::Verb cancel_verb;
extern const cli::Verb deny_verb;
extern const cli::Verb events_verb;
extern const cli::Verb kill_verb;
extern const cli::Verb list_verb;
extern const cli::Verb log_verb;
extern const cli::Verb pending_verb;
extern const cli::Verb ready_verb;
extern const cli::Verb run_verb;
extern const cli::Verb status_verb;
extern const cli::Verb steps_verb;
extern const cli::Verb threads_verb;
extern const cli::Verb wait_verb;
// Without a verb: all agents.
extern const cli::Options overview;

}  // namespace chorus::command
