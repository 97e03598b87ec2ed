// Paths below a root, with links that lead out of it beside those that do not: nothing outside is
// opened or written, and a path has one canonical form.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "fuzz/property.hpp"
#include "sys/beneath.hpp"
#include "sys/open_beneath.hpp"

namespace chorus::sys {
namespace {

namespace fs = std::filesystem;
using fuzz::require;
using fuzz::require_equal;

constexpr std::string_view secret = "what lies outside";

// parent/outside/secret beside parent/root, which holds links of every kind.
class Tree {
  public:
    Tree() {
        std::string pattern = "/dev/shm/chorus-fuzz-XXXXXX";
        if (mkdtemp(pattern.data()) == nullptr) throw base::system_error(pattern);
        parent_ = pattern;
        fs::create_directories(parent_ / "outside");
        std::ofstream(parent_ / "outside/secret") << secret;
        fs::create_directory(parent_ / "root");
        root_.emplace((parent_ / "root").string());
        plant();
    }
    ~Tree() { fs::remove_all(parent_); }

    const Root& root() const { return *root_; }
    std::string top() const { return root_->path() + "/"; }

    bool is_outside(int fd) const {
        struct stat status {};
        require(fstat(fd, &status) == 0, "an opened file has a status");
        for (const fs::path& one : {parent_, parent_ / "outside", parent_ / "outside/secret"}) {
            struct stat other {};
            stat(one.c_str(), &other);
            if (other.st_dev == status.st_dev && other.st_ino == status.st_ino) return true;
        }
        return false;
    }

    void check_outside() const {
        std::set<std::string> names;
        for (const auto& each : fs::recursive_directory_iterator(parent_ / "outside"))
            names.insert(each.path().filename());
        require(names == std::set<std::string>{"secret"}, "nothing is made outside");
        std::ifstream stream(parent_ / "outside/secret");
        const std::string text{std::istreambuf_iterator<char>(stream), {}};
        require_equal("nothing is written outside", text, secret);
        require(fs::is_empty(parent_ / "root/.git"), "nothing is written in .git");
        const auto beside = std::distance(fs::directory_iterator(parent_), {});
        require(beside == 2, "nothing is made beside the root");
    }

    // As it was before a write.
    void plant() {
        for (const auto& each : fs::directory_iterator(parent_ / "root")) fs::remove_all(each);
        const fs::path root = parent_ / "root";
        fs::create_directories(root / "a/b");
        fs::create_directory(root / ".git");
        std::ofstream(root / "a/b/f") << "f";
        fs::create_symlink("a/b", root / "in");
        fs::create_symlink("../root/a", root / "back");
        fs::create_symlink("../outside", root / "out");
        fs::create_symlink(parent_ / "outside/secret", root / "abs");
        fs::create_symlink("loop", root / "loop");
        fs::create_symlink("/proc/self/cwd", root / "a/magic");
        fs::create_symlink("../../.git", root / "a/b/git");
    }

  private:
    fs::path parent_;
    std::optional<Root> root_;
};

void check_canonical(const Root& root, std::string_view path) {
    const std::string form = root.canonical(path);
    if (form.empty()) return;
    require_equal("canonical once", root.canonical(form), form);
    require_equal("and below the root", root.canonical(root.path() + "/" + form), form);
    require(!form.starts_with('/') && !form.ends_with('/'), "relative", form);
    if (form == ".") return;
    for (const std::string_view name : base::split(form, '/'))
        require(!name.empty() && name != "." && name != "..", "no component but names", form);
}

void check_opening(const Tree& tree, std::string_view path) {
    const Root& root = tree.root();
    const Opened opened = root.open_to_read(path);
    require(static_cast<bool>(opened.fd) == (opened.outcome == OpenOutcome::opened),
            "opened or not");
    if (opened.outcome != OpenOutcome::opened) {
        require(!opened.message.empty() && fuzz::is_utf8(opened.message), "why not", path);
        require_equal("one line", opened.message,
                      base::visible(opened.message, base::Newlines::escape));
        return;
    }
    require(!tree.is_outside(opened.fd.get()), "nothing outside is opened", path);
    require(!root.canonical(path).empty(), "what leads out is not opened", path);
    const std::string place = root.location(opened);
    require(!place.empty(), "what was opened lies below the root", path);
    const Opened again = root.open_to_read(place);
    require(again.outcome == OpenOutcome::opened, "its place opens too", place);
    require_equal("and is its own", root.location(again), place);
    const Fd walked = open_by_walking(root.fd(), root.canonical(path), O_RDONLY | O_NONBLOCK);
    require(!walked || !tree.is_outside(walked.get()), "nor by walking", path);
}

void check_writing(Tree& tree, std::string_view path) {
    const std::string refused = tree.root().write_file(path, "written");
    tree.check_outside();
    if (refused.empty()) {
        std::string content;
        std::string error;
        tree.root().read_file(path, 100, content, error);
        require_equal("what was written is read", content + error, "written");
    }
    require(fuzz::is_utf8(refused), "why not", refused);
    tree.plant();
}

}  // namespace
}  // namespace chorus::sys

// A path that begins with '$' goes on below the root's own absolute path.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    using namespace chorus;
    static sys::Tree tree;
    std::string path(fuzz::text_of(bytes, size));
    if (path.starts_with('$')) path.replace(0, 1, tree.top());
    sys::check_canonical(tree.root(), path);
    sys::check_opening(tree, path);
    sys::check_writing(tree, path);
    return 0;
}
