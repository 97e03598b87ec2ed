// The truth table of the presets, for every tool there is.
//
//   security_presets TABLE
#include <array>
#include <iostream>
#include <set>
#include <stdexcept>

#include "model/catalog.hpp"
#include "policy/profile.hpp"
#include "security/corpus.hpp"
#include "security/scene.hpp"
#include "tools/tool.hpp"
#include "turn/calls.hpp"

namespace chorus::security {
namespace {

using sys::SandboxMode;

// The states of the sandbox, in the order of the table's columns.
const std::array states{
    turn::shell_surroundings({.mode = SandboxMode::workspace}, std::nullopt),
    turn::shell_surroundings({.mode = SandboxMode::workspace_net}, std::nullopt),
    turn::shell_surroundings({.mode = SandboxMode::off}, std::nullopt),
    turn::shell_surroundings({.mode = SandboxMode::workspace},
                             base::Error(base::ErrorCode::failed, "bwrap: not found")),
};

char letter(policy::Verdict verdict) {
    return verdict == policy::Verdict::allow ? 'a' : verdict == policy::Verdict::ask ? 'k' : 'd';
}

// One letter where the sandbox makes no difference.
std::string verdicts(std::string_view preset, const policy::Action& action, bool each_state) {
    const auto profile = policy::Profile::preset(preset);
    std::string letters;
    for (const policy::ShellConfinement& state : states)
        letters += letter(profile->decide(action, state).verdict);
    if (each_state || letters.find_first_not_of(letters[0]) != std::string::npos) return letters;
    return letters.substr(0, 1);
}

policy::Action action_of(const Line& line, const tools::Workplace& workplace) {
    if (line.fields[1] == "action") return policy::parse_action(line.fields[2]);
    const tools::Tool* tool = tools::find_tool(line.fields[1]);
    if (tool == nullptr) throw std::runtime_error("there is no tool " + line.fields[1]);
    const auto arguments = tools::Arguments::parse(line.fields[2]);
    const std::string problem = tools::check_arguments(*tool, arguments);
    if (!problem.empty()) throw std::runtime_error(problem);
    return {std::string(tool->family), tools::action(*tool, arguments, workplace),
            tool->kind == tools::Class::command};
}

int judge(const std::string& path) {
    const Scene scene("/var/tmp");
    const sys::Root root(scene.workspace());
    const agent::HomeConfiguration home_configuration;
    const model::Catalog catalog;
    const tools::Workplace workplace{.root = root,
                                     .home_configuration = home_configuration,
                                     .catalog = catalog,
                                     .agent = "a",
                                     .sandbox = {},
                                     .environment = {},
                                     .sandbox_problem = {},
                                     .stop = {},
                                     .file_lock_path = {}};
    std::set<std::string> seen;
    std::size_t rows = 0;
    std::size_t failed = 0;
    for (const Line& line : read_corpus(path, 3)) {
        if (line.fields.size() != 3)
            throw std::runtime_error(path + ":" + std::to_string(line.number) + ": no row");
        const policy::Action action = action_of(line, workplace);
        const std::string found =
            verdicts("open", action, false) + " " + verdicts("sandboxed", action, true) + " " +
            verdicts("standard", action, false) + " " + verdicts("locked", action, false);
        seen.insert(line.fields[1]);
        ++rows;
        if (found == line.fields[0]) continue;
        ++failed;
        std::cout << "presets.txt:" << line.number << ": " << found << ", not " << line.fields[0]
                  << ": " << action.text.substr(0, 200) << "\n";
    }
    for (const tools::Tool& tool : tools::registry())
        if (seen.count(std::string(tool.name)) == 0) {
            ++failed;
            std::cout << "presets.txt: no row for the tool " << tool.name << "\n";
        }
    std::cout << rows << " rows, " << tools::registry().size() << " tools, " << failed
              << " failed\n";
    return failed == 0 && rows > tools::registry().size() ? 0 : 1;
}

}  // namespace
}  // namespace chorus::security

int main(int argc, char** argv) {
    if (argc != 2) throw std::runtime_error("security_presets TABLE");
    return chorus::security::judge(argv[1]);
}
