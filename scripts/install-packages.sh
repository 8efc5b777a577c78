#!/usr/bin/env bash
# Installs the missing Debian packages of one set.   usage: install-packages.sh build|test|dev
# Says what it installs; uses sudo only when not root. Elsewhere than on Debian it names what is needed and goes on:
# CMake then finds out whether everything is there.
set -euo pipefail

build=(g++ cmake ninja-build libcli11-dev nlohmann-json3-dev libspdlog-dev libyaml-cpp-dev libcurl4-openssl-dev
       libboost-dev libsqlite3-dev libsqlitecpp-dev libeigen3-dev libxxhash-dev libjs-chart.js libgtest-dev libgmock-dev)
test=(python3 python3-venv chromium)  # chromium opens the HTML report
dev=(clang-format clang-tidy)

case ${1:-} in
  build) packages=("${build[@]}") ;;
  test) packages=("${test[@]}") ;;
  dev) packages=("${dev[@]}") ;;
  *) echo "usage: $0 build|test|dev" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "not a Debian system; needed here, by their Debian names: ${packages[*]}" >&2
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || true
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "not root and no sudo; please install: ${missing[*]}" >&2
    exit 0
  fi
  root=(sudo)
fi

echo "installing Debian packages: ${missing[*]}"
apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"${apt[@]}" update >"$log" 2>&1 || echo "apt-get update failed; trying with the lists at hand" >&2
if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}" >>"$log" 2>&1; then
  tail -n 30 "$log" >&2
  exit 1
fi
