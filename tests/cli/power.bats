#!/usr/bin/env bats
# power.bats - power and energy have one definition each: what is compared, refused and named; provisioned power by the rules of MLPerf Endpoints.
load common

# Runs of one workload whose powers are defined differently: device, definition, scope, level.
watts() {
    local device value definition scope level factors
    while read -r device value definition scope level; do
        factors=$(jq -nc --arg d "$definition" --arg s "$scope" --arg l "$level" \
            '{power_definition: $d, energy_scope: $s, power_level: $l} | with_entries(select(.value != "-"))')
        jq -nc --arg device "$device" --argjson watts "$value" --argjson factor "$factors" \
            '{record: "entry", field: {evidence: "published", kind: "statement", workload: "serve", model: "llama-x", source: "mine", device: $device,
              devices: "8"}, factor: $factor, result: [{metric: "power_w", statistic: "mean", value: $watts},
              {metric: "tokens_per_s", statistic: "value", value: 9000}]}'
    done >"$BATS_TEST_TMPDIR/watts.jsonl"
    abdb import -q "$BATS_TEST_TMPDIR/watts.jsonl"
}
where=(--where model=llama-x)

@test "powers of two definitions are refused by name, in watts and per watt; throughput is not" {
    filled "$root"/data/rules/*.csv "$root"/data/sources.csv "$root"/data/devices.csv "$root"/data/aliases.csv
    watts <<'END'
H100-SXM 5000 wall - -
H200-SXM 4000 counters GPU -
B200-SXM 9000 provisioned - -
B300-SXM 9500 rated - -
MI300X 6000 - - -
MI355X 6500 wall - -
GB200 7000 counters package -
GB300 7500 wall - 3
L40S 2000 supply - -
END
    for other in H200-SXM B200-SXM B300-SXM L40S GB200; do
        for question in "--metric power_w" "--metric tokens_per_s --per watt" "--metric tokens_per_s --per joule"; do
            run abdb compare device=H100-SXM device=$other "${where[@]}" $question
            fails 3 "NOT COMPARABLE  power-definition (power_definition: A wall, B "
        done
        run abdb compare device=H100-SXM device=$other "${where[@]}" --metric tokens_per_s
        fails 0 "1.00x"
        [[ $output != *power* && $output != *energy_scope* ]]
    done
    # unknown: named, never taken for the wall
    run abdb compare device=H100-SXM device=MI300X "${where[@]}" --metric power_w
    fails 0 "COMPARABLE AS FAR AS IS KNOWN"
    [[ $output == *"unknown on a side:"*power_definition* ]]
    # one definition, another scope or level: named
    run abdb compare device=H200-SXM device=GB200 "${where[@]}" --metric power_w
    fails 0 "COMPARABLE EXCEPT"
    [[ $output == *"energy_scope"* ]]
    run abdb compare device=H100-SXM device=MI355X "${where[@]}" --metric power_w
    fails 0 "power_definition wall"
    # a specification is no measurement
    run abdb rank --metric tokens_per_s --per watt "${where[@]}"
    fails 0 "power_definition=counters"
    [[ $output == *"power_definition=provisioned"*"power_definition=rated"*"groups that may not be compared"* ]]
    # SQL has the same definitions
    same "$(ask "SELECT group_concat(d, ' ') FROM (SELECT device || '=' || coalesce(definition, '?') AS d FROM v_power ORDER BY device)")" \
        "B200-SXM=provisioned B300-SXM=rated GB200=counters GB300=wall H100-SXM=wall H200-SXM=counters L40S=supply MI300X=? MI355X=wall"
    run abdb query power --definition unknown
    fails 0 MI300X
}

@test "MLPerf measures at the wall, Tiny at the supply, own runs by counters; a device's power is rated" {
    filled "$root"/data/rules/*.csv "$root"/data/sources.csv "$root"/data/devices.csv "$root"/data/aliases.csv "$root"/data/results/mlperf-inference-v4.1*.csv
    same "$(ask "SELECT group_concat(DISTINCT definition) FROM v_power WHERE suite = 'inference'")" wall
    printf 'evidence,kind,suite,round,division,workload,model,system,metric,value,unit,source,locator\nmlperf,run,tiny,v1.3,closed,kws,kws,board,energy_j,0.0001,J,mine,1\n' | abdb import -q -
    same "$(ask "SELECT definition FROM v_power WHERE suite = 'tiny'")" supply
    printf 'evidence,workload,device,devices,metric,value,unit,factor.energy_scope,source,locator\nmeasured,gemm,A1,1,energy_j,12,J,package,mine,1\n' | abdb import -q -
    same "$(ask "SELECT definition, scope FROM v_power WHERE device = 'A1'")" counters,package
    run abdb query rules --scope formula
    for rule in no-watt-from-tdp endpoints-watt-is-provisioned tiny-watt-at-supply own-watt-is-measured published-watt-as-stated; do
        ask "SELECT sentence || source || locator FROM v_rule WHERE rule = '$rule'" | grep -q .
    done
}

@test "provisioned power: the rules' worked examples to the digit, defaults of Appendix D named" {
    abdb import -q "$fixtures/system_power_examples.jsonl" "$fixtures/system_power.json"
    same "$(ask "SELECT group_concat(s, ' ') FROM (SELECT system || '=' || printf('%.2f', value / 1000) AS s FROM v_power ORDER BY system)")" \
        "C.11=161.94 E.6.1=300.30 E.6.2=14.50 E.6.3=146.80 E.6.3 optical=149.16 E.6.4=111.00 acme_2node=36.63 v1.0 page=12.74"
    factor() { ask "SELECT f.text FROM v_factor_given f JOIN v_power p USING (result_id) WHERE p.system = '$1' AND f.factor = '$2'"; }
    same "$(factor acme_2node mlc_estimated_power)" '"cpu (D.2), power_per_switch (D.4)"'
    same "$(factor E.6.2 mlc_estimated_power)" no
    same "$(factor E.6.2 power_declared)" yes
    same "$(factor acme_2node node_sets.0.components.accelerator.tdp_per_unit.source)" https://acme.example/cap
    same "$(ask "SELECT devices, nodes FROM v_power WHERE system = 'acme_2node'")" 16,2
    printf 'evidence,kind,workload,model,system,device,devices,metric,value,unit,source,locator\npublished,statement,serving,llama-x,v1.0 page,A1,8,tokens_per_s,25000,token/s,mine,1\n' | abdb import -q -
    same "$(abdb query provisioned-power --system 'v1.0 page' -o csv --columns tokens_per_s_per_kw | tail -1 | cut -c1-7)" 1962.32
}

@test "provisioned power: a figure without a source, a sum that differs and a fabric that is left out are rejected by name" {
    edit() { # FIELD REASON JQ
        rm -f "$ABDB_DB"
        jq "$3" "$fixtures/system_power.json" >edited.json
        run abdb import edited.json
        fails 5 "$1"
        [[ $output == *"$2"* ]] || { echo "$output"; false; }
        same "$(ask "SELECT count(*) FROM v_power")" 0
    }
    set='.node_sets[0]'
    edit accelerator "needs a public source" "$set.components.accelerator.tdp_per_unit.source = \"our lab\""
    edit accelerator "one of value_w" "$set.components.accelerator.tdp_per_unit.value_kw = 1.35"
    edit cpu "no default" "$set.components.cpu.model = \"Acme RISC 64-core\""
    edit total_system_power_w "recomputed 36630" '.computed.total_system_power_w = 30000'
    edit provisioned_power_kw "recomputed 36.63" '.provisioned_power_kw = 36.0'
    edit nics "need them counted" '.scale_out.nics.counted = false'
    edit switches "less than the required" '.scale_out.switches[0].bandwidth_tbps = 1'
    edit required_bandwidth_tbps "below the bandwidth" '.scale_out.required_bandwidth_tbps = 1'
    edit scale_out "no scale-up network joins" '.scale_out = {"present": false}'
    edit cooling "liquid or air" '.cooling = "passive"'
    edit nodes_provisioned "whole number" "$set.nodes_provisioned = 1.5"
    edit nodes_in_published_rack "greater than" "$set.power_method = \"node_scaling\" | $set.published_power = {value_kw: 9, source_type: \"publication\", source: \"https://a.b\"} | $set.nodes_in_published_rack = 2 | .scale_out.nics.counted = false"
    jq -c 'del(.overhead_fraction)' <(tail -1 "$fixtures/system_power_examples.jsonl") >older.json
    run abdb import older.json
    fails 5 "--set factor.cooling=air"
    abdb import -q --set factor.cooling=air older.json
    same "$(ask "SELECT value FROM v_power")" 14700
}

@test "an envelope in watts takes powers of one definition, and names it; cost-model dates its assumptions" {
    for run in "H100-SXM 5000 wall" "H200-SXM 4000 counters" "L40S 2000 -"; do
        set -- $run
        jq -nc --arg device "$1" --argjson watts "$2" --arg definition "$3" \
            '{record: "entry", field: {evidence: "measured", kind: "run", workload: "serving", scenario: "serving", model: "llama-x", source: "mine", device: $device,
              devices: "8", date: "2026-11-01"}, factor: ({concurrency: "16"} + if $definition == "-" then {} else {power_definition: $definition} end),
              result: [{metric: "tokens_per_s", statistic: "value", value: 900}, {metric: "tpot_s", statistic: "p99", value: 0.02},
              {metric: "power_w", statistic: "mean", value: $watts}]}'
    done >curves.jsonl
    abdb import -q curves.jsonl
    envelope() { abdb query envelope --watts 10000 --at tpot=50ms "$@" -o csv --columns device,systems,power,why | tail -n +2 | sort; }
    run envelope --power measured
    fails 0 "by definition wall, another's is not"
    [[ $output == *"by definition counters"*"by definition unknown"* ]]
    same "$(envelope --power wall | grep -c 'no wall power of it is known')" 2
    same "$(envelope --power wall | grep H100)" H100-SXM,2,wall,
    same "$(envelope --power counters | grep H200)" H200-SXM,2,counters,
    run abdb query cost-model --grid 380 --assumed-on 2026-11-01
    fails 0 "345.8"
    [[ $output == *"380.0 g of CO2 equivalent per kWh, of 2026-11-01"* ]]
    run abdb query cost-model
    fails 0 "of no stated day: --assumed-on"
}
