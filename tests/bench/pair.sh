#!/usr/bin/env bash
# pair.sh - paired timings for run.sh and kernels.sh: wants $pairs and a folder $dir.
# pair NAME A B: A and B print seconds; prints the ratio B/A, over 1 where A is faster.
pair() {
    local name=$1 a=$2 b=$3 i
    for ((i = 0; i < pairs; i++)); do
        if ((i % 2)); then tb=$($b) ta=$($a); else ta=$($a) tb=$($b); fi
        echo "$ta $tb"
    done >"$dir/pairs"
    ratio "$name" <"$dir/pairs"
}
# ratio NAME: the same of pairs that stand on the standard input.
ratio() {
    awk '{ print $2 / $1, $1, $2 }' | sort -g | awk -v name="$1" -v n="$pairs" '
        { r[NR] = $1; a[NR] = $2; b[NR] = $3 }
        END { k = 0; p = exp(-n * log(2)); s = p; while (s <= 0.025 && k < n / 2) { k++; p = p * (n - k + 1) / k; s += p }
              if (k < 1) k = 1
              m = int((n + 1) / 2)
              printf "| %s | %.3g s | %.3g s | %.3f | %.3f to %.3f | %d |\n", name, a[m], b[m], r[m], r[k], r[n + 1 - k], n }'
}
