#!/usr/bin/env bash
# tests/security/environment.txt, each line as a turn of the real chorus-run. What stands in its
# environment, its descriptors and its host must not reach a command.
#
#   environment.sh [TEXT]    only lines that hold TEXT
[ -d /dev/shm ] && export TMPDIR=/dev/shm # what is synced here need not last
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
command -v perl curl >/dev/null || { echo 'this test needs perl and curl'; exit 1; }
unset TMPDIR
wanted=${1:-}
shared=$base/shared
mkdir -p "$shared/bin" "$HOME"
printf '#!/bin/sh\n: > %s/ran\n' "$shared" >"$shared/bin/canary"
chmod +x "$shared/bin/canary"
touch "/dev/shm/canary-$$" "/tmp/canary-$$"
perl -MSocket -e 'for ("\0chorus-canary", "$ENV{HOME}/socket") { socket(my $s, AF_UNIX, SOCK_STREAM, 0); bind($s, sockaddr_un($_)) or die $!; listen($s, 9); push @all, $s; } $| = 1; print "up\n"; sleep 600' >"$shared/up" &
sockets=$!
bash -c 'exec -a person-canary sleep 600' &
person=$!
end_of_test() {
    kill $sockets $person $server 2>/dev/null
    rm -f "/dev/shm/canary-$$" "/tmp/canary-$$"
    rm -rf "$base"
}
trap end_of_test EXIT
wait_for 10 grep -q up "$shared/up" || { echo 'no sockets'; exit 1; }

mkdir "$shared/log"
echo '{"answers": [], "after": "error"}' >"$shared/script.json"
loopback --script "$shared/script.json" --log "$shared/log" --port-file "$shared/port" &
server=$!
wait_for 10 test -s "$shared/port" || { echo 'no server'; exit 1; }
port=$(cat "$shared/port")

filled() { # TEXT: with what stands in braces
    local text=$1
    text=${text//'{bin}'/$shared/bin} text=${text//'{pid}'/$person} text=${text//'{home}'/$HOME}
    text=${text//'{chorus}'/$CHORUS_HOME} text=${text//'{port}'/$port}
    printf '%s' "$text"
}
bash_call() { printf '/bash %s' "$(jq -nc --arg command "$1" '{command: $command}')"; }
new_home() { # DIRECTORY [SANDBOX]: agent a, and b beside it
    export CHORUS_HOME=$1
    chorus-init a --model builtin/script --permissions open >/dev/null 2>&1 || fail 'chorus-init'
    chorus-init b --model builtin/script >/dev/null 2>&1 || fail 'chorus-init'
    home_key sandbox "\"${2:-workspace}\""
    agent_key a sandbox "\"${2:-workspace}\""
}
# What a command printed, from its result.
printed() { sed -n '/^stdout:$/,/^stderr:$/p' <<<"$out" | sed -e '1d' -e '/^stderr:$/d' | sed '/^$/d'; }

run_with() { # NAME=VALUE COMMAND
    run env "$1" "$CHORUS_BIN/chorus-run" a --fresh -p "$(bash_call "$2")"
}
absent() {
    local assignment value
    assignment=$(printf '%b.' "$1")
    assignment=${assignment%.}
    value=${assignment#*=}
    run_with "$assignment" 'env -0 | tr "\0" "\n"; ls; git --version'
    expect_status 0
    expect_match "$out" 'CHORUS_AGENT=a'
    case ${1%%=*} in
        TERM | TMPDIR | IFS | OLDPWD | SHELLOPTS | BASHOPTS | ENV) ;;
        *) grep -qF -- "${1%%=*}=" <<<"$out" && fail "the command has ${1%%=*}" ;;
    esac
    case $1 in LD_*) : >"$scratch/err" ;; esac # the loader of chorus-run itself complains there
    grep -qF -- "$value" "$scratch/out" "$scratch/err" && fail 'its value is told'
    grep -rqaF -- "$value" "$CHORUS_HOME" && fail "its value is in $(grep -rlaF -- "$value" "$CHORUS_HOME")"
    [ ! -e "$shared/ran" ] || fail 'canary ran'
    rm -f "$shared/ran"
}
passed_on() { # NAME=VALUE REST
    run_with "$1" "printf '<%s>\n' \"\$${1%%=*}\""
    expect_status 0
    expect_match "$out" "<$(sed 's/[][\.*^$()+?{|]/\\&/g' <<<"$2")>"
}
powerless() {
    local assignment
    assignment=$(printf '%b.' "$1")
    assignment=${assignment%.}
    agent_key a permissions '"locked"'
    run_with "$assignment" 'touch done'
    expect_status 0
    agent_key a permissions '"standard"'
    run_with "$assignment" 'touch done'
    expect_status 10
    expect_missing "$CHORUS_HOME/agents/a/workspace/done"
    expect_db "SELECT count(*) FROM audit_log WHERE action_string <> 'trust:agent.json'" 1
    expect_db "SELECT count(*) FROM audit_log WHERE decision = 'allow'" 0
    expect_equal "$(grep -cvE '^chorus-run: [a-z]+: ' <<<"$err")" 0
    agent_key a permissions '"open"'
    run_with "$assignment" "test -e '$HOME' && echo seen" # HOME is not there in the sandbox
    expect_no_match "$out" $'\nseen'
}
refused() { # STATUS NAME=VALUE
    local assignment
    assignment=$(printf '%b.' "$2")
    assignment=${assignment%.}
    run_with "$assignment" 'touch done'
    expect_status "$1"
    expect_one_error "${2%%=*}|usage|home|model|--stdin"
    LC_ALL=C grep -q $'[\x01-\x08\x0b-\x1f\x7f]' "$scratch/err" && fail 'control characters'
    expect_missing "$CHORUS_HOME/agents/a/workspace/done"
    expect_db 'SELECT count(*) FROM tool_runs' 0
}
inside() { # fails|prints TEXT COMMAND
    exec 7<"$shared/bin/canary" 8>"$scratch/eight"
    run env "ANTHROPIC_API_KEY=canary-key-$person" "$CHORUS_BIN/chorus-run" a --fresh -p "$(bash_call "$3")"
    exec 7<&- 8>&-
    expect_status 0
    if [ "$1" = fails ]; then
        expect_match "$out" 'exit status [1-9][0-9]*,'
    else
        expect_match "$out" 'exit status 0,'
        expect_equal "$(printed)" "$2"
    fi
}

case_name='two homes' scratch=$base/case
new_home "$shared/home"
new_home "$shared/open" off
case_name='' cases=0
while IFS= read -r line; do
    case $line in
        '#'* | '') continue ;;
        'cases: '*)
            expected=${line#cases: }
            continue
            ;;
    esac
    cases=$((cases + 1))
    [[ $line == *"$wanted"* ]] || continue
    test_case "$line"
    kind=${line%% | *} rest=${line#* | }
    case $kind in
        powerless | exit*) new_home "$scratch/home" ;;
        open*) CHORUS_HOME=$shared/open ;;
        *) CHORUS_HOME=$shared/home ;;
    esac
    rest=$(filled "$rest")
    case $kind in
        absent) absent "$rest" ;;
        kept) passed_on "$rest" "${rest#*=}" ;;
        cleaned) passed_on "${rest%% | *}" "${rest#* | }" ;;
        powerless) powerless "$rest" ;;
        'exit '*) refused "${kind#exit }" "$rest" ;;
        *fails) inside fails '' "$(printf '%b' "$rest")" ;;
        *'prints '*) inside prints "${kind#*prints }" "$(printf '%b' "$rest")" ;;
        *) fail "what is this: $line" ;;
    esac
done <"$(dirname "$0")/environment.txt"
echo "environment.txt: $cases cases"
[ "$cases" = "$expected" ] || { echo "environment.txt: $expected cases were to be run"; failed=$((failed + 1)); }
kill $sockets $person $server
end_tests
