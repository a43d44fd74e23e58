#!/usr/bin/env bash
# wheel.sh - a Python wheel: programs, backends without libraries, data, SQL extension, module: make wheel. Into build/dist.
#
# Its files lie as `make install` puts them (bin, lib/abdb, share/abdb), below the environment that pip installs into. Of the system
# it wants only libc; libraries are linked in (packages/static.mk), and the licence of each is in the wheel.
set -euo pipefail
cd "$(dirname "$0")/.."
# what is made depends on no one's time zone, language or umask
export TZ=UTC LC_ALL=C
umask 022
python=${PYTHON:-/usr/bin/python3}
"$python" -c 'import wheel' 2>/dev/null || { echo "make wheel wants python3-wheel: apt-get install python3-wheel" >&2; exit 1; }
# dates of files in it: of the last commit, or of the newest file where there is no git
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y schema/core/version.h)}
${MAKE:-make} -s STATIC=1 all >/dev/null
version=$(sed -n 's/^#define ABDB_VERSION "\(.*\)"/\1/p' schema/core/version.h)
out=$(realpath -m "${DIST:-build/dist}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
make -s STATIC=1 install DESTDIR="$work/stage" >/dev/null
stage=$work/stage/usr/local
top=$work/abdb-$version
info=$top/abdb-$version.dist-info
mkdir -p "$out" "$top/abdb-$version.data/scripts" "$top/abdb-$version.data/data" "$info/licenses"
cp "$stage"/bin/* "$top/abdb-$version.data/scripts"
cp -r "$stage/lib" "$stage/share" "$top/abdb-$version.data/data"
cp -L "$(gcc -print-file-name=libgomp.so.1)" "$top/abdb-$version.data/data/lib/abdb"
find "$top" -type f -exec sh -c 'head -c4 "$1" | grep -q ELF && strip --strip-unneeded "$1"' - {} \;
cp -r query/python/abdb "$top/abdb"
find "$top" -name __pycache__ -prune -exec rm -r {} +
cp LICENSE NOTICE "$info/licenses"
for name in libsqlite3-0 libcsv3 libarchive13 libjansson4 libssl3 zlib1g liblzma5 libbz2-1.0 libzstd1 liblz4-1 libacl1 libnettle8 libgomp1; do
    cp -L "/usr/share/doc/$name/copyright" "$info/licenses/$name.txt"
done
# abdb.wasm is linked with wasi-libc
[ ! -e "$stage/share/abdb/abdb.wasm" ] || cp -L /usr/share/doc/wasi-libc/copyright "$info/licenses/wasi-libc.txt"
# pip removes a folder only where a file of ours lies directly in it: without one, share and share/man would stay behind, empty
find "$top/abdb-$version.data/data/share" -type d | while read -r folder; do
    [ -n "$(find "$folder" -maxdepth 1 -type f)" ] || : >"$folder/.abdb"
done
# the newest symbol of libc that is asked for says on which systems it runs
glibc=$(find "$top" -type f -exec sh -c 'head -c4 "$1" | grep -q ELF && objdump -T "$1"' - {} \; 2>/dev/null | grep -o 'GLIBC_2\.[0-9]*' | sort -V | tail -1)
machine=$(uname -m)
tag=manylinux_${glibc#GLIBC_}_$machine
tag=${tag/_2./_2_}
cat >"$info/WHEEL" <<EOF
Wheel-Version: 1.0
Generator: abdb $version
Root-Is-Purelib: false
Tag: py3-none-$tag
EOF
packages/metadata.sh "$top"
chmod -R u=rwX,go=rX "$top" # the checkout may have been made under another umask
"$python" -m wheel pack -d "$out" "$top" >/dev/null
(cd "$out" && ls -1 "abdb-$version-py3-none-$tag.whl" && sha256sum "abdb-$version-py3-none-$tag.whl")
