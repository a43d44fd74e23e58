#!/usr/bin/env bats
# findings.bats - titles that say what the rows show: who leads, ties, one alone, what rules refuse; and what a person says instead.
load common

# A figure of one's own over the rows of a SELECT: figure 'SELECT ...' 'lines of its head'
figure() {
    mkdir -p own/figures own/reports
    printf -- '-- title: Plain\n-- param: kind | text | server | x\n%s;\n' "$1" >own/reports/mine.sql
    printf '# title: Plain\n# report: mine\n# ranks: v device\n%s\nplot $data using 0:(column(c_v)) with points notitle\n' "$2" >own/figures/mine.gp
    export ABDB_PATH=$dir/own
}
said() { # the title of the picture in one line
    abdb plot mine --script "$@" | sed -n 's/^heading\[[0-9]*\] = "\(.*\)"/\1/p' | tr '\n' ' ' | sed 's/\xc2\xa0/ /g; s/ $//'
}
rows() { # NAME=VALUE...
    local sql=
    for pair; do sql+="${sql:+ UNION ALL }SELECT '${pair%=*}' AS device, CAST(${pair#*=} AS REAL) AS v"; done
    echo "$sql"
}
head='# finding: {leader} leads at {best} of {count}; {second} is {gap} behind, {rival} {rival_gap}
# finding: {leader} leads at {best} of {count}; {second} is {gap} behind
# finding: {tied} share {best}
# finding: {only} alone has {best}'

@test "a finding names the leader, the second, and the best of another vendor, by highest or lowest value" {
    abdb init >/dev/null
    figure "$(rows B300-SXM=14313 B200-SXM=12954 MI355X=12535)" "$head"
    same "$(said)" "B300-SXM leads at 14.3 thousand of 3; B200-SXM is 9 % behind, MI355X 12 %"
    figure "$(rows B300-SXM=14313 MI355X=12954 B200-SXM=12535)" "$head"
    same "$(said)" "B300-SXM leads at 14.3 thousand of 3; MI355X is 9 % behind"
    figure "$(rows a=1000 b=996)" "$head"
    same "$(said)" "a leads at 1000 of 2; b is under 1 % behind"
    figure "$(rows a=2.5e6 b=1e6 a=9e9)" "$head"
    same "$(said)" "a leads at 9 billion of 2; b is 100 % behind"
    figure "$(rows a=30 b=40)" "$head"
    sed -i 's/# ranks: v device/# ranks: v device low/' own/figures/mine.gp
    same "$(said)" "a leads at 30 of 2; b is 33 % behind"
}

@test "a finding calls equal printed values shared, and a single device no leader; the last resort is the title" {
    abdb init >/dev/null
    figure "$(rows a=14310 b=14309 c=10)" "$head"
    same "$(said)" "a and b share 14.3 thousand"
    figure "$(rows a=2500 b=2500 c=2500)" "$head"
    same "$(said)" "a, b and c share 2500"
    figure "$(rows a=1 b=1 c=1 d=1 e=1 f=1)" "$head"
    same "$(said)" "a, b, c and 3 more share 1"
    figure "$(rows a=7)" "$head"
    same "$(said)" "a alone has 7"
    figure "$(rows a=7 b=6)" '# finding: {leader} of {nothing}'
    same "$(said)" "Plain"
    figure "$(rows a=7 b=6)" '# finding: {min v} to {max v} of {all}, {kind}'
    same "$(said --kind offline)" "6 to 7 of 2, offline"
    figure "$(rows a=14310 b=14309)" '# finding: {min v} to {max v} of {all}'
    same "$(said)" "14.3 thousand of 2"
}

@test "a placeholder of a finding needs one common value in all rows; conditions select the rows" {
    abdb init >/dev/null
    figure "SELECT 'a' AS device, 3.0 AS v, 'x' AS model, 'v1' AS round, '' AS doubt UNION ALL SELECT 'b', 2.0, 'x', 'v2', '' UNION ALL SELECT 'c', 1.0, 'x', 'v2', 'odd'" '# finding: {leader} in {round} of {model}
# finding: {leader} of {model}'
    same "$(said)" "a of x"
    sed -i 's/# ranks: v device/& in round/' own/figures/mine.gp
    same "$(said)" "b in v2 of x"
    sed -i 's/ in round$/ unless doubt/; s/^# finding: {leader} of.*/# finding: {second} behind {leader}/' own/figures/mine.gp
    same "$(said)" "b behind a"
    sed -i 's/ unless doubt$/ of doubt=odd/; s/^# finding: {second}.*/# finding: {only}/' own/figures/mine.gp
    same "$(said)" "c"
    sed -i 's/ of doubt=odd$/ in nothing/' own/figures/mine.gp
    run abdb plot mine
    fails 6 "report mine has no column 'nothing' (# ranks)"
}

@test "a finding claims no order for a pair refused by a rule, and marks unverified results" {
    filled "$root/data"
    key() { ask "SELECT key FROM v_mlperf WHERE public_id = '$1' AND model = '$2' AND scenario = '$3' AND metric = 'tokens_per_s' LIMIT 1"; }
    two() { echo "SELECT 'a' AS device, 3.0 AS v, 'yes' AS verified, '$1' AS _facts UNION ALL SELECT 'b', 2.0, '$3', '$2'"; }
    server=$(key v6.0-0010 llama2-70b-99 Server)
    figure "$(two "$server" "$(key v6.0-0048 llama2-70b-99 Server)" no)" '# finding: {leader} leads; {second} is {gap} behind'
    same "$(said)" "a leads; b (unverified) is 33 % behind"
    figure "$(two "$server" "$(key v6.0-0048 llama2-70b-99 Offline)" yes)" '# finding: {leader} leads; {second} is {gap} behind
# finding: {tied} share it
# finding: {best} is the best'
    same "$(said)" "Plain"
    abdb plot mine --markdown | grep -q "no order is claimed: Results of MLPerf® are compatible only where they come from the same scenario"
    figure "$(two "$server" "" yes)" '# finding: {leader} leads'
    same "$(said)" "Plain" # one of them names no fact: it cannot be asked
}

@test "--title, --subtitle, --devices, --highlight and --size change the figure; wrong values are refused" {
    filled "$root/data"
    llm="mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server"
    abdb plot $llm --title 'My `own` "title"' --subtitle Below --script >s
    grep -q "^heading\[1\] = \"My 'own' 'title'\"" s
    grep -q '^subtitle\[1\] = "Below"' s
    grep -q 'MLPerf® Inference v6.0 Closed, verified by MLCommons' s # whatever is said
    abdb plot $llm --size 560x300 --script | sed -n 's/^caption\[[0-9]*\] = "\(.*\)"$/\1/p' | tr '\n' ' ' >s # narrow or not, what † means is said
    grep -q '† derived by abdb' s
    grep -q '; not an official or verified MLPerf® metric\.' s
    abdb plot $llm --devices 'b200*,Arc-Pro-B60' --script >s # the second is beyond the limit of rows
    grep -q '^rows = 2$' s
    grep -q 'B200-SXM leads llama2-70b-99 Server' s
    abdb plot $llm --highlight 'MI3*' --vendor-colours --script >s
    grep -q '^vendor_colours = 1' s
    same "$(grep -c $'\t0\t"NVIDIA"$' s)" 6
    same "$(grep -c $'\t1\t"AMD"$' s)" 4
    abdb plot mlperf-rounds --highlight H100-PCIe --script | grep -q '^series_name\[1\] = "H100-PCIe"' # it is drawn, then
    for size in card=600,315 slide=800,450 500x300=500,300; do
        abdb plot $llm --size "${size%=*}" --script | grep -q "^if (picture eq \"svg\") .* size ${size#*=} "
    done
    abdb plot peaks --size card --script | grep -q '^caption\[[12]\] = ".*not drawn, [0-9]* more'
    run abdb plot $llm --size card --out c.png
    same "$(python3 -c 'd = open("c.png", "rb").read(); print(int.from_bytes(d[16:20], "big"), int.from_bytes(d[20:24], "big"))')" "1200 630"
    run abdb plot $llm --size 10x10
    fails 2 "--size wants article, slide, card, phone, points"
    run abdb plot $llm --size 99999x300
    fails 2 "--size wants"
    run abdb plot $llm --highlight B30-SXM
    fails 2 "--highlight: nothing that figure mlperf-llm shows is called 'B30-SXM', did you mean 'B300-SXM'?"
    run abdb plot $llm --devices none-such
    fails 2 "--devices: nothing"
    run abdb plot samples --devices H100
    fails 6 "nothing to draw"
    [ "$(abdb plot $llm --script | grep -c '^caption\[')" -le 2 ]
}

@test "a finding on selected devices names their leader, with the leader of all devices below" {
    filled "$root/data"
    said() { abdb plot choose --tier any --today 2026-11-20 --rate 100k/s --model llama2-70b-99 --scenario Server --script "$@" | sed -n 's/^\(heading\|caption\)\[.*\] = "\(.*\)"/\2/p' | paste -sd' '; }
    whole=$(said)
    leader=${whole%% is the cheapest*}
    no grep -q 'whole field' <<<"$whole"
    grep -q "^Of chosen devices: MI355X is the cheapest .* of the whole field: $leader is the cheapest" <<<"$(said --devices MI355X,GB200)"
    grep -q "^Of vendor AMD: MI355X .* of the whole field: $leader is" <<<"$(said --vendor AMD)"
    grep -q "^Of provider OCI: MI355X .* of the whole field: $leader is" <<<"$(said --provider OCI)"
    grep -q "^Of chosen devices, vendor AMD: MI355X alone" <<<"$(said --devices MI355X --vendor AMD)"
    # a title of one's own stays, and who is only lit is not chosen
    grep -q '^Mine ' <<<"$(said --devices MI355X,GB200 --title Mine)"
    grep -q "^$leader is the cheapest" <<<"$(said --highlight MI355X)"
}
