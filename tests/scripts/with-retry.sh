#!/bin/sh
# with-retry.sh AGENT KEY PROMPT: one turn, however often it takes while the provider is away or limits the rate.
set -eu
agent=$1 key=$2 prompt=$3
pause=${PAUSE:-5} tries=${TRIES:-6}

while :; do
    # A key is one turn: it goes on, whatever became of it; finished, it is printed again and nothing is done.
    status=0
    result=$(chorus-run "$agent" --idempotency-key "$key" --wait=10m --json -q -- "$prompt" </dev/null) || status=$?
    tries=$((tries - 1))
    case $status:$(printf '%s\n' "$result" | jq -r .error.code) in
        0:*)
            printf '%s\n' "$result" | jq -r .text
            exit 0
            ;;
        75:* | 7:NO_INTERNET | 7:SERVER_ERROR) [ "$tries" -gt 0 ] || exit "$status" ;;
        *) exit "$status" ;; # the rest of 7 does not pass with time
    esac

    # A parked turn says when it may go on; fromdate of jq takes no milliseconds.
    delay=$(printf '%s\n' "$result" | jq --argjson pause "$pause" 'if .resume_at
        then [0, (.resume_at | sub("[.][0-9]+"; "") | fromdate) + 1 - now | ceil] | max else $pause end')
    echo "with-retry: exit status $status, again in $delay s" >&2
    sleep "$delay"
    pause=$((pause * 2))
done
