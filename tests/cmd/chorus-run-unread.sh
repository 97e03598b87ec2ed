#!/usr/bin/env bash
# A turn whose output nobody reads ends when it is told to: nothing waits for a reader that does not come.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/terminal.sh"

# begin_unread OPTIONS …: a turn whose events fill a pipe that is open and never read; its pid in $pid
begin_unread() {
    init a --model builtin/script --permissions open
    mkfifo "$scratch/pipe"
    exec 3<>"$scratch/pipe"
    for _ in {1..20}; do echo '/bash seq 1 5000'; done >"$scratch/prompt"
    began=$(date +%s)
    chorus-run a -f "$scratch/prompt" --output-format stream-json "$@" >"$scratch/pipe" 2>"$scratch/err" </dev/null 3>&- &
    pid=$!
}
# begin_unheard OPTIONS …: a turn whose stderr is a pipe that is full
begin_unheard() {
    init a --model builtin/script --permissions open
    mkfifo "$scratch/pipe"
    exec 3<>"$scratch/pipe"
    head -c 65536 /dev/zero >&3
    began=$(date +%s)
    chorus-run a -v "$@" '/bash echo 1' >"$scratch/out" 2>"$scratch/pipe" </dev/null 3>&- &
    pid=$!
}
# ended STATUS: within a few seconds, with all that it did on record
ended() {
    wait_for 15 eval "! kill -0 $pid" || { kill -9 $pid; fail 'it waits for its reader'; }
    wait $pid
    expect_equal $? "$1"
    exec 3>&-
    rm "$scratch/pipe"
    [ $(($(date +%s) - began)) -le 12 ] || fail "it took $(($(date +%s) - began)) s"
    expect_db "SELECT exit_code FROM turns" "$1"
    expect_sound
}
is_full() { in_db "SELECT count(*) > 0 FROM messages WHERE role = 'tool_result'" 1; }

test_case "--timeout"
begin_unread --timeout 3s
ended 124
expect_match "$(cat "$scratch/err")" 'stdout'

for signal in 'TERM 143' 'INT 130' 'HUP 129'; do
    test_case "SIG${signal% *}"
    begin_unread
    wait_for 10 is_full
    sleep 1
    kill -s "${signal% *}" $pid
    ended "${signal#* }"
    expect_match "$(cat "$scratch/err")" 'stdout'
done

test_case "chorus-tasks cancel"
begin_unread
wait_for 10 is_full
sleep 1
run chorus-tasks cancel a
expect_status 0
ended 143

test_case "stderr that nobody reads, and --timeout"
begin_unheard --timeout 2s
ended 124

for signal in 'TERM 143' 'INT 130' 'HUP 129'; do
    test_case "stderr that nobody reads, and SIG${signal% *}"
    begin_unheard
    wait_for 10 in_db "SELECT count(*) FROM turns" 1
    sleep 1
    kill -s "${signal% *}" $pid
    ended "${signal#* }"
done

test_case "stderr that nobody reads, and a turn that waits for a person"
init a --model builtin/script --permissions standard
mkfifo "$scratch/full"
exec 3<>"$scratch/full"
head -c 65536 /dev/zero >&3
timeout 15 chorus-run a --timeout 2s '/bash echo 1' >"$scratch/out" 2>"$scratch/full" </dev/null 3>&-
expect_equal $? 10
exec 3>&-

test_case "a terminal that was stopped with ^S, and --timeout"
init a --model builtin/script --permissions open
typist() {
    printf '\023'
    wait_for 20 test -s "$scratch/ended" || : >"$scratch/waits"
    printf '\021'
}
on_terminal "sleep 0.5; timeout 40 chorus-run a -v --timeout 2s '/bash sleep 1'; echo \$? >'$scratch/ended'"
expect_equal "$(cat "$scratch/ended")" 124
expect_missing "$scratch/waits"

test_case "who reads slowly gets everything, also after --timeout is up"
init a --model anthropic/m
start_server "$(answers "$(say "$(seq 1 18000)")")"
chorus-run a hi --timeout 2s | (sleep 5; cat) >"$scratch/out"
expect_equal "${PIPESTATUS[0]}" 0
expect_equal "$(tail -n 1 "$scratch/out")" 18000

end_tests
