// Computes and applies the changes from the present files to those of a checkpoint.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/snapshots.hpp"

namespace chorus::agent {

class GoingBack {
  public:
    struct From {
        const Tree& tree;                      // the present files, stored as a checkpoint
        const std::set<std::string>& changed;  // paths that others have changed
        bool force = false;  // changes those too, and files whose content is not stored
    };
    // Both trees must outlive it.
    GoingBack(const Tree& target, const From& from);

    const std::vector<std::string>& changes() const { return changes_; }
    // Paths left as they are: others have changed them, or their present content is not stored.
    const std::vector<std::string>& kept() const { return kept_; }
    // Paths whose content is not in the checkpoint.
    const std::vector<std::string>& missing() const { return missing_; }

    // Each path is restored completely or left as it was. Returns why paths could not be restored.
    std::vector<std::string> apply(const Checkpoints& store, const sys::Root& root) const;

  private:
    using Entry = sys::Fingerprint::Entry;
    struct Step {
        const Entry* target = nullptr;   // null: it is removed
        const Entry* present = nullptr;  // null: it does not exist
    };
    void compare(const Step& step, const From& from);
    void spare_what_is_kept();
    void open_directories(const sys::Root& root, std::vector<const Entry*>& opened) const;

    std::vector<Step> steps_;
    std::vector<const Entry*> read_only_;  // unchanged directories
    std::vector<std::string> changes_;
    std::vector<std::string> kept_;
    std::vector<std::string> missing_;
};

}  // namespace chorus::agent
