#!/usr/bin/env bash
# needs: time
# The channel beside the transcript: what is posted to a webhook or given to a command, in which pieces, and
# what becomes of a turn whose channel fails. L-07 L-08
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

webhook() { # ANSWER …: agent a posts to a server that answers so
    init a --model builtin/script
    start_server "$(answers "$@")"
    home_key limits '{"private_webhooks": true}'
    agent_key a channel_id "\"webhook:http://127.0.0.1:$port/hooks/tok3n-of-the-url\""
}
command() { # SHELL: agent a with a command channel
    init a --model builtin/script
    agent_key a channel_id "$(jq -nc --arg shell "$1" '"command:" + $shell')"
}
ok='{"status": 204}'
status() { jq -nc --argjson status "$1" --argjson headers "${2:-{\}}" --arg body "${3:-}" '{status: $status, headers: $headers, body: $body}'; }
posts() { find "$scratch/log" -name '*.json' | wc -l; }
content() { jq -r .content "$(request "$1")"; }
all_posts() { jq -sj 'map(.content) | join("")' "$scratch"/log/*.json; }
work() { printf '%s/agents/a/workspace/%s' "$CHORUS_HOME" "$1"; }
failures() { db "SELECT action_string || ' ' || decision || ' ' || detail FROM audit_log WHERE action_string LIKE 'channel:%'"; }
elapsed_ms() { echo $((($(date +%s%N) - began) / 1000000)); }
no_failure() {
    expect_equal "$err" ''
    expect_db "SELECT count(*) FROM audit_log WHERE action_string LIKE 'channel:%'" 0
}

test_case "an answer is posted, and nothing else of the turn"
webhook "$ok"
run chorus-run a 'hello
/create_file path=x content=y'
expect_status 0
no_failure
expect_equal "$(posts)" 1
expect_equal "$(jq -c 'keys' "$(request 1)")" '["content"]'
expect_equal "$(content 1)" "$out"
head=$(tr -d '\r' <"$scratch/log/0001.head")
expect_match "$head" '^POST /hooks/tok3n-of-the-url HTTP/1\.1'
expect_match "$head" 'Content-Type: application/json'
expect_db "SELECT channel_id LIKE 'webhook:%' FROM agents" 1

test_case "no channel: nothing but the transcript" # L-07
init a --model builtin/script
expect_equal "$(jq .channel_id "$CHORUS_HOME/agents/a/agent.json")" null
run chorus-run a hello
expect_status 0
no_failure
expect_match "$(cat "$CHORUS_HOME/agents/a/branches/main/session.md")" '## Assistant'
expect_missing "$CHORUS_HOME/locks/agent-1-channel"

test_case "several agents have the same channel, or none, and what is kept of one is not another's" # X-37
mkdir -m 700 "$CHORUS_HOME"
for name in a b c d; do
    case $name in a | b) channel=(--channel 'command:cat >>posted') ;; *) channel=() ;; esac
    run chorus-init $name --model builtin/script "${channel[@]}"
    expect_status 0
done
for name in a b; do
    run chorus-run $name "from $name"
    expect_status 0
    expect_match "$(cat "$CHORUS_HOME/agents/$name/workspace/posted")" "from $name"
done
expect_db "SELECT count(*) FROM agents WHERE coalesce(channel_id, '') = ''" 2
edit_agent_key c permissions '"open"'
run chorus-run c hello
expect_match "$err" 'agent.json'
run chorus-run d hello
expect_equal "$err" ''

test_case "chorus-init posts the welcome message, with system prompt and profile" # L-08
start_server "$(answers "$ok")"
mkdir -m 700 "$CHORUS_HOME"
home_key limits '{"private_webhooks": true}'
run chorus-init a --model builtin/script --system-prompt 'Be terse.' --channel "webhook:http://127.0.0.1:$port/x"
expect_status 0
expect_equal "$err" ''
expect_equal "$(posts)" 1
expect_match "$(content 1)" 'Permissions: standard.*Be terse\.'
run chorus-init a --model builtin/script --exist-ok --channel "webhook:http://127.0.0.1:$port/x"
expect_status 0
expect_equal "$(posts)" 1
run chorus-init b --model builtin/script --channel 'webhook:http://127.0.0.1:9/x' --json
expect_status 0
expect_json .agent b
expect_match "$err" '^chorus-init: notice: channel: not posted: connection refused: 127\.0\.0\.1:9$'

test_case "what is no channel is refused, and nothing is made"
while IFS='|' read -r channel problem; do
    run chorus-init a --model builtin/script --channel "$channel"
    expect_status 2
    expect_equal "$(head -1 <<<"$err")" "chorus-init: error: --channel: $problem"
    expect_match "$err" '^[^
]*
chorus-init: hint: use webhook:https://HOST/PATH to post, or command:SHELL to run a command$'
    expect_missing "$CHORUS_HOME/agents/a"
done <<'END'
C0123|neither webhook:URL nor command:SHELL
https://hooks.example/x|neither webhook:URL nor command:SHELL
webhook:|the URL does not begin with https://
webhook:ftp://hooks.example/x|the URL does not begin with https://
webhook:http://hooks.example/x|plain http is for loopback addresses only; use https
webhook:https:///x|the URL has no host
webhook:https://hooks.example/a b|the URL contains a blank or a control character
command:|the command is empty
command: |the command is empty
END
init a --model builtin/script
run chorus-config set -A a channel_id slack
expect_status 3
expect_match "$err" 'error: set: channel_id: neither webhook:URL nor command:SHELL'
edit_agent_key a channel_id '"webhook:http://hooks.example/tok3n"'
run chorus-run a hi
expect_status 3
expect_one_error 'agent.json: channel_id: plain http'
expect_no_match "$err" tok3n

test_case "private addresses are not posted to unless config.json says so"
webhook "$ok"
home_key limits '{}'
run chorus-run a hello
expect_status 0
expect_match "$out" hello
expect_equal "$err" "chorus-run: notice: channel: not posted: a private address: 127.0.0.1:$port"
expect_equal "$(posts)" 0
expect_equal "$(failures)" "channel:webhook allow not posted: a private address: 127.0.0.1:$port"

test_case "only what a person set is posted to"
webhook "$ok"
edit_agent_key a channel_id "\"webhook:http://127.0.0.1:$port/of-somebody-else\""
run chorus-run a hello
expect_status 0
expect_match "$err" 'not in force until a person approves it: channel_id'
for head in "$scratch"/log/*.head; do expect_match "$(cat "$head")" '^POST /hooks/tok3n-of-the-url '; done
expect_equal "$(posts)" 2
expect_match "$(content 1)" 'agent.json: not in force until a person approves it: channel_id'
expect_match "$(content 1)" '    chorus-config trust a'
run chorus-run a again
expect_equal "$(posts)" 3

test_case "a long answer is split in order, code blocks closed and opened again"
{
    for i in {1..150}; do echo "line $i of an answer that is long"; done
    echo '```py'
    for i in {1..150}; do echo "print($i)  # äöü and more of it"; done
    echo '```'
    echo 'the end'
} >long
webhook "$(say "$(cat long)")" "$ok"
run chorus-run a -m anthropic/m hello
expect_status 0
no_failure
rm "$(request 1)"
count=$(posts)
[ "$count" -ge 5 ] && [ "$count" -le 9 ] || fail "$count posts"
for i in $(seq 2 $((count + 1))); do
    [ "$(jq '.content | length' "$(request "$i")")" -le 2000 ] || fail "post $i is too long"
    expect_equal "$(($(content "$i" | grep -c '^```') % 2))" 0
done
expect_equal "$(all_posts | grep -v '^```')" "$(grep -v '^```' <<<"$out")"

test_case "a server that asks for a pause gets it, and everything arrives once, in order"
webhook "$ok" "$(status 429 '{"retry-after": "1"}')" "$ok" "$(status 429 '{"retry-after": "0.3"}' '{"retry_after": 0.3}')" "$ok"
seq -f 'line %g of something that takes four posts or more, each of two thousand characters' 1 90 >long
began=$(date +%s%N)
run_stdin long chorus-run a
expect_status 0
no_failure
took=$(elapsed_ms)
[ "$took" -ge 1300 ] && [ "$took" -lt 8000 ] || fail "it took $took ms"
expect_equal "$(request 2 | xargs cat)" "$(request 3 | xargs cat)"
expect_equal "$(request 4 | xargs cat)" "$(request 5 | xargs cat)"
rm "$(request 2)" "$(request 4)"
expect_equal "$(all_posts)" "$out"

test_case "a pause that is too long is not waited for, and what was posted is told"
webhook "$ok" "$(status 429 '{"retry-after": "3600"}' '{"message": "You are being rate limited."}')"
seq -f 'line %g of something that takes three posts, each of at most two thousand characters' 1 50 >long
began=$(date +%s%N)
run_stdin long chorus-run a --json
expect_status 0
expect_json '"\(.state) \(.exit_code)"' 'completed 0'
[ "$(elapsed_ms)" -lt 5000 ] || fail "it took $(elapsed_ms) ms"
expect_equal "$err" 'chorus-run: notice: channel: not posted: 127.0.0.1: HTTP 429: {"message": "You are being rate limited."}; the next attempt would be in 3600 s; 1 of 3 parts were posted'
expect_equal "$(posts)" 2
expect_match "$(failures)" '^channel:webhook allow not posted: 127\.0\.0\.1: HTTP 429'
expect_sound

test_case "a server that fails is tried three times; one that refuses once"
webhook "$(status 500)" "$(status 503 '{"retry-after": "0"}')" "$ok" "$(status 500)"
run chorus-run a hello
expect_status 0
no_failure
expect_equal "$(posts)" 3
expect_equal "$(content 3)" "$out"
run chorus-run a 'hello again'
expect_status 0
expect_match "$out" 'hello again'
expect_equal "$err" 'chorus-run: notice: channel: not posted: 127.0.0.1: HTTP 500'
expect_equal "$(posts)" 6
for code in 400 404 302; do
    start_server "$(answers "$(status "$code" '{"location": "http://127.0.0.1:1/elsewhere"}' $'no\e[31m\nsuch hook')")"
    agent_key a channel_id "\"webhook:http://127.0.0.1:$port/hooks/tok3n-of-the-url\""
    run chorus-run a hello
    expect_status 0
    expect_equal "$err" "chorus-run: notice: channel: not posted: 127.0.0.1: HTTP $code: no\\x1b[31m\\nsuch hook"
    expect_equal "$(posts)" 1
done
expect_no_match "$(failures)$err" tok3n

test_case "no time is lost to a server that is silent, cut, or not there"
export CHORUS_CHANNEL_TIMEOUT_MS=700
for answer in '{"delay_ms": 60000}' '{"stall": true, "cut_after_bytes": 0, "status": 500}'; do
    webhook "$answer"
    began=$(date +%s%N)
    run chorus-run a hello
    expect_status 0
    expect_match "$out" hello
    [ "$(elapsed_ms)" -lt 4000 ] || fail "it took $(elapsed_ms) ms: $answer"
    expect_match "$err" '^chorus-run: notice: channel: not posted: .*127\.0\.0\.1'
    rm -rf "$CHORUS_HOME"
done
for answer in '{"reset": true}' '{"hang_up": true}'; do
    webhook "$answer"
    run chorus-run a hello
    expect_status 0
    expect_match "$err" '^chorus-run: notice: channel: not posted: [^
]*127\.0\.0\.1:[0-9]+$'
    rm -rf "$CHORUS_HOME"
done
webhook "$ok"
kill "$server_pid" && wait "$server_pid"
run chorus-run a hello
expect_status 0
expect_equal "$err" "chorus-run: notice: channel: not posted: connection refused: 127.0.0.1:$port"
expect_sound
unset CHORUS_CHANNEL_TIMEOUT_MS

test_case "what was taken counts, whatever the answer says"
webhook '{"status": 200, "body": "garbage \u0000 <html>", "cut_after_bytes": 3, "reset": true}'
run chorus-run a hello
expect_status 0
no_failure
expect_equal "$(posts)" 1

test_case "CHORUS_CHANNEL_TIMEOUT_MS=0 posts nothing; what is no time is told"
webhook "$ok"
CHORUS_CHANNEL_TIMEOUT_MS=0 run chorus-run a hello
expect_status 0
no_failure
expect_equal "$(posts)" 0
CHORUS_CHANNEL_TIMEOUT_MS=soon run chorus-run a hello
expect_status 0
expect_match "$err" '^chorus-run: notice: channel: .*CHORUS_CHANNEL_TIMEOUT_MS'

test_case "the answer is printed before it is posted, and a signal ends the waiting, not the answer"
webhook '{"delay_ms": 60000}'
chorus-run a hello >turn.out 2>turn.err &
turn=$!
wait_for 20 test -s turn.out || fail 'nothing was printed'
expect_match "$(cat turn.out)" hello
expect_db "SELECT state FROM turns" idle
run chorus-run a -t main --resume # the thread is free meanwhile
expect_status 0
kill -TERM "$turn"
wait "$turn"
status=$?
expect_status 0
expect_match "$(cat turn.err)" '^chorus-run: notice: channel: not posted: interrupted$'

test_case "killed while it posts: the turn is whole, and nothing is left"
webhook '{"delay_ms": 60000}'
chorus-run a hello >turn.out 2>turn.err &
turn=$!
wait_for 20 test -s "$scratch/log/0001.json" || fail 'nothing was posted'
kill -KILL "$turn"
wait "$turn" 2>/dev/null
expect_match "$(cat turn.out)" hello
expect_db "SELECT state || ' ' || exit_code FROM turns" 'idle 0'
expect_sound
start_server "$(answers "$ok")"
agent_key a channel_id "\"webhook:http://127.0.0.1:$port/x\""
run chorus-run a again
expect_status 0
no_failure
expect_equal "$(posts)" 1

test_case "who waits is told with the command to decide, once; the answer comes after it"
webhook "$ok"
run chorus-run a '/bash echo hi' --json
expect_status 10
id=$(jq -r '.pending[0].id' <<<"$out")
expect_equal "$(posts)" 1
expect_match "$(content 1)" "^Waits for a person"
expect_match "$(content 1)" "$id: tool:bash:echo hi"
expect_match "$(content 1)" "    chorus-run a --approve $id
    chorus-run a --deny $id"
expect_match "$(cat "$CHORUS_HOME/agents/a/branches/main/session.md")" "chorus-run a --approve $id"
run chorus-run a 'something else'
expect_status 10
expect_equal "$(posts)" 1
run chorus-run a --approve "$id"
expect_status 0
expect_equal "$(posts)" 2
expect_equal "$(content 2)" "$out"

test_case "a turn that fails or is cut short says so there"
webhook "$ok"
run chorus-run a '/view path=.
/view path=.' --max-iterations 1
expect_status 9
expect_match "$(all_posts)" 'Turn 1 of a: turn: '
posted=$(posts)
run chorus-run a --idempotency-key k hello
expect_equal "$(posts)" $((posted + 1))
run chorus-run a --idempotency-key k hello
expect_status 0
expect_equal "$(posts)" $((posted + 1))

test_case "keys leave by no channel"
webhook "$ok"
run chorus-run a 'my key is sk-ant-api03-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA and http://127.0.0.1/hooks/tok3n-of-the-url'
expect_status 0
no_failure
expect_match "$(all_posts)" 'my key is \[redacted:'
expect_no_match "$(cat "$scratch"/log/*.json)" 'sk-ant-api03-A'
run chorus-run a "webhook of mine: http://127.0.0.1:$port/hooks/tok3n-of-the-url"
expect_no_match "$(content 2)" tok3n

test_case "two at once: the parts of each stay together"
webhook "$ok"
for who in one two; do
    seq -f "line %g of $who, which takes two posts, each of at most two thousand characters" 1 45 >"$who.txt"
    chorus-run a --new-thread <"$who.txt" >"$who.out" 2>"$who.err" &
    turns+=($!)
done
wait "${turns[@]}"
expect_equal "$(all_posts | grep -oE 'of (one|two),' | uniq | wc -l)" 2
expect_equal "$(all_posts | grep -c '^line')" 90

test_case "posts come in the order of the turns, however slowly the answer of one is read"
command "cat >>$(work posted); echo >>$(work posted)"
long=$(printf 'x%.0s' {1..100000})
start_server "$(answers "$(say "FIRST $long")" "$(say SECOND)")"
mkfifo slow
chorus-run a -m anthropic/m one >slow 2>/dev/null </dev/null &
first=$!
exec 7<slow
wait_for 10 in_db "SELECT count(*) FROM turns WHERE state = 'idle'" 1 || fail 'the first turn did not end'
run chorus-run a -m anthropic/m --wait=30s two
expect_equal "$out" SECOND
expect_equal "$(grep -oE 'FIRST|SECOND' "$(work posted)" | tr '\n' ' ')" 'FIRST SECOND '
cat <&7 >/dev/null
exec 7<&-
wait $first
expect_equal "$(grep -cE 'FIRST|SECOND' "$(work posted)")" 2
expect_db 'SELECT count(*) FROM outbox' 0
expect_db "SELECT count(*) FROM audit_log WHERE action_string LIKE 'channel:%'" 0

test_case "a command gets the whole answer on stdin, in the sandbox, with a clean environment"
export SECRET_OF_MINE=x
command 'cat >>got; env | sort >environment; tty >terminal 2>&1; pwd >place; echo noise; echo more >&2'
for i in {1..100}; do echo "line $i of an answer of more than two thousand characters"; done >long
run_stdin long chorus-run a
unset SECRET_OF_MINE
expect_status 0
no_failure
expect_file "$(work got)" "$out"
[ "${#out}" -gt 4000 ] || fail 'it was to be longer'
names=$(cut -d= -f1 "$(work environment)" | grep -vxE '_|PWD|SHLVL|OLDPWD' | paste -sd' ')
expect_match "$(cat "$(work environment)")" 'CHORUS_AGENT=a'
expect_no_match "$names" 'SECRET|CHORUS_HOME|KEY'
expect_equal "$(cat "$(work terminal)")" 'not a tty'
expect_equal "$(cat "$(work place)")" "$(work '' | sed 's:/$::')"
expect_equal "$out" "$(cat "$(work got)")"
run chorus-run a '/view path=got'
expect_no_match "$out$err" noise

test_case "a command may decide nothing"
command "chorus-tasks pending >list 2>&1; chorus-tasks approve \$(cut -f1 list) >said 2>&1; cat >got"
home_key sandbox '"off"'
run chorus-run a '/bash echo hi'
expect_status 10
expect_match "$(cat "$(work said)")" 'error: '
expect_db "SELECT state FROM prompts" pending

test_case "a command that fails, hangs, dies, or does not listen changes no turn"
while IFS='|' read -r shell problem; do
    command "$shell"
    CHORUS_CHANNEL_TIMEOUT_MS=2000 run chorus-run a hello --json
    expect_status 0
    expect_json '"\(.state) \(.exit_code)"' 'completed 0'
    expect_equal "$err" "${problem:+chorus-run: notice: channel: not posted: $problem}"
    expect_db "SELECT count(*) FROM audit_log WHERE action_string = 'channel:command'" $((${#problem} > 0))
    expect_sound
    rm -rf "$CHORUS_HOME"
done <<'END'
exit 3|the command ended with exit status 3
echo first >&2; echo "no such queue" >&2; exit 4|the command ended with exit status 4: no such queue
printf 'a\033[2Jb'; exit 1|the command ended with exit status 1: a\x1b[2Jb
no-such-program-at-all 2>/dev/null|the command ended with exit status 127
kill -9 $$|the command ended with exit status 137
exec <&-; sleep 0.2|
head -c 3 >/dev/null|
true|
head -c 3000000 /dev/zero|
cat >/dev/null; sleep 60.125|the command did not end within 2 s and was ended
trap '' TERM; while :; do sleep 1; done|the command did not end within 2 s and was ended
END
! running 'sleep 60.125' || fail 'it still sleeps'

test_case "killed while its command runs: the command ends too"
command 'cat >/dev/null; sleep 47.47'
chorus-run a hello >turn.out 2>turn.err &
turn=$!
wait_for 20 running 'sleep 47.47' || fail 'it was not started'
expect_match "$(cat turn.out)" hello
kill -KILL "$turn"
wait "$turn" 2>/dev/null
! wait_for 5 running 'sleep 47.47' || sleep 1
! running 'sleep 47.47' || fail 'it was left'
expect_sound

end_tests
