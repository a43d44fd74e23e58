#!/usr/bin/env bash
# lint.sh - what three programs find without running anything: gcc -fanalyzer, clang-tidy (bugprone, cert, concurrency) and cppcheck.
# A finding is mended, or lint.txt says why it is none: one line each, of a check in a file (or in all), with its reason. A line of
# lint.txt that fits no finding any more is an error, too.
#   tests/checks/lint.sh [gcc|clang-tidy|cppcheck]...   JOBS=N at the same time (2), ONLY=REGEX: of these files
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C
jobs=${JOBS:-2} found=$(mktemp)
trap 'rm -rf "$found" "$found".*' EXIT
[ $# -gt 0 ] || set -- gcc clang-tidy cppcheck
flags=(-std=c17 -D_GNU_SOURCE -I. -isystem /usr/include/postgresql -isystem /usr/local/cuda/include -fopenmp '-DABDB_PREFIX="/usr"')
mapfile -t sources < <(git ls-files '*.c' | grep -E "${ONLY:-.}" | sort)
here=() isa=() isa_flags=()
for f in "${sources[@]}"; do
    case $f in
    kernels/providers/vec/isa/*) isa+=("$f") ;;
    *) gcc "${flags[@]}" -M "$f" >/dev/null 2>"$found.m" && here+=("$f") || echo "SKIP $f: $(sed -n 's/.*fatal error: //p' "$found.m")" ;; # a library that is not here
    esac
done
# these are compiled once for each instruction set: here for the one with most
[ "$(uname -m)" != x86_64 ] || isa_flags=(-mavx512{f,dq,bw,vl,bf16,vnni,fp16} -mfma -mamx-{tile,bf16,int8} -DVEC_HALVES)
isa_flags+=(-Wno-psabi "-DVEC_ISA=$([ "$(uname -m)" = x86_64 ] && echo amx || echo base)")

each() { # COMMAND: of each file, its options behind
    printf '%s\n' "${here[@]}" | xargs -r -P "$jobs" -I{} nice "$@" "${flags[@]}"
    printf '%s\n' "${isa[@]}" | xargs -r -P "$jobs" -I{} nice "$@" "${flags[@]}" "${isa_flags[@]}"
}

gcc_() { # it looks at one file alone: that abdb_set_error_return_status returns the status which it is given, and none is ok, is said by the macro
    mkdir -p "$found.d/schema/core"
    sed 's/^#define ABDB_FAIL.*/#define ABDB_FAIL(err, status, ...) ((void)abdb_set_error_return_status((err), (status), __VA_ARGS__), (status))/' schema/core/error.h >"$found.d/schema/core/error.h"
    ! cmp -s schema/core/error.h "$found.d/schema/core/error.h" || printf 'gcc\tschema/core/error.h\t1\terror\tABDB_FAIL is not as this script looks for it\n'
    each gcc "-I$found.d" -O1 -fanalyzer -fdiagnostics-plain-output -c {} -o /dev/null 2>&1 |
        sed "s|^$found.d/||; s|^\./||" | sed -nE 's/^([^ :]+):([0-9]+):[0-9]+: warning: (.*) \[-(Wanalyzer[a-z-]+)\]$/gcc\t\1\t\2\t\4\t\3/p; s/^([^ :]+):([0-9]+):[0-9]+: (fatal )?error: (.*)$/gcc\t\1\t\2\terror\t\4/p' | sort -u
}

clang_tidy() {
    each clang-tidy -quiet --checks='-*,bugprone-*,cert-*,concurrency-*' {} -- 2>/dev/null |
        sed -nE "s|^$PWD/||; s/^([^ :]+):([0-9]+):[0-9]+: (warning|error): (.*) \[([a-z0-9.-]+)[],].*$/clang-tidy\t\1\t\2\t\5\t\4/p" | sort -u
}

cppcheck_() { # jansson's loops are macros
    cat >"$found.h" <<'H'
#define json_array_foreach(a, i, v) for (i = 0; (v = json_array_get(a, i)); i++)
#define json_object_foreach(o, k, v) for (k = json_key(o); k && (v = json_value(k)); k = json_key(o))
H
    nice cppcheck -q -j "$jobs" --enable=warning,portability --std=c11 --library=posix -I. -D_GNU_SOURCE '-DABDB_PREFIX="/usr"' --include="$found.h" \
        --template='cppcheck	{file}	{line}	{id}	{message}' "${here[@]}" "${isa[@]}" 2>&1 | grep -P '^cppcheck\t' | sort -u
}

status=0 tools=
for tool; do
    case $tool in
    gcc) name=gcc package=gcc ;;
    clang-tidy) name=clang-tidy package=clang-tidy ;;
    cppcheck) name=cppcheck package=cppcheck ;;
    *) echo "tests/checks/lint.sh [gcc|clang-tidy|cppcheck]..." >&2; exit 2 ;;
    esac
    command -v $name >/dev/null || { echo "SKIP $tool: not here (apt-get install $package)"; continue; }
    tools+=" $tool"
    case $tool in gcc) gcc_ ;; clang-tidy) clang_tidy ;; cppcheck) cppcheck_ ;; esac >>"$found" || true
done
# lint.txt: TOOL CHECK FILE reason; FILE may end with *
awk -F'\t' -v tools="$tools " -v only="${ONLY-}" '
    FILENAME ~ /lint.txt$/ {
        if (/^#|^$/) next
        split($0, w, /[ \t]+/); n++
        tool[n] = w[1]; check[n] = w[2]; file[n] = w[3]; line[n] = FNR
        if (w[4] == "") { print "tests/checks/lint.txt:" FNR ": no reason"; bad++ }
        next
    }
    { all[$1]++
      for (i = 1; i <= n; i++) {
          stem = substr(file[i], 1, length(file[i]) - 1)
          if (tool[i] == $1 && check[i] == $4 && (file[i] == $2 || (substr(file[i], length(file[i])) == "*" && index($2, stem) == 1))) { used[i]++; explained[$1]++; next }
      }
      print $2 ":" $3 ": " $1 " " $4 ": " $5; bad++ }
    END {
        for (i = 1; i <= n; i++) if (only == "" && !used[i] && index(tools, " " tool[i] " ")) { print "tests/checks/lint.txt:" line[i] ": fits nothing any more: " tool[i] " " check[i] " " file[i]; bad++ }
        split(tools, t, " ")
        for (i = 1; i in t; i++) printf "%s: %d findings, %d of them explained in tests/checks/lint.txt\n", t[i], all[t[i]], explained[t[i]]
        exit bad > 0
    }' tests/checks/lint.txt "$found" || status=1
exit $status
