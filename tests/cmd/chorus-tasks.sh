#!/usr/bin/env bash
# What chorus-tasks shows: agents, tasks, threads, turns and events, for programs and for people; and the
# end of a turn from another process.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/terminal.sh"

tab=$'\t'
fixed=1770000000000                   # 2026-02-02T02:40:00.000Z
now=$fixed
at() { echo $((now - $1 * 1000)); }   # SECONDS ago
task() { # AGENT-ID VALUES: a row, as its supervisor leaves it
    db "INSERT INTO tasks (agent_id, task_id, status, command, cwd, pid, pid_start, boot_id, started_at, ended_at, exit_code, signal, note)
        VALUES ($1, $2)"
}
# hold AGENT-ID N…: tasks whose supervisor lives: their locks are held until release
hold() {
    local file=$CHORUS_HOME/locks/agent-$1-tasks
    shift
    perl -MFcntl -e 'open my $file, "+>>", shift or die;
        for (@ARGV) { fcntl $file, F_SETLK, pack("s s x4 q q i x4", F_WRLCK, 0, $_, 1, 0) or die }
        open my $held, ">", "held"; sleep 600' "$file" "$@" &
    holder=$!
    wait_for 10 test -e held || fail 'no lock'
}
release() { kill "$holder" && wait "$holder" 2>/dev/null; rm -f held; }
shown_tasks() { # the tasks that the manual shows
    task 1 "'task_001', 'running', 'npm run build', '/w', 12345, 1, 'b', $(at 300), NULL, NULL, NULL, ''"
    task 1 "'task_002', 'failed', 'make', '/w', 12346, 1, 'b', $(at 3000), $(at 1300), 2, NULL, ''"
    task 1 "'task_003', 'completed', 'npm test', '/w', 12347, 1, 'b', $(at 90), $(at 30), 0, NULL, ''"
}
at_terminal() { # COLUMNS COMMAND
    on_terminal "stty cols $1 rows 24; CHORUS_NOW_MS=$now $2"
}
widest() { tr -d '\r' <"$scratch/screen" | wc -L; } # in columns
sleeping() { # SECONDS: an answer that is a command; it is begun once `began` is there
    call c1 bash "{\"command\": \"touch began; sleep $1\"}"
}
began() { wait_for 20 test -e "$CHORUS_HOME/agents/a/workspace/began" || fail 'it did not begin'; }

# --- without a verb ---

test_case "all agents, a line each; none: nothing, and exit 0" # X-29
init a --model builtin/script
run chorus-tasks
expect_status 0
expect_match "$out" "^a${tab}idle${tab}builtin/script${tab}1${tab}0${tab}0${tab}[0-9TZ:.-]+\$"
init b --model builtin/script
run chorus-tasks --json
expect_equal "$(jq -r '[.agent, .lifecycle, .turn_state, .model, .threads, .tasks, .pending] | @csv' <<<"$out")" \
    '"a","active","idle","builtin/script",1,0,0
"b","active","idle","builtin/script",1,0,0'
at_terminal 80 chorus-tasks
expect_match "$out" 'NAME +STATE +MODEL +THREADS +TASKS +PENDING +LAST ACTIVITY'
db "UPDATE agents SET status = 'destroyed'"
run chorus-tasks
expect_status 0
expect_equal "$out$err" ''
at_terminal 80 chorus-tasks
expect_match "$out" "There are no agents; 'chorus-init NAME' makes one."

test_case "no home, options in front of a verb, and what is no verb"
run chorus-tasks
expect_status 4
expect_match "$err" 'hint: create the first agent with chorus-init NAME'
init a --model builtin/script
for wrong in '--json list a' '-f status a' 'a' 'lst a' 'list' 'list a b' 'status -t 1 a'; do
    run chorus-tasks $wrong
    expect_status 2
    expect_match "$err" '^chorus-tasks: error: usage: '
done

# --- list ---

# L-39
test_case "list: what runs and what has ended, as the manual shows it"
init frontend-agent --model builtin/script
shown_tasks
hold 1 1
at_terminal 80 'chorus-tasks list frontend-agent'
expect_equal "$out" 'Running tasks for frontend-agent:
  [task_001] npm run build       running   (started 5 min ago, PID 12345)
Recently completed:
  [task_003] npm test            completed (exit 0, 30 sec ago)'
at_terminal 80 'chorus-tasks list frontend-agent --all'
expect_equal "$out" 'Running tasks for frontend-agent:
  [task_001] npm run build       running   (started 5 min ago, PID 12345)
Completed:
  [task_002] make                failed    (exit 2, 21 min ago)
  [task_003] npm test            completed (exit 0, 30 sec ago)'
export CHORUS_NOW_MS=$now
run chorus-tasks list frontend-agent
expect_status 0
expect_equal "$out" "task_001${tab}running${tab}2026-02-02T02:35:00.000Z${tab}-${tab}12345${tab}-${tab}npm run build
task_003${tab}completed${tab}2026-02-02T02:38:30.000Z${tab}2026-02-02T02:39:30.000Z${tab}12347${tab}exit 0${tab}npm test"
run chorus-tasks list frontend-agent --json
expect_equal "$(jq -r '[.id, .status, .command, .started_at, .ended_at, .pid, .exit_code, .signal] | @csv' <<<"$out")" \
    '"task_001","running","npm run build","2026-02-02T02:35:00.000Z",,12345,,
"task_003","completed","npm test","2026-02-02T02:38:30.000Z","2026-02-02T02:39:30.000Z",12347,0,'
# the mirror in agent.json
expect_equal "$(jq -c '[.running_tasks[].id]' "$CHORUS_HOME/agents/frontend-agent/agent.json")" '["task_001"]'
unset CHORUS_NOW_MS
release

test_case "list: every end, and a supervisor that is gone"
init a --model builtin/script
task 1 "'task_001', 'running', 'x', '/w', 7, 1, 'b', $(at 300), NULL, NULL, NULL, ''"
task 1 "'task_002', 'killed', 'y', '/w', 7, 1, 'b', $(at 300), $(at 90), NULL, 15, ''"
task 1 "'task_003', 'failed', 'z', '/w', 7, 1, 'b', $(at 300), $(at 90), 3, NULL, 'its output was cut'"
at_terminal 120 'chorus-tasks list a'
expect_match "$out" 'task_001] x +lost +\(0 sec ago; '
expect_match "$out" 'task_002] y +killed +\(signal 15 \(TERM\), 90 sec ago\)'
expect_match "$out" 'task_003] z +failed +\(exit 3, 90 sec ago; its output was cut\)'
expect_no_match "$out" 'Running tasks'
expect_db "SELECT status FROM tasks WHERE task_id = 'task_001'" lost

test_case "list: none, and unknown agents"
init a --model builtin/script
run chorus-tasks list a
expect_status 0
expect_equal "$out$err" ''
run chorus-tasks list a --json
expect_equal "$out" ''
at_terminal 80 'chorus-tasks list a'
expect_equal "$out" 'No tasks for a: none is running, none ended in the last 10 min (see --all).'
for verb in list status threads steps events ready cancel; do
    for name in nobody -rf .. a/b; do
        run chorus-tasks "$verb" -- "$name"
        expect_status 4
        expect_match "$err" "^chorus-tasks: error: agent '$name': no such agent
chorus-tasks: hint: there are 'a'\$"
    done
done

test_case "nothing wraps and nothing plays tricks: long commands, wide characters, control characters"
init a --model builtin/script
long=$(printf 'word%d ' {1..80})
task 1 "'task_001', 'completed', 'echo $long', '/w', 7, 1, 'b', $(at 60), $(at 30), 0, NULL, ''"
task 1 "'task_002', 'completed', 'printf ' || char(27) || '[2J' || char(10) || 'two' || char(9) || 'x', '/w', 7, 1, 'b', $(at 60), $(at 30), 0, NULL, ''"
task 1 "'task_003', 'completed', '日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語日本語', '/w', 7, 1, 'b', $(at 60), $(at 30), 0, NULL, ''"
for columns in 40 80 200; do
    for what in 'list a' 'status a' 'threads a' 'events a' ''; do
        at_terminal $columns "chorus-tasks $what"
        expect_status 0
        [ "$(widest)" -le $columns ] || fail "'$what' is $(widest) wide at $columns"
        expect_no_match "$out" $'\x1b'
    done
done
at_terminal 80 'chorus-tasks list a'
expect_match "$out" 'task_001\] echo word1 word2 word3 .*…  completed \(exit 0, 30 sec ago\)'
expect_match "$out" 'task_002\] printf .x1b\[2J.ntwo.tx'
expect_match "$out" 'task_003\] (日本語)+日?本?…'
export CHORUS_NOW_MS=$now
run chorus-tasks list a
expect_equal "$(head -1 <<<"$out" | cut -f7)" "echo ${long}"
expect_equal "$(sed -n 2p <<<"$out" | cut -f7)" 'printf \x1b[2J\ntwo\tx'
run chorus-tasks list a --json
expect_equal "$(jq -r 'select(.id == "task_002").command' <<<"$out")" $'printf \x1b[2J\ntwo\tx'
unset CHORUS_NOW_MS

# --- status ---

# L-40, L-53, L-60
test_case "status: every field" # A-29 A-30 A-50 X-22
init a --model builtin/script --permissions sandboxed --description 'builds the site'
run chorus-run a hello
chorus-context save a 'Initial project setup' >"$scratch/out" 2>&1 || fail 'no session'
echo x >"$CHORUS_HOME/agents/a/workspace/new.txt"
now=$(db 'SELECT last_activity + 300000 FROM agents')
task 1 "'task_001', 'running', 'npm run build', '/w', 12345, 1, 'b', $(at 300), NULL, NULL, NULL, ''"
task 1 "'task_003', 'completed', 'npm test', '/w', 12347, 1, 'b', $(at 90), $(at 30), 0, NULL, ''"
hold 1 1
at_terminal 80 'chorus-tasks status a'
expect_match "$out" '^Agent: a
Description: builds the site
Model: builtin/script
Permissions: sandboxed
Status: active
Session: active \([0-9]+ messages, idle 5 min, 25 min left\)
Turn: idle \(5 min ago\)
Workspace: branch main, 1 uncommitted
Running tasks:
  \[task_001\] npm run build \(running, 5 min\)
Recently completed:
  \[task_003\] npm test \(completed, exit 0, 30 sec ago\)
Last session saved: 20[0-9-]+ [0-9:]+ - Initial project setup$'
export CHORUS_NOW_MS=$now
run chorus-tasks status a --json
expect_status 0
expect_equal "$(jq -c '[.agent, .lifecycle, .turn_state, .context.state, .context.messages > 0, .last_turn.turn_state, .last_turn.state, .model,
    .permissions, (.threads | length), .running_tasks[0].id, .recent_tasks[0].id, .pending, (.workspace | del(.directory)), .last_session.description, .problems]' <<<"$out")" \
    '["a","active","idle","active",true,"idle","completed","builtin/script","sandboxed",1,"task_001","task_003",[],{"branch":"main","uncommitted":1,"problem":null},"Initial project setup",[]]'
ended=$(db "SELECT strftime('%Y-%m-%dT%H:%M:%S', ended_at / 1000, 'unixepoch') || printf('.%03dZ', ended_at % 1000) FROM turns")
expect_equal "$(jq -c '[.turns, .last_activity_at]' <<<"$out")" "[1,\"$ended\"]"
expect_equal "$(jq '(.context.idle_save_at | sub("\\..*"; "Z") | fromdate) - (.context.idle_since_at | sub("\\..*"; "Z") | fromdate)' <<<"$out")" 1800
run chorus-tasks status a
for key in agent lifecycle model permissions state context idle workspace thread task session; do
    expect_equal "$(cut -f1 <<<"$out" | grep -cx "$key")" "$([ $key = task ] && echo 2 || echo 1)"
done
unset CHORUS_NOW_MS
now=$fixed
release
run chorus-run a again
run chorus-tasks status a --json
expect_json .turns 2
# what a person writes into agent.json holds, and the row follows with the next turn
agent_key a permissions '"locked"'
agent_key a model '"builtin/other"'
run chorus-tasks status a --json
expect_json '.model + " " + .permissions' 'builtin/other locked'
agent_key a model '"builtin/script"'
run chorus-run a 'and again'
expect_db 'SELECT permissions FROM agents' locked

# L-51, L-52, L-54, S-07, S-09, S-10, S-12, S-13: a state and what goes with it
test_case "status: exit 0 for every known agent, whatever its state and what is left of it" # A-31 A-28 S-59 X-31
init a --model builtin/script
run chorus-tasks status a --json
expect_json '.turn_state + " " + .context.state + " " + (.last_turn | tostring)' 'idle idle null'
run chorus-run a hello
run chorus-tasks status a --json
expect_json '.turn_state + " " + .last_turn.turn_state + " " + .last_turn.state' 'idle idle completed'
db "UPDATE turns SET state = 'error', error_category = 'no_internet', error_detail = 'model m: no answer', exit_code = 7"
run chorus-tasks status a --json
expect_json '.turn_state + ": " + .last_turn.error.category + ", " + .last_turn.error.message' 'error: no_internet, model m: no answer'
db "UPDATE turns SET state = 'parked', reason = 'all_profiles_rate_limited', resume_at = $now, ended_at = NULL, exit_code = 75"
run chorus-tasks status a --json
expect_json '.turn_state + " " + .last_turn.reason + " " + .last_turn.resume_at' 'parked all_profiles_rate_limited 2026-02-02T02:40:00.000Z'
db "UPDATE turns SET state = 'exited', reason = 'canceled', ended_at = $now, exit_code = 143, resume_at = NULL"
run chorus-tasks status a --json
expect_json '[.turn_state, .last_turn.exit_code, .last_turn.signal] | tostring' '["exited",143,15]'
db "UPDATE turns SET state = 'exited', reason = 'crashed', exit_code = NULL"
run chorus-tasks status a --json
expect_json '[.turn_state, .last_turn.reason, .last_turn.exit_code, .last_turn.signal] | tostring' '["exited","crashed",null,null]'
# the process is gone, or is another one
db "UPDATE turns SET state = 'working', ended_at = NULL, pid = $$, pid_start = 1 + $(cut -d' ' -f22 /proc/$$/stat)"
run chorus-tasks status a --json
expect_json '.turn_state + " " + .last_turn.turn_state' 'unknown unknown'
run chorus-tasks
expect_match "$out" "^a${tab}unknown${tab}"
at_terminal 80 'chorus-tasks status a'
expect_match "$out" "Turn: unknown \(its process $$ is gone"
for lifecycle in creating destroying destroyed; do
    db "UPDATE agents SET status = '$lifecycle'"
    run chorus-tasks status a --json
    expect_status 0
    expect_json .lifecycle $lifecycle
done
db "UPDATE agents SET status = 'active'"
# what cannot be read is said, and the rest is there
echo '{' >"$CHORUS_HOME/agents/a/agent.json"
run chorus-tasks status a --json
expect_status 0
expect_json '.model + " " + (.problems[0] | test("agent.json") | tostring)' 'builtin/script true'
rm -r "$CHORUS_HOME/agents/a/workspace"
run chorus-tasks status a
expect_status 0
expect_match "$out" "workspace${tab}-${tab}0${tab}.*No such file"
rm -r "$CHORUS_HOME/agents/a"
for verb in status list threads steps events; do
    run chorus-tasks $verb a
    expect_status 0
done
run chorus-tasks ready a
expect_status 4

# S-06, S-08
test_case "status and threads: at work, and waiting" # A-19 X-17
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$(sleeping 30)" "$(say done)")"
chorus-run a 'go on' >"$scratch/turn" 2>&1 </dev/null &
turn=$!
began
run chorus-tasks status a --json
expect_json '[.turn_state, .last_turn.doing, .last_turn.calls[0].tool, .last_turn.tool_calls, .context.idle_save_at] | tostring' '["working","calling bash (+1)","bash",1,null]'
expect_json '.last_turn.pid' $turn
run chorus-tasks threads a
expect_match "$out" "^1${tab}main${tab}working${tab}calling bash \(\+1\)${tab}20[0-9TZ:.-]+${tab}20"
at_terminal 80 'env -u CHORUS_NOW_MS chorus-tasks threads a'
expect_match "$out" 'THREAD  BRANCH  STATE    DOING .*
     1  main    working  calling bash \(\+1\), [0-9]+ sec'
run chorus-tasks steps a
expect_match "$out" "^1${tab}[^${tab}]+${tab}[0-9]+${tab}model call
2${tab}[^${tab}]+${tab}-${tab}tool bash\$"
run chorus-tasks cancel a
wait $turn
chorus-init b --model builtin/script --permissions standard >"$scratch/out" 2>&1
run chorus-run b '/bash make it'
expect_status 10
run chorus-tasks status b --json
expect_json '[.turn_state, .last_turn.turn_state, .last_turn.pending[0].action, .pending[0].action, .last_turn.state] | tostring' \
    '["prompt","prompt","tool:bash:make it","tool:bash:make it","input-required"]'
run chorus-tasks
expect_match "$out" "b${tab}prompt${tab}builtin/script${tab}1${tab}0${tab}1${tab}"

# --- steps, events, ready ---

test_case "steps: of the newest turn, of a thread, of a turn"
init a --model builtin/script --permissions sandboxed
run chorus-tasks steps a
expect_status 0
expect_equal "$out" ''
at_terminal 80 'chorus-tasks steps a'
expect_equal "$out" 'No turn yet.'
run chorus-run a '/bash sleep 0.3'
run chorus-run a --new-thread hello
run chorus-tasks steps a --json
expect_equal "$(jq -c '[.turn_id, .thread, .step, .description]' <<<"$out")" '[1,1,1,"model call"]
[1,1,2,"tool bash"]
[1,1,3,"model call"]'
[ "$(jq 'select(.step == 2).duration_ms' <<<"$out")" -ge 300 ] || fail 'a step took less than it did'
run chorus-tasks steps a -t 2
expect_equal "$(cut -f1,4 <<<"$out")" "1${tab}model call"
run chorus-tasks steps a --turn 2 --json
expect_equal "$(jq -c '[.turn_id, .thread]' <<<"$out")" '[2,2]'
at_terminal 80 'env -u CHORUS_NOW_MS chorus-tasks steps a'
expect_match "$out" 'Turn 1 of thread 1, idle, began [0-9]+ sec ago
STEP  WHAT +TOOK
   1  model call +[0-9.]+ m?s'
run chorus-tasks steps a --turn 7
expect_status 4
expect_match "$err" "agent 'a' has no turn 7"
run chorus-tasks steps a -t 9
expect_status 4
for wrong in '--turn 0' '--turn x' '--turn 1 -t 1'; do
    run chorus-tasks steps a $wrong
    expect_status 2
done

# every transition is a row, in order (S-15); S-05: a turn's row is `starting` until its message is stored with it
test_case "events: every transition in order, from a time on, as JSON"
init a --model builtin/script --permissions standard
run chorus-run a '/bash echo hi'
run chorus-run a --approve all
expect_status 0
run chorus-tasks events a --json
expect_status 0
expect_equal "$(jq -r '[.kind, .previous, .next] | join(" ")' <<<"$out")" 'agent creating active
turn starting working
turn working prompt
turn prompt working
turn working idle'
expect_equal "$(jq -s 'map(.id) == (map(.id) | sort)' <<<"$out")" true
expect_equal "$(jq -sc '.[1] | [.agent, .thread, .turn_id, .cause]' <<<"$out")" '["a",1,1,"user message"]'
run chorus-tasks events a
expect_equal "$(cut -f5-7 <<<"$out" | tail -1)" "turn${tab}working${tab}idle"
db "UPDATE events SET at = $now - 100000 * (10 - id)"
export CHORUS_NOW_MS=$now
run chorus-tasks events a --since 650s --json
expect_equal "$(jq .id <<<"$out" | tr '\n' ' ')" '4 5 '
run chorus-tasks events a --since 2026-02-02T02:40:00Z
expect_equal "$out" ''
unset CHORUS_NOW_MS
for wrong in frob 2026-13-01 ''; do
    run chorus-tasks events a --since "$wrong"
    [ -z "$wrong" ] || expect_status 2
done

# S-14
test_case "ready: exit 0 or 4"
init a --model builtin/script
run chorus-tasks ready a
expect_status 0
expect_equal "$out$err" ''
run chorus-tasks ready a --json
expect_equal "$out" '{"schema":"chorus.ready/1","agent":"a","ready":true}'
db "UPDATE agents SET status = 'destroyed', destroyed_at = 1"
run chorus-tasks ready a --json
expect_status 4
expect_match "$err" "agent 'a': it was destroyed"

# L-51 S-14 S-63
test_case "an agent that is being created has a state, and does nothing else"
strace -qq -o trace -e inject=renameat2:signal=STOP:when=1 \
    chorus-init b --model builtin/script >made 2>&1 </dev/null &
tracer=$!
wait_for 20 grep -q SIGSTOP trace || fail 'chorus-init did not stop'
run chorus-tasks status b --json
expect_status 0
expect_json '.lifecycle + " " + .turn_state' 'creating idle'
for command in 'chorus-tasks ready b' 'chorus-run b hello' 'chorus-context save b' 'chorus-config set -A b description x'; do
    run $command
    expect_status 4
    expect_match "$err" "error: agent 'b': it is still being created"
done
kill -CONT "$(pgrep -P $tracer)"
wait $tracer || fail "chorus-init: $(cat made)"
run chorus-tasks ready b
expect_status 0

# --- cancel ---

# S-16
test_case "cancel: the turn is ended as by a signal, and goes on with --resume"
init a --model anthropic/m --permissions sandboxed
export CHORUS_DRAIN_TIMEOUT_MS=200
start_server "$(answers "$(sleeping 60)" "$(say 'All done.')")"
chorus-run a 'go on' >"$scratch/turn" 2>&1 </dev/null &
turn=$!
began
run chorus-tasks cancel a
expect_status 0
expect_equal "$out" 'turn 1 of thread 1: exited (exit 143)'
wait $turn
expect_equal $? 143
expect_db 'SELECT state, exit_code FROM turns' 'exited|143'
expect_sound
run chorus-run a --resume
expect_status 0
expect_equal "$out" 'All done.'
run chorus-tasks cancel a
expect_status 0
expect_equal "$out" ''
expect_equal "$err" "chorus-tasks: notice: agent 'a': no turn is running or parked"
run chorus-tasks cancel a --json
expect_equal "$out" ''
unset CHORUS_DRAIN_TIMEOUT_MS

test_case "cancel: again, and chorus-destroy: the turn is asked once and has its time to end"
init a --model builtin/script --permissions sandboxed
chorus-run a '/bash touch began; sleep 2; touch ended' >"$scratch/turn" 2>&1 </dev/null &
turn=$!
began
for again in 1 2; do
    run chorus-tasks cancel a --wait 200ms
    expect_status 124
    expect_match "$err" 'was asked to end but still runs'
done
run chorus-tasks cancel a
expect_status 0
expect_equal "$out" 'turn 1 of thread 1: exited (exit 143)'
wait $turn
expect_equal $? 143
[ -e "$CHORUS_HOME/agents/a/workspace/ended" ] || fail 'the command was killed'
rm "$CHORUS_HOME/agents/a/workspace/began"
chorus-run a '/bash touch began; sleep 2' >"$scratch/turn" 2>&1 </dev/null &
turn=$!
began
run chorus-tasks cancel a --wait 200ms
expect_status 124
run chorus-destroy a --yes
expect_status 0
wait $turn
expect_equal $? 143

test_case "cancel: one thread of several, and a process that does not end"
init a --model anthropic/m --permissions sandboxed
export CHORUS_DRAIN_TIMEOUT_MS=0
start_server "$(answers "$(sleeping 60)")"
chorus-run a 'go on' >"$scratch/turn" 2>&1 </dev/null &
first=$!
began
rm "$CHORUS_HOME/agents/a/workspace/began"
chorus-run a --new-thread 'go on' >"$scratch/turn2" 2>&1 </dev/null &
second=$!
began
run chorus-tasks cancel a -t 7
expect_status 4
run chorus-tasks cancel a -t 2 --json
expect_status 0
expect_equal "$(jq -c '[.thread, .turn, .turn_state, .exit_code]' <<<"$out")" '[2,1,"exited",143]'
wait $second
expect_equal $? 143
run chorus-tasks status a --json
expect_json '[.threads[].turn_state] | tostring' '["working","exited"]'
# one that another debugger holds: nothing waits for ever
kill -STOP $first
db "UPDATE turns SET pid = $$, pid_start = $(cut -d' ' -f22 /proc/$$/stat) + 1 WHERE thread_id = 1"
run chorus-tasks cancel a
expect_status 0
expect_match "$err" 'no turn is running'
sleep 60 &
other=$!
trap '' TERM
bash -c 'trap "" TERM; touch deaf; while :; do sleep 0.1; done' &
deaf=$!
trap - TERM
wait_for 10 test -e deaf
db "UPDATE turns SET pid = $deaf, pid_start = $(cut -d' ' -f22 /proc/$deaf/stat) WHERE thread_id = 1"
run chorus-tasks cancel a --wait 300ms
expect_status 124
expect_match "$err" "turn 1 of thread 1: process $deaf was asked to end but still runs after 0.3 s"
expect_match "$err" "hint: wait longer with --wait, or end it at once with kill -9 $deaf"
{ kill -9 $deaf && wait $deaf; } 2>/dev/null
kill -0 $other || fail 'a stranger was killed'
kill $other
db "UPDATE turns SET pid = $first, pid_start = $(cut -d' ' -f22 /proc/$first/stat) WHERE thread_id = 1"
run chorus-tasks cancel a # a process that is stopped is asked too
expect_status 0
expect_match "$out" 'turn 1 of thread 1: exited'
wait $first
expect_equal $? 143
for wrong in frob -1 ''; do
    run chorus-tasks cancel a --wait "$wrong"
    expect_status 2
done
unset CHORUS_DRAIN_TIMEOUT_MS

# --- -f ---

followed() { # FILE COMMAND: in the background, its lines into FILE; its status into FILE.status
    local file=$1
    shift
    rm -f "$file" "$file.status"
    { "$@" >"$file" 2>"$file.err" </dev/null; echo $? >"$file.status"; } &
    follower=$!
}
ended_with() { # FILE STATUS
    wait_for 10 test -s "$1.status" || fail "$1 did not end"
    expect_equal "$(cat "$1.status")" "$2"
}
pid_of() { pgrep -P "$follower" -x chorus-tasks; }

test_case "-f in a pipe: what changes is a line below, and nothing else is written"
init a --model builtin/script
followed lines chorus-tasks list a --all -f
followed agents chorus-tasks -f --json
agents=$(wait_for 10 test -s agents && pid_of)
followed status chorus-tasks status a -f --json
task 1 "'task_001', 'completed', 'one', '/w', 7, 1, 'b', 5, 6, 0, NULL, ''"
wait_for 10 grep -q one lines || fail 'no line'
sleep 1.5
expect_equal "$(wc -l <lines)" 1
task 1 "'task_002', 'completed', 'two', '/w', 7, 1, 'b', 5, 7, 0, NULL, ''"
wait_for 10 grep -q two lines || fail 'no second line'
expect_equal "$(wc -l <lines)" 2
run chorus-run a hello
wait_for 10 grep -q '"messages":2' status || fail 'status did not follow'
jq -e . status >/dev/null || fail 'no JSON'
wait_for 10 eval '[ "$(wc -l <agents)" -ge 2 ]' || fail 'the overview did not follow'
# an agent that is destroyed meanwhile is the end of it
db "UPDATE agents SET status = 'destroyed', destroyed_at = 1"
ended_with lines 0
ended_with status 0
expect_equal "$(tail -1 status | jq -r .lifecycle)" destroyed
kill -INT "$agents"
ended_with agents 130
expect_equal "$(cat lines.err status.err agents.err)" ''

# each row once, in order, as it is committed
test_case "events -f: what is there, then each as it comes"
init a --model builtin/script
followed stream chorus-tasks events a --follow --json
wait_for 10 test -s stream
run chorus-run a hello
wait_for 10 grep -q '"next":"idle"' stream || fail 'no event came'
expect_equal "$(jq -r .next stream | tr '\n' ' ')" 'active working idle '
kill -TERM "$(pid_of)"
ended_with stream 143
chorus-tasks events a --json >"$scratch/once"
cmp -s stream "$scratch/once" || fail 'it is not what events prints'

test_case "CHORUS_POLL_MS: how often -f looks, and how often log -f does" # S-57 S-58
init a --model builtin/script
CHORUS_POLL_MS=30000 followed stream chorus-tasks events a --follow --json
wait_for 10 test -s stream
sleep 0.5
run chorus-run a hello
sleep 1.5
! grep -q '"next":"idle"' stream || fail 'it looked before its time'
kill -TERM "$(pid_of)"
ended_with stream 143
agent_key a permissions '"sandboxed"'
run chorus-tasks run a -- 'echo one; sleep 1.31; echo two; sleep 30.31'
task=$out
wait_for 10 eval '[ "$(chorus-tasks log a $task)" = one ]'
CHORUS_POLL_MS=30s followed stream chorus-tasks log a "$task" -f
wait_for 10 grep -q one stream
sleep 2.5
! grep -q two stream || fail 'log looked before its time'
kill -TERM "$(pid_of)"
ended_with stream 143
run chorus-tasks kill a "$task"
for wrong in 0 9 2h nothing; do
    for verb in "status a -f" "log a $task -f"; do
        run env CHORUS_POLL_MS=$wrong chorus-tasks $verb
        expect_status 2
        expect_match "$err" 'error: CHORUS_POLL_MS: '
    done
done

test_case "nobody reads: it ends, though nothing happens"
init a --model builtin/script
for what in '-f' 'status a -f' 'events a -f' 'threads a -f'; do
    started=$(date +%s)
    run bash -c "set -o pipefail; timeout 20 chorus-tasks $what --json | head -c 1 >/dev/null; exit \${PIPESTATUS[0]}"
    expect_status 141
    [ $(($(date +%s) - started)) -lt 10 ] || fail "'$what' went on"
done
run bash -c 'chorus-tasks status a --json >/dev/full'
expect_status 1
expect_match "$err" 'stdout: not everything could be written'

# The last frame, as it stands on the terminal.
last_frame() { awk 'BEGIN { RS = "\033\\[H" } NF { frame = $0 } END { printf "%s", frame }' "$scratch/screen" | sed 's/\x1b\[[0-9?]*[A-Za-z]//g' | tr -d '\r'; }
cursor() { grep -ao $'\x1b\\[?25[lh]' "$scratch/screen" | tail -1 | tail -c 2; }

test_case "-f on a terminal: drawn in place, the cursor comes back, the last frame stays"
init a --model builtin/script
typist() {
    shown 'No tasks for a'
    task 1 "'task_001', 'completed', 'one', '/w', 7, 1, 'b', $(at 5), $(at 4), 0, NULL, ''"
    shown '\[task_001\] one'
    printf '\003'
}
at_terminal 80 'chorus-tasks list a -f'
expect_status 130
expect_equal "$(last_frame)" 'Recently completed:
  [task_001] one                 completed (exit 0, 4 sec ago)'
expect_equal "$(cursor)" h
screen=$(cat "$scratch/screen")
expect_no_match "$screen" $'\x1b\\[\\?(1049|47)' # no other screen
expect_no_match "$screen" $'\x1b\\[2J'           # nothing flickers
# the clock stands still: of what does not change no frame is written
typist() { shown 'Recently completed'; sleep 2.5; printf '\003'; }
at_terminal 80 'chorus-tasks list a -f'
expect_equal "$(grep -ao 'Recently completed' "$scratch/screen" | wc -l)" 1

test_case "-f on a terminal: no more lines than it has, another size, and every way to end it"
init a --model builtin/script
for i in {100..140}; do task 1 "'task_$i', 'completed', 'c$i', '/w', 7, 1, 'b', $(at 5), $(at 4), 0, NULL, ''"; done
typist() { shown 'more lines'; printf '\003'; }
at_terminal 80 'chorus-tasks list a -f'
expect_match "$(last_frame)" '… 20 more lines$'
expect_equal "$(last_frame | grep -c '')" 23
typist() { shown 'more lines'; shown 'task_140'; printf '\003'; }
at_terminal 80 "sh -c '(sleep 1; stty rows 60 </dev/tty) & exec chorus-tasks list a -f'"
expect_no_match "$(last_frame)" 'more lines'
for signal in TERM HUP QUIT; do
    typist() { shown 'more lines'; kill -$signal "$(cat pid)"; }
    at_terminal 80 "sh -c 'echo \$\$ >pid; exec chorus-tasks list a -f'"
    expect_equal "$(cursor)" h
done

end_tests
