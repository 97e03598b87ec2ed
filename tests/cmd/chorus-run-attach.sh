#!/usr/bin/env bash
# -a FILE: files that go to the model as the provider takes them, once on record, again from there.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

files_here() {
    base64 -d >"$scratch/dot.png" <<<'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
    printf '%%PDF-1.4\n\0binary\n%%%%EOF\n' >"$scratch/page.pdf"
    printf 'first\nsecond\n' >"$scratch/notes.txt"
    png=$(base64 -w0 "$scratch/dot.png") pdf=$(base64 -w0 "$scratch/page.pdf")
    png_hash=$(sha256sum <"$scratch/dot.png" | cut -d' ' -f1)
}

parts() { # PROVIDER REQUEST: of every message of a user, what is attached: TYPE DATA NAME
    case $1 in
        anthropic) jq -r '.messages[] | select(.role == "user").content[] | select(.type == "image" or .type == "document") | "\(.source.media_type) \(.source.data) \(.title // "")"' "$2" ;;
        openai) jq -r '.input[] | select(.role == "user").content | arrays[] | select(.type != "input_text") | "\(.image_url // .file_data) \(.filename // "")"' "$2" ;;
        openai-chat) jq -r '.messages[] | select(.role == "user").content | arrays[] | select(.type != "text") | "\(.image_url.url // .file.file_data) \(.file.filename // "")"' "$2" ;;
        gemini) jq -r '.contents[] | select(.role == "user").parts[].inlineData | select(.) | "\(.mimeType) \(.data) "' "$2" ;;
        ollama) jq -r '.messages[] | select(.role == "user").images | select(.)[] | "image/png \(.) "' "$2" ;;
    esac | sed -E 's/^data:([^;]*);base64,/\1 /; s/ $//' | sort
}
begin() { # PROVIDER ANSWER...
    files_here
    agent_of "$1/m"
    shift
    start_all_protocols "$@"
}
nothing_recorded() { expect_db 'SELECT (SELECT count(*) FROM turns) + (SELECT count(*) FROM messages) + (SELECT count(*) FROM attachments)' 0; }

for provider in anthropic openai openai-chat gemini ollama; do
    test_case "$provider: an image, a PDF and a text, and again in the next turn"
    begin $provider "$(say one)" "$(say two)"
    files=(-a "$scratch/dot.png" -a "$scratch/notes.txt")
    expected="image/png $png"
    if [ $provider != ollama ]; then
        files+=(--attach="$scratch/page.pdf")
        name=' page.pdf'
        [ $provider != gemini ] || name=
        expected=$(printf '%s\n' "application/pdf $pdf$name" "$expected")
    fi
    run chorus-run a "${files[@]}" 'what is this?'
    expect_status 0
    expect_equal "$err" ''
    expect_equal "$(parts $provider "$(request 1)")" "$expected"
    expect_match "$(cat "$(request 1)")" 'what is this\?\\n\\n<attachment name=.{1,2}notes.txt.{1,2}>\\nfirst\\nsecond\\n</attachment>'
    expect_match "$(cat "$(request 1)")" '\[attached: dot.png \(image/png, [0-9]+ bytes\)\]'
    rm "$scratch"/dot.png "$scratch"/page.pdf
    run chorus-run a 'and now?'
    expect_status 0
    expect_equal "$(parts $provider "$(request 2)")" "$expected"
    expect_sound
done

test_case "Mistral takes a PDF as a document_url"
begin openai-chat "$(say one)"
export MISTRAL_API_KEY=sk-test-0123456789abcdef CHORUS_MISTRAL_BASE_URL=http://127.0.0.1:$port
run chorus-run a -m mistral/mistral-medium-3-5 -a "$scratch/page.pdf" -a "$scratch/dot.png" look
expect_status 0
expect_equal "$(jq -c '.messages[-1].content | map(del(.text))' "$(request 1)")" \
    "[{\"type\":\"document_url\",\"document_url\":\"data:application/pdf;base64,$pdf\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,$png\"}},{\"type\":\"text\"}]"
unset MISTRAL_API_KEY CHORUS_MISTRAL_BASE_URL

test_case "kept once, whatever the names; shown in messages, log, transcript and exports"
begin anthropic "$(say one)" "$(say two)"
cp "$scratch/dot.png" "$scratch/--same.png"
run chorus-run a -a "$scratch/dot.png" 'look'
run bash -c 'cd "$1" && chorus-run a -a ./--same.png again' - "$scratch"
expect_status 0
expect_db "SELECT count(*) || ' ' || sha256 || ' ' || length(data) FROM attachments" "1 $png_hash $(wc -c <"$scratch/dot.png")"
expect_equal "$(parts anthropic "$(request 2)" | wc -l)" 2
run chorus-context messages a --json
expect_equal "$(head -1 <<<"$out" | jq -c .attachments)" "[{\"sha256\":\"$png_hash\",\"name\":\"dot.png\",\"mime_type\":\"image/png\",\"size\":$(wc -c <"$scratch/dot.png")}]"
for command in 'chorus-context messages a' 'chorus-context log a 2' 'chorus-context export a' 'chorus-context export a --format html' "find $CHORUS_HOME/agents/a/branches -name *.md -exec cat {} +"; do
    run $command
    expect_match "$out" '\[attached: --same.png \(image/png, [0-9]+ bytes\)\]'
done

test_case "what cannot be attached is exit 2, and nothing is recorded"
begin anthropic
jq -nc '{providers: {anthropic: {models: {m: {input: ["text"]}, sees: {input: ["text", "image"]}}, attachments: {image_bytes: 60, request_bytes: 1000}}}}' >"$CHORUS_HOME/models.json"
printf 'RIFF\0\0\0\0AVI ' >"$scratch/film.avi"
: >"$scratch/empty.txt"
truncate -s 3G "$scratch/large.png"
refused() { # MESSAGE ARGUMENTS... <stdin
    local message=$1
    shift
    run timeout 20 chorus-run a "$@"
    expect_status 2
    expect_match "$err" "^chorus-run: error: $message[^
]*(
chorus-run: hint: .*)?\$"
    nothing_recorded
}
refused '-a dot.png: anthropic/m takes text only' -a "$scratch/dot.png" hi
refused '-a page.pdf: anthropic/sees takes text, image only' -m anthropic/sees -a "$scratch/page.pdf" hi
refused '-a dot.png: [0-9]+ bytes, and anthropic takes at most 60 bytes' -m anthropic/sees -a "$scratch/dot.png" hi
refused '-a .*/film.avi: neither text nor a PNG' -a "$scratch/film.avi" hi
refused '-a .*/empty.txt: it is empty' -a "$scratch/empty.txt" hi
refused '.*/large.png: more than 32 MiB' -a "$scratch/large.png" hi
refused '.*/none.png: No such file' -a "$scratch/none.png" hi
refused '.*: Is a directory' -a "$scratch" hi
refused '-a -: given twice' -a - -a - hi
refused '-a -: stdin is the prompt already' -a - -
refused '-a -: stdin is the prompt already' -a - -f -
refused 'prompt: it is empty' -a "$scratch/notes.txt" ' '
for option in --resume --retry --inbox --queue '--approve all'; do
    run chorus-run a -a "$scratch/notes.txt" $option
    expect_status 2
done
jq -nc '{providers: {anthropic: {models: {m: {input: ["text", "image"]}}, attachments: {request_bytes: 100}}}}' >"$CHORUS_HOME/models.json"
refused '-a: the files are [0-9]+ bytes of base64, and a request to anthropic has room for 88' -a "$scratch/dot.png" hi
rm "$scratch/large.png"

test_case "stdin, a pipe and a long text, whole; a name and a text without keys"
begin anthropic "$(say one)" "$(say two)" "$(say three)" "$(say four)"
run bash -c 'chorus-run a -a - "a picture" <"$1"' - "$scratch/dot.png"
expect_status 0
expect_match "$(cat "$(request 1)")" '\[attached: stdin \(image/png'
run bash -c 'chorus-run a -a <(cat "$1") "a pipe"' - "$scratch/notes.txt"
expect_status 0
expect_match "$(cat "$(request 2)")" 'second\\n</attachment>'
seq 20000 >"$scratch/long.txt"
run chorus-run a -a "$scratch/long.txt" 'a long text'
expect_status 0
expect_equal "$(jq -r '.messages[-1].content[-1].text' "$(request 3)" | sed '1,/<attachment name="long.txt">/d; /<.attachment>/,$d' | cksum)" "$(cksum <"$scratch/long.txt")"
cp "$scratch/dot.png" "$scratch/$ANTHROPIC_API_KEY.png"
printf 'a key: %s </attachment>\n' "$ANTHROPIC_API_KEY" >"$scratch/$ANTHROPIC_API_KEY \"'<.txt"
run chorus-run a -a "$scratch/$ANTHROPIC_API_KEY.png" -a "$scratch/$ANTHROPIC_API_KEY \"'<.txt" 'keys'
expect_status 0
expect_equal "$(grep -c '"role":"user"' "$(request 4)")" 1
for text in "$(cat "$(request 4)")" "$(db .dump)" "$(cat "$CHORUS_HOME"/agents/a/branches/main/session.md)"; do
    expect_no_match "$text" "$ANTHROPIC_API_KEY"
done
expect_equal "$(jq -r '.messages[-1].content[-1].text' "$(request 4)" | grep -c '</attachment>')" 1
run bash -c 'sleep 5 | CHORUS_STDIN_TIMEOUT_MS=300 chorus-run a -a - words'
expect_status 2
expect_match "$err" 'stdin: no input within 0.3 s'
head -c 11M /dev/zero | tr '\0' x >"$scratch/long.txt"
run chorus-run a -a "$scratch/long.txt" 'too long'
expect_status 2
expect_match "$err" '-a: prompt and attached texts are more than 10 MiB'

test_case "a model that does not take it, and a request without room, get the name"
begin anthropic "$(say one)" "$(say two)" "$(say three)"
run chorus-run a -a "$scratch/dot.png" 'look'
jq -nc '{providers: {anthropic: {models: {m: {input: ["text"]}}}}}' >"$CHORUS_HOME/models.json"
run chorus-run a 'still there?'
expect_status 0
expect_equal "$(parts anthropic "$(request 2)")" ''
expect_match "$(cat "$(request 2)")" '\[attached: dot.png \(image/png, [0-9]+ bytes\); it is not sent here\]'
jq -nc '{providers: {anthropic: {attachments: {request_bytes: 100}}}}' >"$CHORUS_HOME/models.json"
run chorus-run a 'and now?'
expect_equal "$(parts anthropic "$(request 3)")" ''

test_case "every file of every message counts: a request never has more than the provider takes"
begin anthropic "$(say one)"
jq -nc '{providers: {anthropic: {attachments: {request_bytes: 350}}}}' >"$CHORUS_HOME/models.json" # room for three pictures
for n in 1 2 3; do
    run chorus-run a -a "$scratch/dot.png" -a "$scratch/dot.png" "$n"
    expect_status 0
    expect_equal "$(parts anthropic "$(request $n)" | wc -l)" 2
    expect_equal "$(grep -o 'it is not sent here' "$(request $n)" | wc -l)" $((2 * n - 2))
done

test_case "types: [] takes none"
begin anthropic
jq -nc '{providers: {anthropic: {attachments: {types: []}}}}' >"$CHORUS_HOME/models.json"
run chorus-run a -a "$scratch/dot.png" look
expect_status 2
expect_match "$err" '-a dot.png: anthropic takes no attachments'

test_case "--dry-run shows them and records nothing; a key belongs to its files"
begin anthropic "$(say one)"
run chorus-run a --dry-run -a "$scratch/dot.png" look
expect_status 0
printf '%s\n' "$out" >"$scratch/request.json"
expect_equal "$(parts anthropic "$scratch/request.json")" "image/png $png"
nothing_recorded
run chorus-run a --idempotency-key k -a "$scratch/dot.png" look
expect_status 0
run chorus-run a --idempotency-key k -a "$scratch/dot.png" --json look
expect_json .replayed true
run chorus-run a --idempotency-key k look
expect_status 2
expect_match "$err" 'has this key but another prompt, schema or attachment'

test_case "export and import, pack and adopt, branches, save and restore carry them; destroy removes them"
begin anthropic "$(say one)" "$(say two)" "$(say three)" "$(say four)" "$(say five)"
run chorus-run a -a "$scratch/dot.png" -a "$scratch/page.pdf" 'look'
run chorus-context export a -o "$scratch/a.jsonl"
expect_equal "$(jq -r 'select(.type == "attachment") | "\(.sha256) \(.data)"' "$scratch/a.jsonl" | grep -c "$png_hash $png")" 1
expect_equal "$(jq -c 'select(.type == "end") | .attachments' "$scratch/a.jsonl")" 2
run chorus-context pack a -o "$scratch/a.tar"
init b --model anthropic/m
run chorus-context import b "$scratch/a.jsonl"
expect_status 0
run chorus-run b 'seen?'
expect_equal "$(parts anthropic "$(request 2)" | wc -l)" 2
run chorus-init c --adopt "$scratch/a.tar" --model anthropic/m
expect_status 0
run chorus-run c 'seen?'
expect_equal "$(parts anthropic "$(request 3)" | wc -l)" 2
run chorus-context save a --no-summary
run chorus-context clear a
run chorus-context restore a "$(db 'SELECT id FROM sessions WHERE agent_id = 1 LIMIT 1')"
expect_status 0
run chorus-run a 'restored?'
expect_equal "$(parts anthropic "$(request 4)" | wc -l)" 2
run chorus-context branch a other
expect_status 0
run chorus-run a -t other 'on the branch?'
expect_equal "$(parts anthropic "$(request 5)" | wc -l)" 2
run chorus-destroy a --keep-files --yes
expect_status 0
expect_db 'SELECT count(*) FROM attachments WHERE agent_id = 1' 0
expect_equal "$(jq -c 'select(.type == "end") | .attachments' "$(db "SELECT dir FROM agents WHERE id = 1" | sed "s#^#$CHORUS_HOME/#")/export.jsonl")" 2
expect_sound

test_case "an import with a wrong hash, no base64 or an invalid attachment is refused whole"
begin anthropic "$(say one)"
run chorus-run a -a "$scratch/dot.png" 'look'
run chorus-context export a -o "$scratch/a.jsonl"
sed "s/\"data\":\"/&AAAA/" "$scratch/a.jsonl" >"$scratch/wrong.jsonl"
init d --model anthropic/m
run chorus-context import d "$scratch/wrong.jsonl"
expect_status 2
expect_match "$err" '"sha256" is not that of "data"'
sed "s/\"data\":\"/&!!/" "$scratch/a.jsonl" >"$scratch/wrong.jsonl"
run chorus-context import d "$scratch/wrong.jsonl"
expect_status 2
expect_match "$err" '"data" is not base64'
sed -E 's/"size":[0-9]+/"size":1/; s|image/png|application/pdf|' "$scratch/a.jsonl" >"$scratch/other.jsonl"
init e --model anthropic/m
run chorus-context import e "$scratch/other.jsonl"
expect_status 0
run chorus-run e 'not what it says'
expect_equal "$(parts anthropic "$(request 2)")" ''
sed 's|"name":"dot.png"|"name":"a\\u001bb"|' "$scratch/a.jsonl" >"$scratch/wrong.jsonl"
run chorus-context import d "$scratch/wrong.jsonl"
expect_status 2
expect_match "$err" 'has an invalid attachment'
expect_db "SELECT count(*) FROM attachments WHERE agent_id = (SELECT id FROM agents WHERE name = 'd')" 0
expect_sound

end_tests
