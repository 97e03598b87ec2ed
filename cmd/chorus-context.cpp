#include "chorus-context/verbs.hpp"

int main(int argc, char** argv) {
    using namespace chorus;
    return command::run_program(
        argc, argv,
        {.name = "chorus-context",
         .description = "Read and change what is recorded about agents: messages, sessions, "
                        "branches, audit log.",
         .verbs = {command::artifacts_verb, command::audit_verb,    command::backup_verb,
                   command::branch_verb,    command::branches_verb, command::checkpoints_verb,
                   command::clear_verb,     command::compact_verb,  command::explain_verb,
                   command::export_verb,    command::history_verb,  command::idle_save_verb,
                   command::import_verb,    command::log_verb,      command::messages_verb,
                   command::pack_verb,      command::restore_verb,  command::rewind_verb,
                   command::save_verb,      command::scope_verb,    command::search_verb,
                   command::show_verb,      command::switch_verb,   command::usage_verb,
                   command::verify_verb}});
}
