#!/usr/bin/env bash
# needs: time
# Killed at a system call, each verb that changes a context has done all of it or nothing: but for a file that
# no row has, which the doctor enters, and the next command goes on as if nothing had been.
#
#   KILL_POINTS=N   points of each verb (25); 0: every one
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
command -v strace >/dev/null || { echo 'this test needs strace'; exit 1; }
points=${KILL_POINTS:-25}
export LSAN_OPTIONS=detect_leaks=0

# What the rows say; ids and times of the run are left out.
state() {
    db "SELECT (SELECT count(*) FROM messages) || ' ' || (SELECT count(*) FROM sessions) || ' ' ||
        (SELECT last_clear_message FROM agents) || ' ' || (SELECT count(*) FROM messages WHERE compacted_into IS NOT NULL) || ' ' ||
        (SELECT count(*) FROM messages WHERE restored_from IS NOT NULL)"
}
take_back() { rm -rf "$CHORUS_HOME" && cp -a "$scratch/before" "$CHORUS_HOME"; }

begin() {
    init a --model builtin/script
    run chorus-run a 'the first'
    run chorus-context save a kept --no-summary
    id=$(db 'SELECT id FROM sessions')
    run chorus-run a 'the second'
    db "UPDATE agents SET last_activity = last_activity - 3600000"
    sqlite3 "$CHORUS_HOME/chorus.db" 'PRAGMA wal_checkpoint(TRUNCATE)' >/dev/null
    cp -a "$CHORUS_HOME" "$scratch/before"
}

killed_at() { # K VERB …: strace counts each call's name for itself
    local name occurrence
    name=$(sed -n "$1{s/(.*//;s/^[0-9 ]*//;p}" "$scratch/calls")
    occurrence=$(head -n "$1" "$scratch/calls" | grep -cE "^[0-9 ]*$name\(")
    shift
    take_back
    # in a shell of its own, which says what becomes of it to nobody
    (
        strace -qq -o /dev/null -e trace="$name" -e inject="$name":signal=KILL:when="$occurrence" chorus-context "$@" >"$scratch/out" 2>&1 </dev/null
        [ $? = 137 ] && echo killed >>"$scratch/killed"
    ) 2>/dev/null
    local found
    found=$(state)
    [ "$found" = "$none" ] || [ "$found" = "$all" ] || fail "$1 killed at $k, $name $occurrence: '$found', not '$none' or '$all'"
    expect_db 'PRAGMA integrity_check' ok
    run chorus-config doctor --fix
    expect_status 0
    expect_equal "$(grep -vcE '^mended: [^ ]*: (it has no row in the database|temporary file of a killed process)$|^nothing to mend$' <<<"$out")" 0
    run chorus-config doctor
    expect_equal "$out" 'nothing to mend'
}

for verb in 'save a more --no-summary' 'clear a' 'clear a --save --no-summary' 'restore a ID' 'restore a ID --append' 'idle-save --all' 'compact a'; do
    test_case "killed: $verb"
    begin
    verb=${verb/ID/$id}
    none=$(state)
    run strace -qq -o "$scratch/calls" chorus-context $verb
    expect_status 0
    all=$(state)
    [ "$none" != "$all" ] || fail 'it changes nothing'
    sed -i '/^[^(]*$/d' "$scratch/calls" # the end, signals
    calls=$(wc -l <"$scratch/calls")
    # what comes before the database is opened changes nothing, whenever it ends
    first=$(grep -n 'chorus\.db"' "$scratch/calls" | head -1 | cut -d: -f1)
    step=$(((calls - first) / (points > 0 ? points : calls) + 1))
    offset=$((first + RANDOM % step))
    echo "$verb: every ${step}th of $calls system calls from $offset on"
    : >"$scratch/killed"
    tried=0
    for ((k = offset; k < calls; k += step)); do
        killed_at "$k" $verb
        tried=$((tried + 1))
    done
    [ $(($(wc -l <"$scratch/killed") * 10)) -ge $((tried * 8)) ] || fail "killed only $(wc -l <"$scratch/killed") of $tried times"
    run chorus-run a 'the third'
    expect_status 0
    expect_sound
done

end_tests
