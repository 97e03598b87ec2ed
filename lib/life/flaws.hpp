// A doctor collects here what it finds and mends; one check that cannot be made ends no other.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sys/file.hpp"

namespace chorus::life {

struct Flaw {
    std::string what;
    bool mended = false;
};

// The message of the error that `work` throws, or "".
std::string problem_in(const std::function<void()>& work);
// "PATH: Permission denied", and what helps, of a file that cannot be used so or a directory that
// cannot be entered, read and written; "" of one that can, or that is not there.
std::string access_problem(const std::string& path, sys::Use use = sys::Use::read_and_write);
// Renames it; returns the new path, which says since when it is not used.
std::string set_aside(const std::string& path);

// A file or a directory that Chorus uses, if it is there.
struct Part {
    std::string path;
    enum class Kind { file, directory } kind = Kind::file;
    bool is_made_again = false;  // what has its name and is of another kind may be renamed
    sys::Use use = sys::Use::read_and_write;
};

class Flaws {
  public:
    explicit Flaws(bool fix) : fix_(fix) {}

    bool fix() const { return fix_; }
    const std::vector<Flaw>& all() const { return flaws_; }
    void add(std::string what, bool mended = false) { flaws_.push_back({std::move(what), mended}); }
    // With `fix`: `work` mends it and returns what is so now.
    void mend(const std::string& what, const std::function<std::string()>& work);
    // Whether it is of its kind, and may be used so.
    void check(const Part& part);
    // Adds the error that `work` throws, once; Error(agent_busy) is thrown on.
    void attempt(const std::string& whose, const std::function<void()>& work);

  private:
    bool fix_;
    std::vector<Flaw> flaws_;
};

}  // namespace chorus::life
