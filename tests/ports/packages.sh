#!/usr/bin/env bash
# packages.sh - the source archive, the wheel and the Debian packages are the same byte for byte from two folders, the second with another time
# zone, umask and language; the wheel works in an empty environment, with no other PATH, and its plug-in in pytest; the packages pass lintian, and
# unpacked they work. In TAP.
# packages.sh [archive] [given] [wheel] [deb]: these parts; given: what deb gives to dpkg-buildpackage, without building. Wheel and packages take
# two whole builds each; FOLDER= keeps them, so that what was interrupted goes on.
set -uo pipefail
cd "$(dirname "$0")/../.."
root=$PWD parts=${*:-archive given wheel deb}
git rev-parse -q --verify HEAD >/dev/null 2>&1 || { echo "1..0 # SKIP not a git checkout: packages are made of a revision"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. tests/ports/ok.sh
folders=("$(realpath -m "${FOLDER:-$dir}")"/{one,a-longer-name})
language=de_DE.UTF-8
localedef -i de_DE -f UTF-8 "$dir/$language" >/dev/null 2>&1 || [ -d "$dir/$language" ] || language=C.UTF-8
of() { # FOLDER COMMAND...: as is done for it: the second has another time zone, umask and language, and names build/dist from the root
    if [ "$1" = "${folders[0]}" ]; then "${@:2}"; else (umask 077 && LOCPATH=$dir LC_ALL=$language TZ=West7:30 DIST=$1/build/dist "${@:2}"); fi
}
both() { # WHAT PATTERNS: make WHAT in both folders gives the same files
    local f head
    head=$(git rev-parse HEAD)
    for f in "${folders[@]}"; do
        [ "$(cat "$f/build/dist/$1.of" 2>/dev/null)" = "$head" ] || { of "$f" make -s -C "$f" "$1" >"$dir/out" 2>&1 && echo "$head" >"$f/build/dist/$1.of"; } || return
    done
    (cd "${folders[0]}/build/dist" && sha256sum $2) >"$dir/sums" && (cd "${folders[1]}/build/dist" && sha256sum -c "$dir/sums") >>"$dir/out" 2>&1 &&
        [ "$(cd "${folders[1]}/build/dist" && ls $2 | wc -l)" = "$(wc -l <"$dir/sums")" ]
}
bare() { env -i PATH="$1:/usr/bin:/bin" HOME="$dir/user" NO_COLOR=1 "${@:2}" >"$dir/out" 2>&1; } # FOLDER COMMAND...: as a user who has nothing else
demo() { bare "$1" abdb demo && grep -q '14313.0' "$dir/out" && grep -qE 'gemm n=1024 .* f32' "$dir/out"; }
mkdir "$dir/user"
for f in "${folders[@]}"; do
    [ -d "$f" ] || of "$f" git clone -q . "$f"
    git -C "$f" fetch -q "$root" HEAD && of "$f" git -C "$f" reset -q --hard FETCH_HEAD || exit 1
done

archive() {
    both dist '*.tar.gz'
    ok "make dist: the same archive from two folders"
    (cd "${folders[0]}/build/dist" && sha256sum -c ./*.sha256) >"$dir/out" 2>&1
    ok "its digest holds"
}

given() {
    local f
    mkdir -p "$dir/stubs"
    printf '#!/bin/sh\n' | tee "$dir/stubs/dh" "$dir/stubs/lintian" >/dev/null
    cat >"$dir/stubs/dpkg-buildpackage" <<'END'
#!/bin/sh
{ cat debian/changelog debian/control && find . -printf '%m %P\n' | LC_ALL=C sort; } >../given.deb
END
    chmod +x "$dir"/stubs/*
    for f in "${folders[@]}"; do
        PATH=$dir/stubs:$PATH of "$f" "$f/packages/deb.sh" && mv "$f/build/dist/given.deb" "$f.given" || break
    done >"$dir/out" 2>&1
    { grep -q "^ -- .* $(LC_ALL=C date -u -R -d "@$(git log -1 --format=%ct)")$" "${folders[0]}.given" && grep -q '^755 packages/deb.sh$' "${folders[0]}.given" &&
        diff "${folders[0]}.given" "${folders[1]}.given"; } >>"$dir/out" 2>&1
    ok "dpkg-buildpackage is given the same from two folders, dated as the revision is"
}

wheel() {
    /usr/bin/python3 -c 'import wheel, venv' 2>/dev/null && [ -f "$(gcc -print-file-name=libzstd.a)" ] ||
        { echo "# SKIP the wheel: apt-get install python3-wheel python3-venv libzstd-dev liblz4-dev libacl1-dev"; return; }
    both wheel '*.whl'
    ok "make wheel: the same wheel from two folders"
    { /usr/bin/python3 -m venv "$dir/venv" && "$dir/venv/bin/pip" install -q --no-index "${folders[0]}"/build/dist/*.whl; } >"$dir/out" 2>&1
    ok "pip installs it in an empty environment"
    cd "$dir/user" || exit 1
    demo "$dir/venv/bin"
    ok "abdb demo answers and measures"
    bare "$dir/venv/bin" python -c '
import abdb
abdb.import_("data", db="w.db")
rows = abdb.query("specs", db="w.db", device="H100-SXM")
assert len(rows) == 1 and rows.notes, rows.notes
assert abdb.connect("w.db").execute("SELECT median(value) FROM v_result").fetchone()[0] > 0
abdb.record("x", [1.0, 2.0], db="w.db")
assert len(abdb.query("SELECT 1 FROM v_run WHERE workload = '"'x'"'", db="w.db")) == 1'
    ok "the module answers, with the functions of SQL"
    bare "$dir/venv/bin" python "$root/tests/checks/ask_by_mcp.py" 2025-11-25 w.db
    ok "a client of the Model Context Protocol gets a cited number in four calls"
    if /usr/bin/python3 -c 'import pytest' 2>/dev/null; then
        printf 'def test_sort(abdb):\n    abdb(sorted, list(range(1000)))\n' >test_speed.py
        { /usr/bin/python3 -m venv --system-site-packages "$dir/pytest" && "$dir/pytest/bin/pip" install -q --no-index "${folders[0]}"/build/dist/*.whl; } >"$dir/out" 2>&1 &&
            bare "$dir/pytest/bin" python -m pytest -q --abdb-tag first --abdb-repeat 2 test_speed.py &&
            bare "$dir/pytest/bin" abdb query "SELECT DISTINCT tag FROM v_run" && grep -q first "$dir/out"
        ok "the plug-in measures in pytest"
        left() { find "$dir/pytest" "$dir/venv" -name '*abdb*' -not -path '*/pip/*'; find "$dir/pytest" "$dir/venv" -type d -empty -not -name include -not -path '*/include/python*'; }
        { "$dir/pytest/bin/pip" uninstall -qy abdb && "$dir/venv/bin/pip" uninstall -qy abdb && [ -z "$(left)" ]; } >"$dir/out" 2>&1 || { left >>"$dir/out"; false; }
        ok "pip uninstall leaves no file and no empty folder"
    else echo "# SKIP the plug-in: apt-get install python3-pytest"; fi
    cd "$root" || exit 1
}

deb() {
    command -v dh >/dev/null && command -v lintian >/dev/null || { echo "# SKIP Debian packages: apt-get install debhelper lintian"; return; }
    both deb '*.deb debug/*.deb'
    ok "make deb: the same packages from two folders, and lintian has nothing to say"
    for deb in "${folders[0]}"/build/dist/*.deb; do dpkg-deb -x "$deb" "$dir/unpacked" || break; done >"$dir/out" 2>&1
    cd "$dir/user" && demo "$dir/unpacked/usr/bin"
    ok "unpacked, abdb demo answers and measures"
    [ "$(find "$dir/unpacked/usr/bin" -name 'abdb-run-*' | wc -l)" -ge 4 ] && MANPATH=$dir/unpacked/usr/share/man man -w abdb-compare >"$dir/out" 2>&1
    ok "backends and a man page for each verb are in them"
    no_pattern=$(cd "${folders[0]}/build/dist" && ls ./*.deb | grep -c dbgsym)
    { [ "$no_pattern" = 0 ] && dpkg-deb -f "${folders[0]}"/build/dist/abdb-backend-openblas_*.deb Depends | grep '^libopenblas0-openmp' &&
        dpkg-deb -f "${folders[0]}"/build/dist/abdb_*.deb Recommends | grep -w python3; } >"$dir/out" 2>&1
    ok "*.deb installs no symbols; openblas depends on the build that it runs with, abdb recommends python3"
    { mkdir -p "$dir/unpacked/usr/lib/python3/dist-packages/abdb/__pycache__" && dpkg-deb -e "${folders[0]}"/build/dist/python3-abdb_*.deb "$dir/python" &&
        sed -i "s|/usr/lib|$dir/unpacked/usr/lib|" "$dir/python/prerm" && sh "$dir/python/prerm" remove && [ ! -e "$dir/unpacked/usr/lib/python3/dist-packages/abdb/__pycache__" ]; } >"$dir/out" 2>&1
    ok "removing python3-abdb takes Python's compiled copies with it"
    cd "$root" || exit 1
}
for part in $parts; do $part; done
echo "1..$n"
exit $failed
