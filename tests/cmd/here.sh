#!/usr/bin/env bash
# "." is the agent of the directory one stands in, in all programs.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

export CHORUS_MODEL=builtin/script
agents() { db "SELECT name FROM agents WHERE status = 'active' ORDER BY id"; }
# A repository with a file, in $scratch/NAME.
repository() {
    mkdir -p "$scratch/$1/src/lib"
    git -C "$scratch/$1" init -q -b main
    echo hello >"$scratch/$1/file"
    git -C "$scratch/$1" add file
    git -C "$scratch/$1" -c user.name=u -c user.email=u@x commit -qm first
}

test_case "the first prompt makes it and works there; the second goes on"
repository 'My Project'
cd "$scratch/My Project" || exit 1
run chorus-run . '/view file'
expect_status 0
expect_match "$out" hello
expect_equal "$err" "chorus-run: notice: agent my-project made for $scratch/My Project, model builtin/script, permissions standard"
run chorus-run . 'again' --json
expect_status 0
expect_equal "$err" ''
expect_json .agent my-project
expect_json .turn 2
expect_equal "$(agents)" my-project
expect_equal "$(git status --porcelain)" ''
run chorus-run . --permissions open '/bash pwd; echo new >made'
expect_match "$out" "$scratch/My Project"
expect_file made new

test_case "from a subdirectory it is the same one, works at the root, and the model is told"
repository p
cd "$scratch/p/src/lib" || exit 1
run chorus-run . '/list_files'
expect_status 0
expect_match "$out" 'file'
expect_match "$(chorus-context messages . --json | jq -r .status)" 'The user is in src/lib/'
cd ../.. || exit 1
run chorus-run . hello
expect_equal "$(agents)" p
expect_equal "$(chorus-context messages . --json | jq -r 'select(.role == "user").status' | tail -1)" null

test_case "a directory without a repository is its own; one below it is another"
mkdir -p "$scratch/plain/below"
cd "$scratch/plain" || exit 1
run chorus-run . hello
cd below || exit 1
run chorus-run . hello
expect_equal "$(agents)" $'plain\nbelow'

test_case "a name that is taken gets a number"
init p --model builtin/script
repository p
cd "$scratch/p" || exit 1
run chorus-run . hello
expect_match "$err" 'agent p-2 made'
mkdir -p "$scratch/Ω"
cd "$scratch/Ω" || exit 1
run chorus-run . hello
expect_match "$err" 'agent here made'

test_case "by name, from anywhere, it works there too"
repository p
cd "$scratch/p" || exit 1
run chorus-run . hello
cd / || exit 1
run chorus-run p '/view file'
expect_match "$out" hello
run chorus-run p --permissions open '/bash pwd'
expect_match "$out" "$scratch/p"
run chorus-run p --permissions open -C "$scratch/p/src" '/bash pwd'
expect_match "$out" "$scratch/p/src"

test_case "all programs know it"
repository p
cd "$scratch/p/src" || exit 1
run chorus-init --here --model builtin/script
expect_status 0
expect_match "$out" $'\nWorks in: '"$scratch/p"$'\n'"Next: chorus-run \\. 'PROMPT'"
run chorus-run . '/bash echo asked'
expect_status 10
run chorus-tasks pending .
expect_match "$out" 'echo asked'
run chorus-tasks status .
expect_match "$out" 'p'
run chorus-tasks status . --json
expect_json .workspace.directory "$scratch/p"
expect_json .workspace.branch main
run chorus-tasks cancel .
expect_status 0
run chorus-context log .
expect_status 0
expect_match "$out" 'echo asked'
run chorus-context search asked -A .
expect_match "$out" 'p'
run chorus-context save . s --no-summary
expect_status 0
run chorus-context idle-save .
expect_status 0
run chorus-config get model -A .
expect_equal "$out" builtin/script
run chorus-config trust . --show
expect_status 0
run chorus-tasks run . -- sh -c 'pwd; echo out >made'
expect_status 0
run chorus-tasks wait . task_001
expect_status 0
expect_file "$scratch/p/made" out
run chorus-destroy . --yes
expect_status 0
expect_file "$scratch/p/file" hello
expect_equal "$(agents)" ''
run chorus-context log .
expect_status 4

test_case "where there is none, and where nobody is asked to make one"
repository p
cd "$scratch/p" || exit 1
init other --model builtin/script
for words in 'chorus-context log .' 'chorus-tasks status .' 'chorus-run . --resume' 'chorus-run . --dry-run hello' 'chorus-destroy .' 'chorus-config get model -A .'; do
    run $words
    expect_status 4
    expect_match "$err" "error: '\\.': no agent works in $scratch/p"
    expect_match "$err" "hint: create one with chorus-init --here"
done
run chorus-run . ''
expect_status 2
run chorus-init .
expect_status 2
expect_equal "$(agents)" other

test_case "not /, the home directory, Chorus's own, a git directory, nor one that others can write"
refused() { # DIRECTORY REASON
    cd "$1" || exit 1
    for words in 'chorus-run . hello' 'chorus-init --here' 'chorus-context log .'; do
        run $words
        expect_status 2
        expect_match "$err" "$2"
    done
}
init other --model builtin/script
repository p
refused / 'not a place to work in'
refused "$HOME" 'not a place to work in'
refused "$CHORUS_HOME" 'not a place to work in'
refused "$CHORUS_HOME/agents/other/workspace" 'not a place to work in'
refused "$scratch" 'not a place to work in'
refused "$scratch/p/.git" 'git directory'
mkdir -m 777 "$scratch/shared"
refused "$scratch/shared" 'writable by other users'
chmod g+w "$scratch/p"
refused "$scratch/p/src" 'writable by other users'
expect_match "$err" "hint: chmod go-w $scratch/p"
expect_equal "$(agents)" other
git -C "$HOME" init -q
mkdir -p "$HOME/project"
cd "$HOME/project" || exit 1
run chorus-run . hello
expect_match "$err" 'agent project made for '"$HOME/project"
rm -rf "$HOME/.git" "$HOME/project"

test_case "ten at once make one"
repository p
cd "$scratch/p" || exit 1
for i in 1 2 3 4 5 6 7 8 9 10; do
    chorus-run . --new-thread "hello $i" >"$scratch/out.$i" 2>"$scratch/err.$i" </dev/null &
    pids[$i]=$!
done
for i in 1 2 3 4 5 6 7 8 9 10; do
    wait "${pids[$i]}" || fail "number $i ended with $?: $(cat "$scratch/err.$i")"
done
expect_equal "$(agents)" p
expect_db 'SELECT count(*) FROM agents' 1
expect_equal "$(cat "$scratch"/err.* | grep -c 'made for')" 1
expect_db 'SELECT count(*) FROM turns' 10

test_case "--here in words: a name, taken ones, --exist-ok, and a directory that was moved"
repository p
cd "$scratch/p" || exit 1
run chorus-init --here helper --model builtin/script --json
expect_status 0
expect_json .works_in "$scratch/p"
run chorus-init --here
expect_status 5
expect_match "$err" "agent 'helper' works there"
run chorus-init --here other
expect_status 5
run chorus-init --here --exist-ok
expect_status 0
expect_match "$out" 'helper exists already'
mv "$scratch/p" "$scratch/q"
cd "$scratch/q" || exit 1
run chorus-run helper hello
expect_status 2
expect_match "$err" "the directory of the agent: .*/p': not a directory"
expect_match "$err" 'hint: .*chorus-init --here NAME --exist-ok'
run env CHORUS_AGENT=x chorus-init --here helper --exist-ok
expect_status 6
run chorus-init --here helper --exist-ok
expect_status 0
expect_match "$out" "Works in: $scratch/q \\(before: $scratch/p\\)"
expect_db "SELECT detail FROM audit_log WHERE action_string = 'agent:place:$scratch/q'" "before: $scratch/p"
run chorus-run . '/view file'
expect_match "$out" hello
expect_equal "$(agents)" helper
mkdir "$scratch/r" && cd "$scratch/r" || exit 1
run chorus-init --here helper --exist-ok
expect_status 0
expect_match "$err" "not changed: --here \\(it works in $scratch/q\\)"

test_case "an agent with a workspace of its own keeps it; a command of an agent makes none"
init own --model builtin/script
repository p
cd "$scratch/p" || exit 1
run chorus-init --here own --exist-ok
expect_status 0
expect_match "$err" 'not changed: --here \(it works in its own workspace\)'
run env CHORUS_AGENT=x chorus-run . hello
expect_status 6
run env CHORUS_AGENT=x chorus-init minion --permissions open
expect_status 6
expect_equal "$(agents)" own

test_case "what the first turn would be refused for makes no agent; -m is the model of the new one"
mkdir "$scratch/e" && cd "$scratch/e" || exit 1
for words in '--permissions nope hi' '-m nosuch/m hi' '-C /nonexistent hi'; do
    run chorus-run . $words
    [ "$status" != 0 ] || fail "$words: exit 0"
done
run env CHORUS_HOME="$PWD/.ch" chorus-run . hi
expect_status 2
expect_missing .ch
[ ! -e "$CHORUS_HOME/chorus.db" ] || expect_equal "$(agents)" ''
run env -u CHORUS_MODEL chorus-run . -m builtin/script hi
expect_status 0
expect_equal "$(agents)" e

test_case "killed while it is made, the next start makes it"
for k in 1 2 3 4 5; do
    mkdir "$scratch/k$k" && cd "$scratch/k$k" || exit 1
    { strace -qq -o /dev/null -f -e trace=fdatasync -e inject=fdatasync:signal=KILL:when=$k chorus-run . first >/dev/null 2>&1 </dev/null; } 2>/dev/null
    run chorus-run . again
    expect_status 0
    expect_match "$(agents)" "k$k"
done

test_case "others who can write it now are noticed by its name too"
repository p
cd "$scratch/p" || exit 1
run chorus-run . hello
chmod o+w "$scratch/p"
run chorus-run p hello
expect_status 2
expect_match "$err" 'writable by other users'

test_case "destroyed with its files kept, it comes back where it worked"
repository p
cd "$scratch/p" || exit 1
run chorus-run . first
run chorus-destroy . --yes --keep-files
expect_status 0
run chorus-run . second
expect_status 0
expect_equal "$(agents)" p
expect_match "$err" 'agent p adopted for'
expect_match "$(chorus-context messages .)" first
mkdir -p "$scratch/elsewhere/p" && cd "$scratch/p" || exit 1
run chorus-destroy . --yes --keep-files
cd "$scratch/elsewhere/p" || exit 1
run chorus-run . third
expect_match "$err" 'agent p-2 made'

end_tests
