#!/usr/bin/env bash
# Where user namespaces and mounts are refused, as Docker's default filter does.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
support=$(cd "$(dirname "$0")/../support" && pwd)

test_case "what mends a sandbox that cannot start is a command that works"
run container chorus-init a --model builtin/script --permissions sandboxed
expect_status 0
run container chorus-run a '/bash id -un'
expect_match "$err" 'no command can be run: bwrap: '
expect_match "$err" 'chorus-config set sandbox landlock'
run container chorus-config doctor
expect_status 1
expect_match "$out" 'found: sandbox workspace: no command can be run: bwrap: '
remedy=$(printf '%s\n' "$out" | grep -o 'chorus-config set sandbox landlock')
run container $remedy
expect_status 0
run container chorus-config doctor
expect_equal "$status $out" '0 nothing to mend'
run container chorus-run a $'/bash echo x >made; chmod 755 made; cat "$CHORUS_HOME/config.json" ~/../../../agent.json\n/git_commit made it'
expect_status 0
expect_match "$out" 'Permission denied'
expect_no_match "$out" 'builtin/script"'
expect_match "$out" 'made it'
run container chorus-run a '/bash {"command": "sleep 1; echo late >late", "background": true}'
expect_status 0
run container chorus-tasks wait a 1
expect_status 0
expect_equal "$(cat "$CHORUS_HOME/agents/a/workspace/late")" late

confined() { # an agent whose commands Landlock confines
    init a --model builtin/script --permissions sandboxed
    chorus-config set sandbox landlock
}

test_case "what a command leaves for programs outside to obey is told"
confined
run container chorus-run a '/bash printf "#!/bin/sh\n" >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git config core.fsmonitor evil'
expect_status 0
expect_match "$err" 'hooks/pre-commit'
expect_match "$err" 'core.fsmonitor'
expect_match "$out" 'the audit log records it'

test_case "the mode is set, capped and explained as the others"
confined
run chorus-config set limits.sandbox workspace
run chorus-config get sandbox
expect_match "$out" landlock
run chorus-context explain a 'tool:bash:make'
expect_match "$out" 'sandbox: workspace'
run chorus-config unset limits.sandbox
run chorus-context explain a 'tool:bash:make'
expect_match "$out" 'sandbox: landlock'
expect_match "$out" allow

test_case "all of a command ends with chorus-run, kill -9 included"
confined
workspace=$CHORUS_HOME/agents/a/workspace
chorus-run a '/bash setsid sleep 1000 & echo $! >begun; sleep 1000' >/dev/null 2>&1 &
turn=$!
wait_for 10 test -s "$workspace/begun"
kill -9 $turn
wait $turn 2>/dev/null
gone() { ! kill -0 "$(cat "$workspace/begun")" 2>/dev/null; }
wait_for 10 gone

test_case "a kernel without Landlock refuses the mode, and git says what it needs"
confined
run container --without-landlock chorus-run a '/bash true'
expect_match "$err" 'landlock: this kernel lacks it'
run container --without-landlock chorus-init b --model builtin/script
expect_match "$err" 'git: '
expect_match "$err" 'hint: Linux 5.19 or later, or user namespaces'
expect_missing "$CHORUS_HOME/agents/b"

test_case "a kernel without Landlock, and the sandbox turned off: all but the git tools works"
remedy=$(container --without-landlock chorus-init a --model builtin/script 2>&1 | grep -o 'chorus-config set sandbox off')
run container --without-landlock $remedy
expect_status 0
run container --without-landlock chorus-init a --model builtin/script --permissions open
expect_status 0
expect_match "$err" 'notice: not taken: .git: git: '
expect_missing "$CHORUS_HOME/agents/a/workspace/.git"
run container --without-landlock chorus-run a $'/create_file f text\n/bash cat f\n/git_status'
expect_status 0
expect_match "$out" 'there is no git repository'
run container --without-landlock chorus-run a $'/bash git init -q\n/git_status'
expect_match "$out" 'git: '
run container --without-landlock chorus-tasks status a
expect_status 0
run container --without-landlock chorus-context save a
expect_status 0
rm -r "$CHORUS_HOME/agents/a/workspace/.git"
run container --without-landlock chorus-config doctor
expect_equal "$status $out" '0 nothing to mend'
git init -q "$scratch/source"
run container --without-landlock chorus-init b --model builtin/script --clone "$scratch/source"
expect_status 1
run container --without-landlock chorus-destroy a --yes
expect_status 0

test_case "make demo knows before anything is built, and runs"
for how in '' container; do
    run $how sh "$support/sandbox_here.sh"
    expect_status 0
    run $how sh "$support/demo.sh" "$CHORUS_BIN"
    expect_status 0
    expect_match "$out" 'good morning from'
done
expect_match "$out" 'set sandbox landlock'
run container --without-landlock sh "$support/sandbox_here.sh"
expect_status 1
expect_match "$err" 'error: no command can be confined here'
expect_match "$err" 'hint: .*docker run --security-opt'

end_tests
