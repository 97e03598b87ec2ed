#!/usr/bin/env bash
# needs: root
# A disk that is full and a home that cannot be written: one clear line, and nothing that was accepted is lost.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
[ "$(id -u)" = 0 ] || { echo "this test mounts file systems and needs root"; exit 1; }

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
fill_disk() { cat /dev/zero >"$CHORUS_HOME/filler" 2>/dev/null; }

test_case "full before the turn: nothing is accepted"
make_disk 4m
init a --model builtin/script
run chorus-run a 'the first'
expect_status 0
fill_disk
for format in text json stream-json; do
    run chorus-run a 'on a full disk' --output-format $format
    expect_status 1
    expect_one_error '(full|[Nn]o space)'
    [ $format = json ] && expect_json '"\(.exit_code) \(.error.code) \(.state)"' '1 FAILED failed'
    [ $format = stream-json ] && expect_events
done
rm "$CHORUS_HOME/filler"
expect_db "SELECT count(*) FROM messages WHERE content = 'on a full disk'" 0
expect_db 'SELECT count(*) FROM turns' 1
run chorus-run a 'the second'
expect_status 0
expect_db "SELECT group_concat(turn_number || ' ' || state) FROM turns" '1 idle,2 idle'
expect_sound
free_disk

test_case "the disk does not confirm a commit: what was told to have failed does not happen later"
on_record() { chorus-context show a --json 2>&1; chorus-context messages a --json 2>&1; }
# when=1: the disk recovers; when=1+: it does not. SQLite reads the log anew where no process has it open. The log must
# not begin anew with that commit (sqlite3 removes it, and a full one is begun anew): its head is synced before.
for when in 1 1+; do
    for words in 'chorus-run a unconfirmed' 'chorus-context clear a' 'chorus-context restore a SESSION' 'chorus-destroy a --yes'; do
        rm -rf "$CHORUS_HOME"
        init a --model builtin/script
        run chorus-run a confirmed
        run chorus-context save a --no-summary --json
        expect_status 0
        session=$(jq -r .id <<<"$out")
        before=$(on_record)
        # shellcheck disable=SC2086 # words
        run strace -qq -o /dev/null -e trace=fdatasync -e signal=none -e inject=fdatasync:error=EIO:when=$when ${words/SESSION/$session}
        expect_status 1
        expect_equal "$(on_record)" "$before"
        run chorus-run a 'the disk is back'
        expect_status 0
        expect_sound
    done
done

test_case "full, and a command by hand: the disk is named, and no wall is said to be in the way"
make_disk 4m
init a --model builtin/script
fill_disk
run chorus-tasks run a -- true
expect_status 1
expect_match "$err" 'error: .*[Nn]o space left'
expect_no_match "$err" 'sandbox off|self-test'
free_disk

test_case "full in the middle of a turn: what was accepted stays, the next turn goes on"
make_disk 4m
init a --model builtin/script --permissions sandboxed
run chorus-run a 'say it
/bash head -c 9000000 /dev/zero >filler; seq 9000
/create_file {"path": "later", "content": "x"}
/bash rm filler'
expect_status 1
expect_one_error '(full|[Nn]o space)'
rm "$CHORUS_HOME/agents/a/workspace/filler"
expect_db "SELECT count(*) FROM messages WHERE role = 'user' AND content LIKE 'say it%'" 1
# what begins is on record before it begins, wherever the disk is full
if [ -e "$CHORUS_HOME/agents/a/workspace/later" ]; then expect_db "SELECT count(*) FROM tool_runs WHERE tool = 'create_file'" 1; fi
run chorus-run a 'say it again'
expect_status 0
expect_db "SELECT group_concat(turn_number || ' ' || (ended_at IS NOT NULL), ', ') FROM turns" '1 1, 2 1'
expect_sound
grep -q 'say it again' "$CHORUS_HOME/agents/a/branches/main/session.md" || fail 'the transcript lacks the last message'
free_disk

test_case "a home that cannot be written"
make_disk 8m
init a --model builtin/script
run chorus-run a 'the first'
mount -o remount,ro "$CHORUS_HOME"
before=$(sha256sum "$CHORUS_HOME/chorus.db")
for format in text json stream-json; do
    run chorus-run a 'on a read-only home' --output-format $format
    expect_status 1
    expect_one_error '[Rr]ead-only'
    [ $format = json ] && expect_json '"\(.exit_code) \(.error.code)"' '1 FAILED'
    [ $format = stream-json ] && expect_events
done
expect_equal "$(sha256sum "$CHORUS_HOME/chorus.db")" "$before"
mount -o remount,rw "$CHORUS_HOME"
run chorus-run a 'the second'
expect_status 0
expect_db 'SELECT count(*) FROM turns' 2
expect_sound
free_disk

test_case "a home that cannot be written can be read, exported and backed up elsewhere"
for log in with without; do
    make_disk 8m
    init a --model builtin/script
    run chorus-run a 'the first'
    run chorus-context save a kept --no-summary
    if [ $log = without ]; then
        run chorus-context backup "$scratch/first.db"
        run chorus-context backup --restore "$scratch/first.db"
        expect_status 0
        rm "$CHORUS_HOME"/chorus.db.before-*
    fi
    mount -o remount,ro "$CHORUS_HOME"
    for command in 'context messages a' 'context log a' 'context show a' 'context search first' 'context history a' 'context usage' 'context audit' \
        'context branches a' 'context verify' 'context export a' 'context export a -o out.md' 'context pack a -o out.tar.gz' 'context backup copy.db' \
        'tasks list a' 'tasks status a' 'tasks pending' 'config list' 'config list -A a' 'config get model -A a' 'config doctor'; do
        run chorus-$command
        expect_status 0
    done
    expect_equal "$(sqlite3 copy.db 'PRAGMA integrity_check; SELECT count(*) FROM messages')" $'ok\n2'
    grep -q 'the first' out.md || fail 'the export lacks the message'
    run chorus-context explain a tool:bash:ls
    expect_status 0
    expect_match "$out" 'commands cannot run: the sandbox cannot be tested: .* is read-only'
    for command in 'run a x' 'context clear a' 'context save a' 'config set description x -A a' 'init b --model builtin/script' 'destroy a --yes'; do
        run chorus-$command
        expect_status 1
        expect_match "$err" '[Rr]ead-only'
    done
    rm -f out.md out.tar.gz copy.db first.db
    free_disk
done

test_case "full: what reads works, a backup goes elsewhere, and an agent is destroyed with its session saved"
for option in '' --purge; do
    make_disk 4m
    init a --model builtin/script
    # the log of the database has the size that it keeps
    for n in 1 2 3; do run chorus-run a "turn $n"; done
    fill_disk
    for command in 'context messages a' 'context export a' 'context backup copy.db' 'tasks status a' 'config doctor' "destroy a --yes $option"; do
        run chorus-$command
        expect_status 0
    done
    rm copy.db "$CHORUS_HOME/filler"
    expect_equal "$(find "$CHORUS_HOME/archive" -name '*.json' 2>/dev/null | wc -l)" "$([ -z "$option" ] && echo 1 || echo 0)"
    expect_equal "$(ls -A "$CHORUS_HOME/agents")" ''
    expect_db 'SELECT status FROM agents' destroyed
    free_disk
done

test_case "full in a home that is nearly new: an agent is destroyed there too"
for turns in 0 1 2; do
    for option in '' --purge; do
        make_disk 4m
        init a --model builtin/script
        for ((n = 1; n <= turns; n++)); do run chorus-run a "turn $n"; done
        fill_disk
        run chorus-destroy a --yes $option
        expect_status 0
        rm "$CHORUS_HOME/filler"
        saved=0
        [ $turns = 0 ] || [ -n "$option" ] || saved=1
        expect_equal "$(find "$CHORUS_HOME/archive" -name '*.json' 2>/dev/null | wc -l)" $saved
        expect_equal "$(ls -A "$CHORUS_HOME/agents")" ''
        expect_db 'SELECT status FROM agents' destroyed
        run chorus-config doctor
        expect_status 0
        free_disk
    done
done

test_case "full when the turn ends: the result names the turn on record, and --resume goes on with it"
for format in text json; do
    make_disk 4m
    init a --model builtin/script --permissions sandboxed
    # the filler is removed only by a person
    run chorus-run a --output-format $format 'say it
/bash head -c 9000000 /dev/zero >filler; seq 9000'
    expect_status 1
    expect_match "$err" 'hint: turn 1 is on record; .*chorus-run a -t 1 --resume'
    expect_no_match "$err" 'run the command again'
    [ $format = json ] && expect_json '"\(.turn) \(.exit_code) \(.state)"' '1 1 failed'
    rm "$CHORUS_HOME/agents/a/workspace/filler"
    run chorus-run a --resume
    expect_status 0
    expect_db "SELECT group_concat(turn_number || ' ' || state) FROM turns" '1 idle'
    expect_db "SELECT count(*) FROM messages WHERE role = 'user' AND content LIKE 'say it%'" 1
    expect_sound
    free_disk
done

test_case "full by the log of a task: the task ends, and its end is on record"
make_disk 4m
init a --model builtin/script --permissions open
run chorus-tasks run a -- 'head -c 20000000 /dev/zero | tr "\0" x | fold -w 80; exit 3'
expect_status 0
run timeout 30 chorus-tasks wait a task_001 --timeout 20s
expect_status 3
expect_db "SELECT status || ' ' || exit_code FROM tasks" 'failed 3'
expect_db "SELECT note LIKE '%output was lost%' FROM tasks" 1
free_disk

test_case "full by others: wait says that the end of a task cannot be recorded, until it can"
make_disk 4m
init a --model builtin/script --permissions open
: >"$CHORUS_HOME/agents/a/workspace/stay"
run chorus-tasks run a -- 'while [ -e stay ]; do sleep 0.1; done'
fill_disk
rm "$CHORUS_HOME/agents/a/workspace/stay"
run timeout 30 chorus-tasks wait a task_001 --timeout 20s
expect_status 1
expect_match "$err" 'error: task task_001: it has ended, and its end cannot be recorded'
rm "$CHORUS_HOME/filler"
wait_for 40 chorus-tasks wait a task_001 --timeout 1s
run chorus-tasks wait a task_001
expect_status 0
free_disk

test_case "a workspace that cannot be written is the model's to know"
make_disk 8m
init a --model builtin/script
mount --bind "$CHORUS_HOME/agents/a/workspace" "$CHORUS_HOME/agents/a/workspace" && mount -o remount,bind,ro "$CHORUS_HOME/agents/a/workspace"
run chorus-run a '/create_file {"path": "x", "content": "y"}'
expect_status 0
expect_match "$out" 'error: .*[Rr]ead-only'
umount "$CHORUS_HOME/agents/a/workspace"
free_disk

end_tests
