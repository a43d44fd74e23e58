#!/usr/bin/env bats
# text.bats - text by Llama-like networks: generated and served, what is told of it, what is refused, beside the published.
load common

# The answer to cells, one JSON object each, into $dir/records: lines of "CELL STATUS REASON".
cells() {
    printf '%s\n' "$@" | "$build/abdb-run-vec" run 2>"$dir/errors" >"$dir/records"
    jq -r 'select(.kind == "end") | [.cell, .status, .reason] | join(" ")' "$dir/records"
}
cell() { # NAME KERNEL key=value...
    local name=$1 kernel=$2
    shift 2
    printf '%s\n' "$@" | jq -cRn --arg n "$name" --arg k "$kernel" '[inputs | split("=") | {(.[0]): .[1]}] | add | {cell: $n, kernel: $k, quick: true, params: (. + {threads: "1"})}'
}
told() { # CELL METRIC STATISTIC
    jq -r --arg c "$1" --arg m "$2" --arg s "$3" 'select(.kind == "metric" and .cell == $c and .metric == $m and .statistic == $s).value' "$dir/records"
}

near() { # A B: equal but for rounding
    jq -en "($1) / ($2) - 1 | fabs < 1e-9" >/dev/null || { echo "$1 is not $2"; return 1; }
}

@test "text: generation is verified, and its times add up" {
    run cells "$(cell a llama-generate model=tiny batch=3 input_tokens=20 output_tokens=9)" "$(cell b llama-generate model=tiny weights=i4 layout=table block=8 output_tokens=1)"
    same "$output" $'a ok \nb ok '
    same "$(jq -r 'select(.kind == "result").verified' "$dir/records")" $'pass\npass'
    # 3 times 9 tokens in the time of a repetition; the first and eight more make about that time
    time=$(jq -s '[.[] | select(.kind == "sample" and .cell == "a").time_s] | sort | (.[(length - 1) / 2 | floor] + .[length / 2 | floor]) / 2' "$dir/records")
    near "$(told a tokens_per_s median)" "27 / $time"
    jq -en "($(told a ttft_s median) + 8 * $(told a tpot_s median)) / $time | . > 0.2 and . < 5"
    near "$(told a decode_tokens_per_s median)" "3 / $(told a tpot_s median)"
    near "$(told a mbu median)" "$(told a decode_bytes_per_s median) / $(told a read_bytes_per_s median)"
    jq -en "$(told a itl_s median) <= $(told a itl_s p99) and $(told a ttft_s median) <= $(told a ttft_s p99)"
    # one token each: nothing comes after it
    same "$(told b tpot_s median)$(told b mbu median)" ""
    # parts within phases, which are all that there is; what is not said is told
    same "$(jq -r 'select(.kind == "span" and .cell == "a" and (.within | not)).name' "$dir/records")" $'prefill\ndecode'
    same "$(jq -r 'select(.kind == "span" and .cell == "a" and .within == "decode" and .name == "mlp products").calls' "$dir/records")" 32
    same "$(jq -sr '[.[] | select(.kind == "span" and .cell == "a")] | ([.[] | select(.kernel).time_s] | add) <= ([.[] | select(.within | not).time_s] | add)' "$dir/records")" true
    same "$(jq -r 'select(.kind == "result" and .cell == "a").factors | [.layers, .layers_of, .weights, .layout] | join(" ")' "$dir/records")" "2 2 same contiguous"
}

@test "text: a cell too large for the memory is refused with the needed size; wrong parameters are named" {
    run cells "$(cell a llama-generate model=llama-3.1-70b)" "$(cell b llama-serve model=llama-2-70b weights=i8 batch=4096 input_tokens=8192)" "$(cell c llama-serve model=tiny rate=3)" \
        "$(cell d llama-serve model=tiny block=8 cache_blocks=2)" "$(cell e llama-generate model=tiny dtype=f64)" "$(cell f llama-generate model=llama-9)"
    [[ ${lines[0]} =~ ^a\ out-of-memory\ it\ needs\ 26[0-9]\.[0-9]+\ GiB\ of\ memory,\ and ]]
    [[ ${lines[1]} =~ ^b\ out-of-memory ]]
    same "${lines[2]}" "c failed rate is requests a second, above 0, and goes with arrivals=poisson"
    same "${lines[3]}" "d failed the longest request takes 25 blocks of 8 tokens"
    same "${lines[4]}" "e not-implemented backend vec lacks: parts of networks but in f32 and bf16"
    [[ ${lines[5]} == "f failed "*model* ]]
}

@test "text: serving by users and by arrivals counts waiting, and goodput within the limits" {
    run cells "$(cell a llama-serve model=tiny batch=4 concurrency=8 requests=12 input_tokens=10 output_tokens=6 block=8)" \
        "$(cell b llama-serve model=tiny arrivals=poisson rate=100 requests=6 input_tokens=10 output_tokens=6 lengths=lognormal layout=table block=8)"
    same "$output" $'a ok \nb ok '
    same "$(jq -r 'select(.kind == "result").verified' "$dir/records")" $'pass\npass'
    near "$(told a tokens_per_s median)" "6 * $(told a requests_per_s median)"
    jq -en "$(told a requests_in_flight median) > 2 and $(told a requests_in_flight median) <= 4"
    # eight users, four places: who waits has a later first token than who does not
    jq -en "$(told a ttft_s p90) > $(told a tpot_s median)"
    for c in a b; do jq -en "$(told $c goodput_interactive_requests_per_s median) <= $(told $c goodput_requests_per_s median) and $(told $c goodput_requests_per_s median) <= 1.0001 * $(told $c requests_per_s median)"; done
    # six arrivals at 100 a second: what is waited for is a part of its own
    same "$(jq -r 'select(.kind == "span" and .cell == "b" and .name == "waiting").kernel' "$dir/records")" none
    same "$(jq -r 'select(.kind == "result" and .cell == "a").factors | [.arrivals, .limits, .lengths, .concurrency] | join(" ")' "$dir/records")" "closed llama-3.1-8b fixed 8"
}

@test "text: own runs are listed beside published ones, sliced models apart, with latency and throughput" {
    filled "$root/data"
    abdb run -q --quick --threads 1 --backend vec --kernel llama-generate --axis model=tiny --axis layers=1,2 --axis batch=1,2 --axis input_tokens=8 --axis output_tokens=4
    abdb query generation-beside -o jsonl >beside
    same "$(jq -sr '[.[] | select(.evidence == "measured").model] | sort | unique | join(", ")' beside)" "tiny, tiny (1 of 2 layers)"
    same "$(jq -sr '[.[] | select(.evidence == "published" and .model == "Llama-3.1-8B" and .what == "speedup (mean) to A100")] | map(.ratio, .tokens_per_s) | map(tostring) | join(" ")' beside)" "1.47 null"
    same "$(jq -sr 'map(.evidence) | . == sort' beside)" true
    abdb run -q --quick --threads 1 --backend vec --kernel llama-serve --axis model=tiny --axis batch=1,2 --axis requests=3 --axis input_tokens=8 --axis output_tokens=4
    abdb query serving-curve -o jsonl >curve
    same "$(jq -sr 'map([.layout, .load, .limits] | join(" ")) | join(", ")' curve)" "list 1 llama-3.1-8b, list 2 llama-3.1-8b"
    same "$(jq -sr 'all(.[]; .latency_ms >= .tpot_ms and .good_percent <= 100.1)' curve)" true
}

@test "workloads: a sliced model is marked in every report, backends apart, and unnamed models are filled in" {
    abdb run -q --quick --backend vec,ref --kernel gpt-train --axis model=tiny --axis layers=1,2 --axis sequence=8,16
    same "$(abdb query training-beside -o jsonl 2>/dev/null | jq -r 'select(.evidence == "measured") | "\(.model), \(.backend)"' | sort | uniq -c | awk '{ $1 = $1 } 1')" "2 tiny (1 of 2 layers), ref
2 tiny (1 of 2 layers), vec
2 tiny, ref
2 tiny, vec"
    # each line begins with its own smallest setting
    same "$(abdb query training-beside -o jsonl 2>/dev/null | jq -r 'select(.evidence == "measured" and .setting == 8) | .of_base' | sort -u)" 1
    for report in breakdown loss kernels samples "sweep --kernel gpt-train --x sequence --by model --metric ms"; do
        # shellcheck disable=SC2086 # words
        same "$(abdb query $report -o csv 2>/dev/null | grep -c '(1 of 2 layers)' | sed 's/^[1-9].*/some/')" some
    done
    # unless it is what is drawn
    same "$(abdb query sweep --kernel gpt-train --x layers --by model,sequence --metric ms -o jsonl 2>/dev/null | jq -r 'select(.series | startswith("tiny 8 vec")) | "\(.x) \(.series)"')" "1 tiny 8 vec
2 tiny 8 vec"
    abdb run -q --quick --backend ref --kernel gpt-train --axis d=16 --axis heads=1 --axis layers=1 --axis vocabulary=16 --axis sequence=8
    abdb run -q --quick --backend ref --kernel dlrm --axis rows=10 --axis tables=1 --axis lookups=1 --axis batch=1
    same "$(ask "SELECT k.kernel, f.text, k.slice FROM v_kernel k JOIN v_run_factor f ON f.entry_id = k.entry_id AND f.factor = 'model' WHERE k.cell NOT LIKE '%tiny%' ORDER BY 1")" \
        'dlrm,rm1,"1 of 10 lookups, 10 of 1000000 rows, 1 of 10 tables"
gpt-train,gpt2-small,"16 of 768 d, 1 of 12 heads, 1 of 12 layers, 16 of 50257 vocabulary"'
    run abdb query recommend-beside
    fails 0 "rm1 (1 of 10 lookups, 10 of 1000000 rows, 1 of 10 tables)"
    # a load is twice as many requests as it has users
    abdb run -q --quick --backend vec --kernel llama-serve --axis model=tiny --axis layers=1 --axis input_tokens=4 --axis output_tokens=2 --axis batch=64
    same "$(ask "SELECT r.value FROM v_result r WHERE r.metric = 'requests_in_flight'" | cut -d. -f1)" 64
    run abdb query serving-curve
    fails 0 "model tiny (1 of 2 layers)"
    # dollars, of what is whole
    abdb run -q --quick --backend vec --kernel llama-generate --axis model=tiny --axis layers=1,2 --axis input_tokens=4 --axis output_tokens=3
    same "$(abdb query generation-beside --usd-per-hour 0.5 -o jsonl 2>/dev/null | jq -c 'select(.evidence == "measured") |
        [.model, if .usd_per_million then (.usd_per_million * .tokens_per_s * 3600 / 500000 * 1000 | round) else null end]')" '["tiny",1000]
["tiny (1 of 2 layers)",null]'
}

@test "workloads: a file of fewer than two tokens is refused" {
    for bytes in 0 2; do
        head -c $bytes /dev/zero >few.bin
        rm -f "$ABDB_DB"
        ABDB_TOKENS=$dir/few.bin abdb run -q --quick --backend ref --kernel gpt-train --axis model=tiny --axis tokens=file || [ $? = 5 ]
        same "$(ask "SELECT status, replace(reason, '$dir', '.') FROM v_run")" "failed,./few.bin: $((bytes / 2)) tokens: one to start from and one that follows it are the least"
    done
}
