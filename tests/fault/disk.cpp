#include "fault/disk.hpp"

#include <fcntl.h>
#include <linux/loop.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "fault/command.hpp"

namespace fault {
namespace {

constexpr unsigned long shutdown_request = _IOR('X', 125, std::uint32_t);  // FS_IOC_SHUTDOWN
constexpr int loop_major = 7;
constexpr int most_tries = 50;
constexpr int most_waits = 1000;
constexpr useconds_t wait_us = 2000;

[[noreturn]] void fail(const std::string& what) {
    give_up(what + ": " + std::strerror(errno));
}

int make_image() {
    const int fd = memfd_create("disk", MFD_CLOEXEC);
    if (fd < 0) fail("memfd_create");
    return fd;
}

// Holes stay holes.
void copy_image(int from, int to) {
    const off_t size = lseek(from, 0, SEEK_END);
    if (ftruncate(to, size) != 0) fail("ftruncate");
    std::string buffer(1U << 20, '\0');
    for (off_t at = lseek(from, 0, SEEK_DATA); at >= 0; at = lseek(from, at, SEEK_DATA)) {
        const off_t end = lseek(from, at, SEEK_HOLE);
        while (at < end) {
            const auto wanted =
                std::min<std::size_t>(buffer.size(), static_cast<std::size_t>(end - at));
            const ssize_t count = pread(from, buffer.data(), wanted, at);
            if (count <= 0 ||
                pwrite(to, buffer.data(), static_cast<std::size_t>(count), at) != count)
                fail("copying the image");
            at += count;
        }
    }
}

// A free loop device; another process may be faster.
int open_free_loop(int control) {
    const int number = ioctl(control, LOOP_CTL_GET_FREE);
    if (number < 0) fail("/dev/loop-control: no loop device");
    const std::string path = "/dev/loop" + std::to_string(number);
    int fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT) {
        mknod(path.c_str(), S_IFBLK | 0600, makedev(loop_major, static_cast<unsigned>(number)));
        fd = open(path.c_str(), O_RDWR | O_CLOEXEC);
    }
    return fd;
}

// Whether this is the image of the device, which stays so while any mount namespace has it mounted.
bool is_attached(int device, int image) {
    struct stat wanted {};
    loop_info64 found{};
    return fstat(image, &wanted) == 0 && ioctl(device, LOOP_GET_STATUS64, &found) == 0 &&
           found.lo_inode == wanted.st_ino && found.lo_device == wanted.st_dev;
}

std::string path_of(int fd) {
    std::string link(64, '\0');
    const ssize_t size =
        readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), link.data(), link.size());
    return size > 0 ? link.substr(0, static_cast<std::size_t>(size)) : "";
}

}  // namespace

void enter_own_mount_namespace() {
    if (unshare(CLONE_NEWNS) != 0) fail("a mount namespace of its own: needs root");
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        fail("mount --make-private");
}

Disk::Disk(std::string directory, int size_mib)
    : directory_(std::move(directory)), image_(make_image()) {
    if (ftruncate(image_, static_cast<off_t>(size_mib) << 20) != 0) fail("ftruncate");
    const Finished made = run({"mkfs.ext4", "-q", "-F", "-m", "0", "-E",
                               "lazy_itable_init=0,lazy_journal_init=1", image_path()});
    if (made.status != 0) give_up("mkfs.ext4: " + made.err);
}

Disk::Disk(const Disk& other, std::string directory)
    : directory_(std::move(directory)), image_(make_image()) {
    copy_image(other.image_, image_);
}

Disk::~Disk() {
    if (root_ >= 0) {
        close(root_);
        umount2(directory_.c_str(), MNT_DETACH);
    }
    close(image_);
}

std::string Disk::image_path() const {
    return "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(image_);
}

// The device detaches itself when the last who has it open is gone: the mount.
int Disk::attach() const {
    const int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
    if (control < 0) fail("/dev/loop-control");
    loop_config config{};
    config.fd = static_cast<std::uint32_t>(image_);
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    for (int tries = 0; tries < most_tries; ++tries) {
        const int device = open_free_loop(control);
        if (device >= 0 && ioctl(device, LOOP_CONFIGURE, &config) == 0) {
            close(control);
            return device;
        }
        if (device >= 0) close(device);
        if (errno != EBUSY && errno != ENXIO) fail("LOOP_CONFIGURE");
        usleep(1000);
    }
    give_up("no loop device is free");
}

void Disk::mount() {
    const int device = attach();
    const int result = ::mount(path_of(device).c_str(), directory_.c_str(), "ext4",
                               MS_NOATIME | MS_NODEV | MS_NOSUID, "");
    if (result != 0) fail("mount " + directory_);
    device_ = path_of(device);
    close(device);
    root_ = open(directory_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root_ < 0) fail(directory_);
}

void Disk::unmount() {
    close(root_);
    root_ = -1;
    for (int tries = 0; umount2(directory_.c_str(), 0) != 0; ++tries) {
        if (errno != EBUSY || tries > most_waits) fail("umount " + directory_);
        usleep(wait_us);
    }
    // A command of the other worker has a copy of this mount for a moment, and what was written
    // reaches the image when the last of them is gone.
    for (int tries = 0;; ++tries) {
        const int device = open(device_.c_str(), O_RDONLY | O_CLOEXEC);
        const bool attached = device >= 0 && is_attached(device, image_);
        if (device >= 0) close(device);
        if (!attached) return;
        if (tries > most_waits) give_up(device_ + ": somebody keeps it mounted");
        usleep(wait_us);
    }
}

void Disk::cut(Loses what) {
    auto flags = static_cast<std::uint32_t>(what);
    if (ioctl(root_, shutdown_request, &flags) != 0) fail("FS_IOC_SHUTDOWN");
}

std::string Disk::problem() const {
    const Finished checked = run({"e2fsck", "-fn", image_path()});
    return checked.status == 0 ? "" : checked.out + checked.err;
}

}  // namespace fault
