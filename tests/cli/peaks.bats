#!/usr/bin/env bats
# peaks.bats - the right peak: what is quarantined, engine and format by evidence, the peak that fits a kernel, which statement
# is preferred, pairs and cards, ratios that hardware obeys, devices without a value.
load common

fill() { filled "$root/data"; }
preferred() { # DEVICE QUANTITY [DTYPE ENGINE]: value and source
    ask "SELECT value, source FROM v_spec WHERE device = '$1' AND quantity = '$2' AND coalesce(dtype, '') = '${3-}' AND coalesce(engine, '') = '${4-}'
      AND coalesce(sparsity, 'dense') = 'dense' AND basis = 'card' AND preferred = 1"
}

@test "a quarantined value is marked and used in no answer: MI300X fp8 5220, A100 fp8 624" {
    fill
    same "$(preferred MI300X peak_flops fp8 matrix)" "2.61e+15,ml-engineering-2026"
    silent preferred A100-SXM-80GB peak_flops fp8 matrix
    same "$(ask "SELECT count(*) FROM v_peak WHERE (device = 'MI300X' AND value = 5.22e15) OR (device LIKE 'A100%' AND dtype = 'fp8')")" 0
    # the statements stay, with the reason
    same "$(ask "SELECT DISTINCT trust FROM v_spec WHERE device = 'MI300X' AND value = 5.22e15 OR device LIKE 'A100%' AND dtype = 'fp8'")" quarantined
    run abdb audit doubts --device MI300X
    fails 0 "2:4 sparsity"
    fails 0 "2610"
    run abdb audit doubts --device A100-SXM-80GB
    fails 0 "lacks this format"
    run abdb query specs --device MI300X
    fails 0 "2610ᵇ!"
    fails 0 "1 stated value is left out or doubted: MI300X fp8 5220 TFLOP/s (ml-engineering)"
    run abdb query peaks --device MI300X
    fails 0 "1 stated peak is left out"
    # MI300X's 5220 is of 2:4 sparsity: taken for dense, it made H100 0.38x of it
    run abdb compare device=MI300X device=H100-SXM --where quantity=peak_flops,dtype=fp8
    fails 0 "0.76x"
    fails 0 "left out, with its reason: abdb audit doubts"
    run abdb compare device=A100-SXM-80GB device=H100-SXM --where quantity=peak_flops,dtype=fp8
    fails 2 "no result matches"
}

@test "an unjudged value that looks sparse counts only without another statement" {
    head=device,quantity,dtype,engine,sparsity,basis,value,unit,source,locator
    printf '%s\n' $head X1,peak_flops,bf16,matrix,dense,card,100,TFLOP/s,first,1 X1,peak_flops,fp8,matrix,dense,card,400,TFLOP/s,first,2 \
        X2,peak_flops,bf16,matrix,dense,card,100,TFLOP/s,first,3 X2,peak_flops,fp8,matrix,dense,card,400,TFLOP/s,first,4 >a.csv
    printf '%s\n' $head X1,peak_flops,fp8,matrix,dense,card,199,TFLOP/s,second,1 >b.csv
    abdb import -q a.csv b.csv
    same "$(ask "SELECT device, value, trust FROM v_spec WHERE dtype = 'fp8' AND preferred = 1 ORDER BY 1")" $'X1,199000000000000,stands\nX2,400000000000000,suspect'
    run abdb query specs --device X2
    fails 0 '400.0ᵃ!'
}

@test "the engine of a peak follows evidence: B200, MI300X, Ascend 910C; V100 and RTX 2080 Ti have no bf16" {
    fill
    for row in B200-SXM:2.25e+15 MI300X:1.3e+15 Ascend-910C:800000000000000 T4:65000000000000; do
        same "$(preferred "${row%:*}" peak_flops fp16 matrix | cut -d, -f1)" "${row#*:}"
    done
    silent preferred B200-SXM peak_flops fp16 vector
    same "$(preferred A100-SXM-80GB peak_flops fp16 vector)" "77970000000000,epoch-ml-hardware"
    same "$(ask "SELECT count(*) FROM v_spec s JOIN v_device d USING (device) WHERE s.dtype = 'bf16' AND s.preferred = 1 AND d.architecture IN ('Volta', 'Turing', 'Pascal')")" 0
    same "$(preferred V100-SXM-16GB peak_flops fp16 matrix)" "125000000000000,epoch-ml-hardware"
    # an fp16 peak of the vector engine beside one of the matrix engine gave 0.06x
    run abdb compare device=B200-SXM device=H100-SXM --where quantity=peak_flops,dtype=fp16
    fails 0 "0.44x"
}

@test "the original file of Epoch gives the same engines, by the ratios within a row" {
    need_realdata epoch-ml-hardware
    abdb import -q "$realdata/epoch-ml-hardware/ml_hardware.csv"
    engine() { ask "SELECT DISTINCT engine FROM v_spec WHERE device = '$1' AND dtype = 'fp16' AND locator LIKE '%FP16 (half%' AND trust = 'stands'"; }
    for device in B200-SXM MI300X Ascend-910C MI250X T4 Kunlun-R200; do same "$(engine $device)" matrix; done
    for device in A100-SXM-80GB H100-SXM P100 Titan-V RTX-4090 A40-PCIe; do same "$(engine $device)" vector; done
    same "$(ask "SELECT count(*) FROM v_peak WHERE device IN ('V100-SXM-16GB', 'GeForce-RTX-2080-Ti-11GB') AND dtype = 'bf16'")" 0
    same "$(ask "SELECT count(*) FROM v_peak WHERE device = 'TPU-v5p' AND dtype = 'fp16'")" 0
    same "$(ask "SELECT count(*) FROM v_peak WHERE device = 'MI355X' AND value IN (4.6e15, 9.2e15, 2.34e15)")" 0
}

@test "all 175 rows of the Epoch table are a device with its values, or a row in audit gaps" {
    need_realdata epoch-ml-hardware
    fill
    same "$(ask "SELECT count(DISTINCT substr(locator, 1, instr(locator, ', column') - 1)) FROM v_spec WHERE source = 'epoch-ml-hardware'")" 172
    for device in Siyuan-690 VR200 VR300; do
        run abdb audit gaps --limit 400 -o csv
        fails 0 ""
        [[ $output =~ ,$device,[0-9]+,\"?"searched on 20" ]]
    done
    # each value that the file has is there, under its row and column
    python3 - "$realdata/epoch-ml-hardware/ml_hardware.csv" "$root/data/specs-epoch.csv" <<'END'
import csv, sys
have = {(r['locator'], float(r['value']) * {'TFLOP/s': 1e12, 'TOP/s': 1e12, 'GB': 1e9, 'GB/s': 1e9, 'W': 1}[r['unit']]) for r in csv.DictReader(open(sys.argv[2]))}
places = {}
for place, value in have: places.setdefault(place, []).append(value)
columns = ['Tensor-FP16/BF16 performance (FLOP/s)', 'FP8 performance (FLOP/s)', 'FP4 performance (FLOP/s)', 'TF32 (TensorFloat-32) performance (FLOP/s)',
           'FP64 (double precision) performance (FLOP/s)', 'FP32 (single precision) performance (FLOP/s)', 'FP16 (half precision) performance (FLOP/s)',
           'INT8 performance (OP/s)', 'INT4 performance (OP/s)', 'Memory (bytes)', 'Memory bandwidth (byte/s)', 'Intranode bandwidth (byte/s)', 'TDP (W)']
for row in csv.DictReader(open(sys.argv[1], encoding='utf-8-sig')):
    for column in columns:
        if row[column]:
            got = places.get(f"row {row['Hardware name']}, column {column}", [])
            assert any(abs(v - float(row[column])) <= 1e-6 * v for v in got), (row['Hardware name'], column, row[column], got)
END
}

@test "wrong values of cards, engines and powers lose against the right ones" {
    fill
    same "$(preferred MI355X peak_flops fp8 matrix)" "5e+15,ml-engineering-2026"
    same "$(preferred MI350X peak_flops fp8 matrix)" "4.6e+15,epoch-ml-hardware"
    same "$(preferred A100-PCIe-40GB memory_bandwidth)" "1555000000000,gmasse-gpu-specs"
    silent preferred A100-PCIe memory_bandwidth
    same "$(preferred H100-PCIe peak_flops fp16 vector)" "102400000000000,vladislav-gpu-specs"
    same "$(preferred GB300 memory_size)" "288000000000,tomshardware"
    silent preferred MI308X peak_flops fp64 vector
    silent preferred MI308X memory_bandwidth
    same "$(preferred GeForce-RTX-4070 power)" "200,vladislav-gpu-specs"
}

@test "a kernel is judged by its own peak: vector kernels by vector peaks, one core by one core" {
    fill
    # TRIAD: 99 and 98 % of 11 and 39 (it was 2.5 and 12.2 %)
    run abdb query peak-achieved --quantity peak_flops -o csv
    fails 0 "Gaudi2,bf16,peak_flops,11,10.9,99.09"
    fails 0 "A100-SXM-80GB,bf16,peak_flops,39,38.2,97.94"
    # one TPC of 24: 55 GFLOP/s of 11000 / 24; of 11 to 15 nobody can say
    same "$(ask "SELECT round(100 * c.fraction, 2), round(c.ceiling / 1e9, 2) FROM v_ceiling_of c JOIN v_fact_named f ON f.fact = 'ka.tpc1.triad'
      JOIN v_result r ON r.key = f.key AND r.result_id = c.result_id")" "12,458.33"
    same "$(ask "SELECT count(*) FROM v_ceiling_of c JOIN v_fact_named f ON f.fact = 'ka.tpcs.triad' JOIN v_result r ON r.key = f.key AND r.result_id = c.result_id WHERE c.fraction IS NOT NULL")" 0
    # matrix kernels stay against the matrix engine
    fails 0 "Gaudi2,bf16,peak_flops,432,429,99.3"
    run abdb compare device=Gaudi2 device=A100-SXM-80GB --where source=kaist-gaudi2,operation=triad --per peak
    fails 0 "0.99x"
    [[ "$output" != *4.85x* ]]
    # a result may say its engine itself
    printf 'evidence,source,workload,device,devices,dtype,metric,value,unit,factor.engine,locator\npublished,s,mine,A100-SXM-80GB,1,bf16,flops_per_s,30,TFLOP/s,vector,1\n' >v.csv
    abdb import -q v.csv
    same "$(ask "SELECT round(c.ceiling / 1e12) FROM v_ceiling_of c JOIN v_result r USING (result_id) WHERE r.source = 's' AND c.basis = 'published'")" 39
}

@test "preference of specifications: sheet of the maker, documents citing it, others, estimates, projections" {
    fill
    same "$(preferred Gaudi2 peak_flops bf16 matrix)" "432000000000000,intel-gaudi-hot-chips" # not 400, an estimate
    same "$(preferred Gaudi3 peak_flops bf16 matrix)" "1.677e+15,ml-engineering-2026"         # not 1600 or 1835, projections
    same "$(preferred MI300X memory_bandwidth)" "5300000000000,ml-engineering-2026"            # not 5200
    same "$(ask "SELECT standing FROM v_spec WHERE device = 'Gaudi2' AND raw_value = '400' AND basis = 'card' AND quantity = 'peak_flops'")" $'estimate\nestimate'
    same "$(ask "SELECT count(*) FROM v_spec WHERE standing IN ('estimate', 'projection') AND preferred = 1 AND EXISTS (SELECT 1 FROM v_spec o
      WHERE o.device = v_spec.device AND o.quantity = v_spec.quantity AND o.basis = v_spec.basis AND coalesce(o.dtype, '') = coalesce(v_spec.dtype, '')
        AND coalesce(o.engine, '') = coalesce(v_spec.engine, '') AND coalesce(o.sparsity, '') = coalesce(v_spec.sparsity, '')
        AND o.trust = 'stands' AND o.standing NOT IN ('estimate', 'projection'))")" 0
    # a result is divided by the peak of its own source, unless that is a guess
    run abdb query peak-achieved --device Gaudi2 -o csv
    fails 0 "432,262"
    # what is in conflict is marked
    run abdb query specs --device 'Gaudi2'
    fails 0 "432.0ᵃ≠"
    fails 0 "another source differs by over 1 %"
    run abdb compare device=MI300X device=MI325X --where quantity=memory_bandwidth
    fails 0 "Another source states a value that differs by over 1 %"
    # the order is data
    printf 'place,standing,source_kind,note,sentence,source,locator\n3,document,,,x,me,1\n2,paper,paper,,mine,me,1\n' >order.csv
    abdb import -q order.csv
    same "$(ask "SELECT standing FROM v_spec_order WHERE place = 2")" paper
}

@test "an imported peak takes precedence only from a declared vendor sheet; differences are counted" {
    fill
    same "$(preferred H100-SXM peak_flops bf16 matrix)" "989500000000000,databricks-gaudi2"
    printf 'device,quantity,dtype,engine,sparsity,basis,value,unit,source,locator,date\n' >s.csv
    printf 'H100-SXM,peak_flops,bf16,matrix,dense,card,%s,TFLOP/s,acme-page,%s,2026-11-01\n' 989 a 1010 b >>s.csv
    abdb import -q s.csv
    same "$(preferred H100-SXM peak_flops bf16 matrix)" "989500000000000,databricks-gaudi2"
    run abdb query peaks --device H100-SXM -o csv
    fails 0 "H100-SXM,bf16,989.5,TFLOP/s,databricks-gaudi2,\"Table 1b"
    [[ "$output" == *",document,1"$'\n'* ]]
    fails 0 "beyond rounding: abdb audit conflicts"
    # a row of sources says that it is the maker's sheet
    printf 'source,kind,title\nacme-page,vendor-sheet,Sheet\n' >q.csv
    abdb import -q q.csv
    same "$(preferred H100-SXM peak_flops bf16 matrix | sed 's/.*,//')" acme-page
}

@test "a pair of cards is never compared with one card" {
    fill
    same "$(ask "SELECT DISTINCT basis FROM v_spec WHERE device = 'H100-NVL-pair'")" pair
    same "$(ask "SELECT count(*) FROM v_peak WHERE device = 'H100-NVL-pair'")" 0
    run abdb compare device=H100-NVL-pair device=H100-SXM --where quantity=peak_flops,dtype=fp8
    fails 3 "NOT COMPARABLE  peak-basis (basis: A pair, B card"
    run abdb query specs --basis pair
    fails 0 H100-NVL-pair
    run abdb query specs
    [[ "$output" != *H100-NVL-pair* ]]
}

@test "every specification passes the ratio checks, or is an exception with its source" {
    fill
    same "$(ask "SELECT count(*) FROM v_ratio WHERE verdict = 'breaks'")" 0
    [ "$(ask "SELECT count(*) FROM v_ratio WHERE verdict = 'holds'")" -gt 800 ]
    same "$(ask "SELECT count(*) FROM v_ratio r LEFT JOIN v_spec_doubt d ON d.doubt = r.doubt WHERE r.verdict = 'accepted'
      AND (coalesce(d.sentence, '') = '' OR d.source NOT IN (SELECT source FROM v_source WHERE title IS NOT NULL) OR coalesce(d.locator, '') = '')")" 0
    # every judgement names a source that is known; every exception is one
    same "$(ask "SELECT count(*) FROM v_spec_doubt WHERE source NOT IN (SELECT source FROM v_source WHERE title IS NOT NULL)")" 0
    same "$(ask "SELECT doubt FROM v_spec_doubt WHERE effect = 'accept' AND doubt NOT IN (SELECT doubt FROM v_ratio WHERE doubt IS NOT NULL)
      AND doubt NOT LIKE 'h100-nvl-pair%'")" ""
    run abdb audit ratios
    fails 0 "are accepted, 0 break"
    fails 0 "qualcomm-cloud-ai"
    # a wrong number is noticed: 16 bit against 8 bit, dense against sparse, a stack of memory
    head=device,quantity,dtype,engine,sparsity,basis,value,unit,source,locator
    printf '%s\n' $head Y1,peak_flops,bf16,matrix,dense,card,100,TFLOP/s,s,1 Y1,peak_flops,fp8,matrix,dense,card,150,TFLOP/s,s,2 \
        Y1,peak_flops,bf16,matrix,2:4,card,300,TFLOP/s,s,3 Y1,memory_bandwidth,,,,card,5000,GB/s,s,4 Y1,memory_stacks,,,,HBM3,5,1,s,5 \
        Y1,peak_flops,fp64,vector,dense,card,7,TFLOP/s,s,6 Y1,peak_flops,fp32,vector,dense,card,10,TFLOP/s,s,7 >y.csv
    abdb import -q y.csv
    same "$(ask "SELECT ratio FROM v_ratio WHERE device = 'Y1' AND verdict = 'breaks' ORDER BY 1")" '"2:4 / dense, bf16"
bytes/s of a stack of HBM3
"fp64 / fp32, vector"
"fp8 / bf16, matrix"'
}

@test "specs and peaks print the same number of a device, and mark a vector engine" {
    fill
    abdb query specs --json | jq -r '.[] | select(.fp32_tflop_per_s) | [.device, (.fp32_tflop_per_s | tostring)] | @tsv' | sort >specs
    abdb query peaks --limit 9999 --json | jq -r '.[] | select(.dtype == "fp32") | [.device, (.tera_per_s | tostring)] | @tsv' | sort >peaks
    [ "$(wc -l <peaks)" -gt 40 ]
    join -t $'\t' specs peaks | awk -F'\t' '($2 - $3) / $3 > 0.01 || ($3 - $2) / $3 > 0.01' >other
    same "$(cat other)" ""
    run abdb query specs --device 'H100-SXM'
    fails 0 "ᵛ: of the vector engine"
    [[ $output =~ H100-SXM\ +NVIDIA\ +[0-9.]+[^\ ]*ᵛ ]]
    run abdb query peaks --device 'H100-SXM'
    fails 0 "as nothing else is stated, of the vector engine: fp64 of H100-SXM"
}

@test "each device of MLPerf and the documents has its values, or a row in audit gaps with the searched places" {
    fill
    same "$(ask "SELECT DISTINCT d.device || ' ' || q.quantity FROM v_device d
      JOIN (SELECT 'peak_flops' AS quantity UNION ALL SELECT 'memory_size' UNION ALL SELECT 'memory_bandwidth' UNION ALL SELECT 'power') q
     WHERE d.device IN (SELECT device FROM v_result) AND d.kind NOT IN ('cpu', 'memory')
       AND NOT EXISTS (SELECT 1 FROM v_spec s WHERE s.device = d.device AND s.quantity = q.quantity AND s.basis = 'card' AND s.preferred = 1
                          AND (q.quantity <> 'peak_flops' OR s.dtype IN ('bf16', 'fp16')))
       AND NOT EXISTS (SELECT 1 FROM v_spec_doubt o WHERE o.effect = 'missing' AND o.quantity = q.quantity AND (o.device = d.device OR o.architecture = d.architecture))")" ""
    # nothing is said to be missing that is there
    same "$(ask "SELECT o.doubt FROM v_spec_doubt o WHERE o.effect = 'missing' AND o.device IS NOT NULL AND EXISTS (SELECT 1 FROM v_spec s
      WHERE s.device = o.device AND s.quantity = o.quantity AND s.preferred = 1 AND s.basis = 'card'
        AND (o.quantity <> 'peak_flops' OR (s.dtype IN ('bf16', 'fp16') AND s.engine = 'matrix' AND coalesce(s.sparsity, 'dense') = 'dense')))")" ""
    for device in RTX-PRO-6000-SE L40S H200-NVL GH200-96GB Arc-Pro-B60 QAIC-100-Ultra RTX-5090 SN40L Trainium1 Trainium3 Inferentia2; do
        [ "$(ask "SELECT count(*) FROM v_spec WHERE device = '$device' AND dtype IN ('bf16', 'fp16') AND engine = 'matrix' AND preferred = 1 AND basis = 'card'")" -ge 1 ] || { echo "$device"; false; }
    done
    run abdb audit gaps --limit 400 -o csv
    for device in CS-3 Jetson-AGX-Thor Jetson-AGX-Orin Xeon-6787P; do fails 0 "no dense bf16 or fp16 peak,$device"; done
}

@test "v_device_peak has one row per device and format: one card, dense, not quarantined, fp32 sums first" {
    filled "$root/data"
    same "$(ask "SELECT count(*) - count(DISTINCT device || ' ' || dtype) FROM v_device_peak")" 0
    same "$(ask "SELECT count(*) FROM v_device_peak p JOIN v_spec s ON s.spec_id = p.spec_id
        WHERE s.basis <> 'card' OR coalesce(s.sparsity, 'dense') <> 'dense' OR s.trust = 'quarantined'")" 0
    same "$(ask "SELECT count(*) FROM (SELECT DISTINCT device, dtype FROM v_peak WHERE dtype IS NOT NULL EXCEPT SELECT device, dtype FROM v_device_peak)")" 0
    peak() { ask "SELECT value / 1e9, accumulation, engine FROM v_device_peak WHERE device = '$1' AND dtype = '$2'"; }
    same "$(peak RTX-4090 fp16)" 165150,fp32,matrix
    same "$(peak RTX-4090 fp8)" 330300,fp32,matrix
    same "$(peak RTX-5090 fp16)" 209500,fp32,matrix
    same "$(peak RTX-5090 bf16)" 209500,fp32,matrix
    same "$(peak RTX-5090 fp8)" 419000,fp32,matrix
    same "$(peak B300-SXM fp32)" 75000,,vector
    run abdb compare RTX-4090 L40S --where quantity=peak_flops,dtype=fp16,engine=matrix
    fails 0 "2.19x"
}

@test "corrected values are shipped: B200, B300, GH200, CS-2, Ascend 910B, MI300, MI308X" {
    filled "$root/data"
    stated() { ask "SELECT value / 1e9 FROM v_spec WHERE device = '$1' AND quantity = '$2' AND basis = 'card' AND preferred = 1"; }
    same "$(stated B200-SXM memory_bandwidth)" 7700
    same "$(stated B300-SXM memory_size)" 270
    same "$(stated GH200-144GB memory_size)" 144
    same "$(stated GH200-144GB memory_bandwidth)" 4900
    for gone in "CS-2 memory_size" "Ascend-910B memory_size" "Ascend-910B memory_bandwidth" "MI300 memory_size" "MI300 memory_bandwidth" "MI300 power" \
        "MI308X memory_bandwidth"; do
        same "$(stated ${gone% *} ${gone#* })" ""
    done
    run abdb compare MI300 MI300X --where quantity=memory_bandwidth
    [ "$status" -ne 0 ]
}

