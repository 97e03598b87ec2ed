#!/usr/bin/env bash
# Everything that the command tests have seen as JSON, against the schema that is installed.
#   schema.sh LINES-DIRECTORY NODE-DIRECTORY
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v node >/dev/null || { echo "this test needs node"; exit 1; }
[ -d "$2/node_modules/ajv" ] || { echo "this test needs ajv: make test installs it"; exit 1; }
CHORUS_NODE=$2 exec node "$root/tests/json/validate.mjs" "$root/lib/chat/chorus.schema.json" "$root/man/chorus-json.7.scd" "$1"/*.jsonl
