#!/usr/bin/env bash
# sqlite.sh - other versions of SQLite: each function of the newest that PyPI has (apsw) has a line in functions.def, and abdb.so refuses those
# that are not listed there, too. In TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. tests/ports/ok.sh
python=
for p in "$build/venv/bin/python" python3 /usr/bin/python3; do
    "$p" -c 'import apsw' 2>/dev/null && python=$p && break
done
[ -n "$python" ] || { echo "1..0 # SKIP no apsw, which brings a newer SQLite (make peers installs it)"; exit 0; }
[ -e "$build/abdb.so" ] || { echo "1..0 # SKIP no $build/abdb.so"; exit 0; }
"$python" tests/checks/sqlite_functions.py apsw "$build/abdb.so" >"$dir/out" 2>&1
ok "functions of SQLite $("$python" -c 'import apsw; print(apsw.sqlite_lib_version())') are listed or refused"
sed 's/^/# /' "$dir/out" | tail -1
echo "1..$n"
exit $failed
