#!/bin/bash
# What style a machine can check, with the floor plan of lib/README.md as a table.
#
#   tidy.sh [ROOT]    prints "file:line: what is wrong"; exit 1 where there is anything
set -euo pipefail
export LC_ALL=C
cd "${1:-$(dirname "$0")/../..}"

readonly places=(.ci CMakeLists.txt HACKING.md Makefile README.md cmake cmd lib man template tests)

# Samples are data, and the scripts here name what they forbid.
checked() {
  find "${places[@]}" -type f 2> /dev/null | grep -vE '^tests/(fixtures/|fuzz/corpus/|tidy/)' | sort
}

check_lines() {
  awk '
    BEGIN {
      floors = "base 1 sys 2 chat 3 policy 3 net 3 repo 3 store 4 agent 4 model 4 task 5 life 5 context 5 cli 5 tools 6 place 7 channel 8 approval 9 turn 10 report 10 upkeep 11"
      count = split(floors, word, " ")
      for (i = 1; i < count; i += 2) floor[word[i]] = word[i + 1]

      # header, then the rooms that may include it
      owner["CLI/"] = "cmd cli"
      owner["nlohmann/"] = "chat"
      owner["sqlite3.h"] = "store"
      owner["curl/"] = "net"
      owner["git2"] = "repo"
      owner["re2/"] = "model policy store tools"
      owner["dtl/"] = "tools"
      owner["yaml-cpp/"] = "agent"
      owner["archive"] = "agent"
      owner["sha2.h"] = "base"
      owner["seccomp.h"] = "cmd"

      borders = "^lib/(cli/main\\.cpp|chat/json\\.cpp|(turn|report|upkeep)/|agent/preset\\.cpp|place/(rights|served|shutdown)\\.cpp|channel/|model/|repo/(git_process|server)\\.cpp|task/supervisor\\.cpp|life/(birth|child_adoption|credentials|flaws|here)\\.cpp|store/(backup|salvage)\\.cpp)|^cmd/chorus-config/doctor\\.cpp"
    }

    function complain(what) { print FILENAME ":" FNR ": " what; }

    function room_of(path, parts) {
      split(path, parts, "/")
      return parts[1] == "lib" ? parts[2] : parts[1]
    }

    # The comment at a file'"'"'s top says who may include it.
    function head_comment(file, line, text, lines) {
      if (file in heads) return heads[file]
      text = ""
      for (lines = 0; lines < 12 && (getline line < file) > 0 && line ~ /^\/\//; ++lines) {
        sub(/^\/\/ ?/, "", line)
        text = text " " line
      }
      close(file)
      heads[file] = text
      return text
    }
    function is_private(file) { return head_comment(file) ~ /room.s (own use|\.cpp files only)/ }
    function is_for_sources(file) { return head_comment(file) ~ /own use|\.cpp files only/ }

    function check_room_include(target, other) {
      other = room_of("lib/" target)
      if (room == "cmd" && !(other in floor)) return  # its own folder
      if (!(other in floor)) return complain("includes " target ": no such room")
      if (other != room && room in floor && floor[other] >= floor[room])
        complain("includes " target ": " room " is on floor " floor[room] ", " other " on " floor[other])
      if (other != room && is_private("lib/" target)) complain("includes " target ", which is " other "'"'"'s own")
      if (is_header && is_for_sources("lib/" target) && !is_for_sources(FILENAME))
        complain("includes " target ", which is for .cpp files")
    }

    function check_foreign_include(target, prefix) {
      for (prefix in owner) {
        if (index(target, prefix) != 1) continue
        if (index(" " owner[prefix] " ", " " room " ") == 0)
          complain("includes <" target ">, which belongs to " owner[prefix])
        if (is_header && !is_for_sources(FILENAME)) complain("a public header includes <" target ">")
      }
    }

    function check_includes(target) {
      target = $0
      sub(/^#include +./, "", target)
      sub(/[">].*/, "", target)
      if ($0 ~ /^#include +"/) check_room_include(target)
      else check_foreign_include(target)
    }

    # In a test a long string is a sample: what came over a wire is not broken.
    function check_layout(text) {
      if ($0 ~ /\t/) complain("has a tab")
      if ($0 ~ /[ \t\r]$/) complain("ends in a blank")
      if (length($0) <= 120 || (is_test && /"/)) return
      text = $0
      gsub(/[\200-\277]/, "", text)
      if (length(text) > 120) complain("is longer than 120 columns")
    }

    function check_code(code) {
      code = $0
      sub(/(^|[^:"])\/\/.*/, "", code)
      if (code ~ /(class|struct) +[A-Za-z0-9_]*(Manager|Handler|Helper|Factory)([^A-Za-z0-9_]|$)/)
        complain("is named after an office, not after the thing")
      if (!is_library) return
      if (code ~ /(^|[^A-Za-z0-9_\/])((secure_)?getenv|setenv|unsetenv|putenv|environ)([^A-Za-z0-9_]|$)/ &&
          FILENAME != "lib/sys/environment.cpp")
        complain("reads or changes the environment")
      if (code ~ /(^|[^A-Za-z0-9_])catch *\(/ && FILENAME !~ borders) complain("catches outside the borders")
    }

    FNR == 1 {
      is_header = FILENAME ~ /\.hpp$/
      is_source = FILENAME ~ /\.(cpp|hpp)$/
      is_library = FILENAME ~ /^(lib|cmd)\//
      is_test = FILENAME ~ /^tests\//
      room = room_of(FILENAME)
      if (is_source && FILENAME ~ /^lib\// && !(room in floor)) complain("no such room: " room)
    }
    /(^|[^A-Za-z0-9_.\/~$}>-])\/work\/|\/tmp\/build|(^|[^A-Za-z0-9_])(TODO|FIXME|XXX)([^A-Za-z0-9_]|$)/ {
      if ($0 ~ /TODO|FIXME|XXX/) complain("leaves something to do")
      else complain("names a place of the machine it was written on")
    }
    /(^|[^A-Za-z0-9_.\/~$}>-])\/(home|root)\// && FILENAME !~ /^(tests|man)\// {
      complain("names a home directory")
    }
    is_source { check_layout(); check_code() }
    is_library && /^#include/ { check_includes() }
    FILENAME ~ /^tests\/.*\.sh$/ && /^test_case / && FILENAME in ended { complain("stands behind the end of the tests") }
    FILENAME ~ /^tests\/.*\.sh$/ && /^end_tests/ { ended[FILENAME] }
    FILENAME ~ /^tests\/.*\.sh$/ && /strace .*trace=none/ { complain("injects nothing: strace does so in calls that it traces") }
    END { if (NR == 0) print "tidy.sh: there is nothing to check" }
  ' "$@" < /dev/null
}

check_lengths() {
  local most=450 file lines
  printf '%s\n' "$@" | grep -v '^tests/' | xargs wc -l | while read -r lines file; do
    [[ $file == total || $lines -le $most ]] || echo "$file:$most: has $lines lines"
  done
}

# A file is found by its name alone; what is no part of a turn has a room of its own.
check_rooms() {
  find lib -name '*.?pp' | sort | awk -F/ '
    { if ($NF in path) print $0 ":1: has the name of " path[$NF]; path[$NF] = $0 }'
  find lib -mindepth 2 -name '*.?pp' -exec wc -l {} + | awk '
    split($2, part, "/") > 2 { lines[part[2]] += $1 }
    END {
      for (room in lines) if (lines[room] > lines["turn"]) exit
      if ("turn" in lines) print "lib/turn:1: is the largest room"
    }'
}

# Files of a room are compiled as one: a constant that hides one of a header changes what others mean by it.
check_constants() {
  { find lib -name '*.hpp' | sort; find lib -name '*.cpp' | sort; } | xargs awk '
    FNR == 1 { split(FILENAME, part, "/"); room = part[2]; is_header = FILENAME ~ /\.hpp$/ }
    /^(inline )?constexpr / {
      name = $0
      sub(/( =|\{|;).*/, "", name)
      if (name ~ /\(/) next
      sub(/.*[ *&>]/, "", name)
      if (is_header) header[room, name] = FILENAME
      else if ((room, name) in header) print FILENAME ":" FNR ": hides " name " of " header[room, name]
    }'
}

mapfile -t files < <(checked)
mapfile -t sources < <(printf '%s\n' "${files[@]}" | grep -E '\.(cpp|hpp)$')
found=$(check_lines "${files[@]}"; check_lengths "${sources[@]}"; check_rooms; check_constants)
[[ -z $found ]] && exit 0
printf '%s\n' "$found"
exit 1
