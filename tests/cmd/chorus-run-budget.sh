#!/usr/bin/env bash
# Money: what turns cost, and budgets that they never pass.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

# A model with round prices: a token in costs 10 micro-dollars, one out 100.
agent_with_price() { # [MODEL-FACTS]
    init a --model anthropic/m
    printf '{"providers": {"anthropic": {"models": {"m": {"price": {"input": 10, "output": 100}, "read": "2026-11-27"}}}}}' >"$CHORUS_HOME/models.json"
}
spends() { # TEXT INPUT OUTPUT [MORE-JSON]: an answer
    jq -nc --arg text "$1" --argjson input "$2" --argjson output "$3" --argjson more "${4-{\}}" '{say: {text: $text, usage: {input: $input, output: $output}}} + $more'
}
spent() { db 'SELECT coalesce(sum(cost), 0) FROM usage_sums'; }
reserved() { db "SELECT count(*) FROM model_calls WHERE state = 'reserved'"; }
cost_of_all() { chorus-context usage "$@" --json | jq -c 'select(.by == "total") | [.calls, .priced_calls, .estimated_calls, .cost_usd]'; }

test_case "every result, event and listing has the cost, and the ledger a row for each call"
agent_with_price
start_server "$(answers "$(jq -c '.say.usage = {input: 1000, output: 100}' <<<"$(call c1 bash '{"command": "true"}')")" "$(spends Done. 2000 50)")"
agent_key a permissions '"open"'
run chorus-run a --output-format json hello
expect_status 0
expect_json .cost_usd 0.045
expect_json .usage.input_tokens 3000
run chorus-context log a --json
expect_json .cost_usd 0.045
run chorus-context log a 1
expect_match "$out" 'cost +\$0\.0450'
expect_db "SELECT group_concat(state || ':' || turn_id || ':' || model || ':' || input_tokens || ':' || output_tokens || ':' || cost, ' ') FROM model_calls" \
    'settled:1:anthropic/m:1000:100:20000 settled:1:anthropic/m:2000:50:25000'
expect_equal "$(cost_of_all)" '[2,2,0,0.045]'
run chorus-context usage --by model
expect_match "$out" $'anthropic/m\t2\t3000\t150\t0\t0\t\\$0.0450'
run chorus-context usage --by profile --since 1h
expect_match "$out" $'^-\t2\t'
run chorus-run a -m builtin/script hello
expect_equal "$(cost_of_all)" '[3,3,0,0.045]'
expect_sound

test_case "a model without a price has tokens, and no dollars"
init a --model anthropic/m
start_server "$(answers "$(spends Done. 2000 50)")"
run chorus-run a --output-format json hello
expect_json .cost_usd null
expect_equal "$(cost_of_all)" '[1,0,0,null]'

test_case "a dollar budget needs a price: exit 3 before the first call"
init a --model anthropic/m
start_server "$(answers "$(spends Done. 2000 50)")"
run chorus-run a --max-usd 1 hello
expect_status 3
expect_match "$err" "^chorus-run: error: --max-usd: dollars cannot be counted: no price is known for anthropic/m
chorus-run: hint: give it one in models.json"
for key in usd_per_turn usd_per_day; do
    agent_key a budget "{\"$key\": 1}"
    run chorus-run a hello
    expect_status 3
    expect_match "$err" "budget\\.$key: dollars cannot be counted"
done
agent_key a budget '{}'
home_key limits '{"budget": {"usd_per_day": 1}}'
run chorus-run a hello
expect_status 3
expect_match "$err" "limits\\.budget\\.usd_per_day: dollars cannot be counted"
expect_equal "$(request_count)" 0
nothing_recorded

test_case "an amount that is none is refused with one line"
agent_with_price
for amount in 0 -1 x '' 0x10 nan inf 1e9 0.0000001 '1 '; do
    run chorus-run a --max-usd "$amount" hello
    expect_status 2
    expect_equal "$(errors_in "$err")" 1
done
for amount in 0 0.0000001 '"1"' 1e9; do
    run chorus-config set budget.usd_per_day "$amount"
    expect_status 3
    expect_match "$err" 'expected dollars, from 0\.000001 to 1000000'
done
nothing_recorded

test_case "--max-usd ends the turn with exit 9, keeps what it has, and --resume goes on with more"
agent_with_price
start_server "$(answers "$(jq -c '.say.usage = {input: 5000, output: 400} | .say.text = "One."' <<<"$(call c1 bash '{"command": "true"}')")" \
    "$(jq -c '.say.usage = {input: 5000, output: 400}' <<<"$(call c2 bash '{"command": "true"}')")" "$(spends Done. 10 1)")"
agent_key a permissions '"open"'
run chorus-run a --max-usd 0.2 --output-format json hello
expect_status 9
expect_json .state completed
expect_json .reason budget
expect_match "$(jq -r .error.message <<<"$out")" 'ended at its budget: \$0\.20 a turn \(--max-usd\)'
calls=$(request_count)
expect_equal "$(db 'SELECT cost <= 200000 FROM turns')" 1
run chorus-run a --resume
expect_status 9
expect_match "$err" 'hint: chorus-run a -t 1 --resume --max-usd N$'
expect_equal "$(request_count)" "$calls"
run chorus-run a -t 1 --resume --max-usd 5
expect_status 0
expect_equal "$out" Done.
expect_sound

test_case "an answer that the budget has no room for is asked for in a shorter length"
agent_with_price
start_server "$(answers "$(jq -c '.say.stop = "max_tokens"' <<<"$(spends half 100 900)")")"
run chorus-run a --max-usd 0.5 hello
expect_status 9
expect_equal "$out" half
expect_match "$err" 'ended at its budget: \$0\.50 a turn'
asked=$(jq .max_tokens "$(request 1)")
[ "$asked" -lt 16384 ] && [ "$asked" -ge 256 ] || fail "max_tokens $asked"

test_case "a day's budget is the agent's, a limit that of all agents"
agent_with_price
init b --model anthropic/m
start_server "$(answers "$(spends Done. 1000 400)")"
agent_key a budget '{"usd_per_day": 0.2}'
home_key limits '{"budget": {"usd_per_day": 0.26}}'
run chorus-run a hello
expect_status 0
for _ in 1 2 3; do run chorus-run a hello; done
expect_status 9
expect_match "$err" 'ended at its budget: \$0\.20 a day \(budget\.usd_per_day\)'
run chorus-run b hello
run chorus-run b hello
run chorus-run b hello
expect_status 9
expect_match "$err" 'ended at its budget: \$0\.26 a day for all agents \(limits\.budget\.usd_per_day\)'
# tomorrow is another day
run env CHORUS_NOW_MS=$((($(date +%s) + 86400) * 1000)) chorus-run a hello
expect_status 0

test_case "tokens of a day are counted too, and need no price"
init a --model anthropic/m
start_server "$(answers "$(spends Done. 20000 1000)")"
home_key budget '{"tokens_per_day": 50000}'
for _ in 1 2; do
    run chorus-run a hello
    expect_status 0
done
for _ in 1 2; do run chorus-run a hello; done
expect_status 9
expect_match "$err" '50000 tokens a day \(budget\.tokens_per_day\)'

# ten answers of 0.05 dollars fit; each reserves more than that, so turns wait for one another
test_case "twenty turns at once on a budget for ten: ten pass, ten end, and no cent more is spent"
agent_with_price
start_server "$(answers "$(spends Done. 1000 400 '{"delay_ms": 30}')")"
home_key budget '{"usd_per_day": 0.5}'
home_key providers '{"anthropic": {"max_output_tokens": 400}}'
for i in {1..20}; do init "a$i" --model anthropic/m; done
home_key budget '{}'
home_key limits '{"budget": {"usd_per_day": 0.55}}'
pids=()
for i in {1..20}; do
    chorus-run "a$i" hello >/dev/null 2>"$scratch/err.$i" &
    pids+=($!)
done
most=0
ended=
while sleep 0.05; do
    now=$(db "SELECT coalesce((SELECT sum(cost) FROM usage_sums), 0) + coalesce((SELECT sum(cost) FROM model_calls WHERE state = 'reserved'), 0)")
    [ "$now" -gt "$most" ] && most=$now
    kill -0 "${pids[@]}" 2>/dev/null || break
done
for pid in "${pids[@]}"; do
    wait "$pid"
    ended+=" $?"
done
[ "$most" -le 550000 ] || fail "$most were spent and reserved"
expect_equal "$(tr ' ' '\n' <<<"${ended# }" | sort | uniq -c | xargs)" '10 0 10 9'
expect_equal "$(spent)" 500000
expect_equal "$(reserved)" 0

test_case "what turns that were killed in mid-call have reserved is spent, and marked as estimated"
agent_with_price
start_server "$(answers "$(jq -c '.delay_ms = 60000' <<<"$(spends Never 1 1)")")"
for i in {1..10}; do init "a$i" --model anthropic/m; done
pids=()
for i in {1..10}; do
    chorus-run "a$i" hello >/dev/null 2>&1 &
    pids+=($!)
done
wait_for 20 in_db "SELECT count(*) FROM model_calls WHERE state = 'reserved'" 10 || fail "$(reserved) reservations"
expect_equal "$(cost_of_all)" '[0,0,0,null]'
full=$(db 'SELECT sum(cost) FROM model_calls')
kill -9 "${pids[@]}"
for pid in "${pids[@]}"; do wait "$pid"; done 2>/dev/null
expect_equal "$(chorus-context usage --json | jq -c 'select(.by == "total") | [.calls, .estimated_calls, (.cost_usd * 1000000 | round)]')" "[10,10,$full]"
run chorus-context usage
expect_match "$out" '~\$'
expect_db "SELECT count(*) FROM model_calls WHERE state = 'estimated'" 10
start_server "$(answers "$(spends Done. 10 1)")"
run chorus-run a1 --resume --output-format json
expect_status 0
expect_equal "$(jq '.cost_usd * 1000000 | round' <<<"$out")" $((full / 10 + 200))
expect_sound

test_case "an answer that is cut before its usage is known is estimated; a refused request costs nothing"
agent_with_price
start_server "$(answers "$(jq -nc '{status: 400, body: "{\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"no\"}}"}')")"
run chorus-run a hello
expect_status 7
expect_db 'SELECT count(*) FROM model_calls' 0
start_server "$(answers "$(spends Done. 1 1 '{"delay_ms": 60000}')")"
run chorus-run a --timeout 1s hello
expect_status 124
expect_db "SELECT state || ':' || (input_tokens > 1000) || ':' || output_tokens FROM model_calls" estimated:1:0

test_case "an answer that is cut in its middle is estimated by its length, and so is a count that is missing"
agent_with_price
start_server "$(answers "$(jq -c '.say.usage = {input: 1000, output: 900}' <<<"$(broken_off)")")"
run chorus-run a --timeout 2s hello
expect_status 124
expect_db "SELECT state || ':' || input_tokens || ':' || (output_tokens > 20) FROM model_calls" estimated:1000:1

test_case "a turn that has not been allowed a request counts none, and goes on when there is room"
agent_with_price
start_server "$(answers "$(spends Done. 1000 400)")"
run chorus-run a --max-usd 0.001 --output-format json hello
expect_status 9
expect_json .iterations 0
run chorus-run a --resume --max-usd 5
expect_status 0
agent_key a budget '{"tokens_per_turn": 1000}'
start_server "$(answers "$(jq -c '.say.usage = {input: 1000, output: 400}' <<<"$(call c1 view '{"path": "."}')")" "$(spends Ended. 1 1)")"
run chorus-run a hello
expect_status 9
expect_match "$err" 'ended at its token limit: 1000 tokens a turn \(budget\.tokens_per_turn\)'
agent_key a budget '{"tokens_per_turn": 100000}'
run chorus-run a --resume
expect_status 0
expect_equal "$out" Ended.

test_case "budgets are set like any key; under one, every request says how long its answer may be"
agent_with_price
for key in budget limits.budget; do
    run chorus-config set "$key" '{"usd_per_day": 5}'
    expect_status 0
done
run chorus-config set budget.usd_per_turn 4 -A a
expect_status 0
printf '{"providers": {"gw": {"protocol": "chat", "base_url": "http://127.0.0.1:1/v1", "needs_key": false, "models": {"m": {"price": {"input": 1, "output": 1}, "read": "2026-11-27", "max_output_tokens": 700}}},
    "anthropic": {"models": {"m": {"max_output_tokens": 1000, "price": {"input": 1, "output": 1}, "read": "2026-11-27"}}}}}' >"$CHORUS_HOME/models.json"
start_server "$(answers "$(spends Done. 10 4)")"
run env CHORUS_GW_BASE_URL="$CHORUS_OPENAI_CHAT_BASE_URL" chorus-run a -m gw/m hello
expect_status 0
expect_equal "$(jq .max_tokens "$(request 1)")" 700
run chorus-run a hello
expect_status 0
expect_equal "$(jq .max_tokens "$(request 2)")" 1000

test_case "a clock beyond all dates breaks no home"
agent_with_price
start_server "$(answers "$(spends Done. 10 4)")"
for now in 253402300800000 9223372036854775; do
    run env CHORUS_NOW_MS=$now chorus-run a hello
    run chorus-run a --new-thread hello
    expect_status 0
    run chorus-context usage
    expect_status 0
done

test_case "a turn that waits for room ends with --timeout"
agent_with_price
start_server "$(answers "$(jq -c '.delay_ms = 5000' <<<"$(spends Done. 1000 100)")")"
home_key limits '{"budget": {"usd_per_day": 2}}'
init b --model anthropic/m
chorus-run a hello >/dev/null 2>&1 &
first=$!
wait_for 10 in_db "SELECT count(*) FROM model_calls WHERE state = 'reserved'" 1 || fail 'no reservation'
run chorus-run b --timeout 1s hello
expect_status 124
expect_match "$err" 'waiting: requests in flight have reserved what is left of \$2\.00 a day for all agents'
wait "$first" || fail "the first ended with $?"
expect_equal "$(request_count)" 1

end_tests
