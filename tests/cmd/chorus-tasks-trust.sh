#!/usr/bin/env bash
# What nobody in charge has set of an agent.json: asked about, decided from any process, in force only then.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

sink=''
changed() { # KEY JSON …: agent a, standard, whose agent.json somebody has changed, and a turn that noticed; the prompt in $id
    init a --model builtin/script
    sink=$scratch/audit.jsonl
    home_key audit_sink "\"$sink\""
    while [ $# -gt 0 ]; do
        edit_agent_key a "$1" "$2"
        shift 2
    done
    run chorus-run a hello
    expect_status 0
    expect_match "$err" 'agent.json: not in force'
    id=$(db "SELECT id FROM prompts WHERE kind = 'trust' AND state = 'pending'")
}
decision_on() { chorus-context explain a "$1" --json | jq -r .decision; }
in_sink() { jq -r '"\(.decision) \(.action)"' "$sink" 2>/dev/null | tail -1; }

test_case "approved: in force, in the audit log and its sink, and nothing is left to ask"
changed permissions '"open"'
expect_equal "$(decision_on 'tool:git:checkout main')" ask
run chorus-tasks pending a
expect_match "$out" "^$id	a	[^	]*	trust:agent.json: permissions: \"standard\" → \"open\"$"
run chorus-tasks approve "$id" --actor carol
expect_status 0
expect_match "$err" "notice: approved $id: trust:agent.json: permissions: \"standard\" → \"open\""
expect_equal "$(decision_on 'tool:git:checkout main')" allow
expect_db "SELECT state || ' ' || decided_by FROM prompts" "approved uid $(id -u) (carol)"
expect_db "SELECT decision || ' ' || action_string || ' ' || actor FROM audit_log" "ask_approved trust:agent.json uid $(id -u) (carol)"
expect_equal "$(in_sink)" 'ask_approved trust:agent.json'
run chorus-config trust a
expect_equal "$out" 'nothing to trust'
run chorus-tasks approve "$id"
expect_status 4
expect_match "$err" 'it was approved by uid'
run chorus-run a hello
expect_equal "$err" ''

test_case "a turn that continues also says what has changed since it began to wait, and asks"
init a --model builtin/script
echo one >"$CHORUS_HOME/agents/a/workspace/AGENTS.md"
run chorus-run a '/bash make'
expect_status 10
echo two >"$CHORUS_HOME/agents/a/workspace/AGENTS.md"
edit_agent_key a permissions '"open"'
edit_agent_key a no_such_key 1
run chorus-run a --approve all
expect_status 0
expect_match "$err" 'agent.json: nothing reads .no_such_key.*AGENTS.md has changed since the last turn.*agent.json: not in force until a person approves it: permissions'
expect_db "SELECT kind FROM prompts WHERE state = 'pending'" trust
expect_equal "$(decision_on 'tool:git:checkout main')" ask

test_case "denied: the old values stay, and the same change is not asked about twice"
changed permissions '"open"' sandbox '"off"'
run chorus-tasks deny "$id"
expect_status 0
expect_equal "$(decision_on 'tool:git:checkout main')" ask
run chorus-run a hello
expect_match "$err" 'agent.json: not in force'
expect_equal "$(in_sink)" 'ask_denied trust:agent.json'
expect_db "SELECT group_concat(state) FROM prompts" denied
run chorus-config trust a --show
expect_match "$out" 'permissions.*sandbox'

test_case "changed once more since it asked: nothing is trusted, and it is asked anew"
changed permissions '"sandboxed"'
edit_agent_key a permissions '"open"'
run chorus-tasks approve "$id"
expect_status 4
expect_match "$err" "error: prompt $id: agent.json has changed since"
expect_match "$err" 'hint: chorus-config trust a'
expect_equal "$(decision_on 'tool:git:checkout main')" ask
expect_db 'SELECT count(*) FROM audit_log' 0
run chorus-run a hello
expect_db "SELECT group_concat(state, ' ') FROM prompts" 'cancelled pending'
run chorus-tasks pending
expect_match "$out" '→ "open"$'

test_case "who may not grant it, and what no turn would take"
changed permissions '"open"'
home_key permission_grants '{"admin": ["*"]}'
run chorus-tasks approve "$id"
expect_status 6
expect_match "$err" "permissions: user .* may not grant 'open'"
expect_equal "$(decision_on 'tool:git:checkout main')" ask
CHORUS_AGENT=a run chorus-tasks approve "$id"
expect_status 6
expect_db "SELECT state FROM prompts" pending
home_key permission_grants '{}'
run chorus-tasks approve "$id" --always
expect_status 2
expect_match "$err" 'it asks for trust'
expect_match "$err" "hint: chorus-tasks approve $id, or chorus-tasks deny $id\$"
run chorus-tasks answer "$id" yes
expect_status 2
expect_db "SELECT state FROM prompts" pending
run chorus-run a --approve "$id"
expect_status 0
expect_equal "$(decision_on 'tool:git:checkout main')" allow

test_case "a person's own changes reach the sink at once"
init a --model builtin/script
sink=$scratch/audit.jsonl
run chorus-config set audit_sink "$sink"
run chorus-config set -A a permissions open
expect_equal "$(in_sink)" 'ask_approved trust:agent.json'
edit_agent_key a sandbox '"off"'
run chorus-config trust a --yes
expect_equal "$(wc -l <"$sink")" 2
chorus-context audit --json >audit.jsonl
expect_file audit.jsonl "$(cat "$sink")"
run chorus-config set audit_sink /nowhere/audit.jsonl
expect_status 0
expect_match "$err" 'notice: audit.* /nowhere'

end_tests
