// The adversary: swaps the names below a directory until it is told to end, and says then how
// often. It is linked statically, so that it runs wherever it is put.
//
//   security_swap --dir DIR --tree DIR [--file FILE]... [--directory DIR]... [--commit ID]
//                 [--reach guarded|whole] [--part git|tree|both] [--only TEXT] [--seed N]
//                 [--keep DIR] [--harmless] [--mounts] [--probe]
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <map>
#include <string>

#include "alone.hpp"
#include "probes.hpp"
#include "swapper.hpp"

namespace escape {
namespace {

volatile sig_atomic_t is_over = 0;

struct Options {
    std::string directory;
    std::string keeps_to;  // "": directory
    Outside outside;
    Reach reach = Reach::guarded;
    Part part = Part::both;
    std::string only;
    std::uint64_t seed = 1;
    bool mounts = false;
    bool probes = false;
};

[[noreturn]] void refuse(const std::string& word) {
    fprintf(stderr, "security_swap: %s: not understood\n", word.c_str());
    exit(2);
}

void set(Options& options, const std::string& name, const std::string& value) {
    const std::map<std::string, Part> parts{
        {"git", Part::git}, {"tree", Part::tree}, {"both", Part::both}};
    if (name == "--dir")
        options.directory = value;
    else if (name == "--keep")
        options.keeps_to = value;
    else if (name == "--tree")
        options.outside.tree = value;
    else if (name == "--file")
        options.outside.files.push_back(value);
    else if (name == "--directory")
        options.outside.directories.push_back(value);
    else if (name == "--commit")
        options.outside.commit = value;
    else if (name == "--reach")
        options.reach = value == "whole" ? Reach::whole : Reach::guarded;
    else if (name == "--part" && parts.contains(value))
        options.part = parts.at(value);
    else if (name == "--only")
        options.only = value;
    else if (name == "--seed")
        options.seed = strtoull(value.c_str(), nullptr, 10);
    else
        refuse(name);
}

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--harmless")
            options.outside.is_harmless = true;
        else if (word == "--mounts")
            options.mounts = true;
        else if (word == "--probe")
            options.probes = true;
        else if (i + 1 < argc)
            set(options, word, argv[++i]);
        else
            refuse(word);
    }
    if (options.directory.empty() || options.outside.tree.empty()) refuse("--dir and --tree");
    options.outside.files.push_back(options.outside.tree + "/file.txt");
    options.outside.directories.push_back(options.outside.tree);
    return options;
}

int main_of(int argc, char** argv) {
    Options options = parse(argc, argv);
    const auto end = [](int) { is_over = 1; };
    signal(SIGTERM, end);
    signal(SIGINT, end);
    pid_t mounting = -1;
    if (options.mounts && !options.outside.is_harmless) {
        mounting = mount_over(options.directory, options.outside.directories);
        if (mounting > 0)
            options.outside.magic =
                "/proc/" + std::to_string(mounting) + "/root" + options.directory + "/a";
    }
    keep_to(options.keeps_to.empty() ? options.directory : options.keeps_to);
    Ground ground(options.directory);
    const Targets targets(ground, options.reach, options.part, options.only,
                          std::to_string(options.seed));
    const Decoys decoys(options.directory, options.outside);
    Swapper swapper(ground, targets, decoys, options.seed);
    const Probes probes(options.directory, options.outside, options.reach);
    for (std::int64_t number = 0; is_over == 0; ++number) {
        if (options.probes && !options.outside.is_harmless && number % 256 == 0) probes.try_all();
        swapper.burst();
    }
    if (mounting > 0) kill(mounting, SIGKILL);
    printf("bursts %lld swaps %lld mounts %d\n", static_cast<long long>(swapper.counts().bursts),
           static_cast<long long>(swapper.counts().swaps), mounting > 0 ? 1 : 0);
    return 0;
}

}  // namespace
}  // namespace escape

int main(int argc, char** argv) {
    return escape::main_of(argc, argv);
}
