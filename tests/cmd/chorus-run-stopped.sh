#!/usr/bin/env bash
# needs: time
# A writer that is stopped in its commit keeps nobody longer than --wait and --timeout say; and one that is
# killed between the file and the rows of an approval for ever has done nothing that is asked twice.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
# it cannot look for leaks below strace
export LSAN_OPTIONS=detect_leaks=0
command -v strace >/dev/null || { echo 'this test needs strace'; exit 1; }

tracer=''
stop_a_writer() { # a turn of agent a, in the middle of its first commit
    rm -f "$scratch/trace"
    strace -f -qq -o "$scratch/trace" -e trace=fdatasync -e inject=fdatasync:signal=STOP:when=1 chorus-run a 'stopped' >/dev/null 2>&1 &
    tracer=$!
    wait_for 10 grep -q 'SIGSTOP' "$scratch/trace"
}
end_writer() {
    local pid
    for pid in $(pgrep -P "$tracer"); do kill -KILL "$pid"; done
    kill -KILL "$tracer" 2>/dev/null
    wait "$tracer" 2>/dev/null
}
# STATUS SECONDS COMMAND …: ends with that status, in about that time.
ends_in() {
    local began=$SECONDS wanted=$1 seconds=$2
    shift 2
    run timeout 40 "$@"
    expect_status "$wanted"
    [ $((SECONDS - began)) -le $((seconds + 3)) ] || fail "$* took $((SECONDS - began)) s"
    [ $((SECONDS - began)) -ge $((seconds - 2)) ] || fail "$* took $((SECONDS - began)) s only"
}

test_case "a writer stopped in its commit: --wait and --timeout hold, with 75 and 124"
init a --model builtin/script
init b --model builtin/script
run chorus-run b first
stop_a_writer
ends_in 75 2 chorus-run b --wait=2s hello
expect_match "$err" 'another process still holds'
ends_in 124 2 chorus-run b --timeout 2s hello
ends_in 124 3 chorus-run b --timeout 3s --wait hello
ends_in 124 3 chorus-run b --timeout 3s --wait=30s hello
ends_in 75 10 chorus-run b hello
ends_in 75 2 chorus-context clear b --wait=2s
ends_in 75 10 chorus-context clear b
end_writer
run chorus-run b hello
expect_status 0
expect_sound

test_case "a writer stopped while another turn is at work: that one ends when its time is up"
init a --model builtin/script
init b --model builtin/script --permissions open
chorus-run b --timeout 5s '/bash {"command": "until [ -e '"$scratch"'/go ]; do sleep 0.1; done"}' >"$scratch/turn" 2>&1 &
turn=$!
wait_for 10 in_db 'SELECT count(*) FROM tool_runs' 1 || fail 'no command'
stop_a_writer
began=$SECONDS
: >go
wait $turn
expect_equal $? 124
[ $((SECONDS - began)) -le 9 ] || fail "it took $((SECONDS - began)) s"
end_writer
run chorus-run b hello
expect_status 0
expect_sound

test_case "approve --always killed at each of its writes: done again, it asks no more"
init a --model builtin/script
run chorus-run a '/bash {"command": "true"}'
expect_status 10
id=$(db "SELECT id FROM prompts WHERE state = 'pending'")
db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
cp -a "$CHORUS_HOME" "$scratch/before"
run strace -f -qq -o "$scratch/calls" -e trace=renameat2,fdatasync,pwrite64 chorus-tasks approve "$id" --always
expect_status 0
for name in renameat2 fdatasync pwrite64; do
    for ((n = 1; n <= $(grep -c "$name(" "$scratch/calls"); n++)); do
        rm -rf "$CHORUS_HOME" && cp -a "$scratch/before" "$CHORUS_HOME"
        (strace -f -qq -o /dev/null -e trace=$name -e inject=$name:signal=KILL:when=$n chorus-tasks approve "$id" --always >/dev/null 2>&1) 2>/dev/null
        if [ -n "$(db "SELECT 1 FROM prompts WHERE state = 'pending' AND id = '$id'")" ]; then
            run chorus-tasks approve "$id" --always
            expect_status 0
        fi
        run chorus-run a --resume
        expect_status 0
        run chorus-run a '/bash {"command": "true"}'
        [ "$status" = 0 ] || fail "killed at $name $n: it asks again"
        expect_db "SELECT count(*) FROM prompts WHERE state = 'pending'" 0
    done
done

end_tests
