#!/usr/bin/env bats
# parquet.bats - Parquet files by DuckDB's program, rates by a formula of a map, and the shipped products of aiconfigurator.
load common

# DuckDB's program; a test without it is skipped.
find_duckdb() {
    for ABDB_DUCKDB in "${ABDB_DUCKDB-}" "$build/venv/bin/duckdb" duckdb; do
        [ -n "$ABDB_DUCKDB" ] && "$ABDB_DUCKDB" --version >/dev/null 2>&1 && export ABDB_DUCKDB && return
    done
    skip "no DuckDB (make peers installs duckdb-cli into build/venv)"
}

@test "a map derives rates by the formulas of abdb, and invents no missing value" {
    run abdb import "$fixtures/aiconfigurator_gemm.csv"
    fails 0 "6 rows: 5 accepted, 0 duplicate, 1 rejected"
    # 2 x 1000 x 2000 x 500 operations
    same "$(ask "SELECT workload, dtype, backend, metric, formula, round(value / 1e12) FROM v_result WHERE formula IS NOT NULL ORDER BY value, dtype")" \
        $'gemm-weight-only,bf16,TensorRT-LLM,flops_per_s,gemm@1,200\ngemm,int8,TensorRT-LLM,ops_per_s,gemm@1,250\ngemm,bf16,vLLM,flops_per_s,gemm@1,500\ngemm,fp8,vLLM,flops_per_s,gemm@1,1000'
    same "$(ask "SELECT count(*) FROM v_result WHERE metric = 'time_s'")" 5
    same "$(ask "SELECT f.text FROM v_result r JOIN v_run_factor f USING (entry_id) WHERE f.factor = 'power' AND r.metric = 'flops_per_s' ORDER BY 1")" $'611\n650'
    same "$(ask "SELECT field, reason FROM v_reject")" "latency,'fast' is not a number"
}

@test "a map refuses a formula that does not fit its metric" {
    for line in "derive flops_per_s" "derive flops_per_s softmax@1" "derive time_s gemm@1" "derive flops_per_s gemm@1 m"; do
        printf 'name x\n%s\n' "$line" >x.map
        run abdb import --map x.map "$fixtures/aiconfigurator_gemm.csv"
        fails 6 "x.map: line 2: "
    done
}

@test "without duckdb a Parquet file is named and not read; output of a failing duckdb is refused" {
    printf 'PAR1 no rows PAR1' >x.parquet
    ABDB_DUCKDB=./absent run abdb import x.parquet
    fails 5 "x.parquet: a Parquet file is read by the program ./absent, which is not here: pip install duckdb-cli"
    mkdir folder && cp x.parquet folder
    ABDB_DUCKDB=./absent run abdb import folder
    fails 5 "pip install duckdb-cli"
    printf '#!/bin/sh\necho "a,b"\necho "Invalid Input: no magic" >&2\nexit 1\n' >liar
    chmod +x liar
    ABDB_DUCKDB=./liar run abdb import x.parquet
    fails 6 "x.parquet: duckdb cannot read this Parquet file: Invalid Input: no magic"
    printf '#!/bin/sh\nyes error >&2\n' >liar
    ABDB_DUCKDB=./liar run abdb import x.parquet
    fails 6 "it was ended"
    # the name of a file reaches neither a shell nor SQL
    printf '#!/bin/sh\nprintf "%%s\\n" "$@" >arguments; echo "$ABDB_PARQUET" >>arguments; cat "$ABDB_PARQUET" >copy; exit 1\n' >liar
    cp x.parquet "x'); DROP TABLE \$(touch owned) .parquet"
    ABDB_DUCKDB=./liar run abdb import "x'); DROP TABLE \$(touch owned) .parquet"
    fails 6 "cannot read this Parquet file: it printed no reason"
    cmp x.parquet copy
    [ ! -e owned ]
    [ "$(grep -c 'DROP' arguments)" = 0 ]
}

@test "a Parquet file gives the same rows as its table in CSV, with its own digest" {
    find_duckdb
    "$ABDB_DUCKDB" -no-init -c "COPY (FROM read_csv('$fixtures/aiconfigurator_gemm.csv', all_varchar = true)) TO 'x.parquet'"
    abdb import -q x.parquet 2>/dev/null
    abdb import -q --db csv.db "$fixtures/aiconfigurator_gemm.csv" 2>/dev/null
    rows() { abdb query --db "$1" -o csv "SELECT workload, device, dtype, backend, metric, value, raw_value, factors FROM (SELECT r.*, (SELECT group_concat(f.factor || '=' || f.text) FROM (SELECT * FROM v_run_factor x WHERE x.entry_id = r.entry_id ORDER BY 1, 2) f) AS factors FROM v_result r) ORDER BY 1, 2, 3, 4, 5, 6"; }
    same "$(rows "$ABDB_DB")" "$(rows csv.db)"
    same "$(ask "SELECT sha256 FROM artifact WHERE path LIKE '%x.parquet'")" "$(sha256sum x.parquet | cut -d' ' -f1)"
    abdb import x.parquet | grep -q "already imported"
    abdb import --suggest-map x.parquet | grep -q 'column "latency"'
    head -c 200 x.parquet >cut.parquet && printf PAR1 >>cut.parquet
    run abdb import cut.parquet
    fails 6 "duckdb cannot read this Parquet file"
}

@test "every shipped row of aiconfigurator is in the wheel, and each best value is the best there" {
    [ -d "$ABDB_REALDATA/aiconfigurator" ] || skip "no realdata: the wheel aiconfigurator-core 0.12.0, unpacked into realdata/aiconfigurator"
    find_duckdb
    ABDB_DUCKDB=$ABDB_DUCKDB python3 "$root/tests/checks/aiconfigurator.py" "$ABDB_REALDATA/aiconfigurator" "$root/data/results/aiconfigurator.csv"
    # the views over all files give the same best product
    cd "$ABDB_REALDATA/aiconfigurator/aiconfigurator_core/systems/data"
    same "$({
        cat "$root/schema/scale/aiconfigurator.sql"
        echo "SELECT system, gemm_dtype, round(max(flops_per_s) / 1e12) FROM gemm WHERE system = 'gb300' AND gemm_dtype = 'nvfp4' GROUP BY ALL;"
        echo "SELECT round(max(busbw_bytes_per_s) / 1e9) FROM all_reduce WHERE system = 'b200_sxm' AND nccl_dtype = 'half';"
    } | "$ABDB_DUCKDB" -no-init -batch -csv -noheader)" $'gb300,nvfp4,6463.0\n704.0'
}
