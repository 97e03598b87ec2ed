// Histories made of a seed, once with the git tools' Repository and once with git: the trees, the
// number of parents, the work trees and what git says of them have to be the same.
//
// test_differential [COUNT [SEED]]; the seed of a history that differs is printed and replays it.
// With EVERY_STEP in the environment trees are compared after each step, which finds the step.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <random>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "repo/repository.hpp"

namespace {

namespace fs = std::filesystem;
using chorus::repo::Author;
using chorus::repo::Repository;

const Author author{"p", "p@x"};

void commit_in(Repository& repository, const std::string& message,
               const std::vector<std::string>& files, const Author& by) {
    repository.plan_commit(message, files, by).finish();
}

std::string output_of(const std::string& directory, const std::string& script) {
    const std::string line = "cd '" + directory + "' && exec 2>&1; " + script;
    FILE* pipe = popen(line.c_str(), "r");
    std::string text;
    char chunk[4096];
    while (const std::size_t count = std::fread(chunk, 1, sizeof chunk, pipe))
        text.append(chunk, count);
    const int status = pclose(pipe);
    return text + (WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : "failed\n");
}

std::string content_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Every path of the work tree with its kind, whether it can be run, and what it holds.
std::string picture(const std::string& directory) {
    std::vector<std::string> lines;
    fs::recursive_directory_iterator walk(directory);
    for (const auto end = fs::end(walk); walk != end; ++walk) {
        const fs::path& path = walk->path();
        if (path.filename() == ".git") {
            walk.disable_recursion_pending();
            continue;
        }
        std::string line = path.lexically_relative(directory).string();
        if (fs::is_symlink(path)) {
            line += " -> " + fs::read_symlink(path).string();
        } else if (fs::is_regular_file(path)) {
            const bool runs = (walk->status().permissions() & fs::perms::owner_exec) != fs::perms{};
            line += (runs ? " x " : " - ") + content_of(path);
        } else {
            continue;  // git does not keep empty directories, and need not remove them
        }
        lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    // the id of a commit depends on its second
    static const std::regex marker(">>>>>>> parent of [0-9a-f]+");
    return std::regex_replace(text, marker, ">>>>>>> parent");
}

struct Difference {
    std::string what;
    std::string ours;
    std::string gits;
    bool is_of_git = false;  // a command of git did not do the same in both
};

class History {
  public:
    History(const std::string& directory, unsigned seed)
        : random_(seed), ours_(directory + "/one/repo"), gits_(directory + "/two/repo") {
        both(
            "git init -q -b main . && printf "
            "'[user]\\nname=p\\nemail=p@x\\n[maintenance]\\nauto=false\\n"
            "[core]\\nquotePath=off\\n" +
            configuration() + "' >> .git/config");
        if (chance(4)) add_submodule();
        if (chance(5)) name_file("excludesFile", "*.sh\\n-dash\\n"), ignores_ = true;
        if (chance(5)) name_file("attributesFile", "*.txt text\\n"), converts_ = true;
        write_files(4);
        commit();
    }

    void run() {
        for (int i = 0, steps = 3 + below(5); i < steps; ++i) step();
        same("fsck", output_of(ours_, "git fsck --strict --no-dangling --no-progress"), "");
        same_everywhere("log",
                        "git log --all --format='%T %P' | awk '{print $1, NF}' | sort -u; git "
                        "for-each-ref --format='%(refname)'; git symbolic-ref HEAD");
        settle();
        same_everywhere("status", "git status --porcelain");
    }

    const std::string& told() const { return told_; }

  private:
    int below(int bound) { return std::uniform_int_distribution<int>(0, bound - 1)(random_); }
    bool chance(int of) { return below(of) == 0; }
    template <typename List>
    auto any(const List& list) {
        return list[static_cast<std::size_t>(below(static_cast<int>(std::size(list))))];
    }

    void tell(const std::string& step) { told_ += step + "\n"; }
    static void same(const std::string& what, const std::string& ours, const std::string& gits) {
        if (ours != gits) throw Difference{what, ours, gits};
    }
    void same_everywhere(const std::string& what, const std::string& script) const {
        same(what, output_of(ours_, script), output_of(gits_, script));
    }
    void both(const std::string& script) {
        tell(script);
        output_of(gits_, script);
        output_of(ours_, script);
    }

    std::string configuration() {
        std::string lines;
        if (chance(3)) lines += std::string("autocrlf=") + (chance(2) ? "true" : "input") + "\\n";
        if (chance(6)) lines += "eol=crlf\\n";
        if (chance(8)) lines += "fileMode=false\\n";
        converts_ = !lines.empty();
        return lines;
    }

    // Outside of the workspace and its git directory it would be refused. No .gitignore undoes the
    // rules: libgit2 drops a "!name" that undoes none of its own file.
    void name_file(const std::string& key, const std::string& text) {
        both("git config core." + key + " $PWD/.git/named-" + key + " && printf '" + text +
             "' > .git/named-" + key);
    }

    std::string name() {
        static const char* const plain[] = {"a.txt",     "b.txt",     "run.sh",
                                            "data.bin",  "dir/c.txt", "dir/deep/d.txt",
                                            "dir/e.bin", "x.log",     "build/o.txt"};
        static const char* const odd[] = {
            "caf\xc3\xa9.txt", "new\nline.txt", "-dash",   "with blank", "quo\"te",
            "tab\there",       "back\\slash",   "*star",   "[set].txt",  ":colon",
            "#hash",           "!bang",         ".hidden", "trailing ",  "\xff\xfe",
            "dir/'quote'",     "dir/-x/$y",     "A.TXT"};
        return chance(4) ? any(odd) : any(plain);
    }
    std::string content() {
        std::string text;
        const int kind = below(12);
        if (kind == 0) return {};
        if (kind == 1) return std::string("\0binary\r\n\n", 10) + std::to_string(below(100));
        if (kind == 2) return "lone\rreturn\n" + std::to_string(below(100));
        for (int i = 0, lines = 1 + below(8); i < lines; ++i) {
            const bool crlf = kind == 3 || kind == 4 || (kind == 5 && chance(2));
            text += "line " + std::to_string(below(40)) + (crlf ? "\r\n" : "\n");
        }
        if (kind == 6) text.pop_back();
        if (kind == 7) text += "$Id$\n";
        return text;
    }
    std::string attributes() {
        static const char* const lines[] = {
            "*.txt text\n",      "*.txt text eol=crlf\n",  "* text=auto\n",
            "*.bin -text\n",     "*.sh text eol=lf\n",     "dir/* text\n",
            "*.txt eol=crlf\n",  "* text=auto eol=crlf\n", "*.txt ident\n",
            "x.log binary\n",    "*.txt crlf\n",           "*.txt -crlf\n",
            "*.txt crlf=input\n"};
        std::string text;
        for (int i = 0, count = 1 + below(3); i < count; ++i) text += any(lines);
        return text;
    }

    // Done in both work trees; what is in the way is removed.
    template <typename Act>
    void change(const std::string& what, const std::string& path, Act act) {
        std::error_code error;
        for (const std::string& root : {ours_, gits_}) {
            const fs::path file = fs::path(root) / path;
            for (fs::path up = file.parent_path(); up != root; up = up.parent_path())
                if (fs::exists(fs::symlink_status(up)) && !fs::is_directory(fs::symlink_status(up)))
                    fs::remove(up);
            fs::create_directories(file.parent_path(), error);
            act(file);
        }
        tell(what + " " + path);
    }
    // git takes a file for unchanged whose size and time are those of the index, even where other
    // attributes would make something else of it; how sure it is depends on the second. So all
    // files get a time of their own before it has to know.
    void settle() {
        if (!converts_) return;
        const timespec times[2] = {{++clock_, 0}, {clock_, 0}};
        for (const std::string& root : {ours_, gits_})
            for (const auto& entry : fs::recursive_directory_iterator(root))
                if (entry.path().string().find("/.git/") == std::string::npos)
                    utimensat(AT_FDCWD, entry.path().c_str(), times, AT_SYMLINK_NOFOLLOW);
    }
    void write(const std::string& path, const std::string& text) {
        change("write", path, [&](const fs::path& file) {
            if (fs::is_symlink(file) || fs::is_directory(file)) fs::remove_all(file);
            std::ofstream(file, std::ios::binary) << text;
        });
    }
    void write_files(int count) {
        for (int i = 0; i < count; ++i) write(name(), content());
    }
    void change_something() {
        const std::string path = name();
        switch (below(12)) {
            case 0:
                change("remove", path, [](const fs::path& file) { fs::remove_all(file); });
                break;
            case 1: {
                const bool runs = chance(2);
                change(runs ? "chmod +x" : "chmod -x", path, [&](const fs::path& file) {
                    if (fs::is_regular_file(fs::symlink_status(file)))
                        fs::permissions(file, static_cast<fs::perms>(runs ? 0755 : 0644));
                });
                break;
            }
            case 2: {
                const std::string target = chance(2) ? name() : "nowhere";
                change("link to " + target, path, [&](const fs::path& file) {
                    fs::remove_all(file);
                    fs::create_symlink(target, file);
                });
                break;
            }
            case 3: {
                const std::string inner = path + "/inner.txt";
                write(inner, content());
                break;
            }
            case 4:
                change("mkdir", path, [](const fs::path& file) {
                    if (!fs::exists(fs::symlink_status(file))) fs::create_directory(file);
                });
                break;
            case 5: {
                const std::string from = name();
                change("rename " + from + " to", path, [&](const fs::path& file) {
                    const std::string root = file.string().substr(0, ours_.size());
                    std::error_code error;
                    if (fs::is_regular_file(fs::symlink_status(fs::path(root) / from)))
                        fs::rename(fs::path(root) / from, file, error);
                });
                break;
            }
            case 6:
                write(chance(3) ? "dir/.gitattributes" : ".gitattributes", attributes());
                converts_ = true;
                break;
            case 7:
                write(chance(3) ? "dir/.gitignore" : ".gitignore",
                      chance(2) ? "*.log\nbuild/\n" : "!x.log\n/dir/deep\n*.bin\n");
                ignores_ = true;
                break;
            case 8:
                if (has_submodule_) advance_submodule();
                break;
            default:
                write(path, content());
        }
    }

    // The second is a repository inside, of which git has no more than its commit.
    void add_submodule() {
        static const char* const ways[] = {"submodule --quiet add ../source sub",
                                           "clone -q ../source sub && git add sub"};
        has_submodule_ = true;
        const std::string dates =
            "GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000' ";
        both(
            "git init -q -b main ../source && cd ../source && git config user.name p && "
            "git config user.email p@x && echo 1 > s && git add s && " +
            dates + "git commit -qm one && cd - >/dev/null; git -c protocol.file.allow=always " +
            any(ways) + " && git -C sub config user.name p && git -C sub config user.email p@x");
    }
    void advance_submodule() {
        const std::string number = std::to_string(below(1000));
        both("cd sub && echo " + number +
             " > s && git add s && GIT_AUTHOR_DATE='1700000000 +0000' "
             "GIT_COMMITTER_DATE='1700000000 +0000' git commit -qm " +
             number);
    }

    void step() {
        for (int i = 0, changes = 1 + below(4); i < changes; ++i) change_something();
        if (chance(8)) compare_status();
        if (chance(6)) both("git add -A .");
        if (chance(12)) expect_refused_quotes();
        if (chance(5)) return commit_some();
        commit();
        if (chance(3)) branch();
        if (branches_.size() > 1 && chance(2)) checkout(any(branches_));
        if (branches_.size() > 1 && chance(2)) combine();
    }

    // What both say: "" for done.
    template <typename Act>
    std::string outcome(Act act) {
        try {
            act(*Repository::open(ours_));
        } catch (const chorus::base::Error& error) {
            said_ = error.message();
            return "failed\n";
        }
        return {};
    }
    void compare(const std::string& what, const std::string& ours, const std::string& gits) {
        tell(what);
        if ((ours.empty()) != (gits.find("failed\n") == std::string::npos))
            throw Difference{what, ours.empty() ? "done" : said_, gits};
        same(what + ": work tree", picture(ours_), picture(gits_));
        if (every_step_) {
            settle();
            same_everywhere(what, "git rev-parse HEAD^{tree}; git status --porcelain");
        }
    }
    void commit() {
        settle();
        const std::string ours =
            outcome([](Repository repository) { commit_in(repository, "m", {}, author); });
        compare("commit", ours, output_of(gits_, "git add -A . && git commit -qm m"));
    }
    void expect_refused_quotes() {
        write(".gitattributes", "\"with blank\" text\n");
        outcome([](Repository repository) { commit_in(repository, "m", {}, author); });
        same("quotes", said_, "commit: '.gitattributes' has a pattern in quotes");
        write(".gitattributes", attributes());
        converts_ = true;
    }
    void commit_some() {
        const std::string path = any(std::vector<std::string>{"dir", "a.txt", "b.txt", "run.sh"});
        const auto status = fs::symlink_status(fs::path(ours_) / path);
        if (fs::is_directory(status) != (path == "dir") || !fs::exists(status)) return;
        settle();
        const std::string ours =
            outcome([&](Repository repository) { commit_in(repository, "some", {path}, author); });
        // `git commit -- PATH` refuses a directory in place of a file
        compare(
            "commit " + path, ours,
            output_of(
                gits_,
                "export GIT_INDEX_FILE=.git/other; git read-tree HEAD && git add -A -- " + path +
                    " && tree=$(git write-tree) && test $tree != $(git rev-parse HEAD^{tree}) && "
                    "unset GIT_INDEX_FILE && git add -A -- " +
                    path + " && git update-ref HEAD $(git commit-tree -p HEAD -m some $tree)"));
    }
    void compare_status() {
        // staged renames are told apart differently, and libgit2 obeys rules of the index besides
        if (!output_of(ours_, "git diff --cached --quiet").empty() ||
            output_of(ours_, "git status --porcelain -uall").find(".gitattributes") !=
                std::string::npos)
            return;
        settle();
        std::string tracked;
        std::istringstream lines(Repository::open(ours_)->status());
        for (std::string line; std::getline(lines, line);)
            if (line[0] != '?' && !line.starts_with("branch ")) tracked += line + "\n";
        tell("status");
        same("status by git", tracked, output_of(ours_, "git status --porcelain -uno"));
    }
    void branch() {
        const std::string fresh = "b" + std::to_string(branches_.size());
        branches_.push_back(fresh);
        const std::string ours = outcome([&](Repository repository) {
            if (chance(2)) return repository.checkout(fresh, true);
            repository.create_branch(fresh);
            repository.checkout(fresh, false);
        });
        compare("branch " + fresh, ours, output_of(gits_, "git checkout -q -b " + fresh));
    }
    void checkout(const std::string& branch) {
        settle();
        const std::string ours =
            outcome([&](Repository repository) { repository.checkout(branch, false); });
        // git overwrites ignored files, and libgit2 takes tracked ones for ignored
        if (!ours.empty() && ignores_ && said_.find("would overwrite") != std::string::npos) return;
        compare("checkout " + branch, ours, output_of(gits_, "git checkout -q " + branch));
    }

    // git does it in both; the commit at the end, where git stops before it, is ours.
    void combine() {
        settle();
        const std::string other = any(branches_);
        static const char* const ways[] = {"merge -q --no-commit --no-ff ",
                                           "merge -q --no-commit --no-ff ", "cherry-pick ",
                                           "revert --no-edit "};
        // a revert may leave a repository behind that is no submodule any more: git adds it again
        const std::string way = ways[below(has_submodule_ ? 3 : 4)];
        both("git " + way + other);
        if (const std::string ours = picture(ours_), gits = picture(gits_); ours != gits)
            throw Difference{way + other + ": by git", ours, gits, true};
        static const std::string unmerged = "git diff --name-only --diff-filter=U -z 2>/dev/null";
        std::vector<std::string> files;
        std::string list = output_of(ours_, unmerged);
        for (std::size_t end = 0; (end = list.find('\0')) != std::string::npos;
             list.erase(0, end + 1))
            files.push_back(list.substr(0, end));
        const std::string text = content();
        for (const std::string& file : files)
            if (file != "sub") write(file, text);
        const bool adds = chance(2);
        settle();
        if (adds && !files.empty()) output_of(ours_, unmerged + " | xargs -0 git add -A --");
        const std::string ours = outcome([&](Repository repository) {
            commit_in(repository, "m", adds ? std::vector<std::string>{} : files, author);
        });
        compare(way + other + ": end", ours,
                output_of(gits_, unmerged + " | xargs -0 -r git add -A -- ; " +
                                     (adds || files.empty() ? "git add -A . && " : "") +
                                     "git commit -qm m"));
        const std::string end =
            "git merge --abort || git cherry-pick --abort || git revert --abort; true";
        if (!ours.empty()) both(end);
        const auto left = [](const std::string& root) {
            std::string names;
            for (const char* name : {"MERGE_HEAD", "MERGE_MSG", "CHERRY_PICK_HEAD", "REVERT_HEAD",
                                     "AUTO_MERGE", "sequencer"})
                if (fs::exists(root + "/.git/" + name)) names += std::string(name) + " ";
            return names;
        };
        same(way + other + ": left in .git", left(ours_), left(gits_));
    }

    std::mt19937 random_;
    std::string ours_;
    std::string gits_;
    std::string told_;
    std::string said_;
    std::vector<std::string> branches_{"main"};
    bool has_submodule_ = false;
    bool converts_ = false;  // line ends, by configuration or attributes
    bool ignores_ = false;
    time_t clock_ = 1'600'000'000;
    const bool every_step_ = getenv("EVERY_STEP") != nullptr;
};

enum class Outcome { same, different, different_by_git };

Outcome replay(unsigned seed) {
    std::string directory = access("/dev/shm", W_OK) == 0 ? "/dev/shm/chorus-differential-XXXXXX"
                                                          : "/tmp/chorus-differential-XXXXXX";
    directory = fs::canonical(mkdtemp(directory.data()));
    // side by side and of one length: a link that leads out of one leads to the same in the other
    for (const char* name : {"/one/repo", "/two/repo"}) fs::create_directories(directory + name);
    setenv("HOME", directory.c_str(), 1);
    Outcome outcome = Outcome::same;
    std::string told;
    try {
        History history(directory, seed);
        try {
            history.run();
        } catch (const Difference&) {
            told = history.told();
            throw;
        }
    } catch (const Difference& difference) {
        outcome = difference.is_of_git ? Outcome::different_by_git : Outcome::different;
        std::cout << "seed " << seed << " differs: " << difference.what << "\n--- ours\n"
                  << difference.ours << "\n--- git's\n"
                  << difference.gits << "\n--- steps\n"
                  << told << "--- left in " << directory << std::endl;
    }
    if (outcome == Outcome::same) fs::remove_all(directory);
    return outcome;
}

// Every STRIDE-th from `first` on, in a process of its own: the differences it found, 3 at most.
int replay_share(unsigned first, unsigned stride, unsigned end) {
    int different = 0;
    for (unsigned seed = first; seed < end && different < 3; seed += stride) {
        Outcome outcome = replay(seed);
        // git goes by times of files: what it did only once was not by an index of ours
        if (outcome == Outcome::different_by_git) outcome = replay(seed);
        different += outcome == Outcome::same ? 0 : 1;
    }
    return different;
}

}  // namespace

int main(int count, char** arguments) {
    const unsigned histories = count > 1 ? static_cast<unsigned>(std::atoi(arguments[1])) : 300;
    const unsigned seed = count > 2 ? static_cast<unsigned>(std::strtoul(arguments[2], nullptr, 10))
                                    : std::random_device{}() % 1'000'000'000;
    std::cout << histories << " histories from seed " << seed << std::endl;
    for (const char* name : {"GIT_DIR", "GIT_INDEX_FILE", "XDG_CONFIG_HOME"}) unsetenv(name);
    setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    setenv("GIT_LITERAL_PATHSPECS", "1", 1);
    setenv("GIT_EDITOR", "true", 1);
    setenv("LC_ALL", "C", 1);
    const unsigned workers = std::clamp(std::thread::hardware_concurrency(), 1U, 8U);
    for (unsigned i = 0; i < workers; ++i)
        if (fork() == 0) _exit(replay_share(seed + i, workers, seed + histories));
    int status = 0;
    bool same = true;
    while (wait(&status) > 0) same = same && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    return same ? 0 : 1;
}
