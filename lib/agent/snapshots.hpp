// Snapshots of a workspace's files, stored in the agent's directory: contents by their SHA-256, and
// for each snapshot a tree that lists the paths. One process at a time changes the store
// (agent::Home::checkpoint_lock). Everything that a tree names is written before the tree: a killed
// process leaves only files that no tree names, which sweep() removes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sys/beneath.hpp"
#include "sys/fd.hpp"
#include "sys/fingerprint.hpp"

namespace chorus::agent {

// `more` of a regular file is the SHA-256 of its content, "" if that is not stored.
using Tree = std::vector<sys::Fingerprint::Entry>;

class Checkpoints {
  public:
    explicit Checkpoints(std::string directory) : directory_(std::move(directory)) {}

    struct Kept {
        std::string tree;                   // its name; equal trees have equal names
        std::int64_t new_bytes = 0;         // by how much the store has grown
        std::vector<std::string> left_out;  // files whose content is not stored, by path
        bool is_news = false;               // whether left_out differs from `previous`
        bool no_room = false;               // on the disk, for some of those left out
    };
    struct Bounds {
        std::int64_t most_bytes = 0;  // the largest files are left out beyond this
        std::function<bool()> stop = {};
    };
    // `now` was just made from `root`. A file that is unchanged since the tree `previous` is not
    // read. The result is synced. Error(canceled) if `stop` returns true.
    Kept keep(const sys::Root& root, const sys::Fingerprint& now, const std::string& previous,
              const Bounds& bounds) const;
    // Returns nothing if the tree is missing or damaged.
    std::optional<Tree> find(const std::string& tree) const;
    // Opens the content with that SHA-256 at its start; returns no descriptor if it is missing or
    // damaged.
    sys::Fd open_content(const std::string& hash) const;

    // The files at the end of the last turn or rewind: a rewind treats later differences as changed
    // by others. `newest` is the number of the newest checkpoint.
    struct End {
        std::int64_t newest = 0;
        sys::Fingerprint files;
    };
    void note_end(const End& end) const;
    std::optional<End> find_end() const;
    // Records the tree that a rewind is going back to, until the next end.
    void note_target(const std::string& tree) const;
    // Returns the trees of the rewinds since then, as far as they are there.
    std::vector<Tree> find_targets() const;

    // Removes everything that does not belong to these trees; returns how many bytes are left.
    std::int64_t sweep(const std::set<std::string>& trees) const;

  private:
    class Keeping;
    void write_end(const End& end) const;
    std::string content_path(const std::string& hash) const;

    std::string directory_;
};

}  // namespace chorus::agent
