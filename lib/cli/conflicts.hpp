// Options that make no sense together (cli/conflicts.txt).
#pragma once

namespace CLI {
class App;
}

namespace chorus::cli {

// For the app of a program, to be called when all options were added: those of the table exclude
// each other. Error(internal) where the table names an option that the program lacks.
void refuse_conflicts(CLI::App& app);

}  // namespace chorus::cli
