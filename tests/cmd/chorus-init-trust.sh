#!/usr/bin/env bash
# needs: root
# What an agent brings along: chorus-init(1), Trust. Every way in and every key that widens rights, starts programs
# or sends data.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

number=0
keys='budget channel_id environment permissions sandbox'
value_of() {
    case $1 in
        budget) echo '{"usd_per_day":1000}' ;;
        channel_id) echo "\"command:touch $scratch/pwned\"" ;;
        environment) echo '["SECRET"]' ;;
        permissions) echo '"open"' ;;
        sandbox) echo '"off"' ;;
    esac
}
# An agent.json with all of them, from what is in the file
with_keys() {
    local key text
    text=$(cat "$1" 2>/dev/null || echo '{"model": "builtin/script", "system_prompt": "S"}')
    for key in $keys; do text=$(jq --arg key "$key" --argjson value "$(value_of "$key")" '.[$key] = $value' <<<"$text"); done
    mkdir -p "$(dirname "$1")"
    echo "$text" >"$1"
}
# Lays what the agent a comes from; the options that take it are in $options
ways='template kept kept-adopt in-place directory archive pack'
lay() {
    options=()
    case $1 in
        template) with_keys t/agent.json && options=(--template "$scratch/t") ;;
        kept | kept-adopt)
            init a --model builtin/script
            chorus-destroy a --keep-files --yes >/dev/null 2>&1
            with_keys "$CHORUS_HOME/agents/a/agent.json"
            [ "$1" = kept ] || options=(--adopt) ;;
        in-place) with_keys "$CHORUS_HOME/agents/a/agent.json" && chmod 700 "$CHORUS_HOME" && options=(--adopt) ;;
        directory) with_keys old/agent.json && options=(--adopt="$scratch/old") ;;
        archive) with_keys old/agent.json && tar -C old -cf old.tar . && options=(--adopt="$scratch/old.tar") ;;
        pack)
            CHORUS_HOME=$scratch/other chorus-init b --model builtin/script >/dev/null 2>&1
            with_keys other/agents/b/agent.json
            CHORUS_HOME=$scratch/other chorus-config trust b --yes >/dev/null
            CHORUS_HOME=$scratch/other chorus-context pack b -o b.tar >/dev/null 2>&1
            options=(--adopt="$scratch/b.tar") ;;
    esac
}
in_force() { chorus-config get -A a "$1" --json 2>/dev/null | jq -c .value; }

for way in $ways; do
    test_case "$way: nothing is in force that no person of this home set, and chorus-config trust puts it in force"
    lay "$way"
    run chorus-init a --model builtin/script "${options[@]}" --json
    expect_status 0
    expect_json '.set_aside | join(" ")' "$keys"
    expect_json '.trusted | length' 0
    expect_json .permissions standard
    expect_db "SELECT permissions || ' ' || channel_id FROM agents WHERE status = 'active'" 'standard '
    for key in $keys; do
        [ "$(in_force "$key")" != "$(value_of "$key")" ] || fail "$key is in force"
    done
    expect_match "$(chorus-tasks pending)" 'trust:agent.json'
    run chorus-run a '/bash touch ran'
    expect_status 10
    expect_missing "$CHORUS_HOME/agents/a/workspace/ran"
    expect_missing pwned
    run chorus-config trust a --show
    for key in $keys; do expect_match "$out" "$key
  before: [^
]*
  after:  " ; done
    run chorus-config trust a --yes
    expect_status 0
    for key in $keys; do expect_equal "$(in_force "$key")" "$(value_of "$key")"; done
    expect_no_match "$(chorus-tasks pending)" 'trust:agent.json'
    run chorus-config trust a --show
    expect_equal "$out" 'nothing to trust'

    test_case "$way: --trust puts it in force, and says what"
    lay "$way"
    run chorus-init a --model builtin/script "${options[@]}" --trust --json
    expect_status 0
    expect_json '.set_aside | length' 0
    expect_json .permissions open
    expect_equal "$(jq -r '.trusted | keys_unsorted | join(" ")' "$scratch/out")" "$keys"
    for key in $keys; do
        expect_equal "$(jq -c ".trusted.$key" "$scratch/out")" "$(value_of "$key")"
    done
    for key in $keys; do expect_equal "$(in_force "$key")" "$(value_of "$key")"; done
    expect_match "$(chorus-context audit a --action '^trust:')" 'permissions: .*open'
    run chorus-tasks pending
    expect_no_match "$out" trust
    [ -e pwned ] || fail 'the channel is not told'
done

test_case "--trust as text"
lay directory
run chorus-init a "${options[@]}" --trust
for key in $keys; do
    grep -qF "chorus-init: notice: trusted: $key: $(value_of "$key")" <<<"$err" || fail "$key is not told"
done
test_case "what is not trusted, as text"
lay directory
run chorus-init a "${options[@]}"
expect_match "$err" "chorus-init: notice: agent.json: not in force, no person of this home set it: 'budget', 'channel_id', .* and 'sandbox'; chorus-config trust a shows them and puts them in force"

test_case "an agent that was kept and not edited comes back with its rights, each of them alone"
init a --model builtin/script --permissions open --channel "command:cat >$scratch/told"
run chorus-config set -A a sandbox workspace+net
for round in 1 2; do
    chorus-destroy a --keep-files --yes >/dev/null 2>&1
    run chorus-init a --json
    expect_status 0
    expect_json '.set_aside + .left_out + .plants | length' 0
    expect_json .permissions open
    expect_equal "$(in_force sandbox)" '"workspace+net"'
done
chorus-destroy a --keep-files --yes >/dev/null 2>&1
file=$CHORUS_HOME/agents/a/agent.json
jq '.sandbox = "off" | .permissions = "locked" | del(.channel_id)' "$file" >edited && cp edited "$file"
run chorus-init a --json
expect_json '.set_aside | join(" ")' 'channel_id permissions sandbox'
expect_json .permissions open
expect_equal "$(in_force sandbox)" '"workspace+net"'
expect_match "$(in_force channel_id)" told
run chorus-run a '/bash touch ran' # what the file would take away is gone at once
expect_missing "$CHORUS_HOME/agents/a/workspace/ran"

test_case "options are a person's word, whatever else is brought along"
lay directory
run chorus-init a "${options[@]}" --permissions sandboxed --channel 'command:cat' --json
expect_json '.set_aside | join(" ")' 'budget environment sandbox'
expect_json .permissions sandboxed
expect_equal "$(in_force channel_id)" '"command:cat"'

test_case "what gives nothing needs no trust"
mkdir old && echo '{"model":"builtin/script","permissions":"locked","sandbox":"workspace","environment":[],"budget":null}' >old/agent.json
for options in --adopt="$scratch/old" "--template $scratch/old"; do
    run chorus-init "a$((++number))" $options --json
    expect_json '.set_aside | length' 0
    expect_json .permissions locked
done

test_case "the home's own template is this user's own; keys that it lacks are those of the installed one"
mkdir -p "$CHORUS_HOME/template" && chmod 700 "$CHORUS_HOME"
echo '{"permissions":"open","sandbox":"off"}' >"$CHORUS_HOME/template/agent.json"
for options in '' "--template $CHORUS_HOME/template"; do
    run chorus-init "a$((++number))" --model builtin/script $options --json
    expect_json '.set_aside + .left_out | length' 0
    expect_json .permissions open
    expect_equal "$(jq -r '[.sandbox, (.channel_id | tostring), (.running_tasks | length)] | join(" ")' "$CHORUS_HOME/agents/a$number/agent.json")" 'off null 0'
    expect_match "$(jq -r .system_prompt "$CHORUS_HOME/agents/a$number/agent.json")" 'general-purpose agent'
done
echo '{"permissions":["open"]}' >"$CHORUS_HOME/template/agent.json"
run chorus-init b --model builtin/script
expect_status 3
expect_match "$err" 'template/agent.json: permissions: expected'

test_case "a template is agent.json, docs and workspace files; the rest is left out and listed"
mkdir -p t/{docs/deep,workspace/sub,sessions,branches/main,tasks/task_001,artifacts,hooks}
echo '{"system_prompt": "T"}' >t/agent.json
echo d >t/docs/deep/d.md; echo w >t/workspace/w.txt; echo s >t/workspace/sub/s.sh; chmod 6755 t/workspace/sub/s.sh
git -C t/workspace init -q && git -C t/workspace config core.fsmonitor "touch $scratch/pwned"
printf '#!/bin/sh\ntouch %s/pwned\n' "$scratch" >t/workspace/.git/hooks/pre-commit && chmod +x t/workspace/.git/hooks/pre-commit
git -C t/workspace/sub init -q && mv t/workspace/sub/.git t/workspace/sub/.Git
echo "gitdir: $scratch" >t/docs/.git
echo '{"session_id":"s-1","timestamp":"2026-02-12T10:30:00Z","messages":[{"role":"user","content":"hi"}]}' >t/sessions/s.json
echo '# another' >t/branches/main/session.md; echo log >t/tasks/task_001/out.log; echo x >t/artifacts/a
echo x >t/credentials.json; ln -s /etc/passwd t/workspace/link; ln -s /etc t/docs/etc; mkfifo t/workspace/fifo
run chorus-init a --model builtin/script --template "$scratch/t" --json
expect_status 0
expect_json '.left_out | join(" ")' \
    'artifacts branches credentials.json docs/.git docs/etc hooks sessions tasks workspace/.git workspace/fifo workspace/link workspace/sub/.Git'
expect_json .sessions 0
dir=$CHORUS_HOME/agents/a
expect_equal "$(cd "$dir" && find . -path ./workspace/.git -prune -o -type f -print | sort | paste -sd' ')" \
    './agent.json ./branches/main/session.md ./docs/deep/d.md ./workspace/sub/s.sh ./workspace/w.txt'
expect_equal "$(stat -c %a "$dir/workspace/sub/s.sh")" 700
expect_no_match "$(cat "$dir/workspace/.git/config")" fsmonitor
expect_no_match "$(cat "$dir/branches/main/session.md")" another
git -C "$dir/workspace" status >/dev/null
expect_missing pwned
run chorus-init b --model builtin/script --template "$scratch/t"
expect_match "$err" 'chorus-init: notice: not taken: workspace/fifo'

test_case "--adopt=DIR: what git would run or obey is left out and listed, links and set-id bits too"
mkdir -p old/docs old/workspace/sub && echo '{"model":"builtin/script"}' >old/agent.json
for repository in old/workspace old/workspace/sub; do
    git -C "$repository" init -q && git -C "$repository" config core.fsmonitor "touch $scratch/pwned"
    printf '#!/bin/sh\ntouch %s/pwned\n' "$scratch" >$repository/.git/hooks/pre-commit && chmod +x $repository/.git/hooks/pre-commit
done
echo x >old/workspace/s.sh && chmod 6755 old/workspace/s.sh && ln -s /etc/passwd old/docs/link && mkfifo old/workspace/fifo
mkdir old/workspace/bare && cp -r old/workspace/sub/.git/{HEAD,objects,refs,config} old/workspace/bare
run chorus-init a --adopt="$scratch/old" --json
expect_status 0
for path in docs/link workspace/fifo workspace/.git/{config,hooks} workspace/sub/.git/{config,hooks}; do
    expect_match "$(jq -r '.left_out | join(" ")' <<<"$out")" "(^| )$path( |$)"
done
expect_match "$(jq -r '.plants | join(" ")' <<<"$out")" 'bare/config: core.fsmonitor'
expect_equal "$(stat -c %a "$CHORUS_HOME/agents/a/workspace/s.sh")" 700
git -C "$CHORUS_HOME/agents/a/workspace" status >/dev/null
git -C "$CHORUS_HOME/agents/a/workspace/sub" status >/dev/null 2>&1
expect_missing pwned
mkdir outer && mv old outer && tar cf outer.tar -C outer old
for outer in outer outer.tar; do
    run chorus-init b --adopt="$scratch/$outer"
    expect_status 2
    [[ $outer = *.tar ]] && hint="; pack that directory: tar cf $scratch/outer.tar -C old ." || hint=": use --adopt=$scratch/outer/old"
    expect_match "$err" "not an agent: it has no agent.json.*hint: it is in old$hint"
done
mv outer/old .
run chorus-init b --adopt="$scratch/old"
expect_match "$err" 'notice: in its workspace: bare/config: core.fsmonitor'

test_case "a kept workspace whose repository was changed loses what git would run or obey; else a person's own stays"
init a --model builtin/script
git=$CHORUS_HOME/agents/a/workspace/.git
git -C "$git/.." remote add origin https://example.org/x
printf '#!/bin/sh\n' >"$git/hooks/pre-commit" && chmod +x "$git/hooks/pre-commit"
chorus-destroy a --keep-files --yes >/dev/null 2>&1
echo x >"$git/../s.sh"
run chorus-init a --json
expect_json '.left_out | length' 0
expect_equal "$(git -C "$git/.." remote)" origin
[ -x "$git/hooks/pre-commit" ] || fail 'the hook is gone'
for change in 'git -C "$git/.." config core.fsmonitor "touch $scratch/pwned"' 'echo "touch $scratch/pwned" >>"$git/hooks/pre-commit"' \
    'chmod 2777 "$git/.."; chmod 6755 "$git/../s.sh"; ln -s s.sh "$git/../link"; mkdir "$git/rr-cache"; printf "%040d\t../x\0" 1 >"$git/MERGE_RR"' \
    'mkdir -p "$git/info" && echo "* filter=x" >"$git/info/attributes"'; do
    chorus-destroy a --keep-files --yes >/dev/null 2>&1
    mkdir -p "$git/hooks" && eval "$change"
    run chorus-init a --json
    expect_match "$(jq -r '.left_out | join(" ")' <<<"$out")" 'workspace/.git/config'
    if [[ $change = chmod* ]]; then
        expect_json '.left_out | map(select(test("(MERGE_RR|rr-cache|bits)$"))) | join(", ")' \
            'workspace: set-id bits, workspace/s.sh: set-id bits, workspace/.git/MERGE_RR, workspace/.git/rr-cache'
        expect_equal "$(stat -c %a "$git/.." "$git/../s.sh" | paste -sd' ')" '777 755'
    fi
    expect_missing "$git/info/attributes"
    expect_missing "$git/hooks/pre-commit"
    expect_no_match "$(cat "$git/config")" fsmonitor
done
chorus-destroy a --keep-files --yes >/dev/null 2>&1
mv "$CHORUS_HOME/agents/a/workspace" elsewhere && ln -s "$scratch/elsewhere" "$CHORUS_HOME/agents/a/workspace"
run chorus-init a
expect_status 2
expect_match "$err" 'workspace: a link, not a part of an agent'

test_case "who may not grant a profile may not bring it in either" # L-18
cp "$(command -v bash)" sudo
lay directory
for given in '--permissions open' "${options[0]} --trust"; do
    run env SUDO_UID=54321 ./sudo -c "chorus-init a --model builtin/script $given; exit"
    expect_status 6
    expect_match "$err" "permissions: user '54321' may not grant 'open'"
    expect_missing "$CHORUS_HOME/agents/a"
done
run env SUDO_UID=54321 ./sudo -c "chorus-init a ${options[0]}; exit"
expect_status 0
run env SUDO_UID=54321 ./sudo -c "chorus-config trust a --yes; exit"
expect_status 6

test_case "adoption removes nothing through a link in .git"
init a --model builtin/script
chorus-destroy a --keep-files --yes >/dev/null 2>&1
git=$CHORUS_HOME/agents/a/workspace/.git
mkdir -p outside/info
echo kept >outside/info/alternates
mv "$git/objects" objects
ln -s "$scratch/outside" "$git/objects"
mkdir -p "$git/hooks"
touch "$git/hooks/post-checkout" # so that what is in .git counts no more
run chorus-init a --adopt
expect_match "$err" 'error: .*/objects/info: Too many levels of symbolic links'
expect_file outside/info/alternates kept
rm "$git/objects"
mv objects "$git/objects"
run chorus-init a --adopt
expect_status 0

end_tests
