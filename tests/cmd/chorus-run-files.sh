#!/usr/bin/env bash
# needs: root
# The files that tools and commands make and replace: modes, owners, ACLs and extended attributes (chorus(7), TOOLS).
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
for tool in setfacl getfacl setfattr getfattr; do
    command -v "$tool" >/dev/null || { echo "this test needs $tool (packages acl and attr)"; exit 1; }
done
chmod 755 "$base"

# In $scratch/shared with that umask; a script for builtin/script
works_with() { # UMASK SCRIPT …
    local mask=$1
    shift
    run bash -c 'umask "$1"; shift; exec "$@"' - "$mask" chorus-run a -C "$scratch/shared" "$@"
    expect_status 0
}
modes() { (cd "$1" && shift && stat -c '%n %a %U:%G' "$@"); }
create() { printf '/create_file %s' "$(jq -nc --arg path "$1" '{path: $path, content: "new\n"}')"; }
edits='/create_file {"path": "f", "content": "new\n"}
/append_file {"path": "f", "content": "more\n"}
/str_replace {"path": "f", "old_str": "new", "new_str": "old"}'

test_case "in a -C directory what is made has modes by the caller's umask"
init a --model builtin/script --permissions open
for mask in 022 002 077 027; do
    rm -rf shared && mkdir shared && chmod 755 shared
    works_with $mask "$(create by/tool/file)
/append_file {\"path\": \"appended\", \"content\": \"x\"}
/bash mkdir by-command && touch by-command/file && umask
/bash {\"command\": \"touch by-task\", \"background\": true}
/task_wait {\"task_id\": \"task_001\"}"
    wanted_file=$(printf %o $((0666 & ~mask))) wanted_directory=$(printf %o $((0777 & ~mask)))
    expect_equal "$(modes shared by/tool/file appended by-command/file | cut -d' ' -f2 | sort -u)" "$wanted_file"
    expect_equal "$(modes shared by by/tool by-command | cut -d' ' -f2 | sort -u)" "$wanted_directory"
    for _ in {1..50}; do [ -e shared/by-task ] && break; sleep 0.1; done
    expect_equal "$(modes shared by-task | cut -d' ' -f2)" "$wanted_file"
done

test_case "the home stays private"
init a --model builtin/script --permissions open
run bash -c 'umask 0; exec chorus-run a "$@"' - "$(create by/tool)
/bash mkdir d && touch d/by-command
/self_edit_docs {\"path\": \"n.md\", \"content\": \"x\"}"
expect_status 0
expect_equal "$(cd "$CHORUS_HOME/agents/a/workspace" && stat -c %a by by/tool d d/by-command | paste -sd' ')" '700 600 700 600'
expect_equal "$(find "$CHORUS_HOME" -name '*.db*' -perm /077)" ''

test_case "owner, group, mode, ACL and extended attributes of a file stay"
init a --model builtin/script --permissions open
mkdir shared && echo old >shared/f && chown daemon:games shared/f && chmod 664 shared/f
works_with 077 "$edits"
expect_file shared/f $'old\nmore'
expect_equal "$(modes shared f)" 'f 664 daemon:games'
# the group may not read it, one user may write it
setfacl -m g::-,u:games:rw,m::rw shared/f && setfattr -n user.note -v kept shared/f
acl=$(getfacl -cp shared/f)
for edit in "$(create f)" '/append_file {"path": "f", "content": "more\n"}' '/str_replace {"path": "f", "old_str": "new", "new_str": "old"}'; do
    works_with 022 "$edit"
    expect_equal "$(getfacl -cp shared/f)" "$acl"
    expect_equal "$(getfattr --only-values -n user.note shared/f 2>/dev/null)" kept
done
expect_equal "$(modes shared f)" 'f 664 daemon:games'

test_case "a file of a group's directory stays the group's, and so is what is made there"
init a --model builtin/script --permissions open
mkdir shared && chgrp games shared && chmod 2775 shared && echo old >shared/f && chmod 664 shared/f
works_with 002 "$edits
$(create made/on/the/way)"
expect_equal "$(modes shared f made made/on made/on/the made/on/the/way | paste -sd' ')" \
    'f 664 root:games made 2775 root:games made/on 2775 root:games made/on/the 2775 root:games made/on/the/way 664 root:games'

test_case "a default ACL decides for what is made"
init a --model builtin/script --permissions open
mkdir shared && setfacl -d -m u:games:rwx,g::rx,o::- shared
works_with 022 "$(create made/file)"
expect_match "$(getfacl -cp shared/made/file)" 'user:games:rwx'
expect_match "$(getfacl -cp shared/made/file)" 'other::---'
expect_match "$(getfacl -cp shared/made)" 'default:user:games:rwx'

test_case "a file whose owner cannot be kept is not written, and the reason is told"
mkdir user && chown nobody user && chmod 755 "$scratch"
as_nobody() { setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$scratch/user" CHORUS_HOME="$scratch/user/home" "$@"; }
run as_nobody chorus-init a --model builtin/script --permissions open
expect_status 0
mkdir shared && chmod 777 shared && echo old >shared/f && chmod 666 shared/f
for edit in "$(create f)" '/append_file {"path": "f", "content": "more\n"}' '/str_replace {"path": "f", "old_str": "old", "new_str": "new"}'; do
    run as_nobody chorus-run a -C "$scratch/shared" "$edit"
    expect_match "$out" 'f: not written, as it would lose its owner: Operation not permitted'
done
expect_file shared/f old
expect_equal "$(ls -A shared)" f
chown nobody shared/f && chgrp games shared/f
run as_nobody chorus-run a -C "$scratch/shared" "$(create f)"
expect_match "$out" 'f: not written, as it would lose its group'
chgrp nogroup shared/f
run as_nobody chorus-run a -C "$scratch/shared" "$(create f)"
expect_file shared/f new

test_case "a document that cannot be read ends the turn: it is not left out"
mkdir user && chown nobody user && chmod 711 "$base" && chmod 755 "$scratch"
run as_nobody chorus-init a --model builtin/script
echo rules >user/home/agents/a/docs/rules.md
chmod 000 user/home/agents/a/docs/rules.md
run as_nobody chorus-run a hello
expect_status 3
expect_match "$err" 'error: .*/docs/rules.md: .*(denied|read)'
ln -s rules.md user/home/agents/a/docs/link.md
chown nobody user/home/agents/a/docs/rules.md
chmod 600 user/home/agents/a/docs/rules.md
run as_nobody chorus-run a hello
expect_status 0

end_tests
