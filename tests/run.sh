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
long=(tests/cli/{fault,kill,evidence,run,realdata}.bats) # first, so that the end does not wait for them
rest=()
for f in tests/cli/*.bats; do [[ " ${long[*]} " == *" $f "* ]] || rest+=("$f"); done
prove -j2 --timer --merge -e 'bash tests/tap.sh' "${long[@]}" "${rest[@]}" tests/readme.sh tests/tidy.sh $units -v \
  >"$log" 2>&1 || status=$?
grep -E '^not ok' -A 12 "$log" || true
grep -E '# skip' "$log" | sort | uniq -c || true
sed -n '/^Test Summary Report/,$p' "$log" | head -40
# --timer ends each file with its milliseconds
perl -ne '$file = $1 if m{^\[[0-9:]+\] (\S+) \.+}; $ms{$file} = $1 if /^ok\s+(\d+) ms/; END {
    printf "%7.1f s  %s\n", $ms{$_} / 1000, $_ for (sort { $ms{$b} <=> $ms{$a} } keys %ms)[0 .. 9] }' "$log" || true
tail -n 3 "$log"
exit "$status"
