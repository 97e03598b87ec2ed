#include "chorus-context/verbs.hpp"
#include "cli/main.hpp"
#include "command/verb.hpp"
#include "life/here.hpp"
#include "place/secrets.hpp"

int main(int argc, char** argv) {
    using namespace chorus;
    return cli::run_main(
        argc, argv,
        {.name = "chorus-context",
         .description = "Read and change what is recorded about agents: messages, sessions, "
                        "branches, audit log.",
         .verbs = command::sorted({command::branch_verbs(), command::file_verbs(),
                                   command::message_verbs(), command::record_verbs(),
                                   command::session_verbs(), command::turn_verbs()}),
         .agent_here = life::name_here,
         .redact = place::redacted});
}
