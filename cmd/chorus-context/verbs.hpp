// The verbs of chorus-context, each in the file of its name, and the frame that they share.
#pragma once

#include "command/verb.hpp"

namespace chorus::command {

extern const cli::Verb artifacts_verb;
extern const cli::Verb audit_verb;
extern const cli::Verb backup_verb;
extern const cli::Verb branch_verb;
extern const cli::Verb branches_verb;
extern const cli::Verb checkpoints_verb;
extern const cli::Verb clear_verb;
extern const cli::Verb compact_verb;
extern const cli::Verb explain_verb;
extern const cli::Verb export_verb;
extern const cli::Verb history_verb;
extern const cli::Verb idle_save_verb;
extern const cli::Verb import_verb;
extern const cli::Verb log_verb;
extern const cli::Verb messages_verb;
extern const cli::Verb pack_verb;
extern const cli::Verb restore_verb;
extern const cli::Verb rewind_verb;
extern const cli::Verb save_verb;
extern const cli::Verb scope_verb;
extern const cli::Verb search_verb;
extern const cli::Verb show_verb;
extern const cli::Verb switch_verb;
extern const cli::Verb usage_verb;
extern const cli::Verb verify_verb;

}  // namespace chorus::command
