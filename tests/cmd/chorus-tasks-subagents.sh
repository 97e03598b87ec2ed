#!/usr/bin/env bash
# What other commands show and do of sub-agents.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/subagents.sh"

test_case "status shows the tree" # P-41 P-50
parent
preset helper 'permissions: open'
agent_key a permissions '"open"'
spawn helper "/spawn_agent $(jq -nc '{preset: "helper", description: "below", prompt: "hello"}')"
expect_status 0
first=$(db "SELECT name FROM agents WHERE parent_id = 1") below=$(of_child name)
spawn helper '/view none'
run chorus-tasks status a
expect_match "$out" "sub-agent	$first	a	idle	
?"
expect_match "$out" "sub-agent	$below	$first	idle	"
run chorus-tasks status a --json
expect_json '[.sub_agents[] | .parent + " " + .preset + " " + .turn_state] | join(",")' "a helper idle,$first helper idle,a helper idle"
expect_json '.sub_agents[1].description' below
expect_json '.sub_agents[1].agent' "$below"
run chorus-tasks status "$first" --json
expect_json '[.sub_agents[].agent] | join(",")' "$below"
script -qec "chorus-tasks status a" /dev/null </dev/null >"$scratch/shown"
expect_match "$(tr -d '\r' <"$scratch/shown" | grep -A3 '^Sub-agents')" "^Sub-agents:
  $first: .*
    $below: .*
  $child: "
run chorus-tasks list "$first"
expect_status 0
run chorus-tasks
expect_no_match "$out" helper
preset asker 'confirm-tool-calls: true'
run chorus-run "$first" --spawn asker -p '/view src/a'
expect_status 10
run chorus-tasks --json
expect_json .pending 1

test_case "cancel --subagent ends that one; the turn above goes on with an error" # P-55 X-19
parent_with "$(spawn_call c1 '/bash until [ -e go ]; do sleep 0.05; done')" "$(say done)"
preset helper
chorus-run a go >"$scratch/a.out" 2>&1 </dev/null &
pid=$!
wait_for 10 in_db "SELECT count(*) FROM tool_runs JOIN turns ON turns.id = turn_id WHERE agent_id = 2 AND intent_at IS NOT NULL" 1
run chorus-tasks cancel a --subagent nobody
expect_status 4
run chorus-tasks cancel a --subagent "$(of_child name)" --json
expect_status 0
expect_json .agent "$(of_child name)"
wait $pid
expect_equal "$?" 0
expect_match "$(results)" '^Error: User aborted agent'
expect_match "$(cat "$scratch/a.out")" done
expect_sound

test_case "a sub-agent's settings are in its preset" # P-87
parent
preset helper 'confirm-tool-calls: true'
for verb in 'get model' 'set model builtin/script' 'unset model' 'list'; do
    spawn helper hello
    run chorus-config $verb -A "$child"
    expect_status 2
    expect_match "$err" "agent '$child': a sub-agent has no agent.json
chorus-config: hint: its settings are in .*/preset.md"
done
run chorus-config trust "$child"
expect_equal "$status $out" '0 nothing to trust'
before=$(cat "$dir/preset.md")
spawn helper '/view src/a'
expect_status 10
run chorus-run "$child" --approve all --always
expect_status 2
expect_match "$err" 'always: the permissions of a sub-agent are those of its preset'
run chorus-run "$child" --approve all
expect_status 0
expect_match "$out" 'text of src/a'
expect_equal "$(cat "$dir/preset.md" | md5sum)" "$(md5sum <<<"$before")"

test_case "background tasks of a sub-agent keep to its paths, and leave its preset alone"
parent
preset helper
spawn helper '/bash {"command": "cat src/a lib/c; sleep 0.2; cat src/.env", "background": true}' --allow-path src
expect_status 0
before=$(md5sum <"$dir/preset.md")
run chorus-tasks wait "$child" 1
run chorus-tasks log "$child" 1
expect_match "$out" 'text of src/a'
expect_no_match "$out" 'text of (lib/c|src/.env)'
run chorus-tasks run "$child" -- 'cat src/a lib/c'
run chorus-tasks wait "$child" 2
run chorus-tasks log "$child" 2
expect_match "$out" 'text of src/a'
expect_no_match "$out" 'text of lib/c'
expect_equal "$(md5sum <"$dir/preset.md")" "$before"
preset writer 'paths:
  write: [lib]'
spawn writer '/bash {"command": "echo x >src/w; echo x >lib/w", "background": true}'
run chorus-tasks wait "$child" 1
expect_missing "$work/src/w"
expect_file "$work/lib/w" x

test_case "sub-agents that write one file lose nothing"
parent
agent_key a permissions '"open"'
preset helper 'paths:
  write: ["**"]'
: >"$work/log"
for i in 1 2 3 4; do spawn helper hello && ids[i]=$child; done
lines() { for n in 1 2 3 4 5 6; do echo "/append_file {\"path\": \"log\", \"content\": \"$1 $n\\n\"}"; done; }
for i in 1 2 3 4; do chorus-run "${ids[i]}" "$(lines "$i")" >/dev/null 2>&1 </dev/null & pids[i]=$!; done
for i in 1 2 3 4; do wait "${pids[i]}" || fail "sub-agent $i failed"; done
expect_equal "$(wc -l <"$work/log")" 24

test_case "contexts of sub-agents are read, searched, exported and saved"
parent
preset helper
spawn helper 'a needle in the hay'
for words in "log $child" "messages $child" "history $child" "artifacts $child" "export $child" "usage --by agent" "audit"; do
    run chorus-context $words
    expect_status 0
done
run chorus-context search needle
expect_match "$out" "$child"
run chorus-context save "$child" one
expect_status 0
[ -n "$(ls "$dir/sessions")" ] || fail 'there is no session'
run chorus-context clear "$child"
expect_status 0
run chorus-context restore "$child" "$(db 'SELECT id FROM sessions')"
expect_status 0
run chorus-run "$child" 'and again'
expect_status 0
expect_sound

end_tests
