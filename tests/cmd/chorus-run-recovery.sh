#!/usr/bin/env bash
# needs: root
# What recovery finds of a call that kill -9 cut off, by class of tool: at exact system calls, by strace.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
# what is traced cannot be looked through for leaks (in a sanitized build)
export ASAN_OPTIONS=detect_leaks=0
command -v strace >/dev/null || { echo 'this test needs strace'; exit 1; }

init() { # NAME [OPTIONS]: system calls are counted, and a checkpoint would make more of them
    chorus-init "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || fail "chorus-init $*: $(cat "$scratch/err")"
    home_key limits '{"checkpoint_mib": 0}'
}
work() { printf '%s/agents/a/workspace' "$CHORUS_HOME"; }
killed_at() { # SYSCALLS K COMMAND …: killed on entering the K-th of them
    local calls=$1 k=$2
    shift 2
    { strace -qq -o /dev/null -e "inject=$calls:signal=KILL:when=$k" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null; } 2>/dev/null
    status=$?
    expect_status 137
}
outcome() { db "SELECT outcome FROM tool_runs WHERE tool_call_id = '$1'"; }
result_of() { db "SELECT content FROM messages WHERE role = 'tool_result' AND tool_call_id = '$1'"; }
write_call() { call w "$1" "$2"; } # TOOL ARGUMENTS
renames=rename,renameat,renameat2

test_case "a write that had not happened: a new message tells so, --resume runs it, once" # A-44
for tool in create_file append_file str_replace; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m --permissions sandboxed
    printf 'one\n' >"$(work)/f"
    case $tool in
        str_replace) arguments='{"path": "f", "old_str": "one", "new_str": "two"}' wanted=two ;;
        append_file) arguments='{"path": "f", "content": "two\n"}' wanted=$'one\ntwo' ;;
        *) arguments='{"path": "f", "content": "two\n"}' wanted=two ;;
    esac
    start_server "$(answers "$(write_call $tool "$arguments")" "$(say Noted.)")"
    killed_at $renames 1 chorus-run a go
    expect_file "$(work)/f" one
    expect_equal "$(outcome w)" ''
    cp -r "$CHORUS_HOME" kept
    run chorus-run a 'something else'
    expect_status 0
    expect_match "$err" '^chorus-run: notice: recovered turn 1, whose process died; its calls: 1 not begun$'
    expect_equal "$(outcome w)" interrupted
    expect_file "$(work)/f" one
    expect_acceptable "$(request 2)"
    expect_sound
    rm -rf "$CHORUS_HOME"
    mv kept "$CHORUS_HOME"
    run chorus-run a --resume
    expect_status 0
    expect_match "$err" '^chorus-run: notice: recovered turn 1, whose process died; its calls: 1 not begun$'
    expect_equal "$(outcome w)" ok
    expect_file "$(work)/f" "$wanted"
    expect_acceptable "$(request 3)"
    expect_sound
    expect_equal "$(find "$(work)" -name '*.tmp*' -o -name '.*.new' | wc -l)" 0
done

test_case "half a verdict on the sandbox is cleared away by the next turn, also one that runs no command"
rm -rf "$CHORUS_HOME"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$(call w bash '{"command": "true"}')" "$(say Noted.)")"
killed_at $renames 2 chorus-run a go
expect_equal "$(ls -A "$CHORUS_HOME/locks" | grep chorus-write)" .chorus-write-0.tmp
run chorus-run a 'something else'
expect_status 0
expect_equal "$(ls -A "$CHORUS_HOME/locks" | grep chorus-write)" ''

test_case "a write that had happened is told as done and not run again"
for tool in create_file append_file str_replace; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m --permissions sandboxed
    printf 'one\n' >"$(work)/f"
    case $tool in
        str_replace) arguments='{"path": "f", "old_str": "one", "new_str": "one, one"}' wanted='one, one' ;;
        append_file) arguments='{"path": "f", "content": "two\n"}' wanted=$'one\ntwo' ;;
        *) arguments='{"path": "f", "content": "two\n"}' wanted=two ;;
    esac
    start_server "$(answers "$(write_call $tool "$arguments")" "$(say Noted.)")"
    # the file, then its directory, which is synced once the name is there
    killed_at fsync 2 chorus-run a go
    expect_file "$(work)/f" "$wanted"
    expect_equal "$(outcome w)" ''
    run chorus-run a --resume
    expect_status 0
    expect_match "$err" '; its calls: 1 done$'
    expect_equal "$(outcome w)" ok
    expect_match "$(result_of w)" '^done: .*f was written'
    expect_file "$(work)/f" "$wanted"
    expect_acceptable "$(request 2)"
    expect_sound
done

test_case "a self-edit: one that had not happened is run by --resume, one that had is told as done"
own() { printf '%s/agents/a/%s' "$CHORUS_HOME" "$1"; }
for tool in self_edit_system_prompt self_edit_docs; do
    case $tool in
        self_edit_docs) arguments='{"path": "notes/deep.md", "content": "SECOND."}' file=docs/notes/deep.md ;;
        *) arguments='{"new_prompt": "SECOND."}' file=agent.json ;;
    esac
    for point in "$renames 1" 'fsync 2'; do
        rm -rf "$CHORUS_HOME"
        init a --model anthropic/m --permissions open --system-prompt FIRST.
        mkdir "$(own docs/notes)"
        start_server "$(answers "$(write_call $tool "$arguments")" "$(say Noted.)")"
        killed_at ${point% *} "${point#* }" chorus-run a go
        expect_equal "$(outcome w)" ''
        expect_equal "$(cat "$(own $file)" 2>/dev/null | grep -c SECOND)" $((${point#* } - 1))
        run chorus-run a --resume
        expect_status 0
        expect_equal "$(outcome w)" ok
        [ "${point#* }" = 1 ] || expect_match "$(result_of w)" "^done: .*$file was written"
        expect_equal "$(grep -c SECOND "$(own $file)")" 1
        expect_match "$(jq -r '.system[].text' "$(request 2)")" 'SECOND\.'
        expect_equal "$(find "$(own .)" -name '*.tmp*' | wc -l)" 0
        expect_acceptable "$(request 2)"
        expect_sound
    done
done

test_case "a file that somebody else changed meanwhile: unknown, and left alone"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$(write_call create_file '{"path": "f", "content": "mine"}')" "$(say Noted.)")"
killed_at $renames 1 chorus-run a go
echo theirs >"$(work)/f"
run chorus-run a --resume
expect_status 0
expect_equal "$(outcome w)" unknown
expect_file "$(work)/f" theirs
expect_sound

test_case "a commit is found by its id; one that was not made is made by --resume, once"
for k in {1..40}; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m --permissions sandboxed
    echo work >"$(work)/f"
    start_server "$(answers "$(call c git_commit '{"message": "by the model"}')" "$(say Noted.)")"
    # its calls of chorus-git are what it sends by this one
    { strace -qq -o /dev/null -e "inject=$renames,sendmsg:signal=KILL:when=$k" chorus-run a go >"$scratch/out" 2>"$scratch/err" </dev/null; } 2>/dev/null
    status=$?
    [ $status = 0 ] && break
    expect_status 137
    run chorus-run a --resume
    expect_status 0
    expect_equal "$(outcome c)" ok
    expect_equal "$(git -C "$(work)" log --format=%s | grep -c '^by the model$')" 1
    expect_equal "$(git -C "$(work)" status --porcelain)" ''
    expect_equal "$(git -C "$(work)" fsck 2>&1 | grep -cv '^dangling\|^notice')" 0
    expect_sound
done
[ $k -gt 3 ] || fail "only $k calls of a commit were seen"

test_case "chorus-git is killed at each of its steps: the call is an error, and the next one makes the commit"
for k in {1..40}; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m --permissions sandboxed
    echo work >"$(work)/f"
    start_server "$(answers "$(call c git_commit '{"message": "by the model"}')" "$(say Noted.)" \
        "$(call d git_commit '{"message": "by the model"}')" "$(say Noted.)")"
    { strace -f -qq -o /dev/null -e "inject=$renames,link,linkat,unlink,fsync:signal=KILL:when=$k" chorus-run a go >"$scratch/out" 2>"$scratch/err" </dev/null; } 2>/dev/null
    status=$?
    expect_status 0
    [ "$(outcome c)" = ok ] && break
    expect_match "$(result_of c)" 'chorus-git ended'
    run chorus-run a again
    expect_status 0
    expect_equal "$(git -C "$(work)" log --format=%s | grep -c '^by the model$')" 1
    expect_equal "$(git -C "$(work)" status --porcelain)" ''
    expect_equal "$(git -C "$(work)" fsck 2>&1 | grep -cv '^dangling\|^notice')" 0
    expect_sound
done
[ $k -gt 10 ] || fail "only $k steps of a commit were seen"

test_case "each file of a commit is on disk before it gets its name"
init a --model anthropic/m --permissions sandboxed
echo work >"$(work)/f"
start_server "$(answers "$(call c git_commit '{"message": "by the model"}')" "$(say Noted.)")"
strace -f -y -qq -o "$scratch/trace" -e trace=$renames,fsync chorus-run a go >/dev/null 2>&1 </dev/null
expect_equal "$(outcome c)" ok
sed -nE 's/^[0-9]+ +fsync\([0-9]+<([^>]+)>\) += 0/synced \1/p; s/^[0-9]+ +rename[^"]*"([^"]+\/\.git\/[^"]+)".* = 0/renamed \1/p' \
    "$scratch/trace" >"$scratch/steps"
expect_equal "$(awk '$1 == "renamed" && !($2 in synced) { print $2 } $1 == "synced" { synced[$2] }' "$scratch/steps")" ''
expect_match "$(grep renamed "$scratch/steps")" '/\.git/index\.lock'

test_case "several calls: what is done stays, what was cut off is told, the rest is run in order"
init a --model anthropic/m --permissions sandboxed
all=$(jq -nc '{say: {text: "Three.", tool_calls: [
    {id: "x", name: "append_file", arguments: {path: "log", content: "1\n"}},
    {id: "y", name: "append_file", arguments: {path: "log", content: "2\n"}},
    {id: "z", name: "append_file", arguments: {path: "log", content: "3\n"}}]}}')
start_server "$(answers "$all" "$(say Noted.)")"
killed_at $renames 2 chorus-run a go
run chorus-run a --resume
expect_status 0
expect_file "$(work)/log" $'1\n2\n3'
expect_db "SELECT group_concat(tool_call_id || ' ' || outcome) FROM (SELECT * FROM tool_runs ORDER BY position)" 'x ok,y ok,z ok'
expect_sound

test_case "--retry asks again without the answers that came to nothing"
init a --model anthropic/m --permissions sandboxed
home_key max_retries 0
start_server "$(answers "$(call good create_file '{"path": "f", "content": "x"}')" \
    "$(call bad1 str_replace '{"path": "f", "old_str": "nowhere", "new_str": "y"}')" \
    "$(call bad2 view '{"path": "missing"}')" '{"status": 500}' "$(say 'Another way.')")"
run chorus-run a go
expect_status 7
run chorus-run a --retry --json
expect_status 0
expect_json '"\(.turn) \(.text)"' '1 Another way.'
expect_equal "$(jq -r '[.messages[].content[] | select(.type == "tool_use").id] | join(" ")' "$(request 5)")" good
expect_acceptable "$(request 5)"
expect_db "SELECT group_concat(tool_call_id) FROM messages WHERE compacted_into = 0 AND role = 'tool_result'" bad1,bad2
run chorus-run a 'and now'
expect_status 0
expect_equal "$(jq -r '[.messages[].content[] | select(.type == "tool_use").id] | join(" ")' "$(request 6)")" good
expect_acceptable "$(request 6)"
expect_sound
run chorus-run a --retry
expect_status 0
expect_equal "$out" ''
expect_equal "$(request_count)" 6
run chorus-run a --retry and a prompt
expect_status 2
run chorus-run a --retry --resume
expect_status 2

test_case "--retry keeps what may have changed something"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$(call b bash '{"command": "touch began; sleep 47'"$$"'"}')" "$(say 'I looked.')")"
chorus-run a go >/dev/null 2>&1 </dev/null &
pid=$!
wait_for 10 test -e "$(work)/began" || fail 'the turn did not come to its command'
kill -9 $pid
wait $pid 2>/dev/null
run chorus-run a --retry
expect_status 0
expect_match "$(jq -r '.messages[2].content[0].content | if type == "array" then .[0].text else . end' "$(request 2)")" '^unknown: '
expect_sound

test_case "a turn killed again and again while it is resumed counts once"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$(write_call create_file '{"path": "f", "content": "x"}')" "$(say Noted.)")"
killed_at $renames 1 chorus-run a go
killed_at $renames 1 chorus-run a --resume
killed_at $renames 1 chorus-run a --resume
run chorus-run a --resume
expect_status 0
expect_db 'SELECT turn_count FROM agents' 1
expect_db 'SELECT attempt FROM turns' 4
expect_sound

test_case "the log's name is on disk before its first page, and is not synced again by each process"
traced() { # FIRST COMMAND …: what becomes durable from there on: the directory, pages of the log, the log
    local from=$1
    shift
    strace -f -y -qq -o "$scratch/trace" -e trace=fsync,fdatasync,pwrite64 "$@" >/dev/null 2>&1 </dev/null
    sed -nE "s/^[0-9]+ +f(data)?sync\([0-9]+<[^>]*home>\).*/name/p; s/^[0-9]+ +fdatasync.*-wal>\).*/log/p
        s/^[0-9]+ +pwrite64.*-wal>.*/page/p" "$scratch/trace" | sed -n "/^$from\$/,\$p" | uniq | paste -sd' '
}
expect_match "$(traced name chorus-init a --model builtin/script)" '^name( page log)+$'
expect_match "$(traced .\* chorus-run a hi)" '^(page log ?)+$'
sqlite3 "$CHORUS_HOME/chorus.db" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null # deletes the log at its end
expect_match "$(traced name chorus-run a hi)" '^name( page log)+$'

test_case "a one-line turn writes 18 pages to the log and syncs it twice"
init a --model builtin/script
for turn in 1 2 3 4 5; do # at times a page is full, or the index of the search is written
    traced .\* chorus-run a hi >/dev/null
    echo "$(grep -c 'pwrite64.*-wal>.*, 4096, ' trace) $(grep -c 'fdatasync.*-wal>' trace)"
done >writes
expect_equal "$(sort -n writes | head -n 1)" "18 2"

end_tests
