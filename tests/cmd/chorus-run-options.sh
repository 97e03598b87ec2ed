#!/usr/bin/env bash
# needs: root
# The options of chorus-run(1), each by what it changes.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

user_texts() { # FILE: what the user says in a request to anthropic, a line each
    jq -r '.messages[] | select(.role == "user").content[] | select(.type == "text").text' "$1"
}

test_case "-m: another model for one turn"
init a --model anthropic/own
start_server "$(answers "$(say ok)")"
run chorus-run a hi -m openai/other
expect_status 0
run chorus-run a hi --model=openai-chat/third
run env CHORUS_MODEL=anthropic/environment chorus-run a hi
run env CHORUS_MODEL=anthropic/environment chorus-run a hi -m anthropic/option
run chorus-run a hi
expect_equal "$(jq -r .model "$scratch"/log/*.json | tr '\n' ' ')" 'other third environment option own '
expect_db "SELECT group_concat(model, ' ') FROM turns" 'openai/other openai-chat/third anthropic/environment anthropic/option anthropic/own'
expect_equal "$(jq -r .model "$CHORUS_HOME/agents/a/agent.json")" anthropic/own
expect_acceptable "$(request 5)"

test_case "base_url: the environment before config.json"
init a --model anthropic/m
start_server "$(answers "$(say ok)")"
home_key providers '{"anthropic": {"base_url": "http://127.0.0.1:1", "api_version": "2031-01-01", "max_output_tokens": 77}}'
run chorus-run a hi
expect_status 0
expect_match "$(cat "$scratch/log/0001.head")" 'anthropic-version: 2031-01-01'
expect_equal "$(jq .max_tokens "$(request 1)")" 77
home_key providers '{"anthropic": {"base_url": "http://127.0.0.1:'"$port"'/"}}'
run env -u CHORUS_ANTHROPIC_BASE_URL chorus-run a hi
expect_status 0
expect_equal "$(request_count)" 2

test_case "-t and --new-thread: conversations beside each other" # C-12 C-69 A-06 A-08 A-36 X-27
init a --model anthropic/m
start_server "$(answers "$(say ok)")"
run chorus-run a 'in the first'
run chorus-run a --new-thread 'in the second'
expect_status 0
expect_equal "$err" 'chorus-run: notice: thread 2'
run chorus-run a --new-thread 'in the third' --json -q
expect_json '"\(.thread) \(.turn)"' '3 1'
expect_equal "$err" ''
run chorus-run a -t 2 'second again' --json
expect_json '"\(.thread) \(.turn)"' '2 2'
run chorus-run a -t main 'first again' --output-format stream-json
expect_equal "$(jq -r .contextId "$scratch/out" | sort -u)" a/1
expect_equal "$(user_texts "$(request 4)" | grep -v -e status -e thread)" $'in the second\nsecond again'
expect_equal "$(user_texts "$(request 5)" | grep -v -e status -e thread)" $'in the first\nfirst again'
expect_db "SELECT group_concat(DISTINCT thread_id || ' ' || role) FROM messages WHERE content LIKE '%second%'" '2 user'
expect_match "$(cat "$CHORUS_HOME/agents/a/branches/main/session-t2.md")" 'in the second.*second again'
expect_no_match "$(cat "$CHORUS_HOME/agents/a/branches/main/session.md")" 'in the second'
run chorus-run a --new-thread -t 2 x
expect_status 2
expect_db 'SELECT count(*) FROM threads' 3

test_case "the status of other threads stands before the message, and stays as it was" # C-35 C-64 C-70
init a --model anthropic/m --permissions standard
echo 'Documents are read.' >"$CHORUS_HOME/agents/a/docs/notes.md"
start_server "$(answers "$(call c bash '{"command": "make"}')")"
run chorus-run a 'first'
expect_status 10
start_server "$(answers "$(say ok)")"
run chorus-run a --new-thread 'second'
# C-03, C-35, C-70
expect_match "$(user_texts "$(request 1)" | tr '\n' '|')" '^<status>\|Other threads of this agent:\|- thread 1: waiting_for_permission, step 1, calling bash; first\|Waiting for a person.s decision:\|- [^:|]*: tool:bash:make\|</status>\|second\|$'
expect_match "$(jq -r '.system[].text' "$(request 1)")" 'Documents are read'
expect_no_match "$(cat "$CHORUS_HOME/agents/a/branches/main/session-t2.md")" '<status>'
run chorus-run a --cancel-prompts 'third'
run chorus-run a -t 2 'fourth'
expect_equal "$(jq -c '.messages[0] | del(.. | .cache_control?)' "$(request 3)")" "$(jq -c '.messages[0] | del(.. | .cache_control?)' "$(request 1)")"
expect_db "SELECT group_concat(summary) FROM (SELECT summary FROM threads ORDER BY thread_id)" first,second
run chorus-context clear a
expect_db "SELECT count(*) FROM threads WHERE summary <> ''" 0
run chorus-run a -t 2 'fifth'
expect_db "SELECT group_concat(summary) FROM (SELECT summary FROM threads ORDER BY thread_id)" ,fifth

test_case "--fresh: this turn sees nothing of before, later ones do"
init a --model anthropic/m
start_server "$(answers "$(call c list_files '{}')" "$(say one)" "$(call c list_files '{}')" "$(say two)" "$(say three)")"
run chorus-run a first
run chorus-run a second --fresh
expect_equal "$(user_texts "$(request 3)")" second
expect_equal "$(user_texts "$(request 4)")" second
run chorus-run a third
expect_equal "$(user_texts "$(request 5)" | tr '\n' ' ')" 'first second third '
expect_acceptable "$(request 5)"

test_case "-C: another directory, confined in the same way, and on record"
init a --model builtin/script --permissions sandboxed
mkdir -p project/sub outside && git -C project init -q -b trunk
git -C project -c user.name=x -c user.email=x@y commit -q --allow-empty -m first
ln -s "$scratch/outside" project/link
run chorus-run a -C project '/create_file {"path": "new.txt", "content": "made here"}
/bash pwd; echo shell >sub/shell.txt; echo x >../outside/escaped
/create_file {"path": "link/escaped", "content": "x"}
/create_file {"path": "../outside/escaped", "content": "x"}
/bash cat '"$CHORUS_HOME"'/agents/a/agent.json
/git_commit From another place'
expect_status 0
expect_file project/new.txt 'made here'
expect_file project/sub/shell.txt shell
expect_missing outside/escaped
expect_match "$out" "stdout:"$'\n'"$scratch/project"
expect_equal "$(git -C project log -1 --format='%an %s')" 'a From another place'
expect_equal "$(ls -A "$CHORUS_HOME/agents/a/workspace")" $'.git\n.gitkeep'
expect_no_match "$out" '"system_prompt"'
expect_db 'SELECT working_directory FROM turns' "$scratch/project"
expect_db "SELECT commit_before || ' ' || commit_after FROM turns" "$(git -C project rev-parse HEAD~1 HEAD | tr '\n' ' ' | sed 's/ $//')"
run chorus-run a '/list_files'
expect_no_match "$out" 'new\.txt'
expect_db "SELECT group_concat(working_directory, '|') FROM turns" "$scratch/project|"
mkdir "$HOME/below"
for place in / "$HOME" "$CHORUS_HOME" "$scratch" "$CHORUS_HOME/agents/a/workspace" /tmp; do
    run chorus-run a -C "$place" hi
    expect_status 2
    expect_one_error "-C: '$place': not a place to work in"
done
for place in project/new.txt nowhere; do
    run chorus-run a -C "$place" hi
    expect_status 2
    expect_one_error "-C: '$place': not a directory"
done
run chorus-run a -C "$HOME/below" hi
expect_status 0
ln -s / rootlink
run chorus-run a -C rootlink hi
expect_status 2

test_case "-C: no place in a git directory" # 12 A4
init a --model builtin/script --permissions sandboxed
commit() { git -C "$1" -c user.name=x -c user.email=x@y commit -q --allow-empty -m first; }
git init -q repo && commit repo && git -C repo worktree add -q ../tree 2>/dev/null
git init -q --bare bare.git
git init -q --separate-git-dir "$scratch/aside" work && commit work
mkdir -p repo/.git/modules/m repo/.git/new bare.git/sub odd/.git/x
ln -s "$scratch/repo/.git/hooks" link
cd repo || exit 1
for place in .git .git/hooks .git/../.git//objects/ "$scratch/repo/.git/info" .git/modules/m .git/new .git/worktrees/tree \
    ../bare.git ../bare.git/hooks ../bare.git/sub ../aside ../aside/hooks ../link ../odd/.git/x; do
    run chorus-run a -C "$place" '/bash touch made'
    expect_status 2
    expect_one_error "-C: '$scratch/.*': not a place to work in: .*git directory $scratch"
    expect_match "$err" 'hint: use its work tree'
done
cd ..
expect_equal "$(find . -name made)" ''
mkdir objects refs sub && run chorus-run a -C sub '/bash echo fine'
expect_match "$out" 'fine'
# what git init --separate-git-dir makes names no work tree
agent_key a permissions '"open"'
run chorus-run a -C work '/bash touch made'
expect_match "$err" "notice: no command can be run: $scratch/work/.git: leads to $scratch/aside, .*; work in a linked worktree of that repository"
expect_match "$out" 'hint: work in a linked worktree of that repository'
expect_no_match "$out$err" 'sandbox off'
agent_key a permissions '"standard"'
run chorus-run a --new-thread -C work '/bash touch made'
expect_status 0
expect_match "$out" 'no command can run: '
expect_db 'SELECT count(*) FROM prompts' 0
# what was approved before is on record as that
run chorus-run a --new-thread -C repo '/bash touch made'
expect_status 10
chorus-config set programs '{"bwrap": "/nowhere/bwrap"}'
run chorus-run a -t "$(db 'SELECT max(thread_id) FROM turns')" --approve all
expect_match "$out" 'no command can run: /nowhere/bwrap'
expect_db 'SELECT state FROM prompts' approved
chorus-config unset programs
agent_key a permissions '"open"'
git -C work worktree add -q ../beside 2>/dev/null
run chorus-run a --new-thread -C beside '/bash git status && touch made'
expect_equal "$(ls beside)" made
# a worktree inside the bare repository it belongs to
git clone -q --bare repo nest.git && git -C nest.git worktree add -q inside 2>/dev/null
run chorus-run a --new-thread -C nest.git/inside '/bash git status && touch made && ! touch ../hooks/made'
expect_status 0
expect_equal "$(ls nest.git/inside)" made
expect_missing nest.git/hooks/made

test_case "-C: what keeps one from a directory is said as it is"
chmod 711 "$base"
chmod 755 "$scratch"
mkdir -p user closed fixed && chmod 000 closed && chmod 555 fixed && chown -R 65534:65534 user closed fixed
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$scratch/user" CHORUS_HOME="$scratch/user/home" "$@"; }
as_nobody chorus-init a --model builtin/script --permissions sandboxed >/dev/null
run as_nobody chorus-run a -C closed hi
expect_status 2
expect_one_error "-C: $scratch/closed: Permission denied"
run as_nobody chorus-run a -C fixed hi
expect_match "$err" "notice: commands cannot write in $scratch/fixed, whose mode does not let its owner write"

test_case "text: the final message alone; --stream: all of it, as it comes"
init a --model anthropic/m
slow='{"say": {"text": "Slow beginning and then the end."}, "drip_ms": 150}'
start_server "$(answers '{"say": {"text": "I look.", "tool_calls": [{"name": "list_files"}]}}' "$(say 'I saw.')" '{"say": {"text": "I look.", "tool_calls": [{"name": "list_files"}]}}' "$(say 'I saw.')" "$slow")"
run chorus-run a hi
expect_equal "$out" 'I saw.'
run chorus-run a hi --stream
expect_equal "$out" $'I look.\nI saw.'
run bash -c 'chorus-run a hi --stream | { read -r -N 4 first; date +%s%3N; cat >/dev/null; date +%s%3N; }'
[ $(($(sed -n 2p <<<"$out") - $(sed -n 1p <<<"$out"))) -gt 300 ] || fail "the text came at once: $out"
run bash -c 'date +%s%3N; chorus-run a hi | { read -r -N 4 first; date +%s%3N; }'
[ $(($(sed -n 2p <<<"$out") - $(sed -n 1p <<<"$out"))) -gt 1000 ] || fail "text came before its end: $out"

test_case "--idempotency-key: a finished turn answers again and nothing is sent"
init a --model anthropic/m
home_key max_retries 0
start_server "$(answers "$(say 'Done once.')" '{"status": 500}' "$(say 'Done at the second try.')" "$(say other)")"
run chorus-run a hi --idempotency-key K --json
expect_status 0
first=$out
run chorus-run a hi --idempotency-key K --json
expect_status 0
expect_equal "$out" "$(jq -c '.replayed = true' <<<"$first")"
run chorus-run a hi --idempotency-key K
expect_equal "$out" 'Done once.'
run chorus-run a hi --idempotency-key K --output-format stream-json
expect_events
expect_equal "$(jq -r '.kind + (.text // "")' "$scratch/out" | tr '\n' ' ')" 'task messageDone once. status-update '
expect_equal "$(request_count)" 1
expect_db 'SELECT count(*) FROM turns' 1
run chorus-run a hi --idempotency-key L
expect_status 7
run chorus-run a hi --idempotency-key L
expect_equal "$out" 'Done at the second try.'
run chorus-run a hi --idempotency-key L
expect_equal "$out" 'Done at the second try.'
run chorus-run a hi --idempotency-key M
expect_equal "$out" other
run chorus-run a hi --new-thread --idempotency-key K
expect_equal "$out" 'Done once.'
expect_db 'SELECT count(*) FROM threads' 1
start_server "$(answers '{"say": {"text": "again", "tool_calls": [{"name": "list_files"}]}}')"
run chorus-run a hi --max-iterations 1 --idempotency-key N --json
expect_status 9
first=$out
run chorus-run a hi --max-iterations 1 --idempotency-key N --json
expect_status 9
expect_equal "$out" "$(jq -c '.replayed = true' <<<"$first")"
expect_match "$err" 'chorus-run: warning: .*ended after 1 model call
chorus-run: hint: chorus-run a -t 1 --resume --max-iterations N'
expect_equal "$(request_count)" 1

test_case "--wait: one after the other" # S-52
init a --model builtin/script --permissions sandboxed
work=$CHORUS_HOME/agents/a/workspace
chorus-run a '/bash touch began; sleep 1; echo first >>order' >/dev/null 2>&1 </dev/null &
wait_for 10 test -e "$work/began" || fail 'the first turn did not begin'
chorus-run a '/bash echo second >>order' --wait=20s >/dev/null 2>"$scratch/second" </dev/null &
second=$!
run chorus-run a '/bash echo third >>order' --wait
expect_status 0
wait $second
status=$?
expect_status 0
expect_equal "$(head -1 "$work/order")" first
expect_equal "$(sort "$work/order" | tr '\n' ' ')" 'first second third '
expect_db "SELECT group_concat(turn_number || ' ' || state) FROM (SELECT * FROM turns ORDER BY id)" '1 idle,2 idle,3 idle'
expect_equal "$(cat second)" ''

test_case "-o: the same bytes in a file, whole or not at all; in place what is no regular file"
init a --model builtin/script
run chorus-run a hi -o new.txt
expect_status 0
cmp -s "$scratch/out" new.txt || fail 'the file is not what was printed'
expect_equal "$(stat -c %a new.txt)" 600
printf 'a longer text that was there before, much longer than the new one %0500d' 0 >old.txt
ln old.txt other-name
run chorus-run a hi --json -o old.txt
cmp -s "$scratch/out" old.txt || fail 'the file is not what was printed'
expect_match "$(cat other-name)" '^a longer text'
ln -s "$CHORUS_HOME/chorus.db" to-home
echo '{}' >"$CHORUS_HOME/config.json"
for kept in chorus.db chorus.db-wal chorus.db-journal config.json agents/a/agent.json agents/a/docs/x.md agents/b any; do
    before=$(cat "$CHORUS_HOME/$kept" 2>/dev/null | sha256sum)
    for file in "$CHORUS_HOME/$kept" to-home; do
        run chorus-run a hi -o "$file"
        expect_status 2
        expect_match "$err" 'is inside the home'
    done
    expect_equal "$(cat "$CHORUS_HOME/$kept" 2>/dev/null | sha256sum)" "$before"
done
expect_sound
echo precious >waits.txt
run chorus-run a --new-thread -o waits.txt '/bash true'
expect_status 10
expect_file waits.txt precious
run chorus-run a -t 2 -o waits.txt again
expect_status 10
expect_file waits.txt precious
echo old >"$CHORUS_HOME/agents/a/workspace/kept"
run chorus-run a hi -o "$CHORUS_HOME/agents/a/workspace/kept"
expect_status 0
expect_file "$CHORUS_HOME/agents/a/workspace/kept" "$out"
cp other-name linked
ln -s linked link
run chorus-run a hi --output-format stream-json -o link
cmp -s "$scratch/out" linked || fail 'what the link names is not what was printed'
[ -L link ] || fail 'the link was replaced'
mkfifo pipe
cat pipe >from-pipe &
run chorus-run a hi -o pipe
wait $!
cmp -s "$scratch/out" from-pipe || fail 'the FIFO got something else'
run chorus-run a hi -o /dev/null
expect_status 0
chorus-run a hi </dev/null >once
printf 'before\n' >appended
chorus-run a hi -o /dev/stdout </dev/null >>appended
expect_equal "$(cat appended)" "before
$(cat once)"
run bash -c 'chorus-run a hi -o /dev/full'
expect_status 1
expect_one_error '/dev/full: No space left'
expect_equal "$out" "$(cat once)"
run chorus-run a hi --json -o /dev/full
expect_status 1
expect_equal "$(wc -l <"$scratch/out")" 1
expect_json '"\(.exit_code) \(.error.code) \(.text | length > 10)"' '1 FAILED true'
run chorus-run a hi --output-format stream-json -o /dev/full
expect_status 1
expect_events
turns=$(db 'SELECT count(*) FROM turns')
mkdir dir
for wrong in dir none/file; do
    run chorus-run a hi -o $wrong
    expect_status 2
    expect_one_error "$wrong"
done
expect_db 'SELECT count(*) FROM turns' "$turns"
run chorus-run nobody hi -o new.txt
expect_status 4
cmp -s once new.txt || fail 'the file of an earlier turn was touched'

test_case "events: internal ones only with --events all; the schema is printed without a home" # A-42 A-61
run chorus-run --print-event-schema
expect_status 0
expect_json '.["$schema"] + " " + (.["$defs"].event.properties.schema.const)' 'https://json-schema.org/draft/2020-12/schema chorus.event/1'
expect_missing "$CHORUS_HOME"
init a --model builtin/script --permissions sandboxed
run chorus-run a '/bash echo "a ☂"; exit 3
/view {}
hello' --output-format stream-json
expect_events
expect_equal "$(jq -r .kind "$scratch/out" | uniq | tr '\n' ' ')" \
    'task status-update message tool-call tool-complete message tool-call tool-complete content-delta message status-update '
expect_equal "$(jq -c 'select(.kind == "tool-call") | [.tool, .action, .arguments]' "$scratch/out" | head -1)" \
    '["bash","tool:bash:echo \"a ☂\"; exit 3",{"command":"echo \"a ☂\"; exit 3"}]'
expect_match "$(jq -r 'select(.kind == "tool-complete") | "\(.tool) \(.outcome) \(.result)"' "$scratch/out" | tr '\n' ' ')" \
    '^bash ok exit status 3.*a ☂.*view error '
expect_equal "$(jq -r 'select(.kind == "message").messageId' "$scratch/out" | tr '\n' ' ')" \
    "$(db "SELECT id FROM messages WHERE role = 'assistant' ORDER BY id" | tr '\n' ' ')"
run chorus-run a '/no_such_tool {}' --output-format stream-json
expect_events
expect_equal "$(jq -c 'select(.kind == "tool-call" or .kind == "tool-complete") | [.tool, .action]' "$scratch/out" | uniq)" \
    '["no_such_tool",null]'
run chorus-run a hello --output-format stream-json --events all
expect_events
expect_equal "$(jq -c 'select(.kind == "internal:model-call").data' "$scratch/out")" '{"model":"builtin/script","messages":11}'

test_case "--dry-run: the request, and nothing else happens"
init a --model anthropic/m --system-prompt 'You are SYSTEM.'
echo 'DOCS-MARK' >"$CHORUS_HOME/agents/a/docs/x.md"
start_server "$(answers "$(say 'An answer.')")"
run chorus-run a 'first'
state() { db '.dump' | sha256sum; find "$CHORUS_HOME/agents" -type f -exec sha256sum {} + | sort; }
before=$(state)
echo 'from stdin' >data
run_stdin data chorus-run a 'second' --dry-run
expect_status 0
expect_json '[.messages[] | "\(.role): \(.content[0].text)"] | join("|")' $'user: first|assistant: An answer.|user: second\n\n<stdin>\nfrom stdin\n</stdin>'
expect_json '[.system[].text] | join("") | test("^You are SYSTEM[\\s\\S]*DOCS-MARK")' true
head -c 70000 /dev/zero | tr '\0' x >big
run_stdin big chorus-run a --dry-run --new-thread
expect_json '.messages | length' 1
expect_json '.messages[0].content[0].text | test("^<stdin path=\"[^\"]*\" bytes=\"70000\">")' true
run chorus-run a second --dry-run --fresh
expect_json '.messages | length' 1
run chorus-run a second --dry-run -m openai/x
expect_json '.model + " " + .input[-1].content' 'x second'
run chorus-run a "my key is $ANTHROPIC_API_KEY" --dry-run
expect_no_match "$out" "$ANTHROPIC_API_KEY"
run chorus-run a second --dry-run -m builtin/script
expect_status 0
expect_equal "$out" ''
expect_match "$err" 'notice: .*no request'
run chorus-run nobody x --dry-run
expect_status 4
run chorus-run a x --dry-run -m nowhere/x
expect_status 7
expect_equal "$(state)" "$before"
expect_equal "$(request_count)" 1
run chorus-run a 'second'
expect_equal "$(jq -cS '.messages | map(.content[0].text)' "$(request 2)")" '["first","An answer.","second"]'

test_case "-q and -v: stderr is silent, or tells of each call" # A-58 P-66
init a --model builtin/script --permissions sandboxed
run chorus-run a '/bash echo x
/view none' -v
expect_status 0
expect_equal "$(sed 's/([0-9]* ms)/(ms)/' "$scratch/err")" 'chorus-run: call: tool:bash:echo x
chorus-run: ok: bash (ms)
chorus-run: call: tool:view:none
chorus-run: error: view (ms)'
run chorus-run a '/bash echo x'
expect_equal "$err" ''
run chorus-run a --new-thread -q hi
expect_equal "$err" ''
run chorus-run nobody -q hi
expect_match "$err" '^chorus-run: error: '
run chorus-run a hi --actor 'build bot' --color always
expect_status 0
expect_equal "$err" ''
run env CHORUS_ACTOR=nightly chorus-run a '/list_files'
expect_match "$(db "SELECT actor FROM turns ORDER BY id DESC LIMIT 2")" '^uid [0-9]+ .nightly.'$'\n''uid [0-9]+ .build bot.$'
expect_match "$(db "SELECT actor FROM audit_log ORDER BY id DESC LIMIT 1")" 'nightly'

test_case "-h and --version need nothing"
run chorus-run --help
expect_status 0
for option in --prompt --file --stdin --model --thread --new-thread --fresh --resume --directory --idempotency-key --max-iterations --timeout --wait --output-format --output --events --dry-run --quiet --verbose --color; do
    expect_match "$out" "$option"
done
run chorus-run --version
expect_match "$out" '^chorus-run [0-9]+\.[0-9]+'
expect_missing "$CHORUS_HOME"

end_tests
