#include "security/escape/options.hpp"

#include <chrono>
#include <sstream>

#include "fault/command.hpp"

namespace escape {
namespace {

constexpr const char* usage =
    "usage: security_escape --bin DIR [--seconds N] [--seed S] [--as-user UID] [--confined]\n"
    "         [--round N] [--sandbox MODE] [--kinds K,...] [--tools T,...] [--only TEXT] "
    "[--harmless] "
    "[--without-landlock] "
    "[--all] [--keep]";

std::vector<std::string> words_of(const std::string& list) {
    std::istringstream stream(list);
    std::vector<std::string> words;
    for (std::string word; std::getline(stream, word, ',');) words.push_back(word);
    return words;
}

bool set_flag(Options& options, const std::string& name) {
    if (name == "--confined")
        options.kinds = {"confined", "before"};
    else if (name == "--harmless")
        options.is_harmless = true;
    else if (name == "--without-landlock")
        options.without_landlock = true;
    else if (name == "--all")
        options.goes_on = true;
    else if (name == "--keep")
        options.keeps = true;
    else
        return false;
    return true;
}

void set(Options& options, const std::string& name, const std::string& value) {
    if (name == "--bin")
        options.bin = value;
    else if (name == "--seconds")
        options.seconds = std::stoll(value);
    else if (name == "--seed")
        options.seed = std::stoull(value);
    else if (name == "--as-user")
        options.user = std::stol(value);
    else if (name == "--round")
        options.first_round = std::stoll(value);
    else if (name == "--kinds")
        options.kinds = words_of(value);
    else if (name == "--tools")
        options.tools = words_of(value);
    else if (name == "--sandbox")
        options.sandbox = value;
    else if (name == "--only")
        options.only = value;
    else
        fault::give_up(name + ": not understood\n" + usage);
}

}  // namespace

Options parse(int argc, char** argv) {
    Options options;
    options.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() /
                                              std::chrono::milliseconds(1));
    for (int i = 1; i < argc; ++i) {
        const std::string name = argv[i];
        if (set_flag(options, name)) continue;
        if (i + 1 == argc) fault::give_up(usage);
        set(options, name, argv[++i]);
    }
    if (options.bin.empty()) fault::give_up(usage);
    return options;
}

}  // namespace escape
