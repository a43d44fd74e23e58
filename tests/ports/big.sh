#!/usr/bin/env bash
# big.sh - a database of more than 4 GiB: facts on pages behind the border are read, added to, checked and copied. In TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
command -v sqlite3 >/dev/null || { echo "1..0 # SKIP no sqlite3 (apt-get install sqlite3)"; exit 0; }
[ -x "${BUILD:-build}/abdb" ] || tests/checks/build_targets.sh all || exit 1
build=${BUILD:-build} dir=$(mktemp -d -p "${TMPDIR:-/tmp}")
trap 'rm -rf "$dir"' EXIT
[ "$(df --output=avail -B1 "$dir" | tail -1)" -gt 12000000000 ] || { echo "1..0 # SKIP less than 12 GB are free in $dir"; exit 0; }
echo "1..4"
export ABDB_DB=$dir/big.db ABDB_DATA=data
n=0 failed=0
check() { # NAME GOT WANTED
    n=$((n + 1))
    [ "$2" = "$3" ] && { echo "ok $n - $1"; return; }
    printf 'not ok %d - %s\n#   got %s\n#   not %s\n' "$n" "$1" "$2" "$3"
    failed=1
}
"$build/abdb" init >/dev/null
# a table of nobody's, so that what comes after it lies behind the border
sqlite3 "$ABDB_DB" "PRAGMA synchronous = OFF; CREATE TABLE pad (x BLOB); WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 44)
  INSERT INTO pad SELECT zeroblob(100000000) FROM i;" >/dev/null
check "the file is larger than 4 GiB" "$(($(stat -c %s "$ABDB_DB") > 4294967296))" 1
"$build/abdb" import -q data
"$build/abdb" import -q --db "$dir/small.db" data
keys() { "$build/abdb" query --db "$1" -o csv "SELECT key, value FROM v_result UNION ALL SELECT key, value FROM v_spec ORDER BY 1, 2" 2>/dev/null; }
check "every fact behind it is read" "$(keys "$ABDB_DB" | sha256sum)" "$(keys "$dir/small.db" | sha256sum)"
check "doctor finds it whole" "$("$build/abdb" doctor --json 2>&1 | grep -ciE 'malformed|corrupt')" 0
"$build/abdb" export -o jsonl --out "$dir/all.jsonl" && "$build/abdb" import -q --db "$dir/back.db" "$dir/all.jsonl"
check "and what it exports has the same keys" "$(keys "$dir/back.db" | sha256sum)" "$(keys "$dir/small.db" | sha256sum)"
exit $failed
