# server.bash - one PostgreSQL of this machine's package for a file of tests, in $server; empty where there is none, or no libpq when abdb was built.
setup_file() {
    export server=
    bash "$BATS_TEST_DIRNAME/../postgresql.sh" here && [ -x "$BATS_TEST_DIRNAME/../../${BUILD:-build}/abdb-store-pg" ] || return 0
    server=$(mktemp -d)
    bash "$BATS_TEST_DIRNAME/../postgresql.sh" start "$server" 3>&- # bats waits for what holds its descriptor
}
teardown_file() {
    [ -z "$server" ] || bash "$BATS_TEST_DIRNAME/../postgresql.sh" stop "$server"
    [ -z "$server" ] || rm -rf "$server"
}
need_server() {
    [ -n "$server" ] || skip "no PostgreSQL server, or no libpq-dev when abdb was built (Debian: postgresql, libpq-dev)"
}
