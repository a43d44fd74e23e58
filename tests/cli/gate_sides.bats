#!/usr/bin/env bats
# gate_sides.bats - what the sides of a gate are: one machine, the newest command, its failures and their reasons.
load common
load processes

on() { # DEVICE [ENVIRONMENT]: records on standard input, measured there
    jq -c --arg device "$1" --argjson more "${2:-{\}}" '.field.device = $device | .environment |= (fromjson + $more | tojson)'
}

@test "a gate across two machines is refused, in both directions; --across-machines compares them" {
    told a c-1 1 10 | on "EPYC 7763" >p.jsonl
    told b c-2 1.15 10 | on "EPYC 9V74" >>p.jsonl
    abdb import -q p.jsonl
    for sides in "tag=a tag=b" "tag=b tag=a"; do
        run abdb compare $sides --fail-on slower --drift 0.02
        fails 3 "NOT COMPARABLE  one-machine (device: A EPYC "
        [[ $output == *"--across-machines compares them all the same"* ]]
        [[ $output != *"abdb query rules"* && $output != *" slower"* ]]
    done
    run abdb compare tag=a tag=b --fail-on slower --drift 0.02 --across-machines
    fails 1 "slower: 1.15"
    abdb compare tag=a tag=b --drift 0.02 >out # a question, and no gate
    grep -q slower out
    same "$(ask "SELECT effect FROM v_rule WHERE rule = 'one-machine'")" formula
    run abdb compare tag=a tag=b -o junit
    fails 3 'errors="1"'
    [[ $output == *"<error message=\"NOT COMPARABLE one-machine: "*"(device: A EPYC 7763, B EPYC 9V74)"* ]]
    run abdb compare tag=a tag=b -o github
    fails 3 "::error title=ref gemm n=512::NOT COMPARABLE one-machine"
}

@test "processor, power limit and kind of virtual machine distinguish machines; an unknown value does not" {
    told a c-1 1 10 | on Box '{"host_processor_model_name":"X","gpu_power_limit":"300 W","virtual_machine_type":"m5"}' >p.jsonl
    for key in host_processor_model_name gpu_power_limit power_limit virtual_machine_type virtual_machine; do
        told $key c-1 1 10 | on Box "{\"host_processor_model_name\":\"X\",\"gpu_power_limit\":\"300 W\",\"virtual_machine_type\":\"m5\",\"power_limit\":\"1\",\"virtual_machine\":true,\"$key\":\"other\"}" >>p.jsonl
    done
    told like c-1 1 10 | on Box '{"host_processor_model_name":"X"}' >>p.jsonl
    told mixed c-1 1 5 >m.jsonl
    { on Box '{"power_limit":"1"}' <m.jsonl; told mixed c-1 1 6 | tail -1 | on Box '{"power_limit":"2"}'; } >>p.jsonl
    abdb import -q p.jsonl
    for key in host_processor_model_name gpu_power_limit virtual_machine_type; do
        run abdb compare tag=a tag=$key --fail-on slower
        fails 3 "$key: A "
    done
    run abdb compare tag=power_limit tag=gpu_power_limit --fail-on slower
    fails 3 "power_limit: A other, B 1"
    run abdb compare tag=virtual_machine tag=gpu_power_limit --fail-on slower
    fails 3 "virtual_machine: A other, B 1"
    run abdb compare tag=like tag=mixed --fail-on slower # a side of two machines
    fails 3 "power_limit: A unknown, B 1, 2"
    run abdb compare tag=a tag=like --fail-on slower
    fails 0 COMPARABLE
}

@test "several devices on both sides are compared one by one" {
    for tag in a b; do
        told $tag c-1 1 10 | on One
        told $tag c-1 2 10 0.002 "" "ref gemm n=512 " | on Two
    done >p.jsonl
    abdb import -q p.jsonl
    run abdb compare tag=a tag=b --fail-on slower
    fails 0 COMPARABLE
    same "$(abdb compare tag=a tag=b -o jsonl | wc -l)" 2
}

@test "a gate judges the newest command with its tags, and names it; --where run= selects another" {
    { told a c-1 1 10; told b c-1 1.3 10; told a c-2 1 10 && told b c-2 1 10; } | jq -c 'if .field.campaign == "c-2" then .field.date |= sub("2026-03-01"; "2026-03-02") else . end' >p.jsonl
    abdb import -q p.jsonl
    run abdb compare tag=a tag=b --fail-on slower
    fails 0 "B: the newest of 2 commands with this tag, c-2; another by --where run=..."
    run abdb compare tag=a tag=b --fail-on slower --where run=c-1
    fails 1 "slower: 1.3"
    # in separate commands: of each side its newest
    { told d c-3 1 10; told d c-4 2 10; told e c-5 1 10; } >p.jsonl
    abdb import -q p.jsonl
    run abdb compare tag=e tag=d --fail-on slower --drift 0.02
    fails 1 "slower: 2.0"
}

@test "a newest command that failed fails the gate with its reason, in every format" {
    abdb run -q --command xa='sleep 0.003' --command xb='sleep 0.003' --repeat 5
    run abdb run -q --command xa='sleep 0.003' --command xb='sh -c "echo assertion x failed >&2; exit 7"' --repeat 5
    [ "$status" -eq 5 ]
    for format in table junit github; do
        run abdb compare tag=xa tag=xb --fail-on slower -o $format
        fails 1 "xb failed in 5 of 5 turns: sh ended with code 7: assertion x failed"
    done
    run abdb compare tag=xa tag=xb --where run=latest
    fails 2 "xb failed in 5 of 5 turns: sh ended with code 7: assertion x failed"
    abdb compare tag=xa tag=xb --where run=latest -o junit >gate.xml || true
    python3 -c "import xml.etree.ElementTree as e; e.parse('gate.xml')"
    grep -q 'tests="1" failures="0" errors="1"' gate.xml
    # some turns fail: the others are judged, and the gate does not hold
    told a c-1 1 10 >p.jsonl
    told b c-1 1 10 >>p.jsonl
    told b c-1 1 11 | tail -1 | jq -c '.result = [] | .field.status = "failed" | .field.reason = "code 3: cold"' >>p.jsonl
    abdb import -q p.jsonl
    run abdb compare tag=a tag=b --fail-on slower
    fails 1 "b (b failed in 1 of 11 turns: code 3: cold)"
    [[ $output == *"B: b failed in 1 of 11 turns: code 3: cold (abdb query kernels --failed)"* && $output != *"A: a failed"* ]]
    abdb compare tag=a tag=b --fail-on slower --missing warn
}

@test "JUnit is written for a comparison without a judgement: an absent tag, a missing file" {
    abdb run -q --command xa='sleep 0.003' --repeat 2
    run abdb compare tag=xa tag=nowhere -o junit --out gate.xml
    fails 2 "no result matches"
    python3 -c "import xml.etree.ElementTree as e; e.parse('gate.xml')"
    grep -q "could not be judged: exit 2: no result matches" gate.xml
    run abdb compare tag=xa tag=nowhere -o github --db none.db
    [[ $output == *"::error title=abdb compare tag=xa tag=nowhere::could not be judged: exit "* ]]
}

@test "abdb run keeps the type of the virtual machine, and a gate of two types is refused" {
    grep -q ' hypervisor' /proc/cpuinfo || skip "no virtual machine"
    export ABDB_SENSORS=$dir/sensors
    mkdir -p sensors/sys/class/dmi/id
    for type in m5.large c5.large; do
        echo $type >sensors/sys/class/dmi/id/product_name
        abdb run -q --command ${type%.*}='sleep 0.003' --repeat 5
    done
    run abdb compare tag=m5 tag=c5 --fail-on slower --drift 0.02
    fails 3 "NOT COMPARABLE  one-machine (virtual_machine_type: A m5.large, B c5.large"
}
