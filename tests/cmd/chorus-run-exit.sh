#!/usr/bin/env bash
# needs: root
# Every way a turn ends: its exit status is the table's, the same in text, json and stream-json, one clear
# line says why, nothing that was accepted is lost and the next turn works.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

status_answer() { # STATUS TYPE MESSAGE [HEADERS]
    jq -nc --argjson status "$1" --arg type "$2" --arg message "$3" --argjson headers "${4:-{\}}" \
        '{status: $status, headers: $headers, body: ({error: {type: $type, message: $message}} | tojson)}'
}

test_case "0: done, in three formats" # A-05 A-46
agent_of anthropic/m
start_server "$(answers "$(say $'fine ☀\n')")"
run chorus-run a hi
expect_status 0
expect_equal "$(od -An -tx1 "$scratch/out" | tr -d ' \n')" 66696e6520e298800a
expect_equal "$err" ''
run chorus-run a hi --json
expect_status 0
expect_equal "$(wc -l <"$scratch/out")" 1
expect_json '[.schema, .agent, .thread, .turn, .state, .reason, .text, .error, .resume_at, .exit_code] | map(tostring) | join(",")' \
    $'chorus.result/1,a,1,2,completed,null,fine ☀\n,null,null,0'
expect_json '[.usage.input_tokens, .usage.output_tokens, .iterations, .tool_calls, .cost_usd, (.pending + .denied + .artifacts | length)] | map(tostring) | join(",")' '10,5,1,0,null,0'
run chorus-run a hi --output-format stream-json
expect_status 0
expect_events
expect_equal "$(jq -r .kind "$scratch/out" | uniq | tr '\n' ' ')" 'task status-update content-delta message status-update '
expect_equal "$(jq -rj 'select(.kind == "content-delta").text' "$scratch/out")" $'fine ☀'
expect_equal "$(jq -r 'select(.kind == "message") | .messageId' "$scratch/out")" "$(db 'SELECT max(id) FROM messages')"
expect_equal "$(jq -r '"\(.taskId) \(.contextId)"' "$scratch/out" | sort -u)" '3 a/1'
expect_equal "$(tail -1 "$scratch/out" | jq -r '.status.state')" completed

test_case "0: nothing to do"
agent_of builtin/script
run chorus-run a hi
run chorus-run a --resume --json
expect_status 0
expect_json '"\(.state) \(.reason) \(.exit_code) \(.audit.rows)"' 'completed nothing_to_do 0 null'
expect_equal "$err" 'chorus-run: notice: there is nothing to continue'
run chorus-run a --resume --output-format stream-json
expect_status 0
expect_events
expect_db 'SELECT count(*) FROM turns' 1

test_case "1: five tool failures in a row" # A-49
agent_of anthropic/m
start_server "$(answers "$(call same view '{"path": "missing.txt"}')")"
fails_alike 1 FAILED failed 'five tool failures in a row' chorus-run a 'say it'
expect_db "SELECT group_concat(state || ' ' || reason || ' ' || iterations, ', ') FROM turns" \
    'error tool_failures 5, error tool_failures 5, error tool_failures 5'
expect_db "SELECT count(DISTINCT tool_call_id) FROM tool_runs" 15
goes_on 3
start_server "$(answers "$(call x nosuch '{}')" "$(call x view '{}')" "$(call x view '{"path": "."}')" "$(call x view '{}')" "$(call x view '{}')" "$(call x bash '{"command": 5}')" "$(say ok)")"
run chorus-run a 'a success between resets the count'
expect_status 0

test_case "1: stdout that cannot be written: the turn ends well, the status says so"
agent_of builtin/script
broken_stdout() { # OPTIONS: three kinds of it
    run bash -c 'chorus-run a hi -o file "$@" >/dev/full' -- "$@"
    expect_status 1
    expect_equal "$err" 'chorus-run: error: stdout: not everything could be written'
    run bash -c 'chorus-run a hi "$@" >&-' -- "$@"
    expect_status 1
    expect_equal "$err" 'chorus-run: error: stdout: not everything could be written'
    run bash -c 'exec 3> >(exit 0); sleep 0.2; chorus-run a hi "$@" >&3' -- "$@"
    expect_status 1
    expect_equal "$err" 'chorus-run: error: stdout: not everything could be written'
}
broken_stdout
expect_match "$(cat file)" 'hi$'
broken_stdout --json
expect_equal "$(jq -r '"\(.exit_code) \(.error.code)"' file)" '1 FAILED'
broken_stdout --output-format stream-json
expect_equal "$(tail -1 file | jq -r .final)" true
expect_db "SELECT group_concat(DISTINCT state || ' ' || exit_code) FROM turns" 'idle 0'
expect_db 'SELECT count(*) FROM turns' 9
expect_sound
for closed in '<&-' '2>&-' '<&- >&- 2>&-'; do
    run bash -c "chorus-run a hi $closed"
    expect_db 'PRAGMA integrity_check' ok
done
expect_equal "$(find "$CHORUS_HOME/locks" -type f ! -name reserve -size +0 | wc -l)" 0

test_case "2: usage, and prompts that are none, before anything is recorded" # S-69
agent_of builtin/script
fails_alike 2 BAD_REQUEST failed 'usage: ' chorus-run a hi --no-such-option
fails_alike 2 BAD_REQUEST failed 'NAME is required' chorus-run
fails_alike 2 BAD_REQUEST failed 'prompt: there is none' chorus-run a
expect_match "$err" '^chorus-run: error: .*'$'\n''chorus-run: hint: .*-p TEXT'
fails_alike 2 BAD_REQUEST failed 'usage: -p: is empty' chorus-run a -p ''
fails_alike 2 BAD_REQUEST failed 'prompt: it is empty' chorus-run a -p $' \n\t'
fails_alike 2 BAD_REQUEST failed 'not valid UTF-8 at byte 3' chorus-run a -p $'abc\xff'
fails_alike 2 BAD_REQUEST failed 'given more than once' chorus-run a word -p text
fails_alike 2 BAD_REQUEST failed "--timeout: 'soon' is not a duration" chorus-run a hi --timeout soon
fails_alike 2 BAD_REQUEST failed '--resume: takes no prompt' chorus-run a hi --resume
fails_alike 2 BAD_REQUEST failed '-C: .*/none' chorus-run a hi -C "$scratch/none"
fails_alike 2 BAD_REQUEST failed 'usage: -C: is empty' chorus-run a hi -C ''
fails_alike 2 BAD_REQUEST failed 'usage: ' chorus-run a --resume --new-thread
fails_alike 2 BAD_REQUEST failed 'none/file: No such file' chorus-run a hi -o none/file
fails_alike 2 BAD_REQUEST failed 'CHORUS_STDIN_TIMEOUT_MS: "x"' env CHORUS_STDIN_TIMEOUT_MS=x chorus-run a hi
mkfifo idle
exec 9<>idle
fails_alike 2 BAD_REQUEST failed 'stdin: no input within' env CHORUS_STDIN_TIMEOUT_MS=300 bash -c 'chorus-run a "$@" <idle' --
exec 9>&-
nothing_recorded

test_case "3: configuration that is wrong, file and key named; the file of a newer chorus is left alone" # L-19
agent_of builtin/script
dir=$CHORUS_HOME/agents/a
cp "$dir/agent.json" good.json
broken() { # REGEX, agent.json is broken
    fails_alike 3 CONFIG_INVALID failed "$1" chorus-run a hi
    cp good.json "$dir/agent.json"
    trusted a
}
agent_key a max_iterations '"many"'
broken 'a/agent\.json: max_iterations: expected a whole number, 1 or more, found "many"'
echo '{"name": "a",' >"$dir/agent.json"
broken 'a/agent\.json: '
edit_agent_key a permissions '{"allow": ["tool:view:.*", "tool:("]}'
broken "allow\[1\].*tool:\("
edit_agent_key a permissions '{"deny": ["(?!x)y"]}'
broken 'deny\[0\]'
edit_agent_key a permissions '"nosuch"'
broken "no profile 'nosuch'"
sed -i 's/^{/{"model": "builtin\/script",/' "$dir/agent.json"
broken 'a/agent\.json: .*(twice|duplicate|model)'
for file in config.json credentials.json available_models.json; do
    [ ! -e "$CHORUS_HOME/$file" ] || mv "$CHORUS_HOME/$file" "$file.aside"
    ln -s nowhere "$CHORUS_HOME/$file"
    fails_alike 3 CONFIG_INVALID failed "$file: a link that leads nowhere" chorus-run a hi
    rm "$CHORUS_HOME/$file"
    [ ! -e "$file.aside" ] || mv "$file.aside" "$CHORUS_HOME/$file"
done
agent_key a budget '{"usd_per_turn": 1}'
edit_agent_key a model '"ollama/x"'
broken 'budget\.usd_per_turn: .*price'
rm "$dir/agent.json"
broken 'agent\.json: no such file'
rm "$dir/agent.json"
fails_alike 3 CONFIG_INVALID failed 'agent\.json: no such file' chorus-run a hi --new-thread
expect_db 'SELECT count(*) FROM threads' 1
cp good.json "$dir/agent.json"
home_key max_retries '"x"'
fails_alike 3 CONFIG_INVALID failed 'config\.json: max_retries' chorus-run a hi
rm "$CHORUS_HOME/config.json"
for each in "$dir/agent.json" "$CHORUS_HOME/config.json" "$CHORUS_HOME/models.json" "$CHORUS_HOME/available_models.json"; do
    for make in mkfifo mkdir; do
        rm -f "$each"
        $make "$each"
        fails_alike 3 CONFIG_INVALID failed "${each##*/}: not a regular file" timeout 20 chorus-run a hi
        rm -r "$each"
    done
    cp good.json "$dir/agent.json"
done
fails_alike 3 CONFIG_INVALID failed 'CHORUS_HOME: not an absolute path' env CHORUS_HOME=x chorus-run a hi
nothing_recorded
run chorus-run a hi
expect_status 0
db 'PRAGMA user_version = 999; PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
before=$(cd "$CHORUS_HOME" && sha256sum chorus.db && find agents -type f | sort)
fails_alike 3 CONFIG_INVALID failed 'newer chorus .schema 999' chorus-run a hi
expect_equal "$(cd "$CHORUS_HOME" && sha256sum chorus.db && find agents -type f | sort)" "$before"

test_case "1: a workspace that is gone, and the hint brings one back"
agent_of builtin/script
rm -r "$CHORUS_HOME/agents/a/workspace"
fails_alike 1 FAILED failed 'a/workspace: no such directory' chorus-run a hi
nothing_recorded
expect_match "$err" 'hint: chorus-config doctor --fix '
run chorus-config doctor --fix
run chorus-run a hi
expect_status 0

test_case "3: a turn that an error ends tells what it used"
agent_of builtin/script --permissions open
run chorus-config set sandbox off -A a
run chorus-run a --json "/bash sqlite3 $CHORUS_HOME/chorus.db 'PRAGMA user_version = 999'"
expect_status 3
expect_json '"\(.iterations) \(.tool_calls)"' '1 1'

test_case "4: no such agent, thread or home; destroyed" # L-47 S-64
fails_alike 4 NOT_FOUND failed 'the home does not exist' chorus-run a hi
agent_of builtin/script
fails_alike 4 NOT_FOUND failed "agent 'nobody': no such agent" chorus-run nobody hi
expect_match "$err" "hint: there are 'a'"
fails_alike 4 NOT_FOUND failed "no thread '7'" chorus-run a hi -t 7
fails_alike 4 NOT_FOUND failed "no thread 'branchy'" chorus-run a hi -t branchy
nothing_recorded
db "UPDATE agents SET status = 'destroyed', destroyed_at = 1"
fails_alike 4 EXITED failed "agent 'a': it was destroyed" chorus-run a hi
db "UPDATE agents SET status = 'destroying'"
fails_alike 4 EXITED failed "agent 'a': it is being destroyed" chorus-run a hi

test_case "6: the provider refuses the key or asks for money" # S-09 S-38 S-39 S-68
agent_of anthropic/m
fails_alike 6 UNAUTHORIZED failed 'no key: ANTHROPIC_API_KEY is not set' chorus-run a 'say it'
for model in anthropic/m openai/m openai-chat/m; do
    start_server "$(answers "$(status_answer 401 authentication_error 'invalid x-api-key sk-test-0123456789abcdef')")"
    fails_alike 6 UNAUTHORIZED failed "model $model: .*401 .*invalid x-api-key" chorus-run a 'say it' -m $model
    expect_equal "$(request_count)" 3
    expect_no_match "$out$err" 'sk-test'
done
start_server "$(answers "$(status_answer 402 billing_error 'pay first')")"
fails_alike 6 OUT_OF_CREDITS failed 'pay first' chorus-run a 'say it'
start_server "$(answers "$(status_answer 403 permission_error 'not for you')")"
fails_alike 6 UNAUTHORIZED failed 'not for you' chorus-run a 'say it'
start_server "$(answers "$(status_answer 429 insufficient_quota 'You exceeded your current quota')")"
fails_alike 6 OUT_OF_CREDITS failed 'quota' chorus-run a 'say it' -m openai/m
expect_db "SELECT group_concat(DISTINCT error_category) FROM turns" 'unauthorized,out_of_credits'
expect_db "SELECT DISTINCT state FROM turns" error
expect_db "SELECT count(*) FROM turns WHERE error_detail LIKE '%sk-test%'" 0
expect_db "SELECT count(*) FROM turns WHERE error_detail LIKE 'model anthropic/m: %401 %invalid x-api-key%'" 3
goes_on 21

test_case "6: a home of strangers"
agent_of builtin/script
chmod 777 "$CHORUS_HOME"
fails_alike 6 FORBIDDEN failed 'writable by other users' chorus-run a hi
chmod 700 "$CHORUS_HOME"
chown 12345 "$CHORUS_HOME"
fails_alike 6 FORBIDDEN failed 'uid 12345' chorus-run a hi
expect_match "$err" 'hint: sudo -u'
chown "$(id -u)" "$CHORUS_HOME"
nothing_recorded

test_case "7: no provider serves the model" # A-09 S-70
agent_of builtin/script
fails_alike 7 NO_DRIVER failed "'nowhere'" chorus-run a hi -m nowhere/x
expect_match "$err" "hint: .*'anthropic'"
nothing_recorded
fails_alike 7 NO_DRIVER failed "no provider 'antropic'" chorus-run a hi -m antropic/x
expect_match "$err" "hint: did you mean 'anthropic'"
fails_alike 7 NO_DRIVER failed "there is no 'builtin/other'" chorus-run a hi -m builtin/other
nothing_recorded

test_case "7: the provider cannot be reached, fails, or breaks off" # S-41 S-42 S-43 A-60
agent_of anthropic/m
start_server "$(answers "$(say x)")"
dead_url=$CHORUS_ANTHROPIC_BASE_URL
stop_server
export ANTHROPIC_API_KEY=sk-test-0123456789abcdef
fails_alike 7 NO_INTERNET failed 'connection refused: 127' env CHORUS_ANTHROPIC_BASE_URL="$dead_url" chorus-run a 'say it'
home_key max_retries 0
run env CHORUS_ANTHROPIC_BASE_URL=http://nowhere.invalid chorus-run a 'say it' --json
expect_status 7
expect_json '"\(.error.code) \(.error.message | test("host not found: nowhere.invalid"))"' 'NO_INTERNET true'
home_key max_retries 1
start_server "$(answers "$(status_answer 500 api_error 'it hurts')")"
fails_alike 7 SERVER_ERROR failed '500 api_error: it hurts' chorus-run a 'say it'
expect_equal "$(request_count)" 6
expect_equal "$(jq -r 'select(.kind == "retry") | "\(.attempt) \(.category)"' "$scratch/out")" '1 server_error'
start_server "$(answers "$(status_answer 529 overloaded_error 'busy')" "$(say 'after all')")"
run chorus-run a 'say it'
expect_status 0
expect_equal "$out" 'after all'
start_server "$(answers "$(status_answer 400 invalid_request_error 'messages: wrong')")"
fails_alike 7 PROVIDER_ERROR failed '400 invalid_request_error: messages: wrong' chorus-run a 'say it'
expect_equal "$(request_count)" 3
start_server "$(answers '{"status": 302, "headers": {"location": "http://127.0.0.1:1/"}}')"
fails_alike 7 PROVIDER_ERROR failed 'redirect' chorus-run a 'say it'
for model in anthropic/m openai/m openai-chat/m; do
    start_server "$(answers '{"say": {"text": "half a", "stop": "none"}}')"
    between() { expect_db "SELECT content FROM messages ORDER BY id DESC LIMIT 1" 'half a'; }
    fails_alike 7 NO_INTERNET failed 'cut' chorus-run a 'say it' -m $model
    expect_equal "$(request_count)" 5 # twice each, but for the text that was shown
    start_server "$(answers '{"say": {"text": "half a", "error": {"type": "overloaded_error", "message": "too much"}}}')"
    fails_alike 7 SERVER_ERROR failed 'too much' chorus-run a 'say it' -m $model
    between() { :; }
    start_server "$(answers '{"hang_up": true}')"
    run chorus-run a 'say it' -m $model --json
    expect_status 7
    expect_json '"\(.error.code) \(.error.category) \(.text)"' 'NO_INTERNET no_internet '
    # a call that was cut off is never run
    start_server "$(answers '{"say": {"text": "x", "tool_calls": [{"id": "c", "name": "create_file", "arguments": {"path": "no", "content": "no"}}], "stop": "none"}}')"
    run chorus-run a 'say it' -m $model --json
    expect_status 7
    expect_missing "$CHORUS_HOME/agents/a/workspace/no"
    expect_json '"\(.text) \(.tool_calls)"' 'x 0'
done
goes_on 38

test_case "7: a certificate that nobody vouches for"
agent_of anthropic/m
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=x \
    -addext subjectAltName=IP:127.0.0.1 2>/dev/null
start_server "$(answers "$(say 'trusted')")" --tls "$scratch/cert.pem" "$scratch/key.pem"
export CHORUS_ANTHROPIC_BASE_URL=https://127.0.0.1:$port
fails_alike 7 NO_INTERNET failed '[Cc]ertificate|TLS' chorus-run a 'say it'
expect_equal "$(request_count)" 0
run env SSL_CERT_FILE="$scratch/cert.pem" chorus-run a 'say it'
expect_status 0
expect_equal "$out" trusted
expect_equal "$(cat "$CHORUS_HOME"/certificates/*/*)" "$(cat cert.pem)"

# limited REASON REGEX COMMAND …: exit 9 is a warning, and the state is completed
limited() {
    local reason=$1 regex=$2
    shift 2
    run "$@"
    expect_status 9
    expect_match "$err" "^chorus-run: warning: .*$regex"
    expect_equal "$(errors_in "$err")" 0
    run "$@" --json
    expect_status 9
    expect_json '"\(.exit_code) \(.error.code) \(.state) \(.reason)"' "9 LIMIT completed $reason"
    run "$@" -q --output-format stream-json
    expect_status 9
    expect_equal "$err" ''
    expect_events
    expect_equal "$(tail -1 "$scratch/out" | jq -r '"\(.status.state) \(.metadata.reason)"')" "completed $reason"
}
test_case "9: limits: iterations, tokens of a turn, of an answer" # A-14 A-33 A-47 X-24 X-33
agent_of anthropic/m
start_server "$(answers '{"say": {"text": "again", "tool_calls": [{"name": "list_files"}]}}')"
limited max_iterations 'ended after 2 model calls' chorus-run a 'say it' --max-iterations 2
expect_db 'SELECT group_concat(iterations) FROM turns' 2,2,2
agent_key a max_iterations 3
limited max_iterations 'ended after 3 model calls' chorus-run a 'say it'
agent_key a max_iterations null
limited max_iterations 'ended after 25 model calls' chorus-run a 'say it'
agent_key a budget '{"tokens_per_turn": 30}'
limited tokens 'token limit' chorus-run a 'say it'
expect_db 'SELECT iterations, input_tokens + output_tokens FROM turns ORDER BY id DESC LIMIT 1' '2|30'
agent_key a budget null
start_server "$(answers '{"say": {"text": "cut in the mid", "stop": "max_tokens"}}')"
limited tokens 'token limit' chorus-run a 'say it'
expect_db "SELECT DISTINCT state FROM turns" idle
expect_db "SELECT content FROM messages ORDER BY id DESC LIMIT 1" 'cut in the mid'
goes_on 15
start_server "$(answers '{"say": {"text": "cut", "tool_calls": [{"id": "x", "name": "create_file", "arguments": {"path": "f", "content": "half"}}], "stop": "max_tokens"}}' "$(say 'smaller then')")"
run chorus-run a 'a call in an answer that was cut is not run'
expect_status 0
expect_equal "$out" 'smaller then'
expect_missing "$CHORUS_HOME/agents/a/workspace/f"
expect_match "$(jq -r '.messages[-1].content[0].content[0].text' "$(request 2)")" 'limit of 5 tokens.*not run'

test_case "1: the model declines"
agent_of anthropic/m
start_server "$(answers '{"say": {"text": "I would rather not.", "stop": "refusal"}}')"
fails_alike 1 FAILED failed 'declined to answer' chorus-run a 'say it'
expect_match "$(db "SELECT reason FROM turns LIMIT 1")" refused
goes_on 3 0

test_case "10: nobody to ask" # S-08 S-48 X-15 A-07 A-40
agent_of builtin/script --permissions standard
command=$'/bash touch done\n/view .'
run chorus-run a "say it
$command"
expect_status 10
expect_equal "$(errors_in "$err")" 0
id=$(db 'SELECT id FROM prompts')
expect_match "$err" "chorus-run: waits: $id: tool:bash:touch done"
expect_match "$err" 'chorus-run: hint: .*: chorus-config set -A a permissions sandboxed'
run chorus-run a 'say it too' --json
expect_status 10
expect_json '"\(.exit_code) \(.error.code) \(.state) \(.reason) \(.turn)"' '10 INPUT_REQUIRED input-required permission 1'
expect_json '.pending | length' 1
expect_json '.pending[0] | "\(.id) \(.kind) \(.action) \(.tool) \(.arguments.command)"' "$id permission tool:bash:touch done bash touch done"
run chorus-run a --resume --output-format stream-json
expect_status 10
expect_events
expect_equal "$(jq -r '.status.state // .kind' "$scratch/out" | tail -1)" input-required
run chorus-run a -q --resume
expect_status 10
expect_equal "$err" "chorus-run: waits: $id: tool:bash:touch done"
expect_db "SELECT state || ' ' || (pid IS NULL) || ' ' || (ended_at IS NULL) FROM turns" 'prompt 1 1'
expect_db "SELECT state FROM prompts" pending
expect_db 'SELECT count(*) FROM audit_log' 0
expect_db "SELECT turn_count FROM agents" 0
expect_missing "$CHORUS_HOME/agents/a/workspace/done"
run chorus-run a --new-thread "$command" --output-format stream-json
expect_status 10
expect_events
expect_equal "$(jq -r '.kind' "$scratch/out" | tail -2 | tr '\n' ' ')" 'tool-call status-update '
run chorus-run a -t 2 --cancel-prompts 'never mind'
expect_status 0
start_server "$(answers "$(say 'Forget it.')")"
run chorus-run a 'say it now' -m anthropic/m --cancel-prompts
expect_status 0
expect_acceptable "$(request 1)"
expect_equal "$(jq -r '.messages[2].content[0].content[0].text' "$(request 1)")" 'cancelled: the turn was given up before the call ran'
expect_db "SELECT group_concat(state) FROM prompts WHERE turn_id = 1" cancelled
expect_db "SELECT outcome FROM tool_runs WHERE turn_id = 1" cancelled
expect_db "SELECT group_concat(previous || '>' || next) FROM (SELECT * FROM events WHERE turn_id = 1 ORDER BY id)" \
    'starting>working,working>prompt,prompt>exited'
echo '{"ask": ["tool:bash:.*"]}' >asks.json
run chorus-run a --new-thread --permissions @asks.json "$command"
expect_status 10
expect_no_match "$err" 'permissions sandboxed'
run chorus-run a -t 3 --cancel-prompts 'never mind'
expect_status 0
expect_missing "$CHORUS_HOME/agents/a/workspace/done"
expect_sound

test_case "75: another process has the thread" # S-65
agent_of builtin/script --permissions sandboxed
chorus-run a '/bash touch began; sleep 20' >/dev/null 2>&1 </dev/null &
holder=$!
wait_for 10 test -e "$CHORUS_HOME/agents/a/workspace/began" || fail 'the first turn did not begin'
fails_alike 75 AGENT_BUSY failed "thread 1 is at work: process $holder " chorus-run a 'say it'
expect_match "$err" 'hint: .*--wait.*--new-thread'
fails_alike 75 AGENT_BUSY failed "thread 1 is at work" chorus-run a --resume
fails_alike 75 AGENT_BUSY failed "thread 1 is at work" chorus-run a 'say it' --wait=1
run chorus-run a 'say it' --new-thread
expect_status 0
kill -9 $holder
wait $holder 2>/dev/null
run chorus-run a 'say it'
expect_status 0
expect_match "$err" 'notice: recovered turn 1'

test_case "only the credential that was limited waits; cancel and clear give the parked turn up"
limited() { # the agent's turn is parked for an hour; the next request is answered
    rm -rf "$CHORUS_HOME"
    agent_of anthropic/m
    start_server "$(answers "$(status_answer 429 rate_limit_error 'slow down' '{"retry-after": "3600"}')" "$(say 'Here I am.')")"
    run chorus-run a 'say it'
    expect_status 75
    expect_match "$err" "chorus-run a -t 1 --resume.*chorus-tasks cancel a"
}
turns() { db "SELECT group_concat(turn_number || ' ' || state || ' ' || reason, ', ') FROM turns"; }
limited
run chorus-run a -m builtin/script 'another model'
expect_status 0
expect_equal "$(turns)" '1 exited superseded, 2 idle '
limited
run env ANTHROPIC_API_KEY=sk-another-9876543210fedcba chorus-run a --resume
expect_status 0
expect_equal "$out" 'Here I am.'
expect_equal "$(turns)" '1 idle '
limited
run env ANTHROPIC_API_KEY=sk-another-9876543210fedcba chorus-run a 'another key'
expect_status 0
expect_equal "$(turns)" '1 exited superseded, 2 idle '
limited
run chorus-run a --fresh 'the same key'
expect_status 75
expect_equal "$(request_count)" 1
run chorus-tasks cancel a --json
expect_status 0
expect_json '"\(.turn) \(.turn_state) \(.reason)"' '1 exited canceled'
run chorus-tasks cancel a
expect_status 0
expect_match "$err" 'no turn is running or parked'
run chorus-run a 'the same key'
expect_status 0
limited
run chorus-context clear a
expect_status 0
expect_equal "$out" '1 message is outside the window now'
expect_equal "$(turns)" '1 exited canceled'
run chorus-run a 'the same key'
expect_status 0
expect_sound

test_case "75: parked by the provider, until its time has come" # S-10
agent_of anthropic/m
start_server "$(answers "$(status_answer 429 rate_limit_error 'slow down' '{"retry-after": "3600"}')")"
now=$(date +%s)
run chorus-run a 'say it' --json
expect_status 75
expect_one_error 'slow down'
expect_json '"\(.exit_code) \(.error.code) \(.error.category) \(.state) \(.reason)"' '75 PARKED rate_limited failed all_profiles_rate_limited'
resume_at=$(date -d "$(jq -r .resume_at <<<"$out")" +%s)
[ "$resume_at" -ge $((now + 3600)) ] && [ "$resume_at" -le $((now + 3700)) ] || fail "resume_at is $resume_at, now is $now"
expect_equal "$(request_count)" 1
expect_db "SELECT state || ' ' || reason || ' ' || (pid IS NULL) || ' ' || (ended_at IS NULL) FROM turns" 'parked all_profiles_rate_limited 1 1'
fails_alike 75 PARKED failed 'parked until' chorus-run a 'say it too'
fails_alike 75 PARKED failed 'parked until' chorus-run a --resume
expect_equal "$(request_count)" 1
expect_db "SELECT count(*) FROM messages" 1
start_server "$(answers "$(status_answer 429 rate_limit_error 'slow down' '{"retry-after": "1"}')" "$(say 'At last.')")"
db 'UPDATE turns SET resume_at = 1'
run chorus-run a --resume --output-format stream-json
expect_status 0
expect_events
expect_equal "$(jq -r 'select(.kind == "retry") | "\(.category) \(.wait_ms)"' "$scratch/out")" 'rate_limited 1000'
expect_db "SELECT state || ' ' || attempt || ' ' || turn_number FROM turns" 'idle 2 1'
expect_db "SELECT turn_count FROM agents" 1
expect_sound
start_server "$(answers "$(status_answer 429 rate_limit_error 'slow down')")"
now=$(date +%s)
run chorus-run a 'say it' --json
expect_status 75
expect_equal "$(request_count)" 2
resume_at=$(date -d "$(jq -r .resume_at <<<"$out")" +%s)
[ "$resume_at" -ge $((now + 60)) ] && [ "$resume_at" -le $((now + 90)) ] || fail "resume_at is $resume_at, now is $now"
db 'UPDATE turns SET resume_at = 1'
goes_on 2

test_case "124: the time is up, in a model call and in a command"
agent_of anthropic/m --permissions sandboxed
start_server "$(answers "$(broken_off)")"
between() { expect_match "$(db 'SELECT content FROM messages ORDER BY id DESC LIMIT 1')" '^word1 word2 .*word9 '; }
fails_alike 124 TIMEOUT failed '--timeout' chorus-run a 'say it' --timeout 1500ms
between() { :; }
expect_match "$(tail -1 "$scratch/out" | jq -r .metadata.reason)" timeout
goes_on 3
start_server "$(answers "$(call b bash '{"command": "touch began; sleep 30; touch ended"}')")"
fails_alike 124 TIMEOUT failed '--timeout' chorus-run a 'say it' --timeout 1s
[ -e "$CHORUS_HOME/agents/a/workspace/began" ] || fail 'the command did not begin'
expect_missing "$CHORUS_HOME/agents/a/workspace/ended"
expect_match "$(db "SELECT content FROM messages WHERE role = 'tool_result' ORDER BY id DESC LIMIT 1")" 'stopped after'
goes_on 7

test_case "a configuration that breaks during the turn ends it, on record, and the agent stays usable" # A-49
init a --model builtin/script --permissions open
echo '{"sandbox": "off"}' >"$CHORUS_HOME/config.json"
cp "$CHORUS_HOME/agents/a/agent.json" whole.json
run chorus-run a --json $'/bash echo broken >../agent.json\n/list_files'
expect_status 3
expect_json '.exit_code, .error.code, .state' $'3\nCONFIG_INVALID\nfailed'
expect_match "$err" 'chorus-run: error: .*agent.json: not JSON'
expect_db "SELECT state || ' ' || exit_code || ' ' || (pid IS NULL) FROM turns" 'error 3 1'
cp whole.json "$CHORUS_HOME/agents/a/agent.json"
run chorus-run a hello
expect_status 0
expect_no_match "$err" recovered

end_tests
