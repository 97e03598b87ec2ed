#include "task/kept_plants.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <utility>

#include "base/limits.hpp"

namespace chorus::task {
namespace {

// Follows the last plant. Where it is missing, the process was killed before it began its call.
constexpr char complete = '.';

// Avoids truncating an empty file: ext4 writes a truncated file to the disk when it is closed,
// although it is unlinked by then.
bool empty(int fd) {
    struct stat status {};
    return fstat(fd, &status) == 0 && (status.st_size == 0 || ftruncate(fd, 0) == 0);
}

// Not synced: after a power failure the file may be missing. A full disk does not prevent the call.
sys::Fd keep(const std::string& file, const std::string& text) {
    mkdir(file.substr(0, file.rfind('/')).c_str(), 0700);
    sys::Fd fd(open(file.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!fd || flock(fd.get(), LOCK_EX) != 0 || !empty(fd.get())) return {};
    (void)sys::try_write_all(fd.get(), text);
    return fd;
}

}  // namespace

KeptPlants::KeptPlants(std::string workspace, std::string file)
    : workspace_(std::move(workspace)),
      file_(std::move(file)),
      before_(sys::Plants::in(workspace_)) {
    if (!file_.empty()) fd_ = keep(file_, workspace_ + '\0' + before_.text() + complete);
}

sys::PlantReport KeptPlants::report() {
    sys::PlantReport report = plants_since(workspace_, before_);
    if (!file_.empty() && report.line.empty()) unlink(file_.c_str());
    fd_.reset();
    return report;
}

std::string plants_advice(const std::string& directory) {
    return "; inspect them in " + directory + " before you run git or other programs there";
}

sys::PlantReport plants_since(const std::string& directory, const sys::Plants& before) {
    return sys::Plants::in(directory).report_since(before);
}

sys::PlantReport left_plants(const std::string& file) {
    const sys::Fd fd(open(file.c_str(), sys::read_only | O_NOFOLLOW));
    std::string text;
    if (!fd || flock(fd.get(), LOCK_SH | LOCK_NB) != 0 ||
        !sys::try_read_all(fd.get(), base::limits::json_bytes, text) || !text.ends_with(complete))
        return {};
    text.pop_back();
    const std::size_t end = text.find('\0');
    const std::string workspace = text.substr(0, end);
    sys::PlantReport report = plants_since(workspace, sys::Plants::parse(text.substr(end + 1)));
    if (!report.line.empty()) report.line += plants_advice(workspace);
    return report;
}

void forget_plants(const std::string& file) {
    const sys::Fd fd(open(file.c_str(), sys::read_only | O_NOFOLLOW));
    if (fd && flock(fd.get(), LOCK_EX | LOCK_NB) == 0) unlink(file.c_str());
}

void audit_plants(store::Store& store, const store::Agent& agent, store::AuditRow row,
                  const std::string& record) {
    row.action = "plants";
    row.decision = "allow";
    row.detail = record;
    store::append_audit(store, agent, std::move(row));
}

}  // namespace chorus::task
