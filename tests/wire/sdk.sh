#!/usr/bin/env bash
# The vendors' own SDKs: they read what the tests' server sends as Chorus does, and every request compiles as
# what their types ask for.
installed=${CHORUS_NODE:?the directory that install.sh filled}
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
PATH=$installed/node_modules/.bin:$PATH # with the node that is pinned
[ -d "$installed/node_modules/openai" ] || { echo "this test needs openai: make test installs it"; exit 1; }
cp "$here/wire/replay.mjs" "$installed/replay.mjs"

script() { # parallel calls, thoughts, text outside ASCII, caches, an end at the limit
    jq -nc '[
        {thinking: "Hm 🤔 \"so\"", signature: "c2lnLTE+/w==", text: "I look first. 👀 \"x\" \\",
         tool_calls: [{id: "c1", name: "list_files", arguments: {}},
                      {id: "c2", name: "create_file", arguments: {path: "ü.txt", content: "漢字 \u0001 \\ \"q\"\n"}}],
         usage: {input: 100, output: 17, cache_read: 60, cache_write: 5}},
        {tool_calls: [{id: "c3", name: "view", arguments: {path: "ü.txt"}}], usage: {input: 120, output: 7}},
        {text: "Done ✅ 👩‍👩‍👧\ttab\n\nnext", usage: {input: 130, output: 9}},
        {text: "A long ans", stop: "max_tokens", usage: {input: 140, output: 11}}
    ] | {answers: map({say: ., chunk: 7}), after: "error"}'
}
stored() { # [ID]: what Chorus made of each answer, of those behind ID
    db "SELECT json_object('text', content, 'calls', json(coalesce(tool_calls, '[]'))) FROM messages
        WHERE role = 'assistant' AND id > ${1-0} ORDER BY id" |
        jq -c '{text, calls: [.calls[] | {id, name, arguments: (.arguments | if type == "string" then fromjson else . end)}]}'
}
types='anthropic Anthropic.MessageCreateParamsStreaming
openai OpenAI.Responses.ResponseCreateParamsStreaming
openai-chat OpenAI.Chat.ChatCompletionCreateParamsStreaming'

for model in anthropic/m openai/gpt-9 openai-chat/m; do
    protocol=${model%/*}
    test_case "$protocol: its SDK reads the streams as Chorus does"
    init a --model $model --permissions open
    printf 'Remember.\n' >"$CHORUS_HOME/agents/a/docs/more.md"
    start_server "$(script)"
    run chorus-run a 'first “ü”' --json
    expect_status 0
    first=$(jq -c '[.usage.input_tokens, .usage.output_tokens]' <<<"$out")
    run chorus-run a second --json
    expect_status 9
    expect_equal "$(jq -c '[.usage.input_tokens, .usage.output_tokens]' <<<"$out")" '[140,11]'
    mkdir bodies
    cp log/*.json bodies/
    start_server "$(script)"
    url=http://127.0.0.1:$port
    [ $protocol = anthropic ] || url=$url/v1
    run node "$installed/replay.mjs" $protocol "$url" bodies/*.json
    expect_status 0
    expect_equal "$(jq -c '{text, calls}' <<<"$out")" "$(stored)"
    expect_equal "$(jq -sc '.[:3] | [(map(.input) | add), (map(.output) | add)]' <<<"$out")" "$first"
    expect_match "$(jq -r .stop <<<"$out" | tail -1)" '^(max_tokens|max_output_tokens|length)$'

    test_case "$protocol: its SDK reads whole streams of its servers as Chorus does"
    init a --model $model --permissions open
    streams=("$here/wire/streams/$protocol"/*)
    for stream in "${streams[@]}"; do
        raw=$(jq -nc --rawfile body "$stream" '{status: 200, headers: {"content-type": "text/event-stream"}, body: $body}')
        start_server "$(answers "$raw" "$(say 'the end')")"
        last=$(db 'SELECT coalesce(max(id), 0) FROM messages')
        run chorus-run a go --json
        case $stream in */limit) expect_status 9 ;; *) expect_status 0 ;; esac
        after=$(($(request_count) - 1)) # of those each counts 10 in and 5 out
        jq -c --argjson of "$(stored $last | head -1)" --argjson more $after \
            '$of + {input: (.usage.input_tokens - 10 * $more), output: (.usage.output_tokens - 5 * $more)}' <<<"$out" >>ours
        cp log/0001.json "body-${stream##*/}.json"
        echo "$raw" >>raw
    done
    start_server "$(jq -sc '{answers: ., after: "error"}' raw)"
    url=http://127.0.0.1:$port
    [ $protocol = anthropic ] || url=$url/v1
    run node "$installed/replay.mjs" $protocol "$url" body-*.json
    expect_status 0
    expect_equal "$(wc -l <ours)" ${#streams[@]}
    expect_equal "$(jq -c 'del(.stop)' <<<"$out")" "$(cat ours)"

    test_case "$protocol: its types take the requests"
    init a --model $model --permissions open
    start_server "$(script)"
    run chorus-run a first
    run chorus-run a second
    ln -s "$installed/node_modules" node_modules
    echo '{"type": "module"}' >package.json
    {
        echo "import type OpenAI from 'openai'; import type Anthropic from '@anthropic-ai/sdk';"
        for body in log/*.json; do
            echo "export const _$(basename "$body" .json): $(sed -n "s/^$protocol //p" <<<"$types") = $(cat "$body");"
        done
    } >requests.ts
    run node_modules/.bin/tsc --noEmit --strict --target es2022 --lib es2023,dom --module nodenext --skipLibCheck requests.ts
    expect_equal "$status $out" '0 '
    expect_equal "$(grep -c '^export' requests.ts)" 4
done

end_tests
