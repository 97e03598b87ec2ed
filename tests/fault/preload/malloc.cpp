// Preloaded: the k-th allocation of the main program fails, once or for ever after.
//
//   FAULT_MALLOC=812    the 812th since main began; 812+ that one and all that follow
//   FAULT_MALLOC_COUNT=FILE    how many there were, written at the end
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

using Main = int (*)(int, char**, char**);

bool active = false;
bool for_ever = false;
long wanted = 0;
std::atomic<long> count = 0;
char report[4096];
Main real_main = nullptr;

bool fails() {
    if (!active) return false;
    const long number = ++count;
    if (wanted == 0 || number < wanted || (number > wanted && !for_ever)) return false;
    errno = ENOMEM;
    return true;
}

void write_report() {
    active = false;
    const int fd = open(report, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0) dprintf(fd, "%ld\n", count.load());
}

// Before main nobody could say that memory is short: what fails there is the loader's.
int counting_main(int argc, char** argv, char** environment) {
    if (const char* text = std::getenv("FAULT_MALLOC")) {
        char* end = nullptr;
        wanted = std::strtol(text, &end, 10);
        for_ever = *end == '+';
    }
    if (const char* path = std::getenv("FAULT_MALLOC_COUNT")) {
        std::snprintf(report, sizeof report, "%s", path);
        std::atexit(write_report);
    }
    active = true;
    return real_main(argc, argv, environment);
}

}  // namespace

extern "C" {

void* malloc(std::size_t size) {
    return fails() ? nullptr : __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
    return fails() ? nullptr : __libc_calloc(number, size);
}
void* realloc(void* block, std::size_t size) {
    return fails() ? nullptr : __libc_realloc(block, size);
}
void* memalign(std::size_t alignment, std::size_t size) {
    return fails() ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return memalign(alignment, size);
}
int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
    *block = memalign(alignment, size);
    return *block == nullptr ? ENOMEM : 0;
}

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
    using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
    real_main = main;
    const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
    return start(counting_main, argc, argv, init, fini, rtld_fini, stack_end);
}
}
