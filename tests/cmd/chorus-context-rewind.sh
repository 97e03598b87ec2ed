#!/usr/bin/env bash
# needs: root
# rewind --workspace of chorus-context(1): the files as they were, whatever git holds.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/terminal.sh"

work() { printf %s "$CHORUS_HOME/agents/a/workspace"; }
store() { printf %s "$CHORUS_HOME/agents/a/.checkpoints"; }
tree() { # everything but .git: path, type, mode, target, content
    (
        cd "$(work)" || exit
        find . -mindepth 1 -path ./.git -prune -o -printf '%P|%y|%m|%l\n' | sort
        find . -path ./.git -prune -o -type f -size -1024k -print0 | sort -z | xargs -0r sha256sum
    )
}
newest() { db "SELECT max(id) FROM messages WHERE role = 'user' AND compacted_into IS NULL"; } # the message with which the last turn began
agent() { init a --model builtin/script --permissions open; }
bash_turn() { # COMMAND
    run chorus-run a "/bash $1"
    expect_status 0
    expect_match "$out" 'exit status 0'
}
back() { # OPTIONS …
    run chorus-context rewind a --workspace "$@"
    expect_status 0
}
undo() { eval "$(grep -ao 'chorus-context rewind a --checkpoint [0-9]*$' <<<"$out" | head -1)" >"$scratch/undone"; }

test_case "exactly the tree before the turn, and the undo brings the other one back"
agent
cd "$(work)" || exit 1
mkdir -p sub/deep empty closed 'a b'
echo one >kept; echo old >changed; echo gone >removed; echo mode >mode; echo deep >sub/deep/f
printf 'odd\n' >$'new\nline'; printf 'raw\n' >$'\xff\xfe'
ln -s changed link; ln -s /etc/passwd out; ln -s /nowhere dangling
echo '*.o' >.gitignore; echo object >x.o; echo secret >.env
echo ro >closed/f; chmod 0555 closed; chmod 0751 sub; chmod 0640 mode
git init -q inner; echo x >inner/x
cd "$scratch" || exit 1
before=$(tree)
bash_turn 'echo new >changed; rm removed x.o; chmod 755 mode sub; rm -r sub/deep; ln -sfn kept link; rm out; echo a file now >out; mkdir -p made/below; echo m >made/below/f; rmdir empty; echo not a directory >empty; chmod 755 closed; echo new >closed/f; echo y >closed/y; rm dangling; mkdir dangling; echo z >dangling/z; mkfifo made/pipe; rm -r inner "a b"; echo b >"$(printf "new\\nline")"; printf "" >.env'
after=$(tree)
back --to "$(newest)"
expect_equal "$(tree)" "$before"
expect_match "$out" $'\nworkspace: checkpoint 1; [0-9]+ paths put back\n  undo: chorus-context rewind a --checkpoint [0-9]+$'
expect_equal "$err" ''
undo
expect_equal "$(tree | grep -av '|p|')" "$(grep -av '|p|' <<<"$after")"
run chorus-context rewind a --checkpoint 1 --json
expect_json '"\(.to) \(.messages) \(.checkpoint) \(.kept) \(.missing)"' 'null 0 1 [] []'
expect_equal "$(tree)" "$before"
expect_sound

test_case "checkpoints: what can be restored, newest first, with the turn or the rewind"
agent
run chorus-context checkpoints a
expect_equal "$status $out$err" '0 '
bash_turn 'echo one >f'
run chorus-run a 'no writes'
bash_turn 'echo two >f'
run chorus-context checkpoints a
expect_status 0
expect_equal "$(cut -f1,3 <<<"$out")" "2	before the writes of turn 3 of thread 1
1	before the writes of turn 1 of thread 1"
back --to "$(newest)"
run chorus-context checkpoints a --json
expect_equal "$(jq -c '[.checkpoint, .of_rewind, .thread, .turn]' <<<"$out" | paste -sd ' ')" '[3,true,1,3] [2,false,1,3] [1,false,1,1]'
run chorus-context rewind a --checkpoint 9
expect_status 4
expect_match "$err" "checkpoint 9: agent 'a' has no such checkpoint
chorus-context: hint: chorus-context checkpoints a lists them"
on_terminal 'chorus-context checkpoints a'
expect_match "$out" '^CHECKPOINT +CREATED AT +MADE
 +3 .* before a rewind, after turn 3 of thread 1'
run chorus-context rewind a --checkpoint "$(chorus-context checkpoints a | sed -n 's/	.*before a rewind.*//p')"
expect_file "$(work)/f" two

test_case "a home that was copied with its times goes back like the one it is of"
agent
bash_turn 'echo one >f; echo one >g'
bash_turn 'echo two >f; echo two >g'
cp -a "$CHORUS_HOME" "$scratch/copy"
export CHORUS_HOME=$scratch/copy
echo mine >"$(work)/g"
run chorus-context rewind a --to "$(newest)" --workspace
expect_status 0
expect_file "$(work)/f" one
expect_file "$(work)/g" mine
expect_match "$out" 'kept: g'

test_case "what was there before the turn and in no commit comes back; git's HEAD, branch and index stay"
agent
echo draft >"$(work)/untracked"
echo '*.log' >"$(work)/.gitignore"
echo log >"$(work)/x.log"
git -C "$(work)" add .gitignore
before=$(tree) commit=$(git -C "$(work)" rev-parse HEAD)
run chorus-run a '/bash rm untracked x.log; echo done >f
/git_commit {"message": "by the turn"}'
expect_status 0
made=$(git -C "$(work)" rev-parse HEAD) state=$(cd "$(work)/.git" && find . -type f ! -name '*.lock' | sort | xargs sha256sum | sha256sum)
back --to "$(newest)"
expect_equal "$(tree)" "$before"
expect_equal "$(cd "$(work)/.git" && find . -type f ! -name '*.lock' | sort | xargs sha256sum | sha256sum)" "$state"
expect_equal "$(git -C "$(work)" rev-parse HEAD)" "$made"
expect_match "$out" "git: HEAD stays at commit $made"$'\n'"  to move the branch to where it was: git -C $(work) reset $commit"
git -C "$(work)" reset -q "$commit"
expect_equal "$(tree)" "$before"
expect_equal "$(git -C "$(work)" branch --list | wc -l)" 1

test_case "a turn that went to another branch: the command that goes back loses no commit"
agent
git -C "$(work)" checkout -q -b feat
echo w >"$(work)/w"
git -C "$(work)" add w
git -C "$(work)" -c user.name=n -c user.email=a@b commit -q -m precious
precious=$(git -C "$(work)" rev-parse feat)
git -C "$(work)" checkout -q -
main=$(git -C "$(work)" symbolic-ref HEAD) main_at=$(git -C "$(work)" rev-parse HEAD)
bash_turn 'git checkout -q feat'
back --to "$(newest)"
command=$(sed -n 's/^  to go back to the branch it was on: //p' <<<"$out")
eval "$command" >/dev/null
expect_equal "$(git -C "$(work)" rev-parse feat)" "$precious"
expect_equal "$(git -C "$(work)" symbolic-ref HEAD) $(git -C "$(work)" rev-parse HEAD)" "$main $main_at"
expect_equal "$(git -C "$(work)" status --porcelain)" ''
rm -rf "$(work)/.git"
run chorus-context rewind a --checkpoint 1
expect_no_match "$out" 'git:'

test_case "the first writing call of each kind of tool; turns that write nothing make nothing"
agent
run chorus-run a hello
run chorus-run a '/list_files {}'
run chorus-run a '/git_status {}'
run chorus-run a '/self_edit_docs {"path": "x.md", "content": "x"}'
expect_missing "$(store)"
expect_db 'SELECT count(*) FROM checkpoints' 0
back --to "$(newest)"
expect_match "$out" 'workspace: unchanged; no turn has written there since'
number=0
for prompt in '/create_file {"path": "f", "content": "one"}' '/append_file {"path": "f", "content": "two"}' \
    '/str_replace {"path": "f", "old_str": "two", "new_str": "2"}' '/bash echo three >>f' '/git_checkout {"ref": "side", "create": true}'; do
    before=$(tree)
    run chorus-run a "$prompt"
    number=$((number + 1))
    expect_db 'SELECT count(*) FROM checkpoints' $number
    after=$(tree)
    back --to "$(newest)"
    number=$((number + 1))
    expect_equal "$(tree)" "$before"
    undo
    number=$((number + 1))
    expect_equal "$(tree)" "$after"
done
# two calls of one turn: before the first; a turn that wrote nothing: before the next one that did
before=$(tree)
run chorus-run a hello
id=$(newest)
run chorus-run a $'/bash echo 1 >one\n/bash echo 2 >two'
run chorus-run a '/bash rm f one'
back --to "$id"
expect_equal "$(tree)" "$before"

test_case "what was changed after the turn is listed and kept, unless it is forced"
agent
echo one >"$(work)/both"; echo one >"$(work)/theirs"; echo one >"$(work)/ours"; echo one >"$(work)/gone"
bash_turn 'for f in both theirs ours gone; do echo two >$f; done; mkdir d; echo d >d/d'
before_id=$(newest)
sleep 0.1
echo person >"$(work)/both"; rm "$(work)/gone"; echo mine >"$(work)/mine"; echo mine >"$(work)/d/mine"; printf x >"$(work)/"$'odd\nname'
touch "$(work)/theirs"
back --to "$before_id"
expect_equal "$(grep '^  kept: ' <<<"$out")" '  kept: both
  kept: d/mine
  kept: gone
  kept: mine
  kept: odd\nname
  kept: theirs'
expect_match "$out" 'put them back too: chorus-context rewind a --checkpoint 1 --force'
expect_file "$(work)/both" person
expect_file "$(work)/ours" one
expect_file "$(work)/d/mine" mine
expect_missing "$(work)/d/d"
expect_missing "$(work)/gone"
run chorus-context rewind a --checkpoint 1 --force --json
expect_status 0
expect_json '.kept | length' 0
for f in both theirs ours gone; do expect_file "$(work)/$f" one; done
expect_missing "$(work)/d"
expect_missing "$(work)/mine"
run chorus-context rewind a --checkpoint "$(jq .undo_checkpoint <<<"$out")"
expect_status 0
expect_file "$(work)/both" person
expect_file "$(work)/d/mine" mine

test_case "nothing is written outside, whatever lies in the workspace"
agent
mkdir -p "$scratch/outside" "$(work)/d"
echo precious >"$scratch/outside/f"; echo inner >"$(work)/d/f"; echo x >"$(work)/top"
bash_turn 'rm -r d top; echo y >z'
rm -rf "$(work)/d"
ln -s "$scratch/outside" "$(work)/d"
ln -s "$scratch/outside/f" "$(work)/top"
back --to "$(newest)"
expect_file "$scratch/outside/f" precious
expect_match "$out" 'kept: d
  kept: d/f'
run chorus-context rewind a --checkpoint 1 --force
expect_status 0
expect_file "$scratch/outside/f" precious
expect_file "$(work)/d/f" inner
expect_file "$(work)/top" x
[ ! -L "$(work)/d" ] || fail 'd is a link'

test_case "sockets, FIFOs, devices, a large sparse file, names of all kinds: the turn goes on, and they are told"
agent
mkfifo "$(work)/pipe"
mknod "$(work)/null" c 1 3 2>/dev/null
perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1)' "$(work)/socket"
truncate -s 5G "$(work)/sparse"
echo small >"$(work)/small"
deep=$(work)/$(printf 'd%.0s/' {1..200})
mkdir -p "$deep" && echo deep >"$deep/f"
SECONDS=0
run timeout 60 chorus-run a '/bash rm -f pipe null socket sparse small; rm -r d'
expect_status 0
[ $SECONDS -lt 30 ] || fail "it took $SECONDS s"
expect_match "$err" 'notice: rewind --workspace cannot restore sparse: too large for a checkpoint'
[ "$(du -sm "$(store)" | cut -f1)" -lt 5 ] || fail 'the store is large'
run chorus-run a '/bash echo y >other'
expect_no_match "$err" 'notice: rewind'
back --to "$(db "SELECT min(id) FROM messages WHERE role = 'user'")"
expect_file "$(work)/small" small
expect_file "$deep/f" deep
expect_match "$(grep '^  not in' <<<"$out" | tr '\n' ' ')" 'checkpoint: pipe .*checkpoint: socket .*checkpoint: sparse'

test_case "a size limit: the largest files are left out; nothing that could not be undone is overwritten"
agent
home_key limits '{"checkpoint_mib": 1}'
head -c 900000 /dev/urandom >"$(work)/large"; head -c 500000 /dev/urandom >"$(work)/middle"; echo small >"$(work)/small"
large=$(sha256sum <"$(work)/large")
bash_turn 'echo 1 >small; echo 1 >middle; rm large'
expect_match "$err" 'cannot restore large'
id=$(newest)
head -c 2000000 /dev/urandom >"$(work)/middle2"
bash_turn 'head -c 2000000 /dev/zero >middle; echo x >y'
back --to "$id"
expect_match "$out" 'not in the checkpoint: large'
expect_match "$out" 'kept: middle'
expect_file "$(work)/small" small
run chorus-context rewind a --checkpoint 1 --force
expect_equal "$(stat -c %s "$(work)/middle")" 500000
home_key limits '{"checkpoint_mib": 0}'
bash_turn 'echo 2 >small'
run chorus-context rewind a --workspace --to "$(newest)"
expect_status 4
expect_match "$err" 'there is no checkpoint of the workspace: limits.checkpoint_mib of config.json was 0'
expect_file "$(work)/small" 2

test_case "unchanged files are not read again, and old checkpoints go"
agent
for n in {1..300}; do echo "$n" >"$(work)/f$n"; done
sleep 0.05
bash_turn 'echo a >a'
strace -f -qq -e trace=openat2,openat -o "$scratch/trace" chorus-run a '/bash echo b >b' >/dev/null 2>&1
reads=$(grep -c '"f[0-9]*"' "$scratch/trace")
[ "$reads" -lt 5 ] || fail "$reads files were read again"
for n in {1..30}; do chorus-run a "/bash head -c 3000 /dev/urandom >r" >/dev/null 2>&1; done
kept=$(db "SELECT count(*) FROM checkpoints WHERE tree <> ''")
[ "$kept" -ge 20 ] && [ "$kept" -le 28 ] || fail "$kept are kept"
expect_equal "$(ls "$(store)/trees" | wc -l)" "$kept"
run chorus-context rewind a --workspace --to "$(db "SELECT min(id) FROM messages WHERE role = 'user'")"
expect_status 4
expect_match "$err" 'it was replaced by later ones'
run chorus-config trim --older-than 1d --dry-run --json
expect_json .checkpoints 0
CHORUS_NOW_MS=$(($(date +%s) + 200000))000 run chorus-config trim --older-than 1d --json
expect_json .checkpoints "$kept"
expect_equal "$(find "$(store)/trees" "$(store)/contents" -type f | wc -l)" 0
bash_turn 'echo c >c'
back --to "$(newest)"
expect_missing "$(work)/c"
bash_turn 'echo d >d'
run chorus-context pack a -o "$scratch/a.tar"
expect_no_match "$(tar -tf "$scratch/a.tar")" 'checkpoints'
run chorus-destroy a --keep-files --yes
run chorus-init a --adopt
expect_status 0
expect_missing "$(store)"
run chorus-context rewind a --workspace --to "$(newest)"
expect_status 4
expect_match "$err" 'did not run in this workspace'

test_case "a turn that is killed: the workspace goes back, and everything can be undone"
agent
echo one >"$(work)/f"
before=$(tree)
chorus-run a '/bash echo two >f; echo half >half; touch begun; sleep 60' >/dev/null 2>&1 </dev/null &
killed=$!
wait_for 10 test -e "$(work)/begun" || fail 'it does not begin'
{ kill -9 $killed; wait $killed; } 2>/dev/null
echo person >"$(work)/mine"
back --to "$(newest)"
expect_match "$err" 'was cut short: later changes are undone too'
expect_equal "$(tree)" "$before"
undo
expect_file "$(work)/mine" person
expect_file "$(work)/half" half

test_case "killed while a checkpoint is made: the call has not run, and the store works"
agent
for n in {1..5}; do echo "$n" >"$(work)/f$n"; done
calls=rename,renameat2,fsync,fdatasync,mkdir,openat2,pwrite64,unlink
strace -f -qq -e trace=$calls -o "$scratch/trace" chorus-run a '/create_file {"path": "x", "content": "x"}' >/dev/null 2>&1
total=$(wc -l <"$scratch/trace")
for ((k = 3; k < total; k += total / 12 + 1)); do
    rm -rf "$CHORUS_HOME"
    agent
    for n in {1..5}; do echo "$n" >"$(work)/f$n"; done
    before=$(tree)
    for call in rename fsync openat2; do
        { strace -qq -o /dev/null -e "inject=$call:signal=KILL:when=$k" chorus-run a '/bash rm f1; echo 9 >f2' >/dev/null 2>&1 </dev/null; } 2>/dev/null
        [ "$(tree)" = "$before" ] || expect_db "SELECT count(*) > 0 FROM checkpoints WHERE tree <> ''" 1
    done
    run chorus-run a '/bash echo y >y'
    expect_status 0
    if [ "$(db "SELECT count(*) FROM messages WHERE role = 'user'")" -gt 1 ]; then
        back --to "$(db "SELECT min(id) FROM messages WHERE role = 'user'")"
        expect_equal "$(tree)" "$before"
    fi
done

test_case "a rewind that is killed: the same command finishes it, and the undo is that of the first"
for k in 1 2 3 5 8 12 16 20 26; do
    rm -rf "$CHORUS_HOME"
    agent
    for n in {1..9}; do echo "$n" >"$(work)/f$n"; done
    ln -s f1 "$(work)/l"
    before=$(tree)
    bash_turn 'for n in 1 2 3 4; do echo x >f$n; done; rm f5 l; mkdir f5 d; echo x >f5/x; echo x >d/d'
    after=$(tree) id=$(newest)
    sleep 0.05
    { strace -qq -o /dev/null -e "inject=renameat2,symlinkat,unlinkat,rename,mkdirat:signal=KILL:when=$k" chorus-context rewind a --workspace --to "$id" >/dev/null 2>&1 </dev/null; } 2>/dev/null
    run chorus-context rewind a --workspace --to "$id"
    if [ "$status" = 0 ]; then
        expect_no_match "$out" 'kept: '
        expect_equal "$(tree)" "$before"
        undo
        expect_equal "$(tree)" "$after"
    else
        expect_match "$err" 'it has left the window already'
        expect_equal "$(tree)" "$before"
    fi
done

test_case "killed, and then somebody changes a file: the next rewind keeps that, and so does the undo"
for way in --to --checkpoint; do
    rm -rf "$CHORUS_HOME"
    agent
    mkdir "$(work)/d"
    for f in a b c d/e; do echo original >"$(work)/$f"; done
    bash_turn 'for f in a b c d/e; do echo turn >$f; done'
    id=$(newest)
    { strace -qq -o /dev/null -e inject=renameat,renameat2:signal=KILL:when=2 chorus-context rewind a --workspace --to "$id" >/dev/null 2>&1 </dev/null; } 2>/dev/null
    expect_file "$(work)/c" turn
    echo 'a day of work' >"$(work)/c"
    echo mine >"$(work)/mine"
    rm "$(work)/d/e"
    if [ $way = --to ]; then back --to "$id"; else run chorus-context rewind a --checkpoint 1; fi
    expect_status 0
    expect_equal "$(grep '^  kept: ' <<<"$out" | xargs)" 'kept: c kept: d/e kept: mine'
    for f in a b; do expect_file "$(work)/$f" original; done
    expect_file "$(work)/c" 'a day of work'
    undo
    for f in a b; do expect_file "$(work)/$f" turn; done
    expect_file "$(work)/c" 'a day of work'
    expect_file "$(work)/mine" mine
    expect_missing "$(work)/d/e"
    run chorus-context rewind a --checkpoint 1 --force
    expect_status 0
    expect_file "$(work)/c" original
    expect_missing "$(work)/mine"
done

test_case "what a rewind has kept, the next one keeps too"
agent
echo 0 >"$(work)/f"
bash_turn 'echo 1 >f'
first=$(newest)
bash_turn 'echo 2 >f'
sleep 0.1
echo person >"$(work)/f"
back --to "$(newest)"
expect_match "$out" '  kept: f'
back --to "$first"
expect_match "$out" '  kept: f'
expect_file "$(work)/f" person

test_case "a disk without room for the undo: nothing is changed"
mkdir "$scratch/small"
mount -t tmpfs -o size=6m,mode=700 none "$scratch/small" || fail 'no tmpfs'
home_before=$CHORUS_HOME
export CHORUS_HOME=$scratch/small/home
agent
for i in {1..20}; do head -c 50000 /dev/urandom >"$(work)/f$i"; done
bash_turn 'for i in f*; do head -c 40000 /dev/urandom >$i; done; echo 1 >new'
before=$(tree)
for free in 40 160 320; do
    rm -f "$scratch/small/filler"
    dd if=/dev/zero of="$scratch/small/filler" bs=1k count=$(($(df --output=avail "$scratch/small" | tail -1) - free)) status=none
    run chorus-context rewind a --workspace --to "$(newest)"
    expect_status 1
    expect_equal "$(tree)" "$before"
done
rm "$scratch/small/filler"
back --to "$(newest)"
undo
expect_equal "$(tree)" "$before"
umount "$scratch/small"
CHORUS_HOME=$home_before

test_case "a directory that cannot be read is kept"
chmod 711 "$base"; chmod 755 "$scratch"
install -d -o 65534 -g 65534 "$scratch/user"
export CHORUS_HOME=$scratch/user/home
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups env HOME="$scratch/user" "$@"; }
run as_nobody chorus-init a --model builtin/script --permissions open
echo one | as_nobody tee "$(work)/f" >/dev/null
run as_nobody chorus-run a '/bash echo two >f; mkdir closed; echo x >closed/f; chmod 000 closed'
expect_status 0
run as_nobody chorus-context rewind a --workspace --to 1 --json
expect_status 0
expect_json '"\(.put_back) \(.kept)"' '["f"] ["closed"]'
expect_file "$(work)/closed/f" x
chmod 755 "$(work)/closed"
CHORUS_HOME=$home_before

test_case "a FIFO in place of a file of the store keeps nobody waiting, and a signal ends it"
agent
echo one >"$(work)/f"
bash_turn 'echo two >f'
rm "$(store)/end"
mkfifo "$(store)/end"
run timeout 20 chorus-context rewind a --workspace --to "$(newest)"
expect_status 0
expect_file "$(work)/f" one
for n in {1..400}; do echo "$n" >"$(work)/n$n"; done
bash_turn 'for n in n*; do echo x >$n; done'
for signal in INT:130 TERM:143; do
    strace -qq -o /dev/null -e inject=renameat,renameat2:delay_enter=20000 chorus-context rewind a --workspace --to "$(newest)" >"$scratch/out" 2>"$scratch/err" </dev/null &
    wait_for 10 eval 'grep -qx 1 "$(work)/n1"' || fail 'it does not begin'
    pkill -${signal%:*} -P $!
    wait $!
    expect_equal $? ${signal#*:}
    expect_match "$(cat "$scratch/err")" 'interrupted.*hint: run the same command again, or go back to before it: chorus-context rewind a --checkpoint [0-9]+'
    eval "$(grep -o 'chorus-context rewind a --checkpoint [0-9]*' "$scratch/err")" >/dev/null
    expect_file "$(work)/n1" x
done
back --to "$(newest)"
expect_file "$(work)/n400" 400

test_case "what cannot be: -C, a checkpoint that is not there, a damaged one, options that mean nothing"
agent
mkdir -p "$scratch/other"
run chorus-run a -C "$scratch/other" '/bash touch x'
run chorus-context rewind a --workspace --to "$(newest)"
expect_status 2
expect_match "$err" "its turn worked in $scratch/other, not in the workspace"
expect_db 'SELECT count(*) FROM checkpoints' 0
for option in '--checkpoint 7' '--checkpoint x' '--force --to 1' '' '--checkpoint 1 --workspace'; do
    run chorus-context rewind a $option
    [ "$status" = 2 ] || [ "$option $status" = '--checkpoint 7 4' ] || fail "$option: exit $status"
done
echo one >"$(work)/f"
bash_turn 'echo two >f'
rm -f "$(store)"/contents/*/*
run chorus-context rewind a --workspace --to "$(newest)"
expect_status 1
expect_match "$err" "workspace: some paths cannot be restored, and nothing was changed: .* are damaged: f"
expect_file "$(work)/f" two
expect_db 'SELECT count(*) FROM messages WHERE compacted_into IS NOT NULL' 0
rm -f "$(store)"/trees/*
run chorus-context rewind a --workspace --to "$(newest)"
expect_status 4
expect_match "$err" 'is damaged'
bash_turn 'echo three >f'
back --to "$(newest)"
expect_file "$(work)/f" two

test_case "several threads: the workspace as it was before that turn of any of them"
agent
bash_turn 'echo 1 >f'
run chorus-run a --new-thread '/bash echo 2 >f'
bash_turn 'echo 3 >f'
back -t 2 --to "$(db "SELECT max(id) FROM messages WHERE role = 'user' AND thread_id = 2")"
expect_file "$(work)/f" 1

end_tests
