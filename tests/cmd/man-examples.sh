#!/usr/bin/env bash
# The worked examples of the manual, run as they stand there with the real programs.
#
# A literal block that begins with "$ " is a session: commands, lines of theirs that go on with "> ", and
# under each what it prints. The blocks of a page are one session in a fresh home. "..." stands for any
# text, and how many blanks there are does not count. Where `$ cat FILE` comes first of a FILE, what is
# printed is put into it.
. "$(dirname "$0")/../support/lib.sh"
pages="chorus-context.1 chorus-destroy.1 chorus-permissions.7 chorus-tasks.1"

# The lines of the page's sessions, as they are read: "$ …", "> …", or what is printed.
sessions() {
    awk '/^\t*```$/ { inside = !inside; session = 0; first = inside; next }
         inside && first { session = /^\$ /; first = 0 }
         inside && session { gsub(/\\\\/, "\\"); print }' "$here/../man/$1.scd"
}
squeezed() { tr -s ' \t' '  ' | sed 's/ $//'; }
# Whether the text is what the example shows.
is_as_shown() { # SHOWN TEXT
    local pattern
    pattern=$(squeezed <<<"$1" | sed -e 's/\.\.\./\x01/g' -e 's/[][*?\\()|@+!]/\\&/g' -e 's/\x01/*/g')
    [[ $(squeezed <<<"$2") == $pattern ]]
}
last=0
try() { # COMMAND SHOWN, in this very shell: variables last
    local file=${1#cat }
    if [[ $1 == "cat $file" && $file != *[[:space:]]* && ! -e $file ]]; then printf '%s\n' "$2" >"$file"; fi
    (exit "$last")
    eval "$1" >"$scratch/out" 2>"$scratch/err" </dev/null
    last=$?
    status=$last
    is_as_shown "$2" "$(cat "$scratch/out" "$scratch/err")" || fail "$page: \$ $1
  shown: $2
  printed: $(cat "$scratch/out" "$scratch/err")"
    count=$((count + 1))
}

for page in $pages; do
    test_case "$page"
    command='' shown='' count=0
    while IFS= read -r line; do
        case $line in
            '$ '*)
                [ -z "$command" ] || try "$command" "$shown"
                command=${line#'$ '} shown=''
                ;;
            '> '*) command+=$'\n'${line#'> '} ;;
            *) shown+=${shown:+$'\n'}$line ;;
        esac
    done < <(sessions "$page"; echo '$ true')
    [ "$count" -gt 2 ] || fail "$page has no examples"
done

test_case "what differs is told"
page=none count=0
( fail() { exit 7; }; try 'echo one; echo two' 'one' )
expect_equal $? 7
try 'printf "a\tb  c\n"' 'a b c'
try 'echo "x [y] (z)*"' 'x [y] (...)*'
try 'x=5' ''
try 'echo $x; false' 5
try 'echo $?' 1
try 'cat new.txt' 'a line
another'
expect_file new.txt 'a line
another'

end_tests
