#!/usr/bin/env bash
# hosts.sh - ranks on two hosts, which are network namespaces of this machine on a bridge: messages go by TCP and are right, the row says
# two nodes, a rank that dies ends all. As root, with iproute2. In TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
[ -x "${BUILD:-build}/abdb" ] || tests/checks/build_targets.sh all || exit 1
build=$PWD/${BUILD:-build}
skip() { echo "1..0 # SKIP $1"; exit 0; }
[ -x "$build/abdb-run-mpi" ] || skip "built without MPI (Debian: libopenmpi-dev openmpi-bin)"
[ "$(id -u)" = 0 ] || skip "only root makes network namespaces"
for tool in mpirun ip unshare; do command -v $tool >/dev/null || skip "no $tool (Debian: openmpi-bin, iproute2, util-linux)"; done

dir=$(mktemp -d)
id=$$ # names of this run alone
bridge=ab$((id % 100000)) hosts=("abdb-$id-1" "abdb-$id-2")
clean() {
    for h in "${hosts[@]}"; do ip netns pids "$h" 2>/dev/null | xargs -r kill -9; ip netns del "$h" 2>/dev/null; done
    ip link del "$bridge" 2>/dev/null
    rm -rf "$dir"
}
trap clean EXIT
ip link add "$bridge" type bridge 2>"$dir/out" && ip link set "$bridge" up || skip "no bridge can be made here: $(head -1 "$dir/out")"
ip addr add 10.213.77.254/24 dev "$bridge"
for i in 1 2; do
    ip netns add "${hosts[i - 1]}" && ip link add "$bridge.$i" type veth peer name e0 netns "${hosts[i - 1]}" || skip "no network namespace can be made here"
    ip link set "$bridge.$i" master "$bridge" up
    ip -n "${hosts[i - 1]}" addr add 10.213.77.$i/24 dev e0
    ip -n "${hosts[i - 1]}" link set e0 up
    ip -n "${hosts[i - 1]}" link set lo up
done
# What mpirun calls instead of ssh: the command runs in that namespace, under the host's name.
cat >"$dir/agent" <<'A'
#!/bin/sh
host=$1
shift
exec ip netns exec "$host" unshare --uts sh -c "hostname $host; $*"
A
chmod +x "$dir/agent"
launcher="mpirun --bind-to none --mca plm_rsh_agent $dir/agent --mca oob_tcp_if_include 10.213.77.0/24 --mca btl_tcp_if_include 10.213.77.0/24 --mca btl tcp,self"
export ABDB_DB=$dir/db ABDB_DATA=data
abdb() { timeout 120 "$build/abdb" "$@"; }
ask() { abdb query -o csv "$1" 2>&1 | tail -n +2; }
. tests/ports/ok.sh
echo "1..5"
cat >"$dir/hosts.plan" <<'P'
all-reduce      dtype=i32,f32  message_bytes=8,65536
all-to-all      message_bytes=4096
broadcast       message_bytes=4096
point-to-point  message_bytes=8  pattern=ping-pong
P
abdb run -q --quick --plan "$dir/hosts.plan" --ranks 2 --launcher "$launcher" --hosts "${hosts[0]}:1,${hosts[1]}:1" --tag two >"$dir/out" 2>&1
ok "cells are measured between two hosts"
ask "SELECT cell, status, verified, reason, nodes FROM v_run WHERE NOT (status = 'ok' AND verified = 'pass' AND nodes = 2 AND devices = 2)" >"$dir/out"
[ ! -s "$dir/out" ] && [ "$(ask "SELECT count(*) FROM v_run")" = 7 ]
ok "and are right, on two nodes"
[ "$(ask "SELECT group_concat(DISTINCT host) FROM (SELECT host FROM v_rank ORDER BY host)" | tr -d '"' | tee "$dir/out")" = 1,2 ]
ok "hosts are numbers, not names"
! ask "SELECT environment FROM v_run" | grep -E "${hosts[0]}|${hosts[1]}" >"$dir/out"
ok "no environment names a host"
abdb run -q --kernel all-reduce --axis message_bytes=67108864 --ranks 2 --launcher "$launcher" --hosts "${hosts[0]}:1,${hosts[1]}:1" --tag dies >"$dir/out" 2>&1 &
for ((i = 0; i < 200; i++)); do
    rank=$(ip netns pids "${hosts[1]}" | while read -r p; do grep -qx abdb-run-mpi "/proc/$p/comm" && echo "$p"; done | head -1)
    [ -z "$rank" ] || break
    sleep 0.05
done
sleep 1
kill -9 "$rank"
for ((i = 0; i < 100; i++)); do [ "$(ask "SELECT status FROM v_run WHERE tag = 'dies'")" = crash ] && break; sleep 0.05; done
wait
[ "$i" -lt 100 ] && [ -z "$(for h in "${hosts[@]}"; do ip netns pids "$h" | while read -r p; do grep -x abdb-run-mpi "/proc/$p/comm"; done; done)" ]
ok "a rank that dies on another host is a row within 5 s, and ends all"
exit $failed
