#!/usr/bin/env bash
# needs: root
# What a turn starts ends with it, what it knows stays with it, and what a command leaves is told.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
for tool in setpriv setsid; do
    command -v "$tool" >/dev/null || { echo "this test needs $tool"; exit 1; }
done
readonly owner=61234 other=61235
readonly secret=sk-ant-api03-canary-0123456789abcdefghij

marked() { # MARK: processes whose environment has it
    grep -lzxF "MARK=$1" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
}
nobody_marked() { [ -z "$(marked "$1")" ]; }
children_run() { [ "$(marked "$1" | wc -l)" -ge "$2" ]; } # MARK COUNT
begin_turn() { # MARK COMMAND: in the background, its process in $turn
    MARK=$1 chorus-run a -m builtin/script "/bash $2" >"$scratch/out" 2>"$scratch/err" </dev/null &
    turn=$!
}

for mode in workspace off; do
    test_case "$mode: kill -9 of chorus-run leaves nothing it started"
    init a --model builtin/script
    agent_key a permissions '"open"'
    home_key sandbox "\"$mode\""
    home_key environment '["MARK"]'
    mark=$mode-$$-$RANDOM
    begin_turn "$mark" 'trap "" TERM HUP; setsid sleep 1000 & (nohup setsid sleep 1000 >/dev/null 2>&1 &) ; sleep 1000'
    wait_for 20 children_run "$mark" 5 || fail "the command does not run: $(marked "$mark" | wc -l)"
    kill -9 "$turn"
    wait "$turn" 2>/dev/null
    wait_for 5 nobody_marked "$mark" || fail "left: $(ps -o pid,args -p "$(marked "$mark" | paste -sd,)")"

    test_case "$mode: so does the end of a command that leaves processes behind"
    init a --model builtin/script
    agent_key a permissions '"open"'
    home_key sandbox "\"$mode\""
    home_key environment '["MARK"]'
    mark=$mode-$$-$RANDOM
    run env MARK="$mark" chorus-run a -m builtin/script '/bash setsid sleep 1000 & exit 3'
    expect_status 0
    expect_match "$out" 'exit status 3'
    nobody_marked "$mark" || fail "left: $(marked "$mark")"
done

test_case "without the inner program nothing runs, in any mode"
init a --model builtin/script
agent_key a permissions '"open"'
mkdir bin
cp "$CHORUS_BIN/chorus-run" bin
for mode in workspace workspace+net off; do
    home_key sandbox "\"$mode\""
    run bin/chorus-run a -m builtin/script "/bash touch $scratch/ran"
    expect_match "$out" 'no command can run: chorus-sandbox is not installed'
    expect_match "$err" 'chorus-sandbox is not installed'
    expect_missing "$scratch/ran"
done

test_case "the end of a command is noticed when it comes" # S-61
init a --model builtin/script --permissions open
home_key sandbox '"off"'
run strace -o waits -e trace=poll,restart_syscall,waitid chorus-run a "$(printf '/bash sleep 9 &\n%.0s' {1..3})"
expect_status 0
# the output stays open; count the ends, and the waits that timed out between an end and its status
expect_equal "$(awk '
    /SIGCHLD/ { ended = 1; late = 0 }
    /Timeout|restart_syscall.*= 0$/ { late = ended }
    /waitid\(P_PIDFD/ && ended { ++noticed; lates += late; ended = late = 0 }
    END { print (noticed >= 3), lates + 0 }' waits)" '1 0'

test_case "what git on the host would obey is told to the model and to the user"
init a --model builtin/script
agent_key a permissions '"open"'
run chorus-run a -m builtin/script '/bash git init -q sub && git -C sub config core.fsmonitor ./x'
expect_status 0
told='changed that programs outside the sandbox obey: sub/.git/config: core.fsmonitor'
expect_match "$out" "$told; the audit log records it"
expect_match "$err" "alert: .*$told; inspect them in $CHORUS_HOME/agents/a/workspace before you run git"
run chorus-run a -m builtin/script '/bash git -C sub config user.name n && git clone -q sub other'
expect_no_match "$out$err" 'obey'
home_key sandbox '"off"'
run chorus-run a -m builtin/script '/bash git -C sub config core.editor ./x'
expect_no_match "$out$err" 'obey'

test_case "a key in the environment is in nobody's sight, root's not excepted"
chmod 755 "$base" "$scratch"
export CHORUS_HOME=$scratch/own/home HOME=$scratch/own
# what was built may lie where another user cannot look
mkdir -p "$scratch/own" "$scratch/built/bin" "$scratch/built/share/chorus"
cp "$CHORUS_BIN"/chorus-{git,init,run,sandbox} "$scratch/built/bin"
cp -rL "$CHORUS_BIN/../share/chorus/template" "$scratch/built/share/chorus"
chmod -R a+rX "$scratch/built"
chown $owner:$owner "$scratch/own"
as() { # UID COMMAND …
    PATH=$scratch/built/bin:/usr/bin:/bin setpriv --reuid="$1" --regid="$1" --clear-groups --inh-caps=-all "${@:2}"
}
run as $owner chorus-init a --model builtin/script --permissions open
expect_status 0
LD_BIND_NOW=1 ANTHROPIC_API_KEY=$secret OPENAI_API_KEY=$secret XAI_API_KEY=$secret \
    as $owner chorus-run a -m builtin/script '/bash sleep 30' >out 2>err </dev/null &
shell=$!
sleeping() { pgrep -f '^sleep 30$' -u $owner; }
wait_for 20 sleeping || fail "the command does not run: $(cat out err)"
turn=$(pgrep -P "$shell")
for process in $(pgrep -u $owner); do
    if tr '\0' '\n' <"/proc/$process/environ" | grep -q canary; then fail "$(cat "/proc/$process/cmdline") shows the key"; fi
    if tr '\0' '\n' <"/proc/$process/cmdline" | grep -q canary; then fail "$process has the key as an argument"; fi
done
expect_match "$(cat "/proc/$turn/limits")" 'Max core file size +0 +0'
if ! nm "$CHORUS_BIN/chorus-run" 2>/dev/null | grep -q __asan_init; then
    expect_equal "$(stat -c %u "/proc/$turn/environ")" 0  # what is not dumpable is root's
    for uid in $owner $other; do
        for file in environ mem maps fd/0 root; do
            if as $uid head -c 1 "/proc/$turn/$file" >/dev/null 2>"$scratch/denied"; then fail "$uid reads $file"; fi
            expect_match "$(cat "$scratch/denied")" 'Permission denied|Is a directory'
        done
    done
fi
kill "$turn"
wait "$shell" 2>/dev/null

end_tests
