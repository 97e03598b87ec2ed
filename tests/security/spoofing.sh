#!/usr/bin/env bash
# tests/security/spoofing.txt: each text at every place where one that is not ours can stand. The lines
# around it, the transcript's entries, the rows of the audit log, the question and the frames of a request must
# be those of a plain text, and nothing that steers or hides may reach terminal, stderr or transcript.
#
#   spoofing.sh [TEXT]    only lines that hold TEXT
[ -d /dev/shm ] && export TMPDIR=/dev/shm # what is synced here need not last
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
command -v perl script iconv >/dev/null || { echo 'this test needs perl, script and iconv'; exit 1; }
wanted=${1:-}

repeated() { perl -e 'print $ARGV[0] x $ARGV[1]' -- "$(printf '%b.' "$1" | sed '$s/\.$//')" "$2"; }
text_of() { # LINE, with an x behind it that keeps newlines at the end
    local text
    text=$(printf '%bx' "$1")
    text=${text//@@BLANKS@@/$(repeated ' ' 200)}
    text=${text//@@TABS@@/$(repeated '\t' 200)}
    text=${text//@@NBSP@@/$(repeated '\xc2\xa0' 200)}
    text=${text//@@WIDE@@/$(repeated '\xe3\x80\x80' 60)$(repeated '\xe2\xa0\x80' 60)}
    text=${text//@@NEWLINES@@/$(perl -e 'print "\n" x 200, "."')}
    text=${text//@@EMPTY@@/$(perl -e 'print " \n\t\n" x 100, "."')}
    text=${text//@@LONG@@/$(repeated 'x' 9000)}
    printf '%s' "$text"
}
# What may stand on no terminal, in no log and no transcript; this is not the product's own table.
expect_visible() { # FILE WHAT [RUNS, whether long ones of blanks are counted]
    iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 || fail "$2 is not UTF-8"
    runs=${3:-yes} perl -CSD -0777 -ne '
        while (/([^\P{C}\n\t]|(?![\x{fe0e}\x{fe0f}])\p{Default_Ignorable_Code_Point}|[\p{Zl}\p{Zp}])/g) {
            printf "U+%04X\n", ord $1; $bad = 1 }
        exit($bad ? 1 : 0) if $ENV{runs} ne "yes";
        if (/([\p{Zs}\t\x{2800}]{41,})/) { print "blanks\n"; $bad = 1 }
        if (/((?:[\p{Zs}\t]*\n){44,})/) { print "empty lines\n"; $bad = 1 }
        exit($bad ? 1 : 0)' "$1" >"$scratch/hidden" || fail "$2 holds $(sort "$scratch/hidden" | uniq -c | xargs)"
}
question() { tr -d '\r' | tac | sed '/^May it do this?$/q' | tac; } # what stands on a screen from there on
kinds() { # of stderr's lines
    sed -E 's/^chorus-run: (ok|error): .* \([0-9]+ ms\)$/END/; s/^(chorus-run: [a-z]+): .*/\1/' "$1"
}
transcripts() { find "$CHORUS_HOME/agents/a" -name session.md -exec cat {} +; }
frames() { # of a request: how often the frame of each text of the user's side is closed, however it is written
    jq -c '.messages[] | select(.role == "user").content | if type == "string" then . else .[] | select(.type == "text").text end' "$1" |
        perl -ne 'next unless /<(stdin|project-text|status)\b/;
            my $tag = $1; s/\\[nrt]/ /g; my $closed = () = /<\/\s*\Q$tag\E/gi; print "$tag closed $closed\n"'
}

skeleton() { # of everything that was said, stored and sent
    echo "stderr: $(kinds "$scratch/err1" | xargs)"
    echo "error: $(kinds "$scratch/err2" | xargs)"
    echo "question: $(question <"$scratch/seen" | grep -v '^  | ' |
        sed -E 's/^  tool:bash:.*/ACTION/; s/^  tool: bash$/TOOL/; s/^  arguments: .*/ARGUMENTS/; s/^(chorus-run: [a-z]+): .*/\1/' | xargs)"
    echo "transcript: $(transcripts | grep -oE '^<!-- message [0-9]+ ' | xargs)"
    echo "audit: $(db "SELECT group_concat(id || ' ' || decision || ' ' || turn_id, ', ') FROM audit_log")"
    echo "prompts: $(db 'SELECT count(*) FROM prompts'), messages: $(db "SELECT group_concat(role, ' ') FROM messages")"
    echo "calls: $(db 'SELECT count(*) FROM tool_runs')"
    for n in 1 2; do echo "request: $(frames "$(request $n)" | xargs)"; done
}

spoof() { # the text is in $scratch/text
    local quoted
    quoted=$(jq -Rs . "$scratch/text")
    init a --model anthropic/m --permissions open
    workspace=$CHORUS_HOME/agents/a/workspace
    cp "$scratch/text" "$workspace/said"
    cp "$scratch/text" "$workspace/AGENTS.md"
    : 2>/dev/null >"$workspace/$(head -c 80 "$scratch/text" | tr -d '\000/' | iconv -c -f UTF-8 -t UTF-8)"
    start_server "$(jq -nc --argjson text "$quoted" '{answers: [
        {say: {text: $text, tool_calls: [
            {id: "c1", name: "view", arguments: {path: $text}},
            {id: "c2", name: "bash", arguments: {command: "cat said; cat said >&2; ls"}},
            {id: "c3", name: "list_files", arguments: {pattern: $text}},
            {id: $text, name: $text, arguments: {x: $text}}]}},
        {say: {text: $text}},
        {status: 400, headers: {"content-type": "application/json"},
         body: ({type: "error", error: {type: "invalid_request_error", message: $text}} | tojson)},
        {say: {text: $text, tool_calls: [{id: "c5", name: "bash", arguments: {command: ($text + "\ntrue"), timeout: 9}}]}}]}')"
    jq -rj . <<<"$quoted" >"$scratch/stdin"
    run_stdin "$scratch/stdin" chorus-run a -v -p 'first'
    expect_status 0
    cp "$scratch/err" "$scratch/err1"
    expect_visible "$scratch/err" stderr
    run chorus-run a -p second
    expect_status 7
    cp "$scratch/err" "$scratch/err2"
    expect_visible "$scratch/err" 'the error'
    agent_key a permissions '"standard"'
    script -qec 'stty -echo -opost; chorus-run a -q --ask-timeout 300ms third' /dev/null </dev/null >"$scratch/screen" 2>&1
    expect_equal $? 10
    tr -d '\004\b' <"$scratch/screen" >"$scratch/seen"
    expect_visible "$scratch/seen" 'the terminal' no # what is said comes in pieces, as it is said
    question <"$scratch/seen" >"$scratch/asked"
    expect_visible "$scratch/asked" 'the question'
    transcripts >"$scratch/transcript"
    expect_visible "$scratch/transcript" 'the transcript'
    skeleton >"$scratch/skeleton"
    if [ ! -s "$base/plain" ]; then
        cp "$scratch/skeleton" "$base/plain"
        expect_match "$(cat "$base/plain")" 'question: .*ACTION TOOL ARGUMENTS .*y.es'
        expect_match "$(cat "$base/plain")" 'transcript: .*<!-- message 8'
    fi
    diff "$base/plain" "$scratch/skeleton" >"$scratch/out" || fail 'what is around it differs'
}

cases=0
while IFS= read -r line; do
    case $line in
        '# '* | '') continue ;;
        'cases: '*)
            expected=${line#cases: }
            continue
            ;;
    esac
    cases=$((cases + 1))
    [ "$line" = hello ] || [[ $line == *"$wanted"* ]] || continue
    test_case "$line"
    text=$(text_of "$line")
    printf '%s' "${text%x}" >"$scratch/text"
    spoof
done <"$(dirname "$0")/spoofing.txt"
echo "spoofing.txt: $cases cases"
[ "$cases" = "$expected" ] || { echo "spoofing.txt: $expected cases were to be run"; failed=$((failed + 1)); }
end_tests
