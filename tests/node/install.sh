#!/usr/bin/env bash
# install.sh DIRECTORY: what tests need from npm, as package-lock.json pins it; nothing where it is there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
cmp -s "$here/package-lock.json" installed.json && exit 0
cp "$here/package.json" "$here/package-lock.json" .
# certificates that the machine trusts, npm does
export NODE_EXTRA_CA_CERTS=${NODE_EXTRA_CA_CERTS:-/etc/ssl/certs/ca-certificates.crt}
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
cp package-lock.json installed.json
