#!/usr/bin/env bash
# --json-schema: the answer is JSON that is valid, is repaired, or the turn ends with exit 8.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

schema='{"type": "object", "required": ["name", "age"], "additionalProperties": false,
  "properties": {"name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}}}'
compact=$(jq -c . <<<"$schema")
good='{"name": "Ada", "age": 36}'
refuse() { jq -nc --arg m "$1" '{status: 400, body: ({error: {message: $m}} | tojson)}'; } # MESSAGE

native() { # PROVIDER, of $1: the schema as the provider takes it, or null
    case $1 in
        anthropic) jq -c '.output_config.format | .schema' "$2" ;;
        openai) jq -c '.text.format | .schema' "$2" ;;
        openai-chat) jq -c '.response_format.json_schema.schema' "$2" ;;
        gemini) jq -c '.generationConfig | select(.responseMimeType).responseJsonSchema' "$2" ;;
        ollama) jq -c .format "$2" ;;
    esac
}
begin() { # PROVIDER ANSWER...
    agent_of "$1/m"
    local provider=$1
    shift
    start_all_protocols "$@"
    jq -nc --arg p "$provider" '{providers: {($p): {models: {m: {json_schema: true}}}}}' >"$CHORUS_HOME/models.json"
}

for provider in anthropic openai openai-chat gemini ollama; do
    test_case "$provider: valid, repaired, unrepairable"
    begin $provider "$(say "$good")" "$(say '```json
'"$good"'
```')" "$(say 'Here: {}')" "$(say '{"name": "Ada"}')" "$(say "$good")" \
        "$(say no)" "$(say '{"name": 5, "age": -1}')" "$(say '[]')"
    run chorus-run a --json-schema "$schema" 'who?'
    expect_equal "$status $out" "0 $good"
    expect_equal "$err" ''
    if [ $provider = ollama ]; then # with tools, a format would keep the model from calling them
        expect_equal "$(native $provider "$(request 1)")" null
        run chorus-run a --dry-run --json-schema "$schema" --permissions locked hi
        [ "$(jq -c .tools <<<"$out")" != null ] || expect_equal "$(jq -c .format <<<"$out")" "$compact"
    else
        expect_equal "$(native $provider "$(request 1)")" "$compact"
    fi
    expect_match "$(cat "$(request 1)")" 'Your final answer to the message below'
    run chorus-run a --json-schema "$schema" --json 'in a fence?'
    expect_status 0
    expect_json '"\(.structured.age) \(.text)"' "36 $good"
    run chorus-run a --json-schema "$schema" --json 'twice wrong'
    expect_status 0
    expect_json '"\(.structured.name) \(.iterations) \(.exit_code)"' 'Ada 3 0'
    expect_match "$err" "notice: the answer does not match --json-schema: the answer: .*; the model is asked again"
    expect_match "$err" 'does not match --json-schema: the value: "age" is missing'
    expect_match "$(cat "$(request 5)")" 'age\\" is missing'
    run chorus-run a --json-schema "$schema" --json 'never'
    expect_status 8
    expect_json '"\(.structured) \(.text) \(.state) \(.reason) \(.error.code) \(.exit_code) \(.iterations)"' \
        'null [] failed schema SCHEMA_MISMATCH 8 3'
    expect_equal "$(request_count)" 8
    expect_sound
    run chorus-run a 'no schema now'
    expect_no_match "$(native $provider "$(request 9)")" required
done

test_case "a turn that ended so is continued with what is wrong, not as if it had been cut"
begin anthropic "$(say no)" "$(say '[]')" "$(say '{"name": "Ada"}')" "$(say "$good")"
run chorus-run a --json-schema "$schema" 'who?'
expect_status 8
run chorus-run a --resume
expect_equal "$status $out" "0 $good"
expect_match "$(jq -c '.messages[-1]' "$(request 4)")" 'not valid against the JSON Schema.*age.* is missing'
expect_no_match "$(cat "$(request 4)")" 'cut off'

test_case "a file, a FIFO, and what is no schema: exit 2 before anything is recorded"
begin openai-chat "$(say "$good")" "$(say "$good")"
echo "$schema" >s.json
run chorus-run a --json-schema s.json hi
expect_equal "$status $out" "0 $good"
run bash -c 'chorus-run a --json-schema <(cat s.json) hi'
expect_equal "$status $out" "0 $good"
messages=$(db 'SELECT count(*) FROM messages')
echo '{"type":' >broken.json
mkdir dir
head -c 5M /dev/zero >large.json
while IFS='|' read -r given why; do
    run chorus-run a --json-schema "$given" hi
    expect_status 2
    expect_match "$err" "^chorus-run: error: $why"
done <<'TABLE'
none.json|none.json: No such file
broken.json|--json-schema: broken.json: .*not JSON
dir|dir: Is a directory
large.json|--json-schema: large.json: 
/dev/null|--json-schema: /dev/null: .*not JSON
{"type":|--json-schema: not JSON
{}|--json-schema: it accepts anything
true|--json-schema: it accepts anything
[1]|--json-schema: #: a schema is an object
{"$ref":"http://127.0.0.1:1/x"}|--json-schema: #/[$]ref: 'http://127.0.0.1:1/x' is not inside
{"allOf":[{"$ref":"#"}]}|--json-schema: .*refers to itself
TABLE
run chorus-run a --json-schema= hi
expect_status 2
expect_db 'SELECT count(*) FROM messages' "$messages"

test_case "a schema that the provider refuses is left out, and the answer is checked all the same"
begin anthropic "$(refuse "output_config.format.schema: For 'integer' type, property 'minimum' is not supported")" "$(say '{}')" "$(say "$good")"
run chorus-run a --json-schema "$schema" hi
expect_equal "$status $out" "0 $good"
expect_equal "$(native anthropic "$(request 1)")" "$compact"
for n in 2 3; do expect_equal "$(native anthropic "$(request $n)")" null; done

test_case "calls come first; a suspended turn keeps its schema, and so does one that was killed"
begin openai-chat "$(call c1 bash '{"command": "true"}')" "$(say no)" "$(say "$good")" "$(say no)" '{"delay_ms": 60000, "say": {"text": "late"}}' "$(say no)" "$(say "$good")"
agent_key a permissions '{"ask": ["tool:bash:.*"]}'
run chorus-run a --json-schema "$schema" --on-ask suspend hi
expect_status 10
run chorus-run a --approve all
expect_equal "$status $out" "0 $good"
expect_match "$err" 'the model is asked again'
chorus-run a --json-schema "$schema" more >/dev/null 2>&1 &
victim=$!
wait_for 10 eval '[ "$(request_count)" = 5 ]'
kill -9 $victim
wait $victim 2>/dev/null
run chorus-run a --resume --json
expect_status 0
expect_json '"\(.structured.name)"' Ada
expect_sound

test_case "nothing of an answer is shown before it is valid; a key gets the result again"
begin openai-chat "$(say no)" "$(say "$good")"
run chorus-run a --json-schema "$schema" --output-format stream-json --idempotency-key k hi
expect_status 0
expect_equal "$(jq -r .kind <<<"$out" | grep -c content-delta)" 0
run chorus-run a --json-schema "$schema" --json --idempotency-key k hi
expect_json '"\(.replayed) \(.structured.age)"' 'true 36'
expect_equal "$(request_count)" 2
for other in '' '{"type": "string"}'; do
    run chorus-run a ${other:+--json-schema "$other"} --idempotency-key k hi
    expect_status 2
    expect_match "$err" 'has this key but another prompt, schema or attachment'
done

end_tests
