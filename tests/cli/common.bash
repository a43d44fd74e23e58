# common.bash - what every test of the command line needs: a folder of its own, the program, the files.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/${BUILD:-build}
fixtures=$root/tests/fixtures
realdata=${ABDB_REALDATA:-$root/../shared/realdata}
export PATH=$build:$PATH
export ABDB_PATH=/nonexistent NO_COLOR=1 LC_ALL=C.UTF-8 ABDB_PAGER=cat
# PoCL compiles each source once, and abdb keeps what was built: both are found again by their content, half a minute that no test is about
export POCL_CACHE_DIR=$build/pocl XDG_CACHE_HOME=$build/cache
# try.html takes a site two seconds: who tests it calls need_wasm
export ABDB_WASM=/nonexistent
unset ABDB_DB

setup() {
    dir=$(mktemp -d)
    export ABDB_DB=$dir/t.db
    cd "$dir" || exit 1
}
# TIMES_FILE: where the processor time of each test is noted, its own and that of what it started.
teardown() {
    [ -z "${TIMES_FILE-}" ] || { echo "$BATS_TEST_DESCRIPTION"; times; } >>"$TIMES_FILE"
    cd /
    chmod -R u+w "$dir" 2>/dev/null || true
    rm -rf "$dir"
}
# Does `abdb import -q FILE...`; into a new database only once for all tests that run together: the others get a copy. For tests of what
# is asked of it; those of importing import. FILE: files that no test changes.
filled() {
    local made
    # 5: a file of which nothing was kept, as a catalog without a provider
    [ ! -e "$ABDB_DB" ] || { abdb import -q "$@" || [ $? -eq 5 ]; return; }
    made=${ABDB_MADE:-$BATS_RUN_TMPDIR}/$(printf '%s\n' "$build" "$@" | sha256sum | cut -c1-16)
    [ -e "$made" ] || { { abdb import -q --db "$made.$$" "$@" || [ $? -eq 5 ]; } && mv "$made.$$" "$made"; } || return # moved whole: others may make it, too
    cp --reflink=auto "$made" "$ABDB_DB"
}
# The files of the shipped evidence without five of the largest, which only have more of the same: half the rows, and something still for
# every report, view and figure. For tests that ask each of them, where what they look for does not depend on how many rows there are.
# What is shipped, without what abdb measured: those who ask for the machine measured last bring their own.
said_by_others() {
    printf '%s\n' "$root"/data/*.csv "$root"/data/{results,rules}
}
half_of_data() {
    ls "$root"/data/{,rules/,results/}*.csv | grep -vE 'mlperf-(inference-v[45]|training)|specs-epoch|v6.0-site|rules/marks'
}
# Is this `make soak`? It tries every pair of a product; `make test` tries a part that has each member of both sides.
thorough() { [ -n "${THOROUGH-}" ]; }
# What `make` alone does not build is built here: need_built unit/migration.
need_built() {
    local target
    for target in "$@"; do [ -e "$build/$target" ] || (cd "$root" && tests/checks/build_targets.sh "$target") || return; done
}
# The program for browsers, and node, which runs it too.
need_wasm() {
    command -v node >/dev/null || skip "no node: apt-get install nodejs"
    [ -e "$build/abdb.wasm" ] || skip "no abdb.wasm: make wasm"
    unset ABDB_WASM
}
# The database that a site's try.html carries.
carried_database() { # TRY-DATA.JS
    node -e 'globalThis.abdbTry = (d) => process.stdout.write(require("zlib").gunzipSync(Buffer.from(d.database, "base64"))); eval(require("fs").readFileSync(process.argv[1], "utf8"))' "$1"
}
need_realdata() {
    [ -d "$realdata/$1" ] || skip "no $realdata/$1 (set ABDB_REALDATA)"
}
# One value out of the database, by abdb itself.
ask() (
    set -o pipefail
    abdb query "$1 ;" -o csv | tail -n +2
)
# The last command failed with that exit code and says that.
fails() {
    [ "$status" -eq "$1" ] || { echo "exit $status, not $1: $output"; return 1; }
    [[ "$output" == *"$2"* ]] || { echo "does not say '$2': $output"; return 1; }
}
# COMMAND... says no, by exit code 1: of grep, cmp, diff, pgrep and kill -0 the answer, while 2 says that it could not look. In the place
# of `! COMMAND`, which fails no test unless it is its last command. Behind a pipe: ... | no grep WORDS.
no() {
    local code=0
    "$@" || code=$?
    [ "$code" -eq 1 ] || { echo "exit $code, not 1: $*"; return 1; }
}
# COMMAND... succeeds and prints nothing: one that fails has nothing to say, either.
silent() {
    local said
    said=$("$@") || { echo "exit $?: $*"; return 1; }
    same "$said" ""
}
same() {
    [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }
}
# Everything that is a fact, without artifact, line, time and the numbers that a row has in its own file.
facts() {
    local text
    text=$(sqlite3 -bail "${1:-$ABDB_DB}" <"$root/tests/checks/facts.sql") || { echo "no facts: $RANDOM$RANDOM$RANDOM"; return 1; } # nothing is equal to that
    sha256sum <<<"$text"
}

# A draft of a map on standard input, with answers to who says it, and to the kind of evidence.
answered() {
    sed 's/^name    ?/name    my-table/; s/^set     evidence ?/set     evidence published/'
}
# The databases that the commands of traps.txt name: t.db, own.db, money.db and serving.db.
fill_databases_of_traps() {
    filled "$root/data"
    abdb import -q --db own.db "$fixtures/traps.csv"
    cp "$ABDB_DB" money.db
    abdb import -q --db money.db "$fixtures/traps-prices.csv"
    cp --reflink=auto "$ABDB_DB" serving.db
    abdb import -q --db serving.db "$fixtures/traps_serving.csv"
}
