#!/usr/bin/env bash
# What holds of every sub-agent, whatever it does: its preset, its messages, its states, its result.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/subagents.sh"

test_case "a preset is a file dropped into presets/; a sub-agent keeps to its own copy of it" # P-24 P-25 P-62 P-93
parent
preset fresh 'description: just dropped'
run chorus-run a --dry-run -m anthropic/m 'which are there?'
expect_match "$out" 'fresh'
agent_key a model '"anthropic/m"'
agent_key a permissions '"open"'
start_server "$(answers "$(call c1 spawn_agent '{"preset": "fresh", "description": "d", "prompt": "first"}')" "$(say done)")"
run chorus-run a go
expect_status 0
child=$(of_child name) dir=$CHORUS_HOME/$(of_child dir)
start_server "$(answers "$(say 'an answer')")"
for file in "$CHORUS_HOME/presets/fresh.md" "$dir/preset.md"; do sed -i 's/^model: .*/model: anthropic\/m/' "$file"; done
sed -i 's/You are fresh/You are OTHER-TEMPLATE/' "$CHORUS_HOME/presets/fresh.md"
run chorus-run "$child" again
expect_no_match "$(cat "$(request 1)")" 'OTHER-TEMPLATE'
sed -i 's/You are fresh/You are OWN-COPY/' "$dir/preset.md"
run chorus-run "$child" again
expect_match "$(cat "$(request 2)")" 'You are OWN-COPY'
rm "$CHORUS_HOME/presets/fresh.md"
run chorus-run "$child" again
expect_status 0

test_case "the prompt is in the history before the provider is asked; every answer and result as it comes" # P-38 P-48 P-49 P-78 P-82 P-83 P-84
parent
preset helper
sed -i 's/^model: .*/model: anthropic\/m/' "$CHORUS_HOME/presets/helper.md"
start_server "$(jq -nc '{answers: [{say: {tool_calls: [{id: "c1", name: "view", arguments: {path: "src/a"}}]}}, {stall: true}]}')"
(exec chorus-run a --spawn helper -p 'the prompt' >"$scratch/turn" 2>&1 </dev/null) &
pid=$!
wait_for 10 eval '[ "$(request_count)" = 2 ]'
roles() { db "SELECT group_concat(role) FROM (SELECT role FROM messages ORDER BY id)"; }
expect_equal "$(roles)" 'user,assistant,tool_result'
expect_equal "$(jq -r '.messages[0].content[-1].text' "$(request 1)")" 'the prompt'
expect_match "$(jq -c '.messages[2].content' "$(request 2)")" 'text of src/a'
kill -KILL $pid
wait $pid 2>/dev/null
expect_equal "$(roles)" 'user,assistant,tool_result'
start_server "$(answers "$(say 'the end')")"
run chorus-run "$(of_child name)" --resume
expect_equal "$out" 'the end'
expect_equal "$(roles)" 'user,assistant,tool_result,assistant'
expect_sound

test_case "its turn has a state as any other, and ends in one that says how" # P-42 P-60 P-86
parent
preset helper 'confirm-tool-calls: true'
at_work() { wait_for 10 eval '[ -n "$(db "SELECT pid FROM turns WHERE pid IS NOT NULL AND current_step <> \"\"")" ]'; }
states() { chorus-tasks events "$(of_child name)" --json | jq -rs '[.[] | select(.kind == "turn") | .next] | join(" ")'; }
run chorus-run a --spawn helper -p '/view src/a'
expect_status 10
expect_equal "$(states)" 'working prompt'
run chorus-run "$(of_child name)" --approve all
expect_status 0
expect_equal "$(states)" 'working prompt working idle'
sed -i '/confirm/d' "$CHORUS_HOME/presets/helper.md"
run chorus-run a --spawn helper -p 'fails' -m nobody/m
expect_equal "$(db "SELECT count(*) FROM turns WHERE ended_at IS NULL")" 0
(exec chorus-run a --spawn helper -p '/bash sleep 29.71' >/dev/null 2>&1 </dev/null) &
pid=$!
at_work
kill -TERM $pid
wait $pid
expect_equal "$(states)" 'working exited'
(exec chorus-run a --spawn helper -p '/bash sleep 29.72' >/dev/null 2>&1 </dev/null) &
pid=$!
at_work
kill -KILL $pid
wait $pid 2>/dev/null
run chorus-tasks status "$(of_child name)" --json
expect_match "$out" '"unknown"'
run chorus-run "$(of_child name)" 'go on'
expect_equal "$(states)" 'working exited working idle'

test_case "the result of its call is its whole last answer, and errors are told to the parent" # P-36 P-37 P-44 P-59
long=$(printf 'line %d of the answer\n' {1..2000})
parent_with "$(spawn_call c1 hello)" "$(say "$long")" "$(say done)"
preset helper
sed -i 's/^model: .*/model: anthropic\/m/' "$CHORUS_HOME/presets/helper.md"
run chorus-run a go
expect_status 0
expect_equal "$(results | grep -c '^line [0-9]* of the answer$')" 2000
expect_match "$(jq -c '.messages[2].content' "$(request 3)")" 'line 2000 of the answer'
stop_server
rm -rf "$CHORUS_HOME"
parent_with "$(spawn_call c1 hello)" "$(say 'I see')"
preset helper
mkdir -p "$CHORUS_HOME/agents/a/branches/main"
rm -rf "$CHORUS_HOME/agents/a/branches/main/agents"
echo 'in the way' >"$CHORUS_HOME/agents/a/branches/main/agents"
run chorus-run a go
expect_status 0
expect_equal "$out" 'I see'
expect_match "$(results)" '(Not a directory|File exists)' # P-58

test_case "a call needs preset, description and prompt, and the agent's own paths do not bind it" # P-01 P-07 P-73
for missing in preset description prompt; do
    parent_with "$(call c1 spawn_agent "$(jq -nc --arg missing "$missing" '{preset: "helper", description: "d", prompt: "p"} | del(.[$missing])')")" "$(say done)"
    preset helper
    run chorus-run a go
    expect_match "$(results)" "$missing"
    nothing_made
    run chorus-destroy a --yes --purge
    stop_server
done
parent
agent_key a permissions '"open"'
preset outer 'permissions: open'
preset helper
run chorus-run a --spawn outer --allow-path src -p '/spawn_agent {"preset": "helper", "description": "d", "prompt": "hello"}'
expect_status 0
expect_equal "$(db "SELECT count(*) FROM agents WHERE kind = 'child' AND parent_id IS NOT NULL")" 2
agent_key a permissions '"locked"'
run chorus-run a --spawn outer --allow-path src -p '/spawn_agent {"preset": "helper", "description": "d", "prompt": "hello"}'
expect_match "$out" 'denied'
expect_equal "$(children)" 3

end_tests
