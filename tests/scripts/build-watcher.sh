#!/bin/sh
# build-watcher.sh AGENT [COMMAND...]: builds (make) in the agent's workspace, and asks the agent why where it fails.
set -eu
agent=$1
shift
[ $# -gt 0 ] || set -- make

# A task goes on when this script, or the terminal, is gone.
task=$(chorus-tasks run "$agent" -- "$@")
status=0
ended=$(chorus-tasks wait "$agent" "$task" --timeout "${LIMIT:-1h}" --json) || status=$?
case $status in
    0)
        echo "build-watcher: built ($task)"
        exit 0
        ;;
esac
case $ended in
    '')
        # The status was not the task's: nothing has ended.
        chorus-tasks kill "$agent" "$task"
        echo "build-watcher: not done after ${LIMIT:-1h}" >&2
        exit "$status"
        ;;
esac

log=$(mktemp)
trap 'rm -f "$log"' EXIT
chorus-tasks log "$agent" "$task" >"$log"
chorus-tasks log "$agent" "$task" --stderr >>"$log"
chorus-run "$agent" --wait=10m --on-ask deny --timeout 15m -q -p \
    "The build has ended with exit status $status. Say in three sentences why, and what to change." <"$log" ||
    echo "build-watcher: no advice, chorus-run ended with exit status $?" >&2
exit "$status"
