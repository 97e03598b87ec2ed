# Sourced by the tests of chorus-run, after lib.sh: what they ask of every turn, in the words of the
# specification: one result for each call, one final event, an exit status that the JSON repeats.

init() { # NAME [OPTIONS]: an agent, or the test is at its end
    chorus-init "$@" >"$scratch/out" 2>"$scratch/err" </dev/null || fail "chorus-init $*: $(cat "$scratch/err")"
}
# What is called thousands of times does without jq, which takes ten times as long to start as sqlite3.
in_sql() { printf "'%s'" "${1//\'/\'\'}"; }
say() { # TEXT: an answer of the loopback server
    sqlite3 :memory: "SELECT json_object('say', json_object('text', $(in_sql "$1")))"
}
call() { # ID TOOL ARGUMENTS: an answer that is one call
    sqlite3 :memory: "SELECT json_object('say', json_object('tool_calls', json_array(json_object(
        'id', $(in_sql "$1"), 'name', $(in_sql "$2"), 'arguments', json($(in_sql "$3"))))))"
}
answers() { # ANSWER …: a script of them, the last one for ever
    local IFS=,
    printf '{"answers":[%s],"after":"repeat-last"}' "$*"
}
request() { printf '%s/log/%04d.json' "$scratch" "$1"; } # N: the body of the server's n-th request
request_count() { find "$scratch/log" -name '*.json' | wc -l; }
long_text=$(printf 'word%d ' {1..400})
broken_off() { # a stream that stops for ever in the middle of its text
    jq -nc --arg text "$long_text" '{say: {text: $text}, cut_after_bytes: 2500, stall: true}'
}
agent_of() { # MODEL [OPTIONS]: agent a, few retries
    init a --model "$@"
    home_key max_retries 1
}
start_all_protocols() { # ANSWER …: one server at the base URLs of all five
    start_server "$(answers "$@")"
    export CHORUS_GEMINI_BASE_URL=http://127.0.0.1:$port GEMINI_API_KEY=sk-test-0123456789abcdef
    export CHORUS_OLLAMA_BASE_URL=http://127.0.0.1:$port OLLAMA_API_KEY=sk-test-0123456789abcdef
}
# After a turn that failed: its message is there, and the next one works on a history that a provider takes.
goes_on() { # COUNT of user messages so far [COUNT of those in the window]
    expect_db "SELECT count(*) FROM messages WHERE role = 'user' AND content LIKE 'say it%'" "$1"
    start_server "$(answers "$(say 'Here I am again.')")"
    run chorus-run a -m anthropic/m 'say it again'
    expect_status 0
    expect_equal "$out" 'Here I am again.'
    expect_acceptable "$(request 1)"
    expect_equal "$(jq '[.messages[] | select(.role == "user").content[] | select(.type == "text" and (.text | startswith("say it")))] | length' "$(request 1)")" $((${2-$1} + 1))
    expect_sound
}
nothing_recorded() {
    expect_db 'SELECT count(*) FROM messages' 0
    expect_db 'SELECT count(*) FROM turns' 0
}
set_key() { # FILE KEY JSON: one member of a configuration
    sqlite3 :memory: "SELECT json_set(CAST(readfile($(in_sql "$1")) AS TEXT), '\$.\"$2\"', json($(in_sql "$3")))" >"$1.new" &&
        cat "$1.new" >"$1" && rm "$1.new"
}
edit_agent_key() { set_key "$CHORUS_HOME/agents/$1/agent.json" "$2" "$3"; } # NAME KEY JSON: by whom it may be
agent_key() { # NAME KEY JSON: by a person, so that it is in force
    edit_agent_key "$@"
    case $2 in budget | channel_id | environment | permissions | sandbox) trusted "$1" ;; esac
}
room_of() { # NAME TOKENS [half]: as context_tokens, but for messages alone; half: the server counts little
    local opening
    opening=$(chorus-run "$1" -m anthropic/m --dry-run x | jq '[.system[].text, (.tools[] | .name + .description + (.input_schema | tojson))] | join("") | utf8bytelength / 4 | floor')
    agent_key "$1" context_tokens $(($2 + opening * 5 / (${3:+2 *} 4) + 1))
}
trusted() { # NAME: what its agent.json says now
    local said
    said=$(chorus-config trust "$1" --yes 2>&1 </dev/null) || fail "chorus-config trust: $said"
}
home_key() { # KEY JSON
    [ -s "$CHORUS_HOME/config.json" ] || echo '{}' >"$CHORUS_HOME/config.json"
    set_key "$CHORUS_HOME/config.json" "$1" "$2"
}
wait_for() { # SECONDS COMMAND …: until it succeeds
    local ticks=$(($1 * 20))
    shift
    until "$@" >/dev/null 2>&1; do
        ticks=$((ticks - 1))
        [ "$ticks" -gt 0 ] || return 1
        sleep 0.05
    done
}
running() { # TEXT: whether a process has it in its command line
    local all
    all=$(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ')
    [[ $all == *"$1"* ]]
}
in_db() { [ "$(sqlite3 -cmd '.timeout 10000' "$CHORUS_HOME/chorus.db" "$1" 2>/dev/null)" = "$2" ]; } # SQL VALUE
open_calls() { # calls whose results are not exactly one, but for those that a restore has passed, and results without a call
    db "SELECT count(*) FROM messages m, json_each(m.tool_calls) c WHERE NOT (m.restored_from IS NULL AND EXISTS (SELECT 1
          FROM messages b WHERE b.agent_id = m.agent_id AND b.thread_id = m.thread_id AND b.id > m.id AND b.restored_from NOT GLOB 'import:*'))
          AND 1 <> (SELECT count(*) FROM messages r
          WHERE r.role = 'tool_result' AND r.turn_id IS m.turn_id AND r.thread_id = m.thread_id AND r.tool_call_id = c.value ->> 'id')"
    db "SELECT count(*) FROM messages r WHERE r.role = 'tool_result' AND NOT EXISTS (SELECT 1
          FROM messages m, json_each(m.tool_calls) c WHERE m.turn_id IS r.turn_id AND m.thread_id = r.thread_id AND c.value ->> 'id' = r.tool_call_id)"
}
expect_sound() { # what must hold after every turn that ended
    expect_equal "$(open_calls | tr '\n' ' ')" '0 0 '
    expect_db 'PRAGMA integrity_check' ok
    expect_db 'PRAGMA foreign_key_check' ''
    expect_db "SELECT count(*) FROM turns WHERE pid IS NOT NULL AND ended_at IS NOT NULL" 0
}
errors_in() { grep -c '^chorus-run: error: ' <<<"$1"; }
expect_one_error() { # REGEX, of stderr
    expect_equal "$(errors_in "$err")" 1
    expect_match "$(grep '^chorus-run: error: ' <<<"$err")" "$1"
    expect_no_match "$err" 'internal|terminate called|what\(\)'
}

# expect_events: stdout is a stream of events, and the only final one is its last line (json/schema has the rest)
expect_events() {
    local got
    got=$(jq -rs '[(.[] | select(.schema != "chorus.event/1") | "no event: \(.)"),
        (if (map(select(.final == true)) | length) == 1 then empty else "not one final event" end),
        (if .[-1].final == true then empty else "the last event is not final" end)] | .[]' "$scratch/out" 2>&1)
    [ -z "$got" ] || fail "events: ${got:0:600}"
}

# expect_acceptable FILE: a request to anthropic that the provider would take: turns are taken, the user's
# first and last, and each call is answered in the very next message
expect_acceptable() {
    expect_equal "$(jq -c '.messages as $all | ($all | length) as $count
        | [($all[0].role == "user"), ($all[-1].role == "user"),
           all(range(1; $count); $all[.].role != $all[. - 1].role),
           all($all[].content; length > 0 and all(.[]; .type != "text" or .text != "")),
           all(range(0; $count); . as $i
               | ([$all[$i].content[] | select(.type == "tool_use").id] | sort)
                 == ([($all[$i + 1].content // [])[] | select(.type == "tool_result").tool_use_id] | sort))]
        | all' "$1")" true
}

# fails_alike STATUS CODE STATE REGEX COMMAND …: in text, json and stream-json the same status, one error
# line, and the same words in JSON. between() is run before the second and third.
between() { :; }
fails_alike() {
    local wanted=$1 code=$2 state=$3 regex=$4
    shift 4
    run "$@"
    expect_status "$wanted"
    expect_one_error "$regex"
    expect_equal "$(grep -c '"schema"' <<<"$out")" 0
    between
    run "$@" --json
    expect_status "$wanted"
    expect_one_error "$regex"
    expect_equal "$(wc -l <"$scratch/out")" 1
    local said
    said=$(jq -r '"\(.exit_code) \(.error.code) \(.state)", .error.message' <<<"$out")
    expect_equal "${said%%$'\n'*}" "$wanted $code $state"
    expect_match "${said#*$'\n'}" "$regex"
    between
    run "$@" --output-format stream-json
    expect_status "$wanted"
    expect_one_error "$regex"
    expect_events
    said=$(tail -1 "$scratch/out" | jq -r '.status | .state, .message')
    expect_equal "${said%%$'\n'*}" "$state"
    expect_match "${said#*$'\n'}" "$regex"
}
