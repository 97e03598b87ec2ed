// The files of a workspace as they were at some moments, kept in the agent's directory: contents by
// their SHA-256, and a tree for each moment, which says what lay where. One process at a time
// changes the store (agent::Home::checkpoint_lock). It is written so that what a tree names is
// there: a process that is killed leaves files that no tree names, which sweep() removes.
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

// `more` of a regular file is the SHA-256 of its content, "" where that is not kept.
using Tree = std::vector<sys::Fingerprint::Entry>;

class Checkpoints {
  public:
    explicit Checkpoints(std::string directory) : directory_(std::move(directory)) {}

    struct Kept {
        std::string tree;                   // its name; the same for the same tree
        std::int64_t new_bytes = 0;         // that the store has grown by
        std::vector<std::string> left_out;  // files whose content is not kept, by path
        bool is_news = false;               // that they are not: it was otherwise in `previous`
    };
    struct Bounds {
        std::int64_t most_bytes = 0;  // the largest files are left out where there is more
        std::function<bool()> stop = {};
    };
    // `now` was just made of `root`. A file that is as it was in the tree `previous` is not read.
    // Synced. Error(canceled) where `stop` says so.
    Kept keep(const sys::Root& root, const sys::Fingerprint& now, const std::string& previous,
              const Bounds& bounds) const;
    // Nothing where it is gone, or not what was written.
    std::optional<Tree> find(const std::string& tree) const;
    // The content of that SHA-256, to be read from its start; no descriptor likewise.
    sys::Fd open_content(const std::string& hash) const;

    // How all was when nobody wrote any more, for whoever goes back: what is otherwise then was
    // changed by others. `newest` is the checkpoint made last, by the number its owner gave it.
    struct End {
        std::int64_t newest = 0;
        sys::Fingerprint files;
    };
    void note_end(const End& end) const;
    std::optional<End> find_end() const;

    // Removes what is not of these trees; how many bytes are left.
    std::int64_t sweep(const std::set<std::string>& trees) const;

  private:
    class Keeping;
    std::string content_path(const std::string& hash) const;

    std::string directory_;
};

}  // namespace chorus::agent
