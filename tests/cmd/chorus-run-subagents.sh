#!/usr/bin/env bash
# Sub-agents: --spawn and --subagent, what they are made of, and what they may do.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/subagents.sh"
. "$(dirname "$0")/../support/terminal.sh"

test_case "--spawn creates a sub-agent under the current branch and runs it" # P-13 P-14 P-19 P-20 P-22 P-88 P-64 P-71 P-61 X-20 P-21
parent
preset helper 'description: helps  # a comment'
before=$(date -u +%Y%m%d%H%M%S)
spawn helper 'Find the module: parse.c!'
expect_status 0
expect_match "$out" 'Find the module'
expect_match "$child" '^helper-[0-9]{14}-find-the-module-parse-c$'
stamp=${child#helper-}
[ "${stamp%%-*}" -ge "$before" ] || fail "$child is older than $before"
expect_match "$err" "^chorus-run: notice: sub-agent $child$"
expect_equal "$dir" "$CHORUS_HOME/agents/a/branches/main/agents/$child"
expect_equal "$(cd "$dir" && echo [a-z]*.*)" 'preset.md scope-plan.yml session.md tools.org'
expect_missing "$dir/current" # one timeline
expect_missing "$dir/branches"
expect_missing "$dir/current"
expect_match "$(cat "$dir/scope-plan.yml")" "^version: \"3.0\"
session_id: \"$child\"
created: \"20[0-9-]+T[0-9:.]+Z\"
updated: \"20[0-9-]+T[0-9:.]+Z\"
type: \"agent\"
parent_session_id: \"a\"
preset: \"helper\"$"
expect_match "$(cat "$dir/session.md")" "^# $child
"
expect_match "$(cat "$dir/session.md")" 'Find the module: parse.c!'
expect_db "SELECT count(*) FROM messages WHERE agent_id = 1" 0
expect_sound

test_case "preset.md is the preset with the paths in its front matter, once" # P-16 P-17 P-69
parent
preset helper 'description: helps  # a comment'
spawn helper hello --allow-path 'src/**' --allow-path 'lib' --deny-path '**/*.pem'
expect_status 0
expect_file "$dir/preset.md" '---
model: builtin/script
description: helps  # a comment
paths:
  read:
    - "src/**"
    - "lib"
  write:
    - "/tmp/**"
  deny:
    - "**/.git/**"
    - "**/runtime/**"
    - "**/.env"
    - "**/node_modules/**"
    - "**/*.pem"
---
You are helper.'
spawn helper hello
expect_match "$(cat "$dir/preset.md")" 'read:
    - "\*\*"
'
expect_equal "$(grep -c '^---$' "$dir/preset.md")" 2

test_case "the same second: ids differ" # P-65
parent
preset helper
for i in 1 2 3 4; do chorus-run a --spawn helper -p same >/dev/null 2>&1 & pids[i]=$!; done
for i in 1 2 3 4; do wait "${pids[i]}" || fail "spawn $i failed"; done
expect_db "SELECT count(*), count(DISTINCT name), count(DISTINCT dir) FROM agents WHERE kind = 'child' AND status = 'active'" '4|4|4'
expect_sound

test_case "what is wrong with a preset is said before anything is made" # P-56 P-57
parent
mkdir -p "$CHORUS_HOME/presets"
refused() { # TEXT STATUS REGEX
    printf '%s' "$1" >"$CHORUS_HOME/presets/p.md"
    run chorus-run a --spawn p hello
    expect_status "$2"
    expect_match "$err" "$3"
    expect_equal "$(grep -c '^chorus-run: error: ' <<<"$err")" 1
    nothing_made
}
refused $'---\nmodel: [\n---\n' 3 "Failed to load preset from $CHORUS_HOME/presets/p.md: line 3: "
refused $'---\nmodel: a\nmodel: b\n---\n' 3 'line 3: model: given twice'
refused $'---\nmodel: builtin/script\ntools: [view, foo, bash, bar]\n---\n' 3 'line 3: tools: there is no foo, no bar
chorus-run: hint: there are append_file, '
refused $'---\nmodel: builtin/script\npaths: 3\n---\n' 3 'line 3: paths: must be a mapping'
refused $'---\nmodel: builtin/script\npermissions: wide\n---\n' 3 "permissions: no profile 'wide'"
refused $'---\nmodel: nobody/m\n---\n' 7 'nobody'
refused $'---\nmodel: builtin/script\npaths:\n  deny: ["../x"]\n---\n' 3 "line 4: paths.deny: '../x' leads upwards"
refused $'---\n- a\n---\n' 3 'line 2: the front matter must be a mapping'
refused $'---\nmodel: builtin/script\n' 3 "no line '---' ends the front matter"
printf -- '---\nmodel: builtin/script\npaths:\n  read: [src]\n---\n' >"$CHORUS_HOME/presets/p.md"
run chorus-run a --spawn nobody hello
expect_status 2
expect_match "$err" "error: preset 'nobody': no such preset
chorus-run: hint: there are .*'explorer'"
run chorus-run a --spawn ../presets/p hello
expect_status 2
for glob in '../x' 'src/../x' '/etc/**' '{a,b}'; do
    run chorus-run a --spawn p --deny-path "$glob" hello
    expect_status 2
    expect_match "$err" 'error: denied paths: '
done
run chorus-run a --spawn explorer -m builtin/script --permissions nosuch hello
expect_status 3
rm "$CHORUS_HOME/presets/p.md" && mkfifo "$CHORUS_HOME/presets/p.md"
run chorus-run a --spawn p hello
expect_status 3
expect_match "$err" 'p.md: it cannot be read as a regular file of at most 1 MiB'
rm "$CHORUS_HOME/presets/p.md"
printf -- '---\nmodel: builtin/script\npaths:\n  read: [src]\n---\n' >"$CHORUS_HOME/presets/p.md"
run chorus-run a --spawn p --allow-path lib hello
expect_status 2
expect_match "$err" "preset 'p': it sets paths.read itself"
run chorus-run none --spawn p hello
expect_status 4
run chorus-run --spawn p
expect_status 2
nothing_made

test_case "nothing is inherited: a parent whose every setting differs" # P-23 P-28 P-29 P-63 P-85 P-87
parent --system-prompt 'PARENT-WORDS' --description parent-description
start_server "$(answers "$(say answered)")"
preset helper 'model: anthropic/from-preset
temperature: 0.25
max_tokens: 321
tools: [view, list_files]'
sed -i 2d "$CHORUS_HOME/presets/helper.md"
agent_key a temperature 0.9
agent_key a max_tokens 99
agent_key a max_iterations 3
mkdir -p "$CHORUS_HOME/agents/a/docs"
echo PARENT-DOCUMENT >"$CHORUS_HOME/agents/a/docs/d.md"
run chorus-run a 'parent prompt' -m builtin/script
spawn helper 'child prompt'
expect_status 0
expect_equal "$out" answered
expect_equal "$(jq -c '[.model, .temperature, .max_tokens]' "$(request 1)")" '["from-preset",0.25,321]'
expect_equal "$(jq -c '[.tools[].name] | sort' "$(request 1)")" '["list_files","view"]'
expect_match "$(cat "$(request 1)")" 'You are helper'
expect_no_match "$(cat "$(request 1)")" 'PARENT-WORDS|PARENT-DOCUMENT|parent prompt|parent-description'

test_case "only the preset's tools are there; a call of another is refused" # P-27
parent
preset helper 'tools: [view, git_log]'
spawn helper $'/view src/a\n/list_files .\n/git_commit {"message": "x"}\n/git_log'
expect_status 0
expect_match "$out" 'text of src/a'
expect_match "$out" 'list_files.*denied: Profile: tools of preset.md: no pattern matches'
expect_equal "$(git -C "$work" log --oneline 2>/dev/null | wc -l)" "$(git -C "$work" log --oneline 2>/dev/null | grep -vc ' x$')"

test_case "file tools keep to the paths" # P-10 P-11 P-68 P-72
parent
preset helper
reads=$'/view src/.env\n/view src/a\n/view lib/c\n/view src/gen/b\n/view src/to-lib\n/view src/../top\n/search_files {"pattern": "text of"}\n/list_files .'
spawn helper "$reads" --allow-path 'src/**'
expect_status 0
expect_match "$out" 'text of src/a'
expect_match "$out" 'text of src/gen/b'
expect_no_match "$out" 'text of (lib/c|top|src/.env|.env)'
expect_match "$out" 'lib/c: not in paths.read: src/\*\*'
expect_match "$out" 'src/.env: denied by paths.deny: \*\*/.env'
expect_no_match "$out" 'top$'
spawn helper "$reads" --deny-path 'src/gen'
expect_match "$out" 'text of lib/c'
expect_no_match "$out" 'text of (src/gen/b|src/.env|.env)'
writes=$'/create_file {"path": "src/new", "content": "x"}\n/str_replace {"path": "lib/c", "old_str": "text", "new_str": "changed"}\n/append_file {"path": "top", "content": "x"}'
spawn helper "$writes"
expect_match "$out" 'not in paths.write: /tmp/\*\*'
expect_missing "$work/src/new"
expect_file "$work/lib/c" 'text of lib/c'
expect_file "$work/top" 'text of top'
preset writer 'paths:
  write: ["lib/**", "src/new"]'
spawn writer "$writes"
expect_file "$work/src/new" x
expect_file "$work/lib/c" 'changed of lib/c'
expect_file "$work/top" 'text of top'
spawn writer $'/create_file {"path": "lib/.env", "content": "x"}\n/create_file {"path": "lib/.git/config", "content": "x"}'
expect_missing "$work/lib/.env"
expect_missing "$work/lib/.git"

test_case "tools.org logs its calls"
parent
preset helper
spawn helper $'/view src/a\n/view none'
expect_match "$(cat "$dir/tools.org")" '^\* \[20[0-9-]+T[0-9:.]+Z\] view
  - call :: script_[0-9_]+
  - arguments :: \{"path":"src/a"\}
'
expect_match "$(cat "$dir/tools.org")" 'result
  - call :: script_[0-9_]+
  - outcome :: done, [0-9]+ bytes
'
expect_match "$(cat "$dir/tools.org")" 'outcome :: error, '

test_case "commands keep to the paths" # P-68
parent
preset helper
show='/bash cat src/a src/gen/b src/.env lib/c .env top 2>/dev/null; echo x >src/w; echo x >lib/w; echo x >/tmp/w && cat /tmp/w'
spawn helper "$show" --allow-path src
expect_status 0
expect_match "$out" 'text of src/a'
expect_no_match "$out" 'text of (lib/c|top|src/.env|.env)'
expect_missing "$work/src/w"
spawn helper "$show" --deny-path 'src/gen/**'
expect_match "$out" 'text of lib/c'
expect_no_match "$out" 'text of (src/gen/b|src/.env|.env)'
expect_missing "$work/lib/w"
preset writer 'paths:
  write: [lib]'
spawn writer "$show"
expect_missing "$work/src/w"
expect_file "$work/lib/w" x
spawn helper "$show" --allow-path 'src/*.c'
expect_status 0
expect_match "$out" "commands cannot be held to the agent's paths: paths.read: src/\*.c is neither a directory nor DIRECTORY/\*\*"
expect_no_match "$out" 'text of'

test_case "git's tools show no more than the paths, and change nothing beside them"
parent
git -C "$work" add -f lib/c src/a && git -C "$work" -c user.name=n -c user.email=e@x commit -qm 'secret words'
preset helper
spawn helper $'/git_log\n/git_commit {"message": "by a sub-agent"}'
expect_match "$out" 'secret words'
spawn helper $'/git_log\n/bash git log; ls .git' --allow-path lib
expect_no_match "$out" 'secret words|objects'
spawn helper $'/git_log\n/bash git log; ls .git' --deny-path src/a
expect_no_match "$out" 'secret words|objects'
expect_equal "$(git -C "$work" log --format=%s | grep -c 'by a sub-agent')" 0

test_case "git's other tools, and those that edit an agent, are not there"
parent
start_server "$(answers "$(say hi)")"
preset helper
sed -i 's/^model: .*/model: anthropic\/m/' "$CHORUS_HOME/presets/helper.md"
for profile in open standard sandboxed; do
    agent_key a permissions "\"$profile\""
    spawn helper hello
    expect_status 0
done
for n in 1 2 3; do expect_equal "$(jq -r '[.tools[].name | select(startswith("git_") or startswith("self_edit"))] | join(" ")' "$(request $n)")" git_log; done

test_case "a preset.md that has lost its paths is an error, not no limits"
parent
preset helper
spawn helper hello
for text in '' $'---\nmodel: builtin/script\n---\n' $'---\nmodel: builtin/script\npaths:\n  read: ["**"]\n---\n'; do
    printf '%s' "$text" >"$dir/preset.md"
    run chorus-run "$child" '/bash cat .env; touch made'
    expect_status 3
    expect_match "$err" 'Failed to load preset from .*/preset.md: '
    expect_missing "$work/made"
done
printf -- '---\nmodel: builtin/script\npaths:\n  read: ["**"]\n  write: []\n---\n' >"$dir/preset.md"
run chorus-run "$child" '/bash cat .env; touch made'
expect_no_match "$out" 'text of'
expect_missing "$work/made"

test_case "a sub-agent has no more rights than its parent, now and later"
parent
preset helper 'permissions: open'
agent_key a permissions '"locked"'
spawn helper '/bash echo ran' --on-ask deny
expect_no_match "$out" '^ran'
agent_key a permissions '"open"'
run chorus-run a --subagent "$child" '/bash echo ran'
expect_match "$out" 'ran'
agent_key a permissions '"locked"'
run chorus-run a --subagent "$child" '/bash echo again' --permissions open
expect_no_match "$out" '^again'

test_case "confirm-tool-calls asks for what is allowed"
parent
agent_key a permissions '"open"'
preset helper 'confirm-tool-calls: true'
spawn helper '/view src/a' --on-ask fail
expect_status 11
preset helper 'confirm-tool-calls: auto'
spawn helper '/view src/a' --on-ask fail
expect_status 0

test_case "--subagent goes on, by id and by path; so does the id as a name" # P-52 P-96
parent
preset helper
spawn helper first
for how in "a --subagent $child" "a --subagent $dir/session.md" "a --subagent $dir/" "$child"; do
    run chorus-run $how again
    expect_status 0
    expect_equal "$out" "$(run chorus-run $child again >/dev/null; echo "$out")"
done
expect_equal "$(children)" 1
expect_equal "$(db "SELECT count(*) FROM turns WHERE agent_id = (SELECT id FROM agents WHERE name = '$child')")" 9
expect_match "$(cat "$dir/session.md")" again
run chorus-run a --subagent nobody again
expect_status 4
expect_match "$err" "sub-agent 'nobody': agent 'a' has none of that id
chorus-run: hint: there are '$child'"
run chorus-run a --subagent "$CHORUS_HOME/agents/a" again
expect_status 4
run chorus-run a --subagent "$child" --new-thread again
expect_status 2
run chorus-run "$child" --new-thread again
expect_status 2
run chorus-context log "$child"
expect_status 0
expect_match "$out" again
run chorus-context branch "$child" other
expect_status 2
expect_match "$err" 'a sub-agent cannot be branched'
for verb in "switch $child main" "branches $child"; do
    run chorus-context $verb
    [ "$status" = 2 ] || [ "$verb" = "branches $child" ] || fail "$verb: exit $status"
done
expect_equal "$(cd "$dir" && echo [a-z]*.*)" 'preset.md scope-plan.yml session.md tools.org'
expect_missing "$dir/current"

test_case "no agent takes the id of a sub-agent"
parent
preset helper
spawn helper hello
for words in '' --exist-ok; do
    run chorus-init "$child" --model builtin/script $words
    expect_status 5
done
run chorus-run "$child" again
expect_status 0
expect_missing "$CHORUS_HOME/agents/$child"

test_case "a spawned turn does not store the workspace again: the turn above has"
parent
agent_key a permissions '"open"'
preset helper $'paths:\n  write: ["**"]'
for number in {1..50}; do echo $number >"$work/file-$number"; done
run chorus-run a "/spawn_agent $(jq -nc '{preset: "helper", description: "d", prompt: "/bash echo changed >file-7; rm file-8"}')"
expect_status 0
child=$(of_child name)
expect_file "$work/file-7" changed
expect_missing "$(of_child dir)/.checkpoints/contents"
first=$(db "SELECT min(messages.id) FROM messages JOIN agents ON agents.id = agent_id WHERE agents.name = '$child'")
run chorus-context rewind "$child" --workspace --to "$first"
expect_match "$err" 'there is no checkpoint of the workspace: a turn above it has one'
[ "$status" != 0 ] || fail 'it was rewound'
run chorus-run "$child" '/bash echo again >file-7'
expect_status 0
run chorus-context rewind "$child" --workspace --to "$(db "SELECT max(messages.id) FROM messages JOIN agents ON agents.id = agent_id WHERE agents.name = '$child' AND role = 'user'")"
expect_status 0
expect_file "$work/file-7" changed
run chorus-context rewind a --workspace --to 1 --force
expect_status 0
expect_file "$work/file-7" 7
expect_file "$work/file-8" 8
# a copy of it was spawned by no call
run chorus-context branch a other
run chorus-context switch a other
run chorus-run "$child" '/bash echo copy >file-7'
expect_status 0
expect_db "SELECT checkpoints.problem FROM checkpoints JOIN agents ON agents.id = agent_id WHERE dir LIKE '%other/agents/%'" ''
expect_db 'SELECT count(*) FROM agents WHERE parent_turn IS NOT NULL' 1

test_case "a killed spawn leaves nothing, or all of it"
parent
preset helper
killed=0
for call in mkdir rename renameat2 fsync fdatasync linkat pwrite64; do
    for when in 1 2 3 5 8; do
        strace -f -qq -o /dev/null -e trace="$call" -e "inject=$call:signal=KILL:when=$when" \
            chorus-run a --spawn helper -p hello >/dev/null 2>&1 </dev/null
        [ $? = 137 ] && killed=$((killed + 1))
        run chorus-run a --spawn helper -p after
        expect_status 0
        expect_equal "$(db "SELECT count(*) FROM agents WHERE kind = 'child' AND status <> 'active'")" 0
        while read -r row; do [ -f "$CHORUS_HOME/$row/session.md" ] || fail "$row has no session.md"; done \
            < <(db "SELECT dir FROM agents WHERE kind = 'child' AND status = 'active'")
    done
done
[ "$killed" -gt 8 ] || fail "killed only $killed times"
run chorus-config doctor --fix
expect_equal "$(find "$CHORUS_HOME/agents" -maxdepth 1 -name '.tmp-*' | wc -l)" 0
expect_equal "$(ls "$CHORUS_HOME/agents/a/branches/main/agents" | wc -l)" "$(children)"

test_case "branch, pack, adopt and destroy carry or remove sub-agents"
parent
preset helper
spawn helper first
run chorus-run a hello
run chorus-context branch a other
expect_status 0
[ -f "$CHORUS_HOME"/agents/a/branches/*-other/agents/"$child"/preset.md ] || fail 'the branch has no copy'
run chorus-run "$child" again
expect_status 0
run chorus-context switch a other
run chorus-run "$child" 'in the other branch'
expect_status 0
expect_match "$(cat "$CHORUS_HOME"/agents/a/branches/*-other/agents/"$child"/session.md)" 'in the other branch'
expect_no_match "$(cat "$dir/session.md")" 'in the other branch'
spawn helper 'of this branch'
expect_match "$(of_child dir)" '^agents/a/branches/[^/]*-other/agents/helper-' # P-15
run chorus-destroy a --yes
expect_status 0
expect_equal "$(children)" 0
expect_missing "$CHORUS_HOME/agents/a"

# --- spawn_agent ---

test_case "spawn_agent: a sub-agent of its own, whose last answer is the result" # P-02 P-04 P-31 P-32
parent_with "$(spawn_call c1 $'/view src/a\nsome words')" "$(say done)"
preset helper
run chorus-run a 'find it'
expect_status 0
expect_equal "$out" done
expect_match "$(of_child name)" '^helper-[0-9]{14}-look-around$'
expect_match "$(results)" 'text of src/a'
expect_match "$(results)" 'some words'
expect_equal "$(of_child parent_call)" c1
expect_db "SELECT group_concat(role, ' ') FROM messages WHERE agent_id = 2" 'user assistant tool_result assistant'
expect_match "$(jq -r '.tools[] | select(.name == "spawn_agent").description' "$(request 1)")" 'Presets: .*explorer.*helper'
expect_sound

test_case "the result has neither what its calls returned nor what it said before them" # P-43 P-44
parent_with "$(spawn_call c1 'look at it')" \
    "$(jq -nc '{say: {text: "I look first.", tool_calls: [{id: "c2", name: "view", arguments: {path: "src/a"}}]}}')" "$(say 'It is there.')" "$(say done)"
preset helper
sed -i 's/^model: .*/model: anthropic\/m/' "$CHORUS_HOME/presets/helper.md"
run chorus-run a go
expect_status 0
expect_equal "$out" done
expect_equal "$(results)" 'It is there.'
expect_db "SELECT count(*) FROM messages WHERE agent_id = 2 AND content LIKE '%text of src/a%'" 1

test_case "spawn_agent is asked by the profile, and runs when it is approved" # P-03 P-12
parent_with "$(spawn_call c1 hello)" "$(say done)"
agent_key a permissions '"standard"'
preset helper
run chorus-run a 'find it'
expect_status 10
expect_match "$err" 'tool:spawn_agent:helper look around'
nothing_made
run chorus-run a --approve all
expect_status 0
expect_equal "$(children)" 1
expect_match "$(results)" hello

test_case "what cannot be spawned is a result, and nothing is made" # P-08 P-09 P-80
for arguments in '{"preset": "nobody", "description": "d", "prompt": "p"}' '{"preset": "helper", "description": "d"}' \
    '{"preset": "helper", "description": "", "prompt": "p"}' '{"preset": "helper", "description": "d", "prompt": " "}' \
    '{"preset": "helper", "description": "d", "prompt": "p", "allowed_paths": "src"}' '{"preset": "helper", "description": "d", "prompt": "p", "allowed_paths": [""]}' \
    '{"preset": "../helper", "description": "d", "prompt": "p"}' "$(jq -nc '{preset: "helper", description: ("x" * 10000), prompt: "p"}')" \
    '{"preset": "broken", "description": "d", "prompt": "p"}'; do
    parent_with "$(call c1 spawn_agent "$arguments")" "$(say done)"
    preset helper
    preset broken 'tools: [nothing]'
    run chorus-run a go
    expect_status 0
    expect_match "$(results)" 'spawn_agent'
    nothing_made
    run chorus-destroy a --yes --purge
    stop_server
done

test_case "PersistentAgent is the same tool" # P-79
parent_with "$(call c1 PersistentAgent '{"preset": "helper", "description": "d", "prompt": "hello"}')" "$(say done)"
preset helper
run chorus-run a go
expect_match "$(results)" hello

test_case "paths: nil is the parent's, [] is everything it has, a list is exactly that" # P-06 P-10 P-18 P-70
parent_with "$(spawn_call c1 $'/view src/a\n/view lib/c' '{"allowed_paths": ["src"]}')" \
    "$(spawn_call c2 $'/view src/a\n/view lib/c' '{"allowed_paths": [], "denied_paths": ["src"]}')" "$(spawn_call c3 $'/view src/a\n/view lib/c')" "$(say done)"
preset helper
run chorus-run a go
expect_equal "$(results | grep -c 'text of src/a')" 2
expect_equal "$(results | grep -c 'text of lib/c')" 2
expect_equal "$(db "SELECT name FROM agents WHERE kind = 'child'" | while read -r id; do sed -n '/read:/{n;p}' "$CHORUS_HOME/agents/a/branches/main/agents/$id/preset.md"; done)" '    - "src"
    - "**"
    - "**"'

test_case "a sub-agent spawns within its own paths, three deep at most" # P-95
parent
preset helper
deep() { # DEPTH: the prompt that spawns to that depth
    local prompt='/view lib/c'$'\n/view src/a' n
    for ((n = 1; n < $1; n++)); do prompt=/spawn_agent\ $(jq -nc --arg prompt "$prompt" '{preset: "helper", description: "deeper", prompt: $prompt}'); done
    printf '%s' "$prompt"
}
agent_key a permissions '"open"'
spawn helper "$(deep 3)" --allow-path src
expect_status 0
expect_match "$out" 'text of src/a'
expect_no_match "$out" 'text of lib/c'
expect_equal "$(children)" 3
expect_match "$(of_child dir)" "^agents/a/branches/main/agents/helper-[^/]*/agents/helper-[^/]*/agents/helper-[^/]*$"
spawn helper "$(deep 4)"
expect_match "$out" 'nested at most 3 deep'
expect_equal "$(children)" 6

test_case "several in one answer run side by side" # P-31
parent_with "$(jq -nc '{say: {tool_calls: [range(4) | {id: "c\(.)", name: "spawn_agent", arguments: {preset: "helper", description: "d\(.)", prompt: "/bash sleep 1; echo slept \(.)"}}]}}')" "$(say done)"
preset helper
start=$(date +%s%N)
run chorus-run a go
took=$((($(date +%s%N) - start) / 1000000))
expect_status 0
[ $took -lt 3800 ] || fail "four of a second took $took ms"
expect_equal "$(results | grep -c '^ *slept [0-3]$')" 4
expect_equal "$(children)" 4
expect_sound

test_case "max_subagents: as many of one answer at once"
noting='/bash echo in >>log; sleep 0.3; echo out >>log'
for most in 1 2; do
    parent_with "$(jq -nc --arg prompt "$noting" '{say: {tool_calls: [range(3) | {id: "c\(.)", name: "spawn_agent", arguments: {preset: "helper", description: "d\(.)", prompt: $prompt}}]}}')" "$(say done)"
    preset helper 'paths:
  write: ["**"]'
    agent_key a max_subagents "$most"
    run chorus-run a go
    expect_status 0
    expect_equal "$(awk -v most=0 '{ n += /in/ ? 1 : -1; if (n > most) most = n } END { print most }' "$work/log")" "$most"
    expect_equal "$(wc -l <"$work/log")" 6
    stop_server
    rm -rf "$CHORUS_HOME" "$scratch/log"
done

test_case "an error of the sub-agent is the result" # P-54 P-56
parent_with "$(spawn_call c1 hello)" "$(say done)"
preset helper
sed -i 's/^model: .*/model: openai\/m/' "$CHORUS_HOME/presets/helper.md"
run env OPENAI_API_KEY=k CHORUS_OPENAI_BASE_URL=http://127.0.0.1:1/v1 chorus-run a go
expect_status 0
expect_match "$(results)" '^Error: Network failure
.*127.0.0.1'
expect_sound

test_case "a signal ends the sub-agents too; --resume goes on with them" # P-55
parent_with "$(spawn_call c1 $'/bash touch began; sleep 30.0417; echo slept')" "$(say done)"
preset helper 'paths:
  write: ["**"]'
CHORUS_DRAIN_TIMEOUT_MS=0 chorus-run a go >"$scratch/turn" 2>&1 </dev/null &
pid=$!
wait_for 10 test -e "$work/began"
kill -TERM $pid
wait $pid
expect_equal $? 143
running 'sleep 30.0417' && fail 'the command outlived the turn'
expect_equal "$(db "SELECT group_concat(state) FROM turns")" 'exited,exited'
run chorus-run a --resume
expect_status 0
expect_equal "$out" done
expect_equal "$(children)" 1
expect_equal "$(db "SELECT count(*) FROM messages WHERE agent_id = 1 AND role = 'tool_result'")" 1
expect_sound

test_case "--timeout ends the sub-agents too, and the result says so" # P-54
parent_with "$(spawn_call c1 $'/bash sleep 30.0418')" "$(say done)"
preset helper
run chorus-run a go --timeout 1s
expect_status 124
expect_match "$(results)" '^Error: Timeout'
running 'sleep 30.0418' && fail 'the command outlived the turn'
run chorus-run a --resume
expect_equal "$out" done

test_case "a sub-agent whose parent is killed finishes; the parent gets that result" # P-45 P-94
parent_with "$(spawn_call c1 $'/bash touch began; sleep 1; echo slept >>log; cat log')" "$(say done)"
preset helper 'paths:
  write: ["**"]'
chorus-run a go >"$scratch/turn" 2>&1 </dev/null &
pid=$!
wait_for 10 test -e "$work/began"
kill -KILL $pid
wait $pid
run chorus-run a --resume
expect_status 0
expect_equal "$out" done
expect_equal "$(children)" 1
expect_file "$work/log" slept
expect_equal "$(db "SELECT count(*) FROM messages WHERE agent_id = 1 AND role = 'tool_result'")" 1
expect_match "$(results)" slept
expect_sound

test_case "keys come over a descriptor, and no other process sees them"
parent_with "$(spawn_call c1 '/bash env; cat /proc/*/environ 2>/dev/null | tr "\0" "\n"')" "$(say done)"
preset helper
export OPENAI_API_KEY=CANARY-KEY-0123456789
run chorus-run a go
unset OPENAI_API_KEY
expect_status 0
expect_no_match "$(results)" CANARY

test_case "events and --verbose tell what sub-agents do, at any depth" # P-34 P-39 P-41 P-35
parent
preset helper 'description: helps'
deeper=/spawn_agent\ $(jq -nc '{preset: "helper", description: "deeper", prompt: "/view src/a"}')
agent_key a model '"anthropic/m"'
agent_key a permissions '"open"'
start_server "$(answers "$(spawn_call c1 "$deeper")" "$(say done)" "$(spawn_call c1 "$deeper")" "$(say done)")"
run chorus-run a --output-format stream-json go
expect_status 0
expect_equal "$(jq -rs '[.[] | select(.kind == "subtask") | "\(.description) \(.state) \(.tool_calls) \(.action)"] | join("; ")' <<<"$out")" \
    'look around working 0 null; look around working 1 tool:spawn_agent:helper deeper; deeper working 0 null; deeper working 1 tool:view:src/a; deeper completed 1 tool:view:src/a; look around completed 1 tool:spawn_agent:helper deeper'
run chorus-run a --verbose 'again'
expect_match "$err" 'chorus-run: working: helper: look around
'
expect_match "$err" 'chorus-run: completed: helper: look around · 1 call · spawn_agent:helper deeper'

test_case "a terminal has a line for each running sub-agent, and none is left" # P-40 P-41 P-46
parent_with "$(jq -nc '{say: {tool_calls: [range(2) | {id: "c\(.)", name: "spawn_agent", arguments: {preset: "helper", description: "d\(.)", prompt: "/bash sleep 3"}}]}}')" "$(call c9 bash '{"command": "sleep 2.5"}')" "$(say done)"
preset helper 'paths:
  write: ["**"]'
on_terminal 'chorus-run a go'
expect_status 0
expect_match "$out" 'helper: d0 · 1 call · bash:sleep 3 · [123] s'
expect_match "$out" 'helper: d1 · 1 call · bash:sleep 3 · [123] s'
expect_match "$(tail -1 <<<"$out")" 'done'
after=${out##*spawn_agent  helper d}
expect_match "$after" 'bash  sleep 2.5 · '
expect_no_match "$after" 'helper: d[01] · 1 call'

test_case "the directory in which one began is gone: it is named, and what to do"
parent
agent_key a permissions '"open"'
preset helper
mkdir "$scratch/place"
run chorus-run a -C "$scratch/place" --spawn helper -p hi
expect_status 0
mv "$scratch/place" "$scratch/elsewhere"
run chorus-run "$(of_child name)" hi
expect_status 2
expect_equal "$err" "chorus-run: error: the directory of the sub-agent: '$scratch/place': not a directory
chorus-run: hint: if it was moved, move it back: a sub-agent works where it began"

end_tests
