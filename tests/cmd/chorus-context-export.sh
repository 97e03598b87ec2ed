#!/usr/bin/env bash
# needs: root
# chorus-context export, import and pack.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/subagents.sh"
for tool in tar gzip sha256sum; do
    command -v "$tool" >/dev/null || { echo "this test needs $tool"; exit 1; }
done

talk() { # NAME: an agent with two turns, one with calls
    init "$1" --model builtin/script
    run chorus-run "$1" $'look\n/create_file {"path": "a.txt", "content": "one"}\n/view {"path": "a.txt"}'
    expect_status 0
    run chorus-run "$1" 'and again'
    expect_status 0
}
# Leaves an export of ada, changed by the jq filter, as changed.jsonl, and imports it into ben.
count_of() { chorus-context messages "$1" --all --json | wc -l; }
import_changed() { # FILTER
    talk ada
    run chorus-context export ada -o ada.jsonl
    jq -c "$1" ada.jsonl >changed.jsonl
    init ben --model builtin/script
    run chorus-context import ben changed.jsonl
    expect_status 0
}
save() { # NAME ID [DESCRIPTION]: a saved session, with its row
    local path=agents/$1/sessions/2026-02-12_$2.json
    jq -nc --arg id "$2" --arg description "${3:-$2}" '{id: $id, description: $description,
        saved_at: "2026-02-12T10:30:00Z", messages: [
            {role: "user", content: "from a session", timestamp: "2026-02-12T10:30:00Z"},
            {role: "assistant", content: "", tool_calls: [{id: "x", name: "bash", params: {command: "make"}}]},
            {role: "tool", tool_call_id: "x", content: "made"}]}' >"$CHORUS_HOME/$path"
    db "INSERT INTO sessions SELECT id, '$2', name, '${3:-$2}', '', 'manual_save', 1, 3, 1, 1, '$path',
        '$(sha256sum <"$CHORUS_HOME/$path" | cut -d' ' -f1)' FROM agents WHERE name = '$1'"
}
sessions_of() { find "$CHORUS_HOME/agents/$1/sessions" -type f | wc -l; }
# What was said, without what belongs to a home: ids, turns and marks.
gist='.messages[] | [.role, .content, .tool_calls, .tool_call_id, .extra.starts_turn, .extra.is_error,
    (.original_timestamp // .timestamp), .thread_id]'
gist_of() { chorus-context export "$1" --format json | jq -c "$gist"; }

test_case "export: Markdown to stdout, other formats by name or as FILE ends"
talk ada
run chorus-context export ada
expect_status 0
expect_equal "$err" ''
expect_equal "$(head -1 <<<"$out")" '# ada'
expect_match "$out" '- Messages: 8, 2 calls'
expect_match "$out" '## User · 20'
expect_match "$out" '### Result of '
markdown=$out
run chorus-context export ada -o ada.md
expect_status 0
expect_equal "$out" ''
expect_equal "$(cat ada.md)" "$markdown"
expect_equal "$(stat -c %a ada.md)" 600
run chorus-context export ada -o ada.html
expect_match "$(head -1 ada.html)" '<!doctype html>'
run chorus-context export ada -o ada.txt --format html
expect_equal "$(cmp ada.txt ada.html)" ''
run chorus-context export ada -o ada.json
run cat ada.json
expect_json '[.schema, .agent.name, (.messages | length), (.turns | length)] | join(" ")' 'chorus.export/1 ada 8 2'
expect_json '.turns[0].usage | keys | join(" ")' 'cache_read_tokens cache_write_tokens input_tokens output_tokens reasoning_tokens'
expect_json '[.messages[] | select(.role == "tool_result").outcome] | join(" ")' 'ok ok'
run chorus-context export ada -o ada.jsonl
run jq -r .type ada.jsonl
expect_equal "$(uniq -c <<<"$out" | tr -s ' ' | tr '\n' ';')" ' 1 agent; 1 thread; 2 turn; 8 message; 1 end;'

test_case "export: the page has sub-agents folded below the calls that created them"
init a --model builtin/script --permissions open
preset helper 'permissions: open'
call_for() { printf '/spawn_agent %s\n' "$(jq -nc --arg d "$1" --arg p "$2" '{preset: "helper", description: $d, prompt: $p}')"; }
run chorus-run a "before
$(call_for '<b>the child</b>' "CHILD-PROMPT
$(call_for 'the grandchild' 'GRANDCHILD-PROMPT')")"
expect_status 0
expect_db 'SELECT count(*) FROM agents' 3
run chorus-run a --spawn helper 'BY-HAND'
run chorus-context export a -o a.html
expect_equal "$(grep -c '<details class="sub-agent">' a.html)" 3
expect_equal "$(grep -c '<b>the child</b>' a.html)" 0
expect_match "$(cat a.html)" '<dt>Sub-agents</dt><dd>3, 3 turns'
# below its call, and the grandchild inside the child
order=$(grep -o 'class="sub-agent"><summary><b>[a-z]*\|CHILD-PROMPT\|GRANDCHILD-PROMPT\|BY-HAND\|</main>' a.html | tr '\n' ' ')
expect_match "$order" 'sub-agent"><summary><b>helper .*CHILD-PROMPT .*sub-agent"><summary><b>helper .*GRANDCHILD-PROMPT .*sub-agent"><summary><b>helper .*BY-HAND .*</main> $'
run chorus-context export a -o part.html --since 2100-01-01
expect_equal "$(grep -c '<details class="sub-agent">' part.html)" 0
run chorus-context export a -o part.html --since 1h --force
expect_equal "$(grep -c '<details class="sub-agent">' part.html)" 3
run chorus-context branch a other
run chorus-context export a -o part.html --force
expect_equal "$(grep -c '<details class="sub-agent">' part.html)" 3
run chorus-context export a --format md
expect_no_match "$out" 'BY-HAND'

test_case "export: what is narrowed holds only that"
export CHORUS_NOW_MS=1770892200000
init ada --model builtin/script
run chorus-run ada 'long ago'
CHORUS_NOW_MS=1770978600000
run chorus-run ada 'later'
run chorus-run ada --new-thread 'elsewhere'
unset CHORUS_NOW_MS
prompts() {
    run chorus-context export ada --format json "$@"
    expect_status 0
    expect_json '[.messages[] | select(.role == "user").content] | join(",")' "$prompts_wanted"
}
prompts_wanted='long ago,later,elsewhere' prompts
prompts_wanted='long ago,later' prompts -t main
prompts_wanted='elsewhere' prompts -t 2
prompts_wanted='later,elsewhere' prompts --since 2026-02-13
prompts_wanted='long ago' prompts --until 2026-02-13
expect_json '(.turns | length), (.threads | length)' $'1\n1'
prompts_wanted='' prompts --since 2026-02-14
run chorus-context export ada
expect_match "$out" '# Thread 1, branch main'
expect_match "$out" '# Thread 2, branch main'

test_case "export: one saved session"
talk ada
save ada 11111111-2222-3333-4444-555555555555 '</title><b>Fix'
run chorus-context export ada --session 1111
expect_status 0
expect_equal "$(head -1 <<<"$out")" '# ada · </title><b>Fix'
expect_match "$out" 'from a session'
expect_match "$out" '"command":"make"'
run chorus-context export ada --session 1111 --format html
expect_match "$out" '<title>ada · &lt;/title&gt;&lt;b&gt;Fix</title>'
expect_no_match "$out" '<b>Fix'
run chorus-context export ada --session 9
expect_status 4
run chorus-context export ada --session 1111 --since 2h
expect_status 2

test_case "export: bad input is one line, and the file stays as it was"
talk ada
run chorus-context export nobody
expect_status 4
run chorus-context export ada --format pdf
expect_status 2
run chorus-context export ada -t 7
expect_status 4
expect_match "$err" 'no thread'
run chorus-context export ada --since someday
expect_status 2
mkdir directory
echo old >kept.html
for command in 'export ada -o' 'pack ada -o' backup; do
    run chorus-context $command directory
    expect_status 2
    expect_match "$err" "'directory': it is a directory, not a file
chorus-context: hint: name a file in it, such as directory/output"
    run chorus-context $command "$scratch/no where/a.html"
    expect_status 2
    expect_match "$err" "No such file or directory
chorus-context: hint: mkdir -p '$scratch/no where/' makes the directory"
    mount -t tmpfs -o size=4k chorus-test directory || { echo 'cannot mount a tmpfs'; exit 1; }
    head -c 4096 /dev/zero >directory/filler
    run chorus-context $command directory/file
    expect_status 1
    expect_match "$err" 'No space left on device|disk is full'
    expect_match "$err" 'hint: free some space'
    [ "$command" = backup ] || umount directory
done
TMPDIR=$scratch/directory run chorus-context backup /dev/null
expect_status 1
expect_match "$err" 'disk is full'
umount directory
TMPDIR=$scratch/nowhere run chorus-context backup /dev/null
expect_status 0
printf 'long %.0s' {1..30000} >long
run chorus-run ada -f long
expect_status 0
(ulimit -f 100; exec chorus-context export ada --force -o kept.html) 2>err
expect_equal $? 1
expect_match "$(cat err)" 'kept.html'
[ "$(cat kept.html)" = old ] || fail 'kept.html is not what it was'
expect_equal "$(find . -maxdepth 1 -name '.chorus-write-*')" ''

test_case "export, pack, backup: what is no regular file stays what it is, and nothing is replaced unasked"
talk ada
outputs=('export ada --format md -o' 'pack ada -o' 'backup')
begins() { case $1 in export*) head -c 5 | grep -qx '# ada' ;; pack*) tar tf - | grep -qx agent.json ;; backup) head -c 15 | grep -q 'SQLite format 3' ;; esac; }
for output in "${outputs[@]}"; do
    rm -rf made fifo link dangling real stdout; mkdir made
    run chorus-context $output made/null-alike
    expect_status 0
    begins "$output" <made/null-alike || fail "$output: not what was asked for"
    mkfifo fifo
    timeout 20 cat fifo >made/from-fifo & reader=$!
    run timeout 20 chorus-context $output fifo
    expect_status 0
    [ -p fifo ] || fail "$output: the FIFO was replaced"
    wait "$reader"
    begins "$output" <made/from-fifo || fail "$output: the FIFO got something else"
    mknod made/null c 1 3
    run chorus-context $output made/null
    expect_status 0
    [ -c made/null ] || fail "$output: the device was replaced"
    mknod made/full c 1 7
    run chorus-context $output made/full
    expect_status 1
    expect_match "$err" 'hint: free some space'
    [ -c made/full ] || fail "$output: the device was replaced"
    echo mine >real
    ln -s real link
    for there in real link; do
        run chorus-context $output $there
        expect_status 5
        expect_match "$err" "'$there': already exists"
        expect_match "$err" 'hint: --force'
        expect_file real mine
    done
    run chorus-context $output link --force
    expect_status 0
    [ -L link ] || fail "$output: the link was replaced"
    begins "$output" <real || fail "$output: what the link leads to is not what was written"
    run chorus-context $output real --force
    expect_status 0
    ln -s nowhere dangling
    run chorus-context $output dangling
    expect_status 2
    expect_missing nowhere
    echo '{}' >"$CHORUS_HOME/config.json"
    for kept in chorus.db config.json agents/ada/agent.json; do
        ln -sfn "$CHORUS_HOME/$kept" to-home
        before=$(sha256sum <"$CHORUS_HOME/$kept")
        for there in "$CHORUS_HOME/$kept" to-home; do
            run chorus-context $output "$there" --force
            expect_status 2
            expect_match "$err" '^chorus-context: error: .* is inside the home'
        done
        expect_equal "$(sha256sum <"$CHORUS_HOME/$kept")" "$before"
    done
    ln -sfn "$CHORUS_HOME" way
    for new in chorus.db-journal chorus.db-wal.x available_models.json archive agents/b agents/ada/docs/x.md \
        agents/ada/workspace.md agents/workspace any.md; do
        for there in "$CHORUS_HOME/$new" way/$new made/../way/$new; do
            run chorus-context $output "$there"
            expect_status 2
            expect_match "$err" '^chorus-context: error: .* is inside the home'
            expect_missing "$CHORUS_HOME/$new"
        done
    done
    chorus-context $output /dev/fd/7 7>>"$CHORUS_HOME/new" >/dev/null 2>&1 </dev/null
    expect_equal $? 2
    rm "$CHORUS_HOME/new"
    ln -s /proc/self/fd/1 stdout # as /dev/stdout, which a program that replaces it would take from all others
    chorus-context $output stdout 2>/dev/null >made/stdout </dev/null || fail "$output: stdout"
    begins "$output" <made/stdout || fail "$output: stdout got something else"
    chorus-context $output stdout 2>/dev/null </dev/null | begins "$output" || fail "$output: a pipe got something else"
    chorus-context $output /dev/fd/7 7>made/seven >/dev/null 2>&1 </dev/null || fail "$output: /dev/fd/7"
    begins "$output" <made/seven || fail "$output: /dev/fd/7 got something else"
    expect_equal "$(find . -maxdepth 2 -name '.chorus-write-*')" ''
done
expect_sound

test_case "export: what looks like a key is in no transcript, and hidden characters are shown"
init ada --model builtin/script
key=sk-ant-api03-$(printf 'k%.0s' {1..80})
run chorus-run ada "say $key and "$'\u202e'"back"
for format in md html; do
    run chorus-context export ada --format $format
    expect_no_match "$out" "$key"
done
expect_match "$out" '<code class="hidden">U\+202E</code>back'

test_case "import: the same conversation, once"
talk ada
run chorus-context export ada -o ada.jsonl
init ben --model builtin/script
run chorus-context import ben ada.jsonl
expect_status 0
expect_equal "$out" '8 messages imported'
expect_equal "$err" ''
expect_equal "$(gist_of ben)" "$(gist_of ada)"
run chorus-context import ben ada.jsonl
expect_status 0
expect_equal "$out" '0 messages imported, 8 already present'
run chorus-context import ada ada.jsonl
expect_equal "$out" '0 messages imported, 8 already present'
expect_db "SELECT count(*) FROM messages WHERE restored_from LIKE 'import:%' AND original_timestamp > 0" 8
run chorus-run ben 'go on'
expect_status 0
expect_sound
run chorus-context export ben -o ben.jsonl
run_stdin ben.jsonl chorus-context import ada -
expect_status 0
expect_match "$out" '^2 messages imported, 8 already present'
expect_match "$err" 'in its history, not in its context'
expect_equal "$(chorus-context search again --json | wc -l)" 4

test_case "the ids that imported messages have elsewhere stay with them" # C-59
external() { chorus-context messages "$1" --all --json | jq -r '.external_id // empty'; }
import_changed 'if .type == "message" and .role == "user" then .external_id = "m-\(.id)" else . end'
wanted=$(jq -r '.external_id // empty' changed.jsonl)
[ "$(wc -l <<<"$wanted")" = 2 ] || fail 'there is none to import'
expect_equal "$(external ben)" "$wanted"
expect_equal "$(external ada)" ''
run chorus-context export ben -o ben.jsonl
init carl --model builtin/script
run chorus-context import carl ben.jsonl
expect_equal "$(external carl)" "$wanted"
run chorus-context save carl
expect_status 0
run chorus-context clear carl
run chorus-context restore carl "$(db "SELECT id FROM sessions")"
expect_equal "$err" ''
expect_status 0
expect_equal "$(external carl | sort -u)" "$wanted"
run chorus-run carl 'go on'
init dora --model builtin/script
run chorus-context import dora "$CHORUS_HOME/agents/carl/branches/main/session.md"
expect_equal "$(external dora | sort -u)" "$wanted"
init eva --model builtin/script
mkdir -p "$CHORUS_HOME/agents/eva/sessions"
jq -nc '{id: "d", saved_at: "2026-02-12T10:30:00Z", messages: [
    {role: "user", content: "hi", discord_message_id: "1180000000000000001"},
    {role: "assistant", content: "yes", external_id: 42}]}' >"$CHORUS_HOME/agents/eva/sessions/d.json"
run chorus-config doctor --fix
run chorus-context restore eva d
expect_status 0
expect_equal "$(external eva | tr '\n' ' ')" '1180000000000000001 42 '

test_case "import: into another home"
talk ada
run chorus-context export ada -o ada.jsonl
wanted=$(gist_of ada)
export CHORUS_HOME=$scratch/other
init ada --model builtin/script
run chorus-context import ada ada.jsonl
expect_status 0
expect_equal "$(gist_of ada)" "$wanted"
run env ANTHROPIC_API_KEY=sk-test-0123456789abcdef chorus-run ada -m anthropic/m --dry-run next
expect_match "$out" 'and again'

test_case "import: audit, grants, prompts and what is a provider's stay where they are"
init ada --model builtin/script
run chorus-run ada '/bash {"command": "true"}'
expect_status 10
run chorus-context export ada -o ada.jsonl
init ben --model builtin/script
run chorus-context import ada ada.jsonl
expect_status 75
expect_match "$err" 'not ended'
before=$(db 'SELECT count(*) FROM audit_log')
run chorus-context import ben ada.jsonl
expect_status 0
expect_match "$err" '1 call had no result: recorded as cancelled'
expect_db "SELECT count(*) FROM prompts WHERE agent_id = 2" 0
expect_db "SELECT content LIKE 'cancelled: %' FROM messages WHERE agent_id = 2 AND role = 'tool_result'" 1
expect_db 'SELECT count(*) FROM audit_log' "$before"
expect_db "SELECT count(*) FROM turns WHERE agent_id = 2 AND ended_at IS NULL" 0
run chorus-run ben 'go on'
expect_status 0

test_case "a file is read wherever one is named, from a pipe too"
talk ada
run chorus-context export ada -o ada.jsonl
init ben --model builtin/script
run bash -c 'chorus-context import ben <(cat ada.jsonl)'
expect_status 0
expect_equal "$out" '8 messages imported'
mkfifo fifo
cat ada.jsonl >fifo &
run chorus-context import ben fifo
expect_equal "$out" '0 messages imported, 8 already present'
run bash -c 'chorus-init cid --model builtin/script --system-prompt-file <(echo "Be brief.")'
expect_status 0
run chorus-config get -A cid system_prompt
expect_equal "$out" 'Be brief.'
run bash -c 'chorus-config set -A cid system_prompt @<(echo "Be long.")'
expect_status 0
run chorus-config get -A cid system_prompt
expect_equal "$out" 'Be long.'
run bash -c 'chorus-context explain cid "tool:view:x" --profile @<(echo "{\"base\": \"locked\"}") --json'
expect_status 0

test_case "import: a file that is cut off, hostile or too new changes nothing and is told by its line"
talk ada
run chorus-context export ada -o ada.jsonl
init ben --model builtin/script
refused() { # REGEX COMMAND …: makes bad.jsonl of ada.jsonl
    "${@:2}" <ada.jsonl >bad.jsonl
    run chorus-context import ben bad.jsonl
    expect_status 2
    expect_match "$err" "^chorus-context: error: bad.jsonl: $1"
    [[ $err == *parse\ error* ]] || expect_match "$err" '
chorus-context: hint: (chorus-context export NAME --format jsonl -o FILE|use the newer chorus)'
    expect_equal "$(grep -c ' error: ' <<<"$err")" 1
    expect_db 'SELECT count(*) FROM messages WHERE agent_id = 2' 0
}
refused 'line 12: the file ends after it' head -n -1
refused 'line 6: not JSON' head -c "$(($(head -5 ada.jsonl | wc -c) + 30))"
refused 'line 1: made by a newer chorus' sed 's|chorus.export/1|chorus.export/2|'
refused 'line 2: no earlier line describes its thread' sed 2d
refused 'line 12: expected 8 messages, found 7' jq -c 'if .type == "message" and .role == "user" and .turn_id > 1 then empty else . end'
refused 'line 5: "role" is unknown' sed '5s/"role":"user"/"role":"root"/'
refused 'line 5: ' sed $'5s/look/lo\\\\u001b]0;x\xff/'
refused 'it is empty' head -c 0
for wrong in none.jsonl . ada.jsonl/x; do
    run chorus-context import ben $wrong
    expect_status 2
    expect_match "$err" 'hint: name an existing file'
done
run chorus-context import nobody ada.jsonl
expect_status 4
sed 's/"content":"look/"content":"\\u001b]0;title\\u0007look/;5s/"role":"user"/"role":"\\u001b[2J"/' ada.jsonl >bad.jsonl
run chorus-context import ben bad.jsonl
expect_status 2
expect_no_match "$err" $'\x1b'

test_case "import: an agent at work is not disturbed, --wait waits"
talk ada
run chorus-context export ada -o ada.jsonl
init ben --model builtin/script --permissions open
chorus-run ben '/bash {"command": "sleep 1"}' >ben.out 2>&1 </dev/null &
turn=$!
wait_for 5 in_db "SELECT count(*) FROM turns WHERE agent_id = 2 AND pid IS NOT NULL" 1 || fail 'no turn'
run chorus-context import ben ada.jsonl
expect_status 75
expect_match "$err" 'is running'
run chorus-context import ben ada.jsonl --wait
expect_status 0
wait $turn
expect_sound

test_case "import: a disk that is full in the middle of it changes nothing"
talk ada
save ada s-1
printf 'long %.0s' {1..60000} >long
run chorus-run ada -f long
run chorus-context export ada -o ada.jsonl
init ben --model builtin/script
(ulimit -f 200; exec chorus-context import ben ada.jsonl) 2>err
expect_equal $? 1
expect_match "$(cat err)" '^chorus-context: error: '
expect_equal "$(count_of ben)" 0
expect_equal "$(sessions_of ben)" 0
run chorus-context import ben ada.jsonl
expect_status 0
expect_equal "$out" '10 messages imported, 1 saved session'
expect_equal "$(sessions_of ben)" 1

test_case "import: killed anywhere it is all or nothing"
talk ada
save ada s-1
run chorus-context export ada -o ada.jsonl
init ben --model builtin/script
for number in 1 2 3 5 7 10 14 18 22 27; do
    strace -f -qq -o /dev/null -e trace=write,pwrite64,fsync,fdatasync,rename,renameat2 \
        -e inject=write,pwrite64,fsync,fdatasync,rename,renameat2:signal=KILL:when=$number \
        chorus-context import ben ada.jsonl >/dev/null 2>&1 & wait $! 2>/dev/null
    count=$(count_of ben)
    [ "$count" = 0 ] || [ "$count" = 8 ] || fail "killed at $number: $count messages"
done
run chorus-context import ben ada.jsonl
expect_status 0
expect_equal "$(count_of ben)" 8
expect_equal "$(gist_of ben)" "$(gist_of ada)"
expect_db 'SELECT count(*) FROM sessions WHERE agent_id = 2' 1
expect_equal "$(sessions_of ben)" 1
expect_sound

test_case "pack: the whole agent, on another machine"
talk ada
echo 'Keep it short.' >"$CHORUS_HOME/agents/ada/docs/style.md"
echo '{"id":"s-1","description":"d","messages":[{"role":"user","content":"hi"}]}' >"$CHORUS_HOME/agents/ada/sessions/2026-02-12_d.json"
ln -s /etc/passwd "$CHORUS_HOME/agents/ada/workspace/link"
git -C "$CHORUS_HOME/agents/ada/workspace" add -A && git -C "$CHORUS_HOME/agents/ada/workspace" commit -qm 'by hand'
printf '#!/bin/sh\n' >"$CHORUS_HOME/agents/ada/workspace/.git/hooks/post-commit"
head=$(git -C "$CHORUS_HOME/agents/ada/workspace" rev-parse HEAD)
wanted=$(gist_of ada)
run chorus-context pack ada -o ada.tar.gz
expect_status 0
expect_match "$out" '^[0-9]+ files packed, 8 messages$'
expect_equal "$err" 'chorus-context: notice: not packed: workspace/link'
expect_equal "$(stat -c %a ada.tar.gz)" 600
gzip -t ada.tar.gz || fail 'not compressed as its name says'
names=$(tar tzf ada.tar.gz)
for name in agent.json docs/style.md sessions/2026-02-12_d.json workspace/a.txt workspace/.git/HEAD export.jsonl; do
    grep -qxF "$name" <<<"$names" || fail "$name is not packed"
done
expect_equal "$(head -1 <<<"$names") $(tail -1 <<<"$names")" 'chorus-pack chorus-manifest'
expect_no_match "$names" 'hooks|(^|/)\.\.|^/|link'

export CHORUS_HOME=$scratch/other
run chorus-init ada --adopt="$scratch/ada.tar.gz" --json
expect_status 0
expect_json '[.adopted, .sessions, .messages, (.left_out | length)] | join(" ")' 'true 1 8 0'
expect_equal "$(gist_of ada)" "$wanted"
expect_missing "$CHORUS_HOME/agents/ada/export.jsonl"
expect_file "$CHORUS_HOME/agents/ada/docs/style.md" 'Keep it short.'
expect_file "$CHORUS_HOME/agents/ada/workspace/a.txt" one
expect_equal "$(git -C "$CHORUS_HOME/agents/ada/workspace" rev-parse HEAD)" "$head"
run env ANTHROPIC_API_KEY=sk-test-0123456789abcdef chorus-run ada -m anthropic/m --dry-run next
expect_match "$out" 'and again'
run chorus-run ada 'go on'
expect_status 0
expect_sound
run chorus-init ben --adopt="$scratch/ada.tar.gz"
expect_status 0
expect_match "$out" '8 messages of its conversation imported'

test_case "pack: into the agent itself, nowhere, and of nobody"
talk ada
run chorus-context pack ada
expect_status 2
run chorus-context pack ada -o "$CHORUS_HOME/agents/ada/workspace/a.tar"
expect_status 2
expect_match "$err" 'the archive would be inside the directory that it packs'
run chorus-context pack ada -o nowhere/a.tar
expect_status 2
expect_match "$err" 'hint: mkdir -p nowhere/ makes the directory'
run chorus-context pack nobody -o a.tar
expect_status 4
echo old >a.tar
head -c 300000 /dev/urandom >"$CHORUS_HOME/agents/ada/workspace/large"
(ulimit -f 100; exec chorus-context pack ada --force -o a.tar) 2>err
expect_equal $? 1
expect_file a.tar old

test_case "pack: an archive that was cut off, changed or added to makes nothing"
talk ada
head -c 100000 /dev/urandom >"$CHORUS_HOME/agents/ada/workspace/large"
run chorus-context pack ada -o ada.tar
mapfile -t names < <(tar tf ada.tar)
not_made() { # WHAT: of bad.tar
    run chorus-init ben --adopt="$scratch/bad.tar"
    expect_status 2
    [ "$status" = 2 ] || fail "$1 was adopted"
    expect_db "SELECT count(*) FROM agents WHERE name = 'ben'" 0
    expect_missing "$CHORUS_HOME/agents/ben"
    expect_equal "$(ls -A "$CHORUS_HOME/agents")" ada
}
for count in 1 2 3 $((${#names[@]} / 2)) $((${#names[@]} - 2)) $((${#names[@]} - 1)); do
    # the first entries as they are, their header and content in blocks of 512
    tar --block-number -tvf ada.tar >blocks 2>/dev/null
    head -c $((512 * $(sed -n "$((count + 1))s/^block \([0-9]*\):.*/\1/p" blocks))) ada.tar >bad.tar
    [ "$(tar tf bad.tar 2>/dev/null | wc -l)" = "$count" ] || fail "not cut at the border of entry $count"
    not_made "cut behind entry $count"
done
gzip -k ada.tar
for count in 1 4 7 8 9; do
    head -c -$count ada.tar.gz >bad.tar
    not_made "compressed, without the last $count bytes"
done
mkdir unpacked && tar -C unpacked -xf ada.tar
archive() { tar -C unpacked -cf bad.tar . ; }
mkdir -p other/docs other/agent.json; echo x | tee other/workspace other/docs/$(printf 'n%.0s' {1..255}) >other/agent.json/below
for name in ./agent.json ./chorus-manifest; do
    archive && tar -C unpacked -rf bad.tar $name && not_made "$name twice"
    expect_match "$err" "bad.tar: ${name#./}: the archive contains it twice"
    expect_match "$err" 'hint: pack the agent again'
done
archive && tar -C other -rf bad.tar workspace && not_made 'a file where a directory is'
archive && tar -C other -rf bad.tar agent.json/below && not_made 'a directory where a file is'
expect_match "$err" 'bad.tar: agent.json/below: the archive has a file in its place'
archive && tar -C other --transform='s/n$/nn/' -rf bad.tar docs && not_made 'a name that is too long'
echo more >>unpacked/workspace/a.txt && archive && not_made 'a file that was changed'
expect_match "$err" 'workspace/a.txt'
echo -n one >unpacked/workspace/a.txt && echo x >unpacked/workspace/b.txt && archive && not_made 'a file more'
expect_match "$err" 'workspace/b.txt'
rm unpacked/workspace/b.txt unpacked/workspace/large && archive && not_made 'a file less'
expect_match "$err" 'workspace/large'
run chorus-init ben --adopt="$scratch/unpacked"
expect_status 0
expect_equal "$(gist_of ben)" "$(gist_of ada)"
expect_missing "$CHORUS_HOME/agents/ben/chorus-pack"

test_case "adoption: a conversation that is hostile makes nothing"
talk ada
run chorus-context pack ada -o ada.tar
mkdir unpacked && tar -C unpacked -xf ada.tar && rm unpacked/chorus-*
sed -i '2s/.*/{"type":"thread","thread_id":-1}/' unpacked/export.jsonl
tar -C unpacked -cf bad.tar .
for from in bad.tar unpacked; do
    run chorus-init ben --adopt="$scratch/$from"
    expect_status 2
    expect_match "$err" 'export.jsonl: line 2'
    expect_db "SELECT count(*) FROM agents WHERE name = 'ben'" 0
    expect_equal "$(ls -A "$CHORUS_HOME/agents")" ada
done

test_case "adoption: killed anywhere it leaves an agent with its conversation, or none, and is repeated"
talk ada
run chorus-context pack ada -o ada.tar
wanted=$(gist_of ada)
strace -qq -o calls chorus-init count --adopt="$scratch/ada.tar" >/dev/null 2>&1 </dev/null
for call in write pwrite64 fdatasync fsync syncfs renameat2 unlink unlinkat openat close; do
    total=$(grep -c "^$call(" calls)
    for ((back = 0; back < total && case_failed == 0; back = back * 2 + 1)); do
        { strace -qq -o /dev/null -e trace=$call -e inject=$call:signal=KILL:when=$((total - back)) \
            chorus-init ben --adopt="$scratch/ada.tar" >/dev/null 2>&1 </dev/null; } 2>/dev/null
        run chorus-init ben --adopt="$scratch/ada.tar"
        [ "$status" = 0 ] || [ "$status" = 5 ] || fail "killed at $call $((total - back)) of $total: exit $status"
        [ "$(gist_of ben)" = "$wanted" ] || fail "killed at $call $((total - back)) of $total: the conversation is not whole"
        expect_db "SELECT status FROM agents WHERE name = 'ben' AND status <> 'destroyed'" active
        expect_db 'SELECT count(*) FROM messages WHERE agent_id NOT IN (SELECT id FROM agents)' 0
        chorus-destroy ben --purge --yes >/dev/null 2>&1 </dev/null
    done
done
expect_sound

# What the next request would hold of the conversation.
window_of() { env ANTHROPIC_API_KEY=sk-test-0123456789abcdef chorus-run "$1" -m anthropic/m --dry-run next 2>/dev/null |
    grep -oE 'alpha-talk|beta-talk|gamma-talk' | sort -u | tr '\n' ' '; }
move() { # WAY: what there is of ada is then agent ada of $CHORUS_HOME, in another home but for kept
    case $1 in
        pack) run chorus-context pack ada -o moved.tar.gz ;;
        import) run chorus-context export ada -o moved.jsonl ;;
        directory | kept) run chorus-destroy ada --keep-files --yes ;;
    esac
    expect_status 0
    [ "$1" = kept ] || export CHORUS_HOME=$scratch/other
    case $1 in
        pack) run chorus-init ada --adopt="$scratch/moved.tar.gz" ;;
        import) init ada --model builtin/script; run chorus-context import ada moved.jsonl ;;
        directory) run chorus-init ada --adopt="$scratch/home/agents/ada" ;;
        kept) run chorus-init ada ;;
    esac
    expect_status 0
}
for way in pack import directory kept; do
    test_case "moved by $way: the window begins where it began"
    init ada --model builtin/script
    run chorus-run ada 'alpha-talk'
    run chorus-context clear ada
    run chorus-run ada beta-talk
    expect_equal "$(window_of ada)" 'beta-talk '
    move "$way"
    expect_equal "$(window_of ada)" 'beta-talk '
    run chorus-context messages ada
    expect_match "$out" 'alpha-talk'
    run chorus-run ada gamma-talk
    expect_status 0
    expect_equal "$(window_of ada)" 'beta-talk gamma-talk '
    expect_sound

    test_case "moved by $way: what was cleared at the end stays cleared"
    init ada --model builtin/script
    run chorus-run ada 'alpha-talk'
    run chorus-context clear ada --save
    expect_status 0
    move "$way"
    expect_equal "$(window_of ada)" ''
    run chorus-run ada gamma-talk
    expect_equal "$(window_of ada)" 'gamma-talk '
    expect_sound
done

for way in pack directory kept; do
    test_case "moved by $way: branches and the current one are there"
    init ada --model builtin/script
    run chorus-run ada 'alpha-talk'
    run chorus-run ada beta-talk
    point=$(db "SELECT min(id) FROM messages WHERE content = 'beta-talk'")
    run chorus-context branch ada try --at "$point"
    expect_status 0
    run chorus-run ada -t try gamma-talk
    expect_status 0
    run chorus-context switch ada try
    expect_status 0
    chorus-context branches ada --json | jq -S 'del(.created_at, .last_activity_at, .branch_point, .commit)' >before
    move "$way"
    run chorus-context branches ada --json
    expect_status 0
    expect_equal "$(jq -S 'del(.created_at, .last_activity_at, .branch_point, .commit)' <<<"$out")" "$(cat before)"
    run chorus-run ada 'on the branch'
    expect_status 0
    expect_db "SELECT thread_id FROM messages WHERE content = 'on the branch'" 2
    expect_match "$(cat "$CHORUS_HOME/agents/ada/branches/"*-try/session.md)" 'on the branch'
    expect_match "$(readlink "$CHORUS_HOME/agents/ada/current")" 'branches/.*-try$'
    run chorus-context messages ada -t main
    expect_match "$out" 'beta-talk'
    expect_sound
done

for way in pack import directory kept; do
    test_case "moved by $way: an answer that --retry took back stays taken back, wherever it goes from there"
    init ada --model builtin/script
    home_key max_retries 0
    start_server "$(answers '{"say": {"text": "a wrong way", "tool_calls": [{"id": "bad", "name": "view", "arguments": {"path": "missing"}}]}}' \
        '{"status": 500}' "$(say 'the right way')")"
    run chorus-run ada -m anthropic/m alpha-talk
    expect_status 7
    run env CHORUS_MODEL=anthropic/m chorus-run ada --retry
    expect_status 0
    stop_server
    run chorus-context messages ada
    expect_no_match "$out" 'wrong way'
    run chorus-context clear ada
    run chorus-run ada beta-talk
    move "$way"
    for home in second third; do
        run chorus-context messages ada
        expect_match "$out" 'alpha-talk.*the right way.*beta-talk'
        expect_no_match "$out" 'wrong way'
        run chorus-context messages ada --all
        expect_match "$out" 'wrong way'
        run chorus-context export ada -o $home.jsonl
        run chorus-context import ada $home.jsonl
        expect_match "$out" '^0 messages imported'
        [ $home = third ] && continue
        export CHORUS_HOME=$scratch/third
        init ada --model builtin/script
        run chorus-context import ada second.jsonl
        expect_status 0
    done
    expect_sound
done

test_case "import: messages shows what is history, and usage counts no turn again"
talk ada
run chorus-context export ada -o ada.jsonl
init ben --model builtin/script
run chorus-run ben 'of its own'
run chorus-context usage --json
before=$out
run chorus-context import ben ada.jsonl
expect_status 0
run chorus-context messages ben
expect_match "$out" 'and again'
expect_equal "$(wc -l <"$scratch/out")" 6
run chorus-context usage --json
expect_equal "$out" "$before"

test_case "import: what comes after an approval takes the place of what was cancelled"
init ada --model builtin/script
run chorus-run ada '/bash {"command": "echo the real result"}'
expect_status 10
run chorus-context export ada -o first.jsonl
init ben --model builtin/script
run chorus-context import ben first.jsonl
expect_status 0
run chorus-run ada --approve "$(db "SELECT id FROM prompts WHERE state = 'pending'")"
expect_status 0
run chorus-context export ada -o second.jsonl
run chorus-context import ben second.jsonl
expect_status 0
run env ANTHROPIC_API_KEY=sk-test-0123456789abcdef chorus-run ben -m anthropic/m --dry-run next
expect_match "$out" 'the real result'
expect_no_match "$out" 'cancelled: the conversation was moved'
run chorus-context import ben second.jsonl
expect_match "$out" '^0 messages imported'
run chorus-context import ada first.jsonl
expect_match "$out" '^0 messages imported'
expect_no_match "$err" 'cancelled'
expect_sound

test_case "pack, export: what was restored or branched stays in the window, and what is queued waits there too"
init ada --model builtin/script
run chorus-run ada 'the port is 8080'
run chorus-context save ada kept --no-summary
id=$(db 'SELECT id FROM sessions')
run chorus-context clear ada
db "UPDATE messages SET timestamp = timestamp - 172800000" # said two days ago
run chorus-context restore ada "$id"
run chorus-context branch ada try
expect_status 0
run chorus-run ada '/bash echo asks'
run chorus-run ada --queue 'do not lose me'
expect_status 0
windows() { for thread in main try; do chorus-context show "$1" -t $thread | cut -f4-; done; }
before=$(windows ada | grep -vE "asks|cancelled")
[ "$(grep -c 'the port is 8080' <<<"$before")" = 4 ] || fail "it is not in the windows"
run chorus-context pack ada -o ada.tar
expect_status 0
chorus-context export ada -o ada.jsonl
export CHORUS_HOME=$scratch/other
run chorus-init ada --adopt=ada.tar --model builtin/script
expect_status 0
expect_equal "$(windows ada | grep -vE "asks|cancelled")" "$before"
init ben --model builtin/script
run chorus-context import ben ada.jsonl
expect_status 0
expect_match "$out" ', 1 queued message$'
run chorus-context import ben ada.jsonl
expect_no_match "$out" queued
for agent in ada ben; do
    expect_db "SELECT group_concat(content) FROM inbox i JOIN agents a ON a.id = i.agent_id WHERE name = '$agent' AND delivered_turn IS NULL" 'do not lose me'
    run chorus-run $agent --inbox
    expect_match "$out" 'do not lose me'
done

test_case "import: a message of before 1970 moves on"
import_changed 'if .type == "message" then .timestamp = "1965-03-01T00:00:00.000Z" else . end'
db "UPDATE turns SET started_at = 0 WHERE agent_id = 2"
run chorus-context export ben -o ben.jsonl
expect_status 0
init cid --model builtin/script
run chorus-context import cid ben.jsonl
expect_status 0
expect_equal "$out" '8 messages imported'
run chorus-context pack cid -o cid.tar
run chorus-init dan --adopt="$scratch/cid.tar"
expect_status 0
expect_equal "$(gist_of dan | jq -r '.[6]' | sort -u)" '1965-03-01T00:00:00.000Z'

test_case "what is not valid UTF-8 in an argument makes no broken JSON"
talk ada
name=$'c\xffopy.db'
chorus-context backup "$name" --json 2>/dev/null >json </dev/null
jq -e .file <json >/dev/null && iconv -f utf-8 -t utf-8 json >/dev/null || fail 'backup: not JSON'
[ -e "$name" ] || fail 'the file has another name'
for turn in "ada say" "nobody hi"; do
    chorus-run "${turn% *}"$'\xff' "${turn#* }" --json >json 2>/dev/null </dev/null
    iconv -f utf-8 -t utf-8 json >/dev/null && jq -e .exit_code <json >/dev/null || fail 'chorus-run: not JSON'
done
chorus-run ada $'say \xff' --json >json 2>/dev/null </dev/null
iconv -f utf-8 -t utf-8 json >/dev/null && jq -e . <json >/dev/null || fail 'chorus-run: not JSON'
chorus-init eve --model builtin/script --description $'d\xff' --json >json 2>/dev/null </dev/null
[ ! -s json ] || jq -e . <json >/dev/null || fail 'chorus-init: not JSON'
[ ! -e "$CHORUS_HOME/agents/eve" ] || iconv -f utf-8 -t utf-8 "$CHORUS_HOME/agents/eve/agent.json" >/dev/null || fail 'agent.json is not UTF-8'

test_case "adoption: saved_at with an offset or without a zone is a time"
talk ada
sessions=$CHORUS_HOME/agents/ada/sessions
for at in 2026-02-12T14:00:00+02:00 2026-02-12T12:00:00 2026-02-12T12:00:00.123456Z; do
    jq -nc --arg at "$at" '{id: $at, description: $at, saved_at: $at, messages: [{role: "user", content: "hi"}]}' >"$sessions/$at.json"
done
run chorus-context pack ada -o ada.tar
run chorus-init ben --adopt="$scratch/ada.tar"
expect_status 0
expect_db "SELECT DISTINCT saved_at / 1000 FROM sessions" 1770897600
run chorus-context history ben
expect_no_match "$out" 1970

test_case "import: a transcript and an export have the same messages"
init a --model builtin/script --permissions open
run chorus-run a '/bash echo one'
run chorus-run a hello
all=$(db 'SELECT count(*) FROM messages')
run chorus-context import a "$CHORUS_HOME/agents/a/branches/main/session.md"
expect_status 0
expect_db 'SELECT count(*) FROM messages' "$all"
chorus-context export a --format jsonl -o a.jsonl >/dev/null
for order in 'a.jsonl session.md' 'session.md a.jsonl'; do
    cp "$CHORUS_HOME/agents/a/branches/main/session.md" .
    chorus-init c${order:0:1} --model builtin/script >/dev/null
    for file in $order; do run chorus-context import c${order:0:1} $file; done
    expect_status 0
    expect_db "SELECT count(*) FROM messages JOIN agents ON agents.id = agent_id WHERE agents.name = 'c${order:0:1}'" "$all"
done
run chorus-context branch a side
run chorus-run a -t side 'in the branch'
expect_status 0
chorus-context export a --format jsonl -o side.jsonl >/dev/null
chorus-init d --model builtin/script >/dev/null
for file in session.md side.jsonl; do run chorus-context import d $file; done
expect_status 0
of_branch() { db "SELECT count(*) FROM messages JOIN agents ON agents.id = agent_id WHERE agents.name = '$1' AND thread_id = 2"; }
expect_equal "$(of_branch d)" "$(of_branch a)"

end_tests
