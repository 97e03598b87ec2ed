// The file that a verb writes.
#pragma once

#include <iostream>
#include <string>

#include "agent/own_places.hpp"
#include "cli/error_stream.hpp"
#include "command/verb.hpp"
#include "sys/named_file.hpp"

namespace chorus::command {

// A file to write, and whether an existing one may be replaced.
struct Output {
    void add_force(cli::Command& verb) { verb.flag("--force", force, "replace an existing file"); }
    // Error(exists) if it exists without --force, Error(bad_request) if it is in the home.
    sys::OutputFile open(const Begun& begun) const {
        return sys::OutputFile(file, force ? sys::Overwrite::allow : sys::Overwrite::refuse,
                               agent::refuse_own_places(begun.home));
    }
    std::string file;
    bool force = false;
};

// Says what was written; on stderr if that went to stdout.
inline void print_beside(const sys::OutputFile& file, const std::string& line) {
    if (file.is_stdout())
        cli::write_error(line + "\n");
    else
        std::cout << line << '\n';
}

}  // namespace chorus::command
