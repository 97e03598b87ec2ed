// Linked into the sanitized executables: one that ends with a descriptor of its own still open says
// which, and exits with a status that no test expects.
#include <fcntl.h>

#include <cstdio>
#include <string>
#include <utility>

#include "support/descriptors.hpp"

namespace {

constexpr int leaked_status = 99;

// What the process was given, its missing standard descriptors included: they are held on purpose.
chorus::test::Descriptors& given() {
    static auto* all = new chorus::test::Descriptors;
    return *all;
}

// A thread that waits in the kernel for a lock cannot be called back: who gives the wait up leaves
// it to the end of the process.
bool is_given_up_wait(const std::string& target) {
    return target.find("/locks/") != std::string::npos;
}

void check() {
    chorus::test::Descriptors expected = given();
    bool has_signals =
        false;  // the one that signals are told by, for as long as there are handlers
    for (const auto& [number, target] : chorus::test::open_descriptors())
        if (number <= STDERR_FILENO || is_given_up_wait(target) ||
            (target == "anon_inode:[eventfd]" && !std::exchange(has_signals, true)))
            expected[number] = target;
    const std::string left = chorus::test::opened_since(expected);
    if (left.empty()) return;
    std::fprintf(stderr, "descriptors left open: %s\n", left.c_str());
    _exit(leaked_status);
}

// Before every other constructor, so that check() runs behind every destructor.
__attribute__((constructor(101))) void begin() {
    given() = chorus::test::open_descriptors();
    std::atexit(check);
}

}  // namespace
