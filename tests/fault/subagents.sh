#!/usr/bin/env bash
# SIGKILL at sampled system calls of a turn that spawns sub-agents, and of the turns of these; and again while --resume
# goes on with them. Whoever dies: no call is done twice, and each sub-agent gives one result.
#
#   subagents.sh [KILLS [SUB-AGENTS [CALLS]]]    until so many processes were killed; 150, 2 and 3
set -u
kills=${1:-150} width=${2:-2} calls=${3:-3}
lanes=2 most_seconds=$((60 + kills * 2))
export PATH=$CHORUS_BIN:$CHORUS_TEST_BIN:$PATH
unset "${!CHORUS_@}"
base=$(mktemp -d) || exit 1
# Its process group is that of ctest: it stops the lanes by their pids.
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$base"' EXIT
trap 'exit 1' TERM INT
names=(fdatasync fdatasync pwrite64 pwrite64 pread64 openat write read close fcntl rename renameat2 mkdir unlink newfstatat wait4 clone3 clone futex poll)

sum() { cat "$base"/*/killed 2>/dev/null | awk '{ all += $1 } END { print all + 0 }'; }

# Runs the command, in which a process is killed at a system call, or at a time. Returns whether one was.
run_with_kill() { # COMMAND...
    local before=$killed started victims
    name=${names[RANDOM % ${#names[@]}]} k=$((1 + RANDOM % 12))
    case $name in pwrite64 | pread64 | openat | fcntl | close | newfstatat | read) k=$((1 + RANDOM % 70)) ;; esac
    if ((RANDOM % 2)); then
        { timeout 200 strace -f -q -o "$dir/trace" -e trace="$name" -e "inject=$name:signal=KILL:when=$k" \
            "$@" >"$dir/out" 2>"$dir/err" </dev/null; } 2>/dev/null
        killed=$((killed + $(grep -c 'killed by SIGKILL' "$dir/trace")))
    else
        name=any k=$((RANDOM % 25))
        setsid "$@" >"$dir/out" 2>"$dir/err" </dev/null &
        started=$!
        sleep "0.$(printf '%03d' $((k * 8)))"
        mapfile -t victims < <(pgrep -s $started)
        [ ${#victims[@]} = 0 ] || { kill -9 "${victims[RANDOM % ${#victims[@]}]}" 2>/dev/null && killed=$((killed + 1)); }
        wait $started 2>/dev/null
    fi
    echo $killed >"$dir/killed"
    [ $killed -gt $before ]
}

# A lane has a home of its own, and leaves in its directory the number of kills and what is wrong.
lane() { # NUMBER
    local dir=$base/$1 db round=0 killed=0 finished=0 token name k status turn
    RANDOM=$((4711 + $1))
    export CHORUS_HOME=$dir/home
    db=$CHORUS_HOME/chorus.db
    mkdir -p "$dir"
    sql() { sqlite3 -cmd '.timeout 20000' "$db" "$1"; }
    wrong() { echo "lane $lane_number, round $round ($name:when=$k): $1" >>"$dir/wrong"; }
    expect() { [ "$2" = "$3" ] || wrong "$1: expected '$3', got '$2'"; }
    lane_number=$1
    chorus-init a --model anthropic/m --permissions open >/dev/null 2>&1 || { wrong 'no agent'; return; }
    mkdir -p "$CHORUS_HOME/presets" "$CHORUS_HOME/agents/a/workspace/out"
    printf -- '---\nmodel: builtin/script\npaths:\n  write: ["out/**"]\n---\nHelp.\n' >"$CHORUS_HOME/presets/helper.md"
    while [ "$(sum)" -lt "$kills" ]; do
        [ $SECONDS -lt $most_seconds ] || return
        round=$((round + 1)) token=r$round
        local spawns='' i j child
        for i in $(seq "$width"); do
            child=''
            for j in $(seq "$calls"); do
                child+="/append_file {\"path\": \"out/$token-$i-$j\", \"content\": \"once\\n\"}"$'\n'
            done
            spawns+=$(jq -nc --arg id "$token-$i" --arg prompt "$child" --arg what "$token $i" \
                '{id: $id, name: "spawn_agent", arguments: {preset: "helper", description: $what, prompt: $prompt}}')
        done
        # what is old only takes time
        ((round % 10)) || { chorus-context clear a && chorus-destroy a --subagents-older-than 0s --yes; rm -f "$base"/log/* "$CHORUS_HOME"/agents/a/workspace/out/*; } >"$dir/cleared"
        # the server answers with the calls that the prompt is
        run_with_kill chorus-run a "$(jq -sc '{tool_calls: .}' <<<"$spawns")"
        turn=$(sql "SELECT max(turn_id) FROM messages WHERE agent_id = 1 AND role = 'user' AND content LIKE '%\"$token-1\"%'")
        # killed before the prompt was recorded: nothing is to be done about it
        [ -n "$turn" ] || continue
        for again in 1 2 3; do
            ((RANDOM % 2)) && run_with_kill chorus-run a --resume --wait || break
        done
        timeout 200 chorus-run a --resume --wait >"$dir/out" 2>"$dir/err" </dev/null
        status=$?
        # of each call: its outcome, sub-agents, their turns and how many have ended, prompts and results
        counts=$(sql "SELECT outcome, count(DISTINCT below.id), (SELECT count(*) || ' ' || ifnull(sum(ended_at IS NOT NULL), 0) FROM turns WHERE agent_id = below.id),
            (SELECT count(*) FROM messages WHERE agent_id = below.id AND role = 'user'), (SELECT count(*) FROM messages WHERE agent_id = below.id AND role = 'tool_result'),
            substr(ifnull(below.description, '-'), -1)
            FROM tool_runs LEFT JOIN agents AS below ON parent_turn = turn_id AND parent_call = tool_call_id AND status = 'active'
            WHERE turn_id = $turn GROUP BY tool_call_id")
        expect 'state and results' "$(sql "SELECT state, (SELECT count(*) || ' ' || count(DISTINCT tool_call_id) FROM messages WHERE turn_id = $turn AND role = 'tool_result') FROM turns WHERE id = $turn") ($status; $(tail -c 300 "$dir/err"))" \
            "idle|$width $width ($status; $(tail -c 300 "$dir/err"))"
        expect 'calls' "$(wc -l <<<"$counts")" "$width"
        while IFS='|' read -r outcome below turns prompts results which; do
            written=$(cd "$CHORUS_HOME/agents/a/workspace/out" && cat "$token-$which"-* 2>/dev/null | wc -l)
            files=$(find "$CHORUS_HOME/agents/a/workspace/out" -name "$token-$which-*" | wc -l)
            if [ "$outcome" = ok ]; then
                finished=$((finished + 1))
                expect "$counts: a finished one" "$below $turns $prompts $results $files $written" "1 1 1 1 $calls $calls $calls"
            else
                [ "$below" -le 1 ] && [ "$prompts" -le 1 ] && [ "${turns% *}" -le 1 ] && [ "$written" -le "$files" ] ||
                    wrong "$counts: $outcome, $files files with $written lines"
            fi
        done <<<"$counts"
        expect 'left behind' "$(find "$CHORUS_HOME" -name '.tmp-*' -o -name '*.tmp' | head -3)" ''
        [ ! -s "$dir/wrong" ] || [ "$(wc -l <"$dir/wrong")" -lt 20 ] || return
    done
    chorus-config doctor >"$dir/doctor" 2>&1 || wrong "doctor: $(head -c 400 "$dir/doctor")"
    chorus-context verify >"$dir/verify" 2>&1 || wrong "verify: $(head -c 400 "$dir/verify")"
    # most come to their end all the same
    [ $((finished * 2)) -gt $((round * width)) ] || wrong "only $finished of $((round * width)) sub-agents have finished"
}

for command in strace sqlite3 jq; do
    command -v $command >/dev/null || { echo "$command is missing"; exit 1; }
done
mkdir "$base/log"
echo '{"answers": [{"say": "prompt"}], "after": "repeat-last"}' >"$base/script.json"
loopback --script "$base/script.json" --log "$base/log" --port-file "$base/port" &
until [ -s "$base/port" ]; do sleep 0.05; done
export CHORUS_ANTHROPIC_BASE_URL=http://127.0.0.1:$(<"$base/port") ANTHROPIC_API_KEY=sk-test-0123456789abcdef
for number in $(seq $lanes); do lane "$number" & pids[number]=$!; done
for number in $(seq $lanes); do wait "${pids[number]}"; done
killed=$(sum)
cat "$base"/*/wrong 2>/dev/null | head -30
echo "$killed processes killed in $SECONDS s"
if [ -s "$base/1/wrong" ] || [ -s "$base/2/wrong" ] || [ "$killed" -lt "$kills" ]; then exit 1; fi
exit 0
