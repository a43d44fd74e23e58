#!/usr/bin/env bats
# devices.bats - what a spelling of a device means: decorations never turn one product into another.
load common

# Imports facts about devices spelt as the lines of standard input.
spell() {
    { echo 'device,quantity,value,unit,source,locator'
      sed 's/"/""/g; s/.*/"&",memory_size,1,GB,mlperf-logs,x/'; } >names.csv
    abdb import -q names.csv
}
meant() { # SPELLING
    sqlite3 "$ABDB_DB" "SELECT how || ' ' || whole FROM name WHERE kind = 'device' AND spelling = '$1' AND part = 1"
}
is() { # SPELLING MEANING
    same "$(meant "$1")" "$2"
}

@test "decorations of a device name are removed, and become factors where they add information" {
    spell <<'EOF'
AMD Instinct MI300X-NPS1-SPX-192GB-750W
NVIDIA H200-SXM-141GB-CTS
NVIDIA A100-SXM4
NVIDIA A100-PCIe-40GB(250W)
NVIDIA A100-SXM4-80GB (500W)
NVIDIA A100-PCIE-80GB (7x1g.10gb MIG)
Graphcore Bow IPU
TPU v6
AMD Radeon 8060S Graphics (RADV GFX1151)
AMD Instinct MI355X 288GB HBM3e (Power Cap 1000 W)
Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz
EOF
    is "AMD Instinct MI300X-NPS1-SPX-192GB-750W" "decorated MI300X"
    is "NVIDIA H200-SXM-141GB-CTS" "decorated H200-SXM"
    is "NVIDIA A100-SXM4" "decorated A100-SXM"
    is "NVIDIA A100-PCIe-40GB(250W)" "decorated A100-PCIe-40GB"
    is "NVIDIA A100-SXM4-80GB (500W)" "decorated A100-SXM-80GB"
    is "NVIDIA A100-PCIE-80GB (7x1g.10gb MIG)" "decorated A100-PCIe-80GB"
    is "Graphcore Bow IPU" "decorated Bow-IPU"
    is "TPU v6" "alias TPU-v6e-Trillium"
    is "AMD Radeon 8060S Graphics (RADV GFX1151)" "decorated Radeon-8060S"
    is "AMD Instinct MI355X 288GB HBM3e (Power Cap 1000 W)" "decorated MI355X"
    is "Intel(R) Xeon(R) Platinum 8380 CPU @ 2.30GHz" "decorated Xeon-8380"
    same "$(sqlite3 "$ABDB_DB" "SELECT spelling, factor, text, num, unit FROM v_name_factor ORDER BY 1, 2")" \
"AMD Instinct MI300X-NPS1-SPX-192GB-750W|compute_partition|SPX||
AMD Instinct MI300X-NPS1-SPX-192GB-750W|device_power_limit|750|750.0|W
AMD Instinct MI300X-NPS1-SPX-192GB-750W|memory_partition|NPS1||
AMD Instinct MI355X 288GB HBM3e (Power Cap 1000 W)|device_power_limit|1000|1000.0|W
AMD Radeon 8060S Graphics (RADV GFX1151)|driver|RADV||
NVIDIA A100-PCIE-80GB (7x1g.10gb MIG)|partition|7x1g.10gb||
NVIDIA A100-PCIe-40GB(250W)|device_power_limit|250|250.0|W
NVIDIA A100-SXM4-80GB (500W)|device_power_limit|500|500.0|W
NVIDIA H200-SXM-141GB-CTS|cooling|CTS||"
}

@test "a name with another form factor, memory, slice or product word stays unresolved" {
    spell <<'EOF'
NVIDIA H100
NVIDIA H100 OAM
NVIDIA H200 PCIe
NVIDIA H100-SXM5-64GB
NVIDIA H100 80GB HBM2e
NVIDIA A100-SXM-60GB
NVIDIA GeForce RTX 3080 12GB
AMD Instinct MI300X-CPX-NPS4
NVIDIA A100-SXM-80GB (2x2g.20gb MIG)
Tesla V100-SXM3-16GB
Kunlun R100 (90W)
Intel(R) Core(TM) Ultra 7 255H
AMD H100-SXM-80GB
NVIDIA MI300X
EOF
    same "$(sqlite3 "$ABDB_DB" "SELECT spelling || ' is ' || whole FROM name n WHERE kind = 'device' AND how <> 'unresolved'
        AND spelling IN (SELECT device FROM spec)")" ""
    spell <<<$'NVIDIA H100-SXM5-96GB\nNVIDIA A100-SXM-80GB (1x1g.10gb MIG)'
    is "NVIDIA H100-SXM5-96GB" "decorated H100-SXM-96GB"
    is "NVIDIA A100-SXM-80GB (1x1g.10gb MIG)" "decorated A100-SXM-80GB-1x1g.10gb-MIG"
}

@test "every device of the vocabulary is found with its decorations, and not with words of other products" {
    abdb import -q <(echo 'device,vendor')
    sqlite3 "$ABDB_DB" "CREATE TEMP TABLE d AS SELECT device, vendor, form_factor, memory FROM device WHERE kind <> 'memory';
        CREATE TEMP TABLE word AS SELECT column1 AS w FROM (VALUES (' Ti'), ('X'), (' Max-Q'), ('-CPX'), (' NVL72'), (' 7777GB'), (' 2'), (' v9'),
            (' Super'), (' SE2'), (' HBM9'), (' (2x2g.20gb MIG)'));
        CREATE TEMP TABLE own AS
            SELECT device, vendor || ' ' || device AS spelling FROM d WHERE vendor IN (SELECT meaning FROM decoration WHERE says = 'vendor')
            UNION ALL SELECT device, 'Virtualized ' || device || '-CTS' FROM d
            UNION ALL SELECT device, device || '-NPS1-SPX (x16)' FROM d
            UNION ALL SELECT device, device || ' (' || '431W)' FROM d WHERE device NOT GLOB 'Kunlun-R100*'
            UNION ALL SELECT device, device || '-' || CAST(memory AS INTEGER) || 'GB' FROM d WHERE memory <> ''
            UNION ALL SELECT device, device || ' ' || form_factor FROM d WHERE form_factor IN ('SXM', 'PCIe', 'OAM');
        CREATE TEMP TABLE other AS SELECT device, device || w AS spelling FROM d, word
            UNION ALL SELECT device, device || ' PCIe' FROM d WHERE form_factor <> 'PCIe' UNION ALL SELECT device, device || ' OAM' FROM d WHERE form_factor <> 'OAM'
            UNION ALL SELECT device, CASE vendor WHEN 'NVIDIA' THEN 'AMD ' ELSE 'NVIDIA ' END || device FROM d;
        ATTACH 'kept.db' AS kept;
        CREATE TABLE kept.own AS SELECT * FROM own; CREATE TABLE kept.other AS SELECT * FROM other WHERE spelling NOT IN (SELECT device FROM d);"
    sqlite3 kept.db "SELECT spelling FROM own UNION SELECT spelling FROM other" | spell
    sqlite3 "$ABDB_DB" "ATTACH 'kept.db' AS kept;
        SELECT 'not its own: ' || o.spelling || ' is ' || n.whole FROM kept.own o JOIN name n USING (spelling) WHERE n.kind = 'device' AND n.whole <> o.device;
        SELECT 'another product: ' || o.spelling || ' is ' || n.whole FROM kept.other o JOIN name n USING (spelling)
         WHERE n.kind = 'device' AND n.whole = o.device" >wrong.txt
    cat wrong.txt
    [ ! -s wrong.txt ]
    [ "$(sqlite3 kept.db "SELECT count(*) FROM own")" -gt 1300 ]
    [ "$(sqlite3 kept.db "SELECT count(*) FROM other")" -gt 4500 ]
    same "$(sqlite3 "$ABDB_DB" "SELECT count(*) FROM name n JOIN device d ON d.device = n.spelling WHERE n.kind = 'device' AND n.whole <> d.device")" 0
}

@test "a later alias takes precedence, and a rebuild keeps the factors of a spelling" {
    spell <<<$'NVIDIA H200-SXM-141GB-CTS\nNVIDIA H200-SXM-141GB-777W'
    is "NVIDIA H200-SXM-141GB-777W" "decorated H200-SXM"
    printf 'kind,spelling,canon\ndevice,NVIDIA H200-SXM-141GB-CTS,B100\n' >a.csv
    abdb import -q a.csv
    is "NVIDIA H200-SXM-141GB-CTS" "alias B100"
    before=$(facts)
    abdb doctor --rebuild >/dev/null
    same "$(facts)" "$before"
    # a rule of one's own
    printf 'place,pattern,says,meaning,factor,source,locator\n900,oc,clocking,overclocked,clocking,mlperf-logs,x\n' >r.csv
    spell <<<'NVIDIA L4 OC'
    is "NVIDIA L4 OC" "unresolved NVIDIA L4 OC"
    abdb import -q r.csv
    is "NVIDIA L4 OC" "decorated L4"
    same "$(ask "SELECT factor || '=' || text FROM v_name_factor WHERE spelling = 'NVIDIA L4 OC'")" "clocking=overclocked"
    sed -i 's/,clocking,mlperf/,clock_mode,mlperf/' r.csv # a rule that changes takes its old factors with it
    abdb import -q r.csv
    same "$(ask "SELECT factor || '=' || text FROM v_name_factor WHERE spelling = 'NVIDIA L4 OC'")" "clock_mode=overclocked"
}

@test "a power limit in a device name is printed where it differs, and can be selected" {
    abdb import -q <(echo 'device,vendor')
    cat >r.csv <<'EOF'
evidence,workload,device,devices,dtype,metric,value,unit,source
published,gemm,NVIDIA A100-SXM4-80GB (400W),1,bf16,flops_per_s,200,TFLOP/s,ml-engineering
published,gemm,NVIDIA A100-SXM4-80GB (500W),1,bf16,flops_per_s,220,TFLOP/s,ml-engineering
EOF
    abdb import -q r.csv
    same "$(ask "SELECT text FROM v_factor WHERE factor = 'device_power_limit' ORDER BY 1" | tr '\n' ' ')" "400 500 "
    run abdb compare raw_device="NVIDIA A100-SXM4-80GB (400W)" raw_device="NVIDIA A100-SXM4-80GB (500W)"
    [[ "$output" == *"device_power_limit"* ]] || { echo "$output"; false; }
    run abdb compare raw_device="NVIDIA A100-SXM4-80GB (400W)" raw_device="NVIDIA A100-SXM4-80GB (500W)" --where device_power_limit=500
    [[ "$output" != *"200"* ]] || { echo "$output"; false; }
}

@test "in every round of the real files at least 99.5 % of rows have a device of the vocabulary" {
    need_realdata mlperf-website-export
    abdb import -q "$realdata"/mlperf-* >/dev/null 2>&1 || true
    sqlite3 "$ABDB_DB" "SELECT e.suite || ' ' || coalesce(e.round, '-') || ': ' || sum(n.how = 'unresolved') || ' of ' || count(*) || ', such as ' ||
            max(CASE WHEN n.how = 'unresolved' THEN n.spelling ELSE '' END)
          FROM entry e JOIN name n ON n.kind = 'device' AND n.spelling = e.device AND n.part = 1
         WHERE e.evidence = 'mlperf' GROUP BY e.suite, e.round HAVING sum(n.how = 'unresolved') > 0.005 * count(*)" >open.txt
    cat open.txt
    [ ! -s open.txt ]
    [ "$(sqlite3 "$ABDB_DB" "SELECT count(DISTINCT suite || round) FROM entry WHERE evidence = 'mlperf'")" -gt 12 ]
}

@test "every model of the shipped evidence is resolved; a name without results is not counted" {
    filled "$root/data"
    same "$(abdb query unresolved -o csv --kind model 2>/dev/null)" "kind,spelling,results"
    printf 'evidence,source,workload,model,device,metric,value,unit\npublished,me,serving,Oddity-9B,H100,tokens_per_s,1,token/s\n' >odd.csv
    abdb import -q odd.csv
    same "$(abdb query unresolved -o csv --kind model | tail -1)" "model,Oddity-9B,1"
}

@test "device names printed by programs and used by people are resolved" {
    names='NVIDIA H20|HGX-H20
H20|HGX-H20
NVIDIA H20-3e|H20-3e
NVIDIA B300 SXM6 AC|B300-SXM
B200|B200-SXM
nvidia b200|B200-SXM
TPU v5 lite|TPU-v5e
TPU v6 lite|TPU-v6e-Trillium
TPU v6e|TPU-v6e-Trillium
TPU7x|TPU-v7-Ironwood
NVIDIA GB10|GB10
HL-225|Gaudi2
HL-225D|Gaudi2
HL-325L|Gaudi3
MI355|MI355X
MI325|MI325X
RTX PRO 6000 Blackwell Server Edition|RTX-PRO-6000-SE
NVIDIA GH200 144G HBM3e|GH200-144GB'
    cut -d'|' -f1 <<<"$names" | spell
    while IFS='|' read -r spelling device; do
        meaning=$(meant "$spelling")
        same "${meaning#* }" "$device"
    done <<<"$names"
    printf '%s\n' H200 GB200-NVL72x "Apple M4 Max" | spell # one of several, or nobody's
    is "Apple M4 Max" "unresolved Apple M4 Max"
}
