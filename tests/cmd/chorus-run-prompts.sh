#!/usr/bin/env bash
# A turn that asks, waits without a process, and goes on with that very call once another process has
# decided it.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

expect_one_error_of() { # PROGRAM REGEX, of stderr
    expect_match "$err" "^$1: error: .*$2"
}
work() { printf '%s/agents/a/workspace' "$CHORUS_HOME"; }
calls() { # ID ARGUMENTS …: one answer with several calls of bash
    local list='[]'
    while [ $# -gt 0 ]; do
        list=$(jq -c --arg id "$1" --arg command "$2" '. + [{id: $id, name: "bash", arguments: {command: $command}}]' <<<"$list")
        shift 2
    done
    jq -nc --argjson calls "$list" '{say: {tool_calls: $calls}}'
}
waits() { # SCRIPT-ANSWER …: agent a, standard, and a turn that waits; its prompts in $ids
    init a --model anthropic/m
    home_key sandbox '"off"'
    start_server "$(answers "$@" "$(say Done.)")"
    run chorus-run a go --json
    expect_status 10
    expect_json '"\(.state) \(.reason) \(.exit_code) \(.error.code)"' 'input-required permission 10 INPUT_REQUIRED'
    mapfile -t ids < <(jq -r '.pending[].id' <<<"$out")
}
outcome() { db "SELECT outcome FROM tool_runs WHERE tool_call_id = '$1'"; }
result_of() { db "SELECT content FROM messages WHERE role = 'tool_result' AND tool_call_id = '$1'"; }
states() { db "SELECT group_concat(state, ' ') FROM (SELECT state FROM prompts ORDER BY rowid)"; }
decisions() { db "SELECT group_concat(decision || ' ' || action_string, ', ') FROM audit_log WHERE action_string LIKE 'tool:bash:%'"; }
ran() { [ -e "$(work)/log" ] && wc -l <"$(work)/log" || echo 0; }
set_agent() { chorus-config set -A a "$1" "$2" >/dev/null 2>"$scratch/err" </dev/null || fail "chorus-config: $(cat "$scratch/err")"; }

test_case "as in cron: exit 10, listed, approved by another process, run once, answered, audited" # A-48
waits "$(calls c 'echo ran >> log')"
expect_json '.pending[0] | "\(.kind) \(.action) \(.tool) \(.arguments.command)"' 'permission tool:bash:echo ran >> log bash echo ran >> log'
expect_equal "$(ran)" 0
expect_db "SELECT state || ' ' || coalesce(pid, 'none') FROM turns" 'prompt none'
expect_match "$(cat "$CHORUS_HOME/agents/a/branches/main/session.md")" "chorus-run a --approve ${ids[0]}"
run chorus-tasks pending
expect_status 0
expect_match "$out" "^${ids[0]}	a	[^	]*	tool:bash:echo ran >> log$"
run chorus-tasks pending a --json
expect_json '"\(.agent) \(.thread) \(.id)"' "a 1 ${ids[0]}"
run chorus-run a --approve "${ids[0]}" --json --actor carol
expect_status 0
expect_json '"\(.state) \(.text) \(.exit_code)"' 'completed Done. 0'
expect_equal "$(ran)" 1
expect_equal "$(outcome c)" ok
expect_equal "$(states)" approved
expect_db "SELECT decision || ' ' || actor FROM audit_log WHERE action_string = 'tool:bash:echo ran >> log'" "ask_approved uid $(id -u) (carol)"
expect_acceptable "$(request 2)"
expect_sound
run chorus-tasks pending
expect_equal "$out" ''
run chorus-run a --resume
expect_status 0
expect_equal "$(ran)" 1

test_case "approved without going on, then --resume" # A-59
waits "$(calls c 'echo ran >> log')"
run chorus-tasks approve "${ids[0]}"
expect_status 0
expect_match "$err" "notice: approved ${ids[0]}: tool:bash:echo ran >> log"
expect_equal "$(ran)" 0
run chorus-run a --resume
expect_status 0
expect_equal "$(ran)" 1
expect_sound

test_case "approved and gone on with in the background"
waits "$(calls c 'echo ran >> log')"
run chorus-tasks approve "${ids[0]}" --run
expect_status 0
wait_for 20 in_db "SELECT state FROM turns" idle || fail 'it did not go on'
expect_equal "$(ran)" 1
expect_sound

test_case "denied: the model gets the refusal with its reason, and goes on"
waits "$(calls c 'echo ran >> log')"
run chorus-run a --deny "${ids[0]}" --reason 'not on a Friday' --json
expect_status 0
expect_json '"\(.state) \(.denied[0].action)"' 'completed tool:bash:echo ran >> log'
expect_equal "$(result_of c)" 'denied: the user denied this call: not on a Friday'
expect_equal "$(outcome c)" denied
expect_equal "$(ran)" 0
expect_equal "$(decisions)" 'ask_denied tool:bash:echo ran >> log'
expect_sound

test_case "a question is answered"
init a --model anthropic/m
start_server "$(answers "$(call q ask_user '{"question": "Which colour?", "kind": "selection", "options": ["red", "blue"]}')" "$(say Done.)")"
run chorus-run a go --json
expect_status 10
expect_json '"\(.reason) \(.pending[0].kind) \(.pending[0].text) \(.pending[0].options | join(","))"' 'question question Which colour? red,blue'
id=$(jq -r '.pending[0].id' <<<"$out")
run chorus-run a --resume
expect_status 10
expect_match "$err" "waits: $id: Which colour\? \[red \| blue\]"
run chorus-tasks pending a
expect_match "$out" 'Which colour\? \[red \| blue\]'
run chorus-run a --approve "$id"
expect_status 2
expect_one_error 'it is a question'
expect_match "$err" "hint: chorus-run a --answer $id TEXT, or chorus-run a --deny $id\$"
for always in '' --always; do
    run chorus-tasks approve "$id" $always
    expect_status 2
    expect_match "$err" "error: prompt $id: it is a question"
    expect_match "$err" "hint: chorus-tasks answer $id TEXT, or chorus-tasks deny $id\$"
done
run chorus-run a --answer "$id" green
expect_status 2
expect_one_error "'green' is not one of the answers"
run chorus-run a --answer "$id"
expect_status 2
run chorus-tasks answer "$id" 2
expect_status 0
run chorus-run a --resume
expect_status 0
expect_equal "$(result_of q)" blue
expect_equal "$(outcome q)" ok
expect_sound

test_case "an answer whose result was lost with the process is told again, not asked for again"
init a --model anthropic/m
start_server "$(answers "$(call q ask_user '{"question": "Which colour?"}')" "$(say Done.)")"
run chorus-run a go
expect_status 10
run chorus-tasks answer "$(db 'SELECT id FROM prompts')" blue
{ strace -qq -o /dev/null -e inject=fdatasync:signal=KILL:when=3 chorus-run a --resume >/dev/null 2>&1 </dev/null; } 2>/dev/null
db "UPDATE prompts SET consumed_at = 1" >/dev/null
run chorus-run a --resume
expect_status 0
expect_equal "$(result_of q)" blue
expect_sound

test_case "bad input: a command of more than 64 KiB, a NUL, no UTF-8: denied, and nobody is asked"
init a --model anthropic/m
long=$(printf 'x%.0s' {1..70000})
start_server "$(answers "$(calls c1 "echo $long")" "$(call c2 bash '{"command": "echo a\u0000b"}')" "$(say Done.)")"
run chorus-run a go --json
expect_status 0
expect_json '.denied | length' 2
expect_match "$(result_of c1)" '^denied: .*longer than'
expect_match "$(result_of c2)" '^denied: .*NUL'
expect_equal "$(db 'SELECT count(*) FROM prompts')" 0
expect_sound

test_case "bad input: the prompts of a destroyed agent, and deciding while a turn is at work"
waits "$(calls c 'echo ran >> log')"
db "UPDATE agents SET status = 'destroyed', destroyed_at = 1" >/dev/null
run chorus-tasks approve "${ids[0]}"
expect_status 4
expect_match "$err" 'its agent was destroyed'
expect_equal "$(states)" pending
rm -rf "$CHORUS_HOME"
waits "$(calls c 'sleep 2; echo ran >> log')"
chorus-run a --approve "${ids[0]}" >/dev/null 2>&1 </dev/null &
pid=$!
wait_for 10 in_db 'SELECT state FROM turns' working || fail 'it did not go on'
run chorus-run a --approve "${ids[0]}"
expect_status 4
expect_one_error 'it was approved by'
wait $pid
expect_equal "$(ran)" 1
expect_sound

test_case "a role: who may not grant may not approve more rights, nor say always"
init a --model anthropic/m --permissions open
home_key permission_grants '{"admin": "*"}'
start_server "$(answers "$(call p self_edit_permissions '{"new_profile": {"allow": ["tool:bash:.*"]}}')" "$(say Done.)")"
run chorus-run a go --json
expect_status 0
expect_match "$(result_of p)" '^denied: .*may not grant'
home_key roles "{\"$(id -un)\": \"admin\"}"
start_server "$(answers "$(call r self_edit_permissions '{"new_profile": {"allow": ["tool:bash:.*"]}}')" "$(say Done.)")"
run chorus-run a go --json
expect_status 10
id=$(jq -r '.pending[0].id' <<<"$out")
home_key roles '{}'
run chorus-tasks approve "$id"
expect_status 6
expect_one_error_of chorus-tasks 'may not grant'
home_key roles "{\"$(id -un)\": \"admin\"}"
run chorus-run a --approve "$id"
expect_status 0
expect_equal "$(jq -c .permissions "$CHORUS_HOME/agents/a/agent.json")" '{"allow":["tool:bash:.*"]}'
run chorus-config trust a --show
expect_equal "$out" 'nothing to trust'
expect_db "SELECT count(*) FROM audit_log WHERE action_string = 'tool:self_edit:permissions:custom' AND detail LIKE '%sha256%'" 1
expect_sound

test_case "three calls of one answer, decided one by one by three processes"
waits "$(calls c1 'echo 1 >> log' c2 'echo 2 >> log' c3 'echo 3 >> log')"
expect_equal "${#ids[@]}" 3
run chorus-run a --approve "${ids[2]}" --json
expect_status 10
expect_json '[.pending[].id] | join(" ")' "${ids[0]} ${ids[1]}"
expect_equal "$(ran)" 0
run chorus-run a --deny "${ids[0]}"
expect_status 10
expect_equal "$(ran)" 0
run chorus-run a --approve "${ids[1]}" --json
expect_status 10
expect_equal "$(tr '\n' ' ' <"$(work)/log")" '2 '
expect_json '.pending[0].text' 'asked again: changed: log (new)'
run chorus-run a --approve all
expect_status 0
expect_equal "$(tr '\n' ' ' <"$(work)/log")" '2 3 '
expect_equal "$(outcome c1) $(outcome c2) $(outcome c3)" 'denied ok ok'
expect_equal "$(decisions)" 'ask_approved tool:bash:echo 3 >> log, ask_denied tool:bash:echo 1 >> log, ask_approved tool:bash:echo 2 >> log, ask_approved tool:bash:echo 3 >> log'
expect_sound

test_case "all of them at once"
waits "$(calls c1 'echo 1 >> log' c2 'echo 2 >> log')"
run chorus-run a --approve all --even-if-changed
expect_status 0
expect_match "$err" "approved ${ids[0]}: tool:bash:echo 1 >> log"
expect_match "$err" "approved ${ids[1]}: tool:bash:echo 2 >> log"
expect_equal "$(ran)" 2
expect_sound
run chorus-run a --approve all
expect_status 4
expect_one_error 'no pending question'

test_case "a decision is told once it is on record, and one that fails is not told"
waits "$(calls c1 'echo 1 >> log' c2 'rm -f log')"
set_agent permissions '{"base": "standard", "deny": ["tool:bash:rm.*"]}'
run chorus-run a --approve all
expect_status 6
expect_no_match "$err" 'notice: approved'
expect_equal "$(states)" 'pending pending'
run chorus-run a --deny all
expect_status 0
expect_equal "$(grep -c 'notice: denied' <<<"$err")" 2
rm -rf "$CHORUS_HOME"
for verb in approve deny; do
    waits "$(calls c 'echo ran >> log')"
    db "CREATE TRIGGER full BEFORE INSERT ON audit_log BEGIN SELECT raise(ABORT, 'no space'); END"
    run chorus-run a --$verb "${ids[0]}"
    expect_no_match "$err" 'notice: (approved|denied)'
    expect_equal "$(states)" pending
    rm -rf "$CHORUS_HOME"
done

test_case "always: the action is allowed from now on, that one alone"
waits "$(calls c 'echo ran >> log')" "$(calls d 'echo ran >> log')" "$(calls e 'echo ran >> log2')"
run chorus-run a --approve "${ids[0]}" --always --json
expect_status 10
expect_equal "$(ran)" 2
expect_json '.pending[0].action' 'tool:bash:echo ran >> log2'
expect_equal "$(jq -r '.permissions | "\(.base) \(.allow | length) \(.allow[0].shell)"' "$CHORUS_HOME/agents/a/agent.json")" 'standard 1 true'
expect_db "SELECT count(*) FROM audit_log WHERE action_string = 'tool:self_edit:permissions:custom' AND decision = 'ask_approved'" 1
run chorus-run a --deny all
expect_status 0
expect_sound

test_case "always: an action that no rule can hold is refused, and nothing is changed"
long="echo $(printf 'b%.0s' $(seq 600)) >> log"
for way in approve run; do
    rm -rf "$CHORUS_HOME"
    waits "$(calls c "$long")"
    before=$(cat "$CHORUS_HOME/agents/a/agent.json")
    if [ $way = run ]; then run chorus-run a --approve "${ids[0]}" --always; else run chorus-tasks approve "${ids[0]}" --always; fi
    expect_status 2
    expect_match "$err" 'error: always: the rule for the action is [0-9]+ bytes long, at most 512
.*hint: leave out --always'
    expect_equal "$(cat "$CHORUS_HOME/agents/a/agent.json")" "$before"
    expect_equal "$(ran)" 0
    run chorus-run a --approve "${ids[0]}"
    expect_status 0
    expect_equal "$(ran)" 1
    expect_sound
done

test_case "a prompt that expires is denied, and the turn goes on"
waits "$(calls c 'echo ran >> log')"
db "UPDATE prompts SET expires_at = 1" >/dev/null
run chorus-tasks pending
expect_equal "$out" ''
run chorus-run a --approve "${ids[0]}"
expect_status 4
expect_one_error 'it has expired'
run chorus-run a --resume
expect_status 0
expect_equal "$(result_of c)" 'denied: nobody decided it in time'
expect_equal "$(outcome c)" expired
expect_equal "$(ran)" 0
expect_sound

test_case "a new message after all has expired begins a turn; after a decision it does not"
waits "$(calls c 'echo ran >> log')"
db "UPDATE prompts SET expires_at = 1" >/dev/null
run chorus-run a 'and now?'
expect_status 0
expect_equal "$(outcome c)" expired
expect_sound
rm -rf "$CHORUS_HOME"
waits "$(calls c 'echo ran >> log')"
run chorus-tasks approve "${ids[0]}"
run chorus-run a 'and now?'
expect_status 10
expect_match "$err" 'the previous turn is decided but not resumed'
run chorus-run a --resume
expect_status 0
expect_equal "$(ran)" 1
expect_sound

test_case "a new message while it waits: its questions again; with --cancel-prompts approvals go too"
waits "$(calls c1 'echo 1 >> log' c2 'echo 2 >> log')"
run chorus-tasks approve "${ids[0]}"
run chorus-run a 'and now?' --json
expect_status 10
expect_json '[.pending[].id] | join(" ")' "${ids[1]}"
run chorus-run a 'and now?' --cancel-prompts
expect_status 0
expect_equal "$(ran)" 0
expect_equal "$(outcome c1) $(outcome c2)" 'cancelled cancelled'
expect_equal "$(states)" 'cancelled cancelled'
expect_match "$(result_of c1)" '^cancelled: the turn was given up before the call ran'
run chorus-run a --approve "${ids[0]}"
expect_status 4
expect_sound

test_case "what cannot be decided: unknown, decided, another agent's, a running turn's thread waits" # S-66
waits "$(calls c 'echo ran >> log')"
run chorus-run a --approve nothere1
expect_status 4
expect_one_error "no such prompt"
run chorus-run a --approve "${ids[0]}" --json
expect_status 0
run chorus-run a --deny "${ids[0]}" --json
expect_status 4
expect_json '.error.code' NO_PROMPT
expect_one_error "it was approved by uid $(id -u)"
run chorus-tasks approve "${ids[0]}"
expect_status 4
init b --model builtin/script
run chorus-run b --approve "${ids[0]}"
expect_status 4
expect_one_error "it does not belong to agent 'b' but to 'a'"
run chorus-run a --approve "${ids[0]}" 'and words'
expect_status 2
run chorus-run nobody --approve "${ids[0]}"
expect_status 4
CHORUS_AGENT=a run chorus-tasks approve "${ids[0]}"
expect_status 6

for field in arguments directory profile file; do
    test_case "an approval is for what was asked: $field changed, and it is asked again"
    init a --model anthropic/m
    home_key sandbox '"off"'
    printf 'echo one >> log\n' >"$(work)/job.sh"
    start_server "$(answers "$(calls c 'bash job.sh')" "$(say Done.)")"
    run chorus-run a go --json
    expect_status 10
    id=$(jq -r '.pending[0].id' <<<"$out")
    run chorus-tasks approve "$id"
    case $field in
        arguments) db "UPDATE messages SET tool_calls = replace(tool_calls, 'bash job.sh', 'bash  job.sh')" >/dev/null ;;
        directory) mv "$CHORUS_HOME" "$scratch/moved"; export CHORUS_HOME=$scratch/moved ;;
        profile) set_agent permissions '{"base": "standard", "deny": ["tool:bash:rm.*"]}' ;;
        file) printf 'echo two >> log\n' >"$(work)/job.sh" ;;
    esac
    run chorus-run a --resume --json
    expect_status 10
    expect_match "$(jq -r '.pending[0].text' <<<"$out")" '^asked again: '
    expect_equal "$(ran)" 0
    again=$(jq -r '.pending[0].id' <<<"$out")
    [ "$again" != "$id" ] || fail 'the same prompt'
    run chorus-run a --approve "$again"
    expect_status 0
    expect_equal "$(ran)" 1
    expect_sound
done

test_case "a file that an earlier call of the same answer changes is asked about again, the earlier call done"
init a --model anthropic/m
home_key sandbox '"off"'
printf 'echo one >> log\n' >"$(work)/job.sh"
start_server "$(answers "$(calls c1 'echo "echo two >> log" > job.sh' c2 'bash job.sh')" "$(say Done.)")"
run chorus-run a go
expect_status 10
run chorus-run a --approve all --json
expect_status 10
expect_equal "$(outcome c1)" ok
expect_equal "$(ran)" 0
run chorus-run a --approve all
expect_status 0
expect_file "$(work)/log" two
expect_sound

test_case "the stricter wins: a profile that denies meanwhile"
waits "$(calls c 'echo ran >> log')"
run chorus-tasks approve "${ids[0]}"
jq '.permissions = "locked"' "$CHORUS_HOME/agents/a/agent.json" >x && cat x >"$CHORUS_HOME/agents/a/agent.json"
run chorus-run a --resume
expect_status 0
expect_match "$(result_of c)" '^denied: Profile: '
expect_equal "$(ran)" 0
expect_equal "$(db "SELECT kind || ' ' || state FROM prompts ORDER BY rowid" | tr '\n' ' ')" 'permission cancelled trust pending '
expect_sound

test_case "--on-ask deny and fail, and that --resume keeps to it"
init a --model anthropic/m
start_server "$(answers "$(calls c 'echo ran >> log')" "$(say Done.)")"
run chorus-run a go --on-ask deny --json
expect_status 0
expect_json '"\(.state) \(.denied[0].detail)"' 'completed approval needed, and --on-ask is deny'
expect_equal "$(result_of c)" 'denied: approval needed, and --on-ask is deny'
expect_sound
start_server "$(answers "$(calls d1 'echo ran >> log' d2 'echo ran >> log')" "$(say Done.)")"
run chorus-run a go --on-ask fail --json
expect_status 11
expect_json '"\(.state) \(.reason) \(.error.code) \(.exit_code)"' 'failed denied DENIED 11'
expect_match "$err" 'error: turn: --on-ask is fail, and a person has to decide about tool:bash:echo ran >> log'
expect_match "$err" 'hint: chorus-run a -t 1 --resume'
expect_equal "$(outcome d1) $(outcome d2)" 'denied denied'
expect_sound
run chorus-run a 'go on'
expect_status 0
expect_equal "$(ran)" 0

test_case "--resume --on-ask decides what waits, and holds for the turn from then on"
for how in deny fail; do
    rm -rf "$CHORUS_HOME"
    waits "$(calls c 'echo ran >> log')" "$(calls d 'echo ran >> log')"
    run chorus-run a --resume
    expect_status 10
    run chorus-run a --resume --on-ask $how --json
    case $how in
        deny)
            expect_status 0
            expect_json '"\(.turn) \(.text) \(.denied | length)"' '1 Done. 2'
            ;;
        fail) expect_status 11 ;;
    esac
    expect_equal "$(outcome c)" denied
    expect_db "SELECT count(*) FROM prompts WHERE state = 'pending'" 0
    expect_equal "$(ran)" 0
    expect_sound
done

test_case "always settles the equal questions that wait, of other threads too, and no others"
waits "$(calls c 'echo ran >> log' c2 'echo ran >> log' c3 'echo other >> log2')"
run chorus-run a --new-thread go
start_server "$(answers "$(calls d 'echo ran >> log')" "$(say Done.)")"
run chorus-run a --new-thread go
expect_status 10
start_server "$(answers "$(say Done.)")"
run chorus-tasks approve "${ids[0]}" --always
expect_status 0
expect_db "SELECT count(*) FROM prompts WHERE state = 'pending' AND action = 'tool:bash:echo ran >> log'" 0
expect_db "SELECT count(*) FROM prompts WHERE state = 'pending'" 1
run chorus-run a -t 3 --resume
expect_status 0
expect_equal "$(ran)" 1
run chorus-run a --deny all
expect_status 0
expect_equal "$(ran)" 3
expect_db "SELECT count(*) FROM audit_log WHERE decision = 'ask_approved' AND action_string = 'tool:bash:echo ran >> log'" 3
expect_sound

test_case "a message that is not accepted says so and names the ways, and they work: waiting, decided, parked"
now=$(date +%s%3N)
for what in waiting decided parked; do
    for way in --queue --cancel-prompts --new-thread; do
        rm -rf "$CHORUS_HOME"
        waits "$(calls c 'echo ran >> log')"
        wanted=10
        case $what in
            decided) run chorus-tasks approve "${ids[0]}" ;;
            parked)
                wanted=75
                db "UPDATE prompts SET state = 'cancelled'; UPDATE turns SET state = 'parked', reason = 'all_profiles_rate_limited', resume_at = $now + 600000" >/dev/null
                ;;
        esac
        run chorus-run a 'and now?' --json
        expect_status $wanted
        expect_json '"\(.accepted) \(.exit_code)"' "false $wanted"
        expect_match "$err" 'error: the message was not accepted: '
        for name in --queue --cancel-prompts --new-thread; do expect_match "$err" "hint: chorus-run a .*$name MESSAGE"; done
        expect_equal "$(jq -r .error.message <<<"$out")" "$(sed -n 's/^chorus-run: error: //p' <<<"$err")"
        run chorus-run a -q 'and now?'
        expect_status $wanted
        expect_match "$err" 'error: the message was not accepted: '
        expect_db "SELECT (SELECT count(*) FROM messages WHERE content LIKE '%and now?%') + (SELECT count(*) FROM inbox)" 0
        run chorus-run a 'and now?' $way --json
        expect_status 0
        expect_json .accepted true
        case $way in
            --queue)
                expect_json '"\(.state) \(.reason)"' 'submitted queued'
                expect_match "$err" 'queued for thread 1: taken up when it continues'
                expect_db 'SELECT count(*) FROM inbox WHERE delivered_turn IS NULL' 1
                ;;
            --cancel-prompts)
                expect_json .text Done.
                expect_sound
                ;;
            *) expect_json '"\(.text) \(.thread)"' 'Done. 2' ;;
        esac
    done
done
run chorus-run a --resume --json
expect_json .accepted null
run chorus-run nobody hello --json
expect_status 4
expect_json .accepted false

test_case "an approving process that is killed after the decision: the next one goes on, once"
waits "$(calls c 'echo ran >> log; sleep 20')"
chorus-run a --approve "${ids[0]}" >/dev/null 2>&1 </dev/null &
pid=$!
wait_for 10 test -e "$(work)/log" || fail 'it did not begin'
kill -9 $pid
wait $pid 2>/dev/null
run chorus-run a --approve "${ids[0]}"
expect_status 4
run chorus-run a --resume
expect_status 0
expect_equal "$(ran)" 1
expect_equal "$(outcome c)" unknown
expect_sound

end_tests
