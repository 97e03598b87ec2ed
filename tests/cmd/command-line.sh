#!/usr/bin/env bash
# The rules of every command line (chorus(7), COMMAND LINE): what is typed arrives as it was typed, or is refused.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

said() { db "SELECT content FROM messages WHERE role = 'user' ORDER BY id DESC LIMIT 1"; }
refused() { # TEXT COMMAND …: exit 2, the error says TEXT, and there is a hint
    local text=$1
    shift
    run "$@"
    expect_status 2
    expect_match "$err" "error: usage: $text"
    expect_match "$err" 'hint: '
}

test_case "a prompt keeps brackets, commas, quotes and signs"
init a --model builtin/script
for text in '[a, b]' '["a"]' '[[]]' '[]' '{a,b}' "it's \"so\"" '%%' 'a=b' '$HOME `x` \n' '--x y' '-help me please' '- one' 'a,b;c'; do
    run chorus-run a "$text"
    expect_status 0
    expect_equal "$(said)" "$text"
    run chorus-run a -p "$text"
    expect_equal "$(said)" "$text"
    run chorus-run a -- "$text"
    expect_equal "$(said)" "$text"
done
run chorus-run a [1, 2] and '[3]'
expect_equal "$(said)" '[1, 2] and [3]'

test_case "10,000 random words in one prompt"
init a --model builtin/script
mapfile -t words < <(LC_ALL=C tr -dc '][{},;:"$%=a-z0-9()!?~|&<>#@^+._/\n-' </dev/urandom | grep -v '^$' | grep -v '^/' | cut -c1-12 | head -10000)
expect_equal "${#words[@]}" 10000
run chorus-run a -- "x" "${words[@]}"
expect_status 0
[ "$(said)" = "x ${words[*]}" ] || fail 'not what was typed'

test_case "brackets in the words of the other programs"
run chorus-init '[a]' --model builtin/script
expect_status 2
expect_match "$err" "agent name: '\[a\]'"
init a --model builtin/script
run chorus-config set -A a description '["x", "y"]'
expect_status 0
run chorus-config set -A a metadata '{"k": ["v", 1]}'
expect_equal "$(jq -c .metadata.k "$CHORUS_HOME/agents/a/agent.json")" '["v",1]'
run chorus-tasks run a -- printf '<%s>' '[1,2]' '[a' ', b]' '-n' '--json' ''
run chorus-tasks wait a task_001
expect_file "$CHORUS_HOME/agents/a/tasks/task_001/out.log" '<[1,2]><[a><, b]><-n><--json><>'
run chorus-tasks run a -- jq -nc '[1,2]'
run chorus-tasks wait a task_002
expect_file "$CHORUS_HOME/agents/a/tasks/task_002/out.log" '[1,2]'
run chorus-run a '/ask_user {"question": "which?"}'
expect_status 10
id=$(db 'SELECT id FROM prompts')
run chorus-tasks answer "$id" '["a"]'
expect_status 0
expect_db "SELECT answer FROM prompts" '["a"]'
run chorus-context save a '[one, two]' --no-summary
expect_db "SELECT description FROM sessions WHERE trigger = 'manual_save'" '[one, two]'
run chorus-context branch a '[try]'
expect_match "$out$err" '\[try\]'
run chorus-context search '[which]'
expect_match "$out" 'which'
run chorus-context explain a 'tool:bash:echo [a, b]'
expect_match "$out" "at '\[a, b\]'"
run chorus-destroy '[a]'
expect_match "$err" "\[a\]"

test_case "no option stands between the words of a prompt"
init a --model builtin/script
echo kept >results.txt
refused "'-o' is between the words of WORDS" chorus-run a why does sort -o results.txt fail
expect_match "$err" 'chorus-run a -- why does sort -o results.txt fail'
expect_file results.txt kept
expect_db 'SELECT count(*) FROM turns' 0
refused "'--json' is between the words" chorus-run a several words --json
refused "'--help' is between the words" chorus-run a what does --help do
refused "'-n' is between the words" chorus-tasks run a echo x -n y
hint=$(sed -n 's/.*one of the words: //p' <<<"$err")
expect_equal "$hint" 'chorus-tasks run a -- echo x -n y'
run chorus-run a 'one text' --json
expect_status 0
expect_json .state completed
run chorus-run --json a several words
expect_json .state completed
run chorus-run a -- why does sort -o results.txt fail
expect_status 0
expect_equal "$(said)" 'why does sort -o results.txt fail'
expect_file results.txt kept

test_case "values that are missing, empty, doubled or in another form"
init a --model builtin/script
refused '--output: is empty' chorus-run a --output= text
refused "'-o=file': give the value of -o after a blank" chorus-run a text -o=file
refused "'-m=x': give the value of -m" chorus-run a text -m=x
refused "--output: FILE is missing, '--json' is an option" chorus-run a text --output --json
refused '-o: FILE is missing' chorus-run a text -o
refused '--model is given twice' chorus-run a text -m builtin/script --model builtin/script
refused '--json takes no value' chorus-run a text --json=yes
refused "--on-ask: 'never' is not one of 'suspend', 'deny' and 'fail'" chorus-run a text --on-ask never
expect_missing file
expect_db 'SELECT count(*) FROM turns' 0

test_case "numbers are decimal and in range, and the range is told"
init a --model builtin/script
for number in 2147483648 99999999999999999999999; do
    refused "--max-iterations: '$number' is more than 2147483647" chorus-run a hello "--max-iterations=$number"
done
for number in 0 -1 +5 0x10 1e3 ' 5' 5. five; do
    refused "--max-iterations: '${number//+/\\+}' is not a whole number, 1 or more" chorus-run a hello "--max-iterations=$number"
    refused "-n: '${number//+/\\+}' is not a whole number, 1 or more" chorus-context log a -n "$number"
done

test_case "an agent of nearly that name"
init notes --model builtin/script
init other --model builtin/script
for command in 'chorus-run ntoes hello' 'chorus-context log noets' 'chorus-tasks status note' 'chorus-destroy notess --yes' 'chorus-config get model -A Notes'; do
    run $command
    expect_status 4
    expect_match "$err" 'hint: did you mean notes\?'
done
run chorus-run nobody hello
expect_match "$err" "hint: there are 'notes' and 'other'"

test_case "what is not there: the word, what is near, and that verb's help"
refused "there is no option '--jsno'" chorus-run a --jsno
expect_match "$err" 'hint: did you mean --json\? see chorus-run --help$'
refused "there is no option '-j4'" chorus-tasks run a make -j4
expect_match "$err" 'hint: see chorus-tasks run --help; if it is one of the words: chorus-tasks run a -- make -j4$'
refused "there is no verb 'serach'" chorus-context serach x
expect_match "$err" 'hint: did you mean chorus-context search\?$'
refused "there is no option '--since-when'" chorus-context log a --since-when x
expect_match "$err" 'hint: see chorus-context log --help$'
refused 'the verb is missing' chorus-config
refused 'NAME is missing' chorus-context log
expect_match "$err" 'hint: see chorus-context log --help$'
refused "unexpected argument 'b'" chorus-context log a 1 b
expect_missing "$CHORUS_HOME"

test_case "--help behind a text is help, and between the words of one it is no option"
init a --model builtin/script
for command in "chorus-run a 'one text' --help" "chorus-run a word -h" "chorus-tasks run a 'touch ran' --help" "chorus-tasks answer abc x --help"; do
    run bash -c "$command"
    expect_status 0
    expect_match "$out" '^usage: '
done
run chorus-run a hi --version
expect_match "$out" '^chorus-run [0-9]'
run chorus-run a why does sort --help fail
expect_status 2
nothing_recorded
expect_missing "$CHORUS_HOME/agents/a/workspace/ran"

test_case "a short option with its value in one argument with a blank has two readings, and neither is taken"
init a --model builtin/script
mkdir 'my dir'
for argument in "-Cmy dir" "-phello there" "-omy out.txt"; do
    run chorus-run a "$argument" 'Review this.'
    expect_status 2
    expect_match "$err" "error: usage: '$argument': is it the value of ${argument:0:2}, or a word\\?"
    expect_match "$err" "hint: ${argument:0:2} '${argument:2}', or -- before a word"
done
nothing_recorded
run chorus-run a '-help me please'
expect_status 0
expect_match "$out" '-help me please'

test_case "behind -- a dash is a word; a stdin that cannot be read is none"
init a --model builtin/script
echo 'drop the tables' >file
run_stdin file chorus-run a -q -- -
expect_status 0
expect_db "SELECT content FROM messages WHERE role = 'user'" $'-\n\n<stdin>\ndrop the tables\n</stdin>'
chorus-run a hello 0>/dev/null >out 2>err
expect_equal $? 0
expect_file err ''
chorus-run a 0>/dev/null >out 2>err
expect_equal $? 2

test_case "what is no UTF-8 is refused wherever a text is taken, and names of files are bytes"
init a --model builtin/script
for command in "chorus-init b --model builtin/script --description" 'chorus-context save a' 'chorus-tasks run a true --on-exit' 'chorus-tasks deny abc --reason' 'chorus-run a hi --actor'; do
    run $command $'caf\xe9'
    expect_status 2
    expect_match "$err" 'not valid UTF-8 at byte 3'
done
expect_missing "$CHORUS_HOME/agents/b"
echo hello >$'caf\xe9'
run chorus-run a -f $'caf\xe9' -o $'out\xff'
expect_status 0
[ -s $'out\xff' ] || fail 'no file'

test_case "a time behind --wait and a blank is not the first word of a prompt"
init a --model builtin/script
run chorus-run a --wait 10m hi
expect_status 2
expect_match "$err" "error: usage: --wait: give the time after '='"
expect_match "$err" "hint: --wait=10m; if '10m' is a word: --wait -- 10m"
run chorus-context save a s --wait 5
expect_status 2
run chorus-run a --wait -- 10m
expect_status 0
expect_match "$out" 10m
run chorus-run a --wait=10m hi
expect_status 0

end_tests
