#!/usr/bin/env bash
# What sub-agents use counts for the agents above them, whose budgets they never pass.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/subagents.sh"

# A token in costs 10 micro-dollars, one out 100; the parent and helper use the same model.
paid() { # ANSWER...
    parent_with "$@"
    printf '{"providers": {"anthropic": {"models": {"m": {"price": {"input": 10, "output": 100}, "read": "2026-11-27"}}}}}' >"$CHORUS_HOME/models.json"
    printf -- '---\nmodel: anthropic/m\n---\nYou help.\n' >"$CHORUS_HOME/presets/helper.md"
}
uses() { jq -c --argjson input "$1" --argjson output "$2" '.say.usage = {input: $input, output: $output}' <<<"$3"; } # INPUT OUTPUT ANSWER
view() { uses "$1" "$2" "$(call v view '{"path": "src/a"}')"; }
four() { jq -nc '{say: {tool_calls: [range(4) | {id: "c\(.)", name: "spawn_agent", arguments: {preset: "helper", description: "d\(.)", prompt: "look"}}], usage: {input: 10, output: 10}}}'; }
spent() { db 'SELECT coalesce(sum(cost), 0) FROM usage_sums'; }

test_case "the result has what the sub-agents used, at any depth"
mkdir -p "$CHORUS_HOME/presets"
paid "$(uses 1000 100 "$(spawn_call c1 look)")" "$(uses 2000 50 "$(spawn_call c2 deeper)")" "$(uses 30 1 "$(say deep)")" \
    "$(uses 20 1 "$(say child)")" "$(uses 10 1 "$(say done)")"
run chorus-run a --json go
expect_status 0
expect_json .text done
expect_json .usage.input_tokens 1010
expect_json .cost_usd 0.0202
expect_json '.sub_agents | [.count, .usage.input_tokens, .usage.output_tokens, .cost_usd] | @csv' 2,2050,52,0.0257
run chorus-context usage a --json
expect_equal "$(jq -c 'select(.by == "total") | [.calls, .cost_usd]' <<<"$out")" '[5,0.0459]'
run chorus-context usage a --by agent
expect_match "$out" $'a\t2\t.*helper-'
run chorus-run a --json 'and again'
expect_json .sub_agents null

test_case "--max-usd holds for the sub-agents of the turn too"
mkdir -p "$CHORUS_HOME/presets"
paid "$(uses 5000 400 "$(spawn_call c1 look)")" "$(view 5000 400)" "$(view 5000 400)"
run chorus-run a --max-usd 0.2 --json go
expect_status 9
expect_json .reason budget
expect_match "$(results)" 'Error: A limit ended the sub-agent.s turn'
expect_match "$(results)" '\$0\.20 a turn with its sub-agents \(--max-usd\)'
[ "$(spent)" -le 200000 ] || fail "$(spent) spent"

test_case "budgets of the agent above: a day, a turn, tokens"
for budget in '{"usd_per_day": 0.2}' '{"usd_per_turn": 0.2}' '{"tokens_per_day": 15000}' '{"tokens_per_turn": 15000}'; do
    rm -rf "$CHORUS_HOME"
    mkdir -p "$CHORUS_HOME/presets"
    paid "$(uses 5000 400 "$(spawn_call c1 look)")" "$(view 5000 400)" "$(view 5000 400)"
    agent_key a budget "$budget"
    run chorus-run a go
    expect_status 9
    expect_match "$(results)" "ended at its budget: .*$(jq -r 'keys[0]' <<<"$budget")"
done

test_case "a person's sub-agent is bounded by the day of the agent above"
mkdir -p "$CHORUS_HOME/presets"
paid "$(view 5000 400)"
agent_key a budget '{"usd_per_day": 0.3}'
run chorus-run a --spawn helper -p look
expect_status 9
expect_match "$err" '\$0\.30 a day \(budget\.usd_per_day\)'
[ "$(spent)" -le 300000 ] || fail "$(spent) spent"

test_case "four side by side do not pass the budget together"
mkdir -p "$CHORUS_HOME/presets"
paid "$(four)" "$(view 3000 300)"
run chorus-run a --max-usd 0.4 go
expect_status 9
[ "$(spent)" -le 400000 ] || fail "$(spent) spent"
expect_equal "$(db "SELECT count(*) FROM model_calls WHERE state = 'reserved'")" 0

test_case "a dollar budget above needs a price for the sub-agent's model"
mkdir -p "$CHORUS_HOME/presets"
paid "$(uses 10 10 "$(spawn_call c1 look)")" "$(uses 10 10 "$(say done)")"
printf -- '---\nmodel: anthropic/unpriced\n---\nYou help.\n' >"$CHORUS_HOME/presets/helper.md"
run chorus-run a --max-usd 1 go
expect_status 0
expect_match "$(results)" 'no price is known for anthropic/unpriced'

end_tests
