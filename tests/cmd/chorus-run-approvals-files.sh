#!/usr/bin/env bash
# A file of the workspace that changed since the approval asks again, whatever its kind and its name.
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
. "$(dirname "$0")/../support/approvals.sh"

form 'git -c core.hooksPath=hooks commit -q --allow-empty -m x' hooks/pre-commit \
    'mkdir hooks; script hooks/pre-commit "$good"' 'script hooks/pre-commit "$evil"'
form 'git commit -q --allow-empty -m x' '.git/hooks/pre-commit (new)' ':' 'mkdir -p .git/hooks; script .git/hooks/pre-commit "$evil"'
form 'git status' .git/config ':' 'git config core.fsmonitor "$evil"'
form 'make' .git/rules.mk 'echo "include .git/rules.mk" >Makefile; printf "all:\n\t%s\n" "$good" >.git/rules.mk' 'printf "all:\n\t%s\n" "$evil" >.git/rules.mk'
form 'sh x.sh' .git/x.sh 'script .git/x.sh "$good"; ln -s .git/x.sh x.sh' 'script .git/x.sh "$evil"'
form 'sh sub/.git/index' sub/.git/index 'mkdir -p sub/.git; script sub/.git/index "$good"' 'script sub/.git/index "$evil"'
form 'sh link' link 'script x.sh "$good"; script y.sh "$evil"; ln -s x.sh link' 'ln -sfn y.sh link'
form 'cd link && sh x.sh' link 'mkdir p q; script p/x.sh "$good"; script q/x.sh "$evil"; ln -s p link' 'ln -sfn q link'
form 'sh x.sh' x.sh "$make_good" 'touch -r x.sh t; sed -i s/good/evil/ x.sh; touch -r t x.sh; rm t'
form 'sh x.sh' 'x.sh, y.sh (gone)' "$make_good; script y.sh \"\$evil\"" 'mv y.sh x.sh'
form 'sh p/x.sh' 'p, p/x.sh, q (gone), q/x.sh (gone)' 'mkdir p q; script p/x.sh "$good"; script q/x.sh "$evil"' 'rm -r p; mv q p'
form './x.sh || sh y.sh' x.sh "$make_good; script y.sh \"\$evil\"" 'chmod -x x.sh'
form 'sh hard' 'hard, x.sh' "$make_good; ln x.sh hard" 'sed -i s/good/evil/ x.sh; ln -f x.sh hard'
form 'sh ignored/x.sh' ignored/x.sh 'echo ignored >.gitignore; mkdir ignored; script ignored/x.sh "$good"' 'script ignored/x.sh "$evil"'
form 'sh .hidden' .hidden 'script .hidden "$good"' 'script .hidden "$evil"'
form 'sh "$(printf "a\nb")"' 'a\nb' 'script $'"'a\nb'"' "$good"' 'script $'"'a\nb'"' "$evil"'
form 'sh 9' '0 (new), 1 (new), 2 (new), 3 (new), 4 (new), 5 (new), 6 (new), 7 (new) and 2 more' 'script 9 "$good"' 'for i in {0..8}; do echo $i >$i; done; script 9 "$evil"'

end_tests
