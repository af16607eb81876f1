#!/usr/bin/env bash
# A walk through membraind in a temporary directory: remember, ask, contradict, look into the log. make demo runs it.
set -euo pipefail
cd "$(dirname "$0")/.."

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export CGO_ENABLED=0
go build -o "$dir/membraind" ./cmd/membraind
export MEMBRAIN_DATA=$dir/data MEMBRAIN_NAMESPACE=demo

say() {
    printf '\n$ membraind'
    printf ' %q' "$@"
    printf '\n'
    "$dir/membraind" "$@"
}

say encode 'The staging database runs in Paris.' --type fact --tag infra
say encode 'Ada prefers short answers with an example.' --type user_preference
say encode 'The nightly backup failed because the disk was full.' --type event --tag infra
say recall 'where does staging run?' --limit 3
say encode 'The staging database runs in Frankfurt.' --type fact --tag infra
say recall 'where does staging run?' --limit 3
say explain 'where does staging run?'
say stats
say audit verify
say replay --digest
say doctor
