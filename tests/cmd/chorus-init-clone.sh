#!/usr/bin/env bash
# needs: openssh-server, perl
# chorus-init --clone over ssh and http, with submodules, and with what is not to be kept.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
for tool in sshd ssh-agent ssh-add ssh-keygen perl; do
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
# Starts sshd on a port below those the kernel gives to connections; fails when another program has it.
try_port() {
    port=$((20000 + RANDOM % 12000))
    : >"$scratch/sshd.log"
    /usr/sbin/sshd -D -e -f /dev/null -p $port -h "$scratch/host_key" -o ListenAddress=127.0.0.1 -o PidFile=none \
        -o StrictModes=no -o UsePAM=no -o "AuthorizedKeysFile=$scratch/authorized" -o PermitRootLogin=yes 2>>"$scratch/sshd.log" &
    sshd=$!
    wait_for 5 grep -qE 'Server listening|Cannot bind' "$scratch/sshd.log"
    grep -q 'Server listening' "$scratch/sshd.log"
}
# A server of this user alone, on $port.
start_sshd() {
    [ "$(id -u)" != 0 ] || mkdir -p /run/sshd
    ssh-keygen -q -t ed25519 -N '' -f "$scratch/host_key"
    ssh-keygen -q -t ed25519 -N '' -f "$scratch/key"
    cp "$scratch/key.pub" "$scratch/authorized"
    for _ in $(seq 20); do
        try_port && break
    done || fail "sshd did not start: $(head -c 300 "$scratch/sshd.log")"
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
# git over HTTP, for the repositories of $scratch; port in $http_port, more than one can run. RULE: see git_http.pl.
http_pids=()
start_http() { # NAME [RULE]
    "$here/support/git_http.pl" "$scratch" "$scratch/$1.log" "$scratch/$1.port" "${@:2}" &
    http_pids+=($!)
    wait_for 5 test -s "$scratch/$1.port" || fail 'the server did not start'
    http_port=$(cat "$scratch/$1.port")
}
stop_http() {
    kill "${http_pids[@]}"
    wait "${http_pids[@]}" 2>/dev/null
    http_pids=()
}
nowhere() { # TEXT: in no file of the home, no output
    ! grep -rqF -e "$1" "$CHORUS_HOME" && [[ $out$err != *"$1"* ]] || fail "$1 was found"
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
expect_match "$err" 'hint: only keys in ssh-agent are used: add one with ssh-add'
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

test_case "a submodule on this machine is not fetched for an address that names it, and listed"
repository "$scratch/secret"
repository "$scratch/src"
git -C "$scratch/src" submodule --quiet add "$scratch/secret" path
git -C "$scratch/src" submodule --quiet add "file://$scratch/secret" file
git -C "$scratch/src" submodule --quiet add ../secret relative
git -C "$scratch/src" submodule --quiet add "$scratch/secret" none
git -C "$scratch/src" config -f .gitmodules --remove-section submodule.none
git -C "$scratch/src" commit -q -a -m lib
clone a "$scratch/src" --submodules
expect_status 0
for name in path file relative none; do
    expect_match "$err" "notice: submodule not fetched: $name/"
    expect_missing "$(workspace a)/$name/a.txt"
done
expect_no_match "$err" '--submodules fetches it'
expect_equal "$(git -C "$(workspace a)" status --porcelain)" ''

test_case "a submodule whose name is not its path"
repository "$scratch/lib"
repository "$scratch/src"
start_http own
git -C "$scratch/src" submodule --quiet add --name libx "http://127.0.0.1:$http_port/lib" s1
git -C "$scratch/src" submodule --quiet add --name a/b "http://127.0.0.1:$http_port/lib" s2
git -C "$scratch/src" commit -q -m lib
clone a "$scratch/src" --submodules
expect_status 0
expect_file "$(workspace a)/s1/a.txt" one
expect_file "$(workspace a)/s2/a.txt" one
expect_equal "$(git -C "$(workspace a)" submodule status | cut -c1 | sort -u)" ' '
expect_equal "$(git -C "$(workspace a)" status --porcelain)" ''
stop_http

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
test_case "http: the name and password of an address go to its server and nowhere else"
repository "$scratch/lib"
repository "$scratch/src"
git -C "$scratch/src" submodule --quiet add "$scratch/lib" lib
git -C "$scratch/src" config -f .gitmodules submodule.lib.url ../lib
git -C "$scratch/src" commit -q -a -m lib
start_http own 'u u:SECRET/PW'
clone a "http://u%20u:SECRET%2fPW@127.0.0.1:$http_port/src" --submodules
expect_status 0
expect_file "$(workspace a)/lib/a.txt" one
expect_equal "$(git -C "$(workspace a)" remote get-url origin)" "http://127.0.0.1:$http_port/src"
nowhere SECRET
nowhere u%20u
clone b "http://u%20u:WRONGPW@127.0.0.1:$http_port/src"
expect_status 1
expect_equal "$err" "chorus-init: error: clone: http://127.0.0.1:$http_port/src: the server does not accept the user name and the password"
clone b "http://127.0.0.1:$http_port/src"
expect_status 1
expect_match "$err" "clone: http://127.0.0.1:$http_port/src: the server asks for a user name and a password"
expect_match "$err" 'hint: give them in the address, as in https://USER:TOKEN@HOST/PATH'
nowhere WRONGPW
stop_http

test_case "http: a repository with SHA-256 object names"
git init -q --object-format=sha256 "$scratch/src"
repository "$scratch/src"
start_http own
clone a "http://127.0.0.1:$http_port/src"
expect_status 1
expect_match "$err" 'hint: if the repository has SHA-256 object names, clone it with git'
stop_http

test_case "http: a token alone"
repository "$scratch/src"
start_http own TOKENTOKEN:
clone a "http://TOKENTOKEN@127.0.0.1:$http_port/src"
expect_status 0
nowhere TOKENTOKEN
stop_http

test_case "http: no other server gets them, wherever a redirect or a submodule leads"
repository "$scratch/src"
start_http thief u:SECRETPW
thief=$http_port
for place in 127.0.0.1 localhost; do
    start_http "to_$place" "to=http://$place:$thief"
    clone a "http://u:SECRETPW@127.0.0.1:$http_port/src"
    expect_status 1
    expect_no_match "$(cat "$scratch/thief.log" 2>/dev/null)" Authorization
done
stop_http
start_http thief2 u:SECRETPW
thief=$http_port
git -C "$scratch/src" -c "url.http://u:SECRETPW@127.0.0.1:$thief.insteadOf=http://127.0.0.1:$thief" \
    submodule --quiet add "http://127.0.0.1:$thief/src" lib
git -C "$scratch/src" commit -q -m lib
: >"$scratch/thief2.log"
start_http own u:SECRETPW
clone a "http://u:SECRETPW@127.0.0.1:$http_port/src" --submodules
expect_status 1
expect_match "$err" 'submodule lib: the server asks for a user name and a password'
expect_no_match "$(cat "$scratch/thief2.log")" Authorization
stop_http
start_http open
start_http there "to=http://localhost:$http_port"
clone a "http://127.0.0.1:$http_port/src"
expect_status 0
stop_http

test_case "ssh: a password in an address is in no file"
repository "$scratch/src"
start_sshd
know_host
start_agent
clone a "ssh://$user:SECRETPW@127.0.0.1:$port$scratch/src"
expect_status 0
nowhere SECRETPW
expect_equal "$(git -C "$(workspace a)" remote get-url origin)" "ssh://$user@127.0.0.1:$port$scratch/src"
stop

test_case "ssh: a revoked key is refused, and the key of an authority is no server's"
repository "$scratch/src"
start_sshd
know_host
start_agent
url=ssh://$user@127.0.0.1:$port$scratch/src
known=$HOME/.ssh/known_hosts
key=$(cut -d' ' -f1,2 "$scratch/host_key.pub")
cp "$known" "$scratch/known"
for line in "@revoked [127.0.0.1]:$port $key" "  @revoked	*  $key comment" "@revoked |1|x|y $key"; do
    for order in "$scratch/known -" "- $scratch/known"; do
        # shellcheck disable=SC2086
        echo "$line" | cat $order >"$known"
        clone a "$url"
        expect_status 1
        expect_match "$err" "clone: $url: the server's key is marked @revoked in ~/.ssh/known_hosts"
        expect_no_match "$err" 'connect to it once'
    done
done
echo "@cert-authority [127.0.0.1]:$port $key" >"$known"
clone a "$url"
expect_status 1
expect_match "$err" 'hint: the server.s key has to be in ~/.ssh/known_hosts'
{ echo "@revoked * $(cut -d' ' -f1,2 "$scratch/key.pub")"; cat "$scratch/known"; } >"$known"
clone a "$url"
expect_status 0
stop
end_tests
