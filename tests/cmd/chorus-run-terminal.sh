#!/usr/bin/env bash
# needs: time
# What only a terminal gets: a question with its answer, a status line that leaves nothing behind, text
# that cannot play tricks.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/terminal.sh"

# What is left to read once the terminal has obeyed "\r\e[K": a line is what stands behind its last one.
left_over() { tr -d '\000' <"$scratch/screen" | sed -e 's/\r$//' -e $'s/.*\r\x1b\\[K//'; }
question='/bash touch done; echo $((6 * 7))'

test_case "a question: yes runs it"
init a --model builtin/script --permissions standard
typist() { shown 'lways? ' && echo y; }
on_terminal "chorus-run a '$question'"
expect_status 0
expect_match "$out" 'May it do this.*tool:bash:touch done; echo .*\(for [0-9]+ [a-z]+; then the turn is suspended\)'
expect_no_match "$out" 'arguments:'
expect_match "$out" 'stdout:'$'\n'42
[ -e "$CHORUS_HOME/agents/a/workspace/done" ] || fail 'it was not run'
expect_db "SELECT decision || ' ' || detail FROM audit_log" 'ask_approved User approved at the terminal'
expect_db 'SELECT state || (consumed_at IS NOT NULL) FROM prompts' approved1

test_case "no, and a wrong answer before it"
init a --model builtin/script --permissions standard
typist() {
    shown 'lways? ' && echo perhaps
    wait_for 10 eval '[ "$(grep -o "lways? " "$scratch/screen" | wc -l)" -ge 2 ]' && echo No
}
on_terminal "chorus-run a --json '$question'"
expect_status 0
expect_missing "$CHORUS_HOME/agents/a/workspace/done"
expect_db "SELECT decision || ' ' || detail FROM audit_log" 'ask_denied User denied'
expect_match "$(db "SELECT content FROM messages WHERE role = 'tool_result'")" 'denied: the user denied'
expect_match "$out" '"denied":\[\{"action":"tool:bash:'

test_case "what was typed ahead answers nothing; nobody answers: the turn suspends"
init a --model builtin/script --permissions standard
typist() {
    echo y
    shown 'lways? '
    sleep 1.5
}
on_terminal "sleep 0.5; chorus-run a --ask-timeout 1s '$question'"
expect_status 10
expect_missing "$CHORUS_HOME/agents/a/workspace/done"
expect_match "$out" 'chorus-run: waits: [a-z0-9]*: tool:bash:touch done'
expect_db 'SELECT state FROM prompts' pending

test_case "the question is asked of the person, whatever stdin and stdout are"
init a --model builtin/script --permissions standard
echo data >data.txt
typist() { shown 'lways? ' && echo yes; }
on_terminal "chorus-run a -p '$question' <data.txt >answer.txt"
expect_status 0
expect_match "$(cat answer.txt)" 42
expect_no_match "$(cat answer.txt)" 'May it'
expect_db "SELECT content LIKE '%<stdin>%data%' FROM messages WHERE role = 'user'" 1

test_case "^C at a question ends the turn; --resume asks again" 
init a --model builtin/script --permissions standard
typist() { shown 'lways? ' && printf '\003'; sleep 0.5; }
on_terminal "chorus-run a '$question'"
expect_status 130
expect_match "$out" 'chorus-run: error: turn: interrupted'
expect_db "SELECT state || ' ' || exit_code FROM turns" 'exited 130'
expect_db 'SELECT state FROM prompts' cancelled
expect_db "SELECT trigger || ' ' || message_count FROM sessions" 'shutdown 2'
typist() { shown 'lways? ' && echo y; }
on_terminal 'chorus-run a --resume'
expect_status 0
[ -e "$CHORUS_HOME/agents/a/workspace/done" ] || fail 'it was not run'
expect_sound

# What happens elsewhere while the question stands; its id is in $id.
elsewhere() { :; }
asked_meanwhile() { # PROMPT
    init a --model builtin/script --permissions standard
    typist() {
        shown 'lways? '
        id=$(db 'SELECT id FROM prompts')
        elsewhere >"$scratch/elsewhere" 2>&1
        wait_for 10 eval '[ "$(db "SELECT state FROM turns")" != prompt ]'
    }
    on_terminal "chorus-run a '$1'"
}

test_case "a question that stands on a terminal is listed, and shown as what the turn waits for"
elsewhere() {
    chorus-tasks pending
    chorus-tasks status a --json | jq -c '[.turn_state, (.pending | length)]'
    chorus-tasks steps a
    chorus-run a 'another message'
    echo "exit $?"
    echo y >"$scratch/keys"
}
asked_meanwhile "$question"
expect_status 0
expect_match "$(cat elsewhere)" 'tool:bash:touch done'
expect_match "$(cat elsewhere)" '\["prompt",1\]'
expect_match "$(cat elsewhere)" 'exit 75'
expect_db "SELECT state || ' ' || decided_by LIKE 'approved uid%' FROM prompts" 1
expect_db "SELECT group_concat(next, ' ') FROM (SELECT next FROM events WHERE kind = 'turn' ORDER BY id)" 'working prompt working idle'
expect_sound

test_case "it can be approved elsewhere: the turn goes on, and the terminal says who decided"
elsewhere() { chorus-tasks approve "$id"; }
asked_meanwhile "$question"
expect_status 0
expect_match "$out" "notice: prompt [a-z0-9]*: it was approved by uid"
[ -e "$CHORUS_HOME/agents/a/workspace/done" ] || fail 'it was not run'
expect_db 'SELECT count(*) FROM audit_log' 1
expect_sound

test_case "or denied"
elsewhere() { chorus-tasks deny "$id" --reason 'not today'; }
asked_meanwhile "$question"
expect_status 0
expect_missing "$CHORUS_HOME/agents/a/workspace/done"
expect_match "$(db "SELECT content FROM messages WHERE role = 'tool_result'")" 'not today'
expect_sound

test_case "chorus-run --approve elsewhere decides, waits for the turn and has nothing left to do"
elsewhere() { chorus-run a --approve "$id" --json 2>/dev/null; }
asked_meanwhile "$question"
expect_status 0
expect_equal "$(jq -r .reason elsewhere)" nothing_to_do
expect_db "SELECT count(*) FROM tool_runs WHERE outcome = 'ok'" 1
expect_sound

test_case "a turn that is killed while its question stands waits as if nobody had been there"
init a --model builtin/script --permissions standard
typist() { shown 'lways? ' && kill -9 "$(db 'SELECT pid FROM turns')"; }
on_terminal "chorus-run a '$question'"
expect_status 137
run chorus-tasks status a --json
expect_json '.turn_state' prompt
run chorus-run a 'another message'
expect_status 10
expect_match "$err" 'the message was not accepted'
run chorus-run a --approve "$(db "SELECT id FROM prompts WHERE state = 'pending'")"
[ "$status" = 0 ] || fail 'it does not go on'
[ -e "$CHORUS_HOME/agents/a/workspace/done" ] || fail 'it was not run'
expect_sound

# HOW KIND [AND]: agent a, whose terminal hangs up while the question stands
hung_up() {
    rm -rf "$CHORUS_HOME"
    if [ "$2" = question ]; then
        init a --model anthropic/m
        start_server "$(answers "$(call q ask_user '{"question": "Which colour?"}')" "$(say Done.)")"
        typist() { shown '> ' && kill -9 "$(pgrep -P $$ -x script)"; }
    else
        init a --model builtin/script --permissions standard
        typist() { shown 'lways? ' && kill -9 "$(pgrep -P $$ -x script)"; }
    fi
    on_terminal "$1 chorus-run a '$question'${3:-}"
    wait_for 10 in_db "SELECT count(*) FROM turns WHERE pid IS NULL" 1 || fail 'the turn did not end'
}
test_case "a terminal that hangs up while a question stands: the turn is canceled and saved, as by any signal"
for kind in permission question; do
    hung_up '' $kind
    expect_db "SELECT state || ' ' || reason || ' ' || exit_code FROM turns" 'exited signal 129'
    expect_db "SELECT state FROM prompts" cancelled
    wait_for 5 in_db "SELECT trigger FROM sessions" shutdown || fail 'nothing was saved'
done
run chorus-run a --resume
expect_status 10

test_case "a terminal that hangs up under a shell that goes on: the same, though the shell sends no signal"
for kind in permission question; do
    hung_up 'trap : HUP;' $kind '; sleep 2'
    expect_db "SELECT state || ' ' || reason || ' ' || exit_code FROM turns" 'exited signal 129'
    expect_db "SELECT state FROM prompts" cancelled
done

test_case "one that hangs up where SIGHUP is ignored: nobody answers, and the turn waits"
for kind in permission question; do
    hung_up "trap '' HUP;" $kind
    expect_db "SELECT state FROM turns" prompt
    expect_db "SELECT state FROM prompts" pending
done

test_case "^C in a command, or in one of a sub-agent: it has 2 s, not 20"
init a --model builtin/script --permissions open
mkdir -p "$CHORUS_HOME/presets"
printf -- '---\nmodel: builtin/script\npaths:\n  write: ["."]\n---\nHelp.\n' >"$CHORUS_HOME/presets/helper.md"
typist() { wait_for 10 test -e "$CHORUS_HOME/agents/a/workspace/began" && printf '\003'; sleep 4; }
for prompt in '/bash touch began; sleep 60' '/spawn_agent {"preset": "helper", "description": "d", "prompt": "/bash touch began; sleep 60"}'; do
    rm -f "$CHORUS_HOME/agents/a/workspace/began"
    started=$(date +%s)
    on_terminal "chorus-run a '$prompt'"
    expect_status 130
    [ $(($(date +%s) - started)) -lt 15 ] || fail "$prompt took as long as without a terminal"
done

test_case "three answers that are none decide nothing: the question waits"
init a --model builtin/script --permissions standard
typist() { for n in 1 2 3; do wait_for 15 eval '[ "$(grep -o "lways? " "$scratch/screen" | wc -l)" = '$n' ]' && echo; done; }
on_terminal 'chorus-run a "/bash touch made"'
expect_status 10
expect_db 'SELECT state FROM prompts' pending
expect_db "SELECT count(*) FROM audit_log WHERE decision LIKE '%denied%'" 0

test_case "all that is asked is shown, and shows what it is"
init a --model anthropic/m --permissions standard
start_server "$(answers "$(jq -nc '{say: {tool_calls: [{id: "c", name: "bash", arguments: {command: "echo \u001b[2Kx \u202e y\rz\u200b"}}]}}')" "$(say ok)")"
typist() { shown 'lways? ' && echo n; }
on_terminal 'chorus-run a hi'
expect_status 0
asked=$(sed -n '/May it/,/lways? /p' "$scratch/screen")
expect_no_match "$asked" $'\u202e|\u200b|\x1b\\[2K'
expect_match "$asked" 'echo .*x .*y.*z'

test_case "the status line comes after 1.5 s and is gone at the end" # S-56
init a --model anthropic/m
start_server "$(answers '{"say": {"tool_calls": [{"name": "list_files"}]}}' '{"say": {"text": "All done."}, "delay_ms": 2600}')"
typist() { sleep 4; }
began=$(date +%s%3N)
on_terminal 'chorus-run a hi'
expect_status 0
drawn=$(grep -o $'\x1b\\[K' "$scratch/screen" | wc -l)
[ "$drawn" -gt 2 ] && [ "$drawn" -le $((($(date +%s%3N) - began) / 200 + 3)) ] || fail "drawn $drawn times"
expect_match "$(cat "$scratch/screen")" $'\r\x1b\\[K.*waiting for the model · [0-9]+ s · 1 tool · [0-9]+ tokens'
expect_equal "$(left_over)" $'\x1b[2mlist_files  .  ok\x1b[0m\nAll done.'
start_server "$(answers '{"say": {"text": "x"}, "delay_ms": 2000}')"
typist() { sleep 3; }
on_terminal 'NO_COLOR=1 chorus-run a hi'
expect_match "$(cat "$scratch/screen")" ' s'
expect_no_match "$(cat "$scratch/screen")" $'\x1b\\[2m'
on_terminal 'chorus-run a hi -q'
expect_equal "$(cat "$scratch/screen")" $'x\r'
on_terminal 'chorus-run a hi >answer'
expect_match "$(cat "$scratch/screen")" $'\x1b\\[2m'
expect_equal "$(left_over | tr -d '\n')" ''
expect_file answer x

test_case "the status line is gone after a failure, a signal and a timeout too"
init a --model anthropic/m
home_key max_retries 0
start_server "$(answers '{"status": 500, "body": "{}", "delay_ms": 2000}' '{"delay_ms": 9000}')"
typist() { sleep 3; }
on_terminal 'chorus-run a hi'
expect_status 7
expect_match "$(left_over)" '^chorus-run: error: model anthropic/m: [^·]*$'
on_terminal 'chorus-run a hi --timeout 2s'
expect_status 124
expect_equal "$(left_over)" 'chorus-run: error: turn: the time given with --timeout is up
chorus-run: hint: chorus-run a -t 1 --resume'
typist() { sleep 2.2; printf '\003'; sleep 1; }
on_terminal 'chorus-run a hi'
expect_status 130
expect_equal "$(left_over)" 'chorus-run: error: turn: interrupted
chorus-run: hint: chorus-run a -t 1 --resume'

test_case "text streams to a terminal and the status line never writes over it"
init a --model anthropic/m
start_server "$(answers '{"say": {"text": "one two three four five six seven eight nine ten eleven twelve"}, "drip_ms": 350}')"
typist() { shown 'one' && shown ' twelve'; sleep 1; }
on_terminal 'chorus-run a hi'
expect_status 0
expect_equal "$(left_over)" 'one two three four five six seven eight nine ten eleven twelve'

test_case "text for a terminal is made visible, a pipe gets it as it is"
init a --model anthropic/m
start_server "$(answers "$(jq -nc '{say: {text: "a\u001b[31mred\u001b]0;title\u0007\rover \u202ertl\ttab"}}')")"
typist() { sleep 1; }
on_terminal 'chorus-run a hi'
expect_no_match "$(left_over)" $'\x1b\\[31m|\x1b\\]0|\u202e|\x07'
expect_match "$(left_over)" $'a.*red.*title.*over .*rtl\ttab'
run chorus-run a hi
expect_equal "$out" $'a\x1b[31mred\x1b]0;title\x07\rover \u202ertl\ttab'

test_case "a terminal and no prompt"
init a --model builtin/script
typist() { sleep 0.3; }
on_terminal 'chorus-run a'
expect_status 2
expect_match "$out" 'chorus-run: error: prompt: there is none'
expect_match "$out" 'chorus-run: hint: .*-p TEXT'

test_case "always: it is run, and from then on without asking"
init a --model builtin/script --permissions standard
typist() { shown 'lways? ' && echo a; }
on_terminal "chorus-run a '$question'"
expect_status 0
[ -e "$CHORUS_HOME/agents/a/workspace/done" ] || fail 'it was not run'
expect_db "SELECT count(*) FROM audit_log WHERE detail LIKE 'always: tool:bash:touch done%'" 1
run chorus-run a "$question"
expect_status 0
expect_no_match "$err" 'not in force'

test_case "a question of the model is answered by number, after an answer that is none"
init a --model anthropic/m
start_server "$(answers "$(call q ask_user '{"question": "Which\ncolour?", "kind": "selection", "options": ["red", "blue"]}')" "$(say Done.)")"
typist() {
    shown '> ' && echo green
    shown 'or its number' && echo 2
}
on_terminal 'chorus-run a go'
expect_status 0
expect_match "$out" 'The agent asks:'
expect_match "$out" '2\) blue'
expect_db "SELECT content FROM messages WHERE role = 'tool_result'" blue

test_case "a turn that waits is asked again at a terminal with --resume, in the question that waits"
init a --model builtin/script --permissions standard
run chorus-run a "$question"
expect_status 10
expect_match "$err" 'hint: chorus-run a --approve [a-z0-9]*, or --deny'
run chorus-run a --resume
expect_status 10
typist() { shown 'lways? ' && echo y; }
on_terminal "chorus-run a --resume"
expect_status 0
[ -e "$CHORUS_HOME/agents/a/workspace/done" ] || fail 'it was not run'
expect_db "SELECT group_concat(state) FROM prompts" approved
expect_db "SELECT count(*) FROM messages WHERE role = 'tool_result'" 1
expect_db "SELECT state || ' ' || attempt FROM turns" 'idle 2'

# ELSEWHERE TYPED: a question that waits is asked at a terminal; meanwhile ELSEWHERE is done, then TYPED is typed
decided_elsewhere() {
    rm -rf "$CHORUS_HOME"
    if [[ $1 == *answer* ]]; then
        init a --model anthropic/m
        start_server "$(answers "$(call q ask_user '{"question": "Which colour?"}')" "$(say Done.)")"
    else
        init a --model builtin/script --permissions standard
    fi
    run chorus-run a "$question"
    expect_status 10
    id=$(db 'SELECT id FROM prompts') elsewhere=$1 typed=$2
    typist() {
        shown '\(lways?\|>\) $'
        # who asks does not look meanwhile, however long it takes
        [ -z "$typed" ] || kill -STOP "$(cat "$scratch/asks")"
        eval "$elsewhere" >/dev/null 2>&1
        [ -z "$typed" ] || { echo "$typed"; sleep 0.5; kill -CONT "$(cat "$scratch/asks")"; }
        sleep 2.5
    }
    on_terminal "sh -c 'echo \$\$ >$scratch/asks; exec chorus-run a --resume --ask-timeout 20s'; exit \$?"
    expect_status 0
}
test_case "what is typed when the question is decided already is told to be too late, and the decision holds"
decided_elsewhere 'chorus-tasks deny "$id"' y
expect_match "$out" "notice: prompt $id: the answer came too late: it was denied by uid $(id -u), 2"
expect_missing "$CHORUS_HOME/agents/a/workspace/done"
decided_elsewhere 'chorus-tasks approve "$id"' n
expect_match "$out" "came too late: it was approved by uid $(id -u), 2"
[ -e "$CHORUS_HOME/agents/a/workspace/done" ] || fail 'it was not run'
decided_elsewhere 'chorus-tasks approve "$id"' a
expect_match "$out" 'came too late: it was approved'
expect_db "SELECT count(*) FROM audit_log WHERE detail LIKE 'always%'" 0
decided_elsewhere 'chorus-tasks answer "$id" red' blue
expect_match "$out" "came too late: it was answered by uid $(id -u), 2"
expect_db "SELECT content FROM messages WHERE role = 'tool_result'" red
decided_elsewhere 'db "UPDATE prompts SET expires_at = 1"' y
expect_match "$out" 'came too late: it has expired'
expect_db 'SELECT state FROM prompts' expired
expect_db "SELECT outcome FROM tool_runs" expired
expect_missing "$CHORUS_HOME/agents/a/workspace/done"
expect_db "SELECT count(*) FROM audit_log WHERE decision = 'ask_denied'" 1

test_case "where it is decided elsewhere and nothing is typed, the turn goes on when the question goes"
decided_elsewhere 'chorus-tasks approve "$id"' ''
expect_no_match "$out" 'too late'
[ -e "$CHORUS_HOME/agents/a/workspace/done" ] || fail 'it was not run'

test_case "no character plays tricks on a terminal, in JSON either, which stays JSON"
init a --model builtin/script
tricks=$'x \u202e \u009b2J \U000e0041 \u200b y'
run chorus-run a "$tricks"
expect_status 0
raw='[^ -~]*('$'\u202e|\u009b|\U000e0041|\u200b'')'
for command in 'chorus-context messages a' 'chorus-context messages a --json' 'chorus-context log a --json' 'chorus-context show a --json' \
    'chorus-context search x --json' 'chorus-context search x' 'chorus-tasks status a --json' 'chorus-context export a --format jsonl' \
    'chorus-run a --fresh "$tricks"' 'chorus-run a --fresh --json "$tricks"' 'chorus-run a --fresh --output-format stream-json "$tricks"'; do
    export tricks
    typist() { :; }
    on_terminal "$command"
    expect_status 0
    [[ ! $out =~ $raw ]] || fail "$command shows them"
    [[ $command != *json* ]] || jq -c . <<<"$out" >/dev/null || fail "$command prints no JSON"
done
on_terminal 'chorus-context messages a --json -n 1'
expect_json '.content | contains($ENV.tricks)' true

test_case "no escapes where TERM is dumb, empty or unset"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$(call c bash '{"command": "sleep 2"}')" "$(say Done.)" '{"status": 500}')"
for term in dumb '' unset; do
    set_term="export TERM=$term"
    [ "$term" != unset ] || set_term='unset TERM'
    for command in 'chorus-run a --fresh "say it"' 'timeout -s INT 1 chorus-tasks -f' 'timeout -s INT 1 chorus-tasks status a -f' 'chorus-context search say' 'chorus-context audit' 'chorus-run --help'; do
        on_terminal "$set_term; $command"
        [[ $out != *$'\e'* ]] || fail "TERM=$term $command: $(cat -v <<<"${out:0:300}")"
    done
done
on_terminal 'export TERM=xterm; timeout -s INT 1 chorus-tasks -f'
[[ $out == *$'\e'* ]] || fail 'a terminal that can is not drawn on'

test_case "a reader that has had enough ends a listing quietly"
init a --model builtin/script
for i in 1 2 3; do chorus-run a "$(head -c 100000 /dev/zero | tr '\0' x)" >/dev/null; done
for command in 'chorus-context messages a' 'chorus-context messages a --json' 'chorus-context export a --format md' 'chorus-context show a --json' 'chorus-config list' 'chorus-context audit --json'; do
    run bash -c "$command | head -c 10; echo \${PIPESTATUS[0]}"
    expect_equal "$err" ''
    [[ $(tail -1 <<<"$out") =~ ^(.*)(0|141)$ ]] || fail "$command: $out"
done
run bash -c 'chorus-context messages a | true; echo ${PIPESTATUS[0]}'
expect_equal "$out" 141
expect_equal "$err" ''
head -c 300000 /dev/urandom >"$CHORUS_HOME/agents/a/workspace/noise"
for command in 'backup -' 'export a -o -' 'export a --format html -o /dev/stdout' 'pack a -o -'; do
    run bash -c "chorus-context $command | true; echo \${PIPESTATUS[0]}"
    expect_equal "$command: $out $err" "$command: 141 "
done
run bash -c "trap '' PIPE; chorus-context messages a | true; echo \${PIPESTATUS[0]}"
expect_equal "$out" 1
expect_match "$err" 'stdout: not everything could be written'
run bash -c 'chorus-context messages a >/dev/full; echo $?'
expect_equal "$out" 1
expect_match "$err" 'stdout: not everything could be written'

test_case "each call is one line when it has ended"
init a --model builtin/script --permissions open
echo '{"base": "open", "deny": ["tool:view:.*"]}' >no-view.json
on_terminal "chorus-run a --color never --permissions @no-view.json '/create_file {\"path\": \"f\", \"content\": \"a\\nb\\n\"}
/str_replace {\"path\": \"f\", \"old_str\": \"a\", \"new_str\": \"c\\nd\"}
/bash sleep 0.3
/bash exit 3
/view f'"
expect_status 0
out=$(left_over)
expect_match "$out" '(^|'$'\n'')create_file  f  \+2 -0'
expect_match "$out" $'\n''str_replace  f  \+2 -1'
expect_match "$out" $'\n''bash  sleep 0\.3  ok (0\.[3-9]|[1-9]\.[0-9]) s'
expect_match "$out" $'\n''bash  exit 3  exit status 3, [0-9]\.[0-9] s'
expect_match "$out" $'\n''view  f  denied'
expect_no_match "$out" '@@'
run chorus-run a --new-thread '/bash true'
expect_no_match "$err" 'bash'

test_case "-v shows what changed, in colour"
init a --model builtin/script --permissions open
on_terminal "chorus-run a -v '/create_file {\"path\": \"f\", \"content\": \"a\\n\"}'"
expect_match "$out" $'\x1b\\[32m\\+a\x1b\\[0m'
run chorus-run a -v --new-thread '/create_file {"path": "f", "content": "b\n"}'
expect_match "$err" "ok: create_file \\([0-9]* ms\\)"$'\ndiff --git a/f b/f\n--- a/f\n\\+\\+\\+ b/f\n@@ -1 \\+1 @@\n-a\n\\+b'

end_tests
