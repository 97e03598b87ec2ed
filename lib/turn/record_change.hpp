// For the .cpp files only that implement Record.
#pragma once

#include "turn/turn_record.hpp"

namespace chorus::turn {

// A transaction. If it is rolled back, the record's state in memory is restored too.
class Record::Change {
  public:
    explicit Change(Record& record)
        : record_(record),
          turn_(record.turn_),
          chain_(record.chain_),
          next_position_(record.next_position_),
          next_step_(record.next_step_),
          newest_answer_(record.newest_answer_),
          transaction_(record.place_.store) {}
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;
    ~Change() {
        if (committed_) return;
        record_.turn_ = std::move(turn_);
        record_.chain_ = std::move(chain_);
        record_.next_position_ = next_position_;
        record_.next_step_ = next_step_;
        record_.newest_answer_ = newest_answer_;
        record_.fresh_.clear();
    }
    void commit() {
        transaction_.commit();
        committed_ = true;
    }

  private:
    Record& record_;
    store::Turn turn_;
    std::optional<std::string> chain_;
    std::int64_t next_position_;
    std::int64_t next_step_;
    std::int64_t newest_answer_;
    store::Transaction transaction_;
    bool committed_ = false;
};

}  // namespace chorus::turn
