// The verbs of chorus-context, each in the file of its name.
#pragma once

#include "cli/command.hpp"

namespace chorus::command {

cli::Verb artifacts_verb();
cli::Verb audit_verb();
cli::Verb backup_verb();
cli::Verb branch_verb();
cli::Verb branches_verb();
cli::Verb clear_verb();
cli::Verb compact_verb();
cli::Verb explain_verb();
cli::Verb export_verb();
cli::Verb history_verb();
cli::Verb idle_save_verb();
cli::Verb import_verb();
cli::Verb log_verb();
cli::Verb messages_verb();
cli::Verb pack_verb();
cli::Verb restore_verb();
cli::Verb rewind_verb();
cli::Verb save_verb();
cli::Verb search_verb();
cli::Verb show_verb();
cli::Verb switch_verb();
cli::Verb usage_verb();
cli::Verb verify_verb();

}  // namespace chorus::command
