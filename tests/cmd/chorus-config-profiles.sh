#!/usr/bin/env bash
# Credential profiles and where their keys come from; chorus-config profiles and login.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/terminal.sh"

key=sk-canary-0123456789abcdef
file() { (umask 077 && printf '%s' "$1" >key); } # CONTENT
refuses() { # STATUS REGEX ARGUMENT …: of profiles; nothing is stored
    local expected=$1 regex=$2
    shift 2
    run chorus-config profiles "$@"
    expect_status "$expected"
    expect_match "$err" "$regex"
    expect_equal "$(grep -c '' <<<"$(grep -v hint: <<<"$err")")" 1
    expect_missing "$CHORUS_HOME/credentials.json"
}
turn() { # one turn of anthropic/m
    start_server "$(answers "$(say ok)")"
    unset ANTHROPIC_API_KEY
    run chorus-run a hello
}
with_input() { # TEXT COMMAND …
    printf '%s' "$1" >input
    shift
    run_stdin input "$@"
}
sent() { grep -i x-api-key "$scratch/log/0001.head" | tr -d '\r' | cut -d' ' -f2; }

# S-32
test_case "a profile is added, listed, and removed"
run chorus-config profiles
expect_status 0
expect_equal "$out" ''
file "$key"
run chorus-config profiles add first --provider anthropic --key-file key
expect_status 0
expect_equal "$out$err" ''
expect_equal "$(stat -c %a "$CHORUS_HOME/credentials.json")" 600
SOME_API_KEY=$key run chorus-config profiles add second --provider anthropic --key-env SOME_API_KEY
expect_status 0
run chorus-config profiles add third --provider groq --key-command "cat $scratch/key"
expect_status 0
run chorus-config profiles --json
expect_equal "$(jq -c '[.name, .provider, .status, .is_active, .cooldown_remaining_secs, .key_from, .key_place]' <<<"$out")" \
    '["first","anthropic","active",true,null,"key_file","'"$scratch"'/key"]
["second","anthropic","available",false,null,"key_env","SOME_API_KEY"]
["third","groq","active",true,null,"key_command","cat '"$scratch"'/key"]'
run chorus-config profiles list
expect_no_match "$out" canary
run chorus-config profiles remove first
expect_status 0
expect_equal "$(chorus-config profiles --json | jq -r '.name + " " + .status' | paste -sd,)" 'second active,third active'
run chorus-config profiles remove first
expect_status 4
expect_match "$err" "no profile 'first'"
run chorus-config profiles add second --provider groq --key-env SOME_API_KEY
expect_status 3
SOME_API_KEY=$key run chorus-config profiles add second --provider groq --key-env SOME_API_KEY
expect_status 5

test_case "what is no profile is refused, and nothing is stored"
file "$key"
refuses 2 'NAME: missing' add
refuses 2 '--provider: missing' add x --key-file key
refuses 2 "expected one of '--key-file'" add x --provider groq
refuses 2 "expected one of '--key-file'" add x --provider groq --key-file key --key-env A_API_KEY
refuses 7 'nosuch' add x --provider nosuch --key-file key
refuses 2 'name: expected' add 'a b' --provider groq --key-file key
refuses 2 'does not end in one of' add x --provider groq --key-env PATH
refuses 2 'not an option of profiles list' list --force
refuses 2 'takes no name' list x
refuses 2 "not one of" other
refuses 2 '--key-command' add x --provider groq --key-command '[1]'
refuses 2 'expected a program' add x --provider groq --key-command '[]'
refuses 2 'expected a program' add x --provider groq --key-command '  '
for wrong in 'a\0b' 'a b' 'a\033b' 'a\xffb'; do
    (umask 077 && printf "$wrong" >key)
    refuses 3 'it contains a blank, a control or a non-ASCII character' add x --provider groq --key-file key
    refuses 3 'it contains a blank, a control or a non-ASCII character' add x --provider groq --key-command 'cat key'
    run_stdin key chorus-config login groq --no-check
    expect_status 3
done
refuses 4 'no profile' switch x
refuses 2 "expected 'auto' or 'manual'" mode maybe

test_case "a file with a key: its content, and who may read it"
init a --model anthropic/m
file "$key"
run chorus-config profiles add x --provider anthropic --key-file key
for content in "$key" "$key\n" "  $key \r\n" "\xef\xbb\xbf$key\n"; do
    printf "$content" >key
    turn
    expect_status 0
    expect_equal "$(sent)" "$key"
done
broken() { # REGEX
    turn
    expect_status 3
    expect_match "$err" "$1"
    expect_no_match "$err" canary
    expect_equal "$(request_count)" 0
}
: >key
broken 'key: it is empty'
printf '%s\n%s\n' "$key" "$key" >key
broken 'more than one line'
head -c 70000 /dev/zero | tr '\0' x >key
broken 'more than 65,?536 bytes'
printf '%s' "$key" >key
chmod 644 key
broken 'others may read or write it'
expect_match "$err" "hint: chmod 600 $scratch/key"
rm key
broken 'no such file'
mkfifo -m 600 key
broken 'not a regular file'
rm key
mkdir -m 700 key
broken 'not a regular file'

test_case "credentials.json itself"
init a --model anthropic/m
bad() { # JSON REGEX
    (umask 077 && printf '%s' "$1" >"$CHORUS_HOME/credentials.json")
    turn
    expect_status 3
    expect_match "$err" "$2"
    expect_no_match "$err" canary
    run chorus-config profiles
    expect_status 3
    run chorus-config doctor
    expect_match "$out" "$2"
    expect_no_match "$out" canary
}
bad '{"profiles": [{"name": "x", "provider": "anthropic", "key": "canary-0123456789abcdef
"}]}' 'not JSON'
bad '{' 'credentials.json'
bad '[]' "one member, 'profiles'"
bad '{"profiles": [], "x": 1}' "one member, 'profiles'"
bad '{"profiles": [7]}' 'profiles\[0\]: expected an object'
bad '{"profiles": [{"name": "x", "provider": "groq"}]}' "expected one of 'key'"
bad '{"profiles": [{"name": "x", "provider": "groq", "key": "sk-canary-0123456789", "key_env": "A_API_KEY"}]}' "expected one of 'key'"
bad '{"profiles": [{"name": "x", "provider": "groq", "key": 7}]}' 'key: expected text'
bad '{"profiles": [{"name": "x", "provider": "groq", "key_file": "key"}]}' 'key_file: expected an absolute path'
bad '{"profiles": [{"name": "x", "provider": "groq", "key_command": "pass show x"}]}' 'key_command: expected a list of words'
bad '{"profiles": [{"name": "x", "provider": "groq", "key_env": "PATH"}]}' 'does not end in one of'
bad '{"profiles": [{"name": "x", "provider": "groq", "key": "k1", "more": "y"}]}' "unknown member 'more'"
bad '{"profiles": [{"name": "x", "provider": "groq", "key": "k1"}, {"name": "x", "provider": "xai", "key": "k2"}]}' "another profile is named 'x'"
(umask 077 && printf '{"profiles": []}' >"$CHORUS_HOME/credentials.json")
turn
expect_status 6
expect_match "$err" 'ANTHROPIC_API_KEY is not set'
chmod 640 "$CHORUS_HOME/credentials.json"
turn
expect_status 3
expect_match "$err" "hint: chmod 600 $CHORUS_HOME/credentials.json"
rm "$CHORUS_HOME/credentials.json"
mkfifo -m 600 "$CHORUS_HOME/credentials.json"
turn
expect_status 3
expect_match "$err" 'not a regular file'

test_case "a command that prints the key"
init a --model anthropic/m
cat >give <<SH
#!/bin/sh
echo asked >>$scratch/asked
cat $scratch/answer
SH
chmod +x give
commanded() { # ANSWER
    printf '%s' "$1" >answer
    turn
}
printf '%s' "$key" >answer
run chorus-config profiles add x --provider anthropic --key-command "$scratch/give"
expect_status 0
for answer in "$key" "$key
" '{"access_token": "'$key'", "expires_in": 3600}' '{"key": "'$key'"}'; do
    commanded "$answer"
    expect_status 0
    expect_equal "$(sent)" "$key"
done
commanded ''
expect_status 3
expect_match "$err" 'give: it is empty'
commanded '{"none": 1}'
expect_status 3
expect_match "$err" "it has none of 'key'"
commanded '{"none'
expect_status 3
expect_match "$err" 'not JSON'
commanded "$(head -c 200000 /dev/zero | tr '\0' x)"
expect_status 3
expect_match "$err" 'too long for a key'
echo 'exit 3' >give
commanded x
expect_status 3
expect_match "$err" 'give'
printf '#!/bin/sh\nexit 3\n' >give
commanded x
expect_status 3
expect_match "$err" 'ended with status 3'
printf '#!/bin/sh\nkill -9 $$\n' >give
commanded x
expect_status 3
expect_match "$err" 'ended by signal 9'
printf '#!/bin/sh\nsleep 60\n' >give
begin=$(date +%s)
commanded x
expect_status 3
expect_match "$err" 'no answer within 10 s'
[ $(($(date +%s) - begin)) -lt 14 ] || fail 'it took too long'
begin=$(date +%s)
run chorus-run a --timeout 1 hello
expect_status 124
[ $(($(date +%s) - begin)) -lt 6 ] || fail '--timeout came too late'
rm give
commanded x
expect_status 3
expect_match "$err" 'give'

test_case "a key that cannot be read is a failure of its provider only"
start_server '{"answers": [], "models": {"status": 200, "headers": {"content-type": "application/json"}, "body": "{\"data\": [{\"id\": \"served-1\"}]}"}}'
file "$key"
run chorus-config profiles add x --provider groq --key-file key
rm key
run chorus-config models --refresh
expect_status 7
expect_match "$err" 'profile x: .*key: no such file'
expect_match "$out" 'anthropic/served-1'

test_case "a command is asked once, as long as its key is valid" # A-57
init a --model anthropic/m
agent_key a permissions '"open"'
cat >give <<SH
#!/bin/sh
echo asked >>$scratch/asked
echo '{"key": "$key", "expires_in": '\$(cat $scratch/life)'}'
SH
chmod +x give
echo 3600 >life
run chorus-config profiles add x --provider anthropic --key-command "$scratch/give"
for life in 3600 1; do
    echo $life >life
    : >asked
    start_server "$(answers "$(call c1 bash '{"command": "true"}')" "$(call c2 bash '{"command": "true"}')" "$(say ok)")"
    run chorus-run a hello
    expect_status 0
    expect_equal "$life $(grep -c '' asked)" "$life $((life == 1 ? 3 : 1))"
done
expect_equal "$(grep -rlF "$key" "$CHORUS_HOME")" ''

test_case "what a command answers is a secret of the turn"
init a --model anthropic/m
printf '%s' "$key" >answer
run chorus-config profiles add x --provider anthropic --key-command "cat $scratch/answer"
start_server "$(answers "$(say "it is $key")")"
run chorus-run a hello
expect_status 0
expect_match "$out" 'it is \[redacted:key\]'

test_case "login checks the key and stores it"
start_server '{"answers": [], "models": {"status": 200, "headers": {"content-type": "application/json"}, "body": "{\"data\": [{\"id\": \"m\"}]}"}}'
unset ANTHROPIC_API_KEY
with_input "$key" chorus-config login anthropic
expect_status 0
expect_match "$err" 'profile anthropic has the key'
expect_equal "$(jq -c '.profiles' "$CHORUS_HOME/credentials.json")" '[{"name":"anthropic","provider":"anthropic","key":"'$key'"}]'
expect_equal "$(stat -c %a "$CHORUS_HOME/credentials.json")" 600
with_input "$key-two" chorus-config login anthropic
expect_status 0
expect_equal "$(jq -r '.profiles[].key' "$CHORUS_HOME/credentials.json")" "$key-two"
expect_equal "$(jq -Sc .providers.anthropic "$CHORUS_HOME/available_models.json")" '{"models":["m"],"valid":true}'
with_input "$key" chorus-config login anthropic --profile other
expect_status 0
expect_equal "$(chorus-config profiles --json | jq -r .name | paste -sd' ')" 'anthropic other'
init a --model anthropic/m
start_server "$(answers "$(say ok)")"
unset ANTHROPIC_API_KEY
run chorus-run a hello
expect_status 0
expect_equal "$(sent)" "$key-two"

test_case "login refuses what the provider refuses"
start_server '{"answers": [], "models": {"status": 401, "body": "{\"error\": {\"type\": \"authentication_error\", \"message\": \"no\"}}"}}'
with_input "$key" chorus-config login anthropic
expect_status 6
expect_match "$err" 'hint: nothing was stored'
expect_no_match "$err" canary
expect_missing "$CHORUS_HOME/credentials.json"
with_input '' chorus-config login anthropic
expect_status 3
expect_match "$err" 'the key: it is empty'
with_input "$key" chorus-config login builtin
expect_status 2
expect_match "$err" 'builtin needs no key'
with_input "$key" chorus-config login anthropic --no-check
expect_status 0
with_input "$key" chorus-config login groq --profile anthropic --no-check
expect_status 5

test_case "login at a terminal does not show the key"
start_server '{"answers": [], "models": {"status": 200, "headers": {"content-type": "application/json"}, "body": "{\"data\": []}"}}'
typist() { shown 'Key for anthropic' && printf '%s\n' "$key"; }
on_terminal 'chorus-config login anthropic'
expect_status 0
expect_no_match "$out" canary
expect_match "$out" 'has the key'
expect_equal "$(jq -r '.profiles[0].key' "$CHORUS_HOME/credentials.json")" "$key"
rm "$CHORUS_HOME/credentials.json"
on_terminal 'chorus-config login anthropic 2>err'
expect_status 0
expect_no_match "$out" canary
expect_equal "$(jq -r '.profiles[0].key' "$CHORUS_HOME/credentials.json")" "$key"

test_case "login: a shell that shows what is typed again after ^Z and fg shows no key"
start_server '{"answers": [], "models": {"status": 200, "headers": {"content-type": "application/json"}, "body": "{\"data\": []}"}}'
typist() {
    local pid
    shown 'Key for anthropic' || return
    pid=$(pgrep -x chorus-config)
    kill -STOP "$pid"
    stty -F "/dev/$(ps -o tty= -p "$pid")" echo
    kill -CONT "$pid"
    wait_for 10 eval '[ "$(grep -o "Key for anthropic" "$scratch/screen" | wc -l)" = 2 ]'
    printf '%s\n' "$key"
}
on_terminal 'chorus-config login anthropic'
expect_status 0
expect_no_match "$out" canary
expect_equal "$(jq -r '.profiles[0].key' "$CHORUS_HOME/credentials.json")" "$key"

test_case "variables of rotation: as they are in force, and refused where a turn refuses them"
mkdir -p "$CHORUS_HOME" && chmod 700 "$CHORUS_HOME"
for each in '120 120' '120s 120' '1500ms 1500ms'; do
    run env CHORUS_ROTATE_COOLDOWN_SECS="${each% *}" chorus-config get rotate_cooldown
    expect_equal "$out" "${each#* }"
done
run env CHORUS_PROFILE_MODE=manual chorus-config profiles mode
expect_equal "$out" manual
for wrong in CHORUS_ROTATE_COOLDOWN_SECS=soon CHORUS_PROFILE_MODE=semi CHORUS_ROTATE_MAX_PER_HOUR=x; do
    for command in 'get rotate_cooldown' list 'profiles mode'; do
        run env $wrong chorus-config $command
        expect_status 2
        expect_match "$err" "error: ${wrong%=*}: "
    done
done

test_case "a turn's commands see no key, and cannot add one"
init a --model builtin/script --permissions open
file "$key"
export SOME_API_KEY=$key
run chorus-config profiles add x --provider anthropic --key-env SOME_API_KEY
run chorus-config profiles add y --provider anthropic --key-file key
run chorus-run a '/bash env; cat $CHORUS_HOME/credentials.json '"$scratch"'/key'
expect_no_match "$out" canary
run env CHORUS_AGENT=a chorus-config profiles
expect_status 0
unset SOME_API_KEY

test_case "chorus-init and chorus-config models know what has a key"
file "$key"
run chorus-config profiles add x --provider groq --key-file key
run chorus-init a
expect_status 0
expect_match "$out" 'Model: groq/.*profile x'
run chorus-config models --json
expect_equal "$(jq -r 'select(.usable).provider' <<<"$out" | sort -u | paste -sd' ')" 'builtin groq'

end_tests
