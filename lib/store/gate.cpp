#include "store/gate.hpp"

#include "base/error.hpp"
#include "sys/file.hpp"

namespace chorus::store {

void Gate::lock() {
    if (!file_) {
        sys::make_directory(path_.substr(0, path_.rfind('/') + 1));
        file_.emplace(path_);
    }
    if (file_->take(sys::LockMode::exclusive, {}, most_ms_, stop_)) return;
    file_.reset();
    throw base::Error(base::ErrorCode::agent_busy, "database: another process still holds " + path_,
                      "'fuser " + path_ + "' shows which one; it may be stopped",
                      base::Cause::database);
}

void Gate::unlock() {
    if (file_) file_->drop({});
}

}  // namespace chorus::store
