#!/usr/bin/env bash
# postgresql.sh - a warehouse on PostgreSQL has the rows of SQLite in every view, internal ones too. In TAP. A server of its own is
# started in a temporary folder. postgresql.sh [DATABASE]: of that database, else of the data that abdb ships. CITUS=1: on a coordinator and
# two workers of Citus, where the extension is installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ -x "${BUILD:-build}/abdb" ] || tests/checks/build_targets.sh all || exit 1
build=${BUILD:-build}
server=tests/ports/${CITUS:+citus}_server
[ -n "${CITUS-}" ] || server=tests/ports/postgresql_server
if ! bash $server.sh here || [ ! -x "$build/abdb-store-pg" ]; then
    echo "1..0 # SKIP ${CITUS:+Citus, }PostgreSQL's server or psql is not installed, or libpq-dev was not when abdb was built"
    exit 0
fi
dir=$(mktemp -d)
trap 'bash $server.sh stop "$dir"; rm -rf "$dir"' EXIT
bash $server.sh start "$dir"
db=${1:-$dir/abdb.db}
url="postgresql://abdb@/postgres?host=$dir/server"
[ -n "${1:-}" ] || ABDB_DATA=data "$build/abdb" import -q data --db "$db"
"$build/abdb" push "$url" --db "$db" >&2
achieved=peak-achieved
[ -z "${CITUS-}" ] || achieved= # Citus has no plan for it
REPORTS="artifacts factors rules sensitivity withdrawals rejects audit-plausibility mlperf-rounds mlperf-systems $achieved power speedups training-time scaling-throughput" \
    python3 tests/ports/same_views.py "$db" "$url" tests/ports/questions.sql
