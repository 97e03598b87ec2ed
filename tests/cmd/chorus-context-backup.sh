#!/usr/bin/env bash
# The record as a file: backups that are proven, put back by a verb, and told from what they are not.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

messages() { sqlite3 -readonly "file:$1?immutable=1" 'SELECT count(*) FROM messages'; } # DATABASE
checked() { sqlite3 -readonly "file:$1?immutable=1" 'PRAGMA integrity_check'; }         # DATABASE
# An agent with three turns, a backup after the first, and a log with what came after it.
two_states() {
    init a --model builtin/script --permissions open
    run chorus-run a 'before the backup'
    run chorus-context backup copy.db
    expect_status 0
    run chorus-run a 'after the backup'
    run chorus-run a 'and once more'
    [ -s "$CHORUS_HOME/chorus.db-wal" ] || fail 'there is no log'
}
damage() { # DATABASE: a page in the middle
    local pages
    pages=$(($(stat -c %s "$1") / 4096))
    dd if=/dev/urandom of="$1" bs=4096 seek=$((pages / 2)) count=4 conv=notrunc status=none
}
damaged_home() {
    init a --model builtin/script
    for n in 1 2 3; do run chorus-run a "turn $n"; done
    db 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
    damage "$CHORUS_HOME/chorus.db"
}

test_case "backup --restore: the state of the backup, the database before kept whole beside it"
two_states
run chorus-context backup --restore copy.db
expect_status 0
expect_match "$out" '^copy\.db: restored, 1 agent, 2 messages'
kept=$(ls "$CHORUS_HOME"/chorus.db.before-* | grep -v -- -wal)
expect_match "$out" "the previous database is $kept"
expect_db 'SELECT count(*) FROM messages' 2
expect_db 'PRAGMA integrity_check' ok
expect_equal "$(sqlite3 "$kept" 'SELECT count(*) FROM messages; PRAGMA integrity_check')" $'6\nok'
expect_equal "$(stat -c %a "$CHORUS_HOME/chorus.db")" 600
run chorus-run a 'goes on'
expect_status 0
expect_sound
# the transcript still has the messages that were taken back: their ids are not given again
expect_db "SELECT id > 6 FROM messages WHERE content = 'goes on'" 1
expect_equal "$(grep -o '<!-- message [0-9]*' "$CHORUS_HOME/agents/a/branches/main/session.md" | sort -k 3n | uniq -d)" ''
run chorus-context backup --restore "$kept" --json
expect_status 0
expect_json '"\(.agents) \(.messages)"' '1 6'
expect_match "$(jq -r .kept <<<"$out")" "^$CHORUS_HOME/chorus\.db\.before-"
run chorus-context verify
expect_status 0

test_case "backup --restore: into a home that has lost its database, and into none"
two_states
cp copy.db "$scratch/safe.db"
rm "$CHORUS_HOME/chorus.db"
for command in 'chorus-run a x' 'chorus-init b --model builtin/script' 'chorus-context messages a' 'chorus-config doctor'; do
    run $command
    expect_status "$([ "$command" = 'chorus-config doctor' ] && echo 1 || echo 3)"
done
run chorus-context backup --restore copy.db
expect_status 0
run chorus-run a 'goes on'
expect_status 0
expect_db 'SELECT count(*) FROM messages' 4
CHORUS_HOME=$scratch/new run chorus-context backup --restore copy.db --json
expect_status 0
expect_json .kept null
expect_equal "$(messages "$scratch/new/chorus.db")" 2

test_case "a backup that was copied over the database: its log is not mixed in, whoever opens it"
two_states
cp copy.db "$CHORUS_HOME/chorus.db"
before=$(sha256sum "$CHORUS_HOME"/chorus.db "$CHORUS_HOME"/chorus.db-wal)
for command in 'chorus-run a x' 'chorus-init b' 'chorus-tasks status a' 'chorus-context messages a' 'chorus-destroy a --yes' \
    'chorus-context backup elsewhere.db' 'chorus-config get permissions -A a'; do
    run $command
    expect_status 3
    expect_match "$err" 'chorus\.db: is a backup, and its log \(.*chorus\.db-wal\) belongs to another database'
done
expect_equal "$(sha256sum "$CHORUS_HOME"/chorus.db "$CHORUS_HOME"/chorus.db-wal)" "$before"
hint=$(sed -n 's/^chorus-config: hint: \(.*\) restores it.*/\1/p' <<<"$err")
expect_equal "$hint" "chorus-context backup --restore $CHORUS_HOME/chorus.db"
run $hint
expect_status 0
expect_db 'SELECT count(*) FROM messages' 2
expect_db 'PRAGMA integrity_check' ok
run chorus-run a 'goes on'
expect_status 0

test_case "a database that is empty or missing beside agents or a log is no new home"
two_states
for state in log agents both archive; do
    rm -f "$CHORUS_HOME"/chorus.db*
    [[ $state = log || $state = both ]] && echo 'a log' >"$CHORUS_HOME/chorus.db-wal"
    [[ $state = log || $state = archive ]] && mv "$CHORUS_HOME/agents" "$scratch/agents"
    [ $state = archive ] && mkdir -p "$CHORUS_HOME/archive/a-1"
    for database in missing zero schemaless; do
        [ $database = zero ] && : >"$CHORUS_HOME/chorus.db"
        if [ $database = schemaless ]; then
            [[ $state = agents || $state = archive ]] || continue
            sqlite3 "$CHORUS_HOME/chorus.db" 'PRAGMA journal_mode = WAL; VACUUM' >/dev/null
        fi
        word=empty
        [ $database = missing ] && word=missing
        for command in 'chorus-init b --model builtin/script' 'chorus-init b --model builtin/script --groom manual' \
            'chorus-config set max_iterations 3' 'chorus-run a x' 'chorus-context messages a' 'chorus-context backup new.db' \
            'chorus-tasks list a' 'chorus-destroy a --yes' 'chorus-config get model -A a'; do
            [[ $state = log && $command = *manual ]] && continue
            run $command
            expect_status 3
            expect_match "$err" "chorus\\.db: is $word, (and|but) "
            expect_match "$err" "hint: 'chorus-context backup --restore FILE'.*'chorus-config doctor --fix'"
        done
        [ $database = missing ] && expect_missing "$CHORUS_HOME/chorus.db"
        expect_equal "$(find "$CHORUS_HOME/chorus.db-wal" -size +0 2>/dev/null | wc -l)" "$([[ $state = log || $state = both ]] && echo 1 || echo 0)"
    done
    [[ $state = log || $state = archive ]] && rmdir "$CHORUS_HOME/agents" && mv "$scratch/agents" "$CHORUS_HOME/agents"
done
run chorus-context backup --restore copy.db
expect_status 0
run chorus-run a x
expect_status 0

test_case "backup --restore: nothing changes where the file is none, is damaged, is newer, or somebody works"
two_states
before=$(sha256sum "$CHORUS_HOME"/chorus.db "$CHORUS_HOME"/chorus.db-wal)
cp copy.db damaged.db
damage damaged.db
cp copy.db newer.db
sqlite3 newer.db 'PRAGMA user_version = 999'
: >empty.db
echo 'a text, longer than the header of a database, and of no use as one; a text, longer than the header of one' >text.db
sqlite3 other.db 'CREATE TABLE recipes (name)'
while read -r file code words; do
    run chorus-context backup --restore "$file"
    expect_status "$code"
    expect_match "$err" "$words"
    [[ $file = damaged.db || $file = newer.db || $file = nowhere.db ]] || expect_match "$err" "hint: name a file made by 'chorus-context backup FILE'"
done <<'X'
damaged.db 1 damaged
newer.db 3 newer
empty.db 3 empty database
text.db 3 not a database
other.db 3 not a database of chorus
nowhere.db 2 No such file
X
CHORUS_AGENT=a run chorus-context backup --restore copy.db
expect_status 6
run chorus-context backup --restore copy.db --force
expect_status 2
expect_equal "$(sha256sum "$CHORUS_HOME"/chorus.db "$CHORUS_HOME"/chorus.db-wal)" "$before"
expect_equal "$(find "$CHORUS_HOME" -maxdepth 1 -name '*before*' -o -maxdepth 1 -name '.chorus-write*')" ''
CHORUS_DRAIN_TIMEOUT_MS=0 chorus-run a '/bash {"command": "sleep 60"}' >/dev/null 2>&1 &
turn=$!
wait_for 10 in_db 'SELECT count(*) FROM turns WHERE ended_at IS NULL' 1 || fail 'no turn'
run timeout 20 chorus-context backup --restore copy.db
expect_status 75
expect_match "$err" 'other processes have its database open'
kill $turn
wait $turn
run chorus-context backup --restore copy.db
expect_status 0

test_case "backup --restore, killed anywhere: the next command finds the old state or the new one, whole"
two_states
rm "$CHORUS_HOME/chorus.db-shm"
cp -a "$CHORUS_HOME" "$scratch/before"
state() { db 'SELECT count(*) FROM messages; PRAGMA integrity_check' | tr '\n' ' '; }
calls=rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,fsync,fdatasync,openat,pwrite64
strace -qq -e trace=$calls -o "$scratch/trace" chorus-context backup --restore copy.db >/dev/null 2>&1
from=$(grep -n '\.chorus-write' "$scratch/trace" | tail -n 40 | head -1 | cut -d: -f1)
old=0 new=0
for call in ${calls//,/ }; do
    first=$(head -"$from" "$scratch/trace" | grep -c "^$call(")
    for ((k = first + 1; k <= $(grep -c "^$call(" "$scratch/trace"); k++)); do
        [ $call = pwrite64 ] && k=$((k + 5 + RANDOM % 40))
        rm -rf "$CHORUS_HOME"
        cp -a "$scratch/before" "$CHORUS_HOME"
        { strace -qq -o /dev/null -e "inject=$call:signal=KILL:when=$k" chorus-context backup --restore copy.db >/dev/null 2>&1 </dev/null; } 2>/dev/null
        expect_equal "$(find "$CHORUS_HOME" -maxdepth 1 -type f -links +1)" ''
        run chorus-context verify
        expect_status 0
        expect_equal "$(find "$CHORUS_HOME" -maxdepth 1 -type f -links +1 -o -maxdepth 1 -type l)" ''
        kept=$(find "$CHORUS_HOME" -maxdepth 1 -name 'chorus.db.before-*' ! -name '*-wal')
        case $(state) in
            '6 ok ') old=$((old + 1)) && expect_equal "$kept" '' ;;
            '2 ok ') new=$((new + 1)) && expect_equal "$(sqlite3 "$kept" 'SELECT count(*) FROM messages; PRAGMA integrity_check')" $'6\nok' ;;
            *) fail "killed at $call $k: $(state)" ;;
        esac
        run chorus-run a 'goes on'
        expect_status 0
    done
done
[ $old -gt 5 ] && [ $new -gt 0 ] || fail "killed: $old times the old state, $new times the new one"

test_case "backup --restore, killed, and the home copied: the next command changes the copy alone"
two_states
cp -a "$CHORUS_HOME" "$scratch/before"
for k in 1 2 3; do
    rm -rf "$CHORUS_HOME" copied
    cp -a "$scratch/before" "$CHORUS_HOME"
    { strace -qq -o /dev/null -e "inject=rename:signal=KILL:when=$k" chorus-context backup --restore copy.db >/dev/null 2>&1 </dev/null; } 2>/dev/null
    cp -a "$CHORUS_HOME" copied
    names=$(ls -A "$CHORUS_HOME")
    run env CHORUS_HOME="$PWD/copied" chorus-context verify
    expect_status 0
    expect_equal "$(sqlite3 copied/chorus.db 'SELECT count(*) FROM messages')" 6
    expect_equal "$(ls -A "$CHORUS_HOME")" "$names"
done

test_case "a damaged database: no backup of it replaces a good one, and verify says so"
damaged_home
echo good >copy.db
run chorus-context backup --force copy.db
expect_status 1
expect_match "$err" 'damaged'
expect_match "$err" 'hint: .*backup --restore'
expect_file copy.db good
run chorus-context backup new.db
expect_status 1
expect_missing new.db
run chorus-context verify
expect_status 1
expect_match "$err" 'damaged|database'
run chorus-context verify --json
expect_status 1

test_case "verify: a row that refers to nothing is damage too, in words and in JSON"
init a --model builtin/script
run chorus-run a one
run chorus-context verify --json
expect_status 0
expect_json '"\(.ok) \(.problem)"' 'true null'
db "DELETE FROM threads"
run chorus-context verify
expect_status 1
expect_match "$err" 'error: database: .* refers to'
run chorus-context verify --json
expect_status 1
expect_json .ok false
expect_match "$(jq -r .problem <<<"$out")" 'database: .* refers to'
echo good >copy.db
run chorus-context backup --force copy.db
expect_status 1
expect_file copy.db good

test_case "backup --restore: a branch made since has a directory, and no thread"
init a --model builtin/script
chorus-run a one >/dev/null 2>&1
chorus-context backup copy.db >/dev/null
run chorus-context branch a later --json
branch=$(jq -r .branch <<<"$out")
chorus-context switch a later >/dev/null 2>&1
run chorus-context backup --restore copy.db
expect_status 0
run chorus-run a two
expect_status 4
expect_match "$err" "error: agent 'a': its current branch, '$branch', has no thread"
run bash -c "$(sed -n 's/^chorus-run: hint: //p' <<<"$err")"
expect_status 0
run chorus-run a two
expect_status 0

test_case "a process that finds a newer schema stops writing, and never sets it back"
init a --model builtin/script --permissions open
chorus-run a '/bash {"command": "until [ -e go ]; do sleep 0.1; done"}' >"$scratch/turn" 2>&1 &
turn=$!
wait_for 10 in_db 'SELECT count(*) FROM tool_runs' 1 || fail 'no command'
db 'PRAGMA user_version = 99' >/dev/null
rows=$(db 'SELECT count(*) FROM messages')
: >"$CHORUS_HOME/agents/a/workspace/go"
wait $turn
expect_equal $? 3
expect_match "$(cat turn)" 'made by a newer chorus \(schema 99'
expect_db 'PRAGMA user_version' 99
expect_db 'SELECT count(*) FROM messages' "$rows"

end_tests
