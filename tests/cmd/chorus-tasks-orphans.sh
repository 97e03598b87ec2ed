#!/usr/bin/env bash
# Tasks whose turn, terminal and shell are gone end with their true status, each of them.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
readonly rounds=20 each=10
readonly signals=(SEGV KILL TERM HUP)

test_case "$((rounds * each)) of $((rounds * each)) end with their exit status or signal" # L-38
init a --model builtin/script --permissions open
agent_key a sandbox '"off"'
work=$CHORUS_HOME/agents/a/workspace
for ((round = 0; round < rounds; round++)); do
    {
        echo calls
        for ((i = 0; i < each; i++)); do
            number=$((round * each + i))
            how="exit $((number % 250))"
            [ $((i % 3)) = 2 ] && how="kill -${signals[i / 3 % 4]} \$\$; sleep 10"
            jq -nc --arg command "until [ -e go$round ]; do sleep 0.05; done; $how" '{command: $command, background: true}' | sed 's/^/\/bash /'
        done
        echo '/bash {"command": "touch began'$round'; sleep 600"}'
    } >prompt
    script -qc "bash -c 'exec 3>&1; chorus-run a -f prompt; :'" /dev/null >/dev/null 2>&1 </dev/null &
    terminal=$!
    wait_for 20 test -e "$work/began$round" || fail "round $round: the turn did not come so far"
    turn=$(db 'SELECT pid FROM turns WHERE ended_at IS NULL')
    kill -9 "$(ps -o ppid= -p "$turn")" "$turn" $terminal 2>/dev/null
    { wait $terminal; } 2>/dev/null
    touch "$work/go$round"
done
run chorus-tasks wait a $(db 'SELECT task_id FROM tasks')
wrong=0
for ((number = 0; number < rounds * each; number++)); do
    i=$((number % each))
    wanted="$((number % 250))|"
    [ $((i % 3)) = 2 ] && wanted="|$(kill -l "${signals[i / 3 % 4]}")"
    got=$(db "SELECT exit_code, signal FROM tasks WHERE task_id = printf('task_%03d', $((number + 1)))")
    [ "$got" = "$wanted" ] || { wrong=$((wrong + 1)) && echo "task $((number + 1)): $got, not $wanted"; }
done
expect_equal $wrong 0
expect_db 'SELECT count(*) FROM tasks' $((rounds * each))

test_case "supervisors killed at any moment: the end is on record or the task is lost, and nothing of it runs"
init a --model builtin/script
agent_key a sandbox '"off"'
canary=canary$RANDOM$RANDOM
printf '#!/bin/bash\n(exec -a %s sleep 30) >/dev/null 2>&1 &\nsleep 0.0$((RANDOM %% 9))\nexit 7\n' $canary >"$CHORUS_HOME/agents/a/workspace/work"
for ((round = 0; round < 8; round++)); do
    for ((i = 0; i < 12; i++)); do
        chorus-tasks run a -- bash work >/dev/null || fail 'not started'
        pid=$(db 'SELECT pid FROM tasks ORDER BY rowid DESC LIMIT 1')
        { sleep "0.$((RANDOM % 5))$((RANDOM % 10))"; kill -9 "$pid"; } 2>/dev/null &
    done
    wait
    { chorus-tasks wait a $(db 'SELECT task_id FROM tasks'); } >/dev/null 2>&1
done
running $canary && fail 'something lives on'
expect_db "SELECT count(*) FROM tasks WHERE NOT (status = 'failed' AND exit_code = 7 OR status = 'lost' AND exit_code IS NULL)" 0
expect_db "SELECT count(DISTINCT status) FROM tasks" 2
expect_db "SELECT count(*) FROM tasks" 96
end_tests
