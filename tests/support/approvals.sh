# Turns that wait for approvals of bash calls. After lib.sh and turns.sh.

work() { printf '%s/agents/a/workspace' "$CHORUS_HOME"; }
expect_one_error_of() { # PROGRAM REGEX, of stderr
    expect_match "$err" "^$1: error: .*$2"
}
calls() { # ID COMMAND …: one answer with several calls of bash
    local list='[]'
    while [ $# -gt 0 ]; do
        list=$(jq -c --arg id "$1" --arg command "$2" '. + [{id: $id, name: "bash", arguments: {command: $command}}]' <<<"$list")
        shift 2
    done
    jq -nc --argjson calls "$list" '{say: {tool_calls: $calls}}'
}
ran() { [ -e "$base/ran" ] && tr '\n' ' ' <"$base/ran"; }
ask() { # COMMAND …: a turn that waits with them; its prompts in $ids
    local list=() i=0
    for command in "$@"; do list+=("c$((i += 1))" "$command"); done
    start_server "$(answers "$(calls "${list[@]}")" "$(say Done.)")"
    run chorus-run a go --json
    expect_status 10
    mapfile -t ids < <(jq -r '.pending[].id' <<<"$out")
}
fresh() {
    init a --model anthropic/m
    home_key sandbox '"off"'
    rm -f "$base/ran"
    cd "$(work)" || exit 1
}
good="echo good >>$base/ran" evil="echo evil >>$base/ran"
script() { printf '#!/bin/sh\n%s\n' "$2" >"$1" && chmod +x "$1"; } # FILE LINE
fingerprints() { db 'SELECT count(*) FROM fingerprints'; }

# form COMMAND NAMED BEFORE AFTER: BEFORE makes the workspace, AFTER changes it once COMMAND is approved;
# NAMED is what the new question says of it.
form() {
    test_case "swapped after the approval: $1: $4"
    fresh
    eval "$3"
    sleep 0.05
    ask "$1"
    run chorus-tasks approve "${ids[0]}"
    expect_status 0
    expect_no_match "$err" 'since it was asked'
    eval "$4"
    run chorus-run a --resume --json
    expect_status 10
    expect_json '.pending[0].text' "asked again: changed: $2"
    expect_equal "$(ran)" ''
    expect_db "SELECT count(*) FROM fingerprints f JOIN prompts p ON p.files = f.hash WHERE p.state = 'pending'" 1
    expect_equal "$(fingerprints)" 1
    run chorus-run a --deny all
    expect_status 0
    expect_equal "$(ran)" ''
    expect_equal "$(fingerprints)" 0
    expect_sound
}

swap='script x.sh "$evil"'
make_good='script x.sh "$good"'
