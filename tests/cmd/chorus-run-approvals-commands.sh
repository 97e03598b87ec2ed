#!/usr/bin/env bash
# An approval is for the workspace as it was when it was given: whatever a command would run, read or
# find there, by whatever words, a change of it asks again, and nothing is run before.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/approvals.sh"

form 'sh x.sh' x.sh "$make_good" "$swap"
form './x.sh' x.sh "$make_good" "$swap"
form '. ./x.sh' x.sh "$make_good" "$swap"
form 'source x.sh' x.sh "$make_good" "$swap"
form 'sh *.sh' x.sh "$make_good" "$swap"
form 'sh ?.s[h]' x.sh "$make_good" "$swap"
form 'sh *.sh' '0.sh (new)' "$make_good" 'script 0.sh "$evil"'
form 'f=x; sh $f.sh' x.sh "$make_good" "$swap"
form 'cat x.sh | sh' x.sh "$make_good" "$swap"
form 'find . -name "*.sh" -exec sh {} \;' x.sh "$make_good" "$swap"
form 'ls | xargs -n 1 sh' x.sh "$make_good" "$swap"
form 'env A=1 sh x.sh' x.sh "$make_good" "$swap"
form 'timeout 9 bash -c "sh ./x*"' x.sh "$make_good" "$swap"
form 'bash -c "$(printf "s%s x.%s" h sh)"' x.sh "$make_good" "$swap"
form 'cd sub && sh x.sh' sub/x.sh 'mkdir sub && script sub/x.sh "$good"' 'script sub/x.sh "$evil"'
form 'sh sub/../x.sh' x.sh "mkdir sub; $make_good" "$swap"
form 'make' Makefile 'printf "all:\n\t%s\n" "$good" >Makefile' 'printf "all:\n\t%s\n" "$evil" >Makefile'
form 'make' 'GNUmakefile (new)' 'printf "all:\n\t%s\n" "$good" >Makefile' 'printf "all:\n\t%s\n" "$evil" >GNUmakefile'
form 'make' inc.mk 'echo "include inc.mk" >Makefile; printf "all:\n\t%s\n" "$good" >inc.mk' 'printf "all:\n\t%s\n" "$evil" >inc.mk'
form 'npm test' package.json 'jq -n --arg c "$good" "{scripts: {test: \$c}}" >package.json' 'jq -n --arg c "$evil" "{scripts: {test: \$c}}" >package.json'
form 'python3 -m job' job.py "printf 'import os\nos.system(\"%s\")\n' \"\$good\" >job.py" "printf 'import os\nos.system(\"%s\")\n' \"\$evil\" >job.py"
form 'python3 -c "import job"' job/__init__.py "mkdir job; : >job/__init__.py" "printf 'import os\nos.system(\"%s\")\n' \"\$evil\" >job/__init__.py"
form 'PATH=$PWD/bin:$PATH; tool' bin/tool 'mkdir bin; script bin/tool "$good"' 'script bin/tool "$evil"'
form 'PATH=$PWD/bin:$PATH; ls' 'bin/ls (new)' 'mkdir bin; script bin/tool "$good"' 'script bin/ls "$evil"'

end_tests
