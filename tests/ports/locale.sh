#!/usr/bin/env bash
# locale.sh - where numbers have decimal commas (LC_ALL=de_DE.UTF-8): imports, reports, measurements and figures are as elsewhere. In TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
[ -x "${BUILD:-build}/abdb" ] || tests/checks/build_targets.sh all || exit 1
build=${BUILD:-build} dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
localedef -i de_DE -f UTF-8 "$dir/de_DE.UTF-8" >/dev/null 2>&1 || [ -d "$dir/de_DE.UTF-8" ] ||
    { echo "1..0 # SKIP localedef makes no de_DE.UTF-8 (Debian: locales)"; exit 0; }
export LOCPATH=$dir ABDB_DATA=data
[ "$(LC_ALL=de_DE.UTF-8 printf %.1f 0,5)" = 0,5 ] || { echo "1..0 # SKIP the shell does not take the locale"; exit 0; }
echo "1..4"
. tests/ports/ok.sh
for locale in C.UTF-8 de_DE.UTF-8; do
    abdb() { LC_ALL=$locale ABDB_DB=$dir/$locale.db "$build/abdb" "$@"; }
    { abdb import -q data && abdb query mlperf-llm && abdb query specs -o json && abdb query prices -o csv && abdb audit claims; } >"$dir/$locale.txt" 2>&1
    abdb query -o csv "SELECT key FROM v_result UNION SELECT key FROM v_statement ORDER BY 1" >"$dir/$locale.keys" 2>&1
    abdb plot peaks --type svg --out - >"$dir/$locale.svg" 2>"$dir/$locale.err"
    abdb run -q --kernel gemm --axis n=33 --quick --backend vec --tag here >/dev/null 2>&1
    echo $? >"$dir/$locale.run"
    abdb query -o csv "SELECT count(*) FROM v_kernel WHERE tag = 'here' AND status = 'ok' AND time_s > 0 AND time_s < 1 AND time_s <> round(time_s)" >>"$dir/$locale.run" 2>&1
done
diff "$dir/C.UTF-8.txt" "$dir/de_DE.UTF-8.txt" >"$dir/out" && [ "$(wc -l <"$dir/C.UTF-8.txt")" -gt 200 ]
ok "the same reports"
diff "$dir/C.UTF-8.svg" "$dir/de_DE.UTF-8.svg" >"$dir/out" && [ "$(wc -c <"$dir/C.UTF-8.svg")" -gt 2000 ]
ok "the same figure"
diff "$dir/C.UTF-8.run" "$dir/de_DE.UTF-8.run" >"$dir/out" && [ "$(tail -1 "$dir/C.UTF-8.run")" = 1 ]
ok "measured times have their digits"
diff "$dir/C.UTF-8.keys" "$dir/de_DE.UTF-8.keys" >"$dir/out" && [ "$(wc -l <"$dir/C.UTF-8.keys")" -gt 200 ]
ok "and the same keys"
exit $failed
