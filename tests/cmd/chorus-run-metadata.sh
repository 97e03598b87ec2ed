#!/usr/bin/env bash
# --meta, --trace and log --tree: what a turn is labelled with, and what it did, for other programs.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

ready() { # [PERMISSIONS]
    init a --model builtin/script --permissions "${1:-sandboxed}"
    home_key default_model '"builtin/script"'
}

test_case "--meta: kept with the turn; in its result, in the log, after --resume and --idempotency-key" # A-32 A-39
ready
run chorus-run a hi --json --meta job=nightly --meta 'note=a = "b" ☂' --idempotency-key k
expect_status 0
expect_json '.metadata | tostring' '{"job":"nightly","note":"a = \"b\" ☂"}'
run chorus-run a hi --json --meta job=other --idempotency-key k
expect_json '[.replayed, .metadata.job] | tostring' '[true,"nightly"]'
run chorus-run a hi --json
expect_json .metadata null
run chorus-context log a --json
expect_equal "$(jq -c .metadata "$scratch/out" | tr '\n' ' ')" '{"job":"nightly","note":"a = \"b\" ☂"} null '
run chorus-context log a 1
expect_match "$(cat "$scratch/out")" 'metadata +\{"job":"nightly"'
run chorus-run a hi --output-format stream-json --meta job=s
expect_events
expect_equal "$(jq -r 'select(.final).metadata.result.metadata.job' "$scratch/out")" s
run chorus-run a '/ask_user {"question":"go on?"}' --json --meta job=asks --meta kept=1
expect_status 10
expect_json .metadata.job asks
id=$(db "SELECT id FROM prompts WHERE state = 'pending'")
run chorus-run a --answer "$id" yes --json --meta job=answered
expect_status 0
expect_json '.metadata | tostring' '{"job":"answered","kept":"1"}'

test_case "--meta: the model gets nothing of it, and a key in it is redacted"
init a --model anthropic/m
start_server "$(answers "$(say 'An answer.')")"
ANTHROPIC_API_KEY=sk-ant-secret-0123456789 run chorus-run a hi --json --meta job=MARK-OF-JOB --meta k=sk-ant-secret-0123456789
expect_json .metadata.job MARK-OF-JOB
! grep -q 'MARK-OF-JOB' "$scratch/log"/*.json || fail 'the model sees the metadata'
! grep -q 'sk-ant-secret' "$scratch/out" || fail 'a key is shown'
expect_equal "$(db "SELECT count(*) FROM turns WHERE options LIKE '%sk-ant-secret%'")" 0

test_case "--meta: it moves with the conversation, and a file with something else in its place is refused"
init a --model builtin/script
run chorus-run a --meta job=nightly --meta by='✓ "me"' hello
run chorus-run a --fresh --meta job=fresh again
run chorus-context export a -o a.jsonl
init b --model builtin/script
run chorus-context import b a.jsonl
expect_status 0
expect_equal "$(chorus-context log b --json | jq -c .metadata)" '{"job":"nightly","by":"✓ \"me\""}
{"job":"fresh"}'
chorus-context export b --format jsonl | jq -c 'select(.metadata) | [.fresh, .metadata.job]' >"$scratch/again"
expect_file "$scratch/again" '[null,"nightly"]
[true,"fresh"]'
init c --model builtin/script
for bad in '"text"' '["a"]' '{"a":1}' '{"a":{}}' "{\"a\":\"$(printf 'x%.0s' {1..513})\"}" "{\"$(printf 'k%.0s' {1..65})\":\"x\"}" \
    "$(jq -nc '[range(17) | {key: "k\(.)", value: "v"}] | from_entries')"; do
    jq -c --argjson bad "$bad" 'if .metadata then .metadata = $bad else . end' a.jsonl >bad.jsonl
    run chorus-context import c bad.jsonl
    expect_status 2
    expect_match "$err" '"metadata" is not an object of a few strings'
    expect_db 'SELECT count(*) FROM messages WHERE agent_id = 3' 0
done

test_case "--meta: what is malformed is refused before anything is recorded"
ready
long=$(head -c 513 /dev/zero | tr '\0' v)
for wrong in nothing =v 'a b=c' "k=$long" $'k=\xff' "$(head -c 65 /dev/zero | tr '\0' k)=v"; do
    run chorus-run a hi --meta "$wrong"
    expect_status 2
    expect_one_error '--meta'
done
run chorus-run a hi --meta k=1 --meta k=2
expect_status 2
expect_one_error 'given twice'
many=()
for i in $(seq 17); do many+=(--meta "k$i=v"); done
run chorus-run a hi "${many[@]}"
expect_status 2
expect_one_error '17 pairs'
expect_db 'SELECT count(*) FROM turns' 0
run chorus-run a hi --json --meta empty= --meta "k=${long:1}"
expect_status 0
expect_json '.metadata.empty' ''

spans='.resourceSpans[].scopeSpans[].spans[]'
attribute() { # SPAN-NAME KEY
    jq -r "$spans | select(.name == \"$1\").attributes[] | select(.key == \"$2\").value[]" trace | head -1
}

test_case "--trace: one line of OTLP with the turn, its model calls and its tool calls" # A-35
ready
parent=00-0123456789abcdef0123456789abcdef-0123456789abcdef-01
TRACEPARENT=$parent run chorus-run a $'/bash echo SECRET-OUTPUT; echo $TRACEPARENT >seen; exit 3\ndone' \
    --trace trace --meta job=nightly
expect_status 0
expect_equal "$(wc -l <trace)" 1
expect_equal "$(jq -r "[$spans.name] | join(\", \")" trace)" \
    'invoke_agent a, chat builtin/script, execute_tool bash, chat builtin/script'
expect_equal "$(jq -r "[$spans.traceId] | unique[]" trace)" 0123456789abcdef0123456789abcdef
expect_equal "$(jq -r "$spans | select(.name == \"invoke_agent a\").parentSpanId" trace)" 0123456789abcdef
turn=$(jq -r "$spans | select(.name == \"invoke_agent a\").spanId" trace)
expect_equal "$(jq -r "[$spans | select(.parentSpanId == \"$turn\")] | length" trace)" 3
expect_equal "$(jq -r "[$spans.spanId] | unique | length" trace)" 4
expect_equal "$(jq -r "[$spans.kind] | tostring" trace)" '[1,3,1,3]'
expect_equal "$(attribute 'invoke_agent a' chorus.meta.job)" nightly
expect_equal "$(attribute 'invoke_agent a' gen_ai.conversation.id)" a/1
expect_equal "$(attribute 'chat builtin/script' gen_ai.provider.name)" builtin
expect_equal "$(attribute 'chat builtin/script' gen_ai.operation.name)" chat
expect_equal "$(attribute 'execute_tool bash' gen_ai.tool.name)" bash
expect_equal "$(attribute 'execute_tool bash' chorus.tool.outcome)" ok
expect_equal "$(cat "$CHORUS_HOME/agents/a/workspace/seen")" "00-0123456789abcdef0123456789abcdef-$turn-01"
jq -e "[$spans | (.startTimeUnixNano | length == 19) and (.startTimeUnixNano <= .endTimeUnixNano)] | all" trace >"$scratch/null" ||
    fail 'times are not nanoseconds in order'
! grep -q 'SECRET-OUTPUT' trace || fail 'a command is in the trace'

test_case "--trace: usage and finish reasons of a provider; a failed call is an error"
init a --model anthropic/m
start_server "$(answers "$(say 'An answer.')")"
run chorus-run a hi --trace trace
expect_equal "$(attribute 'chat anthropic/m' gen_ai.request.model)" m
expect_equal "$(jq -r "$spans | select(.name == \"chat anthropic/m\").attributes[] | select(.key == \"gen_ai.response.finish_reasons\").value.arrayValue.values[0].stringValue" trace)" end_turn
expect_equal "$(attribute 'chat anthropic/m' gen_ai.usage.output_tokens)" "$(db 'SELECT output_tokens FROM turns')"
expect_equal "$(jq -r "[$spans | has(\"parentSpanId\")] | tostring" trace)" '[false,true]'
start_server '{"answers":[{"status":401,"json":{"type":"error","error":{"type":"authentication_error","message":"no"}}}],"after":"repeat-last"}'
run chorus-run a hi --trace trace
expect_status 6
expect_equal "$(wc -l <trace)" 2
expect_equal "$(tail -1 trace | jq -r "$spans | select(.name == \"chat anthropic/m\") | \"\(.status.code) \(.attributes[] | select(.key == \"error.type\").value.stringValue)\"")" '2 unauthorized'

test_case "--trace: a sub-agent's turn is a line of its own, below the turn"
ready open
run chorus-run a $'/spawn_agent {"preset":"explorer","description":"look around","prompt":"hello"}\ndone' --trace trace
expect_status 0
expect_equal "$(wc -l <trace)" 2
turn=$(tail -1 trace | jq -r "$spans | select(.name == \"invoke_agent a\").spanId")
expect_equal "$(head -1 trace | jq -r "[$spans | select(.name | startswith(\"invoke_agent\")).parentSpanId][0]")" "$turn"
expect_equal "$(jq -r "[$spans.traceId] | unique[]" trace | sort -u | wc -l)" 1
rm trace
CHORUS_TRACE=$PWD/trace run chorus-run a hello
expect_equal "$(wc -l <trace)" 1

test_case "--trace: a malformed parent is ignored; a place that cannot be written is refused"
ready
for wrong in x 00-0123456789abcdef0123456789abcdef-0123456789abcdef-0g 00-0123456789abcdef0123456789abcdef-0123456789abcdef-01-extra 00-00000000000000000000000000000000-0123456789abcdef-01 00-0123456789ABCDEF0123456789abcdef-0123456789abcdef-01 ff-0123456789abcdef0123456789abcdef-0123456789abcdef-01; do
    TRACEPARENT=$wrong run chorus-run a hi --trace trace
    expect_status 0
    expect_equal "$(tail -1 trace | jq -r "[$spans | has(\"parentSpanId\")][0]")" false
done
turns=$(db 'SELECT count(*) FROM turns')
mkfifo fifo
for wrong in nowhere/trace fifo . "$CHORUS_HOME/chorus.db" "$CHORUS_HOME/agents/a/agent.json"; do
    run chorus-run a hi --trace "$wrong"
    expect_status 2
    expect_one_error ''
done
expect_db 'SELECT count(*) FROM turns' "$turns"
run chorus-run a hi --trace /dev/full
expect_status 2
run chorus-run a hi --trace -
expect_status 2
expect_missing -
TRACEPARENT=00-0123456789abcdef0123456789abcdef-0123456789abcdef-00 run chorus-run a '/bash echo $TRACEPARENT' --trace trace
expect_match "$out" '-00$'
lines=$(wc -l <trace)
run chorus-run a --resume --trace trace
expect_equal "$(wc -l <trace)" "$lines"

test_case "log --tree: the turns of sub-agents below the turn whose call created them"
ready open
run chorus-run a $'/spawn_agent {"preset":"explorer","description":"look around","prompt":"hello child"}\ndone'
expect_status 0
run chorus-run a --spawn explorer 'by hand'
expect_status 0
run chorus-run a 'the last'
run chorus-context log a --json
expect_equal "$(wc -l <"$scratch/out")" 2
run chorus-context log a --tree --json
expect_equal "$(jq -r '.prompt | split(" ") | first' "$scratch/out" | tr '\n' ' ')" '/spawn_agent hello by the '
expect_equal "$(jq -c '.parent_turn_id' "$scratch/out" | tr '\n' ' ')" 'null 1 null null '
run chorus-context log a --tree -n 1
expect_equal "$(wc -l <"$scratch/out")" 1
run chorus-context log a --tree
child=$(db "SELECT name FROM agents WHERE parent_turn IS NOT NULL")
expect_match "$(sed -n 2p "$scratch/out")" "  $child: hello child"
run chorus-context log a 2
expect_status 0
expect_match "$out" "^turn 2 of $child, thread 1"
run chorus-context log "$child" --json
expect_json .parent_turn_id 1
init b --model builtin/script
run chorus-context log b 2
expect_status 4
run chorus-context log a 1 --tree
expect_status 2

end_tests
