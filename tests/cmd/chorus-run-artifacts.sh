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
killed=0
for call in rename renameat2 fsync pwrite64 fdatasync; do
    for when in 1 2 4 7 11; do
        strace -f -qq -o /dev/null -e trace="$call" -e "inject=$call:signal=KILL:when=$when" chorus-run a "$(create k-$call-$when content)" >/dev/null 2>&1 </dev/null
        [ $? = 137 ] && killed=$((killed + 1))
        run chorus-run a --resume
        [ "$status" = 0 ] || [ "$status" = 4 ] || run chorus-run a "$(create k-$call-$when content)"
    done
done
[ "$killed" -gt 5 ] || fail "killed only $killed times"
run chorus-run a "$(create last x)"
expect_status 0
for row in $(db "SELECT path || ':' || size FROM artifacts"); do
    expect_equal "$row $(stat -c %s "$CHORUS_HOME/agents/a/${row%:*}" 2>/dev/null)" "$row ${row##*:}"
done
expect_sound

test_case "killed anywhere: row and file are the old version or the new one, never of both"
parent
killed=0
for call in rename renameat2 fsync fdatasync pwrite64 unlinkat; do
    for when in {1..20}; do
        run chorus-run a "$(create r '{"old": 1}' '{"kind": "data", "name": "old"}')"
        expect_status 0
        strace -f -qq -o /dev/null -e trace="$call" -e "inject=$call:signal=KILL:when=$when" chorus-run a "$(create r 'new words' '{"name": "new"}')" >/dev/null 2>&1 </dev/null
        [ $? = 137 ] || break
        killed=$((killed + 1))
        run chorus-run a 'go on'
        expect_status 0
        content=$(cat "$CHORUS_HOME/agents/a/artifacts/r")
        case $(db "SELECT kind || ' ' || name || ' ' || size FROM artifacts WHERE artifact_id = 'r'") in
            'data old 10') expect_equal "$call $when $content" "$call $when {\"old\": 1}" ;;
            'file new 9') expect_equal "$call $when $content" "$call $when new words" ;;
            *) fail "$call $when: $(db 'SELECT kind, name, size FROM artifacts') $content" ;;
        esac
        strace -f -qq -o /dev/null -e trace="$call" -e "inject=$call:signal=KILL:when=$when" chorus-run a "$(create "new-$call-$when" words)" >/dev/null 2>&1 </dev/null
        run chorus-run a 'go on'
        for row in $(db "SELECT path || ':' || size FROM artifacts"); do
            expect_equal "$call $when $(stat -c %s "$CHORUS_HOME/agents/a/${row%:*}")" "$call $when ${row##*:}"
        done
    done
done
[ "$killed" -gt 20 ] || fail "killed only $killed times"
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

test_case "they come with the agent: packed, kept, in a copy of a sub-agent"
parent
agent_key a permissions '"open"'
preset helper
run chorus-run a "$(create report $'# Title\n' '{"name": "The report", "description": "what was found", "mime_type": "text/markdown"}')
$(create report $'# Second\n' '{"name": "The report"}')
$(create table '{"a": 1}' '{"kind": "dataset"}')"
run chorus-context clear a --artifacts
run chorus-run a "$(create later '[1]' '{"kind": "data"}')"
run chorus-run a "/spawn_agent $(jq -nc --arg prompt "$(create found 'in the child' '{"name": "Found"}')" '{preset: "helper", description: "d", prompt: $prompt}')"
child=$(of_child name)
rows() { chorus-context artifacts "$1" --all --json | jq -c '[.id, .kind, .name, .description, .mime_type, .status, .version, .size_bytes, .path, .created_at, .updated_at]'; }
head -c 70000 /dev/zero | tr '\0' x >big
run_stdin big chorus-run a
known=$(rows a)
of_the_child=$(rows "$child")
expect_equal "$(wc -l <<<"$known") $(wc -l <<<"$of_the_child")" '4 1'
run chorus-context pack a -o a.tar
expect_status 0
run chorus-init b --adopt=a.tar
expect_status 0
expect_equal "$(rows b)" "$known"
run chorus-run b "$(append later x)
/artifact_get {\"artifact_id\": \"later\"}
/artifact_list"
expect_match "$out" '\[1\]'
expect_match "$out" "$child/found"
run chorus-destroy b --yes # the ids of its sub-agents are the same
run chorus-context branch a other
run chorus-context switch a other
expect_status 0
expect_equal "$(rows "$child")" "$of_the_child"
run chorus-run "$child" "$(append found ' and more')"
expect_status 0
expect_match "$(rows "$child" | tail -1)" '^\["found","file","Found",null,"text/plain","complete",2,21,'
run chorus-run a "/artifact_list
/artifact_get {\"artifact_id\": \"$child/found\"}"
expect_equal "$(grep -c "$child/found	file" <<<"$out")" 1
expect_match "$out" 'in the child and more'
run chorus-context switch a main
run chorus-run a "/artifact_get {\"artifact_id\": \"$child/found\"}"
expect_no_match "$out" 'and more'
run chorus-destroy a --yes --keep-files
run chorus-init a
expect_status 0
expect_equal "$(rows a)" "$known"
expect_equal "$(db "SELECT count(*) FROM artifacts JOIN agents ON agents.id = agent_id WHERE agents.name = '$child' AND agents.status = 'active' AND artifact_id = 'found'")" 2
expect_db 'PRAGMA foreign_key_check' ''

test_case "a list of artifacts from elsewhere brings in no file, and no row that is none"
parent
run chorus-run a "$(create good words)"
run chorus-destroy a --yes --keep-files
dir=$CHORUS_HOME/agents/a
good=$(cat "$dir/artifacts.jsonl")
ln -s /etc/passwd "$dir/artifacts/link"
for change in '.path = "agent.json"' '.path = "artifacts/../agent.json"' '.path = "artifacts/link"' '.path = "/etc/passwd"' '.path = "artifacts/none"' \
    '.id = "../x"' '.id = ""' '.kind = "other"' '.status = "x"' '.version = 0' '.version = "x"' '.name = 5 | .id = {}' '[.]' '"text"'; do
    jq -c "${change/.path/.id = \"other\" | .path}" <<<"$good" >>"$dir/artifacts.jsonl"
done
printf 'no JSON\n\xff\n{"id": "other"\n%s\n' "$good" >>"$dir/artifacts.jsonl"
run chorus-init a
expect_status 0
expect_equal "$(chorus-context artifacts a --all | cut -f1)" good
run chorus-destroy a --yes --keep-files
rm "$dir/artifacts.jsonl"
mkfifo "$dir/artifacts.jsonl"
run timeout 20 chorus-init a
expect_status 0
expect_equal "$(chorus-context artifacts a --all)" ''

test_case "what a user has said is no artifact to write to"
parent
head -c 70000 /dev/zero | tr '\0' x >big
run_stdin big chorus-run a
id=$(db 'SELECT artifact_id FROM artifacts')
for call in "$(append "$id" more)" "$(create "$id" other)"; do
    run chorus-run a "$call"
    expect_match "$out" 'error: .*what a user has said'
done
run chorus-context artifacts a "$id"
expect_equal "${#out}" 70000

test_case "a sub-agent's large artifact can be read to its end by the one above"
parent
agent_key a permissions '"open"'
preset helper
words=$(head -c 90000 /dev/zero | tr '\0' x)
run chorus-run a "/spawn_agent $(jq -nc --arg prompt "$(create large "$words"$'\nthe end')" '{preset: "helper", description: "d", prompt: $prompt}')"
run chorus-run a "/artifact_get {\"artifact_id\": \"$(of_child name)/large\"}"
path=$(db "SELECT content FROM messages WHERE role = 'tool_result' ORDER BY id DESC LIMIT 1" | grep -oE 'view reads the rest: [^]]*' | cut -d' ' -f5)
run chorus-run a "/view {\"path\": \"$path\", \"offset\": 2}"
expect_match "$out" 'the end'

end_tests
