#!/usr/bin/env bash
# dist.sh - the source archive of the checked out revision, the same byte for byte wherever it is made: make dist.
set -euo pipefail
cd "$(dirname "$0")/.."
# what is made depends on no one's time zone, language or umask
export TZ=UTC LC_ALL=C
umask 022
version=$(sed -n 's/^#define ABDB_VERSION "\(.*\)"/\1/p' schema/core/version.h)
out=$(realpath -m "${DIST:-build/dist}")
mkdir -p "$out"
git rev-parse -q --verify HEAD >/dev/null || { echo "make dist wants a git checkout" >&2; exit 1; }
[ -z "$(git status --porcelain --untracked-files=no)" ] || echo "changes that are not committed are left out" >&2
git -c tar.umask=0002 -c core.autocrlf=false archive --format=tar --prefix="abdb-$version/" HEAD | gzip -9n >"$out/abdb-$version.tar.gz"
(cd "$out" && sha256sum "abdb-$version.tar.gz" | tee "abdb-$version.tar.gz.sha256")
