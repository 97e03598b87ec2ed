// From the files that there are to those of a checkpoint: what has to change for that, and doing
// it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "agent/checkpoints.hpp"

namespace chorus::agent {

class GoingBack {
  public:
    struct From {
        const Tree& tree;                      // how it is, kept as a checkpoint
        const std::set<std::string>& changed;  // paths that others have changed
        bool force = false;                    // those too, and what is not kept would be lost
    };
    // Both trees outlive it.
    GoingBack(const Tree& target, const From& from);

    const std::vector<std::string>& changes() const { return changes_; }
    // Others have changed them, or their content is not kept now: they stay as they are.
    const std::vector<std::string>& kept() const { return kept_; }
    // Their content is not in the checkpoint.
    const std::vector<std::string>& missing() const { return missing_; }

    // Each path is whole or as it was. Returns why paths are not as they should be.
    std::vector<std::string> apply(const Checkpoints& store, const sys::Root& root) const;

  private:
    using Entry = sys::Fingerprint::Entry;
    struct Step {
        const Entry* target = nullptr;   // null: it goes
        const Entry* present = nullptr;  // null: there is nothing
    };
    void compare(const Step& step, const From& from);
    void spare_what_is_kept();
    void open_directories(const sys::Root& root, std::vector<const Entry*>& opened) const;

    std::vector<Step> steps_;
    std::vector<const Entry*> read_only_;  // directories that are as they should be
    std::vector<std::string> changes_;
    std::vector<std::string> kept_;
    std::vector<std::string> missing_;
};

}  // namespace chorus::agent
