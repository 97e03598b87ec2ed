#!/usr/bin/env bash
# spawn_agent with "wait": false: the sub-agent works on while its agent does, and its end is a message.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/subagents.sh"

until_go='/bash until [ -e go ]; do sleep 0.05; done
The answer.'
spawn_aside() { spawn_call "$1" "$2" '{"wait": false}'; } # ID PROMPT
inbox() { db "SELECT ifnull(delivered_turn, 'waits') || ' ' || source || ' ' || content FROM inbox ORDER BY id"; }
has_ended() { in_db "SELECT count(*) FROM tasks WHERE ended_at IS NOT NULL" "$1"; } # COUNT
user_texts() { jq -r '[.messages[] | select(.role == "user") | .content | if type == "array" then .[] else {type: "text", text: .} end | select(.type == "text").text] | join("|")' "$1"; }

afresh() { # for the next round of a loop
    stop_server
    rm -rf "$CHORUS_HOME" "$scratch/log"
}

test_case "the call returns at once; the answer comes to a later turn, once" # P-02
parent_with "$(spawn_aside c1 "$until_go")" "$(say Begun.)" "$(say 'Got it.')"
preset helper
run chorus-run a go
expect_status 0
expect_equal "$out" Begun.
child=$(of_child name)
expect_match "$(results)" "^$child works in the background as task_001"
expect_equal "$(inbox)" ''
run chorus-run a --inbox
expect_status 0
expect_equal "$out" ''
expect_match "$(chorus-tasks list a)" "task_001.*running.*chorus-run $child"
touch "$work/go"
wait_for 10 has_ended 1 || fail 'the task runs on'
expect_match "$(inbox)" "^waits agent $child <message from=\"$child\">.*The answer..*</message>$"
run chorus-run a --inbox
expect_status 0
expect_equal "$out" 'Got it.'
expect_match "$(user_texts "$(request 3)")" "<message from=\"$child\">.*The answer."
run chorus-run a --inbox
expect_equal "$out" ''
expect_equal "$(request_count)" 3
expect_db 'SELECT count(*) FROM inbox' 1
expect_sound

test_case "a turn at work gets the answer at its next iteration, and task_wait waits for it" # P-02
parent_with "$(spawn_aside c1 'An answer.')" "$(call c2 task_wait '{"task_id": "task_001", "timeout": 20}')" "$(say done)"
preset helper
run chorus-run a go
expect_status 0
expect_match "$(user_texts "$(request 3)")" 'An answer.'
expect_match "$(results)" 'task_001: exit status 0'
expect_db 'SELECT count(*) FROM turns WHERE agent_id = 1' 1
expect_sound

test_case "whatever ends it, there is one message"
failing=$until_go
for i in 1 2 3 4 5; do failing=${failing/The answer./}$'/view nosuch\n'; done
for how in kill-run kill-all failures cancel; do
    [ $how = failures ] && prompt=$failing || prompt=$until_go
    parent_with "$(spawn_aside c1 "$prompt")" "$(say Begun.)"
    preset helper
    run chorus-run a go
    expect_status 0
    child=$(of_child name)
    case $how in
    kill-run) wait_for 10 in_db "SELECT count(*) FROM turns WHERE agent_id = 2 AND pid > 0" 1 && kill -9 "$(db 'SELECT pid FROM turns WHERE agent_id = 2')" ;;
    kill-all) wait_for 10 in_db "SELECT count(*) FROM turns WHERE agent_id = 2 AND pid > 0" 1 && kill -9 "$(db 'SELECT pid FROM tasks')" "$(db 'SELECT pid FROM turns WHERE agent_id = 2')" ;;
    cancel) chorus-tasks kill a task_001 2>/dev/null ;;
    *) touch "$work/go" ;;
    esac
    wait_for 10 eval 'chorus-tasks list a >/dev/null; has_ended 1' || fail "$how: the task runs on"
    wait_for 10 eval 'chorus-tasks list a >/dev/null; in_db "SELECT count(*) FROM inbox WHERE agent_id = 1" 1' || fail "$how: no message"
    case $how in
    kill-run) expect_match "$(inbox)" 'Error: its process has ended: ended by signal 9 \(KILL\)' ;;
    kill-all) expect_match "$(inbox)" 'Error: its process has ended: lost' ;;
    cancel) expect_match "$(inbox)" 'Error: canceled' ;;
    failures) expect_match "$(inbox)" 'Error: failed: ' ;;
    esac
    wait_for 5 eval '! pgrep -f "chorus-run .*$child"' || pkill -9 -f "chorus-run .*$child"
    afresh
done

test_case "what it asks waits for a person; its agent goes on, and gets the answer afterwards" # P-12
parent_with "$(spawn_aside c1 '/view src/a')" "$(say Begun.)" "$(say 'Later.')" "$(say 'Got it.')"
preset helper 'confirm-tool-calls: true'
run chorus-run a go
expect_status 0
expect_equal "$out" Begun.
wait_for 10 has_ended 1 || fail 'the task runs on'
expect_equal "$(inbox)" ''
id=$(chorus-tasks pending a | cut -f1)
expect_match "$id" .
run chorus-run a 'something else'
expect_status 0
expect_equal "$out" 'Later.'
run chorus-run a --approve all
expect_status 4
expect_match "$err" "hint: chorus-run a --approve $id, or --deny $id\$"
run chorus-run a --approve "$id"
expect_status 0
expect_match "$out" 'text of src/a'
expect_match "$(inbox)" 'waits agent helper.*text of src/a'
run chorus-run a --inbox
expect_status 0
expect_equal "$out" 'Got it.'
expect_sound

test_case "a killed call starts it once" # P-39
for when in 1 2 3 4 5 6 8 10 12; do
    parent_with "$(spawn_aside c1 'An answer.')" "$(say Begun.)" "$(say Begun.)"
    preset helper
    strace -f -o /dev/null -e trace=fdatasync -e "inject=fdatasync:signal=KILL:when=$when" chorus-run a go >/dev/null 2>&1
    killed=$?
    run chorus-run a --resume
    [ $killed = 137 ] || { expect_db 'SELECT count(*) FROM tasks' 1; afresh; continue; }
    wait_for 10 in_db 'SELECT count(*) FROM tasks WHERE ended_at IS NULL' 0
    [ "$(children)" -le 1 ] || fail "kill at $when: $(children) sub-agents"
    expect_db 'SELECT count(*) <= 1 FROM inbox WHERE agent_id = 1' 1
    expect_db "SELECT count(*) <= 1 FROM messages WHERE role = 'user' AND agent_id = 2" 1
    afresh
done

test_case "what a sub-agent has begun in the background goes on after its turn"
for wait in true false; do
    begun='/bash {"command": "until [ -e go ]; do sleep 0.05; done; touch out/ended", "background": true}'
    parent_with "$(spawn_call c1 "$begun" "{\"wait\": $wait}")" "$(say Begun.)"
    preset helper 'paths:
  write: ["out/**"]'
    mkdir -p "$work/out"
    run chorus-run a go
    expect_status 0
    wait_for 10 in_db "SELECT count(*) FROM turns WHERE agent_id = 2 AND state = 'idle'" 1
    touch "$work/go"
    wait_for 10 test -e "$work/out/ended" || fail "wait $wait: $(db 'SELECT status, note FROM tasks WHERE agent_id = 2')"
    wait_for 10 in_db "SELECT status FROM tasks WHERE agent_id = 2" completed
    afresh
done

test_case "the supervisor is killed: the answer comes all the same"
parent_with "$(spawn_aside c1 "$until_go")" "$(say Begun.)" "$(say 'Got it.')"
preset helper
run chorus-run a go
wait_for 10 in_db "SELECT count(*) FROM turns WHERE agent_id = 2 AND pid > 0" 1
kill -9 "$(db 'SELECT pid FROM tasks')"
run chorus-run a --inbox
expect_equal "$out" ''
expect_equal "$(inbox)" ''
touch "$work/go"
wait_for 10 in_db "SELECT count(*) FROM inbox" 1
expect_match "$(inbox)" 'The answer'

test_case "the supervisor is killed, and its turn later: the agent is told all the same"
parent_with "$(spawn_aside c1 "$until_go")" "$(say Begun.)"
preset helper
run chorus-run a go
wait_for 10 in_db "SELECT count(*) FROM turns WHERE agent_id = 2 AND pid > 0" 1
kill -9 "$(db 'SELECT pid FROM tasks')"
wait_for 10 eval 'chorus-tasks list a >/dev/null; has_ended 1'
expect_db "SELECT count(*) FROM inbox" 0
victim=$(db 'SELECT pid FROM turns WHERE agent_id = 2')
kill -9 "$victim"
wait_for 10 eval '! kill -0 $victim 2>/dev/null'
run chorus-tasks list a
expect_match "$(inbox)" 'Error: its process has ended: lost'
run chorus-tasks list a
expect_db "SELECT count(*) FROM inbox" 1

test_case "--inbox finds a task that was lost"
parent_with "$(spawn_aside c1 "$until_go")" "$(say Begun.)" "$(say 'Got it.')"
preset helper
run chorus-run a go
wait_for 10 in_db "SELECT count(*) FROM turns WHERE agent_id = 2 AND pid > 0" 1
victims="$(db 'SELECT pid FROM tasks') $(db 'SELECT pid FROM turns WHERE agent_id = 2')"
kill -9 $victims
wait_for 10 eval '! kill -0 $victims 2>/dev/null'
run chorus-run a --inbox
expect_status 0
expect_equal "$out" 'Got it.'

test_case "chorus-tasks kill ends its turn, which says so"
parent_with "$(spawn_aside c1 '/bash sleep 60')" "$(say Begun.)"
preset helper
run chorus-run a go
wait_for 10 in_db "SELECT count(*) FROM tool_runs JOIN turns ON turns.id = turn_id WHERE agent_id = 2 AND intent_at IS NOT NULL" 1
pid=$(db 'SELECT pid FROM turns WHERE agent_id = 2')
run chorus-tasks kill a 1
expect_status 0
! kill -0 "$pid" 2>/dev/null || fail 'its process runs on'
expect_match "$(inbox)" 'Error: canceled'

test_case "nobody waits for it: rights and money are those of the agent all the same"
parent_with "$(spawn_aside c1 '/create_file x.txt y')" "$(say Begun.)"
preset helper
agent_key a permissions '{"base": "open", "deny": ["tool:create_file:[\\s\\S]*"]}'
run chorus-run a go
expect_status 0
wait_for 10 has_ended 1
expect_missing "$work/x.txt"
run chorus-context usage a --by agent --json
expect_equal "$(jq -rs 'map(.key) | join(" ")' <<<"$out")" "a $(of_child name) "

test_case "no process sees a key in another's environment"
parent_with "$(spawn_aside c1 "$until_go")" "$(say Begun.)"
preset helper
CHORUS_TEST_KEY=1 ANTHROPIC_API_KEY=sk-very-secret-0001 run chorus-run a go
expect_status 0
wait_for 10 in_db "SELECT count(*) FROM turns WHERE agent_id = 2 AND pid > 0" 1
for pid in $(db 'SELECT pid FROM tasks') $(db 'SELECT pid FROM turns WHERE agent_id = 2'); do
    [ -r "/proc/$pid/environ" ] || fail "no process $pid"
    ! grep -qa sk-very-secret-0001 "/proc/$pid/environ" || fail "$pid: $(tr '\0' ' ' <"/proc/$pid/cmdline")"
done
touch "$work/go"
wait_for 10 has_ended 1 || fail 'the task runs on'
! grep -rqa sk-very-secret-0001 "$CHORUS_HOME" || fail 'the key is in a file'

end_tests
