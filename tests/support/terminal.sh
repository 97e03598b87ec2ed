# Sourced after turns.sh by tests of what only a terminal gets.

# on_terminal COMMAND: what its terminal shows comes into $scratch/screen, its status into $status; what
# `typist` writes is typed
typist() { :; }
on_terminal() {
    rm -f "$scratch/screen" "$scratch/keys"
    mkfifo "$scratch/keys"
    : >"$scratch/screen"
    typist >"$scratch/keys" &
    local typing=$!
    SHELL=/bin/sh script -qefc "stty -echo; $1" /dev/null <"$scratch/keys" >"$scratch/screen" 2>&1
    status=$?
    wait $typing
    out=$(tr -d '\r' <"$scratch/screen") err=''
    cp "$scratch/screen" "$scratch/out"
}
shown() { wait_for 15 grep -q -e "$1" "$scratch/screen"; } # REGEX
