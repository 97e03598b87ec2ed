#!/usr/bin/env bash
# An approval is for the workspace as it was when it was given: whatever a command would run, read or
# find there, by whatever words, a change of it asks again, and nothing is run before.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

work() { printf '%s/agents/a/workspace' "$CHORUS_HOME"; }
expect_one_error_of() { # PROGRAM REGEX, of stderr
    expect_match "$err" "^$1: error: .*$2"
}
calls() { # ID COMMAND …: one answer with several calls of bash
    local list='[]'
    while [ $# -gt 0 ]; do
        list=$(jq -c --arg id "$1" --arg command "$2" '. + [{id: $id, name: "bash", arguments: {command: $command}}]' <<<"$list")
        shift 2
    done
    jq -nc --argjson calls "$list" '{say: {tool_calls: $calls}}'
}
ran() { [ -e "$base/ran" ] && tr '\n' ' ' <"$base/ran"; }
ask() { # COMMAND …: a turn that waits with them; its prompts in $ids
    local list=() i=0
    for command in "$@"; do list+=("c$((i += 1))" "$command"); done
    start_server "$(answers "$(calls "${list[@]}")" "$(say Done.)")"
    run chorus-run a go --json
    expect_status 10
    mapfile -t ids < <(jq -r '.pending[].id' <<<"$out")
}
fresh() {
    init a --model anthropic/m
    home_key sandbox '"off"'
    rm -f "$base/ran"
    cd "$(work)" || exit 1
}
good="echo good >>$base/ran" evil="echo evil >>$base/ran"
script() { printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod +x "$1"; } # FILE LINE
fingerprints() { db 'SELECT count(*) FROM fingerprints'; }

# form COMMAND NAMED BEFORE AFTER: BEFORE makes the workspace, AFTER changes it once COMMAND is approved;
# NAMED is what the new question says of it.
form() {
    test_case "swapped after the approval: $1: $4"
    fresh
    eval "$3"
    sleep 0.05
    ask "$1"
    run chorus-tasks approve "${ids[0]}"
    expect_status 0
    expect_no_match "$err" 'since it was asked'
    eval "$4"
    run chorus-run a --resume --json
    expect_status 10
    expect_json '.pending[0].text' "asked again: changed: $2"
    expect_equal "$(ran)" ''
    expect_db "SELECT count(*) FROM fingerprints f JOIN prompts p ON p.files = f.hash WHERE p.state = 'pending'" 1
    expect_equal "$(fingerprints)" 1
    run chorus-run a --deny all
    expect_status 0
    expect_equal "$(ran)" ''
    expect_equal "$(fingerprints)" 0
    expect_sound
}

swap='script x.sh "$evil"'
make_good='script x.sh "$good"'
form 'sh x.sh' x.sh "$make_good" "$swap"
form './x.sh' x.sh "$make_good" "$swap"
form '. ./x.sh' x.sh "$make_good" "$swap"
form 'source x.sh' x.sh "$make_good" "$swap"
form 'sh *.sh' x.sh "$make_good" "$swap"
form 'sh ?.s[h]' x.sh "$make_good" "$swap"
form 'sh *.sh' '0.sh (new)' "$make_good" 'script 0.sh "$evil"'
form 'f=x; sh $f.sh' x.sh "$make_good" "$swap"
form 'cat x.sh | sh' x.sh "$make_good" "$swap"
form 'find . -name "*.sh" -exec sh {} \;' x.sh "$make_good" "$swap"
form 'ls | xargs -n 1 sh' x.sh "$make_good" "$swap"
form 'env A=1 sh x.sh' x.sh "$make_good" "$swap"
form 'timeout 9 bash -c "sh ./x*"' x.sh "$make_good" "$swap"
form 'bash -c "$(printf "s%s x.%s" h sh)"' x.sh "$make_good" "$swap"
form 'cd sub && sh x.sh' sub/x.sh 'mkdir sub && script sub/x.sh "$good"' 'script sub/x.sh "$evil"'
form 'sh sub/../x.sh' x.sh "mkdir sub; $make_good" "$swap"
form 'make' Makefile 'printf "all:\n\t%s\n" "$good" >Makefile' 'printf "all:\n\t%s\n" "$evil" >Makefile'
form 'make' 'GNUmakefile (new)' 'printf "all:\n\t%s\n" "$good" >Makefile' 'printf "all:\n\t%s\n" "$evil" >GNUmakefile'
form 'make' inc.mk 'echo "include inc.mk" >Makefile; printf "all:\n\t%s\n" "$good" >inc.mk' 'printf "all:\n\t%s\n" "$evil" >inc.mk'
form 'npm test' package.json 'jq -n --arg c "$good" "{scripts: {test: \$c}}" >package.json' 'jq -n --arg c "$evil" "{scripts: {test: \$c}}" >package.json'
form 'python3 -m job' job.py "printf 'import os\nos.system(\"%s\")\n' \"\$good\" >job.py" "printf 'import os\nos.system(\"%s\")\n' \"\$evil\" >job.py"
form 'python3 -c "import job"' job/__init__.py "mkdir job; : >job/__init__.py" "printf 'import os\nos.system(\"%s\")\n' \"\$evil\" >job/__init__.py"
form 'PATH=$PWD/bin:$PATH; tool' bin/tool 'mkdir bin; script bin/tool "$good"' 'script bin/tool "$evil"'
form 'PATH=$PWD/bin:$PATH; ls' 'bin/ls (new)' 'mkdir bin; script bin/tool "$good"' 'script bin/ls "$evil"'
form 'git -c core.hooksPath=hooks commit -q --allow-empty -m x' hooks/pre-commit \
    'mkdir hooks; script hooks/pre-commit "$good"' 'script hooks/pre-commit "$evil"'
form 'git commit -q --allow-empty -m x' '.git/hooks/pre-commit (new)' ':' 'mkdir -p .git/hooks; script .git/hooks/pre-commit "$evil"'
form 'git status' .git/config ':' 'git config core.fsmonitor "$evil"'
form 'make' .git/rules.mk 'echo "include .git/rules.mk" >Makefile; printf "all:\n\t%s\n" "$good" >.git/rules.mk' 'printf "all:\n\t%s\n" "$evil" >.git/rules.mk'
form 'sh x.sh' .git/x.sh 'script .git/x.sh "$good"; ln -s .git/x.sh x.sh' 'script .git/x.sh "$evil"'
form 'sh sub/.git/index' sub/.git/index 'mkdir -p sub/.git; script sub/.git/index "$good"' 'script sub/.git/index "$evil"'
form 'sh link' link 'script x.sh "$good"; script y.sh "$evil"; ln -s x.sh link' 'ln -sfn y.sh link'
form 'cd link && sh x.sh' link 'mkdir p q; script p/x.sh "$good"; script q/x.sh "$evil"; ln -s p link' 'ln -sfn q link'
form 'sh x.sh' x.sh "$make_good" 'touch -r x.sh t; sed -i s/good/evil/ x.sh; touch -r t x.sh; rm t'
form 'sh x.sh' 'x.sh, y.sh (gone)' "$make_good; script y.sh \"\$evil\"" 'mv y.sh x.sh'
form 'sh p/x.sh' 'p, p/x.sh, q (gone), q/x.sh (gone)' 'mkdir p q; script p/x.sh "$good"; script q/x.sh "$evil"' 'rm -r p; mv q p'
form './x.sh || sh y.sh' x.sh "$make_good; script y.sh \"\$evil\"" 'chmod -x x.sh'
form 'sh hard' 'hard, x.sh' "$make_good; ln x.sh hard" 'sed -i s/good/evil/ x.sh; ln -f x.sh hard'
form 'sh ignored/x.sh' ignored/x.sh 'echo ignored >.gitignore; mkdir ignored; script ignored/x.sh "$good"' 'script ignored/x.sh "$evil"'
form 'sh .hidden' .hidden 'script .hidden "$good"' 'script .hidden "$evil"'
form 'sh "$(printf "a\nb")"' 'a\nb' 'script $'"'a\nb'"' "$good"' 'script $'"'a\nb'"' "$evil"'
form 'sh 9' '0 (new), 1 (new), 2 (new), 3 (new), 4 (new), 5 (new), 6 (new), 7 (new) and 2 more' 'script 9 "$good"' 'for i in {0..8}; do echo $i >$i; done; script 9 "$evil"'

test_case "nothing has changed: it runs, once, and nothing is kept; git's own work is no change"
fresh
script x.sh "$good"
ask 'sh x.sh'
run chorus-tasks approve "${ids[0]}"
expect_status 0
expect_equal "$(fingerprints)" 1
cat x.sh >/dev/null
git add x.sh && git -c user.name=n -c user.email=e@x commit -qm x
run chorus-run a --resume
expect_status 0
expect_equal "$(ran)" 'good '
expect_equal "$(fingerprints)" 0
expect_sound

test_case "what changed between the question and the answer is shown to whoever answers, and the answer holds"
fresh
script x.sh "$evil"
ask 'sh x.sh'
run chorus-tasks pending
expect_no_match "$out" 'since it was asked'
script x.sh "$good"
: >new
run chorus-tasks pending
expect_match "$out" $'^[a-z0-9]*\ta\t[^\t]*\ttool:bash:sh x.sh\tsince it was asked: changed: new \\(new\\), x.sh$'
run chorus-tasks pending --json
expect_json .changed 'changed: new (new), x.sh'
run chorus-tasks approve "${ids[0]}"
expect_status 0
expect_match "$err" "notice: prompt ${ids[0]}: since it was asked: changed: new \(new\), x.sh"
run chorus-run a --resume
expect_status 0
expect_equal "$(ran)" 'good '
expect_sound
rm -rf "$CHORUS_HOME"
fresh
ask 'sh x.sh'
script x.sh "$good"
run chorus-run a --approve all
expect_status 0
expect_match "$err" 'since it was asked: changed: x.sh \(new\)'
expect_equal "$(ran)" 'good '
expect_sound

test_case "--even-if-changed: by a person's word, which the audit log keeps"
for way in tasks run; do
    rm -rf "$CHORUS_HOME"
    fresh
    script x.sh "$evil"
    ask "sleep 1; sh x.sh" 'sh x.sh'
    if [ $way = tasks ]; then
        for id in "${ids[@]}"; do run chorus-tasks approve "$id" --even-if-changed; done
        expect_equal "$(fingerprints)" 0
        script x.sh "$good; date +%N >other"
        run chorus-run a --resume
    else
        script x.sh "$good; date +%N >other"
        run chorus-run a --approve all --even-if-changed
    fi
    expect_status 0
    expect_equal "$(ran)" 'good good '
    expect_db "SELECT count(*) FROM audit_log WHERE detail LIKE 'approved prompt % even if files change'" 2
    expect_equal "$(fingerprints)" 0
    expect_sound
done
run chorus-run a --deny all --even-if-changed
expect_status 2

test_case "calls of one answer: what an earlier one changes asks again about the later one, what it leaves does not"
fresh
script x.sh "$good"
ask 'cat x.sh' "echo '$evil' >x.sh" 'sh x.sh'
run chorus-run a --approve all --json
expect_status 10
expect_json '[.pending[].text] | join(" ")' 'asked again: changed: x.sh'
expect_equal "$(db "SELECT group_concat(tool_call_id) FROM tool_runs WHERE outcome = 'ok'")" c1,c2
expect_equal "$(ran)" ''
run chorus-run a --approve all
expect_status 0
expect_equal "$(ran)" 'evil '
expect_sound

test_case "a write is bound to its own file alone"
fresh
agent_key a permissions '{"ask": ["tool:.*"]}'
echo one >a.txt
start_server "$(answers "$(call w str_replace '{"path": "a.txt", "old_str": "one", "new_str": "two"}')" "$(say Done.)")"
run chorus-run a go
expect_status 10
echo x >b.txt
run chorus-tasks approve "$(db 'SELECT id FROM prompts')"
expect_no_match "$err" 'since it was asked'
echo y >b.txt
echo 'one more' >a.txt
run chorus-run a --resume --json
expect_status 10
expect_json '.pending[0].text' 'asked again: changed: a.txt'
echo z >b.txt
run chorus-run a --approve all
expect_status 0
expect_file a.txt 'two more'
expect_sound

test_case "an agent that is destroyed leaves no state behind"
fresh
ask 'sh x.sh' 'sh y.sh'
run chorus-tasks approve "${ids[0]}"
expect_equal "$(fingerprints)" 1
cd "$scratch" || exit 1
run chorus-destroy a --yes
expect_status 0
expect_equal "$(fingerprints)" 0

test_case "200,000 entries and more: only the process that runs it answers"
fresh
mkdir many
(cd many && seq 200001 | xargs touch)
script x.sh "$good"
ask 'sh x.sh'
expect_equal "$(fingerprints)" 0
run chorus-tasks approve "${ids[0]}"
expect_status 2
expect_match "$err" 'chorus-tasks: error: .*too many files'
expect_match "$err" "hint: .*chorus-run a --approve ${ids[0]}"
run chorus-run a --approve all
expect_status 0
expect_equal "$(ran)" 'good '
rm -f "$base/ran"
ask 'sh x.sh'
run chorus-tasks approve "${ids[0]}" --even-if-changed
expect_status 0
run chorus-run a --resume
expect_status 0
expect_equal "$(ran)" 'good '
expect_sound

test_case "a decision whose turn another process gives up meanwhile is no success"
init a --model builtin/script
withdrawn=0
for ((n = 1; n <= 60 && withdrawn < 2; n++)); do
    run chorus-run a "/bash echo $n >>ran" --json
    id=$(jq -r '.pending[0].id' <<<"$out")
    chorus-run a --approve "$id" >approve.out 2>approve.err </dev/null & approving=$!
    chorus-run a --cancel-prompts other >/dev/null 2>&1 </dev/null
    wait $approving
    status=$?
    case $status in
        0) grep -qx $n "$(work)/ran" || fail "exit 0, and call $n did not run" ;;
        4)
            ! grep -qx $n "$(work)/ran" 2>/dev/null || fail "exit 4, and call $n ran"
            grep -q "error: .*given up its turn" approve.err && withdrawn=$((withdrawn + 1))
            ;;
        *) fail "exit $status: $(cat approve.err)" ;;
    esac
done
expect_equal "$withdrawn" 2
expect_sound

end_tests
