#!/usr/bin/env bash
# chorus-init --clone over ssh, with submodules, and from a server that says nothing.
. "$(dirname "$0")/../support/lib.sh"
for tool in sshd ssh-agent ssh-add ssh-keygen; do
    command -v "$tool" >/dev/null || [ -x "/usr/sbin/$tool" ] || { echo "this test needs $tool"; exit 1; }
done
export GIT_CONFIG_NOSYSTEM=1
for setting in 'user.name n' 'user.email e@example.org' 'init.defaultBranch main' 'protocol.file.allow always'; do
    # shellcheck disable=SC2086
    git config --global $setting
done

repository() { # DIRECTORY
    git init -q "$1"
    echo one >"$1/a.txt"
    git -C "$1" add -A
    git -C "$1" commit -q -m start
}
# A server of this user alone; $port, $host in addresses.
start_sshd() {
    [ "$(id -u)" != 0 ] || mkdir -p /run/sshd
    ssh-keygen -q -t ed25519 -N '' -f "$scratch/host_key"
    ssh-keygen -q -t ed25519 -N '' -f "$scratch/key"
    cp "$scratch/key.pub" "$scratch/authorized"
    port=$((20000 + RANDOM % 20000))
    /usr/sbin/sshd -D -e -f /dev/null -p $port -h "$scratch/host_key" -o ListenAddress=127.0.0.1 -o PidFile=none \
        -o StrictModes=no -o UsePAM=no -o "AuthorizedKeysFile=$scratch/authorized" -o PermitRootLogin=yes 2>"$scratch/sshd.log" &
    sshd=$!
    for _ in $(seq 100); do
        grep -q 'Server listening' "$scratch/sshd.log" && break
        sleep 0.05
    done
    user=$(id -un)
}
know_host() {
    mkdir -p "$HOME/.ssh"
    echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 "$scratch/host_key.pub")" >"$HOME/.ssh/known_hosts"
}
start_agent() {
    eval "$(ssh-agent)" >/dev/null
    ssh-add -q "$scratch/key"
}
stop() {
    kill "$sshd"
    [ -z "${SSH_AGENT_PID:-}" ] || kill "$SSH_AGENT_PID"
    unset SSH_AUTH_SOCK SSH_AGENT_PID
    rm -rf "$HOME/.ssh"
}
clone() { run chorus-init "$1" --model builtin/script --clone "${@:2}"; }
workspace() { echo "$CHORUS_HOME/agents/$1/workspace"; }

test_case "ssh: keys come from the agent, and the server's key is in known_hosts"
repository "$scratch/src"
start_sshd
url=ssh://$user@127.0.0.1:$port$scratch/src
start_agent
clone a "$url"
expect_status 1
expect_match "$err" "clone: $url: "
expect_match "$err" 'hint: the server.s key has to be in ~/.ssh/known_hosts'
expect_match "$err" '~/.ssh/config is not read'
know_host
clone a "$url"
expect_status 0
expect_equal "$(git -C "$(workspace a)" log --format=%s)" start
expect_equal "$(git -C "$(workspace a)" remote get-url origin)" "$url"
ssh-add -q -D
clone b "$url"
expect_status 1
expect_match "$err" 'hint: only keys in the agent of ssh are used: add one with ssh-add'
ssh-add -q "$scratch/key"
clone c "ssh://127.0.0.1:$port$scratch/src"
expect_status 0
echo "[127.0.0.1]:$port $(cut -d' ' -f1,2 "$scratch/key.pub")" >"$HOME/.ssh/known_hosts"
clone d "$url"
expect_status 1
expect_match "$err" 'hint: the server.s key has to be in ~/.ssh/known_hosts'
stop

test_case "ssh: nothing else of the home is within reach"
repository "$scratch/src"
start_sshd
know_host
start_agent
git config --global url.file:///nowhere/.insteadOf ssh://
clone a "ssh://$user@127.0.0.1:$port$scratch/src"
expect_status 0
git config --global --unset url.file:///nowhere/.insteadOf
stop

test_case "user@host:path is ssh"
clone a git@127.0.0.1:x.git
expect_status 1
expect_match "$err" 'clone: git@127.0.0.1:x.git: '
expect_match "$err" '~/.ssh/config is not read'

test_case "submodules come when they are asked for, and are named when they are not"
repository "$scratch/lib"
ln -s /etc/passwd "$scratch/lib/out"
git -C "$scratch/lib" add -A
git -C "$scratch/lib" commit -q -m link
repository "$scratch/src"
start_sshd
know_host
start_agent
git -C "$scratch/src" submodule --quiet add "$scratch/lib" lib
git -C "$scratch/src" config -f .gitmodules submodule.lib.url ../lib
git -C "$scratch/src" commit -q -a -m lib
url=ssh://$user@127.0.0.1:$port$scratch/src
clone a "$url"
expect_status 0
expect_match "$err" 'notice: submodule not fetched: lib/ \(--submodules fetches it\)'
expect_missing "$(workspace a)/lib/a.txt"
clone b "$url" --submodules --json
expect_status 0
expect_json '.left_out | join(" ")' lib/out
expect_file "$(workspace b)/lib/a.txt" one
expect_missing "$(workspace b)/lib/out"
expect_equal "$(git -C "$(workspace b)" submodule status | cut -c1)" ' '
expect_equal "$(git -C "$(workspace b)" status --porcelain)" ''
run chorus-run b '/git_status {}'
expect_status 0
stop

test_case "a submodule on this machine is not fetched for an address that names it"
repository "$scratch/secret"
repository "$scratch/src"
git -C "$scratch/src" submodule --quiet add "$scratch/secret" lib
git -C "$scratch/src" commit -q -m lib
clone a "$scratch/src" --submodules
expect_status 1
expect_match "$err" 'clone: submodule lib: '
expect_missing "$CHORUS_HOME/agents/a"

test_case "what a clone leaves out is listed"
repository "$scratch/src"
ln -s /etc/passwd "$scratch/src/out"
ln -s a.txt "$scratch/src/in"
git -C "$scratch/src" add -A
git -C "$scratch/src" commit -q -m links
clone a "$scratch/src"
expect_status 0
expect_match "$err" 'chorus-init: notice: not taken: out'
expect_no_match "$err" 'not taken: in'
clone b "$scratch/src" --json
expect_json '.left_out | join(" ")' out

test_case "a work tree and a repository with a .git file are cloned too"
repository "$scratch/src"
git -C "$scratch/src" worktree add -q "$scratch/tree" -b topic
clone a "$scratch/tree"
expect_status 0
expect_equal "$(git -C "$(workspace a)" symbolic-ref --short HEAD)" topic
end_tests
