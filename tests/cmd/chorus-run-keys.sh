#!/usr/bin/env bash
# --idempotency-key: one key is one turn, whatever becomes of it.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

work() { printf '%s/agents/a/workspace' "$CHORUS_HOME"; }
twice=$(call c1 bash '{"command": "echo ran >>count; touch began"}')
nap=$(call c2 bash "{\"command\": \"echo napped >>count; sleep 47$$\"}")
killed() { # COMMAND …: killed in its second command
    "$@" >/dev/null 2>&1 </dev/null &
    pid=$!
    wait_for 10 grep -q napped "$(work)/count" || fail 'the turn did not come to its command'
    kill -9 $pid
    wait $pid 2>/dev/null
}

test_case "after kill -9 the same command goes on with that turn, on its thread: what ran does not run again"
for where in '' '-t main' --new-thread; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m --permissions sandboxed
    start_server "$(answers "$twice" "$nap" "$(say 'Both done.')")"
    killed chorus-run a go $where --idempotency-key K
    run chorus-run a $where -p 'something else' --idempotency-key K
    expect_status 2
    expect_match "$err" '^chorus-run: error: --idempotency-key: turn 1 of thread [12] has this key but another prompt'
    run_stdin /dev/stdin chorus-run a go $where --idempotency-key K <<<'more words'
    expect_status 2
    run chorus-run a go $where --idempotency-key K --json
    expect_status 0
    expect_json '"\(.turn) \(.text) \(.iterations) \(.replayed) \(.exit_code)"' '1 Both done. 3 false 0'
    expect_file "$(work)/count" $'ran\nnapped'
    run chorus-run a go -t main --idempotency-key K --json
    expect_status 0
    expect_json '"\(.turn) \(.text) \(.replayed) \(.accepted)"' '1 Both done. true true'
    run chorus-run a other --idempotency-key K
    expect_status 2
    expect_db 'SELECT count(*) FROM turns' 1
    expect_db "SELECT count(*) FROM messages WHERE role = 'user' AND content = 'go'" 1
    expect_equal "$(request_count)" 3
    expect_sound
done

test_case "after a signal, a failure, a question, a parked turn: the same turn goes on"
init a --model anthropic/m --permissions standard
home_key max_retries 0
start_server "$(answers "$(call c1 create_file '{"path": "f", "content": "x"}')" '{"status": 500}' "$(call c2 bash '{"command": "make"}')" \
    '{"status": 429, "headers": {"retry-after": "1"}}' "$(say 'At last.')")"
run chorus-run a go --idempotency-key K
expect_status 7
run chorus-run a go --idempotency-key K --json
expect_status 10
expect_json '"\(.turn) \(.state) \(.pending | length)"' '1 input-required 1'
mkdir elsewhere
run chorus-run a go --idempotency-key K -m anthropic/other --fresh -C elsewhere -t main
expect_status 10
expect_match "$err" 'turn 1 has this idempotency key and continues as it was begun; ignored: --model, --directory, --fresh'
run chorus-tasks deny "$(db 'SELECT id FROM prompts')"
run chorus-run a go --idempotency-key K --json
expect_status 75
expect_json '"\(.turn) \(.error.code) \(.resume_at != null)"' '1 PARKED true'
run chorus-run a go --idempotency-key K
expect_status 75
db 'UPDATE turns SET resume_at = 1'
run chorus-run a go --idempotency-key K
expect_status 0
expect_equal "$out" 'At last.'
expect_db 'SELECT count(*) FROM turns' 1
expect_equal "$(request_count)" 5
expect_sound

test_case "it goes on in the directory, and with the model, that it was begun with"
init a --model anthropic/m --permissions sandboxed
mkdir elsewhere
start_server "$(answers "$twice" "$nap" "$(call c3 bash '{"command": "pwd"}')" "$(say 'Done.')")"
killed chorus-run a go --idempotency-key K
run chorus-run a go --idempotency-key K -m anthropic/other -C elsewhere --json
expect_status 0
expect_match "$(cat "$(request 4)")" "$CHORUS_HOME/agents/a/workspace"
expect_equal "$(jq -r .model "$(request 4)")" m

test_case "where the thread has gone on since, nothing is begun twice"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$twice" "$nap" "$(say 'Another thing.')")"
killed chorus-run a go --idempotency-key K
run chorus-run a 'something else'
expect_status 0
run chorus-run a go --idempotency-key K
expect_status 1
expect_match "$err" 'turn 1 of thread 1 has this key, did not finish and cannot be resumed'
expect_file "$(work)/count" $'ran\nnapped'
expect_equal "$(request_count)" 3

test_case "one key on two threads at once: one turn, and 75 or its answer again"
for wait in '' --wait; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m
    run chorus-run a -m builtin/script 'make thread 2' --new-thread
    start_server "$(answers '{"say": {"text": "Once."}, "delay_ms": 300}')"
    for round in {1..6}; do
        pids=''
        for i in 1 2 3 4; do
            chorus-run a -t $((1 + i % 2)) $wait go --idempotency-key "K$round" >"$scratch/o$i" 2>"$scratch/e$i" </dev/null &
            pids="$pids $!"
        done
        i=0 done=0
        for one in $pids; do
            i=$((i + 1))
            wait "$one"
            case $?$wait in
                0*) done=$((done + 1)) && expect_file "$scratch/o$i" Once. ;;
                75) expect_match "$(cat "$scratch/e$i")" 'a turn with this idempotency key is at work' ;;
                *) fail "round $round: $(cat "$scratch/e$i")" ;;
            esac
        done
        [ $done -ge 1 ] || fail 'none had it'
    done
    expect_equal "$(request_count)" 6
    expect_db 'SELECT count(*) FROM turns' 7
    expect_sound
done

test_case "a message that is on record under its key is told so, whatever keeps the turn from going on"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$twice" "$nap" "$(say 'Both done.')")"
chorus-run a go --idempotency-key K >"$scratch/o" 2>"$scratch/e" </dev/null &
pid=$!
wait_for 10 grep -q napped "$(work)/count" || fail 'the turn did not come to its command'
run chorus-run a go --idempotency-key K --json
expect_status 75
expect_json '"\(.accepted) \(.turn) \(.turn_id) \(.thread) \(.state) \(.error.code)"' 'true 1 1 1 failed AGENT_BUSY'
run chorus-run a go --idempotency-key K --wait=1s --json
expect_status 75
expect_json '"\(.accepted) \(.turn)"' 'true 1'
run chorus-run a go --idempotency-key K --wait --timeout 1s --json
expect_status 124
expect_json '"\(.accepted) \(.turn)"' 'true 1'
run chorus-run a go --idempotency-key K --output-format stream-json
expect_status 75
expect_events
for wait in '' --wait; do
    run timeout 10 chorus-run a other --idempotency-key K $wait --json
    expect_status 2
    expect_json '"\(.accepted) \(.turn)"' 'false null'
    expect_match "$err" 'has this key but another prompt'
done
kill -9 $pid
wait $pid 2>/dev/null
mv "$CHORUS_HOME/agents/a/agent.json" kept
echo '{' >"$CHORUS_HOME/agents/a/agent.json"
run chorus-run a go --idempotency-key K --json
expect_status 3
expect_json '"\(.accepted) \(.turn)"' 'true 1'
mv kept "$CHORUS_HOME/agents/a/agent.json"
while IFS=' ' read -r keeps code options; do # what keeps even its place from being opened
    case $keeps in
        workspace) mv "$(work)" kept ;;
        config) home_key limits 7 ;;
    esac
    run chorus-run a go --idempotency-key K --json $options
    expect_status $code
    expect_json '"\(.accepted) \(.turn) \(.turn_id) \(.thread) \(.state)"' 'true 1 1 1 failed'
    run chorus-run a other --idempotency-key K --json $options
    expect_status 2
    expect_json '"\(.accepted) \(.turn)"' 'false null'
    case $keeps in
        workspace) mv kept "$(work)" ;;
        config) home_key limits '{}' ;;
    esac
done <<<'directory 2 -C /nope
workspace 1
config 3'
run chorus-run a 'something else'
expect_status 0
run chorus-run a go --idempotency-key K --json
expect_status 1
expect_json '"\(.accepted) \(.turn) \(.error.code)"' 'true 1 FAILED'

test_case "--cancel-prompts with the key of the very turn that waits is refused, and the hint does it"
init a --model builtin/script --permissions standard
run chorus-run a '/bash make' --idempotency-key K
expect_status 10
run chorus-run a '/bash make' --idempotency-key K --cancel-prompts --json
expect_status 2
expect_json '"\(.accepted) \(.turn) \(.error.code)"' 'true 1 BAD_REQUEST'
expect_match "$err" "the waiting turn is turn 1 of thread 1, which has this idempotency key"
expect_match "$err" "hint: .*chorus-run a -t 1 --cancel-prompts MESSAGE gives up the turn"
expect_db 'SELECT state FROM prompts' pending
run chorus-run a -t 1 --cancel-prompts hello
expect_status 0
expect_db "SELECT state || ' ' || reason FROM turns WHERE id = 1" 'exited cancelled'
# a repeat of the command that gave another turn up is no such case
run chorus-run a '/bash make' --idempotency-key L
expect_status 10
run chorus-run a hi --idempotency-key M --cancel-prompts
expect_status 0
run chorus-run a hi --idempotency-key M --cancel-prompts --json
expect_status 0
expect_json .replayed true

end_tests
