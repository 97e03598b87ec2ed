#!/usr/bin/env bash
# A value that is empty, as of "$DIR" in a script that never set DIR, never means that the option was not given.
. "$(dirname "$0")/../support/lib.sh"

# "program [verb]" of every executable and verb, one a line
commands() {
    local program verb
    for program in chorus-config chorus-context chorus-destroy chorus-init chorus-run chorus-tasks; do
        echo "$program"
        "$program" --help | sed -n '/^Verbs:/,$ s/^  \([a-z-]*\) .*/\1/p' | while read -r verb; do
            echo "$program $verb"
        done
    done
}
# The names of the options that take a value, of one command; one of each option's names
options_of() { "$@" --help | grep -oE '^  -[^][ ]+(\[=| [A-Za-z])\S*( {2,}|$)' | sed -E 's/^  //; s/[[ ].*//; s/.*,//'; }
# Its positional arguments, in order
arguments_of() { "$@" --help | sed -n '/^Arguments:/,/^$/ s/^  \([A-Z|a-z]*\) .*/\1/p'; }

refused_as_empty() {
    run "$@"
    expect_status 2
    expect_match "$out$err" 'usage: .*(is empty|is not one of|takes no value)'
}

test_case "every option of every executable"
count=0
while read -r command; do
    for option in $(options_of $command); do
        [ "$command $option" = 'chorus-init --description' ] && continue
        [[ $($command --help) == *"$option[="* ]] || refused_as_empty $command "$option" ''
        [[ $option != --* ]] || refused_as_empty $command "$option="
        count=$((count + 1))
    done
done < <(commands)
[ $count -gt 80 ] || fail "only $count options were found"
expect_missing "$CHORUS_HOME"

test_case "every argument of every executable"
count=0
while read -r command; do
    before=()
    for argument in $(arguments_of $command); do
        case "$command $argument" in
            'chorus-config set VALUE' | 'chorus-tasks run COMMAND') ;;
            *) refused_as_empty $command "${before[@]}" '' ;;
        esac
        before+=(a)
        count=$((count + 1))
    done
done < <(commands)
[ $count -gt 40 ] || fail "only $count arguments were found"
expect_missing "$CHORUS_HOME"

test_case "a flag with nothing behind its sign"
for flag in --json --trust --exist-ok --adopt; do refused_as_empty chorus-init a --model builtin/script "$flag="; done
refused_as_empty chorus-run a hello --wait=
expect_missing "$CHORUS_HOME"

test_case "where an empty text is a value, it is one"
run chorus-init a --model builtin/script --description ''
expect_status 0
expect_equal "$(jq -r .description "$CHORUS_HOME/agents/a/agent.json")" ''
run chorus-config set -A a description ''
expect_status 0
run chorus-tasks run a -- printf '<%s>' ''
expect_status 0
run chorus-tasks wait a task_001
expect_file "$CHORUS_HOME/agents/a/tasks/task_001/out.log" '<>'
run chorus-run a -- /bash --json=
expect_status 10

end_tests
