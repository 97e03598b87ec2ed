#!/usr/bin/env bash
# --effort, --max-tokens, --temperature: the same names for every provider.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

body() { chorus-run a --dry-run "$@" hello </dev/null; } # OPTIONS: what a turn would send
options_of() { # PROVIDER, of $out: effort, tokens, temperature
    case $1 in
        anthropic) jq -c '[.output_config.effort, .max_tokens, .temperature]' ;;
        openai) jq -c '[.reasoning.effort, .max_output_tokens, .temperature]' ;;
        gemini) jq -c '.generationConfig | [.thinkingConfig.thinkingLevel, .maxOutputTokens, .temperature]' ;;
        ollama) jq -c '[.think, .options.num_predict, .options.temperature]' ;;
        openrouter) jq -c '[.reasoning.effort, .max_tokens, .temperature]' ;;
        *) jq -c '[.reasoning_effort, .max_tokens // .max_completion_tokens, .temperature]' ;;
    esac
}

test_case "option before agent.json before config.json, in every protocol"
init a --model anthropic/m
for provider in anthropic openai openai-chat gemini openrouter mistral ollama; do
    expect_equal "$(body -m "$provider/m" --effort low --max-tokens 700 --temperature 0.25 | options_of "$provider")" '["low",700,0.25]'
done
home_key model_options '{"effort": "high", "max_tokens": 900}'
expect_equal "$(body | options_of anthropic)" '["high",900,null]'
agent_key a model_options '{"effort": "medium", "temperature": 0}'
expect_equal "$(body | options_of anthropic)" '["medium",900,0]'
expect_equal "$(body --max-tokens 5 | options_of anthropic)" '["medium",5,0]'
home_key providers '{"anthropic": {"max_output_tokens": 300}}'
expect_equal "$(body | options_of anthropic)" '["medium",900,0]'
home_key model_options '{}'
expect_equal "$(body | options_of anthropic)" '["medium",300,0]'

test_case "what a model is known not to take is refused before the call, and nothing is recorded"
init a --model anthropic/m
refused() { # STATUS MESSAGE OPTIONS
    local wanted=$1 message=$2
    shift 2
    run chorus-run a "$@" hello
    expect_status "$wanted"
    expect_match "$err" "^chorus-run: error: $message"
}
refused 2 '--effort: anthropic/claude-opus-5-5 takes no effort '"'huge'"'
chorus-run: hint: it takes low, medium, high, xhigh, max' -m anthropic/claude-opus-5-5 --effort huge
refused 2 '--effort: openai/gpt-4.1 takes no effort of reasoning' -m openai/gpt-4.1 --effort low
refused 2 '--temperature: anthropic/claude-opus-5-5 takes no temperature' -m anthropic/claude-opus-5-5 --temperature 1
refused 2 '--max-tokens: openai/gpt-4o answers with at most 16384 tokens' -m openai/gpt-4o --max-tokens 16385
agent_key a model_options '{"temperature": 1}'
refused 3 'model_options.temperature: anthropic/claude-opus-5-5 takes no temperature' -m anthropic/claude-opus-5-5
agent_key a model_options '{}'
for value in -1 2.1 nan warm 1x; do refused 2 '(--temperature|usage): ' "--temperature=$value"; done
for value in 0 -1 x 1.5; do refused 2 '(--max-tokens|usage): ' "--max-tokens=$value"; done
for json in '{"temperature": 3}' '{"max_tokens": 0}' '{"effort": 5}' '{"other": 1}'; do
    run chorus-config set model_options "$json"
    expect_status 3
done
nothing_recorded

test_case "a turn keeps its options when it is resumed"
init a --model anthropic/m
agent_key a permissions '"open"'
start_server "$(answers "$(call c1 bash '{"command": "true"}')" "$(say Done.)")"
run chorus-run a --effort low --max-tokens 700 --temperature 0.25 --max-iterations 1 hello
expect_status 9
run chorus-run a --resume --max-iterations 5
expect_status 0
for n in 1 2; do expect_equal "$(options_of anthropic <"$(request $n)")" '["low",700,0.25]'; done
run chorus-run a --resume --effort high
expect_status 2

test_case "a chat server that takes tools only without reasoning is asked without"
init a --model openai-chat/m
start_server "$(answers "$(jq -nc '{status: 400, body: "{\"error\":{\"message\":\"Function tools with reasoning_effort are not supported for m\",\"param\":\"reasoning_effort\"}}"}')" "$(say Done.)")"
run chorus-run a hello
expect_status 0
expect_equal "$out" Done.
expect_equal "$(jq -c '.reasoning_effort' "$(request 1)")$(jq -c '.reasoning_effort' "$(request 2)")" 'null"none"'

end_tests
