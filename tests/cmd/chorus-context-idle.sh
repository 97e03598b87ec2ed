#!/usr/bin/env bash
# needs: root
# idle-save: quiet, race-free, one failure does not stop the others; and full disks for every verb that writes.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
[ "$(id -u)" = 0 ] || { echo "this test mounts file systems and needs root"; exit 1; }

minutes_ago() { # NAME MINUTES: everything of the agent happened so long ago
    db "UPDATE messages SET timestamp = timestamp - $2 * 60000 WHERE agent_id = (SELECT id FROM agents WHERE name = '$1');
        UPDATE agents SET last_activity = last_activity - $2 * 60000, newest_timestamp = newest_timestamp - $2 * 60000 WHERE name = '$1'"
}
spoken() { # NAME …: agents that were spoken to an hour ago
    local name
    for name in "$@"; do
        init "$name" --model builtin/script
        run chorus-run "$name" "words for $name"
        minutes_ago "$name" 60
    done
}
silent() { # COMMAND …
    run "$@"
    expect_status 0
    expect_equal "$out$err" ''
}

test_case "who is idle is saved and cleared, and told; then nobody is" # L-26 L-28 L-29 L-30 X-03
spoken a b
init fresh --model builtin/script
run chorus-run fresh 'just now'
init never --model builtin/script
marker=$(db "SELECT max(m.id) FROM messages m JOIN agents ON agents.id = m.agent_id WHERE name = 'a'")
run chorus-context idle-save --all
expect_status 0
expect_equal "$err" ''
expect_equal "$(wc -l <<<"$out")" 2
expect_match "$out" '^Session saved: words for a \(1 message of the user, 1 answer\)\. Last answer: .* Context cleared after 60 minutes of inactivity\. Use chorus-context restore a [0-9a-f]{8} to resume\.'
expect_db "SELECT group_concat(agent_name || ' ' || trigger || ' ' || message_count) FROM (SELECT * FROM sessions ORDER BY agent_name)" 'a idle_timeout 2,b idle_timeout 2'
expect_db "SELECT last_clear_message FROM agents WHERE name = 'a'" "$marker"
expect_match "$(cat "$CHORUS_HOME/agents/a/branches/main/session.md")" '## Session saved · .*Session saved: words for a'
silent chorus-context idle-save --all
silent chorus-context idle-save a fresh never
run chorus-context restore a "$(grep -oE 'restore a [0-9a-f]{8}' <<<"$(cat "$CHORUS_HOME/agents/a/branches/main/session.md")" | cut -d' ' -f3)"
expect_status 0
run chorus-run a again
expect_status 0
expect_db "SELECT count(*) FROM messages WHERE content = 'words for a'" 2
silent chorus-context idle-save --all # just restored: not idle
expect_sound

test_case "the idle time: option, variable, agent.json, config.json; 0 is never" # L-26 S-51 X-16
spoken a
silent chorus-context idle-save a --idle-timeout 61m
silent chorus-context idle-save a --idle-timeout 0
CHORUS_IDLE_TIMEOUT_MS=0 silent chorus-context idle-save a
CHORUS_IDLE_TIMEOUT_MS=3700000 silent chorus-context idle-save a
home_key idle_timeout '"2h"'
silent chorus-context idle-save a
agent_key a idle_timeout 0
home_key idle_timeout 1
silent chorus-context idle-save a
agent_key a idle_timeout '"59m"'
run chorus-context idle-save a --json
expect_status 0
expect_json '"\(.agent) \(.session.trigger) \(.idle_ms >= 3600000) \(.session.message_count)"' 'a idle_timeout true 2'
expect_match "$(jq -r .notice <<<"$out")" '^Session saved: '
for wrong in 'idle-save' 'idle-save a --all' 'idle-save a --idle-timeout soon'; do
    run chorus-context $wrong
    expect_status 2
    expect_equal "$(grep -c 'error: ' <<<"$err")" 1
done
CHORUS_IDLE_TIMEOUT_MS=soon run chorus-context idle-save a
expect_match "$err" 'CHORUS_IDLE_TIMEOUT_MS'

test_case "a tool call resets the time, however old the message it belongs to" # L-26
at() { echo $(($(date +%s%3N) - $1 * 60000)); } # MINUTES ago
CHORUS_NOW_MS=$(at 60) init a --model builtin/script --permissions standard
CHORUS_NOW_MS=$(at 60) run chorus-run a '/bash true'
expect_status 10
CHORUS_NOW_MS=$(at 20) run chorus-run a --approve all
expect_status 0
silent chorus-context idle-save a
run chorus-context idle-save a --idle-timeout 19m
expect_match "$out" 'Context cleared after 20 minutes'

test_case "one failure is told and does not stop the others"
spoken a b c
rm -rf "$CHORUS_HOME/agents/b/sessions" && echo 'in the way' >"$CHORUS_HOME/agents/b/sessions"
run chorus-context idle-save --all
expect_status 1
expect_equal "$(wc -l <<<"$out")" 2
expect_match "$err" '^chorus-context: error: idle-save b: .*agents/b/sessions'
expect_db "SELECT group_concat(agent_name) FROM (SELECT agent_name FROM sessions ORDER BY 1)" a,c
expect_db "SELECT last_clear_message FROM agents WHERE name = 'b'" 0
run chorus-context idle-save nobody b --json
expect_status 1
expect_equal "$(jq -r '"\(.agent) \(.error.code)"' <<<"$out" | tr '\n' ' ')" 'nobody NOT_FOUND b FAILED '
rm "$CHORUS_HOME/agents/b/sessions"
echo '{' >"$CHORUS_HOME/agents/c/agent.json"
run chorus-context idle-save --all
expect_status 0
expect_match "$out" 'restore b '

test_case "a turn at work, a turn that waits, and a turn that was killed are not idle"
init a --model anthropic/m
start_server "$(answers "$(call c bash '{"command": "echo hi"}')" "$(say done)")"
run chorus-run a first
expect_status 10
minutes_ago a 60
silent chorus-context idle-save --all --no-summary
run chorus-run a --deny all
minutes_ago a 60
start_server "$(answers "$(broken_off)")"
chorus-run a second >/dev/null 2>&1 &
turn=$!
wait_for 10 test -s "$(request 1)" || fail 'no turn runs'
minutes_ago a 120
silent chorus-context idle-save --all --no-summary
kill -KILL $turn
wait $turn 2>/dev/null
silent chorus-context idle-save --all --no-summary
expect_db 'SELECT count(*) FROM sessions' 0

test_case "who speaks while the summary is being made is not idle, and nothing is half done" # X-03
init a --model anthropic/m
start_server "$(answers "$(say one)")"
run chorus-run a first
minutes_ago a 60
start_server "$(jq -nc '{answers: [{say: {text: "It was summarised."}, delay_ms: 1500}, {say: {text: "two"}}], after: "repeat-last"}')"
chorus-context idle-save --all >"$scratch/idle" 2>&1 &
idle=$!
wait_for 5 test -s "$(request 1)" || fail 'the model was not asked'
run chorus-run a second
expect_status 0
wait $idle
expect_equal $? 0
expect_file "$scratch/idle" ''
expect_db 'SELECT count(*) FROM sessions' 0
expect_db 'SELECT last_clear_message FROM agents' 0
expect_equal "$(find "$CHORUS_HOME/agents/a/sessions" -type f | wc -l)" 0
minutes_ago a 60
run chorus-context idle-save --all
expect_match "$out" '^Session saved: two\. Context cleared'

test_case "a summary that fails does not keep it from being saved" # C-52 C-66 L-27
init a --model anthropic/m
home_key max_retries 0
start_server '{"answers": [{"say": {"text": "one"}}], "after": "error"}'
run chorus-run a first
minutes_ago a 60
run chorus-context idle-save a
expect_status 0
expect_match "$out" '^Session saved: \(summary generation failed\)\. Context cleared after 60 minutes'
expect_match "$err" "notice: agent 'a': no summary: "
expect_db 'SELECT description FROM sessions' first

test_case "many at once: each is saved once"
spoken a b c d
for _ in 1 2 3 4; do
    chorus-context idle-save --all --no-summary >>"$scratch/all" 2>&1 &
done
wait
expect_equal "$(grep -c '^Session saved: ' "$scratch/all") $(wc -l <"$scratch/all")" '4 4'
expect_db 'SELECT count(*) FROM sessions' 4
run chorus-config doctor
expect_status 0

disk=''
make_disk() { # SIZE: $CHORUS_HOME is a file system of its own
    disk=$CHORUS_HOME
    mkdir -p "$disk"
    mount -t tmpfs -o size="$1",mode=0700 chorus-test "$disk" || { echo 'cannot mount a tmpfs'; exit 1; }
}
free_disk() {
    cd / || exit 1
    [ -n "$disk" ] && umount -l "$disk"
    disk=''
    cd "$scratch" || exit 1
}
trap 'stop_server; [ -z "$disk" ] || umount -l "$disk"; rm -rf "$base"' EXIT

test_case "a disk that fills in the middle: nothing is half done, and it works again afterwards"
make_disk 8m
init a --model builtin/script
run chorus-run a "$(printf 'long %.0s' {1..4000})"
run chorus-run a 'the second'
run chorus-context save a kept --no-summary
id=$(db 'SELECT id FROM sessions')
minutes_ago a 60
count='SELECT (SELECT count(*) FROM messages) || (SELECT count(*) FROM sessions) || (SELECT last_clear_message FROM agents)'
before=$(db "$count")
for left in 0 4 16 32; do # KiB: for the file, for the database, for a part of either
    for verb in 'save a more --no-summary' 'clear a --save --no-summary' "restore a $id" 'idle-save a' 'compact a'; do
        cat /dev/zero >"$CHORUS_HOME/filler" 2>/dev/null
        truncate -s -${left}K "$CHORUS_HOME/filler"
        run chorus-context $verb
        rm "$CHORUS_HOME/filler"
        if [ "$status" = 0 ]; then
            before=$(db "$count")
            minutes_ago a 60
            continue
        fi
        expect_status 1
        expect_match "$err" '(full|[Nn]o space)'
        expect_db "$count" "$before"
    done
done
run chorus-config doctor --fix
run chorus-config doctor
expect_status 0
run chorus-context restore a "$id"
expect_status 0
run chorus-run a 'the third'
expect_status 0
expect_sound
free_disk

end_tests
