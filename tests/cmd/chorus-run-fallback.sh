#!/usr/bin/env bash
# --fallback-model: another model goes on where the provider fails.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

failing() { # STATUS TYPE [HEADERS]: what the first model answers
    jq -nc --argjson status "$1" --arg type "$2" --argjson headers "${3-{\}}" \
        '{status: $status, headers: $headers, body: ({type: "error", error: {type: $type, message: "not now"}} | tojson)}'
}
models_asked() { for n in $(seq "$(request_count)"); do jq -r .model "$(request "$n")"; done | paste -sd' '; }
agent() {
    agent_of anthropic/first
    home_key max_retries 0
}

test_case "an overloaded, failing or limited provider: the same turn goes on with the other model"
for how in '529 overloaded_error' '500 api_error' '429 rate_limit_error'; do
    rm -rf "$CHORUS_HOME"
    agent
    # shellcheck disable=SC2086
    start_server "$(answers "$(failing $how)" "$(call c1 view '{"path": "."}')" "$(say Done.)")"
    run chorus-run a --fallback-model anthropic/second hello
    expect_status 0
    expect_equal "$out" Done.
    expect_equal "$(models_asked)" 'first second second'
    expect_match "$err" '^chorus-run: notice: anthropic: .*; going on with anthropic/second$'
    expect_db "SELECT group_concat(model) FROM turns" anthropic/second
    expect_db "SELECT group_concat(model) FROM model_calls" anthropic/second,anthropic/second
    expect_sound
done

test_case "the next turn begins with the agent's own model; agent.json and config.json name a fallback too"
agent
start_server "$(answers "$(failing 500 api_error)" "$(say One.)" "$(say Two.)")"
home_key fallback_model '"anthropic/second"'
run chorus-run a hello
expect_equal "$out" One.
run chorus-run a hello
expect_equal "$(models_asked)" 'first second first'
agent_key a fallback_model '"anthropic/third"'
start_server "$(answers "$(failing 500 api_error)" "$(say Three.)")"
run chorus-run a hello
expect_equal "$(models_asked)" 'first third'

test_case "both fail: the second failure is reported, and nothing is asked a third time"
agent
start_server "$(answers "$(failing 500 api_error)")"
run chorus-run a --fallback-model anthropic/second hello
expect_status 7
expect_equal "$(models_asked)" 'first second'
expect_match "$err" 'error: model anthropic/second: '

test_case "what another model would not change is no reason: a refused key, a refused request"
for how in '401 authentication_error 6' '400 invalid_request_error 7'; do
    rm -rf "$CHORUS_HOME"
    agent
    read -r code type wanted <<<"$how"
    start_server "$(answers "$(failing "$code" "$type")")"
    run chorus-run a --fallback-model anthropic/second hello
    expect_status "$wanted"
    expect_equal "$(models_asked)" first
done

test_case "text that was shown is not said twice by another model"
agent
start_server "$(answers "$(jq -c '.stall = false' <<<"$(broken_off)")")"
run chorus-run a --fallback-model anthropic/second --stream hello
expect_status 7
expect_equal "$(models_asked)" first

test_case "a fallback is known before it is needed, and goes on without options that it does not take"
agent
start_server "$(answers "$(failing 500 api_error)" "$(say Done.)")"
run chorus-run a --fallback-model nowhere/x hello
expect_status 7
expect_equal "$(request_count)" 0
run chorus-run a -m anthropic/claude-opus-5 --effort max --fallback-model anthropic/claude-haiku-4-5-20251001 hello
expect_status 0
expect_equal "$(jq -c .output_config "$(request 1)" "$(request 2)" | paste -sd' ')" '{"effort":"max"} null'
run chorus-run a -m anthropic/claude-opus-5 --max-usd 1 --fallback-model ollama/x hello
expect_status 3
expect_match "$err" 'no price is known for ollama/x'
run chorus-run a --resume --fallback-model anthropic/second
expect_status 2

end_tests
