// Prints the system call filters of chorus-sandbox, as arrays for its source. It runs at build
// time, because libseccomp takes a third of a millisecond to make one.
//
// The filters refuse access to other processes, other namespaces, sockets of the host, and parts of
// the kernel that a command does not need.
#include <asm/ioctls.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/filter.h>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

// Newer than Debian 12's libseccomp; the numbers are the same on all architectures.
constexpr int fchmodat2 = 452;
constexpr int setxattrat = 463;
constexpr int removexattrat = 466;
constexpr int open_tree_attr = 467;
constexpr int file_setattr = 469;

constexpr std::array refused{
    // other processes
    SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
    SCMP_SYS(pidfd_getfd), SCMP_SYS(kcmp),
    // mounts and name spaces
    SCMP_SYS(mount), SCMP_SYS(umount), SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(chroot),
    SCMP_SYS(move_mount), SCMP_SYS(open_tree), open_tree_attr, SCMP_SYS(fsopen), SCMP_SYS(fsconfig),
    SCMP_SYS(fsmount), SCMP_SYS(fspick), SCMP_SYS(mount_setattr), SCMP_SYS(unshare),
    SCMP_SYS(setns), SCMP_SYS(open_by_handle_at),
    // keys of the user
    SCMP_SYS(keyctl), SCMP_SYS(add_key), SCMP_SYS(request_key),
    // large interfaces of the kernel
    SCMP_SYS(bpf), SCMP_SYS(io_uring_setup), SCMP_SYS(io_uring_enter), SCMP_SYS(io_uring_register),
    SCMP_SYS(userfaultfd), SCMP_SYS(perf_event_open), SCMP_SYS(fanotify_init),
    SCMP_SYS(lookup_dcookie),
    // the machine
    SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(delete_module), SCMP_SYS(create_module),
    SCMP_SYS(get_kernel_syms), SCMP_SYS(query_module), SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load), SCMP_SYS(reboot), SCMP_SYS(swapon), SCMP_SYS(swapoff),
    SCMP_SYS(acct), SCMP_SYS(quotactl), SCMP_SYS(quotactl_fd), SCMP_SYS(nfsservctl),
    SCMP_SYS(syslog), SCMP_SYS(vhangup), SCMP_SYS(iopl), SCMP_SYS(ioperm), SCMP_SYS(uselib),
    SCMP_SYS(settimeofday), SCMP_SYS(clock_settime), SCMP_SYS(stime)};

// Calls that change a file by path and that Landlock does not govern.
constexpr std::array by_path{SCMP_SYS(chmod),        SCMP_SYS(fchmodat),  fchmodat2,
                             SCMP_SYS(chown),        SCMP_SYS(lchown),    SCMP_SYS(fchownat),
                             SCMP_SYS(utime),        SCMP_SYS(utimes),    SCMP_SYS(futimesat),
                             SCMP_SYS(setxattr),     SCMP_SYS(lsetxattr), SCMP_SYS(removexattr),
                             SCMP_SYS(lremovexattr), setxattrat,          removexattrat,
                             file_setattr,           SCMP_SYS(mknod),     SCMP_SYS(mknodat)};

// Calls that change mode, owner, times, and length, which Landlock governs only from ABI 3 on. The
// watcher of a fenced command performs them where the command may write.
constexpr std::array served{SCMP_SYS(truncate), SCMP_SYS(chmod),  SCMP_SYS(fchmod),
                            SCMP_SYS(fchmodat), fchmodat2,        SCMP_SYS(chown),
                            SCMP_SYS(lchown),   SCMP_SYS(fchown), SCMP_SYS(fchownat),
                            SCMP_SYS(utime),    SCMP_SYS(utimes), SCMP_SYS(futimesat),
                            SCMP_SYS(utimensat)};
// Calls that change even a file that Landlock only lets the command read.
constexpr std::array attributes{SCMP_SYS(setxattr),
                                SCMP_SYS(lsetxattr),
                                SCMP_SYS(fsetxattr),
                                SCMP_SYS(removexattr),
                                SCMP_SYS(lremovexattr),
                                SCMP_SYS(fremovexattr),
                                setxattrat,
                                removexattrat,
                                file_setattr};
// Groups of ioctl requests of file systems: attributes, verity, encryption, subvolumes. A group is
// one byte of the request.
constexpr std::array<unsigned, 5> of_file_systems{'f', 'X', 'v', 'r', 0x94};
// Memory, semaphores and queues that all processes share: a fenced command has no namespace for
// them.
constexpr std::array shared_by_all{
    SCMP_SYS(shmget),     SCMP_SYS(shmat),   SCMP_SYS(shmctl),   SCMP_SYS(semget), SCMP_SYS(semop),
    SCMP_SYS(semtimedop), SCMP_SYS(semctl),  SCMP_SYS(msgget),   SCMP_SYS(msgsnd), SCMP_SYS(msgrcv),
    SCMP_SYS(msgctl),     SCMP_SYS(mq_open), SCMP_SYS(mq_unlink)};

constexpr std::array name_spaces{CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                 CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};

// The kernel ignores the other half of an int argument.
constexpr scmp_datum_t low_half = 0xffffffffU;

// Both insert text into the input of a terminal.
constexpr std::array terminal_writes{TIOCSTI, TIOCLINUX};

void check(int result) {
    if (result >= 0) return;
    std::fprintf(stderr, "seccomp: %s\n", std::strerror(-result));
    std::exit(EXIT_FAILURE);
}

class Filter {
  public:
    Filter() : context_(seccomp_init(SCMP_ACT_ALLOW)) {
        if (context_ == nullptr) check(-ENOMEM);
        // Another architecture's calls have other numbers: i386, x32, 32-bit arm.
        check(seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS));
        constexpr unsigned binary_tree = 2;
        check(seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, binary_tree));
    }
    ~Filter() { seccomp_release(context_); }
    Filter(const Filter&) = delete;
    Filter& operator=(const Filter&) = delete;

    void refuse(int number, int error, const std::vector<scmp_arg_cmp>& comparisons = {}) {
        check(seccomp_rule_add_array(context_, SCMP_ACT_ERRNO(static_cast<unsigned>(error)), number,
                                     static_cast<unsigned>(comparisons.size()),
                                     comparisons.data()));
    }

    void leave_to_the_listener(int number) {
        check(seccomp_rule_add_array(context_, SCMP_ACT_NOTIFY, number, 0, nullptr));
    }

    void print(const char* name) const {
        const int file = memfd_create("filter", MFD_CLOEXEC);
        check(file < 0 ? -errno : seccomp_export_bpf(context_, file));
        std::printf("constexpr sock_filter %s[] = {\n", name);
        const off_t size = lseek(file, 0, SEEK_END);
        sock_filter one{};
        for (off_t at = 0; at < size; at += sizeof one) {
            if (pread(file, &one, sizeof one, at) != sizeof one) check(-EIO);
            std::printf("    {%u, %u, %u, %uU},\n", one.code, one.jt, one.jf, one.k);
        }
        std::printf("};\n");
        close(file);
    }

  private:
    scmp_filter_ctx context_;
};

scmp_arg_cmp compared(unsigned argument, scmp_compare how, scmp_datum_t value) {
    return {argument, how, value, 0};
}

scmp_arg_cmp masked(unsigned argument, scmp_datum_t mask, scmp_datum_t value) {
    return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

// Compares all 64 bits, so that an int with a non-zero high half counts as a family above the last
// one. Of netlink only the routes are allowed, which getaddrinfo(3) needs.
void refuse_sockets(Filter& filter, bool unix_sockets = false) {
    for (unsigned family = AF_UNSPEC; family < AF_NETLINK; ++family)
        if (family != AF_INET && family != AF_INET6 && !(unix_sockets && family == AF_UNIX))
            filter.refuse(SCMP_SYS(socket), EPERM, {compared(0, SCMP_CMP_EQ, family)});
    filter.refuse(SCMP_SYS(socket), EPERM, {compared(0, SCMP_CMP_GT, AF_NETLINK)});
    filter.refuse(SCMP_SYS(socket), EPERM,
                  {compared(0, SCMP_CMP_EQ, AF_NETLINK), compared(2, SCMP_CMP_NE, 0)});
}

// chorus-git, which runs no program of others, needs openat2 and no such sockets.
void refuse_for_commands(Filter& filter) {
    // The mode of the file is in memory, which a filter cannot read; callers fall back to openat.
    filter.refuse(SCMP_SYS(openat2), ENOSYS);
    // A datagram socket can send to any socket that has a name; a stream stays connected to its
    // peer.
    for (const unsigned type : {SOCK_DGRAM, SOCK_RAW})
        filter.refuse(SCMP_SYS(socketpair), EPERM, {masked(1, 0xf, type)});
}

void refuse_for_all(Filter& filter) {
    for (const int number : refused) filter.refuse(number, EPERM);
    for (const unsigned flag : name_spaces)
        filter.refuse(SCMP_SYS(clone), EPERM, {masked(0, flag, flag)});
    // Its flags are in memory, which a filter cannot read; callers fall back to clone.
    filter.refuse(SCMP_SYS(clone3), ENOSYS);
    // A lease blocks whoever opens the file next for 45 seconds.
    filter.refuse(SCMP_SYS(fcntl), EPERM, {masked(1, low_half, F_SETLEASE)});
    for (const unsigned request : terminal_writes)
        filter.refuse(SCMP_SYS(ioctl), EPERM, {masked(1, low_half, request)});
}

// Landlock ABI 2 takes an open for reading that truncates the file as reading only. Every ABI
// ignores an open for neither reading nor writing, which serves ioctl(2) alone.
void refuse_odd_opens(Filter& filter) {
    constexpr scmp_datum_t bits = O_ACCMODE | O_TRUNC;
    filter.refuse(SCMP_SYS(open), EACCES, {masked(1, bits, O_TRUNC)});
    filter.refuse(SCMP_SYS(openat), EACCES, {masked(2, bits, O_TRUNC)});
    filter.refuse(SCMP_SYS(open), EACCES, {masked(1, O_ACCMODE, O_ACCMODE)});
    filter.refuse(SCMP_SYS(openat), EACCES, {masked(2, O_ACCMODE, O_ACCMODE)});
}

// Which process they change is in the first argument, or in the second; 0 is the caller.
void refuse_changing_others(Filter& filter) {
    for (const int number :
         {SCMP_SYS(prlimit64), SCMP_SYS(sched_setaffinity), SCMP_SYS(sched_setscheduler),
          SCMP_SYS(sched_setparam), SCMP_SYS(sched_setattr), SCMP_SYS(migrate_pages)})
        filter.refuse(number, EPERM, {compared(0, SCMP_CMP_NE, 0)});
    for (const int number : {SCMP_SYS(setpriority), SCMP_SYS(ioprio_set)})
        filter.refuse(number, EPERM, {compared(1, SCMP_CMP_NE, 0)});
    filter.refuse(SCMP_SYS(setpriority), EPERM, {masked(0, low_half, PRIO_USER)});
    constexpr scmp_datum_t ioprio_of_user = 3;
    filter.refuse(SCMP_SYS(ioprio_set), EPERM, {masked(0, low_half, ioprio_of_user)});
}

void print_for_git(const char* name, bool network, bool unix_sockets) {
    Filter filter;
    refuse_for_all(filter);
    for (const int number : by_path) filter.refuse(number, EPERM);
    refuse_odd_opens(filter);
    filter.refuse(SCMP_SYS(truncate), EPERM);
    // Without a path it changes the file of the descriptor.
    filter.refuse(SCMP_SYS(utimensat), EPERM, {compared(1, SCMP_CMP_NE, 0)});
    if (network)
        refuse_sockets(filter, unix_sockets);
    else
        filter.refuse(SCMP_SYS(socket), EPERM);
    filter.print(name);
}

void print_for_fenced() {
    Filter filter;
    refuse_for_all(filter);
    filter.refuse(SCMP_SYS(socket), EPERM);
    refuse_for_commands(filter);
    for (const int number : shared_by_all) filter.refuse(number, EPERM);
    for (const int number : attributes) filter.refuse(number, EOPNOTSUPP);
    for (const unsigned group : of_file_systems)
        filter.refuse(SCMP_SYS(ioctl), ENOTTY, {masked(1, 0xff00, group << 8)});
    refuse_odd_opens(filter);
    refuse_changing_others(filter);
    for (const int number : served) filter.leave_to_the_listener(number);
    filter.print("for_fenced");
}

}  // namespace

int main() {
    Filter filter;
    refuse_for_all(filter);
    refuse_sockets(filter);
    refuse_for_commands(filter);
    filter.print("for_commands");
    print_for_fenced();
    print_for_git("for_git", false, false);
    print_for_git("for_git_with_network", true, false);
    print_for_git("for_git_with_network_and_unix_sockets", true, true);
    return std::fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
