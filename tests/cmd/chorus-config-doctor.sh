#!/usr/bin/env bash
# needs: root
# Broken homes: the doctor finds each of them, --fix saves what there is, says what is lost, and the
# next doctor has nothing to say.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

# Agent a: two turns, a call on record, a saved session, a branch, a committed file, rights that a
# person gave, all of it in the database's file and nothing in its log.
make_sound_home() {
    mkdir -p "$CHORUS_HOME"
    echo '{}' >"$CHORUS_HOME/config.json"
    chmod 700 "$CHORUS_HOME"
    init a --model builtin/script --permissions open --system-prompt 'Be brief.' --description 'the first'
    run chorus-run a 'one'
    run chorus-run a '/git_status {}'
    run chorus-context save a kept --no-summary
    run chorus-context branch a try
    expect_status 0
    echo 'a note' >"$CHORUS_HOME/agents/a/docs/note.md"
    echo '{}' >"$CHORUS_HOME/available_models.json"
    echo precious >"$CHORUS_HOME/agents/a/workspace/file"
    run chorus-config doctor
    expect_status 0
    run chorus-context backup "$base/backup.db"
    run chorus-run a 'after the backup'
    db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
    cp -a "$CHORUS_HOME" "$base/sound"
}
broken() { # NAME: a copy of the sound home, to be broken
    test_case "doctor: $1"
    cp -a "$base/sound" "$CHORUS_HOME"
    agent=$CHORUS_HOME/agents/a
}
contents() { (cd "$CHORUS_HOME" && find agents config.json chorus.db -type f ! -path '*/.git/*' -print0 2>/dev/null | sort -z | xargs -0 sha256sum); }
# REGEX of what is found, STATUS of --fix; then nothing is left but what is REGEX where a third one is given.
finds() {
    local before
    before=$(contents)
    run chorus-config doctor
    expect_status 1
    expect_match "$out" "found: [^
]*$1"
    expect_equal "$(contents)" "$before"
    run chorus-config doctor --fix
    expect_status "$2"
    fixed=$out
    run chorus-config doctor --json
    if [ -n "${3:-}" ]; then
        expect_status 1
        expect_match "$out" "$3"
    else
        expect_status 0
        expect_equal "$out" ''
    fi
}
goes_on_with() { # COUNT of messages
    expect_db 'PRAGMA integrity_check; PRAGMA foreign_key_check' ok
    expect_db 'SELECT count(*) FROM messages' "$1"
    run chorus-run a 'goes on'
    expect_status 0
    expect_db 'SELECT count(*) FROM messages' $(($1 + 2))
    run chorus-context search goes
    expect_status 0
    expect_sound
}
keeps_its_files() {
    expect_file "$CHORUS_HOME/agents/a/workspace/file" precious
    run chorus-context history a
    expect_match "$out" 'kept'
    run chorus-context restore a "$(db "SELECT id FROM sessions WHERE description = 'kept'")" --append
    expect_status 0
}
keeps_its_rights() {
    run chorus-config get permissions -A a
    expect_equal "$out" open
}

test_case "doctor: a sound home"
make_sound_home

messages=$(sqlite3 "$base/sound/chorus.db" 'SELECT count(*) FROM messages')
in_backup=$(sqlite3 -readonly "$base/backup.db" 'SELECT count(*) FROM messages')

# --- the database ---

broken "1, a page in the middle of the database"
root=$(db "SELECT rootpage FROM sqlite_schema WHERE name = 'steps'")
dd if=/dev/urandom of="$CHORUS_HOME/chorus.db" bs=4096 seek=$((root - 1)) count=1 conv=notrunc status=none
finds 'chorus\.db: damaged|steps|Tree' 1
expect_match "$fixed" "rebuilt with 1 agents and $messages messages; the old one is $CHORUS_HOME/chorus\.db\.before-"
expect_match "$fixed" 'found: chorus\.db: lost: steps: some rows cannot be read'
goes_on_with "$messages"
keeps_its_files
keeps_its_rights

broken "2, the middle of the messages"
for n in 1 2 3 4 5 6; do run chorus-run a "$(printf 'long %.0s' {1..300}) $n"; done
db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
places=$(grep -abo 'long long long long long' "$CHORUS_HOME/chorus.db" | cut -d: -f1 | awk '{print int($1 / 4096)}' | uniq)
dd if=/dev/zero of="$CHORUS_HOME/chorus.db" bs=4096 seek="$(sed -n 3p <<<"$places")" count=1 conv=notrunc status=none
all=$((messages + 12))
finds 'chorus\.db: damaged|Tree|never used|malformed|missing' 1
saved=$(db 'SELECT count(*) FROM messages')
[ "$saved" -ge "$messages" ] && [ "$saved" -le $all ] || fail "$saved messages of $all"
goes_on_with "$saved"
keeps_its_files

broken "2a, the newest messages: their ids are not given again"
for n in 1 2 3 4 5 6; do run chorus-run a "$(printf 'long %.0s' {1..300}) $n"; done
newest=$(db 'SELECT max(id) FROM messages')
db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
places=$(grep -abo 'long long long long long' "$CHORUS_HOME/chorus.db" | cut -d: -f1 | awk '{print int($1 / 4096)}' | uniq)
for place in $(tail -n 2 <<<"$places"); do
    dd if=/dev/zero of="$CHORUS_HOME/chorus.db" bs=4096 seek="$place" count=1 conv=notrunc status=none
done
run chorus-config doctor --fix
expect_db "SELECT max(id) < $newest FROM messages" 1
run chorus-run a 'goes on'
expect_status 0
expect_db "SELECT min(id) > $newest FROM messages WHERE content = 'goes on'" 1

broken "2b, the index of the search"
run chorus-config trim
expect_status 0
db "UPDATE messages_fts_data SET block = x'00000000ffffffff' WHERE id > 10"
db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
finds 'chorus\.db: damaged' 0
run chorus-context search backup
expect_match "$out" 'after the backup'
goes_on_with "$messages"

broken "3, a database that ends half way"
truncate -s $(($(stat -c %s "$CHORUS_HOME/chorus.db") / 8192 * 4096)) "$CHORUS_HOME/chorus.db"
finds 'chorus\.db: damaged|malformed|Tree|missing' 1
run chorus-run a 'goes on'
expect_status 0
expect_file "$agent/workspace/file" precious

broken "4, the beginning of the database is another text"
dd if=/dev/urandom of="$CHORUS_HOME/chorus.db" bs=4096 count=1 conv=notrunc status=none
finds 'chorus\.db: damaged' 1
expect_match "$fixed" 'lost: everything'
goes_on_with 0
keeps_its_files
run chorus-config get system_prompt -A a
expect_equal "$out" 'Be brief.'
expect_match "$(cat "$agent"/branches/main/session.md)" 'one'

for state in '5, an empty file' '6, no file' '7, a database without tables'; do
    broken "${state%%,*}, for a database ${state#*, }"
    rm -f "$CHORUS_HOME"/chorus.db*
    [ "${state%%,*}" = 5 ] && : >"$CHORUS_HOME/chorus.db"
    [ "${state%%,*}" = 7 ] && sqlite3 "$CHORUS_HOME/chorus.db" 'PRAGMA journal_mode = WAL; VACUUM' >/dev/null
    finds 'chorus\.db: (is (empty|missing), but directories of agents exist)' 1
    goes_on_with 0
    keeps_its_files
    run chorus-config list -A a
    expect_match "$out" 'Be brief'
    run chorus-context backup --restore "$base/backup.db"
    expect_status 0
    goes_on_with "$in_backup"
done

broken "8, a backup that was copied beside the log of the database"
run chorus-run a 'into the log'
cp "$base/backup.db" "$CHORUS_HOME/chorus.db"
finds 'is a backup, and its log' 0
goes_on_with "$in_backup"
keeps_its_files
keeps_its_rights

broken "9, messages without their agent"
db 'DELETE FROM agents'
finds 'refers to a missing row of agents' 0
goes_on_with "$messages"
keeps_its_files
keeps_its_rights

broken "10, messages without their thread"
db 'DELETE FROM threads WHERE thread_id = 1'
finds 'refers to a missing row of threads' 0
goes_on_with "$messages"

# --- agent.json and config.json ---

for state in '11, agent.json that is no JSON' '12, no agent.json' '13, an empty agent.json'; do
    broken "$state"
    case ${state%%,*} in
        11) echo '{"name": "a", "model": ' >"$agent/agent.json" ;;
        12) rm "$agent/agent.json" ;;
        13) : >"$agent/agent.json" ;;
    esac
    finds "agent 'a': .*agent\.json" 0
    expect_match "$fixed" 'mended: agent .a.: .*agent\.json was rebuilt'
    expect_equal "$(find "$agent" -name 'agent.json.broken-*' | wc -l)" "$([ "${state%%,*}" = 12 ] && echo 0 || echo 1)"
    [ "${state%%,*}" = 12 ] || expect_match "$fixed" "the old one was moved to $agent/agent\\.json\\.broken-"
    keeps_its_rights
    for key in 'system_prompt:Be brief.' 'description:the first' 'model:builtin/script'; do
        run chorus-config get "${key%%:*}" -A a
        expect_equal "$out" "${key#*:}"
    done
    goes_on_with "$messages"
    keeps_its_files
done

broken "14, a value in agent.json that a person has to mend"
edit_agent_key a max_iterations '"many"'
before=$(cat "$agent/agent.json")
finds "agent 'a': .*max_iterations" 1 'max_iterations'
expect_file "$agent/agent.json" "$before"

broken "15, a profile that there is not"
edit_agent_key a permissions '"nobody"'
finds "agent 'a': .*nobody" 1 nobody

for state in '16, config.json that is no JSON' '17, a value in config.json that is none'; do
    broken "$state"
    [ "${state%%,*}" = 16 ] && echo '{' >"$CHORUS_HOME/config.json" || echo '{"max_retries": "x"}' >"$CHORUS_HOME/config.json"
    before=$(cat "$CHORUS_HOME/config.json")
    finds 'config\.json' 1 'config\.json'
    expect_match "$fixed" 'found: .*repair it by hand'
    expect_file "$CHORUS_HOME/config.json" "$before"
done

# --- the parts of an agent's directory ---

broken "18, no workspace"
rm -rf "$agent/workspace"
finds "agent 'a': .*/workspace is missing" 0
expect_match "$fixed" 'an empty one was created'
expect_no_match "$fixed" 'lost'
goes_on_with "$messages"

broken "19, a workspace that is no repository"
rm -rf "$agent/workspace/.git"
finds "agent 'a': .*/workspace is not a git repository" 0
goes_on_with "$messages"
keeps_its_files

broken "20, no branches"
rm -rf "$agent/branches"
finds "agent 'a': .*/branches/main is missing" 0
goes_on_with "$messages"
expect_match "$(cat "$agent/branches/main/session.md")" 'after the backup'
run chorus-run a -t try 'there too'
expect_status 0

for part in workspace docs sessions branches artifacts ''; do
    broken "${part:-the agent} is a link to somewhere else"
    mkdir elsewhere
    echo secret >elsewhere/data.md
    : >elsewhere/.chorus-write-0.tmp
    rm -rf "${agent:?}/$part"
    ln -s "$PWD/elsewhere" "${agent%/}${part:+/$part}"
    run chorus-config doctor --fix
    expect_status 1
    expect_match "$out" "found: agent 'a': [^
]*a${part:+/$part} is a symbolic link; its target is neither checked nor repaired"
    expect_equal "$(cd elsewhere && find . | sort | xargs)" '. ./.chorus-write-0.tmp ./data.md'
done
broken 'a part of the schema is missing'
cp "$CHORUS_HOME/chorus.db" copy.db
for change in 'DROP TABLE inbox' 'ALTER TABLE turns DROP COLUMN options'; do
    db "$change"
    cp "$CHORUS_HOME/chorus.db" partial.db
    run chorus-config doctor
    expect_status 1
    [[ $change = DROP* ]] && part='table inbox is missing' || part='table turns has no column options'
    expect_match "$out" "found: $part"
    run chorus-context verify
    expect_status 1
    run chorus-config doctor --fix
    expect_match "$out" 'rebuilt with 1 agents and '
    run chorus-config doctor
    expect_status 0
    run chorus-run a 'goes on'
    expect_status 0
    run chorus-context backup --restore partial.db
    expect_status 1
    expect_match "$err" 'partial.db.: damaged'
done
broken 'a result is lost that a window needs'
db "DELETE FROM messages WHERE role = 'tool_result' AND thread_id = 1"
finds "agent 'a': thread 1: call [^ ]* has no result" 0
run chorus-run a 'goes on'
expect_status 0

broken 'a row that names another place'
db "UPDATE agents SET dir = '../elsewhere'"
run chorus-config doctor --fix
expect_status 1
expect_match "$out" "found: agent 'a': its row names '../elsewhere', which is not an agent's directory"
expect_missing "$CHORUS_HOME/../elsewhere"

for state in '21, a link current that leads nowhere' '22, no link current' '23, a directory current'; do
    broken "$state"
    rm "$agent/current"
    [ "${state%%,*}" = 21 ] && ln -s branches/nowhere "$agent/current"
    [ "${state%%,*}" = 23 ] && mkdir "$agent/current" && echo mine >"$agent/current/text"
    finds "agent 'a': .*/current does not point to a branch" 0
    expect_equal "$(readlink "$agent/current")" branches/main
    [ "${state%%,*}" = 23 ] && expect_file "$(echo "$agent"/current.broken-*/text)" mine
    goes_on_with "$messages"
done

broken "24, an agent without its directory"
rm -rf "$agent"
finds "agent 'a': .*/agents/a is missing" 0
goes_on_with "$messages"
keeps_its_rights
run chorus-context messages a
expect_match "$out" 'after the backup'

broken "25, a directory without an agent"
cp -a "$agent" "$CHORUS_HOME/agents/b"
finds "agent 'b': the database has no record of" 0
run chorus-run b 'goes on'
expect_status 0
expect_file "$CHORUS_HOME/agents/b/workspace/file" precious
run chorus-context history b
expect_match "$out" kept
run chorus-config get permissions -A b
expect_equal "$out" standard

broken "26, a directory without an agent and without agent.json"
mv "$agent" "$CHORUS_HOME/agents/b"
rm "$CHORUS_HOME/agents/b/agent.json"
db "UPDATE agents SET status = 'destroyed', destroyed_at = 1"
finds "agent 'b': the database has no record of" 0
run chorus-config get system_prompt -A b
expect_equal "$out" 'Be brief.'
run chorus-run b 'goes on'
expect_status 0

# --- what is of another kind ---

broken "27, a file workspace"
mv "$agent/workspace" "$agent/elsewhere" && echo mine >"$agent/workspace"
finds "agent 'a': .*/workspace is missing" 0
expect_match "$fixed" "the old one was moved to $agent/workspace\\.broken-"
expect_no_match "$fixed" 'lost'
expect_file "$(echo "$agent"/workspace.broken-*)" mine
goes_on_with "$messages"

broken "28, an agent whose directory has another name"
mv "$agent" "$CHORUS_HOME/agents/c"
finds "agent 'c': the database has no record of" 0
expect_no_match "$fixed" 'lost'
expect_file "$CHORUS_HOME/agents/c/workspace/file" precious

broken "29, no HEAD"
rm "$agent/workspace/.git/HEAD"
finds "agent 'a': .*/workspace/\\.git has no HEAD" 0
goes_on_with "$messages"
keeps_its_files

for part in commands tasks sessions artifacts .checkpoints ../../archive; do
    broken "30, a file $part"
    rm -rf "${agent:?}/$part" && echo mine >"$agent/$part"
    finds "${part##*/}: not a directory" 0
    expect_file "$(echo "$agent/$part".broken-*)" mine
    goes_on_with "$messages"
    run chorus-destroy a --yes
    expect_status 0
done

broken "31, a directory chorus.db-shm"
rm -f "$CHORUS_HOME/chorus.db-shm" && mkdir "$CHORUS_HOME/chorus.db-shm"
finds 'chorus\.db-shm: not a regular file' 0
goes_on_with "$messages"
keeps_its_files

broken "32, a directory session.md"
rm "$agent/branches/main/session.md" && mkdir "$agent/branches/main/session.md"
finds 'branches/main/session\.md: not a regular file' 0
goes_on_with "$messages"
expect_match "$(cat "$agent/branches/main/session.md")" 'after the backup'

for state in '33, available_models.json that is no JSON' '34, a directory available_models.json' '35, a directory config.json' \
    '36, a directory locks/agent-1' '37, documents of more than 256 KiB'; do
    broken "$state"
    fixed_status=1 left=${state##* } what=''
    case ${state%%,*} in
        33) echo '{' >"$CHORUS_HOME/available_models.json" && fixed_status=0 left='' what=available_models ;;
        34) rm "$CHORUS_HOME/available_models.json" && mkdir "$CHORUS_HOME/available_models.json" && fixed_status=0 left='' what=available_models ;;
        35) rm -rf "$CHORUS_HOME/config.json" && mkdir "$CHORUS_HOME/config.json" ;;
        36) rm -f "$CHORUS_HOME/locks/agent-1" && mkdir "$CHORUS_HOME/locks/agent-1" && fixed_status=0 left='' ;;
        37) head -c 300000 /dev/zero | tr '\0' x >"$agent/docs/long.md" && left='256 KiB' ;;
    esac
    finds "${what:-${left:-locks/agent-1}}" $fixed_status "$left"
done

for state in '38, a directory chorus.db' '39, a FIFO chorus.db'; do
    broken "$state"
    rm -f "$CHORUS_HOME"/chorus.db*
    [ "${state%%,*}" = 38 ] && mkdir "$CHORUS_HOME/chorus.db" || mkfifo "$CHORUS_HOME/chorus.db"
    run timeout 20 chorus-run a x
    expect_status 3
    expect_match "$err" "chorus\\.db: not a regular file"
    expect_match "$err" "hint: 'chorus-context backup --restore FILE'.*'chorus-config doctor --fix'"
    finds 'chorus\.db: not a regular file' 1
    goes_on_with 0
    keeps_its_files
    rm -rf "$CHORUS_HOME"/chorus.db*
    mkdir "$CHORUS_HOME/chorus.db"
    run chorus-context backup --restore "$base/backup.db"
    expect_status 0
    goes_on_with "$in_backup"
done

broken "40, a file or a link where an agent's directory belongs"
mv "$agent" "$scratch/elsewhere"
for kind in file link; do
    rm -f "$agent"
    [ $kind = file ] && : >"$agent" || ln -s "$scratch/elsewhere" "$agent"
    for command in 'chorus-run a x' 'chorus-context save a' 'chorus-config get model -A a'; do
        run $command
        expect_status 3
        expect_match "$err" "agents/a: $([ $kind = file ] && echo 'not a directory' || echo 'a symbolic link, not the directory of the agent')"
        expect_match "$err" "hint: mv $agent $agent\\.aside"
    done
    cp -P "$agent" "$CHORUS_HOME/agents/b"
    for options in '' --adopt; do
        run chorus-init b --model builtin/script $options
        expect_status 5
        expect_match "$err" "agents/b: already exists, and is not a directory"
        expect_match "$err" "hint: mv $CHORUS_HOME/agents/b $CHORUS_HOME/agents/b\\.aside"
    done
    rm "$CHORUS_HOME/agents/b"
done

broken "41, JSON that is none: the hint"
for file in config.json agents/a/agent.json available_models.json; do
    cp "$CHORUS_HOME/$file" "$scratch/good"
    echo '{' >"$CHORUS_HOME/$file"
    run chorus-run a x
    expect_status 3
    expect_match "$err" "hint: edit the file; 'chorus-config doctor'"
    cp "$scratch/good" "$CHORUS_HOME/$file"
done

# --- what may not be read: a finding each, and never replaced ---

as_owner() { setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "$@"; }
cannot_read() { # PATH below the home: said with what helps, kept by --fix, and nothing else hides behind it
    test_case "doctor: $1 may not be read"
    cp -a "$base/sound" "$CHORUS_HOME"
    echo left >"$CHORUS_HOME/.chorus-write.1"
    rm -rf "$CHORUS_HOME/agents/a/workspace/.git"
    chown -R 65534:65534 "$CHORUS_HOME"
    chmod 711 "$base" "$scratch"
    chmod 000 "$CHORUS_HOME/$1"
    run as_owner chorus-config doctor
    expect_status 1
    expect_match "$out" "found: [^
]*/$1: Permission denied; chmod u\\+rwX $CHORUS_HOME/$1"
    run as_owner chorus-config doctor --fix --json
    expect_status 1
    expect_match "$out" '"mended":false'
    expect_match "$out" "/$1: Permission denied"
    [ -z "${2:-}" ] || expect_match "$out" 'workspace is not a git repository'
    expect_equal "$(find "$CHORUS_HOME" -name '*.broken-*' -o -name '*.before-*')" ''
    expect_equal "$(stat -c %a "$CHORUS_HOME/$1")" 0
    chmod 700 "$CHORUS_HOME/$1"
    run as_owner chorus-config doctor --fix
    run as_owner chorus-config doctor
    expect_status 0
    chown -R 0:0 "$CHORUS_HOME"
    expect_file "$CHORUS_HOME/agents/a/workspace/file" precious
    keeps_its_rights
    run chorus-config get system_prompt -A a
    expect_equal "$out" 'Be brief.'
}
test_case "doctor: a key file that is gone, or that others may read"
init a --model builtin/script
echo sk-test-0123456789abcdef >key
chmod 600 key
run chorus-config profiles add one --provider anthropic --key-file "$PWD/key"
expect_status 0
run chorus-config doctor
expect_equal "$status $out" '0 nothing to mend'
chmod 644 key
run chorus-config doctor
expect_status 1
expect_match "$out" "^found: profile one: $PWD/key: others may read or write it"
rm key
run chorus-config doctor
expect_status 1
expect_match "$out" "^found: profile one: $PWD/key: no such file"

test_case "doctor: a provider that does not exist"
chorus-init a -m builtin/script >/dev/null 2>&1 </dev/null
printf '{"default_model": "zzz/y", "fallback_model": "xxx/y"}' >"$CHORUS_HOME/config.json"
sed -i 's|builtin/script|nosuch/x|' "$CHORUS_HOME/agents/a/agent.json"
printf '{"profiles": [{"name": "p", "provider": "yyy", "key": "k"}]}' >"$CHORUS_HOME/credentials.json"
chmod 600 "$CHORUS_HOME/credentials.json"
run chorus-config doctor
expect_status 1
expect_match "$out" "config.json: default_model: model: no provider 'zzz'"
expect_match "$out" "config.json: fallback_model: model: no provider 'xxx'"
expect_match "$out" "agent 'a': model: no provider 'nosuch'"
expect_match "$out" "credentials.json: profile p: no provider 'yyy'"
expect_equal "$(wc -l <<<"$out")" 4

test_case "doctor: what is only read, or replaced whole, need not be writable"
cp -a "$base/sound" "$CHORUS_HOME"
echo '{}' >"$CHORUS_HOME/config.json"
echo '{}' >"$CHORUS_HOME/available_models.json"
chown -R 65534:65534 "$CHORUS_HOME"
chmod 711 "$base" "$scratch"
for file in config.json available_models.json agents/a/agent.json agents/a/docs/note.md; do
    chmod 444 "$CHORUS_HOME/$file"
done
chmod 400 "$CHORUS_HOME/config.json"
run as_owner chorus-config doctor
expect_status 0
run as_owner chorus-run a hello
expect_status 0
for file in chorus.db agents/a/branches/main/session.md; do # these are written where they are
    chmod 444 "$CHORUS_HOME/$file"
    run as_owner chorus-config doctor
    expect_status 1
    expect_match "$out" "/$file: Permission denied"
    chmod 600 "$CHORUS_HOME/$file"
done

cannot_read agents/a/agent.json others
cannot_read agents/a/branches others
cannot_read agents/a/sessions others
cannot_read agents/a/workspace
cannot_read agents/a
cannot_read agents
cannot_read locks
cannot_read locks/agent-1
cannot_read locks/presence
cannot_read chorus.db
cannot_read available_models.json
cannot_read agents/a/docs
cannot_read agents/a/docs/note.md others
cannot_read agents/a/branches/main/session.md others
cannot_read config.json

broken 'a transcript that is a link'
transcript=$agent/branches/main/session.md
mv "$transcript" elsewhere.md
ln -s "$scratch/elsewhere.md" "$transcript"
finds 'branches/main/session.md is a symbolic link' 0
run chorus-run a again
expect_status 0
expect_match "$(cat "$transcript")" again
expect_no_match "$(cat elsewhere.md)" again

broken 'available_models.json is no object'
echo '[]' >"$CHORUS_HOME/available_models.json"
run chorus-run a again
expect_status 3
expect_match "$err" 'hint: chorus-config doctor --fix'
finds 'available_models.json: expected an object' 0
run chorus-run a again
expect_status 0

broken 'an agent at work is not checked, and that is said'
agent_key a permissions '"sandboxed"'
chorus-run a '/bash touch began; sleep 20' >/dev/null 2>&1 </dev/null &
turn=$!
wait_for 10 test -e "$agent/workspace/began"
run chorus-config doctor --fix
expect_status 1
expect_equal "$out" "found: agent 'a': it is at work and was not checked; run the command again later"
kill $turn
wait $turn
run chorus-config doctor
expect_equal "$status $out" '0 nothing to mend'

broken 'a saved session that was away comes back'
run chorus-context save a kept --no-summary
file=$(ls "$agent"/sessions/*kept.json) id=$(jq -r .id "$agent"/sessions/*kept.json)
mv "$file" away.json
finds 'it is missing, but session' 0
mv away.json "$file"
finds 'it has no row' 0
run chorus-context restore a "$id"
expect_status 0

broken 'a session of another program, with no more than it has to have'
echo '{"id": "abc-2", "messages": [{"role": "user", "content": "hi"}]}' >"$agent/sessions/x.json"
finds 'it has no row' 0
run chorus-context history a --json
expect_equal "$(jq -r 'select(.id == "abc-2") | [.trigger, (.saved_at | startswith("20"))] | tostring' <<<"$out")" '[null,true]'
run chorus-tasks status a --json
expect_json .last_session.id abc-2

test_case "doctor: a database of a newer chorus is left alone"
cp -a "$base/sound" "$CHORUS_HOME"
db 'PRAGMA user_version = 999; PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
before=$(sha256sum "$CHORUS_HOME/chorus.db")
run chorus-config doctor --fix
expect_status 3
expect_match "$err" 'made by a newer chorus'
expect_equal "$(sha256sum "$CHORUS_HOME/chorus.db")" "$before"
test_case "doctor: an agent's command may not mend"
cp -a "$base/sound" "$CHORUS_HOME"
: >"$CHORUS_HOME/chorus.db"
CHORUS_AGENT=a run chorus-config doctor --fix
expect_status 6

end_tests
