// Puts decoys in the place of targets and takes them away again, as fast as it can, with moments in
// between in which everything is as it should be.
#pragma once

#include <cstdint>

#include "decoys.hpp"
#include "targets.hpp"

namespace escape {

struct Counts {
    std::int64_t bursts = 0;
    std::int64_t swaps = 0;  // single renames
};

class Swapper {
  public:
    Swapper(Ground& ground, const Targets& targets, const Decoys& decoys, std::uint64_t seed)
        : ground_(ground), targets_(targets), decoys_(decoys), random_(seed) {}

    // One target.
    void burst();
    const Counts& counts() const { return counts_; }

  private:
    void exchange(const Spot& target, const Spot& decoy);
    void move_in_and_out(const Spot& target, const Spot& decoy, const Spot& aside);
    void settle(const Spot& target, const Spot& decoy, const struct stat& made);
    void change_mode(const Spot& target);
    void cut(const Spot& target);
    void heal();
    void clear(const std::string& path, int depth);
    bool move(const Spot& from, const Spot& to, unsigned flags = 0);
    void hold();
    void rest();

    Ground& ground_;
    const Targets& targets_;
    const Decoys& decoys_;
    Random random_;
    Counts counts_;
    std::string first_commit_;
};

}  // namespace escape
