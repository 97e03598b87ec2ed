#!/usr/bin/env bash
# What `make install` puts in place works from there.
. "$(dirname "$0")/../support/lib.sh"
command -v zsh >/dev/null || { echo "this test needs zsh"; exit 1; }
build=${CHORUS_BIN%/cmd}
source_directory=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

test_case "DESTDIR and prefix are kept to, and the programs find their template there" # L-09
run env DESTDIR="$scratch/root" cmake --install "$build" --prefix /opt/chorus
expect_status 0
prefix=$scratch/root/opt/chorus
expect_equal "$(ls "$scratch/root")" opt
for file in bin/chorus-{config,context,destroy,init,run,tasks} libexec/chorus/chorus-{git,sandbox} libexec/chorus/libchorus-curl.so share/chorus/template/agent.json \
    share/chorus/chorus.schema.json share/man/man7/chorus{,-json,-permissions}.7 share/man/man1/chorus-{config,context,destroy,init,run,tasks}.1 \
    share/man/man5/chorus-{home,session}.5 share/doc/chorus/examples/chorus-idle.{cron,service,timer} \
    share/man/man8/chorus-{git,sandbox}.8 share/bash-completion/completions/chorus-{config,context,destroy,init,run,tasks} \
    share/fish/vendor_completions.d/chorus-{config,context,destroy,init,run,tasks}.fish share/zsh/site-functions/_chorus; do
    [ -f "$prefix/$file" ] || fail "$file is missing"
done
run "$prefix/bin/chorus-init" a --model builtin/script
expect_status 0
expect_equal "$(jq -r .name "$CHORUS_HOME/agents/a/agent.json")" a
for file in docs/README.md workspace/.gitkeep; do
    [ -f "$CHORUS_HOME/agents/a/$file" ] || fail "the installed template has no $file"
done
run "$prefix/bin/chorus-run" a hello
expect_status 0
expect_match "$out" hello
run "$prefix/bin/chorus-config" set -A a permissions open
expect_status 0
run "$prefix/bin/chorus-run" a '/bash grep Seccomp: /proc/self/status'
expect_match "$out" 'Seccomp:	2'

test_case "the examples for cron and systemd name the program where it is, and the line runs under cron's environment"
run cmake --install "$build" --prefix "$scratch/prefix"
expect_status 0
examples=$scratch/prefix/share/doc/chorus/examples
expect_match "$(cat "$examples/chorus-idle.service")" "
ExecStart=$scratch/prefix/bin/chorus-context idle-save --all"
"$scratch/prefix/bin/chorus-init" a --model builtin/script >/dev/null
line=$(grep -v '^#' "$examples/chorus-idle.cron" | cut -d' ' -f7-)
run env -i HOME="$HOME" LOGNAME=x PATH=/usr/bin:/bin SHELL=/bin/sh CHORUS_HOME="$CHORUS_HOME" CHORUS_IDLE_TIMEOUT_MS=1 sh -c "$line"
expect_status 0
expect_equal "$err" ''

test_case "below /usr the place of zsh's functions is the distribution's"
run env DESTDIR="$scratch/root" cmake --install "$build" --prefix /usr
expect_status 0
[ -f "$scratch/root$(zsh -fc 'print -l $fpath' | grep '^/usr/share/.*-\(completions\|functions\)$' |
    while read -r place; do [ ! -f "$scratch/root$place/_chorus" ] || echo "$place/_chorus"; done)" ] || fail 'zsh does not find it'

test_case "no path of the machine that built it is in what is installed"
run env DESTDIR="$scratch/root" cmake --install "$build" --prefix /opt/chorus --strip
for file in "$scratch"/root/opt/chorus/bin/* "$scratch"/root/opt/chorus/libexec/chorus/* \
    "$scratch"/root/opt/chorus/share/man/*/*; do
    if grep -qF "$source_directory/" "$file"; then fail "$file names $source_directory"; fi
done

end_tests
