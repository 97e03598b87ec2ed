#!/usr/bin/env bash
# The page of chorus-context export --format html, in a real browser.
#   CHORUS_PICTURES=DIR keeps screenshots
installed=${CHORUS_NODE:?the directory that install.sh filled}
pictures=${CHORUS_PICTURES:-}
. "$(dirname "$0")/../support/lib.sh"
. "$(dirname "$0")/../support/turns.sh"
for tool in node chromium; do
    command -v "$tool" >/dev/null || { echo "this test needs $tool"; exit 1; }
done
[ -d "$installed/node_modules/playwright-core" ] || { echo "this test needs playwright-core: make test installs it"; exit 1; }
browser=$here/browser

shows_well() { # PAGE
    run env CHORUS_NODE="$installed" node "$browser/page.mjs" "$1" "$pictures"
    [ "$status" = 0 ] || fail 'the page'
}

test_case "a hostile conversation runs nothing, leads nowhere, and can be read, searched and folded"
init ada --model builtin/script
node "$browser/conversation.mjs" >ada.jsonl
run chorus-context import ada ada.jsonl
expect_status 0
run chorus-context export ada -o ada.html
expect_status 0
shows_well "$scratch/ada.html"

end_tests
