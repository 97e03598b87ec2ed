#!/usr/bin/env bash
# chorus-context scope: what a sub-agent may read and write, shown, changed and explained.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/subagents.sh"

updated() { sed -n 's/^updated: //p' "$dir/scope-plan.yml"; }

test_case "show: the rules in force, each with its sub-agent" # P-68
parent
preset helper
spawn helper hello --allow-path 'src/**' --deny-path '**/*.pem'
run chorus-context scope "$child"
expect_status 0
expect_equal "$(cut -f1,2 <<<"$out" | tr '\t\n' ' ;')" \
    'read src/**;write /tmp/**;deny **/.git/**;deny **/runtime/**;deny **/.env;deny **/node_modules/**;deny **/*.pem;'
expect_equal "$(cut -f3 <<<"$out" | sort -u)" "$child"
run chorus-context scope a show --subagent "$child" --json
expect_equal "$(jq -rs 'map(select(.list == "read").glob) | join(" ")' <<<"$out")" 'src/**'
preset deeper
run chorus-run "$child" --spawn deeper -p hi --allow-path 'src/gen/**'
expect_status 0
run chorus-context scope "$(of_child name)"
expect_match "$out" "read	src/gen/\*\*	deeper.*read	src/\*\*	$child"

test_case "a sub-agent keeps the read list that the one above had when it was created" # P-18 P-70 X-18
parent
preset helper
preset deeper
spawn helper hello --allow-path 'src/**'
above=$child
run chorus-run "$above" --spawn deeper -p hi
expect_status 0
below=$(of_child name)
expect_equal "$(grep -A2 'read:' "$CHORUS_HOME/$(of_child dir)/preset.md" | grep -c 'src/\*\*')" 1
run chorus-context scope "$above" allow 'lib/**'
expect_status 0
run chorus-run "$above" '/view lib/c'
expect_match "$out" 'text of lib/c'
run chorus-run "$below" '/view lib/c'
expect_no_match "$out" 'text of lib/c'

test_case "allow and deny change preset.md alone, and touch updated" # P-53
parent
preset helper 'description: helps  # a comment'
spawn helper '/view lib/c' --allow-path 'src/**'
before=$(updated)
run chorus-run "$child" '/view lib/c'
expect_match "$out" 'not in paths.read'
expect_equal "$(updated)" "$before"
run chorus-context scope "$child" allow 'lib/**'
expect_status 0
[ "$(updated)" != "$before" ] || fail "updated is $before still"
expect_match "$(cat "$dir/preset.md")" 'description: helps  # a comment'
expect_match "$(cat "$dir/preset.md")" 'read:
    - "src/\*\*"
    - "lib/\*\*"'
expect_equal "$(grep -c '^---$' "$dir/preset.md")" 2
run chorus-run "$child" '/view lib/c'
expect_match "$out" 'text of lib/c'
before=$(updated)
run chorus-context scope "$child" allow 'lib/**'
expect_status 0
expect_match "$err" 'it was so already'
expect_equal "$(updated)" "$before"
run chorus-context scope "$child" deny lib/c
run chorus-run "$child" '/view lib/c'
expect_match "$out" 'denied by paths.deny: lib/c'
run chorus-context scope "$child" allow lib/c --write
expect_status 0
run chorus-run "$child" $'/view lib/c\n/create_file {"path": "lib/c", "content": "new"}'
expect_match "$out" 'text of lib/c'
expect_file "$work/lib/c" new
expect_db "SELECT group_concat(action_string, '; ') FROM audit_log WHERE action_string LIKE 'agent:scope:%'" \
    'agent:scope:read lib/**; agent:scope:deny lib/c; agent:scope:read lib/c; agent:scope:write lib/c'
run chorus-context verify
expect_status 0

test_case "validate: links resolved, deny over allow, and the rule of the one above" # P-70
parent
preset helper
spawn helper hello --allow-path 'src/**' --deny-path 'src/gen'
access() { chorus-context scope "${2:-$child}" validate "$1" | cut -f1,2,3,4 | tr '\t\n' ' ;'; }
expect_equal "$(access src/a)" 'read allow src/a -;write deny src/a not in paths.write: /tmp/**;'
expect_equal "$(access ./src//../src/a)" 'read allow src/a -;write deny src/a not in paths.write: /tmp/**;'
expect_match "$(access src/to-lib)" '^read deny lib/c not in paths.read: src/\*\*;'
expect_match "$(access src/gen/b)" '^read deny src/gen/b denied by paths.deny: src/gen;'
expect_match "$(access src/.env)" '^read deny src/.env denied by paths.deny: \*\*/.env;'
expect_match "$(access src/none)" '^read allow src/none -;'
expect_match "$(access ../outside)" '^read deny - leads out of '
expect_match "$(access /etc/passwd)" '^read deny - leads out of '
run chorus-context scope "$child" validate src/gen/b --json
expect_equal "$(jq -r '.use + " " + .decision + " " + .path' <<<"$out" | tr '\n' ';')" 'read deny src/gen/b;write deny src/gen/b;'
preset deeper
run chorus-run "$child" --spawn deeper -p hi --allow-path '**'
below=$(of_child name)
expect_match "$(access lib/c "$below")" '^read deny lib/c not in paths.read: src/\*\*;'
expect_match "$(chorus-context scope "$below" validate lib/c | head -1)" "$child$"
run chorus-context scope "$below" allow 'lib/**'
expect_match "$(access lib/c "$below")" '^read deny'

test_case "a file to read: no command runs, and the reason names it"
parent
preset helper
spawn helper $'/view top\n/bash cat top' --allow-path top
expect_match "$out" 'text of top'
expect_match "$out" 'cannot be held to the agent.s paths: paths.read: top is a file, not a directory'

test_case "allow reports what the new rule alone does not give"
parent
preset helper
spawn helper hello --allow-path src
outer=$child
run chorus-context scope "$outer" allow top
expect_status 0
expect_match "$err" 'notice: it has no commands while a list names anything but directories'
run chorus-context scope "$outer" allow lib
expect_equal "$err" ''
run chorus-run "$outer" --spawn helper -p hi --allow-path src/gen
below=$(of_child name)
run chorus-context scope "$outer" deny lib
run chorus-context scope "$below" allow lib
expect_status 0
expect_match "$err" "notice: lib is still denied: .*$outer"
rm "$CHORUS_HOME/$(of_child dir)/scope-plan.yml"
run chorus-context scope "$below" allow src
expect_status 0
expect_match "$(cat "$CHORUS_HOME/$(of_child dir)/preset.md")" '- "?src"?
'

test_case "what is wrong changes nothing"
parent
preset helper
spawn helper hello
sum=$(cat "$dir"/*.md "$dir"/*.yml | sha256sum)
wrong() { # STATUS REGEX ARGUMENTS...
    run chorus-context scope "${@:3}"
    expect_status "$1"
    expect_match "$err" "$2"
}
wrong 2 'only sub-agents have paths' a
wrong 2 'ACTION .grant.: unknown' "$child" grant x
wrong 2 'needs a PATH' "$child" allow
wrong 2 'takes no PATH' "$child" show x
wrong 2 'only allow takes it' "$child" deny x --write
wrong 2 'leads upwards' "$child" allow ../x
wrong 2 'is absolute' "$child" allow '/etc/**'
wrong 2 'has braces' "$child" deny '{a,b}'
wrong 2 '' "$child" deny ''
wrong 2 'has a . without a .$|has a . without a .
' "$child" deny 's[e'
for path in '**/.env' .env src/.env .git .git/config node_modules/x; do
    wrong 2 'is denied to every sub-agent' "$child" allow "$path"
done
wrong 4 'none of that id' a show --subagent nobody
wrong 4 '' nobody
expect_equal "$(cat "$dir"/*.md "$dir"/*.yml | sha256sum)" "$sum"
run env CHORUS_AGENT=a chorus-context scope "$child" allow lib
expect_status 6
expect_equal "$(cat "$dir"/*.md "$dir"/*.yml | sha256sum)" "$sum"

end_tests
