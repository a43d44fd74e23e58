#!/usr/bin/env bash
# citus_server.sh - a Citus of its own for tests: a coordinator and workers with sockets in folders, no ports and no passwords. `citus_server.sh start DIR
# [WORKERS]` makes it below DIR (two workers), which whoever asked removes; `database DIR NAME` makes a database on all of them; `stop DIR`
# ends it; `here` says whether the extension is installed. The coordinator's socket is in DIR/server, as postgresql_server.sh has it.
set -euo pipefail
one=$(dirname "$0")/postgresql_server.sh
[ "${1:-}" != here ] || { bash "$one" here && [ -e "$(pg_config --sharedir 2>/dev/null)/extension/citus.control" ]; exit; }
dir=$2
# where a host begins with '/', it is the folder of a socket, between nodes too
options() { # FOLDER PORT
    echo "-p $2 -c shared_preload_libraries=citus -c citus.local_hostname='$1/server' -c citus.node_conninfo='sslmode=disable' -c wal_level=logical \
-c max_prepared_transactions=200 -c max_connections=300 -c max_worker_processes=64 -c citus.shard_count=${SHARDS:-8} \
-c citus.enable_statistics_collection=off -c citus.distributed_deadlock_detection_factor=2"
}
workers() { ls -d "$dir"/worker* 2>/dev/null | sort; }
sql() { psql -X -q -t -A -v ON_ERROR_STOP=1 -h "$1/server" -p "$2" -U abdb -d "$3" -c "$4" >/dev/null; }
members() { # DATABASE: the extension on every node, and every node known to the coordinator
    local port=5432 w
    sql "$dir" 5432 "$1" "CREATE EXTENSION citus; SELECT citus_set_coordinator_host('$dir/server', 5432)"
    for w in $(workers); do
        port=$((port + 1))
        sql "$w" $port "$1" "CREATE EXTENSION citus"
        sql "$dir" 5432 "$1" "SELECT citus_add_node('$w/server', $port)"
    done
}
case $1 in
start)
    PG_OPTIONS=$(options "$dir" 5432) bash "$one" start "$dir"
    for ((w = 1; w <= ${3:-2}; w++)); do PG_OPTIONS=$(options "$dir/worker$w" $((5432 + w))) bash "$one" start "$dir/worker$w"; done
    members postgres
    ;;
database)
    port=5432
    for d in "$dir" $(workers); do
        PGOPTIONS='-c citus.enable_ddl_propagation=off' sql "$d" $port postgres "CREATE DATABASE $3"
        port=$((port + 1))
    done
    members "$3"
    ;;
stop) for d in "$dir" $(workers); do bash "$one" stop "$d"; done ;;
esac
