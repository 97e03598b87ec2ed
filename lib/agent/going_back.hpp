// Computes and applies the changes from the present files to those of a checkpoint.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "agent/snapshots.hpp"

namespace chorus::agent {

// Returns the paths that others have changed since a rewind began: those that are neither as they
// were `then` nor as in one of the trees that rewinds were going back to.
std::set<std::string> changed_meanwhile(const Tree& then, const Tree& now,
                                        const std::vector<Tree>& targets);

class GoingBack {
  public:
    struct From {
        const Tree& tree;                      // the present files, stored as a checkpoint
        const std::set<std::string>& changed;  // paths that others have changed
        const Checkpoints& store;              // has the contents
        bool force = false;  // changes those too, and files whose content is not stored
    };
    // Both trees must outlive it.
    GoingBack(const Tree& target, const From& from);

    const std::vector<std::string>& changes() const { return changes_; }
    // Paths left as they are: others have changed them, or their present content is not stored or
    // cannot be read.
    const std::vector<std::string>& kept() const { return kept_; }
    // Paths whose content is not in the checkpoint; with `force`, also those where it is damaged.
    const std::vector<std::string>& missing() const { return missing_; }
    const std::vector<std::string>& damaged() const { return damaged_; }

    // Each path is restored completely or left as it was. Returns why paths could not be restored.
    // `check` is called before each and may throw.
    std::vector<std::string> apply(const Checkpoints& store, const sys::Root& root,
                                   const std::function<void()>& check) const;

  private:
    using Entry = sys::Fingerprint::Entry;
    struct Step {
        const Entry* target = nullptr;   // null: it is removed
        const Entry* present = nullptr;  // null: it does not exist
    };
    void compare(const Step& step, const From& from);
    void spare_what_is_kept();
    void open_directories(const sys::Root& root, std::vector<const Entry*>& opened) const;

    std::set<std::string> closed_;  // directories whose content is unknown
    std::vector<Step> steps_;
    std::vector<const Entry*> read_only_;  // unchanged directories
    std::vector<std::string> changes_;
    std::vector<std::string> kept_;
    std::vector<std::string> missing_;
    std::vector<std::string> damaged_;
};

}  // namespace chorus::agent
