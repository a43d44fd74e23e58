#!/usr/bin/env bats
# providers.bats - several providers of one kernel in one backend: each measured, none taken for another.
load common

# A backend `two` with providers fast and slow of `k` (1 and 2 us an n) and one of `lone`; what $TWO_SAYS it is, it says.
two() {
    mkdir -p fake
    cat >fake/abdb-run-two <<'B'
#!/bin/bash
kernel() { echo "{\"name\":\"$1\",\"provider\":\"$2\",\"summary\":\"s\",\"formula\":\"f@1\",\"parameters\":\"n\"${TWO_NAMES-,\"names\":[\"n\",\"dtype\",\"m\"]}}"; }
echo '{"kind":"hello","protocol":1,"backend":"two","summary":"for tests","kernels":['$(kernel k slow),$(kernel lone sole),$(kernel k fast),$(kernel k slow),$(kernel gemm fast),$(kernel gemm slow)']}'
echo '{"kind":"environment","environment":{}}'
echo '{"kind":"device","name":"Fake-1","devices":1,"threads":1,"clock":"CLOCK_MONOTONIC"}'
while [ "$1" != describe ] && read -r line; do
    IFS=$'\t' read -r cell provider n m dtype < <(jq -r '[.cell, .params.provider // "none", .params.n // "1", .params.m // .params.n // "1", .params.dtype // "f32"] | @tsv' <<<"$line")
    echo "{\"kind\":\"begin\",\"cell\":\"$cell\"}"
    [ "$1" = estimate ] && echo "{\"kind\":\"estimate\",\"cell\":\"$cell\",\"ops\":0,\"bytes\":0,\"memory\":0}"
    if [ "$1" = run ]; then
        ms=$n
        [ "$provider" = slow ] && ms=$((2 * n))
        for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
            printf '{"kind":"sample","cell":"%s","seq":%d,"t_s":0.%02d,"time_s":%d.0%02de-6}\n' "$cell" $i $i $ms $((i + RANDOM % 5))
        done
        formula=f@1 ops=8e6 bytes=4000
        case $dtype in f64) s=8 ;; bf16 | f16) s=2 ;; i8) s=1 ;; *) s=4 ;; esac
        [[ $cell != gemm* || $cell == *k=* ]] || formula=gemm@1 ops=$((2 * n * m)) bytes=$((s * (m + n) + (s < 4 ? s + 3 * (s < 2) : s) * m * n)) # abdb counts these again
        echo "{\"kind\":\"result\",\"cell\":\"$cell\",\"formula\":\"$formula\",\"dtype\":\"$dtype\",\"ops\":$ops,\"bytes\":$bytes,\"verified\":\"pass\",\"prepare_s\":0,\"factors\":{\"n\":\"$n\",\"m\":\"$m\",\"k\":\"1\"$TWO_SAYS}}"
    fi
    echo "{\"kind\":\"end\",\"cell\":\"$cell\",\"status\":\"ok\",\"reason\":\"\"}"
done
echo '{"kind":"bye"}'
B
    chmod +x fake/abdb-run-two
    export ABDB_BACKENDS=$dir/fake
}

@test "a cell is measured once for each provider of its kernel, and the result has the provider" {
    two
    run abdb run --list
    fails 0 "providers slow, fast"
    run abdb run --kernel k --axis n=1,2 --backend two,ref --dry-run
    same "$(grep ' k ' <<<"$output")" "$(printf '%s\n' 'ref k n=1' 'ref k n=2' 'two k n=1 provider=slow' 'two k n=1 provider=fast' 'two k n=2 provider=slow' 'two k n=2 provider=fast')"
    run abdb run --kernel k --axis n=1,2 --backend two
    fails 0 "4 cells measured"
    same "$(ask "SELECT cell, provider, round(1e6 * time_s) FROM v_kernel ORDER BY cell")" \
        "$(printf '%s\n' 'two k n=1 provider=fast,fast,1' 'two k n=1 provider=slow,slow,2' 'two k n=2 provider=fast,fast,2' 'two k n=2 provider=slow,slow,4')"
    # one provider: the cell as it was asked; the factor all the same
    abdb run -q --kernel lone --backend two
    same "$(ask "SELECT cell, provider FROM v_kernel WHERE kernel = 'lone'")" "two lone,sole"
    abdb run -q --kernel gemm --axis n=16 --backend ref --quick
    same "$(ask "SELECT cell, provider FROM v_kernel WHERE backend = 'ref'")" "ref gemm n=16,ref"
    # cell by cell in turn, and a run that is taken up again
    abdb run -q --kernel k --axis n=3 --backend two,ref --interleave --repeat 2 --tag turns
    same "$(ask "SELECT count(*), count(DISTINCT cell), sum(status = 'ok') FROM v_run WHERE tag = 'turns'")" "6,6,4"
    run abdb run --kernel k --axis n=3 --backend two,ref --interleave --repeat 2 --tag turns --resume
    fails 0 "0 cells measured"
}

@test "--axis provider= selects one provider; an unknown one is refused" {
    two
    abdb run -q --kernel k --axis n=1 --axis provider=fast --backend two
    same "$(ask "SELECT cell, provider FROM v_kernel")" "two k n=1 provider=fast,fast"
    run abdb run --kernel k --axis provider=fsat --backend two
    fails 2 "k has no provider 'fsat', did you mean 'fast'?"
    run abdb run --kernel gemm --axis n=8 --axis provider=slow --backend ref
    fails 2 "gemm has no provider 'slow'"
    # a backend without it, beside one that has it: a row
    run abdb run --kernel gemm --axis n=8 --axis provider=slow --backend ref,two --quick
    fails 0 "1 cell measured, 1 not implemented"
    same "$(ask "SELECT reason FROM v_run WHERE backend = 'ref'")" "there is no such provider of it"
    # as a line of a plan
    echo 'k n=1 provider=slow,fast' >plan
    run abdb run --plan plan --backend two --dry-run
    same "$(grep -c provider <<<"$output")" 2
    # what a kernel may have at most
    echo 'k a=1 b=1 c=1 d=1 e=1 f=1 g=1 h=1 i=1 j=1 l=1 m=1 n=1 o=1 p=1 q=1' >plan
    TWO_NAMES= run abdb run --plan plan --backend two --dry-run
    fails 6 "more than 16 parameters"
}

@test "a result from another provider than named or requested is a bad answer" {
    two
    TWO_SAYS=',"provider":"slow"' run abdb run --kernel k --axis n=1 --backend two
    fails 5 "1 cell measured, 1 failed"
    same "$(ask "SELECT cell, reason FROM v_run WHERE status <> 'ok'")" \
        "two k n=1 provider=fast,the backend broke the protocol (4.10): it measured provider=slow where fast was asked"
    TWO_SAYS=',"provider":"other"' run abdb run --kernel lone --backend two
    fails 5 "1 failed"
    same "$(ask "SELECT reason FROM v_run WHERE workload = 'lone'")" '"the backend broke the protocol (4.10): it measured provider=other, which its hello does not name"'
}

@test "compare, rank, maps and sweeps keep providers and backends apart" {
    two
    for tag in a b; do abdb run -q --kernel gemm --axis n=1,2 --backend two --tag $tag --repeat 5; done
    # the same on both sides: like meets like, and no process of one counts for the other
    run abdb compare tag=a tag=b -o csv
    same "$(tail -n +2 <<<"$output" | awk -F, '{printf "%.0f %s %.0f %s|", 1e6 * $9, $11, 1e6 * $12, $14}')" "1 5 1 5|2 5 2 5|2 5 2 5|4 5 4 5|"
    run abdb compare tag=a tag=b
    fails 0 "provider=fast"
    fails 0 "(5)"
    [[ "$output" != *"(10)"* ]]
    # one against the other
    run abdb compare tag=a,provider=fast tag=a,provider=slow
    fails 0 "n=1"
    [[ "$output" =~ n=1\ +1\.[0-9]+\ \(5\)\ +2\.[0-9]+\ \(5\) ]]
    run abdb rank --workload gemm --by backend -w n=1,tag=a -o csv
    same "$(awk -F, '/two/ {printf "%s %.0f|", $8, 1e6 * $12}' <<<"$output")" "two/fast 1|two/slow 2|"
    run abdb rank --workload gemm --by backend -w n=1,provider=slow,tag=a -o csv
    fails 0 ",two,1,"
    same "$(abdb query gemm-map --campaign all -o csv 2>/dev/null | tail -n +2 | cut -d, -f1,6-8 | grep -c two,fast)" 2
    same "$(abdb query gemm-map --campaign all --provider slow -o csv 2>/dev/null | tail -n +2 | cut -d, -f6-8)" "$(printf '10,two,slow\n10,two,slow')"
    same "$(abdb query sweep --kernel gemm --x n --by dtype -o csv 2>/dev/null | grep -o 'f32 [a-z]*' | sort | uniq -c | tr -s ' \n' ' ')" " 2 f32 fast 2 f32 slow "
    same "$(abdb query sweep --kernel gemm --x n --by provider -o csv 2>/dev/null | grep -c 'f32\|fast slow')" 0
    # number formats are lines of their own, too; what else differs within a point is said
    abdb run -q --kernel gemm --axis n=1 --axis dtype=f64 --axis m=1,2 --backend two --tag c
    abdb query sweep --kernel gemm --x n --by tag -o csv >s 2>/dev/null
    same "$(grep -c '^1,c f64 ' s)" 2
    same "$(grep -c 'f32' s)" 8
    abdb query sweep --kernel gemm --x n --by tag | grep -q '^2 points are medians of cells that differ in m: --by tells them apart'
    [[ "$(abdb query sweep --kernel gemm --x n --by tag,m)" != *"medians of cells"* ]]
    # another backend beside it
    sed 's/"backend":"two"/"backend":"other"/' fake/abdb-run-two >fake/abdb-run-other
    chmod +x fake/abdb-run-other
    abdb run -q --kernel gemm --axis n=1,2 --backend other --tag a
    run abdb compare tag=a tag=b
    fails 0 "geomean 4 of 4"
    fails 0 "4 of A, 0 of B"
    same "$(abdb query sweep --kernel gemm --x n --by dtype --metric ms -o csv 2>/dev/null | grep -c 'f32 two fast')" 2
}

@test "two backends on both sides are compared each with itself" {
    for tag in a b; do abdb run -q --kernel gemm --axis n=16 --axis dtype=f32 --backend ref,vec --tag $tag --quick --repeat 3; done
    run abdb compare tag=a tag=b
    fails 0 "backend=ref"
    fails 0 "backend=vec"
    # three processes each, less those that a busy machine made unsteady; both backends taken together would be six
    (($(grep -oE '\([0-9]+\)' <<<"$output" | tr -d '()' | sort -n | tail -1) <= 3))
}

@test "--search mamf searches each provider separately" {
    two
    run abdb run --search mamf --backend two --budget 1
    fails 0 "two/slow f32:"
    fails 0 "two/fast f32:"
    same "$(ask "SELECT count(DISTINCT provider) FROM v_kernel")" 2
    run abdb run --search mamf --backend two --budget 1 --axis provider=fast --axis dtype=f32
    fails 0 "two/fast f32:"
    run abdb run --search mamf --backend two --axis n=4
    fails 2 "finds m, n and k itself"
}

@test "gemm-map shows plain products only, without transposition, addition or epilogue" {
    abdb run -q --quick --threads 1 --backend vec --kernel gemm --axis n=64 --axis dtype=f32 --axis epilogue=none,bias-relu --axis beta=0,1 --axis transpose=nn,tt
    same "$(ask "SELECT count(*) FROM v_kernel WHERE status = 'ok'")" 8
    same "$(abdb query gemm-map -o csv 2>/dev/null | tail -n +2 | cut -d, -f1-3,6)" "64,64,64,1"
}
