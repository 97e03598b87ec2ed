// The directory whose names are swapped. Every path is walked a component at a time and through no
// link, so that whoever swaps never leaves it, however many links that lead out stand in it.
#pragma once

#include <sys/stat.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace escape {

using Random = std::mt19937_64;

class Fd {
  public:
    explicit Fd(int fd = -1) : fd_(fd) {}
    ~Fd();
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept;

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }

  private:
    int fd_;
};

// A name in the directory that holds it, whether or not there is such an entry.
struct Spot {
    Fd directory;
    std::string path;  // below the ground
    std::string name;

    bool look(struct stat& status) const;  // false where there is no entry
    bool is_there() const;
};

class Ground {
  public:
    explicit Ground(std::string path) : path_(std::move(path)) {}

    const std::string& path() const { return path_; }
    // Opens the directory again where the old one has been deleted; false where there is none.
    bool stand();
    // directory is -1 where one of its components is no directory.
    Spot spot(const std::string& path) const;
    // An entry of any depth below `top`, "" where there is none.
    std::string any_entry(const std::string& top, Random& random) const;
    void make_directory(const std::string& path) const;

  private:
    Fd open_directory(const std::string& path) const;

    std::string path_;
    Fd root_;
};

std::vector<std::string> names_in(int directory);
// With everything below, no link followed.
void remove_entry(int directory, const std::string& name);
// Whoever waits at a FIFO waits no longer.
void release(int directory, const std::string& name);
std::string joined(const std::string& directory, const std::string& name);

}  // namespace escape
