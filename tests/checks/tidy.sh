#!/usr/bin/env bash
# tidy.sh - the rules of the tree as a test, in TAP. `make tidy` runs it alone.
cd "$(dirname "$0")/../.." || exit 1
n=0
check() { # NAME OFFENDERS
    n=$((n + 1))
    if [ -z "$2" ]; then echo "ok $n - $1"; else
        echo "not ok $n - $1"
        printf '%s\n' "$2" | sed 's/^/#   /' | head -20
        failed=1
    fi
}
sources=$(find schema ingest kernels plots query stores tests -name '*.c' -o -name '*.h')
includes() { grep -n '^#include "' "$@" 2>/dev/null | grep -v '^Binary'; }

# --- floors: who may include whom -----------------------------------------------------------------
check "core includes core only" "$(includes schema/core/*.[ch] | grep -v '"schema/core/')"
check "store includes core, store and functions" "$(includes schema/store/*.[ch] | grep -vE '"schema/(core|store|functions)/')"
check "functions include core only" "$(includes schema/functions/*.[ch] | grep -vE '"schema/(core|functions)/')"
check "ingest includes core and ingest" "$(includes ingest/*.[ch] ingest/*/*.[ch] | grep -vE '"(schema/core|ingest)/')"
check "ingest: what reads knows no format, and formats not each other" "$(includes ingest/read/*.[ch] | grep -vE '"(schema/core|ingest/read)/|"ingest/(importer|check_entry).h"'
  includes ingest/{mlperf,programs,tables}/*.[ch] | grep -vE '^ingest/(\w+)/.*"(schema/core/|ingest/read/|ingest/(importer|check_entry).h|ingest/\1/)')"
check "query: the program stands on comparing, that on answering" "$(includes query/answer/*.[ch] query/answer/site/*.[ch] | grep '"query/' | grep -v '"query/answer/'
  includes query/compare/*.[ch] | grep '"query/' | grep -vE '"query/(answer|compare)/')"
check "query: the warehouse stands on answering" "$(includes query/warehouse/*.[ch] | grep '"query/' | grep -vE '"query/(answer|warehouse)/')"
check "stores include core and stores, and only they know libpq" "$(find stores -name '*.[ch]' -exec grep -Hn '^#include "' {} + | grep -vE '"(schema/core|stores)/'
  grep -rn 'libpq' schema ingest kernels plots query --include='*.[ch]' | grep include)"
check "plots include core and plots" "$(includes plots/*.[ch] | grep -vE '"(schema/core|plots)/')"
check "kernels include core and kernels" "$(find kernels -name '*.[ch]' -exec grep -Hn '^#include "' {} + | grep -vE '"(schema/core|kernels)/')"
check "workloads touch device memory through device_memory.h alone" "$(grep -nE -- '->(upload|download|fill|alloc)\(|\bon_host\b' kernels/workloads/*.[ch] |
  grep -vE '^kernels/workloads/(device_memory\.c|spans\.c:.*spent->kernel|dlrm_memory\.c:.*stage->device->on_host)')"
check "mathematics knows no clock, library or harness" "$(grep -nE '#include .*(harness|time\.h|cblas|jansson)' kernels/micro/*.c)"
check "the runner links no backend, backends no store" "$(grep -lE 'sqlite|schema/store' -r kernels; grep -ln 'kernels/providers' kernels/runner/*.[ch])"
check "only ref runs the reference" "$(grep -rl 'providers/ref' kernels/backends kernels/providers/[!r]* | grep -v backends/ref.c)"
check "nothing includes tests" "$(grep -ln '#include "tests/' $(printf '%s\n' $sources | grep -v ^tests))"

# --- files ------------------------------------------------------------------------------------------
check "each C file begins by saying what it is" "$(awk 'FNR == 1 { name = FILENAME; sub(".*/", "", name); if (index($0, "/* " name " - ") != 1) print FILENAME; nextfile }' $sources)"
check "each SQL, plan, figure and script says what it is" "$(for f in $(find schema/ddl schema/views schema/dialect stores -name '*.sql'); do head -1 "$f" | grep -q "^-- $(basename "$f") - " || echo "$f"; done
  for f in kernels/plans/*.plan plots/style.gp; do head -1 "$f" | grep -q "^# $(basename "$f") - " || echo "$f"; done
  for f in $(find tests query -name '*.sh' -o -name '*.bats'); do sed -n 2p "$f" | grep -q "^# $(basename "$f") - " || [ "$f" = tests/cli/common.bash ] || echo "$f"; done)"
check "the views are of the SQL that SQLite and PostgreSQL share, but for 005_stored.sql" "$(grep -nE "\b(printf|instr|typeof|group_concat|string_agg|strftime|julianday|likelihood|ifnull|iif)\(| GLOB |AS REAL\b|[ (]\+[a-z]\.|CROSS JOIN .* ON " $(ls schema/views/*.sql | grep -v 005_stored))"
check "scripts name unit programs that there are" "$(grep -rhoE '\bunit/\{[a-z_,]+\}|\bunit=\([a-z_ ]+\)|for unit in [a-z_ ]+;|/unit/[a-z_]+' tests --include='*.sh' --include='*.bats' |
  sed -E 's/^.*(unit\/\{|unit=\(|for unit in |unit\/)//; s/[(){};,]/ /g' | tr ' ' '\n' | sort -u | while read -r u; do [ -z "$u" ] || [ ! -d tests/unit ] || [ -e "tests/unit/$u.c" ] || echo "$u"; done)"
check "each report has a title" "$(grep -L '^-- title: ' query/reports/*.sql)"
check "no report makes a view of joins whole, or looks for kernels by canonical device" "$(grep -nE "LEFT JOIN v_(result|rate|statement|run|mlperf|kernel|normalised|ceiling_of|roof|at_price)\b|\bk\.device = \(|\bk\.device = (m\.|coalesce)" query/reports/*.sql)"
check "no table of a report hides one of the schema" "$(sed -n 's/^-- @table //p' query/reports/*.sql | sort -u | while read -r n; do grep -hE "^CREATE (VIEW|TABLE|VIRTUAL TABLE) $n\b" schema/ddl/*.sql schema/views/*.sql; done)"
check "each figure names its report" "$(grep -LE '^# (report|like): ' plots/figures/*.gp)"
check "lines of 100 columns" "$(awk 'length($0) > 100 { print FILENAME ":" FNR }' $sources)"
check "files of 500 lines" "$(wc -l $sources | awk '$2 != "total" && $1 > 500')"
check "lines of 120 columns in Makefiles" "$(awk 'length($0) > 120 { print FILENAME ":" FNR }' Makefile packages/*.mk)"
check "functions of 70 lines" "$(awk 'FNR == 1 { start = 0 } /^[a-z].*\)$/ { start = FNR; name = $0 } /^\{$/ && !start { start = FNR } /^\}$/ { if (start && FNR - start > 71) print FILENAME ": " FNR - start " lines: " name; start = 0 }' $(printf '%s\n' $sources | grep '\.c$'))"
# McCabe's number: 1, and 1 for each if, loop, case, condition and part of one
check "functions of complexity 25" "$(perl -ne 'if (/^[a-z].*\(/ && !/;$/) { $name = $_; $n = 1 } s{"(\\.|[^"\\])*"|\x27(\\.|[^\x27\\])+\x27|/\*.*?(\*/|$)|^ \* .*}{}g;
  $n += () = /\b(?:if|for|while|case)\b|&&|\|\||\?/g; if (/^\}$/) { print "$ARGV: $n: $name" if $n > 25; $n = 1 }' $(printf '%s\n' $sources | grep '\.c$'))"
# abdb_table_add_note counts those that it has no place for: "and N more notes"
check "no note is dropped uncounted" "$(grep -nE 'notes\+\+|notes [<=+]+ .*ABDB_NOTE_MAX' -r query --include='*.c' | grep -vE '^query/answer/(table\.c|pick_columns\.c:.*(memmove|names &&)|report\.c:.*r->)')"
check "no banned call" "$(grep -nE '\b(strcpy|strcat|sprintf|vsprintf|gets|system|tmpnam|alloca|strtok|sscanf)\(' $(printf '%s\n' $sources | grep -v ^tests))"
check "numbers are read by schema/core/number.c alone" "$(grep -nE '\b(strto(u?ll?|[dfqi]|ld|[iu]max)(_l)?|ato([fil]|ll)|[vfs]{0,2}w?scanf|wcsto[a-z]+|strtonum|std::sto[a-z]+|from_chars)\b *\(' -r schema ingest kernels plots query stores --include='*.[ch]' --include='*.cu' --include='*.cuh' --include='*.cpp' --include='*.cl' | grep -v '^schema/core/number\.c:')"
check "no print, exit or abort below the program" "$(grep -nE '\b(printf|puts|exit|abort)\(' $(find schema ingest plots kernels/runner kernels/micro kernels/providers -name '*.c') | grep -vE "_exit|sqlite3_mprintf|abdb_\w*printf|snprintf|vsnprintf|fprintf|SELECT printf")"
# what others wrote reaches people plain: output.c and escape.c see to it; pictures and spool files are no screens
check "text leaves by query/answer/output.c alone" "$(for f in $(find query -name '*.c' | grep -vE '/(output|escape|buffered_output|spool_writer)\.c$|^query/warehouse/store_client.c'); do
    perl -0777 -ne 'while (/(?<!\w)(?:v?[fd]?printf|fwrite|perror|(?:f?puts|f?putc|putchar)(?!\s*\(\s*(?:"|\x27\\?.\x27)))\s*\(/g) {
      next if substr($_, 0, $-[0]) =~ /SELECT $/; $n = 1 + (substr($_, 0, $-[0]) =~ tr/\n//); print "$ARGV:$n: $&\n" }' "$f"; done
  grep -nE '\b(stdout|stderr|STDOUT_FILENO|STDERR_FILENO)\b' -r schema ingest plots kernels/runner --include='*.[ch]' | grep -vE 'dup2|^schema/core/out(file|guard)'
  grep -nE '/dev/tty|\bwrite\((1|2|STD|fileno)' -r query --include='*.c' | grep -v ^query/answer/output.c)"
check "arrays grow by schema/core/array.h, text by text.h" "$(grep -nE '\brealloc(array)?\(' -r schema ingest plots kernels query --include='*.[ch]' | grep -vE '^schema/core/(array|text)\.c')"
check "functions that fuzzers replace are there" "$(sed -z 's/\\\n//g' Makefile | sed -n 's/^FUZZ_LINK := //p' | grep -oE '\babdb_\w+' | while read -r f; do
  grep -qE "\b$f\(" -r schema --include='*.h' || echo "$f is declared nowhere"; grep -q "__wrap_$f(" tests/fuzz/*.c || echo "$f has no replacement"; done
  grep -ohE '__wrap_abdb_\w+' tests/fuzz/*.c | sort -u | while read -r f; do sed -z 's/\\\n//g' Makefile | grep -q "${f#__wrap_}" || echo "$f replaces nothing"; done)"
check "arrays are sorted and searched by schema/core/array.h, which allows empty ones" "$(grep -nE '\b(qsort|bsearch)(_r)?\(' -r schema ingest plots kernels query stores --include='*.[ch]' | grep -v '^schema/core/array\.c')"
check "programs are started by schema/core/child_process.h" "$(grep -nE '\b(v?fork|popen|posix_spawnp?|execl?[vpe]*)\(' -r schema ingest plots kernels query --include='*.[ch]' | grep -vE '^(schema/core/child_process|query/cli/pager|kernels/programs/command).c')" # a pager reads the terminal: it stays in our process group; a program that is timed is started as fast as can be, in a group of abdb_start_group_killed_with_caller
check "columns are read as text through sqlite.h, which gives no NULL unasked" "$(grep -n 'sqlite3_column_text' -r schema query --include='*.[ch]' | grep -v '^schema/functions/sqlite.h')"
check "databases are opened through schema/functions/authorizer.h, which restricts them" "$(grep -nE '\bsqlite3_open(16|_v2)?\(|\bsqlite3_set_authorizer\(' -r schema ingest plots query stores --include='*.[ch]' | grep -v '^schema/functions/authorizer.c')"
check "files are written through outfile.h alone" "$(grep -nE 'fopen\(.*"[wa]|O_WRONLY|O_CREAT' $(find schema ingest plots kernels/runner query -name '*.c') | grep -vE '^(schema/core/outfile|query/run/spool_writer)\.c')"
check "what makes or renames files checks outguard.h, or makes none that has a name of the user's" "$(grep -nE '\b(mkdir|mkdirat|mknod|mkfifo|rename|renameat|renameat2|creat|link|symlink|truncate|mk[a-z]*temp|freopen)\(|O_RDWR' \
    $(find schema ingest plots kernels/runner query -name '*.c') | grep -vE '^(schema/core/(outfile|outfolder)|query/run/spool_writer|query/import/input_files|ingest/read/input_file)\.c|"/dev/null"'
  for f in outfile:abdb_outfile_open_refusing_protected outfile:abdb_outfile_commit outfile:open_in_place_guarded_truncating outfolder:abdb_outfolder_open_refusing_nonempty outfolder:abdb_outfolder_make_if_missing; do
    perl -0777 -ne 'exit !/^\S.* \Q'"${f#*:}"'\E\([^;{]*\)\n\{(?:(?!^\}).)*abdb_outguard_refuse_protected_(path|descriptor)\(/ms' "schema/core/${f%:*}.c" || echo "$f checks nothing"; done
  grep -q 'abdb_outguard_refuse_protected_path(s->path' query/run/spool_writer.c || echo "spool_writer.c checks nothing")"
check "NOTICE and packages/debian/copyright name what asks to be named, and the archives of STATIC=1" "$(python3 - <<'EOF'
import csv, pathlib, re
notice, debian = open("NOTICE").read(), open("packages/debian/copyright").read()
about = {row["source"]: row for row in csv.DictReader(open("data/sources.csv"))}
files = [f for f in pathlib.Path("data").rglob("*.csv") if f.name != "sources.csv"]
for file in files:
    named = re.search(rf"^Files:.*\b{file}\b.*\nCopyright:((?:.*\n)+?)License", debian, re.M)
    for source in sorted({row.get("source") for row in csv.DictReader(open(file))} & about.keys()):
        licence, url = about[source]["licence"], about[source]["url"]
        if licence in ("", "Apache-2.0") or source == "llama-bench": continue  # rules about its files are our own
        if source not in notice: print(f"NOTICE: {source} ({licence}), in {file}")
        if licence.startswith(("CC-", "MIT")) and not (named and (source in named[1] or url in named[1])): print(f"copyright: {source}, in {file}")
EOF
  sed -n 's/^STATIC_NAMES *:= //p' packages/static.mk | tr ' ' '\n' | sed 's/^z$/zlib/; s/crypto/libcrypto/; s/lzma/liblzma/; s/^bz2/bzip2/; s/^sqlite3/SQLite/' | while read -r n; do grep -q "$n" NOTICE || echo "$n"; done)"
check "every OpenCL kernel is launched by the name that it has" "$(grep -ohE '^KERNEL void [a-z0-9_]+' kernels/providers/opencl/cl/*.cl | while read -r _ _ k; do
  grep -rqF "\"$k\"" kernels/providers/opencl --include='*.c' || echo "$k"; done)"
check "the tests that PROMISES.md and SECURITY.md name are there" "$(grep -ohE '`(unit/[a-z_]+|[a-z_]+\.bats)`' PROMISES.md SECURITY.md | tr -d '`' | sort -u | while read -r t; do
  case $t in unit/*) [ ! -d tests/unit ] || [ -e "tests/$t.c" ] ;; *) [ ! -d tests/cli ] || [ -e "tests/cli/$t" ] ;; esac || echo "$t"; done)"
check "scripts that no test runs can be read, too" "$(for f in $(git ls-files '*.sh' '*.bash'); do bash -n "$f" 2>&1; done
  python3 - $(git ls-files '*.py') <<'EOF'
import ast, sys
for name in sys.argv[1:]:
    try: ast.parse(open(name).read(), name)
    except SyntaxError as error: print(f"{name}:{error.lineno}: {error.msg}")
EOF
)"
check "no script has assertions that set -e ignores" "$(perl tests/checks/ignored_failures.pl $(git ls-files '*.bats' '*.sh' '*.bash') 2>&1 </dev/null)"
check "every script says what it needs when that is missing" "$(for f in tests/{bench,campaigns,mutants,ports}/*.sh query/*.sh; do
  for tool in jq sqlite3 mpirun chromium '"$build/abdb[a-z-]*"'; do
    grep -vE '^ *#' "$f" | grep -qE "(^|[|;&({] *|\\$\()$tool " || continue
    made='' && [[ $tool != *build* ]] || made='|make -s|build_targets.sh'
    grep -qE "(\bneed|command -v|for tool in|-[xe]) .*$(sed 's/^"//; s/\[.*//' <<<"$tool")$made" "$f" || echo "$f: $tool"
  done; done)"
check "nothing is unfinished" "$(grep -nE 'TODO|FIXME' $sources Makefile README.md CONTRIBUTING.md query/reports/*.sql plots/figures/*.gp)"
check "no path of one machine" "$(git grep -nE '/work/|/root/|/home/[a-z]' -- . ':!tests/checks/tidy.sh' | head)"
# since then; a copy without history, or with half of it, has no subjects to look at
check "commit subjects of 72 characters" "$(since=baee511c
  ! git merge-base --is-ancestor $since HEAD 2>/dev/null || git log --no-merges --format=%s $since..HEAD | awk 'length($0) > 72')"
check "no binary file" "$(git diff --cached --numstat "$(git hash-object -t tree /dev/null)" | awk '$1 == "-" { print $3 }')"

# --- lists that must agree -----------------------------------------------------------------------------
check "importers count values through schema/core/record.h" "$(grep -nE '\b(results|values_left_out)(\+\+|--| [-+]?= )' -r ingest --include='*.c')"
check "one version" "$(v=$(sed -n 's/^#define ABDB_VERSION "\(.*\)"/\1/p' schema/core/version.h); grep -qx "version: $v" CITATION.cff || echo "CITATION.cff is not of $v"
  grep -qx "__version__ = \"$v\"" query/python/abdb/__init__.py || echo "abdb.__version__ is not $v"
  grep -m1 '^## [0-9]' CHANGELOG.md | grep -qE "^## $v( |$)" || echo "CHANGELOG.md's newest version is not $v")"
check "each importer is registered, with its page" "$(for f in ingest/*/import_*.c; do b=$(basename "$f" .c); grep -q "^FORMAT(abdb_$b, \"" ingest/registry.def || echo "$f"; done)"
check "each kernel is listed" "$(for f in kernels/micro/*.c; do b=$(basename "$f" .c); [[ $b = problem || $b = format || $b = freivalds || $b = edges || $b = exact_attention || $b = registry || $b = collective ]] || grep -q "^KERNEL($b," kernels/registry.def || echo "$f"; done)"
check "each backend is built" "$(for f in kernels/backends/*.c; do b=$(basename "$f" .c); grep -qE "^BACKENDS.*abdb-run-$b\b|call library,$b," Makefile || echo "$f"; done)"
check "each backend and store with a library has a Debian package, or is switched off there" "$(sed -nE 's/.*call (library|store),([a-z]+),.*/\1 \2/p' Makefile | while read -r kind name; do
  [ -e "packages/debian/abdb-$([ "$kind" = store ] && echo store || echo backend)-$name.install" ] || grep -q "WITH_$name=no" packages/debian/rules || echo "$name"; done)"
check "each kernel has a cell that verifies it" "$(sed -n 's/^KERNEL(.*"\(.*\)".*/\1/p' kernels/registry.def | while read -r k; do grep -q "^$k " kernels/plans/all.plan || echo "$k"; done)"
check "each verb has a file" "$(sed -nE 's/^VERB\(([a-z_]*),.*/\1/p' query/cli/commands.def | while read -r v; do [ "$v" = version ] || [ -f "query/verbs/cmd_$v.c" ] || echo "$v"; done)"
check "the protocol has each rule that is tried or refused by number" "$({ sed -n 's/^RULE("\([0-9.]*\)".*/\1/p' kernels/runner/conformance.def; grep -ohE '"[0-9]\.[0-9]+"' kernels/runner/{cell_validation,runner,conformance,backend_reader}.c | tr -d '"'; } |
  sort -u | while read -r r; do grep -qE "^${r//./\\.} " kernels/harness/protocol.md || echo "$r"; done
  grep -ohE '"[0-9]\.[0-9]+"' kernels/runner/{cell_validation,runner,conformance,backend_reader}.c | sort -u | while read -r r; do grep -qF "RULE($r," kernels/runner/conformance.def || echo "$r is not tried"; done
  awk '/^[0-9]+\.[0-9]+ / { r = $1 } /\*Checked/ { print r }' kernels/harness/protocol.md | while read -r r; do grep -qF "RULE(\"$r\"," kernels/runner/conformance.def || echo "$r is said to be checked"; done)"
check "each table is commented, and each column but those of field.def" "$(awk '/^CREATE TABLE/ { t = $3; if (prev !~ /^-- /) print "table " t } { prev = $0 }
  /^    [a-z_]+ +(TEXT|INTEGER|REAL)/ && !/--/ { print t "." $1 }' schema/ddl/*.sql | while IFS=. read -r t c; do
    [ -n "$c" ] && grep -q "FIELD($c," schema/core/field.def && continue
    echo "$t.$c"; done)"
# the pthread build of OpenBLAS loses up to two thirds beside an OpenMP loop
build=${BUILD:-build}
check "no circle of files" "$([ ! -d "$build/obj" ] || python3 tests/checks/include_cycles.py "$build/obj")"
check "no second thread pool" "$([ ! -x "$build/abdb-run-openblas" ] || ldd "$build/abdb-run-openblas" | grep -i 'openblas-pthread\|libopenblasp')"
echo "1..$n"
exit ${failed:-0}
