// The write gate of a home: one lock file that every write transaction holds from BEGIN to COMMIT.
// Who waits is served in order that way (SQLite's own waiting lets some processes starve), and no
// checkpoint ever runs beside another connection's commit, which SQLite before 3.51.3 does not
// survive for certain.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "sys/lock_file.hpp"

namespace chorus::store {

// The file is opened with the first use, and stays open: a turn passes the gate many times.
class Gate {
  public:
    explicit Gate(std::string path) : path_(std::move(path)) {}
    // Waits up to 10 s, then Error(failed).
    void enter();
    void leave();

  private:
    std::string path_;
    std::optional<sys::LockFile> file_;
};

class Passage {
  public:
    explicit Passage(Gate& gate) : gate_(gate) { gate_.enter(); }
    ~Passage() { gate_.leave(); }
    Passage(const Passage&) = delete;
    Passage& operator=(const Passage&) = delete;

  private:
    Gate& gate_;
};

}  // namespace chorus::store
