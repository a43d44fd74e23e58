#!/usr/bin/env bats
# mpi.bats - the backend mpi: every kernel of several ranks, exact; the slowest rank's time; ranks that die, ^C, and what starts them.
load common

need_mpi() {
    [ -x "$build/abdb-run-mpi" ] || skip "built without MPI: make deps (Debian: libopenmpi-dev openmpi-bin), then make"
    command -v mpirun >/dev/null || skip "no mpirun (Debian: openmpi-bin)"
    export OMPI_MCA_btl_base_warn_component_unused=0
}
# The processes of ranks below a command, the last first.
ranks_of() {
    local launcher
    # a guard stands between abdb and the launcher
    launcher=$(pgrep -P "$1,$(pgrep -d, -P "$1")" -x mpirun) && pgrep -P "$launcher" | sort -rn
}
# Starts a long cell in the background and waits until it is sampled: its ranks live.
begin() {
    abdb run -q --ranks 2 --kernel all-reduce --axis message_bytes=33554432,8 >out 2>&1 3>&- &
    pid=$!
    for ((i = 0; i < 200; i++)); do
        ranks=($(ranks_of $pid)) || true
        [ "${#ranks[@]}" -lt 2 ] || break
        sleep 0.05
    done
    [ "${#ranks[@]}" = 2 ] || { cat out; return 1; }
    sleep 1 # inputs are made
}
# Nobody of the ranks is left after so many seconds.
gone() {
    for ((i = 0; i < $1 * 20; i++)); do
        left=$(ps -o stat= -p "$(IFS=,; echo "${ranks[*]}")" | grep -cv '^Z') || return 0
        sleep 0.05
    done
    echo "$left ranks live on"
    return 1
}

@test "mpi: every kernel is right at 1 to 4 ranks, integers exactly" {
    need_mpi
    cat >m.plan <<'P'
all-reduce      dtype=i32,f32  ranks=1,2,3,4  message_bytes=4100
all-reduce      dtype=f64  redop=max,min  ranks=3  message_bytes=4104
all-gather      dtype=i32,i8,bf16  ranks=4  message_bytes=4100
reduce-scatter  dtype=i32,f32  ranks=1,3,4  message_bytes=4100
all-to-all      dtype=i32  ranks=3  message_bytes=4100
reduce          dtype=i32  ranks=3  message_bytes=4100
broadcast       dtype=i32  ranks=3  message_bytes=4100  apart=yes,no
point-to-point  dtype=i8   ranks=3  message_bytes=4100  pattern=ping-pong,one-way,both-ways
all-reduce      dtype=bf16  ranks=2
P
    run abdb run --plan m.plan --ranks 4 --quick -q
    fails 0 ""
    same "$(ask "SELECT count(*) FROM v_run WHERE status = 'ok' AND verified = 'pass'")" 26
    same "$(ask "SELECT reason FROM v_run WHERE status <> 'ok'")" "MPI has no sums of this number format"
    # whole numbers: no element differs, and all were looked at
    same "$(ask "SELECT max(value) FROM v_result WHERE metric = 'error' AND dtype IN ('i32', 'i8', 'bf16')")" 0
    same "$(ask "SELECT count(*) FROM v_run_factor WHERE factor = 'checked' AND text <> '1'")" 0
    # each rank is there, and the time is the slowest one's, sample by sample
    same "$(ask "SELECT group_concat(devices, ' ') FROM v_run WHERE workload = 'all-reduce' AND dtype = 'i32' ORDER BY devices")" "1 2 3 4"
    same "$(ask "SELECT count(*) FROM v_run e WHERE status = 'ok' AND devices <> (SELECT count(*) FROM v_rank k WHERE k.entry_id = e.entry_id)")" 0
    same "$(ask "SELECT count(*) FROM v_result t JOIN v_result k ON k.entry_id = t.entry_id AND k.metric = 'time_s' AND k.rank >= 0
      WHERE t.metric = 'time_s' AND t.statistic = 'min' AND t.value < k.low * 0.999999")" 0
    same "$(ask "SELECT DISTINCT nodes FROM v_run WHERE status = 'ok'")" 1
    same "$(ask "SELECT count(*) FROM v_run_factor f JOIN v_run e USING (entry_id) WHERE factor = 'oversubscribed' AND text <> CASE WHEN devices > $(nproc) THEN 'yes' ELSE 'no' END")" 0
}

@test "mpi: bus bandwidth uses the factors of nccl-tests, and latency and bandwidth are fitted" {
    need_mpi
    abdb run -q --ranks 2 --kernel all-reduce --axis message_bytes=8-131072*16 --quick --tag mine
    same "$(ask "SELECT count(*) FROM v_result b JOIN v_result t ON t.entry_id = b.entry_id AND t.metric = 'time_s' AND t.statistic = 'median' AND t.rank IS NULL
      JOIN v_run_factor f ON f.entry_id = b.entry_id AND f.factor = 'message_bytes' JOIN v_normalised n ON n.result_id = b.result_id AND n.formula = 'busbw@1'
      WHERE b.metric = 'bytes_per_s' AND abs(b.value * t.value - f.num) < 1e-6 * f.num AND n.value = b.value * 2.0 * (2 - 1) / 2")" 4
    run abdb query collectives --tag mine -o csv
    same "$(grep ^all-reduce <<<"$output" | cut -d, -f1,3,7 | tr '\n' ' ')" "all-reduce,2,8 all-reduce,2,128 all-reduce,2,2048 all-reduce,2,32768 "
    # what differs is not taken for runs of the same
    abdb run -q --ranks 2 --kernel all-reduce --axis message_bytes=8 --axis dtype=f32,i32 --axis redop=sum,max --quick --tag ways
    run abdb query collectives --tag ways -o csv
    same "$(grep ^all-reduce <<<"$output" | cut -d, -f6 | sort | paste -sd,)" "ways,ways i32,ways i32 max,ways max"
    run abdb query latency-bandwidth --tag mine -o csv
    same "$(grep ^all-reduce <<<"$output" | cut -d, -f1,3,4,5,6,11)" "all-reduce,2,1,f32,mine,4"
}

@test "mpi: a killed rank gives a crash row within 5 s, for its cell alone" {
    need_mpi
    begin
    kill -KILL "${ranks[0]}"
    for ((i = 0; i < 100; i++)); do
        [ -z "$(ask "SELECT 1 FROM v_run" 2>/dev/null)" ] || break
        sleep 0.05
    done
    [ "$i" -lt 100 ]
    same "$(ask "SELECT status || ': ' || reason FROM v_run WHERE cell LIKE '%33554432%'")" "crash: a rank was ended by signal 9 (Killed)"
    gone 1
    code=0
    wait $pid || code=$?
    same "$code" 5
    same "$(ask "SELECT status FROM v_run WHERE cell LIKE '%=8'")" ok
}

@test "mpi: ^C ends all ranks, and the death of abdb too" {
    need_mpi
    begin
    kill -INT $pid
    gone 5
    code=0
    wait $pid || code=$?
    same "$code" 130
    same "$(ask "SELECT status FROM v_run")" cancelled
    begin
    kill -KILL $pid
    gone 5
}

@test "mpi: ^C reaches the ranks by a forwarded signal, and their last output is kept" {
    need_mpi
    cat >mpirun <<'S'
#!/bin/bash
trap 'echo INT >>got' INT
trap 'echo USR2 >>got' USR2
while [[ $1 != /* ]]; do shift; done
setsid "$@" <&0 > >(trap '' INT USR2; exec tee said) & # out of the group, as ranks are
while [ ! -s got ]; do wait; done
kill -USR2 $!
while kill -0 $! 2>/dev/null; do wait; done
S
    chmod +x mpirun
    abdb run -q --ranks 2 --launcher ./mpirun --kernel all-reduce --axis ranks=1 --axis message_bytes=33554432 >out 2>&1 3>&- &
    pid=$!
    for ((i = 0; i < 200; i++)); do
        ! grep -qs '"begin"' said || break
        sleep 0.05
    done
    kill -INT $pid
    wait $pid || true
    same "$(cat got)" USR2
    same "$(ask "SELECT count(*) FROM v_run WHERE status = 'cancelled' AND reason LIKE 'interrupted %'")" 1
}

@test "mpi: a wrong launcher, host or number of ranks is refused before any start" {
    need_mpi
    run abdb run --ranks 2 --launcher bash --kernel all-reduce
    fails 2 "--launcher is mpirun or srun, not 'bash'"
    run abdb run --ranks 2 --hosts '-oProxyCommand=x' --kernel all-reduce
    fails 2 "--hosts wants names as the launcher takes them"
    run abdb run --hosts node1 --kernel all-reduce
    fails 2 "want --ranks"
    run abdb run --ranks 0 --kernel all-reduce
    fails 2 "--ranks wants a whole number"
    run abdb run --ranks 2 --backend ref --kernel all-reduce
    fails 2 "no backend here is made of several"
    run abdb run -q --backend mpi --kernel all-reduce --axis ranks=2 --quick
    same "$(ask "SELECT status || ': ' || reason FROM v_run")" "not-implemented: it was started with one rank: abdb run --ranks 2"
    run abdb run --list
    fails 0 "mpi        messages between ranks by MPI: abdb run --ranks N starts them"
}

@test "mpi: training with 1, 2 and 4 ranks has the same loss, and the scaling is printed" {
    need_mpi
    run abdb run -q --quick --kernel gpt-train --ranks 4 --axis ranks=1,2,4 --axis model=tiny --axis batch=8 --axis micro_batch=2 --axis overlap=no,yes --axis steps=4
    fails 0 ""
    same "$(ask "SELECT group_concat(devices || verified, ' ') FROM (SELECT devices, verified FROM v_run ORDER BY devices)")" "1pass 1pass 2pass 2pass 4pass 4pass"
    # the loss of the twelfth update differs by rounding alone
    same "$(ask "SELECT count(*), max(value) - min(value) < 1e-5 FROM v_result WHERE metric = 'loss' AND x = 1")" "6,1"
    same "$(ask "SELECT max(value) - min(value) < 1e-4 FROM v_result WHERE metric = 'loss' AND x BETWEEN 8 AND 12 GROUP BY x" | sort -u)" 1
    # all tokens are counted, of all ranks, by the slowest one's time
    same "$(ask "SELECT max(abs(t.value * k.value - 4 * 8 * 32)) < 1 FROM v_result t JOIN v_result k ON k.entry_id = t.entry_id AND k.metric = 'tokens_per_s' WHERE t.metric = 'time_s' AND t.statistic = 'median' AND t.rank IS NULL")" 1
    same "$(abdb query training-ranks --format csv | cut -d, -f3,5 | sort | uniq -c | grep -c strong)" 3
    # of one device alone there are no ranks to spread over
    run abdb run -q --quick --kernel gpt-train --backend vec --axis ranks=2 --axis model=tiny
    same "$(ask "SELECT status || ': ' || reason FROM v_run WHERE backend = 'vec'")" "not-implemented: backend vec lacks: so many ranks: the backend mpi has them (--ranks)"
}

@test "mpi: memory for messages between ranks stays within 15 % of the prediction" {
    need_mpi
    run abdb run -q --quick --kernel gpt-train --backend mpi --ranks 2 --axis model=gpt2-small --axis layers=1 --axis vocabulary=20000 --axis sequence=16
    fails 0 ""
    same "$(ask "SELECT p.value / q.value BETWEEN 0.95 AND 1.15 FROM v_result p JOIN v_result q ON q.entry_id = p.entry_id AND q.metric = 'memory_predicted_bytes' WHERE p.metric = 'memory_peak_bytes'")" 1
}
