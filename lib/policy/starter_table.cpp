#include "policy/starter_table.hpp"

#include <algorithm>
#include <array>

#include "policy/option_words.hpp"

namespace chorus::policy {
namespace {

constexpr std::string_view opaque_programs =
    ". 9base R abduco alias ansible ansible-playbook apt apt-get aptitude asdf ash at autossh "
    "awk batch bazel bind builtin bun bunx busctl busybox bwrap byobu bzr capsh catchsegv "
    "cgexec choom chpst chronic chroot chrt chsh command compgen complete coproc cpulimit "
    "crontab dbus-launch dbus-run-session dc debootstrap declare deno devbox direnv dlv dnf "
    "doas dpkg dtach dumb-init eatmydata ed elinks elvish emacs emacsclient enable entr eval ex "
    "exec exiftool expect export fakechroot fakeroot faketime fc file-rename firejail flatpak "
    "flock forever ftp fusermount fzf gawk gdb gdbserver getopts gnuplot gosu grunt gulp gvim "
    "hash heaptrack hg history hyperfine i386 ifne info ionice ip irb jobs jshell less let lftp "
    "links linux32 linux64 lldb local login logrotate logsave ltrace lynx m4 mail mailx man "
    "mapfile mariadb mawk mc memusage mise mispipe more mosh most mount mutt mysql nano nawk "
    "newgrp nix nix-shell nodemon npx nsenter nu nvim octave open osascript pacman parallel "
    "pdsh perf perldoc pexec pipx pkexec pm2 pnpx prename prlimit proot proxychains "
    "proxychains4 psql pssh pwsh read readarray readonly rename rlwrap rpm rr run-one run-parts "
    "runcon runit runsv runuser rvim screen script scriptreplay sdiff sem sendmail service set "
    "setarch setpriv sftp sg shopt sk slirp4netns snap socat softlimit source spawn sqlite "
    "sqlite3 ssh ssh-agent sshpass stap start-stop-daemon strace su sudo sudoedit supervisord "
    "systemd-inhibit systemd-nspawn systemd-run taskset tclsh telnet time timelimit tini tmux "
    "torify "
    "torsocks toybox trap ts tsocks typeset unalias unbuffer unset unshare uvx valgrind vi "
    "vidir view vim vimdiff vipe vipw visudo w3m wait watch watchexec wine wish "
    "x-terminal-emulator x86_64 xargs xdg-open xdotool xinit xonsh xterm xvfb-run yum zypper";

using enum Caution;
constexpr std::array cautious{
    Starter{"Rscript", script, "--version"},
    Starter{"ack", options, "--pager --output"},
    Starter{"ag", options, "--pager"},
    Starter{"bash", script, "--version --help"},
    Starter{"bat", options, "--pager"},
    Starter{"batcat", options, "--pager"},
    Starter{"bsdtar", options, "--use-compress-program"},
    Starter{"bundle", options, "exec"},
    Starter{"c++", options, "-wrapper -B -fplugin -specs"},
    Starter{"cargo", options, "--config"},
    Starter{"cc", options, "-wrapper -B -fplugin -specs"},
    Starter{"clang", options, "-fplugin -load -Xclang"},
    Starter{"clang++", options, "-fplugin -load -Xclang"},
    Starter{"cmake", options, "-E -P --build-tool"},
    Starter{"composer", options, "exec"},
    Starter{"conda", options, "run"},
    Starter{"cpio", options, "--rsh-command --rmt-command"},
    Starter{"csh", script, ""},
    Starter{"ctest", options, "-S -SP --build-and-test --script"},
    Starter{"curl", options, "-K --config --engine"},
    Starter{"dash", script, ""},
    Starter{"date", options, "-s --set"},
    Starter{"docker", first_word,
            "diff history images info inspect logs port ps stats top version --version"},
    Starter{"dotnet", options, "exec"},
    Starter{"fd", options, "-x -X --exec --exec-batch"},
    Starter{"fdfind", options, "-x -X --exec --exec-batch"},
    Starter{"file", options, "-C --compile"},
    Starter{"find", options, "-exec -execdir -ok -okdir -delete -fls -fprint -fprint0 -fprintf"},
    Starter{"fish", script, "--version --help"},
    Starter{"g++", options, "-wrapper -B -fplugin -specs"},
    Starter{"gcc", options, "-wrapper -B -fplugin -specs"},
    Starter{"gh", options, "alias extension"},
    Starter{"ghci", script, "--version"},
    Starter{"glab", options, "alias"},
    Starter{"go", options, "-exec --exec -toolexec --toolexec -vettool --vettool"},
    Starter{"gpg", options, "--exec-path --photo-viewer --agent-program --dirmngr-program"},
    Starter{"groovy", script, "--version"},
    Starter{"guile", script, "--version"},
    Starter{"hatch", options, "run shell"},
    Starter{"helm", options, "plugin"},
    Starter{"iconv", options, "-o --output"},
    Starter{"install", options, "--strip-program"},
    Starter{"ipython", script, "--version"},
    Starter{"java", options, "-XX:OnError -XX:OnOutOfMemoryError"},
    Starter{"jruby", script, "--version"},
    Starter{"julia", script, "--version"},
    Starter{"ksh", script, ""},
    Starter{"kubectl", first_word, "api-resources describe explain get logs top version"},
    Starter{"latex", options, "-shell-escape --shell-escape -enable-write18"},
    Starter{"latexmk", options, "-e -pdflatex -latex --shell-escape -shell-escape"},
    Starter{"lua", script, "-v"},
    Starter{"luajit", script, "-v"},
    Starter{"lualatex", options, "-shell-escape --shell-escape -enable-write18"},
    Starter{"mamba", options, "run"},
    Starter{"mksh", script, ""},
    Starter{"nc", options, "-e -c --exec --sh-exec --lua-exec"},
    Starter{"ncat", options, "-e -c --exec --sh-exec --lua-exec"},
    Starter{"nerdctl", first_word, "images info inspect logs port ps stats top version --version"},
    Starter{"netcat", options, "-e -c --exec --sh-exec"},
    Starter{"nmap", options, "--script"},
    Starter{"node", script, "-v --version"},
    Starter{"nodejs", script, "-v --version"},
    Starter{"nodenv", options, "exec"},
    Starter{"npm", options, "exec x explore config set c -c --call --script-shell --node-options"},
    Starter{"oksh", script, ""},
    Starter{"openssl", options, "engine -engine -provider-path"},
    Starter{"pandoc", options, "-F --filter -L --lua-filter"},
    Starter{"patch", options, "-e --ed"},
    Starter{"pdflatex", options, "-shell-escape --shell-escape -enable-write18"},
    Starter{"pdm", options, "run"},
    Starter{"perl", script, "-v --version"},
    Starter{"php", script, "-v --version"},
    Starter{"pipenv", options, "run shell"},
    Starter{"pnpm", options, "exec dlx x config set -c"},
    Starter{"podman", first_word,
            "diff history images info inspect logs port ps stats top version --version"},
    Starter{"poetry", options, "run shell"},
    Starter{"posh", script, ""},
    Starter{"printf", options, "-v"},
    Starter{"pyenv", options, "exec"},
    Starter{"pypy", script, "-m -V --version --help"},
    Starter{"python", script, "-m -V --version --help"},
    Starter{"racket", script, "--version"},
    Starter{"rbash", script, ""},
    Starter{"rbenv", options, "exec"},
    Starter{"rg", options, "--pre --hostname-bin -z --search-zip"},
    Starter{"rsync", options, "-e --rsh --rsync-path --daemon --config"},
    Starter{"ruby", script, "-v --version"},
    Starter{"runghc", script, "--version"},
    Starter{"rustup", options, "run"},
    Starter{"rye", options, "run"},
    Starter{"sbcl", script, "--version"},
    Starter{"scala", script, "--version"},
    Starter{"scp", options, "-S -o -D -F"},
    Starter{"sh", script, "--version --help"},
    Starter{"shuf", options, "-o --output"},
    Starter{"sort", options, "-o --output --compress-program -T --temporary-directory"},
    Starter{"split", options, "--filter"},
    Starter{"svn", options, "--diff-cmd --editor-cmd --config-option --diff3-cmd"},
    Starter{"systemctl", first_word,
            "is-active is-enabled is-failed list-timers list-units show status"},
    Starter{"tar", options,
            "-I -F --use-compress-program --to-command --checkpoint-action --info-script "
            "--new-volume-script --rsh-command --rmt-command"},
    Starter{"tcpdump", options, "-z"},
    Starter{"tcsh", script, ""},
    Starter{"test", options, "-v -R"},
    Starter{"tex", options, "-shell-escape --shell-escape -enable-write18"},
    Starter{"tree", options, "-o -R"},
    Starter{"ts-node", script, "--version"},
    Starter{"tsx", script, "--version"},
    Starter{"uniq", one_operand, ""},
    Starter{"uv", options, "run tool"},
    Starter{"wget", options, "-e --execute --use-askpass --config"},
    Starter{"xelatex", options, "-shell-escape --shell-escape -enable-write18"},
    Starter{"yarn", options, "exec dlx node config set"},
    Starter{"yash", script, ""},
    Starter{"zip", options, "-T -TT --unzip-command --test"},
    Starter{"zsh", script, "--version --help"},
};

constexpr bool by_program(const Starter& a, const Starter& b) {
    return a.program < b.program;
}
static_assert(std::is_sorted(cautious.begin(), cautious.end(), by_program));

}  // namespace

std::optional<Starter> find_starter(std::string_view program) {
    if (is_listed(program, opaque_programs)) return Starter{program, Caution::opaque, {}};
    const Starter wanted{program, Caution::opaque, {}};
    const auto* found = std::lower_bound(cautious.begin(), cautious.end(), wanted, by_program);
    if (found == cautious.end() || found->program != program) return std::nullopt;
    return *found;
}

}  // namespace chorus::policy
