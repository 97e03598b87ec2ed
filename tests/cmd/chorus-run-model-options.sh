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

test_case "an Ollama server is asked for the context that is configured, and keeps the model as long"
init a --model ollama/m
asked() { body | jq -c '[.options.num_ctx, .keep_alive]'; }
expect_equal "$(asked)" '[32768,null]'
echo '{"providers": {"ollama": {"quirks": {"keep_alive": "30m"}, "models": {"m": {"context_tokens": 4096}}}}}' >"$CHORUS_HOME/models.json"
expect_equal "$(asked)" '[4096,"30m"]'
home_key context_tokens 9000
expect_equal "$(asked)" '[9000,"30m"]'
agent_key a context_tokens 8000
expect_equal "$(asked)" '[8000,"30m"]'
agent_key a context_tokens 0
expect_equal "$(asked)" '[null,"30m"]'

test_case "a part of a name that one listed model has is enough; the full name is stored and shown" # L-20
init a --model anthropic/m
echo '{"providers": {"anthropic": {"valid": true, "models": ["claude-opus-9", "claude-haiku-9", "m"]},
    "openai": {"valid": true, "models": ["gpt-9", "gpt-9-mini"]}}}' >"$CHORUS_HOME/available_models.json"
agent_key a permissions '"open"'
start_server "$(answers "$(call c1 bash '{"command": "true"}')" "$(say Done.)" "$(say Done.)" "$(say Done.)")"
run chorus-run a -m OPUS --fallback-model mini --max-iterations 1 hello
expect_status 9
expect_db "SELECT model FROM turns" anthropic/claude-opus-9
expect_db "SELECT json_extract(options, '\$.model', '\$.fallback_model') FROM turns" '["anthropic/claude-opus-9","openai/gpt-9-mini"]'
expect_equal "$(jq -r .model "$(request 1)")" claude-opus-9
echo '{"providers": {"anthropic": {"valid": true, "models": ["claude-opus-9-5"]}}}' >"$CHORUS_HOME/available_models.json"
run chorus-run a --resume --max-iterations 5
expect_equal "$status $(jq -r .model "$(request 2)")" '0 claude-opus-9'
run chorus-run a -m anthropic/opus hello
expect_equal "$status $(jq -r .model "$(request 3)")" '0 claude-opus-9-5'
echo '{"providers": {"anthropic": {"valid": true, "models": ["claude-opus-9", "claude-opus-9-5", "m"]}}}' >"$CHORUS_HOME/available_models.json"
run chorus-run a -m claude-opus-9 hello # an exact name wins
expect_equal "$status $(jq -r .model "$(request 4)")" '0 claude-opus-9'
for verb in 'chorus-run a hello -m' 'chorus-run a hello --fallback-model' 'chorus-init b --model' 'chorus-config set default_model'; do
    run $verb opus
    expect_status 7
    expect_match "$err" "error: model: 'opus' is ambiguous"
    expect_match "$err" "hint: choose one of 'anthropic/claude-opus-9' and 'anthropic/claude-opus-9-5'"
    run $verb anthropic/claude-opos-9
    expect_status 7
    expect_match "$err" "hint: did you mean 'claude-opus-9'"
done
run chorus-config set default_model 9-5
expect_equal "$(chorus-config get default_model)" anthropic/claude-opus-9-5
run chorus-init b --model 9-5
expect_equal "$(jq -r .model "$CHORUS_HOME/agents/b/agent.json")" anthropic/claude-opus-9-5
run env CHORUS_MODEL=anthropic/new-model chorus-run a --dry-run hello
expect_equal "$status $(jq -r .model <<<"$out")" '0 new-model'

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
