#!/usr/bin/env bash
# needs: root
# The contract of chorus-init(1).
. "$(dirname "$0")/../support/lib.sh"

test_case "makes the directory, the repository and the rows" # L-01 L-03 L-04 L-05 L-06 L-08 L-09 L-10 L-11 L-59
run chorus-init front --model builtin/script
expect_status 0
expect_match "$out" 'front created'
expect_match "$out" 'builtin/script'
expect_match "$out" 'standard'
dir=$CHORUS_HOME/agents/front
expect_match "$(cat "$dir/branches/main/session.md")" 'general-purpose agent'
expect_equal "$(stat -c %a "$CHORUS_HOME")" 700
expect_equal "$(stat -c %a "$dir/agent.json")" 600
expect_equal "$(stat -c %a "$CHORUS_HOME/chorus.db")" 600
expect_equal "$(jq -r '[.name,.model,.permissions,(.channel_id|tostring),(.running_tasks|length|tostring)]|join(" ")' "$dir/agent.json")" 'front builtin/script standard null 0'
expect_match "$(jq -r .created_at "$dir/agent.json")" '^20[0-9-]+T[0-9:.]+Z$'
[ -f "$dir/docs/README.md" ] || fail "docs/README.md"
[ -d "$dir/sessions" ] && [ -z "$(ls -A "$dir/sessions")" ] || fail "sessions/ should be there and empty"
[ -f "$dir/workspace/.gitkeep" ] || fail ".gitkeep"
expect_equal "$(git -C "$dir/workspace" log --format='%an <%ae>' | head -1)" 'front <front@chorus.local>'
expect_equal "$(git -C "$dir/workspace" status --porcelain)" ''
expect_equal "$(git -C "$dir/workspace" symbolic-ref --short HEAD)" main
expect_equal "$(readlink "$dir/current")" branches/main
expect_match "$(cat "$dir/branches/main/session.md")" 'front created'
expect_db "SELECT name||' '||status||' '||generation||' '||model||' '||permissions FROM agents" 'front active 1 builtin/script standard'
expect_db "SELECT thread_id||' '||branch FROM threads" '1 main'
expect_db "SELECT kind||' '||previous||' '||next FROM events" 'agent creating active'
for word in workspace files commands git docs/; do
    expect_match "$(jq -r .system_prompt "$dir/agent.json")" "$word"
done
jq '.["x-mine"] = [1]' "$dir/agent.json" >mine.json && cat mine.json >"$dir/agent.json"
run chorus-config set -A front description mine
expect_equal "$(jq -c '[.["x-mine"], .description]' "$dir/agent.json")" '[[1],"mine"]'
expect_equal "$(ls -A "$CHORUS_HOME/agents")" front
expect_no_match "$(cat "$dir/agent.json")" "$CHORUS_HOME"

test_case "refuses names that are none" # L-02
for name in '' . .. a/b -rf Upper 'a b' "$(printf 'x%.0s' {1..64})" $'new\nline'; do
    run chorus-init --model builtin/script -- "$name"
    expect_status 2
    expect_match "$err" 'chorus-init: (error|hint): '
done
expect_missing "$CHORUS_HOME/agents/a"
run chorus-init --model builtin/script "$(printf 'x%.0s' {1..63})"
expect_status 0

test_case "a taken name is exit 5, --exist-ok is fine" # L-02
run chorus-init a --model builtin/script
run chorus-init a --model builtin/script
expect_status 5
expect_match "$err" "chorus-init: error: agent 'a': the name is taken"
expect_match "$err" 'chorus-init: hint: '
run chorus-init a --exist-ok --model builtin/script
expect_status 0
expect_db "SELECT count(*) FROM agents" 1

test_case "overrides: prompt, model, permissions, description, channel" # L-01 L-05 L-07
echo '{"deny":["tool:bash:rm .*"],"allow":["tool:view:.*"],"ask":[]}' >p.json
CHORUS_CHANNEL_TIMEOUT_MS=0 run chorus-init a --system-prompt 'You are terse.' --model builtin/script --permissions @p.json --description 'a test' --channel webhook:https://example.com/x --json
expect_status 0
expect_json .agent a
expect_json .permissions custom
expect_json .adopted false
expect_json .schema chorus.agent/1
expect_equal "$(jq -r '.system_prompt+"|"+.description+"|"+.channel_id+"|"+.permissions.allow[0]' "$CHORUS_HOME/agents/a/agent.json")" 'You are terse.|a test|webhook:https://example.com/x|tool:view:.*'
echo 'From a file' >s.txt
run chorus-init b --system-prompt-file s.txt --model builtin/script
expect_equal "$(jq -r .system_prompt "$CHORUS_HOME/agents/b/agent.json")" 'From a file'
run_stdin s.txt chorus-init c --system-prompt-file - --model builtin/script
expect_equal "$(jq -r .system_prompt "$CHORUS_HOME/agents/c/agent.json")" 'From a file'

test_case "everything is validated before anything is made" # L-05 L-19
run chorus-init a --model nowhere/x
expect_status 7
expect_match "$err" "no provider 'nowhere'"
run chorus-init a --model builtin/script --permissions nosuch
expect_status 3
expect_match "$err" "'standard'"
run chorus-init a --model builtin/script --permissions '{"base":"open"}'
expect_status 3
expect_match "$err" 'hint: a profile as JSON is read from a file: @FILE'
echo '{"allow":["tool:("]}' >p.json
run chorus-init a --model builtin/script --permissions @p.json
expect_status 3
expect_match "$err" 'allow\[0\]'
for option in --template --clone; do
    run chorus-init a --model builtin/script "$option" "$scratch/none"
    expect_status 4
    expect_match "$err" "^chorus-init: error: ${option#--}: $scratch/none: there is no such directory"
done
run chorus-init a --model builtin/script --template "$scratch"
expect_status 3
expect_equal "$(ls -A "$CHORUS_HOME/agents")" ''
expect_db "SELECT count(*) FROM agents" 0

test_case "no model anywhere is exit 3 with what to type; a key chooses one" # L-05
run chorus-init a
expect_status 3
expect_match "$err" 'ANTHROPIC_API_KEY'
expect_match "$err" 'builtin/script'
run env ANTHROPIC_API_KEY=sk-something chorus-init a
expect_status 0
expect_match "$out" 'from ANTHROPIC_API_KEY'
expect_match "$(jq -r .model "$CHORUS_HOME/agents/a/agent.json")" '^anthropic/'

test_case "flag beats environment beats config.json beats template" # L-05
mkdir -p "$CHORUS_HOME/template/docs" "$CHORUS_HOME/template/workspace" && chmod 700 "$CHORUS_HOME"
echo '{"name":"","model":"ollama/from-template","system_prompt":"T","permissions":"locked","x-mine":[1,2]}' >"$CHORUS_HOME/template/agent.json"
run chorus-init a
expect_equal "$(jq -c '[.model,.permissions,.["x-mine"]]' "$CHORUS_HOME/agents/a/agent.json")" '["ollama/from-template","locked",[1,2]]'
echo '{"default_model":"ollama/from-config"}' >"$CHORUS_HOME/config.json"
run chorus-init b
expect_equal "$(jq -r .model "$CHORUS_HOME/agents/b/agent.json")" ollama/from-config
run env CHORUS_MODEL=ollama/from-env chorus-init c
expect_equal "$(jq -r .model "$CHORUS_HOME/agents/c/agent.json")" ollama/from-env
run env CHORUS_MODEL=ollama/from-env chorus-init d --model ollama/from-flag
expect_equal "$(jq -r .model "$CHORUS_HOME/agents/d/agent.json")" ollama/from-flag

test_case "available_models.json is held against the model, in both forms" # L-05 X-30
mkdir -p "$CHORUS_HOME" && chmod 700 "$CHORUS_HOME"
echo '{"last_updated":"x","providers":{"anthropic":{"valid":true,"models":["one"]},"openai":{"valid":true,"models":["one","two"]}}}' >"$CHORUS_HOME/available_models.json"
run chorus-init a --model anthropic/zwei
expect_status 7
expect_match "$err" "'one'"
run chorus-init a --model two --json
expect_json .model openai/two
run chorus-init d --model one --json # the first that lists it
expect_json .model anthropic/one
run chorus-init b --model anthropic/zwei --no-validate-model
expect_status 0
echo '{"openai":{"valid":true,"models":["drei"]}}' >"$CHORUS_HOME/available_models.json"
run chorus-init c --model drei --json
expect_json .model openai/drei

test_case "--clone begins with a repository and its history"
git init -q -b trunk src && git -C src -c user.name=x -c user.email=x@y commit -q --allow-empty -m first
echo hello >src/f && git -C src add f && git -C src -c user.name=x -c user.email=x@y commit -q -m second
mkdir -p src/.git/hooks && printf '#!/bin/sh\ntouch %s/pwned\n' "$scratch" >src/.git/hooks/post-checkout && chmod +x src/.git/hooks/post-checkout
run chorus-init a --model builtin/script --clone "$scratch/src"
expect_status 0
expect_file "$CHORUS_HOME/agents/a/workspace/f" hello
expect_equal "$(git -C "$CHORUS_HOME/agents/a/workspace" log --format=%s | head -1)" second
expect_equal "$(git -C "$CHORUS_HOME/agents/a/workspace" config user.email)" a@chorus.local
expect_missing "$scratch/pwned"

test_case "nothing is brought in through a link where agents work"
chorus-init a --model builtin/script --permissions sandboxed >/dev/null
git init -q private && echo PRIVATE >private/p && git -C private add p
git -C private -c user.name=p -c user.email=p@x commit -qm p
mkdir -p W/own tpl/docs && echo '{}' >tpl/agent.json && echo PRIVATE >tpl/docs/x.md
tar -C tpl -cf tpl.tar .
jq -nr --arg s "$scratch" '"/bash " + ({command: "mkdir r half; ln -s \($s)/private/.git r/.git; ln -s \($s)/private repo; ln -s \($s)/tpl tpl; ln -s \($s)/tpl.tar tpl.tar; ln -s \($s)/tpl/agent.json half/agent.json; ln -s \($s) up"} | tojson)' >p
run chorus-run a -C W -f p
expect_match "$out" 'exit status 0'
cd W || exit 1
for way in "--clone=$scratch/W/repo" --clone=repo --clone=r --clone=up/private "--clone=file://$scratch/W/repo" "--clone=file://localhost$scratch/W/%72epo" \
    --template=tpl --template=up/tpl --template=half --adopt=tpl --adopt=tpl.tar --adopt=half "--adopt=$scratch/W/up/tpl"; do
    run chorus-init b --model builtin/script $way
    expect_status 2
    expect_match "$err" "error: ${way%%=*}: .*: agents work in $scratch/W and may have made the link $scratch/W/"
    expect_match "$err" "hint: name its target, which is now $scratch/(private|tpl)"
    expect_db 'SELECT count(*) FROM agents' 1
done
cd ..
# a person's own, and what is no link
ln -s private mine
ln -s tpl mytpl
run chorus-init c --model builtin/script --clone mine
expect_status 0
run chorus-init d --model builtin/script --template mytpl
expect_status 0
git clone -q private W/own
run chorus-init e --model builtin/script --clone W/own
expect_status 0

test_case "a foreign directory in place needs --adopt; its trust keys are set aside" # L-49 S-46
mkdir -p "$CHORUS_HOME/agents/a/docs" && chmod 700 "$CHORUS_HOME"
echo '{"name":"old","model":"builtin/script","system_prompt":"S","permissions":"open","environment":["X"],"extra":true}' >"$CHORUS_HOME/agents/a/agent.json"
run chorus-init a
expect_status 3
expect_missing "$CHORUS_HOME/chorus.db"
run chorus-init a --adopt --json
expect_status 0
expect_json .adopted true
expect_json '.set_aside|join(" ")' 'environment permissions'
expect_equal "$(jq -c '[.name,.permissions,.environment,.extra]' "$CHORUS_HOME/agents/a/agent.json")" '["a","open",["X"],true]'
expect_equal "$(chorus-config get -A a permissions)$(chorus-config get -A a environment)" standard
expect_db "SELECT permissions FROM agents" standard

test_case "--adopt=DIR copies, --trust keeps the keys, sessions are within reach" # L-49
mkdir -p old/docs old/sessions old/workspace
echo '{"name":"old","model":"builtin/script","system_prompt":"S","permissions":"open"}' >old/agent.json
echo '{"session_id":"s-1","timestamp":"2026-02-12T10:30:00Z","description":"d","messages":[{"role":"user","content":"hi"}]}' >old/sessions/2026-02-12_d.json
echo 'not json' >old/sessions/broken.json
echo kept >old/workspace/file
run chorus-init a --adopt="$scratch/old" --trust --json
expect_status 0
expect_json .permissions open
expect_json .sessions 1
expect_file "$CHORUS_HOME/agents/a/workspace/file" kept
expect_file old/workspace/file kept
expect_db "SELECT id||' '||message_count FROM sessions" 's-1 1'

test_case "what is to be adopted does not exist"
for place in '' "=$scratch/nothing" "=$scratch/nothing.tar"; do
    run chorus-init a "--adopt$place" --model builtin/script
    expect_status 4
    expect_match "$err" 'no such directory'
done

test_case "a directory that is no agent is not copied before that is seen"
mkdir -p old/inner
truncate -s 100G old/large
echo '{"name":"old"}' >old/inner/agent.json
run timeout 5 chorus-init a --adopt="$scratch/old" --model builtin/script
expect_status 2
expect_match "$err" 'old: not an agent: it has no agent.json
chorus-init: hint: it is in inner: use --adopt=.*/old/inner'

test_case "a packed agent gives no link, no device, no hook and nothing outside"
mkdir -p old/workspace/.git/hooks old/docs && git -C old/workspace init -q
echo '{"name":"old","model":"builtin/script","system_prompt":"S"}' >old/agent.json
printf '#!/bin/sh\n' >old/workspace/.git/hooks/pre-commit
printf '[core]\n\thooksPath=/tmp/x\n' >old/workspace/.git/config
ln -s /etc/passwd old/docs/link && mkfifo old/docs/fifo && echo ok >old/docs/n.md
tar -C old -cf a.tar . && echo evil >evil && tar -rf a.tar -P --transform 's,^evil,../evil,' evil
run chorus-init a --adopt="$scratch/a.tar" --json
expect_status 0
expect_match "$out" 'link'
expect_file "$CHORUS_HOME/agents/a/docs/n.md" ok
expect_missing "$CHORUS_HOME/agents/a/docs/link"
expect_missing "$CHORUS_HOME/agents/a/docs/fifo"
expect_missing "$CHORUS_HOME/agents/a/workspace/.git/hooks/pre-commit"
expect_missing "$CHORUS_HOME/agents/evil"
expect_no_match "$(cat "$CHORUS_HOME/agents/a/workspace/.git/config")" hooksPath
echo junk >junk.tar
run chorus-init b --adopt="$scratch/junk.tar"
expect_status 2

test_case "a name is free again after destroy, its files kept come back" # L-49 L-50
run chorus-init a --model builtin/script --system-prompt first
db "UPDATE agents SET status='destroyed', destroyed_at=1, files_kept=1"
echo note >"$CHORUS_HOME/agents/a/docs/note.md"
run chorus-init a --description again --json
expect_status 0
expect_json .adopted true
expect_json .generation 2
expect_file "$CHORUS_HOME/agents/a/docs/note.md" note
expect_equal "$(jq -r '.system_prompt+" "+.description' "$CHORUS_HOME/agents/a/agent.json")" 'first again'
rm -rf "$CHORUS_HOME/agents/a" && db "UPDATE agents SET status='destroyed', destroyed_at=1, files_kept=0"
run chorus-init a --model builtin/script --json
expect_json .generation 3
expect_json .adopted false

test_case "what a crash left is reclaimed" # L-51
run chorus-init a --model builtin/script
db "UPDATE agents SET status='creating'"
mkdir "$CHORUS_HOME/agents/.tmp-999999-1-abcdef-z"
run chorus-init b --model builtin/script
expect_status 0
expect_db "SELECT status FROM agents WHERE name='a'" active
expect_missing "$CHORUS_HOME/agents/.tmp-999999-1-abcdef-z"
db "UPDATE agents SET status='creating' WHERE name='b'" && rm -rf "$CHORUS_HOME/agents/b"
run chorus-init b --model builtin/script
expect_status 0
expect_db "SELECT count(*) FROM agents WHERE name='b'" 1

test_case "sixteen at once: one wins" # L-02
for i in {1..16}; do chorus-init same --model builtin/script >/dev/null 2>"$scratch/err.$i"; echo $? >>"$scratch/codes"; done &
for i in {17..32}; do (chorus-init same --model builtin/script >/dev/null 2>&1; echo $? >>"$scratch/codes") & done
wait
expect_equal "$(grep -c '^0$' "$scratch/codes")" 1
expect_equal "$(grep -c '^5$' "$scratch/codes")" 31
expect_equal "$(ls -A "$CHORUS_HOME/agents")" same

test_case "a database that another process makes meanwhile is no lost one"
(
    strace -qq -o /dev/null -P "$CHORUS_HOME/chorus.db-wal" -e trace=newfstatat -e inject=newfstatat:delay_enter=1500000:when=1 \
        chorus-init a --model builtin/script >a.out 2>&1
    echo $? >>a.out
) &
sleep 0.5
run chorus-init b --model builtin/script
expect_status 0
wait
expect_equal "$(tail -n 1 a.out)" 0
expect_db 'SELECT group_concat(name) FROM (SELECT name FROM agents ORDER BY name)' a,b

test_case "a home of strangers is refused"
mkdir -p "$CHORUS_HOME" && chmod 777 "$CHORUS_HOME"
run chorus-init a --model builtin/script
expect_status 6
expect_match "$err" 'writable by other users'
chmod 700 "$CHORUS_HOME" && chown 12345 "$CHORUS_HOME"
run chorus-init a --model builtin/script
expect_status 6
expect_match "$err" 'uid 12345'
run env CHORUS_HOME=relative chorus-init a
expect_status 3

test_case "--groom manual makes no home and migrates no database unasked; auto does" # S-45
old_schema() {
    local sql='DROP TABLE attachments; DROP TABLE model_calls; DROP TABLE usage_sums; ALTER TABLE turns DROP COLUMN reasoning_tokens; ALTER TABLE turns DROP COLUMN cost; ALTER TABLE turns ADD COLUMN cost_usd REAL; DROP TABLE active_profiles; DROP TABLE cooling_profiles; DROP TABLE profile_switches; DROP TABLE requested_switches; ALTER TABLE threads ADD COLUMN status TEXT; ALTER TABLE tool_runs DROP COLUMN patch; DROP INDEX agents_place; DROP INDEX agents_call; DROP INDEX inbox_key; ALTER TABLE turns DROP COLUMN plan; ALTER TABLE agents DROP COLUMN place; DROP TABLE imports; DROP TABLE clock_disputes; DROP TABLE prefixes; DROP INDEX tasks_ended; DROP INDEX inbox_delivered; CREATE INDEX agents_activity ON agents(last_activity);' column
    for column in credentials credential_switches reservations; do sql+="CREATE TABLE $column (id INTEGER);"; done
    for column in parent_turn parent_call rights; do sql+="ALTER TABLE agents DROP COLUMN $column;"; done
    for column in thread_id tool_call_id actor note on_exit goes_on depth rights; do sql+="ALTER TABLE tasks DROP COLUMN $column;"; done
    for column in actor depth rights idempotency_key; do sql+="ALTER TABLE inbox DROP COLUMN $column;"; done
    for column in compaction window_floor cut_rolling_window cut_max_messages cut_token_budget trimmed is_importing; do sql+="ALTER TABLE threads DROP COLUMN $column;"; done
    db "$sql PRAGMA user_version = 2" >/dev/null
}
for how in manual pristine; do
    run chorus-init a --model builtin/script --groom "$how"
    expect_status 3
    expect_match "$err" "^chorus-init: error: .*: the home does not exist, and automatic creation is off
chorus-init: hint: CHORUS_GROOM=auto creates it$"
    expect_missing "$CHORUS_HOME"
done
run env CHORUS_GROOM=manual chorus-init a --model builtin/script --groom auto
expect_status 0
old_schema
for words in 'chorus-init b --model builtin/script' 'chorus-run a hello' 'chorus-tasks pending' 'chorus-context audit' 'chorus-config trust a'; do
    run env CHORUS_GROOM=manual $words
    expect_status 3
    expect_match "$err" 'chorus.db: made by an older chorus \(schema 2, this one knows [0-9]+\), and automatic migration is off'
    expect_match "$err" 'hint: CHORUS_GROOM=auto migrates it'
    expect_db 'PRAGMA user_version' 2
done
run chorus-run a --groom manual hello
expect_status 3
run env CHORUS_GROOM=manual chorus-run a --groom auto hello
expect_status 0
# what was done unasked is an event # S-47
version=$(db 'PRAGMA user_version')
run chorus-tasks events a --json
expect_equal "$(jq -r 'select(.kind == "home") | [.previous, .next, .cause] | join(" ")' <<<"$out")" "schema 2 schema $version migrated"
run chorus-run a --groom manual hello
expect_status 0
run env CHORUS_GROOM=never chorus-run a hello
expect_status 3
expect_match "$err" "CHORUS_GROOM: 'never' is not auto, manual or pristine"
run chorus-run a --groom never hello
expect_status 2

test_case "no agent is born without a system prompt: the installed one stands for what is missing, null or empty"
given='You are a general-purpose agent'
count=0
for own in '{}' '{"system_prompt": null}' '{"system_prompt": ""}' '{"system_prompt": " \n"}'; do
    for way in "--template $scratch/from" "--adopt=$scratch/from" "--adopt=$scratch/from.tar" --adopt kept; do
        rm -rf from from.tar
        mkdir -p from/workspace && echo "$own" >from/agent.json && tar -C from -cf from.tar .
        name=a$((++count))
        case $way in
            --adopt) mkdir -p "$CHORUS_HOME/agents" && cp -a from "$CHORUS_HOME/agents/$name" ;;
            kept)
                way=''
                run chorus-init $name --model builtin/script
                run chorus-destroy $name --keep-files --yes
                echo "$own" >"$CHORUS_HOME/agents/$name/agent.json"
                ;;
        esac
        run chorus-init $name --model builtin/script $way
        expect_status 0
        expect_match "$(cat "$CHORUS_HOME/agents/$name/branches/main/session.md")" "$given"
        expect_match "$(jq -r .system_prompt "$CHORUS_HOME/agents/$name/agent.json")" "$given"
    done
done
: >empty
for option in '--system-prompt=' '--system-prompt= ' '--system-prompt-file=empty'; do
    run chorus-init none --model builtin/script "$option"
    expect_status 2
done
before=$(cat "$CHORUS_HOME/agents/a1/agent.json")
for value in '' ' ' $'\n' @empty; do
    run chorus-config set system_prompt "$value" -A a1
    expect_status 2
done
run chorus-config unset system_prompt -A a1
expect_status 2
expect_match "$err" 'system_prompt: must not be empty'
expect_file "$CHORUS_HOME/agents/a1/agent.json" "$before"

test_case "--exist-ok: ten at once make one, and each says what it did not change"
racers=()
for i in $(seq 10); do
    chorus-init racer --model builtin/script --permissions sandboxed --exist-ok >"o$i" 2>"e$i" </dev/null &
    racers+=($!)
done
for pid in "${racers[@]}"; do wait "$pid" || fail 'one of ten failed'; done
expect_equal "$(cat o* | grep -c '^Agent racer created')" 1
expect_equal "$(cat o* | grep -c '^Agent racer exists already')" 9
expect_equal "$(cat e*)" ''
expect_db "SELECT count(*) || status FROM agents" 1active
run chorus-init racer --model builtin/script --permissions open --description new --clone . --exist-ok
expect_status 0
expect_equal "$err" "chorus-init: notice: not changed: --permissions (they are sandboxed)
chorus-init: notice: not changed: --description (it has another one)
chorus-init: notice: not changed: --clone (its workspace exists already)"
run chorus-init racer -m builtin/script --system-prompt new --exist-ok --json
expect_json '.existed' true
expect_json '.unchanged | join("|")' '--system-prompt (it has another one)'

test_case "--adopt with what it takes over as the next word"
run chorus-init old --model builtin/script
run chorus-context pack old -o old.tar
expect_status 0
run chorus-init new --adopt old.tar --model builtin/script
expect_status 0
expect_match "$out" '^Agent new adopted'
run chorus-init --adopt --model builtin/script newer old.tar
expect_status 0
run chorus-init third old.tar
expect_status 2
expect_match "$err" 'usage: DIR.TAR needs --adopt'
run chorus-init third --adopt=old.tar old.tar
expect_status 2
expect_match "$err" '--adopt: given twice'

test_case "what is printed ends with the directory and the next command"
run chorus-init a --model builtin/script
expect_equal "$out" "Agent a created. Model: builtin/script. Permissions: standard.
Directory: $CHORUS_HOME/agents/a
Next: chorus-run a 'PROMPT'"

end_tests
