#!/usr/bin/env bash
# What was left undone: by a signal, by a crash; and how --resume, or a new message, goes on from there.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

work() { printf '%s/agents/a/workspace' "$CHORUS_HOME"; }
begin() { # COMMAND …: a turn in the background, in $pid, until the workspace has `began`
    rm -f "$(work)/began"
    "$@" >"$scratch/out" 2>"$scratch/err" </dev/null &
    pid=$!
    wait_for 10 test -e "$(work)/began" || fail 'the turn did not come to its command'
}
finish_with() { # SIGNAL
    kill -"$1" $pid
    wait $pid 2>/dev/null
    status=$?
}
result_of() { db "SELECT content FROM messages WHERE role = 'tool_result' AND tool_call_id = '$1'"; }
several=$(jq -nc '{say: {text: "All at once.", tool_calls: [
    {id: "b", name: "bash", arguments: {command: "echo ran >>count; touch began; sleep 47'"$$"'; echo end >>count"}},
    {id: "w", name: "create_file", arguments: {path: "written", content: "later"}},
    {id: "r", name: "list_files", arguments: {}}]}}')

test_case "after a signal --resume runs what had not begun, and goes on in the same turn"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$several" "$(say 'All done.')")"
export CHORUS_DRAIN_TIMEOUT_MS=0
begin chorus-run a go
finish_with TERM
expect_status 143
unset CHORUS_DRAIN_TIMEOUT_MS
expect_db "SELECT group_concat(tool_call_id || ' ' || ifnull(outcome, '-') || ' ' || (intent_at IS NULL)) FROM (SELECT * FROM tool_runs ORDER BY position)" 'b ok 0,w - 1,r - 1'
expect_missing "$(work)/written"
run chorus-run a --resume --json
expect_status 0
expect_json '"\(.turn) \(.text) \(.iterations) \(.tool_calls) \(.state)"' '1 All done. 2 3 completed'
expect_file "$(work)/written" later
expect_file "$(work)/count" ran
expect_db "SELECT group_concat(tool_call_id || ' ' || outcome) FROM (SELECT * FROM tool_runs ORDER BY position)" 'b ok,w ok,r ok'
expect_match "$(result_of r)" written
expect_db "SELECT state || ' ' || attempt || ' ' || exit_code FROM turns" 'idle 2 0'
expect_db "SELECT turn_count FROM agents" 1
expect_db "SELECT group_concat(role, ' ') FROM (SELECT role FROM messages ORDER BY id)" 'user assistant tool_result tool_result tool_result assistant'
expect_equal "$(request_count)" 2
expect_acceptable "$(request 2)"
expect_sound
expect_equal "$(grep -c '^<!-- message [1-9]' "$CHORUS_HOME/agents/a/branches/main/session.md")" 6

test_case "after kill -9 in a command: nothing lost, nothing run twice, the model is told" # C-18 S-02 S-12
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$several" "$(say 'I looked.')")"
naps="sleep 47$$"
begin chorus-run a go
finish_with KILL
wait_for 5 eval '! running "$naps"' || fail 'the command outlived its turn'
expect_db "SELECT state || ' ' || (pid = $pid) FROM turns" 'working 1'
expect_db "SELECT group_concat(role, ' ') FROM (SELECT role FROM messages ORDER BY id)" 'user assistant'
run chorus-run a --resume
expect_status 0
expect_equal "$out" 'I looked.'
expect_file "$(work)/count" ran
expect_match "$(result_of b)" '^unknown: .*was not run again'
expect_db "SELECT group_concat(tool_call_id || ' ' || outcome) FROM (SELECT * FROM tool_runs ORDER BY position)" 'b unknown,w ok,r ok'
expect_acceptable "$(request 2)"
expect_equal "$(jq -r '[.messages[2].content[].tool_use_id] | sort | join(" ")' "$(request 2)")" 'b r w'
expect_db "SELECT state || ' ' || attempt FROM turns" 'idle 2'
expect_db "SELECT group_concat(next || ' ' || cause, ', ') FROM (SELECT * FROM events WHERE kind = 'turn' ORDER BY id)" 'working user message, exited crashed, working resumed, idle completed'
expect_sound
expect_equal "$(grep -o '^<!-- message [1-9][0-9]* ' "$CHORUS_HOME/agents/a/branches/main/session.md" | sort -u | wc -l)" 6
run chorus-run a --resume
expect_status 0
expect_equal "$(request_count)" 2

test_case "after kill -9 a new message: what had not begun is not run any more"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$several" "$(say 'Another thing.')")"
begin chorus-run a go
finish_with KILL
run chorus-run a 'something else'
expect_status 0
expect_equal "$out" 'Another thing.'
expect_match "$err" '^chorus-run: notice: recovered turn 1, whose process died; its calls: 2 not begun, 1 unknown$'
expect_missing "$(work)/written"
expect_file "$(work)/count" ran
expect_match "$(result_of b)" '^unknown: '
expect_match "$(result_of w)" '^interrupted: .*not run'
expect_match "$(result_of r)" '^interrupted: '
expect_db "SELECT group_concat(state || ' ' || reason || ' ' || turn_number, ', ') FROM turns" 'exited crashed 1, idle  2'
expect_acceptable "$(request 2)"
expect_db "SELECT turn_count FROM agents" 2
expect_sound

test_case "after kill -9 in a model call" # A-44
init a --model anthropic/m
start_server "$(answers '{"say": {"text": "never ends"}, "cut_after_bytes": 600, "stall": true}' "$(say 'Whole now.')")"
chorus-run a 'say it' >/dev/null 2>&1 </dev/null &
pid=$!
wait_for 10 eval '[ "$(request_count)" = 1 ]' || fail 'no request came'
finish_with KILL
expect_status 137
run chorus-run a --resume
expect_status 0
expect_equal "$out" 'Whole now.'
expect_equal "$(jq -c .messages "$(request 1)")" "$(jq -c .messages "$(request 2)")"
expect_sound

test_case "killed at random points, again and again: each message once, each call one result"
init a --model anthropic/m --permissions sandboxed
many=$(for i in {1..8}; do jq -nc --arg i "$i" '{say: {text: "step \($i)", tool_calls: [{id: "c", name: "append_file", arguments: {path: "log", content: "\($i)\n"}}]}}'; done | jq -sc '{answers: ., after: "repeat-last"}')
start_server "$many"
for turn in {1..12}; do
    chorus-run a "message $turn" --max-iterations 4 >/dev/null 2>&1 </dev/null &
    pid=$!
    sleep "0.$(printf '%03d' $((turn * 17 + 3)))"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
done
start_server "$(answers "$(say 'The end.')")"
run chorus-run a 'last message'
expect_status 0
expect_acceptable "$(request 1)"
expect_sound
expect_db "SELECT count(*) FROM (SELECT content FROM messages WHERE role = 'user' AND content LIKE 'message%' GROUP BY content HAVING count(*) > 1)" 0
expect_db "SELECT count(*) FROM turns WHERE ended_at IS NULL" 0
lines=$(cat "$(work)/log" 2>/dev/null | wc -l)
done_runs=$(db "SELECT count(*) FROM tool_runs WHERE outcome = 'ok'")
maybe_runs=$(db "SELECT count(*) FROM tool_runs WHERE outcome = 'unknown'")
[ "$lines" -ge "$done_runs" ] && [ "$lines" -le $((done_runs + maybe_runs)) ] ||
    fail "$lines lines for $done_runs done and $maybe_runs unknown calls"

test_case "--resume after a failure asks again from the last committed point; its options are those of the turn" # A-21 A-65 X-32
init a --model anthropic/m --permissions sandboxed
home_key max_retries 0
mkdir project
start_server "$(answers "$(call c create_file '{"path": "f", "content": "x"}')" '{"status": 500}' "$(call d list_files '{}')" "$(say 'Done.')")"
run chorus-run a go -m anthropic/other -C project
expect_status 7
run chorus-run a --resume --json
expect_status 0
expect_json '"\(.turn) \(.text) \(.iterations)"' '1 Done. 4'
expect_equal "$(jq -r .model "$scratch"/log/*.json | sort -u)" other
expect_equal "$(jq -c .messages "$(request 2)")" "$(jq -c .messages "$(request 3)")"
expect_match "$(result_of d)" '^f'
expect_file project/f x
expect_db 'SELECT attempt FROM turns' 2
expect_sound

test_case "--resume does not follow a link in the place of what the turn worked in"
init a --model anthropic/m
home_key max_retries 0
mkdir project outside
start_server "$(answers '{"status": 500}' "$(call d list_files '{}')" "$(say 'Done.')")"
run chorus-run a go -C project
expect_status 7
mv project moved
ln -s outside project
run chorus-run a --resume
expect_status 2
expect_match "$err" "-C: '.*/project': a link leads elsewhere now"

test_case "--resume of a fresh turn stays fresh; iterations go on counting"
init a --model anthropic/m
home_key max_retries 0
start_server "$(answers "$(say 'Before.')" "$(call c list_files '{}')" '{"status": 500}' "$(call d list_files '{}')")"
run chorus-run a before
run chorus-run a now --fresh --max-iterations 3
expect_status 7
run chorus-run a --resume --json
expect_status 9
expect_json '"\(.reason) \(.iterations)"' 'max_iterations 3'
expect_equal "$(jq -r '.messages[0].content[0].text' "$(request 4)")" now
run chorus-run a --resume
expect_status 0

test_case "--resume --max-iterations: a limit is no end for whoever gives another one, also later" # A-20 L-25 X-01
init a --model anthropic/m
home_key max_retries 0
start_server "$(answers "$(call c list_files '{}')")"
run chorus-run a go --max-iterations 2
expect_status 9
run chorus-run a --resume
expect_status 0
expect_equal "$(request_count)" 2
run chorus-run a --resume --max-iterations 5 --json
expect_status 9
expect_json '"\(.turn) \(.reason) \(.iterations)"' '1 max_iterations 5'
expect_equal "$(request_count)" 5
run chorus-run a --resume --max-iterations 4 --json
expect_status 9
expect_equal "$(request_count)" 5
start_server "$(answers '{"status": 500}' "$(say Done.)")"
run chorus-run a --resume --max-iterations 9
expect_status 7
run chorus-run a --resume --json
expect_status 0
expect_json '"\(.turn) \(.text)"' '1 Done.'
expect_db 'SELECT turn_count FROM agents' 1
expect_sound

test_case "a turn that goes on and waits has no exit code of before"
init a --model anthropic/m --permissions standard
home_key max_retries 0
start_server "$(answers '{"status": 500}' "$(call c bash '{"command": "true"}')")"
exit_code() { chorus-tasks status a --json | jq -r '.threads[0].last_turn | "\(.exit_code) \(.error.message // "none")"'; }
run chorus-run a go
expect_status 7
expect_match "$(exit_code)" '^7 .*500'
run chorus-run a --resume
expect_status 10
expect_equal "$(exit_code)" 'null none'

test_case "a turn whose directory is gone says how to get out, and that works"
for way in --resume --approve; do
    rm -rf "$CHORUS_HOME" project
    init a --model anthropic/m --permissions standard
    start_server "$(answers "$(call c bash '{"command": "make"}')" "$(say 'Elsewhere.')")"
    mkdir project
    run chorus-run a go -C project
    expect_status 10
    rmdir project
    case $way in --approve) way="--approve $(db 'SELECT id FROM prompts')" ;; esac
    run chorus-run a $way
    expect_status 2
    expect_match "$err" "error: -C: '.*/project': the turn's directory no longer exists"
    expect_match "$err" 'hint: create it again, or chorus-run a -t [0-9] --cancel-prompts MESSAGE gives up the turn'
    run chorus-run a --cancel-prompts 'never mind'
    expect_status 0
    expect_equal "$out" Elsewhere.
    expect_sound
done

test_case "--retry: a server may number its calls as it did in the answers that left the window"
init a --model anthropic/m
home_key max_retries 0
start_server "$(answers "$(call call_0 no_such_tool '{}')" '{"status": 500}' "$(call call_0 no_such_tool '{}')" '{"status": 500}' \
    "$(call call_0 create_file '{"path": "f", "content": "x"}')" "$(say Done.)")"
run chorus-run a go
expect_status 7
for wanted in 7 0; do
    run chorus-run a --retry
    expect_status $wanted
done
expect_equal "$out" Done.
expect_file "$(work)/f" x
expect_db 'SELECT count(*) FROM tool_runs' 3
expect_sound
stop_server
run chorus-run a -m builtin/script '/ask_user Which?' --on-ask fail
expect_status 11
for try in 1 2; do
    run chorus-run a --retry
    expect_status 11
done
expect_sound

test_case "a transcript that a crash left behind is mended"
init a --model builtin/script
run chorus-run a 'the first thing'
transcript=$CHORUS_HOME/agents/a/branches/main/session.md
cp "$transcript" whole
truncate -s $(($(grep -bo '^<!-- message 2 ' whole | cut -d: -f1) - 1)) "$transcript"
run chorus-run a 'the second thing'
expect_equal "$(head -c "$(stat -c %s whole)" "$transcript")" "$(cat whole)"
expect_match "$(cat "$transcript")" 'the second thing'

test_case "a turn of --fresh sees nothing else when it goes on, also where it was moved or branched"
for way in stay compacted kept packed branch; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m
    summary=$([ $way != compacted ] || say 'A secret was told.')
    start_server "$(answers "$(say 'Noted.')" '{"say": {"text": "never ends"}, "cut_after_bytes": 600, "stall": true}' \
        ${summary:+"$summary"} "$(say 'Whole now.')")"
    run chorus-run a secret
    CHORUS_DRAIN_TIMEOUT_MS=0 chorus-run a alone --fresh >/dev/null 2>&1 </dev/null &
    pid=$!
    wait_for 10 eval '[ "$(request_count)" = 2 ]' || fail 'no request came'
    finish_with "$([ $way = compacted ] && echo TERM || echo KILL)"
    thread=1
    case $way in
        compacted)
            run chorus-context compact a
            expect_status 0
            ;;
        kept)
            run chorus-destroy a --keep-files --yes
            run chorus-init a
            ;;
        packed)
            run chorus-context pack a -o "$scratch/a.tar" --force
            run chorus-destroy a --yes
            run chorus-init a --adopt="$scratch/a.tar" --trust
            ;;
        branch)
            run chorus-context branch a other --at "$(db "SELECT max(id) FROM messages")"
            thread=2
            ;;
    esac
    [ $way = stay ] || expect_status 0
    run chorus-run a -t $thread --resume
    expect_status 0
    expect_equal "$out" 'Whole now.'
    sent=$(jq -c '[.messages[].content[] | select(.type == "text").text]' "$(request "$(request_count)")")
    expect_match "$sent" '^\["alone"'
    expect_no_match "$sent" secret
    expect_match "$(chorus-context show a -t $thread)" secret
    # what is shown is also saved, and can be gone back to
    run chorus-context save a --no-summary --json
    expect_status 0
    expect_match "$(chorus-context export a --session "$(jq -r .id <<<"$out")")" secret
    first=$(chorus-context show a -t $thread --json | jq '.messages[] | select(.content == "secret").id')
    [ -z "$first" ] || run chorus-context rewind a --to "$first" -t $thread
    expect_status 0
done

test_case "a cut turn goes on also where a summary moved after it"
for way in kept packed; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m
    start_server "$(answers "$(say One.)" "$(say Two.)" '{"say": {"text": "never ends"}, "cut_after_bytes": 600, "stall": true}' \
        "$(say 'A summary.')" "$(say 'Whole now.')")"
    run chorus-run a first
    run chorus-run a second
    CHORUS_DRAIN_TIMEOUT_MS=0 chorus-run a third >/dev/null 2>&1 </dev/null &
    pid=$!
    wait_for 10 eval '[ "$(request_count)" = 3 ]' || fail 'no request came'
    finish_with TERM
    run chorus-context compact a
    expect_status 0
    run chorus-context pack a -o "$scratch/a.tar" --force
    if [ $way = kept ]; then
        run chorus-destroy a --keep-files --yes
        run chorus-init a
    else
        run chorus-destroy a --yes
        run chorus-init a --adopt="$scratch/a.tar" --trust
    fi
    expect_status 0
    run chorus-run a --resume
    expect_status 0
    expect_equal "$out" 'Whole now.'
done

test_case "what a signal left undone gets no results behind a restore of its session"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$several" "$(say 'Going on.')")"
export CHORUS_DRAIN_TIMEOUT_MS=0
begin chorus-run a go
finish_with TERM
expect_status 143
unset CHORUS_DRAIN_TIMEOUT_MS
run chorus-context save a --no-summary --json
run chorus-context restore a "$(jq -r .id <<<"$out")"
expect_status 0
run chorus-run a next
expect_status 0
expect_equal "$out" 'Going on.'
expect_acceptable "$(request 2)"
test_case "without -t it goes on with the one thread that can, whichever it is"
init a --model builtin/script --permissions standard
run chorus-run a hello
run chorus-run a --new-thread '/bash echo two'
expect_status 10
run chorus-run a --resume --json
expect_status 10
expect_json '"\(.thread) \(.state)"' '2 input-required'
run chorus-tasks deny "$(db "SELECT id FROM prompts WHERE state = 'pending'")"
run chorus-run a --resume --json
expect_status 0
expect_json '"\(.thread) \(.state) \(.reason)"' '2 completed null'
run chorus-run a --resume --json
expect_status 0
expect_json .reason nothing_to_do

test_case "of several that can go on it lists the commands, and of several that wait how to see what for"
init a --model builtin/script --permissions standard
for i in 1 2 3; do
    run chorus-run a --new-thread "/bash echo $i"
    expect_status 10
done
run chorus-run a --resume
expect_status 10
expect_match "$err" "error: agent 'a': no turn can be resumed; threads 2, 3, 4 wait"
expect_match "$err" 'hint: chorus-tasks pending a lists the questions, chorus-tasks threads a lists the threads'
run chorus-run a --resume --on-ask deny
expect_status 2
expect_match "$err" 'several threads can be resumed: 2, '
for id in $(db "SELECT id FROM prompts ORDER BY rowid LIMIT 2"); do run chorus-tasks deny "$id"; done
for option in --resume --retry; do
    run chorus-run a $option
    expect_status 2
    expect_match "$err" "error: $option: several threads can be resumed: 2, 3
chorus-run: hint: chorus-run a -t 2 $option, or chorus-run a -t 3 $option"
done
run chorus-run a -t 3 --resume
expect_status 0
run chorus-run a --resume --json
expect_status 0
expect_json .thread 2

test_case "a message that waits in the inbox of another thread is delivered"
init a --model builtin/script
run chorus-run a hello
run chorus-run a --new-thread hello
db "INSERT INTO inbox (agent_id, thread_id, source, content, created_at, actor, depth, rights) VALUES (1, 2, 'user', 'queued', 1, '', 0, '')"
run chorus-run a --resume --json
expect_status 0
expect_json .thread 2
expect_match "$out" queued

test_case "a turn at work does not count, one whose process died does"
init a --model builtin/script
run chorus-run a hello
run chorus-run a --new-thread hello
db "UPDATE turns SET state = 'working', ended_at = NULL, pid = $$, pid_start = $(awk '{ print $22 }' /proc/$$/stat) WHERE thread_id = 2"
run chorus-run a --resume --json
expect_json .reason nothing_to_do
db "UPDATE turns SET pid = 1, pid_start = 1 WHERE thread_id = 2"
run chorus-run a --resume --json
expect_json .thread 2

end_tests
