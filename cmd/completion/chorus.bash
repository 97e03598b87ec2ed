# Completion for bash, installed under the name of each executable. The words come from the executable itself, called
# with --complete (chorus(7)).
_chorus() {
    local line=${COMP_LINE:0:COMP_POINT} word about name i
    local -a words=()
    for ((i = 0; i <= COMP_CWORD; i++)); do
        [[ $line =~ ^[[:space:]]* ]]
        line=${line:${#BASH_REMATCH[0]}}
        word=${COMP_WORDS[i]}
        [[ $i -lt $COMP_CWORD ]] || word=$line # up to the cursor
        line=${line:${#word}}
        # bash splits --model=x/y:1 at COMP_WORDBREAKS: join parts that no blank separates
        if [[ $i -gt 0 && -z ${BASH_REMATCH[0]} ]]; then words[-1]+=$word; else words+=("$word"); fi
    done
    words=("${words[@]//[\"\'\\]/}")
    local kept=${words[-1]%"${2//[\"\'\\]/}"} # the start of the word; bash replaces only what follows it
    COMPREPLY=()
    while IFS=$'\t' read -r word about; do
        case $word in
            :directories) compopt -o dirnames ;;
            :files)
                compopt -o default
                [[ $about == "$kept" ]] || while read -r name; do
                    COMPREPLY+=("${about#"$kept"}$name")
                    compopt -o filenames
                done < <(compgen -f -- "${words[-1]#"$about"}") ;;
            *) COMPREPLY+=("${word#"$kept"}") ;;
        esac
    done < <("${1/#~\//$HOME/}" --complete "${words[@]:1}" 2>/dev/null)
}
complete -F _chorus "${BASH_SOURCE[0]##*/}"
