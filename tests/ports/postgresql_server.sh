#!/usr/bin/env bash
# postgresql_server.sh - a PostgreSQL server of its own for tests, with a socket in its folder and no port: `postgresql_server.sh start DIR` makes it
# below DIR, which whoever asked removes, `stop DIR` ends it, `here` says whether one is installed.
set -euo pipefail
bin=$(dirname "$(command -v initdb || ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null | sort -V | tail -1 || echo /none/initdb)")
# initdb on the PATH may be a link to it
bin=$(dirname "$(readlink -f "$bin/initdb" || echo /none/initdb)")
[ "${1:-}" != here ] || { [ -x "$bin/initdb" ] && command -v psql >/dev/null; exit; }
dir=$2
# the server does not run as root
as=()
[ "$(id -u)" != 0 ] || as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
case $1 in
start)
    mkdir -p "$dir" && chmod 755 "$dir"
    install -d -m 700 "$dir/server"
    [ ${#as[@]} = 0 ] || chown nobody:nogroup "$dir/server"
    # no synchronous writing: a test may lose its server
    "${as[@]}" "$bin/initdb" -D "$dir/server/data" -U abdb -A trust --encoding=UTF8 --locale="${PG_LOCALE:-C}" --no-sync >"$dir/log" 2>&1 ||
        { cat "$dir/log" >&2; exit 1; }
    "${as[@]}" "$bin/pg_ctl" -D "$dir/server/data" -w -l "$dir/server/log" -o "-c listen_addresses='' -c unix_socket_directories='$dir/server' \
-c fsync=off -c jit=off -c max_wal_size=4GB ${PG_OPTIONS:-}" start >"$dir/log" 2>&1 || { cat "$dir/log" "$dir/server/log" >&2; exit 1; }
    chmod 755 "$dir/server"
    ;;
stop) "${as[@]}" "$bin/pg_ctl" -D "$dir/server/data" -m immediate stop >/dev/null 2>&1 || true ;;
esac
