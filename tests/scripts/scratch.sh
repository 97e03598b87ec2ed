#!/bin/sh
# dmesg | scratch.sh 'What has failed?' | less: a question about stdin, to an agent that only reads and is then gone.
set -eu
[ $# -gt 0 ] || {
    echo "usage: scratch.sh QUESTION... <TEXT" >&2
    exit 2
}
agent=scratch-$$-$(date +%s)

# An EXIT trap alone does not run in dash when a signal ends the shell.
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'chorus-tasks ready "$agent" 2>/dev/null && chorus-destroy "$agent" --yes --purge >/dev/null' EXIT
chorus-init "$agent" --permissions locked --description 'for one question' >/dev/null

# In the background, because a shell in wait obeys a signal at once. In dash, <&0 would be /dev/null there.
exec 3<&0
status=0
chorus-run "$agent" --stream -q --timeout 10m -p "$*" <&3 &
turn=$!
wait "$turn" || status=$?
exit "$status"
