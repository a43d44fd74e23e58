#!/usr/bin/env bash
# wasm_sources.sh - the sources of SQLite and jansson that abdb.wasm is compiled of, from Debian's source packages: wasm_sources.sh FOLDER.
#
# They are those of the release that runs here, patched as its libraries are, and checked by apt. The lists of packages of this machine
# stay as they are.
set -euo pipefail
out=$1
for tool in apt-get dpkg-source tclsh make gcc; do
    command -v $tool >/dev/null || { echo "the sources of abdb.wasm want $tool: apt-get install dpkg-dev tcl make gcc" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
mkdir -p "$work/lists/partial"
for suite in "debian $release" "debian $release-updates" "debian-security $release-security"; do
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/${suite% *} ${suite#* } main"
done >"$work/sources.list"
apt=(apt-get -qq -o "Dir::Etc::SourceList=$work/sources.list" -o Dir::Etc::SourceParts=/dev/null -o "Dir::State::Lists=$work/lists" -o "Dir::Cache=$work")
chmod 755 "$work"
"${apt[@]}" update >/dev/null
(cd "$work" && "${apt[@]}" source sqlite3 jansson >/dev/null 2>"$work/log") || { cat "$work/log" >&2; exit 1; }
(cd "$work"/sqlite3-*/ && ./configure >/dev/null && make sqlite3.c) >"$work/log" 2>&1 || { tail -5 "$work/log" >&2; exit 1; }
rm -rf "$out" && mkdir -p "$out.tmp/jansson"
cp "$work"/sqlite3-*/sqlite3.[ch] "$out.tmp"
cp "$work"/jansson-*/src/*.[ch] "$work"/jansson-*/android/jansson_config.h "$work"/jansson-*/LICENSE "$out.tmp/jansson"
(cd "$work" && sha256sum ./*.dsc) >"$out.tmp/packages"
mv "$out.tmp" "$out"
