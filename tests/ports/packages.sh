#!/usr/bin/env bash
# packages.sh - the source archive and the wheel are the same byte for byte from two folders; the wheel works in an empty environment, with
# no other PATH; Debian packages pass lintian, and unpacked they work. In TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo "1..0 # SKIP not a git checkout: packages are made of a revision"; exit 0; }
echo "1..9"
n=0 failed=0
ok() { # NAME: of the command before
    local status=$?
    n=$((n + 1))
    [ $status = 0 ] && { echo "ok $n - $1"; return; }
    echo "not ok $n - $1"
    sed 's/^/#   /' "$work/out" | tail -20
    failed=1
}
skip() { # COUNT WHY
    for _ in $(seq "$1"); do
        n=$((n + 1))
        echo "ok $n # SKIP $2"
    done
}
git clone -q . "$work/one" && git clone -q . "$work/a-longer-name" && cd "$work/one" && make -s dist >"$work/out" 2>&1 && cd ../a-longer-name && make -s dist >>"$work/out" 2>&1 &&
    cmp "$work"/one/build/dist/*.tar.gz "$work"/a-longer-name/build/dist/*.tar.gz >>"$work/out" 2>&1
ok "make dist: the same archive from two folders"
(cd "$work/one/build/dist" && sha256sum -c ./*.sha256) >"$work/out" 2>&1
ok "its digest holds"

if /usr/bin/python3 -c 'import wheel, venv' 2>/dev/null && [ -f "$(gcc -print-file-name=libzstd.a)" ]; then
    for folder in one a-longer-name; do (cd "$work/$folder" && make -s wheel) >"$work/out" 2>&1 || break; done
    cmp "$work"/one/build/dist/*.whl "$work"/a-longer-name/build/dist/*.whl >>"$work/out" 2>&1
    ok "make wheel: the same wheel from two folders"
    { /usr/bin/python3 -m venv "$work/venv" && "$work/venv/bin/pip" install -q --no-index "$work"/one/build/dist/*.whl; } >"$work/out" 2>&1
    ok "pip installs it in an empty environment"
    mkdir "$work/user" && cd "$work/user" || exit 1
    env -i PATH="$work/venv/bin:/usr/bin:/bin" HOME="$work/user" NO_COLOR=1 abdb demo >"$work/out" 2>&1
    grep -q '14313.0' "$work/out" && grep -qE 'gemm n=1024 .* f32' "$work/out"
    ok "abdb demo answers and measures"
    env -i PATH="$work/venv/bin:/usr/bin:/bin" HOME="$work/user" python -c '
import abdb
abdb.import_("data", db="w.db")
rows = abdb.query("specs", db="w.db", device="H100-SXM")
assert rows and "sources" in rows.notes or rows, rows.notes
assert abdb.connect("w.db").execute("SELECT median(value) FROM v_result").fetchone()[0] > 0
assert abdb.record("x", [1.0, 2.0], db="w.db")' >"$work/out" 2>&1
    ok "the module answers, with the functions of SQL"
    cd "$root" || exit 1
else
    skip 4 "apt-get install python3-wheel python3-venv libzstd-dev liblz4-dev libacl1-dev: the wheel is not built"
fi

if command -v dh >/dev/null && command -v lintian >/dev/null; then
    (cd "$work/one" && make -s deb) >"$work/out" 2>&1
    ok "make deb: lintian has nothing to say"
    for deb in "$work"/one/build/dist/*.deb; do dpkg-deb -x "$deb" "$work/unpacked" || break; done >"$work/out" 2>&1
    mkdir -p "$work/user2" && cd "$work/user2" && env -i PATH="$work/unpacked/usr/bin:/usr/bin:/bin" HOME="$work/user2" abdb demo >"$work/out" 2>&1
    grep -q '14313.0' "$work/out"
    ok "unpacked, abdb demo answers and measures"
    [ "$(find "$work/unpacked/usr/bin" -name 'abdb-run-*' | wc -l)" -ge 4 ] && MANPATH=$work/unpacked/usr/share/man man -w abdb-compare >"$work/out" 2>&1
    ok "backends and a man page for each verb are in them"
else
    skip 3 "apt-get install debhelper lintian: Debian packages are not built"
fi
exit $failed
