#!/usr/bin/env bash
# deb.sh - Debian packages of the checked out revision, checked by lintian: make deb. Into build/dist. DEBFULLNAME and DEBEMAIL: who makes them.
set -euo pipefail
cd "$(dirname "$0")/.."
# what is made depends on no one's time zone, language or umask
export TZ=UTC LC_ALL=C
umask 022
for tool in dh dpkg-buildpackage lintian; do
    command -v $tool >/dev/null || { echo "make deb wants $tool: apt-get install debhelper dpkg-dev lintian" >&2; exit 1; }
done
packages/dist.sh >/dev/null
version=$(sed -n 's/^#define ABDB_VERSION "\(.*\)"/\1/p' schema/core/version.h)
out=$(realpath -m "${DIST:-build/dist}")
work=$PWD/build-ports/deb
export WASM_SOURCES=${WASM_SOURCES:-$PWD/build/wasm/sources} # those that make wasm fetched; without them the packages lack abdb.wasm
when=$(git log -1 --format=%ct) # of the revision, in seconds: no time zone has a part in it
rm -rf "$work" && mkdir -p "$work"
tar xzf "$out/abdb-$version.tar.gz" --no-same-permissions -C "$work" # root would take the modes as they are, others under umask
cd "$work/abdb-$version"
cp -r packages/debian debian
maintainer="${DEBFULLNAME:-The abdb authors} <${DEBEMAIL:-abdb@localhost}>"
sed -i "s/@MAINTAINER@/$maintainer/" debian/control
cat >debian/changelog <<EOF
abdb ($version) unstable; urgency=medium

  * See CHANGELOG.md.

 -- $maintainer  $(date -u -R -d "@$when")
EOF
DEB_BUILD_OPTIONS="nocheck parallel=$(nproc) ${DEB_BUILD_OPTIONS:-}" dpkg-buildpackage -us -uc -b >"$out/deb.log" 2>&1 || { tail -30 "$out/deb.log" >&2; exit 1; }
rm -rf "$out"/*.deb "$out/debug"
mkdir "$out/debug" # symbols for debuggers, which `apt-get install ./build/dist/*.deb` leaves out
find .. -maxdepth 1 -name "*-dbgsym_*.deb" -exec mv -t "$out/debug" {} +
mv ../*.deb "$out"
# without an address of yours the packages carry none, which lintian would not have
lintian --fail-on error,warning $([ -n "${DEBEMAIL:-}" ] || echo --suppress-tags bogus-mail-host,bogus-mail-host-in-debian-changelog) $(find "$out" -name '*.deb')
cd "$out" && find . -name '*.deb' | sort
