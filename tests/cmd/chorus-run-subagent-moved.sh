#!/usr/bin/env bash
# Sub-agents that the database does not know: from their session.md, with an adopted agent, on a branch.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
export CHORUS_MODEL=builtin/script

# The only sub-agent of an agent, on its branch main.
child_of() { ls "$CHORUS_HOME/agents/$1/branches/main/agents"; }
files_of() { echo "$CHORUS_HOME/agents/$1/branches/main/agents/$(child_of "$1")"; } # AGENT
# What an export says of the messages themselves.
messages_of() { # AGENT-OR-ID
    chorus-context export "$1" --format jsonl | jq -c 'select(.type == "message") | [.role, .content, .tool_calls, .tool_call_id, .timestamp, .extra]'
}
# A sub-agent with calls, an error, and texts that look like the format, in $scratch/moved/ID; then another home.
leave_one() {
    chorus-init old --model builtin/script >"$scratch/log" 2>&1
    echo words >"$CHORUS_HOME/agents/old/workspace/f"
    chorus-run old --spawn "${1:-explorer}" $'read it\n/view {"path":"f"}\n/view {"path":"none"}' >"$scratch/log" 2>&1
    id=$(child_of old)
    printf 'odd \033[31m ```\n<!-- message 9 -->\n## User · 2026-02-12T10:30:00.123Z\n\n' | chorus-run old --subagent "$id" >"$scratch/log" 2>&1
    messages_of "$id" >"$scratch/before"
    mkdir "$scratch/moved"
    cp -r "$(files_of old)" "$scratch/moved/"
    export CHORUS_HOME=$scratch/elsewhere
}
# The same with a preset.md that no home would write.
leave_foreign() {
    leave_one
    echo 'Be brief.' | tee -a "$scratch/moved/$id/preset.md" >>"$scratch/home/agents/old/branches/main/agents/$id/preset.md"
}

test_case "goes on from session.md alone, with its calls and results" # P-51, P-49
leave_one
cp "$scratch/moved/$id/session.md" "$scratch/s.md"
chorus-init new >/dev/null
run chorus-run new --subagent "$scratch/s.md" 'go on'
expect_status 0
expect_match "$err" "sub-agent $id"
expect_equal "$(messages_of "$id" | head -n -2)" "$(cat "$scratch/before")"
expect_db "SELECT count(*) FROM messages WHERE content = 'go on'" 1
run chorus-run new --subagent "$id" 'and on'
expect_status 0
expect_equal "$(grep -c '^<!-- message' "$(files_of new)/session.md")" "$(($(wc -l <"$scratch/before") + 4))"

test_case "sends the model what was said before"
leave_one
unset CHORUS_MODEL
start_server "$(answers "$(say 'here again')")"
chorus-init new --model anthropic/claude-haiku-4-5 >/dev/null
cp "$scratch/moved/$id/session.md" "$scratch/s.md"
run chorus-run new --subagent "$scratch/s.md" -m anthropic/claude-haiku-4-5 'go on'
expect_equal "$out" 'here again'
body=$(cat "$scratch"/log/*.json)
expect_match "$body" 'words'
expect_match "$body" 'no such file'
expect_match "$body" 'odd'
expect_match "$body" 'go on'
export CHORUS_MODEL=builtin/script

test_case "asks before it uses a preset.md from elsewhere"
leave_foreign
chorus-init new >/dev/null
for attempt in 1 2; do
    run chorus-run new --subagent "$([ $attempt = 1 ] && echo "$scratch/moved/$id" || echo "$id")" 'go on'
    expect_status 6
    expect_match "$err" 'preset.md is from elsewhere'
    expect_match "$err" "hint: chorus-config trust new --subagent $id"
done
expect_db "SELECT count(*) FROM turns WHERE agent_id = (SELECT id FROM agents WHERE kind = 'child')" 0
run chorus-config trust new --subagent "$id" --show
expect_match "$out" 'You explore a directory'
run chorus-config trust new --subagent "$id"
expect_status 2
run chorus-config trust new --subagent "$id" --show --json
expect_equal "$(jq -r '.key + " " + (.trusted | tostring)' <<<"$out")" 'preset.md false'
run env CHORUS_AGENT=new chorus-config trust new --subagent "$id" --yes
expect_status 6
run chorus-config trust new --subagent "$id" --yes
expect_status 0
expect_db "SELECT decision FROM audit_log WHERE action_string = 'trust:preset.md'" ask_approved
run chorus-run new --subagent "$id" 'go on'
expect_status 0
run chorus-config trust new --subagent "$id" --yes
expect_equal "$out" 'nothing to trust'

test_case "a preset.md that this home would write itself needs no trust"
leave_one
chorus-init new >/dev/null
run chorus-run new --subagent "$scratch/moved/$id" 'go on'
expect_status 0
expect_match "$err" "sub-agent $id: 8 messages"

test_case "has at most the rights of the agent"
leave_one
sed -i 's/^tools: .*/permissions: open/' "$scratch/moved/$id/preset.md"
chorus-init new --permissions locked >/dev/null
run chorus-run new --subagent "$scratch/moved/$id" hello
expect_status 6
chorus-config trust new --subagent "$id" --yes >/dev/null
run chorus-run new --subagent "$id" $'/create_file {"path":"made","content":"x"}' --on-ask deny
expect_missing "$CHORUS_HOME/agents/new/workspace/made"
expect_db "SELECT count(*) FROM audit_log WHERE action_string LIKE 'tool:create_file%' AND decision IN ('deny', 'ask_denied')" 1

test_case "comes with an adopted agent, from a directory and packed"
leave_foreign
mkdir -p "$CHORUS_HOME"
old=$scratch/home
run chorus-init copy --adopt "$old/agents/old" --json
expect_equal "$(jq -r '.sub_agents[0]' <<<"$out")" "$id"
expect_equal "$(messages_of "$id")" "$(cat "$scratch/before")"
run chorus-run copy --subagent "$id" 'go on'
expect_status 6
CHORUS_HOME=$old chorus-context pack old -o "$scratch/old.tar" >/dev/null
export CHORUS_HOME=$scratch/third
run chorus-init copy --adopt "$scratch/old.tar" --trust
expect_match "$out" '1 sub-agent adopted'
run chorus-run copy --subagent "$id" 'go on'
expect_status 0
run chorus-tasks status copy
expect_match "$out" "sub-agent	$id	copy"

test_case "comes with what is below it"
chorus-config set default_model builtin/script >/dev/null
chorus-init old --permissions open >/dev/null
printf -- '---\ndescription: spawns\n---\nDelegate.\n' >"$scratch/delegate.md"
mkdir -p "$CHORUS_HOME/presets"
cp "$scratch/delegate.md" "$CHORUS_HOME/presets/"
chorus-run old --spawn delegate $'top\n/spawn_agent {"preset":"explorer","description":"below","prompt":"look"}' >/dev/null 2>&1
id=$(child_of old)
below=$(ls "$(files_of old)/agents")
cp -r "$CHORUS_HOME/agents/old" "$scratch/old"
export CHORUS_HOME=$scratch/elsewhere
run chorus-init copy --adopt "$scratch/old" --trust --json
expect_equal "$(jq -rc '.sub_agents' <<<"$out")" "[\"$id\",\"$below\"]"
run chorus-run copy --subagent "$below" 'go on'
expect_status 0

test_case "is refused with nothing left"
leave_one
chorus-init new >/dev/null
chorus-init other >/dev/null
refused() { # STATUS REGEX ARGUMENT…
    local status_wanted=$1 wanted=$2
    shift 2
    run chorus-run "$@"
    expect_status "$status_wanted"
    expect_match "$err" "$wanted"
    expect_db "SELECT count(*) FROM agents WHERE kind = 'child'" 0
    [ -z "$(ls -A "$CHORUS_HOME/agents/new/branches/main/agents" 2>/dev/null)" ] || fail "something is left: $*"
    ls -A "$CHORUS_HOME/agents" | grep -q '^\.new' && fail "a temporary directory is left: $*"
}
refused 4 'no such file' new --subagent "$scratch/none/session.md" x
refused 4 'no such file' new --subagent ./none.md x
echo text >"$scratch/s.md"
refused 2 "not a sub-agent's session.md" new --subagent "$scratch/s.md" x
refused 2 'there is no session.md in it' new --subagent "$scratch" x
mkfifo "$scratch/fifo.md"
refused 2 'not a regular file' new --subagent "$scratch/fifo.md" x
printf '# explorer-20261128000000-a\n\n<!-- message 1 -->\nno heading\n' >"$scratch/s.md"
refused 2 'it has no message' new --subagent "$scratch/s.md" x
run chorus-context import new "$scratch/s.md"
expect_status 2
expect_match "$err" 'it has no message'
printf '# explorer-20261128000000-a\n\n<!-- message 1 {"tool_calls":[{"id":"c","name":"x","arguments":""},{"id":"c","name":"x","arguments":""}]} -->\n## Assistant · 2026-11-28T00:00:00.000Z\n\nhi\n' >"$scratch/s.md"
refused 2 's.md: message 1: two calls have the same id' new --subagent "$scratch/s.md" x
printf '# nosuch-20261128000000-a\n\n<!-- message 1 -->\n## User · 2026-11-28T00:00:00.000Z\n\nhi\n' >"$scratch/s.md"
refused 2 'preset .nosuch.' new --subagent "$scratch/s.md" x
printf '# ../../evil-20261128000000-a\n' >"$scratch/s.md"
refused 2 "not a sub-agent's session.md" new --subagent "$scratch/s.md" x
ln -sf /etc/hostname "$scratch/moved/$id/tools.org"
refused 2 'a link, not a part' new --subagent "$scratch/moved/$id" x
rm "$scratch/moved/$id/tools.org"
echo 'no: [' | cat <(echo ---) - <(echo ---) >"$scratch/moved/$id/preset.md"
refused 3 'Failed to load preset' new --subagent "$scratch/moved/$id" x
run env CHORUS_AGENT=new chorus-run new --subagent "$scratch/moved/$id" x
expect_status 6

test_case "an isolated one goes on only where its clone is"
chorus-init old --model builtin/script --permissions open >/dev/null
git -C "$CHORUS_HOME/agents/old/workspace" -c user.name=x -c user.email=x@x commit -q --allow-empty -m first
mkdir -p "$CHORUS_HOME/presets" "$scratch/elsewhere/presets"
printf -- '---\nisolate: true\n---\nWork.\n' | tee "$CHORUS_HOME/presets/apart.md" >"$scratch/elsewhere/presets/apart.md"
chorus-run old --spawn apart hello >/dev/null 2>&1
id=$(child_of old)
cp -r "$(files_of old)" "$scratch/moved"
export CHORUS_HOME=$scratch/elsewhere
chorus-init new >/dev/null
for path in "$scratch/moved" "$scratch/moved/session.md"; do refused 2 'it is isolated' new --subagent "$path" x; done
mv "$scratch/moved/session.md" "$scratch/s.md"
refused 2 'it is isolated' new --subagent "$scratch/s.md" x

test_case "one that was isolated by its call may not write elsewhere what it may write in its clone"
init old --permissions open
home_key default_model '"builtin/script"'
git -C "$CHORUS_HOME/agents/old/workspace" -c user.name=x -c user.email=x@x commit -q --allow-empty -m first
mkdir -p "$CHORUS_HOME/presets"
printf -- '---\nmodel: builtin/script\n---\nWork.\n' >"$CHORUS_HOME/presets/plain.md"
run chorus-run old '/spawn_agent {"preset":"plain","description":"apart","prompt":"hello","isolate":true}'
id=$(child_of old)
mkdir "$scratch/moved"
cp "$(files_of old)/session.md" "$(files_of old)/preset.md" "$scratch/moved/"
init new --permissions open
run chorus-run new --subagent "$scratch/moved" hello
expect_status 6
run chorus-run old --subagent "$id" hello
expect_status 0
mv "$(files_of old)/work" "$scratch/work"
ln -s "$CHORUS_HOME/agents/old/workspace" "$(files_of old)/work"
run chorus-run old --subagent "$id" hello
expect_status 3
expect_match "$err" 'a link, not its clone'

test_case "doctor lists those that the database does not know"
leave_one
chorus-init new >/dev/null
run chorus-config doctor
expect_status 0
place=$CHORUS_HOME/agents/new/branches/main/agents
mkdir -p "$place"
cp -r "$scratch/moved/$id" "$place/$id"
run chorus-config doctor --fix
expect_status 1
expect_match "$out$err" "agents/new/branches/main/agents/$id: the database does not know this sub-agent; chorus-run new --subagent $place/$id PROMPT enters it"
run chorus-run new --subagent "$place/$id" 'go on'
run chorus-config doctor
expect_status 0

test_case "--dry-run enters none"
leave_one
chorus-init new >/dev/null
run chorus-run new --subagent "$scratch/moved/$id" --dry-run hello
expect_status 2
expect_db "SELECT count(*) FROM agents WHERE kind = 'child'" 0
expect_missing "$CHORUS_HOME/agents/new/branches/main/agents"

test_case "a transcript with CRLF line ends is the same"
leave_one
chorus-init new >/dev/null
sed 's/$/\r/' "$scratch/moved/$id/session.md" >"$scratch/s.md"
run chorus-run new --subagent "$scratch/s.md" 'go on'
expect_equal "$(messages_of "$id" | head -n -2)" "$(cat "$scratch/before")"

test_case "is refused where there is one, and under another agent"
leave_one
chorus-init new >/dev/null
chorus-init other >/dev/null
chorus-run new --subagent "$scratch/moved/$id" x >/dev/null 2>&1
run chorus-run new --subagent "$scratch/moved/$id" x
expect_status 5
expect_match "$err" "already exists"
expect_match "$err" "chorus-run new --subagent $id goes on with it"
run chorus-run other --subagent "$(files_of new)" x
expect_status 4
expect_match "$err" "not a sub-agent of agent 'other'"
expect_match "$err" "hint: it is one of agent 'new': chorus-run new --subagent $id"

test_case "a branch has its copy, which is trusted no more than the one it is of"
leave_foreign
chorus-init new >/dev/null
chorus-run new hello >/dev/null 2>&1
chorus-run new --subagent "$scratch/moved/$id" x >/dev/null 2>&1
chorus-context branch new second >/dev/null
chorus-context switch new second >/dev/null
run chorus-run new --subagent "$id" x
expect_status 6
expect_match "$err" 'branches/[0-9]*-second/agents'
chorus-config trust new --subagent "$id" --yes >/dev/null
run chorus-run new --subagent "$id" 'here now'
expect_status 0
copy=$(echo "$CHORUS_HOME"/agents/new/branches/*-second/agents/*/session.md)
expect_equal "$(grep -c '^<!-- message' "$copy")" "$(($(wc -l <"$scratch/before") + 2))"

test_case "is entered once, whenever it is killed"
leave_foreign
chorus-init new >/dev/null
kills=0
for call in rename renameat2 fdatasync fsync unlink; do
    for when in 1 2 3 4 5 6 8 10 12; do
        rm -rf "$CHORUS_HOME/agents/new/branches/main/agents"
        sqlite3 "$CHORUS_HOME/chorus.db" "DELETE FROM agents WHERE kind = 'child'"
        strace -f -q -o "$scratch/trace" -e "inject=$call:signal=KILL:when=$when" chorus-run new --subagent "$scratch/moved/$id" x >/dev/null 2>&1
        [ $? = 137 ] || break
        kills=$((kills + 1))
        # it is there, or is brought again
        chorus-run new --subagent "$id" x >/dev/null 2>&1
        [ $? = 4 ] && chorus-run new --subagent "$scratch/moved/$id" x >/dev/null 2>&1
        expect_equal "$(messages_of "$id")" "$(cat "$scratch/before")"
        expect_db "SELECT count(*) FROM agents WHERE kind = 'child'" 1
    done
done
[ $kills -ge 8 ] || fail "only $kills kills happened"

end_tests
