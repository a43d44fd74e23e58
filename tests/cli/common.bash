# common.bash - what every test of the command line needs: a folder of its own, the program, the files.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/${BUILD:-build}
fixtures=$root/tests/fixtures
realdata=${ABDB_REALDATA:-$root/../shared/realdata}
export PATH=$build:$PATH
export ABDB_PATH=/nonexistent NO_COLOR=1 LC_ALL=C.UTF-8 ABDB_PAGER=cat
# PoCL compiles each source once, and abdb keeps what was built: both are found again by their content, half a minute that no test is about
export POCL_CACHE_DIR=$build/pocl XDG_CACHE_HOME=$build/cache
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
    [ ! -e "$ABDB_DB" ] || { abdb import -q "$@"; return; }
    made=${ABDB_MADE:-$BATS_RUN_TMPDIR}/$(printf '%s\n' "$build" "$@" | sha256sum | cut -c1-16)
    [ -e "$made" ] || { abdb import -q --db "$made.$$" "$@" && mv "$made.$$" "$made"; } || return # moved whole: others may make it, too
    cp --reflink=auto "$made" "$ABDB_DB"
}
need_realdata() {
    [ -d "$realdata/$1" ] || skip "no $realdata/$1 (set ABDB_REALDATA)"
}
# One value out of the database, by abdb itself.
ask() {
    abdb query "$1 ;" -o csv | tail -n +2
}
# The last command failed with that exit code and says that.
fails() {
    [ "$status" -eq "$1" ] || { echo "exit $status, not $1: $output"; return 1; }
    [[ "$output" == *"$2"* ]] || { echo "does not say '$2': $output"; return 1; }
}
same() {
    [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }
}
# Everything that is a fact, without artifact, line, time and the numbers that a row has in its own file.
facts() {
    local text
    text=$(sqlite3 -bail "${1:-$ABDB_DB}" "SELECT run, (SELECT point_key FROM point p WHERE p.point_id = e.point_id), (SELECT body FROM environment v
        WHERE v.environment_id = e.environment_id), evidence, kind, status, reason, verified, suite, system_type, round, division, availability,
        public_id, submitter, system, platform, workload, model, scenario, device, devices, nodes, backend, dtype, date, tag, campaign, cell,
        flags, source, url, retrieved, origin, (SELECT repetition || ' ' || start || ' ' || started FROM process p WHERE p.process_id = e.process_id)
        FROM entry e ORDER BY 1;
      SELECT e.entry_key, r.ordinal, metric, statistic, rank, x, value, unit, raw_value, raw_unit, r.cell, n, low, high, spread, formula
        FROM result r JOIN entry_row e USING (entry_id) ORDER BY 1, 2;
      SELECT p.point_key, factor, state, text, num, unit FROM point_factor f JOIN point p USING (point_id) ORDER BY 1, 2;
      SELECT e.entry_key, r.ordinal, seq, s.rank, t_s, s.value, mark FROM sample s JOIN result_row r USING (result_id)
        JOIN entry_row e ON e.entry_id = r.entry_id ORDER BY 1, 2, 3;
      SELECT e.entry_key, t.sensor, t.quantity, t.t_s, t.value, t.unit FROM telemetry t JOIN entry_row e USING (entry_id) ORDER BY 1, 2, 3, 4;
      SELECT e.entry_key, s.place, s.span, s.calls, s.time_s FROM span s JOIN entry_row e USING (entry_id) ORDER BY 1, 2;
      SELECT e.entry_key, k.mpi_rank, k.host, k.device, k.binding FROM rank k JOIN entry_row e USING (entry_id) ORDER BY 1, 2;
      SELECT a.entry_key, b.entry_key, p.role FROM part p JOIN entry_row a ON a.entry_id = p.whole
        JOIN entry_row b ON b.entry_id = p.piece ORDER BY 1, 2;
      SELECT spec_key, device, quantity, dtype, engine, sparsity, basis, power_limit, value, unit, raw_value, raw_unit, note, source, locator,
        date FROM spec ORDER BY 1;
      SELECT price_key, provider, instance, device, devices, kind, region, amount, currency, per, valid_from, raw_value, source, locator
        FROM price ORDER BY 1;
      SELECT environment_key, body FROM environment ORDER BY 1; SELECT note_key, kind, target, text, author, date FROM note ORDER BY 1;
      SELECT * FROM alias ORDER BY 1, 2, 3; SELECT * FROM device ORDER BY 1; SELECT * FROM name ORDER BY 1, 2, 3; SELECT * FROM name_factor ORDER BY 1, 2; SELECT * FROM decoration ORDER BY 1; SELECT * FROM round ORDER BY 1, 2;
      SELECT e.entry_key, ordinal, subject, preferred, sources, disagree, s.flags, public_id, verified
        FROM subject s JOIN result_row r USING (result_id) JOIN entry_row e USING (entry_id) ORDER BY 1, 2;
      SELECT e.entry_key, ordinal FROM ceiling_best JOIN result_row r USING (result_id) JOIN entry_row e USING (entry_id) ORDER BY 1, 2") || { echo "no facts: $RANDOM$RANDOM$RANDOM"; return 1; } # nothing is equal to that
    sha256sum <<<"$text"
}
