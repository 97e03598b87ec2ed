#include "policy/shell.hpp"

#include <gtest/gtest.h>

#include "policy/profile.hpp"
#include "shell_verdict.hpp"

namespace chorus::policy {
namespace {

using Parts = std::vector<std::string>;

Profile allowing(const std::string& pattern) {
    ProfileText text;
    text.allow = {{pattern}};
    return Profile::compile(text, "test");
}

TEST(Shell, SimpleCommandsAreToldApart) {
    EXPECT_EQ(simple_commands("ls"), Parts{"ls"});
    EXPECT_EQ(simple_commands("  ls -la\t. "), Parts{"ls -la\t."});
    EXPECT_EQ(simple_commands("ls && cat a||echo b;pwd | wc -l"),
              (Parts{"ls", "cat a", "echo b", "pwd", "wc -l"}));
    EXPECT_EQ(simple_commands("ls;"), Parts{"ls"});
    EXPECT_EQ(simple_commands("echo 'a; b' \"c && d\" --x='e|f' g\\ h"),
              Parts{"echo 'a; b' \"c && d\" --x='e|f' g\\ h"});
    EXPECT_EQ(simple_commands("git log HEAD~2 HEAD^ a..b @{u}"), std::nullopt);
    EXPECT_EQ(simple_commands("git log HEAD~2 HEAD^ a..b"), Parts{"git log HEAD~2 HEAD^ a..b"});
    EXPECT_EQ(simple_commands("git commit -m 'Fix #12: it is (done)!'"),
              Parts{"git commit -m 'Fix #12: it is (done)!'"});
    EXPECT_EQ(simple_commands("grep -rn \"a*b\" src"), Parts{"grep -rn \"a*b\" src"});
    EXPECT_EQ(simple_commands("echo '\u00fcber'"), Parts{"echo '\u00fcber'"});
}

TEST(Shell, WhyALineIsNotSimpleIsSaidAtItsPlace) {
    const std::pair<const char*, const char*> cases[] = {
        {"ls && rm $(x)", "at '$(x)'"},
        {"ls | 'rm' -f", "at ''rm' -f'"},
        {"ls; if true", "at 'if true'"},
        {"ls > ../x", "at '> ../x'"},
        {"ls 2> /etc/x", "at '2> /etc/x'"},
        {"ls & rm", "at '& rm'"},
        {"X=1 ls", "at 'X=1 ls'"},
        {"echo a\\tb", "at '\\tb'"},
        {"ls &&", "there is no command at its end"},
        {"", "there is no command at its end"},
        {"ls\nrm", "it holds a newline, a hidden character or a long run of blanks"},
        {"ls \u202etxt", "it holds a newline, a hidden character or a long run of blanks"},
        {"ls; xargs rm", "'xargs rm' may run or write what its arguments do not show"},
        {"timeout 5 sh -c ls", "'sh -c ls' may run or write what its arguments do not show"},
        {"cd x && git status", "it changes the directory, and what is done there depends on it"},
        {"ls && echo $0123456789012345678901234567890123456789",
         "at '$012345678901234567890123456789012345678…'"},
        {"ls && git status", ""},
    };
    for (const auto& [command, why] : cases) {
        std::string why_not = "before";
        const bool is_simple = simple_commands(command, &why_not).has_value();
        EXPECT_EQ(why_not, why) << command;
        EXPECT_EQ(is_simple, why_not.empty()) << command;
    }
}

// A repository there may name programs of its own.
TEST(Shell, GitElsewhereIsNotTold) {
    for (const char* command : {"cd x && git status", "git log; cd ..", "pushd x; git diff",
                                "cd x; timeout 5 git status", "cd x; nice /usr/bin/git log"})
        EXPECT_FALSE(simple_commands(command)) << command;
    for (const char* command : {"cd x && ls", "git status && ls", "cd x; make"})
        EXPECT_TRUE(simple_commands(command)) << command;
}

TEST(Shell, RedirectionsStayInTheWorkspace) {
    for (const char* command :
         {"ls > a.txt", "ls >a", "ls >> out/a.txt", "cat < in/a", "ls 2>/dev/null", "ls 2>&1",
          "ls >a 2>&1", "ls > ./a", "ls > 'a b'", "ls 2>&1 | wc", "ls >/dev/null 2>&1 && pwd"})
        EXPECT_TRUE(simple_commands(command)) << command;
    for (const char* command : {"ls > /tmp/a",
                                "ls > ../a",
                                "ls > a/../../b",
                                "ls > ~/a",
                                "ls >~",
                                "ls > .git/config",
                                "ls > a/.git/hooks/x",
                                "ls > .gitconfig",
                                "ls > .bashrc",
                                "ls > /dev/tcp/1.2.3.4/80",
                                "ls > /dev/sda",
                                "ls > $HOME/a",
                                "ls > a*",
                                "ls >| a",
                                "ls <> a",
                                "ls >&a",
                                "ls &> a",
                                "ls &>> a",
                                "ls << EOF",
                                "ls <<< a",
                                "ls <(a)",
                                "ls >(a)",
                                "ls >",
                                "ls > ; a",
                                "> a",
                                "ls; > a",
                                "ls >&3",
                                "ls 2>&1x",
                                "ls > '/etc/passwd'",
                                "ls > \"..\"/a",
                                "ls > ''",
                                "ls 2> > a",
                                "ls > 2>a",
                                "cd /tmp && ls > a",
                                "ls > a; cd ..",
                                "pushd x; ls < a"})
        EXPECT_FALSE(simple_commands(command)) << command;
}

TEST(Shell, PlainWrappersAddWhatTheyStart) {
    EXPECT_EQ(simple_commands("timeout 5 ls -l"), (Parts{"timeout 5 ls -l", "ls -l"}));
    EXPECT_EQ(
        simple_commands("timeout -k 5 --signal=KILL 10s nice -n 5 ls > a"),
        (Parts{"timeout -k 5 --signal=KILL 10s nice -n 5 ls > a", "nice -n 5 ls > a", "ls > a"}));
    EXPECT_EQ(simple_commands("env"), Parts{"env"});
    EXPECT_EQ(simple_commands("env -i ls"), (Parts{"env -i ls", "ls"}));
    EXPECT_EQ(simple_commands("nohup stdbuf -oL ls && setsid -w pwd"),
              (Parts{"nohup stdbuf -oL ls", "stdbuf -oL ls", "ls", "setsid -w pwd", "pwd"}));
    for (const char* command :
         {"env A=b ls", "env -S 'ls -l'", "env -u HOME ls", "timeout 5", "timeout",
          "timeout --foo 5 ls", "setsid -f ls", "nice -n 5 sh -c ls", "timeout 5 'ls'", "env -- ls",
          "nohup", "timeout 5 $x", "timeout 5 if", "env env env env env env env env env env ls"})
        EXPECT_FALSE(simple_commands(command)) << command;
}

TEST(Shell, ProgramsThatOnlySometimesStartOthers) {
    for (const char* command : {"find . -name '*.c' -type f",
                                "sed -n '1,20p' a",
                                "sed 's/a/b/g' a",
                                "sed -e 's|a|b|' -e '3d' a",
                                "sed -n '/main/p' a",
                                "git status",
                                "git diff --stat HEAD",
                                "git --no-pager log --oneline -5",
                                "git add -A",
                                "git commit -m 'a -x b'",
                                "git commit -m 'std::string'",
                                "git config --get user.name",
                                "git clean -n",
                                "git push origin main",
                                "git rm -u a",
                                "tar xzf a.tgz",
                                "tar -czf a.tgz src",
                                "make",
                                "make -j4 test",
                                "make -C sub all",
                                "python3 -m pytest -q",
                                "python3 a.py -c x",
                                "bash build.sh -c",
                                "node a.js",
                                "perl a.pl -e",
                                "rsync -a a b",
                                "sort -u a",
                                "go test ./x",
                                "cargo build",
                                "npm test",
                                "npm run build",
                                "docker ps -a",
                                "test -f a",
                                "printf '%s' a",
                                "rg -n main src",
                                "cmake -S . -B build",
                                "curl -o a https://x",
                                "uniq -c a",
                                "uniq",
                                "uniq -",
                                "file a b",
                                "tree -L 2",
                                "shuf -n 3 a",
                                "iconv -f utf-8 a",
                                "git format-patch --stdout HEAD~1"})
        EXPECT_TRUE(simple_commands(command)) << command;
    for (const char* command : {"uniq a b",
                                "uniq - b",
                                "uniq a -- b",
                                "uniq -- a -b",
                                "file -C -m a",
                                "file --comp -m a",
                                "tree -R -L 1",
                                "shuf a -o b",
                                "iconv --out=b a",
                                "sort -T sub a",
                                "sort --temp=sub a",
                                "rg -z main",
                                "jobs -x ls",
                                "git format-patch --output-directory=/tmp HEAD",
                                "git format-patch --output-d /tmp HEAD",
                                "find . -exec rm -f {} +",
                                "find . -execdir ls",
                                "find . -ok ls",
                                "find . -okdir ls",
                                "find . -delete",
                                "find . -fprintf a b",
                                "find . -fls a",
                                "sed -i s/a/b/ a",
                                "sed 's/a/b/e' a",
                                "sed 's/a/b/w x' a",
                                "sed '1e ls' a",
                                "sed -f x a",
                                "sed 'w x' a",
                                "sed -n -e '1p' -e 'e ls' a",
                                "sed 1p -e 'e ls'",
                                "sed --expression=e a",
                                "sed 's/[/]/b/e/;e ls' a",
                                "sed -s",
                                "git -c core.pager=ls log",
                                "git -C /x status",
                                "git --exec-path=. status",
                                "git --git-dir=x status",
                                "git -p log",
                                "git config alias.x '!ls'",
                                "git config --global a b",
                                "git config --get-urlmatch",
                                "git x",
                                "git difftool -x ls",
                                "git bisect run ls",
                                "git rebase --exec ls",
                                "git rebase -x ls",
                                "git rebase -i",
                                "git rebase --exe=ls",
                                "git fetch --upload-pack=ls",
                                "git ls-remote --upload-p ls x",
                                "git clone -u ls x",
                                "git clone -c a=b x",
                                "git clone 'ext::sh -c ls'",
                                "git push --receive-pack=ls",
                                "git grep -O",
                                "git grep --open-files-in-pager=ls x",
                                "git diff --output=/etc/x",
                                "git diff --ext-diff",
                                "git submodule foreach ls",
                                "git filter-branch",
                                "git init --template=x",
                                "git --paginate log",
                                "git-upload-pack x",
                                "tar --to-command=ls -xf a",
                                "tar -I ls -xf a",
                                "tar cIf ls a",
                                "tar --checkpoint-action=exec=ls -cf a b",
                                "tar --use-compress-program ls -xf a",
                                "tar --use-comp=ls -xf a",
                                "make SHELL=ls",
                                "make --eval=x",
                                "make 'a=$(shell ls)'",
                                "make -f x",
                                "python -c x",
                                "python",
                                "python -",
                                "python3.11 -c x",
                                "python -ic x",
                                "perl -e x",
                                "perl -ne x",
                                "ruby -e x",
                                "node -e x",
                                "node --eval x",
                                "php -r x",
                                "lua -e x",
                                "bash -c ls",
                                "bash",
                                "sh -s",
                                "sh -lc ls",
                                "bash /dev/stdin",
                                "bash -x a",
                                "rsync -e ls a b",
                                "rsync --rsh=ls a b",
                                "scp -S ls a b",
                                "scp -o ProxyCommand=ls a b",
                                "zip a b -T -TT ls",
                                "zip -T a b",
                                "sort --compress-program=ls a",
                                "split --filter=ls a",
                                "go run -exec ls a",
                                "go test -toolexec=ls",
                                "npm exec ls",
                                "npx ls",
                                "docker run x",
                                "docker exec x ls",
                                "docker --host x ps",
                                "kubectl exec x ls",
                                "systemctl start x",
                                "test -v 'a[$(ls)]'",
                                "printf -v 'a[$(ls)]' x",
                                "rg --pre ls a",
                                "cmake -E env ls",
                                "cmake -P x",
                                "wget -e use_askpass=ls x",
                                "gcc -wrapper ls a.c",
                                "patch -e a b",
                                "pdflatex --shell-escape a",
                                "install -s --strip-program=ls a b"})
        EXPECT_FALSE(simple_commands(command)) << command;
}

// Whatever stands here must never run without a question under an allow list for ls, cat, echo and
// git status.
const char* const bypasses[] = {
    "ls\nrm -rf x",
    "ls\r\nrm x",
    "ls\rrm x",
    "ls\vrm",
    "ls\frm",
    "ls & rm x",
    "ls&rm x",
    "ls &",
    "ls; rm x",
    "ls;rm x",
    "ls ;; rm x",
    "ls && rm x",
    "ls || rm x",
    "ls | sh",
    "ls |& sh",
    "echo rm x | bash",
    "echo cm0gLXJm | base64 -d | sh",
    "ls | xargs rm",
    "ls | tee /etc/x",
    "echo $(rm x)",
    "echo `rm x`",
    "echo \"$(rm x)\"",
    "echo \"`rm x`\"",
    "echo ${x:-$(rm x)}",
    "echo $((a[$(rm x)]))",
    "echo $[a[$(rm x)]]",
    "echo ${!x}",
    "echo $x",
    "echo \"$x\"",
    "echo $'\\x24(rm x)'",
    "echo $\"x\"",
    "cat <(rm x)",
    "cat >(rm x)",
    "echo > >(rm x)",
    "(ls; rm x)",
    "{ ls; rm x; }",
    "ls (rm x)",
    "ls() { rm x; }; ls",
    "function ls { rm x; }",
    "ls () (rm x)",
    "if ls; then rm x; fi",
    "for x in a; do rm $x; done",
    "while ls; do rm x; done",
    "until ls; do rm x; done",
    "case x in x) rm x;; esac",
    "select x in a; do rm x; done",
    "time rm x",
    "! rm x",
    "!rm",
    "coproc rm x",
    "[[ -f a ]] && rm x",
    "[ -f a ] && rm x",
    "A=b rm x",
    "PATH=. ls",
    "LD_PRELOAD=./a.so ls",
    "LD_PRELOAD=./a.so echo",
    "IFS=x ls",
    "a+=b ls",
    "a[0]=b ls",
    "GIT_EXTERNAL_DIFF=rm git status",
    "GIT_DIR=/x git status",
    "ls *",
    "ls ?",
    "ls [a-z]",
    "echo {rm,x}",
    "echo a{1..9}",
    "ls ~",
    "ls ~root",
    "cat a=~",
    "ls --x=~/y",
    "echo a > /etc/passwd",
    "echo a > ../x",
    "echo a > ~/.bashrc",
    "echo a >> /root/.ssh/authorized_keys",
    "echo a > .gitconfig",
    "echo a > .git/hooks/pre-commit",
    "echo a > sub/.git/config",
    "echo a > x/../../y",
    "echo a >| x",
    "echo a <> x",
    "echo a >& x",
    "echo a &> /etc/x",
    "echo a > $x",
    "echo a > *",
    "cat << EOF\nx\nEOF",
    "cat <<< $(rm x)",
    "cat <<< x",
    "cat <<-EOF\n\tx\n\tEOF\nrm x",
    "echo a # b",
    "ls #\nrm x",
    "ls \\\nrm x",
    "l\\\ns",
    "ls\xc2\xa0rm",
    "ls\xe2\x80\x83x",
    "ls\xe2\x80\x8b",
    "ls \xe2\x80\xae x",
    "ls\x1b[2K",
    "ls\x07",
    "ls \x7f",
    "ls\xe2\x80\xa8rm x",
    "\"ls\" $x",
    "l\"s\" x",
    "\\ls x",
    "'ls' x",
    "ls' 'x",
    "l''s",
    "lsof -c x | sh",
    "",
    " ",
    ";",
    "&&",
    "| ls",
    "ls |",
    "ls &&",
    "ls ||",
    "&& ls",
    "; ls",
    "ls ; ; ls",
    "ls | | cat",
    "ls && && cat",
    "ls <",
    "ls >",
    "ls 'a",
    "ls \"a",
    "ls \\",
    "ls a\"b",
    "ls )",
    "ls (",
    "ls }",
    "ls {",
    "ls `",
    "ls $(",
    "ls ${",
    "ls $",
    "env ls; rm x",
    "env A=b ls",
    "env -S 'rm x'",
    "sudo ls",
    "doas ls",
    "xargs ls",
    "nice rm x",
    "nohup rm x",
    "timeout 5 rm x",
    "setsid rm x",
    "stdbuf -oL rm x",
    "ionice ls",
    "chroot / ls",
    "unshare ls",
    "nsenter ls",
    "su -c ls",
    "runuser ls",
    "watch ls",
    "parallel ls",
    "script -c ls",
    "strace ls",
    "ltrace ls",
    "gdb ls",
    "ssh x ls",
    "command ls",
    "builtin echo x",
    "exec ls",
    "eval ls",
    "source ls",
    ". ls",
    "sh -c ls",
    "bash -c ls",
    "dash -c ls",
    "zsh -c ls",
    "ksh -c ls",
    "fish -c ls",
    "python -c ls",
    "perl -e ls",
    "ruby -e ls",
    "node -e ls",
    "find . -exec ls",
    "awk 'BEGIN{system(\"rm\")}'",
    "gawk x",
    "mawk x",
    "sed e",
    "busybox ls",
    "docker run ls",
    "systemd-run ls",
    "at now",
    "batch",
    "crontab -",
    "xdg-open ls",
    "trap 'rm x' EXIT",
    "alias ls=rm",
    "alias ls='rm x'; ls",
    "set -H",
    "shopt -s x; ls",
    "enable -f ./a.so ls",
    "hash -p /bin/rm ls; ls x",
    "export PATH=.; ls",
    "declare -x PATH=.; ls",
    "readonly x; ls",
    "unset PATH; ls",
    "git -c alias.status='!rm' status",
    "git -c core.fsmonitor=rm status",
    "git --exec-path=. status",
    "git status; git push",
    "git  push",
    "git status && git config alias.x '!rm'",
    "git status | git apply",
    "git statu\\s\n",
    "git 'status' ; rm x",
    "git status --help & rm x",
    "cd / && echo a > etc/passwd",
    "echo a | sudo tee x",
    "ls -la;$(rm x)",
    "echo '$(rm x)' | sh",
    "cat a | python",
    "cat a | perl",
    "cat a | node -",
    "echo a 2>/etc/x",
    "echo a 3>&1 4>/etc/x",
    "echo x>&/etc/y",
    "echo\trm;rm\tx",
    "ls %1; rm x",
    "ls && (rm x)",
    "ls || { rm x; }",
    "echo hi | while read x; do rm x; done",
    "/bin/ls; /bin/rm x",
    "cat /dev/null | at now",
    "mapfile -C rm; ls",
    "printf -v 'a[$(rm x)]' b; ls",
    "test -v 'a[$(rm x)]' && ls",
    "read 'a[$(rm x)]'; ls",
    "let 'a[$(rm x)]'; ls",
    "tar cf a b --checkpoint=1 --checkpoint-action=exec=rm; ls",
    "ls | less",
    "ls | vim -",
    "man -P rm ls",
    "git status | ed",
};

TEST(Shell, BypassesAreNeverBetterThanAsk) {
    const Profile profile = allowing("tool:bash:(ls|cat|echo|git status).*");
    ASSERT_EQ(shell_verdict(profile, "ls -la && cat a | echo b; git status -s"), Verdict::allow);
    EXPECT_GE(std::size(bypasses), 200U);
    for (const char* command : bypasses) {
        EXPECT_NE(shell_verdict(profile, command), Verdict::allow) << command;
    }
}

TEST(Shell, TheSameUnderAPatternForEveryPlainCommand) {
    const Profile profile = allowing("tool:bash:.*");
    EXPECT_EQ(shell_verdict(profile, "rm -rf / && anything"), Verdict::allow);
    for (const char* command : {"ls\nrm", "echo $x", "echo $(x)", "A=b ls", "ls > /tmp/x", "(ls)",
                                "ls &", "ls *", "sh -c ls", "xargs ls", "ls;\n"})
        EXPECT_NE(shell_verdict(profile, command), Verdict::allow) << command;
    EXPECT_EQ(shell_verdict(profile, "echo $x"), Verdict::ask);
    EXPECT_EQ(shell_verdict(profile, "ls\nrm"), Verdict::deny);  // the dot is no newline
}

TEST(Shell, EveryPartMustBeCovered) {
    ProfileText text;
    text.allow = {{"tool:bash:ls.*"}, {"tool:bash:(timeout 5|nice) .*"}};
    text.ask = {{"tool:bash:rm .*"}};
    const Profile profile = Profile::compile(text, "test");
    EXPECT_EQ(shell_verdict(profile, "ls a && ls b"), Verdict::allow);
    EXPECT_EQ(shell_verdict(profile, "ls a && rm b"), Verdict::ask);
    EXPECT_EQ(shell_verdict(profile, "ls a && mv b c"), Verdict::deny);
    EXPECT_EQ(shell_verdict(profile, "timeout 5 ls"), Verdict::allow);
    EXPECT_EQ(shell_verdict(profile, "timeout 5 mv a b"), Verdict::deny);
    EXPECT_EQ(shell_verdict(profile, "timeout 5 rm a"), Verdict::ask);
}

TEST(Shell, CatchAllsAndShellRulesCoverWhatIsNotSimple) {
    const std::string command = "for x in *; do rm \"$x\"; done\nls";
    for (const char* pattern : {R"([\s\S]*)", R"(tool:[\s\S]*)", R"(tool:bash:[\s\S]*)"})
        EXPECT_EQ(shell_verdict(allowing(pattern), command), Verdict::allow) << pattern;
    for (const char* pattern : {".*", "tool:.*", "tool:bash:.*", R"(tool:bash:f[\s\S]*)"})
        EXPECT_NE(shell_verdict(allowing(pattern), command), Verdict::allow) << pattern;
    ProfileText text;
    text.allow = {{R"(tool:bash:for x in [\s\S]*)", true}};
    EXPECT_EQ(shell_verdict(Profile::compile(text, "test"), command), Verdict::allow);
    EXPECT_EQ(shell_verdict(Profile::compile(text, "test"), "x; " + command), Verdict::deny);
}

}  // namespace
}  // namespace chorus::policy
