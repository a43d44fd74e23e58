#!/usr/bin/env bats
# traps.bats - comparisons that tempt, on the shipped data and a few rows of our own: each is refused, normalised or named. The list is
# traps.txt; query/README.md shows a part of it.
load common

lines() { grep -v '^#' "$BATS_TEST_DIRNAME/traps.txt"; }

@test "each trap is refused, normalised or named in the answer" {
    fill_databases_of_traps
    n=0
    while IFS= read -r line; do
        IFS=$'\t' read -r what command code says < <(sed 's/\\|/\x01/g; s/ | /\t/; s/ | /\t/; s/ | /\t/; s/\x01/|/g' <<<"$line")
        run bash -c "abdb $command"
        [ "$status" -eq "$code" ] && [[ $output == *"$says"* ]] || { echo "$what: abdb $command: exit $status, not $code, or no '$says': ${output:0:1500}"; failed=1; }
        n=$((n + 1))
    done < <(lines)
    [ "$n" -ge 85 ]
    [ -z "$failed" ]
}

@test "the traps in query/README.md are in this list, with the same answers" {
    lines | sed 's/\\|/\x01/g' | awk -F' [|] ' '{ print "| " $1 " | " ($3 ? "refused" : "printed") ": " $4 " |" }' | tr '\001' '|' >want
    sed -n '/^### Traps/,/^## /{ s/\\|/|/g; /^| .*: .* |$/p }' "$root/query/README.md" >shown
    [ "$(wc -l <shown)" -ge 18 ]
    run grep -vxFf want shown
    fails 1 ""
}
