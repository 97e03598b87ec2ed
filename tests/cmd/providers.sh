#!/usr/bin/env bash
# needs: time
# Providers as they are, a whole turn over each protocol: what was paid for is used and counted, and every odd
# end is told as what it is.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

models='anthropic/m openai/m openai-chat/m'
each() { # a new agent for each protocol, as $model
    chorus-destroy a --yes --purge >/dev/null 2>&1
    agent_of "$1"
}

refuse() { # MESSAGE: a 400 with it
    jq -nc --arg m "$1" '{status: 400, body: ({error: {message: $m}} | tojson)}'
}

test_case "what attempts that failed used is counted, for the token limit too"
for model in $models; do
    each $model
    start_server "$(answers '{"say": {"text": "half", "usage": {"input": 11000, "output": 400}, "error": {"type": "overloaded_error", "message": "x"}}}' "$(say whole)")"
    run chorus-run a hi --json
    expect_status 0
    expect_json '"\(.text) \(.usage.input_tokens + .usage.output_tokens >= 15)"' 'whole true'
    [ $model = openai-chat/m ] || expect_json '.usage.input_tokens >= 11010' true
    expect_equal "$(request_count)" 2
done

test_case "what a model does not take of its thoughts is not asked for again"
agent_of openai/gpt-9
start_server "$(answers '{"status": 400, "body": "{\"error\":{\"message\":\"Your organization must be verified to generate reasoning summaries.\",\"param\":\"reasoning.summary\"}}"}' \
    '{"status": 400, "body": "{\"error\":{\"message\":\"Encrypted content is not supported with this model.\",\"param\":\"include\"}}"}' \
    "$(call x view '{"path": "."}')" "$(say whole)")"
run chorus-run a hi
expect_equal "$status $out$err" '0 whole'
asked() { jq -c '[.reasoning.summary, .include]' "$(request "$1")"; }
expect_equal "$(asked 1) $(asked 2) $(asked 3) $(asked 4)" \
    '["auto",["reasoning.encrypted_content"]] [null,["reasoning.encrypted_content"]] [null,null] [null,null]'
run chorus-run a -m openai/gpt-4.1 hi
expect_equal "$(asked 5)" '[null,null]'

test_case "a field that a server does not know is left out"
agent_of openai-chat/m
start_server "$(answers "$(refuse 'unknown field: stream_options')" "$(refuse 'parallel_tool_calls: extra inputs are not permitted')" \
    "$(call x view '{"path": "."}')" "$(say whole)")"
run chorus-run a hi
expect_equal "$status $out$err" '0 whole'
fields() { jq -c '[has("stream_options", "parallel_tool_calls", "tools")]' "$(request "$1")"; }
expect_equal "$(fields 1) $(fields 2) $(fields 3) $(fields 4)" \
    '[true,true,true] [false,true,true] [false,false,true] [false,false,true]'

each openai/gpt-4.1
start_server "$(answers "$(refuse "Unknown parameter: 'parallel_tool_calls'.")" "$(say whole)")"
run chorus-run a hi
expect_equal "$status $out$err" '0 whole'
each anthropic/m
start_server "$(answers "$(refuse 'max_tokens: 16384 > 8192, which is the maximum allowed number of output tokens for m')" "$(say whole)")"
run chorus-run a hi
expect_equal "$status $out$err $(jq .max_tokens "$(request 2)")" '0 whole 8192'
start_server "$(answers "$(refuse 'system.0.cache_control: Extra inputs are not permitted')" "$(say whole)")"
run chorus-run a hi
expect_equal "$status $out$err $(grep -c cache_control "$(request 1)" "$(request 2)" | sed 's/.*://' | tr '\n' ' ')" '0 whole 1 0 '

test_case "ids and names that a provider does not take: call and result agree"
for model in $models; do
    each $model
    start_server "$(answers "$(call functions.view:0 functions.view '{"path": "."}')" "$(say hello)")"
    run chorus-run a hi
    expect_equal "$status $out" '0 hello'
    expect_no_match "$(jq -c '[.messages, .input]' "$(request 2)")" '"functions[.]view'
    expect_equal "$(grep -o '"functions_view_0"' "$(request 2)" | wc -l)" 2
done

test_case "a call that is announced and does not come: once more, then exit 7"
for model in anthropic/m openai-chat/m; do
    each $model
    stop=tool_use
    [ $model = anthropic/m ] || stop=tool_calls
    start_server "$(answers '{"say": {"text": "Let me look.", "stop": "'$stop'"}}')"
    run chorus-run a hi
    expect_status 7
    expect_match "$err" "ended with '$stop' but contains no call"
    expect_equal "$(request_count)" 2
done

test_case "reasoning that a provider no longer takes is left out, and the thread goes on"
for refusal in 'anthropic/m messages.1.content.0: Invalid `signature` in `thinking` block' \
    'openai/m The encrypted content gAAA could not be verified.'; do
    each "${refusal%% *}"
    start_server "$(answers '{"say": {"thinking": "hm", "signature": "SIGNED", "tool_calls": [{"id": "x", "name": "view", "arguments": {"path": "."}}]}}' \
        "$(say hello)" "$(refuse "${refusal#* }")" "$(say again)" "$(refuse "${refusal#* }")")"
    run chorus-run a hi
    expect_equal "$status $out" '0 hello'
    run chorus-run a more
    expect_equal "$status $out$err" '0 again'
    expect_no_match "$(cat "$(request 4)")" 'SIGNED|encrypted_content":"|reasoning_details'
    expect_match "$(cat "$(request 4)")" 'view.*hello.*more'
    run chorus-run a 'and more'
    expect_status 7
    expect_equal "$(request_count)" 6
done

test_case "an answer that is no stream is taken, and asked for once"
agent_of openai-chat/m
start_server "$(answers '{"headers": {"content-type": "application/json"}, "body": "{\"choices\":[{\"message\":{\"content\":\"in one piece\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":\"7\",\"completion_tokens\":3}}"}')"
run chorus-run a hi --json
expect_status 0
expect_json '"\(.text) \(.usage.input_tokens)"' 'in one piece 7'
expect_equal "$(request_count)" 1
run chorus-run a hi --stream
expect_equal "$status $out" '0 in one piece'

test_case "an object over many lines is one line of a stream"
agent_of ollama/m
pretty=$(jq -n '{model: "m", message: {role: "assistant", content: "in one piece"}, done: true, done_reason: "stop", prompt_eval_count: 7}')
start_server "$(answers "$(jq -nc --arg body "$pretty" '{body: $body}')" "$(jq -nc '{body: "{\n  \"error\": \"model is gone\"\n}\n"}')")"
export CHORUS_OLLAMA_BASE_URL=http://127.0.0.1:$port
run chorus-run a hi --json
expect_json '"\(.text) \(.usage.input_tokens)"' 'in one piece 7'
run chorus-run a hi
expect_status 7
expect_match "$err" 'model is gone'

test_case "text that somebody was shown is not asked for again"
for model in $models; do
    each $model
    start_server "$(answers '{"say": {"text": "half a", "stop": "none"}}' "$(say whole)")"
    run chorus-run a hi --stream
    expect_status 7
    expect_equal "$out" 'half a'
    expect_equal "$(request_count)" 1
    start_server "$(answers '{"say": {"text": "half a", "stop": "none"}}' "$(say whole)")"
    run chorus-run a hi
    expect_equal "$status $out" '0 whole'
    expect_equal "$(request_count)" 2
done

test_case "an end that the protocol does not have: exit 7, with the provider's word"
for model in $models; do
    each $model
    start_server "$(answers '{"say": {"text": "so far", "stop": "insufficient_system_resource"}}')"
    fails_alike 7 PROVIDER_ERROR failed "the answer ended with 'insufficient_system_resource'" chorus-run a hi
    start_server "$(answers '{"say": {"tool_calls": [{"id": "x", "name": "create_file", "arguments": {"path": "f", "content": "x"}}], "stop": "something_new"}}')"
    run chorus-run a hi
    expect_status 7
    expect_match "$err" "'something_new'"
    expect_missing "$CHORUS_HOME/agents/a/workspace/f"
    start_server "$(answers "$(say fine)")"
    run chorus-run a more
    expect_equal "$status $out" '0 fine'
done

test_case "a turn that the model declines leaves the window, and stays on record"
declined() { # MODEL ANSWER REGEX
    each $1
    start_server "$(answers "$(say hello)" "$(call x view '{"path": "."}')" "$2" "$(say fine)")"
    run chorus-run a 'a first question'
    run chorus-run a 'a question that is not answered'
    expect_status 1
    expect_match "$err" "$3"
    expect_match "$err" 'this turn is on record and is not sent again'
    for goes_on in --resume --retry; do
        run chorus-run a $goes_on --json
        expect_status 0
        expect_json .reason nothing_to_do
    done
    expect_equal "$(request_count)" 3
    run chorus-run a 'another question'
    expect_equal "$status $out" '0 fine'
    expect_match "$(cat "$(request 4)")" 'a first question.*hello.*another question'
    expect_no_match "$(cat "$(request 4)")" 'is not answered|no, not|tool_result|function_call_output|"role":"tool"'
    run chorus-context search 'is not answered'
    expect_match "$out" 'question that'
}
for model in $models; do
    declined $model '{"say": {"text": "no, not", "stop": "refusal"}}' "declined to answer"
done
declined openai-chat/m '{"status": 400, "body": "{\"error\":{\"code\":\"content_filter\",\"message\":\"no, not that\"}}"}' 'no, not that'
declined openai/m '{"status": 400, "body": "{\"error\":{\"code\":\"invalid_prompt\",\"message\":\"no, not that\"}}"}' 'no, not that'

test_case "a blank answer does not go back"
# over Anthropic's and the chat format, where such text is refused
blank='{"say": {"text": " \n", "tool_calls": [{"id": "x", "name": "view", "arguments": {"path": "."}}]}}'
for model in anthropic/m openai-chat/m; do
    each $model
    start_server "$(answers "$blank" "$(say hello)")"
    run chorus-run a hi
    expect_equal "$status $out" '0 hello'
    expect_no_match "$(cat "$(request 2)")" '" \\n"'
    start_server "$(answers '{"say": {"text": " ", "stop": "max_tokens"}}' "$(say hello)")"
    run chorus-run a hi
    expect_status 9
    run chorus-run a more
    expect_equal "$status $out" '0 hello'
    expect_no_match "$(cat "$(request 2)")" '"(text|content)": ?" "'
done

test_case "what was said before a pause is part of the answer"
agent_of anthropic/m
start_server "$(answers '{"say": {"text": "first ", "stop": "pause_turn"}}' "$(say second)")"
run chorus-run a hi
expect_equal "$status $out" "0 first second"
expect_match "$(cat "$(request 2)")" '"text":"first"'

test_case "limits under any name: exit 9"
agent_of openai-chat/m
start_server "$(answers '{"say": {"text": "so far", "stop": "model_length"}}')"
run chorus-run a hi
expect_equal "$status $out" '9 so far'

test_case "an empty answer: once more, then exit 7"
for model in $models; do
    each $model
    start_server "$(answers '{"say": {"thinking": "hm", "text": ""}}' "$(say 'here it is')")"
    run chorus-run a hi
    expect_equal "$status $out" '0 here it is'
    start_server "$(answers '{"say": {"thinking": "hm", "text": ""}}')"
    run chorus-run a hi
    expect_status 7
    expect_match "$err" "model $model: the answer was empty"
    expect_equal "$(request_count)" 2
done

test_case "a call that is cut again and again ends at five"
for model in $models; do
    each $model
    start_server "$(answers '{"say": {"tool_calls": [{"id": "x", "name": "create_file", "arguments": {"path": "f", "content": "half"}}], "stop": "max_tokens", "usage": {"input": 10, "output": 800}}}')"
    run chorus-run a hi
    expect_status 1
    expect_match "$err" 'five tool failures in a row'
    expect_equal "$(request_count)" 5
    expect_match "$(cat "$(request 5)")" 'limit of 800 tokens'
done

test_case "a wait that the server asks for is told, and kept within --timeout"
agent_of anthropic/m
start_server "$(answers '{"status": 503, "headers": {"retry-after": "6"}, "body": "busy"}' "$(say whole)")"
run chorus-run a hi --timeout 60s
expect_equal "$status $out" '0 whole'
expect_match "$err" '^chorus-run: notice: attempt 1 failed .*503: busy.* retrying in 6 s$'
start_server "$(answers '{"status": 503, "headers": {"retry-after": "70"}, "body": "busy"}')"
run chorus-run a hi --timeout 5s
expect_status 7
expect_match "$err" '503: busy'

test_case "--timeout between attempts names what the model's server said"
agent_of anthropic/m
start_server "$(answers '{"status": 503, "headers": {"retry-after": "1"}, "body": "busy"}' '{"delay_ms": 20000}')"
run chorus-run a hi --timeout 3s
expect_status 124
expect_match "$err" "time given with --timeout is up; the model's last error: anthropic: 503: busy"

test_case "how long a server may be silent is a setting, for one provider too"
agent_of anthropic/m
start_server "$(answers '{"delay_ms": 5000}')"
home_key limits '{"first_byte": "1s"}'
run chorus-run a hi
expect_status 7
expect_match "$err" 'no answer within 1 s'
home_key providers '{"anthropic": {"first_byte": "20s", "stall": "1s"}}'
start_server "$(answers "$(say 'late' | jq -c '. + {delay_ms: 1500}')")"
run chorus-run a hi
expect_equal "$status $out" '0 late'
start_server "$(answers "$(broken_off)")"
run chorus-run a hi
expect_status 7
expect_match "$err" 'no data for 1 s'
run chorus-config set limits.stall 0
expect_status 3
run chorus-config set providers.openai.first_byte 15m
expect_status 0

test_case "an overflow: a summary replaces the older half, once, and the request goes out again" # C-29
too_long=$(refuse 'the input length exceeds the context length')
for model in $models ollama/m; do
    each $model
    start_server "$(answers "$(say hello)" "$(say 'hello again')" "$too_long" "$(say 'THE SUMMARY')" "$(say Done.)" "$too_long" "$(say 'SUMMARY 2')" "$too_long")"
    export CHORUS_OLLAMA_BASE_URL=http://127.0.0.1:$port
    run chorus-run a one
    run chorus-run a two
    run chorus-run a three
    expect_equal "$status $out" '0 Done.'
    expect_match "$err" "the conversation is larger than the context of $model: a summary replaces [24] messages; session [0-9a-f]{8} keeps them"
    expect_match "$(cat "$(request 4)")" 'Summarise this conversation'
    expect_no_match "$(cat "$(request 4)")" 'three'
    expect_match "$(cat "$(request 5)")" 'THE SUMMARY.*three'
    expect_no_match "$(cat "$(request 5)")" '"one"'
    expect_db "SELECT count(*) FROM model_calls WHERE turn_id = 3" 2 # a refused request costs nothing
    expect_sound
    run chorus-run a four # a second overflow in one turn ends it
    expect_status 7
    expect_equal "$(request_count)" 8
    expect_match "$err" 'error: model [^ ]+: .*the input length exceeds'
    expect_sound
done

test_case "an overflow of the first message does not advise to clear the window"
for model in $models; do
    each $model
    start_server "$(answers "$(say hello)" '{"status": 400, "body": "{\"error\":{\"message\":\"prompt is too long: 9 tokens\",\"code\":\"context_length_exceeded\"}}"}')"
    run chorus-run a hi
    run chorus-run a more
    expect_status 7
    expect_match "$err" 'hint: chorus-context clear a empties'
    run chorus-run a --fresh more
    expect_status 7
    expect_match "$err" 'hint: the window holds nothing else: put long texts into files'
done

test_case "a web page is told as one, and is not asked for again"
for model in $models; do
    each $model
    start_server "$(answers '{"headers": {"content-type": "text/html"}, "body": "<html><title>Sign in</title>"}')"
    run chorus-run a hi
    expect_status 7
    expect_match "$err" 'not an answer but a web page: Sign in: check the base URL'
    expect_equal "$(request_count)" 1
done

end_tests
