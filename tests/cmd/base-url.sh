#!/usr/bin/env bash
# Where providers are reached, as people write it.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

test_case "a query stays behind the path, in every protocol, and every request says who asks" # issue 15
agent_of builtin/script
while read -r variable model path; do
    for slash in '' / //; do
        start_server '{"answers": [{"say": {"text": "hello"}}]}'
        address="http://127.0.0.1:$port${path%/*}" # without the protocol's own part
        [ "$model" = anthropic/m ] && address=http://127.0.0.1:$port
        [ "$model" = openai-chat/m ] && address=http://127.0.0.1:$port/v1
        run env "$variable=$address$slash?api-version=2024-02-01&x=/" chorus-run a -m "$model" 'hi'
        expect_equal "$status $out" '0 hello'
        expect_match "$(head -1 "$scratch/log/0001.head")" "^POST $path[?]api-version=2024-02-01&x=/ "
        expect_match "$(cat "$scratch/log/0001.head")" '[Uu]ser-[Aa]gent: chorus/[0-9]'
    done
done <<'TABLE'
CHORUS_ANTHROPIC_BASE_URL anthropic/m /v1/messages
CHORUS_OPENAI_BASE_URL openai/m /v1/responses
CHORUS_OPENAI_CHAT_BASE_URL openai-chat/m /v1/chat/completions
TABLE

test_case "what no server can be reached by is refused with its name, and without a password"
agent_of anthropic/m
export ANTHROPIC_API_KEY=sk-test-0123456789abcdef
while IFS='|' read -r url why; do
    run env CHORUS_ANTHROPIC_BASE_URL="$url" chorus-run a 'hi'
    expect_status 3
    expect_match "$err" "error: CHORUS_ANTHROPIC_BASE_URL: .*: $why"
    expect_no_match "$err" pass
    run chorus-config set providers.anthropic.base_url "$url"
    expect_status 3
    expect_match "$err" "error: config.json: providers.anthropic.base_url: .*: $why"
    expect_no_match "$err" pass
    home_key providers "{\"anthropic\": {\"base_url\": \"$url\"}}"
    run chorus-run a 'hi'
    expect_status 3
    expect_match "$err" "error: config.json: providers.anthropic.base_url: .*: $why"
    home_key providers '{}'
done <<'TABLE'
https://api.example.com/v1#part|it holds a fragment
https://user:pass@api.example.com/v1#part|it holds a fragment
https://api.example.com/ v1|it holds a blank
api.example.com/v1|it does not begin with https://
localhost:8080|it does not begin with https://
TABLE
expect_db 'SELECT count(*) FROM messages' 0

test_case "config.json names the header of the key, further headers and parameters; their secrets are not told"
agent_of openai-chat/m
export OPENAI_API_KEY=sk-test-0123456789abcdef
start_server "$(answers "$(say Hi.)" '{"status": 400, "body": "{\"error\":{\"message\":\"no: tok-4711-0815-99 and hush-hush-1\"}}"}')"
unset CHORUS_OPENAI_CHAT_BASE_URL
chorus-config set providers.openai-chat.base_url "http://u:hush-hush-1@127.0.0.1:$port/v1"
chorus-config set providers.openai-chat.key_header api-key
chorus-config set providers.openai-chat.headers '{"X-Team": "night", "X-Gateway-Token": "Bearer tok-4711-0815-99"}'
chorus-config set providers.openai-chat.query '{"api-version": "2026-10-01"}'
run chorus-run a hello
expect_equal "$status $out" '0 Hi.'
head=$(tr -d '\r' <"$scratch/log/0001.head")
expect_match "$head" '^POST /v1/chat/completions[?]api-version=2026-10-01 '
expect_match "$head" $'\napi-key: sk-test-0123456789abcdef\n'
expect_match "$head" $'\nX-Team: night\nX-Gateway-Token: Bearer tok-4711-0815-99\n|\nX-Gateway-Token: Bearer tok-4711-0815-99\nX-Team: night\n'
run chorus-run a 'which is tok-4711-0815-99 and hush-hush-1'
expect_status 7
for text in "$err" "$(chorus-config list)" "$(chorus-config list --json)" "$(chorus-context history a --json)" "$(db .dump)"; do
    expect_no_match "$text" 'tok-4711'
    expect_no_match "$text" 'hush-hush'
done
expect_match "$(chorus-config get providers.openai-chat.headers)" 'tok-4711' # which is asked for
start_server "$(jq -nc '{models: {status: 401, headers: {"content-type": "application/json"}, body: ({error: {message: "no: tok-4711-0815-99"}} | tojson)}, answers: []}')"
chorus-config set providers.openai-chat.base_url "http://u:hush-hush-1@127.0.0.1:$port/v1"
run bash -c 'chorus-config login openai-chat <<<sk-other-4711'
expect_status 6
expect_no_match "$err" 'tok-4711'
while IFS='|' read -r key value why; do
    run chorus-config set "providers.openai-chat.$key" "$value"
    expect_status 3
    expect_match "$err" "error: config.json: providers.openai-chat\\.$why"
done <<'TABLE'
headers|{"Host": "x"}|headers: Host belongs to the connection
headers|{"bad name": "x"}|headers: .* is not the name of a header
headers|{"api-key": "x"}|headers: api-key carries the key
headers|{"X-A": "a\nb"}|headers.X-A: it contains a control character
headers|{"X-A": "a\u0000b"}|headers.X-A: it contains a control character
query|{"a b": "x"}|query: names and values consist of
key_header|Content-Length|key_header: Content-Length belongs
TABLE
run chorus-config set providers.openai-chat.headers '{"X": 5}'
expect_status 3
run chorus-config set providers.openai-chat.headers '{"X-A": null}'
expect_status 0
run chorus-config doctor
expect_no_match "$out$err" internal
home_key providers '{"openai-chat": {"query": {"token": "a b"}}}'
run chorus-config doctor
expect_status 1
expect_match "$out$err" 'config.json: providers.openai-chat.query: names and values'
home_key providers '{"nope": {"headers": {"a": "b"}}}'
run chorus-config doctor
expect_status 1
expect_match "$out$err" "providers: no provider 'nope'"

end_tests
