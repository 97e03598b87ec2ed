#!/usr/bin/env bash
# An approval is bound to the workspace as it was when it was given: what counts as a change, who may answer
# nevertheless, and what the turn does then.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/approvals.sh"

test_case "nothing has changed: it runs, once, and nothing is kept; git's own work is no change"
fresh
script x.sh "$good"
ask 'sh x.sh'
run chorus-tasks approve "${ids[0]}"
expect_status 0
expect_equal "$(fingerprints)" 1
cat x.sh >/dev/null
git add x.sh && git -c user.name=n -c user.email=e@x commit -qm x
run chorus-run a --resume
expect_status 0
expect_equal "$(ran)" 'good '
expect_equal "$(fingerprints)" 0
expect_sound

test_case "what changed between the question and the answer is shown to whoever answers, and the answer holds"
fresh
script x.sh "$evil"
ask 'sh x.sh'
run chorus-tasks pending
expect_no_match "$out" 'since it was asked'
script x.sh "$good"
: >new
run chorus-tasks pending
expect_match "$out" $'^[a-z0-9]*\ta\t[^\t]*\ttool:bash:sh x.sh\tsince it was asked: changed: new \\(new\\), x.sh$'
run chorus-tasks pending --json
expect_json .changed 'changed: new (new), x.sh'
run chorus-tasks approve "${ids[0]}"
expect_status 0
expect_match "$err" "notice: prompt ${ids[0]}: since it was asked: changed: new \(new\), x.sh"
run chorus-run a --resume
expect_status 0
expect_equal "$(ran)" 'good '
expect_sound
rm -rf "$CHORUS_HOME"
fresh
ask 'sh x.sh'
script x.sh "$good"
run chorus-run a --approve all
expect_status 0
expect_match "$err" 'since it was asked: changed: x.sh \(new\)'
expect_equal "$(ran)" 'good '
expect_sound

test_case "--even-if-changed: by a person's word, which the audit log keeps"
for way in tasks run; do
    rm -rf "$CHORUS_HOME"
    fresh
    script x.sh "$evil"
    ask "sleep 1; sh x.sh" 'sh x.sh'
    if [ $way = tasks ]; then
        for id in "${ids[@]}"; do run chorus-tasks approve "$id" --even-if-changed; done
        expect_equal "$(fingerprints)" 0
        script x.sh "$good; date +%N >other"
        run chorus-run a --resume
    else
        script x.sh "$good; date +%N >other"
        run chorus-run a --approve all --even-if-changed
    fi
    expect_status 0
    expect_equal "$(ran)" 'good good '
    expect_db "SELECT count(*) FROM audit_log WHERE detail LIKE 'approved prompt % even if files change'" 2
    expect_equal "$(fingerprints)" 0
    expect_sound
done
run chorus-run a --deny all --even-if-changed
expect_status 2

test_case "calls of one answer: what an earlier one changes asks again about the later one, what it leaves does not"
fresh
script x.sh "$good"
ask 'cat x.sh' "echo '$evil' >x.sh" 'sh x.sh'
run chorus-run a --approve all --json
expect_status 10
expect_json '[.pending[].text] | join(" ")' 'asked again: changed: x.sh'
expect_equal "$(db "SELECT group_concat(tool_call_id) FROM tool_runs WHERE outcome = 'ok'")" c1,c2
expect_equal "$(ran)" ''
run chorus-run a --approve all
expect_status 0
expect_equal "$(ran)" 'evil '
expect_sound

test_case "a write is bound to its own file alone"
fresh
agent_key a permissions '{"ask": ["tool:.*"]}'
echo one >a.txt
start_server "$(answers "$(call w str_replace '{"path": "a.txt", "old_str": "one", "new_str": "two"}')" "$(say Done.)")"
run chorus-run a go
expect_status 10
echo x >b.txt
run chorus-tasks approve "$(db 'SELECT id FROM prompts')"
expect_no_match "$err" 'since it was asked'
echo y >b.txt
echo 'one more' >a.txt
run chorus-run a --resume --json
expect_status 10
expect_json '.pending[0].text' 'asked again: changed: a.txt'
run chorus-tasks pending a
expect_match "$out" 'tool:str_replace:a.txt \(asked again: changed: a.txt\)'
run chorus-run a --resume
expect_match "$err" 'waits: [0-9a-z]+: tool:str_replace:a.txt \(asked again: changed: a.txt\)'
expect_match "$err" 'hint: chorus-run a --approve [0-9a-z]+ --even-if-changed approves it'
echo z >b.txt
run chorus-run a --approve all
expect_status 0
expect_file a.txt 'two more'
expect_sound

test_case "an agent that is destroyed leaves no state behind"
fresh
ask 'sh x.sh' 'sh y.sh'
run chorus-tasks approve "${ids[0]}"
expect_equal "$(fingerprints)" 1
cd "$scratch" || exit 1
run chorus-destroy a --yes
expect_status 0
expect_equal "$(fingerprints)" 0

test_case "200,000 entries and more: only the process that runs it answers"
fresh
mkdir many
(cd many && seq 200001 | xargs touch)
script x.sh "$good"
ask 'sh x.sh'
expect_equal "$(fingerprints)" 0
run chorus-tasks approve "${ids[0]}"
expect_status 2
expect_match "$err" 'chorus-tasks: error: .*too many files'
expect_match "$err" "hint: .*chorus-run a --approve ${ids[0]}"
run chorus-run a --approve all
expect_status 0
expect_equal "$(ran)" 'good '
rm -f "$base/ran"
ask 'sh x.sh'
run chorus-tasks approve "${ids[0]}" --even-if-changed
expect_status 0
run chorus-run a --resume
expect_status 0
expect_equal "$(ran)" 'good '
expect_sound

test_case "a decision whose turn another process gives up meanwhile is no success"
init a --model builtin/script
withdrawn=0
for ((n = 1; n <= 60 && withdrawn < 2; n++)); do
    run chorus-run a "/bash echo $n >>ran" --json
    id=$(jq -r '.pending[0].id' <<<"$out")
    chorus-run a --approve "$id" >approve.out 2>approve.err </dev/null & approving=$!
    chorus-run a --cancel-prompts other >/dev/null 2>&1 </dev/null
    wait $approving
    status=$?
    case $status in
        0) grep -qx $n "$(work)/ran" || fail "exit 0, and call $n did not run" ;;
        4)
            ! grep -qx $n "$(work)/ran" 2>/dev/null || fail "exit 4, and call $n ran"
            grep -q "error: .*given up its turn" approve.err && withdrawn=$((withdrawn + 1))
            ;;
        *) fail "exit $status: $(cat approve.err)" ;;
    esac
done
expect_equal "$withdrawn" 2
expect_sound

test_case "what the profile denies by then is not approved, and the message names the way out"
init a --model builtin/script --permissions standard
run chorus-run a '/bash echo x'
expect_status 10
id=$(db 'SELECT id FROM prompts')
chorus-config set -A a permissions locked
run chorus-tasks approve "$id"
expect_status 6
expect_equal "$err" "chorus-tasks: error: prompt $id: the profile denies it now: no pattern matches
chorus-tasks: hint: chorus-tasks deny $id ends the question"
run chorus-tasks deny "$id"
expect_status 0

end_tests
