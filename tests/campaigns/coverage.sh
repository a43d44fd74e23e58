#!/usr/bin/env bash
# coverage.sh - which lines of a folder run under the corpora and the tests that import: by clang's coverage, in build-coverage.
#   tests/campaigns/coverage.sh [FOLDER]            a table by file (ingest), and the share of all lines; exit 1 below GOAL (90) percent
#   tests/campaigns/coverage.sh --lines FILE...     the lines that do not run, after that
set -euo pipefail
cd "$(dirname "$0")/../.."
build=build-coverage profiles=$PWD/build-coverage/profiles
command -v clang >/dev/null && command -v llvm-cov >/dev/null || { echo "SKIP coverage: no clang or llvm-cov (apt-get install clang llvm)"; exit 0; }
show() { llvm-cov "$1" -instr-profile="$build/all.profdata" "$build/abdb" -object "$build/unit/corpus" "${@:2}" 2>/dev/null; }
if [ "${1-}" = --lines ]; then
    shift
    show show "$@" | grep -E '^ *[0-9]+\| +0\||^/' | sed -E "s|^$PWD/||"
    exit
fi
folder=${1:-ingest}
make -s SANITIZE=coverage $build/abdb $build/unit/corpus
rm -rf "$profiles"
mkdir -p "$profiles"
export LLVM_PROFILE_FILE=$profiles/%m.profraw BUILD=$build
$build/unit/corpus >/dev/null 2>&1 || echo "a corpus fails: see build/unit/corpus"
for t in ${TESTS:-formats import rounds training programs prices untrusted balance refresh recompute realdata claims typed text bulk}; do
    [ ! -e "tests/cli/$t.bats" ] || bats "tests/cli/$t.bats" >"$profiles/$t.log" 2>&1 || echo "$t.bats: $(grep -c '^not ok' "$profiles/$t.log") fail"
done
llvm-profdata merge -o $build/all.profdata "$profiles"/*.profraw
show report "$folder" | awk -v goal="${GOAL:-90}" 'NR == 1 || /\.c / || /^TOTAL/ { if (NR > 1) printf "%-44s %6d lines %6d not reached  %s\n", $1, $8, $9, $10; last = $10 }
    END { sub("%", "", last); exit last + 0 < goal }'
