#!/bin/sh
# cron: what the agents did yesterday and what it cost, as the body of a mail. Prints nothing where nothing was done.
set -eu
since=${1:-yesterday} until=${2:-today} digest=${DIGEST:-digest}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
overview=$(chorus-tasks --json) # on its own: in a pipe a failure would look like a night without turns
for agent in $(printf '%s\n' "$overview" | jq -r '.agent'); do
    [ "$agent" != "$digest" ] || continue
    turns=$(chorus-context log "$agent" --since "$since" --until "$until" --json)
    [ -n "$turns" ] || continue
    printf '%s\n' "$turns" | jq -r '[.started_at, .agent, .turn_id, .turn_state, .prompt[0:60]] | @tsv' >>"$log"
done
[ -s "$log" ] || exit 0

status=0
chorus-run "$digest" --fresh --wait=10m --timeout 15m --on-ask deny -q -p \
    'Summarise for a mail what these agents did: what failed or waits first, three sentences at most.' <"$log" ||
    status=$?
case $status in
    0) ;;
    *) echo "(There is no summary: chorus-run ended with exit status $status.)" ;;
esac
echo
cat "$log"
echo
usage=$(chorus-context usage --by agent --since "$since" --until "$until" --json)
printf '%s\n' "$usage" | jq -r '"\(.key // .by): \(.calls) calls, "
    + "\(.usage.input_tokens + .usage.output_tokens) tokens, "
    + if .cost_usd then "$\(.cost_usd)" else "price unknown" end'
exit "$status"
