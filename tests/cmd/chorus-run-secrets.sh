#!/usr/bin/env bash
# Keys that Chorus knows of get nowhere: of whatever provider, in a prompt, an output or an answer, whole,
# in pieces, in base64 or in parts of a stream.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

key=$(printf 'mx%s' Zq81xVb07Ludw93KfTq2RnE4) gh=$(printf 'ax%s' 7TnQ0pWm3KcYv5RbJ8sL) own=$(printf 'cx%s' H2kD9fPzQ4tUe6Wy1NaG)
export MISTRAL_API_KEY=$key GH_TOKEN=$gh MY_SECRET=$own
anywhere() { # TEXT: no file of the home but the copies of the workspace, no output
    ! grep -rqF --exclude-dir=.checkpoints -e "$1" "$CHORUS_HOME" && [[ $out$err != *"$1"* ]]
}
expect_nowhere() {
    local secret size
    for secret in "$key" "$gh" "$own"; do
        for size in 0 4 8; do anywhere "${secret:$size:12}" || fail "found: ${secret:$size:12}"; done
    done
    anywhere "$(printf %s "$key" | base64 -w0 | cut -c4-24)" || fail 'found in base64'
}

test_case "in a prompt, a stdin and an output: in no file, no output, no request"
init a --model anthropic/m --permissions open
agent_key a environment '["MY_SECRET"]'
start_server "$(answers "$(call c bash "$(jq -nc --arg c "cat data; echo x\$MY_SECRET | base64; printenv MY_SECRET | cut -c3-17" '{command: $c}')")" "$(say Done.)")"
printf 'a %s b\n' "$gh" >"$CHORUS_HOME/agents/a/workspace/data"
echo "piped ${key:2:14}" >in
run_stdin in chorus-run a -p "my key is $key, $(printf %s "$key" | base64 -w0)" --output-format stream-json --events all
expect_status 0
rm "$CHORUS_HOME/agents/a/workspace/data"
expect_nowhere
expect_match "$(db "SELECT content FROM messages WHERE role = 'user'")" 'my key is \[redacted:key\]'
expect_match "$(db "SELECT content FROM messages WHERE role = 'tool_result'")" 'a \[redacted:key\] b'
grep -rqF "${key:0:12}" "$scratch/log" && fail 'sent to the provider'
for format in json jsonl md html; do
    run chorus-context export a --format $format
    expect_status 0
    expect_nowhere
done
run chorus-context save a
expect_nowhere
run chorus-tasks status a --json
expect_nowhere
expect_sound

test_case "across the pieces of a stream"
init a --model anthropic/m
start_server "$(answers "$(jq -nc --arg text "It is $key, I say." '{say: {text: $text}}')")"
for format in text stream-json; do
    run chorus-run a go --output-format $format --stream
    expect_status 0
    [[ $out != *"${key:3:12}"* ]] || fail "in $format"
    shown=$out
    [ $format = text ] || shown=$(jq -rj 'select(.kind == "content-delta").text // empty' <<<"$out")
    expect_match "$shown" 'It is \[redacted:key\], I say\.|^$'
done

test_case "in the log of a task, which puts it together itself"
init a --model builtin/script --permissions open
parts="${key:0:7}\\\"\\\"${key:7:8}\\\"\\\"${key:15}"
run chorus-run a "/bash {\"command\": \"printf '%s' $parts; echo \\\"$parts\\\" >&2\", \"background\": true}"
expect_status 0
run chorus-tasks wait a 1
run chorus-tasks run a -- "echo ${gh:0:9}''${gh:9:7}''${gh:16}"
run chorus-tasks wait a 2
run chorus-tasks log a 1
expect_match "$out" 'redacted:key'
run chorus-tasks log a 2
expect_match "$out" 'redacted:key'
expect_nowhere

test_case "what looks like the beginning of one is shown at the end"
init a --model anthropic/m
start_server "$(answers "$(say "It begins with ${key:0:9}")")"
run chorus-run a go --stream
expect_equal "$out" "It begins with ${key:0:9}"

test_case "a call that holds one is denied, as it stands or in base64"
init a --model anthropic/m --permissions open
encoded=$(printf %s "$key" | base64 -w0)
start_server "$(answers "$(call c bash "{\"command\": \"echo $encoded\"}")" "$(call d bash "{\"command\": \"echo \\u006d${key:1}\"}")" "$(say Done.)")"
run chorus-run a go
expect_status 0
expect_db "SELECT group_concat(outcome) FROM tool_runs" denied,denied

test_case "none is in the environment of the process itself"
init a --model builtin/script --permissions open
home_key sandbox '"off"'
chorus-run a '/bash sleep 3' >/dev/null 2>&1 </dev/null &
pid=$!
wait_for 10 pgrep -x -f 'sleep 3' >/dev/null || fail 'it did not begin'
got=$(tr '\0' '\n' <"/proc/$pid/environ" | grep -F -e "$key" -e "$gh")
expect_equal "$got" ''
wait $pid

test_case "what a person answers and gives as a reason"
init a --model anthropic/m
start_server "$(answers "$(call q ask_user '{"question": "Which?"}')" "$(call c bash '{"command": "make"}')" "$(say Done.)")"
run chorus-run a go
expect_status 10
run chorus-tasks answer "$(db "SELECT id FROM prompts WHERE state = 'pending'")" "it is $key"
expect_status 0
run chorus-run a --resume
expect_status 10
run chorus-run a --deny all --reason "since $gh leaks"
expect_status 0
expect_nowhere
expect_sound

test_case "a command by hand that holds one is refused, and says how it gets the variable"
init a --model builtin/script --permissions open
for words in "echo $key" "echo $(printf %s "$gh" | base64 -w0)" "echo ${key:2:14}"; do
    run chorus-tasks run a -- "$words"
    expect_status 2
    expect_equal "$(head -1 <<<"$err")" 'chorus-tasks: error: run: the command holds a key'
    expect_match "$err" 'hint: .*environment'
done
expect_db 'SELECT count(*) FROM tasks' 0
expect_nowhere
run chorus-tasks run a --on-exit "deploy with $key" --actor "me $gh" -- 'echo done'
expect_status 0
run chorus-tasks wait a 1
run chorus-run a go --actor "you $gh"
expect_match "$(db "SELECT group_concat(content) FROM messages")" 'deploy with \[redacted:key\]'
expect_match "$(db "SELECT group_concat(actor) FROM audit_log")" '\(me \[redacted:key\]\)'
for format in json jsonl md html; do
    run chorus-context export a --format $format
    expect_nowhere
done
expect_sound

test_case "in every other text that a person gives and that is kept"
CHORUS_ACTOR="I with $own" MY_SECRET='' run env MY_TOKEN="$own" chorus-init a --model builtin/script \
    --description "for $key" --system-prompt "Use $gh."
expect_status 0
expect_nowhere
expect_match "$(cat "$CHORUS_HOME/agents/a/agent.json")" 'for \[redacted:key\]'
run chorus-run a go --idempotency-key "$key"
expect_status 2
expect_equal "$err" 'chorus-run: error: --idempotency-key: it holds a key'
run env MY_TOKEN="$own" chorus-run a go --json-schema "{\"const\": \"$own\"}"
expect_status 2
expect_equal "$err" 'chorus-run: error: --json-schema: it holds a key'
CHORUS_ACTOR="I with $gh" run chorus-run a '/bash {"command": "true"}'
expect_status 10
CHORUS_ACTOR="I with $gh" run chorus-run a --approve all --always
CHORUS_ACTOR="I with $gh" run chorus-run a more
run chorus-context save a "before $key"
CHORUS_ACTOR="I with $gh" run chorus-context clear a
CHORUS_ACTOR="I with $gh" run chorus-config set permissions open -A a
run chorus-context export a --format jsonl
sed "s/more/more $key/" "$scratch/out" >in.jsonl
chorus-init b --model builtin/script >/dev/null
run chorus-context import b in.jsonl
expect_status 0
expect_match "$(db "SELECT group_concat(content) FROM messages")" 'more \[redacted:key\]'
run chorus-config set description "of $gh" -A b
expect_status 0
run chorus-run b go
expect_status 0
expect_match "$(db "SELECT description FROM agents WHERE name = 'b'")" '\[redacted:key\]'
expect_no_match "$(cat "$CHORUS_HOME/agents/b/agent.json")$(db 'SELECT description FROM agents')" "$gh"
run chorus-config set system_prompt "Use $key." -A b
expect_status 0
run chorus-config unset description -A b
run chorus-config set system_prompt "Use nothing." -A b
run chorus-context branch a "b-$key"
expect_status 2
expect_nowhere
CHORUS_ACTOR="I with $gh" run chorus-destroy a --yes
expect_nowhere
# a key that a person writes into agent.json stays there, and is in no record
run chorus-config set metadata "{\"x\": {\"command\": \"m\", \"args\": [\"$key\"]}}" -A b
expect_status 0
expect_no_match "$(db 'SELECT group_concat(detail) FROM audit_log')" "$key"

test_case "in an error that repeats what was typed"
init a --model builtin/script
own=$CHORUS_HOME/agents/a/workspace
for line in "chorus-run a -C /nonexist/$key go" "chorus-run a -t $key go" "chorus-run $key go" "chorus-run a -f /nonexist/$key" \
    "chorus-run a --$key" "chorus-run a --output-format json -C $key go" "chorus-context log $key" "chorus-context $key" \
    "chorus-tasks list $key" "chorus-config get $key" "chorus-config set $key 1" "chorus-destroy $key --yes" \
    "chorus-init c --clone /nonexist/$key" "chorus-context restore a $key" "chorus-tasks run $key -- true"; do
    run $line
    [ "$status" != 0 ] || fail "$line"
    expect_match "$out$err" 'redacted:'
    expect_no_match "$out$err" "$key"
done
small_key=sk-ant-token8x7f2q
run env ANTHROPIC_API_KEY="$small_key" chorus-init "$small_key" --model builtin/script
expect_status 2
expect_equal "$err" 'chorus-init: error: agent name: it holds a key'
(unset HOME CHORUS_HOME && chorus-run --nothing 2>&1) | grep -q 'error: usage' || fail 'without a home'

test_case "in an answer that rewind adds to the transcript, if it became a key later"
init a --model builtin/script
later=frobnicate8x7f2q
run chorus-run a "say $later"
run chorus-run a 'the second'
rm "$CHORUS_HOME/agents/a/branches/main/session.md"
run env ANTHROPIC_API_KEY="$later" chorus-context rewind a --to 3
expect_status 0
expect_equal "$(grep "$later" "$CHORUS_HOME/agents/a/branches/main/session.md")" "say $later"
expect_match "$(cat "$CHORUS_HOME/agents/a/branches/main/session.md")" 'echoed\.[[:space:]]*say \[redacted:'

test_case "in the documents, the instructions and the text of the project: not sent"
init a --model anthropic/m
agent_key a system_prompt "\"Use $key.\""
mkdir -p "$CHORUS_HOME/agents/a/docs"
echo "token $gh" >"$CHORUS_HOME/agents/a/docs/d.md"
echo "project $key" >"$CHORUS_HOME/agents/a/workspace/AGENTS.md"
run chorus-run a go --dry-run
expect_status 0
for secret in "$key" "$gh"; do [[ $out$err != *"${secret:0:12}"* ]] || fail 'shown'; done
expect_match "$out" 'project \[redacted:key\]'
run chorus-context show a --json
for secret in "$key" "$gh"; do [[ $out$err != *"${secret:0:12}"* ]] || fail 'shown'; done
start_server "$(answers "$(say Done.)")"
run chorus-run a go
expect_status 0
grep -rqF -e "${key:0:12}" -e "${gh:0:12}" "$scratch/log" && fail 'sent to the provider'
grep -rqF 'Use [redacted:key].' "$scratch/log" || fail 'no instructions'
grep -rqF 'token [redacted:key]' "$scratch/log" || fail 'no documents'
grep -rqF 'project [redacted:key]' "$scratch/log" || fail 'no project'

end_tests
