#!/bin/sh
# The main job, with no key and no network: an agent in a temporary home, a real turn with tools.
set -eu
PATH=$(cd "$1" && pwd):$PATH
CHORUS_HOME=$(mktemp -d)/home
export CHORUS_HOME
trap 'rm -rf "$(dirname "$CHORUS_HOME")"' EXIT
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
if ! [ -t 1 ]; then say() { printf '\n== %s\n' "$*"; }; fi

say 'chorus-init demo --model builtin/script --permissions sandboxed'
chorus-init demo --model builtin/script --permissions sandboxed

# Where bubblewrap cannot start, the weaker one.
if ! chorus-config doctor >/dev/null; then
    say 'chorus-config set sandbox landlock'
    chorus-config set sandbox landlock
    chorus-config doctor
fi

say 'chorus-run demo <prompt   (lines that begin with / are tool calls)'
chorus-run demo <<'PROMPT'
Make a greeting, try it, and commit it.
/create_file {"path": "hello.sh", "content": "#!/bin/sh\necho hello from $(pwd)\n"}
/str_replace {"path": "hello.sh", "old_str": "hello", "new_str": "good morning"}
/view hello.sh
/bash sh hello.sh && id -un
/search_files morning
/git_commit Say good morning
/git_log {"count": 2}
PROMPT

workspace=$CHORUS_HOME/agents/demo/workspace
say 'the files made'
ls -l "$workspace"
say 'git log'
git -C "$workspace" log --format='%h %an: %s'
say 'the audit log'
sqlite3 -header -column "$CHORUS_HOME/chorus.db" \
  "SELECT id, decision, substr(action_string, 1, 50) AS action, substr(detail, 1, 60) AS detail FROM audit_log"
say 'and again, as JSON, in the same conversation'
chorus-run demo --json 'What did I ask before?' | jq -c '{agent, turn, state, exit_code, text: .text[0:60]}'
