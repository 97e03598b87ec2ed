#!/usr/bin/env bash
# needs: root
# branch, branches, switch and rewind of chorus-context(1).
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
[ "$(id -u)" = 0 ] || { echo "this test mounts file systems and needs root"; exit 1; }
for tool in strace script; do
    command -v $tool >/dev/null || { echo "this test needs $tool"; exit 1; }
done

own() { printf '%s/agents/a/%s' "$CHORUS_HOME" "$1"; } # PATH in the agent's directory
work() { own workspace; }
at=$(date +%s)000 # of its branches
stamp=$(date -u -d "@${at%000}" +%Y%m%d%H%M%S)
created=$(date -u -d "@${at%000}" +%Y-%m-%dT%H:%M:%S.000Z)
branch() { CHORUS_NOW_MS=$at run chorus-context branch a "$@"; } # its name begins with $stamp
transcript_ids() { grep -oE '^<!-- message [1-9][0-9]* ' "$1" | grep -oE '[0-9]+' | uniq | paste -sd' '; } # FILE, a notice has the id that stands before it
texts() { jq -r '[.messages[].content[] | select(.type == "text").text | select(startswith("<status>") | not)] | join("|")' "$1"; } # FILE
window() { # THREAD: what the database has in its window
    db "SELECT group_concat(content, '|') FROM (SELECT CASE role WHEN 'tool_result' THEN 'result' ELSE content END AS content
          FROM messages WHERE thread_id = $1 AND compacted_into IS NULL AND content <> '' ORDER BY id)"
}
# Messages: 1 first, 2 a call, 3 its result, 4 one; 5 second, 6 two; 7 third, 8 three. Requests: 1 2, 3, 4.
three_turns() {
    init a --model anthropic/m --permissions sandboxed
    start_server "$(answers "$(call c list_files '{}')" "$(say one)" "$(say two)" "$(say three)" "$(say four)" "$(say five)" "$(say six)" "$(say seven)")"
    for word in first second third; do run chorus-run a $word; done
    expect_equal "$(request_count)" 4
}
leftovers() { find "$(own .)" -name '.tmp-*' -o -name '.unfinished' | wc -l; }
expect_whole() { # rows and directories agree, nothing is left of what was killed, every copy hangs together
    expect_db "SELECT group_concat(branch, ' ') FROM (SELECT branch FROM threads WHERE agent_id = 1 ORDER BY branch DESC)" \
        "$(cd "$(own branches)" && printf '%s\n' * | LC_ALL=C sort -r | paste -sd' ')"
    expect_equal "$(leftovers)" 0
    expect_db 'PRAGMA integrity_check' ok
    expect_db 'PRAGMA foreign_key_check' ''
    for name in $(db 'SELECT branch FROM threads WHERE branch_point IS NOT NULL'); do
        grep -q '^branch_point_position: [0-9]*$' "$(own "branches/$name/branch-metadata.yml")" || fail "$name has no metadata"
        expect_equal "$(transcript_ids "$(own "branches/$name/session.md")")" \
            "$(db "SELECT group_concat(m.id, ' ') FROM messages m JOIN threads t USING (thread_id) WHERE t.branch = '$name'")"
    done
}

test_case "a fork at each message of the user, kept or left out, and at the end"
three_turns
expect_fork() { # MESSAGES WINDOW OPTIONS …: of a branch that is made and taken away again
    local count=$1 wanted=$2
    shift 2
    branch try "$@" --json
    expect_status 0
    expect_json '"\(.branch) \(.thread) \(.messages) \(.parent_branch) \(.parent_thread)"' "$stamp-try 2 $count main 1"
    expect_equal "$(window 2)" "$wanted"
    expect_whole
    expect_db "SELECT count(*) FROM messages WHERE thread_id = 1" 8
    db "DELETE FROM messages WHERE thread_id = 2; DELETE FROM turns WHERE thread_id = 2; DELETE FROM threads WHERE thread_id = 2"
    rm -r "$(own branches/$stamp-try)"
}
expect_fork 8 'first|result|one|second|two|third|three'
expect_fork 1 'first' --at 1
expect_fork 0 '' --at 1 --exclude
expect_fork 5 'first|result|one|second' --at 5
expect_fork 4 'first|result|one' --at 5 --exclude
expect_fork 7 'first|result|one|second|two|third' --at 7
expect_fork 6 'first|result|one|second|two' --at 7 --exclude
expect_fork 6 'first|result|one|second|two' --at 6
expect_fork 3 'first|result' --at 3
expect_fork 1 'first' --at 2 --exclude
for options in '--at 2' '--at 3 --exclude'; do
    branch try $options
    expect_status 2
    expect_match "$err" 'error: message [23]: a fork there would separate a call from its result'
    expect_db 'SELECT count(*) FROM threads' 1
done
expect_whole

test_case "the request of a branch up to its point is the old one's, byte for byte"
three_turns
branch kept --at 5
expect_status 0
expect_equal "$out" "$stamp-kept: thread 2, 5 messages of main, forked at message 5"
expect_match "$err" 'notice: its last message has no answer yet: chorus-run a -t kept --resume asks for one'
run chorus-run a -t kept --resume --json
expect_status 0
expect_json '"\(.thread) \(.text)"' '2 four'
cmp "$(request 3)" "$(request 5)" || fail 'the request for an answer to a message that was kept differs'
expect_db "SELECT state || ' ' || attempt || ' ' || turn_number FROM turns WHERE thread_id = 2" 'idle 2 1'
expect_db "SELECT group_concat(prefix_hash) FROM (SELECT prefix_hash FROM messages WHERE thread_id = 1 AND id <= 5 ORDER BY id)" \
    "$(db "SELECT group_concat(prefix_hash) FROM (SELECT prefix_hash FROM messages WHERE thread_id = 2 ORDER BY id LIMIT 5)")"
branch left --at 7 --exclude
run chorus-run a -t left third
expect_status 0
before=$(jq -c . "$(request 4)") after=$(jq -c . "$(request 6)")
expect_match "$after" '"text":"<status>'
common=${before%%\"text\":\"third\"*}
expect_match "$common" '"text":"second"'
expect_equal "${after%%\"text\":\"<status>*}" "$common"
[ "$(head -c ${#common} "$(request 6)")" = "$(head -c ${#common} "$(request 4)")" ] || fail 'the bytes before the newest message differ'
for request in 5 6; do expect_acceptable "$(request $request)"; done

test_case "both branches live on independently"
three_turns
branch try --at 7 --exclude
run chorus-run a -t try 'in the branch'
expect_status 0
run chorus-run a 'on main'
expect_status 0
expect_equal "$(texts "$(request 5)")" 'first|one|second|two|in the branch'
expect_equal "$(texts "$(request 6)")" 'first|one|second|two|third|three|on main'
run chorus-context rewind a --to 1
expect_status 0
run chorus-context messages a --json
expect_equal "$(jq -c 'select(.left_window) | .replaced_by' <<<"$out" | sort -u)" null
run chorus-run a -t try again
expect_equal "$(texts "$(request 7)")" 'first|one|second|two|in the branch|four|again'
run chorus-run a anew
expect_equal "$(texts "$(request 8)")" anew
run chorus-context rewind a -t try --to "$(db "SELECT id FROM messages WHERE content = 'in the branch'")"
expect_status 0
expect_equal "$(window 1)" 'anew|seven'
expect_equal "$(window 2)" 'first|result|one|second|two'
expect_whole
expect_equal "$(grep -c 'in the branch' "$(own branches/main/session.md)")" 0
expect_equal "$(grep -c 'in the branch' "$(own branches/$stamp-try/session.md)")" 1
expect_match "$(cat "$(own branches/$stamp-try/session.md)")" "Branch $stamp-try .*Forked from main at message 7.*User .*first.*Result of c.*one.*second.*two.*in the branch"
expect_db 'SELECT turn_count FROM agents' 7

test_case "the metadata, the rows, the commit of that point"
three_turns
db "UPDATE turns SET commit_before = printf('%040d', turn_number), commit_after = printf('%040d', turn_number + 5)"
branch end
branch before --at 5 --exclude
expect_file "$(own branches/$stamp-end/branch-metadata.yml)" "parent_branch: \"main\"
created: \"$created\"
branch_point: 8
branch_point_included: true
branch_point_position: 8
commit: \"$(printf %040d 8)\""
expect_file "$(own branches/$stamp-before/branch-metadata.yml)" "parent_branch: \"main\"
created: \"$created\"
branch_point: 5
branch_point_included: false
branch_point_position: 4
commit: \"$(printf %040d 2)\""
run chorus-context branches a --json
expect_status 0
expect_equal "$(jq -c '[.branch, .thread, .current, .parent_branch, .branch_point, .commit]' <<<"$out")" "[\"main\",1,true,null,null,null]
[\"$stamp-end\",2,false,\"main\",8,\"$(printf %040d 8)\"]
[\"$stamp-before\",3,false,\"main\",5,\"$(printf %040d 2)\"]"
expect_equal "$(jq -r .created_at <<<"$out" | tail -1)" "$created"
run chorus-context branches a
expect_equal "$(cut -f1-4 <<<"$out")" "* main	thread 1	-	idle
  $stamp-end	thread 2	main at 8	idle
  $stamp-before	thread 3	main at 5	idle"
expect_match "$(TERM=dumb script -qec 'chorus-context branches a' /dev/null </dev/null)" "\* main +thread 1 +- +idle +[0-9]+ sec ago"
# a fork of a fork knows the commit of what it copied
branch deeper -t before --at "$(db "SELECT max(id) FROM messages WHERE thread_id = 3")" --json
expect_json '"\(.parent_branch) \(.commit)"' "$stamp-before $(printf %040d 6)"
expect_equal "$(stat -c %a "$(own branches/$stamp-end)" "$(own branches/$stamp-end/session.md)" "$(own branches/$stamp-end/branch-metadata.yml)" | paste -sd' ')" '700 600 600'
expect_whole

test_case "search finds what was said once, and original times are kept"
three_turns
db "UPDATE messages SET timestamp = timestamp - 5000"
said=$(db "SELECT group_concat(timestamp) FROM messages WHERE thread_id = 1")
branch try
expect_equal "$(chorus-context search second --json | wc -l)" 1
expect_db "SELECT group_concat(original_timestamp) FROM messages WHERE thread_id = 2" "$said"
expect_db "SELECT group_concat(restored_from) FROM messages WHERE thread_id = 2 AND id < 12" 'message 1,message 2,message 3'
branch more -t try
expect_db "SELECT group_concat(original_timestamp) FROM messages WHERE thread_id = 3" "$said"
expect_db "SELECT min(restored_from) FROM messages WHERE thread_id = 3" 'message 1'
expect_equal "$(grep -o '^## User · .*' "$(own branches/$stamp-more/session.md)")" "$(grep -o '^## User · .*' "$(own branches/$stamp-try/session.md)")"

test_case "switch moves the link current, and turns follow it; -t takes a branch by either name"
three_turns
branch try --at 5 --exclude
run chorus-context switch a try
expect_status 0
expect_equal "$out" "current: $stamp-try, thread 2"
expect_equal "$(readlink "$(own current)")" branches/$stamp-try
run chorus-run a here --json
expect_json .thread 2
for name in try $stamp-try 2; do
    run chorus-run a -t $name 'and here' --json
    expect_json .thread 2
done
run chorus-run a -t main there --json
expect_json .thread 1
run chorus-run a --new-thread beside --json
expect_json .thread 3
expect_db "SELECT branch || ' ' || parent_thread FROM threads WHERE thread_id = 3" "$stamp-try 2"
[ -s "$(own branches/$stamp-try/session-t3.md)" ] || fail 'a thread beside the branch has no transcript in it'
run chorus-context branches a --json
expect_equal "$(jq -c 'select(.current).branch' <<<"$out")" "\"$stamp-try\""
expect_equal "$(jq -s length <<<"$out")" 2
run chorus-context branch a deeper
expect_match "$out" "of $stamp-try, forked"
run chorus-context switch a $stamp-try --json
expect_json '"\(.branch) \(.thread)"' "$stamp-try 2"
ln -s nowhere "$(own .tmp-current)" # of one that was killed
run chorus-context switch a main
expect_status 0
expect_equal "$(readlink "$(own current)")" branches/main
expect_equal "$(leftovers)" 0
for name in nonsense 2 3 '../main' branches/main; do
    run chorus-context switch a -- "$name"
    expect_status 4
    expect_match "$err" "error: agent 'a': no branch "
done
run chorus-run a -t nonsense hi
expect_status 4
expect_match "$err" "error: agent 'a': no thread 'nonsense'"
expect_equal "$(readlink "$(own current)")" branches/main

test_case "a name that several have is not guessed at"
three_turns
branch try
branch other
db "UPDATE threads SET branch = '20260212103001-try' WHERE thread_id = 3"
for command in 'chorus-run a hi -t try' 'chorus-context switch a try' 'chorus-context rewind a --to 1 -t try' 'chorus-context branch a new -t try'; do
    run $command
    expect_status 2
    expect_match "$err" "error: branch 'try': 2 branches have that name: '$stamp-try' and '20260212103001-try'"
done
run chorus-context switch a 20260212103001-try
expect_status 0
branch try
expect_status 5

test_case "names that are none, ids that are none, agents that are none: one line, and nothing is made"
three_turns
for name in '../x' . .. ' ' 'a b' 'a/b' '.hidden' '-rf' '_x' 2 20260212103000 main "$(printf 'x%.0s' {1..65})" $'a\nb' 'ünï' $'\e[2J' 'a;b' '$(id)' '*'; do
    branch -- "$name"
    expect_status 2
    expect_match "$err" '^chorus-context: error: branch .*: not a valid branch name'
    expect_equal "$(wc -l <"$scratch/err")" 2
    expect_no_match "$err" $'\e'
done
branch -rf
expect_status 2
for id in 99 1000000000000; do
    branch try --at $id
    expect_status 4
    expect_match "$err" "error: message $id: thread 1 of agent 'a' has no such message"
    run chorus-context rewind a --to $id
    expect_status 4
    expect_match "$err" "error: message $id: thread 1 of agent 'a' has no such message"
done
for id in 0 -1 x 1.5 7x 99999999999999999999; do
    branch try --at "$id"
    expect_status 2
    expect_match "$err" "error: --at: '$id' is not the id of a message"
    run chorus-context rewind a --to "$id"
    expect_status 2
    expect_match "$err" "error: --to: '$id' is not the id of a message"
done
branch try --exclude
expect_status 2
branch try -t 9
expect_status 4
run chorus-context rewind a
expect_status 2
for id in 2 3 4; do
    run chorus-context rewind a --to $id
    expect_status 2
    expect_match "$err" "error: message $id: it did not begin a turn"
done
run chorus-context branch nobody try
expect_status 4
init b --model builtin/script
run chorus-context branch b try
expect_status 4
expect_match "$err" "error: agent 'b': there are no messages in thread 1 yet"
run chorus-run b hello
id=$(db 'SELECT max(id) - 1 FROM messages')
branch try --at "$id"
expect_status 4
expect_no_match "$err" 'it is in thread'
expect_match "$err" 'hint: chorus-context messages a -t 1 shows the ids'
run chorus-run a --new-thread elsewhere
id=$(db "SELECT id FROM messages WHERE content = 'elsewhere'")
branch try --at "$id"
expect_status 4
expect_match "$err" 'hint: it is in thread 2: -t 2'
run chorus-context rewind a --to "$id"
expect_match "$err" 'hint: it is in thread 2: -t 2'
expect_db 'SELECT count(*) FROM threads WHERE branch_point IS NOT NULL' 0
expect_equal "$(ls -A "$(own branches)")" main
branch try
expect_status 0
branch try
expect_status 5
expect_match "$err" "error: branch 'try': agent 'a' has it already, as $stamp-try"
mkdir "$(own branches/$stamp-taken)" # of an agent that was adopted: not ours to remove
echo mine >"$(own branches/$stamp-taken/session.md)"
branch taken
expect_status 5
expect_match "$err" 'already exists'
expect_file "$(own branches/$stamp-taken/session.md)" mine
branch good.name_1-2
expect_status 0

test_case "a sub-agent does not branch" # P-89 P-97
three_turns
db "INSERT INTO agents (name, generation, kind, parent_id, preset, dir, model, permissions, description, channel_id, status, created_at)
    VALUES ('researcher-20260101000000-look', 1, 'child', 1, 'researcher', 'agents/a/branches/main/agents/researcher-20260101000000-look', 'builtin/script', 'locked', '', '', 'active', 5)"
run chorus-context branch researcher-20260101000000-look try
expect_status 2
expect_match "$err" "error: agent 'researcher-20260101000000-look': a sub-agent cannot be branched"

test_case "sub-agents that were there at the point are copied, directory and rows, and live on independently"
three_turns
child() { # ID NAME CREATED
    mkdir -p "$(own "branches/main/agents/$2/work")"
    echo "preset of $2" >"$(own "branches/main/agents/$2/preset.md")"
    db "INSERT INTO agents (id, name, generation, kind, parent_id, preset, dir, model, permissions, description, channel_id, status, created_at)
          VALUES ($1, '$2', 1, 'child', 1, 'p', 'agents/a/branches/main/agents/$2', 'builtin/script', 'locked', '', '', 'active', $3);
        INSERT INTO threads (agent_id, thread_id, branch, summary, window_start, created_at, last_activity) VALUES ($1, 1, 'main', '', 0, 0, 0);
        INSERT INTO messages (agent_id, thread_id, role, timestamp, content, extra) VALUES ($1, 1, 'user', 1, 'work of $2', '{\"starts_turn\":true}');
        INSERT INTO messages (agent_id, thread_id, role, timestamp, content) VALUES ($1, 1, 'assistant', 2, 'done by $2')"
}
child 50 early "$(db 'SELECT timestamp - 1 FROM messages WHERE id = 5')"
child 51 late "$(db 'SELECT timestamp + 1 FROM messages WHERE id = 8')"
mkdir "$(own branches/main/agents/unknown)"
echo x >"$(own branches/main/agents/unknown/session.md)"
ln -s /etc "$(own branches/main/agents/link)"
branch try --at 5
expect_status 0
expect_equal "$(ls "$(own branches/$stamp-try/agents)" | paste -sd' ')" 'early unknown'
expect_file "$(own branches/$stamp-try/agents/early/preset.md)" 'preset of early'
expect_db "SELECT name || ' ' || parent_id || ' ' || status || ' ' || dir FROM agents WHERE id > 51" "early 1 active agents/a/branches/$stamp-try/agents/early"
expect_db "SELECT group_concat(content) FROM messages WHERE agent_id > 51" 'work of early,done by early'
expect_db "SELECT count(*) FROM messages WHERE agent_id = 50" 2
branch end
expect_db "SELECT group_concat(name) FROM (SELECT name FROM agents WHERE dir LIKE '%-end/%' ORDER BY name)" early,late
expect_whole

test_case "a turn that has not ended: the branch begins before it, and no call is parted from its result"
init a --model anthropic/m --permissions standard
start_server "$(answers "$(say one)" "$(call c bash '{"command": "touch made"}')" "$(say two)" "$(say three)")"
run chorus-run a first
run chorus-run a second
expect_status 10
branch try
expect_status 0
expect_match "$err" 'notice: turn 2 of thread 1 has not ended: the branch starts before it'
expect_equal "$(window 2)" 'first|one'
expect_db "SELECT state FROM prompts" pending
branch kept --at 3
expect_status 0
expect_equal "$(window 3)" 'first|one|second'
branch torn --at 4
expect_status 2
run chorus-run a -t try 'second thoughts'
expect_status 0
expect_equal "$out" two
run chorus-run a --approve "$(db 'SELECT id FROM prompts')"
expect_status 0
expect_equal "$(ls "$(work)")" made
expect_equal "$(window 1)" 'first|one|second|result|three'
expect_equal "$(window 2)" 'first|one|second thoughts|two'
expect_whole

test_case "a branch is made while a turn is at work; what moves things waits for it or is refused"
init a --model anthropic/m --permissions sandboxed
start_server "$(answers "$(say one)" "$(call c bash '{"command": "touch began; while [ ! -e go ]; do sleep 0.05; done"}')" "$(say two)")"
run chorus-run a first
chorus-run a second >/dev/null 2>&1 </dev/null &
turn=$!
wait_for 10 test -e "$(work)/began" || fail 'the turn did not come to its command'
branch try
expect_status 0
expect_match "$err" 'turn 2 of thread 1 has not ended'
expect_equal "$(window 2)" 'first|one'
for command in 'switch a try' 'rewind a --to 1'; do
    run chorus-context $command
    expect_status 75
    expect_match "$err" "error: agent 'a': turn 2 of thread 1 is running"
done
chorus-context switch a try --wait=20s >"$scratch/switched" 2>&1 &
waiting=$!
touch "$(work)/go"
wait $turn || fail 'the turn failed'
wait $waiting || fail 'the one that waited failed'
expect_equal "$(readlink "$(own current)")" branches/$stamp-try
expect_whole
expect_sound_threads() { expect_db "SELECT count(*) FROM turns WHERE ended_at IS NULL" 0; }
expect_sound_threads

test_case "a message that has left the window is forked with what its turn saw"
three_turns
db "UPDATE agents SET last_clear_message = 6, last_clear_time = 1"
branch old --at 5
expect_status 0
expect_equal "$(window 2)" 'first|result|one|second'
branch end
expect_equal "$(window 3)" 'third|three'
run chorus-run a -t old --resume
cmp "$(request 3)" "$(request 5)" || fail 'the request differs from the one of before the clear'
# what was said before an earlier clear had left already
run chorus-run a fourth
db "UPDATE agents SET last_clear_message = (SELECT max(id) FROM messages)"
run chorus-run a fifth
db "UPDATE agents SET last_clear_message = (SELECT max(id) FROM messages)"
branch later --at "$(db "SELECT id FROM messages WHERE content = 'fifth'")"
expect_equal "$(window 4)" fifth
branch earlier --at "$(db "SELECT id FROM messages WHERE content = 'fourth' AND thread_id = 1")"
expect_equal "$(window 5)" 'first|result|one|second|two|third|three|fourth'
db "UPDATE messages SET timestamp = timestamp - 90000000 WHERE id <= 4 AND thread_id = 1"
branch aged --at 5
expect_equal "$(window 6)" second

test_case "rewind: later messages leave the window, history keeps them, and a branch brings them back"
three_turns
run chorus-context rewind a --to 5
expect_status 0
expect_equal "$out" 'thread 1: back to before message 5; 4 messages have left the window, up to 8
  undo: chorus-context branch a BRANCH --at 8 -t 1'
expect_equal "$err" ''
expect_equal "$(window 1)" 'first|result|one'
expect_db "SELECT count(*) FROM messages" 8
expect_equal "$(chorus-context search third --json | wc -l)" 1
expect_match "$(tail -4 "$(own branches/main/session.md)")" 'Rewound · .*Back to before message 5: messages 5 to 8 have left the window\.'
run chorus-run a 'another way'
expect_equal "$(texts "$(request 5)")" 'first|one|another way'
expect_acceptable "$(request 5)"
expect_sound
for id in 5 7; do
    run chorus-context rewind a --to $id
    expect_status 4
    expect_match "$err" "error: message $id: it has left the window already"
    expect_match "$err" "hint: chorus-context branch a BRANCH --at $id -t 1 begins a branch with it"
done
branch undo --at 8
expect_status 0
expect_equal "$(window 2)" 'first|result|one|second|two|third|three'
branch between --at 7 --exclude
expect_equal "$(window 3)" 'first|result|one|second|two'
branch new --at "$(db "SELECT id FROM messages WHERE content = 'another way'")"
expect_equal "$(window 4)" 'first|result|one|another way'
run chorus-context rewind a --to 1 --json
expect_json '"\(.thread) \(.to) \(.messages) \(.given_up_turn) \(.checkpoint) \(.undo_checkpoint)"' '1 1 6 null null null'
run chorus-run a --resume
expect_status 0
expect_equal "$(request_count)" 5
run chorus-run a 'from the start'
expect_equal "$(texts "$(request 6)")" 'from the start'
expect_sound

test_case "rewind gives up a turn that waits, one that is parked, one that was killed"
init a --model anthropic/m --permissions standard
start_server "$(answers "$(say one)" "$(call c bash '{"command": "touch made"}')" "$(say two)")"
run chorus-run a first
run chorus-run a second
expect_status 10
prompt=$(db 'SELECT id FROM prompts')
run chorus-context rewind a --to 3
expect_status 0
expect_match "$err" 'notice: turn 2, which had not ended, is given up'
expect_db "SELECT state FROM prompts" cancelled
expect_db "SELECT state || ' ' || reason FROM turns WHERE turn_number = 2" 'exited rewound'
expect_equal "$(chorus-context branches a --json | jq -r .status)" idle
expect_equal "$(window 1)" 'first|one'
expect_sound
run chorus-run a --approve "$prompt"
expect_status 4
run chorus-run a --resume
expect_status 0
run chorus-run a third
expect_status 0
expect_equal "$(texts "$(request 3)")" 'first|one|third'
expect_missing "$(work)/made"
expect_sound
start_server "$(answers '{"status": 429, "headers": {"retry-after": "3600"}, "body": "{\"type\": \"error\", \"error\": {\"type\": \"rate_limit_error\", \"message\": \"slow\"}}"}')"
home_key max_retries 0
run chorus-run a 'it is parked'
expect_status 75
id=$(db "SELECT id FROM messages WHERE content = 'it is parked'")
run chorus-context rewind a --to "$id"
expect_status 0
expect_db "SELECT count(*) FROM turns WHERE ended_at IS NULL" 0
start_server "$(answers "$(call d bash '{"command": "touch half; sleep 30"}')" "$(say ok)")"
agent_key a permissions '"sandboxed"'
chorus-run a 'it is killed' >/dev/null 2>&1 </dev/null &
killed=$!
wait_for 10 test -e "$(work)/half" || fail 'the turn did not come to its command'
kill -9 $killed
wait $killed 2>/dev/null
run chorus-context rewind a --to "$(db "SELECT id FROM messages WHERE content = 'it is killed'")"
expect_status 0
expect_db "SELECT state || ' ' || reason FROM turns ORDER BY id DESC LIMIT 1" 'exited crashed'
expect_sound
run chorus-run a go
expect_status 0
expect_equal "$out" ok

test_case "rewind moves a cut back that was made for what is gone"
three_turns
agent_key a max_messages 3
run chorus-run a fourth
expect_db 'SELECT window_start FROM threads' 7
agent_key a max_messages 100
run chorus-context rewind a --to 7
expect_status 0
run chorus-run a again
expect_equal "$(texts "$(request 6)")" 'first|one|second|two|again'

test_case "two at once: one of that name, all of several names"
three_turns
for i in {1..6}; do chorus-context branch a try >"$scratch/same.$i" 2>&1 & done
for i in {1..6}; do chorus-context branch a try$i >"$scratch/each.$i" 2>&1 & done
wait $(jobs -p | grep -vx "$server_pid")
expect_equal "$(grep -L error "$scratch"/same.* | wc -l)" 1
expect_equal "$(grep -l "error: branch 'try': agent 'a' has it already" "$scratch"/same.* | wc -l)" 5
expect_equal "$(grep -L error "$scratch"/each.* | wc -l)" 6
expect_db 'SELECT count(*) FROM threads' 8
for thread in {2..8}; do expect_equal "$(window $thread)" 'first|result|one|second|two|third|three'; done
expect_whole

test_case "killed anywhere there is all of it or nothing, and the next command clears up"
three_turns
calls=rename,renameat,renameat2,fsync,fdatasync,syncfs,unlink,unlinkat,mkdir,mkdirat,link,linkat,pwrite64,write,openat
strace -qq -e trace=$calls -o "$scratch/trace" chorus-context branch a try >/dev/null 2>&1
begins=$(grep -n -m1 tmp-branch "$scratch/trace" | cut -d: -f1) ends=$(grep -n unfinished "$scratch/trace" | tail -1 | cut -d: -f1)
db "DELETE FROM messages WHERE thread_id = 2; DELETE FROM turns WHERE thread_id = 2; DELETE FROM threads WHERE thread_id = 2"
rm -r "$(own branches)"/*-try
whole=0 nothing=0
head -$((begins - 1)) "$scratch/trace" >"$scratch/before"
head -$((ends + 1)) "$scratch/trace" >"$scratch/until"
points=() # strace counts each system call for itself
for call in ${calls//,/ }; do
    step=2
    [[ $call == unlink* ]] && step=1 # the last of them comes after the rows
    for ((k = $(grep -c "^$call(" "$scratch/before") + 1 + RANDOM % step; k <= $(grep -c "^$call(" "$scratch/until"); k += step)); do points+=("$call $k"); done
done
for point in "${points[@]}"; do
    read -r call k <<<"$point"
    { strace -qq -o /dev/null -e "inject=$call:signal=KILL:when=$k" chorus-context branch a try >/dev/null 2>&1 </dev/null; } 2>/dev/null
    run chorus-context branches a
    expect_status 0
    expect_whole
    if [ "$(db 'SELECT count(*) FROM threads')" = 2 ]; then
        whole=$((whole + 1))
        expect_equal "$(window 2)" 'first|result|one|second|two|third|three'
        db "DELETE FROM messages WHERE thread_id = 2; DELETE FROM threads WHERE thread_id = 2"
        rm -r "$(own branches)"/*-try
    else
        nothing=$((nothing + 1))
    fi
done
[ $whole -gt 0 ] && [ $nothing -gt 5 ] || fail "killed: $whole times all of it, $nothing times nothing"
run chorus-context branch a try
expect_status 0

test_case "switch and rewind, killed: before or after, and done again it is done"
three_turns
run chorus-context branch a try
calls=rename,symlink,unlink,fsync,fdatasync,pwrite64
strace -qq -e trace=$calls -o "$scratch/trace" chorus-context switch a try >/dev/null 2>&1
for ((k = 1; k <= $(wc -l <"$scratch/trace"); ++k)); do
    { strace -qq -o /dev/null -e "inject=$calls:signal=KILL:when=$k" chorus-context switch a main >/dev/null 2>&1 </dev/null; } 2>/dev/null
    [[ $(readlink "$(own current)") =~ ^branches/(main|[0-9]*-try)$ ]] || fail 'current leads nowhere'
    run chorus-context switch a try
    expect_status 0
    expect_equal "$(leftovers)" 0
done
for k in 1 2 3 4 5 6 7 8 10 12 16; do
    rm -rf "$CHORUS_HOME"
    init a --model builtin/script --permissions open
    run chorus-run a '/create_file {"path": "f", "content": "x"}'
    run chorus-run a second
    id=$(db "SELECT id FROM messages WHERE content = 'second'")
    { strace -qq -o /dev/null -e "inject=$calls:signal=KILL:when=$k" chorus-context rewind a --workspace --to "$id" >/dev/null 2>&1 </dev/null; } 2>/dev/null
    run chorus-context rewind a --workspace --to "$id"
    [ "$status" = 0 ] || expect_match "$err" 'it has left the window already'
    expect_db "SELECT count(*) FROM messages WHERE id >= $id AND compacted_into IS NULL" 0
    expect_equal "$(git -C "$(work)" log --format=%s)" 'Initial commit'
    expect_file "$(work)/f" x
    expect_equal "$(git -C "$(work)" fsck --strict --no-dangling --no-progress 2>&1)" ''
    run chorus-run a third
    expect_status 0
    expect_sound
done

disk=''
trap 'stop_server; [ -z "$disk" ] || umount -l "$disk"; rm -rf "$base"' EXIT
test_case "a full disk: one line, nothing is made, and it works once there is room"
disk=$CHORUS_HOME
mkdir -p "$disk"
mount -t tmpfs -o size=8m,mode=0700 chorus-test "$disk" || { echo 'cannot mount a tmpfs'; exit 1; }
init a --model builtin/script
run chorus-run a first
mkdir -p "$(own branches/main/agents/big)"
head -c 1000000 /dev/zero >"$(own branches/main/agents/big/session.md)"
run chorus-context branches a
for room in 0 8 64 600; do
    rm -f "$CHORUS_HOME/filler"
    cat /dev/zero >"$CHORUS_HOME/filler" 2>/dev/null
    truncate -s -${room}K "$CHORUS_HOME/filler"
    run chorus-context branch a try
    expect_status 1
    expect_equal "$(grep -c '^chorus-context: error: ' <<<"$err")" 1
    expect_match "$err" '(full|[Nn]o space)'
    expect_whole
done
rm "$CHORUS_HOME/filler"
run chorus-context branch a try
expect_status 0
expect_whole
cat /dev/zero >"$CHORUS_HOME/filler" 2>/dev/null
run chorus-context rewind a --to 1
expect_status 1
expect_equal "$(grep -c '^chorus-context: error: ' <<<"$err")" 1
rm "$CHORUS_HOME/filler"
expect_db 'SELECT count(*) FROM messages WHERE compacted_into IS NOT NULL' 0
run chorus-context rewind a --to 1
expect_status 0
cd / && umount -l "$disk"
disk=''
cd "$scratch" || exit 1

end_tests
