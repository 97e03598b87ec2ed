#!/usr/bin/env bash
# needs: root
# The verbs of chorus-context that only read: show, log, messages, search, usage, artifacts, backup, verify --prefix.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
command -v script >/dev/null || { echo "this test needs script"; exit 1; }
on_terminal() { TERM=xterm script -qec "$1" /dev/null </dev/null | tr -d '\r'; }
field() { cut -f"$1" "$scratch/out" | paste -sd,; }
at() { date -d "$1" +%s000; } # TIME as CHORUS_NOW_MS has it
# Three turns on three days: words, a call that is denied, words on another thread.
make_days() {
    init ada --model builtin/script --permissions locked
    CHORUS_NOW_MS=$(at 2026-02-10T12:00:00Z) chorus-run ada 'zebra one' >/dev/null
    CHORUS_NOW_MS=$(at 2026-02-11T12:00:00Z) chorus-run ada '/create_file {"path": "walrus.txt", "content": "x"}' >/dev/null
    CHORUS_NOW_MS=$(at 2026-02-12T12:00:00Z) chorus-run ada --new-thread 'zebra two' >/dev/null 2>&1
}

test_case "they are verbs, and what they do not know is exit 2 or 4"
init ada --model builtin/script
for verb in artifacts log messages show usage 'search x -A' 'verify --prefix'; do
    run chorus-context $verb nobody
    expect_status 4
    expect_equal "$(wc -l <<<"$err")" 2
    expect_match "$err" "agent 'nobody': no such agent"
done
for verb in 'show ada' 'log ada' 'messages ada' 'verify ada --prefix'; do
    run chorus-context $verb -t 9
    expect_status 4
    expect_match "$err" "no thread '9'"
done
for wrong in 'show' 'log' 'log ada x' 'log ada 0' 'log ada -n 0' 'messages' 'messages ada --id-gt -1' 'messages ada --since soon' 'search' \
    'search x --in nowhere' 'search x -n 0' 'usage --by hour' 'usage --until 2026-02-30' 'artifacts' 'backup' 'verify --prefix' 'verify ada -t 1' \
    'verify ada --prefix --expect 0:' 'log ada 1 -t 1'; do
    run chorus-context $wrong
    expect_status 2
    expect_match "$err" 'chorus-context: error: '
done
run chorus-context log ada 7
expect_status 4
expect_match "$err" "no turn 7"

test_case "show: the window as the next turn would have it" # C-01 C-06 C-12 C-24 C-25 C-36 C-37
init ada --model builtin/script
run chorus-context show ada
expect_status 0
expect_equal "$out" ''
run chorus-run ada 'zebra one'
run chorus-run ada '/list_files {}'
run chorus-run ada --new-thread other
run chorus-context show ada
expect_equal "$(field 4)" user,assistant,user,assistant,tool_result,assistant
expect_equal "$(field 3)" 1,1,1,1,1,1
expect_match "$(sed -n 4p "$scratch/out" | cut -f5)" 'list_files \{\}\]$'
run chorus-context show ada -t 2
expect_equal "$(head -1 "$scratch/out" | cut -f3-)" '2	user	other'
run chorus-context show ada -t main --json
expect_json '[.agent, .thread, .model, .token_budget, (.messages | length), .system] | @csv' '"ada",1,"builtin/script",0,6,'
db "UPDATE messages SET timestamp = timestamp - 2 * 86400000 WHERE turn_id = 1"
run chorus-context show ada
expect_equal "$(field 4)" user,assistant,tool_result,assistant
db "UPDATE agents SET last_clear_message = (SELECT max(id) FROM messages)"
run chorus-context show ada
expect_equal "$out" ''
db "UPDATE agents SET status = 'destroyed', destroyed_at = 1"
run chorus-context show ada
expect_status 4
expect_match "$err" 'it was destroyed'

test_case "show --assembled: byte for byte what the next request holds" # C-10 C-33 C-34 C-35 C-36
init a --model anthropic/m --permissions standard --system-prompt $'A prompt.\twith ünï'
dir=$CHORUS_HOME/agents/a
printf 'DOC\r\nline \xe2\x80\xae' >"$dir/docs/b.md"
printf 'Use tabs.\n' >"$dir/workspace/AGENTS.md"
start_server "$(answers "$(call c bash '{"command": "rm -rf /tmp/nothing"}')" "$(say one)" "$(say two)")"
run chorus-run a $'first\nline'
expect_status 10
run chorus-run a --new-thread other --cancel-prompts
expect_status 0
run chorus-context show a --assembled --json
assembled=$out
expect_match "$(jq -r .status <<<"$assembled")" '^<status>.*thread 2.*Waiting for a person'
run chorus-run a -t 1 --cancel-prompts again
expect_status 0
sent=$(cat "$(request 3)")
expect_equal "$(jq .system <<<"$assembled")" "$(jq '[.system[].text] | join("")' <<<"$sent")"
expect_equal "$(jq -c '[.tools[] | [.name, .description, .schema]]' <<<"$assembled")" \
    "$(jq -c '[.tools[] | [.name, .description, .input_schema]]' <<<"$sent")"
expect_equal "$(jq .project <<<"$assembled")" "$(jq '.messages[0].content[0].text' <<<"$sent")"
expect_equal "$(jq '.messages[0].content' <<<"$assembled")" "$(jq '.messages[0].content[1].text' <<<"$sent")"
expect_equal "$(jq -c '.messages[1].tool_calls[0].arguments | fromjson' <<<"$assembled")" \
    "$(jq -c '.messages[1].content[] | select(.type == "tool_use").input' <<<"$sent")"
run chorus-context show a --assembled --json
assembled=$out
run chorus-run a -t 1 'and again'
sent=$(cat "$(request 4)")
texts='[.messages[].content[] | select(.type == "text" or .type == "tool_result") | .text // (.content | if type == "array" then .[0].text else . end)] | join("|")'
expect_equal "$(jq -r '[.project, (.messages[] | (.status // empty), .content), .status, "and again"] | map(select(. != "")) | join("|")' <<<"$assembled")" \
    "$(jq -r "$texts" <<<"$sent")"
run chorus-context show a --assembled
expect_match "$out" $'^model\n    anthropic/m\n\nsystem\n    A prompt\.\twith ünï\n'
expect_match "$out" $'    line \\\\u202e\n'
expect_match "$out" $'\nproject\n    <project-text path="AGENTS.md">\n'
expect_match "$out" $'\nuser\n    first\n    line\n'
expect_no_match "$out" $'\xe2\x80\xae'

test_case "show: during a turn its messages so far are there, and nobody is waited for"
init a --model anthropic/m --permissions open
start_server "$(answers "$(call c bash '{"command": "touch begun; sleep 4"}')" "$(say done)")"
chorus-run a 'a long one' >/dev/null 2>&1 &
turn=$!
wait_for 10 test -e "$CHORUS_HOME/agents/a/workspace/begun" || fail 'the command did not begin'
for verb in show log messages usage artifacts 'verify --prefix'; do
    run timeout 5 chorus-context $verb a
    expect_status 0
done
run chorus-context show a
expect_equal "$(field 4)" user,assistant
run chorus-context log a
expect_equal "$(cut -f4,9 "$scratch/out")" 'working	a long one'
run timeout 5 chorus-context search long
expect_status 0
run timeout 5 chorus-context backup copy.db
expect_status 0
kill -0 $turn 2>/dev/null || fail 'the turn had ended'
wait $turn

test_case "log: a line a turn, oldest first, with the first line of its prompt"
make_days
run chorus-run ada $'\n  \n  hello \x1b[31m there \nsecond line'
run chorus-context log ada
expect_status 0
expect_equal "$(wc -l <"$scratch/out")" 4
expect_equal "$(awk -F'\t' '{ print NF }' "$scratch/out" | sort -u)" 9
expect_equal "$(head -1 "$scratch/out" | cut -f1-5,8-)" '2026-02-10T12:00:00.000Z	1	1	idle	0	$0.0000	zebra one'
expect_equal "$(cut -f9 "$scratch/out" | tail -1)" 'hello \x1b[31m there'
expect_equal "$(field 3)" 1,1,2,1
expect_equal "$(field 5)" 0,1,0,0
run chorus-context log ada -n 2
expect_equal "$(field 2)" 3,4
run chorus-context log ada --since 2026-02-11 --until 2026-02-12
expect_equal "$(field 2)" 2
run chorus-context log ada -t 2
expect_equal "$(field 2)" 3
run chorus-context log ada --json -n 1
expect_equal "$(wc -l <"$scratch/out")" 1
expect_json '[.turn_id, .agent, .thread, .turn_state, .exit_code, .cost_usd, .prompt] | @json' '[4,"ada",1,"idle",0,0,"hello \\x1b[31m there"]'
shown=$(on_terminal 'chorus-context log ada -n 1')
expect_match "$shown" '^[0-9]+ sec ago +4 +1  idle '
expect_no_match "$shown" $'\x1b|\t'
run chorus-run ada "$(printf 'ü%.0s' {1..200})"
run chorus-context log ada -n 1
expect_equal "$(cut -f9 "$scratch/out")" "$(printf 'ü%.0s' {1..79})…"
# its process is gone
db "UPDATE turns SET state = 'working', ended_at = NULL, pid = $$, pid_start = 1 + $(cut -d' ' -f22 /proc/$$/stat) WHERE id = 5"
run chorus-context log ada -n 1
expect_equal "$(cut -f4 "$scratch/out")" unknown
run chorus-context log ada -n 1 --json
expect_json .turn_state unknown

test_case "log TURN: prompt, each call with decision, outcome and duration, answer, error, usage"
init a --model anthropic/m --permissions standard
start_server "$(answers "$(jq -nc '{say: {text: "I try.", tool_calls: [
    {id: "1", name: "bash", arguments: {command: "echo hi"}}, {id: "2", name: "create_file", arguments: {path: "f", content: "x"}}]}}')" "$(say 'All done.')")"
agent_key a permissions '{"deny": ["tool:bash:.*"], "allow": ["tool:create_file:.*"]}'
run chorus-run a $'do it\nnow'
run chorus-context log a 1
expect_status 0
expect_match "$out" '^turn 1, thread 1, its turn 1
  began    20[0-9-]+T[0-9:.]+Z
  end      idle, exit 0, [0-9.]+ s
  model    anthropic/m, profile custom
  by       uid [0-9]+
  tokens   [0-9]+ in \([0-9]+ cached\), [0-9]+ out, in 2 model calls
  cost     -
'
expect_match "$out" 'prompt
    do it
    now
answer
    I try.
call bash, deny, denied
    \{"command": ?"echo hi"\}
call create_file, allow, ok, [0-9]+ ms
'
expect_match "$out" $'\nresult\n    denied: '
expect_match "$out" $'\nanswer\n    All done.$'
run chorus-context log a 1 --json
expect_equal "$(wc -l <"$scratch/out")" 1
expect_json '[.calls[] | "\(.tool) \(.action) \(.decision) \(.outcome) \(.duration_ms | type)"] | join("; ")' \
    'bash tool:bash:echo hi deny denied null; create_file tool:create_file:f allow ok number'
expect_json '[.messages[].role] | join(" ")' 'user assistant tool_result tool_result assistant'
expect_json '.messages[1].tool_calls[1].arguments | fromjson.path' f
expect_json '.usage.input_tokens > 0 and .iterations == 2 and .tool_calls == 2' true
start_server '{"answers": [{"status": 400, "body": "no such thing"}], "after": "repeat-last"}'
run chorus-run a oops
run chorus-context log a 2
expect_match "$out" $'\n  end      error/'
expect_match "$out" $'\n  error    model anthropic/m: '
init b --model builtin/script
run chorus-context log b 1
expect_status 4

test_case "messages: everything ever said, whatever the window, in order over all threads" # C-04 C-11 C-19 C-20 C-21 C-22 C-23 A-11 A-24 C-62
make_days
db "UPDATE agents SET last_clear_message = 1000"
run chorus-context messages ada --all
expect_status 0
expect_equal "$(field 1)" "$(db 'SELECT group_concat(id) FROM messages')"
expect_equal "$(field 4)" user,assistant,user,assistant,tool_result,assistant,user,assistant
expect_equal "$(field 3)" 1,1,1,1,1,1,2,2
run chorus-context messages ada
expect_equal "$(field 4)" user,assistant,user,assistant,user,assistant
expect_equal "$(sed -n 1p "$scratch/out")" '1	2026-02-10T12:00:00.000Z	1	user	zebra one'
run chorus-context messages ada --all --id-gt 3
expect_equal "$(field 1)" 4,5,6,7,8
run chorus-context messages ada --since 2026-02-12
expect_equal "$(field 1)" 7,8
run chorus-context messages ada --until 2026-02-11
expect_equal "$(field 1)" 1,2
run chorus-context messages ada -t 2
expect_equal "$(field 1)" 7,8
run chorus-context messages ada -n 3 --all
expect_equal "$(field 1)" 6,7,8
run chorus-context messages ada --all --json
expect_equal "$(wc -l <"$scratch/out")" 8
expect_equal "$(jq -c 'select(.role == "tool_result") | keys_unsorted' "$scratch/out")" '["schema","agent","id","created_at","thread","turn_id","role","content","tool_calls","tool_call_id","is_error","attachments","status","restored_from","original_at","external_id","left_window","replaced_by"]'
expect_equal "$(sed -n 4p "$scratch/out" | jq -r '.tool_calls[0] | "\(.name) \(.arguments)"')" 'create_file {"path": "walrus.txt", "content": "x"}'
run chorus-run ada $'two\nlines \x1b[2J'
run chorus-context messages ada -n 2
expect_equal "$(head -1 "$scratch/out" | cut -f5)" 'two\nlines \x1b[2J'
shown=$(on_terminal 'chorus-context messages ada -n 2')
expect_match "$shown" ' sec ago  thread 1  user
    two
    lines \\x1b\[2J
'
expect_no_match "$shown" $'\x1b'

test_case "messages, log, search and usage of a destroyed agent are there; the newest of the name counts"
make_days
db "UPDATE agents SET status = 'destroyed', destroyed_at = 1"
for verb in 'messages ada' 'log ada' 'log ada 1' 'usage ada' 'artifacts ada' 'verify ada --prefix' 'search zebra -A ada'; do
    run chorus-context $verb
    expect_status 0
done
rm -rf "$CHORUS_HOME/agents/ada"
init ada --model builtin/script
run chorus-context messages ada
expect_equal "$out" ''
run chorus-context search zebra
expect_equal "$(wc -l <"$scratch/out")" 4

test_case "a million messages are streamed: memory does not grow with them"
init a --model builtin/script
chorus-run a hi >/dev/null
db "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
    INSERT INTO messages (agent_id, thread_id, role, timestamp, content) SELECT 1, 1, 'user', 9e12, hex(zeroblob(150)) FROM n"
limit='ulimit -v 60000;'
nm "$CHORUS_BIN/chorus-context" 2>/dev/null | grep -q __asan_init && limit=''
run bash -c "$limit chorus-context messages a --all | wc -l"
expect_equal "$out" 200002
run bash -c "$limit chorus-context messages a --all --json -n 150000 | tail -1 | jq .id"
expect_equal "$out" 200002
run bash -c "chorus-context messages a | head -1 | wc -l"
expect_equal "$out" 1
run bash -c 'chorus-context messages a -n 5 >/dev/full'
expect_status 1

test_case "search: over all agents or one, best first, in the place asked for"
make_days
init ben --model builtin/script
run chorus-run ben 'zebra zebra'
run chorus-context search zebra
expect_status 0
expect_equal "$(wc -l <"$scratch/out")" 6
expect_match "$(head -1 "$scratch/out" | cut -f1,4-)" '^ben	1	4	(user	zebra zebra|assistant	.*zebra)'
run chorus-context search zebra -A ada --in prompts
expect_equal "$(cut -f1,2,6,7 "$scratch/out")" 'ada	1	user	zebra one
ada	7	user	zebra two'
run chorus-context search walrus --in tools
expect_equal "$(field 6)" assistant
run chorus-context search denied --in tools
expect_equal "$(field 6)" tool_result
run chorus-context search '"two zebra"'
expect_status 1
run chorus-context search 'zeb* t*' --in prompts
expect_equal "$(field 2)" 7
run chorus-context search zebra --since 2026-02-12 -A ada -n 1 --json
expect_equal "$(wc -l <"$scratch/out")" 1
expect_json 'keys_unsorted | join(" ")' 'schema agent id created_at thread turn_id role snippet'
expect_match "$(jq -r .snippet <<<"$out")" zebra
shown=$(on_terminal 'chorus-context search zebra -A ben --in prompts')
expect_match "$shown" $'^ben  message [0-9]+  [0-9]+ sec ago  thread 1  turn 4  user\n    \x1b\\[1;31mzebra\x1b\\[0m'
expect_no_match "$(on_terminal 'NO_COLOR=1 chorus-context search zebra')" $'\x1b'

test_case "search: nothing found is exit 1 without a word; no query is the database's language"
make_days
run chorus-context search nothingofthekind
expect_status 1
expect_equal "$out$err" ''
run chorus-context search nothingofthekind --json
expect_status 1
expect_equal "$out$err" ''
for query in '"zebra' 'zebra"' 'NEAR(zebra one, 3)' 'prompt:zebra' '{prompt} : zebra' 'zebra AND (' "zebra' OR '1" '^zebra' 'zebra + one' '(zebra' 'a OR' \
    $'zebra\x01' "$(printf 'zebra %.0s' {1..60})" "$(head -c 4000 /dev/zero | tr '\0' '(')x"; do
    run chorus-context search "$query"
    [ "$status" = 0 ] || [ "$status" = 1 ] || fail "search $query"
    expect_equal "$err" ''
done
run chorus-context search $'zebra\xff'
expect_status 2
expect_match "$err" 'QUERY: not valid UTF-8 at byte 5'
run chorus-context search '"zebra'
expect_equal "$(wc -l <"$scratch/out")" 4
for query in '   ' '()' '*' '"" ""' "$(head -c 100000 /dev/zero | tr '\0' x)" "$(printf 'zebra %.0s' {1..65})"; do
    run chorus-context search "$query"
    expect_status 2
    expect_match "$err" '^chorus-context: error: search: '
done
expect_db 'SELECT count(*) FROM messages' 8

test_case "search: what is found is made visible, and cannot forge a mark"
init a --model builtin/script
run chorus-run a $'walrus \x1b]0;x\a \xe2\x80\xae \x02 fish'
run chorus-context search fish --in prompts
expect_match "$(cut -f7 "$scratch/out")" '^walrus \\x1b]0;x\\x07 \\u202e \\x02 fish$'
shown=$(on_terminal 'chorus-context search walrus --in prompts')
expect_equal "$(grep -o $'\x1b' <<<"$shown" | wc -l)" 2

test_case "usage: by day, agent, model, profile and session, with totals"
make_days
init ben --model builtin/script
db "DELETE FROM model_calls WHERE id NOT IN (SELECT min(id) FROM model_calls GROUP BY turn_id)"
db "UPDATE model_calls SET input_tokens = turn_id * 100, output_tokens = turn_id, cache_read_tokens = 5, profile = 'P' || turn_id,
    model = CASE turn_id WHEN 2 THEN 'p/y' ELSE 'p/x' END, cost = CASE turn_id WHEN 1 THEN 500000 END, state = CASE turn_id WHEN 3 THEN 'estimated' ELSE 'settled' END"
db "DELETE FROM usage_sums; INSERT INTO usage_sums SELECT date(id / 1000000, 'unixepoch'), agent_id, model, profile, count(*), count(cost), sum(state = 'estimated'),
    sum(input_tokens), sum(output_tokens), sum(cache_read_tokens), 0, 0, coalesce(sum(cost), 0) FROM model_calls GROUP BY 1, 2, 3, 4"
run chorus-context usage
expect_status 0
expect_equal "$out" '2026-02-10	1	100	1	5	0	$0.5000
2026-02-11	1	200	2	5	0	-
2026-02-12	1	300	3	5	0	-
total	3	600	6	15	0	~$0.5000+'
# a part of a day is not in the sums
run chorus-context usage --since 2026-02-10T00:00:01
expect_equal "$(tail -1 "$scratch/out")" 'total	3	600	6	15	0	~$0.5000+'
run chorus-context usage --by profile
expect_equal "$(cut -f1,3 "$scratch/out")" 'P1	100
P2	200
P3	300
total	600'
run chorus-context usage --by model
expect_equal "$(cut -f1,3,7 "$scratch/out")" 'p/x	400	~$0.5000+
p/y	200	-
total	600	~$0.5000+'
run chorus-context usage --by agent --since 2026-02-11 --until 2026-02-12
expect_equal "$(cut -f1,3 "$scratch/out")" 'ada	200
total	200'
run chorus-context usage ben
expect_equal "$out" 'total	0	0	0	0	0	-'
run chorus-context usage ada --json
out=$(jq -s . <<<"$out")
expect_json '[.[0].by, length - 1, .[0].key, .[0].cost_usd, .[1].cost_usd, .[-1].usage.input_tokens, .[-1].priced_calls, .[-1].estimated_calls] | @json' \
    '["day",3,"2026-02-10",0.5,null,600,1,1]'
db "INSERT INTO sessions SELECT 1, 'abcd-1', 'ada', 'of the ' || char(9) || 'first', '', 'manual_save', ended_at + 5, 2, started_at, ended_at, 'x', '' FROM turns WHERE id = 1"
run chorus-context usage --by session
expect_equal "$out" 'abcd-1	1	100	1	5	0	$0.5000	of the \tfirst
-	2	500	5	10	0	-
total	3	600	6	15	0	~$0.5000+'
expect_match "$(on_terminal 'chorus-context usage')" '^ +calls +input +output +cache read +cache write +cost
2026-02-10 +1 +100 '

test_case "artifacts: what was put aside for an agent"
init a --model builtin/script
run chorus-context artifacts a
expect_equal "$out" ''
head -c 100000 /dev/zero | tr '\0' x >long
run_stdin long chorus-run a -p look
run chorus-context artifacts a
expect_status 0
expect_match "$out" '^stdin-[a-z0-9]{8}	file	100000	20[0-9T:.-]+Z	stdin	artifacts/stdin-[a-z0-9]{8}\.txt$'
expect_file "$CHORUS_HOME/agents/a/$(field 6)" "$(cat long)"
run chorus-context artifacts a --json
expect_json '[.kind, .name, .mime_type, .status, .version, .size_bytes] | @json' '["file","stdin","text/plain","complete",1,100000]'

test_case "backup: a whole copy, beside whoever writes, never over a file unasked"
make_days
run chorus-context backup copy.db
expect_status 0
expect_equal "$out" "copy.db: $(stat -c %s copy.db) bytes"
expect_equal "$(stat -c %a copy.db)" 600
expect_equal "$(sqlite3 -readonly copy.db 'PRAGMA integrity_check; SELECT count(*) FROM messages')" 'ok
8'
expect_equal "$(find . -maxdepth 1 -name '*copy*' -o -maxdepth 1 -name '.chorus*')" ./copy.db
run chorus-context backup copy.db
expect_status 5
expect_match "$err" "'copy.db': already exists"
expect_match "$err" 'hint: --force'
run chorus-run ada more
run chorus-context backup --force copy.db --json
expect_status 0
expect_json '"\(.file) \(.size_bytes)"' "copy.db $(stat -c %s copy.db)"
expect_equal "$(sqlite3 copy.db 'SELECT count(*) FROM messages')" 10
for wrong in "$CHORUS_HOME/chorus.db" "$scratch"; do
    run chorus-context backup --force "$wrong"
    expect_status 2
done
run chorus-context backup missing/copy.db
expect_status 2
expect_match "$err" 'missing'
expect_db 'SELECT count(*) FROM messages' 10
mkdir "$scratch/restored" && chmod 700 "$scratch/restored"
cp copy.db "$scratch/restored/chorus.db"
cp -r "$CHORUS_HOME/agents" "$scratch/restored/"
run env CHORUS_HOME="$scratch/restored" chorus-run ada 'from the backup'
expect_status 0
run env CHORUS_HOME="$scratch/restored" chorus-context messages ada -n 2
expect_equal "$(head -1 "$scratch/out" | cut -f5)" 'from the backup'

test_case "backup: a full disk leaves nothing, and the home as it was"
make_days
mkdir full
if mount -t tmpfs -o size=64k tmpfs full; then
    run chorus-context backup full/copy.db
    expect_status 1
    expect_match "$err" 'disk is full|No space left'
    expect_equal "$(ls -A full)" ''
    umount full
else
    fail 'a small file system could not be mounted'
fi
run chorus-context verify
expect_status 0

test_case "verify --prefix: what was sent only grew; causes are counted; the first other message is named"
init a --model anthropic/m --permissions open
start_server "$(answers "$(call c list_files '{}')" "$(say one)" "$(say two)" "$(say three)" "$(say four)" "$(say five)" "$(say six)" "$(say seven)")"
run chorus-context verify a --prefix
expect_equal "$out" 'thread 1: 0 messages, nothing changed'
run chorus-run a first
run chorus-run a second
run chorus-context verify a --prefix
expect_status 0
expect_equal "$out" 'thread 1: 6 messages, nothing changed'
echo more >"$CHORUS_HOME/agents/a/docs/more.md"
run chorus-run a third
echo 'Use tabs.' >"$CHORUS_HOME/agents/a/workspace/AGENTS.md"
agent_key a system_prompt '"Another."'
run chorus-run a fourth
run chorus-context verify a --prefix
expect_equal "$out" 'thread 1: 10 messages, 1 change of the prompt, 1 change of docs, 1 change of AGENTS.md'
run chorus-run a fifth --fresh
db "UPDATE agents SET last_clear_message = (SELECT max(id) FROM messages WHERE turn_id = 3)"
run chorus-run a sixth
expect_equal "$(jq -r '[.messages[].content[] | select(.type == "text").text] | .[1:] | join("|")' "$(request 7)")" 'fourth|four|fifth|five|sixth'
agent_key a permissions '"locked"'
run chorus-run a seventh
run chorus-context verify a --prefix --json
expect_status 0
expect_json '.threads[0] | [.messages, .unhashed, .broken_message, .cuts, .model, .prompt, .docs, .project, .tools] | @json' '[14,2,null,1,0,1,1,1,1]'
expect_json '"\(.agent) \(.ok) \(.problem)"' 'a true null'
run chorus-run a --new-thread other -m builtin/script
run chorus-context verify a --prefix -t 2
expect_equal "$out" 'thread 2: 2 messages, nothing changed'
db "UPDATE messages SET content = 'onE' WHERE content = 'one'"
run chorus-context verify a --prefix
expect_status 1
expect_match "$err" 'thread 1: message 4 differs from what was sent'
expect_match "$out" 'thread 2: 2 messages, nothing changed'
run chorus-context verify a --prefix --json
expect_status 1
expect_json '"\(.ok) \(.threads[0].broken_message) \(.threads[1].broken_message)"' 'false 4 null'

test_case "verify --prefix: --retry and a crashed turn break nothing"
init a --model anthropic/m --permissions open
home_key max_retries 0
start_server "$(jq -nc '{answers: [{say: {text: "one"}}, {status: 500, body: "x"}, {say: {text: "two"}}, {say: {text: "three"}}], after: "repeat-last"}')"
run chorus-run a first
run chorus-run a second
[ "$status" != 0 ] || fail 'it should have failed'
run chorus-run a --retry
expect_status 0
run chorus-run a third
run chorus-context verify a --prefix
expect_status 0
expect_equal "$out" 'thread 1: 6 messages, nothing changed'

test_case "the window is cut once to 60 %, and then stands; every request goes on from the one before" # C-67
init a --model anthropic/m --permissions open
room_of a 2500 half
big=$(printf 'word %.0s' {1..200})
start_server "$(answers "$(say "$big")")"
for n in {1..14}; do run chorus-run a "$n $big"; expect_status 0; done
run chorus-context verify a --prefix --json
expect_status 0
expect_json '.threads[0] | .messages == 28 and .cuts >= 2 and .cuts <= 6' true
first_of() { jq -r '[.messages[0].content[].text] | join("") | split(" ")[0]' "$(request "$1")"; }
firsts=$(for n in {1..14}; do first_of "$n"; done | uniq | wc -l)
expect_json '.threads[0].cuts' $((firsts - 1))
expect_db 'SELECT window_start FROM threads WHERE thread_id = 1' "$(db 'SELECT window_start FROM prefixes ORDER BY message_id DESC LIMIT 1')"

test_case "within a turn the cut stands too, and hashes go on from it"
init a --model anthropic/m --permissions open
room_of a 1500 half
start_server "$(answers "$(say "$big")" "$(say "$big")" "$(say "$big")" "$(call 1 bash '{"command": "yes word | head -1200 | tr \"\\n\" \" \""}')" \
    "$(call 2 list_files '{}')" "$(call 3 list_files '{}')" "$(say done)" "$(say next)")"
for n in 1 2 3; do run chorus-run a "$n $big"; done
run chorus-run a 'four'
expect_status 0
for n in 5 6 7; do expect_acceptable "$(request $n)"; done
expect_equal "$(jq -c '.messages[0] | del(.. | .cache_control?)' "$(request 5)")" "$(jq -c '.messages[0] | del(.. | .cache_control?)' "$(request 6)")"
expect_equal "$(jq -c '.messages[0] | del(.. | .cache_control?)' "$(request 6)")" "$(jq -c '.messages[0] | del(.. | .cache_control?)' "$(request 7)")"
run chorus-run a five
expect_equal "$(jq -c '.messages[0] | del(.. | .cache_control?)' "$(request 7)")" "$(jq -c '.messages[0] | del(.. | .cache_control?)' "$(request 8)")"
run chorus-context verify a --prefix
expect_status 0
expect_match "$out" '^thread 1: 16 messages, 1 cut$'

test_case "tokens are counted as the provider counted them in the last turn"
counting() { # TOKENS of input that the last turn is to have had: how many messages are left in the window, in $left
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m --permissions open
    room_of a 5000
    start_server "$(answers "$(say "$big")")"
    for n in 1 2 3 4; do run chorus-run a "$n $big"; done
    db "UPDATE turns SET input_tokens = $1"
    run chorus-context show a
    left=$(wc -l <"$scratch/out")
}
counting 0
expect_equal "$left" 8
counting 100000
[ "$left" -lt 8 ] || fail 'three times as many tokens are too many'
counting 1
expect_equal "$left" 8

test_case "what a restore or a branch copies is found once, and breaks no prefix"
init a --model builtin/script
run chorus-run a 'the heron stands'
run chorus-context branch a other
run chorus-run a -t other 'the heron flies'
run chorus-context save a kept --no-summary
run chorus-context clear a
run chorus-context restore a "$(db 'SELECT id FROM sessions')"
expect_status 0
run chorus-context verify a --prefix
expect_status 0
expect_match "$out" 'thread 2: [0-9]+ messages, 1 cut'
run chorus-context search heron --in prompts --json
expect_equal "$(jq -r .id <<<"$out" | wc -l)" 2
run chorus-run a 'and now'
run chorus-context verify a --prefix
expect_status 0
said() { jq -r '.messages[] | select(.content | startswith("the heron stands")) | .timestamp' "$CHORUS_HOME/$1" | sort -u; }
run chorus-context save a again --no-summary
expect_equal "$(said "$(db "SELECT file_path FROM sessions WHERE description = 'again'")")" "$(chorus-context messages a --json | jq -r 'select(.id == 1).created_at')"

test_case "log -p shows what calls changed, as git takes it"
init a --model builtin/script --permissions open
run chorus-run a '/create_file {"path": "f", "content": "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"}
/create_file {"path": "g", "content": "no newline"}
/bash git add -A; git commit -qm all'
run chorus-run a '/str_replace {"path": "f", "old_str": "2\n3", "new_str": "two\nand\nthree"}
/create_file {"path": "f", "content": "1\ntwo\nand\nthree\n4\n5\n6\n7\n8\n9\n10\n11\n12\nlast"}
/append_file {"path": "g", "content": " here\n"}
/str_replace {"path": "f", "old_str": "nowhere", "new_str": "x"}
/create_file {"path": "n/é", "content": "new\n"}'
expect_status 0
workspace=$CHORUS_HOME/agents/a/workspace
run chorus-context log a 2 -p
expect_status 0
expect_match "$out" $'\n''call str_replace, allow, ok, [0-9]+ ms'$'\n''diff --git a/f b/f'$'\n''--- a/f'$'\n''\+\+\+ b/f'$'\n''@@ -1,6 \+1,7 @@'
expect_match "$out" '"nowhere"'
run chorus-context log a -p -n 1
expect_status 0
expect_equal "$(grep -c '^--- ' <<<"$out")" 4
expect_no_match "$out" 'nowhere'
# the changes of a turn one after the other lead to what there is; back again, newest first
cp -r "$workspace" copy
for n in 4 2 1 0; do
    chorus-context log a --json 2 | jq -j ".calls[$n].patch" | git -C copy apply -R - || fail "call $n cannot be taken back"
done
expect_equal "$(git -C copy status --short)" ''
run chorus-context log a -p --json -n 1
expect_json '.calls | map(.patch != null) | @csv' 'true,true,true,false,true'
run chorus-context log a --json -n 1
expect_json .calls null

test_case "a patch holds no key"
init a --model builtin/script --permissions open
run env ANTHROPIC_API_KEY=sk-ant-0123456789abcdef chorus-run a '/create_file {"path": "k", "content": "sk-ant-0123456789abcdef\n"}'
expect_no_match "$(db 'SELECT patch FROM tool_runs')" 'sk-ant-0123456789abcdef'
expect_match "$(db 'SELECT patch FROM tool_runs')" 'b/k'


test_case "an artifact is escaped on a terminal, and written as it is into a pipe"
init a --model builtin/script
run chorus-run a '/artifact_create {"artifact_id":"x","content":"\u001b]0;PWN\u0007\u001b[31mred \u202e"}'
expect_equal "$(on_terminal 'chorus-context artifacts a x')" '\x1b]0;PWN\x07\x1b[31mred \u202e'
expect_equal "$(chorus-context artifacts a x)" $'\e]0;PWN\a\e[31mred \u202e'
end_tests
