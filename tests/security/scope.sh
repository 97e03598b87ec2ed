#!/usr/bin/env bash
# What a sub-agent can read and write: rule sets times paths, through the file tools and through bash in the sandbox,
# against a reading of the rules that is not Chorus's own.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/subagents.sh"

usual='**/.git/** **/runtime/** **/.env **/node_modules/**'
# read | write | deny | whether bash runs with them, and shows what may be read
rule_sets=(
    '** | out/** | | bash'
    'src/** lib/** | out/** src/gen/** | | bash'
    'src/** | out/** | src/gen | -'
    '** | ** | **/*.pem lib/** | -'
    'src/*.c lib/?  out | out/*.txt | | -'
)
files='src/a src/x.c src/gen/b src/.env src/secret.pem src/Secret.PEM src/gen/deep/b lib/c lib/cc lib/deep/d/e out/o out/o.txt .env top
    node_modules/m/x src/node_modules/y runtime/r src/runtime/r .git/config src/.git/HEAD'
# links: name and target
links='src/to-lib:../lib/c src/to-out:../../outside src/dir-lib:../lib lib/to-a:../src/a out/to-a:../src/a out/to-pem:../src/secret.pem
    out/loop:loop out/up:.. out/root:/ out/to-env:../.env'
paths="$files src/to-lib src/to-out src/dir-lib/c lib/to-a out/to-a out/to-pem out/loop out/up/top out/up/.env out/root/etc/hostname
    out/to-env out/new src/new src/gen/new lib/new new out/new.txt src/gen/../a out/../src/gen/b ./lib/c lib/deep/../c ../outside SRC/a
    src/A out/../.git/config lib//c"

regex_of() { # GLOB
    sed -E 's/[].[^$+(){}|\\]/\\&/g; s#\*\*/#\x01#g; s#/\*\*#\x02#g; s#\*\*#\x03#g; s#\*#[^/]*#g; s#\?#[^/]#g; s#\x01#(.*/)?#g; s#\x02#/.*#g; s#\x03#.*#g' <<<"$1"
}
matches() { # PATH GLOB, or below a plain GLOB
    [[ $1 =~ ^$(regex_of "$2")$ ]] && return 0
    [[ $2 != *[*?]* && $1 == "$2"/* ]]
}
any_matches() { # PATH GLOBS
    local glob
    for glob in $2; do matches "$1" "$glob" && return 0; done
    return 1
}
denied() { # PATH GLOBS: it, or a directory above it
    local path=$1
    while :; do
        any_matches "$path" "$2" && return 0
        [[ $path == */* ]] || return 1
        path=${path%/*}
    done
}
cases=0

set -f
for rules in "${rule_sets[@]}"; do
    IFS='|' read -r reads writes denies bash <<<"$rules"
    test_case "read $reads, write $writes, deny $denies"
    bash=${bash// /}
    parent
    rm -rf "$work"/src "$work"/lib "$work"/top "$work"/.env
    outside=$CHORUS_HOME/agents/a/outside
    echo 'token of outside' >"$outside"
    for file in $files; do
        mkdir -p "$work/$(dirname "$file")"
        [ -d "$work/.git" ] && [ "$file" = .git/config ] && printf '# ' >>"$work/$file"
        echo "token of $file" >>"$work/$file"
    done
    for link in $links; do ln -sn "${link#*:}" "$work/${link%%:*}"; done
    agent_key a permissions '"open"'
    list() { [ -z "${1// /}" ] || printf '  %s: [%s]\n' "$2" "$(for glob in $1; do printf '"%s", ' "$glob"; done | sed 's/, $//')"; }
    preset helper "paths:
$(list "$reads" read)
$(list "$writes" write)
$(list "$denies" deny)"
    spawn helper hello
    expect_status 0
    n=0
    for path in $paths; do
        n=$((n + 1)) cases=$((cases + 1)) mark="mark$n-"
        real=$(realpath -m "$work/$path" 2>/dev/null || echo "$work/$path")
        inside=${real#"$work"/}
        may_read='' may_write=''
        if [[ $real == "$work"/* ]] && ! denied "$inside" "$usual $denies"; then
            any_matches "$inside" "$reads" && may_read=1
            # a file tool writes through no link
            any_matches "$inside" "$writes" && may_write=1
        fi
        # the name of a link counts as well as what it leads to
        named=$(realpath -sm "$work/$path") named=${named#"$work"/}
        shows=''
        [ -z "$may_read" ] || [ ! -f "$real" ] || ! any_matches "$named" "$reads" || denied "$named" "$usual $denies" || shows=1
        token="token of $inside"
        [ "$real" != "$outside" ] || token='token of outside'
        [ "$real" != /etc/hostname ] || token=$(cat /etc/hostname)
        run chorus-run "$child" "$(jq -nr --arg path "$path" --arg mark "$mark" '
            "/view \({path: $path})\n/bash \({command: ("cat -- " + ($path | @sh))})\n" +
            "/append_file \({path: $path, content: ($mark + "file\n")})\n/bash \({command: ("echo " + $mark + "bash >> " + ($path | @sh))})"')"
        where="$path ($inside)"
        viewed=${out#*/view } viewed=${viewed%%/bash*}
        catted=${out#*/bash } catted=${catted%%/append_file*}
        if [ -z "$may_read" ]; then
            expect_no_match "$where: $viewed" "$token"$'\n'
            # to bash these are only read-only (chorus-preset(5)), and what is the system's is shown
            case $real in
                */.git/* | */node_modules/* | /etc/*) ;;
                *) expect_no_match "$where: $catted" "$token"$'\n' ;;
            esac
        elif [ -n "$shows" ]; then
            expect_match "$where: $viewed" "$token"$'\n'
            [ "$bash" != bash ] || [ "$path" != "$inside" ] || expect_match "$where: $catted" "$token"$'\n'
        fi
        changed=$(grep -rl --binary-files=text "$mark" "$work" "$outside" /etc/hostname 2>/dev/null)
        [ -n "$may_write" ] || expect_equal "$where: $changed" "$where: "
        [ -z "$changed" ] || expect_equal "$where: $changed" "$where: $real"
        # what is there is read before it is written again
        if [ -n "$may_write" ] && [ -n "$shows" ] && [ "$named" = "$inside" ]; then
            expect_match "$where: $(cat "$real")" "${mark}file"
        fi
    done
done

# Isolated ones: a clone of what is committed, its own .git, and nothing else of the agent's.
committed() { # all of the workspace but what .gitignore names
    printf 'ignored\n' >"$work/.gitignore"
    git -C "$work" add -A >"$scratch/log" 2>&1
    git -C "$work" add -f src/.env .env >>"$scratch/log" 2>&1
    git -C "$work" -c user.name=x -c user.email=x@x commit -qm all >>"$scratch/log" 2>&1 || fail "no commit: $(cat "$scratch/log")"
}
try_all() { # PATH MARK: the four calls of the sub-agent
    run chorus-run "$child" "$(jq -nr --arg path "$1" --arg mark "$2" '
        "/view \({path: $path})\n/bash \({command: ("cat -- " + ($path | @sh))})\n" +
        "/append_file \({path: $path, content: ($mark + "file\n")})\n/bash \({command: ("echo " + $mark + "bash >> " + ($path | @sh))})"')"
    viewed=${out#*/view } viewed=${viewed%%/bash*}
}
sum_of() { find "$@" -path "$work/.git" -prune -o -type f -print0 2>/dev/null | sort -z | xargs -0 sha256sum | sha256sum; }

test_case "isolated: reads what was committed, writes in its clone"
parent
agent_key a permissions '"open"'
outside=$CHORUS_HOME/agents/a/outside
echo 'token outside' >"$outside"
ln -s "$work/top" "$work/src/to-original"
ln -s ../../../../../../workspace "$work/src/up"
ln -s "$CHORUS_HOME" "$work/src/to-home"
mkdir -p "$work/node_modules/m"
echo 'text of node_modules/m/x' >"$work/node_modules/m/x"
committed
preset helper 'isolate: true'
spawn helper hello
expect_status 0
clone=$dir/work
for file in src/a lib/c top; do echo 'token newer' >>"$work/$file"; done
echo 'token ignored' >"$work/ignored"
original=$(sum_of "$work" "$outside" "$dir/preset.md" "$dir/scope-plan.yml" "$CHORUS_HOME/agents/a/agent.json")
n=0
for path in src/a src/gen/b lib/c top src/to-lib new src/new .gitignore ignored src/../top src/to-original src/up/top src/up/ignored \
    src/to-home/config.json src/to-home/chorus.db ../session.md ../preset.md ../scope-plan.yml ../tools.org .. ../../../../../workspace/top \
    ../../../../../workspace/ignored ../../../../../agent.json ../../../../../outside .env src/.env .git/config .git/HEAD .git/hooks/post-commit \
    .git/new src/up/.git/config node_modules/m/x node_modules/new runtime/x "$work/top" "$work/ignored" "$work/.git/config" "$work/new" "$outside" \
    "$clone/top" "$dir/preset.md" "$CHORUS_HOME/chorus.db" "$CHORUS_HOME/config.json"; do
    n=$((n + 1)) cases=$((cases + 1)) mark="mark$n-"
    try_all "$path" "$mark"
    expect_no_match "$path: $out" 'token (newer|ignored|outside)'
    case $path in
        *.env | *.git/* | *node_modules/* | */preset.md | */scope-plan.yml | ../session.md | ../tools.org | */chorus.db | */config.json)
            expect_match "$path: $viewed" 'error: ' ;;
        src/a | src/gen/b | lib/c | top | src/../top) expect_match "$path: $viewed" "text of $(realpath -m --relative-to=/w "/w/$path")" ;;
    esac
    changed=$(grep -rl --binary-files=text "$mark" "$CHORUS_HOME/agents/a/workspace" "$outside" "$dir" "$CHORUS_HOME/config.json" 2>/dev/null |
        grep -vE '/(session\.md|tools\.org)$|[/]work/\.git/(objects|logs|index|COMMIT_EDITMSG)|/workspace/\.git/objects')
    [ -z "$changed" ] || [[ $changed == "$clone"/* && $changed != *$'\n'* ]] || fail "$path: written: $changed"
done
expect_equal "$(sum_of "$work" "$outside" "$dir/preset.md" "$dir/scope-plan.yml" "$CHORUS_HOME/agents/a/agent.json")" "$original"
expect_match "$(git -C "$work" show "agents/$child:new")" 'mark6-file'
expect_missing "$clone/.git/hooks/post-commit"

test_case "isolated below one with rules: what is hidden above is hidden in the clone"
parent
agent_key a permissions '"open"'
home_key default_model '"builtin/script"'
committed
preset middle 'paths: {read: ["src/**"], write: ["src/**"], deny: ["src/gen"]}'
preset helper 'isolate: true'
spawn middle hello
run chorus-run "$child" '/spawn_agent {"preset": "helper", "description": "apart", "prompt": "hello"}'
child=$(of_child name) dir=$CHORUS_HOME/$(of_child dir)
[ -d "$dir/work" ] || fail "no clone: $out"
n=0
for path in src/a src/gen/b src/gen top lib/c lib src/to-lib src/gen/../a src/../top .env src/.env "$dir/work/top" "$work/top" "$work/src/a"; do
    n=$((n + 1)) cases=$((cases + 1))
    try_all "$path" "mark$n-"
    shows=$(grep -o 'text of [^ ]*' <<<"$out" | sort -u | xargs)
    case $path in
        src/a | src/gen/../a) expect_match "$path: $viewed" 'text of src/a' ;;
        *) expect_equal "$path: $shows" "$path: " ;;
    esac
    expect_equal "$path: $(grep -rl "mark$n-" "$work" --exclude-dir=.git)" "$path: "
done

echo "$cases cases"
[ $cases -ge 150 ] || { test_case 'enough cases'; fail "$cases cases"; }

end_tests
