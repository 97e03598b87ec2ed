#include "sys/plants.hpp"

#include <sys/inotify.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>

#include "sys/fd.hpp"
#include "sys/git_config.hpp"
#include "unit/sys/sandboxed.hpp"

namespace chorus::sys {
namespace {

using Lines = std::vector<std::string>;

class PlantsTest : public SandboxTest {
  protected:
    void SetUp() override {
        SandboxTest::SetUp();
        fs::create_directory(top_ + "/home");
        for (const char* name : {"HOME", "XDG_CONFIG_HOME"})
            if (const char* value = getenv(name)) before_[name] = value;
        setenv("HOME", (top_ + "/home").c_str(), 1);
        unsetenv("XDG_CONFIG_HOME");
    }
    void TearDown() override {
        unsetenv("HOME");
        for (const auto& [name, value] : before_) setenv(name.c_str(), value.c_str(), 1);
        SandboxTest::TearDown();
    }
    // What is told after a command inside, sorted.
    Lines told_after(const std::string& script) const {
        const Plants before = Plants::in(sandbox_.workspace);
        EXPECT_TRUE(works(script));
        Lines told = Plants::in(sandbox_.workspace).since(before);
        std::sort(told.begin(), told.end());
        return told;
    }

  private:
    std::map<std::string, std::string> before_;
};

TEST_F(PlantsTest, AreToldAndCompareInAnotherProcess) {
    ASSERT_TRUE(works("git init -q sub && git -C sub config core.fsmonitor x"));
    const Plants plants = Plants::in(sandbox_.workspace);
    EXPECT_EQ(Plants::parse(plants.text()).since(Plants()), plants.since(Plants()));
    EXPECT_EQ(plants.since(Plants::parse(plants.text())), Lines{});
    EXPECT_EQ(Plants::parse("").since(Plants()), Lines{});
    EXPECT_EQ(plants.report_since(plants).line, "");
    EXPECT_EQ(plants.report_since(plants).record, "");
    EXPECT_EQ(
        plants.report_since(Plants()).line,
        "files changed that programs outside the sandbox obey: sub/.git/config: core.fsmonitor");
    EXPECT_EQ(plants.report_since(Plants()).record, plants.report_since(Plants()).line);
}

PlantReport report_of(const std::vector<std::pair<std::string, std::string>>& changes) {
    std::string text;
    for (const auto& [path, what] : changes) text += path + '\0' + what + '\0' + '\0';
    return Plants::parse(text).report_since(Plants());
}

TEST_F(PlantsTest, OfManyTheFirstFewAreToldAndAllAreRecorded) {
    std::vector<std::pair<std::string, std::string>> many;
    for (char name = 'a'; name <= 'l'; ++name) many.emplace_back(std::string(1, name) + "\n", "x");
    const PlantReport report = report_of(many);
    EXPECT_TRUE(report.line.ends_with("'j\\n': x and 2 more")) << report.line;
    EXPECT_TRUE(report.record.ends_with("'j\\n': x, 'k\\n': x, 'l\\n': x")) << report.record;
    // a path is no more than one of them, and cannot be taken for several
    for (int i = 0; i < 9'000; ++i) many.emplace_back("a", "k" + std::to_string(i));
    many.emplace_back("z, y: x; all fine", "core.fsmonitor");
    const PlantReport flood = report_of(many);
    EXPECT_NE(flood.record.find("a: k0, k1, k10, k100, k1000 and 8995 more"), flood.record.npos);
    EXPECT_TRUE(flood.record.ends_with("'z, y: x; all fine': core.fsmonitor")) << flood.record;
}

TEST_F(PlantsTest, LongPathsLoseTheirMiddleAndTheRecordNothing) {
    const std::string path = std::string(600, 'd') + "/.git/config";
    const PlantReport report = report_of({{path, "core.fsmonitor"}});
    EXPECT_TRUE(report.line.ends_with("ddd/.git/config: core.fsmonitor"));
    EXPECT_LT(report.line.size(), 300U);
    EXPECT_TRUE(report.record.ends_with(": " + path + ": core.fsmonitor"));
    // the record has an end, too
    std::vector<std::pair<std::string, std::string>> many;
    for (int i = 0; i < 3'000; ++i) many.emplace_back(path + std::to_string(i), "x");
    EXPECT_LT(report_of(many).record.size(), 1'100'000U);
    EXPECT_TRUE(report_of(many).record.ends_with(" more"));
}

TEST_F(PlantsTest, WhatManyDeepOnesHideIsNamedFirst) {
    ASSERT_TRUE(
        works("for i in $(seq 12); do mkdir -p a/b/$i && git init -q a/b/$i && "
              "git -C a/b/$i config core.fsmonitor x; done; "
              "git init -q z && git -C z config core.fsmonitor x"));
    const Lines changes = Plants::in(sandbox_.workspace).since(Plants());
    ASSERT_EQ(changes.size(), 13U);
    EXPECT_EQ(changes.front(), "z/.git/config: core.fsmonitor");
}

// Whatever a command makes, the search after it ends soon; what it left out is a plant, and so is
// each change of it.
TEST_F(PlantsTest, TheSearchHasItsBound) {
    const std::string make =
        "mkdir -p $r/objects/info $r/refs; echo 'ref: refs/heads/m' > $r/HEAD; ";
    const std::string other = "for r in a b; do " + make + "done; printf '[core]fsmonitor=x\\n' > ";
    struct Flood {
        std::string plant, told, change;
    };
    for (const Flood& flood : {
             // 20000 names
             Flood{other + "a/config; seq -s ' ' -f 'w%.0f' 20000 | sed 's/^/[core]fsmonitor=/' > "
                           "b/config",
                   "b/config: is not inspected", "echo 1 >> b/config"},
             Flood{other + "a/config; yes '[include]path=c' | head -20001 > b/config",
                   "b/config: is not inspected", "echo 1 >> b/config"},
             Flood{other + "a/config; seq -f '../../x/%.0f' 20001 > b/objects/info/alternates",
                   "b/objects/info/alternates: is not inspected",
                   "echo 1 >> b/objects/info/alternates"},
             // 8 MiB
             Flood{"for r in $(seq 10); do " + make +
                       "yes '[user]name=x' | head -c 1000000 > $r/config; done",
                   "/config: cannot be read",
                   "for r in $(seq 10); do echo '[user]name=x' >> $r/config; done"},
             // 20000 repositories and names; what is below a repository comes after it
             Flood{other +
                       "a/config; seq -f 'w%.0f' -s ' ' 19990 | sed 's/^/[core]fsmonitor=/' > "
                       "b/config; "
                       "for r in $(seq -f b/in/%.0f 20); do " +
                       make + "done",
                   "/: is not inspected",
                   "for r in $(seq -f b/in/%.0f 20); do echo > $r/config; done"},
             // 4 MiB of plants
             Flood{"for r in b; do " + make +
                       "done; mkdir b/hooks; cd b/hooks; "
                       "seq -f \"$(printf %200s | tr ' ' x)%.0f\" 18000 | xargs touch; "
                       "chmod -R +x .",
                   ".: too many such files", "chmod -R g-x b/hooks"},
         }) {
        const auto is_told = [&](const Lines& lines) {
            return std::any_of(lines.begin(), lines.end(),
                               [&](const std::string& line) { return line.ends_with(flood.told); });
        };
        EXPECT_TRUE(is_told(told_after(flood.plant))) << flood.plant;
        EXPECT_TRUE(is_told(told_after(flood.change))) << flood.change;
        EXPECT_EQ(told_after("true"), Lines{}) << flood.plant;
        EXPECT_TRUE(works("rm -rf *"));
    }
}

// Where not all was read, every file may be one that it points to.
TEST_F(PlantsTest, WhatIsNotReadMayPointAnywhere) {
    ASSERT_TRUE(works("git init -q && echo x > file"));
    EXPECT_FALSE(Plants::is_pointed_to(sandbox_.workspace, "file"));
    ASSERT_TRUE(
        works("mkdir -p sub/d && git init -q sub && yes '[include]path=c' | head -20001 > "
              "sub/.git/config"));
    EXPECT_TRUE(Plants::is_pointed_to(sandbox_.workspace, "sub/d/file"));
}

// Each makes git run it where it is obeyed: in the workspace it could not, so it writes elsewhere.
struct Trap {
    std::string plant;   // by a command inside; %s is the program that git is to run
    std::string spring;  // on the host
    std::string told;
};

// Real git on the host falls for each of them, and each is told.
TEST_F(PlantsTest, WhatGitOnTheHostObeysIsTold) {
    const std::string make =
        "git init -q -b main sub && git -C sub config user.name n && "
        "git -C sub config user.email e@example.org && ";
    const Trap traps[] = {
        {make + "git -C sub config core.fsmonitor %s", "git -C sub status",
         "sub/.git/config: core.fsmonitor"},
        {make + "printf '[core]fsmonitor=%s\n' >> sub/.git/config", "git -C sub status",
         "sub/.git/config: core.fsmonitor"},
        {make + "printf '[alias \"\"]\n[core \"x\"] a = b\n[CORE]\nFsMonitor = \"%s\"\n' >> "
                "sub/.git/config",
         "git -C sub status", "sub/.git/config: core.fsmonitor"},
        {make + "git -C sub config extensions.worktreeConfig true && "
                "git config -f sub/.git/config.worktree core.fsmonitor %s",
         "git -C sub status", "sub/.git/config.worktree: core.fsmonitor"},
        {make + "printf '[core]\nfsmonitor=%s\n' > sub/more && "
                "git -C sub config include.path ../more",
         "git -C sub status", "sub/.git/config: include.path"},
        {make + "ln -s %s sub/.git/hooks/pre-commit", "git -C sub commit -q --allow-empty -m x",
         "sub/.git/hooks/pre-commit: a hook"},
        {make + "mkdir sub/h && ln -s %s sub/h/pre-commit && git -C sub config core.hooksPath h",
         "git -C sub commit -q --allow-empty -m x", "sub/.git/config: core.hookspath"},
        {make + "git -C sub config diff.external %s && touch sub/f && git -C sub add f && "
                "echo x > sub/f",
         "git -C sub diff", "sub/.git/config: diff.external"},
        // behind a .git that is a file, or a link
        {make + "git -C sub config core.fsmonitor %s && mkdir d && mv sub/.git other && "
                "echo gitdir: ../other > d/.git",
         "git -C d status", "other/config: core.fsmonitor"},
        {make + "git -C sub config core.fsmonitor %s && mkdir d && mv sub/.git other && "
                "ln -s ../other d/.git",
         "git -C d status", "other/config: core.fsmonitor"},
        {make + "git -C sub config core.fsmonitor %s && mkdir d && mkdir -p sub/.git/objects/o && "
                "cp -r sub/.git/config sub/.git/HEAD sub/.git/refs sub/.git/objects/o && "
                "mkdir sub/.git/objects/o/objects && git -C sub config --unset core.fsmonitor && "
                "echo gitdir: ../sub/.git/objects/o > d/.git",
         "git -C d status", "sub/.git/objects/o/config: core.fsmonitor"},
        // its configuration elsewhere
        {make + "git -C sub config core.fsmonitor %s && mv sub/.git other && mkdir sub/.git && "
                "cp other/HEAD sub/.git && echo ../../other > sub/.git/commondir",
         "git -C sub status", "other/config: core.fsmonitor"},
        // a directory that is a repository without a .git
        {make + "git -C sub config core.fsmonitor %s && git -C sub config core.worktree .. && "
                "mv sub/.git bare && rm -r sub",
         "git -C bare status", "bare/config: core.fsmonitor"},
        // a repository that the workspace's own names as its part
        {make + "git -C sub config core.fsmonitor %s && git -C sub commit -q --allow-empty -m x && "
                "git init -q . && git add sub 2>/dev/null",
         "git status", "sub/.git/config: core.fsmonitor"},
        // a reference that leads out: what git writes there is not of the agent's choice
        {make + "touch %s && echo ref: refs/../../../../sprung > sub/.git/HEAD",
         "git -C sub commit -q --allow-empty -m x",
         "sub/.git/HEAD: leads to refs/../../../../sprung"},
        {make + "touch %s && echo ref: refs/../../../../sprung > sub/.git/refs/heads/other",
         "cd sub && git commit -q --allow-empty -m x && git branch -f other",
         "sub/.git/refs/heads/other: leads to refs/../../../../sprung"},
        // what git would not put into an index: the sum at its end is made anew
        {make + "cd sub && blob=$(git hash-object -w --stdin < %s) && git update-index --add "
                "--cacheinfo 100755,$blob,zgit/hooks/post-checkout && "
                "sed -i s#zgit#.git# .git/index && head -c -20 .git/index > i && "
                "printf \"$(sha1sum < i | cut -c-40 | sed 's/../\\\\x&/g')\" >> i && "
                "mv i .git/index",
         "cd sub && git restore . && git checkout -q -b other",
         "sub/.git/index: the entry .git/hooks/post-checkout"},
        // the workspace's own, which was not there
        {"git init -q . && git config core.fsmonitor %s", "git status",
         ".git/config: core.fsmonitor"},
    };
    for (const Trap& trap : traps) {
        fs::remove_all(sandbox_.workspace);
        fs::create_directory(sandbox_.workspace);
        std::ofstream(in_workspace("program")) << "#!/bin/sh\ntouch \"" << top_ << "/sprung\"\n";
        fs::permissions(in_workspace("program"), fs::perms::owner_all);
        std::string plant = trap.plant;
        plant.replace(plant.find("%s"), 2, in_workspace("program"));
        const Lines told = told_after(plant);
        EXPECT_NE(std::find(told.begin(), told.end(), trap.told), told.end())
            << plant << ": " << testing::PrintToString(told);
        run(bash(trap.spring), {.timeout_ms = 20'000});
        EXPECT_TRUE(fs::remove(top_ + "/sprung")) << plant;
    }
}

TEST_F(PlantsTest, OrdinaryRepositoriesAreNotTold) {
    init_repository();
    EXPECT_EQ(
        told_after(
            "git clone -q . clone && git init -q --bare bare.git && "
            "git -C clone push -q ../bare.git main && "
            "git -C clone config user.name n && git -C clone switch -q -c side && "
            "git -C clone worktree add -q ../tree 2>/dev/null; git -C tree log -1 && "
            "git -C clone branch -u origin/main && git -C clone remote add x "
            "https://example.org/x.git && git -C clone sparse-checkout set --skip-checks a && "
            "cp clone/.git/hooks/pre-commit.sample clone/.git/hooks/kept.sample"),
        Lines{});
}

TEST_F(PlantsTest, NorIsOrdinaryWork) {
    const std::string commit = "echo $i > a && git add a && git commit -q -m $i";
    ASSERT_TRUE(
        works("git init -q -b main . && git config user.name n && git config user.email e "
              "&& git init -q -b main sub && cp .git/config sub/.git/config && cd sub && "
              "for i in 1 2 3; do " +
              commit + "; done && git switch -q -c side HEAD~1 && i=4 && " + commit));
    const char* const works_of[] = {
        "! git merge main",
        "git merge --abort && git config rerere.enabled true && ! git cherry-pick main~1 main",
        "git cherry-pick --abort && ! git rebase -i main",
        "git rebase --abort && ! git rebase --apply main",
        "git rebase --abort && echo 5 > a && git stash -q && git notes add -m x && git tag -am x t",
        "git bisect start main HEAD~1",
        "git bisect reset && git gc -q && git update-index --split-index --untracked-cache "
        "--index-version 4 && git sparse-checkout set --cone --sparse-index b && git status",
        "git sparse-checkout disable && git -c protocol.file.allow=always submodule add -q $PWD "
        "m/inner && git -C m/inner switch -q main && git worktree add -q ../tree main~1 && "
        "git remote add o . && git fetch -q o && git remote set-head o side && git commit -qm m"};
    for (const std::string work : works_of)
        EXPECT_EQ(told_after("export EDITOR=true; cd sub && " + work), Lines{}) << work;
    EXPECT_EQ(told_after("cd sub && git -C m/inner config core.worktree ../../../../../.."),
              Lines{"sub/.git/modules/m/inner/config: leads out of the workspace"});
    EXPECT_EQ(told_after("echo '[core]worktree = x\\ty' >> sub/.git/modules/m/inner/config"),
              Lines{"sub/.git/modules/m/inner/config: core.worktree"});
}

TEST_F(PlantsTest, WhatWasThereIsNotToldAgain) {
    ASSERT_TRUE(
        works_outside("git init -q sub && git -C sub config core.editor true && "
                      "ln -s /bin/true sub/.git/hooks/pre-commit && touch .envrc"));
    EXPECT_EQ(told_after("git -C sub status && git -C sub config user.name other && touch sub/f"),
              Lines{});
    EXPECT_EQ(told_after("git -C sub config core.editor false"),
              Lines{"sub/.git/config: core.editor"});
    EXPECT_EQ(told_after("mv sub moved"),
              (Lines{"moved/.git/config: core.editor", "moved/.git/hooks/pre-commit: a hook"}));
}

TEST_F(PlantsTest, LinksThatGitWouldWriteThrough) {
    ASSERT_TRUE(works_outside("git init -q -b main . && ln -s nowhere .git/refs/there"));
    EXPECT_EQ(told_after("ln -s /etc/x .git/COMMIT_EDITMSG; mkdir -p .git/logs/refs/heads && "
                         "ln -s /etc/x .git/logs/refs/heads/main; rm -r .git/objects/pack && "
                         "ln -s / .git/objects/pack; touch .git/refs/plain"),
              (Lines{".git/COMMIT_EDITMSG: is a link", ".git/logs/refs/heads/main: is a link",
                     ".git/objects/pack: is a link"}));
    EXPECT_EQ(told_after("rm -r .git/logs && ln -s / .git/logs"), Lines{".git/logs: is a link"});
    EXPECT_EQ(
        told_after("mkdir -p .git/rebase-merge .git/sequencer .git/rr-cache/1 && cd .git && "
                   "for name in rebase-merge/done sequencer/todo rr-cache/1/postimage "
                   "objects/info/commit-graph; do ln -s /etc/x $name; done"),
        (Lines{".git/objects/info/commit-graph: is a link", ".git/rebase-merge/done: is a link",
               ".git/rr-cache/1/postimage: is a link", ".git/sequencer/todo: is a link"}));
}

// git restore writes them, and git add -u reads them, wherever they lead.
TEST_F(PlantsTest, NamesOfAnIndexThatGitWouldNotTakeFromATree) {
    struct Case {
        std::string format;
        std::string name;
        std::string odd;  // as long
        std::string where = ".git/index";
    };
    const std::string init = "git init -q . && ";
    const Case cases[] = {
        {init, "zz/sprung", "../sprung"},
        {init, "zz/zz/sprung", "../../sprung"},
        {init, "b/zz/sprung", "b/../sprung"},
        {init, "z/sprung", "//sprung"},
        {init, "zgit/hooks/post-checkout", ".git/hooks/post-checkout"},
        {init, "b/zGIT/hooks/x", "b/.GIT/hooks/x"},
        {init, "zgit", ".git"},
        {init, "git~2/x", "git~1/x"},
        {init, "z/bb", "z//b"},
        {init, "z/b", "./b"},
        {init + "touch new && git add -N new && ", "zz/sprung", "../sprung"},
        {"git init -q --object-format=sha256 . && ", "zz/sprung", "../sprung"},
        {init + "git config index.version 4 && ", "b/zz/sprung", "b/../sprung"},
        {init + "git config index.version 4 && git config index.threads 2 && ", "zz/sprung",
         "../sprung"},
        {init + "git config index.threads 2 && git config core.splitIndex true && ", "zz/sprung",
         "../sprung", ".git/sharedindex"},
        {"git init -q sub && cd sub && ", "zz/sprung", "../sprung", "sub/.git/index"},
        {"git init -q sub && mv sub/.git bare && echo gitdir: ../bare > sub/.git && cd sub && ",
         "zz/sprung", "../sprung", "bare/index"},
    };
    for (const Case& one : cases) {
        fs::remove_all(sandbox_.workspace);
        fs::create_directory(sandbox_.workspace);
        ASSERT_TRUE(works_outside(
            one.format +
            "blob=$(git hash-object -w --stdin < /dev/null) && printf \"100644 $blob\\t%s\\n\" a0 "
            "a/b .gitkeep a.git g...git ..a git " +
            one.name + " | git update-index --index-info"));
        Lines told =
            told_after("LC_ALL=C sed -i 's#" + one.name + "#" + one.odd + "#' " + one.where + "*");
        for (std::string& line : told)
            if (line.starts_with(".git/sharedindex")) line.erase(16, line.find(':') - 16);
        EXPECT_EQ(told, Lines{one.where + ": the entry " + one.odd}) << one.format;
        EXPECT_EQ(told_after("touch x"), Lines{});
    }
}

TEST_F(PlantsTest, SettingsFilesThatWereNotThere) {
    EXPECT_EQ(
        told_after("mkdir -p .claude .hg .jj/repo && touch .envrc .mcp.json .hg/hgrc "
                   ".hg/hgrc-not-shared .claude/settings.json .jj/repo/config.toml "
                   ".jj/workspace-config.toml"),
        (Lines{".claude/settings.json: is new or changed", ".envrc: is new or changed",
               ".hg/hgrc-not-shared: is new or changed", ".hg/hgrc: is new or changed",
               ".jj/repo/config.toml: is new or changed",
               ".jj/workspace-config.toml: is new or changed", ".mcp.json: is new or changed"}));
    EXPECT_EQ(told_after("echo x > .hg/hgrc"), Lines{".hg/hgrc: is new or changed"});
    EXPECT_EQ(told_after("echo x > other"), Lines{});
}

// What Claude, direnv and others read is where the links lead.
TEST_F(PlantsTest, SettingsFilesThroughLinks) {
    ASSERT_TRUE(
        works("mkdir conf cld && echo {} | tee conf/mcp.json cld/settings.json > conf/envrc && "
              "ln -s conf/mcp.json .mcp.json && ln -s cld .claude && ln -s conf/envrc .envrc"));
    EXPECT_EQ(told_after("echo x > conf/mcp.json"), Lines{".mcp.json: is new or changed"});
    EXPECT_EQ(told_after("echo x > cld/settings.json && echo x > cld/settings.local.json"),
              (Lines{".claude/settings.json: is new or changed",
                     ".claude/settings.local.json: is new or changed"}));
    EXPECT_EQ(told_after("echo y > conf/envrc"), Lines{".envrc: is new or changed"});
    EXPECT_EQ(told_after("rm .claude && mkdir hgd && echo x > hgd/hgrc && ln -s hgd .hg"),
              Lines{".hg/hgrc: is new or changed"});
    EXPECT_EQ(told_after("ln -s /etc .claude"),
              (Lines{".claude/settings.json: leads out of the workspace",
                     ".claude/settings.local.json: leads out of the workspace"}));
    EXPECT_EQ(told_after("echo x > other && echo x > hgd/other"), Lines{});
    EXPECT_TRUE(Plants::is_pointed_to(sandbox_.workspace, "conf/envrc"));
    EXPECT_TRUE(Plants::is_pointed_to(sandbox_.workspace, "hgd/hgrc"));
    EXPECT_FALSE(Plants::is_pointed_to(sandbox_.workspace, "hgd/other"));
}

TEST_F(PlantsTest, SettingsThatAreElsewhere) {
    EXPECT_EQ(
        told_after("mkdir .jj && echo ../e > .jj/repo && mkdir .hg && echo ../q > .hg/sharedpath"),
        (Lines{".hg/sharedpath: is new or changed", ".jj/repo: is new or changed"}));
    EXPECT_EQ(told_after("rm .jj/repo && mkdir .jj/repo"), Lines{});
}

TEST_F(PlantsTest, AStepOfARebaseThatRunsSomething) {
    init_repository();
    EXPECT_EQ(told_after("mkdir .git/rebase-merge && printf 'pick 1 x\\nexec touch y\\n' > "
                         ".git/rebase-merge/git-rebase-todo"),
              Lines{".git/rebase-merge/git-rebase-todo: a step that runs a command"});
}

TEST_F(PlantsTest, WhatAnOperationGoesOnWith) {
    init_repository();
    EXPECT_EQ(told_after("mkdir .git/rebase-merge .git/sequencer && cd .git && "
                         "echo ort > rebase-merge/strategy && "
                         "git config -f sequencer/opts options.strategy recursive && "
                         "printf '%040d\\ta/b..c\\0' 1 > MERGE_RR"),
              Lines{});
    EXPECT_EQ(told_after("cd .git && echo x/evil > rebase-merge/strategy && "
                         "git config -f sequencer/opts options.strategy x/evil && "
                         "printf '%040d\\ta\\0%040d\\t../key\\0' 1 2 > MERGE_RR"),
              (Lines{".git/MERGE_RR: a file outside the workspace",
                     ".git/rebase-merge/strategy: a merge strategy that is a program",
                     ".git/sequencer/opts: a merge strategy that is a program"}));
    EXPECT_EQ(told_after("printf '%040d\\t/key\\0' 1 > .git/MERGE_RR"),
              Lines{".git/MERGE_RR: a file outside the workspace"});
    // a conflict in a file, of which one part of the path becomes a link
    EXPECT_EQ(told_after("mkdir sub other && touch sub/key other/key && "
                         "printf '%040d\\tsub/key\\0' 1 > .git/MERGE_RR"),
              Lines{});
    EXPECT_EQ(told_after("rm -r sub && ln -s other sub"),
              Lines{".git/MERGE_RR: a file outside the workspace"});
    EXPECT_EQ(told_after("rm sub && mkdir sub && touch sub/key"), Lines{});
    EXPECT_EQ(told_after("ln -sf ../other/key sub/key"),
              Lines{".git/MERGE_RR: a file outside the workspace"});
    EXPECT_EQ(told_after("mkdir .git/rebase-apply && echo > .git/rebase-apply/apply-opt"), Lines{});
    EXPECT_EQ(told_after("echo \"'--build-fake-ancestor=../key'\" > .git/rebase-apply/apply-opt"),
              Lines{".git/rebase-apply/apply-opt: options of git apply"});
}

TEST_F(PlantsTest, RemotesInTheirOldPlaces) {
    init_repository();
    EXPECT_EQ(told_after("mkdir -p .git/remotes .git/branches"), Lines{});
    EXPECT_EQ(told_after("echo 'URL: ../key' > .git/remotes/origin && echo ../key > "
                         ".git/branches/origin"),
              (Lines{".git/branches/origin: a remote", ".git/remotes/origin: a remote"}));
}

TEST_F(PlantsTest, ReferencesThatLeadToNone) {
    init_repository();
    EXPECT_EQ(told_after("git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main && "
                         "git checkout -q -b a/b.c/d && "
                         "git symbolic-ref NOTES_MERGE_REF refs/notes/commits"),
              Lines{});
    const std::string places[] = {".git/AUTO_MERGE",
                                  ".git/HEAD",
                                  ".git/ORIG_HEAD",
                                  ".git/refs/heads/a/b.c/d",
                                  ".git/refs/heads/objects/ab/c",
                                  ".git/refs/remotes/origin/HEAD",
                                  "bare/HEAD",
                                  "sub/.git/modules/x/HEAD",
                                  "sub/.git/refs/stash",
                                  "sub/.git/worktrees/x/HEAD",
                                  "sub/.git/worktrees/x/refs/bisect/bad"};
    ASSERT_TRUE(works_outside(
        "git init -q --bare bare && git clone -q . sub && git init -q --bare sub/.git/modules/x && "
        "git -C sub worktree add -q ../x 2> /dev/null && "
        "mkdir -p .git/refs/heads/objects/ab sub/.git/worktrees/x/refs/bisect"));
    for (const std::string odd : {"refs/heads/../../../x", "/x", "../x", "refs/./x", "refs//x",
                                  "config", "HEAD", "refs/.git/x"}) {
        std::string files;
        Lines lines;
        for (const std::string& place : places) {
            files += " " + place;
            lines.push_back(place + ": leads to " + odd);
        }
        EXPECT_EQ(told_after("printf 'ref:\\t" + odd + "\\n' | tee" + files), lines);
    }
    EXPECT_EQ(told_after("printf 'ref: %4096s\\n' refs/../x > .git/AUTO_MERGE").size(), 1U);
    EXPECT_EQ(told_after("printf 'ref: refs/..\\0x' > .git/AUTO_MERGE"),
              Lines{".git/AUTO_MERGE: leads to refs/.."});
    EXPECT_EQ(
        told_after("cd .git/refs/heads && for i in $(seq 20); do mkdir d && cd d; done").size(),
        1U);
}

TEST_F(PlantsTest, WhatCannotBeReadIsTold) {
    EXPECT_EQ(told_after("git init -q sub && rm sub/.git/config && mkfifo sub/.git/config && "
                         "git init -q wide && truncate -s 2M wide/.git/config"),
              (Lines{"sub/.git/config: cannot be read", "wide/.git/config: cannot be read"}));
    EXPECT_EQ(told_after("mkdir d && ln -s /usr/share d/.git"),
              Lines{"d/.git: leads out of the workspace"});
}

TEST_F(PlantsTest, AsDeepAsACommandCanGo) {
    const Lines told =
        told_after("perl -e 'for (1 .. 1000) { mkdir qw(abcdef) and chdir qw(abcdef) or die }'");
    ASSERT_EQ(told.size(), 1U);
    EXPECT_TRUE(told[0].ends_with("cannot be read"));
    EXPECT_TRUE(works_outside("rm -rf abcdef"));
}

// A person set it up; what a command then leaves in a place of the workspace runs on the host.
TEST_F(PlantsTest, WhereAPersonsConfigurationPointsTo) {
    struct Case {
        std::string before;  // on the host
        std::string plant;   // by a command inside
        std::string spring;
        std::string told;
    };
    const std::string commit = "git commit -q --allow-empty -m x";
    const std::string hook = "printf '#!/bin/sh\ntouch ../sprung\n' > ";
    const std::string key = "printf '[core]\n\tfsmonitor = \"touch ../sprung;:\"\n' >> ";
    const std::string at_home = "export HOME=$PWD/../home; ";
    const std::string husky = "git config core.hooksPath .githooks && mkdir .githooks";
    const Case cases[] = {
        {husky, hook + ".githooks/pre-commit && chmod +x .githooks/*", commit,
         ".githooks/pre-commit: a hook"},
        {husky + " && touch .githooks/pre-commit && chmod +x .githooks/*",
         hook + ".githooks/pre-commit", commit, ".githooks/pre-commit: a hook"},
        {"git config core.hooksPath \"$PWD/.githooks\"",
         "mkdir .githooks && " + hook + ".githooks/pre-commit && chmod +x .githooks/*", commit,
         ".githooks/pre-commit: a hook"},
        {husky + " && rmdir .githooks && mkdir -p d/b && ln -s d/b .githooks",
         hook + "d/b/pre-commit && chmod +x d/b/*", commit, "d/b/pre-commit: a hook"},
        {husky + " && touch run && chmod +x run && ln -s ../run .githooks/pre-commit", hook + "run",
         commit, ".githooks/pre-commit: a hook"},
        {"git config include.path ../.gitconfig", key + ".gitconfig", "git status",
         ".gitconfig: core.fsmonitor"},
        {"git config include.path \"$PWD/.gitconfig\" && touch .gitconfig", key + ".gitconfig",
         "git status", ".gitconfig: core.fsmonitor"},
        {"git config includeIf.onbranch:main.path ../.gitconfig", key + ".gitconfig", "git status",
         ".gitconfig: core.fsmonitor"},
        {"printf '[includeIf \"gitdir:%s/\"] path = ../d/more\n' \"$PWD\" >> .git/config && "
         "mkdir d && printf '[include]\npath = again\n' > d/more",
         key + "d/again", "git status", "d/again: core.fsmonitor"},
        {"git config include.path ../.gitconfig && mkdir h && "
         "git config -f .gitconfig core.hooksPath h",
         hook + "h/pre-commit && chmod +x h/*", commit, "h/pre-commit: a hook"},
        {"git config core.hooksPath .husky/_ && mkdir -p .husky/_ && "
         "printf '#!/bin/sh\nsh .husky/pre-commit' > .husky/_/pre-commit && chmod +x .husky/_/*",
         "echo touch ../sprung > .husky/pre-commit", commit, ".husky/pre-commit: a hook"},
        {"git config --global core.hooksPath .githooks",
         "mkdir .githooks && " + hook + ".githooks/pre-commit && chmod +x .githooks/*", commit,
         ".githooks/pre-commit: a hook"},
        {"git config --global include.path more && "
         "printf '[core]\nhooksPath = .githooks\n' > ../home/more",
         "mkdir .githooks && " + hook + ".githooks/pre-commit && chmod +x .githooks/*", commit,
         ".githooks/pre-commit: a hook"},
        {"git config --global init.templateDir \"$PWD/t\" && mkdir -p t/hooks",
         hook + "t/hooks/post-checkout && chmod +x t/hooks/*", "git clone -q . ../copy",
         "t/hooks/post-checkout: a hook"},
        {"git config --global init.templateDir \"$PWD/t\" && mkdir t", key + "t/config",
         "git init -q ../new && cd ../new && git status", "t/config: core.fsmonitor"},
        {"git config --global include.path \"$PWD/settings\"", key + "settings", "git status",
         "settings: core.fsmonitor"},
        {"mkdir -p ../home/.config/git && touch ../home/.config/git/config && "
         "git config --global alias.st '!sh run'",
         "echo touch ../sprung > run", "git st", "run: named by alias.st"},
        {"git config core.fsmonitor ./run", hook + "run && chmod +x run", "git status",
         "run: named by core.fsmonitor"},
        {"git config filter.x.clean \"$PWD/d/run %f\" && mkdir d && echo '* filter=x' > "
         ".gitattributes && touch d/run && chmod +x d/run",
         hook + "d/run && echo two > a", "git status; git add a", "d/run: named by filter.clean"},
        {"git config alias.st '!f() { ./d/run; }; f' && mkdir d && ln -s ../run d/run",
         hook + "run && chmod +x run", "git st", "run: named by alias.st"},
        {"git config --global alias.st '!$HOME/../workspace/run'", hook + "run && chmod +x run",
         "git st", "run: named by alias.st"},
        {"git config alias.st '!\"${PWD}/d/run\"' && mkdir d", hook + "d/run && chmod +x d/run",
         "git st", "d/run: named by alias.st"},
        {"git config core.fsmonitor '$(git rev-parse --show-toplevel)/run'",
         hook + "run && chmod +x run", "git status", "run: named by core.fsmonitor"},
        {"git init -q -b main sub && git -C sub config core.fsmonitor ./run",
         "printf '#!/bin/sh\ntouch ../../sprung\n' > sub/run && chmod +x sub/run",
         "git -C sub status", "sub/run: named by core.fsmonitor"},
        {"git init -q -b main sub && git -C sub config core.hooksPath h && mkdir sub/h",
         "printf '#!/bin/sh\ntouch ../../sprung\n' > sub/h/pre-commit && chmod +x sub/h/*",
         "git -C sub -c user.name=n -c user.email=e commit -q --allow-empty -m x",
         "sub/h/pre-commit: a hook"},
        {"git init -q --bare bare && git config -f bare/config core.hooksPath h && mkdir bare/h",
         "printf '#!/bin/sh\ntouch ../../sprung\n' > bare/h/pre-receive && chmod +x bare/h/*",
         commit + " && git push -q bare HEAD:refs/heads/x", "bare/h/pre-receive: a hook"},
        {commit + " && git worktree add -q ../linked && mv ../linked linked && git worktree repair "
                  "linked && git config core.hooksPath h && mkdir linked/h",
         "printf '#!/bin/sh\ntouch ../../sprung\n' > linked/h/pre-commit && chmod +x linked/h/*",
         "git -C linked " + commit.substr(4), "linked/h/pre-commit: a hook"},
    };
    for (const Case& one : cases) {
        fs::remove_all(sandbox_.workspace);
        fs::remove_all(top_ + "/home");
        fs::create_directory(sandbox_.workspace);
        fs::create_directory(top_ + "/home");
        init_repository();
        ASSERT_TRUE(works_outside(at_home + one.before));
        const Lines told = told_after(one.plant);
        EXPECT_NE(std::find(told.begin(), told.end(), one.told), told.end())
            << one.before << ": " << testing::PrintToString(told);
        run(bash(at_home + one.spring), {.timeout_ms = 20'000});
        EXPECT_TRUE(fs::remove(top_ + "/sprung")) << one.before;
    }
}

// -C: the configuration lies outside, and the place it points to does not.
TEST_F(PlantsTest, HooksOfALinkedWorktree) {
    ASSERT_TRUE(works_outside(
        "git init -q -b main ../main && cd ../main && git config core.hooksPath .githooks && "
        "git -c user.name=n -c user.email=e commit -q --allow-empty -m x && rmdir ../workspace && "
        "git worktree add -q ../workspace"));
    EXPECT_EQ(told_after("mkdir .githooks && touch .githooks/pre-push && chmod +x .githooks/*"),
              Lines{".githooks/pre-push: a hook"});
    EXPECT_EQ(told_after("git update-index --add --cacheinfo 100644,$(git hash-object -w --stdin < "
                         "/dev/null),zz/x && sed -i s#zz/x#../x# $(git rev-parse --git-dir)/index"),
              Lines{top_ + "/main/.git/worktrees/workspace/index: the entry ../x"});
    // put there to be protected, for the commands of another agent
    const Plants before = Plants::in(sandbox_.workspace);
    ASSERT_TRUE(works_outside("echo $(realpath ../main/.git) > ../main/.git/commondir"));
    EXPECT_EQ(Plants::in(sandbox_.workspace).since(before), Lines{});
}

// With -C in a part of a work tree, the git directory lies outside the workspace.
TEST_F(PlantsTest, WhatTheConfigurationOfAnEnclosingRepositoryNames) {
    const std::string of_tree = "git -c user.name=n -c user.email=e -C ";
    for (const std::string make :
         {"git init -q -b main ..",
          "git init -q -b main ../x && git -C ../x worktree add -q --orphan -b o ../w 2>&- || "
          "git -C ../x -c user.name=n -c user.email=e commit -q --allow-empty -m x && "
          "git -C ../x worktree add -q --no-checkout ../w && mv ../w/.git ../.git && rmdir ../w && "
          "echo \"$(realpath ..)/.git\" > ../x/.git/worktrees/w/gitdir"}) {
        fs::remove_all(sandbox_.workspace);
        fs::remove_all(top_ + "/.git");
        fs::remove_all(top_ + "/x");
        fs::create_directory(sandbox_.workspace);
        ASSERT_TRUE(works_outside(
            make +
            " && cd .. && git config core.hooksPath workspace/.husky && "
            "git config core.fsmonitor workspace/d/run && git config include.path "
            "\"$PWD/workspace/more\" && git config alias.st '!sh workspace/status' && "
            "mkdir workspace/d && touch workspace/more && git status -s"))
            << make;
        EXPECT_EQ(
            told_after("mkdir .husky && printf '#!/bin/sh\ntouch sprung\n' > .husky/pre-commit "
                       "&& chmod +x .husky/*; cp .husky/pre-commit d/run; echo ls > run; "
                       "echo ls > status; printf '[core] pager = x\n' > more"),
            (Lines{".husky/pre-commit: a hook", "d/run: named by core.fsmonitor",
                   "more: core.pager", "status: named by alias.st"}));
        for (const char* spring : {"commit -q --allow-empty -m x", "status"}) {
            (void)works_outside(of_tree + ".. " + spring);
            EXPECT_TRUE(fs::remove(top_ + "/sprung")) << spring;
        }
        for (const char* path : {".husky/pre-push", "d/run", "more", "status"})
            EXPECT_TRUE(Plants::is_pointed_to(sandbox_.workspace, path)) << path;
        for (const char* path : {"d/x", "run", "husky"})
            EXPECT_FALSE(Plants::is_pointed_to(sandbox_.workspace, path)) << path;
    }
}

TEST_F(PlantsTest, ObjectsOfOthers) {
    init_repository();
    EXPECT_EQ(told_after("echo /usr/share > .git/objects/info/alternates; git init -q sub; "
                         "echo ../../../.git/objects > sub/.git/objects/info/alternates"),
              Lines{".git/objects/info/alternates: leads out of the workspace"});
    EXPECT_EQ(told_after("rm .git/objects/info/alternates; mkdir -p o/info; echo ../../../o > "
                         "sub/.git/objects/info/alternates; echo ../../.. > o/info/alternates"),
              Lines{"o/info/alternates: leads out of the workspace"});
}

TEST_F(PlantsTest, WhatNamesItselfManyTimesEnds) {
    EXPECT_EQ(told_after("git init -q . && mkdir -p o/info && for i in $(seq 20); do "
                         "echo path = config >> i; echo ../o >> o/info/alternates; done && "
                         "(echo '[include]'; cat i) > config && cp -r .git sub && "
                         "(echo '[include]'; cat i) >> sub/config && "
                         "echo ../../o > sub/objects/info/alternates"),
              Lines{"sub/config: include.path"});
    const Lines told = told_after(
        "cd sub && echo '[include]path=1' > config && "
        "for i in $(seq 12); do echo \"[includeIf \\\"x\\\"]path=$((i + 1))\" > $i; done");
    EXPECT_EQ(std::count(told.begin(), told.end(), "sub/10: is nested too deeply"), 1);
}

// What of a tree is opened, from when this is made.
class Watch {
  public:
    explicit Watch(const std::string& top) : fd_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
        add(top);
        for (const auto& entry : fs::recursive_directory_iterator(top))
            if (entry.is_directory()) add(entry.path());
        seen();  // this very walk
    }
    Lines seen() {
        Lines lines;
        alignas(inotify_event) std::array<char, 65536> buffer{};
        for (ssize_t size = 0; (size = read(fd_.get(), buffer.data(), buffer.size())) > 0;)
            for (ssize_t at = 0; at < size;) {
                const auto* event = reinterpret_cast<const inotify_event*>(buffer.data() + at);
                at += static_cast<ssize_t>(sizeof *event + event->len);
                lines.push_back(names_[event->wd] + "/" + (event->len > 0 ? event->name : ""));
            }
        return lines;
    }

  private:
    void add(const std::string& path) {
        names_[inotify_add_watch(fd_.get(), path.c_str(), IN_OPEN | IN_ACCESS)] = path;
    }
    Fd fd_;
    std::map<int, std::string> names_;
};

// A person's repository whose linked worktree is the workspace, and a secret one.
class ExchangedTest : public PlantsTest {
  protected:
    void SetUp() override {
        PlantsTest::SetUp();
        const std::string commit =
            "git -c user.name=n -c user.email=e@example.org commit -q --allow-empty -m x";
        for (const std::string name : {"main", "secret"})
            ASSERT_TRUE(works_outside(
                "git init -q -b main ../" + name + " && cd ../" + name + " && " + commit +
                " && cd .git && git config core.editor x && mkdir -p rebase-merge && "
                "echo 'exec x' > rebase-merge/git-rebase-todo && echo /usr > "
                "objects/info/alternates && touch hooks/pre-commit && chmod +x hooks/pre-commit && "
                "ln -s x refs/link && ln -s x logs/link && touch config.worktree"));
        ASSERT_TRUE(works_outside(
            "rmdir ../workspace && git -C ../main worktree add -q ../workspace && "
            "git init -q ../workspace/sub && cp -r ../secret/.git/. ../workspace/sub/.git"));
    }
    std::string at(const std::string& path) const { return top_ + "/" + path; }
};

TEST_F(ExchangedTest, NothingIsOpenedThroughALinkThatAPlaceWasExchangedFor) {
    const Lines all = Plants::in(sandbox_.workspace).since(Plants());
    for (const std::string& git : {at("main/.git/"), in_workspace("sub/.git/")})
        for (const std::string name :
             {"config", "config.worktree", "hooks", "hooks/pre-commit", "logs", "logs/refs",
              "logs/refs/heads", "objects", "objects/info", "objects/info/alternates", "refs",
              "refs/heads", "rebase-merge", "rebase-merge/git-rebase-todo"}) {
            fs::rename(git + name, at("aside"));
            fs::create_symlink(at("secret/.git/") + name, git + name);
            Watch secret(at("secret"));
            Plants::in(sandbox_.workspace);
            Plants::is_pointed_to(sandbox_.workspace, "sub/x");
            EXPECT_EQ(secret.seen(), Lines{}) << git << name;
            fs::remove(git + name);
            fs::rename(at("aside"), git + name);
        }
    EXPECT_EQ(Plants::in(sandbox_.workspace).since(Plants()), all);
}

TEST_F(ExchangedTest, NorThroughOneThatAWorkspaceWasExchangedFor) {
    for (const std::string path : {"workspace", "workspace/sub"}) {
        const std::string inner = at(path) + (path == "workspace" ? "/sub" : "");
        fs::rename(at(path), at("aside"));
        fs::create_symlink(at("secret"), at(path));
        fs::create_directory(at("secret/sub"));
        Watch secret(at("secret"));
        EXPECT_EQ(Plants::in(inner).since(Plants()), Lines{});
        EXPECT_FALSE(Plants::is_pointed_to(inner, "x"));
        EXPECT_EQ(secret.seen(), Lines{}) << path;
        fs::remove(at(path));
        fs::rename(at("aside"), at(path));
    }
}

// Its target is of the workspace, or nothing that a command can change.
TEST_F(PlantsTest, TheTargetOfAHookIsLookedAtWhereItIsInTheWorkspace) {
    ASSERT_TRUE(works_outside(
        "git init -q . && touch run ../run && ln -s ../../run .git/hooks/pre-commit && "
        "ln -s ../../../run .git/hooks/pre-push && ln -s \"$PWD/run\" .git/hooks/post-commit"));
    const Plants before = Plants::in(sandbox_.workspace);
    ASSERT_TRUE(works_outside("echo x > ../run"));
    EXPECT_EQ(Plants::in(sandbox_.workspace).since(before), Lines{});
    ASSERT_TRUE(works_outside("echo x > run"));
    EXPECT_EQ(Plants::in(sandbox_.workspace).since(before),
              (Lines{".git/hooks/post-commit: a hook", ".git/hooks/pre-commit: a hook"}));
}

TEST_F(PlantsTest, PlacesThatAWriteIsLookedAtFor) {
    ASSERT_TRUE(works_outside(
        "git init -q . && git config core.hooksPath .githooks && git config include.path "
        "../.gitconfig && git init -q a/sub && git -C a/sub config core.hooksPath h && "
        "git init -q --bare a/bare && git -C a/sub config core.fsmonitor 'sh run'"));
    for (const char* path : {".githooks/pre-commit", ".gitconfig", "a/sub/h/pre-commit",
                             "a/bare/index", "a/bare/sequencer/opts", "a/sub/run"})
        EXPECT_TRUE(Plants::is_pointed_to(sandbox_.workspace, path)) << path;
    for (const char* path : {"githooks/pre-commit", "a/.gitconfig", "a/sub/hh", "h/x", "x"})
        EXPECT_FALSE(Plants::is_pointed_to(sandbox_.workspace, path)) << path;
}

Lines keys_in(std::string_view text) {
    Lines keys;
    for (const GitEntry& entry : obeyed_git_entries(text)) keys.push_back(entry.key);
    return keys;
}

TEST(GitEntries, PlainOnesAreLeftOut) {
    EXPECT_EQ(keys_in("[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n"
                      "# note\n; note\n[remote \"origin\"]\n\turl = https://example.org/a.git\n"
                      "\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"a b]\\\"c\"] merge "
                      "= x\n[Advice] anything = 1\n[user]\r\nname = N\r\n"),
              Lines{});
    EXPECT_EQ(keys_in("[core] longpaths = true\n[diff] algorithm = histogram\n[status] "
                      "showUntrackedFiles = no\n[http \"https://x\"] postBuffer = 1\n"
                      "[lfs \"https://x\"] access = basic\n[branch \"a\"] vscode-merge-base = b\n"),
              Lines{});
}

TEST(GitEntries, KeysThatRunOrReadOrWeakenAreNotPlain) {
    const Lines keys{"blame.ignorerevsfile",
                     "clean.requireforce",
                     "commit.template",
                     "core.attributesfile",
                     "core.worktree",
                     "credential.helper",
                     "diff.command",
                     "diff.external",
                     "diff.textconv",
                     "difftool.cmd",
                     "filter.clean",
                     "gc.recentobjectshook",
                     "gpg.program",
                     "http.cookiefile",
                     "http.extraheader",
                     "http.proxy",
                     "http.sslverify",
                     "lfs.customtransfer",
                     "log.showsignature",
                     "merge.driver",
                     "mergetool.path",
                     "pager.log",
                     "protocol.allow",
                     "pull.twohead",
                     "receive.denydeletes",
                     "remote.proxy",
                     "remote.receivepack",
                     "remote.vcs",
                     "sendemail.smtpserver",
                     "submodule.update",
                     "transfer.hiderefs",
                     "uploadpack.hiderefs",
                     "url.insteadof",
                     "user.signingkey",
                     "web.browser",
                     "core.gitproxy",
                     "core.askpass",
                     "core.alternaterefscommand",
                     "rebase.instructionformat"};
    for (const std::string& key : keys) {
        const std::size_t dot = key.find('.');
        EXPECT_EQ(keys_in("[" + key.substr(0, dot) + " \"x\"] " + key.substr(dot + 1) + " = x\n"),
                  Lines{key});
    }
}

TEST(GitEntries, OthersAreFoundHoweverTheyAreWritten) {
    EXPECT_EQ(keys_in("[core]editor=x\n[core] [ALIAS]\nSt = !x\n[alias.sub] y\n"),
              (Lines{"core.editor", "alias.st", "alias.y"}));
    EXPECT_EQ(keys_in("\xEF\xBB\xBF[core]\nsshCommand=x"), Lines{"core.sshcommand"});
    EXPECT_EQ(keys_in("[remote \"x\"] url = ext::sh -c x\nuploadpack=y"),
              (Lines{"remote.url", "remote.uploadpack"}));
    EXPECT_EQ(keys_in("[core]\nabbrev = 7\\\n[user]\nname = x"), Lines{"core.abbrev"});
    EXPECT_EQ(
        keys_in("name = x\n[user\nname = y\n[a \"b] c = d"),
        (Lines{".name", "an entry that cannot be read", ".name", "an entry that cannot be read"}));
    EXPECT_EQ(keys_in(std::string_view("[user]\nname\0 = x", 16)),
              Lines{"an entry that cannot be read"});
}

}  // namespace
}  // namespace chorus::sys
