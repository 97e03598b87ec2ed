// What there is to see of an effect: what a file was and is, what was opened, and where a secret
// has come to.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace escape {

// Path, and everything that the kernel tells of it, times of changes and contents included.
using Record = std::map<std::string, std::string>;

// Of everything at and below the paths, links not followed.
Record record_of(const std::vector<std::string>& paths);
// One line a difference.
std::vector<std::string> differences(const Record& before, const Record& after);

// Every path below `top`, but not below what `is_left_out` says.
std::set<std::string> names_below(const std::string& top,
                                  const std::function<bool(const std::string&)>& is_left_out);

// Files at and below `path` that hold one of the secrets, as they are or compressed as git does it,
// or have it in their name.
std::vector<std::string> secrets_below(const std::string& path,
                                       const std::function<bool(const std::string&)>& is_left_out);
// Whether one of the secrets stands in it.
bool has_secret(const std::string& text);
// The same of a tar archive, in which git's objects are compressed.
bool has_secret_archived(const std::string& text);

// Regular files below `path` that give whoever starts them the rights of another.
std::vector<std::string> risen_below(const std::string& path);

// Notes whatever is opened, read or changed below a directory from now on.
class Watch {
  public:
    explicit Watch(const std::string& top);
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    // Each path once, with what was seen of it since the last time.
    std::vector<std::string> seen();

  private:
    int fd_;
    std::map<int, std::string> directories_;
};

}  // namespace escape
