#!/bin/bash
# Plants every fault that tidy.sh is there to find in a copy of the sources, and one thing of each kind
# that is allowed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cd "$root"
mkdir -p lib/{base,sys,net,repo,tools,misc} cmd/chorus-x tests/unit/net

plant() { printf '%b' "$2" >> "$1"; }
wanted=()
fault() { plant "$1" "$2"; wanted+=("$3"); }

plant lib/base/fine.cpp '#include <fmt/format.h>\n#include "base/fine.hpp"\n// a TODOlist, catch (it), getenv\n'
plant lib/base/fine.hpp '#pragma once\n'
plant lib/base/fine.cpp 'std::string name = "/tmp/XXXXXX"; int catches(int); const char* e = "/proc/self/environ";\n'
plant lib/repo/git.hpp "// Include it in this room's .cpp files\n// only.\n#include <git2.h>\n"
plant lib/sys/own.hpp "// For this room's own use.\n"
plant tests/unit/net/net.cpp 'try { getenv("HOME"); } catch (int) {} // /home/me\n'
plant cmd/chorus-x/main.cpp '#include "chorus-x/verb.hpp"\n#include "tools/tool.hpp"\n#include <CLI/CLI.hpp>\n'

fault lib/base/up.cpp '#include "sys/fd.hpp"\n' 'lib/base/up.cpp:1: includes sys/fd.hpp: base is on floor 1, sys on 2'
fault lib/net/beside.cpp '#include "repo/repository.hpp"\n' 'lib/net/beside.cpp:1: includes repo/repository.hpp: net is on floor 3'
fault lib/net/nowhere.cpp '#include "util/x.hpp"\n' 'lib/net/nowhere.cpp:1: includes util/x.hpp: no such room'
fault lib/misc/a.hpp '#pragma once\n' 'lib/misc/a.hpp:1: no such room: misc'
fault lib/tools/own.cpp '#include "sys/own.hpp"\n' "lib/tools/own.cpp:1: includes sys/own.hpp, which is sys's own"
fault lib/repo/leak.hpp '#include "repo/git.hpp"\n' 'lib/repo/leak.hpp:1: includes repo/git.hpp, which is for .cpp files'
fault lib/net/public.hpp '#include <curl/curl.h>\n' 'lib/net/public.hpp:1: a public header includes <curl/curl.h>'
fault lib/tools/sql.cpp '#include <sqlite3.h>\n' 'lib/tools/sql.cpp:1: includes <sqlite3.h>, which belongs to store'
fault cmd/json.cpp '#include <nlohmann/json.hpp>\n' 'cmd/json.cpp:1: includes <nlohmann/json.hpp>, which belongs to chat'
fault lib/net/env.cpp 'f(std::getenv("HOME"));\n' 'lib/net/env.cpp:1: reads or changes the environment'
fault lib/net/place.cpp 'open("/work/main/x");\n' 'lib/net/place.cpp:1: names a place of the machine'
fault lib/net/home.cpp 'open("/root/x");\n' 'lib/net/home.cpp:1: names a home directory'
fault lib/net/wide.cpp "$(printf '%0121d' 0)\n" 'lib/net/wide.cpp:1: is longer than 120 columns'
fault lib/net/tab.cpp 'int\tx;\n' 'lib/net/tab.cpp:1: has a tab'
fault lib/net/blank.cpp 'int x; \n' 'lib/net/blank.cpp:1: ends in a blank'
fault lib/net/long.cpp "$(printf '\\n%.0s' {1..451})" 'lib/net/long.cpp:450: has 451 lines'
fault lib/net/office.cpp 'class ClientManager {\n' 'lib/net/office.cpp:1: is named after an office'
fault lib/net/later.cpp '// TODO: later\n' 'lib/net/later.cpp:1: leaves something to do'
fault lib/net/catch.cpp '} catch (const Error&) {\n' 'lib/net/catch.cpp:1: catches outside the borders'
fault tests/unit/net/kills.sh 'strace -f -e trace=none -e inject=fsync:signal=KILL x\n' 'tests/unit/net/kills.sh:1: injects nothing'
fault tests/unit/net/cases.sh 'test_case "one"\nend_tests\ntest_case "two"\n' 'tests/unit/net/cases.sh:3: stands behind the end of the tests'

fault lib/sys/twice.hpp '' 'lib/sys/twice.hpp:1: has the name of lib/base/twice.hpp'
plant lib/base/twice.hpp '#pragma once\n'
mkdir lib/turn
plant lib/turn/large.hpp "$(printf '\\n%.0s' {1..440})"
plant lib/net/limits.hpp '#pragma once\ninline constexpr int most = 3;\n'
fault lib/net/hides.cpp 'constexpr std::array<int, 2> most{};\n' 'lib/net/hides.cpp:1: hides most of lib/net/limits.hpp'
fault lib/turn/larger.hpp "$(printf '\\n%.0s' {1..440})" 'lib/turn:1: is the largest room'

status=0
output=$(bash "$here/tidy.sh" "$root") || status=$?
[[ $status -eq 1 ]] || { echo "tidy.sh: exit status $status"; exit 1; }
for line in "${wanted[@]}"; do
  grep -qF -- "$line" <<< "$output" || { echo "not found: $line"; status=2; }
done
for file in lib/base/fine lib/repo/git.hpp lib/sys/own.hpp tests/unit/net/net.cpp cmd/chorus-x/; do
  ! grep -F -- "$file" <<< "$output" || { echo "found in $file, where nothing is wrong"; status=2; }
done
[[ $status -eq 1 ]]
