#!/usr/bin/env bash
# The catalog as a person sees and changes it: chorus-config models, models.json, available_models.json.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

list_of() { jq -nc --args '{data: [$ARGS.positional[] | {id: .}]}' "$@"; } # MODEL …: as a server lists them
serving() { # STATUS BODY: a server with that answer to GET …/models
    start_server "$(jq -nc --argjson status "$1" --arg body "$2" \
        '{answers: [{say: {text: "Hello."}}], after: "repeat-last",
          models: {status: $status, headers: {"content-type": "application/json"}, body: $body}}')"
}
models_json() { mkdir -p -m 700 "$CHORUS_HOME" && printf '%s' "$1" >"$CHORUS_HOME/models.json"; }
unset "${!OLLAMA_@}" "${!GROQ_@}"
for provider in OLLAMA LLAMACPP LMSTUDIO VLLM; do # none of this machine
    export "CHORUS_${provider}_BASE_URL=http://127.0.0.1:1/v1"
done

test_case 'without keys and servers there is the built-in model, and no home is made'
run chorus-config models
expect_status 0
expect_equal "$out" $'builtin/script\t-\t$0 in, $0 out\t-'
expect_equal "$err" ''
expect_missing "$CHORUS_HOME"

test_case 'a provider with a key has its models in the catalog, and is not asked'
export ANTHROPIC_API_KEY=k CHORUS_ANTHROPIC_BASE_URL=http://127.0.0.1:1
run chorus-config models
expect_status 0
expect_match "$out" $'^anthropic/claude-[^\n]*\n'
expect_match "$out" $'\nanthropic/claude-opus-5-5\t1000000\t\\$4 in, \\$20 out\tdefault\n'
expect_no_match "$out" 'openai/'
expect_no_match "$out" '\*'
run chorus-config models anthropic --json
expect_equal "$(jq -sc 'map(select(.name == "anthropic/claude-haiku-5-5"))[0].price' <<<"$out")" \
    '{"input":0.1,"output":0.5,"cache_read":0.01,"cache_write":0.125,"tiers":[{"above_tokens":100000,"input":0.5,"output":2.5,"cache_read":0.05,"cache_write":0.625}]}'
expect_equal "$(jq -sc 'map(select(.is_default)) | length' <<<"$out")" 1
unset ANTHROPIC_API_KEY CHORUS_ANTHROPIC_BASE_URL

test_case 'a provider by name is listed without a key, and that is said'
run chorus-config models mistral
expect_status 0
expect_match "$out" $'mistral/mistral-medium-3-5\t'
expect_match "$err" 'mistral: no key: MISTRAL_API_KEY is not set'
run chorus-config models mistrel
expect_status 7
expect_match "$err" "error: provider 'mistrel': not known"
expect_match "$err" "hint: did you mean 'mistral'\?"

test_case 'every provider with a key and the local servers are asked, and what they answer is kept'
serving 200 "$(list_of big small 'with blank' $'with\ttab' '')"
models_json '{}'
echo '{"xai":{"valid":true,"models":["kept"]}}' >"$CHORUS_HOME/available_models.json"
export CHORUS_OLLAMA_BASE_URL=http://127.0.0.1:$port
run chorus-config models --refresh
expect_status 0
expect_equal "$err" ''
expect_equal "$(cut -f1 <<<"$out" | paste -sd' ')" 'anthropic/big anthropic/small openai/big openai/small openai-chat/big openai-chat/small ollama/big ollama/small builtin/script'
expect_equal "$(stat -c %a "$CHORUS_HOME/available_models.json")" 600
expect_equal "$(jq -c '.providers | [.xai.models[0], .anthropic.valid, .ollama.models, has("lmstudio")]' "$CHORUS_HOME/available_models.json")" \
    '["kept",true,["big","small"],false]'
expect_match "$(jq -r .last_updated "$CHORUS_HOME/available_models.json")" '^20..-..-..T'
export CHORUS_OLLAMA_BASE_URL=http://127.0.0.1:1/v1
run chorus-config models
expect_equal "$(cut -f1 <<<"$out" | paste -sd' ')" 'anthropic/big anthropic/small openai/big openai/small openai-chat/big openai-chat/small builtin/script'
run chorus-init a --model anthropic/huge
expect_status 7
expect_match "$err" "anthropic does not list 'huge'"

test_case 'a key that is refused is kept as that, with exit 6; another failure changes nothing, with exit 7'
serving 401 '{"error":{"type":"authentication_error","message":"invalid x-api-key sk-test-0123456789abcdef"}}'
run chorus-config models anthropic --refresh
expect_status 6
expect_match "$err" '^chorus-config: (notice: )?anthropic: 401 authentication_error'
expect_no_match "$err" 'sk-test'
expect_equal "$(jq -c .providers.anthropic "$CHORUS_HOME/available_models.json")" '{"valid":false,"models":[]}'
before=$(sha256sum "$CHORUS_HOME/available_models.json")
for answer in '200 <html>Welcome</html>' '200 {"ok":true}' '200 {"data":7}' '500 {}' '200 '; do
    serving "${answer%% *}" "${answer#* }"
    run chorus-config models anthropic --refresh
    expect_status 7
    expect_match "$err" 'anthropic: '
    expect_equal "$(sha256sum "$CHORUS_HOME/available_models.json")" "$before"
done

test_case 'a list too long is cut, a file that cannot be read is replaced'
serving 200 "$(seq 3000 | jq -Rc '{id: "model-\(.)-with-quite-a-long-name"}' | jq -sc '{data: .}')"
models_json '{}'
echo '{broken' >"$CHORUS_HOME/available_models.json"
run chorus-config models
expect_status 3
run chorus-config models openai --refresh
expect_status 0
expect_equal "$(jq '.providers.openai.models | length' "$CHORUS_HOME/available_models.json")" 2000
run chorus-config models openai
expect_equal "$(grep -c . <<<"$out")" 2000

test_case 'a server that is silent, or says a byte a second, holds nobody up'
start_server '{"answers": [{"say": {"text": "x"}}], "after": "repeat-last", "models": {"status": 200, "body": "{", "stall": true, "cut_after_bytes": 1}}'
export CHORUS_VLLM_BASE_URL=http://127.0.0.1:$port/v1
unset ANTHROPIC_API_KEY OPENAI_API_KEY
run timeout 10 chorus-config models
expect_status 0
expect_equal "$(cut -f1 <<<"$out")" builtin/script
run timeout 10 chorus-config models vllm
expect_status 7
expect_match "$err" 'vllm: '
start_server '{"answers": [{"say": {"text": "x"}}], "models": {"status": 200, "body": "[                                ]", "chunk": 1, "drip_ms": 700}}'
export CHORUS_VLLM_BASE_URL=http://127.0.0.1:$port/v1
run timeout 10 chorus-config models vllm
expect_status 7
expect_match "$err" 'vllm: no list of models within 2 s'
export CHORUS_VLLM_BASE_URL=http://127.0.0.1:1/v1

test_case 'models.json changes a price, adds a provider with its headers, and is read again when it changes'
start_server "$(answers "$(say Hello.)")"
models_json '{"providers": {"gateway": {"protocol": "chat", "base_url": "http://127.0.0.1:'"$port"'/v1",
    "key_variable": "GATEWAY_API_KEY", "key_header": "api-key", "headers": {"X-Team": "night"},
    "query": {"api-version": "2026-01-01"}, "default_model": "m", "models": {"m": {"context_tokens": 5000}}},
    "anthropic": {"models": {"claude-opus-5-5": {"price": {"input": 3.2, "output": 16}, "read": "2026-11-20"}}}},
    "preference": ["gateway"]}'
touch -d '-1 hour' "$CHORUS_HOME/models.json"
export GATEWAY_API_KEY=sk-gateway-0123456789
run chorus-config models
expect_match "$out" $'^gateway/m\t5000\t-\tdefault\n'
expect_match "$out" $'\nanthropic/claude-opus-5-5\t1000000\t\\$3.2 in, \\$16 out\t-\n'
init a
run chorus-run a hi
expect_status 0
expect_equal "$out" Hello.
head=$(tr -d '\r' <"$scratch/log/0001.head")
expect_match "$head" '^POST /v1/chat/completions\?api-version=2026-01-01 '
expect_match "$head" $'\napi-key: sk-gateway-0123456789\n'
expect_match "$head" $'\nX-Team: night\n'
expect_no_match "$head" 'Authorization'
sleep 3.1 # until the file has settled
run chorus-run a hi
expect_status 0
expect_equal "$(db "SELECT count(*) FROM settings WHERE key = 'models.json'")" 1
sed -i 's/X-Team/X-Unit/' "$CHORUS_HOME/models.json"
run chorus-run a hi
expect_match "$(tr -d '\r' <"$scratch/log/0003.head")" $'\nX-Unit: night\n'
run chorus-run a '/bash env' -m builtin/script
expect_no_match "$out" 'sk-gateway'

test_case 'what a provider lists of a model that has no row counts in turns: context, input, prices'
listed='{"data": [
  {"id": "vendor/new", "context_length": 50000, "top_provider": {"max_completion_tokens": 9000},
   "architecture": {"input_modalities": ["text", "image", "file"]}, "supported_parameters": ["structured_outputs"],
   "pricing": {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003"}},
  {"id": "vendor/free", "pricing": {"prompt": "0", "completion": "0"}},
  {"id": "vendor/varies", "pricing": {"prompt": "-1", "completion": "-1"}},
  {"id": "vendor/asked", "pricing": {"prompt": "0.000001", "completion": "0.000001", "request": "0.01"}},
  {"id": "vendor/odd", "context_length": "9", "pricing": {"prompt": 3, "completion": "x"}, "architecture": {"input_modalities": "text"}},
  {"id": "anthropic/claude-opus-5.5", "context_length": 7, "pricing": {"prompt": "1", "completion": "1"}}]}'
agent_of openrouter/vendor/new
serving 200 "$listed"
unset ANTHROPIC_API_KEY OPENAI_API_KEY "${!CHORUS_ANTHROPIC_@}" "${!CHORUS_OPENAI_@}"
export OPENROUTER_API_KEY=sk-or-0123456789abcdef CHORUS_OPENROUTER_BASE_URL=http://127.0.0.1:$port
run chorus-run a hi --json
expect_json .cost_usd null
run chorus-config models openrouter --refresh --json
expect_status 0
price_of() { jq -sc --arg m "openrouter/$1" 'map(select(.name == $m))[0].price' <<<"$out"; }
expect_equal "$(price_of vendor/new)" '{"input":3,"output":15,"cache_read":0.3,"cache_write":3,"tiers":[]}'
expect_equal "$(price_of vendor/free | jq -c .input)" 0
for model in varies asked odd; do expect_equal "$(price_of vendor/$model)" null; done
expect_equal "$(jq -sc 'map(select(.name == "openrouter/anthropic/claude-opus-5.5"))[0] | [.context_tokens, .price.input]' <<<"$out")" '[1000000,4]'
expect_equal "$(jq -sc 'map(select(.name == "openrouter/vendor/new"))[0] | [.context_tokens, .max_output_tokens, .input]' <<<"$out")" '[50000,9000,["text","image","pdf"]]'
run chorus-run a --max-usd 1 hi --json
expect_status 0
expect_json '.cost_usd > 0' true
sleep 3 # until the files are settled: now the database keeps the rows
for _ in 1 2; do
    run chorus-run a hi --json
    expect_json '.cost_usd > 0' true
done
models_json '{"providers": {"openrouter": {"models": {"vendor/new": {"price": null}}}}}'
run chorus-run a hi --json
expect_json .cost_usd null
models_json '{'
run chorus-run a hi
expect_status 3
rm "$CHORUS_HOME/models.json"
echo '{"providers": {"openrouter": {"rows": {"vendor/new": {"context_tokens": "x"}}}}}' >"$CHORUS_HOME/available_models.json"
run chorus-run a hi
expect_status 3
expect_match "$err" 'available_models.json: providers.openrouter.models.vendor/new.context_tokens: expected a whole number'
run chorus-config models openrouter --refresh
expect_status 0
run chorus-run a hi
expect_status 0
stop_server
unset OPENROUTER_API_KEY CHORUS_OPENROUTER_BASE_URL

test_case 'a password in an address is not printed'
models_json '{"providers": {"openai": {"base_url": "http://u:hush@127.0.0.1:1/v1"}}}'
run chorus-config env
expect_match "$out" 'http://\*\*\*@127.0.0.1:1/v1'
expect_no_match "$out" hush

test_case 'a models.json with an error ends a turn before anything is recorded, and the doctor names it'
init a --model builtin/script
for text in '{' '[]' '{"providers": {"groq": {"models": {"m": {"context_tokens": "many"}}}}}' \
    '{"providers": {"groq": {"models": {"m": {"read": "2099-01-01"}}}}}' '{"a": 1}'; do
    models_json "$text"
    for command in 'chorus-run a hi' 'chorus-config models' 'chorus-init b'; do
        run $command
        expect_status 3
        expect_match "$err" '^chorus-[a-z]+: error: [^ ]*models.json'
        expect_equal "$(grep -c . <<<"$err")" "$(grep -c . <<<"$err" | sed 's/[^12]/1 or 2/')"
    done
    run chorus-config doctor
    expect_match "$out" 'models.json'
done
nothing_recorded
end_tests
