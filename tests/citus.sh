#!/usr/bin/env bash
# citus.sh - a Citus of its own for tests: a coordinator and workers with sockets in a folder and no port. `citus.sh start DIR [WORKERS]` makes
# it below DIR (two workers), which whoever asked removes, `stop DIR` ends it, `here` says whether the extension is installed. The coordinator's
# socket is in DIR/server, as postgresql.sh has it. Every database that is made from then on is distributed (template1).
set -euo pipefail
one=$(dirname "$0")/postgresql.sh
here() { bash "$one" here && [ -e "$(pg_config --sharedir 2>/dev/null)/extension/citus.control" ]; }
[ "${1:-}" != here ] || { here; exit; }
dir=$2 workers=${3:-2}
case $1 in
start)
    mkdir -p "$dir" && chmod 755 "$dir"
    # a host that begins with '/' is the folder of a socket, for the workers too
    set_up() { # DIR PORT
        PG_OPTIONS="-p $2 -c shared_preload_libraries=citus -c citus.local_hostname='$1/server' -c citus.node_conninfo='sslmode=disable' -c wal_level=logical \
-c max_prepared_transactions=200 -c max_connections=300 -c citus.max_cached_conns_per_worker=4 -c citus.shard_count=${SHARDS:-8}" bash "$one" start "$1"
        psql -X -q -h "$1/server" -p "$2" -U abdb -d template1 -c "CREATE EXTENSION citus"
    }
    ;;
stop) for d in "$dir" "$dir"/worker*; do [ ! -d "$d/server/data" ] || bash "$one" stop "$d"; done; exit ;;
esac
set_up "$dir" 5432
for ((w = 1; w <= workers; w++)); do set_up "$dir/worker$w" $((5432 + w)); done
