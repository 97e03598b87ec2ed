#include "decoys.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "targets.hpp"

namespace escape {
namespace {

constexpr std::size_t most_read = 4U << 20;

std::string dirname(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

const std::string& one_of(const std::vector<std::string>& all, Random& random) {
    return all[random() % all.size()];
}

}  // namespace

bool make_file(int directory, const std::string& name, const std::string& text) {
    const Fd file(openat(directory, name.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    return file && write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

std::string text_of(int directory, const std::string& name) {
    const Fd file(openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    std::string text(std::min(static_cast<std::size_t>(status.st_size), most_read), '\0');
    const ssize_t size = read(file.get(), text.data(), text.size());
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
}

bool Decoys::make(const Spot& place, const Spot& target, Random& random) const {
    struct stat status {};
    const bool is_directory = target.look(status) && S_ISDIR(status.st_mode);
    if (outside_.is_harmless || random() % 4 == 0)
        return stays_inside(place, target, is_directory, random);
    return leads_out(place, target, is_directory, random);
}

// Relative links are read in the directory of the target, not where the decoy waits.
bool Decoys::link(const Spot& place, const Spot& target, const std::string& to,
                  Random& random) const {
    std::string text = to;
    if (random() % 2 == 0 && !to.starts_with("/proc/")) {
        const std::filesystem::path from = joined(ground_, dirname(target.path));
        text = std::filesystem::path(to).lexically_relative(from).string();
    }
    return symlinkat(text.c_str(), place.directory.get(), place.name.c_str()) == 0;
}

bool Decoys::leads_out(const Spot& place, const Spot& target, bool is_directory,
                       Random& random) const {
    const std::string same = joined(outside_.tree, target.path);
    const unsigned kind = random() % 100;
    if (kind < 45) return link(place, target, same, random);
    if (kind < 70)
        return link(place, target, is_directory ? any_directory(random) : any_file(random), random);
    if (is_directory)
        return kind < 90 ? make_directory_of_links(place, target, random)
                         : link(place, target, any_file(random), random);
    if (kind < 80)  // what is not there yet would be made
        return link(place, target,
                    any_directory(random) + "/made-" + std::to_string(random() % 100), random);
    const std::string text = text_for(target.path, random);
    if (kind < 92 && !text.empty()) return make_file(place.directory.get(), place.name, text);
    if (kind < 96) return link(place, target, any_directory(random), random);
    return mknodat(place.directory.get(), place.name.c_str(), S_IFIFO | 0666, 0) == 0;
}

bool Decoys::stays_inside(const Spot& place, const Spot& target, bool is_directory,
                          Random& random) const {
    const int directory = place.directory.get();
    if (target.name == ".git" && !outside_.is_harmless)
        return random() % 2 == 0 ? make_repository(place)
                                 : make_file(directory, place.name, text_for(target.path, random));
    if (is_directory) return mkdirat(directory, place.name.c_str(), 0755) == 0;
    if (outside_.is_harmless || random() % 3 == 0)
        return make_file(directory, place.name, text_of(target.directory.get(), target.name));
    if (random() % 3 == 0)
        return linkat(target.directory.get(), target.name.c_str(), directory, place.name.c_str(),
                      0) == 0;
    if (random() % 4 == 0) return mkdirat(directory, place.name.c_str(), 0755) == 0;
    return make_file(directory, place.name, "x\n");
}

// The names that are in the target now, and each of them leads out.
bool Decoys::make_directory_of_links(const Spot& place, const Spot& target, Random& random) const {
    if (mkdirat(place.directory.get(), place.name.c_str(), 0755) != 0) return false;
    const Fd inner(openat(place.directory.get(), place.name.c_str(), O_PATH | O_DIRECTORY));
    const Fd original(
        openat(target.directory.get(), target.name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW));
    if (!inner || !original) return true;
    for (const std::string& name : names_in(original.get())) {
        const std::string same = joined(joined(outside_.tree, target.path), name);
        const std::string to = random() % 2 == 0 ? same : any_file(random);
        symlinkat(to.c_str(), inner.get(), name.c_str());
    }
    return true;
}

// Another .git: its objects and refs are those outside, and so is its work tree.
bool Decoys::make_repository(const Spot& place) const {
    if (mkdirat(place.directory.get(), place.name.c_str(), 0755) != 0) return false;
    const Fd inner(openat(place.directory.get(), place.name.c_str(), O_PATH | O_DIRECTORY));
    if (!inner) return true;
    make_file(inner.get(), "HEAD", "ref: refs/heads/main\n");
    make_file(inner.get(), "config",
              "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = " +
                  outside_.tree + "\n");
    for (const char* name : {"objects", "refs", "logs"})
        symlinkat((outside_.tree + "/.git/" + name).c_str(), inner.get(), name);
    return true;
}

std::string Decoys::any_file(Random& random) const {
    constexpr std::array special{"/proc/self/environ", "/proc/self/cmdline", "/proc/self/exe",
                                 "/dev/zero"};
    if (random() % 12 == 0) return special[random() % special.size()];
    return one_of(outside_.files, random);
}

std::string Decoys::any_directory(Random& random) const {
    if (!outside_.magic.empty() && random() % 4 == 0) return outside_.magic;
    if (random() % 12 == 0) return "/proc/self/cwd";
    return one_of(outside_.directories, random);
}

// What the file would say if it were to lead out by its words.
std::string Decoys::text_for(const std::string& target, Random& random) const {
    const std::string git = outside_.tree + "/.git";
    const auto is = [&](const std::string& name) {
        return target == name || target.ends_with("/" + name);
    };
    const auto either = [&](const std::string& one, const std::string& other) {
        return random() % 2 == 0 ? one : other;
    };
    if (is("alternates")) return git + "/objects\n";
    if (target.ends_with("HEAD") || target.find("refs/heads/") != std::string::npos)
        return either("ref: refs/../../../../" + std::to_string(random() % 10) + "\n",
                      outside_.commit + "\n");
    if (is(".git/packed-refs"))
        return outside_.commit + " refs/heads/b0\n" + outside_.commit + " refs/heads/main\n";
    if (is(".git")) return "gitdir: " + git + "\n";
    if (is(".git/commondir") || is(".git/gitdir")) return git + "\n";
    if (is(".git/config") || is(".git/config.worktree"))
        return either("[core]\n\trepositoryformatversion = 0\n\tworktree = " + outside_.tree + "\n",
                      "[core]\n\trepositoryformatversion = 0\n\texcludesFile = " + git +
                          "/config\n\tattributesFile = " + any_file(random) +
                          "\n[include]\n\tpath = " + any_file(random) + "\n");
    if (is(".gitmodules")) return "[submodule \"a\"]\n\tpath = a\n\turl = " + git + "\n";
    return {};
}

}  // namespace escape
