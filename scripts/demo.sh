#!/usr/bin/env bash
# Tunes the bundled simulated server into a fresh directory under results/ and says where the report is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=results/demo
for ((n = 2; ; n++)); do
  [ -e "$out" ] || break
  out=results/demo-$n
done
build/paretune tune configs/demo.yaml --out "$out"
echo
echo "report: $PWD/$out/report.html"
