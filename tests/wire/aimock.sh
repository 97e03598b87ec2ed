#!/usr/bin/env bash
# aimock, a server by others that speaks for many providers: five scenarios over every provider of the catalog.
installed=${CHORUS_NODE:?the directory that install.sh filled}
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
mock=$installed/node_modules/@copilotkit/aimock/dist/cli.js
[ -f "$mock" ] || { echo "this test needs aimock: make test installs it"; exit 1; }
PATH=$installed/node_modules/.bin:$PATH # with the node that is pinned

port=4100
until ! (: </dev/tcp/127.0.0.1/$port) 2>/dev/null; do port=$((port + 1)); done
node "$mock" -p $port -f "$here/wire/aimock.json" --strict --log-level warn >"$base/mock.log" 2>&1 &
mock_pid=$!
trap 'kill $mock_pid; stop_server; rm -rf "$base"' EXIT
wait_for 10 bash -c ": </dev/tcp/127.0.0.1/$port" || { cat "$base/mock.log"; exit 1; }

providers=$(CHORUS_HOME=$base/none chorus-init x --model nowhere/x 2>&1 | sed -n "s/.*hint: providers are //p" | grep -o "[a-z-]*" | grep -v -e '^and$' -e '^builtin$')
[ "$(wc -w <<<"$providers")" -ge 13 ] || { echo "the catalog: $providers"; exit 1; }
asks() { # PROMPT TEXT; the server looks for PROMPT in all of the message, and later threads are told the first line
    run chorus-run a --new-thread $'please\n'"$1"
    expect_equal "$status $out" "0 $2"
}
for provider in $providers; do
    test_case "$provider"
    variable=$(tr a-z- A-Z_ <<<"$provider")
    export "CHORUS_${variable}_BASE_URL=http://127.0.0.1:$port$([[ $provider == @(anthropic|gemini|ollama) ]] || echo /v1)"
    export "${variable}_API_KEY=sk-mock" OPENAI_API_KEY=sk-mock
    init a --model $provider/some-model --permissions open
    asks 'say hello' $'Grüße ☕ and "quotes" \\ back,\nin two lines.'
    asks 'use a tool' 'One file.'
    expect_file "$CHORUS_HOME/agents/a/workspace/one.txt" ünï
    asks 'use two tools' 'Two files.'
    expect_file "$CHORUS_HOME/agents/a/workspace/two.txt" 2
    asks 'think first' 'Thought about it.'
    run chorus-run a 'fail please'
    expect_status 7
    expect_match "$err" '400.*no such thing'
    expect_sound
done
end_tests
