#!/usr/bin/env bash
# Credential profiles: a rate limit makes the next one active, for all processes; a turn whose
# profiles are all limited is parked.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

limited() { # [RETRY-AFTER]: what a limited key gets
    jq -nc --arg after "${1-}" '{status: 429, body: "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow\"}}"}
        + if $after == "" then {} else {headers: {"retry-after": $after}} end'
}
key_of() { printf 'sk-%s-0123456789abcdef' "$1"; } # NAME of a profile
serve() { # 'NAME=ANSWER …' ANSWER …: what requests with these keys get, and all others
    local by_key='{}' one
    for one in $1; do
        by_key=$(jq -c --arg key "$(key_of "${one%%=*}")" --argjson answer "${one#*=}" '.[$key] = $answer' <<<"$by_key")
    done
    shift
    start_server "$(answers "$@" | jq -c --argjson by_key "$by_key" '. + {by_key: $by_key}')"
}
profiles() { # NAME …: in this order, of anthropic
    mkdir -p keys
    for one in "$@"; do
        (umask 077 && key_of "$one" >"keys/$one")
        chorus-config profiles add "$one" --provider anthropic --key-file "keys/$one" || fail "profile $one"
    done
}
keys_used() { # the names of the profiles of all requests, in order
    cat "$scratch"/log/*.head | grep -io 'x-api-key: sk-[a-z]*-' | cut -d- -f4 | paste -sd' '
}
states() { # NAME=STATUS …
    chorus-config profiles --json | jq -r '.name + "=" + .status' | paste -sd' '
}
switches() { db "SELECT group_concat(previous || '>' || next || ':' || cause, ' ') FROM (SELECT * FROM profile_switches ORDER BY id)"; }
agents() {
    init a --model anthropic/m
    unset ANTHROPIC_API_KEY
    profiles "$@"
}

test_case "a switch by hand to a rate-limited profile ends its cooldown"
agents one two
serve "one=$(limited)" "$(say Done.)"
run chorus-run a hello
expect_equal "$(states)" 'one=rate_limited two=active'
run chorus-config profiles switch one
expect_status 0
expect_equal "$(states)" 'one=active two=available'
run chorus-run a hello
expect_equal "$(keys_used)" 'one two one two'

# S-03 S-11 S-15 S-22 S-26 S-28 S-29 S-33
test_case "a rate limit makes the next profile active, and the same request goes out again" # X-23
agents one two three
serve "one=$(limited)" "$(say 'Here I am.')"
run chorus-run a --output-format stream-json hello
expect_status 0
expect_equal "$(jq -r 'select(.kind == "content-delta") | .text' <<<"$out" | paste -sd' ')" 'Here I am.'
expect_equal "$(keys_used)" 'one two'
expect_equal "$(request 1 | xargs cat)" "$(request 2 | xargs cat)"
expect_equal "$(jq -rc 'select(.kind == "credential-switch") | [.provider, .previous, .profile, .attempt]' <<<"$out")" '["anthropic","one","two",2]'
expect_equal "$(jq -rc 'select(.kind == "retry")' <<<"$out")" ''
expect_equal "$(states)" 'one=rate_limited two=active three=available'
expect_equal "$(switches)" 'one>two:rate_limited'
expect_db "SELECT group_concat(previous || '>' || next, ' ') FROM (SELECT * FROM events WHERE kind = 'turn' ORDER BY id)" 'starting>working working>restarting restarting>working working>idle'
expect_db 'SELECT attempt FROM turns' 2
expect_db "SELECT group_concat(role, ' ') FROM messages" 'user assistant'
run chorus-run a again
expect_status 0
expect_equal "$(keys_used)" 'one two two'
grep -rlF "$(key_of one)" "$CHORUS_HOME" && fail 'a key was stored'
expect_sound

# S-44
test_case "only a rate limit switches: a refused key, no credits, a failing server and a bad request do not"
agents one two
answer_of() { jq -nc --argjson status "$1" --arg type "$2" '{status: $status, headers: {"retry-after": "0"}, body: ({type: "error", error: {type: $type, message: "no"}} | tojson)}'; }
for failure in '401 authentication_error 6' '402 billing_error 6' '500 api_error 7' '529 overloaded_error 7' '400 invalid_request_error 7'; do
    set -- $failure
    serve "one=$(answer_of "$1" "$2")" "$(say 'Here I am.')"
    run chorus-run a hello
    expect_status "$3"
    expect_no_match "$(keys_used)" two
    expect_equal "$(states)" 'one=active two=available'
done
expect_equal "$(switches)" ''

test_case "calls of one turn go on with the next profile; the status alone says that it is limited" # S-40
agents one two
serve "" "$(call c1 bash '{"command": "echo ran"}')" "$(limited | jq -c '.body = "slow down"')" "$(say 'Done.')"
agent_key a permissions '"open"'
run chorus-run a go
expect_status 0
expect_equal "$out" 'Done.'
expect_equal "$(keys_used)" 'one one two'
expect_db "SELECT count(*) FROM messages WHERE role = 'tool_result'" 1

# S-33
test_case "in a circle, from the one after the active"
agents one two three
serve "one=$(limited) three=$(limited)" "$(say x)"
run chorus-config profiles switch three
expect_status 0
expect_equal "$(states)" 'one=available two=available three=active'
run chorus-run a x
expect_status 0
expect_equal "$(keys_used)" 'three one two'
expect_equal "$(switches)" 'one>three:requested three>one:rate_limited one>two:rate_limited'

# S-33
test_case "one that cools is passed over, until its time is over"
agents one two three
db "INSERT INTO cooling_profiles (name, until) VALUES ('two', $(date +%s%3N) + 600000)"
serve "one=$(limited) three=$(limited)" "$(say x)"
run chorus-run a x
expect_equal "$status $(keys_used)" '75 one three'
db "UPDATE cooling_profiles SET until = 1 WHERE name = 'two'"
run chorus-run a --resume
expect_status 0
expect_equal "$(keys_used)" 'one three two'

# S-36
test_case "none can be used: the turn is parked until the first can"
agents one two
serve "one=$(limited) two=$(limited 900)" "$(say x)"
run chorus-run a --json hello
expect_status 75
expect_json '"\(.error.code) \(.reason) \(.state)"' 'PARKED all_profiles_rate_limited failed'
expect_equal "$(date -d "$(jq -r .resume_at <<<"$out")" +%s%3N)" "$(db 'SELECT min(until) FROM cooling_profiles')"
expect_equal "$(states)" 'one=rate_limited two=rate_limited'
expect_equal "$(chorus-config profiles --json | jq '.cooldown_remaining_secs > 0' | xargs)" 'true true' # S-37
expect_equal "$(keys_used)" 'one two'
run chorus-run a --resume
expect_status 75
run chorus-run a other
expect_status 75
expect_equal "$(request_count)" 2
db "UPDATE cooling_profiles SET until = 1 WHERE name = 'two'"
serve '' "$(say 'At last.')"
run chorus-run a --resume
expect_status 0
expect_equal "$out" 'At last.'
expect_equal "$(keys_used)" two
expect_db "SELECT count(*) FROM turns" 1
expect_db "SELECT count(*) FROM messages WHERE role = 'user'" 1

# S-34
test_case "the cooldown is what is configured, or Retry-After if that is longer"
agents one two
export CHORUS_ROTATE_COOLDOWN_SECS=7
serve "one=$(limited 3) two=$(limited 60)" "$(say x)"
run chorus-run a hello
expect_status 75
now=$(date +%s)
db 'SELECT name, until / 1000 FROM cooling_profiles ORDER BY name' | while IFS='|' read -r name until; do
    left=$((until - now))
    case $name in
        one) [ $left -ge 4 ] && [ $left -le 7 ] || echo "one: $left" ;;
        two) [ $left -ge 56 ] && [ $left -le 60 ] || echo "two: $left" ;;
    esac
done >wrong
expect_equal "$(cat wrong)" ''
unset CHORUS_ROTATE_COOLDOWN_SECS

# S-30 S-31
test_case "in manual mode nothing is switched"
agents one two
run chorus-config profiles mode
expect_equal "$out" auto
run chorus-config profiles mode manual
expect_status 0
expect_equal "$(chorus-config profiles mode)" manual
home_key max_retries 0
serve "one=$(limited)" "$(say x)"
run chorus-run a hello
expect_status 75
expect_match "$err" 'hint: at once: chorus-config profiles switch two, and then chorus-run a -t 1 --resume; after '
expect_equal "$(keys_used)" one
run chorus-config profiles switch two
run chorus-run a --resume
expect_status 0
expect_equal "$(keys_used)" 'one two'
run chorus-config profiles switch one
run chorus-run a --profile-mode auto x
expect_status 0
expect_equal "$(keys_used)" 'one two one two'

test_case "in manual mode without profiles, the variable's key waits"
chorus-init a --model anthropic/m >/dev/null 2>&1 </dev/null
home_key max_retries 0
for format in text json stream-json; do
    start_server "$(answers "$(limited)")"
    run chorus-run a --new-thread --profile-mode manual --output-format $format hello
    expect_status 75
    expect_match "$err" 'hint: after '
    [ $format = text ] || expect_equal "$(tail -1 "$scratch/out" | jq -r '.reason // .metadata.reason')" all_profiles_rate_limited
done

# S-35
test_case "at most so many switches an hour"
agents one two three
export CHORUS_ROTATE_MAX_PER_HOUR=1
serve "one=$(limited) two=$(limited)" "$(say x)"
run chorus-run a hello
expect_status 75
expect_equal "$(keys_used)" 'one two'
expect_equal "$(switches)" 'one>two:rate_limited'
db 'UPDATE profile_switches SET at = at - 3600001'
run chorus-run a --resume
expect_status 0
expect_equal "$(keys_used)" 'one two three'
unset CHORUS_ROTATE_MAX_PER_HOUR

test_case "--wait-parked sleeps, and the turn goes on without a seam"
agents one two
export CHORUS_ROTATE_COOLDOWN_SECS=2
serve "one=$(limited | jq -c '.for_ms = 1500') two=$(limited | jq -c '.for_ms = 1500')" "$(say 'At last.')"
run chorus-run a --wait-parked hello
expect_status 0
expect_equal "$out" 'At last.'
expect_match "$err" 'waiting until'
ended=$(db 'SELECT ended_at FROM turns')
first=$(db 'SELECT min(until) FROM cooling_profiles')
[ $((ended - first)) -lt 1000 ] && [ "$ended" -ge "$first" ] || fail "it went on $((ended - first)) ms after"
# two may be usable again, too, when one is
expect_match "$(db "SELECT group_concat(next, ' ') FROM (SELECT * FROM events WHERE kind = 'turn' ORDER BY id)")" '^working restarting working parked working (restarting working )?idle$'
run chorus-run a --wait-parked --timeout 1 x
expect_status 0
unset CHORUS_ROTATE_COOLDOWN_SECS

test_case "--wait-parked within --timeout, and until a signal"
agents one
home_key max_retries 0
serve "one=$(limited)" "$(say x)"
run chorus-run a --wait-parked --timeout 5 hello
expect_status 75
goes_to_sleep() { # COMMAND …
    rm -f noted answered
    "$@" >answered 2>noted &
    pid=$!
    wait_for 10 grep -q waiting noted || fail 'it does not sleep'
}
goes_to_sleep chorus-run a --wait-parked --resume
expect_db 'SELECT state FROM turns' parked
kill -INT $pid
wait $pid
expect_equal $? 130
expect_equal "$(request_count)" 1
run chorus-run a --wait-parked --timeout 1 again
expect_status 75
goes_to_sleep chorus-run a --wait-parked --resume
run chorus-tasks cancel a
expect_status 0
wait $pid
expect_equal "$? $(db 'SELECT state FROM turns ORDER BY id DESC LIMIT 1')" '143 exited'

test_case "a turn that sleeps goes on with a profile that can be used"
agents one
home_key max_retries 0
serve "one=$(limited)" "$(say x)" "$(say x)" "$(say x)" "$(say x)" "$(say x)"
goes_on() { # COMMAND …
    "$@" || fail "status $?: $*"
    wait_for 3 test -s answered || fail "it sleeps on: $*"
    wait $pid
    expect_equal "$? $(cat answered)" '0 x'
}
login() { key_of "$1" | chorus-config login anthropic --profile one --no-check; } # NAME of a key
goes_to_sleep chorus-run a --wait-parked hello
goes_on profiles two
chorus-config profiles remove two
chorus-config profiles remove one
login one
goes_to_sleep chorus-run a --wait-parked hello
goes_on login three
login one
chorus-config profiles add two --provider anthropic --key-file keys/two
chorus-config profiles mode manual
goes_to_sleep chorus-run a --wait-parked hello
goes_on chorus-config profiles switch two

test_case "a limit that the server ends at once is no loop"
agents one two
home_key max_retries 0
CHORUS_ROTATE_COOLDOWN_SECS=0
export CHORUS_ROTATE_COOLDOWN_SECS
serve "one=$(limited 0) two=$(limited 0)" "$(say x)"
run chorus-run a hello
expect_status 75
expect_equal "$(keys_used)" 'one two'
unset CHORUS_ROTATE_COOLDOWN_SECS

test_case "a turn killed while it sleeps is parked"
agents one
home_key max_retries 0
serve "one=$(limited)" "$(say x)"
goes_to_sleep chorus-run a --wait-parked hello
expect_equal "$(chorus-tasks status a --json | jq -r .turn_state)" parked
kill -9 $pid
wait $pid 2>/dev/null
expect_equal "$(chorus-tasks status a --json | jq -r .turn_state)" parked
run chorus-run a --resume
expect_status 75
db 'UPDATE cooling_profiles SET until = 1'
serve '' "$(say 'Up again.')"
run chorus-run a --resume
expect_status 0
expect_equal "$out" 'Up again.'
expect_sound

# S-23 S-24 S-25 S-67
test_case "a switch that was requested while a turn runs is done at its next request"
agents one two three
agent_key a permissions '"open"'
serve '' "$(call c1 bash '{"command": "while [ ! -e go ]; do sleep 0.05; done"}')" "$(say 'Done.')"
chorus-run a hello >answered 2>noted &
pid=$!
wait_for 10 test -e log/0001.head
run chorus-config profiles switch two
expect_status 0
expect_match "$err" 'next request'
expect_equal "$(chorus-config profiles --json | jq -r 'select(.switch_requested).name')" two
run chorus-config profiles switch three
expect_status 75
expect_match "$err" "a switch to 'two' is in progress"
touch "$CHORUS_HOME/agents/a/workspace/go"
wait $pid
expect_equal $? 0
expect_equal "$(cat answered)" 'Done.'
expect_equal "$(keys_used)" 'one two'
expect_equal "$(switches)" 'one>two:requested'

# S-27
test_case "--force cuts the request in flight, and sends it again"
agents one two
serve "one=$(jq -nc '{stall: true, status: 200, body: ""}')" "$(say 'From two.')"
chorus-run a hello >answered 2>noted &
pid=$!
wait_for 10 test -e log/0001.head
run chorus-config profiles switch two --force
expect_status 0
wait $pid
expect_equal $? 0
expect_equal "$(cat answered)" 'From two.'
expect_equal "$(keys_used)" 'one two'
expect_equal "$(switches)" 'one>two:forced'

test_case "a summary rotates, too"
agents one two
serve "one=$(limited)" "$(say 'A summary of it.')"
db "SELECT 1" >/dev/null
run chorus-run a --model builtin/script hello
run chorus-context save a
expect_status 0
expect_equal "$(keys_used)" 'one two'

test_case "profiles of one provider are not used for another"
agents one two
serve "" "$(say x)"
run chorus-run a -m openai-chat/m hello
expect_status 0
expect_match "$(cat log/0001.head)" 'Bearer sk-test-'

end_tests
