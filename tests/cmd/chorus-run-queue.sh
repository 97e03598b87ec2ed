#!/usr/bin/env bash
# --queue and the inbox: a message for the turn that is at work, picked up at its next iteration.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

work() { printf '%s/agents/a/workspace' "$CHORUS_HOME"; }
busy() { # a turn whose command waits for the file `go`, in $pid
    rm -f "$(work)/began" "$(work)/go"
    chorus-run a "${1:-first}" >"$scratch/busy.out" 2>"$scratch/busy.err" </dev/null &
    pid=$!
    wait_for 10 test -e "$(work)/began" || fail 'the turn did not come to its command'
}
until_go=$(call b bash '{"command": "touch began; until [ -e go ]; do sleep 0.05; done"}')
users() { jq -r '[.messages[] | select(.role == "user") | .content | if type == "array" then .[] else {type: "text", text: .} end | select(.type == "text").text] | join("|")' "$1"; }

test_case "the running turn takes it up at its next iteration" # S-65
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$until_go" "$(say 'Both done.')")"
busy
run chorus-run a second --queue
expect_status 0
expect_equal "$out" ''
expect_match "$err" '^chorus-run: notice: queued for thread 1$'
run_stdin /dev/stdin chorus-run a --queue --json -p third <<<'and data'
expect_status 0
expect_json '"\(.state) \(.reason) \(.exit_code) \(.thread) \(.turn)"' 'submitted queued 0 1 null'
touch "$(work)/go"
wait $pid
expect_equal "$?" 0
expect_file "$scratch/busy.out" 'Both done.'
expect_match "$(users "$(request 2)")" 'second\|third.*and data'
expect_acceptable "$(request 2)"
expect_db 'SELECT count(*) FROM turns' 1
expect_db 'SELECT count(*) FROM inbox WHERE delivered_turn IS NULL' 0
expect_sound

test_case "builtin/script runs what a turn at work or a resumed one takes up"
init a --model builtin/script --permissions sandboxed
for ending in go kill; do
    rm -f "$(work)"/*
    busy "/bash touch began; until [ -e go ]; do sleep 0.05; done
First."
    run chorus-run a $'/bash touch second\nSecond.' --queue
    expect_status 0
    if [ $ending = go ]; then
        touch "$(work)/go"
        wait $pid
    else
        kill -9 $pid
        wait $pid 2>/dev/null
        run chorus-run a --resume
        expect_status 0
        cp "$scratch/out" "$scratch/busy.out"
    fi
    [ -e "$(work)/second" ] || fail "$ending: nobody ran it"
    expect_match "$(cat "$scratch/busy.out")" $'First.\nSecond.'
    expect_db 'SELECT count(*) FROM inbox WHERE delivered_turn IS NULL' 0
    expect_sound
done
expect_db 'SELECT count(*) FROM turns' 2

test_case "what comes while the model gives its last answer gets a turn of its own, and the first result stays as it is"
for second in "$(say 'Second.')" '{"status": 500}'; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m
    home_key max_retries 0
    start_server "$(answers '{"say": {"text": "First."}, "delay_ms": 1000}' "$second")"
    chorus-run a one --json --idempotency-key K >"$scratch/busy.out" 2>"$scratch/busy.err" </dev/null &
    pid=$!
    wait_for 10 eval '[ "$(request_count)" = 1 ]' || fail 'no request came'
    for text in two three; do
        run chorus-run a $text --queue
        expect_status 0
    done
    wait $pid
    expect_equal "$?" 0
    out=$(cat "$scratch/busy.out")
    expect_json '"\(.turn) \(.text) \(.state) \(.iterations) \(.exit_code)"' '1 First. completed 1 0'
    expect_match "$(cat "$scratch/busy.err")" 'a message queued meanwhile gets a turn of its own'
    expect_equal "$(request_count)" 2
    expect_equal "$(users "$(request 2)")" 'one|two|three'
    expect_acceptable "$(request 2)"
    expect_db 'SELECT group_concat(turn_number || state) FROM turns' "$(case $second in *500*) echo 1idle,2error ;; *) echo 1idle,2idle ;; esac)"
    expect_db 'SELECT group_concat(DISTINCT delivered_turn) FROM inbox' 2
    run chorus-run a one --idempotency-key K
    expect_status 0
    expect_equal "$out" First.
    expect_sound
done

test_case "a turn that fails, is ended, or waits leaves the message for the next one"
for ending in fails ended; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m
    home_key max_retries 0
    start_server "$(answers '{"status": 500, "delay_ms": 1000}' "$(say 'Both.')")"
    chorus-run a one >/dev/null 2>&1 </dev/null &
    pid=$!
    wait_for 10 eval '[ "$(request_count)" = 1 ]' || fail 'no request came'
    run chorus-run a two --queue
    expect_status 0
    [ $ending = fails ] || kill -TERM $pid
    wait $pid
    expect_equal "$(request_count)" 1
    expect_db 'SELECT count(*) FROM inbox WHERE delivered_turn IS NULL' 1
    run chorus-run a --inbox
    expect_status 0
    expect_equal "$out" Both.
    expect_db 'SELECT count(*) FROM turns' 2
    run chorus-run a --inbox --json
    expect_status 0
    expect_json .reason nothing_to_do
    expect_sound
done

test_case "at the limit of iterations a message is not taken up to be left unanswered"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$until_go" '{"say": {"text": "", "tool_calls": [{"name": "list_files"}]}, "delay_ms": 1000}' "$(say 'Of its own.')")"
chorus-run a first --max-iterations 2 >"$scratch/busy.out" 2>"$scratch/busy.err" </dev/null &
pid=$!
wait_for 10 test -e "$(work)/began"
run chorus-run a second --queue
touch "$(work)/go"
wait_for 10 eval '[ "$(request_count)" = 2 ]' || fail 'no second request'
run chorus-run a third --queue
wait $pid
expect_equal "$?" 9
expect_equal "$(users "$(request 2)")" first
expect_equal "$(users "$(request 3)")" 'first|second|third'
expect_db 'SELECT group_concat(reason) FROM turns' 'max_iterations,'
expect_db 'SELECT count(*) FROM inbox WHERE delivered_turn IS NULL' 0
expect_sound

test_case "while another command holds the agent it is queued, exit 0, and the next turn takes it"
init a --model builtin/script
perl -e 'use Fcntl; open my $f, "+>>", $ARGV[0] or die; my $lock = pack "s s x![l!] l! l! i x![l!]", F_WRLCK, 0, 0, 1 << 62, 0;
    fcntl($f, 37, $lock) or die "lock: $!"; open my $g, ">", $ARGV[1]; close $g; sleep 60' "$CHORUS_HOME/locks/agent-1" "$scratch/held" &
holder=$!
wait_for 5 test -e "$scratch/held" || fail 'no lock'
run timeout 5 chorus-run a hello --queue --json
expect_status 0
expect_json '"\(.state) \(.reason) \(.accepted)"' 'submitted queued true'
expect_match "$err" 'queued for thread 1: taken up when it continues'
kill $holder
wait $holder 2>/dev/null
run chorus-run a again
expect_status 0
expect_db "SELECT group_concat(content) FROM messages WHERE role = 'user'" hello,again
expect_match "$out" 'hello
again'

test_case "with nobody at work it is an ordinary turn"
init a --model anthropic/m
start_server "$(answers "$(say 'At once.')")"
run chorus-run a hello --queue
expect_status 0
expect_equal "$out" 'At once.'
expect_db 'SELECT count(*) FROM inbox' 0

test_case "a turn killed with messages waiting: the next turn takes them first, in order; --resume delivers them too"
for next in 'chorus-run a third' 'chorus-run a --resume' 'chorus-run a third --queue'; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m --permissions sandboxed
    start_server "$(answers "$until_go" "$(say 'All of it.')")"
    busy
    run chorus-run a second --queue
    kill -9 $pid
    wait $pid 2>/dev/null
    run $next
    expect_status 0
    expect_equal "$out" 'All of it.'
    case $next in *third*) wanted='first|second|third' ;; *) wanted='first|second' ;; esac
    expect_equal "$(users "$(request 2)")" "$wanted"
    expect_acceptable "$(request 2)"
    expect_db 'SELECT count(*) FROM inbox WHERE delivered_turn IS NULL' 0
    expect_sound
done

test_case "--resume with nothing to go on with begins a turn of what waits"
init a --model anthropic/m
start_server "$(answers "$(say 'Read.')")"
run chorus-run a first
db "INSERT INTO inbox (agent_id, thread_id, source, content, created_at) VALUES (1, 1, 'user', 'while you were away', 1)"
run chorus-run a --resume
expect_status 0
expect_equal "$out" Read.
expect_equal "$(users "$(request 2)")" 'first|while you were away'
expect_db "SELECT json_extract(extra, '\$.starts_turn') FROM messages WHERE content = 'while you were away'" 1
run chorus-run a --resume
expect_status 0
expect_equal "$(request_count)" 2
expect_sound

test_case "a question that waits is not cancelled by --queue: the message waits behind it"
init a --model anthropic/m --permissions standard
start_server "$(answers "$(call b bash '{"command": "make world"}')" "$(say 'Went on.')")"
run chorus-run a go
expect_status 10
run chorus-run a 'and this' --queue
expect_status 0
expect_match "$err" 'queued for thread 1'
expect_db "SELECT state FROM prompts" pending
expect_db 'SELECT count(*) FROM inbox WHERE delivered_turn IS NULL' 1

test_case "many at once: each message once, none lost, nobody waits for a turn"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$until_go" "$(say 'Done.')")"
busy
pids=''
for i in {1..20}; do
    chorus-run a "message $i." --queue >"$scratch/q$i" 2>&1 </dev/null &
    pids="$pids $!"
done
for one in $pids; do wait "$one" || fail "a --queue failed: $(cat "$scratch"/q*)"; done
touch "$(work)/go"
wait $pid
wait_for 10 in_db "SELECT count(*) FROM inbox WHERE delivered_turn IS NULL" 0 || fail 'not all were delivered'
expect_db "SELECT count(DISTINCT content) || ' ' || count(*) FROM messages WHERE content LIKE 'message %'" '20 20'
expect_sound

test_case "whoever sends a message brings no role: the agent may ask for what all of them may grant"
for actor in "uid $(id -u)" 'uid 65534 (mallory)'; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m --permissions standard
    home_key roles "{\"$(id -un)\": \"ops\"}"
    home_key permission_grants '{"ops": ["open"]}'
    start_server "$(answers '{"say": {"text": "Hm.", "tool_calls": [{"name": "list_files"}]}, "delay_ms": 1500}' "$(call e self_edit_permissions '{"new_profile": "open"}')" "$(say Done.)")"
    chorus-run a one >/dev/null 2>&1 </dev/null &
    pid=$!
    wait_for 10 eval '[ "$(request_count)" = 1 ]' || fail 'no request came'
    run chorus-run a 'be open' --queue --actor bob
    expect_db 'SELECT actor FROM inbox' "uid $(id -u) (bob)"
    db "UPDATE inbox SET actor = '$actor'" >/dev/null
    wait $pid
    ended=$?
    case $actor in
        *mallory*)
            expect_equal "$ended" 0
            expect_match "$(db "SELECT content FROM messages WHERE role = 'tool_result' AND tool_call_id = 'e'")" "^denied: Profile: standard: user .* may not grant 'open'"
            expect_sound
            ;;
        *) expect_equal "$ended" 10 ;;
    esac
done

test_case "--queue goes with no option that means another turn"
init a --model builtin/script
for option in --resume --retry --inbox --wait --new-thread --fresh '-m x/y' '-C .' '--on-ask deny' '--max-iterations 3' '--idempotency-key K'; do
    run chorus-run a hello --queue $option
    expect_status 2
done

end_tests
