#!/usr/bin/env bash
# needs: root
# An agent ends: what runs, what waits, its rows and its files; and what comes after it.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/terminal.sh"
[ "$(id -u)" = 0 ] || { echo "this test mounts file systems and needs root"; exit 1; }
export CHORUS_DRAIN_TIMEOUT_MS=300 CHORUS_SHUTDOWN_TIMEOUT_MS=300

mounts=()
unmount() {
    local path
    for path in "${mounts[@]}"; do umount -l "$path"; done
    mounts=()
}
trap 'stop_server; unmount; rm -rf "$base"' EXIT

dir() { echo "$CHORUS_HOME/agents/${1:-a}"; }
destroyed() { # NAME STATUS-AND-KEPT: of the newest of that name
    expect_db "SELECT status || ' ' || files_kept || ' ' || (destroyed_at IS NOT NULL) FROM agents WHERE name = '$1' AND kind = 'agent' ORDER BY generation DESC LIMIT 1" "$2"
}
nothing_left() { # what must hold of a home after every destroy that ended well
    expect_equal "$(find "$CHORUS_HOME/agents" -maxdepth 1 -name '.tmp-*')" ''
    expect_db "SELECT count(*) FROM agents WHERE status = 'destroying'" 0
    expect_db "SELECT count(*) FROM turns t JOIN agents a ON a.id = t.agent_id WHERE a.status = 'destroyed' AND (t.ended_at IS NULL OR t.pid IS NOT NULL)" 0
    expect_db "SELECT count(*) FROM prompts p JOIN agents a ON a.id = p.agent_id WHERE a.status = 'destroyed' AND p.state = 'pending'" 0
    expect_db "SELECT count(*) FROM inbox i JOIN agents a ON a.id = i.agent_id WHERE a.status = 'destroyed' AND i.delivered_turn IS NULL" 0
    expect_db 'PRAGMA integrity_check' ok
    expect_db 'PRAGMA foreign_key_check' ''
    local file
    for file in $(db "SELECT file_path FROM sessions WHERE file_path <> ''"); do
        [ -f "$CHORUS_HOME/$file" ] || fail "a row has $file, which is not there"
    done
}
unchanged() { # STATUS REGEX COMMAND …: refused, and the agent as it was
    local wanted=$1 regex=$2 before after
    shift 2
    before=$(db 'SELECT * FROM agents; SELECT count(*) FROM events; SELECT count(*) FROM audit_log'; find "$CHORUS_HOME/agents" | sort)
    run "$@"
    expect_status "$wanted"
    expect_match "$err" "$regex"
    expect_equal "$(grep -c 'error: ' <<<"$err")" 1
    after=$(db 'SELECT * FROM agents; SELECT count(*) FROM events; SELECT count(*) FROM audit_log'; find "$CHORUS_HOME/agents" | sort)
    expect_equal "$after" "$before"
}
# A turn in the background that runs a command; its exit status comes into $scratch/turn.status
begin_turn() { # COMMAND [OPTIONS]
    local command=$1
    shift
    rm -f "$scratch/turn.status"
    (
        chorus-run a "/bash $command" "$@" >"$scratch/turn.out" 2>"$scratch/turn.err" </dev/null
        echo $? >"$scratch/turn.status"
    ) &
    wait_for 15 in_db "SELECT count(*) > 0 FROM tool_runs r JOIN turns t ON t.id = r.turn_id WHERE r.intent_at IS NOT NULL AND t.ended_at IS NULL" 1 || fail 'the turn did not begin'
}
ended_turn() { wait_for 15 test -s "$scratch/turn.status" || fail 'the turn did not end'; }

test_case "the context is saved, what waits is withdrawn, the sessions are archived, the directory is gone" # L-41 L-42 L-43 L-44 L-45 L-54 L-56 X-10 X-09
init a --model builtin/script
run chorus-run a 'remember the port'
run chorus-context save a 'by hand' --no-summary
run chorus-run a '/bash true'
expect_status 10
run chorus-run a --queue 'a queued one'
expect_db 'SELECT count(*) FROM inbox WHERE delivered_turn IS NULL' 1
echo work >"$(dir)/workspace/work.txt"
messages=$(db 'SELECT count(*) FROM messages')
rows=$(db 'SELECT count(*) FROM audit_log')
run chorus-destroy a --yes
expect_status 0
expect_equal "$err" ''
expect_match "$out" 'Agent a destroyed.'
expect_match "$out" 'Ended: 1 turn, 1 pending question, 1 queued message.'
expect_match "$out" 'Saved: session [0-9a-f]{8}: remember the port'
expect_match "$out" "Its sessions: $CHORUS_HOME/archive/a-1/sessions"
expect_missing "$(dir)"
destroyed a 'destroyed 0 1'
nothing_left
expect_db "SELECT group_concat(trigger || ' ' || (file_path LIKE 'archive/a-1/sessions/%.json'), ', ') FROM (SELECT * FROM sessions ORDER BY saved_at, rowid)" 'manual_save 1, destroy 1'
expect_equal "$(find "$CHORUS_HOME/archive" -type f | wc -l)" 2
file=$CHORUS_HOME/$(db "SELECT file_path FROM sessions WHERE trigger = 'destroy'")
expect_equal "$(jq -r '"\(.trigger) \(.agent_name) \(.messages[0].content)"' "$file")" 'destroy a remember the port'
expect_equal "$(sha256sum <"$file" | cut -d' ' -f1)" "$(db "SELECT sha256 FROM sessions WHERE trigger = 'destroy'")"
expect_equal "$(stat -c '%a' "$CHORUS_HOME/archive/a-1" "$file" | paste -sd' ')" '700 600'
expect_db "SELECT group_concat(state) FROM prompts" cancelled
expect_db "SELECT state || ' ' || reason FROM turns ORDER BY id DESC LIMIT 1" 'exited destroyed'
expect_db "SELECT group_concat(previous || '>' || next, ' ') FROM events WHERE kind = 'agent' AND cause = 'destroy'" 'active>destroying destroying>destroyed'
expect_db 'SELECT count(*) FROM messages' "$messages"
expect_db "SELECT count(*) - $rows FROM audit_log" 1
run chorus-context audit a
expect_match "$out" 'allow.agent:destroy.files archived'

test_case "nobody reaches it any more, and who reads finds it" # L-44 L-47 L-54
init a --model builtin/script --permissions open
run chorus-run a 'hello out there'
run chorus-destroy a --yes
for command in 'chorus-run a hi' 'chorus-run a --queue hi' 'chorus-run a --resume' 'chorus-context save a' \
    'chorus-context clear a' 'chorus-context show a' 'chorus-config set -A a permissions open'; do
    run $command
    expect_status 4
    expect_match "$err" "agent 'a': it was destroyed"
done
run chorus-run a hi --json
expect_json '"\(.exit_code) \(.error.code)"' '4 EXITED'
run chorus-destroy a --yes
expect_status 4
expect_match "$err" 'it was destroyed'
run chorus-context history a
expect_status 0
expect_match "$out" 'hello out there'
run chorus-context log a
expect_match "$out" 'hello out there'
run chorus-context search out -A a
expect_match "$out" 'hello'
run chorus-context audit a
expect_match "$out" 'agent:destroy'
run chorus-config doctor
expect_status 0

test_case "nothing said: no session, and no archive" # L-42
init a --model builtin/script
run chorus-destroy a --yes
expect_status 0
expect_equal "$out" 'Agent a destroyed.'
expect_db 'SELECT count(*) FROM sessions' 0
expect_missing "$CHORUS_HOME/archive"
expect_missing "$(dir)"

test_case "--keep-files: the directory stays whole, and holds what only the database knew" # L-46 L-48 X-07
init a --model builtin/script --permissions open
run chorus-run a '/create_file {"path": "made.txt", "content": "made"}
/git_commit {"message": "made it"}'
run chorus-context save a kept --no-summary
echo note >"$(dir)/docs/note.md"
ln -s /etc "$(dir)/workspace/link"
before=$(cd "$(dir)" && find . -type f ! -name session.md ! -path './sessions/*' -exec sha256sum {} + | sort)
run chorus-destroy a --keep-files --yes
expect_status 0
expect_match "$out" "Its files: $(dir)"
destroyed a 'destroyed 1 1'
nothing_left
expect_equal "$(cd "$(dir)" && find . -type f ! -name session.md ! -path './sessions/*' ! -name export.jsonl -exec sha256sum {} + | sort)" "$before"
expect_equal "$(readlink "$(dir)/workspace/link")" /etc
expect_equal "$(git -C "$(dir)/workspace" log -1 --format=%s)" 'made it'
expect_equal "$(find "$(dir)/sessions" -name '*.json' | wc -l)" 2
expect_db "SELECT count(*) FROM sessions WHERE file_path LIKE 'agents/a/sessions/%'" 2
expect_equal "$(jq -r .type "$(dir)/export.jsonl" | sort | uniq -c | tr -s ' ' | paste -sd,)" \
    "$(printf ' 1 agent, 1 end, %d message, 1 thread, 1 turn' "$(db 'SELECT count(*) FROM messages')")"
grep -q '^## Destroyed' "$(dir)/branches/main/session.md" || fail 'the transcript does not say it'
cp -r "$(dir)" "$scratch/elsewhere"
export CHORUS_HOME=$scratch/other
run chorus-init b --adopt="$scratch/elsewhere" --trust
expect_status 0
expect_db "SELECT group_concat(trigger) FROM (SELECT trigger FROM sessions ORDER BY trigger)" 'destroy,manual_save'
run chorus-context log b
expect_match "$out" 'made.txt'

test_case "--keep-files: nothing is removed through a link in the place of .git"
init a --model builtin/script
mkdir "$scratch/outside"
touch "$scratch/outside/.chorus-write-0.tmp" "$scratch/outside/config.lock"
rm -r "$(dir)/workspace/.git"
ln -s "$scratch/outside" "$(dir)/workspace/.git"
run chorus-destroy a --keep-files --yes
expect_status 0
expect_equal "$(ls -A "$scratch/outside")" $'.chorus-write-0.tmp\nconfig.lock'

test_case "made again of kept files: adopted, with its history, and its sessions can be restored" # L-49 L-55
init a --model builtin/script --permissions open
run chorus-run a 'the first words'
echo work >"$(dir)/workspace/work.txt"
git -C "$(dir)/workspace" add work.txt
git -C "$(dir)/workspace" -c user.name=x -c user.email=x@y commit -qm mine
run chorus-destroy a --keep-files --yes
run chorus-init a --description 'once more' --json
expect_status 0
expect_json '"\(.adopted) \(.generation) \(.sessions) \(.messages) \(.permissions) \(.model)"' 'true 2 1 2 open builtin/script'
expect_equal "$(jq -r '"\(.permissions) \(.description)"' "$(dir)/agent.json")" 'open once more'
expect_missing "$(dir)/export.jsonl"
expect_equal "$(git -C "$(dir)/workspace" log -1 --format=%s)" mine
run chorus-context show a
expect_match "$out" 'the first words'
run chorus-context history a --json
expect_json .trigger destroy
id=$(jq -r .id <<<"$out")
run chorus-context restore a "$id"
expect_status 0
run chorus-context show a
expect_match "$out" 'the first words'
run chorus-run a 'and more'
expect_status 0
expect_sound

test_case "without kept files the name is free, and nothing of before is there but its sessions" # L-50 L-44 L-49 X-08
init a --model builtin/script
run chorus-run a 'the old words'
echo old >"$(dir)/workspace/old.txt"
run chorus-destroy a --yes
run chorus-init a --model builtin/script --json
expect_status 0
expect_json '"\(.adopted) \(.generation) \(.sessions)"' 'false 2 0'
expect_missing "$(dir)/workspace/old.txt"
run chorus-context history a
expect_equal "$out" ''
run chorus-context history a --all
expect_match "$out" 'the old words'
id=$(db "SELECT id FROM sessions")
run chorus-context restore a "${id:0:8}"
expect_status 0
run chorus-context show a
expect_match "$out" 'the old words'
expect_db "SELECT group_concat(generation || status, ' ') FROM (SELECT * FROM agents ORDER BY id)" '1destroyed 2active'

test_case "what was adopted moves for the rows of every generation" # L-44 L-49
init a --model builtin/script
run chorus-run a 'of the first'
run chorus-destroy a --keep-files --yes
run chorus-init a
run chorus-run a 'of the second'
run chorus-destroy a --yes
expect_status 0
nothing_left
expect_db "SELECT count(*), count(DISTINCT file_path), sum(file_path LIKE 'archive/a-2/sessions/%') FROM sessions" '3|2|3'
run chorus-context history a --all
expect_equal "$(grep -c '^\[' <<<"$out")" 2

test_case "--purge: the sessions go too, and their rows say so"
init a --model builtin/script
run chorus-run a 'a secret'
run chorus-context save a --no-summary
run chorus-run a 'another'
run chorus-destroy a --purge --yes
expect_status 0
expect_missing "$(dir)"
expect_missing "$CHORUS_HOME/archive/a-1"
expect_db "SELECT group_concat(trigger || '[' || file_path || sha256 || ']') FROM sessions" 'manual_save[]'
nothing_left
run chorus-context history a
expect_match "$out" 'its file is gone'
init a --model builtin/script
unchanged 2 'excludes' chorus-destroy a --purge --keep-files --yes

test_case "--json"
init a --model builtin/script
run chorus-run a hello
run chorus-destroy a --yes --json
expect_status 0
expect_json '[.schema, .agent, .generation, .by_another, .files_kept, .directory, .sessions, .turns, .tasks, .pending, .messages] | map(tostring) | join(" ")' \
    'chorus.destroyed/1 a 1 false false null 1 0 0 0 0'
expect_json .archive "$CHORUS_HOME/archive/a-1/sessions"
expect_json .session "$(db 'SELECT id FROM sessions')"
expect_match "$(jq -r .destroyed_at <<<"$out")" '^20[0-9-]*T[0-9:.]*Z$'
init b --model builtin/script
run chorus-destroy b --keep-files --yes --json
expect_json '"\(.archive) \(.session) \(.files_kept) \(.directory)"' "null null true $(dir b)"

test_case "the name has to be typed, or --yes be given" # X-38
init a --model builtin/script
unchanged 2 "no terminal to ask for its name" chorus-destroy a
expect_match "$err" 'hint: --yes'
typist() { shown 'type its name' && echo a && sleep 0.5; }
on_terminal 'chorus-destroy a'
expect_status 0
expect_match "$out" "Agent a: 0 saved sessions"
expect_match "$out" "$(dir) is deleted"
expect_match "$out" 'Agent a destroyed.'
destroyed a 'destroyed 0 1'
init b --model builtin/script
typist() { shown 'type its name' && { echo a; echo yes; echo B; } && sleep 0.5; }
on_terminal 'chorus-destroy b'
expect_status 11
expect_match "$out" 'that is not its name'
expect_match "$out" 'its name was not typed, nothing has changed'
typist() { shown 'type its name' && printf '\3' && sleep 0.5; }
on_terminal 'chorus-destroy b'
expect_status 130
expect_match "$out" 'interrupted: nothing has changed'
typist() { shown 'type its name' && printf '\4' && sleep 0.5; }
on_terminal 'chorus-destroy b'
expect_status 11
destroyed b 'active 0 0'
typist() { :; }

test_case "names"
init a --model builtin/script
mkdir "$scratch/home/agents/foreign"
unchanged 2 usage chorus-destroy '' --yes
for name in .. a/b ../agents/a A 'a '; do
    unchanged 4 "no such agent" chorus-destroy "$name" --yes
done
unchanged 2 'usage' chorus-destroy -rf
unchanged 4 "agent '-rf': no such agent" chorus-destroy --yes -- -rf
unchanged 4 "no such agent" chorus-destroy foreign --yes
unchanged 4 "there are 'a'" chorus-destroy b --yes
run env CHORUS_HOME="$scratch/nowhere" chorus-destroy a --yes
expect_status 4
expect_missing "$scratch/nowhere"

test_case "links lead nowhere" # L-45
init a --model builtin/script
run chorus-run a hello
mkdir -p "$scratch/mine/sessions"
echo mine >"$scratch/mine/sessions/file.json"
mv "$(dir)" "$scratch/moved"
ln -s "$scratch/moved" "$(dir)"
for option in '' --keep-files --purge; do
    unchanged 3 "agents/a: a symbolic link" chorus-destroy a --yes $option
done
rm "$(dir)"
mv "$scratch/moved" "$(dir)"
rm -r "$(dir)/sessions"
ln -s "$scratch/mine/sessions" "$(dir)/sessions"
unchanged 2 "agents/a/sessions: a link" chorus-destroy a --yes
rm "$(dir)/sessions"
ln -s "$scratch/mine" "$(dir)/workspace/out"
ln -s "$scratch/mine" "$(dir)/artifacts"
ln -sfn "$scratch/mine" "$(dir)/current"
mkfifo "$(dir)/workspace/pipe"
chmod 000 "$(dir)/workspace"
run chorus-destroy a --yes
expect_status 0
expect_missing "$(dir)"
expect_file "$scratch/mine/sessions/file.json" mine
nothing_left
init b --model builtin/script
db "UPDATE agents SET dir = '../mine' WHERE name = 'b'"
unchanged 1 'its directory is not' chorus-destroy b --yes
expect_file "$scratch/mine/sessions/file.json" mine

test_case "a home that cannot be written: nothing has changed"
mkdir -p "$CHORUS_HOME"
mount -t tmpfs -o size=16m,mode=0700 chorus-test "$CHORUS_HOME" || { echo 'cannot mount a tmpfs'; exit 1; }
mounts=("$CHORUS_HOME")
init a --model builtin/script
run chorus-run a hello
mount -o remount,ro "$CHORUS_HOME"
run chorus-destroy a --yes
expect_status 1
expect_equal "$(grep -c 'error: ' <<<"$err")" 1
expect_match "$err" '[Rr]ead-only'
mount -o remount,rw "$CHORUS_HOME"
expect_db 'SELECT status FROM agents' active
mount --bind "$CHORUS_HOME/agents" "$CHORUS_HOME/agents"
mounts=("$CHORUS_HOME/agents" "${mounts[@]}")
mount -o remount,bind,ro "$CHORUS_HOME/agents"
unchanged 1 '[Rr]ead-only' chorus-destroy a --yes
umount "$CHORUS_HOME/agents"
mounts=("$CHORUS_HOME")
run chorus-destroy a --yes
expect_status 0
nothing_left
cd / && unmount && cd "$scratch" || exit 1

test_case "what cannot be removed is told, stays in nobody's way, and is removed later"
init a --model builtin/script
mkdir "$(dir)/workspace/mounted"
mount -t tmpfs chorus-test "$(dir)/workspace/mounted"
run chorus-destroy a --yes
mounts=("$(find "$CHORUS_HOME/agents" -name mounted)")
expect_status 1
expect_match "$err" "agent 'a' is destroyed, but some of its files remain: .*mounted"
destroyed a 'destroyed 0 1'
expect_missing "$(dir)"
run chorus-init a --model builtin/script
expect_status 0
run chorus-config doctor --fix
expect_status 1
expect_match "$out" 'found: [^ ]*\.tmp-.*-a: left by a killed command'
unmount
run chorus-config doctor --fix
expect_status 0
nothing_left

test_case "a directory that is gone, or says nonsense, keeps nobody from it"
init a --model builtin/script
run chorus-run a 'these words'
rm -r "$(dir)"
run chorus-destroy a --keep-files --yes
expect_status 0
expect_match "$err" 'there is no directory to keep'
destroyed a 'destroyed 0 1'
expect_db "SELECT trigger || ' ' || (file_path LIKE 'archive/%') FROM sessions" 'destroy 1'
nothing_left
expect_missing "$(dir)"
init b --model builtin/script
run chorus-run b 'other words'
echo '{"name": 3' >"$(dir b)/agent.json"
run chorus-destroy b --yes
expect_status 0
expect_match "$err" 'notice: .*agent.json'
expect_db "SELECT count(*) FROM sessions WHERE agent_name = 'b' AND trigger = 'destroy'" 1
nothing_left
init c --model builtin/script
echo '{' >"$CHORUS_HOME/config.json"
run chorus-destroy c --yes
expect_status 0
destroyed c 'destroyed 0 1'

test_case "a file of that name in the archive is not overwritten, and the rest waits"
init a --model builtin/script
run chorus-run a hello
run chorus-context save a same --no-summary
mkdir -p "$CHORUS_HOME/archive/a-1/sessions"
name=$(basename "$(db 'SELECT file_path FROM sessions')")
echo older >"$CHORUS_HOME/archive/a-1/sessions/$name"
run chorus-destroy a --yes
expect_status 5
expect_match "$err" "$name: already exists"
expect_file "$CHORUS_HOME/archive/a-1/sessions/$name" older
[ -d "$(dir)/workspace" ] || fail 'the directory is gone'
rm "$CHORUS_HOME/archive/a-1/sessions/$name"
run chorus-destroy a --yes
expect_status 0
nothing_left
expect_db "SELECT count(*) FROM sessions WHERE file_path LIKE 'archive/a-1/%'" 2

test_case "a turn at work is asked to end, and what its command was is on record" # L-43 L-55
init a --model builtin/script --permissions open
home_key sandbox '"off"'
begin_turn 'sleep 4321'
run chorus-destroy a --yes
expect_status 0
ended_turn
expect_file "$scratch/turn.status" 143
running 'sleep 4321' && fail 'its command goes on'
expect_db 'SELECT state FROM turns' exited
expect_db "SELECT count(*) FROM tool_runs WHERE outcome IS NULL" 0
nothing_left
expect_sound
expect_db "SELECT count(*) FROM sessions WHERE trigger = 'destroy'" 1

stop_between_writes() { # PID: a process stopped in the middle of one keeps the database from everybody
    local lock
    lock=$(stat -c %i "$CHORUS_HOME/locks/database")
    for ((i = 0; i < 100; i++)); do
        kill -STOP "$1"
        sleep 0.05
        grep -q "WRITE .*:$lock " /proc/locks || return 0
        kill -CONT "$1"
        sleep 0.05
    done
    return 1
}

test_case "turns that do not listen are killed, with all they started: stopped, and of several threads" # S-20
init a --model builtin/script --permissions open
home_key sandbox '"off"'
begin_turn 'setsid --wait sleep 4322' # a leader of its group forks: without --wait the turn could end first
chorus-run a --new-thread '/bash trap "" TERM; sleep 4323; sleep 4323' >/dev/null 2>&1 </dev/null &
wait_for 15 in_db 'SELECT count(*) FROM turns WHERE pid IS NOT NULL' 2 || fail 'no second turn'
wait_for 15 running 'sleep 4323' || fail 'no second command'
kept=$(db 'SELECT pid FROM turns ORDER BY id LIMIT 1')
stop_between_writes "$kept" || fail 'it writes all the time'
for ((i = 0; i < 2000; i++)); do kill -STOP "$kept" 2>/dev/null || break; sleep 0.01; done &
keeper=$!
run chorus-destroy a --yes --json
expect_status 0
expect_json .turns 2
wait $keeper
for number in 4322 4323; do running "sleep $number" && fail "sleep $number goes on"; done
nothing_left
# one whose command is killed before itself may come to its end
expect_db "SELECT count(*) FROM turns WHERE state NOT IN ('exited', 'idle') OR ended_at IS NULL" 0

test_case "its tasks are ended, and on record as that" # L-43
init a --model builtin/script --permissions open
home_key sandbox '"off"'
run chorus-tasks run a -- 'trap "" TERM; touch begun; sleep 4326; sleep 4326'
expect_status 0
run chorus-tasks run a --on-exit 'go on' --run -- 'sleep 4327'
expect_status 0
wait_for 15 test -e "$(dir)/workspace/begun" || fail 'the task did not begin'
run chorus-destroy a --keep-files --yes --json
expect_status 0
expect_json .tasks 2
for number in 4326 4327; do running "sleep $number" && fail "sleep $number goes on"; done
expect_db "SELECT group_concat(status || ' ' || (ended_at IS NOT NULL)) FROM tasks" 'killed 1,killed 1'
expect_db 'SELECT count(*) FROM turns' 0
expect_db 'SELECT count(*) FROM inbox' 0
expect_equal "$(jq -c .running_tasks "$(dir)/agent.json")" '[]'
nothing_left

test_case "a stranger that has the pid of a turn is left alone"
init a --model builtin/script
run chorus-run a hello
sleep 4324 &
stranger=$!
db "UPDATE turns SET ended_at = NULL, state = 'working', pid = $stranger, pid_start = 1"
run chorus-destroy a --yes
expect_status 0
kill -0 $stranger || fail 'it was killed'
kill $stranger
wait $stranger 2>/dev/null
nothing_left
expect_db "SELECT state || ' ' || reason FROM turns" 'exited destroyed'

test_case "broken off while turns are waited for: destroying, told by everybody, and finished by the next"
init a --model builtin/script --permissions open
home_key sandbox '"off"'
CHORUS_DRAIN_TIMEOUT_MS=60s begin_turn 'trap "" TERM; sleep 3; echo done >end.txt'
CHORUS_DRAIN_TIMEOUT_MS=60s chorus-destroy a --yes >"$scratch/first.out" 2>"$scratch/first.err" </dev/null &
first=$!
wait_for 15 in_db 'SELECT status FROM agents' destroying || fail 'it does not begin'
sleep 0.3
kill -TERM $first
wait $first
expect_equal $? 143
expect_match "$(cat "$scratch/first.err")" 'error: interrupted'
expect_match "$(cat "$scratch/first.err")" 'hint: .*run the command again'
expect_db 'SELECT status FROM agents' destroying
run chorus-run a hi
expect_status 4
expect_match "$err" 'it is being destroyed'
expect_match "$err" 'chorus-destroy a finishes it'
run chorus-init a --model builtin/script
expect_status 5
run chorus-config doctor --fix
expect_status 1
expect_match "$out" "found: agent 'a': its chorus-destroy was interrupted; chorus-destroy a finishes it"
run chorus-destroy a --yes
expect_status 0
ended_turn
destroyed a 'destroyed 0 1'
nothing_left
run chorus-config doctor
expect_status 0

test_case "two at once: one does it, the other waits and says so"
init a --model builtin/script --permissions open
home_key sandbox '"off"'
begin_turn 'sleep 4325'
for i in 1 2 3; do
    chorus-destroy a --yes --json >"$scratch/$i.out" 2>"$scratch/$i.err" </dev/null &
    pids[$i]=$!
done
for i in 1 2 3; do wait "${pids[$i]}" || fail "number $i: $(cat "$scratch/$i.err")"; done
expect_equal "$(cat "$scratch"/[123].out | jq -s -c 'map(.by_another) | sort')" '[false,true,true]'
expect_match "$(cat "$scratch"/[123].err)" 'notice: another process is destroying it; waiting'
ended_turn
nothing_left
expect_db "SELECT count(*) FROM sessions WHERE trigger = 'destroy'" 1

test_case "an agent destroys nobody"
init a --model builtin/script --permissions open
home_key sandbox '"off"'
unchanged 6 'CHORUS_AGENT' env CHORUS_AGENT=a chorus-destroy a --yes
run chorus-run a "/bash env -u CHORUS_AGENT PATH='$PATH' CHORUS_HOME='$CHORUS_HOME' chorus-destroy a --yes; echo ended \$?"
expect_status 0
expect_match "$out" 'ended 6'
expect_match "$out" 'started by a running turn'
destroyed a 'active 0 0'

test_case "the channel is told, and what goes wrong there keeps nobody from it"
init a --model builtin/script --channel "command:cat >>$scratch/told"
home_key sandbox '"off"'
run chorus-run a 'hello there'
run chorus-destroy a --yes
expect_status 0
expect_match "$(cat "$scratch/told")" 'Agent a was destroyed. Its last context is in session [0-9a-f]{8}: hello there.'
init b --model builtin/script --channel 'command:exit 3'
run chorus-destroy b --yes
expect_status 0
expect_match "$err" 'notice: channel: not posted: .*exit status 3'
destroyed b 'destroyed 0 1'
nothing_left

test_case "its sub-agents end with it"
init a --model builtin/script
init other --model builtin/script
db "INSERT INTO agents (name, generation, kind, parent_id, preset, dir, model, permissions, description, channel_id, status, created_at)
    SELECT n, 1, 'child', p, 'explore', 'agents/a/branches/main/agents/' || n, 'm', 'standard', '', '', 'active', 1
    FROM (SELECT 'x-1' AS n, 1 AS p UNION ALL SELECT 'x-2', 3)"
run chorus-destroy a --yes
expect_status 0
expect_db "SELECT group_concat(name || ' ' || status, ', ') FROM (SELECT * FROM agents ORDER BY id)" \
    'a destroyed, other active, x-1 destroyed, x-2 destroyed'
run chorus-run other hello
expect_status 0

test_case "what a kill between row and files left is finished, and nobody else's"
init a --model builtin/script
run chorus-destroy a --yes
mkdir -p "$CHORUS_HOME"/agents/.tmp-999999-1-abc234-{a,b-a}/workspace
run chorus-destroy a --yes
expect_status 0
expect_match "$out" 'its remaining files were removed'
mkdir -p "$CHORUS_HOME"/agents/.tmp-999999-1-abc234-a/workspace
run chorus-destroy a --yes --json
expect_status 0
expect_json '"\(.schema) \(.agent) \(.generation) \(.by_another) \(.archive)"' 'chorus.destroyed/1 a 1 true null'
mkdir -p "$CHORUS_HOME"/agents/.tmp-999999-1-abc234-never/workspace
run chorus-destroy never --yes
expect_status 4
run chorus-destroy a --yes
expect_status 4
mkdir "$(dir)"
echo mine >"$(dir)/mine"
run chorus-destroy a --yes
expect_status 4
expect_file "$(dir)/mine" mine

test_case "options of the run that finishes hold"
init a --model builtin/script
run chorus-run a hello
db "UPDATE agents SET status = 'destroying'"
mkdir -p "$CHORUS_HOME/archive/a-1"
run chorus-destroy a --keep-files --yes
expect_status 0
destroyed a 'destroyed 1 1'
expect_equal "$(find "$(dir)/sessions" -name '*.json' | wc -l)" 1
init b --model builtin/script
run chorus-run b hello
run chorus-context save b --no-summary
db "UPDATE agents SET status = 'destroying' WHERE name = 'b'"
mkdir -p "$CHORUS_HOME/archive/b-1"
mv "$(dir b)/sessions" "$CHORUS_HOME/archive/b-1/sessions"
run chorus-destroy b --keep-files --yes
expect_status 0
expect_equal "$(find "$(dir b)/sessions" -name '*.json' | wc -l)" 2
expect_missing "$CHORUS_HOME/archive/b-1"
nothing_left
init c --model builtin/script
run chorus-run c hello
run chorus-context save c --no-summary
db "UPDATE agents SET status = 'destroying' WHERE name = 'c'"
mkdir -p "$CHORUS_HOME/archive/c-1"
mv "$(dir c)/sessions" "$CHORUS_HOME/archive/c-1/sessions"
run chorus-destroy c --purge --yes
expect_status 0
expect_missing "$CHORUS_HOME/archive/c-1"
nothing_left

end_tests
