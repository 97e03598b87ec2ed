#!/usr/bin/env bash
# needs: time
# Background tasks: started by a turn or by hand, they outlive whoever started them and end with the truth.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
export CHORUS_SHUTDOWN_TIMEOUT_MS=1000

task() { db "SELECT status || ' ' || ifnull(exit_code, '-') || ' ' || ifnull(signal, '-') FROM tasks WHERE task_id = 'task_00$1'"; }
log() { printf '%s/agents/a/tasks/task_00%s/%s.log' "$CHORUS_HOME" "$1" "${2:-out}"; }
mirrored() { jq -c '[.running_tasks[] | .id + " " + .status]' "$CHORUS_HOME/agents/a/agent.json"; }
supervisor() { db "SELECT pid FROM tasks WHERE task_id = 'task_00$1'"; }
ended() { in_db "SELECT count(*) FROM tasks WHERE task_id = 'task_00$1' AND ended_at IS NOT NULL" 1; }
background() { call "$1" bash "$(jq -nc --arg command "$2" '{command: $command, background: true}')"; } # ID COMMAND

test_case "a turn starts one, looks at it, waits for it and goes on" # L-38
init a --model anthropic/m --permissions open
start_server "$(answers "$(background c1 'echo out; echo err >&2; until [ -e go ]; do sleep 0.02; done; exit 3')" \
    "$(call c2 task_output '{"task_id": "task_001"}' | jq -c '.delay_ms = 500')" "$(call c3 bash '{"command": "touch go"}')" \
    "$(call c4 task_wait '{"task_id": "1", "timeout": 20}')" "$(say 'It has failed.')")"
run chorus-run a 'build it'
expect_status 0
expect_equal "$out" 'It has failed.'
expect_equal "$(task 1)" 'failed 3 -'
results() { jq -r '[.messages[].content[] | select(.type == "tool_result")] | .[-1].content | if type == "array" then .[0].text else . end' "$1"; }
expect_match "$(results "$(request 2)")" '^task_001 started in the background at [0-9-]+T'
expect_match "$(results "$(request 3)")" '^task_001: running; started [^,]*Z
stdout:
out
stderr:
err'
expect_match "$(results "$(request 5)")" '^task_001: exit status 3; started .*, ended '
expect_file "$(log 1)" out
expect_file "$(log 1 err)" err
expect_equal "$(stat -c %a "$(log 1)")" 600
expect_db "SELECT tool || ' ' || action FROM tool_runs WHERE tool_call_id = 'c4'" 'task_wait tool:task:wait 1'
expect_db "SELECT group_concat(previous || '>' || next || ' ' || data) FROM events WHERE kind = 'task'" '>running task_001,running>failed task_001'
expect_sound

test_case "the next message says what runs and what has ended since, in the same words ever after" # C-03 L-37 X-40
init a --model anthropic/m --permissions open
start_server "$(answers "$(background c1 'exit 4')" "$(background c2 'sleep 60')" "$(call c3 task_wait '{"task_id": "task_001"}')" "$(say 'Started.')")"
run chorus-run a go
expect_status 0
run chorus-run a 'and now'
expect_status 0
last_user() { jq -r '[.messages[] | select(.role == "user")] | last.content | map(select(.type == "text").text) | join("\n")' "$1"; }
expect_match "$(last_user "$(request 5)")" '^<status>
Background tasks:
- task_001: exit status 4; exit 4
- task_002: running; sleep 60
</status>'
expect_equal "$(mirrored)" '["task_002 running"]'
run chorus-tasks kill a task_002
expect_status 0
expect_match "$err" '^chorus-tasks: notice: task_002: exit status 143$'
run chorus-run a 'and then'
expect_match "$(last_user "$(request 6)")" '- task_002: exit status 143; sleep 60'
expect_no_match "$(last_user "$(request 6)")" task_001
run chorus-run a 'nothing new'
expect_no_match "$(last_user "$(request 7)")" '<status>'
expect_equal "$(jq -c '.messages[:5]' "$(request 6)")" "$(jq -c '.messages[:5]' "$(request 7)")"
expect_equal "$(mirrored)" '[]'

test_case "by hand: words as they were typed, or one for the shell; its output, its status" # L-38
init a --model builtin/script --permissions locked
run chorus-tasks run a -- printf '%s|' 'a b' "it's" '$HOME' '' 'x;y'
expect_status 0
expect_equal "$out" task_001
run chorus-tasks wait a 1
expect_status 0
expect_file "$(log 1)" "a b|it's|\$HOME||x;y|"
run chorus-tasks run a --json -- 'echo $((6 * 7)); pwd; exit 7'
expect_json '"\(.id) \(.status) \(.command)"' 'task_002 running echo $((6 * 7)); pwd; exit 7'
run chorus-tasks wait a task_002
expect_status 7
expect_equal "$err" 'chorus-tasks: notice: task_002: exit status 7'
run chorus-tasks log a 2
expect_equal "$out" "42
$CHORUS_HOME/agents/a/workspace"
run chorus-tasks run a -- 'kill -SEGV $$'
run chorus-tasks wait a 3
expect_status 139
expect_equal "$(task 3)" 'failed 139 -' # as bwrap tells it
agent_key a sandbox '"off"'
run chorus-tasks run a -- 'kill -SEGV $$'
run chorus-tasks wait a 4
expect_status 139
expect_equal "$(task 4)" 'failed - 11'
run chorus-tasks wait a 1 2 3
expect_status 7
expect_db "SELECT DISTINCT action_string || ' ' || decision || ' ' || detail FROM audit_log WHERE action_string GLOB 'tool:bash:kill*'" 'tool:bash:kill -SEGV $$ allow chorus-tasks run'
run chorus-tasks run a -- 'sleep 60'
run chorus-tasks wait a 5 --timeout 100ms
expect_status 124
run chorus-tasks kill a all
expect_status 0
run chorus-tasks kill a all
expect_status 0
expect_equal "$err" 'chorus-tasks: notice: no task is running'

test_case "log -f shows what comes, through truncation and rotation, and ends with the task"
init a --model builtin/script
run chorus-tasks run a -- 'for i in 1 2 3 4; do echo line $i; until [ -e go$i ]; do sleep 0.02; done; done; echo last; echo bad >&2'
chorus-tasks log a 1 -f >"$scratch/followed" 2>"$scratch/followed.err" </dev/null &
follower=$!
work=$CHORUS_HOME/agents/a/workspace
wait_for 10 grep -q 'line 1' "$scratch/followed" || fail 'nothing came'
touch "$work/go1"
wait_for 10 grep -q 'line 2' "$scratch/followed" || fail 'no second line'
: >"$(log 1)" # as logrotate's copytruncate
touch "$work/go2"
wait_for 10 grep -q 'line 3' "$scratch/followed" || fail 'nothing after the truncation'
mv "$(log 1)" "$(log 1).1"
echo 'another file' >"$(log 1)"
wait_for 10 grep -q 'another file' "$scratch/followed" || fail 'nothing after the rotation'
touch "$work/go3" "$work/go4"
wait $follower
expect_equal "$?" 0
run chorus-tasks log a 1 --stderr
expect_equal "$out" bad
rm "$(log 1)"
run chorus-tasks log a 1
expect_status 4
expect_match "$err" 'the output of task_001 is gone'

test_case "what is asked to end does: politely, else at once; stopped ones, deaf ones and their children"
init a --model builtin/script
agent_key a sandbox '"off"'
canary=canary$RANDOM$RANDOM
for command in 'trap "echo bye; exit 5" TERM; sleep 600 & wait' 'trap "" TERM; sleep 600' 'kill -STOP $$' \
    "setsid bash -c 'exec -a $canary sleep 600' & setsid bash -c 'trap \"\" TERM; exec -a $canary sleep 600' & sleep 600" \
    'exec >&- 2>&-; sleep 600'; do
    run chorus-tasks run a -- "$command"
    expect_status 0
done
wait_for 10 running "$canary" || fail 'no children'
sleep 0.3
run chorus-tasks kill a all
expect_status 0
expect_equal "$(for i in 1 2 3 4 5; do task $i; done | tr '\n' ',')" 'killed 5 -,killed - 9,killed - 15,killed - 15,killed - 15,'
expect_file "$(log 1)" bye
running "$canary" && fail 'a child lives on'
expect_equal "$(mirrored)" '[]'

test_case "what is asked to end while its sandbox is made is asked when it is there"
init a --model builtin/script --permissions sandboxed
export CHORUS_SHUTDOWN_TIMEOUT_MS=20000
for i in {1..12}; do
    # no `wait`: bash forgets a signal that comes between its look for one and its waitpid
    run chorus-tasks run a -- 'trap "exit 3" TERM; while :; do sleep 0.1; done'
    sleep 0.0$((i % 4 * 2))
    started=$(date +%s)
    run chorus-tasks kill a "$out"
    [ $(($(date +%s) - started)) -lt 10 ] || fail "try $i: it was killed, not asked"
done
expect_db "SELECT count(*) FROM tasks WHERE signal = 9" 0
export CHORUS_SHUTDOWN_TIMEOUT_MS=1000

test_case "a supervisor that is killed: lost, nothing of the command lives on, nothing is waited for"
for mode in off workspace; do
    rm -rf "$CHORUS_HOME"
    init a --model builtin/script
    agent_key a sandbox "\"$mode\""
    canary=canary$RANDOM$RANDOM
    run chorus-tasks run a --on-exit 'look at it' -- "bash -c 'trap \"\" TERM HUP; exec -a $canary sleep 600' & sleep 600"
    wait_for 10 running "$canary" || fail 'it does not run'
    kill -9 "$(supervisor 1)"
    run chorus-tasks wait a 1
    expect_status 1
    expect_match "$err" 'task_001: lost; its end is unknown: its supervisor is gone'
    running "$canary" && fail "$mode: the command lives on"
    expect_equal "$(task 1)" 'lost - -'
    expect_db "SELECT source || ' ' || (content GLOB 'look at it*lost*') FROM inbox" 'task task_001 1'
    run chorus-tasks kill a 1
    expect_status 0
    expect_equal "$(task 1)" 'lost - -'
done

test_case "a supervisor that is stopped is ended too"
init a --model builtin/script
canary=canary$RANDOM$RANDOM
run chorus-tasks run a -- "exec -a $canary sleep 600"
wait_for 10 running "$canary" || fail 'it does not run'
kill -STOP "$(supervisor 1)"
run chorus-tasks kill a 1
expect_status 0
expect_match "$(task 1)" '^killed'
running "$canary" && fail 'it lives on'

test_case "another boot: what ran then is lost, and whoever has its pid now is left alone"
init a --model builtin/script
sleep 600 &
stranger=$!
start=$(cut -d' ' -f22 "/proc/$stranger/stat")
db "INSERT INTO tasks (agent_id, task_id, command, cwd, pid, pid_start, boot_id, started_at, status)
    VALUES (1, 'task_001', 'x', '/', $stranger, $start, 'an earlier one', 1, 'running')"
run chorus-tasks kill a 1
expect_status 0
expect_equal "$(task 1)" 'lost - -'
kill -0 $stranger || fail 'the stranger was killed'
kill $stranger

test_case "the turn, its terminal and its shell are gone: the task goes on and ends with its status" # L-38
init a --model anthropic/m --permissions open
start_server "$(answers "$(background c1 'until [ -e go ]; do sleep 0.02; done; exit 6')" "$(call c2 bash '{"command": "touch began; sleep 600"}')")"
script -qc "bash -c 'chorus-run a go'" /dev/null >/dev/null 2>&1 </dev/null &
terminal=$!
wait_for 20 test -e "$CHORUS_HOME/agents/a/workspace/began" || fail 'the turn did not begin'
turn=$(db 'SELECT pid FROM turns')
kill -9 "$(ps -o ppid= -p "$turn")" "$turn" $terminal 2>/dev/null
wait $terminal 2>/dev/null
expect_equal "$(mirrored)" '["task_001 running"]'
touch "$CHORUS_HOME/agents/a/workspace/go"
run chorus-tasks wait a 1
expect_status 6
start_server "$(answers "$(say 'I see.')")"
run chorus-run a 'how did it go'
expect_status 0
expect_match "$(last_user "$(request 1)")" '- task_001: exit status 6'
expect_equal "$(mirrored)" '[]'
expect_sound

test_case "killed around the start of one: it is started once, and the model is told that it was"
told=0
for k in {2..12}; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m --permissions open
    # it runs while agent.json is made to say so, which is between its start and the call's result
    start_server "$(answers "$(background c1 'echo once >> count; sleep 1')" "$(say done)")"
    { strace -qq -o /dev/null -e trace=fdatasync -e inject=fdatasync:signal=KILL:when=$k chorus-run a go >/dev/null 2>&1 </dev/null; } 2>/dev/null
    run chorus-run a --resume
    expect_status 0
    expect_equal "$(open_calls | tr '\n' ' ')" '0 0 '
    answer=$(results "$(request 2)" 2>/dev/null)
    if [[ $answer =~ ^unknown ]]; then
        expect_db 'SELECT count(*) FROM tasks' 0
        continue
    fi
    [[ $answer =~ 'task_001 was started in the background' ]] && told=$((told + 1))
    run chorus-tasks wait a 1
    expect_file "$CHORUS_HOME/agents/a/workspace/count" once
    expect_db 'SELECT count(*) FROM tasks' 1
done
[ $told -gt 0 ] || fail 'no kill came between the start and its result'

test_case "--on-exit is a message, --run a turn with it: by the actor, on the thread it came from"
init a --model anthropic/m --permissions open
start_server "$(answers "$(say Heard.)")"
run chorus-tasks run a --on-exit 'The build has ended.' --actor ann -- 'exit 2'
run chorus-tasks wait a 1
expect_status 2
expect_db "SELECT source || '|' || actor || '|' || content FROM inbox" "task task_001|uid $(id -u) (ann)|The build has ended.

[task_001 ended: exit status 2. Its command: exit 2]"
expect_equal "$(request_count)" 0
run chorus-tasks run a --on-exit 'And the tests.' --run -- true
wait_for 20 in_db "SELECT count(*) FROM turns WHERE state = 'idle'" 1 || fail 'no turn came'
expect_match "$(last_user "$(request 1)")" 'The build has ended.*And the tests'
expect_db "SELECT count(*) FROM inbox WHERE delivered_turn IS NULL" 0
expect_sound
run chorus-tasks run a --run -- true
expect_status 2
expect_match "$err" 'error: --run: needs the message of --on-exit'

test_case "a turn that a task begins is one of its own: what a person, a signal or an error ended does not go on"
for ending in TERM INT cancel KILL error; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m --permissions open
    home_key max_retries 0
    start_server "$(answers "$(background c1 'until [ -e go ]; do sleep 0.05; done' | jq -c '.say.tool_calls[0].arguments += {on_exit: "The task is over."}')" \
        "$(jq -nc '{say: {tool_calls: [{id: "b", name: "bash", arguments: {command: "touch began; sleep 20"}}, {id: "w", name: "create_file", arguments: {path: "stopped", content: "x"}}]}}' |
            if [ $ending = error ]; then echo '{"status": 500}'; else cat; fi)" "$(say 'A turn of its own.')")"
    CHORUS_DRAIN_TIMEOUT_MS=0 chorus-run a go >/dev/null 2>&1 </dev/null &
    pid=$!
    case $ending in
        error) ;;
        *) wait_for 10 test -e "$CHORUS_HOME/agents/a/workspace/began" || fail 'no command' ;;
    esac
    case $ending in
        error) ;;
        cancel) run chorus-tasks cancel a ;;
        *) kill -$ending $pid ;;
    esac
    wait $pid 2>/dev/null
    touch "$CHORUS_HOME/agents/a/workspace/go"
    wait_for 20 in_db "SELECT count(*) FROM turns WHERE turn_number = 2 AND state = 'idle'" 1 || fail "$ending: no turn of its own"
    expect_missing "$CHORUS_HOME/agents/a/workspace/stopped"
    expect_db 'SELECT attempt FROM turns WHERE turn_number = 1' 1
    expect_db "SELECT count(*) FROM messages WHERE turn_id = 2 AND content LIKE 'The task is over.%'" 1
    case $ending in error) ;; *) expect_db "SELECT outcome FROM tool_runs WHERE tool_call_id = 'w'" interrupted ;; esac
    expect_sound
done

said_to() { db "SELECT group_concat(substr(content, 1, instr(content || char(10), char(10)) - 1), '|') FROM messages WHERE turn_id = $1 AND role = 'user'"; } # TURN: the first lines
idle() { wait_for 20 in_db "SELECT group_concat(turn_number || state) FROM turns" "$1" || fail "the turns are not $1: $(db 'SELECT turn_number, state FROM turns' | tr '\n' ' ')"; }
test_case "what a task begins is a turn of its own with its message: a turn at work does not take it"
init a --model builtin/script --permissions sandboxed
chorus-run a '/bash touch began; until [ -e go ]; do sleep 0.05; done' >"$scratch/first" 2>/dev/null </dev/null &
pid=$!
wait_for 20 test -e "$CHORUS_HOME/agents/a/workspace/began"
for number in 1 2; do run chorus-tasks run a --on-exit "/bash touch told$number" --run -- true; done
run chorus-tasks run a --on-exit "/bash touch joined" -- true
for number in 1 2 3; do run chorus-tasks wait a $number; done
touch "$CHORUS_HOME/agents/a/workspace/go"
wait $pid
expect_equal $? 0
idle 1idle,2idle,3idle
expect_match "$(said_to 1)" '^/bash touch began[^|]*\|/bash touch joined$'
expect_equal "$(said_to 2)" '/bash touch told1'
expect_equal "$(said_to 3)" '/bash touch told2'
for file in told1 told2 joined; do
    [ -e "$CHORUS_HOME/agents/a/workspace/$file" ] || fail "nobody ran what the message says: $file"
done
expect_sound

test_case "what a task begins is a turn of its own with its message: a resumed turn and one of a person do not take it"
init a --model builtin/script --permissions standard
run chorus-run a '/bash make it'
expect_status 10
run chorus-tasks run a --on-exit '/create_file {"path": "told", "content": "x"}' --run -- true
run chorus-tasks wait a 1
run chorus-run a --approve all
idle 1idle,2idle
expect_equal "$(said_to 1)" '/bash make it'
expect_match "$(said_to 2)" '^/create_file'
[ -e "$CHORUS_HOME/agents/a/workspace/told" ] || fail 'nobody ran what the message says'
run chorus-run a '/bash make it'
expect_status 10
run chorus-tasks run a --on-exit '/create_file {"path": "told2", "content": "x"}' --run -- true
run chorus-tasks wait a 2
run chorus-run a 'and this' --cancel-prompts
idle 1idle,2idle,3exited,4idle,5idle
expect_equal "$(said_to 4)" 'and this'
expect_match "$(said_to 5)" '^/create_file'
[ -e "$CHORUS_HOME/agents/a/workspace/told2" ] || fail 'nobody ran what the message says'
expect_db 'SELECT count(*) FROM inbox WHERE delivered_turn IS NULL' 0
expect_sound

test_case "who is asked about one sees that it stays, and what comes after it"
init a --model anthropic/m --permissions standard
start_server "$(answers "$(call c1 bash '{"command": "make", "background": true, "on_exit": "go on"}')" "$(say Started.)")"
run chorus-run a 'begin'
expect_status 10
expect_match "$err" 'waits: [a-z0-9]+: tool:bash:make \[in the background; when it ends, starts a turn with: go on\]'
run chorus-tasks pending
expect_match "$out" 'tool:bash:make \[in the background; when'
expect_db 'SELECT action FROM prompts' 'tool:bash:make'

test_case "a chain of turns that tasks begin ends after three"
init a --model anthropic/m --permissions open
goes_on_after() { call c1 bash '{"command": "until [ -e go'"$1"' ]; do sleep 0.05; done", "background": true, "on_exit": "go on"}'; }
start_server "$(answers "$(goes_on_after 1)" "$(say 1)" "$(goes_on_after 2)" "$(say 2)" "$(goes_on_after 3)" "$(say 3)" \
    "$(goes_on_after 4)" "$(say 'That is all.')")"
run chorus-run a 'begin'
for turns in 1 2 3; do
    wait_for 30 in_db "SELECT count(*) FROM turns WHERE state = 'idle'" $turns || fail "not $turns turns"
    touch "$CHORUS_HOME/agents/a/workspace/go$turns"
done
wait_for 30 in_db "SELECT count(*) FROM turns WHERE state = 'idle'" 4 || fail 'not four turns'
expect_match "$(results "$(request 8)")" 'this task may not start a turn'
expect_db "SELECT group_concat(depth) FROM tasks" 1,2,3
sleep 0.5
expect_db "SELECT count(*) FROM turns" 4

test_case "a turn that a task begins may do no more than the one that started it"
init a --model anthropic/m --permissions open
chorus-config set permissions locked --agent a >/dev/null 2>&1 || fail 'chorus-config'
agent_key a permissions '{"base": "standard", "allow": ["tool:bash:[\\s\\S]*"]}'
start_server "$(answers "$(call c1 bash '{"command": "until [ -e go ]; do sleep 0.02; done", "background": true, "on_exit": "touch it"}')" "$(say Started.)" \
    "$(call c2 git_branch '{"name": "x"}')" "$(call c3 self_edit_docs '{"path": "x.md", "content": "x"}')" "$(say Ended.)")"
run chorus-run a 'begin'
expect_status 0
agent_key a permissions '"open"'
touch "$CHORUS_HOME/agents/a/workspace/go"
wait_for 20 in_db "SELECT count(*) FROM turns WHERE turn_number = 2 AND state IN ('idle', 'prompt')" 1 || fail 'no second turn'
expect_db "SELECT action_string || ' ' || decision FROM audit_log WHERE turn_id = 2 AND action_string LIKE 'tool:self_edit:docs%'" ''
expect_db "SELECT action FROM prompts WHERE turn_id = 2" 'tool:self_edit:docs:x.md'

test_case "no more than sixteen at once"
init a --model builtin/script
for ((i = 1; i <= 16; i++)); do chorus-tasks run a -- 'until [ -e go ]; do sleep 0.1; done' >/dev/null || fail "task $i"; done
run chorus-tasks run a -- true
expect_status 9
expect_match "$err" 'error: 16 tasks are running'
touch "$CHORUS_HOME/agents/a/workspace/go"
run chorus-tasks wait a {1..16}
expect_status 0
run chorus-tasks run a -- true
expect_equal "$out" task_017

test_case "what cannot be started says why, and leaves nothing that runs"
init a --model builtin/script
rm -rf "$CHORUS_HOME/agents/a/workspace"
run chorus-tasks run a -- true
expect_status 1
expect_match "$err" '^chorus-tasks: error: .*/workspace: no such directory'
expect_db 'SELECT count(*) FROM tasks' 0
mkdir "$CHORUS_HOME/agents/a/workspace"
run env CHORUS_AGENT=a chorus-tasks run a -- true
expect_status 6
run chorus-tasks run a -- ''
expect_status 2
run chorus-tasks run nobody -- true
expect_status 4
run chorus-tasks run a -- true
run chorus-tasks log a 7
expect_status 4
expect_match "$err" "error: no task '7'.*hint: there are task_001"
run chorus-tasks wait a -- '../1'
expect_status 4

test_case "sixty-four MiB of a log are kept, and the command is not held up" # L-38
init a --model builtin/script
run chorus-tasks run a -- 'head -c 80M /dev/zero; echo all written >&2'
run chorus-tasks wait a 1
expect_status 0
expect_match "$err" 'output after 64 MiB was dropped'
size=$(stat -c %s "$(log 1)")
[ "$size" -gt $((64 << 20)) ] && [ "$size" -lt $(((64 << 20) + 200)) ] || fail "the log has $size bytes"
expect_equal "$(tail -c 60 "$(log 1)" | tr -d '\0')" "
[chorus: output after 64 MiB was dropped]"
expect_file "$(log 1 err)" 'all written'

test_case "a task is confined as bash is: no key, no home, no network"
init a --model builtin/script
ANTHROPIC_API_KEY=sk-ant-canary-0123456789 run chorus-tasks run a -- 'env; cat ../agent.json; ls ~; cat /proc/*/environ | tr "\0" "\n"; touch /etc/x; : </dev/tcp/127.0.0.1/22'
run chorus-tasks wait a 1
expect_no_match "$(cat "$(log 1)" "$(log 1 err)")" 'sk-ant-canary|system_prompt'
expect_match "$(cat "$(log 1 err)")" 'agent.json: No such file'
pid=$(supervisor 1)
run chorus-tasks run a -- 'sleep 5'
expect_equal "$(tr '\0' '\n' <"/proc/$(supervisor 2)/environ" | grep -c sk-ant)" 0
ANTHROPIC_API_KEY=sk-ant-canary-0123456789 run chorus-tasks run a --on-exit hello --run -- 'sleep 5'
expect_equal "$(tr '\0' '\n' <"/proc/$(supervisor 3)/environ" | grep -c sk-ant)" 0
run chorus-tasks kill a all

test_case "a home whose path is not UTF-8"
export CHORUS_HOME=$scratch/$'n\xe9'
init a --model builtin/script
run chorus-tasks run a -- 'echo done'
expect_status 0
run chorus-tasks wait a 1
expect_status 0
expect_file "$(log 1)" done
end_tests
