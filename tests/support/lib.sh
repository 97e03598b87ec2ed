# Sourced by every command test. Runs the real binaries in a temporary CHORUS_HOME; each `test_case` is
# counted, and the script ends with "N passed, N failed".
#
#   test_case "what it shows"      begins a case: a fresh home in $CHORUS_HOME, a scratch dir in $scratch
#   run COMMAND …                  its stdout in $out, stderr in $err, status in $status
#   expect_status N; expect_equal A B; expect_match TEXT REGEX; expect_file PATH TEXT; expect SQL VALUE
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
for tool in jq sqlite3 git; do
    command -v "$tool" >/dev/null || { echo "this test needs $tool"; exit 1; }
done
: "${CHORUS_BIN:?the directory of the executables}"
PATH=$CHORUS_BIN:$CHORUS_TEST_BIN:$PATH
base=$(mktemp -d)
json_lines=${CHORUS_JSON_LINES:-/dev/null}
[ "$json_lines" = /dev/null ] || : >"$json_lines"
passed=0 failed=0 case_name='' case_failed=0 server_pid=''
for variable in $(compgen -e | grep -E '^(CHORUS_|ANTHROPIC_|OPENAI_|CURL_CA_BUNDLE|SSL_CERT_)' | grep -vE '^CHORUS_(TEST_)?BIN$'); do
    unset "$variable"
done
export HOME=$base/user LC_ALL=C.UTF-8
mkdir -p "$HOME"

# What a case leaves running would write into the home of the next one.
kill_left() {
    local left one
    while left=$(CHORUS_HOME='' grep -lzsxF "CHORUS_HOME=$scratch/home" /proc/[0-9]*/environ); [ -n "$left" ]; do
        for one in $left; do
            one=${one#/proc/}
            kill -9 "${one%/environ}" 2>/dev/null
        done
        sleep 0.01
    done
}
finish_case() {
    [ -z "$case_name" ] && return
    stop_server
    kill_left
    if [ "$case_failed" = 0 ]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
    rm -rf "$scratch"
    case_name=''
}
test_case() {
    finish_case
    case_name=$1 case_failed=0
    scratch=$base/case
    mkdir -p "$scratch"
    export CHORUS_HOME=$scratch/home
    cd "$scratch" || exit 1
}
end_tests() {
    finish_case
    rm -rf "$base"
    echo "$passed passed, $failed failed"
    [ "$failed" = 0 ]
    exit
}
fail() {
    case_failed=1
    echo "FAILED: $case_name: $1 (line ${BASH_LINENO[1]})"
    echo "  status ${status:-}"
    sed 's/^/  out: /' "$scratch/out" 2>/dev/null | head -20
    sed 's/^/  err: /' "$scratch/err" 2>/dev/null | head -20
}
keep_json() { # COMMAND …: what it printed as JSON lines, for the test json/schema
    case " $* " in *' --json '* | *json\ *) grep '^{"schema":"chorus\.' "$scratch/out" | grep -v '^{"schema":"chorus\.export/' >>"$json_lines" ;; esac
}
run() {
    "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    out=$(<"$scratch/out") err=$(<"$scratch/err")
    keep_json "$@"
}
run_stdin() { # FILE COMMAND …
    local input=$1
    shift
    "$@" >"$scratch/out" 2>"$scratch/err" <"$input"
    status=$?
    out=$(<"$scratch/out") err=$(<"$scratch/err")
    keep_json "$@"
}
expect_status() { [ "$status" = "$1" ] || fail "expected exit $1, got $status"; }
expect_equal() { [ "$1" = "$2" ] || fail "expected '$2', got '$1'"; }
expect_match() { [[ $1 =~ $2 ]] || fail "expected /$2/ in '${1:0:400}'"; }
expect_no_match() { [[ ! $1 =~ $2 ]] || fail "expected no /$2/ in '${1:0:400}'"; }
expect_file() { [ "$(cat "$1" 2>/dev/null)" = "$2" ] || fail "file $1: expected '$2', got '$(cat "$1" 2>&1)'"; }
expect_missing() { [ ! -e "$1" ] || fail "$1 should not be there"; }
expect_json() { # FILTER VALUE, of $out
    local got
    got=$(jq -r "$1" <<<"$out" 2>&1)
    [ "$got" = "$2" ] || fail "jq '$1': expected '$2', got '$got'"
}
db() { sqlite3 -cmd ".timeout 10000" "$CHORUS_HOME/chorus.db" "$1"; }
expect_db() {
    local got
    got=$(db "$1" 2>&1)
    [ "$got" = "$2" ] || fail "sql '$1': expected '$2', got '$got'"
}
# start_server SCRIPT-JSON: a loopback server; its port in $port, requests in $scratch/log
start_server() {
    stop_server
    printf '%s' "$1" >"$scratch/script.json"
    rm -rf "$scratch/log" "$scratch/port"
    mkdir -p "$scratch/log"
    loopback --script "$scratch/script.json" --log "$scratch/log" --port-file "$scratch/port" ${2:+$2} ${3:+$3} ${4:+$4} &
    server_pid=$!
    local tries=0
    while [ ! -s "$scratch/port" ]; do
        sleep 0.02
        tries=$((tries + 1))
        [ $tries -gt 250 ] && { echo "the loopback server did not start"; exit 1; }
    done
    port=$(<"$scratch/port")
    export CHORUS_ANTHROPIC_BASE_URL=http://127.0.0.1:$port CHORUS_OPENAI_BASE_URL=http://127.0.0.1:$port/v1
    export CHORUS_OPENAI_CHAT_BASE_URL=http://127.0.0.1:$port/v1 ANTHROPIC_API_KEY=sk-test-0123456789abcdef
    export OPENAI_API_KEY=sk-test-0123456789abcdef
}
stop_server() {
    [ -n "$server_pid" ] && kill "$server_pid" 2>/dev/null && wait "$server_pid" 2>/dev/null
    server_pid=''
    unset CHORUS_ANTHROPIC_BASE_URL CHORUS_OPENAI_BASE_URL CHORUS_OPENAI_CHAT_BASE_URL ANTHROPIC_API_KEY OPENAI_API_KEY
}
trap 'stop_server; rm -rf "$base"' EXIT
