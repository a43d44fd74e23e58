# common.bash - what every test of the command line needs: a folder of its own, the program, the files.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/${BUILD:-build}
fixtures=$root/tests/fixtures
realdata=${ABDB_REALDATA:-$root/../shared/realdata}
export PATH=$build:$PATH
export ABDB_PATH=/nonexistent NO_COLOR=1 LC_ALL=C.UTF-8
unset ABDB_DB

setup() {
    dir=$(mktemp -d)
    export ABDB_DB=$dir/t.db
    cd "$dir" || exit 1
}
teardown() {
    cd /
    chmod -R u+w "$dir" 2>/dev/null || true
    rm -rf "$dir"
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
    sqlite3 "${1:-$ABDB_DB}" "SELECT entry_key, (SELECT point_key FROM point p WHERE p.point_id = e.point_id), environment_id, evidence, kind,
        status, reason, verified, suite, system_type, round, division, availability, public_id, submitter, system, platform, workload,
        model, scenario, device, devices, nodes, backend, dtype, date, tag, campaign, cell, flags, source, url, retrieved
        FROM entry e ORDER BY 1;
      SELECT e.entry_key, r.ordinal, metric, statistic, rank, x, value, unit, raw_value, raw_unit, cell, n, low, high, spread, formula
        FROM result r JOIN entry_row e USING (entry_id) ORDER BY 1, 2;
      SELECT p.point_key, factor, state, text, num, unit FROM point_factor f JOIN point p USING (point_id) ORDER BY 1, 2;
      SELECT e.entry_key, ordinal, seq, rank, t_s, value, mark FROM sample s JOIN entry_row e USING (entry_id) ORDER BY 1, 2, 3, 4;
      SELECT a.entry_key, b.entry_key, p.role FROM part p JOIN entry_row a ON a.entry_id = p.whole
        JOIN entry_row b ON b.entry_id = p.piece ORDER BY 1, 2;
      SELECT * FROM spec ORDER BY 1; SELECT * FROM price ORDER BY 1; SELECT * FROM environment ORDER BY 1;
      SELECT * FROM alias ORDER BY 1, 2, 3; SELECT * FROM device ORDER BY 1; SELECT * FROM name ORDER BY 1, 2, 3;
      SELECT e.entry_key, ordinal, subject, preferred, sources, disagree, s.flags, public_id, verified
        FROM subject s JOIN entry_row e USING (entry_id) ORDER BY 1, 2" | sha256sum
}
