#!/usr/bin/env bash
# What a hint names can be typed: the command is one, its options go together, and it does not end in the
# error that it was to help against.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

first_error() { grep -m 1 -oE ': error: .*' <<<"$1"; }
# The commands of a hint, a line each; of "--approve ID, or --deny ID" the second has the beginning of the first.
commands_in() { # HINT
    local part before='' word text
    sed -E 's/, or | or with |, and |; |, /\n/g' <<<"$1" | while IFS= read -r part; do
        if [[ $part == *chorus-* ]]; then
            text=chorus-${part#*chorus-}
        elif [[ $part == --* && -n $before ]]; then
            text="$before $part"
        else
            continue
        fi
        local words=()
        for word in $text; do
            case $word in
                goes | gives | leaves | lists | shows | begins | decides | empties | does | starts | finishes | asks | after | makes | continues) break ;;
                *) words+=("$word") ;;
            esac
        done
        before="${words[*]:0:2}"
        echo "${words[*]}"
    done
}
# An option that a hint names alone joins the command that was typed.
options_in() { # HINT
    [[ $1 == *chorus-* ]] || grep -oE -- '--[a-z]+(-[a-z]+)*' <<<"$1"
}
home_copy() { rm -rf "$scratch/copy" && cp -a "$CHORUS_HOME" "$scratch/copy"; }
typed() { # ERROR COMMAND…: in a copy of the home
    local error=$1 said state
    shift
    home_copy
    said=$(CHORUS_HOME=$scratch/copy timeout 20 "$@" 2>&1 >/dev/null </dev/null)
    state=$?
    [[ $said != *': usage: '* ]] || fail "the hint cannot be typed: $*: $said"
    [ -z "$error" ] || [ "$(first_error "$said")" != "$error" ] || fail "the hint leads to the same error: $*: $said"
    [ $state != 124 ] || [[ $said == *'--timeout'* ]] || fail "the hint never ends: $*"
}
# STATUS ERROR COMMAND…: it fails so, with a hint that names a command or an option, and each of these is typed
hinted() {
    local wanted=$1 regex=$2 error hint each count=0
    shift 2
    run timeout 20 "$@"
    expect_status "$wanted"
    expect_match "$err" "$regex"
    error=$(first_error "$err")
    while IFS= read -r hint; do
        while IFS= read -r each; do
            each=${each//MESSAGE/hi}
            each=${each//TEXT/blue}
            each=${each//BRANCH/new}
            count=$((count + 1))
            # shellcheck disable=SC2086
            typed "$error" ${each//NAME/a}
        done < <(commands_in "$hint")
        while IFS= read -r each; do
            count=$((count + 1))
            typed "$error" "$@" "$each"
        done < <(options_in "$hint")
    done < <(grep -oP '^chorus-[a-z]+: hint: \K.*' <<<"$err")
    [ "$count" -gt 0 ] || fail "no hint that can be typed: $*"
}
waits() { # agent a, whose turn on a second thread waits for permission in $id
    rm -rf "$CHORUS_HOME"
    init a --model builtin/script --permissions standard
    run chorus-run a 'hello'
    run chorus-run a --new-thread '/bash touch done'
    expect_status 10
    id=$(db 'SELECT id FROM prompts')
}
asks() { # agent a, whose turn waits for an answer in $id
    rm -rf "$CHORUS_HOME"
    init a --model anthropic/m
    start_server "$(answers "$(call q ask_user '{"question": "Which colour?"}')" "$(say Done.)")"
    run chorus-run a go
    expect_status 10
    id=$(db 'SELECT id FROM prompts')
}

test_case "a turn that waits: what refuses to begin beside it"
waits
hinted 10 'waits for a decision' chorus-run a -t 2 more
expect_match "$err" 'hint: chorus-run a -t 2 --queue MESSAGE'
for command in 'compact a' 'restore a' 'import a'; do
    if [ "$command" = 'import a' ]; then
        chorus-context export a -t 1 -o "$scratch/one.jsonl" --force 2>/dev/null
        command="import a $scratch/one.jsonl"
    elif [ "$command" = 'restore a' ]; then
        chorus-context save a >/dev/null 2>&1
        command="restore a $(db 'SELECT substr(id, 1, 8) FROM sessions LIMIT 1')"
    fi
    # shellcheck disable=SC2086
    hinted 75 'turn 1 of thread 2 has not ended: it waits' chorus-context $command
    expect_match "$err" "hint: continue it: chorus-run a --approve $id, or --deny $id"
    for state in expired decided; do
        cp "$CHORUS_HOME/chorus.db" "$scratch/kept.db"
        case $state in
            expired) db 'UPDATE prompts SET expires_at = 1' ;;
            decided) chorus-tasks approve "$id" 2>/dev/null ;;
        esac
        # shellcheck disable=SC2086
        hinted 75 'turn 1 of thread 2 has not ended' chorus-context $command
        expect_match "$err" 'hint: continue it: chorus-run a -t 2 --resume'
        rm -f "$CHORUS_HOME"/chorus.db-*
        cp "$scratch/kept.db" "$CHORUS_HOME/chorus.db"
    done
done

test_case "a turn that is decided, and has not gone on"
waits
run chorus-tasks approve "$id"
hinted 10 'decided but not resumed' chorus-run a -t 2 more
hinted 4 "nothing to decide: it was approved by uid $(id -u)" chorus-run a --approve "$id"
expect_match "$err" 'hint: chorus-run a -t 2 --resume continues the turn'
hinted 4 'nothing to decide' chorus-tasks deny "$id"
hinted 4 'no pending question that this command can decide' chorus-run a -t 2 --approve all
expect_match "$err" 'hint: chorus-run a -t 2 --resume'
waits
db 'UPDATE prompts SET expires_at = 1'
hinted 4 'nothing to decide: it has expired' chorus-tasks approve "$id"
hinted 4 'no such prompt' chorus-tasks approve nosuch

test_case "a decision of the wrong kind"
asks
hinted 2 'it is a question' chorus-tasks approve "$id"
expect_match "$err" "hint: chorus-tasks answer $id TEXT, or chorus-tasks deny $id\$"
hinted 2 'it is a question' chorus-run a --approve "$id"
waits
hinted 2 'it asks for permission' chorus-tasks answer "$id" yes
hinted 2 'it asks for permission' chorus-run a --answer "$id" yes
hinted 2 'all: name one question by its id' chorus-tasks deny all
expect_match "$err" 'hint: chorus-run NAME --deny all'
hinted 2 'all: name one question by its id' chorus-tasks answer all blue
expect_match "$err" 'hint: chorus-tasks pending'
init b --model builtin/script
edit_agent_key b permissions '"open"'
run chorus-run b hi
id=$(db "SELECT id FROM prompts WHERE kind = 'trust'")
hinted 2 'it asks for trust' chorus-tasks answer "$id" yes
expect_match "$err" "hint: chorus-tasks approve $id, or chorus-tasks deny $id"

test_case "the questions that wait"
waits
hinted 10 'waits: ' chorus-run a -t 2 --resume
asks
hinted 10 'waits: ' chorus-run a --resume

test_case "a message that is not there, or no longer"
rm -rf "$CHORUS_HOME"
init a --model builtin/script
run chorus-run a first
run chorus-run a --new-thread second
hinted 4 'has no such message' chorus-context branch a new -t 2 --at 99
hinted 4 'has no such message' chorus-context rewind a -t 2 --to 99
expect_match "$err" 'hint: chorus-context messages a -t 2 shows the ids'
run chorus-context clear a
hinted 4 'it has left the window already' chorus-context rewind a -t 2 --to 3

# The home is the one at work: its locks are no part of a copy.
typed_beside() { # COMMAND…
    local error said
    run "$@"
    expect_status 75
    error=$(first_error "$err")
    expect_match "$err" 'hint: wait with --wait'
    expect_no_match "$err" "hint: .*${unfit:-nothing is}"
    said=$("$@" --wait=1s 2>&1 </dev/null)
    [[ $said != *': usage: '* ]] || fail "$*: $said"
    [[ $err != *--new-thread* ]] || expect_equal "$("$@" --new-thread 2>&1 >/dev/null </dev/null | grep -c error)" 0
}
test_case "a thread at work"
init a --model builtin/script --permissions sandboxed
run chorus-run a hi
chorus-run a "/bash sleep 41$$" >/dev/null 2>&1 </dev/null &
pid=$!
wait_for 10 running "-c -- sleep 41$$" || fail 'the turn did not come to its command'
unfit=
typed_beside chorus-run a -m builtin/script more
expect_match "$err" 'hint: wait with --wait, or use another thread with --new-thread'
unfit=--new-thread
typed_beside chorus-run a --resume
typed_beside chorus-run a --retry
run chorus-run a --queue later
typed_beside chorus-run a --inbox
typed_beside chorus-run a -t main more
kill -9 $pid
wait $pid 2>/dev/null

test_case "a parked turn, one without a key, a directory that is gone"
unset ANTHROPIC_API_KEY
init a --model anthropic/m
home_key max_retries 0
run chorus-run a hi
expect_status 6
expect_one_error 'no key: ANTHROPIC_API_KEY is not set'
expect_match "$err" 'hint: set ANTHROPIC_API_KEY to a valid key, or run chorus-config login anthropic; then continue with: chorus-run a -t 1 --resume'
start_server "$(answers "$(say ok)")"
run chorus-run a -t 1 --resume
expect_status 0
start_server "$(answers '{"status": 429, "headers": {"retry-after": "1"}}' "$(say ok)")"
run chorus-run a --new-thread go
expect_status 75
expect_match "$err" 'hint: after .* chorus-run a -t 2 --resume; '
hinted 75 'parked until' chorus-run a -t 2 more
rm -rf "$CHORUS_HOME" && mkdir "$scratch/there"
init a --model builtin/script --permissions standard
run chorus-run a -C "$scratch/there" '/bash make'
rmdir "$scratch/there"
hinted 2 'no longer exists' chorus-run a --resume
expect_match "$err" 'chorus-run a -t 1 --cancel-prompts MESSAGE gives up the turn'

test_case "every option and every verb that the sources name in a text is one"
sources=$(cd "$here/.." && pwd)
verbs=$(for program in context tasks config; do "chorus-$program" --help | sed -nE "s/^  ([a-z-]+) .*/chorus-$program \1/p"; done)
while IFS= read -r command; do
    grep -qxF "$command" <<<"$verbs" || fail "there is no $command"
done < <(grep -rhoE '"[^"]*"' "$sources/lib" "$sources/cmd" --include=*.cpp | grep -oE 'chorus-(context|tasks|config) [a-z][a-z-]+' | sort -u)

test_case "what a sub-agent does not take, a thread that is not there, no model, a limit of each turn"
init a --model builtin/script
mkdir -p "$CHORUS_HOME/presets"
echo Help. >"$CHORUS_HOME/presets/helper.md"
run chorus-run a --spawn helper hi
expect_status 3
expect_match "$err" 'hint: give one with -m provider/name, or for all agents with chorus-config set default_model provider/name$'
chorus-config set default_model builtin/script
run chorus-run a --spawn helper hi
expect_status 0
child=$(db "SELECT name FROM agents WHERE kind = 'child'")
run chorus-run "$child" --ephemeral hi
expect_status 2
expect_match "$err" 'it has one thread
chorus-run: hint: leave out --ephemeral$'
run chorus-run "$child" -C / hi
expect_match "$err" 'one directory to work in
chorus-run: hint: leave out -C$'
run chorus-context log a -t 7
expect_status 4
expect_match "$err" 'hint: chorus-tasks threads a lists its threads$'
run chorus-tasks threads a
expect_status 0
agent_key a budget '{"tokens_per_turn": 1}'
agent_key a model '"anthropic/m"'
start_server "$(answers "$(call c1 list_files '{}')" "$(say ok)")"
run chorus-run a hi
expect_status 9
expect_match "$err" '1 token a turn \(budget.tokens_per_turn\)
chorus-run: hint: give it more with chorus-config set, and continue with: chorus-run a -t 1 --resume$'
chorus-config set -A a budget '{"tokens_per_turn": 100000}'
run chorus-run a -t 1 --resume
expect_status 0

end_tests
