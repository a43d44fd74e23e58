#!/usr/bin/env bash
# sysroot.sh - the libraries that abdb links, of another architecture of this Debian, unpacked into a folder; nothing is installed.
# sysroot.sh ARCHITECTURE FOLDER. Exit 1, with a word, where apt cannot reach them.
set -euo pipefail
arch=$1 root=$2
packages="libc6-dev libsqlite3-dev libcsv-dev libarchive-dev libjansson-dev libssl-dev libcmocka-dev zlib1g-dev libgomp1 libgcc-12-dev"
[ "$packages" != "$(cat "$root/complete" 2>/dev/null)" ] || exit 0
command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { echo "no apt-get or dpkg-deb"; exit 1; }
mkdir -p "$root"
root=$(cd "$root" && pwd)
state=$(mktemp -d "$root/apt.XXXXXX")
trap 'rm -rf "$state"' EXIT
mkdir -p "$state/lists/partial" "$state/archives/partial"
: >"$state/status"
apt=(apt-get -qq -o APT::Architecture="$arch" -o APT::Architectures="$arch" -o Dir::State::status="$state/status"
     -o Dir::State::lists="$state/lists" -o Dir::Cache="$state" -o Dir::Cache::archives="$state/archives" -o Debug::NoLocking=1
     -o APT::Install-Recommends=0 -o APT::Sandbox::User=)
"${apt[@]}" update >"$state/log" 2>&1 && "${apt[@]}" install -y --download-only $packages >>"$state/log" 2>&1 ||
    { echo "apt has no packages of $arch: $(grep -m1 '^[EW]:' "$state/log" || true)"; exit 1; }
for deb in "$state"/archives/*.deb; do dpkg-deb -x "$deb" "$root"; done
echo "$packages" >"$root/complete"
