#!/bin/sh
# A turn that may need a yes: ask-first.sh AGENT PROMPT waits until somebody has decided elsewhere, prints the answer.
set -eu
agent=$1 prompt=$2
key=ask-first-$(date +%s)-$$

asked=0
while :; do
    # The key makes it the same turn each time: begun, waited for, or printed again when somebody else finished it.
    status=0
    result=$(chorus-run "$agent" --idempotency-key "$key" --new-thread --wait --json -q -- "$prompt" </dev/null) ||
        status=$?
    case $status in
        0)
            printf '%s\n' "$result" | jq -r .text
            exit 0
            ;;
        10) ;;
        *)
            echo "ask-first: chorus-run ended with exit status $status" >&2
            exit "$status"
            ;;
    esac

    # Decided with --run or chorus-run --approve, the turn leaves its state prompt, once for each time it has asked.
    asked=$((asked + 1))
    turn=$(printf '%s\n' "$result" | jq .turn_id)
    if ! timeout "${PATIENCE:-8h}" chorus-tasks events "$agent" -f --json | jq -en --argjson turn "$turn" \
        --argjson asked "$asked" '[limit($asked; inputs | select(.turn_id == $turn and .previous == "prompt"))]
            | length == $asked' >/dev/null; then
        echo "ask-first: nobody has decided: chorus-tasks pending $agent" >&2
        exit 10
    fi
done
