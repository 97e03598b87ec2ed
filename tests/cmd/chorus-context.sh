#!/usr/bin/env bash
# The contract of chorus-context(1).
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
for tool in script sha256sum; do
    command -v "$tool" >/dev/null || { echo "this test needs $tool"; exit 1; }
done

# A home with the rows that the cases read: two agents, one of them destroyed by hand.
make_history() {
    init ada --model builtin/script
    init ben --model builtin/script --permissions locked
    run chorus-run ada --actor mia '/view {"path": "x"}'
    run chorus-run ada '/create_file {"path": "a.txt", "content": "x"}'
    run chorus-run ben '/create_file {"path": "a.txt", "content": "x"}'
    expect_db 'SELECT count(*) FROM audit_log' 3
}

test_case "a verb comes first; what is none is exit 2"
run chorus-context --help
expect_status 0
verbs=$out
for verb in audit explain verify; do
    expect_match "$verbs" "$verb"
    run chorus-context $verb --help
    expect_status 0
    expect_match "$out" "chorus-context $verb "
done
run chorus-context
expect_status 2
expect_match "$err" 'chorus-context: error: usage: '
run chorus-context nonsense
expect_status 2
expect_match "$err" "usage: there is no verb 'nonsense'"
run chorus-context explain a
expect_status 2
run chorus-context verify --nonsense
expect_status 2

test_case "there has to be a home, and it has to be one's own"
run chorus-context audit
expect_status 4
expect_match "$err" 'the home does not exist'
init a --model builtin/script
chmod 777 "$CHORUS_HOME"
run chorus-context audit
expect_status 6
chmod 700 "$CHORUS_HOME"

test_case "explain: the decision and the very pattern that made it"
init a --model builtin/script
run chorus-context explain a 'tool:git:checkout main'
expect_status 0
expect_equal "$out" 'ask  ask[1] tool:git:(push|merge_request|checkout) .*
  profile: standard'
expect_equal "$err" ''
run chorus-context explain a 'tool:view:src/a.c'
expect_equal "$(head -1 <<<"$out")" 'allow  allow[0] tool:(create_file|append_file|str_replace|view|list_files|search_files):.*'
for action in tool:git:nothing 'tool:git:push origin main' tool:self_edit:nosuch tool:task:start; do
    run chorus-context explain a "$action"
    expect_status 2
    expect_match "$err" "^chorus-context: error: action '$action': no tool of '[a-z_]*' does that"
done
run chorus-context explain a 'tool:bash:git push'
expect_equal "$out" 'ask  ask[0] tool:bash:[\s\S]*
  profile: standard
  sandbox: workspace
  command: git push
    ask  ask[0] tool:bash:[\s\S]*'
agent_key a permissions '{"deny": ["tool:bash:rm .*"], "allow": ["tool:bash:(ls|timeout).*"], "ask": ["tool:bash:git.*"]}'
run chorus-context explain a 'tool:bash:timeout 5 ls -l | git log; rm x && pwd'
expect_equal "$out" 'deny  deny[0] tool:bash:rm .*
  profile: custom
  sandbox: workspace
  command: timeout 5 ls -l
    allow  allow[0] tool:bash:(ls|timeout).*
  command: ls -l
    allow  allow[0] tool:bash:(ls|timeout).*
  command: git log
    ask  ask[0] tool:bash:git.*
  command: rm x
    deny  deny[0] tool:bash:rm .*
  command: pwd
    deny  no pattern matches'
run chorus-context explain a 'tool:bash:ls $(rm x)'
expect_equal "$out" 'deny  deny[0] tool:bash:rm .*
  profile: custom
  sandbox: workspace
  not simple: at '"'\$(rm x)'"
expect_db "SELECT count(*) FROM audit_log WHERE action_string LIKE 'tool:%'" 0
expect_db 'SELECT count(*) FROM turns' 0

test_case "explain: what is said is what a turn does"
init a --model builtin/script --permissions sandboxed
for action in 'tool:bash:echo one; echo two $(echo three)' 'tool:git:status' 'tool:git:checkout main'; do
    run chorus-context explain a "$action"
    said=${out%%  *}
    case $action in
        tool:bash:*) run chorus-run a "/bash $(jq -nc --arg c "${action#tool:bash:}" '{command: $c}')" ;;
        tool:git:status) run chorus-run a '/git_status {}' ;;
        *) run chorus-run a --json '/git_checkout {"ref": "main"}' ;;
    esac
    case $said in
        allow) expect_db "SELECT decision FROM audit_log ORDER BY id DESC LIMIT 1" allow ;;
        ask) expect_status 10 ;;
        *) fail "explain said '$said' of $action" ;;
    esac
done

test_case "explain: a pattern for everything also matches more than one line" # X-12
init a --model builtin/script
for action in $'tool:bash:echo "one\ntwo"' $'tool:spawn_agent:explorer:one\ntwo'; do
    run chorus-context explain a "$action"
    expect_match "$out" '^ask '
    run chorus-context explain a "$action" --profile open
    expect_match "$out" '^allow '
done
run chorus-run a '/bash {"command": "echo \"one\\ntwo\""}'
expect_status 10

test_case "explain: the decision of each tool is the turn's, whatever the profile says"
said_of() { chorus-context explain a "$1" --json 2>/dev/null | jq -r .decision; }
done_with() { # CALL: what becomes of it in a turn
    run chorus-run a --json "$1"
    case $status in
        10) echo ask ;;
        *) jq -r 'if (.denied | length) > 0 or .tool_calls == 0 then "deny" else "allow" end' <<<"$out" ;;
    esac
    chorus-run a --deny all >/dev/null 2>&1 </dev/null
}
calls='tool:view:a.txt|/view {"path": "a.txt"}
tool:create_file:b.txt|/create_file {"path": "b.txt", "content": "x"}
tool:bash:true|/bash {"command": "true"}
tool:git:status|/git_status {}
tool:git:checkout main|/git_checkout {"ref": "main"}
tool:ask_user:|/ask_user {"question": "Which?"}
tool:task:kill task_001|/task_kill {"task_id": "task_001"}
tool:self_edit:docs:notes/a.md|/self_edit_docs {"path": "notes/a.md", "content": "x"}
tool:self_edit:permissions:open|/self_edit_permissions {"new_profile": "open"}
tool:self_edit:permissions:locked|/self_edit_permissions {"new_profile": "locked"}
tool:self_edit:permissions:custom|/self_edit_permissions {"new_profile": {"allow": ["tool:[a-z]*:.*"]}}'
for profile in '"open"' '"standard"' '"sandboxed"' '"locked"' '{"allow": ["tool:self_edit:.*", "tool:ask_user:"]}' \
    '{"base": "open", "deny": ["tool:self_edit:.*", "tool:bash:t.*"]}'; do
    while IFS='|' read -r action call; do
        rm -rf "$CHORUS_HOME"
        init a --model builtin/script
        agent_key a permissions "$profile"
        said=$(said_of "$action")
        expect_equal "$profile $action: $said" "$profile $action: $(done_with "$call")"
    done <<<"$calls"
done
init b --model builtin/script
run chorus-context explain b tool:self_edit:permissions:nosuch
expect_status 3

test_case "explain: a path is the one that a turn takes it for" # X-11
init a --model builtin/script
printf '{"base": "open", "deny": ["tool:[a-z_]*:(docs:)?secret.*"]}' >p.json
init b --model builtin/script --permissions @p.json
for path in secret ./secret a/../secret .//secret a/./../secret "$CHORUS_HOME/agents/b/workspace/secret"; do
    for tool in view list_files create_file append_file; do
        run chorus-context explain b "tool:$tool:$path"
        expect_match "$out" '^deny'
    done
    run chorus-run b --json "/view {\"path\": \"$path\"}"
    expect_json '.denied | length' 1
done
for path in docs:secret.md docs:./secret.md docs:notes/../secret.md; do
    run chorus-context explain b "tool:self_edit:$path"
    expect_match "$out" '^deny'
done
run chorus-context explain b tool:view:a/secret
expect_match "$out" '^allow'
agent_key a permissions '"sandboxed"'
run chorus-context explain a tool:self_edit:docs:notes/x.md
expect_match "$out" '^allow'
run chorus-context explain a tool:self_edit:docs:notes/../x.md
expect_match "$out" '^ask'
run chorus-run a '/self_edit_docs {"path": "notes/../x.md", "content": "x"}'
expect_status 10

test_case "explain: more rights are refused to whoever may not grant them, as in a turn"
init a --model builtin/script
agent_key a permissions '{"allow": ["tool:self_edit:.*"]}'
home_key permission_grants '{"admin": "*"}'
run chorus-context explain a tool:self_edit:permissions:open
expect_match "$out" '^deny  .*may not grant'

test_case "explain: sandboxed, with the sandbox on, with network, off, and where it cannot be had"
init a --model builtin/script --permissions sandboxed
first_line() { run chorus-context explain a "$1"; head -1 <<<"$out"; }
expect_equal "$(first_line 'tool:bash:make')" 'allow  allow[7] tool:bash:[\s\S]*'
agent_key a sandbox '"workspace+net"'
expect_equal "$(first_line 'tool:bash:make')" 'ask  ask[0] tool:bash:[\s\S]*'
agent_key a sandbox '"off"'
expect_equal "$(first_line 'tool:bash:make')" 'ask  ask[0] tool:bash:[\s\S]*'
agent_key a sandbox '"workspace"'
home_key programs '{"bwrap": "/nowhere/bwrap"}'
run chorus-context explain a 'tool:bash:make'
expect_equal "$(head -1 <<<"$out")" 'ask  ask[0] tool:bash:[\s\S]*'
expect_match "$out" 'sandbox: workspace, commands cannot run: /nowhere/bwrap: No such file or directory'
run chorus-context explain a 'tool:view:x'
expect_equal "$(head -1 <<<"$out" | cut -c1-5)" allow
expect_no_match "$out" 'sandbox: '

test_case "explain --profile: another profile, without changing the agent"
init a --model builtin/script
run chorus-context explain a --profile locked 'tool:bash:ls'
expect_equal "$out" 'deny  no pattern matches
  profile: locked
  sandbox: workspace
  command: ls
    deny  no pattern matches'
echo '{"allow": ["tool:bash:ls.*"]}' >p.json
run chorus-context explain a --profile @p.json 'tool:bash:ls -l'
expect_equal "$(head -2 <<<"$out")" 'allow  allow[0] tool:bash:ls.*
  profile: custom'
home_key permissions '{"tester": {"allow": ["tool:bash:make test"]}}'
run chorus-context explain a --profile tester 'tool:bash:make test'
expect_match "$out" '^allow  allow\[0\] tool:bash:make test
  profile: tester'
expect_equal "$(jq -r .permissions "$CHORUS_HOME/agents/a/agent.json")" standard
home_key limits '{"permissions": "locked"}'
run chorus-context explain a --profile open 'tool:create_file:x'
expect_match "$out" '^deny'
home_key limits '{}'
run chorus-context explain a --profile nosuch 'tool:bash:ls'
expect_status 3
expect_match "$err" "no profile 'nosuch'"
expect_match "$err" "'tester'"
echo '{"allow": ["tool:("]}' >p.json
run chorus-context explain a --profile @p.json 'tool:bash:ls'
expect_status 3
expect_match "$err" 'allow\[0\]'
run chorus-context explain a --profile @none.json 'tool:bash:ls'
expect_status 2

test_case "explain: an action that is none is exit 2, and the hint lists the tools"
init a --model builtin/script
for action in 'git push' 'tool:bash' 'tool:nothing:x' 'bash:ls' 'tool::x'; do
    run chorus-context explain a "$action"
    expect_status 2
    expect_match "$err" 'chorus-context: error: action '
    expect_match "$err" "the tools are 'append_file', 'artifact', 'ask_user', 'bash', 'create_file', 'git', "
done
run chorus-context explain a $'tool:\x1b[31m:x'
expect_match "$err" 'tool:\\x1b\[31m'
run chorus-context explain nobody tool:bash:ls
expect_status 4
expect_match "$err" "there are 'a'"

test_case "explain: what is shown is made visible, and bounded as in a turn"
init a --model builtin/script
run chorus-context explain a $'tool:bash:echo \x1b]0;x\a \xe2\x80\xae'
expect_no_match "$out" $'\x1b'
expect_no_match "$out" $'\xe2\x80\xae'
expect_match "$out" 'not simple: it holds a newline'
run chorus-context explain a "tool:bash:$(head -c 70000 /dev/zero | tr '\0' x)"
expect_match "$out" '^deny  the action is longer than 65536 bytes'
run chorus-context explain a $'tool:bash:\xff'
expect_match "$out" '^deny  the action is not valid UTF-8'
run chorus-context explain a --json $'tool:bash:\xff'
expect_json .decision deny
agent_key a permissions '{"ask": ["tool:bash:.*\u202e.*", "tool:bash:.*"]}'
run chorus-context explain a "tool:bash:x"$'\xe2\x80\xae'
expect_equal "$(head -1 <<<"$out")" 'ask  ask[0] tool:bash:.*\u202e.*'

test_case "explain --json"
init a --model builtin/script --permissions sandboxed
run chorus-context explain a --json 'tool:bash:ls | wc -l'
expect_status 0
expect_equal "$(wc -l <"$scratch/out")" 1
expect_json '[.decision, .reason, .profile, .action, .sandbox, .sandbox_problem, .not_simple] | join("|")' \
    'allow|allow[7] tool:bash:[\s\S]*|sandboxed|tool:bash:ls | wc -l|workspace||'
expect_json '[.commands[] | "\(.command): \(.decision)"] | join("; ")' 'ls: allow; wc -l: allow'
run chorus-context explain a --json 'tool:git:checkout x'
expect_json '"\(.commands | length) \(.sandbox)"' '0 null'
run chorus-context explain a --json 'tool:bash:ls $x'
expect_json .not_simple "at '\$x'"

test_case "audit: rows oldest first, a tab between fields in a pipe"
make_history
run chorus-context audit
expect_status 0
expect_equal "$(wc -l <"$scratch/out")" 3
expect_equal "$(cut -f2-4 "$scratch/out")" 'ada	allow	tool:view:x
ada	allow	tool:create_file:a.txt
ben	deny	tool:create_file:a.txt'
expect_match "$(head -1 "$scratch/out" | cut -f1)" '^20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z$'
expect_equal "$(tail -1 "$scratch/out" | cut -f5)" 'Profile: locked: no pattern matches'
expect_no_match "$out" $'\x1b'

test_case "audit: of an agent, of a turn, by decision, by action, the last ones"
make_history
rows() { run chorus-context audit "$@"; expect_status 0; cut -f2,4 "$scratch/out" | paste -sd, ; }
expect_equal "$(rows ada)" 'ada	tool:view:x,ada	tool:create_file:a.txt'
expect_equal "$(rows --turn 2)" 'ada	tool:create_file:a.txt'
expect_equal "$(rows --decision deny)" 'ben	tool:create_file:a.txt'
expect_equal "$(rows --action 'create|push')" 'ada	tool:create_file:a.txt,ben	tool:create_file:a.txt'
expect_equal "$(rows --action '^tool:view')" 'ada	tool:view:x'
expect_equal "$(rows --action VIEW)" ''
expect_equal "$(rows -n 1)" 'ben	tool:create_file:a.txt'
expect_equal "$(rows ada -n 1)" 'ada	tool:create_file:a.txt'
expect_equal "$(rows ada --decision allow --action view -n 5)" 'ada	tool:view:x'
for wrong in '--action (' '--decision maybe' '--turn x' '--turn 0' '-n 0' '--since tomorrow' '--until 2026-02-30'; do
    run chorus-context audit $wrong
    expect_status 2
    expect_match "$err" 'chorus-context: error: '
done

test_case "audit: since and until, as times and as durations back"
init a --model builtin/script
for day in 10 11 12; do
    CHORUS_NOW_MS=$(date -d "2026-02-${day}T12:00:00Z" +%s000) chorus-run a '/git_status {}' >/dev/null
done
export CHORUS_NOW_MS=$(date -d 2026-02-13T00:00:00Z +%s000)
days() { run chorus-context audit "$@"; cut -c9-10 "$scratch/out" | paste -sd, ; }
expect_equal "$(days)" 10,11,12
expect_equal "$(days --since 2026-02-11)" 11,12
expect_equal "$(days --since 2026-02-11T12:00:00Z)" 11,12
expect_equal "$(days --since 2026-02-11T12:00:00.001Z)" 12
expect_equal "$(days --until 2026-02-11T12:00:00Z)" 10
expect_equal "$(days --since 36h --until 12h)" 11
expect_equal "$(days --since 7d)" 10,11,12
unset CHORUS_NOW_MS

test_case "audit: destroyed agents' rows stay reachable by name; a name that never was is exit 4"
make_history
db "UPDATE agents SET status = 'destroyed', destroyed_at = 1 WHERE name = 'ben'"
run chorus-context audit ben
expect_status 0
expect_equal "$(cut -f4 "$scratch/out")" tool:create_file:a.txt
run chorus-context audit nobody
expect_status 4
expect_match "$err" "there are 'ada'"

test_case "audit --json: each row with all it holds, and what its hash is made of"
make_history
run chorus-context audit --json
expect_status 0
expect_equal "$(jq -r .id "$scratch/out" | paste -sd,)" 1,2,3
expect_equal "$(head -1 "$scratch/out" | jq -r 'keys_unsorted | join(" ")')" \
    'schema id created_at agent agent_id turn_id action decision user_id actor detail previous_hash hash'
expect_match "$(head -1 "$scratch/out" | jq -r '"\(.agent) \(.turn_id) \(.user_id) \(.actor)"')" "^ada 1 $(id -u) uid [0-9]+ \(mia\)\$"
bytes_of() { # a row as JSON
    jq -j 'def field: (. // "") | tostring | "\(utf8bytelength):\(.),"; def id: if . == null then "-," else field end;
        ((.created_at[0:19] + "Z" | fromdateiso8601) * 1000 + (.created_at[20:23] | tonumber)) as $ms
        | .previous_hash // "", (.id | field), (.agent_id | id), ($ms | field), (.turn_id | id), (.user_id | field),
          (.agent | field), (.action | field), (.decision | field), (.actor | field), (.detail | field)' <<<"$1"
}
while IFS= read -r row; do
    expect_equal "$(bytes_of "$row" | sha256sum | cut -d' ' -f1)" "$(jq -r .hash <<<"$row")"
done <"$scratch/out"
run chorus-context audit --json -n 1
expect_equal "$(jq -r .id "$scratch/out")" 3

test_case "audit: on a terminal columns and colours; NO_COLOR; what is shown is one visible line"
init a --model builtin/script --permissions open
init somebody --model builtin/script --permissions locked
chorus-run a "$(printf '/bash %s' "$(jq -nc '{command: "echo \u001b[31m\t\u202e\nx"}')")" >/dev/null 2>&1
chorus-run somebody '/git_status {}' >/dev/null 2>&1
on_terminal() { TERM=xterm script -qec "$1" /dev/null </dev/null | tr -d '\r'; }
shown=$(on_terminal 'chorus-context audit')
expect_match "$shown" 'Z  a         allow         tool:bash:echo \\x1b\[31m\\t\\u202e\\nx  Profile: open'
expect_match "$shown" $'Z  somebody  \x1b\[31mdeny          \x1b\[0mtool:git:status  Profile: locked'
expect_equal "$(wc -l <<<"$shown")" 2
shown=$(on_terminal 'NO_COLOR=1 chorus-context audit')
expect_no_match "$shown" $'\x1b'
run chorus-context audit
expect_equal "$(awk -F'\t' '{ print NF }' "$scratch/out" | paste -sd,)" 5,5
expect_no_match "$out" $'\x1b'

test_case "audit: no secret is in it"
init a --model anthropic/claude-opus-5-5 --no-validate-model --permissions open
start_server "$(answers "$(call c1 bash '{"command": "echo AKIAABCDEFGHIJKLMNOP"}')" "$(say done)")"
run chorus-run a go
run chorus-context audit --json
expect_no_match "$out" AKIAABCDEFGHIJKLMNOP
expect_match "$out" redacted

test_case "audit: a reader that ends early is no failure of the log"
make_history
chorus-context audit | head -1 >"$scratch/one"
expect_equal "$(wc -l <"$scratch/one")" 1
run bash -c 'chorus-context audit >/dev/full'
expect_status 1

test_case "verify: rows and head; what a result said of them proves what was before"
init a --model builtin/script
run chorus-context verify
expect_status 0
expect_equal "$out" '0 rows'
run chorus-run a --json '/git_status {}'
kept=$(jq -r '.audit | "\(.rows):\(.hash)"' <<<"$out")
run chorus-context verify
expect_equal "$out" "1 row, head ${kept#*:}"
run chorus-run a '/git_status {}'
run chorus-context verify --expect "$kept"
expect_status 0
expect_match "$out" '^2 rows, head [0-9a-f]{64}$'
run chorus-context verify --expect 0:
expect_status 0
run chorus-context verify a --json --expect "$kept"
expect_status 0
expect_json '"\(.rows) \(.ok) \(.broken_row) \(.problem)"' '2 true null null'
expect_json .hash "$(db 'SELECT hash FROM audit_log WHERE id = 2')"
run chorus-context verify nobody
expect_status 4

test_case "verify: a changed row is named; rows written anew or cut off show against a kept head"
init a --model builtin/script
for n in 1 2 3; do run chorus-run a --json '/git_status {}'; done
kept=$(jq -r '.audit | "\(.rows):\(.hash)"' <<<"$out")
cp "$CHORUS_HOME/chorus.db" "$scratch/before.db"
db "UPDATE audit_log SET decision = 'deny' WHERE id = 2"
run chorus-context verify
expect_status 1
expect_equal "$out" ''
expect_match "$err" 'chorus-context: error: audit log: row 2 was changed'
run chorus-context verify --json
expect_status 1
expect_json '"\(.rows) \(.ok) \(.broken_row)"' '1 false 2'
db "UPDATE audit_log SET decision = 'allow' WHERE id = 2"
run chorus-context verify --expect "$kept"
expect_status 0
db "DELETE FROM audit_log WHERE id = 3"
run chorus-context verify
expect_status 0
run chorus-context verify --expect "$kept"
expect_status 1
expect_match "$err" 'there are 2 rows, not the 3 expected'
run chorus-run a '/git_log {}'
run chorus-context verify --expect "$kept"
expect_status 1
expect_match "$err" 'row 3 has another hash than expected'
for wrong in x 3 3: :abc "3:$(printf 'A%.0s' {1..64})" "-1:" "0:abc" "3:abc"; do
    run chorus-context verify --expect "$wrong"
    expect_status 2
    expect_match "$err" 'ROWS:HASH'
done

test_case "many rows are read without being held"
init a --model builtin/script
run chorus-run a '/git_status {}'
db "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
    INSERT INTO audit_log SELECT i, 1, 'a', 0, 1, 'tool:bash:' || hex(zeroblob(100)), 'allow', 0, '', '', 'x', 'y' FROM n"
limit='ulimit -v 60000;'
nm "$CHORUS_BIN/chorus-context" 2>/dev/null | grep -q __asan_init && limit=''
run bash -c "$limit chorus-context audit | wc -l"
expect_status 0
expect_equal "$out" 200000
run bash -c "$limit chorus-context audit -n 150000 --json | tail -1"
expect_json .id 200000

end_tests
