// The self-test of the sandbox, from inside.
#pragma once

#include <sys/types.h>

namespace chorus::sandbox {

// What has to be so once the restrictions stand.
struct Expected {
    const char* workspace = nullptr;  // can be written
    const char* outside = nullptr;    // is not there
    ino_t network = 0;                // not this name space; 0: any
};
// Ends the process where something is not so.
void check(const Expected& expected);

}  // namespace chorus::sandbox
