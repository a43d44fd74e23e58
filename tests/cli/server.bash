# server.bash - one PostgreSQL of this machine's package for a file of tests, in $server; empty where there is none, or no libpq when abdb was built.
# CITUS=1: a Citus of a coordinator and two workers, where the extension is installed.
setup_file() {
    export server=
    [ -x "$BATS_TEST_DIRNAME/../../${BUILD:-build}/abdb-store-pg" ] || return 0
    export kind=${CITUS:+citus}
    kind=$BATS_TEST_DIRNAME/../ports/${kind:-postgresql}_server.sh
    bash "$kind" here || return 0
    server=$(mktemp -d)
    bash "$kind" start "$server" 3>&- # bats waits for what holds its descriptor
}
teardown_file() {
    [ -z "$server" ] || bash "$kind" stop "$server"
    [ -z "$server" ] || rm -rf "$server"
}
need_server() {
    [ -n "$server" ] || skip "no ${CITUS:+Citus on a }PostgreSQL server, or no libpq-dev when abdb was built (Debian: postgresql, libpq-dev)"
}
# A database of that name, on every node of a Citus.
database() { # NAME
    if [ -n "${CITUS-}" ]; then bash "$kind" database "$server" "$1" 2>/dev/null; else psql -X -q -h "$server/server" -U abdb -d postgres -c "CREATE DATABASE $1"; fi
}
# A database of that name on the server; its address is in $url.
warehouse() {
    need_server
    database "$1"
    name=$1
    url=$(address abdb)
}
address() { echo "postgresql://$1@/$name?host=$server/server"; }
there() { psql -X -q -t -A -v ON_ERROR_STOP=1 -h "$server/server" -U "${as:-abdb}" -d "$name" -c "SET search_path = abdb, public" -c "$1" 2>&1; }
