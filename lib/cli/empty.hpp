// Values that are empty: template="$DIR" of a script that never set DIR must not mean that the
// option was not given.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace chorus::cli {

// Every option that takes a value, and every argument, of the verbs too, refuses an empty one,
// except for those named: "--description", "VALUE". To be called when all were added.
void refuse_empty_values(CLI::App& app, const std::vector<std::string_view>& except);
// "--template=": what follows the sign is missing. CLI11 takes the next word for the value of an
// option, and nothing for that of a flag. "" where there is none; nothing after "--" is looked at.
std::string find_empty_word(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace chorus::cli
