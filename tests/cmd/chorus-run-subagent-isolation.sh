#!/usr/bin/env bash
# needs: time
# Isolated sub-agents: a git clone of their own to work in, handed back as a branch.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/subagents.sh"

git_in() { git -c safe.directory='*' -C "$@"; }
committed() { # [OPTIONS]: parent() with all files in a commit, and a preset that writes
    parent "$@"
    agent_key a permissions '"open"'
    git_in "$work" add -A
    git_in "$work" -c user.name=p -c user.email=p@x commit -qm base
    began=$(git_in "$work" rev-parse HEAD)
    preset writer $'isolate: true\npermissions: open'
}
branch_of() { git_in "${2:-$work}" rev-parse -q --verify "refs/heads/agents/${1:-$child}" || echo none; }
create() { printf '/create_file %s' "$(jq -nc --arg path "$1" --arg content "$2" '{path: $path, content: $content}')"; }
untouched() {
    expect_equal "$(git_in "$work" status --porcelain)" ''
    expect_equal "$(git_in "$work" rev-parse HEAD)" "$began"
}

test_case "it works in a clone, and its changes come back as a branch"
committed
spawn writer "$(create new/file one)
$(create src/a changed)
Done."
expect_status 0
expect_match "$out" Done
expect_match "$err" "notice: its changes are the branch agents/$child; nothing is merged"
untouched
expect_missing "$work/new"
expect_file "$dir/work/new/file" one
expect_equal "$(git_in "$work" show "agents/$child:new/file")" one
expect_equal "$(git_in "$work" show "agents/$child:src/a")" changed
expect_equal "$(git_in "$work" rev-parse "agents/$child~1")" "$began"
expect_match "$(git_in "$work" log -1 --format='%an %s%n%b' "agents/$child")" "^a .*Sub-agent: $child, turn 1"
expect_match "$(cat "$dir/preset.md")" 'write:
    - "\*\*"
    - "/tmp/\*\*"'
# nothing of the parent's repository is shared
expect_missing "$dir/work/.git/objects/info/alternates"
expect_equal "$(find "$dir/work/.git/objects" -type f -links +1 | wc -l)" 0
expect_equal "$(git_in "$work" for-each-ref --format='%(refname)' refs/chorus | wc -l)" 0
git_in "$work" fsck --strict >"$scratch/fsck" 2>&1 || fail "fsck: $(cat "$scratch/fsck")"
expect_sound

test_case "it goes on where it was, and the branch moves forward"
committed
spawn writer "$(create f one)
Done."
first=$(branch_of)
run chorus-run a --subagent "$child" "$(create f two)
Again." --json
expect_status 0
expect_equal "$(jq -r '.work.branch, .work.problem' <<<"$out")" "agents/$child
null"
expect_equal "$(git_in "$work" show "agents/$child:f")" two
expect_equal "$(git_in "$work" rev-parse "agents/$child~1")" "$first"
# others have committed there: what they did stays
git_in "$work" checkout -q "agents/$child"
git_in "$work" -c user.name=p -c user.email=p@x commit -q --allow-empty -m mine
theirs=$(branch_of)
for where in checked-out elsewhere; do
    [ $where = checked-out ] || git_in "$work" checkout -q main
    run chorus-run a --subagent "$child" "$(create f "$where")
More."
    expect_status 0
    expect_match "$err" "warning: its changes: git: agents/$child: the branch (is checked out|has other commits); they are in $dir/work$"
    expect_equal "$(branch_of)" "$theirs"
    expect_equal "$(git_in "$dir/work" show HEAD:f)" "$where"
done
expect_sound

test_case "a turn that changes nothing hands nothing back"
committed
spawn writer '/view {"path": "src/a"}
Read.'
expect_status 0
expect_equal "$(branch_of)" none
run chorus-run a --subagent "$child" 'hello' --json
expect_equal "$(jq -c .work <<<"$out")" null
untouched

test_case "several write the same file side by side, each in its own branch"
committed
agent_key a model '"anthropic/m"'
preset helper 'permissions: open'
start_server "$(answers "$(jq -nc --arg one "$(create src/a one)" --arg two "$(create src/a two)" \
    '{say: {tool_calls: [$one, $two] | to_entries | map({id: "c\(.key)", name: "spawn_agent", arguments: {preset: "helper", description: "write \(.key)", prompt: .value, isolate: true}})}}')" \
    "$(say Merged.)")"
run chorus-run a go
expect_status 0
untouched
for n in 0 1; do
    id=$(db "SELECT name FROM agents WHERE parent_call = 'c$n'")
    expect_match "$(db "SELECT content FROM messages WHERE agent_id = 1 AND tool_call_id = 'c$n'")" "\[Its changes are the branch agents/$id; nothing is merged\]$"
    expect_equal "$(git_in "$work" show "agents/$id:src/a")" "$([ $n = 0 ] && echo one || echo two)"
done
expect_sound

test_case "one in the background says in its message which branch it is"
committed
agent_key a model '"anthropic/m"'
preset helper 'permissions: open'
start_server "$(answers "$(spawn_call c1 "$(create f one)
Written." '{"isolate": true, "wait": false}')" "$(say Begun.)")"
run chorus-run a go
expect_status 0
wait_for 20 eval '[ -n "$(db "SELECT content FROM inbox")" ]' || fail 'no message has come'
expect_match "$(db "SELECT content FROM inbox")" "created f .*[^ ]

\\[Its changes are the branch agents/$(of_child name); nothing is merged\\]"
untouched

test_case "what a clone would lack is refused, and nothing is made"
committed
git_in "$work" rm -rq --cached . >/dev/null
for state in untracked changed staged no-commit no-repository; do
    git_in "$work" reset -q --hard
    case $state in
    untracked) echo x >"$work/zz" ;;
    changed) rm -f "$work/zz"; echo x >"$work/top" ;;
    staged) echo x >"$work/yy"; git_in "$work" add yy ;;
    no-commit) rm -rf "$work/.git"; git init -q "$work" ;;
    no-repository) rm -rf "$work/.git" ;;
    esac
    run chorus-run a --spawn writer -p hi
    expect_status 2
    case $state in
    no-*) expect_match "$err" "error: isolate: $work: there is no commit to clone" ;;
    *) expect_match "$err" 'error: isolate: 1 uncommitted change would be missing in the clone: (zz|top|yy)' ;;
    esac
    nothing_made
    [ ! -e "$work/.git" ] || [ $state = no-commit ] || git_in "$work" reset -q
done

test_case "what cannot be cloned whole, or would leave no room for the branch, is refused"
committed
git_in "$work" checkout -q -b side
git_in "$work" -c user.name=p -c user.email=p@x commit -q --allow-empty -m side
git_in "$work" checkout -q main
git clone -q --depth 1 "file://$work" shallow
git clone -q -s "$work" borrowed
git clone -q "$work" agents-branch && git -C agents-branch branch -q agents
git clone -q "$work" merging && git -C merging -c user.name=p -c user.email=p@x merge -q --no-ff --no-commit -s ours origin/side >/dev/null
for at in "shallow:is a shallow clone" "borrowed:its objects are in another repository" "merging:a merge is in progress" \
    "agents-branch:the branch 'agents' leaves no room" "shallow/src:is a directory of $PWD/shallow"; do
    run chorus-run a -C "$PWD/${at%%:*}" --spawn writer -p hi
    expect_status 2
    expect_match "$err" "error: isolate: .*${at#*:}"
    expect_match "$err" 'hint: '
    nothing_made
done

test_case "the clone has what HEAD needs, and nothing else"
committed
echo stashed >"$work/top"
git_in "$work" -c user.name=p -c user.email=p@x stash -q
git_in "$work" checkout -q -b side
echo elsewhere >"$work/top"
git_in "$work" -c user.name=p -c user.email=p@x commit -qam side
git_in "$work" checkout -q main
ln -s /etc/hosts "$work/out"
git_in "$work" add out
git_in "$work" -c user.name=p -c user.email=p@x commit -qm link
began=$(git_in "$work" rev-parse HEAD)
spawn writer "/bash $(jq -nc '{command: "rm out; echo real > out; git init -q sub; echo q > sub/q; echo k > kept"}')
Done."
expect_status 0
expect_equal "$(git_in "$dir/work" for-each-ref --format='%(refname)')" refs/heads/work
expect_equal "$(git_in "$dir/work" remote | wc -l)" 0
for blob in $(git_in "$dir/work" cat-file --batch-all-objects --batch-check | sed -n 's/ blob .*//p'); do
    case $(git_in "$dir/work" cat-file -p "$blob") in stashed | elsewhere) fail "the clone has $blob" ;; esac
done
expect_equal "$(git_in "$work" show "agents/$child:out")" real
expect_equal "$(git_in "$work" show "agents/$child:kept")" k
expect_match "$err" "its changes: not committed: sub/ .a repository of its own.; they are in $dir/work"
untouched

test_case "a sub-agent learns no names that it may not read, and none is isolated in a clone"
committed
preset reader $'permissions: open'
spawn reader hello --deny-path hidden
outer=$child
mkdir "$work/hidden" && echo x >"$work/hidden/very-private"
run chorus-run "$outer" --spawn writer -p hi
expect_status 2
expect_match "$err" 'error: isolate: 1 uncommitted change would be missing in the clone$|clone
'
case $err in *very-private*) fail "$err" ;; esac
rm -r "$work/hidden"
spawn writer hello
run chorus-run "$child" --spawn writer -p hi
expect_status 2
expect_match "$err" "error: isolate: sub-agent '$child' works in a clone itself"

test_case "one whose clone or metadata is lost does not work elsewhere"
committed
spawn writer "$(create f one)
Done."
cp -r "$dir" kept
sed -i /cloned_from/d "$dir/scope-plan.yml"
run chorus-run a --subagent "$child" "$(create g one)
More."
expect_status 0
expect_file "$dir/work/g" one
untouched
rm -rf "$dir" && mv kept "$dir" && rm -rf "$dir/work"
run chorus-run a --subagent "$child" "$(create g one)
More."
[ "$status" != 0 ] || fail 'it works on without its clone'
expect_match "$err" "error: .*/work"
untouched

test_case "-C: the clone is of that directory, and the branch is in its repository"
committed
git clone -q "$work" there
there=$PWD/there
run chorus-run a -C "$there" --spawn writer -p "$(create f one)
Done."
expect_status 0
child=$(of_child name)
expect_equal "$(branch_of "$child" "$there")" "$(git_in "$CHORUS_HOME/$(of_child dir)/work" rev-parse HEAD)"
expect_equal "$(branch_of)" none
expect_missing "$there/f"

test_case "its commands write in the clone alone, and not its .git" # needs the sandbox
committed
spawn writer "/bash $(jq -nc --arg work "$work" '{command: "echo x > by-bash; echo y > .git/config; cat \($work)/top; echo z > \($work)/top; ls -A"}')
Done."
expect_status 0
expect_file "$dir/work/by-bash" x
expect_match "$(git_in "$dir/work" config -f .git/config core.bare)" false
expect_file "$work/top" 'text of top'
expect_equal "$(git_in "$work" show "agents/$child:by-bash")" x
said=$(db "SELECT content FROM messages WHERE role = 'tool_result' ORDER BY id DESC LIMIT 1")
case $said in *'text of top'*) fail "it reads the parent's workspace: $said" ;; esac

test_case "what the one above may not read is hidden in the clone too"
committed
preset reader $'permissions: open'
spawn reader hello --allow-path 'src/**' --deny-path 'src/gen'
run chorus-run "$child" --spawn writer -p "$(create lib/new x)
/view $(jq -nc '{path: "lib/c"}')
/view $(jq -nc '{path: "src/gen/b"}')
/view $(jq -nc '{path: "src/a"}')
/bash $(jq -nc '{command: "cat lib/c src/gen/b src/a"}')
Done."
expect_status 0
below=$(of_child name)
told=$(db "SELECT group_concat(content, '|') FROM messages WHERE role = 'tool_result'")
case $told in *'text of lib/c'* | *'text of src/gen/b'*) fail "$told" ;; esac
case $told in *'text of src/a'*) ;; *) fail "$told" ;; esac
expect_match "$err" "branch agents/$below"
expect_equal "$(git_in "$work" show "agents/$below:lib/new")" x
untouched

test_case "a turn that is killed while it hands back does so when it goes on"
for call in rename renameat2 linkat sendmsg; do
    for k in 1 2 4 6 9; do
        rm -rf "$CHORUS_HOME" there
        committed
        { strace -f -qq -o /dev/null -e trace=$call -e "inject=$call:signal=KILL:when=$k" chorus-run a --spawn writer -p "$(create f one)
Done." >"$scratch/out" 2>"$scratch/err" </dev/null; } 2>/dev/null
        child=$(of_child name)
        [ -n "$child" ] || continue
        chorus-run a --subagent "$child" --resume >/dev/null 2>&1 </dev/null
        if [ -d "$CHORUS_HOME/$(of_child dir)/work" ] && [ -n "$(find "$CHORUS_HOME/$(of_child dir)/work" -name f)" ]; then
            [ "$(branch_of)" != none ] ||
                chorus-run a --subagent "$child" 'go on' >/dev/null 2>"$scratch/err" </dev/null
            expect_equal "$(git_in "$work" show "agents/$child:f" 2>&1) ($call $k: $(tail -c 300 "$scratch/err"))" \
                "one ($call $k: $(tail -c 300 "$scratch/err"))"
        fi
        untouched
        git_in "$work" fsck >"$scratch/fsck" 2>&1 || fail "fsck: $(cat "$scratch/fsck")"
    done
done

test_case "a home that is copied, and an agent that is packed, keep to their own repository"
committed
spawn writer "$(create f one)
Done."
first=$(branch_of)
cp -a "$CHORUS_HOME" "$scratch/copy"
run chorus-context pack a -o "$scratch/a.tar"
expect_status 0
run env CHORUS_HOME="$scratch/copy" chorus-run "$child" "$(create f two)
Again."
expect_status 0
expect_equal "$(branch_of)" "$first"
expect_equal "$(git_in "$scratch/copy/agents/a/workspace" show "agents/$child:f")" two
run env CHORUS_HOME="$scratch/other" chorus-init b --adopt="$scratch/a.tar" --trust
expect_status 0
run env CHORUS_HOME="$scratch/other" chorus-run b --subagent "$child" "$(create f three)
Again."
expect_status 0
expect_equal "$(branch_of)" "$first"
expect_equal "$(git_in "$scratch/other/agents/b/workspace" show "agents/$child:f")" three

test_case "--subagents-older-than keeps one whose work could not be handed back"
committed
spawn writer '/bash git init -q sub; echo q >sub/q
Done.'
lost=$child
clone=$dir/work
spawn writer "$(create g x)
Done."
sleep 1.1
run chorus-destroy a --subagents-older-than 1s --yes
expect_status 0
expect_match "$out" "Sub-agent $child destroyed"
expect_match "$err" "notice: sub-agent $lost is kept, with what it could not hand back: not committed: sub/ .a repository of its own.; chorus-destroy $lost destroys it"
expect_file "$clone/sub/q" q
expect_equal "$(children)" 1

end_tests
