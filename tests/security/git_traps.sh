#!/usr/bin/env bash
# tests/security/git_traps.txt: what a sandboxed command leaves in the workspace, and the person's git, at
# a terminal, and our git tools after it. None of them may run the canary or change what lies outside.
#
#   git_traps.sh [NAME]    one trap alone, by a part of its name
[ -d /dev/shm ] && export TMPDIR=/dev/shm # what is synced here need not last
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
corpus=$(dirname "$0")/git_traps.txt
command -v script >/dev/null || { echo 'this test needs script'; exit 1; }
export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 EDITOR=true PAGER=cat
git config --global user.name n
git config --global user.email e@example.org
git config --global init.defaultBranch main
git config --global protocol.file.allow always

on_host() { # DIRECTORY COMMANDS: at a terminal, each line on its own
    printf '%s\n' "$2" >"$scratch/host.sh"
    (cd "$1" && SHELL=/bin/bash timeout -k 1 20 script -qec "bash '$scratch/host.sh'" /dev/null) </dev/null >>"$scratch/host.log" 2>&1
}
usual='git status
git --no-optional-locks status --porcelain
git log -p -3
git diff
git add -A
git diff --cached
git commit -m "the message of a person"
echo more >> a.txt
git commit -a
git show
git stash
git stash pop
git checkout -b other
git checkout main
git merge other
git branch -v
git grep one
git blame a.txt
git submodule status
git submodule update --init
git push origin main
git fetch --all
git pull --rebase
git worktree list
git gc --quiet
git ls-files'
usual_below='git status
git log -p -1
git diff
git add -A
git commit -m "a commit of a person"'

repository_in() { # DIRECTORY
    git -C "$1" init -q 2>/dev/null
    printf 'one\n' >"$1/a.txt"
    git -C "$1" add -A
    git -C "$1" commit -q -m start
    git clone -q --bare "$1" "$scratch/origin.git" 2>/dev/null
    git -C "$1" remote add origin "$scratch/origin.git"
}
prepare() { # KIND: $workspace and $place
    init a --model builtin/script --permissions open
    workspace=$CHORUS_HOME/agents/a/workspace place=()
    case $1 in
        plain)
            workspace=$scratch/plain place=(-C "$scratch/plain")
            mkdir "$workspace"
            echo one >"$workspace/a.txt"
            ;;
        module)
            repository_in "$workspace"
            git -C "$workspace" submodule --quiet add "$scratch/origin.git" lib
            git clone -q "$scratch/origin.git" "$workspace/nested"
            git -C "$workspace" commit -q -m lib
            ;;
        *) repository_in "$workspace" ;;
    esac
    outside=$scratch/outside
    mkdir "$outside"
    echo kept >"$outside/kept.txt"
    printf '#!/bin/sh\n: > %s/ran\nexit 0\n' "$outside" >"$workspace/pwn"
    chmod +x "$workspace/pwn"
}
configurations() { # what the person's git obeys
    (cd "$workspace" && git config --list --show-scope ; ls .git/hooks 2>/dev/null) | sort
}
expect_untouched() { # WHO
    local kept=yes
    [ ! -e "$outside/ran" ] || kept=no
    [ "$(find "$outside" -mindepth 1 ! -name ran -printf '%P ')" = 'kept.txt ' ] && [ "$(cat "$outside/kept.txt")" = kept ] || kept=no
    [ $kept = yes ] || [ -n "$told" ] || fail "$1 ran what was planted, or changed what lies outside: $(ls "$outside")"
    rm -rf "$outside"
    mkdir "$outside"
    echo kept >"$outside/kept.txt"
}
spring() { # KIND SCRIPT HOST TOLD
    local before=''
    prepare "$1"
    told=''
    [ "$1" = plain ] || before=$(configurations)
    local script="PWN=$workspace/pwn OUTSIDE=$outside; export GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=e GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=e
$2"
    run chorus-run a "${place[@]}" -p "/bash $(jq -nc --arg command "$script" '{command: $command}')"
    expect_status 0
    expect_match "$out" 'exit status'
    [ -z "$4" ] || grep -F 'chorus-run: alert: ' <<<"$err" | grep -qF -- "$4" || fail "not told: $4"
    [ "$1" = plain ] || expect_equal "$(comm -13 <(echo "$before") <(configurations))" ''
    run chorus-run a "${place[@]}" -p '/git_status {}
/git_diff {}
/git_commit {"message": "a commit of the agent"}
/git_log {}
/git_branch {"name": "tools"}
/git_checkout {"ref": "tools"}
/git_checkout {"ref": "main"}'
    expect_untouched 'a git tool'
    told=$4
    on_host "$workspace" "$usual"
    expect_untouched "the person's git"
    local below
    while read -r below; do
        on_host "$below" "$usual_below"
        expect_untouched "the person's git in ${below#"$workspace"/}"
    done < <(find "$workspace" -mindepth 1 -maxdepth 1 -type d ! -name .git)
    [ -z "$3" ] && return
    on_host "$workspace" "$3"
    expect_untouched "$3"
}

wanted=${1:-} cases=0 name=''
finish_trap() {
    [ -n "$name" ] || return 0
    cases=$((cases + 1))
    [[ $name == *"$wanted"* ]] || return 0
    test_case "$name"
    spring "$kind" "$body" "$host" "$tells"
}
while IFS= read -r line; do
    case $line in
        '#'* | '') ;;
        'cases: '*) expected=${line#cases: } ;;
        'trap: '*)
            finish_trap
            name=${line#trap: } kind=own body='' host='' tells=''
            ;;
        'in: '*) kind=${line#in: } ;;
        'host: '*) host=${line#host: } ;;
        'told: '*) tells=${line#told: } ;;
        '    '*) body+=${line#    }$'\n' ;;
        *) echo "git_traps.txt: what is this: $line"; exit 1 ;;
    esac
done <"$corpus"
finish_trap
echo "git_traps.txt: $cases cases"
[ "$cases" = "$expected" ] || { echo "git_traps.txt: $expected cases were to be run"; exit 1; }
end_tests
