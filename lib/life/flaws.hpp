// Collects what a doctor finds and repairs; a check that fails does not stop the others.
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

// Returns the message of the error that `work` throws, or "".
std::string problem_in(const std::function<void()>& work);
// Returns "PATH: Permission denied" and a remedy if the file cannot be used that way or the
// directory cannot be entered, read and written; "" if it can, or does not exist.
std::string access_problem(const std::string& path, sys::Use use = sys::Use::read_and_write);
// Renames it; returns the new path, which contains the time.
std::string set_aside(const std::string& path);

// A file or a directory that Chorus uses; it need not exist.
struct Part {
    std::string path;
    enum class Kind { file, directory } kind = Kind::file;
    bool is_made_again = false;  // an entry of the wrong kind may be renamed
    sys::Use use = sys::Use::read_and_write;
};

class Flaws {
  public:
    explicit Flaws(bool fix) : fix_(fix) {}

    bool fix() const { return fix_; }
    const std::vector<Flaw>& all() const { return flaws_; }
    void add(std::string what, bool mended = false) { flaws_.push_back({std::move(what), mended}); }
    // With `fix`, `work` repairs it and returns the new state as text.
    void mend(const std::string& what, const std::function<std::string()>& work);
    // Checks its kind and its permissions.
    void check(const Part& part);
    // Adds the error that `work` throws, unless it is already listed; rethrows Error(agent_busy).
    void attempt(const std::string& whose, const std::function<void()>& work);

  private:
    bool fix_;
    std::vector<Flaw> flaws_;
};

}  // namespace chorus::life
