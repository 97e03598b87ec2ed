#!/usr/bin/env bash
# "-" is stdin where a file is read and stdout where one is written, in all programs; a FIFO and a shell's <(command)
# and >(command) are files as others are.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

# One reader of a file: WHAT IT DOES with the file "$1".
read_prompt() { chorus-run ada --stdin ignore -f "$1" >/dev/null && db 'SELECT content FROM messages ORDER BY id DESC LIMIT 1 OFFSET 1'; }
read_system_prompt() { chorus-init "n$RANDOM$RANDOM" --model builtin/script --system-prompt-file "$1" --json | jq -r .directory | xargs -I{} jq -r .system_prompt {}/agent.json; }
read_permissions() { chorus-init "n$RANDOM$RANDOM" --model builtin/script --permissions "@$1" --json | jq -r .directory | xargs -I{} jq -c .permissions {}/agent.json; }
read_value() { chorus-config set -A ada description "@$1" && jq -r .description "$CHORUS_HOME/agents/ada/agent.json"; }
read_profile() { chorus-context explain ada tool:view:x --profile "@$1"; }
read_import() { n=n$BASHPID$RANDOM && chorus-init $n --model builtin/script >/dev/null </dev/null && chorus-context import $n "$1"; }
read_pack() { n=n$BASHPID$RANDOM && chorus-init $n --adopt "$1" >/dev/null && chorus-context messages $n | cut -f2-; }
read_backup() { chorus-context backup --restore "$1" >/dev/null && chorus-context messages ada; }
files() {
    printf 'a prompt, [x]\n' >prompt
    printf 'Be terse.' >system_prompt
    printf '{"allow": ["tool:view:.*"], "ask": [".*"]}' >permissions
    printf 'for the nightly run' >value
    cp permissions profile
    chorus-context export ada -o import.jsonl && mv import.jsonl import
    chorus-context pack ada -o pack.tar.gz >/dev/null && mv pack.tar.gz pack
    chorus-context backup backup >/dev/null
}
readers='prompt system_prompt permissions value profile import pack backup'

test_case "what reads a file reads -, a FIFO and <(command) alike"
init ada --model builtin/script
chorus-run ada hello >/dev/null </dev/null
files
mkfifo fifo
for what in $readers; do
    expected=$(read_$what "$what" 2>&1 </dev/null) || fail "$what: a file: $expected"
    [ -n "$expected" ] || fail "$what: nothing"
    expect_equal "$what: $(read_$what - 2>&1 <"$what")" "$what: $expected"
    expect_equal "$what: $(cat "$what" | read_$what - 2>&1)" "$what: $expected"
    expect_equal "$what: $(read_$what <(cat "$what") 2>&1 </dev/null)" "$what: $expected"
    cat "$what" >fifo &
    expect_equal "$what: $(read_$what fifo 2>&1 </dev/null)" "$what: $expected"
    wait $!
done
expect_equal "$(ls /tmp/chorus-spool-* 2>/dev/null)" ''

test_case "what is no such file, and an empty one, is told by its name"
init ada --model builtin/script
while IFS='|' read -r what error; do
    run read_$what none
    expect_match "$err" "none: [Nn]o such"
    run read_$what - </dev/null
    expect_equal "$what: $(grep error: <<<"$err")" "$what: $error"
done <<'END'
prompt|chorus-run: error: prompt: it is empty
value|
permissions|chorus-init: error: stdin: not JSON: parse error at line 1, column 1: syntax error while parsing value - unexpected end of input; expected '[', '{', or a literal
profile|chorus-context: error: stdin: not JSON: parse error at line 1, column 1: syntax error while parsing value - unexpected end of input; expected '[', '{', or a literal
import|chorus-context: error: stdin: it is empty
pack|chorus-init: error: stdin: not a packed agent: Unrecognized archive format
backup|chorus-context: error: 'stdin': an empty database
END

test_case "a file named - is ./-"
init ada --model builtin/script
printf 'from the file' >-
run chorus-run ada -f ./- --stdin ignore
expect_db "SELECT content FROM messages WHERE role = 'user'" 'from the file'
run chorus-run ada 'said again' -o ./-
expect_equal "$(cat ./-)" "$out"

test_case "what writes a file writes - and >(command) alike"
init ada --model builtin/script
chorus-run ada hello >/dev/null </dev/null
chorus-context backup before >/dev/null
reads_same() { # WHAT FILE: what is in it, where the bytes are not the same each time
    case $1 in
    import) jq -c 'del(.exported_at)' "$2" ;;
    pack*) tar tf "$2" | sort ;;
    backup*) sqlite3 "$2" 'SELECT content FROM messages' ;;
    *) cat "$2" ;;
    esac
}
while read -r what output; do
    read -ra words <<<"$output"
    "chorus-${words[0]}" "${words[@]:1}" file </dev/null >/dev/null 2>&1 || fail "$output: file"
    "chorus-${words[0]}" "${words[@]:1}" - </dev/null >dash 2>told || fail "$output: -"
    expect_equal "$output: $(reads_same $what dash)" "$output: $(reads_same $what file)"
    "chorus-${words[0]}" "${words[@]:1}" - </dev/null 2>/dev/null | cat >dash || fail "$output: - to a pipe"
    expect_equal "$output: $(reads_same $what dash)" "$output: $(reads_same $what file)"
    "chorus-${words[0]}" "${words[@]:1}" >(cat >piped; touch done) </dev/null >/dev/null 2>&1 || fail "$output: >()"
    until [ -e done ]; do sleep 0.05; done
    expect_equal "$output: $(reads_same $what piped)" "$output: $(reads_same $what file)"
    rm -f file dash piped done
    expect_missing ./-
done <<'END'
export context export ada -o
import context export ada --format jsonl -o
pack context pack ada -o
backup context backup
END

test_case "chorus-run -o - and -o /dev/stdout print the answer once"
init ada --model builtin/script
expected=$(chorus-run ada hello --fresh --new-thread </dev/null)
for name in - /dev/stdout /dev/fd/1; do
    run chorus-run ada hello --fresh --new-thread -o $name
    expect_equal "$out" "$expected"
    run bash -c "chorus-run ada hello --json --new-thread -o $name </dev/null | jq -r .exit_code"
    expect_equal "$out" 0
done
expect_missing ./-

test_case "-o and a FIFO that nobody reads: a signal ends it, and the turn is on record"
init ada --model builtin/script
mkfifo fifo
for signal in INT TERM; do
    chorus-run ada hello -o fifo --json >out 2>err </dev/null &
    pid=$!
    wait_for 10 in_db "SELECT count(*) FROM turns WHERE ended_at IS NOT NULL" "$([ $signal = INT ] && echo 1 || echo 2)"
    sleep 0.5
    kill -$signal $pid
    started=$(date +%s)
    wait $pid
    expect_equal $? $([ $signal = INT ] && echo 130 || echo 143)
    [ $(($(date +%s) - started)) -le 3 ] || fail "SIG$signal: it goes on"
    expect_match "$(cat err)" 'error: fifo: interrupted'
    expect_equal "$(jq -r '"\(.turn) \(.exit_code)"' out)" "$([ $signal = INT ] && echo 1 130 || echo 2 143)"
done
chorus-run ada hello -o fifo >/dev/null 2>&1 </dev/null &
expect_match "$(cat fifo)" hello
wait $!
expect_equal $? 0

test_case "an ending that says no format is refused before anything is done"
init ada --model builtin/script
for name in x.pdf x.md.bak dir.md/x.txt .x.tgz x.zip; do
    mkdir -p dir.md
    run chorus-context export ada -o "$name"
    expect_status 2
    expect_match "$err" "error: '$name': unknown ending of an export: "
    expect_match "$err" 'hint: use \.md, \.html, \.json or \.jsonl, or --format'
    expect_missing "$name"
    run chorus-context export ada -o "$name" --format md
    expect_status 0
    rm "$name"
done
for name in x.zip x.7z x.tar.lz x.html; do
    run chorus-context pack ada -o "$name"
    expect_status 2
    expect_match "$err" "error: '$name': unsupported archive ending"
    expect_missing "$name"
done
for name in x .x dir.md/x; do
    run chorus-context export ada -o "$name"
    expect_status 0
    expect_match "$(head -1 "$name")" '^# '
    rm "$name"
    run chorus-context pack ada -o "$name"
    expect_status 0
    rm "$name"
done

test_case "a stream that is broken off leaves no copy behind"
init ada --model builtin/script
chorus-context backup backup >/dev/null
mkfifo slow
(head -c 8192 backup; exec sleep 5) >slow &
feeder=$!
TMPDIR=$scratch chorus-context backup --restore slow </dev/null 2>told &
restorer=$!
until ls "$scratch"/chorus-spool-* >/dev/null 2>&1; do sleep 0.05; done
kill -TERM $restorer
wait $restorer
expect_equal $? 143
expect_equal "$(cat told)" 'chorus-context: error: slow: interrupted'
kill $feeder 2>/dev/null
expect_equal "$(ls "$scratch"/chorus-spool-* 2>/dev/null)" ''
head -c 8192 backup >cut
for how in cut -; do
    run_stdin cut chorus-context backup --restore $how
    expect_status 1
    expect_match "$err" "error: '(cut|stdin)': damaged, nothing was changed"
done
expect_sound
end_tests
