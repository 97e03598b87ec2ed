// Text files of cases: lines of fields parted by " | ", the last of them whatever is left. '#'
// begins a comment line. In a field ⟦0a 1b⟧ stands for those bytes and ⟦61*70000⟧ for a byte many
// times.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace chorus::security {

struct Line {
    std::size_t number = 0;
    std::vector<std::string> fields;  // decoded; "word: rest" of an unparted line is one field
};

// Throws std::runtime_error that names file and line where a line cannot be read. `fields` is how
// many a case has at most.
std::vector<Line> read_corpus(const std::string& path, std::size_t fields);
std::string decoded(const std::string& text);

// Counts, tells and judges: a corpus says on a line "cases: N" how many there are, and a case that
// was not run is a failure as well.
class Report {
  public:
    Report(std::string corpus, std::size_t expected)
        : corpus_(std::move(corpus)), expected_(expected) {}
    void ran(bool holds, const Line& line, const std::string& what);
    // The exit status.
    int finish() const;

  private:
    std::string corpus_;
    std::size_t expected_;
    std::size_t ran_ = 0;
    std::size_t failed_ = 0;
};

}  // namespace chorus::security
