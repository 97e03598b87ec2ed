#!/usr/bin/env bash
# The scripts beside this one, as people and cron run them: under dash, under bash, and as cron does, which
# gives a short environment, no terminal and /dev/null for stdin.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
unset TZ XDG_CONFIG_HOME MAKEFLAGS MAKELEVEL MFLAGS GIT_DIR GIT_EDITOR GIT_CONFIG_GLOBAL
git config --global user.name Mia
git config --global user.email mia@example.org
git config --global core.editor true
git config --global init.defaultBranch main

# What the crontab says above its lines: where the programs are, which PATH=/usr/local/bin:/usr/bin:/bin does for
# people, and the variables that the scripts and Chorus read.
crontab_path=$CHORUS_BIN:/usr/bin:/bin
crontab_names='CHORUS_HOME CHORUS_ANTHROPIC_BASE_URL ANTHROPIC_API_KEY CHORUS_MODEL CHORUS_NOW_MS
    PATIENCE PAUSE TRIES LIMIT'
surrounded() { # COMMAND …: in the environment that $shell stands for
    local crontab=() name
    case $shell in
        cron)
            for name in $crontab_names; do
                if [ -n "${!name+set}" ]; then crontab+=("$name=${!name}"); fi
            done
            env -i HOME="$HOME" LOGNAME="$(id -un)" SHELL=/bin/sh PATH="$crontab_path" "${crontab[@]}" \
                setsid -w /bin/sh -c '"$0" "$@"' "$@"
            ;;
        *) "$@" ;;
    esac
}
interpreter() { # in words, none where the script's own first line names it
    case $shell in
        dash) echo dash ;;
        bash) echo bash --posix ;;
    esac
}
script() { # NAME ARGUMENT …
    # shellcheck disable=SC2046
    surrounded $(interpreter) "$here/scripts/$1.sh" "${@:2}"
}
pending_count() { chorus-tasks pending --json | wc -l; }
one_waits() { [ "$(pending_count)" = 1 ]; }
agents() { chorus-tasks --json | jq -r .agent; }
repository() { # a checkout whose file is changed
    git init -q repository
    cd repository || exit 1
    echo 'int size;' >a.c
    git add a.c
    git commit -q -m first
    echo 'int größe;' >a.c
}

for shell in dash bash cron; do
    test_case "$shell: ci-review: the exit status is what a job needs"
    init reviewer --model anthropic/m
    home_key max_retries 0
    repository
    start_server "$(answers "$(say 'a.c:1: größe is not ASCII, \n')" "$(say OK)" \
        "$(call c1 bash '{"command": "make"}')" '{"status": 500}' '{"status": 401}')"
    run script ci-review HEAD
    expect_status 1
    expect_equal "$out" 'a.c:1: größe is not ASCII, \n'
    expect_match "$(jq -r '.messages[0].content[].text' "$(request 1)")" '\+int größe;'
    run script ci-review HEAD
    expect_status 0
    expect_equal "$out$err" ''
    run script ci-review HEAD
    expect_status 2
    expect_match "$err" 'ci-review: the reviewer may not: tool:bash:make'
    run script ci-review HEAD
    expect_status 2
    expect_match "$err" 'ended with exit status 7'
    run script ci-review HEAD
    expect_status 2
    expect_match "$err" 'ended with exit status 6'
    run script ci-review
    expect_status 2
    expect_match "$err" 'origin/main'
    git checkout -q a.c
    run script ci-review HEAD
    expect_status 0
    expect_equal "$(request_count)" 5
    expect_equal "$(chorus-tasks threads reviewer --json | wc -l)" 6
    expect_equal "$(pending_count)" 0

    test_case "$shell: commit-message: the hook proposes, and keeps nobody from committing"
    init committer --model anthropic/m --permissions open
    home_key max_retries 0
    repository
    hook=.git/hooks/prepare-commit-msg
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$(interpreter)" "$here/scripts/commit-message.sh" >$hook
    chmod +x $hook
    start_server "$(answers "$(call c1 create_file '{"path": "planted", "content": "x"}')" \
        "$(say 'Say \n in German: größe')" '{"status": 500}')"
    run surrounded git commit -q -a
    expect_status 0
    expect_equal "$(git log -1 --format=%B)" 'Say \n in German: größe'
    expect_match "$(jq -r '.messages[0].content[].text' "$(request 1)")" '\+int größe;'
    expect_missing "$CHORUS_HOME/agents/committer/workspace/planted"
    echo again >>a.c
    run surrounded git commit -q -a -m mine
    expect_status 0
    expect_equal "$(request_count)" 2
    echo again >>a.c
    run surrounded git commit -q -a
    expect_match "$err" 'commit-message: no proposal, chorus-run ended with exit status 7'
    expect_match "$err" 'Aborting commit due to empty commit message'
    expect_match "$(sed -n 2p .git/COMMIT_EDITMSG)" '^# '
    expect_equal "$(git log -1 --format=%s)" mine
    expect_equal "$(ls .git/COMMIT_EDITMSG*)" .git/COMMIT_EDITMSG

    test_case "$shell: nightly-digest: the mail of one day"
    export CHORUS_NOW_MS=1781006400000 # 2026-06-09T12:00Z
    init a --model builtin/script
    init idle --model builtin/script
    init digest --model anthropic/m
    home_key max_retries 0
    run chorus-run a 'mend the größe'
    run chorus-run a '/bash make'
    CHORUS_NOW_MS=$((CHORUS_NOW_MS + 86400000))
    run chorus-run idle 'of today'
    start_server "$(answers "$(say 'One turn waits.')" '{"status": 401}')"
    run script nightly-digest
    expect_status 0
    expect_equal "$(head -1 <<<"$out")" 'One turn waits.'
    noon=2026-06-09T12:00:00.000Z
    expect_match "$out" "$noon"$'\ta\t1\tidle\tmend the größe\n'"$noon"$'\ta\t2\tprompt\t/bash make\n'
    expect_match "$out" 'a: 2 calls, 0 tokens, \$0'
    expect_no_match "$out" 'of today'
    expect_match "$(jq -r '.messages[0].content[].text' "$(request 1)")" 'mend the größe'
    run script nightly-digest
    expect_status 6
    expect_match "$out" 'There is no summary: chorus-run ended with exit status 6'
    expect_match "$out" 'mend the größe'
    run script nightly-digest 2026-06-01 2026-06-02
    expect_status 0
    expect_equal "$out$err" ''
    expect_equal "$(request_count)" 2
    home=$CHORUS_HOME CHORUS_HOME=$scratch/none
    run script nightly-digest
    expect_status 4
    CHORUS_HOME=$home
    unset CHORUS_NOW_MS

    test_case "$shell: each-file: fifty files, eight at a time"
    init a --model builtin/script
    mkdir -p "src/it's here"
    for i in {1..49}; do echo "größe $i" >"src/$i.c"; done
    echo 'größe 50' >"src/it's here/50 \$x.c"
    find src -type f >files
    run_stdin files script each-file a answers 'Explain this.'
    expect_status 0
    expect_equal "$out$err" ''
    expect_equal "$(find answers -type f | wc -l)" 50
    expect_match "$(cat "answers/src/it's here/50 \$x.c.txt")" 'Explain this.*größe 50'
    for i in {1..49}; do grep -qx "größe $i" "answers/src/$i.c.txt" || fail "answers/src/$i.c.txt"; done
    expect_equal "$(chorus-tasks threads a --json | wc -l)" 51
    printf '\377' >src/7.c
    grep 7 files >five
    run_stdin five script each-file a answers 'Explain this.'
    expect_status 1
    expect_match "$err" $'without an answer, by exit status:\n2\tsrc/7.c$'
    expect_equal "$(find answers -name '*.txt' | wc -l)" 49
    expect_equal "$(chorus-tasks threads a --json | wc -l)" 55
    init b --model anthropic/m
    start_server "$(answers '{"status": 401}')"
    grep -v 7 files | head -3 >three
    run_stdin three script each-file b refused 'Explain this.'
    expect_status 1
    expect_equal "$(cut -f1 refused/failed | tr '\n' ' ')" '6 6 6 '
    run_stdin /dev/null script each-file b nothing 'Explain this.'
    expect_status 0

    test_case "$shell: ask-first and approvals: decided in another process, the turn goes on"
    init a --model builtin/script
    printf '%s\n' 'no, say two' >no
    echo y >yes
    prompt=$'Do this.\n/bash echo one >>done\n/bash echo two >>done'
    PATIENCE=60s script ask-first a "$prompt" >answer 2>errors </dev/null &
    for decision in yes no; do
        wait_for 20 one_waits || fail "nothing waits for $decision: $(cat errors)"
        run script approvals
        expect_status 10
        expect_equal "$(pending_count)" 1
        run_stdin $decision script approvals a
        expect_status 0
        expect_match "$out" '"action": "tool:bash:echo (one|two) >>done"'
    done
    wait $!
    status=$?
    expect_status 0
    expect_match "$(cat answer)" 'no, say two'
    expect_equal "$(grep -c '^chorus-run: waits: ' errors)" 2
    expect_file "$CHORUS_HOME/agents/a/workspace/done" one
    expect_equal "$(chorus-context log a --json | jq -r .turn_state)" idle
    expect_equal "$(chorus-context audit a --json | jq -r .decision | tr '\n' ' ')" 'ask_approved ask_denied '
    run script approvals
    expect_status 0
    expect_equal "$out$err" ''

    test_case "$shell: ask-first: nobody decides, nobody answers, nobody is there"
    init a --model builtin/script
    PATIENCE=0.2 run script ask-first a '/bash make'
    expect_status 10
    expect_match "$err" 'nobody has decided: chorus-tasks pending a'
    expect_equal "$(pending_count)" 1
    run script ask-first nobody 'hello'
    expect_status 4
    init b --model anthropic/m
    home_key max_retries 0
    start_server "$(answers '{"status": 500}')"
    run script ask-first b 'hello'
    expect_status 7
    expect_match "$err" 'ended with exit status 7'

    test_case "$shell: approvals: a question of the model, and one that somebody else decides meanwhile"
    init a --model builtin/script
    run chorus-run a '/ask_user {"question": "Which größe?"}'
    echo 'the large one' >large
    run_stdin large script approvals
    expect_status 0
    expect_match "$out" 'Which gr\\u00f6\\u00dfe'
    run chorus-run a --resume --wait
    wait_for 20 in_db "SELECT count(*) FROM turns WHERE ended_at IS NOT NULL" 1 || fail 'the turn does not go on'
    expect_match "$(chorus-context messages a)" 'the large one'
    run chorus-run a '/bash make'
    mkfifo answers
    script approvals >shown 2>errors <answers &
    exec 4<>answers
    wait_for 20 grep -q 'or answer: $' shown || fail 'nothing is asked'
    run chorus-tasks deny "$(chorus-tasks pending | cut -f1)"
    echo y >&4
    exec 4>&-
    wait $!
    status=$?
    expect_status 0
    expect_match "$(cat errors)" 'nothing to decide: it was denied'
    expect_equal "$(chorus-context audit a --json --decision ask_denied | wc -l)" 1
    CHORUS_HOME=$scratch/none
    run script approvals
    expect_status 4

    test_case "$shell: build-watcher: the exit status of the build, and why"
    init a --model anthropic/m
    home_key max_retries 0
    printf 'all:\n\t@echo made >made\n' >"$CHORUS_HOME/agents/a/workspace/Makefile"
    start_server "$(answers "$(say 'größe is missing.')" '{"status": 500}')"
    run script build-watcher a
    expect_status 0
    expect_match "$out" 'built \(task_001\)'
    expect_file "$CHORUS_HOME/agents/a/workspace/made" made
    expect_equal "$(request_count)" 0
    run script build-watcher a 'echo compiling; echo no größe >&2; exit 3'
    expect_status 3
    expect_equal "$out" 'größe is missing.'
    expect_match "$(jq -r '.messages[0].content[].text' "$(request 1)")" $'exit status 3\..*compiling\nno größe'
    run script build-watcher a sh -c 'exit $1' sh 124
    expect_status 124
    expect_match "$err" 'no advice, chorus-run ended with exit status 7'
    expect_equal "$(request_count)" 2
    LIMIT=100ms run script build-watcher a sleep 60
    expect_status 124
    expect_match "$err" 'not done after 100ms'
    expect_equal "$(chorus-tasks list a --all --json | jq -r .status | sort | tr '\n' ' ')" \
        'completed failed failed killed '
    run script build-watcher nobody
    expect_status 4

    test_case "$shell: with-retry: one turn, however often"
    init a --model anthropic/m
    home_key max_retries 0
    start_server "$(answers '{"status": 500}' '{"status": 429, "headers": {"retry-after": "1"}}' "$(say 'größe \n')")"
    export PAUSE=0
    run script with-retry a K '-v is an option'
    expect_status 0
    expect_equal "$out" 'größe \n'
    expect_match "$err" 'exit status 7, again in 0 s'
    expect_match "$err" 'exit status 75, again in [123] s'
    run script with-retry a K '-v is an option'
    expect_equal "$status $out" '0 größe \n'
    expect_equal "$(request_count)" 3
    expect_equal "$(chorus-context log a --json | wc -l)" 1
    start_server "$(answers '{"status": 401}' '{"status": 500}')"
    run script with-retry a L 'hello'
    expect_status 6
    expect_equal "$(request_count)" 1
    TRIES=2 run script with-retry a M 'hello'
    expect_status 7
    expect_equal "$(request_count)" 3
    run script with-retry a M 'something else'
    expect_status 2
    unset PAUSE

    test_case "$shell: backup: what it wrote can be taken up elsewhere"
    init a --model builtin/script --permissions sandboxed
    init b --model builtin/script
    run chorus-run a '/create_file {"path": "größe", "content": "50"}'
    for day in 1 2 3 4 5 6 7 8; do mkdir -p "kept here/2026-01-0$day"; done
    run script backup "$scratch/kept here"
    expect_status 0
    expect_equal "$out$err" ''
    today=$(echo "kept here"/20*-*-* | grep -o '[^ ]*$')
    today="kept here/${today##*/}"
    expect_equal "$(ls "$today" | tr '\n' ' ')" 'a.tar.gz b.tar.gz chorus.db '
    expect_equal "$(cd 'kept here' && echo 2026-01-*)" \
        '2026-01-03 2026-01-04 2026-01-05 2026-01-06 2026-01-07 2026-01-08'
    expect_equal "$(stat -c %a "$today" "$today/a.tar.gz" 'kept here/audit-head' | tr '\n' ' ')" '700 600 600 '
    run chorus-run a '/bash true'
    run script backup "$scratch/kept here"
    expect_status 0
    expect_match "$(cat 'kept here/audit-head')" '^2:[0-9a-f]{64}$'
    home=$CHORUS_HOME CHORUS_HOME=$scratch/elsewhere
    run chorus-init a --adopt="$today/a.tar.gz"
    expect_status 0
    expect_file "$CHORUS_HOME/agents/a/workspace/größe" 50
    run chorus-context backup --restore "$today/chorus.db"
    expect_status 0
    expect_equal "$(agents | tr '\n' ' ')" 'a b '
    CHORUS_HOME=$home
    CHORUS_DRAIN_TIMEOUT_MS=0 chorus-run a '/bash touch busy; sleep 60' >/dev/null 2>&1 </dev/null &
    wait_for 20 test -e "$CHORUS_HOME/agents/a/workspace/busy" || fail 'no turn is at work'
    mkdir 'kept here/2026-01-02'
    PATIENCE=100ms run script backup "$scratch/kept here"
    expect_status 75
    expect_match "$err" 'not all is well: exit status 75'
    [ -d 'kept here/2026-01-02' ] || fail 'it removed something'
    run chorus-tasks cancel a
    wait $!
    head=$(cat 'kept here/audit-head')
    db 'DELETE FROM audit_log WHERE id > 1'
    run script backup "$scratch/kept here"
    expect_status 1
    expect_match "$err" 'audit log: .*not all is well: exit status 1'
    expect_file 'kept here/audit-head' "$head"

    test_case "$shell: scratch: an agent for one question, gone whatever happens"
    start_server "$(answers "$(call c1 bash '{"command": "touch /tmp/planted"}')" "$(say 'größe is full.')" \
        '{"status": 500}' "$(broken_off)")"
    export CHORUS_MODEL=anthropic/m
    init other
    home_key max_retries 0
    echo 'no größe left' >log.txt
    run_stdin log.txt script scratch What has failed?
    expect_status 0
    expect_equal "$out" 'größe is full.'
    expect_match "$(jq -r '.messages[0].content[].text' "$(request 1)")" $'What has failed\?.*no größe left'
    expect_equal "$(agents)" other
    run_stdin log.txt script scratch What has failed?
    expect_status 7
    expect_equal "$(agents)" other
    script scratch 'What has failed?' >answer 2>errors <log.txt &
    wait_for 20 grep -q 'word1 ' answer || { fail "nothing streams: $(cat errors)" && stop_server; }
    name=$(agents | grep '^scratch-')
    kill -TERM "$(cut -d- -f2 <<<"$name")"
    wait $!
    status=$?
    expect_status 143
    expect_equal "$(agents)" other
    expect_equal "$(chorus-context log "$name" --json | jq -r '"\(.turn_state) \(.exit_code)"')" 'exited 143'
    run script scratch
    expect_status 2
    CHORUS_MODEL=nobody/m run script scratch hello
    expect_status 7
    expect_match "$err" "^chorus-init: error: model: no provider 'nobody'"
    unset CHORUS_MODEL
done

shell=cron crontab_path=/usr/bin:/bin
test_case "cron: without PATH in the crontab no script claims that all is well"
repository
init a --model builtin/script
echo a.c >files
for name in "$here"/scripts/*.sh; do
    name=$(basename "$name" .sh)
    wanted=127
    case $name in
        run) continue ;;
        ci-review) wanted=2 arguments=HEAD ;;
        commit-message) wanted=0 arguments=message ;; # a hook that stopped the commit would be worse
        each-file) wanted=1 arguments='a answers Explain' ;;
        backup) arguments=kept ;;
        *) arguments='a K hello' ;;
    esac
    git add a.c
    echo >message
    # shellcheck disable=SC2086
    run_stdin files script "$name" $arguments
    expect_status $wanted
    expect_match "$err" 'chorus-[a-z]*: not found'
done

end_tests
