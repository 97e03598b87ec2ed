#!/usr/bin/env bash
# needs: time
# A whole turn and the next one over each protocol, with the stream cut in every way a network may cut it.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"

prompt=$'Grüße 👋 "quoted" back\\slash\nand a second line'
final=$'Done ✅ “größe”: \\n is two characters, this is one:\nline two 👩‍👩‍👧 tab\there'
script_text=$'#!/bin/sh\n# ünï "q" \\ 🎉\nprintf \'%s\\n\' "from the shell ☕" >made.txt\nprintf \'out ☕\\n\'\nexit 3\n'
commit_message=$'Add hello 🎈\n\nA body, too.'

# Five answers with eight calls of seven tools, then the final text.
script() { # CHUNK
    jq -nc --argjson chunk "$1" --arg final "$final" --arg text "$script_text" --arg message "$commit_message" '
        def usage: {input: 100, output: 7, cache_read: 60, cache_write: 0};
        [
          {thinking: "Zuerst lesen 🤔\n\"so\" \\o/", signature: "c2lnLTE+/w==", text: "I look first. 👀 \"x\" \\",
           tool_calls: [{id: "c1", name: "view", arguments: {path: "notes.md"}},
                        {id: "c2", name: "list_files", arguments: {}}]},
          {thinking: "write", signature: "c2lnLTI=", text: "",
           tool_calls: [{id: "c3", name: "create_file", arguments: {path: "hello.sh", content: $text}}]},
          {text: "Now an edit.",
           tool_calls: [{id: "c4", name: "str_replace",
                         arguments: {path: "hello.sh", old_str: "# ünï \"q\" \\ 🎉", new_str: "# 漢字 \"q\" \\u0041 🧵"}}]},
          {thinking: "run", signature: "c2lnLTQ=",
           tool_calls: [{id: "c5", name: "bash", arguments: {command: "sh hello.sh && echo no || echo \"was $?\""}}]},
          {tool_calls: [{id: "c6", name: "git_commit", arguments: {message: $message}},
                        {id: "c7", name: "search_files", arguments: {pattern: "漢字"}},
                        {id: "c8", name: "view", arguments: {path: "gone.txt"}}]},
          {thinking: "finish 🏁", signature: "c2lnLTY=", text: $final},
          {text: "A second answer."}
        ] | {answers: map({say: (. + {usage: usage}), chunk: $chunk}), after: "error"}'
}

# The conversation of a request, in one form for all protocols: role and id of calls and results in order.
conversation() { # PROTOCOL FILE
    case $1 in
    anthropic) jq -r '.messages[] | .role as $role | .content[] |
        if .type == "tool_use" then "call \(.id)" elif .type == "tool_result" then "result \(.tool_use_id)"
        elif .type == "text" then $role else empty end' "$2" ;;
    openai) jq -r '.input[] | if .type == "function_call" then "call \(.call_id)"
        elif .type == "function_call_output" then "result \(.call_id)"
        elif .type == "reasoning" then empty else .role end' "$2" ;;
    gemini) jq -r '.contents[] | .role as $role | .parts[] |
        if .functionCall then "call \(.functionCall.id)" elif .functionResponse then "result \(.functionResponse.id)"
        elif (.text // "") == "" then empty elif $role == "model" then "assistant" else $role end' "$2" ;;
    *) jq -r '.messages[] | if .role == "tool" then "result \(.tool_call_id)" elif .role == "assistant"
        then (if (.content // "") != "" then "assistant" else empty end), (.tool_calls // [] | .[] | "call \(.id)")
        elif .role == "user" then "user" else empty end' "$2" ;;
    esac
}
with_first_words() { # what all but the very first request begin with
    printf '%s\n' user assistant 'call c1' 'call c2' 'result c1' 'result c2' "$@"
}

check_tools() { # PROTOCOL FILE
    local tools='.tools | map({name, schema: .input_schema, description})'
    [ "$1" = openai ] && tools='.tools | map({name, schema: .parameters, description})'
    [ "$1" = gemini ] && tools='.tools[0].functionDeclarations | map({name, schema: .parametersJsonSchema, description})'
    [[ $1 == @(openai-chat|deepseek|ollama) ]] &&
        tools='.tools | map(.function | {name, schema: .parameters, description})'
    expect_equal "$(jq -r "$tools | map(select(.schema.type != \"object\" or (.schema.properties | type) != \"object\"
        or (.description | length) < 10 or (.name | test(\"^[a-zA-Z0-9_-]{1,64}\$\") | not))) | length" "$2")" 0
    expect_equal "$(jq -r "$tools | map(.name) | (length > 10) and (unique | length) == length" "$2")" true
    expect_equal "$(jq -rc "$tools | map(select(.name == \"str_replace\"))[0].schema.required | sort" "$2")" \
        '["new_str","old_str","path"]'
}
system_of() { # PROTOCOL FILE
    case $1 in
    anthropic) jq -r '.system[].text' "$2" ;;
    openai) jq -r .instructions "$2" ;;
    gemini) jq -r '.systemInstruction.parts[].text' "$2" ;;
    *) jq -r '.messages[0] | select(.role == "system" or .role == "developer").content' "$2" ;;
    esac
}
check_system() { # PROTOCOL FILE: prompt, then docs, before any message
    local text
    text=$(system_of "$1" "$2")
    expect_match "$text" '^You are SYSTEM ünï\.'
    expect_match "$text" 'SYSTEM.*DOCS-MARK 🎈'
    expect_no_match "$text" 'Grüße'
}
check_thinking() { # PROTOCOL: thoughts go back as they came, before what they led to
    case $1 in
    anthropic)
        expect_equal "$(jq -c '[.messages[].content[] | select(.type == "thinking") | [.thinking, .signature]]' "$(request 6)")" \
            '[["Zuerst lesen 🤔\n\"so\" \\o/","c2lnLTE+/w=="],["write","c2lnLTI="],["run","c2lnLTQ="]]'
        expect_equal "$(jq -c '.messages[1].content | map(.type)' "$(request 2)")" '["thinking","text","tool_use","tool_use"]'
        ;;
    openai)
        expect_equal "$(jq -c '[.input[] | select(.type == "reasoning") | [.id, .encrypted_content, .summary[0].text]]' "$(request 6)")" \
            '[["rs_1","c2lnLTE+/w==","Zuerst lesen 🤔\n\"so\" \\o/"],["rs_2","c2lnLTI=","write"],["rs_4","c2lnLTQ=","run"]]'
        expect_equal "$(jq -c '[.input[] | .type // "message"][1:5]' "$(request 2)")" \
            '["reasoning","message","function_call","function_call"]'
        expect_equal "$(jq -r '.input[2] | "\(.id) \(.phase) \(.status)"' "$(request 2)")" 'msg_1 commentary completed'
        expect_equal "$(jq -c '[.store, .include]' "$(request 1)")" '[false,["reasoning.encrypted_content"]]'
        ;;
    gemini)
        expect_equal "$(jq -c '[.contents[].parts[] | select(.thoughtSignature) | [.functionCall.id // .text, .thoughtSignature]]' "$(request 6)")" \
            '[["c1","c2lnLTE+/w=="],["c3","c2lnLTI="],["c5","c2lnLTQ="]]'
        expect_equal "$(jq -c '[.contents[].parts[] | select(.thought)] | length' "$(request 6)")" 0
        expect_equal "$(jq -c '.generationConfig.thinkingConfig.includeThoughts' "$(request 1)")" true
        ;;
    ollama)
        expect_equal "$(jq -c '[.messages[] | select(.role == "assistant") | .thinking]' "$(request 6)")" \
            '["Zuerst lesen 🤔\n\"so\" \\o/","write",null,"run",null]'
        expect_equal "$(jq -c '[.options.num_ctx, .truncate, .shift]' "$(request 1)")" '[32768,false,false]'
        expect_equal "$(jq -r '.messages[] | select(.role == "tool") | .tool_name' "$(request 6)" | paste -sd' ')" \
            'view list_files create_file str_replace bash git_commit search_files view'
        ;;
    deepseek)
        expect_equal "$(jq -c '[.messages[] | select(.role == "assistant") | .reasoning_content]' "$(request 6)")" \
            '["Zuerst lesen 🤔\n\"so\" \\o/","write","","run",""]'
        ;;
    *)
        # OpenAI's own Chat Completions takes no thoughts back
        expect_equal "$(jq -c '[.messages[] | select(.role == "assistant") | has("reasoning_content")] | any' "$(request 6)")" false
        ;;
    esac
}
check_cache_marks() { # FILE: on prompt, documents, last block and that of the request before, nowhere else
    local answers
    answers=$(jq '[.messages[] | select(.role == "assistant")] | length' "$1")
    expect_equal "$(jq -c '[paths(type == "object" and has("cache_control"))] | length' "$1")" $((answers > 0 ? 4 : 3))
    expect_equal "$(jq -c '[.system[].cache_control.type, .messages[-1].content[-1].cache_control.type]' "$1")" '["ephemeral","ephemeral","ephemeral"]'
    [ "$answers" = 0 ] || expect_equal "$(jq -r '.messages[-3].content[-1].cache_control.type' "$1")" ephemeral
}
check_head() { # PROTOCOL FILE
    case $1 in
    anthropic)
        expect_match "$(cat "$2")" '^POST /v1/messages '
        expect_match "$(cat "$2")" $'x-api-key: sk-test-0123456789abcdef\r?\n'
        expect_match "$(cat "$2")" 'anthropic-version: 20'
        ;;
    openai) expect_match "$(cat "$2")" '^POST /v1/responses ' ;;
    gemini)
        expect_match "$(cat "$2")" '^POST /v1beta/models/model-1:streamGenerateContent[?]alt=sse '
        expect_match "$(cat "$2")" $'x-goog-api-key: sk-test-0123456789abcdef\r?\n'
        ;;
    ollama) expect_match "$(cat "$2")" '^POST /api/chat ' ;;
    *) expect_match "$(cat "$2")" '^POST /v1/chat/completions ' ;;
    esac
    [[ $1 == @(anthropic|gemini) ]] || expect_match "$(cat "$2")" $'[Aa]uthorization: Bearer sk-test-0123456789abcdef\r?\n'
}
# The next request must repeat the one before byte for byte, cache marks apart: then a cache can hold it.
without_marks() { sed -e 's/,"cache_control":{"type":"ephemeral"}//g' "$1"; }
check_prefix() { # OLD NEW
    local old new
    old=$(without_marks "$1") new=$(without_marks "$2")
    old=${old%']}'}
    [ "${new:0:${#old}}" = "$old" ] || fail "the request of the next call does not begin with the one before"
    [ "${#new}" -gt "${#old}" ] || fail "nothing was added"
}

for protocol in anthropic openai openai-chat gemini deepseek ollama; do
    chunks='"whole" 1 "utf8"'
    [[ $protocol == @(deepseek|ollama) ]] && chunks='"utf8"'
    cached=60
    [ $protocol = ollama ] && cached=0 # it does not say
    for chunk in $chunks; do
        test_case "$protocol, chunk $chunk: a turn with seven tools" # C-02 C-04 C-11 C-20 C-21 C-22 A-41 L-15 L-22
        model=$protocol/model-1
        init a --model $model --system-prompt 'You are SYSTEM ünï.' --permissions sandboxed
        dir=$CHORUS_HOME/agents/a
        echo 'DOCS-MARK 🎈' >"$dir/docs/zz.md"
        printf 'a note ☂\nand more\n' >"$dir/workspace/notes.md"
        start_server "$(script "$chunk")"
        export CHORUS_GEMINI_BASE_URL=http://127.0.0.1:$port GEMINI_API_KEY=sk-test-0123456789abcdef
        export CHORUS_DEEPSEEK_BASE_URL=http://127.0.0.1:$port/v1 DEEPSEEK_API_KEY=sk-test-0123456789abcdef
        export CHORUS_OLLAMA_BASE_URL=http://127.0.0.1:$port OLLAMA_API_KEY=sk-test-0123456789abcdef
        before=$(date +%s%3N)
        run chorus-run a -p "$prompt"
        expect_status 0
        expect_equal "$out" "$final"
        expect_equal "$err" ''
        expect_equal "$(request_count)" 6

        # what was said and done is on record
        expect_db "SELECT group_concat(role, ' ') FROM (SELECT role FROM messages ORDER BY id)" \
            'user assistant tool_result tool_result assistant tool_result assistant tool_result assistant tool_result assistant tool_result tool_result tool_result assistant'
        expect_db "SELECT count(*) FROM messages WHERE agent_id = 1 AND thread_id = 1 AND turn_id = 1 AND timestamp BETWEEN $before AND $(date +%s%3N)" 15
        expect_db "SELECT content FROM messages WHERE role = 'user'" "$prompt"
        expect_db "SELECT content FROM messages ORDER BY id DESC LIMIT 1" "$final"
        expect_db "SELECT content FROM messages WHERE role = 'assistant' ORDER BY id LIMIT 1" 'I look first. 👀 "x" \'
        expect_match "$(db "SELECT content FROM messages WHERE tool_call_id = 'c1'")" 'a note ☂'
        expect_match "$(db "SELECT content FROM messages WHERE tool_call_id = 'c2'")" 'notes\.md'
        expect_match "$(db "SELECT content FROM messages WHERE tool_call_id = 'c5'")" 'out ☕.*was 3'
        expect_match "$(db "SELECT content FROM messages WHERE tool_call_id = 'c8'")" 'gone\.txt'
        expect_db "SELECT json_extract(tool_calls, '\$[0].arguments') ->> 'content' FROM messages WHERE tool_calls LIKE '%\"c3\"%'" "${script_text%$'\n'}"
        expect_db "SELECT group_concat(tool_call_id || ' ' || tool || ' ' || decision || ' ' || outcome || ' ' || (intent_at <= finished_at), ', ')
                   FROM (SELECT * FROM tool_runs ORDER BY position)" \
            'c1 view allow ok 1, c2 list_files allow ok 1, c3 create_file allow ok 1, c4 str_replace allow ok 1, c5 bash allow ok 1, c6 git_commit allow ok 1, c7 search_files allow ok 1, c8 view allow error 1'
        expect_db "SELECT group_concat(action_string, ' | ') FROM (SELECT * FROM audit_log ORDER BY id)" \
            'tool:view:notes.md | tool:list_files:. | tool:create_file:hello.sh | tool:str_replace:hello.sh | tool:bash:sh hello.sh && echo no || echo "was $?" | tool:git:commit | tool:search_files:. | tool:view:gone.txt'
        expect_db "SELECT DISTINCT decision || ' ' || user_id || ' ' || agent_name || ' ' || turn_id FROM audit_log" "allow $(id -u) a 1"
        expect_db "SELECT state || ' ' || exit_code || ' ' || iterations || ' ' || tool_calls || ' ' || turn_number || ' ' || attempt || ' ' || model
                   || ' ' || profile || ' ' || (ended_at >= started_at) FROM turns" "idle 0 6 8 1 1 $model sandboxed 1"
        expect_db "SELECT input_tokens || ' ' || output_tokens || ' ' || cache_read_tokens FROM turns" "600 42 $((6 * cached))"
        expect_db "SELECT turn_count || ' ' || (last_activity >= $before) FROM agents" '1 1'
        expect_db "SELECT group_concat(next, ' ') FROM (SELECT next FROM events WHERE kind = 'turn' ORDER BY id)" 'working idle'
        expect_sound

        # and in the workspace, its history and the transcript
        expect_equal "$(sed -n 2p "$dir/workspace/hello.sh")" '# 漢字 "q" \u0041 🧵'
        expect_file "$dir/workspace/made.txt" 'from the shell ☕'
        expect_equal "$(git -C "$dir/workspace" log -1 --format=%B)" "$commit_message"
        expect_equal "$(git -C "$dir/workspace" log -1 --format=%an)" a
        expect_equal "$(git -C "$dir/workspace" status --porcelain)" ''
        expect_db "SELECT commit_before || ' ' || commit_after FROM turns" "$(git -C "$dir/workspace" rev-parse HEAD~1 HEAD | tr '\n' ' ' | sed 's/ $//')"
        git -C "$dir/workspace" fsck --strict >"$scratch/fsck" 2>&1 || fail "git fsck: $(cat "$scratch/fsck")"
        transcript=$(cat "$dir/branches/main/session.md")
        for part in 'Grüße 👋 "quoted" back\slash' 'I look first. 👀' 'Call c5: bash' 'was 3' '漢字' 'line two 👩‍👩‍👧'; do
            [[ $transcript == *"${part//👩‍👩‍👧/}"* ]] || fail "the transcript lacks $part"
        done
        expect_equal "$(grep -c '^<!-- message [1-9][0-9]* ' "$dir/branches/main/session.md")" 15

        # what the server was asked
        for n in 1 2 3 4 5 6; do
            check_head $protocol "$scratch/log/000$n.head"
            check_tools $protocol "$(request $n)"
            check_system $protocol "$(request $n)"
            [ $protocol = gemini ] || # in its path
                expect_equal "$(jq -r '.model + " " + (.stream | tostring)' "$(request $n)")" 'model-1 true'
            expect_equal "$(grep -c 'sk-test-0123' "$(request $n)")" 0
            [ $protocol = anthropic ] && check_cache_marks "$(request $n)"
            [ $n -gt 1 ] && check_prefix "$(request $((n - 1)))" "$(request $n)"
        done
        check_thinking $protocol
        expect_equal "$(conversation $protocol "$(request 1)")" user
        expect_equal "$(conversation $protocol "$(request 6)")" \
            "$(with_first_words 'call c3' 'result c3' assistant 'call c4' 'result c4' 'call c5' 'result c5' \
                'call c6' 'call c7' 'call c8' 'result c6' 'result c7' 'result c8')"

        # the next process begins where this one ended: L-24 L-58 A-43 A-45 C-48
        run chorus-run a -p 'And again?' --json
        expect_status 0
        expect_json '"\(.turn) \(.state) \(.text) \(.exit_code) \(.iterations) \(.tool_calls)"' '2 completed A second answer. 0 1 0'
        expect_json '"\(.usage.input_tokens) \(.usage.output_tokens) \(.usage.cache_read_tokens)"' "100 7 $cached"
        check_prefix "$(request 6)" "$(request 7)"
        expect_equal "$(conversation $protocol "$(request 7)" | tail -2)" $'assistant\nuser'
        expect_db "SELECT turn_count FROM agents" 2
        expect_sound
        unset CHORUS_DEEPSEEK_BASE_URL DEEPSEEK_API_KEY CHORUS_OLLAMA_BASE_URL OLLAMA_API_KEY
    done
done

end_tests
