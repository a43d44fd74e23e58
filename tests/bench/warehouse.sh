#!/usr/bin/env bash
# warehouse.sh - how long pushing and pulling take on a million results and ten million samples (million.sql), to a PostgreSQL of its own on
# this machine, default settings but for fsync and jit off: the seconds that passed, the processor time of abdb and its store, and that of the server. Goals: push from
# nothing 180 s on 2 cores, push of nothing new 2 s, pull of one command 1 s. DIR: where million.db of reports.sh lies.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/${BUILD:-build}
. tests/checks/need.bash
need sqlite3 "$build/abdb"
if ! bash tests/ports/postgresql_server.sh here || [ ! -x "$build/abdb-store-pg" ]; then
    echo "warehouse: no PostgreSQL server, or no libpq-dev when abdb was built"
    exit 0
fi
dir=$(mktemp -d)
trap 'bash tests/ports/postgresql_server.sh stop "$dir"; rm -rf "$dir"' EXIT
db=${DIR:-$dir}/million.db
if [ ! -s "$db" ]; then
    "$build/abdb" import -q data --db "$db"
    sqlite3 "$db" <tests/bench/million.sql >/dev/null
    "$build/abdb" init --db "$db" >/dev/null
    sqlite3 "$db" ANALYZE
fi
bash tests/ports/postgresql_server.sh start "$dir"
url="postgresql://abdb@/postgres?host=$dir/server"

line() { # GOAL_S NAME COMMAND...
    local goal=$1 name=$2
    shift 2
    python3 - "$goal" "$name" "$dir/server/data" "$@" <<'P'
import os, resource, subprocess, sys, time
goal, name, data, *command = sys.argv[1:]
tick = os.sysconf("SC_CLK_TCK")
def server():
    """Processor seconds of the postmaster's children that have ended, and of those that run."""
    first = open(f"{data}/postmaster.pid").readline().strip()
    f = open(f"/proc/{first}/stat").read().rsplit(")", 1)[1].split()
    total = sum(map(int, f[11:15]))
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            f = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        total += int(f[11]) + int(f[12]) if f[1] == first else 0
    return total / tick
before, begun = server(), time.monotonic()
subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
wall = time.monotonic() - begun
own = resource.getrusage(resource.RUSAGE_CHILDREN)
print(f"| {name} | {goal} | {wall:.2f} | {own.ru_utime + own.ru_stime:.2f} | {server() - before:.2f} | {'yes' if wall <= float(goal) else 'NO'} |", flush=True)
P
}

echo "| $(sqlite3 "$db" 'SELECT count(*) FROM result_row') results, $(sqlite3 "$db" 'SELECT count(*) FROM sample_row') samples; $(uptime | sed 's/.*load/load/') | goal s | s | processor s here | of the server | met |"
echo "|---|---|---|---|---|---|"
line 180 "push from nothing" "$build/abdb" push "$url" --db "$db"
line 2 "push of nothing new" "$build/abdb" push "$url" --db "$db"
line 2 "push of nothing new, again" "$build/abdb" push "$url" --db "$db"
"$build/abdb" init --db "$dir/one.db" >/dev/null # a file with its dictionaries
line 1 "pull of one command" "$build/abdb" pull "$url" --where campaign=c-1234 --db "$dir/one.db"
"$build/abdb" import -q --db "$dir/new.db" tests/fixtures/llama_bench.jsonl
line 5 "push of one new file" "$build/abdb" push "$url" --db "$dir/new.db"
echo "size: $(du -h "$db" | cut -f1) as a file, $(psql -X -t -A -h "$dir/server" -U abdb -d postgres -c "SELECT pg_size_pretty(pg_database_size('postgres'))") there"
