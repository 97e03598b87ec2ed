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
    expect_match "$err" "providers.anthropic.base_url: $why"
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

end_tests
