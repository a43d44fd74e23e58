#!/usr/bin/env bash
# slurm.sh - Debian's Slurm on this machine: three nodes, which are network namespaces of it on a bridge, each with its slurmd. A job array of
# abdb run --slurm measures on each of them, a task that is killed leaves what is whole, the job behind imports all; srun starts ranks on one
# node and on two. As root. In TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
[ -x "${BUILD:-build}/abdb" ] || tests/checks/build_targets.sh all || exit 1
build=$PWD/${BUILD:-build}
skip() { echo "1..0 # SKIP $1"; exit 0; }
[ "$(id -u)" = 0 ] || skip "only root makes network namespaces"
for tool in jq slurmctld slurmd munged sbatch ip nsenter unshare; do command -v $tool >/dev/null || skip "no $tool (Debian: slurm-wlm, iproute2, util-linux)"; done

dir=$(mktemp -d)
chmod 755 "$dir"
id=$$ # names of this run alone
bridge=as$((id % 100000)) started=()
nodes=(n1 n2 n3)
space() { echo "abdb-slurm-$id-$1"; }
clean() {
    for f in "$dir"/*.pid; do [ ! -s "$f" ] || kill "$(cat "$f")" 2>/dev/null; done
    for h in "${nodes[@]}"; do ip netns pids "$(space "$h")" 2>/dev/null | xargs -r kill -9; ip netns del "$(space "$h")" 2>/dev/null; done
    [ ${#started[@]} = 0 ] || kill "${started[@]}" 2>/dev/null
    ip link del "$bridge" 2>/dev/null
    rm -rf "$dir"
}
trap clean EXIT
trap "exit 1" HUP INT TERM
. tests/ports/ok.sh
ip link add "$bridge" type bridge 2>"$dir/out" && ip link set "$bridge" up || skip "no bridge can be made here: $(head -1 "$dir/out")"
ip addr add 10.213.78.254/24 dev "$bridge"
mkdir "$dir/munge" "$dir/state" "$dir/spool" "${nodes[@]/#/$dir/tmp-}"
chown -R munge "$dir/munge"
chmod 755 "$dir/munge"
head -c 1024 /dev/urandom >"$dir/munge/key"
chown munge "$dir/munge/key"
chmod 400 "$dir/munge/key"
# a munged of this test's own: another key, another socket
setpriv --reuid=munge --regid=munge --clear-groups munged --foreground --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" \
    --pid-file="$dir/munge/pid" --seed-file="$dir/munge/seed" --log-file="$dir/munge/log" >"$dir/munged" 2>&1 &
started+=($!)
cat >"$dir/slurm.conf" <<C
ClusterName=abdb$id
SlurmctldHost=$(hostname -s)(10.213.78.254)
SlurmUser=root
AuthInfo=socket=$dir/munge/socket
SlurmctldPort=$((20000 + id % 10000))
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/slurmd-%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd-%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd-%n.log
TmpFS=$dir/tmp-%n
SlurmdPort=6818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
KillWait=5
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0
$(i=0; for h in "${nodes[@]}"; do echo "NodeName=$h NodeHostname=$h NodeAddr=10.213.78.$((i += 1)) CPUs=$(nproc)"; done)
PartitionName=all Nodes=$(IFS=,; echo "${nodes[*]}") Default=YES State=UP OverSubscribe=EXCLUSIVE
C
export SLURM_CONF=$dir/slurm.conf ABDB_DB=$dir/db ABDB_DATA=$PWD/data OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
abdb() { timeout 120 "$build/abdb" "$@"; }
ask() { abdb query -o csv "$1" 2>&1 | tail -n +2; }
within() { # SECONDS COMMAND...: until it holds
    local end=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $end ] || return 1; sleep 0.3; done
}
echo "1..7"
within 10 test -S "$dir/munge/socket"
slurmctld >"$dir/out" 2>&1
i=0
for h in "${nodes[@]}"; do
    i=$((i + 1))
    ip netns add "$(space "$h")" && ip link add "$bridge.$i" type veth peer name e0 netns "$(space "$h")" || skip "no network namespace can be made here"
    ip link set "$bridge.$i" master "$bridge" up
    ip -n "$(space "$h")" addr add 10.213.78.$i/24 dev e0
    ip -n "$(space "$h")" link set e0 up
    ip -n "$(space "$h")" link set lo up
    nsenter --net="/run/netns/$(space "$h")" unshare --uts sh -c "hostname $h; exec slurmd -N $h" >>"$dir/out" 2>&1
done
idle() { [ "$(sinfo -h -t idle -o %D)" = ${#nodes[@]} ]; }
within 30 idle || { sinfo; tail -n 5 "$dir"/*.log; } >>"$dir/out" 2>&1 # (ip netns exec would hide the cgroups)
idle
ok "three nodes are there"
[ $failed = 0 ] || { echo "Bail out! Slurm does not run here"; exit 1; }

over() { ! squeue -h | grep -q .; }
abdb run --slurm 'n[1-3]' --kernel stream --axis n=1000,2000 --backend ref --threads 1 --quick --repeat 5 --spool "$dir/spool" --time 5 --submit >"$dir/out" 2>&1 &&
    within 120 over
cat "$dir"/spool/slurm-*.out >>"$dir/out" 2>/dev/null
[ "$(ask "SELECT group_concat(node || ' ' || n, ', ') FROM (SELECT f.text AS node, count(*) AS n FROM v_run_factor f WHERE f.factor = 'node' GROUP BY 1 ORDER BY 1)" |
    tr -d '"' | tee -a "$dir/out")" = "n1 10, n2 10, n3 10" ]
ok "each node has measured what was asked, and all is imported"
[ "$(find "$dir/spool" -name 'c-*' | sed -E 's|.*/(n[0-9])/c-[^.]*[.](n[0-9])[.].*|\1 \2|' | sort | tr '\n' ,)" = "n1 n1,n2 n2,n3 n3," ]
ok "spools are named by host and process"
abdb query fleet -o jsonl >"$dir/out" 2>/dev/null
[ "$(jq -r .verdict "$dir/out" 2>/dev/null | sort -u)" = unclear ]
ok "three nodes are no evidence about any of them"

mkdir "$dir/killed"
rm "$ABDB_DB"
abdb run --slurm 'n[1-3]' --kernel stream --axis n=1000-1080+1 --backend ref --threads 1 --quick --spool "$dir/killed" --time 5 --submit >"$dir/out" 2>&1
begun() { [ "$(find "$dir/killed/n2" -name '.c-*' -size +4k | wc -l)" = 1 ]; }
within 60 begun # scancel would ask it to end, and it does; a node that runs out of memory does not ask
for pid in $(ip netns pids "$(space n2)"); do [ "$(readlink "/proc/$pid/exe")" != "$build/abdb" ] || kill -KILL "$pid"; done
within 120 over
cat "$dir"/killed/slurm-*.out >>"$dir/out" 2>/dev/null
count() { cat "$dir"/killed/n2/.c-* | grep -c '}$'; }
[ "$(ask "SELECT count(*) FROM v_run_factor WHERE factor = 'node' AND text <> 'n2'" | tee -a "$dir/out")" = 162 ] &&
    [ "$(ask "SELECT count(*) FROM v_run_factor WHERE factor = 'node' AND text = 'n2'" | tee -a "$dir/out")" = "$(count)" ]
ok "a task that is killed leaves its whole records, and they are imported with those of the others"

if [ -x "$build/abdb-run-mpi" ]; then
    abdb run -q --quick --kernel all-reduce --axis message_bytes=8,65536 --ranks 2 --launcher 'srun --mpi=pmix -N1' --tag one --timeout 60 >"$dir/out" 2>&1
    [ "$(ask "SELECT count(*), min(nodes), min(devices), min(verified) FROM v_run WHERE tag = 'one' AND status = 'ok'" | tee -a "$dir/out")" = 2,1,2,pass ]
    ok "srun starts ranks on a node"
    abdb run -q --quick --kernel all-reduce --axis message_bytes=8,65536 --ranks 2 --launcher 'srun --mpi=pmix -N2' --tag two --timeout 60 >"$dir/out" 2>&1
    [ "$(ask "SELECT count(*), min(nodes), min(devices), min(verified) FROM v_run WHERE tag = 'two' AND status = 'ok'" | tee -a "$dir/out")" = 2,2,2,pass ]
    status=$?
    [ $status = 0 ] || grep -h error "$dir"/slurmd-n?.log | tail -n 8 >>"$dir/out"
    (exit $status)
    ok "and on two"
else
    for what in "srun starts ranks on a node" "and on two"; do echo "ok $((n += 1)) - $what # SKIP built without MPI (Debian: libopenmpi-dev)"; done
fi
