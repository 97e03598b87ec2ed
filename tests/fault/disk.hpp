// A disk that can lose its power: an ext4 image in memory behind a loop device, mounted in a mount
// namespace of this process alone, so that nothing of it is left however the process ends.
#pragma once

#include <string>

namespace fault {

// Once, before the first Disk and the first thread.
void enter_own_mount_namespace();

class Disk {
  public:
    // Makes the file system. It is mounted at `directory`, which must be there.
    Disk(std::string directory, int size_mib);
    // A copy of one that is not mounted, as it is now.
    Disk(const Disk& other, std::string directory);
    ~Disk();
    Disk& operator=(const Disk&) = delete;

    const std::string& path() const { return directory_; }
    // Replays the journal where the last use was cut short.
    void mount();
    // Waits a moment for whoever still has a file open or a copy of the mount; what was written is
    // in the image then.
    void unmount();

    // What of the file system's journal still reaches the disk: everything, its log, or nothing.
    enum class Loses { nothing = 0, buffers = 1, log = 2 };
    // FS_IOC_SHUTDOWN: from here on nothing reaches the disk, and what was only in memory is gone
    // with unmount().
    void cut(Loses what);

    // "" where `e2fsck -fn` finds nothing, else what it says. Not mounted.
    std::string problem() const;

  private:
    std::string image_path() const;
    int attach() const;
    std::string directory_;
    std::string device_;  // that it was mounted from last
    int image_ = -1;
    int root_ = -1;  // open while mounted: what the cut is done to
};

}  // namespace fault
