#!/usr/bin/env bash
# needs: root
# What commands can reach of the host, and what of the workspace the programs themselves obey.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
command -v cc perl >/dev/null || { echo 'this test needs cc and perl'; exit 1; }

workspace() { echo "$CHORUS_HOME/agents/a/workspace"; }
plant() { # FILE: a program that tells where it ran
    printf '#!/bin/sh\necho "$0" >>%s/ran\nexit 0\n' "$scratch" >"$1"
    chmod +x "$1"
}
planted_library() { # FILE …: libraries that do
    printf '%s\n' '#include <stdlib.h>' '#include <unistd.h>' '#include <fcntl.h>' \
        "__attribute__((constructor)) static void go(void) { close(open(\"$scratch/ran\", O_CREAT | O_WRONLY, 0600)); }" >"$scratch/plant.c"
    local first=$1
    cc -shared -fPIC -o "$first" "$scratch/plant.c" || fail 'cc'
    shift
    for file in "$@"; do cp "$first" "$file"; done
}

test_case "programs that Chorus starts are not looked for on the caller's PATH" # 12 A1
init a --model builtin/script --permissions open
mkdir "$(workspace)/bin"
for name in bwrap bash sh git chorus-sandbox chorus-tasks chorus-run true env; do plant "$(workspace)/bin/$name"; done
cd "$(workspace)" || exit 1
real=$CHORUS_BIN/chorus-run
for sandbox in workspace off; do
    agent_key a sandbox "\"$sandbox\""
    agent_key a channel_id '"command:cat >/dev/null"'
    rm -f "$CHORUS_HOME/locks/sandbox"
    run env PATH="$(workspace)/bin:$PATH" "$real" a $'/bash : one\n/bash {"command": ": two", "background": true}\n/git_status'
    expect_status 0
    expect_match "$out" 'exit status 0'
    expect_no_match "$err" 'channel'
    run env PATH="$(workspace)/bin" "$CHORUS_BIN/chorus-tasks" run a ': three'
    expect_status 0
    run env PATH="$(workspace)/bin" "$CHORUS_BIN/chorus-tasks" wait a task_002
    expect_missing "$scratch/ran"
    # the command itself may find it there
    run env PATH="$(workspace)/bin:$PATH" "$real" a '/bash env'
    expect_file "$scratch/ran" "$([ $sandbox = off ] && echo "$(workspace)/bin/env")"
    rm -f "$scratch/ran"
done

test_case "programs: from config.json where they are named there"
init a --model builtin/script --permissions open
mkdir "$scratch/programs"
printf '#!/bin/sh\necho started >>%s/ran\nexec /bin/bash "$@"\n' "$scratch" >"$scratch/programs/bash"
chmod +x "$scratch/programs/bash"
run chorus-config set programs.bash "$scratch/programs/bash"
expect_status 0
agent_key a sandbox '"off"'
run chorus-run a '/bash echo through'
expect_status 0
expect_match "$out" 'through'
expect_file "$scratch/ran" started
run chorus-config set programs.bash bash
expect_status 3
expect_match "$err" 'programs.bash: .*an absolute path'
home_key programs '{"bwrap": "/nowhere/bwrap"}'
agent_key a sandbox '"workspace"'
run chorus-run a '/bash true'
expect_match "$err" '/nowhere/bwrap: No such file or directory'

test_case "libraries are not looked for where the caller's environment says" # 12 A1
init a --model anthropic/m
start_server "$(answers "$(call c1 git_status '{}')" "$(say ok)")"
cd "$(workspace)" || exit 1
planted_library $(ldd /usr/lib/*/libcurl.so.4 /usr/lib/*/libgit2.so.* | sed -n 's/^\t\([^ /]*\) => .*/\1/p' | sort -u) \
    libcurl.so.4 libnss_systemd.so.2 libnss_planted.so.2 $(cd /usr/lib && ls -d */libgit2.so.* | sed 's,.*/,,')
for path in ':/opt/x' '.' '/opt/x:' "$(workspace)" ''; do
    run env LD_LIBRARY_PATH="$path" "$CHORUS_BIN/chorus-run" a hi
    expect_status 0
    for program in chorus-init chorus-context chorus-tasks chorus-destroy chorus-config; do
        run env LD_LIBRARY_PATH="$path" "$CHORUS_BIN/$program" --version
        expect_status 0
    done
    expect_missing "$scratch/ran"
    rm -f "$scratch/ran"
done
# and configurations of libraries that name more of them
printf 'openssl_conf = x\n[x]\nengines = e\n[e]\nq = y\n[y]\ndynamic_path = %s/libcurl.so.4\nengine_id = q\ninit = 1\n' "$(workspace)" >ssl.cnf
for variable in OPENSSL_CONF=ssl.cnf OPENSSL_MODULES=. OPENSSL_ENGINES=. GCONV_PATH=. LOCPATH=. KRB5_CONFIG=krb5.conf GSS_MECH_CONFIG=mech \
    SSLKEYLOGFILE=keys GNUTLS_SYSTEM_PRIORITY_FILE=prio; do
    run env "$variable" "$CHORUS_BIN/chorus-run" a hi
    expect_status 0
    expect_missing "$scratch/ran"
    expect_missing keys
done

git_of() { # DIRECTORY: a repository with one commit
    git init -q -b main "$1" && git -C "$1" -c user.name=p -c user.email=p@x commit -q --allow-empty -m first
}
test_case "HOME is private: what lies in the workspace configures no program" # 12 A6
init a --model builtin/script --permissions open
git_of "$(workspace)/sub"
lines=$'/create_file {"path": ".gitconfig", "content": "[core]\\n\\tfsmonitor = touch ran\\n"}
/create_file {"path": ".config/git/config", "content": "[core]\\n\\tfsmonitor = touch ran\\n"}
/create_file {"path": ".curlrc", "content": "output = ran\\n"}
/create_file {"path": ".npmrc", "content": "cache = /nowhere\\n"}
/create_file {"path": ".bash_profile", "content": "touch ran\\n"}
/create_file {"path": ".profile", "content": "touch ran\\n"}'
run chorus-run a "$lines"
expect_status 0
for sandbox in workspace off; do
    agent_key a sandbox "\"$sandbox\""
    run chorus-run a $'/bash git -C sub status; curl -s file:///etc/hostname; bash -lc true; ls ran sub/ran; ls -A ~; stat -c %a ~; touch ~/left; echo kept >$XDG_CACHE_HOME/x
/bash ls -A ~; cat "$XDG_CACHE_HOME/x"; [ "$HOME" != "$PWD" ] && echo apart'
    expect_status 0
    expect_missing "$(workspace)/ran"
    expect_missing "$(workspace)/sub/ran"
    expect_match "$out" $'\n700\n'
    expect_match "$out" $'stdout:\nkept\napart$'
    run chorus-run a '/bash {"command": "ls -A ~; cat $XDG_CACHE_HOME/x; echo $HOME >home; git config user.name", "background": true}'
    run chorus-tasks wait a "$(ls "$CHORUS_HOME/agents/a/tasks" | tail -1)"
    expect_equal "$(find "$CHORUS_HOME/agents/a/commands" -mindepth 1 -maxdepth 1 -printf '%f ' | tr ' ' '\n' | sort | tr '\n' ' ')" 'cache gitconfig '
done
expect_file "$CHORUS_HOME/agents/a/tasks/task_001/out.log" $'kept\na'
expect_file "$CHORUS_HOME/agents/a/tasks/task_002/out.log" $'kept\na'
expect_equal "$(cat "$(workspace)/home" | grep -c "^$HOME$")" 0

test_case "one generated configuration of git: identity, bare repositories, nothing of the system" # 12 A6 C5
init a --model builtin/script --permissions open
git_of "$(workspace)/sub"
git init -q --bare "$(workspace)/bare"
for sandbox in workspace off; do
    agent_key a sandbox "\"$sandbox\""
    run chorus-run a '/bash git -C sub commit -q --allow-empty -m one; git -C sub log -1 "--format=%an <%ae>"; git config --global user.name x; git -C bare status; git config --system --list; git config --global safe.bareRepository'
    expect_match "$out" $'stdout:\na <a@chorus.local>\nexplicit\n'
    expect_match "$out" "cannot use bare repository"
done
git -C "$(workspace)/sub" config user.name own
run chorus-run a '/bash git -C sub commit -q --allow-empty -m one; git -C sub log -1 "--format=%an <%ae>"'
expect_match "$out" 'own <a@chorus.local>'

test_case "caches: of a command that ends, the next one finds them"
init a --model builtin/script --permissions open
for sandbox in workspace off; do
    agent_key a sandbox "\"$sandbox\""
    run chorus-run a $'/bash for d in "$npm_config_cache" "$GOMODCACHE" "$CARGO_HOME/registry" "$GRADLE_USER_HOME/caches"; do mkdir -p "$d" && echo "${d##*/}" >"$d/x"; done; touch "$CARGO_HOME/config.toml"
/bash for d in "$npm_config_cache" "$GOMODCACHE" "$CARGO_HOME/registry" "$GRADLE_USER_HOME/caches"; do cat "$d/x"; done; ls "$CARGO_HOME"'
    expect_match "$out" $'stdout:\nnpm\ngo-mod\nregistry\ncaches\ngit\nregistry$'
done
if command -v /usr/bin/npm >/dev/null; then
    mkdir "$(workspace)/p" "$(workspace)/q"
    echo '{"name": "p", "version": "1.0.0"}' >"$(workspace)/p/package.json"
    echo '{"name": "q", "version": "1.0.0"}' >"$(workspace)/q/package.json"
    agent_key a sandbox '"workspace"'
    run chorus-run a $'/bash cd p && npm pack --silent && npm cache add ./p-1.0.0.tgz
/bash cd q && npm install --offline --no-audit --silent ../p/p-1.0.0.tgz && ls node_modules; ls -A ~'
    expect_match "$out" $'stdout:\np$'
fi
run env GOMODCACHE=/elsewhere chorus-config set -A a environment '["GOMODCACHE"]'
trusted a
run env GOMODCACHE=/elsewhere chorus-run a '/bash echo $GOMODCACHE'
expect_match "$out" '/elsewhere'
run chorus-context pack a -o packed.tar
expect_no_match "$(tar tf packed.tar)" 'commands'

test_case "a guarded file that is replaced ends the command, and that is told" # 12 A3
init a --model builtin/script --permissions open
agent_key a sandbox '"workspace"'
writer='until echo "[core] fsmonitor = touch ran" >>.git/config; do :; done 2>/dev/null; sleep 60'
for kind in task command; do
    rm -f "$(workspace)/go"
    if [ $kind = task ]; then
        run chorus-run a "/bash $(jq -nc --arg command "touch go; $writer" '{command: $command, background: true}')"
    else
        chorus-run a "/bash touch go; $writer" >"$scratch/out" 2>"$scratch/err" </dev/null &
    fi
    wait_for 20 test -e "$(workspace)/go" || fail 'it does not run'
    # by Chorus: nothing to complete, nothing is replaced
    before=$(stat -c %i "$(workspace)/.git/config")
    run chorus-run a --new-thread /git_init
    expect_equal "$(stat -c %i "$(workspace)/.git/config")" "$before"
    # git on the host waits for the command
    if git -C "$(workspace)" config user.nickname "n-$kind" 2>"$scratch/refusal"; then fail 'git wrote it'; fi
    expect_match "$(cat "$scratch/refusal")" 'could not lock config file .*.git/config'
    # by what does not ask
    sed -i "1i # $kind" "$(workspace)/.git/config"
    if [ $kind = task ]; then
        run timeout 20 chorus-tasks wait a task_001
        expect_status 137
    else
        wait $! || fail 'chorus-run'
        err=$(cat "$scratch/err")
        expect_match "$(cat "$scratch/out")" "git/config was replaced from outside.*the audit log records it"
    fi
    expect_match "$err" "$(workspace)/.git/config was replaced from outside while the sandbox protected it; the command was ended; (its content is unchanged|its content has changed)"
    git -C "$(workspace)" config --unset-all core.fsmonitor
done
expect_match "$(chorus-tasks list a --all --json 2>/dev/null)" 'was replaced from outside'
# a file that is kept from a task is not replaced by a tool
echo '{}' >"$(workspace)/.mcp.json"
run chorus-run a '/bash {"command": "sleep 60", "background": true}'
run chorus-run a '/create_file {"path": ".mcp.json", "content": "x"}'
expect_match "$out" '.mcp.json: task_002 is running and must not write this file'
expect_file "$(workspace)/.mcp.json" '{}'
git -C "$(workspace)" switch -qc with && git -C "$(workspace)" add .mcp.json && git -C "$(workspace)" -c user.name=p -c user.email=p@x commit -qm with
run chorus-run a '/git_checkout {"ref": "main"}'
expect_match "$out" '.mcp.json would change, but is read-only while a task runs'
expect_file "$(workspace)/.mcp.json" '{}'
expect_match "$(chorus-tasks list a)" 'task_002.running'
run chorus-tasks kill a task_002
run chorus-run a '/git_checkout {"ref": "main"}'
expect_match "$out" 'branch main'

test_case "what git on the host would obey is told wherever it comes from" # 12 A4
init a --model builtin/script --permissions open
told='changed that programs outside the sandbox obey: sub/.git/config: core.fsmonitor'
run chorus-run a $'/bash {"command": "git init -q sub && git -C sub config core.fsmonitor ./x; touch done; sleep 60", "background": true}\n/bash until [ -e done ]; do sleep 0.05; done'
expect_status 0
expect_match "$err" "alert: task_001: files $told; inspect them in $(workspace) before you run git"
run chorus-run a hello
expect_match "$err" "alert: task_001: files $told"
for verb in 'list a' 'status a' 'log a task_001'; do
    run chorus-tasks $verb
    expect_match "$err" "alert: task_001: files $told"
done
run chorus-tasks kill a task_001
run chorus-tasks log a task_001
expect_match "$err" "$told"
run chorus-run a hello
expect_no_match "$err" 'obey'
# a bare repository, file by file
run chorus-run a $'/create_file {"path": "b/HEAD", "content": "ref: refs/heads/main\\n"}
/create_file {"path": "b/objects/x", "content": ""}
/create_file {"path": "b/config", "content": "[core]\\n\\tbare = true\\n\\tfsmonitor = ./x\\n"}'
expect_no_match "$err" 'obey'
run chorus-run a '/create_file {"path": "b/refs/x", "content": ""}'
expect_match "$out" 'during this call, files changed .*b/config: core.fsmonitor; the audit log records it'
expect_match "$err" 'alert: during this call, files changed .*b/config: core.fsmonitor'
run chorus-run a '/append_file {"path": "b/config", "content": "[alias]\n\tst = !touch ran\n"}'
expect_match "$err" 'b/config: alias.st'
run chorus-run a '/create_file {"path": ".mcp.json", "content": "{}"}'
expect_match "$err" '.mcp.json: is new or changed'
run chorus-run a '/create_file {"path": "src/configuration", "content": "{}"}'
expect_no_match "$err" 'obey'
# what the workspace's own configuration points to, and what leads out
git_of "$(workspace)"
git -C "$(workspace)" config core.hooksPath .githooks
git -C "$(workspace)" config include.path ../.gitconfig
mkdir "$(workspace)/.githooks"
plant "$(workspace)/.githooks/pre-commit"
run chorus-run a '/str_replace {"path": ".githooks/pre-commit", "old_str": "exit 0", "new_str": "exit 1"}'
expect_match "$out$err" 'during this call, files .*.githooks/pre-commit: a hook; .*alert: during this call'
git -C "$(workspace)" config core.fsmonitor ./monitor
run chorus-run a '/create_file {"path": "monitor", "content": "x"}'
expect_match "$err" 'during this call, files .*: monitor: named by core.fsmonitor'
git -C "$(workspace)" config --unset core.fsmonitor
run chorus-run a '/create_file {"path": ".claude/settings.json", "content": "{}"}'
expect_match "$err" '.claude/settings.json: is new or changed'
run chorus-run a '/create_file {"path": ".gitconfig", "content": "[alias]\n\tst = !touch ran\n"}'
expect_match "$err" 'during this call, files .*.gitconfig: alias.st'
run chorus-run a '/create_file {"path": ".githooks/README", "content": "x"}'
expect_no_match "$err" 'obey'
run chorus-run a '/bash cp .githooks/pre-commit .githooks/pre-push; echo /usr/share >.git/objects/info/alternates'
expect_match "$err" 'while a command ran, .*.githooks/pre-push: a hook, .git/objects/info/alternates: leads out of the workspace; inspect'
rm "$(workspace)/.git/objects/info/alternates"
run chorus-run a '/bash git update-index --add --cacheinfo 100755,$(git hash-object -w .githooks/pre-commit),zz/x && sed -i s#zz/x#../x# .git/index'
expect_match "$err" 'while a command ran, .*: .git/index: the entry ../x; inspect'
run chorus-run a '/bash echo ref: refs/../../../x >.git/refs/heads/y'
expect_match "$err" 'while a command ran, .*: .git/refs/heads/y: leads to refs/../../../x; inspect'
rm "$(workspace)"/.git/{index,refs/heads/y}
# in an agent that is adopted
cp -r "$CHORUS_HOME/agents/a" other
rm -rf other/workspace/.git
run chorus-init c --adopt=other
expect_status 0
expect_match "$err" 'b/config: core.fsmonitor'
expect_missing "$CHORUS_HOME/agents/c/commands/cache"

test_case "what is planted is recorded where nobody reads stderr" # 12 A4
init a --model builtin/script --permissions open
planting() { jq -nc --arg command "git init -q $1 && git -C $1 config core.fsmonitor ./x" "{command: \$command${2-}}"; }
# actions of the newest turns and details, as the audit log has them
plants() { chorus-context audit a --json | jq -r 'select(.action == "plants") | "\(.turn_id) \(.actor != "") \(.detail)"'; }
said='files changed that programs outside the sandbox obey:'
run chorus-run a -q "/bash $(planting one)"
expect_equal "$err" "chorus-run: alert: while a command ran, $said one/.git/config: core.fsmonitor; inspect them in $(workspace) before you run git or other programs there"
expect_equal "$(plants)" "1 true while a command ran, $said one/.git/config: core.fsmonitor"
# a task, and the turn that its end starts
started="/bash $(planting two ", background: true, on_exit: $(jq -n --arg next "/bash $(planting three)" '$next')")"
run chorus-run a -q "$started"
has_third() { plants | grep -q three; }
wait_for 20 has_third || fail 'not recorded'
expect_equal "$(plants | sed 1d)" "2 true task_001: $said two/.git/config: core.fsmonitor
3 true while a command ran, $said three/.git/config: core.fsmonitor"
# the terminal names the first of many, and the log has all
run chorus-run a -q "/bash $(jq -nc '{command: "for i in $(seq 30); do git init -q deep/er/$i && git -C deep/er/$i config core.fsmonitor x; done; git init -q four && git -C four config core.fsmonitor x"}')"
expect_match "$err" "$said four/.git/config: core.fsmonitor, deep.* and 21 more; inspect"
expect_equal "$(plants | tail -n 1 | grep -o 'deep/er' | wc -l)" 30
# thousands of keys of one file hide no other
run chorus-run a -q "/bash $(jq -nc '{command: "git init -q x; (echo [a]; seq 9000 | sed s/.*/k\\&=1/) >>x/.git/config; mkdir farther; git init -q farther/y; git -C farther/y config core.fsmonitor x"}')"
expect_match "$(plants | tail -n 1)" 'x/.git/config: a.k1, .* and 8995 more, farther/y/.git/config: core.fsmonitor$'
# what a link of the user leads to
mkdir "$(workspace)/conf" && ln -s conf/envrc "$(workspace)/.envrc"
for call in '/bash echo touch x >conf/envrc' '/create_file {"path": "conf/envrc", "content": "x"}'; do
    run chorus-run a -q "$call"
    expect_match "$err" "alert: .*$said .envrc: is new or changed"
    expect_match "$(plants | tail -n 1)" "$said .envrc: is new or changed$"
done
# a killed turn that leaves no trace leaves this one, once
(exec chorus-run a -q --ephemeral '/bash git init -q five; git -C five config core.fsmonitor x; touch planted; sleep 60') >/dev/null 2>&1 &
wait_for 20 test -e "$(workspace)/planted" || fail 'nothing planted'
{ kill -9 $! && wait $!; } 2>/dev/null
run chorus-run a -q hi
expect_match "$err" "^chorus-run: alert: a: during a call that was killed, $said five/.git/config: core.fsmonitor; inspect [^
]*$"
expect_match "$(plants | tail -n 1)" "during a call that was killed, $said five/.git/config: core.fsmonitor$"
run chorus-run a -q hi
expect_equal "$err" ''
expect_equal "$(find "$CHORUS_HOME" -name 'plants-*')" ''

test_case "what a git tool or a rewind brings in for git on the host is told" # 12 A4
init a --model builtin/script --permissions open
told='files changed that programs outside the sandbox obey: .envrc: is new or changed, b/config: core.fsmonitor'
run chorus-run a '/bash export GIT_INDEX_FILE=/tmp/i; config=$(printf "[core]\\nbare = true\\nfsmonitor = ./x\\n" | git hash-object -w --stdin); head=$(echo ref: refs/heads/main | git hash-object -w --stdin); for f in $config,b/config $head,b/HEAD $head,b/objects/x $head,b/refs/x $head,.envrc; do git update-index --add --cacheinfo 100644,$f || exit; done; git update-ref refs/heads/trap $(git commit-tree $(git write-tree) -m x)'
expect_match "$out" 'exit status 0'
expect_no_match "$err" 'obey'
run chorus-run a '/git_checkout {"ref": "trap"}'
expect_match "$out" "checked out trap.*during this call, $told; the audit log records it"
expect_match "$err" "alert: during this call, $told; inspect them in $(workspace) before you run git"
run chorus-run a hello
expect_no_match "$err" 'obey'
run chorus-run a '/bash rm -r b'
run chorus-context rewind a --to "$(db "SELECT max(id) FROM messages WHERE role = 'user'")" --workspace
expect_status 0
expect_match "$err" "alert: during the rewind, ${told/.envrc: is new or changed, /}; inspect them in $(workspace) before you run git"
rm -rf "$(workspace)/.git" "$(workspace)/b" "$(workspace)/.envrc"
run chorus-run a '/bash mkdir .git; printf "[core]\\n\\tfsmonitor = ./x\\n" >.git/config'
run chorus-run a '/git_init {}'
expect_match "$out" 'created a git repository.*during this call, files .*: .git/config: core.fsmonitor; the audit'
expect_match "$err" 'alert: during this call, files .*: .git/config: core.fsmonitor; inspect'

test_case "what a link, a continued line or a quoted word leads to is told when it changes"
init a --model builtin/script --permissions sandboxed
command_of() { jq -Rsc '{command: .}' <<<"$1"; }
changes() { # PREPARING CHANGING TOLD
    rm -rf "$(workspace)/r"
    (cd "$(workspace)" && git init -q r && cd r && eval "$1")
    run chorus-run a --stdin ignore -p "/bash $(command_of "cd r; $2")"
    expect_match "$err" "files changed that programs outside the sandbox obey: .*$3"
}
config() { printf '%s\n' "$@" >>.git/config; }
obeyed='printf "[core]\n\tfsmonitor = /tmp/x\n" >>'
hook='printf "#!/bin/sh\n" >hk/pre-commit; chmod +x hk/pre-commit'
changes 'mv .git/config cfg; ln -s ../cfg .git/config' "$obeyed cfg" core.fsmonitor
changes 'echo >cfg; ln -s ../cfg .git/config.worktree' "$obeyed cfg" core.fsmonitor
changes 'rm -rf .git/hooks; mkdir hk; ln -s ../hk .git/hooks' "$hook" 'pre-commit: a hook'
changes 'mkdir rb; ln -s ../rb .git/rebase-merge' 'echo "exec ./x" >rb/git-rebase-todo' git-rebase-todo
changes "config '[include]' 'path = in\\' cx; config '[x]'; echo >.git/incx" "$obeyed .git/incx" core.fsmonitor
changes "config '[core]' 'hooksPath = h\\' 'k'; mkdir hk" "$hook" 'pre-commit: a hook'
changes "config '[include]' 'path = \"in\\tc\"'; echo >.git/\$'in\\tc'" "$obeyed \"\$(echo .git/in*c)\"" core.fsmonitor
for word in '\"./tools/my clean\" %f' "'./tools/my clean' %f" './tools/my\\ clean'; do
    changes "mkdir tools; touch 'tools/my clean'; config '[filter \"a\"]' \"clean = \$word\"" "echo x >>'tools/my clean'" "my clean': named by filter.clean"
done

test_case "what a command or a task left whose process was killed is told" # 12 A4
init a --model builtin/script --permissions open
told='files changed that programs outside the sandbox obey: q/.git/config: core.fsmonitor'
killed_turn() {
    rm -rf "$(workspace)/q" "$(workspace)/done"
    chorus-run a '/bash git init -q q; git -C q config core.fsmonitor ./x; touch done; sleep 60' >"$scratch/out" 2>&1 &
    wait_for 10 test -e "$(workspace)/done" || fail 'it does not run'
    { kill -9 $!; wait $!; } 2>/dev/null
}
killed_turn
run chorus-run a --new-thread hello
expect_match "$err" "alert: thread 1: $told; inspect them in $(workspace) before you run git"
for verb in list status; do
    run chorus-tasks $verb a
    expect_match "$err" "alert: thread 1: $told"
done
run chorus-run a hello
expect_match "$err" "alert: a: during a call that was killed, $told; inspect them in $(workspace) before you run git"
expect_match "$(db "SELECT content FROM messages WHERE role = 'tool_result' AND thread_id = 1")" "unknown: .*that was killed, $told; .*; the audit log records it"
expect_equal "$(find "$CHORUS_HOME" -name 'plants*')" ''
run chorus-run a --resume
expect_no_match "$err" 'obey'
killed_turn
run chorus-run a --resume
expect_match "$err" "alert: a: during a call that was killed, $told"
killed_turn
run chorus-context rewind a --to "$(db "SELECT max(id) FROM messages WHERE role = 'user'")"
expect_match "$err" "alert: a: during a call that was killed, $told"
expect_equal "$(find "$CHORUS_HOME" -name 'plants*')" ''
run chorus-run a '/create_file {"path": ".envrc", "content": "x"}'
expect_match "$err" '.envrc: is new'
expect_equal "$(find "$CHORUS_HOME" -name 'plants*')" ''
lock_is_free() { # TASK
    perl -MFcntl -e 'open my $file, "<", $ARGV[0] or die; my $lock = pack("s s x4 q q i x4", F_RDLCK, 0, $ARGV[1], 1, 0); exit(fcntl($file, 37, $lock) ? 0 : 1)' \
        "$CHORUS_HOME"/locks/agent-1-tasks "$1"
}
number=0
for next in 'chorus-run a hello' 'chorus-tasks list a' 'chorus-tasks wait a'; do
    number=$((number + 1))
    rm -rf "$(workspace)/q" "$(workspace)/done"
    run chorus-run a '/bash {"command": "touch begun; until [ -e go ]; do sleep 0.05; done; git init -q q; git -C q config core.fsmonitor ./x; touch done; sleep 60", "background": true}'
    touch "$(workspace)/go"
    wait_for 10 test -e "$(workspace)/done" || fail 'it does not run'
    rm "$(workspace)/go"
    kill -9 "$(db "SELECT pid FROM tasks ORDER BY rowid DESC LIMIT 1")"
    # its lock is held until the last of its processes is gone
    wait_for 10 lock_is_free $number || fail 'it lives on'
    [[ $next != *wait* ]] || next="$next $number"
    run $next
    expect_match "$err" "notice: task_00$number: lost; its end is unknown.*; $told"
    expect_match "$(chorus-tasks list a --json)" "its supervisor is gone; $told"
done

test_case "-C in a linked worktree and in a submodule" # 12 C3
init a --model builtin/script --permissions open
git_of main
git_of part
echo x >main/file && git -C main add file && git -C main -c user.name=p -c user.email=p@x commit -q -m file
git -C main worktree add -q -b side ../tree
git -C main worktree add -q -b third ../third
listing() { find main/.git tree third part -name objects -prune -o -name logs -prune -o -printf '%p %y\n' | grep -e commondir -e config -e modules -e hooks -e info | sort; }
before=$(listing)
config=$(cat main/.git/config)
run chorus-run a -C tree $'/bash git status --short && echo y >file && git commit -qam inside && git log --oneline | wc -l && git branch more && git stash list && git fsck
/bash for f in .git $(git rev-parse --git-common-dir)/{config,HEAD,index,hooks/x,info/x,commondir,config.worktree,worktrees/third/HEAD,worktrees/third/index,rebase-merge} $(git rev-parse --git-dir)/{commondir,gitdir,config.worktree}; do (echo x >>$f) 2>/dev/null && echo writ\\ten $f; done; true'
expect_status 0
expect_match "$out" $'exit status 0.*\n3\n'
expect_no_match "$out" 'written'
expect_equal "$(git -C main log --oneline side | wc -l)" 3
expect_equal "$(git -C main status --short)$(git -C tree status --short)" ''
expect_equal "$(cat main/.git/config)" "$config"
git -C main branch -q -D more
expect_equal "$(listing)" "$before"
# people go on with the others meanwhile
chorus-run a -C tree '/bash touch ../tree/go; sleep 2; echo to the end' >"$scratch/out" 2>"$scratch/err" </dev/null &
wait_for 20 test -e tree/go
git -C main -c user.name=p -c user.email=p@x commit -q --allow-empty -m meanwhile && git -C main config a.b c
wait $!
expect_match "$(cat "$scratch/out")" 'to the end'
git -C main -c protocol.file.allow=always submodule add -q "$scratch/part" part 2>/dev/null
git -C main -c user.name=p -c user.email=p@x commit -q -m part
run chorus-run a -C main/part '/bash echo y >file && git add file && git commit -qm inside && git log --oneline | wc -l; for f in .git $(git rev-parse --git-dir)/{config,commondir,config.worktree,hooks/x}; do (echo x >>$f) 2>/dev/null && echo writ\ten $f; done; true'
expect_match "$out" $'stdout:\n2$'
expect_no_match "$out" 'written'
expect_equal "$(ls main/.git/modules/part | tr '\n' ' ')" "$(echo COMMIT_EDITMSG HEAD branches config description hooks index info logs objects packed-refs refs '')"
# what does not point back is refused
mkdir odd && cp tree/.git odd/
run chorus-run a -C odd '/bash touch ran'
expect_match "$out$err" 'does not name'
expect_missing odd/ran

test_case "mount points go with the last command that uses them" # 12 C3
init a --model builtin/script --permissions open
git_of project
before=$(ls project/.git)
chorus-run a -C project '/bash touch one; sleep 3; (echo x >.git/commondir) 2>/dev/null && echo writ\ten; (mkdir .git/x; mv .git/x .git/worktrees) 2>/dev/null && echo mo\ved; rmdir .git/x' >"$scratch/out" 2>&1 </dev/null &
wait_for 20 test -e project/one
run chorus-run a --new-thread -C project '/bash touch two'
expect_equal "$(ls project/.git | grep -c -e '^commondir$' -e '^worktrees$')" 2
wait $!
expect_no_match "$(cat "$scratch/out")" 'written|moved'
expect_equal "$(ls project/.git)" "$before"
# those of one that was killed go with the next one
chorus-run a -C project '/bash touch three; sleep 60' >/dev/null 2>&1 </dev/null &
wait_for 20 test -e project/three
kill -9 $!
wait $! 2>/dev/null
expect_equal "$(ls project/.git | grep -c commondir)" 1
wait_for 20 chorus-run a --new-thread -C project '/bash git worktree list; git status'
expect_equal "$(ls project/.git)" "$before"

killed_in() { # NAME DIR: its command is killed there
    rm -f "$2/begun"
    chorus-run "$1" --new-thread -C "$2" '/bash touch begun; sleep 60' >/dev/null 2>&1 </dev/null &
    wait_for 20 test -e "$2/begun"
    kill -9 $!
    wait $! 2>/dev/null
    sleep 0.3
    rm "$2/begun"
    [ -e "$2/.git/config.lock" ] || [ -f "$2/.git" ] || fail "no mount point was left in $2"
}

test_case "mount points that a killed chorus-run left go with its agent, and the doctor finds them" # 12 C3
init a --model builtin/script --permissions open
init b --model builtin/script --permissions open
git_of one
git_of two
git_of three
git -C three worktree add -q ../four 2>/dev/null
before=$(ls one/.git two/.git three/.git three/.git/worktrees/four)
for place in one two four; do killed_in a $place; done
expect_match "$(git -C one config x.y z 2>&1)" 'could not lock'
chorus-run b -C two '/bash touch begun; until [ -e end ]; do sleep 0.05; done' >/dev/null 2>&1 </dev/null &
wait_for 20 test -e two/begun
run chorus-destroy a --yes
expect_status 0
expect_file two/.git/commondir ./ # in use
touch two/end
wait $!
rm two/begun two/end
expect_equal "$(ls one/.git two/.git three/.git three/.git/worktrees/four)" "$before"
git -C one config x.y z || fail 'git config'

# moved, and then looked for where it is; in use, and then not
killed_in b one
mv one moved
run chorus-config doctor
expect_equal "$out" 'nothing to mend'
cd moved || exit 1
run chorus-config doctor
expect_status 1
expect_match "$out" "found: $scratch/moved/.git/config.lock: left by a killed command; --fix removes it"
run chorus-config doctor --fix --json
expect_status 0
expect_equal "$(jq .mended <<<"$out" | sort -u)" true
git config x.y zz || fail 'git config'
cd ..
git_of one
killed_in b one
run chorus-config doctor
expect_status 1
expect_match "$out" "found: $scratch/one/.git/commondir: left by a killed command"
rm -r one
run chorus-config doctor --fix
expect_equal "$out" 'nothing to mend'

test_case "a turn keeps to its directory, whatever a command puts in the place of it"
init a --model builtin/script --permissions sandboxed
init b --model builtin/script --permissions sandboxed
state() { (cd elsewhere && find . ! -path ./.git/index -printf '%p %i %m %s %T@\n' | sort; cat secret); }
for kind in sandbox off; do
    rm -rf w elsewhere && mkdir -p w/x/sub elsewhere
    git_of elsewhere
    git_of w/x/sub
    echo secret >elsewhere/secret
    agent_key b sandbox "$([ $kind = off ] && echo '"off"' || echo '"workspace"')"
    agent_key b permissions '"open"'
    # one in the directory above exchanges it in the middle of the other's turn
    printf '/bash {"command": "while [ ! -e x/sub/go ]; do sleep 0.01; done; mv x/sub x/old; ln -s %s x/sub", "background": true}' \
        "$scratch/elsewhere" | chorus-run a -C w >/dev/null
    before=$(state)
    run chorus-run b -C w/x/sub $'/bash touch go; sleep 1\n/bash cat secret; touch made\n/bash {"command": "touch made", "background": true}\n/git_branch made\n/git_commit made\n/git_log {}\n/git_init {}\n/create_file {"path": "made", "content": "x"}'
    expect_no_match "$out" 'secret|deleted|first'
    grep -rq "$scratch/w/x/sub: it or a directory above it is a symbolic link now" "$CHORUS_HOME/agents/b" || fail 'it is not told'
    expect_equal "$(state)" "$before"
    # nor does it follow what was put there when it is asked to begin
    run chorus-run b --new-thread -C w/x/sub '/bash cat secret'
    expect_status 2
    expect_match "$err" "error: -C: '$scratch/w/x/sub': agents work in $scratch/w and may have made the link $scratch/w/x/sub"
    expect_match "$err" "hint: name its target, which is now $scratch/elsewhere\$"
    expect_equal "$(state)" "$before"
    run chorus-tasks kill a all
done
mkdir person
ln -s "$scratch/elsewhere" person/link # a person's own is followed
run chorus-run b --new-thread -C person/link '/bash cat secret'
expect_match "$out" secret

test_case "sandbox_read does not lead where an agent wants"
init a --model builtin/script --permissions sandboxed
mkdir -p w/data v private
echo secret >private/key
ln -s "$scratch/private" own
run chorus-config set sandbox_read "[\"$scratch/w/data\", \"$scratch/own\", \"$scratch/absent\"]"
run chorus-run a -C v "/bash ls $scratch/w/data; cat $scratch/own/key"
expect_match "$out" secret
run chorus-run a -C w "/bash mv data old; ln -s $scratch/private data"
expect_match "$out" 'exit status 0'
run chorus-run a -C v "/bash cat $scratch/w/data/key"
expect_status 3
expect_match "$err" "error: config.json: sandbox_read: '$scratch/w/data': agents work in $scratch/w and may have made the link $scratch/w/data"
expect_no_match "$out" secret

test_case "commands read neither the home nor key files, wherever these are"
init a --model builtin/script --permissions sandboxed
work=$CHORUS_HOME/agents/a/workspace
stored=sk-stored-0123456789abcdef filed=sk-filed-0123456789abcdef
echo $stored | chorus-config login anthropic --no-check 2>/dev/null
(umask 077 && echo $filed >"$work/key" && echo $filed >other)
run chorus-config profiles add filed --provider groq --key-file "$work/key"
run chorus-config profiles add other --provider groq --key-file "$PWD/other"
run chorus-config set sandbox_read "[\"$PWD\"]"
shown="echo plain >plain; ls $PWD; rev key $PWD/other $CHORUS_HOME/credentials.json; strings $CHORUS_HOME/chorus.db; grep -c . plain"
run chorus-run a "/bash $shown"
expect_match "$out" $'exit status 0.*\nother\n.*\n1\nstderr:'
expect_no_match "$out" "$(rev <<<$stored)|$(rev <<<$filed)|CREATE TABLE"
run chorus-config set sandbox landlock
run chorus-run a "/bash $shown"
expect_match "$out" "$work/key: it is in a directory that commands write, where the sandbox .landlock. cannot hide it"
run chorus-config profiles remove filed
rm "$work/key"
run chorus-run a "/bash $shown"
expect_match "$out" $'\nother\n.*\n1\nstderr:'
expect_no_match "$out" "$(rev <<<$stored)|$(rev <<<$filed)|CREATE TABLE"

test_case "a checkout of another user" # 12 C4
init a --model builtin/script --permissions open
git_of project
chmod 755 "$base" "$scratch"
chown -R 1234:1234 project
run chorus-run a -C project '/bash git status; touch made'
expect_match "$out" 'dubious ownership'
expect_match "$err" "notice: commands cannot write in $scratch/project, which belongs to another user"
expect_missing project/made
git config --global safe.directory "$scratch/project"
run chorus-run a -C project '/bash git log --oneline'
expect_match "$out" 'exit status 0'
expect_match "$out" 'first'
rm "$HOME/.gitconfig"
run chorus-run a '/bash true'
expect_equal "$err" ''


test_case "a key file of a profile in the workspace: no command, no tool and no commit has it, by no other name"
init a --model builtin/script --permissions open
mkdir -p ws/sub/keys
git init -q ws
echo one >ws/f
(umask 077 && echo Fk8sKeyMaterial0123456789QQ >ws/sub/keys/k.txt)
run chorus-config profiles add p1 --provider groq --key-file "$PWD/ws/sub/keys/k.txt"
expect_status 0
for mode in workspace landlock; do
    home_key sandbox "\"$mode\""
    run chorus-run a -C ws '/bash mv sub sub3; rev sub3/keys/k.txt sub/keys/k.txt; ls
/search_files {"pattern": "^Fk8s"}
/view sub/keys/k.txt
/create_file {"path": "sub/keys/k.txt", "content": "x"}
/append_file {"path": "sub/keys/k.txt", "content": "x"}'
    expect_status 0
    expect_no_match "$out" 'QQ9876|Fk8sKey'
    [ "$mode" = landlock ] || expect_match "$out" 'busy'
    [ ! -e ws/sub3 ] || mv ws/sub3 ws/sub
    expect_file ws/sub/keys/k.txt Fk8sKeyMaterial0123456789QQ
done
run chorus-run a -C ws '/git_commit {"message": "m", "files": ["sub/keys/k.txt"]}'
expect_match "$out" 'sub/keys/k.txt is hidden: it holds a key'
run chorus-run a -C ws '/git_commit {"message": "m"}'
expect_match "$out" 'committed'
expect_equal "$(git -C ws ls-files)" f
end_tests
