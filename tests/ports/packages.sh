#!/usr/bin/env bash
# packages.sh - the source archive, the wheel and the Debian packages are the same byte for byte from two folders; the wheel works in an empty
# environment, with no other PATH; the packages pass lintian, and unpacked they work. In TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
git rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo "1..0 # SKIP not a git checkout: packages are made of a revision"; exit 0; }
echo "1..10"
. tests/ports/ok.sh
skip() { # COUNT WHY
    for _ in $(seq "$1"); do
        n=$((n + 1))
        echo "ok $n # SKIP $2"
    done
}
git clone -q . "$dir/one" && git clone -q . "$dir/a-longer-name" && cd "$dir/one" && make -s dist >"$dir/out" 2>&1 && cd ../a-longer-name && make -s dist >>"$dir/out" 2>&1 &&
    cmp "$dir"/one/build/dist/*.tar.gz "$dir"/a-longer-name/build/dist/*.tar.gz >>"$dir/out" 2>&1
ok "make dist: the same archive from two folders"
(cd "$dir/one/build/dist" && sha256sum -c ./*.sha256) >"$dir/out" 2>&1
ok "its digest holds"

if /usr/bin/python3 -c 'import wheel, venv' 2>/dev/null && [ -f "$(gcc -print-file-name=libzstd.a)" ]; then
    for folder in one a-longer-name; do (cd "$dir/$folder" && make -s wheel) >"$dir/out" 2>&1 || break; done
    cmp "$dir"/one/build/dist/*.whl "$dir"/a-longer-name/build/dist/*.whl >>"$dir/out" 2>&1
    ok "make wheel: the same wheel from two folders"
    { /usr/bin/python3 -m venv "$dir/venv" && "$dir/venv/bin/pip" install -q --no-index "$dir"/one/build/dist/*.whl; } >"$dir/out" 2>&1
    ok "pip installs it in an empty environment"
    mkdir "$dir/user" && cd "$dir/user" || exit 1
    env -i PATH="$dir/venv/bin:/usr/bin:/bin" HOME="$dir/user" NO_COLOR=1 abdb demo >"$dir/out" 2>&1 && grep -q '14313.0' "$dir/out" && grep -qE 'gemm n=1024 .* f32' "$dir/out"
    ok "abdb demo answers and measures"
    env -i PATH="$dir/venv/bin:/usr/bin:/bin" HOME="$dir/user" python -c '
import abdb
abdb.import_("data", db="w.db")
rows = abdb.query("specs", db="w.db", device="H100-SXM")
assert rows and "sources" in rows.notes or rows, rows.notes
assert abdb.connect("w.db").execute("SELECT median(value) FROM v_result").fetchone()[0] > 0
assert abdb.record("x", [1.0, 2.0], db="w.db")' >"$dir/out" 2>&1
    ok "the module answers, with the functions of SQL"
    cd "$root" || exit 1
else
    skip 4 "apt-get install python3-wheel python3-venv libzstd-dev liblz4-dev libacl1-dev: the wheel is not built"
fi

if command -v dh >/dev/null && command -v lintian >/dev/null; then
    for folder in one a-longer-name; do (cd "$dir/$folder" && make -s deb) >"$dir/out" 2>&1 || { false; break; }; done
    ok "make deb: lintian has nothing to say"
    (cd "$dir/one/build/dist" && sha256sum ./*.deb) >"$dir/sums" && (cd "$dir/a-longer-name/build/dist" && sha256sum -c "$dir/sums") >"$dir/out" 2>&1
    ok "the same packages from two folders"
    for deb in "$dir"/one/build/dist/*.deb; do dpkg-deb -x "$deb" "$dir/unpacked" || break; done >"$dir/out" 2>&1
    mkdir -p "$dir/user2" && cd "$dir/user2" && env -i PATH="$dir/unpacked/usr/bin:/usr/bin:/bin" HOME="$dir/user2" abdb demo >"$dir/out" 2>&1 &&
        grep -q '14313.0' "$dir/out"
    ok "unpacked, abdb demo answers and measures"
    [ "$(find "$dir/unpacked/usr/bin" -name 'abdb-run-*' | wc -l)" -ge 4 ] && MANPATH=$dir/unpacked/usr/share/man man -w abdb-compare >"$dir/out" 2>&1
    ok "backends and a man page for each verb are in them"
else
    skip 4 "apt-get install debhelper lintian: Debian packages are not built"
fi
exit $failed
