#!/usr/bin/env bash
# A large conversation comes into an agent in parts: other agents go on meanwhile, nobody reads a part of it, and
# where it is killed it is nothing, and is repeated.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

large() { # COUNT: what export would write of so many messages, four to a turn, as FILE large.jsonl
    awk -v count="$1" 'BEGIN {
        print "{\"type\":\"agent\",\"schema\":\"chorus.export/1\",\"origin\":\"o\"}"
        print "{\"type\":\"thread\",\"thread_id\":1,\"branch\":\"main\"}"
        print "{\"type\":\"thread\",\"thread_id\":5,\"branch\":\"main\"}"
        at = "\"2024-01-01T00:00:00Z\""
        for (i = 1; i <= count; i++) {
            if (i % 4 == 1)
                printf "{\"type\":\"turn\",\"id\":%d,\"thread_id\":1,\"state\":\"idle\",\"model\":\"m/m\",\"started_at\":%s}\n", ++turns, at
            printf "{\"type\":\"message\",\"id\":%d,\"thread_id\":1,\"turn_id\":%d,\"role\":\"%s\",\"timestamp\":%s,\"content\":\"zebra m%d of the conversation that moves, w%d w%d w%d\"}\n",
                i, turns, i % 4 == 1 ? "user" : "assistant", at, i, i % 977, i % 769, i % 4001
        }
        printf "{\"type\":\"end\",\"threads\":2,\"turns\":%d,\"messages\":%d,\"sessions\":0}\n", turns, count
    }' >large.jsonl
}
known() { chorus-context messages "$1" --all --json | wc -l; }
expect_nothing_of() { # NAME: there may be rows, but nobody reads them
    run chorus-context messages "$1"
    expect_no_match "$out" zebra
    run chorus-context search zebra
    expect_no_match "$out" zebra
    expect_equal "$(chorus-context export "$1" --format jsonl | tail -n 1 | jq -c '[.threads, .turns, .messages]')" '[1,0,0]'
    run chorus-context pack "$1" -o part.tar --force
    expect_status 0
    expect_equal "$(tar xOf part.tar ./export.jsonl export.jsonl 2>/dev/null | grep -c '"type":"message"')" 0
    run chorus-context verify
    expect_status 0
}
killed_in_the_middle() { # COMMAND …: when some parts are written
    "$@" >/dev/null 2>&1 </dev/null &
    local pid=$!
    wait_for 60 more_than_a_part
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    expect_equal "$(db 'SELECT count(*) FROM imports')" 1
}
more_than_a_part() { [ "$(db 'SELECT count(*) FROM messages')" -gt 2500 ]; }

test_case "import: 60,000 messages stop no agent of the home, and nobody reads a part of them"
init ada --model builtin/script
init ben --model builtin/script
large 60000
chorus-context import ada large.jsonl >import.out 2>&1 &
pid=$!
turns=0 parts=0 longest=0
while kill -0 $pid 2>/dev/null; do
    began=$(date +%s%3N)
    run chorus-run ben hi
    expect_status 0
    took=$(($(date +%s%3N) - began))
    [ "$took" -gt "$longest" ] && longest=$took
    turns=$((turns + 1))
    if [ "$(db 'SELECT count(*) FROM imports')" = 1 ] && [ $((turns % 20)) = 5 ]; then
        parts=$((parts + 1))
        count=$(chorus-context export ada --format jsonl | wc -l)
        [ "$count" = 3 ] || [ "$count" = 75004 ] || fail "a part is seen: $count lines"
    fi
done
wait $pid
expect_equal "$(cat import.out)" '60000 messages imported'
[ "$parts" -gt 0 ] || fail 'nobody looked at it meanwhile'
[ "$longest" -lt 3000 ] || fail "a turn of another agent took $longest ms"
expect_equal "$(known ada)" 60000
expect_db 'SELECT count(*) FROM imports' 0
expect_db "SELECT turn_count FROM agents WHERE name = 'ada'" 15000

test_case "import: killed in the middle it is nothing, and is repeated"
init ada --model builtin/script
large 8000
killed_in_the_middle chorus-context import ada large.jsonl
run chorus-config doctor
expect_match "$out" "agent 'ada': an import into it was interrupted"
expect_nothing_of ada
run chorus-context import ada large.jsonl
expect_equal "$out" '8000 messages imported'
expect_equal "$(known ada)" 8000
expect_db 'SELECT count(*) FROM messages' 8000
expect_db 'SELECT count(*) FROM messages_fts_docsize' 8000
expect_db 'SELECT count(*) FROM turns' 2000
run chorus-context import ada large.jsonl
expect_equal "$out" '0 messages imported, 8000 already present'
expect_sound

for command in 'chorus-run ada hi' 'chorus-config doctor --fix' 'chorus-config trim'; do
    test_case "import: what is left where it was killed is removed by $command"
    init ada --model builtin/script
    large 8000
    killed_in_the_middle chorus-context import ada large.jsonl
    run $command
    expect_status 0
    expect_db 'SELECT count(*) FROM imports' 0
    expect_db "SELECT count(*) FROM messages WHERE content LIKE 'zebra%'" 0
    expect_db 'SELECT group_concat(thread_id) FROM threads' 1
    expect_sound
done

test_case "restore: a large window in parts; killed in the middle it is nothing, and is repeated"
init ada --model builtin/script
large 8000
run chorus-context import ada large.jsonl
db "UPDATE messages SET timestamp = $(date +%s)000, extra = iif(role = 'user', json('{\"starts_turn\":true}'), NULL)"
run chorus-context save ada kept --no-summary
expect_match "$out" '8000 messages'
run chorus-context clear ada
run chorus-run ada here
more_than_a_part() { [ "$(db 'SELECT count(*) FROM messages')" -gt 9500 ]; }
restore=(chorus-context restore ada "$(db 'SELECT id FROM sessions')" --no-save)
window() { chorus-context save ada seen --no-summary --json | jq .message_count; }
killed_in_the_middle "${restore[@]}"
expect_equal "$(window)" 2
run "${restore[@]}"
expect_status 0
expect_equal "$(window)" 8000
expect_db 'SELECT count(*) FROM imports' 0
expect_db 'SELECT count(*) FROM messages' 16002
expect_db 'SELECT count(*) FROM messages_fts_docsize' 16002
expect_db 'SELECT count(*) FROM messages AS one JOIN messages AS before ON before.id = one.id - 1 WHERE one.timestamp < before.timestamp' 0
run chorus-context verify ada --prefix
expect_status 0
expect_sound

test_case "import and restore: one signal ends them, and nobody reads a part of them"
interrupted_in_the_middle() { # COMMAND …
    "$@" >interrupted.out 2>&1 </dev/null &
    local pid=$!
    wait_for 60 more_than_a_part
    kill -TERM "$pid"
    wait "$pid"
    expect_equal "$? $(cat interrupted.out)" '143 chorus-context: error: interrupted'
    expect_db 'SELECT count(*) FROM imports' 1
}
more_than_a_part() { [ "$(db 'SELECT count(*) FROM messages')" -gt 2500 ]; }
init ada --model builtin/script
large 20000
interrupted_in_the_middle chorus-context import ada large.jsonl
expect_nothing_of ada
run chorus-context import ada large.jsonl
expect_equal "$out" '20000 messages imported'
db "UPDATE messages SET timestamp = $(date +%s)000, extra = iif(role = 'user', json('{\"starts_turn\":true}'), NULL)"
run chorus-context save ada kept --no-summary
expect_match "$out" '20000 messages'
run chorus-context clear ada
more_than_a_part() { [ "$(db 'SELECT count(*) FROM messages')" -gt 22500 ]; }
interrupted_in_the_middle chorus-context restore ada "$(db 'SELECT id FROM sessions')" --no-save
expect_equal "$(chorus-context save ada seen --no-summary --allow-empty --json | jq .message_count)" 0
expect_sound

test_case "adoption: killed in the middle of its conversation there is no agent, and it is repeated"
init ada --model builtin/script
large 8000
run chorus-context import ada large.jsonl
run chorus-context pack ada -o ada.tar
export CHORUS_HOME=$scratch/other
more_than_a_part() { [ "$(db 'SELECT count(*) FROM messages')" -gt 2500 ]; }
init ben --model builtin/script
killed_in_the_middle chorus-init ada --adopt="$scratch/ada.tar"
run chorus-context search zebra
expect_no_match "$out" zebra
run chorus-init ada --adopt="$scratch/ada.tar"
expect_status 0
expect_match "$out" '8000 messages of its conversation imported'
expect_equal "$(known ada)" 8000
expect_db 'SELECT count(*) FROM messages' 8000
expect_db 'SELECT count(*) FROM imports' 0
expect_sound
mkdir "$scratch/unpacked" && tar xf "$scratch/ada.tar" -C "$scratch/unpacked"
mv "$scratch/unpacked" "$CHORUS_HOME/agents/cyd"
killed_in_the_middle() { # as above, of which there are messages before
    "$@" >/dev/null 2>&1 </dev/null &
    local pid=$!
    wait_for 60 more_than_before
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
}
more_than_before() { [ "$(db 'SELECT count(*) FROM messages')" -gt 10500 ]; }
killed_in_the_middle chorus-init cyd --adopt
run chorus-init cyd --adopt
expect_status 0
expect_equal "$(known cyd)" 8000
expect_db 'SELECT count(*) FROM messages' 16000
expect_sound

end_tests
