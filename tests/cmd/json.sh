#!/usr/bin/env bash
# What changes something says so as JSON too, by the rules of chorus-json(7). The members of every object are
# checked by json/schema.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

test_case "chorus-tasks: approve, deny, answer, kill, wait, threads"
init a --model builtin/script
for verb in approve deny; do
    run chorus-run a '/bash touch made' --new-thread --json
    expect_json '.pending[0] | "\(.action) \(.options) \(.changed)"' 'tool:bash:touch made [] null'
    id=$(jq -r '.pending[0].id' <<<"$out") turn=$(jq .turn_id <<<"$out") thread=$(jq .thread <<<"$out")
    run chorus-tasks pending a --json
    expect_json '"\(.agent) \(.id) \(.thread) \(.turn_id)"' "a $id $thread $turn"
    run chorus-tasks $verb "$id" --json
    expect_status 0
    expect_equal "$err" ''
    [ $verb = approve ] && word=approved || word=denied
    expect_json '[.agent, .thread, .turn_id, .id, .kind, .action, .decision, .goes_on] | @csv' \
        "\"a\",$thread,$turn,\"$id\",\"permission\",\"tool:bash:touch made\",\"$word\",false"
done
run chorus-run a '/ask_user {"question": "Which?"}' --new-thread --json
id=$(jq -r '.pending[0].id' <<<"$out")
run chorus-tasks answer --json "$id" this one
expect_status 0
expect_json '"\(.kind) \(.decision)"' 'question answered'
run chorus-tasks threads a --json
expect_json '[.thread, .turn_state, .last_turn.state, .last_turn.pending[0].id] | @csv' $'1,"idle",,\n2,"prompt","input-required",\n3,"prompt","input-required",\n4,"prompt","input-required",'
agent_key a permissions open
run chorus-tasks run a --json -- sleep 60
expect_json '"\(.agent) \(.id) \(.status) \(.note)"' 'a task_001 running null'
run chorus-tasks kill a all --json
expect_status 0
expect_json '"\(.id) \(.status) \(.ended_at != null)"' 'task_001 killed true'
run chorus-tasks run a 'exit 3'
run chorus-tasks wait a 2 --json
expect_status 3
expect_json '"\(.id) \(.status) \(.exit_code)"' 'task_002 failed 3'

test_case "chorus-context: import, pack"
init a --model builtin/script
init b --model builtin/script
run chorus-run a hello
chorus-context export a -o a.jsonl
run chorus-context import b a.jsonl --json
expect_status 0
expect_json '[.agent, .messages, .known, .sessions, .canceled, .in_window] | @csv' '"b",2,0,0,0,true'
run chorus-context pack b -o b.tar --json
expect_status 0
expect_equal "$err" ''
expect_json '[.agent, .file, .files > 3, .messages, (.left_out | length)] | @csv' '"b","b.tar",true,2,0'

test_case "chorus-config: set, unset, trust, and a key that is none"
init a --model builtin/script
run chorus-config set max_iterations 9 -A a --json
expect_status 0
expect_json '[.agent, .key, .value, .origin, .untrusted] | @csv' '"a","max_iterations",9,"agent.json",false'
run chorus-config unset max_iterations -A a --json
expect_status 0
expect_json '"\(.key) \(.value) \(.origin)"' 'max_iterations 25 built-in'
edit_agent_key a sandbox '"off"'
edit_agent_key a nonsense '{"a": 1}'
run chorus-config list -A a --json
expect_equal "$(jq -c 'select(.untrusted) | [.key, .value]' <<<"$out")" '["sandbox","workspace"]'
expect_equal "$(jq -c 'select(.type == null) | [.key, .value, .origin]' <<<"$out")" '["nonsense",{"a":1},"agent.json"]'
for option in --show --yes; do
    run chorus-config trust a $option --json
    expect_status 0
    expect_json '[.agent, .key, .before, .after, .trusted] | @json' "[\"a\",\"sandbox\",null,\"off\",$([ $option = --yes ] && echo true || echo false)]"
done
run chorus-config trust a --yes --json
expect_status 0
expect_equal "$out" ''

end_tests
