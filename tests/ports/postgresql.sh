#!/usr/bin/env bash
# postgresql.sh - the views in PostgreSQL: each has the rows that it has in SQLite. In TAP. A server of its own is started in
# a temporary folder. postgresql.sh [DATABASE]: of that database, else of the data that abdb ships.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=$(dirname "$(command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -1 || true)")
if [ ! -x "$bin/initdb" ] || ! command -v psql >/dev/null || ! command -v sqlite3 >/dev/null; then
    echo "1..0 # SKIP PostgreSQL's server, psql or the sqlite3 shell is not installed"
    exit 0
fi
# the server does not run as root
as=()
[ "$(id -u)" != 0 ] || as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
dir=$(mktemp -d)
chmod 755 "$dir"
trap '"${as[@]}" "$bin/pg_ctl" -D "$dir/server/data" -m immediate stop >/dev/null 2>&1 || true; rm -rf "$dir"' EXIT
install -d -m 700 "$dir/server" && [ ${#as[@]} = 0 ] || chown nobody:nogroup "$dir/server"
"${as[@]}" "$bin/initdb" -D "$dir/server/data" -U abdb -A trust --encoding=UTF8 --locale=C >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
"${as[@]}" "$bin/pg_ctl" -D "$dir/server/data" -w -l "$dir/server/log" -o "-c listen_addresses='' -c unix_socket_directories='$dir/server' -c fsync=off -c jit=off" start >"$dir/log" 2>&1 || { cat "$dir/log" "$dir/server/log"; exit 1; }
chmod 755 "$dir/server"
pg() { psql -X -q -v ON_ERROR_STOP=1 -h "$dir/server" -U abdb -d postgres "$@"; }

db=${1:-$dir/abdb.db}
[ -n "${1:-}" ] || ABDB_DB=$db ABDB_DATA=data "${BUILD:-build}/abdb" import -q data

# tables: the same ones in other words
sed -E 's/\) STRICT(, WITHOUT ROWID)?;/);/; s/ REAL( |,|$)/ DOUBLE PRECISION\1/; s/ INTEGER( |,|$)/ BIGINT\1/; s/ REFERENCES [a-z_]+//
    s/9e999/DOUBLE PRECISION '"'infinity'"'/g' schema/ddl/*.sql >"$dir/ddl.sql"
pg -f "$dir/ddl.sql"
tables=$(sqlite3 "$db" "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'column_doc'")
for t in $tables; do
    sqlite3 -csv -nullvalue '~' "$db" "SELECT * FROM $t" >"$dir/$t.csv"
    pg -c "\\copy $t FROM '$dir/$t.csv' (FORMAT csv, NULL '~')"
done
pg -f schema/dialect/postgresql.sql
for f in schema/views/*.sql; do [ "$f" = schema/views/005_stored.sql ] || pg -f "$f"; done
pg -c ANALYZE

views=$(sqlite3 "$db" "SELECT name FROM sqlite_master WHERE type = 'view' ORDER BY name")
echo "1..$(wc -w <<<"$views")"
n=0 failed=0
for v in $views; do
    n=$((n + 1))
    columns=$(sqlite3 "$db" "SELECT group_concat('\"' || name || '\"') FROM pragma_table_info('$v')")
    sqlite3 -csv -nullvalue '~' "$db" "SELECT $columns FROM $v" >"$dir/a.csv"
    pg -c "\\copy (SELECT ${columns,,} FROM $v) TO '$dir/b.csv' (FORMAT csv, NULL '~')"
    if python3 tests/ports/same_rows.py "$dir/a.csv" "$dir/b.csv" >"$dir/diff"; then
        echo "ok $n - $v: $(tail -1 "$dir/diff") rows"
    else
        echo "not ok $n - $v"
        sed 's/^/#   /' "$dir/diff" | head -20
        failed=1
    fi
done
exit $failed
