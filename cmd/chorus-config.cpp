#include "chorus-config/subject.hpp"

int main(int argc, char** argv) {
    using namespace chorus;
    return command::run_program(
        argc, argv,
        {.name = "chorus-config",
         .description = "Show and change settings of the home and of agents.",
         .verbs = {command::get_verb, command::set_verb, command::unset_verb, command::list_verb,
                   command::env_verb, command::models_verb, command::profiles_verb,
                   command::login_verb, command::doctor_verb, command::trim_verb,
                   command::trust_verb}});
}
