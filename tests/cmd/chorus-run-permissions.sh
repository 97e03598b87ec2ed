#!/usr/bin/env bash
# chorus-run --permissions: another profile for one turn, given by a person.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

audit() { db "SELECT action_string || ' ' || decision FROM audit_log ORDER BY id"; }

test_case "locked for one turn: it looks, changes nothing, and the next turn has the agent's own again"
init a --model builtin/script --permissions open
run chorus-run a --permissions locked $'/create_file {"path": "x", "content": "1"}'
expect_status 0
expect_missing "$CHORUS_HOME/agents/a/workspace/x"
expect_match "$(db "SELECT content FROM messages WHERE role = 'tool_result'")" 'denied'
expect_db 'SELECT profile FROM turns' locked
expect_match "$(audit)" '^turn:permissions:locked allow'
run chorus-run a $'/create_file {"path": "x", "content": "1"}'
expect_status 0
expect_file "$CHORUS_HOME/agents/a/workspace/x" 1
expect_db 'SELECT profile FROM turns ORDER BY id DESC LIMIT 1' open
run jq -r .permissions "$CHORUS_HOME/agents/a/agent.json"
expect_equal "$out" open

test_case "more than the agent has, and one written out in a file"
init a --model builtin/script --permissions locked
run chorus-run a --permissions open '/bash echo ran'
expect_status 0
expect_match "$out" ran
echo '{"base": "locked", "allow": ["tool:bash:echo .*"]}' >profile.json
run chorus-run a --permissions @profile.json '/bash echo two'
expect_match "$out" two
run chorus-run a --permissions @profile.json '/bash touch three'
expect_match "$(db "SELECT decision FROM audit_log ORDER BY id DESC LIMIT 1")" deny
run chorus-run a --permissions - '/bash true'
expect_status 3

test_case "--resume and the decision keep it; the approval holds"
init a --model builtin/script --permissions locked
run chorus-run a --permissions standard '/bash echo after'
expect_status 10
id=$(db 'SELECT id FROM prompts')
run chorus-run a --resume
expect_status 10
run chorus-run a --approve "$id"
expect_status 0
expect_match "$out" after
expect_db 'SELECT count(*) FROM prompts' 1
expect_db 'SELECT profile FROM turns' standard
expect_db "SELECT count(*) FROM audit_log WHERE action_string LIKE 'turn:permissions:%'" 1

test_case "a decision made before the turn goes on is for its profile too"
init a --model builtin/script --permissions locked
run chorus-run a --permissions standard '/bash echo after'
id=$(db 'SELECT id FROM prompts')
run chorus-tasks approve "$id"
expect_status 0
run chorus-run a --resume
expect_status 0
expect_match "$out" after

test_case "--approve --always goes into the agent's own profile"
init a --model builtin/script --permissions locked
run chorus-run a --permissions standard '/bash echo after'
run chorus-run a --approve "$(db 'SELECT id FROM prompts')" --always
expect_status 0
expect_match "$out" after
run chorus-run a '/bash echo after'
expect_match "$out" after

test_case "limits of the home hold"
init a --model builtin/script --permissions open
run chorus-config set limits.permissions locked
expect_status 0
run chorus-run a --permissions open '/bash {"command": "echo ran"}'
expect_no_match "$out" 'stdout:'
expect_match "$(db "SELECT decision || ' ' || detail FROM audit_log ORDER BY id DESC LIMIT 1")" '^deny Profile: limits.permissions: '
run chorus-context explain a 'tool:bash:echo ran'
expect_match "$out" '^deny  .*
  profile: limits.permissions
'
run chorus-config set limits.permissions '{"base": "open", "deny": ["tool:bash:rm .*"]}'
run chorus-context explain a 'tool:bash:rm x && ls' --json
expect_equal "$(jq -r '[.decision, .profile, .reason, (.commands[] | .command, .decision)] | join(" ")' <<<"$out")" 'deny limits.permissions deny[0] tool:bash:rm .* rm x deny ls allow'
run chorus-context explain a 'tool:bash:ls'
expect_match "$out" '^allow  .*
  profile: open
'

test_case "nobody knows the profile; not from inside of a turn; who may not grant it may narrow"
init a --model builtin/script --permissions standard
run chorus-run a --permissions opne hello
expect_status 3
expect_match "$err" "error: --permissions: .*opne"
expect_match "$err" "hint: .*open"
expect_db 'SELECT count(*) FROM turns' 0
run env CHORUS_AGENT=b chorus-run a --permissions open hello
expect_status 6
expect_match "$err" 'error: .*CHORUS_AGENT'
expect_db 'SELECT count(*) FROM turns' 0
run env CHORUS_AGENT=b chorus-run a --dry-run --permissions open hello
expect_status 6
run chorus-config set permission_grants.admin '["locked"]'
expect_status 0
run chorus-run a --permissions open hello
expect_status 6
expect_match "$err" 'error: --permissions: '
run chorus-run a --permissions locked hello
expect_status 0

test_case "with a key the turn goes on as it was begun"
init a --model builtin/script --permissions locked
run chorus-run a --permissions standard --idempotency-key k '/bash echo after'
expect_status 10
run chorus-run a --permissions open --idempotency-key k '/bash echo after'
expect_status 10
expect_match "$err" 'ignored: --permissions'

test_case "what the turn starts may do no more than the turn"
init a --model builtin/script --permissions open
echo '{"base": "locked", "allow": ["tool:bash:sleep .*"]}' >profile.json
run chorus-run a --permissions @profile.json '/bash {"command": "sleep 0.1", "background": true, "on_exit": "/bash touch made"}'
expect_match "$(db 'SELECT rights FROM tasks')" 'sleep'

test_case "a message that somebody else queued does not get the turn's profile" # X-41
init l --model builtin/script --permissions locked
echo '{"allow": ["tool:create_file:.*"], "ask": ["tool:bash:.*"]}' >wide.json
run chorus-run --permissions @wide.json l '/bash {"command": "echo q"}'
expect_status 10
run env CHORUS_AGENT=evil chorus-run l --queue '/create_file {"path": "evil", "content": "1"}'
expect_status 0
run chorus-run l --approve all
expect_status 0
expect_match "$out" 'denied'
expect_missing "$CHORUS_HOME/agents/l/workspace/evil"
expect_match "$(db "SELECT content FROM messages WHERE role = 'tool_result' AND content LIKE '%echo%' OR content LIKE 'exit status%'")" 'exit status 0'

test_case "a question of a turn whose profile is gone can be denied"
init i --model builtin/script --permissions standard
run chorus-config set permissions '{"mine": {"ask": ["tool:create_file:.*"]}}'
expect_status 0
run chorus-run --permissions mine i '/create_file {"path": "x", "content": "x"}'
expect_status 10
run chorus-config unset permissions
expect_status 0
run chorus-tasks deny "$(db 'SELECT id FROM prompts')"
expect_status 0
expect_db 'SELECT state FROM prompts' denied

test_case "the tools that the model sees are those of the profile" # A-10 X-36
init a --model anthropic/claude-sonnet-4-5 --permissions open
run env ANTHROPIC_API_KEY=k chorus-run a --dry-run --permissions locked hello
expect_status 0
locked=$(jq '.tools | length' <<<"$out")
run env ANTHROPIC_API_KEY=k chorus-run a --dry-run hello
[ "$locked" -lt "$(jq '.tools | length' <<<"$out")" ] || fail 'locked sees as many tools as open'
expect_db 'SELECT count(*) FROM turns' 0


test_case "a link is no other name for what is denied"
echo '{"base": "standard", "deny": ["tool:(view|list_files|search_files):secret(/.*)?"]}' >p.json
init a --model builtin/script --permissions @p.json
workspace=$CHORUS_HOME/agents/a/workspace
mkdir "$workspace/secret"
echo TOPS >"$workspace/secret/x"
ln -s secret "$workspace/s"
ln -s secret/x "$workspace/f"
run chorus-run a '/view secret/x
/view s/x
/view f
/list_files s
/search_files {"pattern": "TOPS", "path": "s"}'
expect_no_match "$out" $'(^|\n)[^/\n]*TOPS'
expect_db "SELECT count(*) FROM audit_log WHERE decision = 'deny'" 5
expect_equal "$(chorus-context audit a --decision deny | grep -c 'tool:[a-z_]*:secret')" 5

test_case "a tool that the profile hides is denied with any arguments, and no error names it"
init a --model builtin/script --permissions locked
for call in '/bash ls' '/bash {"command": "ls"}' '/bash {"command": 7}' '/create_file {"no": 1}'; do
    run chorus-run a --json "$call"
    expect_match "$(jq -r .text <<<"$out")" 'error: denied: Profile: locked: '
    expect_json '.denied | length' 1
done
expect_db "SELECT count(*) FROM audit_log WHERE decision = 'deny'" 4
run chorus-run a '/nosuch x'
expect_match "$out" "there is no tool 'nosuch'; the tools are 'list_files', 'search_files' and 'view'"
run chorus-run a '/view {"no": 1}'
expect_match "$out" "missing 'path'"
end_tests
