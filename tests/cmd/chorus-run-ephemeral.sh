#!/usr/bin/env bash
# needs: time
# chorus-run --ephemeral: a turn of which only its audit rows and its cost are kept. # A-15 A-64
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

# everything about the conversation, in the database and in the agent's directory
kept() {
    local table
    for table in messages messages_fts messages_fts_data messages_fts_docsize prefixes turns steps tool_runs prompts threads events inbox outbox artifacts attachments tasks fingerprints; do
        echo "$table $(db "SELECT * FROM $table" | sha256sum)"
    done
    db "SELECT count(*) FROM agents"
    (cd "$CHORUS_HOME/agents/a" && find . \( -path ./workspace -o -path ./.checkpoints -o -path ./commands \) -prune -o -type f -print | grep -v 'agent.lock' | sort | xargs sha256sum)
}
expect_kept() { # BEFORE
    kept >after
    diff "$1" after >"$scratch/diff" || fail "something else is kept: $(head -c 800 "$scratch/diff")"
    ! grep -rqa SECRET-WORD "$CHORUS_HOME" || fail "the prompt is in $(grep -rla SECRET-WORD "$CHORUS_HOME")"
}
talk() {
    init a --model anthropic/m --permissions open
    start_server "$(answers "$(say 'The first answer.')")"
    run chorus-run a 'the first prompt'
    run chorus-run a 'look it up' # a cut and a prefix
    expect_status 0
}

test_case "the turn sees the thread's messages, and nothing of it is kept but audit rows and cost"
talk
kept >before
start_server "$(answers "$(call c1 bash '{"command": "echo done >file"}')" "$(say 'The SECRET-WORD answer.')")"
run chorus-run a 'the SECRET-WORD prompt' --ephemeral --json
expect_status 0
expect_json .text 'The SECRET-WORD answer.'
expect_json '[.tool_calls, .accepted] | tostring' '[1,true]'
expect_equal "$(jq -r '[.messages[].content[-1].text] | join("|")' "$(request 1)")" \
    'the first prompt|The first answer.|look it up|The first answer.|the SECRET-WORD prompt'
expect_kept before
expect_equal "$(cat "$CHORUS_HOME/agents/a/workspace/file")" 'done'
expect_equal "$(db "SELECT count(*) FROM audit_log WHERE turn_id = 3")" 1
expect_equal "$(db "SELECT count(*) > 0, sum(output_tokens) > 0 FROM model_calls WHERE turn_id = 3")" '1|1'
run chorus-context search SECRET-WORD
expect_equal "$out" ''
run chorus-context usage a --json
expect_status 0
run chorus-context verify a
expect_status 0
expect_sound

test_case "its id is not used again, and the thread goes on as if it had not been" # A-37
talk
start_server "$(answers "$(say 'The SECRET-WORD answer.')" "$(say 'The third answer.')")"
run chorus-run a 'the SECRET-WORD prompt' --ephemeral
run chorus-run a 'and now' --json
expect_json '[.turn_id, .turn, .thread] | tostring' '[4,3,1]'
! grep -q SECRET-WORD "$(request 2)" || fail 'the next turn sees it'
run chorus-context log a --json
expect_equal "$(jq -r .turn_id <<<"$out" | tr '\n' ' ')" '1 2 4 '
expect_sound

test_case "it fails, is interrupted, or reaches a limit: forgotten, with no hint to go on"
talk
kept >before
start_server '{"answers":[{"status":401,"json":{"type":"error","error":{"type":"authentication_error","message":"no"}}}],"after":"repeat-last"}'
run chorus-run a 'the SECRET-WORD prompt' --ephemeral
expect_status 6
expect_no_match "$err" '--resume'
start_server "$(answers "$(call c1 bash '{"command": "true"}')")"
run chorus-run a 'the SECRET-WORD prompt' --ephemeral --max-iterations 1
expect_status 9
expect_no_match "$err" '--resume'
start_server '{"answers":[{"stall":true}],"after":"repeat-last"}'
run timeout -s INT 1 chorus-run a 'the SECRET-WORD prompt' --ephemeral
expect_kept before

test_case "it waits for nobody: what is asked is denied, a rate limit ends it"
init a --model builtin/script --permissions standard
run chorus-run a hello
kept >before
run chorus-run a $'SECRET-WORD\n/ask_user {"question": "go on?"}\n/bash touch file' --ephemeral --json
expect_status 0
expect_json '.denied | length' 2
expect_missing "$CHORUS_HOME/agents/a/workspace/file"
run chorus-run a $'SECRET-WORD\n/bash touch file' --ephemeral --on-ask fail
expect_status 11
run chorus-run a 'SECRET-WORD' --ephemeral --on-ask suspend
expect_status 2
expect_one_error 'waits for no decision'
expect_kept before
stop_server
rm -rf "$CHORUS_HOME"
talk
kept >before
start_server '{"answers":[{"status":429,"headers":{"retry-after":"3600"},"json":{"type":"error","error":{"type":"rate_limit_error","message":"slow down"}}}],"after":"repeat-last"}'
run chorus-run a 'the SECRET-WORD prompt' --ephemeral --json
expect_status 75
expect_json '"\(.error.code) \(.resume_at != null)"' 'RATE_LIMITED true'
expect_match "$err" 'hint: run it again after '
expect_no_match "$err" '--resume'
expect_db 'SELECT count(*) FROM turns WHERE ended_at IS NULL' 0
rm -f after
db "DELETE FROM cooling_profiles" >"$scratch/null"
expect_kept before

test_case "while it works nobody else sees or reaches it"
init a --model builtin/script --permissions open
run chorus-run a hello
(exec chorus-run a $'SECRET-WORD\n/bash sleep 3.017' --ephemeral >ended 2>&1) &
turn=$!
wait_for 10 eval '[ -n "$(db "SELECT pid FROM turns WHERE pid IS NOT NULL AND current_step <> \"\"")" ]'
thread=$(db 'SELECT max(thread_id) FROM threads')
run chorus-run a 'beside it'
expect_status 0
for words in "chorus-run a -t $thread hi" "chorus-run a -t $thread --wait hi" "chorus-run a -t $thread --queue hi" "chorus-run a -t $thread --resume" "chorus-context branch a x -t $thread"; do
    run $words
    expect_status 4
done
run chorus-run a --new-thread 'a third'
expect_match "$err" 'thread 2'
run chorus-context save a
for words in 'chorus-context messages a --all' 'chorus-context log a' 'chorus-context export a' 'chorus-context search SECRET-WORD' 'chorus-tasks threads a' 'chorus-tasks events a'; do
    run $words
    expect_no_match "$out" SECRET-WORD
    expect_no_match "$out" "$thread"
done
wait $turn
expect_equal $? 0
! grep -rqa SECRET-WORD "$CHORUS_HOME" || fail "the prompt is in $(grep -rla SECRET-WORD "$CHORUS_HOME")"

test_case "chorus-tasks cancel ends it, and says what it ended"
init a --model builtin/script --permissions open
(exec chorus-run a '/bash sleep 29.019' --ephemeral >ended 2>&1) &
turn=$!
wait_for 10 eval '[ -n "$(db "SELECT pid FROM turns WHERE pid IS NOT NULL AND current_step <> \"\"")" ]'
run chorus-tasks cancel a
expect_equal "$out" 'ephemeral turn: exited'
wait $turn
expect_equal $? 143

test_case "many at once"
init a --model builtin/script --permissions open
run chorus-run a hello
for round in 1 2 3 4 5; do
    pids=()
    for i in 1 2 3 4 5 6; do
        (exec chorus-run a "SECRET-WORD $i" --ephemeral >"out$i" 2>&1) &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do wait "$pid" || fail "one of them: $? $(cat out?)"; done
done
expect_db 'SELECT count(*), (SELECT count(*) FROM threads) FROM turns' '1|1'
expect_equal "$(ls "$CHORUS_HOME/locks" | grep -c -e '-thread-1.........')" 0
! grep -rqa SECRET-WORD "$CHORUS_HOME" || fail "the prompt is in $(grep -rla SECRET-WORD "$CHORUS_HOME")"

test_case "a killed one is forgotten by the next turn, and with its agent"
init a --model builtin/script --permissions sandboxed
run chorus-run a hello
kept >before
(exec chorus-run a $'SECRET-WORD\n/bash sleep 27.13' --ephemeral >/dev/null 2>&1) &
wait_for 10 eval '[ -n "$(db "SELECT pid FROM turns WHERE pid IS NOT NULL AND current_step <> \"\"")" ]'
kill -9 "$(db 'SELECT pid FROM turns WHERE pid IS NOT NULL')"
wait_for 10 eval '! running "sleep 27.13"'
run chorus-tasks status a
expect_status 0
run chorus-run a hi --ephemeral
expect_status 0
expect_kept before
(exec chorus-run a $'SECRET-WORD\n/bash sleep 27.14' --ephemeral >/dev/null 2>&1) &
wait_for 10 eval '[ -n "$(db "SELECT pid FROM turns WHERE pid IS NOT NULL AND current_step <> \"\"")" ]'
kill -9 "$(db 'SELECT pid FROM turns WHERE pid IS NOT NULL')"
wait_for 10 eval '! running "sleep 27.14"'
run chorus-destroy a --yes
expect_status 0
! grep -rqa SECRET-WORD "$CHORUS_HOME" || fail "the prompt is in $(grep -rla SECRET-WORD "$CHORUS_HOME")"

test_case "images are forgotten, unless a message that stays has them too"
talk
printf '\x89PNG\r\n\x1a\n%s' one >one.png
printf '\x89PNG\r\n\x1a\n%s' two >two.png
run chorus-run a see -a one.png
kept >before
run chorus-run a see --ephemeral -a one.png -a two.png
expect_status 0
expect_kept before

test_case "no tool leaves anything, long stdin is part of the message, and --fresh sees nothing"
init a --model builtin/script --permissions open
home_key default_model '"builtin/script"'
run chorus-run a hello
kept >before
run chorus-run a $'SECRET-WORD
/spawn_agent {"preset": "explorer", "description": "d", "prompt": "p"}
/artifact_create {"artifact_id": "x", "content": "SECRET-WORD"}
/bash {"command": "sleep 26.14", "background": true}' --ephemeral
expect_equal "$(grep -c 'denied\|no .background' <<<"$out")" 3
head -c 70000 /dev/zero | tr '\0' x >long
run_stdin long chorus-run a 'SECRET-WORD' --ephemeral
expect_status 0
run chorus-context search SECRET-WORD
expect_equal "$out" ''
expect_kept before
run chorus-run a 'alone' --ephemeral --fresh
expect_status 0
expect_kept before
run chorus-run a x --ephemeral --new-thread
expect_status 2
run chorus-run a 'next' --ephemeral --dry-run -m anthropic/m
expect_json '.messages | length > 1' true

end_tests
