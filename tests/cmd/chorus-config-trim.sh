#!/usr/bin/env bash
# chorus-config trim: what nothing needs leaves the record, and nothing else does.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

ago() { local days=$1; shift; CHORUS_NOW_MS=$((($(date +%s) - days * 86400)))000 run "$@"; } # DAYS COMMAND …
expect_whole() {
    expect_db 'PRAGMA integrity_check' ok
    expect_db 'PRAGMA foreign_key_check' ''
    db "INSERT INTO messages_fts(messages_fts) VALUES ('integrity-check')" || fail 'the full-text index is not that of the messages'
    run chorus-context verify
    expect_status 0
    run chorus-config doctor
    expect_status 0
}
big=$(head -c 60000 /dev/urandom | base64 -w 0)

test_case "old messages that no window and no session holds, their events and steps; the log stays"
ago 200 chorus-init a --model builtin/script --permissions open
ago 200 chorus-run a "walrus one $big"
ago 199 chorus-run a '/create_file {"path": "f", "content": "x"}'
ago 198 chorus-run a 'heron saved'
ago 198 chorus-context save a kept --no-summary
ago 197 chorus-context clear a
ago 196 chorus-run a 'zebra in a window'
run chorus-run a 'new one'
audit=$(db 'SELECT count(*), max(hash) FROM audit_log') turns=$(db 'SELECT count(*) FROM turns')
run chorus-config trim --dry-run --json
expect_status 0
before=$(db 'SELECT count(*) FROM messages') planned=$(jq .messages <<<"$out")
expect_json '"\(.dry_run) \(.freed_bytes) \(.steps > 0) \(.events > 0)"' 'true 0 true true'
expect_equal "$(db 'SELECT count(*) FROM messages')" "$before"
size=$(stat -c %s "$CHORUS_HOME/chorus.db")
run chorus-config trim --json
expect_status 0
expect_json .messages "$planned"
expect_equal "$(db 'SELECT count(*) FROM messages')" $((before - planned))
[ "$planned" -gt 0 ] || fail 'nothing was removed'
expect_json '.freed_bytes > 60000' true
run chorus-context search walrus
expect_equal "$out" ''
run chorus-context search heron
expect_match "$out" heron
expect_db "SELECT count(*) FROM messages WHERE content = 'new one'" 1
expect_equal "$(db 'SELECT count(*), max(hash) FROM audit_log')" "$audit"
expect_equal "$(db 'SELECT count(*) FROM turns')" "$turns"
run chorus-context verify a --prefix
expect_status 0
run chorus-run a 'one more'
expect_status 0
run chorus-context verify a --prefix
expect_status 0
run chorus-context restore a "$(db 'SELECT id FROM sessions')"
expect_status 0
expect_whole
run chorus-config trim
expect_match "$out" '^removed 0 messages, 0 events, 0 steps, 0 checkpoints, 0 lock files; the database is [0-9]+ bytes smaller$'

test_case "an agent's newest event stays, so that no later one gets its number"
ago 200 chorus-init a --model builtin/script
ago 200 chorus-run a one
newest=$(db 'SELECT max(id) FROM events')
run chorus-config trim
expect_status 0
expect_db 'SELECT group_concat(id) FROM events' "$newest"
run chorus-run a two
expect_status 0
expect_db "SELECT min(id) FROM events WHERE id <> $newest" $((newest + 1))

test_case "an agent that was destroyed: its messages and its locks; one whose files were kept stays as it is"
for name in gone kept; do
    init $name --model builtin/script
    run chorus-run $name "walrus of $name"
done
run chorus-destroy gone --purge --yes
run chorus-destroy kept --keep-files --yes
init live --model builtin/script
run chorus-run live "walrus of live"
ls "$CHORUS_HOME/locks" | grep -q '^agent-1' || fail 'there is no lock'
run chorus-config trim --older-than 1d
expect_status 0
expect_db "SELECT group_concat(content) FROM messages WHERE role = 'user'" 'walrus of kept,walrus of live'
expect_equal "$(ls "$CHORUS_HOME/locks" | grep -cE '^agent-[12](-|$)')" 0
ls "$CHORUS_HOME/locks" | grep -q '^agent-3' || fail 'the lock of an agent that lives is gone'
expect_whole
run chorus-run live again
expect_status 0

test_case "--agent, branches, a summary, and a turn that waits"
for name in a b; do
    ago 100 chorus-init $name --model builtin/script --permissions standard
    ago 100 chorus-run $name "one of $name"
    ago 100 chorus-run $name "two of $name"
    ago 100 chorus-context branch $name try
    ago 100 chorus-context compact $name
    db "DELETE FROM sessions" # what it stands for is saved
    rm "$CHORUS_HOME/agents/$name/sessions"/*
    ago 100 chorus-run $name "/bash echo hello"
    expect_status 10
done
run chorus-config trim --agent a --older-than 10d
expect_status 0
expect_db "SELECT group_concat(content) FROM messages WHERE agent_id = 1 AND thread_id = 1 AND content LIKE 'one %'" ''
expect_db "SELECT count(*) FROM messages WHERE agent_id = 2 AND content LIKE 'one %'" 2
expect_db "SELECT count(*) FROM messages WHERE agent_id = 1 AND thread_id = 2" 0
expect_db "SELECT count(*) FROM messages WHERE agent_id = 1 AND extra LIKE '%compaction%'" 1
expect_db "SELECT group_concat(state) FROM prompts" pending,pending
expect_db "SELECT count(*) FROM messages JOIN turns ON turns.id = turn_id WHERE turns.agent_id = 1 AND ended_at IS NULL" 2
run chorus-run a -t try hello
expect_status 0
expect_whole
run chorus-config trim --agent nobody
expect_status 4
run chorus-config trim --older-than nonsense
expect_status 2

test_case "a thread that is idle: what its window holds no more; it is never larger afterwards"
ago 100 chorus-init a --model builtin/script
ago 100 chorus-run a old
run chorus-config set rolling_window 200d --agent a
run chorus-config trim --json
expect_json '"\(.messages) \(.freed_bytes >= 0)"' '0 true'
run chorus-config unset rolling_window --agent a
run chorus-config trim --dry-run --json
expect_json .messages 2
run chorus-config trim --json
expect_json '"\(.messages) \(.freed_bytes >= 0)"' '2 true'
expect_db 'SELECT count(*) FROM messages' 0
expect_whole

end_tests
