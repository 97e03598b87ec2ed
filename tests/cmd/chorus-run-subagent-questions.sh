#!/usr/bin/env bash
# A sub-agent that waits for a person's decision suspends every turn above it; deciding continues them.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/subagents.sh"
. "$(dirname "$0")/../support/terminal.sh"

asks() { preset helper 'confirm-tool-calls: true'; }
prompt_ids() { db "SELECT id FROM prompts WHERE state = 'pending' ORDER BY rowid"; }
turn_states() { db "SELECT group_concat(state) FROM (SELECT state FROM turns ORDER BY id)"; }
result_count() { db "SELECT count(*) FROM messages WHERE agent_id = $1 AND role = 'tool_result'"; } # AGENT ID
waits() { # it has suspended, and names the decision
    expect_status 10
    id=$(prompt_ids)
    expect_match "$err" "chorus-run a --approve $id"
    expect_equal "$(result_count 1)" 0
}

test_case "a sub-agent's question suspends both turns; approved by another process, both go on" # P-12
parent_with "$(spawn_call c1 '/view src/a')" "$(say done)"
asks
run chorus-run a go
waits
expect_match "$err" 'tool:view:src/a'
expect_equal "$(turn_states)" prompt,prompt
expect_equal "$(chorus-tasks pending a | cut -f1)" "$id"
run chorus-run a --resume
waits
run chorus-run a 'and now?'
expect_status 10
expect_match "$err" 'not accepted'
run chorus-run a --approve "$id"
expect_status 0
expect_equal "$out" done
expect_match "$(results)" 'text of src/a'
expect_equal "$(result_count 1)" 1
expect_equal "$(children)" 1
expect_equal "$(turn_states)" idle,idle
expect_sound

test_case "the result in JSON has the sub-agent's question" # P-12
parent_with "$(spawn_call c1 '/view src/a')" "$(say done)"
asks
run chorus-run a --json go
expect_status 10
expect_equal "$(jq -r '.pending[0].id' <<<"$out")" "$(prompt_ids)"
expect_equal "$(jq -r .reason <<<"$out")" permission
run chorus-run a --json --approve "$(prompt_ids)"
expect_status 0
expect_equal "$(jq -r .text <<<"$out")" done

test_case "named by its sub-agent, the whole chain goes on"
parent_with "$(spawn_call c1 '/view src/a')" "$(say done)"
asks
run chorus-run a go
waits
run chorus-run "$(of_child name)" --approve "$id"
expect_status 0
expect_equal "$out" done
expect_equal "$(turn_states)" idle,idle

test_case "decided without being continued, --run or --resume of the sub-agent continues the whole chain" # P-12
for how in run resume; do
    parent_with "$(spawn_call c1 '/view src/a')" "$(say done)"
    asks
    run chorus-run a go
    waits
    if [ $how = run ]; then
        run chorus-tasks approve --run "$id"
        expect_status 0
        wait_for 10 in_db "SELECT group_concat(state) FROM (SELECT state FROM turns ORDER BY id)" idle,idle || fail "$(turn_states)"
    else
        run chorus-tasks approve "$id"
        run chorus-run "$(of_child name)" --resume
        expect_status 0
        expect_equal "$out" done
    fi
    expect_equal "$(turn_states)" idle,idle
    expect_match "$(results)" 'text of src/a'
    stop_server
    rm -rf "$CHORUS_HOME" "$scratch/log"
done

test_case "a question three deep suspends four turns, and one approval ends them all" # P-12
preset_ask() { preset deepest 'confirm-tool-calls: true'; }
parent
preset helper
preset_ask
nested='/view src/a'
nested=/spawn_agent\ $(jq -nc --arg prompt "$nested" '{preset: "deepest", description: "d", prompt: $prompt}')
nested=/spawn_agent\ $(jq -nc --arg prompt "$nested" '{preset: "helper", description: "d", prompt: $prompt}')
agent_key a model '"anthropic/m"'
agent_key a permissions '"open"'
start_server "$(answers "$(spawn_call c1 "$nested")" "$(say done)")"
run chorus-run a go
waits
expect_equal "$(turn_states)" prompt,prompt,prompt,prompt
run chorus-run a --approve "$id"
expect_status 0
expect_equal "$out" done
expect_equal "$(turn_states)" idle,idle,idle,idle
expect_match "$(results)" 'text of src/a'
for agent in 1 2 3 4; do expect_equal "$(result_count $agent)" 1; done
expect_sound

test_case "denied, the sub-agent goes on without the call"
parent_with "$(spawn_call c1 $'/view src/a\n/list_files')" "$(say done)"
asks
run chorus-run a go
waits
run chorus-run a --deny "$id" --reason "not this file"
expect_status 10
run chorus-run a --resume
expect_status 10
run chorus-run a --deny all
expect_status 0
expect_match "$(results)" 'not this file'
expect_sound

test_case "a question with a text is answered"
parent_with "$(spawn_call c1 '/ask_user {"question": "which?", "kind": "selection", "options": ["red", "blue"]}')" "$(say done)"
preset helper
run chorus-run a go
expect_status 10
id=$(prompt_ids)
expect_match "$err" "chorus-run a --answer $id"
run chorus-run a --answer "$id" blue
expect_status 0
expect_match "$(results)" blue

test_case "of four side by side two wait: the others have their results" # P-31
parent_with "$(jq -nc '{say: {tool_calls: [range(4) | {id: "c\(.)", name: "spawn_agent", arguments: {preset: (if . % 2 == 0 then "helper" else "free" end), description: "d\(.)", prompt: "/view src/a"}}]}}')" "$(say done)"
asks
preset free
run chorus-run a go
expect_status 10
expect_equal "$(prompt_ids | wc -l)" 2
expect_equal "$(result_count 1)" 2
run chorus-run a --approve "$(prompt_ids | head -1)"
expect_status 10
expect_equal "$(result_count 1)" 3
run chorus-run a --approve all
expect_status 0
expect_equal "$out" done
expect_equal "$(result_count 1)" 4
expect_equal "$(children)" 4
expect_sound

test_case "the spawning call was itself approved: it is not asked again"
parent_with "$(spawn_call c1 '/view src/a')" "$(say done)"
agent_key a permissions '"sandboxed"'
asks
run chorus-run a go
expect_status 10
run chorus-run a --approve "$(prompt_ids)"
expect_status 10
expect_equal "$(db "SELECT agent_id FROM prompts WHERE state = 'pending'")" 2
run chorus-run a --approve "$(prompt_ids)"
expect_status 0
expect_equal "$out" done
expect_equal "$(children)" 1
expect_sound

test_case "a question that nobody decided in time is denied, and the chain goes on"
parent_with "$(spawn_call c1 '/view src/a')" "$(say done)"
asks
home_key prompt_ttl '"1s"'
run chorus-run a go
waits
sleep 1.2
run chorus-run a --resume
expect_status 0
expect_match "$(results)" 'denied: nobody decided it in time'

test_case "--cancel-prompts gives up the chain and begins anew"
parent_with "$(spawn_call c1 '/view src/a')" "$(say done)"
asks
run chorus-run a go
waits
run chorus-run a --cancel-prompts 'something else'
expect_status 0
expect_equal "$out" done
expect_equal "$(prompt_ids)" ''
expect_equal "$(turn_states)" exited,exited,idle
run chorus-run a --approve "$id"
expect_status 4
expect_match "$err" 'cancelled'

test_case "--on-ask reaches down"
parent_with "$(spawn_call c1 '/view src/a')" "$(say done)"
asks
run chorus-run a --on-ask deny go
expect_status 0
expect_match "$(results)" 'denied'
expect_equal "$(prompt_ids)" ''

test_case "--on-ask fail ends every turn of the chain, and each call has a result"
both() { printf '%s\n' "$@" | jq -sc '{say: {tool_calls: map(.say.tool_calls[])}}'; }
deeper=$(jq -nc '{preset: "helper", description: "deeper", prompt: "/view src/a"}')
for calls in "$(both "$(spawn_call c1 '/view src/a')" "$(call c2 list_files '{}')")" "$(both "$(spawn_call c1 '/view src/a')" "$(spawn_call c2 hello)")" \
    "$(spawn_call c1 "/spawn_agent $deeper" '{"preset": "middle"}')"; do
    rm -rf "$CHORUS_HOME"
    parent_with "$calls" "$(say done)"
    asks
    preset middle
    run chorus-run a --on-ask fail go
    expect_status 11
    expect_match "$(results)" '--on-ask is fail, and a person has to decide about (tool:|a call of a sub-agent)'
    expect_equal "$(result_count 1)" "$(jq '.say.tool_calls | length' <<<"$calls")"
    expect_equal "$(prompt_ids)" ''
    expect_db "SELECT count(*) FROM turns WHERE ended_at IS NULL" 0
    run chorus-run a 'go on'
    expect_status 0
done

test_case "the prompt of another agent stays another agent's"
parent_with "$(spawn_call c1 '/view src/a')" "$(say done)"
asks
init b --model builtin/script
run chorus-run a go
waits
run chorus-run b --approve "$id"
expect_status 4
expect_match "$err" "does not belong to agent 'b'"
expect_equal "$(prompt_ids)" "$id"

test_case "on a terminal it is asked at once, and the chain goes on"
parent_with "$(spawn_call c1 $'/view src/a\n/view src/a')" "$(say done)"
asks
typist() {
    shown 'lways? '
    echo y
    until [ "$(grep -o 'lways? ' "$scratch/screen" | wc -l)" -ge 2 ]; do sleep 0.1; done
    echo n
}
on_terminal 'chorus-run a go'
expect_status 0
expect_match "$out" done
expect_equal "$(db "SELECT group_concat(state) FROM prompts")" approved,denied
expect_equal "$(result_count 1)" 1
expect_sound

test_case "destroyed while it waits: nothing is left"
parent_with "$(spawn_call c1 '/view src/a')" "$(say done)"
asks
run chorus-run a go
waits
run chorus-destroy a --yes
expect_status 0
expect_equal "$(prompt_ids)" ''
run chorus-run a --approve "$id"
expect_status 4

end_tests
