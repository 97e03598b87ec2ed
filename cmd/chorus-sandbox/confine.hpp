// The restrictions that chorus-sandbox puts on itself before it executes the command. A function
// that fails ends the process.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace chorus::sandbox {

// Newer than Debian 12's headers; the number is the same on all architectures.
constexpr int fchmodat2 = 452;

// Ends the process with an error, so that nothing runs unconfined.
[[noreturn]] void fail(const char* what, int problem);
[[noreturn]] void fail(const char* what);
// Executes the program. Exits with 127 if it does not exist, with 126 if it cannot be executed.
[[noreturn]] void become(const char* program, char* const* command);

// "/proc/self/fd/N"
std::string name_of(int fd);
// Returns the target of a link; "" if it cannot be read.
std::string target_of(const char* link);
bool is_beneath(std::string_view path, std::string_view directory);

// A mount point. bwrap has mounted the `bound` ones, by path. This program mounts the others
// beneath them: a place over itself, or something else over a `hidden` one.
enum class How { bound, read_only, in_place, hidden };
struct Place {
    How how;
    const char* path;      // absolute, without links
    const char* identity;  // "DEVICE:INODE" that must be found there
};

// The self-test: what must hold under the restrictions.
struct Expected {
    const char* workspace = nullptr;  // must be writable; null: there is no self-test
    const char* outside = nullptr;    // must not exist; with a fence: cannot be read or changed
    ino_t network = 0;                // inode of the namespace it must not be in; 0: any
};

// The command line, see chorus-sandbox(8). Mode fence uses no mounts and namespaces, only Landlock
// and filters. In mode git, chorus-git runs the git operations of another Chorus program.
struct Options {
    std::string_view mode;
    int owner = -1;  // a pidfd
    const char* program = nullptr;
    std::vector<const char*> writable;  // fence and git: names of open ones, /proc/self/fd/N
    std::vector<const char*> readable;  // with fence, missing ones are skipped
    std::vector<const char*> hidden;    // excluded from `readable`; absolute, without links
    std::vector<Place> places;
    Expected expected;
    char* const* command = nullptr;

    // Of mode git.
    int socket = -1;      // to the program it works for; becomes descriptor 3
    int program_fd = -1;  // the open file of chorus-git
    bool network = false;
    bool unix_sockets = false;  // with the network
    bool mounted = false;       // only what it may use is mounted: Landlock is not needed
};

void mount_places(const std::vector<Place>& places);  // then gives up all capabilities
void give_up_capabilities();                          // for good

// Allows reading and executing everything that is mounted, and writing beneath `writable` and,
// where needed, in /dev. Device nodes cannot be made; abstract sockets and signals do not reach
// outside. Returns the kernel's Landlock ABI, or 0 if it is too old: mounts and namespaces confine
// without it.
int restrict_files(const std::vector<const char*>& writable);
void restrict_calls();

// The same for chorus-git: allows only reading what programs are loaded from and `readable`, and
// reading and writing beneath `writable`. Ends the process if the kernel's Landlock cannot enforce
// that.
void restrict_files_of_git(const Options& options);
// Stops following links beneath the directories, in a mount namespace of this process, if the
// kernel allows it one.
void follow_no_link_beneath(const std::vector<const char*>& directories);
// Like restrict_calls(), but also refuses sockets unless for the network, and calls that change a
// file by path and that Landlock does not govern.
void restrict_calls_of_git(bool network, bool unix_sockets);
[[noreturn]] void become_git(const Options& options, char* const* environment);

// Allows reading and executing beneath `readable`, writing beneath `writable`, a few devices, and
// reading /proc. Returns the Landlock ABI, at least 2.
int restrict_files_of_fenced(const Options& options);
// Like restrict_calls(), but also refuses all sockets and what Landlock does not govern. Returns
// the listener for the calls that serve_metadata() answers.
int restrict_calls_of_fenced();
// Answers one call that waits there: performs it if the file is beneath one of the places, else
// EPERM.
void serve_metadata(int listener, const std::vector<std::string>& places);

// Makes the self-test if one is wanted, and prints the Landlock ABI.
void test_restrictions(const Options& options, int landlock);

// The fence of a command. The watcher makes it before it forks.
class Fence {
  public:
    explicit Fence(const Options& options);  // gives up all capabilities of this process
    void enter() const;                      // in the child, before it executes the command
    // In the watcher: watch() after the fork; fd() is readable when serve() has work, and -1 when
    // no process is left that could call.
    void watch();
    int fd() const { return listener_ >= 0 ? listener_ : sockets_[0]; }
    void serve(bool is_readable);

  private:
    const Options& options_;
    std::vector<std::string> places_;
    int sockets_[2] = {-1, -1};  // the child sends the listener here
    int listener_ = -1;
};

// Runs the command as a child in a process group of its own. When it has ended, gives its
// descendants 200 ms to end, kills the rest, and ends as the command did. When the owner ends, or
// on SIGTERM, kills them at once. Only killing this process prevents that.
[[noreturn]] void watch(const Options& options, Fence* fence = nullptr);

}  // namespace chorus::sandbox
