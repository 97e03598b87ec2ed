#!/bin/sh
# A prepare-commit-msg hook of git: proposes a message for what is staged. No failure keeps anybody from committing.
set -eu
file=$1
case ${2:-} in
    '' | template) ;;
    *) exit 0 ;; # -m, --amend, a merge: there is a message already
esac

diff=$(mktemp)
trap 'rm -f "$diff" "$file.new"' EXIT
git diff --cached >"$diff"
[ -s "$diff" ] || exit 0

# locked: whatever the diff talks the model into, it can only read.
status=0
message=$(chorus-run "${COMMITTER:-committer}" --permissions locked --new-thread --timeout 1m -q -p \
    'Write a commit message for this diff: one line of at most 60 characters, nothing else.' <"$diff") || status=$?

case $status in
    0) ;;
    *)
        echo "commit-message: no proposal, chorus-run ended with exit status $status" >&2
        exit 0
        ;;
esac
{
    printf '%s\n' "$message"
    cat "$file"
} >"$file.new"
mv "$file.new" "$file"
