#!/usr/bin/env bash
# Options that make no sense together: every pair of lib/cli/conflicts.txt is a usage error, in either
# order, and nothing has happened then.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

table=$(dirname "$here")/lib/cli/conflicts.txt
declare -A values=([--approve]=p1 [--deny]=p1 [--answer]=p1 [--thread]=1 [-t]=1 [--turn]=1 [TURN]=1 [ID]=x [-n]=1 [--session]=x
    [--since]=1h [--until]=1h [--model]=builtin/script [--permissions]=open [--directory]=. [--idempotency-key]=k [--prompt]=x [--file]=/dev/null
    [--output-format]=json [--system-prompt]=x [--system-prompt-file]=/dev/null [--clone]=. [--expect]=0:
    [--checkpoint]=1 [--to]=1 [--on-ask]=deny [--max-iterations]=1 [--max-usd]=1 [--effort]=low [--fallback-model]=builtin/script [--max-tokens]=9 [--temperature]=1 [--record]=r.json [--meta]=k=v [--attach]=notes.txt [--subagents-older-than]=1h [--spawn]=explorer [--subagent]=x [--output]=out [--trace]=trace [--json-schema]='{"type":"object"}')
given() { # OPTION: as it is typed
    case $1 in
        [A-Z]*) printf '%s\n' "${values[$1]}" ;;
        *) printf '%s\n' "$1" ${values[$1]:+"${values[$1]}"} ;;
    esac
}
pairs() { # LEFT [RIGHT]: lists of options
    local one other
    for one in $1; do
        for other in ${2:-$1}; do [ "$one" = "$other" ] || echo "$one $other"; done
    done
    [ -z "${2:-}" ] || for one in $1; do for other in $2; do echo "$other $one"; done; done
}
all_pairs() { # every "COMMAND : ONE OTHER" of the table
    local line left right
    while IFS= read -r line; do
        [[ $line == *' : '* && $line != '#'* ]] || continue
        left=${line#* : } right=''
        [[ $left != *' | '* ]] || right=${left#* | } left=${left% | *}
        pairs "$left" "$right" | sed "s/^/${line%% : *} : /"
    done <"$table"
}
state() { db 'SELECT (SELECT group_concat(state) FROM prompts) || (SELECT count(*) FROM inbox) || (SELECT group_concat(state || attempt) FROM turns)
    || (SELECT count(*) FROM messages) || (SELECT count(*) FROM threads) || (SELECT count(*) FROM sessions) || (SELECT group_concat(status) FROM agents)'; }

test_case "every pair of the table is refused, whichever comes first, and changes nothing"
init a --model builtin/script --permissions standard
run chorus-run a '/bash echo hello'
expect_status 10
before=$(state) count=0
while read -r command rest; do
    verb=${rest%%:*} options=${rest#*: }
    mapfile -t words < <(for option in $options; do given "$option"; done)
    [[ $verb != *restore* ]] || words+=(x)
    run "$command" $verb a "${words[@]}"
    [ "$status" = 2 ] && [[ $err == "$command: error: usage: "*" excludes "* ]] || fail "$command $verb a ${words[*]}"
    count=$((count + 1))
done < <(all_pairs)
[ $count -gt 130 ] || fail "only $count pairs were tried"
expect_equal "$(state)" "$before"
for program in chorus-run chorus-init chorus-destroy chorus-config chorus-tasks chorus-context; do
    grep -q "^$program " "$table" || fail "$program has no line in the table"
done

test_case "a decision that is refused for its options is still to be made"
init a --model builtin/script --permissions standard
run chorus-run a '/bash echo hello'
expect_status 10
id=$(db 'SELECT id FROM prompts')
for option in --new-thread --queue --retry --fresh --cancel-prompts --dry-run '-m builtin/script' '--idempotency-key k' '-C .'; do
    for decision in "--approve $id" "--deny $id" "--answer $id"; do
        run chorus-run a $decision $option
        expect_status 2
        expect_match "$err" '^chorus-run: error: usage: --[a-z-]+ excludes --[a-z-]+'
    done
done
expect_db "SELECT group_concat(state) FROM prompts" pending
expect_db 'SELECT count(*) FROM threads' 1
run chorus-run a --approve "$id"
[ "$status" = 0 ] || expect_match "$err" 'sandbox'
expect_db "SELECT group_concat(state) FROM prompts" approved

test_case "what goes together is not refused"
init a --model builtin/script
for words in '-t 1 --resume' '--resume --max-iterations 5' '--resume --on-ask deny' '--new-thread --fresh hello' '-t 1 --queue hello' \
    '--wait --resume' '--cancel-prompts hello' '--retry --json' '--stream -q hello' '--idempotency-key k --new-thread hello'; do
    run chorus-run a $words
    expect_no_match "$err" excludes
done

end_tests
