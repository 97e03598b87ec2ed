#!/usr/bin/env bash
# chorus-destroy of sub-agents: one, or those that have been idle; the agent above and its workspace stay.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
export CHORUS_MODEL=builtin/script

agents=branches/main/agents
# Agent a with sub-agents for the prompts given; their ids in $ids.
spawn_them() { # PROMPT…
    init a --permissions open
    echo kept >"$CHORUS_HOME/agents/a/workspace/kept"
    local prompt
    for prompt; do chorus-run a --spawn explorer "$prompt" >"$scratch/log" 2>&1; done
    mapfile -t ids < <(ls "$CHORUS_HOME/agents/a/$agents")
}
asker() { # a preset that asks before every call
    mkdir -p "$CHORUS_HOME/presets"
    printf -- '---\ndescription: asks\nconfirm-tool-calls: true\n---\nAsk.\n' >"$CHORUS_HOME/presets/asker.md"
}
expect_whole() { # what must not have changed
    expect_file "$CHORUS_HOME/agents/a/workspace/kept" kept
    expect_db "SELECT status FROM agents WHERE name = 'a'" active
    expect_equal "$(find "$CHORUS_HOME/agents" -maxdepth 1 -name '.*tmp*')" ''
    run chorus-config doctor
    expect_equal "$out" 'nothing to mend'
}

test_case "one, by its id alone or below NAME"
spawn_them one two three
run chorus-destroy a --subagent "${ids[0]}"
expect_status 2
expect_match "$err" 'hint: --yes'
expect_equal "$(ls "$CHORUS_HOME/agents/a/$agents" | wc -l)" 3
run chorus-destroy a --subagent "${ids[0]}" --yes
expect_status 0
expect_equal "$out" "Sub-agent ${ids[0]} destroyed."
run chorus-destroy "${ids[1]}" --yes --json
expect_json '.agent + " " + (.files_kept | tostring) + " " + (.directory | tostring)' "${ids[1]} false null"
expect_equal "$(ls "$CHORUS_HOME/agents/a/$agents")" "${ids[2]}"
for gone in "${ids[0]}" "${ids[1]}"; do
    run chorus-run a --subagent "$gone" hello
    expect_status 4
    run chorus-destroy a --subagent "$gone" --yes
    expect_status 4
done
run chorus-run a --subagent "${ids[2]}" hello
expect_status 0
expect_db "SELECT count(*) FROM audit_log WHERE action_string = 'agent:destroy'" 2
expect_whole

test_case "what it said can be read by its id afterwards, as that of a destroyed agent"
spawn_them 'what was said' 'another one'
chorus-destroy a --subagent "${ids[0]}" --yes >/dev/null || fail 'not destroyed'
chorus-destroy a --yes >/dev/null || fail 'not destroyed'
gone=$(db "SELECT name FROM agents WHERE id = 2") turn=$(db 'SELECT min(id) FROM turns')
for command in "messages $gone" "log $gone" "log $gone $turn"; do
    run chorus-context $command
    expect_status 0
    expect_match "$out" 'what was said'
done
run chorus-context audit "$gone"
expect_status 0
run chorus-tasks status "${ids[1]}" --json
expect_json .lifecycle destroyed
run chorus-run "$gone" more
expect_status 4

test_case "its files can stay, and it can be entered again"
spawn_them one
run chorus-destroy a --subagent "${ids[0]}" --keep-files --yes
expect_match "$out" "Its files: $CHORUS_HOME/agents/a/$agents/${ids[0]}"
echo more >>"$CHORUS_HOME/agents/a/$agents/${ids[0]}/preset.md"
run chorus-run a --subagent "${ids[0]}" again
expect_status 6
chorus-config trust a --subagent "${ids[0]}" --yes >/dev/null
run chorus-destroy a --subagent "${ids[0]}" --keep-files --yes
run chorus-run a --subagent "${ids[0]}" again # as it was trusted
expect_status 0
expect_whole

test_case "not what a link leads to, and not the copy of another branch"
spawn_them one
id=${ids[0]}
mkdir -p outside/"$id" && echo precious >outside/"$id"/data
mv "$CHORUS_HOME/agents/a/$agents" aside
ln -s "$PWD/outside" "$CHORUS_HOME/agents/a/$agents"
run chorus-destroy "$id" --yes
expect_status 2
expect_file outside/"$id"/data precious
mv "$CHORUS_HOME/agents/a" whole
ln -s "$PWD/whole" "$CHORUS_HOME/agents/a"
run chorus-destroy "$id" --yes
[ "$status" != 0 ] || fail "destroyed through a link"
rm "$CHORUS_HOME/agents/a"
mv whole "$CHORUS_HOME/agents/a"
rm "$CHORUS_HOME/agents/a/$agents"
mv aside "$CHORUS_HOME/agents/a/$agents"
chorus-run a hello >"$scratch/log" 2>&1
chorus-context branch a feature >"$scratch/log"
run chorus-destroy a --subagent "$id" --yes
expect_status 0
for name in "a --subagent $id" "$id"; do
    run chorus-destroy $name --yes
    expect_status 4
    expect_match "$err" 'hint: chorus-context switch a '
done
expect_equal "$(ls "$CHORUS_HOME"/agents/a/branches/*-feature/agents)" "$id"
expect_whole

test_case "its sessions go with it"
spawn_them one
chorus-context save "${ids[0]}" kept >"$scratch/log" 2>&1
expect_db "SELECT count(*) FROM sessions" 1
run chorus-destroy a --subagent "${ids[0]}" --keep-files --yes
run chorus-run a --subagent "${ids[0]}" again
expect_status 0
run chorus-destroy a --subagent "${ids[0]}" --yes
expect_whole

test_case "what is below it goes with it"
init a --permissions open
echo kept >"$CHORUS_HOME/agents/a/workspace/kept"
home_key default_model '"builtin/script"'
mkdir -p "$CHORUS_HOME/presets"
printf -- '---\ndescription: spawns\n---\nDelegate.\n' >"$CHORUS_HOME/presets/delegate.md"
chorus-run a --spawn delegate $'top\n/spawn_agent {"preset":"explorer","description":"below","prompt":"look"}' >"$scratch/log" 2>&1
expect_db "SELECT count(*) FROM agents WHERE kind = 'child' AND status = 'active'" 2
run chorus-destroy a --subagent "$(ls "$CHORUS_HOME/agents/a/$agents")" --yes
expect_db "SELECT count(*) FROM agents WHERE kind = 'child' AND status = 'destroyed'" 2
expect_whole

test_case "those that have been idle for a time"
spawn_them one two
db "UPDATE agents SET last_activity = last_activity - 7200000 WHERE name = '${ids[0]}'"
run chorus-destroy a --subagents-older-than nonsense --yes
expect_status 2
run chorus-destroy a --subagents-older-than 3h --yes
expect_equal "$out" 'nothing to destroy'
run chorus-destroy a --subagents-older-than 1h
expect_status 2
run chorus-destroy a --subagents-older-than 1h --yes --json
expect_json .agent "${ids[0]}"
expect_equal "$(ls "$CHORUS_HOME/agents/a/$agents")" "${ids[1]}"
expect_whole

test_case "one whose question waits is not idle, and destroying it cancels the question"
init a --permissions open
echo kept >"$CHORUS_HOME/agents/a/workspace/kept"
asker
chorus-run a --spawn asker --on-ask suspend $'look\n/view {"path":"kept"}' >"$scratch/log" 2>&1
expect_db "SELECT count(*) FROM prompts WHERE state = 'pending'" 1
run chorus-destroy a --subagents-older-than 0s --yes
expect_equal "$out" 'nothing to destroy'
run chorus-destroy a --subagent "$(ls "$CHORUS_HOME/agents/a/$agents")" --yes
expect_match "$out" 'Ended: 1 turn, 1 pending question'
expect_db "SELECT count(*) FROM prompts WHERE state = 'pending'" 0
expect_whole

test_case "an agent that waited for it gets one result"
init a --permissions open
echo kept >"$CHORUS_HOME/agents/a/workspace/kept"
home_key default_model '"builtin/script"'
asker
run chorus-run a --on-ask suspend $'/spawn_agent {"preset":"asker","description":"below","prompt":"/view {\\"path\\":\\"kept\\"}"}'
expect_status 10
run chorus-destroy a --subagent "$(ls "$CHORUS_HOME/agents/a/$agents")" --yes
expect_status 0
run chorus-run a --resume
expect_match "$out" 'error: '
expect_db "SELECT count(*) FROM messages WHERE role = 'tool_result' AND agent_id = (SELECT id FROM agents WHERE name = 'a')" 1
expect_whole

test_case "not its clone's repository" # an isolated one
init a --permissions open
echo kept >"$CHORUS_HOME/agents/a/workspace/kept"
git -C "$CHORUS_HOME/agents/a/workspace" add kept
git -C "$CHORUS_HOME/agents/a/workspace" -c user.name=x -c user.email=x@x commit -qm kept
mkdir -p "$CHORUS_HOME/presets"
printf -- '---\ndescription: isolated\nisolate: true\n---\nWork.\n' >"$CHORUS_HOME/presets/apart.md"
run chorus-run a --spawn apart $'make it\n/create_file {"path":"made","content":"x"}'
expect_status 0
id=$(ls "$CHORUS_HOME/agents/a/$agents")
run chorus-destroy a --subagent "$id" --yes
expect_status 0
expect_equal "$(git -C "$CHORUS_HOME/agents/a/workspace" show "agents/$id:made")" x
expect_whole

test_case "finishes after a kill at any step"
kills=0
for call in rename unlinkat fdatasync unlink rmdir; do
    for when in 1 2 3 4 6 9; do
        rm -rf "$CHORUS_HOME"
        spawn_them one >/dev/null 2>&1
        strace -f -q -o "$scratch/trace" -e "inject=$call:signal=KILL:when=$when" chorus-destroy a --subagent "${ids[0]}" --yes >/dev/null 2>&1
        [ $? = 137 ] || break
        kills=$((kills + 1))
        case $((kills % 3)) in
            0) chorus-destroy "${ids[0]}" --yes ;;
            1) chorus-destroy a --subagents-older-than 0s --yes ;;
            2) chorus-destroy a --subagent "${ids[0]}" --yes ;;
        esac >/dev/null 2>&1
        chorus-config doctor --fix >/dev/null 2>&1
        expect_db "SELECT status FROM agents WHERE kind = 'child'" destroyed
        expect_equal "$(ls -A "$CHORUS_HOME/agents/a/$agents")" ''
        expect_whole
    done
done
[ $kills -ge 8 ] || fail "only $kills kills happened"

end_tests
