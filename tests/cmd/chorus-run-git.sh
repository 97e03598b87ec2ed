#!/usr/bin/env bash
# needs: root
# The git tools in the repositories people have: merges, line ends, worktrees, submodules, checkouts of
# another user's; and histories that come out as git's own.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

export GIT_CONFIG_NOSYSTEM=1 GIT_EDITOR=true
identity=(-c user.name=x -c user.email=x@y)

# new_project NAME: a repository with a commit, in the directory NAME
new_project() {
    git init -q -b main "$1"
    echo base >"$1/a"
    git -C "$1" add a
    git -C "$1" "${identity[@]}" commit -q -m base
}

test_case "a merge: its conflicts are settled by name, and it has two parents"
init a --model builtin/script --permissions sandboxed
new_project project
git -C project checkout -q -b side
echo side >project/a
git -C project "${identity[@]}" commit -q -a -m side
git -C project checkout -q main
echo main >project/a
git -C project "${identity[@]}" commit -q -a -m main
git -C project "${identity[@]}" merge -q side >/dev/null
run chorus-run a -C project '/git_commit {"message": "m"}
/git_status
/git_diff'
expect_match "$out" "commit: conflicts in 'a'"
expect_match "$out" '# a merge is in progress with 1 conflict: '
expect_match "$out" '<<<<<<< HEAD'
expect_equal "$(git -C project log -1 --format=%s)" main
run chorus-run a -C project '/create_file {"path": "a", "content": "both\n"}
/git_commit {"message": "merged", "files": ["a"]}'
expect_equal "$(git -C project log -1 --format='%s %an' --first-parent)" 'merged a'
expect_equal "$(git -C project rev-parse HEAD^2)" "$(git -C project rev-parse side)"
expect_equal "$(git -C project status --porcelain)" ''

test_case "the repository's own name, and line ends as its attributes say"
init a --model builtin/script --permissions sandboxed
new_project project
git -C project config user.name rita
git -C project config user.email rita@x
printf '*.txt text eol=crlf\n*.bin filter=lfs\n' >project/.gitattributes
printf 'one\r\n' >project/a.txt
run chorus-run a -C project '/git_commit {"message": "text"}'
expect_equal "$(git -C project log -1 --format='%an <%ae> %cn')" 'rita <rita@x> rita'
expect_equal "$(git -C project cat-file -s HEAD:a.txt)" 4
echo large >project/b.bin
run chorus-run a -C project '/git_commit {"message": "raw"}'
expect_match "$out" "commit: 'b.bin' has the attribute filter=lfs"
expect_equal "$(git -C project log -1 --format=%s)" text

test_case "a linked worktree and a submodule are worked in"
init a --model builtin/script --permissions sandboxed
new_project project
new_project source
git -C project worktree add -q -b work ../tree
git -c protocol.file.allow=always -C project submodule --quiet add "$scratch/source" sub
git -C project/sub config user.name sue
git -C project/sub config user.email sue@x
for place in tree project/sub; do
    echo changed >"$place/a"
    run chorus-run a -C "$place" '/git_status
/git_commit {"message": "there"}
/git_log {"count": 1}'
    expect_status 0
    expect_match "$out" ' M a'
    expect_match "$out" ': there'
    expect_equal "$(git -C "$place" log -1 --format=%s)" there
    expect_db 'SELECT commit_after FROM turns ORDER BY id DESC LIMIT 1' "$(git -C "$place" rev-parse HEAD)"
done
run chorus-run a -C project '/git_commit {"message": "bump"}'
expect_match "$out" 'committed '
expect_equal "$(git -C project rev-parse HEAD:sub)" "$(git -C project/sub rev-parse HEAD)"
expect_equal "$(git -C project status --porcelain)" ''

test_case "a checkout of another user's is read where safe.directory says so"
init a --model builtin/script --permissions sandboxed
new_project foreign
chown -R 12345 foreign
run chorus-run a -C foreign '/git_status'
expect_match "$out" "git config --global --add safe.directory $scratch/foreign"
git config --global --add safe.directory "$scratch/foreign"
run chorus-run a -C foreign '/git_status'
expect_match "$out" 'branch main'

test_case "in a -C directory files get the modes that git gives them; the home stays private"
init a --model builtin/script --permissions open
# modes_of DIRECTORY: what the owner alone may not write (objects) aside
modes_of() {
    (cd "$1" && find . -path ./.git/hooks -prune -o ! -path './.git/chorus.*' ! -path './.git/objects/*' \
        ! -path './.git/branches' ! -path './.git/description' ! -path './.git/info*' -printf '%p %m\n' | sort)
}
for mask in 002 022 077; do
    for side in ours gits; do
        mkdir -p "modes-$mask/$side"
        (umask "$mask" && git init -q -b main "modes-$mask/$side" && cd "modes-$mask/$side" && echo 1 >a &&
            git add a && git "${identity[@]}" commit -q -m one && git checkout -q -b side && mkdir -p sub/deep &&
            echo 1 >sub/deep/f && echo 1 >sub/run && chmod +x sub/run && git add . &&
            git "${identity[@]}" commit -q -m two && git checkout -q main && rm -f .git/COMMIT_EDITMSG && echo 1 >c)
    done
    run bash -c 'umask "$1"; exec chorus-run a -C "$2" "$3"' - "$mask" "modes-$mask/ours" '/git_checkout {"ref": "side"}
/git_commit {"message": "three"}'
    (umask "$mask" && cd "modes-$mask/gits" && git checkout -q side && git add c &&
        git "${identity[@]}" commit -q -m three && rm -f .git/COMMIT_EDITMSG)
    expect_equal "$(modes_of "modes-$mask/ours")" "$(modes_of "modes-$mask/gits")"
done
mkdir fresh-by-git fresh-by-tool
(umask 022 && git -C fresh-by-git init -q && echo 1 >fresh-by-tool/a)
run bash -c 'umask 022; exec chorus-run a -C "$1" "$2"' - fresh-by-tool '/git_init'
expect_equal "$(stat -c %a fresh-by-tool/.git fresh-by-tool/.git/index fresh-by-tool/.git/config)" "$(printf '755\n644\n644')"
run bash -c 'umask 022; exec chorus-run a "$1"' - '/create_file {"path": "f", "content": "1"}
/git_commit {"message": "private"}
/git_checkout {"ref": "HEAD~1"}
/git_checkout {"ref": "main"}'
expect_equal "$(find "$CHORUS_HOME/agents/a/workspace" -perm /077 ! -type l)" ''

test_case "no tree gives a file a set-id bit, in a checkout and in a clone"
git init -q -b main set-id
for mode in 104755 102755 106777; do
    blob=$(echo x | git -C set-id hash-object -w --stdin)
    raw=$(sed 's/../\\x&/g' <<<"$blob")
    tree=$(printf '100644 a\0%b%s f\0%b' "$raw" "$mode" "$raw" | git -C set-id hash-object -t tree --literally -w --stdin)
    git -C set-id update-ref "refs/heads/m$mode" "$(git -C set-id "${identity[@]}" commit-tree -m "$mode" "$tree")"
done
git -C set-id "${identity[@]}" commit -q --allow-empty -m none
init a --model builtin/script --permissions open
for mode in 104755 102755 106777; do
    run chorus-run a -C "$PWD/set-id" "/git_checkout {\"ref\": \"m$mode\"}"
    expect_match "$out" 'error: git_checkout: checkout: f has a set-id bit in that commit'
    expect_equal "$(git -C set-id status --porcelain --branch)" '## main'
    git -C set-id symbolic-ref HEAD "refs/heads/m$mode"
    run chorus-init "c$mode" --model builtin/script --clone "$PWD/set-id"
    expect_match "$err" 'Operation not permitted'
    expect_missing "$CHORUS_HOME/agents/c$mode"
    git -C set-id symbolic-ref HEAD refs/heads/main
done

test_case "generated histories have git's trees"
init a --model builtin/script --permissions sandboxed
RANDOM=${CHORUS_SEED:-17}
names=(a.txt 'b c.txt' -d.txt sub/e.txt $'caf\xc3\xa9.txt' x.log)
for history in 1 2 3; do
    for side in ours gits; do
        git init -q -b main "$history/$side"
        git -C "$history/$side" config core.autocrlf $([[ $history == 2 ]] && echo true || echo false)
        printf '*.log\n' >"$history/$side/.gitignore"
    done
    for step in 1 2 3 4; do
        for change in 1 2 3; do
            name=${names[RANDOM % ${#names[@]}]} line="line $RANDOM"
            for side in ours gits; do
                mkdir -p "$history/$side/sub"
                if [[ ${line: -1} == 7 ]]; then
                    rm -f "$history/$side/$name"
                else
                    printf '%s\r\n' "$line" >"$history/$side/$name"
                fi
            done
        done
        run chorus-run a -C "$history/ours" "/git_commit {\"message\": \"$step\"}"
        git -C "$history/gits" add -A 2>/dev/null
        git -C "$history/gits" "${identity[@]}" commit -q -m "$step" >/dev/null
    done
    expect_equal "$(git -C "$history/ours" log --format='%s %T')" "$(git -C "$history/gits" log --format='%s %T')"
    expect_equal "$(git -C "$history/ours" status --porcelain)" ''
done

end_tests
