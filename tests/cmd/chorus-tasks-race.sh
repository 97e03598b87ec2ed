#!/usr/bin/env bash
# Many processes decide one prompt at once: exactly one of them has decided it.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
readonly rounds=100 processes=32

test_case "of $processes processes that decide exactly one wins, $rounds times"
init a --model anthropic/m
start_server "$(answers "$(call c bash '{"command": "echo ran >> log"}')")"
run chorus-run a go
expect_status 10
kept=$scratch/kept
cp -r "$CHORUS_HOME" "$kept"
id=$(db "SELECT id FROM prompts")
# only the decision is of interest: the same prompt is put back into its state of before
for ((round = 1; round <= rounds; round++)); do
    db "UPDATE prompts SET state = 'pending', decided_at = NULL, decided_by = '', answer = ''; DELETE FROM audit_log" >/dev/null
    pids=()
    for ((i = 0; i < processes; i++)); do
        case $((i % 3)) in
            0) chorus-tasks approve "$id" --actor "p$i" ;;
            1) chorus-tasks deny "$id" --actor "p$i" ;;
            2) chorus-tasks deny "$id" --reason "no $i" --actor "p$i" ;;
        esac >/dev/null 2>&1 </dev/null &
        pids+=($!)
    done
    won=() others=0
    for i in "${!pids[@]}"; do
        wait "${pids[i]}"
        case $? in
            0) won+=("$i") ;;
            4) others=$((others + 1)) ;;
            *) fail "round $round: a process failed otherwise" ;;
        esac
    done
    expect_equal "${#won[@]} $others" "1 $((processes - 1))"
    expect_db "SELECT decided_by FROM prompts" "uid $(id -u) (p${won[0]})"
    expect_db "SELECT count(*) FROM audit_log" 1
    [ "$case_failed" = 0 ] || break
done

end_tests
