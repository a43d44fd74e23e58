#!/usr/bin/env bash
# run.sh - all tests under prove, two at a time. What is skipped is printed with its reason.
set -euo pipefail
cd "$(dirname "$0")/.."
export BUILD=${BUILD:-build}
# a fake backend's crash in the tests is no crash of ours
export ASAN_OPTIONS=${ASAN_OPTIONS:-handle_segv=1:allocator_may_return_null=1}
units=$(find "$BUILD/unit" -type f -perm -u+x | sort)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
# the long ones first
prove -j2 --timer --merge -e 'bash tests/tap.sh' tests/cli/fault.bats tests/cli/kill.bats tests/cli/run.bats tests/cli/realdata.bats \
  tests/cli/import.bats tests/cli/query.bats tests/cli/plot.bats tests/cli/program.bats tests/cli/golden.bats \
  tests/readme.sh tests/tidy.sh $units -v >"$log" 2>&1 || status=$?
grep -E '^not ok' -A 12 "$log" || true
grep -E '# skip' "$log" | sort | uniq -c || true
sed -n '/^Test Summary Report/,$p' "$log" | head -40
tail -n 3 "$log"
exit "$status"
