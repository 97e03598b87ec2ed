// The verbs of chorus-tasks.
#pragma once

#include "cli/command.hpp"

namespace chorus::command {

cli::Verb answer_verb();
cli::Verb approve_verb();
cli::Verb cancel_verb();
cli::Verb deny_verb();
cli::Verb events_verb();
cli::Verb kill_verb();
cli::Verb list_verb();
cli::Verb log_verb();
cli::Verb pending_verb();
cli::Verb ready_verb();
cli::Verb run_verb();
cli::Verb status_verb();
cli::Verb steps_verb();
cli::Verb threads_verb();
cli::Verb wait_verb();
// Without a verb: all agents.
extern const cli::Options overview;

}  // namespace chorus::command
