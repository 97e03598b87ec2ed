#!/usr/bin/env bash
# The manual says what the executables and the sources say.
pages=${CHORUS_MAN:?the directory of the built pages}
. "$(dirname "$0")/../support/lib.sh"
sources=$here/../lib
for tool in man scdoc; do
    command -v "$tool" >/dev/null || { echo "this test needs $tool"; exit 1; }
done

# Wide, so that no heading or table row is broken.
page() {
    [ -s "$base/$1" ] || MANWIDTH=200 man --nh --nj -l "$pages/$1" >"$base/$1"
    cat "$base/$1"
}
section() { page "$1" | awk -v wanted="$2" '/^[A-Z]/ { on = $0 == wanted; next } on'; }
# The rows of a section's first table whose header begins so, blanks squeezed.
rows() { section "$1" "$2" | tr -s ' ' | sed -n "/^ $3/,/^\$/p" | sed '1d;/^$/d;s/^ //'; }
sorted() { LC_ALL=C sort -u; }
expect_same_lines() { # PAGE'S SOURCES'
    [ -n "$2" ] || fail "nothing was found in the sources"
    [ "$1" = "$2" ] || fail "< the page, > the sources: $(diff <(echo "$1") <(echo "$2"))"
}

test_case "every page is there and renders without a warning"
for source in "$here"/../man/*.scd; do
    name=$(basename "$source" .scd)
    [ -s "$pages/$name" ] || fail "$name was not built"
    run env MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$pages/$name"
    expect_status 0
    expect_equal "$err" ''
    expect_equal "$(grep '^# ' "$source" | sort | uniq -d)" ''
    expect_match "$(page "$name")" "NAME
 +${name%.*} - "
    expect_no_match "$(page "$name")" '@(version|include)[^@]*@'
done

test_case "every executable has its page, and no page names one that is not there"
for program in "$CHORUS_BIN"/chorus-*; do
    [ -s "$pages/$(basename "$program").1" ] || [ -s "$pages/$(basename "$program").8" ] || fail "$(basename "$program")"
done
for name in $(cat "$here"/../man/*.scd | grep -oE '\*chorus[a-z-]*\*\([1-9]\)' | tr -d '*' | sorted); do
    [ -s "$pages/$(tr '(' . <<<"${name%)}")" ] || fail "$name has no page"
done

test_case "options: --help and page"
verbs_of() { "$1" --help | sed -n '/^Verbs:/,$p' | grep -oE '^  [a-z]+'; }
help_of() { # PROGRAM: with its verbs
    "$1" --help
    for verb in $(verbs_of "$1"); do "$1" "$verb" --help; done
}
for program in chorus-config chorus-destroy chorus-init chorus-run chorus-tasks; do
    in_help=$(help_of "$program" | grep -oE '^  -[^][ ]+' | tr -d ' {}' | tr ',' '\n' | sorted)
    in_page=$(section "$program.1" OPTIONS | grep -E '^ {7}-' | grep -oE '(^|[ ,])--?[A-Za-z][A-Za-z-]*' | tr -d ' ,' | grep -v -e '-$' | sorted) # a name may be broken at its hyphen
    expect_same_lines "$in_page" "$in_help"
done

test_case "verbs: --help and page"
for program in chorus-config chorus-tasks; do
    in_page=$(section "$program.1" SYNOPSIS | sed -n "s/^ *$program \([a-z]*\) .*/\1/p" | sorted)
    expect_same_lines "$in_page" "$(verbs_of "$program" | tr -d ' ' | sorted)"
done

test_case "verbs and their options: --help and page"
verbs_of() { "$1" --help | awk '/^Verbs:/ { on = 1; next } on && NF { print $1 }'; }
for program in chorus-context; do
    in_help=$(for verb in $(verbs_of "$program"); do
        "$program" "$verb" --help | grep -oE '^  -[^][ ]+' | tr -d ' {}' | tr ',' '\n' | grep -vxE -e '-h|--help' | sed "s/^/$verb /"
    done | sorted)
    in_page=$(section "$program.1" VERBS | awk '/^   [a-z]/ { verb = $1 } /^       -/ { print verb, $0 }' |
        while read -r verb line; do
            grep -oE '(^|[ ,])--?[A-Za-z][A-Za-z-]*' <<<"$line" | tr -d ' ,' | sed "s/^/$verb /"
        done | sorted)
    expect_same_lines "$in_page" "$in_help"
    expect_equal "$("$program" --help | grep -oE '^  -[^][ ]+' | tr ',' '\n' | tr -d ' ' | sorted | paste -sd,)" '--help,--version,-h'
done

test_case "exit table: the enum"
declare -A number=()
while read -r name value; do number[$name]=$value; done < <(
    sed -n '/enum class ExitStatus/,/};/s/^ *\([a-z_]*\) = \([0-9]*\),/\1 \2/p' "$sources/base/error.hpp")
in_sources=$(
    used=' done '
    echo '0 -'
    while read -r code status; do
        echo "${number[$status]} $code"
        used+="$status "
    done < <(sed -n 's/.*Row{ErrorCode::[a-z_]*, "\([A-Z_]*\)", ExitStatus::\([a-z_]*\)}.*/\1 \2/p' "$sources/base/error.cpp")
    for name in "${!number[@]}"; do [[ $used == *" $name "* ]] || echo "${number[$name]} CANCELED"; done
)
in_block=$(awk '/^\|  [0-9]/ { exits = substr($0, 4); getline
                  n = split(exits, e, ", "); m = split(substr($0, 4), c, ", ")
                  for (i = 1; i <= n; i++) for (j = 1; j <= m; j++) print e[i], c[j] }' "$here/../man/include/exit-status.scd")
expect_same_lines "$(sorted <<<"$in_block")" "$(sorted <<<"$in_sources")"
for name in chorus.7 chorus-config.1 chorus-context.1 chorus-destroy.1 chorus-init.1 chorus-run.1 chorus-tasks.1; do
    shown=$(section "$name" 'EXIT STATUS')
    for code in $(cut -d' ' -f2 <<<"$in_sources" | grep -v -- -); do expect_match "$shown" "$code"; done
done

test_case "configuration keys: files and defaults"
in_sources=$(sed -n '/<Key> rows{/,/};/p' "$sources/agent/keys.cpp" | tr -s '\n ' '  ' |
    grep -oE '\{"[A-Za-z_]+", [A-Za-z_:]+, (true|false), (true|false), "[^"]*"' | tr -d '{",' |
    while read -r name _ in_agent in_home default; do
        files=
        [ "$in_agent" = true ] && files=agent.json
        [ "$in_home" = true ] && files=${files:+$files, }config.json
        echo "$name ($files${default:+; $default})"
    done | sorted)
in_page=$(section chorus-home.5 CONFIGURATION | grep -oE '^ {7}[A-Za-z_]+ \((agent|config)\.json.*\)$' | sed 's/^ *//' | sorted)
expect_same_lines "$in_page" "$in_sources"
shown=$(section chorus-home.5 CONFIGURATION)
for variable in $(sed -n '/<Key> rows{/,/};/p' "$sources/agent/keys.cpp" | grep -oE '"CHORUS_[A-Z_]+"' | tr -d '"'); do
    expect_match "$shown" "$variable"
done

test_case "limits and their values"
declare -A label=(
    [prompt_bytes]='prompt, stdin' [stdin_inline_bytes]='stdin within a message' [answer_bytes]='answer of a model' [attachment_bytes]='attached file' [request_bytes]="request with attachments, where the provider's limit is not known" [recording_bytes]='recording that is replayed' [answer_repairs]='repairs of an answer in a turn (--json-schema)'
    [sse_event_bytes]='line and event of an event stream'
    [http_head_bytes]='header of an answer, trailers counted' [edited_file_bytes]='file that a tool edits'
    [searched_file_bytes]='file that is searched'
    [error_body_bytes]='error body kept of a provider' [json_bytes]='JSON text' [json_depth]='JSON depth'
    [tool_result_characters]='tool result' [task_log_bytes]='output log of a background task'
    [docs_bytes]='documents in docs/ on disk' [docs_tokens]='documents in a request' [project_text_bytes]='AGENTS.md'
    [checkpoint_bytes]='files of a checkpoint' [checkpoints]='checkpoints of an agent, so many or a few more'
    [checkpoint_stores]='room for all of them, in the largest size of one' [checkpoint_age_ms]='age of a checkpoint'
    [action_bytes]='action' [pattern_bytes]='pattern of a profile' [config_bytes]='configuration file'
    [session_bytes]='file of a session that is read' [summary_characters]='summary of a session'
    [summary_ms]='wait for a summary'
    [subagent_depth]='depth of sub-agents' [message_depth]='messages between agents, one for another'
    [agent_message_bytes]='message to an agent' [plan_steps]='steps of a plan' [plan_step_bytes]='step of a plan'
    [metadata_pairs]='values of --meta in a turn' [metadata_key_bytes]='key of such a value' [metadata_value_bytes]='such a value'
    [tasks]='background tasks'
    [scanned_bytes]='git files in a scan of the workspace, indexes not counted' [scanned_index_bytes]='indexes in such a scan'
    [scanned_names]='names that these files contain, and repositories, in such a scan'
    [scanned_path_bytes]='names of the directories of the workspace in such a scan'
    [task_depth]='turns that tasks begin, one after another'
    [failures_in_a_row]='tool failures in a row' [connect_ms]='connecting to a provider'
    [status_lines]='threads, questions and tasks in the status block, of each'
    [first_byte_ms]='silence before a model writes' [stall_ms]='silence while it writes'
    [file_lock_ms]='wait for a file another call writes' [bash_default_ms]='command that names no timeout'
    [bash_most_ms]='command, where max_bash_timeout is not set' [bash_grace_ms]='from SIGTERM to SIGKILL'
    [webhook_characters]='post to a webhook' [webhook_answer_ms]='answer of a webhook'
    [channel_ms]='posting to a channel'
    [timeout_grace_ms]='the same after --timeout'
    [pipe_grace_ms]='wait for the pipes of a command that ended'
)
thousands() { sed -E ':a;s/([0-9])([0-9]{3})($|,)/\1,\2\3/;ta' <<<"$1"; }
in_words() { # NAME VALUE
    case $1 in
        *_bytes) if (($2 % 1048576 == 0)); then echo "$(($2 >> 20)) MiB"
                 elif (($2 % 1024 == 0)); then echo "$(($2 >> 10)) KiB"
                 else echo "$2 bytes"; fi ;;
        *_age_ms) echo "$(($2 / 86400000)) days" ;;
        *_ms) if (($2 % 1000 == 0)); then echo "$(($2 / 1000)) s"; else echo "$2 ms"; fi ;;
        *_characters) echo "$(thousands "$2") characters" ;;
        *_tokens) echo "$(thousands "$2") tokens" ;;
        *) thousands "$2" ;;
    esac
}
in_sources=$(sed -n 's/^constexpr [a-z0-9_:]* \([a-z_]*\) = \(.*\);/\1 \2/p' "$sources/base/limits.hpp" | tr -d "'UL" |
    while read -r name value; do echo "${label[$name]:-$name} $(in_words "$name" $((value)))"; done | sorted)
expect_same_lines "$(rows chorus.7 LIMITS 'what ' | sorted)" "$in_sources"

test_case "tools and their arguments"
in_sources=$(for name in $(grep -oE 'TOOL\([a-z_]+\)' "$sources/tools/registry.cpp" | tr -d ')' | cut -d'(' -f2); do
    arguments=$(sed 's/{task_id/{{"task_id", "string", "", true}/' "$sources"/tools/*.cpp | sed -n "/^Tool ${name}_tool()/,/^}/p" | tr -s '\n ' '  ' |
        grep -oE '\{"[a-z_0-9]+", "(string|integer|boolean|array|string or object)", "[^"]*"(, true)?\}' |
        sed -E 's/^\{"([a-z_0-9]+)".*, true\}$/\1*/;s/^\{"([a-z_0-9]+)".*/\1/' | paste -sd, | sed 's/,/, /g')
    echo "$name ${arguments:--}"
done | sorted)
in_page=$({
    rows chorus.7 TOOLS 'tool ' | sed 's/ tool:.*//'
    section chorus.7 TOOLS | grep -oE '^ {7}self_edit_[a-z_]+ \([^)]*\)$' | tr -d '()' | sed 's/^ *//'
} | sorted)
expect_same_lines "$in_page" "$in_sources"

test_case "providers, their keys and default models"
in_sources=$(jq -r '.providers | to_entries[] | "\(.key) \(.value.key_variable // "-") \(.value.default_model // "-")"' \
    "$sources/../template/models.json" | sorted)
expect_same_lines "$(rows chorus.7 MODELS 'provider ' | sorted)" "$in_sources"

test_case "presets and their patterns"
shown=$(section chorus-permissions.7 PRESETS)
while read -r pattern; do
    [[ $shown == *"$pattern"* ]] || fail "no $pattern"
done < <(sed -n 's/^[a-z].* : //p' "$sources/policy/data/presets.txt" | grep -vxF -e 'tool:[\s\S]*')

test_case "tables and columns of the database"
in_database() { section chorus-home.5 DATABASE | awk -v wanted="$1" '/^   [a-z]/ { on = $0 ~ "[ ,]" wanted "(,|$)" } on'; }
documented="s.name NOT LIKE 'sqlite_%' AND s.name NOT LIKE 'messages_fts_%'"
run chorus-init a --model builtin/script
expect_status 0
listed=$(db "SELECT s.name FROM sqlite_schema AS s WHERE s.type IN ('table', 'view') AND $documented
    UNION SELECT s.name || ' ' || c.name FROM sqlite_schema AS s, pragma_table_info(s.name) AS c
    WHERE s.type = 'table' AND s.sql NOT LIKE '%USING fts5%' AND $documented")
[ "$(wc -l <<<"$listed")" -gt 200 ] || fail 'the database lists no tables'
while read -r table column; do
    [ -n "$(in_database "$table")" ] || fail "no table $table"
    [ -z "$column" ] || grep -qw -- "$column" <<<"$(in_database "$table")" || fail "no column $table.$column"
done <<<"$listed"

test_case "each promise of RELIABILITY names tests that there are"
promises=$(section chorus.7 RELIABILITY | awk '/not promised/ { exit } /^ +[0-9]+\. / { if (text != "") print text; text = "" } { text = text " " $0 } END { print text }' |
    sed -nE 's/^ *([0-9]+)\. .*\[([a-z][^]]*)\] *$/\1 \2/p')
expect_equal "$(wc -l <<<"$promises")" 15
tests=$sources/../tests
names_of() { # FOLDER: the tests of that name in CMake's lists
    cat "$tests"/CMakeLists.txt "$tests"/security/tests.cmake "$tests"/fuzz/CMakeLists.txt "$tests"/fault/suites.cmake
}
while read -r number list; do
    for name in ${list//,/ }; do
        folder=${name%%/*} test=${name#*/}
        case $folder in
            unit) [ -d "$tests/unit/$test" ] ;;
            cmd) [ -f "$tests/cmd/$test.sh" ] ;;
            fault | fuzz) [ -f "$tests/$folder/$test.cpp" ] ;;
            *) names_of | grep -qwE "(security/|foreach\(.*)$test" ;;
        esac || fail "promise $number: there is no test $name"
    done
done <<<"$promises"

end_tests
