#!/usr/bin/env bats
# names.bats - names, tags and patterns of a command line: line breaks, control characters, 127 KiB.
load common

@test "each option with a name refuses an invalid name before any file is opened" {
    free=' TEXT SELECTION FILE DIR FOLDER PATH URL WORDS QUOTES OPTION ' # what may have line breaks
    checked=0
    while read -r _ verb rest; do
        option=$(grep -oE -- '--[a-z-]+' <<<"$rest" | head -1)
        kind=${rest#*"$option"}
        kind=${kind# }
        case $kind in [a-z]*' '*) continue ;; esac # a sentence of a help text
        [ -n "$kind" ] && [[ $free != *" $kind "* ]] || continue
        name=
        case $verb in query) name=kernels ;; audit) name=claims ;; plot) name=peaks ;; esac
        n=0 # two or three of the seven, others for each option; THOROUGH: all
        for bad in $'a\nb' $'a\eb' $'a\rb' $'a\x7fb' $'a\u0085b' $'a\u2028b' $'a\u202eb'; do
            case $verb in report*) continue 2 ;; esac
            n=$((n + 1))
            thorough || [ $(((n + checked) % 3)) = 0 ] || continue
            run abdb "$verb" $name "$option" "$bad=x"
            fails 2 "$option has a line break or another control character"
        done
        run abdb "$verb" $name "$option" $'\xff=x'
        fails 2 "is not UTF-8"
        checked=$((checked + 1))
    done < <(grep '^option ' "$root/tests/golden/promises.txt")
    [ "$checked" -gt 80 ]
    [ ! -e t.db ]
}

@test "--command NAME and words of a plan are checked as names; the words of a command are not" {
    run abdb run --command $'na\nme=true'
    fails 2 "--command has a line break"
    run abdb run --command $'name=sh -c "true\ntrue"' --repeat 1
    fails 0 "1 cell measured"
    printf 'gemm n=8 note=a\eb\n' >odd.plan
    run abdb run --plan ./odd.plan -n
    fails 2 "control character"
    printf 'ge\emm n=8\n' >odd.plan
    run abdb run --plan ./odd.plan -n
    fails 2 "control character"
}

@test "every verb refuses names and patterns of 127 KiB as a mistake in the command" {
    filled "$fixtures/checker.csv" "$fixtures/results.csv" "$fixtures/specs.csv"
    n=0 # each command with x, each pattern with every unit, a third of the other pairs; THOROUGH: all
    for unit in x '*' '[' '?' "'" '*a' '[a'; do
        n=$((n + 1))
        for size in 130000 15900; do
            long=$(python3 -c 'import sys; print((sys.argv[1] * int(sys.argv[2]))[:int(sys.argv[2])])' "$unit" $size)
            k=0
            while read -r -a words; do
                k=$((k + 1))
                thorough || [ "$unit" = x ] || [[ ${words[*]} == *~LONG* ]] || [ $(((n + k) % 3)) = 0 ] || continue
                run timeout 60 abdb "${words[@]/LONG/$long}"
                case $size:$status:${words[0]} in 130000:2:* | 15900:[0-2]:* | 15900:6:verify) ;; *) echo "$unit $size: exit $status: ${words[*]}: ${output:0:200}"; false ;; esac
                [ "${#output}" -lt 200000 ] || [ "$status" -eq 0 ]
            done <<'V'
compare LONG y
compare x LONG
compare a b --where device~LONG
rank --where device~LONG
rank --where device=LONG
rank --workload LONG
choose --where device=LONG
export device~LONG
export device=LONG
explain LONG
audit LONG
plot LONG
withdraw LONG --reason r
verify LONG --format LONG
run --plan LONG
run --kernel LONG
run --backend LONG
help LONG
V
        done
    done
    run abdb run --command "$(printf %04097d 0)=true"
    fails 2 "--command has 4097 bytes"
}

@test "command-line words longer than any name or number are refused, never truncated" {
    run abdb run --kernel gemm --backend "$(printf 'v%.0s' {1..90})" -n
    fails 2 "$(printf 'v%.0s' {1..90})"
    filled "$root"/data/*.csv "$root/data/results" "$root/data/rules"
    zeros=$(printf '0%.0s' {1..70})
    run abdb choose --model llama2-70b-99 --scenario Server --rate "1$zeros"
    fails 2 "1$zeros"
    run abdb choose --rate "0.$zeros$zeros"1 --model llama2-70b-99 --scenario Server
    [ "$status" = 2 ]
    run abdb choose --time-to-train "1${zeros}min"
    fails 2 "a time to train"
}
