# Helpers of the tests of sub-agents. Read after lib.sh and turns.sh.

preset() { # NAME [FRONT MATTER LINES]
    mkdir -p "$CHORUS_HOME/presets"
    printf -- '---\nmodel: builtin/script\n%s\n---\nYou are %s.\n' "${2:-}" "$1" >"$CHORUS_HOME/presets/$1.md"
}
parent() { # [OPTIONS]: agent a with files in its workspace
    init a --model builtin/script --permissions sandboxed "$@"
    work=$CHORUS_HOME/agents/a/workspace
    mkdir -p "$work/src/gen" "$work/lib"
    for file in src/a src/gen/b src/.env lib/c .env top; do echo "text of $file" >"$work/$file"; done
    ln -s ../lib/c "$work/src/to-lib"
}
spawn() { # PRESET PROMPT [OPTIONS]: and the child's id and directory
    local name=$1 prompt=$2
    shift 2
    run chorus-run a --spawn "$name" "$@" -p "$prompt"
    child=$(of_child name)
    dir=$CHORUS_HOME/$(of_child dir)
}
of_child() { db "SELECT $1 FROM agents WHERE kind = 'child' ORDER BY id DESC LIMIT 1"; } # COLUMN, of the newest
children() { db "SELECT count(*) FROM agents WHERE kind = 'child' AND status <> 'destroyed'"; }
nothing_made() {
    expect_equal "$(children)" 0
    expect_missing "$CHORUS_HOME/agents/a/branches/main/agents"
    expect_equal "$(find "$CHORUS_HOME/agents" -name '.tmp-*' | wc -l)" 0
}
parent_with() { # ANSWER...: agent a whose model is the server's
    parent
    agent_key a model '"anthropic/m"'
    agent_key a permissions '"open"'
    start_server "$(answers "$@")"
}
spawn_call() { # ID PROMPT [MORE JSON]: an answer that spawns a helper
    call "$1" spawn_agent "$(jq -nc --arg prompt "$2" --argjson more "${3:-{\}}" '{preset: "helper", description: "look around", prompt: $prompt} + $more')"
}
results() { db "SELECT content FROM messages WHERE agent_id = 1 AND role = 'tool_result' ORDER BY id"; }
