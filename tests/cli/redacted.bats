#!/usr/bin/env bats
# redacted.bats - export --redacted: what may leave is a list; a token planted into every text of a database is looked for in the bytes.
load common

# Results and facts of one's own, of every kind, besides those that abdb ships: made once, copied for each test.
fill() {
    [ -e "$BATS_FILE_TMPDIR/full.db" ] || { make_full && mv t.db "$BATS_FILE_TMPDIR/full.db"; }
    cp "$BATS_FILE_TMPDIR/full.db" t.db
}
make_full() {
    abdb import -q $(half_of_data) "$fixtures/records.jsonl" "$fixtures/google_benchmark.json" "$fixtures/nccl_tests.out" 2>/dev/null || [ $? -eq 5 ]
    abdb run --kernel stream --axis n=10000 --backend ref,vec --quick -q --tag secret-tag
    cat >own.jsonl <<'J'
{"record":"source","source":"our-lab","kind":"user","title":"t","author":"a","url":"https://x","licence":"l","rank":1}
{"record":"device","device":"our-chip","vendor":"v","architecture":"w","form_factor":"f","kind":"k","source":"our-lab","locator":"l"}
{"record":"model","model":"our-model","task":"t","family":"f","source":"our-lab","locator":"l"}
{"record":"alias","kind":"device","spelling":"box 7","part":1,"canon":"our-chip","source":"our-lab"}
{"record":"spec","device":"our-chip","quantity":"power","value":7,"unit":"W","raw_value":"7","raw_unit":"W","note":"n","source":"our-lab","locator":"l"}
{"record":"price","provider":"p","instance":"i","device":"our-chip","devices":1,"kind":"on-demand","region":"r","amount":1.5,"currency":"USD","per":"hour","source":"our-lab","locator":"l","fact":"our.price"}
{"record":"claim","claim":"our.claim","source":"our-lab","locator":"l","sentence":"s","stated":2,"raw_value":"2"}
{"record":"provider","provider":"our-cloud","kind":"cloud","source":"our-lab","locator":"l"}
{"record":"note","kind":"campaign","target":"c-lab","text":"words","author":"alice","date":"2026-01-02"}
J
    abdb import -q own.jsonl
}

# The exports that there are, into files of that name.
exports() {
    abdb export --redacted --out "$1.jsonl" 2>/dev/null
    abdb export --redacted -o csv --out "$1.csv" 2>/dev/null
    abdb export --redacted -o sql --out "$1.sql" 2>/dev/null
    abdb export --redacted -o db --out "$1.db" 2>/dev/null
}

@test "paths, addresses, hosts and serial numbers are in no format of a redacted export, from any column" {
    fill
    cp t.db clean.db
    forms=(" /srv/%s/x" " %s@lab.example" " node7.%s.example" " 10.1.2.3 %s" " 3c:ec:ef:1a:%s" " GPU-8d3a5b0e-41f1 %s" " \\\\\\\\%s" $'\n%s')
    ways=(all) # of a column with many rows each form stands somewhere
    [ -z "$THOROUGH" ] || ways+=("${forms[@]}")
    for form in "${ways[@]}"; do
        cp clean.db t.db
        if [ "$form" = all ]; then planted=("${forms[@]}"); else planted=("$form"); fi
        python3 "$root/tests/checks/plant_tokens.py" t.db "${planted[@]}"
        rm -f out.*
        exports out
        for f in out.jsonl out.csv out.sql out.db; do
            [ -s "$f" ]
            ! grep -aoE "Zq[a-z]+q[a-z]*q?" "$f" | sort | uniq -c | grep . || { echo "$form: $f"; false; }
        done
    done
}

@test "a redacted export has plain words of the listed columns only, and --list prints each" {
    fill
    cp t.db clean.db
    python3 "$root/tests/checks/plant_tokens.py" t.db " %s"
    exports out
    abdb export --redacted --list -o csv >list.csv 2>/dev/null
    for f in out.jsonl out.csv out.sql out.db; do
        grep -aoE "Zq[a-z]+q[a-z]+q" "$f" | sort -u >"$f.tokens"
    done
    # fields of entries, factors, what a result is of, and a machine without its name
    cat >expected <<'E'
Zqdescriptionqavailabilityq
Zqdescriptionqbackendq
Zqdescriptionqdeviceq
Zqdescriptionqdivisionq
Zqdescriptionqdtypeq
Zqdescriptionqevidenceq
Zqdescriptionqflagsq
Zqdescriptionqkindq
Zqdescriptionqmodelq
Zqdescriptionqroundq
Zqdescriptionqscenarioq
Zqdescriptionqstatusq
Zqdescriptionqsuiteq
Zqdescriptionqsystemtypeq
Zqdescriptionqverifiedq
Zqdescriptionqworkloadq
Zqentryrowqcellq
E
    grep -v "Zqpointfactor\|Zqenvironment\|Zqquantity\|Zqsample\|Zqspan\|Zqrank\|Zqtelemetry\|Zqprocess\|Zqpart" out.jsonl.tokens >got
    diff expected got
    # nothing in another format that is not in the first, and nothing that the list does not say
    for f in out.csv out.sql out.db; do
        comm -13 out.jsonl.tokens "$f.tokens" >more
        [ ! -s more ] || { cat more; false; }
    done
    while read -r token; do
        grep -q "^[a-z_.A-Z0-9]*,[^,]*$token" list.csv || { echo "not listed: $token"; false; }
    done <out.jsonl.tokens
    cp clean.db t.db
}

# What abdb ships is read by each export, to know it: little of it where a test is not about that.
ships_little() {
    mkdir shipped
    cp "$root"/data/{sources,devices}.csv shipped
    export ABDB_DATA=$dir/shipped
}

@test "a redacted export keeps factors of kernels, and replaces names and values of all others" {
    ships_little
    for f in host node login owner email ip mac serial gpu_uuid cmdline api_key SLURM_NODELIST hostname user path password project; do
        printf '{"record":"entry","field":{"evidence":"measured","kind":"run","source":"lab","workload":"gemm","device":"H100-SXM"},"factor":{"%s":"Zqsecret","n":"4"},"result":[{"metric":"time_s","statistic":"value","value":1}]}\n' "$f"
    done >f.jsonl
    printf '{"record":"entry","field":{"evidence":"measured","kind":"run","source":"lab","workload":"gemm","device":"H100-SXM"},"factor":{"serial":"4711","n":"8"},"result":[{"metric":"time_s","statistic":"value","value":1}]}\n' >>f.jsonl
    abdb import -q f.jsonl
    exports out
    for f in out.jsonl out.csv out.sql out.db; do
        no grep -aE "Zqsecret|api_key|SLURM|gpu_uuid|(^|[^0-9])4711([^0-9]|$)|password" "$f"
    done
    same "$(grep -c '"n":{"text":"4"\|"n":"4"' out.jsonl)" 17
    same "$(abdb query --db out.db "SELECT count(*), count(DISTINCT value) FROM v_result" -o csv | tail -1)" "18,1"
}

@test "pseudonyms are equal for equal text in one database and differ between databases" {
    ships_little
    printf '{"record":"entry","field":{"evidence":"measured","kind":"run","source":"lab","workload":"gemm","device":"D","tag":"%s"},"factor":{"hostname":"%s"},"result":[{"metric":"time_s","statistic":"value","value":%s}]}\n' \
        night node-a 1 night node-b 2 day node-a 3 >p.jsonl
    abdb import -q p.jsonl
    abdb export --redacted >one.jsonl 2>/dev/null
    abdb export --redacted 2>/dev/null | cmp - one.jsonl
    abdb import -q --db other.db p.jsonl
    abdb export --redacted --db other.db >two.jsonl 2>/dev/null
    no grep -qF "$(grep -o 'value-[0-9a-f]*' one.jsonl | head -1)" two.jsonl
    same "$(grep -o 'value-[0-9a-f]*' one.jsonl | sort | uniq -c | awk '{ print $1 }' | sort | xargs)" "1 2"
    same "$(grep -o 'tag-[0-9a-f]*' one.jsonl | sort | uniq -c | awk '{ print $1 }' | sort | xargs)" "1 2"
    abdb import -q --db back.db one.jsonl
    same "$(abdb query --db back.db "SELECT tag, count(*) FROM v_run GROUP BY 1 ORDER BY 2" -o csv | tail -n +2 | cut -d, -f2 | xargs)" "1 2"
    run abdb export --redacted --keep tag,factor.hostname
    [[ $output == *night* && $output == *node-a* ]]
    run abdb export --redacted --keep tagg
    fails 2 "--keep tagg"
    run abdb export --keep tag
    fails 2 "of --redacted"
    run abdb export --list
    fails 2 "of --redacted"
}

@test "a redacted export keeps shipped facts unchanged, and leaves out withdrawn facts and own specifications" {
    fill
    abdb withdraw own.jsonl >/dev/null 2>&1 || true
    abdb withdraw records.jsonl --reason "wrong clock" >/dev/null
    n=$(sqlite3 t.db "SELECT count(*) FROM entry WHERE source = 'lab'")
    same "$n" 0
    run abdb export -o db --redacted --out public.db
    fails 0 "texts replaced by pseudonyms"
    abdb import -q --db shipped.db $(half_of_data)
    abdb merge --db shipped.db public.db >/dev/null
    same "$(sqlite3 shipped.db "SELECT count(*) FROM v_spec")" "$(sqlite3 public.db "SELECT count(*) FROM v_spec")"
    same "$(sqlite3 public.db "SELECT count(*) FROM v_spec WHERE device = 'our-chip'")" 0
    same "$(sqlite3 shipped.db "SELECT count(*) FROM v_statement WHERE source NOT LIKE 'source-%'")" "$(sqlite3 public.db "SELECT count(*) FROM v_statement WHERE source NOT LIKE 'source-%'")"
    no grep -aq "our-chip\|our-lab\|alice\|wrong clock\|secret-tag" public.db
    [ "$(abdb query --db public.db specs -o csv 2>/dev/null | wc -l)" -gt 60 ]
    abdb query --db public.db kernels -o csv 2>/dev/null | grep -q stream
}

@test "a redacted export keeps the axes of every plan" {
    ships_little
    abdb run --kernel elementwise --axis op=softmax --axis rows=64 --axis columns=32 --backend ref --quick -q
    abdb export --redacted 2>/dev/null | grep -q '"operation":"softmax"'
    abdb export --redacted 2>/dev/null | no grep -q '"factor-'
}

@test "a redacted export leaves no temporary file, and fails without a usable TMPDIR" {
    ships_little
    abdb import -q "$fixtures/records.jsonl" 2>/dev/null || true
    mkdir tmp
    TMPDIR=$dir/tmp abdb export --redacted -o sql --out x.sql 2>/dev/null
    [ -z "$(ls -A tmp)" ]
    TMPDIR=$dir/none run abdb export --redacted
    fails 6 "TMPDIR names one"
}
