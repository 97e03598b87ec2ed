#!/usr/bin/env bash
# An agent that changes itself: prompt, docs, model and permissions, in force at the next call of the same turn.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

system_of() { jq -r '.system[].text' "$(request "$1")"; }
tools_of() { jq -r '.tools[].name' "$(request "$1")" | paste -sd, | sed 's/,/, /g'; }
result_of() { db "SELECT content FROM messages WHERE role = 'tool_result' AND tool_call_id = '$1'"; } # CALL
outcomes() { db "SELECT group_concat(tool_call_id || ' ' || decision || ' ' || outcome, ', ') FROM (SELECT * FROM tool_runs ORDER BY position)"; }
configuration() { jq -r "$1" "$CHORUS_HOME/agents/a/agent.json"; }
# The calls in order, one an answer, each [TOOL, ARGUMENTS], ids 1, 2, …; then "Done."
calls() {
    jq -nc --argjson calls "$1" '{answers: ([$calls | to_entries[]
        | {say: {tool_calls: [{id: "\(.key + 1)", name: .value[0], arguments: .value[1]}]}}]
        + [{say: {text: "Done."}}]), after: "repeat-last"}'
}

test_case "the system prompt is another at the next model call, and in every later turn" # L-13 A-34
init a --model anthropic/m --permissions open --system-prompt 'FIRST prompt.'
agent_key a metadata '{"kept": true}'
start_server "$(calls '[["self_edit_system_prompt", {"new_prompt": "SECOND \"prompt\"."}]]')"
run chorus-run a change
expect_status 0
expect_equal "$out" 'Done.'
expect_match "$(system_of 1)" '^FIRST prompt\.'
expect_match "$(system_of 2)" '^SECOND "prompt"\.'
expect_equal "$(configuration .system_prompt)" 'SECOND "prompt".'
expect_equal "$(configuration .metadata.kept)" true
expect_match "$(result_of 1)" 'changed system_prompt
old:
FIRST prompt\.
new:
SECOND "prompt"\.
'
expect_db "SELECT action_string FROM audit_log" tool:self_edit:system_prompt
expect_db "SELECT detail LIKE '%old sha256 %: FIRST prompt.; new sha256 %: SECOND _prompt_.%', decision, actor LIKE 'uid %' FROM audit_log" '1|allow|1' # L-21
run chorus-run a again
expect_match "$(system_of 3)" '^SECOND "prompt"\.'
expect_acceptable "$(request 3)"
expect_sound

test_case "documents are in the context of the next model call" # L-14 L-15
init a --model anthropic/m --permissions open
start_server "$(calls '[["self_edit_docs", {"path": "notes/build.md", "content": "Build with make."}],
                        ["self_edit_docs", {"path": "README.md", "content": "Rewritten."}]]')"
run chorus-run a learn
expect_status 0
expect_no_match "$(system_of 1)" 'Build with make'
expect_match "$(system_of 2)" '## docs/notes/build\.md

Build with make\.'
expect_match "$(system_of 3)" '## docs/README\.md

Rewritten\.'
expect_file "$CHORUS_HOME/agents/a/docs/notes/build.md" 'Build with make.'
expect_equal "$(git -C "$CHORUS_HOME/agents/a/workspace" status --porcelain)" ''
expect_db "SELECT group_concat(action_string, ', ') FROM (SELECT * FROM audit_log ORDER BY id)" \
    'tool:self_edit:docs:notes/build.md, tool:self_edit:docs:README.md'

test_case "another model answers the next call; a part of its name is enough" # L-20
init a --model anthropic/m --permissions open
echo '{"anthropic": {"valid": true, "models": ["m", "n-large", "n-small"]}}' >"$CHORUS_HOME/available_models.json"
start_server "$(calls '[["self_edit_model", {"new_model": "N-LARGE"}], ["self_edit_model", {"new_model": "anthropic/small"}]]')"
run chorus-run a switch
expect_status 0
expect_equal "$(jq -r .model "$scratch"/log/*.json | tr '\n' ' ')" 'm n-large n-small '
expect_equal "$(configuration .model)" anthropic/n-small
expect_db "SELECT group_concat(action_string, ', ') FROM (SELECT * FROM audit_log ORDER BY id)" \
    'tool:self_edit:model:anthropic/n-large, tool:self_edit:model:anthropic/n-small'
run chorus-run a again
expect_equal "$(jq -r .model "$(request 4)")" n-small

test_case "a model of another provider goes on with the same conversation" # L-20
init a --model anthropic/m --permissions open
start_server "$(calls '[["self_edit_model", {"new_model": "openai-chat/n"}]]')"
run chorus-run a switch
expect_status 0
expect_equal "$out" 'Done.'
expect_equal "$(jq -r .model "$(request 2)")" n
expect_equal "$(jq -r '[.messages[].role] | join(" ")' "$(request 2)")" 'system user assistant tool'
expect_match "$(jq -r '.messages[-1].content' "$(request 2)")" 'new:
openai-chat/n'

test_case "-m stays in force for its turn" # L-20
init a --model anthropic/m --permissions open
start_server "$(calls '[["self_edit_model", {"new_model": "anthropic/n"}]]')"
run chorus-run a -m anthropic/given switch
expect_status 0
expect_equal "$(jq -r .model "$(request 2)")" given
expect_match "$(result_of 1)" 'unless -m or CHORUS_MODEL'
run chorus-run a again
expect_equal "$(jq -r .model "$(request 3)")" n

test_case "a stricter preset is in force at the next model call: what it denies is hidden, and refused" # L-17 L-19
init a --model anthropic/m --permissions open
start_server "$(calls '[["self_edit_permissions", {"new_profile": "locked"}], ["create_file", {"path": "x", "content": "x"}],
                        ["self_edit_permissions", {"new_profile": "open"}]]')"
run chorus-run a restrict
expect_status 0
expect_match "$(tools_of 1)" 'bash.*self_edit_permissions'
expect_equal "$(tools_of 2)" 'list_files, search_files, view'
expect_equal "$(configuration .permissions)" locked
expect_equal "$(outcomes)" '1 allow ok, 2 deny denied, 3 deny denied'
expect_missing "$CHORUS_HOME/agents/a/workspace/x"
expect_db "SELECT group_concat(action_string, ', ') FROM (SELECT * FROM audit_log ORDER BY id)" \
    'tool:self_edit:permissions:locked, tool:create_file:x, tool:self_edit:permissions:open'

test_case "presets: standard asks about each, sandboxed allows notes, locked hides all" # X-13
for arguments in 'system_prompt {"new_prompt":"x"}' 'docs {"path":"notes/a.md","content":"x"}' \
    'model {"new_model":"builtin/script"}' 'permissions {"new_profile":"locked"}'; do
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m
    start_server "$(answers "$(call 1 "self_edit_${arguments%% *}" "${arguments#* }")" "$(say Done.)")"
    cp "$CHORUS_HOME/agents/a/agent.json" before.json
    run chorus-run a change
    expect_status 10
    expect_match "$(db 'SELECT action FROM prompts')" "^tool:self_edit:${arguments%% *}"
    expect_file "$CHORUS_HOME/agents/a/agent.json" "$(cat before.json)"
done
rm -rf "$CHORUS_HOME"
init a --model anthropic/m --permissions sandboxed
start_server "$(calls '[["self_edit_docs", {"path": "notes/a.md", "content": "x"}], ["self_edit_docs", {"path": "notes/../README.md", "content": "x"}]]')"
run chorus-run a change
expect_status 10
expect_file "$CHORUS_HOME/agents/a/docs/notes/a.md" x
expect_db 'SELECT action FROM prompts' 'tool:self_edit:docs:README.md'
init b --model anthropic/m --permissions locked
start_server "$(answers "$(say ok)")"
run chorus-run b hi
expect_no_match "$(tools_of 1)" self_edit

test_case "who may not grant a profile may not approve it, nor have the model take it" # L-18
cp "$(command -v bash)" sudo # what a process below sudo sees
as_bob() { run env SUDO_UID=54321 ./sudo -c '"$@"; exit' - "$@"; }
init a --model anthropic/m
start_server "$(answers "$(call 1 self_edit_permissions '{"new_profile": "open"}')" "$(say Done.)" \
    "$(call 2 self_edit_permissions '{"new_profile": "open"}')" "$(say Done.)")"
as_bob chorus-run a 'take all rights'
expect_status 0
expect_match "$(result_of 1)" "user '54321' may not grant 'open'"
run chorus-run a 'take all rights'
expect_status 10
for command in 'chorus-tasks approve' 'chorus-run a --approve'; do
    as_bob $command "$(db 'SELECT id FROM prompts')"
    expect_status 6
    expect_match "$err" "user '54321' may not grant 'open'"
done
expect_db 'SELECT state FROM prompts' pending
expect_equal "$(configuration .permissions)" standard
run chorus-run a --approve all
expect_status 0
expect_equal "$(configuration .permissions)" open
init b --model anthropic/m --permissions open
start_server "$(calls '[["self_edit_permissions", {"new_profile": "locked"}]]')"
as_bob chorus-run b 'fewer are enough'
expect_status 0
expect_equal "$(jq -r .permissions "$CHORUS_HOME/agents/b/agent.json")" locked

test_case "bad input is answered to the model and changes nothing" # L-16 L-19 L-20
init a --model anthropic/m --permissions open
home_key permissions '{"ci": {"base": "sandboxed"}}'
echo '{"anthropic": {"valid": true, "models": ["m", "n-large", "n-small"]}}' >"$CHORUS_HOME/available_models.json"
cp "$CHORUS_HOME/agents/a/agent.json" before.json
ln -s /etc/passwd "$CHORUS_HOME/agents/a/docs/link.md"
find "$CHORUS_HOME/agents/a/docs" -type f -exec sha256sum {} + >before.docs
# four at most in a row: five failures end a turn
for each in '["self_edit_system_prompt", {"new_prompt": " \n"}]|new_prompt is empty' \
    '["self_edit_system_prompt", {}]|missing .new_prompt.' \
    '["self_edit_docs", {"path": "../agent.json", "content": "{}"}]|leads out of docs/' \
    '["self_edit_docs", {"path": "../workspace/a.md", "content": "x"}]|leads out of docs/' \
    '["self_edit_docs", {"path": "link.md", "content": "x"}]|link.md' \
    '["self_edit_docs", {"path": ".git/a.md", "content": "x"}]|.git' \
    '["self_edit_docs", {"path": "a.txt", "content": "x"}]|must end in .md' \
    '["self_edit_docs", {"path": "a.md"}]|missing .content.' \
    '["self_edit_model", {"new_model": "n-"}]|.n-. is ambiguous.choose one of .anthropic/n-large. and .anthropic/n-small.' \
    '["self_edit_model", {"new_model": "anthropic/o"}]|does not list .o.' \
    '["self_edit_model", {"new_model": "nobody/x"}]|no provider .nobody.' \
    '["self_edit_permissions", {"new_profile": "nobody"}]|no profile .nobody.' \
    '["self_edit_permissions", {"new_profile": {"allow": ["a", "tool:("]}}]|allow\[1\] .tool:\(.: missing \)' \
    '["self_edit_permissions", {"new_profile": {"alow": []}}]|alow' \
    '["self_edit_permissions", {"new_profile": 7}]|not of type string or object'; do
    start_server "$(calls "[${each%%|*}]")"
    run chorus-run a try
    expect_status 0
    expect_match "$(db "SELECT content FROM messages WHERE role = 'tool_result' ORDER BY id DESC LIMIT 1")" "${each#*|}"
    expect_file "$CHORUS_HOME/agents/a/agent.json" "$(cat before.json)"
    expect_equal "$(find "$CHORUS_HOME/agents/a/docs" -type f -exec sha256sum {} +)" "$(cat before.docs)"
done
expect_db "SELECT count(*) FROM messages WHERE role = 'tool_result' AND json_extract(extra, '\$.is_error') = 1" 15
expect_sound

test_case "what somebody else writes beside a self-edit is not trusted with it"
init a --model anthropic/m --permissions open
start_server "$(calls '[["self_edit_permissions", {"new_profile": "locked"}]]')"
# between the file and the record, which strace makes a second long
(
    wait_for 20 eval '[ "$(configuration .permissions)" = locked ]'
    edit_agent_key a permissions '"open"'
) &
writer=$!
# under strace the sanitizer that looks for leaks does not work
run env ASAN_OPTIONS=detect_leaks=0 strace -f -qq -o /dev/null -e trace=rename,renameat,renameat2 -e inject=rename,renameat,renameat2:delay_exit=1000000 chorus-run a restrict
wait $writer
expect_status 0
expect_equal "$(configuration .permissions)" open
run chorus-config trust a --show
expect_match "$out" 'permissions.*before: "locked".*after:  "open"'
run chorus-context explain a tool:create_file:x
expect_match "$out" '^deny'

end_tests
