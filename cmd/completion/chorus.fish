# Completion for fish, installed under the name of each executable. The words come from the executable itself, called
# with --complete (chorus(7)).
function __chorus_complete
    set -l words (commandline -opc)
    set -l begun (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    type -q -- $program; or return
    for line in ($program --complete $words[2..-1] "$begun" 2>/dev/null)
        set -l field (string split -m 1 \t -- $line)
        switch $field[1]
            case ':*'
                set -l stem "$field[2]"
                set -l rest (string sub -s (math (string length -- "$stem") + 1) -- "$begun")
                set -l names (complete -C "__chorus_no_such_command $rest")
                test $field[1] = :files; or set names (string match -r '.*/$' -- $names)
                printf '%s\n' "$stem"$names
            case '*'
                printf '%s\n' $line
        end
    end
end
complete -c (string replace -r '.*/(.*)\.fish$' '$1' -- (status filename)) -f -a '(__chorus_complete)'
