#!/usr/bin/env bash
# needs: time
# A turn that waits for sub-agents is killed, ended or given up, or a sub-agent is, while one of them works or asks.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/subagents.sh"
. "$(dirname "$0")/../support/terminal.sh"

both() { printf '%s\n' "$@" | jq -sc '{say: {tool_calls: map(.say.tool_calls[])}}'; }
prompt_ids() { db "SELECT id FROM prompts WHERE state = 'pending' ORDER BY rowid"; }
result_count() { db "SELECT count(*) FROM messages WHERE agent_id = 1 AND role = 'tool_result'"; }
begin() { # OPTIONS...: a turn in the background
    (exec chorus-run a "$@" go >"$scratch/turn" 2>"$scratch/turn.err" </dev/null) &
    pid=$!
}
pair() { # OPTIONS...: one sub-agent asks while the other one works
    rm -rf "$CHORUS_HOME"
    parent_with "$(both "$(spawn_call c1 '/view src/a' '{"preset": "asker"}')" "$(spawn_call c2 $'/bash sleep 3\n')")" "$(say done)"
    preset asker 'confirm-tool-calls: true'
    preset helper
    begin "$@"
    wait_for 10 eval '[ -n "$(prompt_ids)" ]' || fail 'nothing asks'
    id=$(prompt_ids)
}
killed() {
    kill -KILL $pid
    wait $pid 2>/dev/null
}

test_case "killed, and another message: the result says what the sub-agent has done, and that it still works"
parent_with "$(spawn_call c1 $'/create_file {"path": "made", "content": "x"}\n/bash sleep 30')" "$(say done)"
preset helper $'paths:\n  write: ["**"]'
begin
wait_for 10 test -e "$work/made" || fail 'it has not begun'
wait_for 10 eval '[ -n "$(db "SELECT 1 FROM tool_runs WHERE tool = \"bash\" AND intent_at IS NOT NULL")" ]'
killed
run chorus-run a next
expect_status 0
expect_match "$err" '1 unknown'
expect_match "$(results)" "^unknown: .*; its sub-agent $(of_child name) is still at work"
chorus-tasks cancel "$(of_child name)" >/dev/null
rm -rf "$CHORUS_HOME"
parent_with "$(spawn_call c1 '/bash sleep 1')" "$(say done)"
preset helper
begin
wait_for 10 eval '[ -n "$(db "SELECT 1 FROM tool_runs WHERE tool = \"bash\" AND intent_at IS NOT NULL")" ]'
killed
wait_for 10 eval '[ "$(db "SELECT state FROM turns ORDER BY id DESC LIMIT 1")" = idle ]'
run chorus-run a next
expect_match "$(results)" 'has ended, and what it did stands. It said:'
expect_sound

test_case "killed while one asks: --cancel-prompts with another message gives up all that waits"
pair
killed
run chorus-run a --cancel-prompts next
expect_status 0
expect_equal "$(prompt_ids)" ''
expect_equal "$(result_count)" 2
run chorus-run a --approve "$id"
expect_status 4
wait_for 10 eval '[ "$(db "SELECT count(*) FROM turns WHERE ended_at IS NULL")" = 0 ]' || fail 'a turn is open'

test_case "killed while one asks: a decision continues the whole chain"
for decision in '--approve all' '--deny all' "--approve ID"; do
    pair
    killed
    run chorus-run a ${decision/ID/$id}
    expect_status 0
    expect_equal "$out" done
    expect_equal "$(result_count)" 2
    expect_db "SELECT count(*) FROM turns WHERE ended_at IS NULL OR state <> 'idle'" 0
done

test_case "--timeout, a signal and cancel end the turn though one asks; --resume asks again"
for way in TERM INT timeout cancel; do
    if [ $way = timeout ]; then pair --timeout 2s; else pair; fi
    case $way in
        cancel) chorus-tasks cancel a --json >"$scratch/cancel" ;;
        timeout) ;;
        *) kill -$way $pid ;;
    esac
    wait $pid
    expect_equal "$way $?" "$way $(case $way in timeout) echo 124 ;; INT) echo 130 ;; *) echo 143 ;; esac)"
    [ $way != cancel ] || expect_equal "$(jq -r .turn_state "$scratch/cancel")" exited
    run chorus-run a --resume
    expect_status 10
    expect_equal "$(prompt_ids)" "$id"
    run chorus-run a --approve "$id"
    expect_status 0
    expect_equal "$out" done
    expect_equal "$(result_count)" 2
done

test_case "decided elsewhere while another sub-agent works: the turn goes on by itself"
for verb in approve deny; do
    pair
    run chorus-tasks $verb "$id"
    expect_status 0
    wait $pid
    expect_equal $? 0
    expect_equal "$(cat "$scratch/turn")" done
    expect_equal "$(result_count)" 2
done

test_case "one of two questions of a sub-agent is decided: the turn waits for the other one"
parent_with "$(both "$(spawn_call c1 go '{"preset": "asker"}')" "$(spawn_call c2 $'/bash sleep 3\n')")" \
    "$(both "$(call d1 view '{"path": "src/a"}')" "$(call d2 view '{"path": "top"}')")" "$(say done)"
preset asker 'confirm-tool-calls: true'
sed -i 's/^model: .*/model: anthropic\/m/' "$CHORUS_HOME/presets/asker.md"
preset helper
begin
wait_for 10 eval '[ "$(prompt_ids | wc -l)" = 2 ]' || fail 'they do not ask'
chorus-tasks approve "$(prompt_ids | head -1)" >/dev/null
wait_for 10 eval '! kill -0 $pid 2>/dev/null' || fail 'it goes on'
wait $pid
expect_equal $? 10
run chorus-run a --approve all
expect_status 0
expect_equal "$out" done
expect_equal "$(result_count)" 2

test_case "a sub-agent that waits for those below it is ended: nothing stays pending for nobody"
for way in TERM cancel; do
    rm -rf "$CHORUS_HOME"
    parent_with "$(spawn_call c1 go '{"preset": "middle"}')" \
        "$(both "$(spawn_call c2 '/view src/a' '{"preset": "asker"}')" "$(spawn_call c3 $'/bash sleep 3\n')")" "$(say done)"
    preset middle 'permissions: open'
    sed -i 's/^model: .*/model: anthropic\/m/' "$CHORUS_HOME/presets/middle.md"
    preset asker 'confirm-tool-calls: true'
    preset helper
    begin
    wait_for 10 eval '[ -n "$(prompt_ids)" ]' || fail 'nothing asks'
    if [ $way = TERM ]; then kill -TERM $pid; else
        chorus-tasks cancel a --subagent "$(db "SELECT name FROM agents WHERE preset = 'middle'")" >/dev/null
    fi
    wait $pid
    expect_equal $? $([ $way = TERM ] && echo 143 || echo 0)
    run chorus-run a --resume
    expect_status 0
    expect_equal "$(prompt_ids)" ''
    expect_db "SELECT count(*) FROM turns WHERE ended_at IS NULL" 0
done

test_case "the only one that asks is destroyed while another one works: the turn goes on by itself"
pair
chorus-destroy a --subagent "$(db "SELECT name FROM agents WHERE preset = 'asker'")" --yes >/dev/null
wait $pid
expect_equal $? 0
expect_equal "$(cat "$scratch/turn")" done
expect_match "$(results)" 'was destroyed'

test_case "its process is killed twice: the result says so, and nothing of it stays open"
parent_with "$(spawn_call c1 $'/bash sleep 20.41\n/bash sleep 20.42')" "$(say done)"
preset helper
begin
child_pid() { db "SELECT pid FROM turns WHERE agent_id = 2 AND pid IS NOT NULL AND current_step <> ''"; }
for time in 1 2; do
    wait_for 10 eval '[ -n "$(child_pid)" ] && [ "$(child_pid)" != "${before:-}" ]' || fail "no process $time"
    before=$(child_pid)
    kill -KILL "$before"
done
wait $pid
expect_equal $? 0
expect_equal "$(results)" 'Error: The sub-agent was killed, and what it did stands'
expect_db "SELECT count(*) FROM turns WHERE ended_at IS NULL" 0

test_case "ended after it was killed in a write: no incomplete file stays"
left() { find "$work/out" -name '.chorus-write-*'; }
renames=rename,renameat,renameat2
each_write_gets() { # INJECTION COMMAND...: on entering the rename into out
    local injection=$1
    shift
    strace -f -q -o "$scratch/trace" -P "$work/out" -e trace=$renames -e "inject=$renames:$injection" "$@" \
        >"$scratch/turn" 2>"$scratch/turn.err" </dev/null
}
writing='/create_file {"path": "out/f", "content": "x"}'
for end in again destroyed canceled rewound; do
    rm -rf "$CHORUS_HOME"
    parent_with "$(spawn_call c1 "$writing")" "$(say done)"
    preset helper $'paths:\n  write: ["**"]'
    mkdir "$work/out"
    if [ $end = again ]; then
        each_write_gets signal=KILL chorus-run a go
        expect_equal "$(cat "$scratch/turn")" done
        expect_equal "$(results)" 'Error: The sub-agent was killed, and what it did stands'
    else
        (each_write_gets delay_enter=20000000 chorus-run a go) &
        wait_for 10 eval '[ -n "$(left)" ]' || fail 'nothing is written'
        kill -KILL $(db 'SELECT pid FROM turns ORDER BY agent_id')
        pkill -KILL -P $!
        wait $! 2>/dev/null
        wait_for 10 eval '[ -n "$(left)" ]' || fail "$end: nothing is left"
        case $end in
            destroyed) run chorus-destroy "$(of_child name)" --yes ;;
            canceled) run chorus-run a --cancel-prompts next ;;
            rewound) run chorus-context rewind a --to "$(db "SELECT min(id) FROM messages WHERE agent_id = 1")" ;;
        esac
        expect_status 0
    fi
    expect_equal "$end: $(left)" "$end: "
done

test_case "what it left for programs outside the sandbox is told, also in the background, killed, or destroyed"
told='files changed that programs outside the sandbox obey: q/.git/config: core.fsmonitor'
for end in answered background killed destroyed; do
    rm -rf "$CHORUS_HOME"
    case $end in killed | destroyed) command='touch begun; sleep 20.45' ;; *) command=true ;; esac
    more='{}'
    [ $end != background ] || more='{"wait": false}'
    parent_with "$(spawn_call c1 "/bash git init -q q; git -C q config core.fsmonitor ./x; $command" "$more")" "$(say done)" "$(say next)"
    preset helper $'paths:\n  write: ["**"]'
    case $end in
        answered) run chorus-run a go ;;
        background)
            chorus-run a go >/dev/null 2>&1
            run chorus-tasks wait a 1
            ;;
        *)
            begin
            wait_for 10 test -e "$work/begun" || fail 'it does not run'
            kill -KILL $(db 'SELECT pid FROM turns ORDER BY agent_id')
            wait $pid 2>/dev/null
            if [ $end = killed ]; then run chorus-run a next; else run chorus-destroy "$(of_child name)" --yes; fi
            ;;
    esac
    expect_status 0
    case $end in
        answered) expect_match "$err" "alert: $(of_child name): while a command ran, $told; inspect" ;;
        background) expect_db 'SELECT note FROM tasks' "$told" ;;
        *) expect_match "$err" "alert: $(of_child name): during a call that was killed, $told; inspect" ;;
    esac
done

test_case "decided and not resumed: what refuses a message names --resume first"
parent_with "$(spawn_call c1 '/view src/a')" "$(say done)"
preset helper 'confirm-tool-calls: true'
run chorus-run a go
expect_status 10
chorus-tasks approve "$(prompt_ids)" >/dev/null
run chorus-run a next
expect_status 10
expect_match "$err" 'hint: chorus-run a -t 1 --resume continues that turn, '

test_case "the sub-agent takes another message, or is destroyed, while the turn above waits for it"
for way in message destroy rewind; do
    for then in --resume next; do
        rm -rf "$CHORUS_HOME"
        parent_with "$(spawn_call c1 '/view src/a')" "$(say done)"
        preset helper 'confirm-tool-calls: true'
        run chorus-run a go
        expect_status 10
        if [ $way = message ]; then
            run chorus-run "$(of_child name)" --cancel-prompts other
        elif [ $way = rewind ]; then
            run chorus-context rewind "$(of_child name)" --to "$(db "SELECT max(id) FROM messages WHERE role = 'user'")"
            expect_no_match "$out" 'undo'
        else
            run chorus-destroy a --subagent "$(of_child name)" --yes
        fi
        expect_status 0
        run chorus-run a $then
        expect_status 0
        expect_equal "$out" done
        expect_equal "$(result_count)" 1
        expect_no_match "$(results)" 'nobody decided|idempotency|no such agent'
        case $way$then in
            message--resume) expect_match "$(results)" 'was given another message' ;;
            destroy--resume) expect_match "$(results)" 'was destroyed' ;;
            destroynext) expect_match "$(results)" '^cancelled: .*was destroyed' ;;
            rewind--resume) expect_match "$(results)" 'was rewound' ;;
        esac
    done
done

test_case "killed while a sub-agent is created: --resume creates it or goes on with it, once"
kills=0 halves=0
for name in fdatasync renameat renameat2 syncfs; do
    for number in 1 2 3 4; do
        rm -rf "$CHORUS_HOME" "$scratch/half"
        parent
        agent_key a permissions '"open"'
        preset helper
        strace -f -qq -o /dev/null -e trace=$name -e inject=$name:signal=KILL:when=$number \
            chorus-run a '/spawn_agent {"preset": "helper", "description": "look", "prompt": "hello from below"}' \
            >/dev/null 2>&1 </dev/null & wait $! 2>/dev/null
        [ "$(db 'SELECT count(*) FROM turns WHERE agent_id = 1 AND ended_at IS NULL')" = 1 ] || continue
        kills=$((kills + 1))
        half=$(db "SELECT name FROM agents WHERE status = 'creating'")
        if [ -n "$half" ]; then
            halves=$((halves + 1))
            cp -a "$CHORUS_HOME" "$scratch/half"
            run env CHORUS_HOME="$scratch/half" chorus-config doctor
            expect_status 1
            expect_match "$out" "sub-agent '$half': its creation was killed"
            run env CHORUS_HOME="$scratch/half" chorus-config doctor --fix
            run env CHORUS_HOME="$scratch/half" chorus-config doctor
            expect_no_match "$out" 'its creation was killed'
        fi
        run chorus-run a --resume
        expect_status 0
        expect_match "$out" 'hello from below'
        expect_equal "$(children)" 1
        expect_equal "$(of_child status)" active
    done
done
[ "$kills" -ge 4 ] || fail "only $kills kills"
[ "$halves" -ge 1 ] || fail 'none while the sub-agent was half created'

test_case "a sub-agent's question on a terminal, decided in another process: the turn goes on"
parent
agent_key a permissions '"open"'
preset asker 'permissions: standard'
typist() {
    shown 'May sub-agent asker-'
    chorus-tasks approve "$(prompt_ids)" >/dev/null
    wait_for 15 test -e "$scratch/ended"
}
on_terminal "chorus-run a '/spawn_agent {\"preset\": \"asker\", \"description\": \"ask\", \"prompt\": \"/bash echo ra''n\"}'; s=\$?; touch $scratch/ended; exit \$s"
expect_status 0
expect_match "$out" 'prompt [a-z0-9]*: it was approved by '
expect_match "$out" ran
expect_db "SELECT count(*) FROM tool_runs WHERE tool = 'bash' AND outcome = 'ok'" 1

end_tests
