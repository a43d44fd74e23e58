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
# Everything that is a fact, without artifact, line, time and row number.
facts() {
    sqlite3 "${1:-$ABDB_DB}" "SELECT * FROM entry ORDER BY 1; SELECT * FROM result ORDER BY 1, 2;
      SELECT * FROM point_factor ORDER BY 1, 2; SELECT * FROM spec ORDER BY 1; SELECT * FROM price ORDER BY 1;
      SELECT * FROM alias ORDER BY 1, 2, 3; SELECT * FROM device ORDER BY 1; SELECT * FROM name ORDER BY 1, 2, 3;
      SELECT * FROM subject ORDER BY 1, 2" | sha256sum
}
