#!/usr/bin/env bash
# The bounds of chorus(7), LIMITS, that a whole turn meets: one byte less, the bound itself, one more.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

kib=1024 mib=1048576
bytes() { head -c "$1" /dev/zero | tr '\0' "${2:-x}"; } # COUNT [CHARACTER]
spaces() { bytes "$1" ' '; }

test_case "a prompt, in a file, from stdin, beside one"
init a --model builtin/script
for more in -1 0 1; do
    bytes $((10 * mib + more)) >prompt
    wanted=$((more > 0 ? 2 : 0))
    run chorus-run a -f prompt
    expect_status $wanted
    run_stdin prompt chorus-run a
    expect_status $wanted
    run_stdin prompt chorus-run a -p 'see stdin'
    expect_status $wanted
done
expect_db "SELECT count(*) FROM messages WHERE role = 'user'" 6

test_case "stdin within a message"
init a --model builtin/script
for more in -1 0 1; do
    bytes $((64 * kib + more)) >data
    run_stdin data chorus-run a -p 'see stdin'
    expect_status 0
    expect_equal "$(find "$CHORUS_HOME/agents/a" -path '*artifacts/stdin-*' | wc -l)" $((more > 0 ? 1 : 0))
done

test_case "documents on disk: exit 3, and nothing recorded"
init a --model builtin/script
find "$CHORUS_HOME/agents/a/docs" -name '*.md' -delete
for more in -1 0 1; do
    bytes $((256 * kib + more)) >"$CHORUS_HOME/agents/a/docs/long.md"
    run chorus-run a hi
    expect_status $((more > 0 ? 3 : 0))
done
expect_one_error 'docs: more than 256 KiB of documents'
expect_db 'SELECT count(*) FROM turns WHERE ended_at IS NULL' 0

test_case "configuration files"
init a --model builtin/script
for file in "$CHORUS_HOME/agents/a/agent.json" "$CHORUS_HOME/config.json"; do
    [ -e "$file" ] || echo '{}' >"$file"
    cp "$file" good.json
    for more in -1 0 1; do
        { cat good.json; spaces $((mib + more - $(stat -c %s good.json))); } >"$file"
        expect_equal "$(stat -c %s "$file")" $((mib + more))
        run chorus-run a hi
        expect_status $((more > 0 ? 3 : 0))
    done
    expect_one_error "${file##*/}"
    cp good.json "$file"
done

test_case "an action: longer ones are denied even where all is allowed"
init a --model builtin/script --permissions open
prefix='tool:bash:: '
for more in -1 0 1; do
    printf '/bash : %s' "$(bytes $((64 * kib + more - ${#prefix})))" >prompt
    run chorus-run a -f prompt --json
    expect_status 0
    expect_db "SELECT decision || ' ' || length(action_string) FROM audit_log ORDER BY id DESC LIMIT 1" \
        "$([ $more -gt 0 ] && echo deny || echo allow) $((64 * kib + more))"
done
expect_json '.denied[0].detail' 'Profile: open: the action is longer than 65536 bytes'

test_case "a pattern of a profile"
init a --model builtin/script
for more in -1 0 1; do
    set_it=agent_key
    [ $more -gt 0 ] && set_it=edit_agent_key # nobody can trust what is no profile
    $set_it a permissions "{\"allow\": [\"tool:view:$(bytes $((512 + more - 10)))\"]}"
    run chorus-run a hi
    expect_status $((more > 0 ? 3 : 0))
done
expect_one_error 'allow\[0\].*is 513 bytes long, at most 512'

test_case "tool failures in a row"
init a --model builtin/script
for count in 4 5 6; do
    for _ in $(seq $count); do echo '/view missing.txt'; done >prompt
    run chorus-run a -f prompt --json
    expect_status $((count > 4 ? 1 : 0))
    expect_json .tool_calls $((count > 5 ? 5 : count))
done

test_case "calls of one answer that only read run side by side, unless parallel_tools is 1; their results have its order" # X-25
agent_of anthropic/m --permissions open
bytes $((8 * mib)) >"$CHORUS_HOME/agents/a/workspace/large"
search='{"name": "search_files", "arguments": {"pattern": "x+y", "path": "large"}}'
beside() { # CALL...: whether each of them begins before the one above it has ended
    start_server "$(answers "{\"say\": {\"tool_calls\": [$(IFS=,; echo "$*")]}}" "$(say done)")"
    run chorus-run a go
    expect_status 0
    beside=$(db "SELECT group_concat(beside) FROM (SELECT intent_at < lag(finished_at) OVER (ORDER BY position) AS beside FROM tool_runs WHERE turn_id = (SELECT max(id) FROM turns)) WHERE beside IS NOT NULL")
}
beside "$search" '{"name": "list_files"}' "$search"
expect_equal "$beside" 1,1
expect_match "$(db "SELECT content FROM messages WHERE role = 'tool_result' ORDER BY id LIMIT 1 OFFSET 1")" 'large'
beside "$search" '{"name": "create_file", "arguments": {"path": "new", "content": "x"}}' "$search"
expect_equal "$beside" 0,0
agent_key a parallel_tools 1
beside "$search" "$search"
expect_equal "$beside" 0

test_case "a stack of 64 KiB is enough for all of it"
stack=64
nm "$CHORUS_BIN/chorus-run" 2>/dev/null | grep -q __asan_init && stack=1024 # its frames are larger
small() { (ulimit -s $stack; "$@"); }
run small chorus-init s --model builtin/script --permissions open
expect_status 0
run small chorus-run s '/create_file {"path": "x", "content": "y"}
/git_commit {"message": "m"}
/git_log
/bash echo ran'
expect_status 0
expect_match "$out" ' m'$'\n'
expect_match "$out" ran
for words in 'context save s x --no-summary' 'context search ran' 'context export s -o x.html' 'context show s' 'tasks status s' 'config doctor' 'destroy s --yes'; do
    run small chorus-$words
    expect_status 0
done

end_tests
