#!/usr/bin/env bash
# needs: time
# What was read before a wait is read again after it: status, generation, configuration.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

work() { printf '%s/agents/a/workspace' "$CHORUS_HOME"; }
busy() { # a turn whose command waits for the file `go`, in $pid
    rm -f "$(work)/began" "$(work)/go"
    chorus-run a -m builtin/script '/bash touch began; until [ -e go ]; do sleep 0.05; done' >/dev/null 2>&1 </dev/null &
    pid=$!
    wait_for 10 test -e "$(work)/began" || fail 'the turn did not come to its command'
}
waiting() { # COMMAND …: in the background, in $waiter, until it waits for a lock
    "$@" >"$scratch/waiter.out" 2>"$scratch/waiter.err" </dev/null &
    waiter=$!
    sleep 0.7
    kill -0 $waiter 2>/dev/null || fail "it did not wait: $(cat "$scratch/waiter.err")"
}
waited() { # STATUS: that the waiting command has
    wait $waiter
    status=$? out=$(cat "$scratch/waiter.out") err=$(cat "$scratch/waiter.err")
    expect_status "$1"
}
hold() { # LOCK: exclusively, by nobody that chorus knows, in $holder
    rm -f "$scratch/held"
    perl -e 'use Fcntl; open my $f, "+>>", $ARGV[0] or die; my $lock = pack "s s x![l!] l! l! i x![l!]", F_WRLCK, 0, 0, 1 << 62, 0;
        fcntl($f, 37, $lock) or die "lock: $!"; open my $g, ">", $ARGV[1]; close $g; sleep 60' "$CHORUS_HOME/locks/$1" "$scratch/held" &
    holder=$!
    wait_for 5 test -e "$scratch/held" || fail "no lock of $1"
}
let_go() { kill $holder; wait $holder 2>/dev/null; }

test_case "no turn begins, goes on, or is queued in an agent that is being destroyed or is another one by then"
for way in 'hello --wait' '--new-thread hello --wait' '--resume --wait' '--retry --wait' '--inbox --wait' 'hello --queue'; do
    for gone in destroying destroyed; do
        for lock in agent-1 agent-1-thread-1; do
            case "$way $lock" in *--new-thread*thread-1 | *--queue*agent-1) continue ;; esac
            rm -rf "$CHORUS_HOME"
            init a --model builtin/script
            run chorus-run a 'first'
            db "UPDATE turns SET state = 'error'; INSERT INTO inbox (agent_id, thread_id, source, content, created_at) VALUES (1, 1, 'user', 'waits', 1)"
            before=$(db "SELECT (SELECT count(*) FROM messages) || ' ' || (SELECT count(*) FROM turns WHERE attempt = 1) || ' ' || (SELECT count(*) FROM inbox) || ' ' || (SELECT count(*) FROM threads)")
            hold $lock
            waiting chorus-run a $way
            db "UPDATE agents SET status = '$gone' WHERE id = 1"
            let_go
            waited 4
            expect_match "$err" "agent 'a': it (is being|was) destroyed"
            expect_db "SELECT (SELECT count(*) FROM messages) || ' ' || (SELECT count(*) FROM turns WHERE attempt = 1) || ' ' || (SELECT count(*) FROM inbox) || ' ' || (SELECT count(*) FROM threads)" "$before"
        done
    done
done

test_case "--inbox takes no lock where no message can begin a turn, so that a task which ends keeps nobody from the thread"
init a --model builtin/script --permissions standard
hold agent-1-thread-1
run timeout 5 chorus-run a --inbox --wait
expect_status 0
let_go
run chorus-run a '/bash make it'
expect_status 10
run chorus-run a --queue 'and this'
hold agent-1-thread-1
run timeout 5 chorus-run a --inbox --wait
expect_status 10
let_go
expect_db 'SELECT count(*) FROM inbox WHERE delivered_turn IS NULL' 1
run chorus-run a --cancel-prompts 'new'
expect_status 0
expect_db 'SELECT count(*) FROM inbox WHERE delivered_turn IS NULL' 0

test_case "what saves, clears or compacts an agent does not do it to the next one of that name"
for verb in 'save --no-summary' 'clear --save --no-summary' 'compact' 'restore 1'; do
    rm -rf "$CHORUS_HOME"
    init a --model builtin/script
    run chorus-run a 'of the first'
    run chorus-run a 'of the first too'
    run chorus-context save a --no-summary
    case $verb in restore*) verb="restore $(db 'SELECT id FROM sessions')" ;; esac
    set -- $verb
    hold agent-1
    waiting chorus-context "$1" a "${@:2}" --wait
    db "UPDATE agents SET status = 'destroyed', destroyed_at = 1 WHERE id = 1"
    mv "$CHORUS_HOME/agents/a" "$scratch/first"
    init a --model builtin/script
    let_go
    waited 4
    expect_db 'SELECT count(*) FROM messages WHERE agent_id = 2' 0
    expect_db 'SELECT count(*) FROM sessions WHERE agent_id = 2' 0
    rm -rf "$scratch/first"
done

test_case "nor to the next one whose predecessor went while the model was asked for a summary"
for verb in save 'clear --save' compact; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m
    for n in 1 2 3; do run chorus-run a -m builtin/script "of the first $n"; done
    start_server '{"answers": [{"say": {"text": "a summary of the first"}, "delay_ms": 1500}], "after": "repeat-last"}'
    set -- $verb
    chorus-context "$1" a "${@:2}" >"$scratch/waiter.out" 2>"$scratch/waiter.err" </dev/null &
    waiter=$!
    wait_for 10 eval '[ "$(request_count)" = 1 ]' || fail 'the model was not asked'
    db "UPDATE agents SET status = 'destroyed', destroyed_at = 1 WHERE id = 1"
    mv "$CHORUS_HOME/agents/a" "$scratch/first"
    init a --model anthropic/m
    for n in 1 2 3; do run chorus-run a -m builtin/script "of the second $n"; done
    waited 4
    expect_match "$err" "agent 'a': it was destroyed"
    expect_db 'SELECT count(*) FROM messages WHERE agent_id = 2' 6
    expect_db 'SELECT count(*) FROM sessions WHERE agent_id = 2' 0
    expect_db 'SELECT last_clear_message FROM agents WHERE id = 2' 0
    stop_server
    rm -rf "$scratch/first"
done

test_case "what was configured during the wait holds: limits, profiles, directory, current branch"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$(call c bash '{"command": "echo ran >>effect; echo $SEEN >>effect"}')" "$(say Done.)")"
busy
waiting chorus-run a hello --wait
home_key limits '{"permissions": "locked", "budget": {"tokens_per_turn": 100000}}'
touch "$(work)/go"
wait $pid
waited 0
expect_missing "$(work)/effect"
expect_match "$(db "SELECT group_concat(content) FROM messages WHERE role = 'tool_result' AND tool_call_id = 'c'")" '^denied'
rm "$CHORUS_HOME/config.json"
mkdir there
busy
waiting chorus-run a hello --wait -C there
rmdir there
touch "$(work)/go"
wait $pid
waited 2
expect_match "$err" 'not a directory'
run chorus-context branch a other
hold agent-1
waiting chorus-run a -m builtin/script 'to the branch' --wait
ln -sfn "$(db "SELECT branch FROM threads WHERE thread_id = 2")" "$CHORUS_HOME/agents/a/new" && mv -T "$CHORUS_HOME/agents/a/new" "$(dirname "$(find "$CHORUS_HOME/agents/a" -name current -type l)")/current"
let_go
waited 0
expect_db "SELECT thread_id FROM messages WHERE content = 'to the branch'" 2

test_case "--wait=TIME is for all locks together"
init a --model builtin/script
hold agent-1
first=$holder
hold agent-1-thread-1
(sleep 1 && kill $first) &
start=$(date +%s%3N)
run chorus-run a hello --wait=2s
expect_status 75
[ $(($(date +%s%3N) - start)) -lt 2900 ] || fail 'it waited longer'
let_go

end_tests
