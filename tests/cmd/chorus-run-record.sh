#!/usr/bin/env bash
# --record FILE and -m replay/FILE: a turn repeated without its provider.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

begin() { # PROVIDER ANSWER...
    agent_of "$1/m"
    agent_key a permissions '"open"'
    shift
    start_all_protocols "$@"
}
in_new_home() { # the same agent, and no server
    stop_server
    export CHORUS_HOME=$scratch/other
    unset "${!CHORUS_@}" 2>/dev/null
    export CHORUS_HOME=$scratch/other
    rm -rf "$CHORUS_HOME"
    chorus-init a --model builtin/script --permissions open >/dev/null
}

for provider in anthropic openai openai-chat gemini ollama; do
    test_case "$provider: a recorded turn is the same without a server, strictly"
    begin $provider '{"status": 503, "headers": {"retry-after": "0"}, "body": "{\"error\":{\"message\":\"busy, sk-test-0123456789abcdef\"}}"}' \
        "$(jq -nc '{say: {thinking: "hm 🤔", signature: "c2ln", text: "I write. ☕", tool_calls: [{id: "c1", name: "create_file", arguments: {path: "x.txt", content: "Grüße\n"}}]}}')" \
        "$(say $'Done ✅\r\nline two')"
    run chorus-run a --record r.json 'write x.txt'
    expect_status 0
    recorded=$out
    expect_equal "$(request_count)" 3
    expect_equal "$(stat -c %a r.json)" 600
    expect_equal "$(head -3 r.json | tr -d '\n')" '{ "schema": "chorus.recording/1"}'
    expect_equal "$(jq -s -c 'map(.response.status)' r.json)" '[null,503,200,200]'
    expect_equal "$(jq -s '.[2].answer | length > 4' r.json)" true # diffable: a line is a line
    for text in "$(cat r.json)" "$(db .dump)"; do expect_no_match "$text" 'sk-test-0123'; done
    in_new_home
    run chorus-run a -m replay/r.json --strict 'write x.txt'
    expect_equal "$status $out" "0 $recorded"
    expect_equal "$(cat "$CHORUS_HOME/agents/a/workspace/x.txt")" Grüße
    expect_db "SELECT model || ' ' || state FROM turns" 'replay/r.json idle'
    expect_db "SELECT sum(cost) || ' ' || count(*) FROM model_calls" '0 2'
    rm -rf "$CHORUS_HOME" && chorus-init a --model builtin/script --permissions open >/dev/null
    run chorus-run a -m replay/r.json --strict 'write y.txt'
    expect_status 1
    expect_match "$err" "error: replay/r.json: request 1 differs: line [0-9]+: '.*x.txt.*' is now '.*y.txt"
    run chorus-run a -m replay/r.json 'anything else' --json
    expect_equal "$status $(jq -r .text <<<"$out")" "0 $recorded"
    run chorus-run a -m replay/r.json --resume
    expect_status 2
done

test_case "a turn that crashes while it records leaves its key in no file, row, log or core"
begin anthropic '{"status": 503, "headers": {"retry-after": "0"}, "body": "{\"error\":{\"message\":\"busy, sk-test-0123456789abcdef\"}}"}' \
    "$(jq -nc '{delay_ms: 60000, say: {text: "never"}}')"
(
    ulimit -c unlimited || exit 1
    exec chorus-run a --record r.json hi >out.txt 2>err.txt </dev/null
) &
pid=$!
wait_for 10 eval '[ "$(request_count)" = 2 ]' || fail 'no second request'
kill -SEGV $pid
wait $pid 2>/dev/null
expect_equal $? 139
expect_equal "$(find . -name 'core*' -type f -not -path '*/.git/*')" ''
expect_equal "$(find . -type f -not -name 'script*.json' -not -path './log/*' -exec grep -laF sk-test-0123456789 {} +)" ''
expect_match "$(cat r.json)" busy

test_case "a file that is there stays as it is until the first answer; only a regular file is one"
begin openai-chat "$(say Hi.)"
echo mine >kept
for arguments in 'nosuch hi' 'a -a none.png hi' 'a -m nosuch/model hi' 'a --resume' 'a --inbox' 'a --dry-run hi'; do
    run chorus-run --record kept $arguments
    expect_equal "$(cat kept)" mine
done
mkfifo pipe
for file in - pipe /dev/null /dev/stdout; do
    run timeout 5 chorus-run a --record $file hi
    expect_status 2
    expect_match "$err" "error: --record: '$file' is not a regular file"
done
run chorus-run a --record same -o same hi
expect_status 2
expect_match "$err" "error: --record: 'same' is the file of -o too"
run chorus-run a -m replay/ hi
expect_status 2
expect_match "$err" 'error: replay/: it names no file'
expect_db 'SELECT count(*) FROM turns' 0

test_case "an error for good is replayed as it came"
begin openai-chat '{"status": 400, "body": "no such model"}'
run chorus-run a --record r.json hi
expect_status 7
recorded=$err
in_new_home
run chorus-run a -m replay/r.json hi
expect_status 7
expect_equal "${err#*model replay/r.json: replay: }" "${recorded#*model openai-chat/m: openai-chat: }"

test_case "bytes that are no text are replayed as they came"
begin openai-chat '{"body_base64": "ZGF0YTogeyJjaG9pY2VzIjpbeyJkZWx0YSI6eyJjb250ZW50IjoiYf/igqwifSwiZmluaXNoX3JlYXNvbiI6InN0b3AifV19CgpkYXRhOiBbRE9ORV0KCg=="}'
run chorus-run a --record r.json hi
expect_status 0
recorded=$out
expect_equal "$(jq -s '.[1].is_text' r.json)" false
in_new_home
run chorus-run a -m replay/r.json --strict hi
expect_equal "$status $out" "0 $recorded"

test_case "what is no recording, or not a whole one: exit 2, and nothing is recorded"
begin openai-chat "$(say Hi.)" "$(say 'Hi again.')"
run chorus-run a --record r.json hi
in_new_home
head -c -20 r.json >cut.json
sed 's,chorus.recording/1,chorus.recording/9,' r.json >newer.json
{ cat r.json; sed -n '4,$p' r.json | sed 's,openai-chat/m,openai-chat/n,'; } >two.json
sed 's,"response":,"answered":,' r.json >damaged.json
head -3 r.json >empty.json
echo '{"a": 1}' >other.json
: >nothing.json
while IFS='|' read -r file why; do
    run chorus-run a -m "replay/$file" hi
    expect_status 2
    expect_match "$err" "^chorus-run: error: (replay/)?$file: $why"
done <<'TABLE'
cut.json|it is cut
newer.json|it is a 'chorus.recording/9', not a 'chorus.recording/1'
two.json|exchange 2: it is of another model, 'openai-chat/n'
damaged.json|exchange 1: it is damaged
empty.json|it has no answer
other.json|it is cut, or not a recording
nothing.json|it is not a recording
none.json|No such file
TABLE
expect_db 'SELECT count(*) FROM messages' 0
run chorus-run a --strict hi
expect_status 2
run chorus-run a -m replay/r.json --record again.json hi
expect_status 2
run chorus-run a --record "$CHORUS_HOME/chorus.db" hi
expect_status 2
mkdir dir
run chorus-run a --record dir hi
expect_status 2
run env CHORUS_MODEL=replay/r.json chorus-run a hi
expect_status 7

test_case "a replay costs nothing, also one that fails"
begin openai-chat "$(say Hi.)"
run chorus-run a --record r.json hi
in_new_home
home_key budget '{"tokens_per_day": 1000}'
for _ in 1 2; do
    run chorus-run a --fresh -m replay/r.json --strict 'something else'
    expect_status 1
done
run chorus-run a --fresh -m replay/r.json --strict hi
expect_status 0
expect_match "$out" 'Hi\.'

test_case "a recording without an answer to the next request"
begin openai-chat "$(say Hi.)"
run chorus-run a --record r.json hi
in_new_home
run chorus-run a -m replay/r.json --json-schema '{"type": "object"}' hi
expect_status 1
expect_match "$err" 'error: replay/r.json: it has no answer to request 2'
expect_sound

end_tests
