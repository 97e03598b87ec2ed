#!/usr/bin/env bash
# needs: time
# Signals: what a turn does that is told to end, by whom and at what moment it ever is; the session that is
# saved then; what is left of commands.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
for tool in strace timeout setsid nohup; do
    command -v "$tool" >/dev/null || { echo "this test needs $tool"; exit 1; }
done

work() { printf '%s/agents/a/workspace' "$CHORUS_HOME"; }
sessions() { printf '%s/agents/a/sessions' "$CHORUS_HOME"; }
begun() { test -e "$(work)/began"; }
asked() { [ "$(request_count)" = "$1" ]; }
clock_ms() { date +%s%3N; }

begin() { # READY COMMAND …: in the background, in $pid, until READY succeeds
    local ready=$1
    shift
    "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
    pid=$!
    wait_for 15 eval "$ready" || fail 'it did not come to the point'
}
finish() { # its status in $status, its milliseconds since the call in $took
    local since
    since=$(clock_ms)
    wait $pid 2>/dev/null
    status=$?
    took=$(($(clock_ms) - since))
    out=$(cat "$scratch/out") err=$(cat "$scratch/err")
}
# interrupted SIGNAL STATUS READY COMMAND …: the signal comes once READY succeeds
interrupted() {
    local signal=$1 wanted=$2 ready=$3
    shift 3
    begin "$ready" "$@"
    sleep 0.5
    kill -"$signal" $pid
    finish
    expect_status "$wanted"
    expect_one_error 'interrupted'
    expect_equal "$(grep -Evc '^chorus-run: (hint: chorus-run a -t [0-9]* --resume$|notice: attempt 1 failed)' "$scratch/err")" 1
}
# expect_sessions WHAT …: "trigger messages" of each, oldest first; each file is whole and says what its row says
expect_sessions() {
    local path id sum count
    expect_equal "$(db "SELECT trigger || ' ' || message_count FROM sessions ORDER BY rowid")" "$(printf '%s\n' "$@")"
    expect_equal "$(find "$(sessions)" -type f | wc -l)" $#
    while IFS='|' read -r path id sum count; do
        expect_equal "$(sha256sum <"$CHORUS_HOME/$path" | cut -d' ' -f1)" "$sum"
        expect_equal "$(jq -r '"\(.schema) \(.id) \(.session_id) \(.message_count) \(.messages | length)"' "$CHORUS_HOME/$path")" \
            "chorus.session/1 $id $id $count $count"
    done < <(db 'SELECT file_path, id, sha256, message_count FROM sessions')
}
newest_session() { printf '%s/%s' "$CHORUS_HOME" "$(db 'SELECT file_path FROM sessions ORDER BY rowid DESC LIMIT 1')"; }

test_case "129, 130, 143: a signal in a model call; what was said is a session" # L-57 S-04
agent_of anthropic/m
start_server "$(answers "$(broken_off)")"
interrupted TERM 143 'grep -q word9 "$scratch/out"' chorus-run a 'say it' --stream
expect_db "SELECT content = '${out}' OR content = '${out} ' FROM messages ORDER BY id DESC LIMIT 1" 1
expect_sessions 'shutdown 2'
interrupted INT 130 'asked 2' chorus-run a 'say it' --json -o file
expect_json '"\(.exit_code) \(.error.code) \(.state) \(.reason)"' '130 CANCELED canceled signal'
expect_json '.text | startswith("word1 word2")' true
expect_file file "$out"
interrupted HUP 129 'asked 3' chorus-run a 'say it' --output-format stream-json -o file
expect_events
expect_file file "$out"
expect_equal "$(tail -1 "$scratch/out" | jq -r .status.state)" canceled
expect_db "SELECT group_concat(state || ' ' || exit_code) FROM turns" 'exited 143,exited 130,exited 129'
expect_sessions 'shutdown 2' 'shutdown 4' 'shutdown 6'
expect_equal "$(request_count)" 3
expect_equal "$(jq -r '[.messages[].role] | join(" ")' "$(newest_session)")" 'user assistant user assistant user assistant'
expect_equal "$(jq -r '"\(.agent_name) \(.model) \(.description) \(.messages[1].model)"' "$(newest_session)")" 'a anthropic/m say it anthropic/m'
expect_equal "$(jq -r '.messages[-1].content' "$(newest_session)")" "$(db 'SELECT content FROM messages ORDER BY id DESC LIMIT 1')"
expect_match "$(db 'SELECT summary FROM sessions ORDER BY rowid DESC LIMIT 1')" '^say it \(3 messages of the user, 3 answers\). Last answer: word1 '
expect_match "$(db 'SELECT file_path FROM sessions ORDER BY rowid LIMIT 1')" '^agents/a/sessions/20[0-9-]{8}_say-it.json$'
expect_equal "$(stat -c %a "$(newest_session)")" 600
start_server "$(answers "$(say 'The rest.')")"
run chorus-run a --resume --json
expect_status 0
expect_json '"\(.turn) \(.text)"' '3 The rest.'
expect_acceptable "$(request 1)"
expect_match "$(jq -r '.messages[-2].role + .messages[-2].content[0].text' "$(request 1)")" '^assistantword1 '
goes_on 3
expect_db 'SELECT count(*) FROM sessions' 3

test_case "a signal before there is anything to keep: one line, no turn, no session" # S-17 X-34
agent_of builtin/script --permissions sandboxed
interrupted TERM 143 true env CHORUS_STDIN_TIMEOUT_MS=9000 bash -c 'mkfifo p; exec 9<>p; exec chorus-run a --json <p'
expect_json '"\(.exit_code) \(.error.code) \(.state)"' '143 CANCELED canceled'
nothing_recorded
chorus-run a "/bash touch began; sleep 61$$" >/dev/null 2>&1 </dev/null &
holder=$!
wait_for 10 begun || fail 'the first turn did not begin'
for each in 'TERM 143' 'INT 130' 'HUP 129'; do
    read -r signal wanted <<<"$each"
    interrupted "$signal" "$wanted" true chorus-run a 'say it' --wait --json -o file
    expect_json '"\(.exit_code) \(.error.code) \(.state) \(.turn)"' "$wanted CANCELED canceled null"
    expect_file file "$out"
done
expect_db 'SELECT count(*) FROM turns' 1
expect_sessions
kill -9 $holder
wait $holder 2>/dev/null

test_case "a signal between two tries"
agent_of anthropic/m
home_key max_retries 5
start_server "$(answers '{"status": 529, "headers": {"retry-after": "30"}}')"
interrupted TERM 143 'asked 1' chorus-run a 'say it'
expect_match "$err" 'hint: chorus-run a -t 1 --resume'
expect_sessions 'shutdown 1'
goes_on 1

test_case "129, 130, 143: a signal while a command runs" # S-18 S-49
agent_of builtin/script --permissions sandboxed
work=$(work)
naps=7$$
command="say it
/bash touch began; sleep $naps; touch ended
/create_file {\"path\": \"later\", \"content\": \"x\"}"
export CHORUS_DRAIN_TIMEOUT_MS=100
for each in 'TERM 143' 'INT 130 --json' 'HUP 129 --output-format=stream-json'; do
    read -r signal wanted format <<<"$each"
    rm -f "$work/began"
    interrupted "$signal" "$wanted" begun chorus-run a "$command" ${format:+"$format"}
    [ "$took" -lt 10000 ] || fail "it took $took ms"
    [ -n "$format" ] && expect_match "$out" '"state":"canceled"'
    [ "$signal" = HUP ] && expect_events
    expect_missing "$work/ended"
    expect_missing "$work/later"
    running "sleep $naps" && fail 'the command outlived the turn'
    expect_match "$(db "SELECT content FROM messages WHERE role = 'tool_result' ORDER BY id DESC LIMIT 1")" 'stopped after'
done
unset CHORUS_DRAIN_TIMEOUT_MS
expect_sessions 'shutdown 3' 'shutdown 6' 'shutdown 9'
expect_equal "$(jq -c '.messages[1].tool_calls[0] | [.name, .params == (.arguments | fromjson), (.params.command | startswith("touch began"))]' "$(newest_session)")" '["bash",true,true]'
goes_on 3

test_case "a running command may end by itself after the first signal; the second signal is the end" # S-18 S-21
agent_of builtin/script --permissions sandboxed
work=$(work)
interrupted TERM 143 begun chorus-run a 'say it
/bash touch began; sleep 1; touch ended; echo was here
/create_file {"path": "later", "content": "x"}'
[ -e "$work/ended" ] || fail 'the command was not let to its end'
expect_missing "$work/later"
expect_db "SELECT outcome FROM tool_runs" ok
expect_match "$(db "SELECT content FROM messages WHERE role = 'tool_result'")" 'was here'
rm "$work/began" "$work/ended"
begin begun chorus-run a "say it
/bash touch began; sleep 8$$; touch ended"
kill -TERM $pid
sleep 0.3
kill -0 $pid || fail 'it did not wait for the command'
kill -TERM $pid
finish
expect_status 130
wait_for 5 eval '! running "sleep 8$$"' || fail 'the command outlived the turn'
expect_missing "$work/ended"
expect_db "SELECT count(*) FROM messages WHERE role = 'user' AND content LIKE 'say it%'" 2
expect_sessions 'shutdown 3'
run chorus-run a 'say it'
expect_status 0
expect_match "$err" 'notice: recovered turn 2.*; its calls: 1 unknown'
goes_on 3

# A command that does not mind SIGTERM.
stubborn="say it
/bash trap 'echo asked >>asked' TERM; touch began; for i in {1..300}; do sleep 0.1; done; touch ended; : 62$$"
test_case "SIGTERM reaches the command within the sandbox; SIGKILL comes when its grace is over" # S-19 S-50
agent_of builtin/script --permissions sandboxed
export CHORUS_DRAIN_TIMEOUT_MS=0 CHORUS_SHUTDOWN_TIMEOUT_MS=1500
for sandbox in workspace off; do
    home_key sandbox "\"$sandbox\""
    [ $sandbox = off ] && agent_key a permissions '"open"'
    rm -f "$(work)"/*
    begin begun chorus-run a "$stubborn"
    kill -TERM $pid
    finish
    expect_status 143
    expect_file "$(work)/asked" asked
    [ "$took" -ge 1400 ] && [ "$took" -lt 6000 ] || fail "SIGKILL after $took ms"
    expect_missing "$(work)/ended"
    running ": 62$$" && fail 'the command outlived the turn'
    rm -f "$(work)/began"
    interrupted TERM 143 begun chorus-run a 'say it
/bash trap "echo last words; touch said; exit 3" TERM; touch began; sleep 60 & wait'
    [ -e "$(work)/said" ] || fail 'it could not end in its own way'
    expect_match "$(db "SELECT content FROM messages ORDER BY id DESC LIMIT 1")" 'last words'
done
expect_sound

test_case "124: after --timeout a command has one second" 
agent_of builtin/script --permissions sandboxed
export CHORUS_SHUTDOWN_TIMEOUT_MS=60000
begin begun chorus-run a "$stubborn" --timeout 2s --json -o file
finish
expect_status 124
[ "$took" -lt 8000 ] || fail "it took $took ms"
expect_file "$(work)/asked" asked
expect_json '"\(.exit_code) \(.error.code) \(.state) \(.reason)"' '124 TIMEOUT failed timeout'
expect_file file "$out"
running ": 62$$" && fail 'the command outlived the turn'
expect_sessions
unset CHORUS_DRAIN_TIMEOUT_MS CHORUS_SHUTDOWN_TIMEOUT_MS

test_case "124: --timeout counts the wait for the thread"
agent_of builtin/script --permissions sandboxed
chorus-run a "/bash touch began; sleep 2; echo x" >/dev/null 2>&1 </dev/null &
holder=$!
wait_for 10 begun || fail 'the first turn did not begin'
between() { :; }
since=$(clock_ms)
run chorus-run a 'say it' --wait --timeout 500ms --json -o file
[ $(($(clock_ms) - since)) -lt 2500 ] || fail 'it waited longer'
expect_status 124
expect_json '"\(.exit_code) \(.error.code) \(.state) \(.turn)"' '124 TIMEOUT failed null'
expect_file file "$out"
expect_one_error '--timeout'
run chorus-run a 'say it' --timeout 5s
expect_status 75
run chorus-run a 'say it' --wait --timeout 30s
expect_status 0
wait $holder
expect_db "SELECT count(*) FROM turns" 2

test_case "a second signal while the session is saved: no half file, and the next one clears up"
agent_of anthropic/m
start_server "$(answers "$(broken_off)")"
strace -f -qq -o "$scratch/trace" -e trace=fsync -e inject=fsync:delay_exit=2500000 chorus-run a 'say it' >"$scratch/out" 2>"$scratch/err" </dev/null &
tracer=$!
wait_for 15 asked 1 || fail 'no request came'
sleep 0.3
pid=$(pgrep -P $tracer chorus-run)
kill -TERM "$pid"
wait_for 10 test -e "$(sessions)/.chorus-write-0.tmp" || fail 'the session was not begun'
sleep 0.3
kill -TERM "$pid"
wait $tracer
status=$?
expect_status 130
expect_equal "$(ls -A "$(sessions)")" .chorus-write-0.tmp
expect_db 'SELECT count(*) FROM sessions' 0
expect_db "SELECT state || ' ' || exit_code FROM turns" 'exited 143'
interrupted TERM 143 'asked 2' chorus-run a 'say it'
expect_sessions 'shutdown 4'
goes_on 2

test_case "a session that cannot be saved is a warning"
agent_of anthropic/m
start_server "$(answers "$(broken_off)")"
rmdir "$(sessions)"
touch "$(sessions)"
begin 'asked 1' chorus-run a 'say it' --json
sleep 0.5
kill -TERM $pid
finish
expect_status 143
expect_one_error 'interrupted'
expect_match "$err" 'chorus-run: notice: the session could not be saved: .*sessions'
expect_json .exit_code 143
interrupted TERM 143 'asked 2' chorus-run a 'say it' -q
rm "$(sessions)"
interrupted TERM 143 'asked 3' chorus-run a 'say it'
expect_sessions 'shutdown 6'

test_case "an empty window is no session"
agent_of anthropic/m
start_server "$(answers '{"stall": true, "cut_after_bytes": 0}')"
interrupted TERM 143 'asked 1' chorus-run a 'say it'
expect_sessions 'shutdown 1'
db 'UPDATE agents SET last_clear_message = 1, last_clear_time = 1'
interrupted TERM 143 'asked 2' chorus-run a --resume
expect_sessions 'shutdown 1'
expect_db "SELECT state || ' ' || attempt FROM turns" 'exited 2'

test_case "only the thread of the turn is saved"
agent_of anthropic/m
start_server "$(answers "$(say 'Fine.')" "$(broken_off)")"
run chorus-run a 'say it first'
interrupted TERM 143 'asked 2' chorus-run a 'say it' --new-thread -q
expect_sessions 'shutdown 2'
expect_equal "$(jq -r '[.messages[].thread_id] | unique | join(" ")' "$(newest_session)")" 2

test_case "turns of many threads, ended at once: each has its session, and none the name of another"
agent_of anthropic/m
start_server "$(answers "$(broken_off)")"
pids=()
for i in {1..6}; do
    chorus-run a 'say it' --new-thread >/dev/null 2>"$scratch/err$i" </dev/null &
    pids+=($!)
done
wait_for 20 asked 6 || fail 'not all asked'
sleep 0.5
kill -TERM "${pids[@]}"
for pid in "${pids[@]}"; do
    wait "$pid"
    status=$?
    expect_status 143
done
expect_sessions shutdown\ 2{,,,,,}
expect_equal "$(jq -r '.messages[0].thread_id' "$(sessions)"/*.json | sort -n | tr '\n' ' ')" '2 3 4 5 6 7 '
expect_sound

test_case "what sends the same signal twice at once does not cut the turn short"
agent_of builtin/script --permissions sandboxed
patient="say it
/bash touch began; sleep 1.5; touch ended"
run timeout --preserve-status -s TERM 1 chorus-run a "$patient"
expect_status 143
[ -e "$(work)/ended" ] || fail 'the command was not let to its end'
rm -f "$(work)/began" "$(work)/ended"
begin begun chorus-run a "$patient"
kill -TERM $pid
kill -TERM $pid
finish
expect_status 143
[ -e "$(work)/ended" ] || fail 'the command was not let to its end'
expect_sessions 'shutdown 3' 'shutdown 6'
goes_on 2

test_case "a signal to the whole process group leaves commands their time"
agent_of builtin/script --permissions sandboxed
begin begun setsid bash -c 'chorus-run a "say it
/bash touch began; sleep 1; touch ended"; exit $?'
kill -INT -- -$pid
finish
wait_for 10 in_db "SELECT state || ' ' || exit_code FROM turns" 'exited 130' || fail 'the turn did not end'
[ -e "$(work)/ended" ] || fail 'the command was not let to its end'

test_case "signals that were blocked or ignored by whoever started it"
agent_of anthropic/m
start_server "$(answers "$(broken_off)")"
interrupted TERM 143 'asked 1' env --block-signal=TERM,INT,HUP chorus-run a 'say it'
interrupted INT 130 'asked 2' env --block-signal chorus-run a 'say it'
interrupted TERM 143 'asked 3' env --ignore-signal=TERM,INT,CHLD,PIPE chorus-run a 'say it'
agent_key a permissions '"sandboxed"'
run env --block-signal --ignore-signal=CHLD chorus-run a -m builtin/script $'/bash grep -E "^Sig(Blk|Ign)" /proc/self/status; exit 7'
expect_match "$out" 'exit status 7'
# 32 and 33 are the C library's own, and nobody may set them
for mask in $(grep -oE '^Sig(Blk|Ign):.[0-9a-f]+' "$scratch/out" | cut -f2); do
    expect_equal $((16#$mask & 0x7fffffff)) 0
done

test_case "SIGHUP under nohup, a stop and a continuation"
agent_of anthropic/m
start_server "$(answers '{"say": {"text": "one two three"}, "delay_ms": 2000}')"
begin 'asked 1' nohup chorus-run a 'say it'
kill -HUP $pid
sleep 0.2
kill -HUP $pid
finish
expect_status 0
expect_match "$out" 'one two three'
begin 'asked 2' chorus-run a 'say it'
kill -STOP $pid
sleep 2.5
kill -CONT $pid
finish
expect_status 0
expect_match "$out" 'one two three'
begin 'asked 3' chorus-run a 'say it'
kill -STOP $pid
kill -TERM $pid
sleep 0.3
kill -0 $pid || fail 'it ended while it was stopped'
kill -CONT $pid
finish
expect_status 143
expect_sessions 'shutdown 5'

test_case "SIGPIPE ends the output, not the turn"
agent_of anthropic/m
long=$(jq -nc --arg text "$long_text" '{say: {text: $text, tool_calls: [{id: "c", name: "list_files", arguments: {}}]}, drip_ms: 5}')
start_server "$(answers "$long" "$(say 'And the end.')" "$long" "$(say 'And the end.')")"
for options in --stream '--output-format stream-json'; do
    run bash -c "chorus-run a 'say it' $options | head -c 200 >/dev/null; exit \${PIPESTATUS[0]}"
    expect_status 1
    expect_equal "$err" 'chorus-run: error: stdout: not everything could be written'
done
expect_db "SELECT group_concat(state || ' ' || exit_code || ' ' || iterations) FROM turns" 'idle 0 2,idle 0 2'
expect_db "SELECT content FROM messages ORDER BY id DESC LIMIT 1" 'And the end.'
expect_sessions
expect_sound

test_case "a limit on file sizes is an error that says so, not a death by SIGXFSZ"
agent_of builtin/script --permissions sandboxed
for kib in 8 64; do
    run bash -c "ulimit -f $kib; exec chorus-run a 'say it' --json"
    expect_status 1
    expect_one_error 'chorus.db: input/output error'
    expect_match "$err" "hint: files are limited to $((kib * 1024)) bytes here .ulimit -f"
    expect_json '"\(.exit_code) \(.error.code)"' '1 FAILED'
done
run chorus-run a 'say it'
expect_status 0
expect_sound

test_case "a limit on file sizes: no other command dies by SIGXFSZ either, and the home is as it was"
agent_of builtin/script --permissions sandboxed
run chorus-run a "say it $(seq 9000 | tr '\n' ' ')"
run chorus-context save a kept --no-summary
db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
for kib in 1 8; do
    for command in 'init b --model builtin/script' 'context save a --no-summary' 'context backup copy.db' 'context export a -o out.md' \
        'context pack a -o out.tar.gz' 'context clear a' 'tasks run a -- true' 'config set description x -A a' 'destroy a --yes' 'config doctor'; do
        run bash -c "ulimit -f $kib; exec chorus-$command"
        [ "$status" -lt 128 ] || fail "chorus-$command under ulimit -f $kib: $status"
    done
    expect_missing copy.db
    run chorus-config doctor --fix
done
expect_db 'PRAGMA integrity_check' ok

test_case "times that are none are refused before anything is recorded"
agent_of builtin/script
for name in CHORUS_DRAIN_TIMEOUT_MS CHORUS_SHUTDOWN_TIMEOUT_MS; do
    fails_alike 2 BAD_REQUEST failed "$name" env $name=soon chorus-run a 'say it'
done
nothing_recorded

end_tests
