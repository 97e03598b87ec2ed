#include <gtest/gtest.h>

#include "policy/profile.hpp"
#include "policy/shell.hpp"
#include "shell_verdict.hpp"

namespace chorus::policy {
namespace {

Profile denying(const std::string& pattern) {
    ProfileText text;
    text.base = "open";
    text.deny = {{pattern}};
    return Profile::compile(text, "test");
}

const char* const ways_to_rm[] = {
    "rm -rf x",
    " rm -rf x",
    "\\rm -rf x",
    "'rm' -rf x",
    "r\"m\" -rf x",
    "r''m -rf x",
    "r\\m -rf x",
    "/bin/rm -rf x",
    "../bin/rm -rf x",
    "rm\t-rf   x",
    "rm -rf 'x'",
    "ls; rm -rf x",
    "ls && rm -rf x",
    "ls || rm -rf x",
    "ls | rm -rf x",
    "ls & rm -rf x",
    "ls\nrm -rf x",
    "(rm -rf x)",
    "{ rm -rf x; }",
    "! rm -rf x",
    "rm -rf x > /dev/null",
    "rm -rf x 2>&1",
    "2>/dev/null rm -rf x",
    "rm >a -rf x",
    "rm -rf x &",
    "time rm -rf x",
    "if true; then rm -rf x; fi",
    "while rm -rf x; do :; done",
    "for i in a; do rm -rf x; done",
    "case a in a) rm -rf x;; esac",
    "f() { rm -rf x; }; f",
    "function f { rm -rf x; }",
    "A=b rm -rf x",
    "A=b C=d /bin/rm -rf x",
    "env A=b rm -rf x",
    "env -i nice -n 3 rm -rf x",
    "sudo rm -rf x",
    "sudo -u root /bin/rm -rf x",
    "command rm -rf x",
    "exec rm -rf x",
    "nohup rm -rf x &",
    "timeout 5 rm -rf x",
    "xargs rm -rf x",
    "[[ 'a[$(rm -rf x)]' -eq 0 ]]",
    "[ -v 'a[$(rm -rf x)]' ]",
    "(( 'a[$(rm -rf x)]' ))",
    "x='a[$(rm -rf x)]'; echo $((x))",
    "x='a[`rm -rf x`]'; ((x))",
    "x='a[$(rm -rf x)]'; echo ${y[x]} ${PATH:x}",
    "x=\"a[\\$(rm -rf x)]\"; for ((i=x;i<1;i++)); do :; done",
    "x='a[$(rm -rf x)]'; declare -i y=x",
    "declare -i y='a[$(rm -rf x)]'",
    "x='$(rm -rf x)'; echo \"${x@P}\"",
    "PS4='$(rm -rf x)'; set -x; ls",
    "find . -exec rm -rf x \\;",
    "busybox rm -rf x",
    "eval rm -rf x",
    "eval 'rm -rf x'",
    "sh -c 'rm -rf x'",
    "bash -lc \"rm -rf x\"",
    "sudo sh -c 'ls; rm -rf x'",
    "sh -c \"sh -c 'rm -rf x'\"",
    "echo $(rm -rf x)",
    "echo `rm -rf x`",
    "echo \"$(rm -rf x)\"",
    "echo \"`rm -rf x`\"",
    "echo \"a $(echo \"$(rm -rf x)\")\"",
    "cat <(rm -rf x)",
    "echo ${a:-$(rm -rf x)}",
    "echo \"$(case a in a) rm -rf x;; esac)\"",
    "echo $(echo \")\"; rm -rf x)",
    "a=rm; $a -rf x",
    "a='rm -rf'; $a x",
    "rm$IFS-rf x",
    "rm${IFS}-rf${IFS}x",
    "r${y}m -rf x",
    "r$@m -rf x",
    "$'rm' -rf x",
    "$'\\x72m' -rf x",
    "$'\\162m' -rf x",
    "{rm,-rf,x}",
    "{rm,{-rf,x}}",
    "rm \\\n-rf x",
    "r\\\nm -rf x",
    "sh <<EOF\nrm -rf x\nEOF",
    "cat <<EOF\nit's\nEOF\nrm -rf x",
    "cat <<'EOF'\nit's \"\nEOF\nrm -rf x",
    "cat <<EOF\n\tEOF\nit's\nEOF\nrm -rf x",
    "cat <<-EOF\n\tit's\n\tEOF\nrm -rf x",
    "cat <<EOF\nit's $(rm -rf x)\nEOF",
    "ls # it's\nrm -rf x",
    "ls #\"\nrm -rf x",
    "sh <<< 'rm -rf x'",
    "echo rm -rf x | sh",
    "printf 'rm -rf x' | bash",
    "tar --to-command='rm -rf x' -xf a",
    "git -c alias.x='!rm -rf x' x",
    "trap 'rm -rf x' EXIT",
    "env -S 'rm -rf x'",
    "watch 'rm -rf x'",
    "ssh host rm -rf x",
    "ssh host 'rm -rf x'",
    "\"${y:-'}\"; rm -rf x",
    "echo \"it's\"; rm -rf x",
    "echo 'a\\'; rm -rf x",
    "echo \"a\\\"\"; rm -rf x",
    "awk 'BEGIN { system(\"rm -rf x\") }'",
    "coproc rm -rf x",
    "echo $((1<<2)); rm -rf x",
    "[[ a == b ]] || rm -rf x",
    "true;rm -rf x;true",
    "parallel ::: 'rm -rf x'",
    "find . -name x | xargs -I{} sh -c 'rm -rf x'",
    "do_it=1 sudo env B=c rm -rf x",
    "/usr/bin/time rm -rf x",
    "/usr/bin/time -f %e -- rm -rf x",
    "tini -- rm -rf x",
    "tini -s -- rm -rf x",
    "sem rm -rf x",
    "sem -j 4 'rm -rf x'",
    "ed <<< '!rm -rf x'",
    "ed a <<E\n1,$p\n!rm -rf x\nE",
    "echo '!rm -rf x' | ed",
    "printf 'r !rm -rf x' | ed a",
    "gdb -ex 'shell rm -rf x' -ex quit",
    "gdb -batch -ex '!rm -rf x'",
    "gdb --eval-command='shell rm -rf x'",
    "vim -c ':!rm -rf x' -c q",
    "vim -c '!rm -rf x'",
    "vim -c 'silent !rm -rf x'",
    "vim '+!rm -rf x'",
    "sed '1e rm -rf x' a",
    "sed -e 'e rm -rf x' a",
    "sed 's/.*/rm -rf x/e' a",
    "tar cf a.tar --checkpoint=1 --checkpoint-action='exec=rm -rf x' a",
    "tar cf a.tar --checkpoint=1 --checkpoint-action exec='rm -rf x' a",
    "tar --checkpoint-action=exec=rm\\ -rf\\ x -cf a a",
    "source <(echo rm -rf x)",
    ". <(printf 'rm -rf x')",
    "rm $y -rf x",
    "rm '' -rf x",
    "> $y rm -rf x",
    "2> ${y} rm -rf x",
    ">${IFS}a rm -rf x",
    "2>$IFS/dev/null rm -rf x",
    "${IFS}rm -rf x",
    "a=' b'; >$a rm -rf x",
    "> $(echo a) rm -rf x",
    "cat <<$y\nit's\n$y\nrm -rf x",
    "cat << \"$y\"\nit's\n$y\nrm -rf x",
    "cat <<$'E'\\O\"F\"\nit's\nEOF\nrm -rf x",
};

TEST(ShellParts, DenyPatternsAreNotDodged) {
    const Profile profile = denying("tool:bash:rm -rf x.*");
    for (const char* command : ways_to_rm)
        EXPECT_EQ(shell_verdict(profile, command), Verdict::deny) << command;
    EXPECT_EQ(shell_verdict(denying("tool:bash:rm.*"), "{,}{,}{,}{,}{,}{,}{,}{,}{,}rm -rf x"),
              Verdict::deny);
    for (const char* command : {"cu\\rl $x", "cu\\rl \"$x\"", "cu\\rl $(cat x)", "cu\\rl `cat x`"})
        EXPECT_EQ(shell_verdict(denying("tool:bash:curl .*"), command), Verdict::deny) << command;
    const Profile no_push = denying("tool:bash:git push.*");
    for (const char* command :
         {"git push", "git  push origin", "git -C . push", "git --no-pager push",
          "git -c a=b push origin", "git --git-dir=x push", "/usr/bin/git push", "git pu\"sh\"",
          "sudo git -C x push", "cd a && git push", "git status; git 'push'"})
        EXPECT_EQ(shell_verdict(no_push, command), Verdict::deny) << command;
}

TEST(ShellParts, DenyPatternsSeeACommandAsItIsWrittenBehindLeadingWords) {
    const Profile profile = denying("tool:bash:cat 'a b' \"c\".*");
    for (const char* command : {"cat 'a b' \"c\" d", "{ cat 'a b' \"c\" d; }",
                                "X=1 cat 'a b' \"c\"", "if ! cat 'a b' \"c\"; then ls; fi"})
        EXPECT_EQ(shell_verdict(profile, command), Verdict::deny) << command;
}

TEST(ShellParts, DenyPatternsLeaveTheOthersAlone) {
    const Profile profile = denying("tool:bash:(rm|git push).*");
    for (const char* command :
         {"ls -la", "git rm a", "git commit -m 'rm the old thing'",
          "git commit -m 'fix; rm the old thing'", "echo rm -rf x", "ls rm", "grep -r 'rm -rf' .",
          "cat > a <<EOF\nhello world\nEOF", "find . -name rm", "python3 a.py rm",
          "echo '{\"a\":{\"b\":1,\"c\":2},\"d\":3}'", "git log --grep push",
          "for i in 1 2; do echo $i; done", "ls # rm -rf x", "make rm"})
        EXPECT_EQ(shell_verdict(profile, command), Verdict::allow) << command;
}

TEST(ShellParts, AProgramThatAnExpansionNamesIsAskedAboutWhereSomethingIsDenied) {
    const Profile profile = denying("tool:bash:canary.*");
    for (const char* command : {"$(printf can; echo ary) x",
                                "`echo x` y",
                                "$x",
                                "${x} y",
                                "${x:-ls}",
                                "c$x",
                                "/bin/l?",
                                "/bin/l* -l",
                                "/bin/[l]s",
                                "ls; $x",
                                "X=1 $x",
                                "if $x; then ls; fi",
                                "env A=b $x",
                                "nice -n 3 $(x)",
                                "! $x",
                                "$x > a",
                                "ls | $x",
                                "echo $($x)",
                                "echo $( (ls); $x )",
                                "echo \"`$x`\"",
                                "\"$x\" y",
                                "time $x",
                                "$x y; ls",
                                "$x do y",
                                "$x in y",
                                "$x then",
                                "$x X=1 ls",
                                "X=1 $x Y=1",
                                "env $x A=b",
                                "if $x do; then ls; fi",
                                "$1 x"})
        EXPECT_EQ(shell_verdict(profile, command), Verdict::ask) << command;
    for (const char* command :
         {"ls $x", "ls *", "echo \"$(ls)\"", "x=$(ls)", "x=$y ls", "[ -f a ]", "[[ $x == y* ]]",
          "echo $((a * b))", "((i++))", "for ((i = 0; i < n * 2; i++)); do ls; done",
          "for i in $x *.c; do ls $i; done", "case $x in a*) ls;; *) ls;; esac", "ls > $x",
          "env A=$x ls", "cat <<< $x", "echo '$x' \\$x"})
        EXPECT_EQ(shell_verdict(profile, command), Verdict::allow) << command;
    EXPECT_EQ(shell_verdict(denying("tool:view:.*"), "$x"), Verdict::allow);
    EXPECT_EQ(shell_verdict(*Profile::preset("open"), "$x"), Verdict::allow);
    EXPECT_EQ(shell_verdict(profile, "x=canary; $x"), Verdict::deny);
}

TEST(ShellParts, TooInvolvedForADenyListIsDenied) {
    std::string nested = "ls";
    for (int i = 0; i < 5000; ++i) nested = "$(" + nested + ")";
    std::string wrapped;
    for (int i = 0; i < 15'000; ++i) wrapped += "env ";
    std::string grown = "a=aaaaaaaa";
    for (int i = 0; i < 40; ++i) grown += "; a=$a$a$a$a";
    const std::vector<std::string> involved{"echo " + nested, wrapped + "ls", grown};
    for (const std::string& command : involved) {
        EXPECT_FALSE(simple_commands(command)) << command.substr(0, 40);
        EXPECT_EQ(shell_verdict(*Profile::preset("open"), command), Verdict::allow);
        EXPECT_FALSE(parts_for_deny(command)) << command.substr(0, 40);
        const Decision decision =
            denying("tool:bash:nothing").decide(parse_action("tool:bash:" + command), {});
        EXPECT_EQ(decision.verdict, Verdict::deny);
        EXPECT_EQ(decision.reason, "the command is too complex to check against the deny list");
    }
}

// Nothing here may take long or overflow the stack.
TEST(ShellParts, LongAndDeepCommandsAreReadInBoundedTime) {
    const Profile profile = denying("tool:bash:nothing");
    for (const char* piece :
         {"(",      ")",    "`",     "$(", "${",         "\"",      "'",   "\\",
          "<<a\n",  "<<<",  "{a,b}", "{",  "case x in ", "$(case ", "a;",  "a|",
          "sh -c ", "env ", "git ",  "$a", "a=$a$a;",    "\n",      ">a ", "#\n"}) {
        std::string command;
        while (command.size() + 16 < 60'000) command += piece;
        EXPECT_NO_THROW(profile.decide(parse_action("tool:bash:" + command), {})) << piece;
    }
}

}  // namespace
}  // namespace chorus::policy
