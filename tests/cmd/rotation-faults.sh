#!/usr/bin/env bash
# needs: strace
# Credential profiles under load: many processes share them, and processes are killed while they
# rotate.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
command -v strace >/dev/null || { echo "this test needs strace"; exit 1; }

limited='{"status": 429, "body": "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow\"}}"}'
key_of() { printf 'sk-%s-0123456789abcdef' "$1"; }
serve() { # NAME …: the profiles that are limited
    local by_key='{}' one
    for one in "$@"; do
        by_key=$(jq -c --arg key "$(key_of "$one")" --argjson answer "$limited" '.[$key] = $answer' <<<"$by_key")
    done
    start_server "$(jq -nc --argjson by_key "$by_key" '{answers: [{say: {text: "Here I am."}}], after: "repeat-last", by_key: $by_key}')"
    unset ANTHROPIC_API_KEY
}
agent() {
    init a --model anthropic/m
    for one in one two three; do
        (umask 077 && key_of "$one" >"key-$one")
        chorus-config profiles add "$one" --provider anthropic --key-file "key-$one"
    done
}
crowd() { # N: turns at once, each on its own thread; statuses in "statuses"
    local n
    for n in $(seq "$1"); do
        (
            chorus-run a --new-thread "hello $n" >"out-$n" 2>"err-$n"
            echo $? >"status-$n"
        ) &
        turns[n]=$!
    done
    wait "${turns[@]}"
    cat status-* | sort | uniq -c | awk '{print $2 "x" $1}' | paste -sd' ' >statuses
}
used() { cat log/*.head | grep -ic "x-api-key: $(key_of "$1")"; }
declare -a turns

test_case "one limit that fifty processes see is one switch, and nobody uses a limited profile again"
agent
serve one
crowd 50
expect_equal "$(cat statuses)" 0x50
expect_db "SELECT group_concat(previous || '>' || next, ' ') FROM profile_switches" 'one>two'
expect_equal "$(used three)" 0
expect_equal "$(used two)" 50
expect_db 'SELECT count(*) FROM turns WHERE attempt = 2' "$(used one)"
expect_db "SELECT max(attempt) FROM turns" 2

test_case "the cap of an hour holds for all of them together"
agent
export CHORUS_ROTATE_MAX_PER_HOUR=1
serve one two three
crowd 30
expect_equal "$(cat statuses)" 75x30
expect_db "SELECT group_concat(previous || '>' || next, ' ') FROM profile_switches" 'one>two'
expect_equal "$(used three)" 0
expect_db "SELECT count(*) FROM turns WHERE state = 'parked' AND resume_at > started_at" 30
unset CHORUS_ROTATE_MAX_PER_HOUR

test_case "killed at any call of a rotation, no state is lost"
agent
serve one
fresh() {
    db 'DELETE FROM profile_switches; DELETE FROM active_profiles; DELETE FROM cooling_profiles' >/dev/null
}
fresh
strace -qq -e trace=pwrite64,fdatasync,sendto,recvfrom,poll,openat,fcntl -o trace chorus-run a --new-thread hello >/dev/null 2>&1
first=$(grep -n '429\|sendto' trace | head -1 | cut -d: -f1)
kills=0 thread=2
for name in pwrite64 fdatasync fcntl poll recvfrom; do
    all=$(grep -c "^$name(" trace)
    before=$(head -n "$first" trace | grep -c "^$name(")
    step=$(((all - before) / ${ROTATION_KILLS:-12} + 1))
    for k in $(seq $((before + 1)) $step "$all"); do
        fresh
        thread=$((thread + 1))
        strace -qq -e trace=$name -e inject="$name:signal=KILL:when=$k" -o /dev/null \
            chorus-run a --new-thread "hello $name $k" >out 2>err
        [ $? = 137 ] || continue
        kills=$((kills + 1))
        thread=$(db 'SELECT max(thread_id) FROM threads')
        # a switch and the limit that caused it are there, or neither
        expect_db "SELECT count(*) = (SELECT count(*) FROM cooling_profiles) AND count(*) < 2 FROM profile_switches" 1
        if [ "$(db "SELECT count(*) FROM turns WHERE thread_id = $thread")" = 1 ]; then
            run chorus-run a -t "$thread" --resume
            expect_status 0
            [ "$(db "SELECT count(*) FROM messages WHERE thread_id = $thread AND role = 'assistant' AND content = 'Here I am.'")" = 1 ] ||
                fail "$name $k: $(db "SELECT role, content FROM messages WHERE thread_id = $thread")"
            expect_db "SELECT count(*) FROM messages WHERE thread_id = $thread AND role = 'user' AND content LIKE 'hello%'" 1
        fi
    done
done
expect_db 'PRAGMA integrity_check' ok
[ $kills -ge 20 ] || fail "only $kills kills happened"
echo "$kills kills"

end_tests
