#!/usr/bin/env bash
# needs: root
# The contract of chorus-config(1).
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/terminal.sh"

config() { printf '%s' "$CHORUS_HOME/config.json"; }
agent_file() { printf '%s' "$CHORUS_HOME/agents/a/agent.json"; }
set_to() { # KEY VALUE JSON: set takes the value, and the file then has it
    run chorus-config set "$1" "$2"
    expect_status 0
    expect_equal "$out$err" ''
    expect_equal "$(jq -c "getpath(\"$1\" | split(\".\"))" "$(config)")" "$3"
}
refused() { # STATUS REGEX COMMAND …: an error of one line, a hint at most, and nothing was changed
    local wanted=$1 regex=$2 before after
    shift 2
    before=$(cat "$(config)" "$CHORUS_HOME"/agents/*/agent.json 2>/dev/null)
    run "$@"
    expect_status "$wanted"
    expect_equal "$out" ''
    expect_equal "$(grep -c '^chorus-config: error: ' <<<"$err")" 1
    expect_equal "$(grep -cv '^chorus-config: \(error\|hint\): ' <<<"$err")" 0
    expect_match "$err" "$regex"
    after=$(cat "$(config)" "$CHORUS_HOME"/agents/*/agent.json 2>/dev/null)
    expect_equal "$after" "$before"
}

test_case "set writes what is typed as the key's type asks, and get prints it"
set_to default_model anthropic/x '"anthropic/x"'
set_to sandbox off '"off"'
set_to prompt_ttl 2d '"2d"'
set_to idle_timeout 90 90
set_to max_retries 5 5
set_to allow_network_fs true true
set_to environment '["LANG", "TZ"]' '["LANG","TZ"]'
set_to default_permissions locked '"locked"'
set_to permissions.ci '{"base": "sandboxed", "deny": ["tool:git:push .*"]}' '{"base":"sandboxed","deny":["tool:git:push .*"]}'
set_to permissions.ci.match '["tool:view:x"]' '["tool:view:x"]'
set_to providers.openai.base_url http://127.0.0.1:9/v1 '"http://127.0.0.1:9/v1"'
set_to permission_grants.admin '*' '"*"'
set_to permission_grants.viewer '["locked", "ci"]' '["locked","ci"]'
set_to roles.%ops admin '"admin"'
set_to limits.sandbox workspace+net '"workspace+net"'
set_to limits.budget.tokens_per_turn 1000 1000
set_to budget.tokens_per_turn 500 500
set_to audit_sink /var/log/chorus.jsonl '"/var/log/chorus.jsonl"'
set_to providers.vllm.base_url http://127.0.0.1:8000/v1 '"http://127.0.0.1:8000/v1"'
expect_equal "$(stat -c %a "$(config)")" 600
run chorus-config get prompt_ttl
expect_equal "$out" 2d
run chorus-config get environment
expect_equal "$out" '["LANG","TZ"]'
run chorus-config get permissions.ci.deny
expect_equal "$out" '["tool:git:push .*"]'
run chorus-config get default_model --json
expect_equal "$(jq -c .value <<<"$out")" '"anthropic/x"'
run chorus-config get limits
expect_equal "$out" '{"sandbox":"workspace+net","budget":{"tokens_per_turn":1000}}'
run chorus-config unset limits.sandbox
expect_status 0
expect_equal "$out$err" ''
expect_equal "$(jq -c .limits "$(config)")" '{"budget":{"tokens_per_turn":1000}}'
run chorus-config set roles.ada.lovelace admin
expect_equal "$(jq -r '.roles["ada.lovelace"]' "$(config)")" admin
run chorus-config unset roles.ada.lovelace
expect_equal "$(jq -c .roles "$(config)")" '{"%ops":"admin"}'
[ -z "$(find "$CHORUS_HOME" -name '.chorus-write*')" ] || fail 'a temporary file was left'

test_case "a value comes from stdin or a file too"
init a --model builtin/script
printf 'Be brief.\nSay what you did.\n' >prompt.txt
run chorus-config set -A a system_prompt @prompt.txt
expect_status 0
expect_equal "$(jq -r .system_prompt "$(agent_file)")" $'Be brief.\nSay what you did.'
echo '{"allow": ["tool:view:.*"]}' >profile.json
run_stdin profile.json chorus-config set permissions.reader -
expect_status 0
run chorus-config get permissions.reader
expect_equal "$out" '{"allow":["tool:view:.*"]}'
run chorus-config set -A a description '"@home"'
expect_equal "$(jq -r .description "$(agent_file)")" @home
run chorus-config set -A a description -- --hello
expect_equal "$(jq -r .description "$(agent_file)")" --hello
refused 2 'nofile: No such file' chorus-config set permissions.x @nofile

test_case "what is not set is what is built in; get of nothing prints nothing"
run chorus-config get max_iterations
expect_status 0
expect_equal "$out" 25
run chorus-config get default_permissions --json
expect_equal "$(jq -c .value <<<"$out")" '"standard"'
run chorus-config get limits.sandbox
expect_status 0
expect_equal "$out" ''
run chorus-config get limits.sandbox --json
expect_equal "$(jq -c .value <<<"$out")" null
run chorus-config unset max_retries
expect_status 0
expect_missing "$(config)"

test_case "values of the wrong type are refused, and named with key and type"
init a --model builtin/script
echo '{"mine": 1}' >"$(config)"
refused 3 'error: set: max_retries: expected a whole number, found "many"' chorus-config set max_retries many
refused 3 'set: prompt_ttl: expected .*duration.*found "soon"' chorus-config set prompt_ttl soon
refused 3 'set: sandbox: expected "workspace".*found "none"' chorus-config set sandbox none
refused 3 'set: allow_network_fs: expected true or false, found "yes"' chorus-config set allow_network_fs yes
refused 3 'set: environment: expected a list of variable names, found "LANG"' chorus-config set environment LANG
refused 3 'set: roles.ada: expected a name or a list of names, found' chorus-config set roles.ada '{"x": 1}'
refused 3 'set: roles.ada: expected a name' chorus-config set roles.ada ''
refused 3 'set: audit_sink: expected "syslog" or the absolute path' chorus-config set audit_sink log.txt
for file in chorus.db config.json agents/a/agent.json new agents/a/docs/new agents/a/workspace/new; do
    refused 3 'config.json: audit_sink: .* is inside the home' chorus-config set audit_sink "$CHORUS_HOME/$file"
done
refused 3 'config.json: audit_sink: ./tmp. is a directory' chorus-config set audit_sink /tmp
refused 3 'set: budget.usd_per_day: expected dollars, from 0.000001 to 1000000, found -1' chorus-config set budget.usd_per_day -- -1
refused 3 'set: limits: expected an object, found 5' chorus-config set limits 5
refused 3 "set: limits.sandbx: no such member; there are 'budget'" chorus-config set limits '{"sandbx": "off"}'
refused 3 'set: permissions.ci: expected an object, found 5' chorus-config set permissions.ci 5
refused 3 'set: permissions.ci: expected an object, found "standard"' chorus-config set permissions.ci standard
refused 3 "set: permissions.ci.alow: no such list" chorus-config set permissions.ci '{"alow": []}'
refused 2 'duplicate key' chorus-config set limits '{"sandbox": "off", "sandbox": "workspace"}'
refused 2 'default_model: not valid UTF-8 at byte 1' chorus-config set default_model $'a\xff'
refused 3 "providers: no provider 'nosuch'" chorus-config set providers.nosuch.base_url http://x
refused 7 "no provider 'nowhere'" chorus-config set default_model nowhere/x
refused 7 "no provider 'nowhere'" chorus-config set -A a model nowhere/x
refused 3 'set: max_iterations: expected a whole number' chorus-config set -A a max_iterations 1.5
refused 2 'name: Chorus itself writes this key' chorus-config set -A a name b
refused 2 'running_tasks: Chorus itself' chorus-config unset -A a running_tasks

test_case "a profile is compiled with all its patterns before it is written" # L-19
init a --model builtin/script
refused 3 "config.json: permissions.ci.allow\[1\] 'tool:\('" chorus-config set permissions.ci '{"allow": ["tool:x", "tool:("]}'
refused 3 'permissions.ci.deny\[0\]' chorus-config set permissions.ci.deny '["(?!x)y"]'
refused 3 'permissions.ci.not_match\[0\]' chorus-config set permissions.ci '{"allow": ["tool:view:.*"], "not_match": ["tool:view:x"]}'
refused 3 "default_permissions: no profile 'ci'" chorus-config set default_permissions ci
refused 3 "limits.permissions: no profile 'ci'" chorus-config set limits.permissions ci
refused 3 "permission_grants.viewer: no profile 'ci'" chorus-config set permission_grants.viewer ci
refused 3 "permissions.open: a preset has that name" chorus-config set permissions.open '{}'
refused 3 "agent.json: permissions: no profile 'ci'" chorus-config set -A a permissions ci
refused 3 'agent.json: permissions.ask\[0\]' chorus-config set -A a permissions '{"ask": ["("]}'
run chorus-config set permissions.ci '{"allow": ["tool:view:.*"]}'
expect_status 0
for key in default_permissions limits.permissions; do
    run chorus-config set $key ci
    expect_status 0
done
run chorus-config set -A a permissions ci
expect_status 0
refused 3 "default_permissions: no profile 'ci'" chorus-config unset permissions.ci
for key in default_permissions limits.permissions; do
    run chorus-config unset $key
    expect_status 0
done
refused 3 "permissions.ci: agent 'a' uses it" chorus-config unset permissions.ci
refused 3 "permissions.ci: agent 'a' uses it" chorus-config set permissions '{}'
expect_match "$err" 'hint: chorus-config set permissions standard -A a$'
refused 2 'permissions.allow: permissions is "ci", not an object' chorus-config set -A a permissions.allow '[]'

test_case "unknown keys are told with what is near"
init a --model builtin/script
refused 2 "'permision.ci': there is no such key in config.json.*similar keys: 'permissions'" chorus-config set permision.ci '{}'
refused 2 "similar keys: 'max_retries'" chorus-config get max_retrys
refused 2 "similar keys: 'limits.sandbox'" chorus-config set limits.sandbx off
refused 2 "there are 'limits.budget'" chorus-config set limits.zzzzzz off
refused 2 'chorus-config list shows the keys' chorus-config unset zzzzzzzzzz
refused 2 'chorus-config list' chorus-config set max_retries.x 5
refused 2 'it is a key of agent.json: name the agent with -A' chorus-config set system_prompt x
refused 2 'it is a key of config.json: leave -A out' chorus-config set -A a roles.ada x
refused 2 'usage: KEY: is empty' chorus-config get ''
refused 2 'no such key' chorus-config get $'x\x1b[31m'
# what a notice names can be taken away
echo '{"retires": 1, "max_retries": 2}' >"$CHORUS_HOME/config.json"
refused 2 'no such key' chorus-config get retires
refused 2 "'retirs': there is no such key in config.json" chorus-config unset retirs
run chorus-config unset retires
expect_status 0
expect_equal "$(jq -c . "$CHORUS_HOME/config.json")" '{"max_retries":2}'
run chorus-config unset max_retries
expect_status 0
expect_no_match "$err" $'\x1b'
for words in '' 'set' 'set max_retries' 'get' 'nosuch' 'set -a' 'list x' 'trust'; do
    run chorus-config $words
    expect_status 2
    expect_match "$err" '^chorus-config: error: usage: '
done
refused 2 'is empty' chorus-config get -A '' permissions
refused 2 "there is no verb 'nosuch'" chorus-config nosuch

test_case "who may grant: the owner of the home alone; where grants are mapped, who has a role that may" # L-18 X-39
init a --model builtin/script
cp "$(command -v bash)" sudo # what a process below sudo sees
for word in open '{"allow": ["tool:view:.*"]}' sandboxed; do
    run env SUDO_UID=54321 ./sudo -c 'chorus-config set -A a permissions "$1"; exit' - "$word"
    expect_status 6
    expect_match "$err" "^chorus-config: error: permissions: user '54321' may not grant '(open|custom|sandboxed)': without permission_grants in config.json only the owner of the home may"
done
expect_equal "$(jq -r .permissions "$CHORUS_HOME/agents/a/agent.json")" standard
run env SUDO_UID=54321 ./sudo -c 'chorus-config set -A a permissions locked; exit'
expect_status 0
run env SUDO_UID=54321 ./sudo -c 'chorus-config set -A a permissions standard; exit'
expect_status 6
run chorus-config set permission_grants.ops '["open", "standard"]'
run env SUDO_UID=54321 ./sudo -c 'chorus-config set -A a permissions open; exit'
expect_status 6
expect_match "$err" "user '54321' without a role may not grant 'open', which 'ops' may"
run chorus-config set roles.54321 ops
run env SUDO_UID=54321 ./sudo -c 'chorus-config set -A a permissions open; exit'
expect_status 0
run env SUDO_UID=54321 ./sudo -c 'chorus-config set -A a permissions "{\"base\": \"open\", \"allow\": [\"tool:x:.*\"]}"; exit'
expect_status 6
expect_match "$err" "user '54321' with the role 'ops' may not grant 'custom', which no role may"

test_case "what it does not know stays, in its place"
mkdir -p "$CHORUS_HOME" && chmod 700 "$CHORUS_HOME"
echo '{"x-first": {"b": 1, "a": [2.5]}, "max_retries": 1, "x-last": "ä"}' >"$(config)"
chmod 644 "$(config)"
run chorus-config set max_retries 2
expect_equal "$(jq -c . "$(config)")" '{"x-first":{"b":1,"a":[2.5]},"max_retries":2,"x-last":"ä"}'
expect_equal "$(stat -c %a "$(config)")" 600
run chorus-config list
expect_match "$err" "notice: .*config.json: not keys of this file: 'x-first' and 'x-last'"
mkdir elsewhere && mv "$(config)" elsewhere/c.json && ln -s "$scratch/elsewhere/c.json" "$(config)"
run chorus-config set max_retries 3
expect_status 0
expect_equal "$(jq .max_retries elsewhere/c.json)" 3
[ -L "$(config)" ] || fail 'the link is gone'

test_case "a file that is wrong is not shown as if it held, and can be mended"
mkdir -p "$CHORUS_HOME" && chmod 700 "$CHORUS_HOME"
echo '{"max_retries": "many", "prompt_ttl": 5}' >"$(config)"
refused 3 'config.json: max_retries: expected a whole number' chorus-config get prompt_ttl
refused 3 'config.json: max_retries: expected' chorus-config set prompt_ttl 6
run chorus-config set max_retries 1
expect_status 0
echo '{' >"$(config)"
refused 3 'config.json: not JSON' chorus-config list
refused 3 'config.json: not JSON' chorus-config set max_retries 1

test_case "writers at the same time lose nothing"
run chorus-config set max_retries 1
for i in {1..24}; do chorus-config set "roles.user$i" "role$i" & done
wait
expect_equal "$(jq '.roles | length' "$(config)")" 24

test_case "list: every key, what is in force and where it comes from"
init a --model builtin/script --permissions open
chorus-config set max_retries 1
chorus-config set max_iterations 7
chorus-config set environment '["LANG"]'
chorus-config set budget '{"tokens_per_turn": 5}'
chorus-config set -A a max_iterations 9
chorus-config set -A a environment '["TZ"]'
run env CHORUS_MODEL=ollama/x CHORUS_IDLE_TIMEOUT_MS=2500 CHORUS_NETWORK_FS=0 chorus-config list
expect_status 0
expect_equal "$err" ''
expect_match "$out" $'\nmax_retries +config.json +1\n'
expect_match "$out" $'\nmax_iterations +config.json +7\n'
expect_match "$out" $'\nparallel_tools +built-in +4\n'
expect_match "$out" $'\ndefault_model +CHORUS_MODEL +ollama/x\n'
expect_match "$out" $'\nidle_timeout +CHORUS_IDLE_TIMEOUT_MS +2500ms\n'
expect_match "$out" $'allow_network_fs +built-in +false\n'
expect_match "$out" $'\nroles +unset\n'
run chorus-config list --json
expect_equal "$(jq -r '.schema + " " + (.agent | tostring)' <<<"$out" | sort -u)" 'chorus.setting/1 null'
expect_equal "$(jq -r .file <<<"$out" | sort -u)" "$(config)"
expect_json 'select(.key == "max_retries") | "\(.value) \(.default) \(.origin) \(.type)"' '1 3 config.json a whole number'
expect_json 'select(.key == "limits") | "\(.value) \(.origin)"' 'null unset'
expect_equal "$(jq -s '[.[].meaning | select(. == null)] | length' <<<"$out")" 0
expect_equal "$(jq 'select(.key == "system_prompt")' <<<"$out")" ''
run chorus-config list -A a --json
expect_equal "$(jq -r .agent <<<"$out" | sort -u)" a
expect_json 'select(.key == "max_iterations") | "\(.value) \(.origin) \(.untrusted)"' '9 agent.json false'
expect_json 'select(.key == "environment") | "\(.value) \(.origin)"' '["LANG","TZ"] config.json, agent.json'
expect_json 'select(.key == "budget") | "\(.value) \(.origin)"' '{"tokens_per_turn":5} config.json'
expect_json 'select(.key == "permissions") | "\(.value) \(.origin)"' 'open agent.json'
expect_json 'select(.key == "sandbox") | "\(.value) \(.origin)"' 'workspace built-in'
run chorus-config get -A a max_iterations
expect_equal "$out" 9
chorus-config unset -A a max_iterations
run chorus-config get -A a max_iterations
expect_equal "$out" 7
run env CHORUS_MODEL=ollama/x chorus-config get -A a model
expect_equal "$out" ollama/x

test_case "env: every variable that the sources read, and no secret" # S-62
run env ANTHROPIC_API_KEY=sk-ant-CANARY https_proxy=http://me:CANARY@proxy:3128/x CHORUS_OPENAI_BASE_URL='http://u:CANARY@h/v1?key=CANARY&v=1' \
    NO_COLOR=1 chorus-config env
expect_status 0
expect_no_match "$out$err" CANARY
expect_match "$out" 'ANTHROPIC_API_KEY +environment +set'
expect_match "$out" 'OPENAI_API_KEY +unset'
expect_match "$out" $'\nhttps_proxy +environment +http://\*\*\*@proxy:3128/x\n'
expect_match "$out" 'CHORUS_OPENAI_BASE_URL +environment +http://\*\*\*@h/v1\?\*\*\*'
expect_match "$out" 'CHORUS_ANTHROPIC_BASE_URL +built-in +https://api.anthropic.com'
expect_match "$out" "CHORUS_HOME +environment +$CHORUS_HOME"
expect_match "$out" 'CHORUS_DRAIN_TIMEOUT_MS +built-in +20000'
run chorus-config env --json
for name in $(cat "$here"/../lib/*/*.cpp "$here"/../cmd/*.cpp "$here"/../cmd/*/*.cpp | grep -oE '"CHORUS_[A-Z_]+"' | tr -d '"' | sort -u); do
    expect_equal "$(jq "select(.name == \"$name\") | 1" <<<"$out")" 1
done
expect_json 'select(.name == "CHORUS_STDIN") | "\(.value) \(.origin)"' 'append built-in'
expect_missing "$CHORUS_HOME"

test_case "a key among the parameters of a provider's address is a secret"
init a --model openai/m
run chorus-config set providers.openai.base_url 'http://127.0.0.1:1/v1?api-key=CANARY-0123456789&v=1'
for form in '' --json; do
    run chorus-config list $form
    expect_match "$out" '127.0.0.1:1/v1'
    expect_no_match "$out$err" CANARY
done
run env OPENAI_API_KEY=sk-test-0123456789abcdef chorus-run a 'CANARY-0123456789 is said'
expect_db "SELECT count(*) FROM messages WHERE content LIKE '%CANARY%'" 0

test_case "what a person sets of an agent is trusted, and in its row" # L-13
init a --model builtin/script
run chorus-config set -A a permissions open
expect_status 0
expect_equal "$out$err" ''
expect_equal "$(stat -c %a "$(agent_file)")" 600
run chorus-config trust a --show
expect_status 0
expect_equal "$out" 'nothing to trust'
expect_db 'SELECT permissions FROM agents' open
expect_db "SELECT decision || ' ' || action_string || ' ' || (detail LIKE 'permissions: \"standard\" (sha256 %) to \"open\" (sha256 %)') || ' ' || user_id FROM audit_log" \
    "ask_approved trust:agent.json 1 $(id -u)"
run env CHORUS_ACTOR=mia chorus-config unset -A a permissions
expect_status 0
expect_match "$(db 'SELECT actor FROM audit_log WHERE id = 2')" '^uid [0-9]+ \(mia\)$'
expect_db 'SELECT permissions FROM agents' standard
run chorus-config set -A a max_iterations 3
run chorus-config set -A a description 'Reads.'
expect_db 'SELECT count(*) FROM audit_log' 2
expect_db 'SELECT description FROM agents' Reads.
run chorus-config set -A a permissions.allow '["tool:x"]'
expect_status 2 # it is built in
run chorus-config set -A a permissions '{"base": "locked"}'
run chorus-config set -A a permissions.ask '["tool:bash:.*"]'
expect_status 0
expect_equal "$(jq -c .permissions "$(agent_file)")" '{"base":"locked","ask":["tool:bash:.*"]}'
run chorus-config trust a
expect_equal "$out" 'nothing to trust'
run chorus-run a hi
expect_status 0

test_case "what somebody else changed is shown, and taken over only when a person says so"
init a --model builtin/script --permissions locked
edit_agent_key a permissions '"open"'
edit_agent_key a channel_id '"command:a\u001b[31m\u202eb"'
edit_agent_key a description '"harmless"'
run chorus-config list -A a
expect_status 0
expect_match "$err" "notice: .*agent.json: changed and not trusted: 'channel_id' and 'permissions'; see chorus-config trust a --show"
expect_match "$out" $'\npermissions +agent.json +locked\n'
run chorus-config list -A a --json
expect_equal "$(jq -r 'select(.untrusted).key' <<<"$out" | xargs)" 'channel_id permissions'
run chorus-config get -A a permissions
expect_equal "$out" locked
before=$(db 'SELECT * FROM settings; SELECT * FROM audit_log')
run chorus-config trust a --show
expect_status 0
expect_match "$out" $'permissions\n  before: "locked"\n  after:  "open"'
expect_match "$out" $'channel_id\n  before: \(not set\)\n  after:  .*\\\\u202eb'
expect_no_match "$out" $'\x1b|\u202e|description'
expect_equal "$(db 'SELECT * FROM settings; SELECT * FROM audit_log')" "$before"
refused 2 'trust a: no terminal to ask at.*--show shows what has changed, --yes trusts it' chorus-config trust a
run chorus-config trust a --yes
expect_status 0
expect_match "$out" 'after:  "open"'
run chorus-config get -A a permissions
expect_equal "$out" open
expect_db 'SELECT permissions FROM agents' open
expect_db "SELECT count(*) FROM audit_log WHERE action_string = 'trust:agent.json' AND decision = 'ask_approved'" 1
run chorus-config trust a --yes
expect_equal "$status $out" '0 nothing to trust'

test_case "one key that a person sets takes nothing else along"
init a --model builtin/script --permissions locked
edit_agent_key a permissions '{"allow": ["tool:[\\s\\S]*"]}'
edit_agent_key a sandbox '"off"'
refused 1 'permissions.deny: permissions was changed by somebody else.*trust a --show' chorus-config set -A a permissions.deny '["tool:git:.*"]'
run chorus-config set -A a sandbox workspace
expect_status 0
run chorus-config trust a --show
expect_match "$out" '^permissions'
expect_no_match "$out" sandbox
run chorus-config set -A a permissions standard
expect_status 0
run chorus-config trust a
expect_equal "$out" 'nothing to trust'

test_case "a file that no turn would take is not trusted"
init a --model builtin/script
edit_agent_key a permissions '{"allow": ["tool:("]}'
refused 3 'agent.json: permissions.allow\[0\]' chorus-config trust a --yes
edit_agent_key a permissions '"standard"'
edit_agent_key a sandbox '"none"'
run chorus-config trust a --yes
expect_status 3
expect_match "$err" 'agent.json: sandbox: expected'

test_case "an agent older than the record: what is there at first is taken, and told in the audit log"
init a --model builtin/script --permissions locked
db 'DELETE FROM settings'
run chorus-config trust a --show
expect_equal "$out" 'nothing to trust'
expect_db 'SELECT count(*) FROM settings' 0
edit_agent_key a permissions '"open"'
run chorus-config set -A a sandbox off
expect_status 0
expect_db "SELECT group_concat(decision) FROM audit_log" 'allow,ask_approved'
expect_match "$(db 'SELECT detail FROM audit_log WHERE id = 1')" '^nothing was recorded yet; .*permissions: nothing to "open"'
run chorus-config trust a
expect_equal "$out" 'nothing to trust'

test_case "killed at any time: the old value or the new one, and nobody is trusted who was not" # promise 5
init a --model builtin/script --permissions locked
killed=0
for i in {1..60}; do
    wanted=$([ $((i % 2)) = 0 ] && echo locked || echo standard)
    before=$(jq -r .permissions "$(agent_file)") held=$(chorus-config get -A a permissions)
    { timeout -s KILL "0.0$(printf %03d $((i * 3)))" chorus-config set -A a permissions "$wanted" || killed=$((killed + 1)); } 2>/dev/null
    after=$(jq -r .permissions "$(agent_file)")
    [ "$after" = "$before" ] || [ "$after" = "$wanted" ] || fail "at $i: $after"
    holds=$(chorus-config get -A a permissions)
    [ "$holds" = "$held" ] || [ "$holds" = "$wanted" ] || fail "at $i: $holds is in force"
done
[ "$killed" -gt 0 ] || fail 'nothing was killed'
run chorus-config set -A a permissions open
expect_status 0
run chorus-config trust a
expect_equal "$out" 'nothing to trust'
expect_db 'PRAGMA integrity_check' ok
[ -z "$(find "$CHORUS_HOME" -name '.chorus-write*')" ] || fail 'a temporary file was left'

test_case "the question on a terminal: yes, no, and nobody"
init a --model builtin/script
edit_agent_key a permissions '"open"'
typist() { shown 'o? ' && echo n; }
on_terminal 'chorus-config trust a'
expect_status 11
expect_match "$out" $'permissions\n  before: "standard"\n  after:  "open"\n\nTrust these settings of agent a'
expect_match "$out" 'error: trust a: the answer was no'
run chorus-config get -A a permissions
expect_equal "$out" standard
typist() { shown 'o? ' && printf '\004'; }
on_terminal 'chorus-config trust a'
expect_status 10
typist() { shown 'o? ' && edit_agent_key a environment '["X"]' && echo y; }
on_terminal 'chorus-config trust a'
expect_status 1
expect_match "$out" 'changed since it was shown'
typist() { shown 'o? ' && echo yes; }
on_terminal 'chorus-config trust a'
expect_status 0
run chorus-config trust a
expect_equal "$out" 'nothing to trust'

test_case "nothing that a turn has started decides"
init a --model builtin/script --permissions open
for words in 'set max_retries 1' 'unset max_retries' 'set -A a permissions open' 'trust a --yes' 'trust a'; do
    refused 6 "error: this process was started by agent 'a'" env CHORUS_AGENT=a chorus-config $words
done
refused 6 "agent ''" env CHORUS_AGENT= chorus-config set max_retries 1
for words in 'get max_retries' 'list' 'env' 'trust a --show'; do
    run env CHORUS_AGENT=a chorus-config $words
    expect_status 0
done
home_key sandbox '"off"'
for words in 'set default_permissions open' 'set -A a sandbox off' 'trust a --yes'; do
    run chorus-run a "/bash (CHORUS_HOME='$CHORUS_HOME' setsid env -u CHORUS_AGENT chorus-config $words; echo it is \$?) 2>&1"
    expect_status 0
    expect_match "$out" 'error: this process was started by a running turn \(process [0-9]+\) and may not decide'
    expect_match "$out" 'it is 6'
done
expect_equal "$(jq -c . "$(config)")" '{"sandbox":"off"}'

test_case "agents and homes that are not there or not one's own"
run chorus-config list
expect_status 0
expect_missing "$CHORUS_HOME"
refused 4 'the home does not exist' chorus-config list -A a
run chorus-config set max_retries 1
expect_status 0
expect_equal "$(stat -c %a "$CHORUS_HOME")" 700
refused 4 "agent 'b': no such agent" chorus-config get -A b permissions
refused 4 "agent 'b'" chorus-config trust b
init a --model builtin/script
db "UPDATE agents SET status = 'destroying'"
refused 4 'it is being destroyed' chorus-config set -A a permissions open
chown 12345 "$CHORUS_HOME"
for words in 'get max_retries' 'set max_retries 2' 'list'; do
    refused 6 'belongs to uid 12345' chorus-config $words
done
chown "$(id -u)" "$CHORUS_HOME"
# what another user may not even look into
chmod 711 "$base" "$scratch"
for words in 'config doctor' 'config get max_retries' 'run a hello' 'tasks pending' 'context history a' 'context verify' \
    'destroy a --yes' 'init b --model builtin/script'; do
    for groom in auto manual; do
        run env CHORUS_GROOM=$groom setpriv --reuid=65534 --regid=65534 --clear-groups "$CHORUS_BIN"/chorus-$words
        expect_status 6
        expect_match "$err" "^chorus-${words%% *}: error: $CHORUS_HOME: belongs to uid 0, this process runs as uid 65534
chorus-${words%% *}: hint: sudo -u root …$"
        expect_equal "$out" ''
    done
done
chmod 777 "$CHORUS_HOME"
refused 6 'writable by other users' chorus-config set max_retries 2

test_case "stdout that cannot be written is no success"
for words in 'get max_retries' 'list' 'env --json'; do
    chorus-config $words >/dev/full 2>err.txt
    expect_equal $? 1
    expect_match "$(cat err.txt)" 'stdout: not everything could be written'
done

test_case "set and unset: numbers of other keys stay as they are written"
init ada --model builtin/script
kept='"x-mine": {"price": 1.10, "big": 123456789012345678901234567890, "small": 1e-7, "text": "1.10 \\" 2e5", "list": [0.30, -0.0]}'
for file in "$CHORUS_HOME/agents/ada/agent.json" "$CHORUS_HOME/config.json"; do
    [ -e "$file" ] || echo '{}' >"$file"
    chmod 600 "$file"
    jq -c . "$file" | sed "s/}\$/,$kept}/; s/^{,/{/" >new && cat new >"$file"
done
chorus-config trust ada --yes >/dev/null 2>&1
for options in '-A ada description' 'default_model'; do
    [ "$options" = default_model ] && file=$CHORUS_HOME/config.json || file=$CHORUS_HOME/agents/ada/agent.json
    run chorus-config set $options builtin/script
    expect_status 0
    for number in 1.10 123456789012345678901234567890 1e-7 0.30 -0.0; do
        grep -qE "(^|[ :])$number,?\$" "$file" || fail "$number is not in $file"
    done
    expect_match "$(cat "$file")" '"text": "1.10 \\" 2e5"'
    run chorus-config unset $options
    expect_status 0
    grep -qE "(^|[ :])123456789012345678901234567890,?\$" "$file" || fail "unset changed $file"
done

test_case "what would fail in every turn is not set, and what nothing reads is told"
init a --model builtin/script
while IFS='|' read -r key value text; do
    run chorus-config set $key "$value"
    [ "$status" != 0 ] || fail "$key $value was set"
    expect_match "$err" "$text"
    expect_match "$err" 'hint: |expected'
done <<'EOF'
-A a max_iterations|0|max_iterations: expected a whole number, 1 or more, found 0
parallel_tools|0|1 or more
-A a model|builtin/scirpt|there is no 'builtin/scirpt'
-A a model|antropic/x|did you mean 'anthropic'
default_model|builtin/foo|builtin/script is the only built-in
hooks|{}|there is no such key
-A a mcpServers|{}|there is no such key
-A a notify|{}|there is no such key
EOF
expect_missing "$CHORUS_HOME/config.json"
run chorus-config set -A a budget '{"tokens_per_turn": 100000}'
expect_status 0
edit_agent_key a hooks '{}'
edit_agent_key a max_itertions 5
home_key nothing true
run chorus-run a hello
expect_status 0
expect_match "$err" "agent.json: nothing reads 'hooks' and 'max_itertions'"
expect_match "$err" "config.json: nothing reads 'nothing'"
edit_agent_key a budget '{"usd_per_day": 1}'
run chorus-config trust a --yes
run chorus-run a -m ollama/x hello
expect_status 3
expect_match "$err" 'dollars cannot be counted'

test_case "values that mean nothing, or keep every command from running, are refused"
init a --model builtin/script
refused 3 'max_bash_timeout: expected a duration of a second or more' chorus-config set max_bash_timeout 0
refused 3 'sandbox_read: expected a list of absolute paths' chorus-config set sandbox_read '["rel"]'
for names in '["A=B"]' '[""]' '["1A"]'; do
    refused 3 'environment: expected a list of variable names' chorus-config set environment "$names"
done
run chorus-config set environment '["LANG", "_x1"]'
expect_status 0

end_tests
