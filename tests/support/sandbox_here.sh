#!/bin/sh
# Whether commands can be confined on this machine, before anything is built: make demo.
set -eu
bwrap_says=$(bwrap --unshare-user --disable-userns --unshare-pid --unshare-net --cap-drop ALL --new-session \
    --ro-bind / / --proc /proc --dev /dev true 2>&1) && exit 0

# landlock_create_ruleset(2) tells the version that the kernel has.
probe=$(mktemp)
trap 'rm -f "$probe"' EXIT
c++ -x c++ -o "$probe" - <<'PROGRAM'
#include <unistd.h>
int main() { return syscall(444, nullptr, 0UL, 1U) >= 2 ? 0 : 1; }
PROGRAM
if "$probe"; then
    echo "demo: notice: $bwrap_says"
    echo "demo: notice: commands are confined by Landlock alone, which is weaker (man chorus-sandbox)"
    exit 0
fi
{
    echo "demo: error: no command can be confined here: the kernel has no Landlock, and $bwrap_says"
    echo "demo: hint: let user namespaces through: docker run --security-opt seccomp=unconfined" \
        "--security-opt apparmor=unconfined"
} >&2
exit 1
