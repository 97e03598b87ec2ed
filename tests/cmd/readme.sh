#!/usr/bin/env bash
# The README: its examples run as they stand there, and the options that it names exist.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
readme=$(dirname "$here")/README.md
block() { awk -v wanted="$1" '/^```/ { inside = !inside; if (inside && /sh$/) number++; next } inside && number == wanted' "$readme"; } # NUMBER

test_case "the examples run as they stand there" # A-56
start_server "$(answers "$(say 'An answer.')")"
unset CHORUS_HOME
export HOME=$PWD/person
mkdir -p "$HOME/src/parser" "$HOME/work"
git init -q "$HOME/src/parser"
cd "$HOME/work" || exit 1
git init -q .
echo before >file
git add file
echo after >file
printf '%%PDF-1.4\n%%%%EOF\n' >plan.pdf
base64 -d <<<iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII= >map.png
count=0
while IFS= read -r line; do
    [[ $line != export* ]] || continue # the key of a person
    run bash -c "$line"
    [ "$status" = 0 ] || fail "$line: exit $status: $err"
    [[ $line == chorus-init* ]] || expect_equal "$out" 'An answer.'
    count=$((count + 1))
done < <(block 2)
[ $count -ge 5 ] || fail "only $count examples"
expect_match "$(jq -r '.messages[-1].content[-1].text' "$(request 2)")" $'Review this\n\n<stdin>\n.*\\+after'
expect_equal "$(jq -r '[.messages[-1].content[].type] | unique | join(" ")' "$(request 3)")" 'document image text'
run bash -c "$(block 3)"
expect_status 0
expect_equal "$out" "exit 0
An answer.
5"

test_case "the options that it names exist"
count=0
while IFS= read -r command; do
    read -ra words <<<"$command"
    help=("${words[0]}")
    [[ ! ${words[1]:-} =~ ^[a-z]+$ || ${words[0]} != chorus-@(config|context|tasks) ]] || help+=("${words[1]}")
    shown=$("${help[@]}" --help 2>&1)
    [[ $shown == *Usage* || $shown == *usage* ]] || shown=$("${words[0]}" --help)
    for word in "${words[@]:1}"; do
        [ "$word" != -- ] || break
        [[ $word == -* ]] || continue
        count=$((count + 1))
        grep -qE -- "(^|[ ,])$word([ =,[]|\$)" <<<"$shown" || fail "$command: no $word"
    done
done < <(tr '\n' ' ' <"$readme" | grep -oE '`chorus-(init|run|context|tasks|config|destroy) [^`]*`' | tr -d '`' | sed "s/'[^']*'/TEXT/g")
[ $count -ge 8 ] || fail "only $count options"

end_tests
