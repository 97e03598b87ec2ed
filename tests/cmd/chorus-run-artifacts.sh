#!/usr/bin/env bash
# Artifacts: the tools that write and read them, events, results, and chorus-context artifacts.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/subagents.sh"

create() { printf '/artifact_create %s\n' "$(jq -nc --arg id "$1" --arg content "$2" --argjson more "${3:-{\}}" '{artifact_id: $id, content: $content} + $more')"; }
append() { printf '/artifact_append %s\n' "$(jq -nc --arg id "$1" --arg content "$2" '{artifact_id: $id, content: $content}')"; }

test_case "create, append, list, get" # A-12 A-25 A-52
parent
run chorus-run a "$(create report $'# Title\n' '{"name": "The report", "description": "what was found", "mime_type": "text/markdown"}')
$(append report $'more\n')
/artifact_list
/artifact_get {\"artifact_id\": \"report\"}" --json
expect_status 0
expect_json '.text | contains("wrote report (1 line, 8 bytes)")' true
expect_json '.text | contains("appended to report, version 2 (2 lines, 13 bytes)")' true
expect_json '.text | contains("report\tfile\t13 bytes\tThe report\twhat was found")' true
expect_json '.artifacts | length' 1
expect_json '.artifacts[0] | [.id, .kind, .name, .version, .size_bytes, .path] | join(" ")' 'report file The report 2 13 artifacts/report'
run chorus-context artifacts a --json
expect_json '[.id, .mime_type, .description, .version, .size_bytes, .turn_id] | join(" ")' 'report text/markdown what was found 2 13 1'
run chorus-context artifacts a report
expect_equal "$out" $'# Title\nmore'
run chorus-context artifacts a report -o "$scratch/out.md"
expect_status 0
expect_file "$scratch/out.md" $'# Title\nmore'
run chorus-context artifacts a report -o "$scratch/out.md"
expect_status 5
run chorus-context artifacts a report -o "$scratch/out.md" --force
expect_status 0
run chorus-context artifacts a none
expect_status 4
expect_match "$err" "artifact 'none': agent 'a' has none of that id
chorus-context: hint: chorus-context artifacts a lists them"
run chorus-context artifacts a -o "$scratch/x"
expect_status 2
expect_equal "$(git -C "$work" status --porcelain artifacts)" ''
expect_sound

test_case "events tell of each; the next turn has none of it in its result" # A-42
parent
run chorus-run a "$(create one x)
$(append one y)" --output-format stream-json
expect_equal "$(jq -c 'select(.kind == "artifact-update") | [.artifact.id, .artifact.version, .append, .lastChunk]' <<<"$out")" '["one",1,false,true]
["one",2,true,true]'
run chorus-run a hello --json
expect_json '.artifacts' '[]'

test_case "kinds: data is one value, a dataset JSON lines" # A-38
parent
run chorus-run a "$(create d '{"a": 1}' '{"kind": "data"}')
$(create bad '{"a": ' '{"kind": "data"}')
$(append d x)
$(create rows '{"n": 1}' '{"kind": "dataset"}')
$(append rows '{"n": 2}')
$(append rows 'no json')
/artifact_list"
expect_status 0
expect_match "$out" "bad: the content of kind 'data' is one JSON value"
expect_match "$out" "d: of kind 'data', which is written whole by artifact_create"
expect_match "$out" "rows: the content of kind 'dataset' is one JSON value on each line; line 3 is none"
run chorus-context artifacts a rows
expect_equal "$out" $'{"n": 1}\n{"n": 2}'
expect_db "SELECT group_concat(artifact_id || ' ' || mime_type) FROM artifacts" 'd application/json,rows application/jsonl'

test_case "what is wrong is a result, and nothing is written"
parent
for arguments in '{"artifact_id": "../x", "content": "y"}' '{"artifact_id": "", "content": "y"}' '{"artifact_id": "a/b", "content": "y"}' \
    '{"artifact_id": ".x", "content": "y"}' '{"artifact_id": "x", "content": "y", "kind": "picture"}' '{"artifact_id": "x"}' \
    "$(jq -nc '{artifact_id: ("x" * 64), content: "y"}')"; do
    run chorus-run a "/artifact_create $arguments"
    expect_match "$out" 'error: '
    run chorus-run a "/artifact_append $arguments"
    expect_match "$out" 'error: '
done
expect_db 'SELECT count(*) FROM artifacts' 0
expect_missing "$CHORUS_HOME/agents/a/artifacts"
expect_missing "$CHORUS_HOME/agents/a/x"

test_case "an artifact is replaced as a new version"
parent
run chorus-run a "$(create one first)"
run chorus-run a "$(create one second '{"kind": "data"}')"
run chorus-run a "$(create one '"third"' '{"kind": "data"}')"
run chorus-context artifacts a one
expect_equal "$out" '"third"'
expect_db 'SELECT version, kind, turn_id FROM artifacts' '2|data|3'

test_case "a call that is killed is written once"
parent
for call in rename renameat2 fsync pwrite64 fdatasync; do
    for when in 1 2 4 7 11; do
        strace -f -qq -o /dev/null -e trace=none -e "inject=$call:signal=KILL:when=$when" chorus-run a "$(create k-$call-$when content)" >/dev/null 2>&1 </dev/null
        run chorus-run a --resume
        [ "$status" = 0 ] || [ "$status" = 4 ] || run chorus-run a "$(create k-$call-$when content)"
    done
done
run chorus-run a "$(create last x)"
expect_status 0
db "SELECT path, size FROM artifacts" | while IFS='|' read -r path size; do
    [ "$(stat -c %s "$CHORUS_HOME/agents/a/$path" 2>/dev/null)" = "$size" ] || fail "$path has another size"
done
expect_sound

test_case "the parent sees what its sub-agents made" # P-04
parent
agent_key a permissions '"open"'
preset helper
run chorus-run a "/spawn_agent $(jq -nc --arg prompt "$(create found 'in the child')" '{preset: "helper", description: "d", prompt: $prompt}')"
expect_status 0
child=$(of_child name)
run chorus-run a "/artifact_list
/artifact_get {\"artifact_id\": \"$child/found\"}"
expect_match "$out" "$child/found	file	12 bytes"
expect_match "$out" 'in the child'
run chorus-context artifacts "$child" found
expect_equal "$out" 'in the child'
run chorus-run a "$(append "$child/found" more)"
expect_match "$out" 'error: '

test_case "clear --artifacts archives them: out of sight of the tools, kept, and never overwritten" # A-27 X-02
parent
run chorus-run a "$(create report 'the first')
$(create other 'another')"
run chorus-context clear a --json
expect_json .artifacts 0
run chorus-context artifacts a
expect_equal "$(wc -l <<<"$out")" 2
run chorus-run a hello
run chorus-context clear a --artifacts --json
expect_status 0
expect_json '[.messages, .artifacts] | tostring' '[2,2]'
run chorus-context artifacts a
expect_equal "$out" ''
run chorus-run a '/artifact_list
/artifact_get {"artifact_id": "report"}
/artifact_get {"artifact_id": "report~1"}
'"$(append report more)"
expect_match "$out" '\[no artifacts\]'
expect_equal "$(grep -c 'no such artifact' <<<"$out")" 3
run chorus-run a "$(create report 'the second')
$(append report ' goes on')" --json
expect_json '.artifacts[0] | [.id, .version, .path] | tostring' '["report",2,"artifacts/report~1"]'
run chorus-context clear a --artifacts
expect_match "$out" '1 artifact archived'
run chorus-context artifacts a --all --json
expect_equal "$(jq -rs '[.[] | .id + " " + .status] | join(", ")' <<<"$out")" 'report~1 archived, other~1 archived, report~2 archived'
run chorus-context artifacts a report~1
expect_equal "$out" 'the first'
run chorus-context artifacts a report~2
expect_equal "$out" 'the second goes on'
run chorus-context artifacts a report~1 --all
expect_status 2
echo 'of nobody' >"$CHORUS_HOME/agents/a/artifacts/stray"
run chorus-run a "$(create stray mine)"
expect_equal "$(cat "$CHORUS_HOME/agents/a/artifacts/stray")" 'of nobody'
run chorus-run a "$(create waits 'so far')
/ask_user {\"question\": \"go on?\"}"
expect_status 10
run chorus-context clear a --artifacts
run chorus-context artifacts a
expect_match "$out" '^waits'
run chorus-run a --answer "$(db "SELECT id FROM prompts WHERE state = 'pending'")" yes
expect_status 0
expect_sound

end_tests
