// What the inner program puts on itself before it becomes the command. Each call ends the process
// where it fails.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace chorus::sandbox {

// Fails the whole command: nothing runs unconfined.
[[noreturn]] void fail(const char* what, int problem);
[[noreturn]] void fail(const char* what);
// 127 where it is not there, 126 where it cannot be executed.
[[noreturn]] void become(const char* program, char* const* command);

// "/proc/self/fd/N"
std::string name_of(int fd);
// Returns where a link leads; "" where it cannot be read.
std::string target_of(const char* link);
bool is_beneath(std::string_view path, std::string_view directory);

// A place at which a mount begins. bwrap has made a `bound` one, by path; this program makes the
// others, over themselves or not to be seen, beneath what bwrap has mounted.
enum class How { bound, read_only, in_place, hidden };
struct Place {
    How how;
    const char* path;      // absolute, without links
    const char* identity;  // "DEVICE:INODE": what lies there must be this one
};
void mount_places(const std::vector<Place>& places);  // gives up all capabilities then

// Reading and executing whatever the mounts show, writing beneath `writable` and what needs it of
// /dev, no device nodes; neither abstract sockets nor signals reach outside. Returns the kernel's
// Landlock ABI, 0 where it has none that is of use: the mounts and namespaces stand without it.
int restrict_files(const std::vector<const char*>& writable);
void restrict_calls();

// The same for chorus-git: reading what programs are loaded from and `readable`, reading and
// writing beneath `writable`, nothing else; ends the process where the kernel's Landlock cannot
// keep it so.
void restrict_files_to(const std::vector<const char*>& writable,
                       const std::vector<const char*>& readable, int program);
// In this process's own view no link beneath the directory is followed any more, where the kernel
// lets it have one.
void follow_no_link_beneath(const std::vector<const char*>& directories);
// As restrict_calls, without sockets unless for the network, and without what changes a file by its
// path and Landlock does not govern.
void restrict_calls_of_git(bool network, bool unix_sockets);

// chorus-git, which does the git work of another program of Chorus.
struct GitMode {
    int socket = -1;   // of the program it works for; becomes its descriptor 3
    int program = -1;  // chorus-git, open
    std::vector<const char*> readable;
    bool network = false;
    bool unix_sockets = false;  // with the network
    bool mounted = false;       // what it may not touch is not mounted: Landlock is not needed
};
[[noreturn]] void become_git(const GitMode& git, const std::vector<const char*>& writable,
                             char* const* arguments, char* const* environment);

// The self-test: what has to be so once the restrictions stand.
struct Expected {
    const char* workspace = nullptr;  // can be written
    const char* outside = nullptr;    // is not there
    ino_t network = 0;                // not this name space; 0: any
};
void check(const Expected& expected);

// A command that is confined by Landlock and a filter alone, without mounts and name spaces.
struct FenceOptions {
    std::vector<const char*> writable;  // names of open directories: /proc/self/fd/N
    std::vector<const char*> readable;  // what is not there is passed over
    std::vector<const char*> hidden;    // of what is read; absolute, without links
    Expected expected;
};
// Reading and executing beneath `readable`, writing beneath `writable`, a few devices, reading of
// /proc. Returns the Landlock ABI; at least version 2.
int restrict_files_of_fenced(const FenceOptions& options);
// As restrict_calls, without any socket and without what Landlock does not govern. Returns the
// listener for the calls that serve_metadata() takes.
int restrict_calls_of_fenced();
// One call that waits there: done where the file lies beneath one of the places, else EPERM.
void serve_metadata(int listener, const std::vector<std::string>& places);
// The self-test of a fenced command: `outside` is there, and cannot be read or changed.
void check_fenced(const Expected& expected);

// The watcher's part and the command's: made by the first, before it forks.
class Fence {
  public:
    explicit Fence(const FenceOptions& options);  // gives up all capabilities of this process
    void enter() const;                           // in the command, before it becomes that
    // In the watcher: after the fork; readable where serve() has something to do; -1 where nobody
    // is left who could ask.
    void watch();
    int fd() const { return listener_ >= 0 ? listener_ : sockets_[0]; }
    void serve(bool is_readable);

  private:
    const FenceOptions& options_;
    std::vector<std::string> places_;
    int sockets_[2] = {-1, -1};  // the command sends the listener
    int listener_ = -1;
};

// Runs the command as a child in a process group of its own and ends as it ended, after giving what
// it left behind 200 ms. Everything it started, wherever it went, ends with it; and at once when
// `owner`, a pidfd, ends, or on SIGTERM. Only what kills this process itself gets round that.
[[noreturn]] void watch(int owner, const char* program, char* const* arguments,
                        Fence* fence = nullptr);

}  // namespace chorus::sandbox
