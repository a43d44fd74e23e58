#!/usr/bin/env bats
# programs.bats - what benchmark programs printed in other versions, and how people keep it.
load common

rates() { # METRIC
    sqlite3 "$ABDB_DB" "SELECT workload || ' ' || coalesce((SELECT text FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'place'), '-') || ' '
        || coalesce((SELECT text FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'redop'), '-') || ' '
        || coalesce((SELECT text FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'root'), '-') || ' ' || raw_value
        FROM v_result r WHERE metric = '$1' ORDER BY entry_id"
}

@test "nccl-tests before 2.8: no root, error in place of #wrong, and blank columns are read" {
    cat >old.log <<'EOF'
$ ./build/alltoall_perf -b 1M -e 2M -f 2
#       size         count      type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                       (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
     1048576         32768     float            65.81   15.93   13.94  0e+00    64.11   16.36   14.31    N/A
     2097152         65536     float           10094   20.11   17.60  0e+00    10120   20.01   17.51    N/A
EOF
    cat >broadcast.log <<'EOF'
# Collective test starting: broadcast_perf
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
     1048576        262144     float               2    40.25   26.05   26.05      0    40.13   26.13   26.13      0
     2097152        524288     float     sum           1033.5   26.05   26.05      0    10331   26.13   26.13      0
     4194304       1048576     float                   1033.5   26.05   26.05      0    10331   26.13   26.13      0
EOF
    printf '# Collective test starting: all_reduce_perf_mpi\n#  size count type redop root time algbw busbw #wrong\n 8 2 float sum -1 27.02 1.50 2.50 0\n 16 4 float sum -1 27.02 1.50 2.50\n 32 8 float sum 2 27.02 1.50 2.50\n' >mpi.log
    abdb import -q old.log --set device=T4 --set devices=8
    same "$(rates bytes_per_s)" "all_to_all out-of-place - - 15.93
all_to_all in-place - - 16.36
all_to_all out-of-place - - 20.11
all_to_all in-place - - 20.01"
    rm "$ABDB_DB"
    abdb import -q broadcast.log --set device=T4 --set devices=8
    same "$(rates time_s)" "broadcast out-of-place - 2 40.25
broadcast in-place - 2 40.13
broadcast out-of-place sum - 1033.5
broadcast in-place sum - 10331
broadcast out-of-place - - 1033.5
broadcast in-place - - 10331"
    rm "$ABDB_DB"
    run abdb import mpi.log --set device=T4 --set devices=8
    [[ "$output" == *"1 accepted, 0 duplicate, 2 rejected"* ]] || { echo "$output"; false; } # a row cut short stays one
    same "$(rates time_s)" "all_reduce out-of-place sum -1 27.02"
    # what is missing is no name of a collective that one could take over unread
    sed '/^\$/d' old.log >cut.log
    run abdb import cut.log
    [[ "$output" == *"workload=NAME"* && "$output" != *"workload=all_reduce"* ]] || { echo "$output"; false; }
}

@test "nccl-tests: ranks are counted in a copy with lost line marks or lines" {
    cat >copy.md <<'EOF'
> mpirun -np 16 /opt/nccl-tests/build/all_reduce_perf -b 8
nThread 1 nGpus 1 minBytes 8 maxBytes 64 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
  Rank  0 Group  0 Pid   6899 on node-a device  0 [0000:04:00] Acme A1
#  Rank  1 Group  0 Pid   6900 on node-a device  1 [0000:05:00] Acme A1
#  Rank 15 Group  0 Pid   6740 on node-b device  7 [0000:8c:00] Acme A1
* Each of the 16 Rank 99 [words]
#  size count type redop root time algbw busbw #wrong
 8 2 float sum -1 27.02 1.50 2.50 0
EOF
    abdb import -q copy.md
    # other nodes' ranks may be among the lost lines
    same "$(ask "SELECT DISTINCT devices || ' ' || coalesce(nodes, '?') || ' ' || device FROM v_run")" "16 ? Acme A1"
    same "$(ask "SELECT group_concat(factor || '=' || text, ' ') FROM (SELECT DISTINCT factor, text FROM v_factor_given WHERE factor IN ('iters', 'graph') ORDER BY 1)")" "graph=0 iters=20"
}

@test "OSU tables are read with indentation and with the units of old versions" {
    printf 'Latency\n-------\n\n.. code-block:: bash\n\n   # OSU MPI Latency Test v5.3.2\n   # Size          Latency (us)\n   0                       1.11\n   1024                    1.25\n\nText with 3 numbers\n' >doc.rst
    printf '\t# OSU MPI-CUDA Allreduce Latency Test v7.5\n\t# Datatype: MPI_FLOAT.\n\t# Size       Avg Latency(us)        Validation\n\t4                       6.50              Pass\n' >tab.txt
    abdb import -q doc.rst tab.txt --set device=T4 --set devices=2
    same "$(sqlite3 "$ABDB_DB" "SELECT workload || ' ' || raw_value || ' ' || verified FROM v_result WHERE metric = 'time_s' ORDER BY entry_id")" "osu-latency 1.11 unknown
osu-latency 1.25 unknown
osu-allreduce-latency 6.50 pass"
    same "$(ask "SELECT text FROM v_run_factor WHERE factor = 'datatype'")" MPI_FLOAT
}
