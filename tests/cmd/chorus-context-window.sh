#!/usr/bin/env bash
# needs: time
# The window over time: summaries and branches, cuts that limits made and that limits undo, clocks that were wrong.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

texts() { jq -r '[.messages[].content[] | select(.type == "text").text | select(startswith("<status>") | not)] | join("|")' "$1" |
    tr '\n' ' ' | sed -E 's|<earlier-conversation> This summary replaces the ([0-9]+) messages? before it[^<]*</earlier-conversation>|SUMMARY\1|g; s/ *$//'; } # FILE
sent() { texts "$(request "$(request_count)")"; } # what the last request held
turns() { # FROM TO: turns that say so
    for ((n = $1; n <= $2; ++n)); do run chorus-run a $n; expect_status 0; done
}
server() { start_server "$(answers "$(say 'a summary')" "$(say said)")"; } # what compact asks for comes first
talk() { # TURNS: an agent that has talked
    init a --model anthropic/m
    start_server "$(answers "$(say said)")"
    turns 1 "$1"
}
compacted() { # TURNS: and whose older half a summary stands for
    talk "$1"
    server
    run chorus-context compact a
    expect_status 0
}
expect_prefix() { # REGEX: nothing that was sent stands otherwise
    run chorus-context verify a --prefix
    expect_status 0
    expect_match "$out" "$1"
}

test_case "a branch made after compact keeps the summary, turn after turn"
compacted 4
run chorus-context branch a try
for n in 5 6 7; do
    run chorus-run a -t try $n
    expect_match "$(sent)" "^SUMMARY4\|3\|said\|4\|said\|.*$n\$"
done
run chorus-context branch a again -t try
run chorus-run a -t again 8
run chorus-run a -t again 9
expect_equal "$(sent)" 'SUMMARY4|3|said|4|said|5|said|6|said|7|said|8|said|9'
expect_prefix 'thread 1: 8 messages, nothing changed'
expect_sound

test_case "a cut that comes after compact leaves the summary where it stands"
compacted 4
agent_key a max_messages 5
for n in 5 6 7 8; do
    run chorus-run a $n
    expect_match "$(sent)" "^SUMMARY4\|.*$n\$"
done
expect_equal "$(sent)" 'SUMMARY4|7|said|8'
run chorus-context save a kept --no-summary --json
expect_json .message_count 5
run chorus-context branch a try
run chorus-run a -t try 9
run chorus-run a -t try 10
expect_equal "$(sent)" 'SUMMARY4|9|said|10'
expect_prefix 'thread 2: '
expect_sound

test_case "verify --prefix: compact, and turns after it, break nothing"
compacted 4
expect_prefix '^thread 1: 8 messages, nothing changed$'
turns 5 6
expect_prefix '^thread 1: 12 messages, 1 cut$'
server
run chorus-context compact a
turns 7 8
expect_prefix '^thread 1: 16 messages, 2 cuts$'
run chorus-context rewind a --to "$(db "SELECT id FROM messages WHERE content = '8'")"
run chorus-run a 9
expect_prefix '^thread 1: 18 messages, 2 cuts$'

test_case "verify --prefix: a rewind right behind a summary begins the hashes anew"
compacted 4
run chorus-run a 5
run chorus-context rewind a --to "$(db "SELECT id FROM messages WHERE content = '5'")"
run chorus-run a 6
run chorus-run a 7
expect_prefix '^thread 1: [0-9]+ messages, [12] cuts?$'
expect_equal "$(sent)" 'SUMMARY4|3|said|4|said|6|said|7'

test_case "verify --prefix: --fresh and rewind break nothing"
for back in 2 3 4; do
    rm -rf "$CHORUS_HOME"
    init a --model builtin/script
    run chorus-run a 1
    run chorus-run a 2 --fresh
    run chorus-run a 3
    run chorus-run a 4
    run chorus-context rewind a --to "$(db "SELECT id FROM messages WHERE content = '$back'")"
    expect_prefix '^thread 1: '
    run chorus-run a 5
    run chorus-run a 6
    expect_prefix '^thread 1: .* without a hash'
done

test_case "the undo that rewind prints brings back what the window held, after compact too"
undo() { eval "$(sed -n 's/^  undo: //p' <<<"$out" | sed "s/ BRANCH / $1 /")"; }
for summaries in 0 1 2; do
    rm -rf "$CHORUS_HOME"
    talk 4
    for ((k = 0; k < summaries; ++k)); do
        server
        run chorus-context compact a
        [ $k = 1 ] || run chorus-run a 5
    done
    server
    run chorus-run a ask
    before=$(sent)
    run chorus-context rewind a --to "$(db "SELECT id FROM messages WHERE content = 'ask'")"
    expect_status 0
    undo back >/dev/null || fail 'the undo is refused'
    run chorus-run a -t back more
    expect_equal "$(sent)" "$before|a summary|more"
done
for to in 3 4; do
    rm -rf "$CHORUS_HOME"
    compacted 4
    run chorus-context rewind a --to "$(db "SELECT id FROM messages WHERE content = '$to'")"
    expect_status 0
    printed=$out
    undo back >/dev/null || fail 'the undo is refused'
    server
    run chorus-run a -t back more
    expect_equal "$(sent)" 'SUMMARY4|3|said|4|said|more'
    run chorus-run a 'something else'
    out=$printed
    undo later >/dev/null || fail 'the undo is refused after another turn'
    run chorus-run a -t later more
    expect_equal "$(sent)" 'SUMMARY4|3|said|4|said|more'
done
expect_sound

test_case "a branch at the message that stands for others: the window as it was then, and without it the one before"
compacted 4
run chorus-run a 5
summary=$(db "SELECT id FROM messages WHERE extra LIKE '%compaction%'")
run chorus-context branch a then --at "$summary"
run chorus-run a -t then more
expect_equal "$(sent)" 'SUMMARY4|3|said|4|said|more'
run chorus-context branch a before --at "$summary" --exclude
expect_status 0
run chorus-run a -t before more
expect_equal "$(sent)" '1|said|2|said|3|said|4|said|more'

test_case "what a limit left out comes back when the limit grows; it was left out for no other reason" # A-17
for key in max_messages context_tokens; do
    rm -rf "$CHORUS_HOME"
    talk 6
    limit=agent_key small=3 more=7
    [ $key = max_messages ] || { limit=room small=8 more=300; }
    room() { room_of "$1" "$3" half; }
    $limit a $key $small
    run chorus-run a 7
    expect_match "$(sent)" '^6\|said\|7$|^7$'
    turns 8 9
    $limit a $key $more
    run chorus-context show a --json
    run chorus-run a 10
    expect_status 0
    expect_no_match "$err" 'no longer fit'
    expect_match "$(sent)" '8\|said\|9\|said\|10$'
    agent_key a $key 1000000
    run chorus-run a 11
    expect_equal "$(sent)" '1|said|2|said|3|said|4|said|5|said|6|said|7|said|8|said|9|said|10|said|11'
    expect_no_match "$err" 'no longer fit'
    agent_key a $key $small
    run chorus-run a 12
    expect_match "$(sent)" '12$'
    expect_no_match "$(sent)" '^1\|'
    agent_key a $key 0
    run chorus-run a 13
    expect_match "$(sent)" '^1\|said\|2\|.*13$'
    expect_prefix '^thread 1: 26 messages, [0-9]+ cuts$'
done
expect_sound

test_case "rolling_window: an hour hides what was said before, a day shows it again"
init a --model anthropic/m
start_server "$(answers "$(say said)")"
now=$(date +%s)
at() { CHORUS_NOW_MS=$((now - $1))000 run chorus-run a "$2"; } # SECONDS AGO, TEXT
at 36000 1
at 18000 2
agent_key a rolling_window 3600
at 7200 3
expect_equal "$(sent)" 3
at 7000 4
expect_equal "$(sent)" '3|said|4'
agent_key a rolling_window 21600
at 6800 5
expect_equal "$(sent)" '2|said|3|said|4|said|5'
agent_key a rolling_window 86400
run chorus-run a 6
expect_equal "$(sent)" '1|said|2|said|3|said|4|said|5|said|6'

test_case "what clear, restore, compact or a rewind took out stays out, whatever the limits become"
talk 3
run chorus-context clear a
turns 4 6
agent_key a max_messages 3
turns 7 8
agent_key a max_messages 100
run chorus-run a 9
expect_equal "$(sent)" '4|said|5|said|6|said|7|said|8|said|9'
agent_key a max_messages 7
run chorus-run a 10
server
run chorus-context compact a
expect_status 0
agent_key a max_messages 100
run chorus-run a 11
expect_match "$(sent)" '^SUMMARY[0-9]\|[^4-7]'
kept=$(sent)
run chorus-run a 12
expect_equal "$(sent)" "$kept|said|12"
run chorus-context rewind a --to "$(db "SELECT id FROM messages WHERE content = '11'")"
agent_key a max_messages 200
run chorus-run a 13
expect_equal "$(sent)" "${kept%|11}|13"
run chorus-context save a kept --no-summary --json
id=$(jq -r .id <<<"$out")
run chorus-context restore a "$id"
agent_key a max_messages 0
run chorus-run a 14
expect_match "$(texts "$(request "$(request_count)")" | sed 's/<.*>//')" '\|13\|'
expect_no_match "$(sent)" '^[0-9]*\|?[1-7]\|said'
expect_sound

test_case "context_tokens 1 keeps the turn alone"
talk 3
agent_key a context_tokens 1
run chorus-run a 4
expect_status 0
expect_equal "$(sent)" 4
expect_match "$err" 'notice: 6 messages no longer fit into the window'
run chorus-run a 5
expect_equal "$(sent)" 5
start_server "$(answers "$(call c list_files '{}')" "$(say done)")"
run chorus-run a 6
expect_status 0
expect_equal "$(sent)" 6
expect_acceptable "$(request 2)"
agent_key a auto_compact true
server
run chorus-run a 7
expect_status 0
expect_match "$(sent)" '^SUMMARY[0-9]\|7$'
expect_prefix '^thread 1: '
expect_sound

test_case "a limit that grows in a branch or in a home of the schema before"
talk 6
agent_key a max_messages 3
turns 7 8
run chorus-context branch a try
agent_key a max_messages 100
run chorus-run a -t try 9
expect_equal "$(sent)" '7|said|8|said|9'
db "UPDATE threads SET cut_rolling_window = -1, cut_max_messages = -1, cut_token_budget = -1" # as a migration leaves it
run chorus-run a 9
expect_equal "$(sent)" '1|said|2|said|3|said|4|said|5|said|6|said|7|said|8|said|9'

wrong() { CHORUS_NOW_MS=2208988800000 run "$@"; } # in 2040
notice="notice: agent 'a': its last activity is dated 2040-01-01T"
test_case "a turn under a clock that was wrong: told once, and the window goes by the present clock"
init a --model anthropic/m
start_server "$(answers "$(say said)")"
now=$(date +%s)
at() { CHORUS_NOW_MS=$((now + $1))000 run chorus-run a "$2"; } # SECONDS FROM NOW, TEXT
at 0 1
wrong chorus-run a 2
expect_no_match "$err" 'clock was wrong'
at 10 3
expect_status 0
expect_match "$err" "$notice"
expect_equal "$(sent)" '1|said|2|said|3'
at 20 4
expect_no_match "$err" 'clock was wrong'
at 86500 5
expect_equal "$(sent)" 5
expect_db 'SELECT count(*) FROM messages WHERE timestamp > 2208988000000' 2
expect_db "SELECT last_activity < 2208988000000 AND newest_timestamp < 2208988000000 FROM agents" 1
run chorus-context messages a --until 1d --json
run chorus-context messages a --until "$(date -u -d @$((now + 15)) +%Y-%m-%dT%H:%M:%SZ)" --json
expect_equal "$(jq -r .content <<<"$out" | paste -sd' ')" '1 said 3 said'
expect_sound

test_case "idle-save goes by the present clock"
init a --model builtin/script
run chorus-run a hello
wrong chorus-run a 'in 2040'
run chorus-context idle-save a --idle-timeout 1h --no-summary
expect_status 0
expect_equal "$out" ''
CHORUS_NOW_MS=$(($(date +%s) + 7200))000 run chorus-context idle-save a --idle-timeout 1h --no-summary
expect_match "$out" 'Session saved'
expect_match "$err" "$notice"
expect_match "$out" 'after 1(19|20) minutes'
run chorus-run a again
expect_status 0
expect_db "SELECT last_clear_time < 2208988000000 FROM agents" 1

test_case "restore, a branch and a turn that goes on, behind a turn of 2040"
init a --model anthropic/m
start_server "$(answers "$(say said)")"
run chorus-run a 1
wrong chorus-run a 2
run chorus-context branch a try --at "$(db "SELECT id FROM messages WHERE content = '2'")"
run chorus-run a -t try --resume
expect_equal "$(sent)" '1|said|2'
run chorus-run a 3
expect_equal "$(sent)" '1|said|2|said|3'
run chorus-context save a kept --no-summary -t main
run chorus-context restore a "$(db 'SELECT id FROM sessions')" --no-save
run chorus-run a 4
expect_equal "$(sent)" '1|said|2|said|3|said|4'
expect_db 'SELECT count(*) FROM messages WHERE timestamp > 2208988000000' 2
CHORUS_NOW_MS=$(($(date +%s) + 90000))000 run chorus-run a 5
expect_equal "$(sent)" 5

test_case "a turn that was begun or parked in 2040 goes on now"
init a --model anthropic/m --permissions open
home_key max_retries 0
start_server '{"answers": [{"say": {"text": "one"}}, {"status": 429, "headers": {"retry-after": "600"}, "body": "{}"}, {"say": {"text": "two"}}], "after": "repeat-last"}'
run chorus-run a 1
wrong chorus-run a 2
expect_status 75
run chorus-run a --resume
expect_status 0
expect_match "$err" "$notice"
expect_equal "$(sent)" '1|one|2'

test_case "a second rewind after compact: its own last message, and an undo that brings back what was there"
compacted 6
id_of() { db "SELECT max(id) FROM messages WHERE thread_id = 1 AND content = '$1'"; }
for to in 6 5; do
    run chorus-context rewind a --to "$(id_of $to)" --json
    expect_status 0
    expect_json '"\(.messages) \(.last)"' "2 $(($(id_of $to) + 1))"
done
run chorus-context branch a one --at "$(($(id_of 5) + 1))"
run chorus-run a -t one more
expect_equal "$(sent)" 'SUMMARY6|4|said|5|said|more'
run chorus-context branch a two --at "$(($(id_of 6) + 1))"
run chorus-run a -t two more
expect_equal "$(sent)" 'SUMMARY6|4|said|5|said|6|said|more'
run chorus-context rewind a --to "$(db 'SELECT compaction FROM threads WHERE thread_id = 1')" -t main
expect_status 2
expect_prefix 'thread 1: '
expect_sound

test_case "a branch that ends with a summary has nothing to go on with"
compacted 2
second=$(db "SELECT id FROM messages WHERE content = '2'")
summary=$(db 'SELECT compaction FROM threads WHERE thread_id = 1')
run chorus-context branch a before --at "$second" --exclude
run chorus-context branch a at --at "$summary"
run chorus-context rewind a --to "$second"
expect_status 0
run chorus-context branch a end
for name in before at end; do
    expect_db "SELECT count(*) FROM turns JOIN threads USING (agent_id, thread_id) WHERE branch LIKE '%-$name'" 0
done
requests=$(request_count)
run chorus-context clear a -t end
run chorus-run a -t end --resume
expect_status 0
expect_equal "$(request_count)" "$requests"
run chorus-run a -t before 3
expect_equal "$(sent)" 'SUMMARY2|3'
expect_sound

test_case "a rewind to a message that has left the window is exit 4"
refused() { # TEXT
    before=$(db 'SELECT count(*) FROM messages WHERE compacted_into IS NULL')
    run chorus-context rewind a --to "$(db "SELECT id FROM messages WHERE content = '$1'")"
    expect_status 4
    expect_match "$err" 'it has left the window already'
    expect_match "$err" 'hint: chorus-context branch a BRANCH --at'
    expect_db 'SELECT count(*) FROM messages WHERE compacted_into IS NULL' "$before"
}
init a --model anthropic/m
start_server "$(answers "$(say said)")"
CHORUS_NOW_MS=$(($(date +%s) - 172800))000 run chorus-run a old
turns 1 3
refused old
agent_key a max_messages 3
run chorus-run a 4
refused 2
run chorus-context clear a
turns 5 6
refused 4
run chorus-context rewind a --to "$(db "SELECT id FROM messages WHERE content = '6'")"
expect_status 0

test_case "verify --prefix: summaries that a turn makes, and turns that are killed at each write"
for auto in true false; do
    for when in 1 2 3 4 5 6 7 8; do
        rm -rf "$CHORUS_HOME"
        talk 3
        agent_key a auto_compact $auto
        agent_key a max_messages 5
        { strace -qq -f -o /dev/null -e trace=fdatasync -e "inject=fdatasync:signal=KILL:when=$when" chorus-run a 4 >/dev/null 2>&1 </dev/null; } 2>/dev/null
        run chorus-context verify a --prefix
        expect_status 0
        if [ $((when % 2)) = 0 ]; then run chorus-run a --resume; else run chorus-run a 5; fi
        run chorus-run a 6
        run chorus-context verify a --prefix
        expect_status 0
    done
done

test_case "a turn under a clock that went back hides nothing, before and after the next one"
for wrong in $(($(date +%s) - 172800))000 86400000; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m
    start_server "$(answers "$(say said)")"
    turns 1 2
    CHORUS_NOW_MS=$wrong run chorus-run a 3
    expect_match "$err" 'a clock was wrong'
    expect_equal "$(sent)" '1|said|2|said|3'
    run chorus-context messages a --since 1h --json
    expect_equal "$(jq -r .content <<<"$out" | paste -sd' ')" '1 said 2 said 3 said'
    run chorus-context export a --since 1h --format jsonl
    expect_equal "$(jq -r 'select(.type == "message").content' <<<"$out" | paste -sd' ')" '1 said 2 said 3 said'
    run chorus-context idle-save a --idle-timeout 1h --no-summary
    expect_equal "$out" ''
    run chorus-context save a kept --no-summary --json
    expect_json .message_count 6
    run chorus-context branch a try
    run chorus-run a -t try 4
    expect_equal "$(sent)" '1|said|2|said|3|said|4'
    run chorus-run a -t main 5
    expect_equal "$(sent)" '1|said|2|said|3|said|5'
    run chorus-context branch a then --at "$(db "SELECT max(id) FROM messages WHERE content = '5'")"
    run chorus-run a -t then 6
    expect_equal "$(sent)" '1|said|2|said|3|said|5|6'
    expect_db 'SELECT count(*) FROM messages AS one WHERE timestamp <
        (SELECT max(timestamp) FROM messages WHERE thread_id = one.thread_id AND id < one.id)' 0
    expect_sound
done

test_case "a clock that goes back twice hides nothing either"
init a --model anthropic/m
start_server "$(answers "$(say said)")"
turns 1 1
for days in 2 5; do
    CHORUS_NOW_MS=$(($(date +%s) - days * 86400))000 run chorus-run a "$days days back"
done
run chorus-context messages a --since 1h --json
expect_equal "$(jq -r .content <<<"$out" | paste -sd'|')" '1|said|2 days back|said|5 days back|said'
run chorus-run a 2
expect_equal "$(sent)" '1|said|2 days back|said|5 days back|said|2'
expect_db 'SELECT count(*) FROM messages AS one WHERE timestamp <
    (SELECT max(timestamp) FROM messages WHERE thread_id = one.thread_id AND id < one.id)' 0
expect_db 'SELECT count(*) FROM clock_disputes' 0
expect_sound

test_case "a look under a clock that is behind changes no question"
init a --model builtin/script
run chorus-run a '/bash touch file'
expect_status 10
CHORUS_NOW_MS=$(($(date +%s) - 2592000))000 run chorus-tasks pending
CHORUS_NOW_MS=$(($(date +%s) + 60))000 run chorus-tasks pending
expect_db 'SELECT state FROM prompts' pending

test_case "a session of 2040 is of now"
init b --model builtin/script
run chorus-run b one
wrong chorus-run b two
wrong chorus-context save b later --no-summary
expect_status 0
run chorus-context save b now --no-summary
expect_db "SELECT window_end < 2208988000000 FROM sessions WHERE description = 'now'" 1
run chorus-context history b --json
expect_equal "$(jq -rs 'map(.description) | join(" ")' <<<"$out")" 'now later'

end_tests
