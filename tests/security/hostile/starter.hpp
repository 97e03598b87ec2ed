// Runs programs from a process that is small and stays so: the peak of memory that the kernel
// reports for a child begins at the size of whoever started it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace hostile {

std::string content_of(const std::string& path);

struct Finished {
    int status = -1;  // of wait()
    bool hung = false;
    long memory_kib = 0;
    std::string out;
    std::string err;
};

class Starter {
  public:
    // Forks: before there are threads.
    Starter();
    ~Starter();
    Starter(const Starter&) = delete;
    Starter& operator=(const Starter&) = delete;

    // stdout and stderr go through files in `directory`. What runs too long is killed.
    Finished run(const std::vector<std::string>& arguments,
                 const std::vector<std::string>& environment, const std::string& directory) const;

  private:
    int socket_ = -1;
    pid_t process_ = -1;
};

}  // namespace hostile
