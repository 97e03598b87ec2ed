#!/bin/sh
# Goes through what waits for a person, of AGENT or of all: y lets it run, an empty line leaves it, a reason refuses it.
set -eu
waiting=$(mktemp)
trap 'rm -f "$waiting"' EXIT
chorus-tasks pending --json "$@" >"$waiting"

left=0
while IFS= read -r question <&3; do
    # -a, because a model chose these words: a terminal shows them, and obeys none.
    printf '%s\n' "$question" | jq -a '{agent, action, text, arguments, changed}'
    id=$(printf '%s\n' "$question" | jq -r .id)
    kind=$(printf '%s\n' "$question" | jq -r .kind)
    printf '%s: y, nothing, or a reason or answer: ' "$id"
    IFS= read -r answer || answer=
    echo

    # --run: the turn goes on in the background, by itself.
    status=0
    case $kind:$answer in
        *:) left=$((left + 1)) ;;
        question:*) chorus-tasks answer "$id" --run -- "$answer" || status=$? ;;
        *:y) chorus-tasks approve "$id" --run || status=$? ;;
        *) chorus-tasks deny "$id" --run --reason="$answer" || status=$? ;;
    esac
    case $status in
        0 | 4) ;; # 4: somebody was faster, and stderr says who
        *) exit "$status" ;;
    esac
done 3<"$waiting"
[ "$left" -eq 0 ] || exit 10
