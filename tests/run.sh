#!/usr/bin/env bash
# run.sh - all tests under prove, three at a time. What is skipped is printed with its reason.
set -euo pipefail
cd "$(dirname "$0")/.."
export BUILD=${BUILD:-build}
# a fake backend's crash in the tests is no crash of ours
export ASAN_OPTIONS=${ASAN_OPTIONS:-handle_segv=1:allocator_may_return_null=1}
work=$(mktemp -d)
log=$work/log
export ABDB_MADE=$work # databases that many tests want, see common.bash
trap 'rm -rf "$work"' EXIT
# Where python3 is a script that looks for one, looking takes ten times as long as starting it: found once for all tests.
if [ "$(head -c 2 "$(command -v python3)")" = '#!' ]; then
    PATH=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$PATH
fi
status=0
# run.sh FILE...: those only. The long ones first, so that the end does not wait for them.
tests=("$@")
[ $# -gt 0 ] || tests=(tests/cli/{mutants,site,figures,plain,run,inside,untrusted,warehouse,gate,conform,evidence,cells,limits,fault,import,kill,received,opencl}.bats
    "$BUILD"/unit/network tests/checks/readme.sh tests/cli/{formulas,withdraw,out,redacted,formats,adding,program,realdata,cuda,rounds,faults,scale,mpi}.bats
    "$BUILD"/unit/{significance,mutants,derive})
[ $# -gt 0 ] || for f in tests/cli/*.bats tests/checks/readme.sh tests/checks/tidy.sh $(find "$BUILD/unit" -type f -perm -u+x | sort); do
    [[ " ${tests[*]} " == *" $f "* ]] || tests+=("$f")
done
# unit programs, which plain make does not build
units=()
[ $# -gt 0 ] || units=(unit/network)
for test in "${tests[@]}"; do [[ $test != "$BUILD"/unit/* ]] || units+=("${test#"$BUILD"/}"); done
[ ${#units[@]} = 0 ] || tests/checks/build_targets.sh "${units[@]}"
# three, as some of them mostly wait
prove -j3 --timer --merge -e 'bash tests/tap.sh' "${tests[@]}" -v >"$log" 2>&1 || status=$?
grep -E '^not ok' -A 12 "$log" || true
real=${ABDB_REALDATA:-../shared/realdata}
without=$(grep -c '# skip.*(set ABDB_REALDATA)' "$log" || true)
[ "$without" = 0 ] || echo "$without tests were skipped: they read files of others, which are not shipped and not in $real. \
tests/README.md says where each is published; put them into a folder and say ABDB_REALDATA=FOLDER make test."
grep -E '# skip' "$log" | grep -v '(set ABDB_REALDATA)' | sort | uniq -c || true
sed -n '/^Test Summary Report/,$p' "$log" | head -40
# --timer ends each file with its milliseconds
perl -ne '$file = $1 if m{^\[[0-9:]+\] (\S+) \.+}; $ms{$file} = $1 if /^ok\s+(\d+) ms/; END {
    printf "%7.1f s  %s\n", $ms{$_} / 1000, $_ for grep { defined } (sort { $ms{$b} <=> $ms{$a} } keys %ms)[0 .. 9] }' "$log" || true
tail -n 3 "$log"
exit "$status"
