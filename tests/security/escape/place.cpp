#include "security/escape/place.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <stdexcept>

namespace escape {
namespace {

namespace fs = std::filesystem;
using fault::Words;
using fault::write_text;

constexpr const char* profile = R"({"allow": ["tool:[\\s\\S]*"]})";

void must(bool done, const std::string& what) {
    if (!done) fault::give_up(what + ": cannot be made");
}

void must_run(const Words& words, const fault::Variables& variables) {
    const fault::Finished ended = fault::run(words, variables);
    if (ended.status != 0) fault::give_up(words[0] + ": " + ended.err);
}

void make_old(const std::string& path, mode_t mode) {
    const std::array<timespec, 2> times{{{981'173'106, 7}, {981'173'106, 7}}};
    chmod(path.c_str(), mode);
    utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW);
}

// In memory, where programs can be run there.
std::string new_directory() {
    struct statvfs status {};
    const bool is_fit = statvfs("/dev/shm", &status) == 0 && (status.f_flag & ST_NOEXEC) == 0;
    std::string pattern =
        (is_fit ? "/dev/shm" : fs::temp_directory_path().string()) + "/chorus-escape-XXXXXX";
    must(mkdtemp(pattern.data()) != nullptr, pattern);
    return fs::canonical(pattern).string();
}

}  // namespace

Kit::Kit(const std::string& bin, long user) : top_(new_directory()) {
    fs::create_directory(directory());
    for (const auto& entry : fs::directory_iterator(bin))
        if (entry.is_regular_file() && entry.path().filename().string().starts_with("chorus-"))
            fs::copy_file(entry.path(), program(entry.path().filename()));
    fs::copy_file(fault::beside_this_program("security_swap"), program("swap"));
    // where the programs look for what a new agent starts as
    fs::create_directories(top_ + "/share/chorus");
    fs::copy(bin + "/../share/chorus/template", top_ + "/share/chorus/template",
             fs::copy_options::recursive);
    if (user < 0) return;
    const auto id = static_cast<uid_t>(user);
    static_cast<void>(chown(top_.c_str(), id, id));
    for (const auto& entry : fs::recursive_directory_iterator(top_))
        static_cast<void>(lchown(entry.path().c_str(), id, id));
}

Kit::~Kit() {
    std::error_code ignored;
    fs::remove_all(top_, ignored);
}

void put_files(const std::string& top, const std::string& text) {
    for (const char* directory : {"", "a/", "a/b/", "a/b/c/"}) {
        const std::string path = top + "/" + directory;
        fs::create_directories(path);
        write_text(path + "file.txt", text + "\n");
        write_text(path + ".gitignore", "*.o\n# " + text + "\n");
        write_text(path + ".gitattributes", "*.bin binary\n# " + text + "\n");
    }
}

Place::Place(const Kit& kit, bool is_harmless, std::string sandbox)
    : kit_(kit), is_harmless_(is_harmless), sandbox_(std::move(sandbox)), top_(new_directory()) {
    for (const std::string& each : {top_ + "/user", control()}) fs::create_directory(each);
    make_outside();
    make_home();
    make_project();
}

Place::~Place() {
    if (is_kept_) return;
    // what has lost its mode is in the way of whoever is not root
    std::error_code ignored;
    for (fs::recursive_directory_iterator at(top_, ignored), end; at != end; at.increment(ignored))
        if (at->is_directory(ignored) && !at->is_symlink(ignored)) chmod(at->path().c_str(), 0700);
    fs::remove_all(top_, ignored);
}

fault::Variables Place::variables() const {
    return {{"CHORUS_HOME", home()},
            {"HOME", top_ + "/user"},
            {"GIT_CONFIG_NOSYSTEM", "1"},
            {"CHORUS_SHUTDOWN_TIMEOUT_MS", "500"},
            {"NOTE", secrets[0] + ", in the environment"}};
}

void Place::git(const std::string& directory, const Words& words) const {
    Words all{"git",
              "-C",
              directory,
              "-c",
              "user.name=somebody",
              "-c",
              "user.email=x@y",
              "-c",
              "init.defaultBranch=main"};
    all.insert(all.end(), words.begin(), words.end());
    must_run(all, variables());
}

// A repository in a directory of the work tree, which that has as a link to one of its commits.
void Place::make_nested(const std::string& tree, const std::string& text) const {
    const std::string nested = tree + "/sub";
    fs::create_directory(nested);
    write_text(nested + "/file.txt", text + "\n");
    git(nested, {"init", "-q"});
    git(nested, {"add", "-A"});
    git(nested, {"commit", "-qm", text});
}

// A person's home and another agent's work tree, with what git tools look for, in files of all
// sorts. Directories last, since what is made in them changes them.
void Place::make_outside() {
    const std::string& secret = secrets[0];
    put_files(tree(), secret);
    fs::create_directories(outside() + "/.ssh");
    for (const char* name : {".bashrc", ".gitconfig", ".envrc", ".ssh/authorized_keys"})
        write_text(outside() + "/" + name, "# " + secret + "\n");
    for (const std::string& directory : {tree() + "/", tree() + "/a/", tree() + "/a/b/"})
        write_text(directory + secrets[1] + ".txt", secret + "\n");
    write_text(tree() + "/.gitmodules", "# " + secret + "\n");
    make_nested(tree(), secret);
    git(tree(), {"init", "-q"});
    git(tree(), {"config", "core.logAllRefUpdates", "true"});
    git(tree(), {"add", "-A"});
    git(tree(), {"commit", "-qm", secret});
    git(tree(), {"gc", "-q"});
    for (const char* branch : {"b0", "b1"}) git(tree(), {"branch", branch});
    write_text(tree() + "/file.txt", secret + ", twice\n");
    git(tree(), {"commit", "-qam", secret + ", twice"});
    commit_ = fault::read_text(tree() + "/.git/refs/heads/main").substr(0, 40);
    for (const char* name : {"ORIG_HEAD", "COMMIT_EDITMSG", "MERGE_MSG", "chorus.mutex",
                             "objects/info/alternates", "info/attributes"})
        write_text(tree() + "/.git/" + name, "# " + secret + "\n");
    for (const char* name : {"made", "empty", "shared", "odd"})
        fs::create_directory(outside() + "/" + name);
    write_text(outside() + "/odd/secret", secret + "\n");
    write_text(outside() + "/odd/run", secret + "\n");
    write_text(outside() + "/odd/linked", secret + "\n");
    must(link((outside() + "/odd/linked").c_str(), (outside() + "/odd/twice").c_str()) == 0 &&
             symlink("secret", (outside() + "/odd/link").c_str()) == 0 &&
             mkfifo((outside() + "/odd/fifo").c_str(), 0620) == 0,
         outside());
    setxattr((outside() + "/odd/secret").c_str(), "user.note", "kept", 4, 0);
    make_old(outside() + "/odd/secret", 0640);
    make_old(outside() + "/odd/run", 0751);
    chmod((outside() + "/shared").c_str(), 02775);
    make_old(outside() + "/empty", 0711);
}

void Place::make_home() const {
    fs::create_directory(home());
    write_text(home() + "/config.json", R"({"sandbox": ")" + sandbox_ + R"(", "sandbox_read": [")" +
                                            kit_.directory() + R"("]})");
    write_text(control() + "/profile.json", profile);
    make_agent("a");
    make_agent("other");
    const std::string directory = agent("other");
    put_files(directory + "/workspace", secrets[0]);
    write_text(directory + "/workspace/" + secrets[1], secrets[0]);
    write_text(directory + "/docs/secret.md", secrets[0]);
    git(directory + "/workspace", {"add", "-A"});
    git(directory + "/workspace", {"commit", "-qm", secrets[0]});
    const std::string presets = home() + "/presets";
    fs::create_directories(presets);
    write_text(
        presets + "/adversary.md",
        "---\nmodel: builtin/script\npaths: {read: [\"**\"], write: [\"**\"]}\n---\nAttack.\n");
}

void Place::make_agent(const std::string& name, const std::string& permissions) const {
    must_run({program("chorus-init"), name, "--model", "builtin/script", "--permissions",
              permissions.empty() ? "@" + control() + "/profile.json" : permissions},
             variables());
    const std::string tree = workspace(name);
    put_files(tree, "inside");
    write_text(tree + "/.gitignore", ".cache/\n.probe*\n");
    make_nested(tree, "inside");
    std::string text = "/git_commit {\"message\": \"first\"}\n/git_branch {\"name\": \"b0\"}\n";
    text += "/create_file {\"path\": \"a/new.txt\", \"content\": \"new\\n\"}\n";
    text += "/git_commit {\"message\": \"second\"}\n/git_branch {\"name\": \"b1\"}\n";
    // going from one branch to the other puts a link in a directory's place
    const std::string target = is_harmless_ ? "../sub" : this->tree() + "/a/b";
    text += "/bash {\"command\": \"git checkout -qb l0 && rm -r a/b && ln -s " + target +
            " a/b && git add -A && git commit -qm link && git checkout -q main\"}\n";
    fault::Finished ended =
        fault::run({program("chorus-run"), name, "-p", text, "--stdin", "ignore"}, variables());
    // one that asks stands where it asked
    if (ended.status != 0 && permissions.empty()) fault::give_up("chorus-run: " + ended.err);
}

std::string Place::make_sub_agent() const {
    must_run(
        {program("chorus-run"), "a", "--spawn", "adversary", "-p", "begin", "--stdin", "ignore"},
        variables());
    const auto made = fs::directory_iterator(agent("a") + "/branches/main/agents");
    return made->path().filename().string();
}

void Place::make_project() const {
    put_files(project(), "inside");
    write_text(project() + "/.gitignore", ".cache/\n.probe*\n");
}

void Place::make_person() const {
    const std::string origin = control() + "/origin";
    put_files(origin, "inside");
    git(origin, {"init", "-q"});
    git(origin, {"add", "-A"});
    git(origin, {"commit", "-qm", "first"});
    put_files(person(), "inside");
    git(person(), {"init", "-q"});
    git(person(),
        {"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", origin, "module"});
    git(person(), {"add", "-A"});
    git(person(), {"commit", "-qm", "first"});
    // all have .gitmodules: a checkout that takes it away would end the adversary
    for (const char* branch : {"b0", "b1"}) git(person(), {"branch", branch});
    git(person(), {"commit", "--allow-empty", "-qm", "second"});
    git(person(), {"worktree", "add", "-q", "-b", "l0", linked()});
}

Words Place::outside_words() const {
    Words words{"--tree", tree(), "--commit", commit_};
    for (const std::string& file :
         {outside() + "/.bashrc", outside() + "/.ssh/authorized_keys", outside() + "/odd/secret",
          outside() + "/odd/linked", agent("other") + "/agent.json",
          agent("other") + "/workspace/file.txt", agent("other") + "/docs/secret.md",
          home() + "/config.json"})
        words.insert(words.end(), {"--file", file});
    for (const std::string& directory :
         {outside() + "/empty", outside() + "/shared", outside() + "/odd", outside() + "/.ssh",
          outside(), agent("other"), agent("other") + "/workspace", agent("other") + "/docs",
          agent("other") + "/workspace/.git"})
        words.insert(words.end(), {"--directory", directory});
    return words;
}

}  // namespace escape
