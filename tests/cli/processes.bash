# processes.bash - processes of one cell, made up: for tests of gates and histories.

# Processes of one cell, as abdb run keeps them: each with samples that spread by NOISE about its own luck.
# processes TAG CAMPAIGN SECONDS COUNT [LUCK [FLAGS [CELL [FACTORS]]]]; repetition i is slowed by WALK to the power i.
processes() {
    told "$@" >p.jsonl
    abdb import -q p.jsonl
}
told() { # as processes: their records, for imports of many
    jq -nc --arg tag "$1" --arg campaign "$2" --argjson time "$3" --argjson count "$4" --argjson luck "${5:-0.002}" --arg flags "${6:-}" \
        --arg cell "${7:-ref gemm n=512}" --argjson factors "${8:-{\}}" --argjson walk "${WALK:-1}" '
        range($count) as $i | ($time * pow($walk; $i) * (1 + $luck * (($i * 37 + ($tag | explode | add) * 7) % 23 / 23 - 0.5))) as $median |
        {record: "entry", origin: null, factor: ({n: "512", clock: "CLOCK_MONOTONIC", bound: "operations"} + $factors),
         field: {evidence: "measured", kind: "run", source: "abdb-run", verified: "pass", workload: ($cell | split(" ")[1]), device: "Box", devices: "1",
                 dtype: "f32", backend: "ref", tag: $tag, campaign: $campaign, flags: $flags,
                 cell: ($cell + if $i > 0 then " #\($i + 1)" else "" end), date: "2026-03-01T00:\($i + 10):00.000Z"},
         process: {campaign: $campaign, backend: "ref", repetition: ($i + 1), start: ($tag | length), started: "2026-03-01T00:\($i + 10):\($tag | explode | add % 50 + 10).000Z"},
         environment: ({compiler: (if $tag == "newcc" then "gcc 14" else "gcc 12" end)} | tojson),
         result: [{metric: "time_s", statistic: "median", value: $median, n: 11,
                   samples: [range(11) | [$median * (1 + (. - 5) * 0.0005), ., -1, null]]}]}'
}
