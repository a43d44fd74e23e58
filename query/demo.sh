#!/usr/bin/env bash
# demo.sh - the main job on real input, into demo/. Called by `make demo`, twice: `demo.sh evidence` imports what abdb ships and answers from
# that, for which the program alone is enough; `demo.sh machine` measures this machine, answers from that, and draws two figures.
set -euo pipefail
build=$(cd "${2:-build}" && pwd)
abdb=$build/abdb
export ABDB_DB=demo/abdb.db
ask() { "$abdb" query "$@" -o csv 2>/dev/null | tail -n +2; }

evidence() {
    rm -rf demo
    mkdir demo
    "$abdb" import -q data
    echo "1 Most LLM throughput per chip, MLPerf® v6.0 llama2-70b-99 Server?"
    ask "SELECT printf('    %s  %.0f tokens/s per chip †  (%s, %d chips, entry %s)', device, value_per_device, submitter, devices, public_id)
           FROM v_mlperf WHERE round = 'v6.0' AND model = 'llama2-70b-99' AND scenario = 'Server' AND division = 'closed'
            AND left_out = '' ORDER BY value_per_device DESC LIMIT 1;" | tr -d '"'
    echo "2 Most training per dollar?"
    ask perf-per-dollar | awk -F, '$7 != "" && !best { best = $7
      printf "    %s  %.4f ExaFLOP/$ at %s USD/h (%s; that price is up to %d days old!)\n", $1, $7, $6, $8, $11; next }
      $7 != "" { printf "      %.2fx %s (%.4f)\n", best / $7, $1, $7 }'
    echo
    echo "  † derived by abdb (result / chips); not an official or verified MLPerf® metric. Footnotes: the table of"
    echo "    abdb query mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server"
    echo "    The MLPerf name and logo are registered and unregistered trademarks of MLCommons Association in the United"
    echo "    States and other countries. All rights reserved. Unauthorized use strictly prohibited. See www.mlcommons.org for more information."
    echo
}

machine() {
    start=$(date +%s)
    echo "measuring this machine, quickly: its ceilings ..."
    "$abdb" run -q --plan ceilings --quick --backend vec --tag ceilings
    echo "  a bit of everything ..."
    "$abdb" run -q --plan quick --quick --backend vec,openblas --tag as-installed
    "$abdb" run -q --plan quick --quick --backend ref --tag reference
    "$abdb" run -q --kernel gemm --axis dtype=f32,f64 --axis n=1024,2048 --quick --core-type auto \
      --backend openblas --tag core-type-auto
    echo "  a small Llama ..."
    "$abdb" run -q --kernel llama-generate --axis model=stories-110m --axis weights=i8 --axis input_tokens=25 --axis output_tokens=25 --quick \
      --backend vec --tag text
    echo
    "$abdb" plot mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server --out demo/mlperf-llm.svg >/dev/null
    "$abdb" plot roofline --out demo/roofline.svg >/dev/null

    echo "3 How near its limit is this machine? (quick, an impression)"
    ask "SELECT printf('    %s  %.0f Gop/s in registers%s', k.dtype, max(k.flops_per_s) / 1e9,
                CASE WHEN k.flags LIKE '%unsteady%' THEN ' (unsteady: the machine was busy meanwhile)' ELSE '' END) FROM v_kernel k
          WHERE k.kernel = 'fma' AND k.verified = 'pass' AND k.tag = 'ceilings' GROUP BY k.dtype ORDER BY max(k.flops_per_s);" | tr -d '"'
    ask "SELECT printf('    %s product  %.0f GFLOP/s by %s%s, %.0f %% of the ceiling', k.dtype, max(k.flops_per_s) / 1e9, k.backend,
                CASE WHEN k.backend <> 'openblas' THEN '' WHEN k.tag = 'core-type-auto'
                     THEN printf(' told to run %s kernels (--core-type auto)', k.chosen) ELSE printf(' as installed (it chose %s)', k.chosen) END,
                100 * max(k.flops_per_s) / c.value)
           FROM v_kernel k JOIN v_ceiling c ON c.device = k.device AND c.quantity = 'peak_flops' AND c.dtype = k.dtype
          WHERE k.kernel = 'gemm' AND k.verified = 'pass' AND k.tag IN ('as-installed', 'core-type-auto') GROUP BY k.dtype, k.backend, k.tag
          ORDER BY k.dtype, max(k.flops_per_s);" | tr -d '"'
    ask "SELECT printf('    %s %s  %.1f GB/s (%s, %s threads), %.0f %% of the best stream', k.kernel, k.operation,
                max(k.bytes_per_s) / 1e9, k.backend, k.threads, 100 * max(k.bytes_per_s) / c.value)
           FROM v_kernel k JOIN v_ceiling c ON c.device = k.device AND c.quantity = 'memory_bandwidth'
          WHERE k.operation = 'triad' AND k.level = 'memory' AND k.verified = 'pass' AND k.tag IN ('ceilings', 'as-installed');" | tr -d '"'
    echo "4 How fast does a small Llama answer here? (llama2.c's 110M, made weights of 8 bits, 25 tokens in, 25 out)"
    ask "SELECT printf('    here, measured: %.0f tokens/s, %.3g ms to the first, %.3g ms each after it; decode at %.0f %% of the read bandwidth',
                max(CASE WHEN v.metric = 'tokens_per_s' THEN v.value END), 1000 * max(CASE WHEN v.metric = 'ttft_s' AND v.statistic = 'median' THEN v.value END),
                1000 * max(CASE WHEN v.metric = 'tpot_s' AND v.statistic = 'median' THEN v.value END), 100 * max(CASE WHEN v.metric = 'mbu' THEN v.value END))
           FROM v_kernel k JOIN v_stored v ON v.entry_id = k.entry_id WHERE k.tag = 'text' AND k.kernel = 'llama-generate' AND k.verified = 'pass'
          GROUP BY k.entry_id;" | tr -d '"'
    ask "SELECT printf('    published, of another model and machine: %s on %s, %s %.2f to %s (%s)', model, device, replace(metric, '_', ' '), value,
                (SELECT f.text FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'base'), source)
           FROM v_result r WHERE evidence = 'published' AND source = 'kaist-gaudi2' AND model = 'Llama-3.1-8B' AND statistic = 'mean'
            AND metric = 'speedup';" | tr -d '"'
    results=$(ask "SELECT count(*) FROM v_result;")
    files=$(ask "SELECT count(*) FROM v_artifact;")
    rejected=$(ask "SELECT count(*) FROM v_reject;")
    took=$(($(date +%s) - start))

    echo
    echo "abdb demo, $((took / 60)) min $((took % 60)) s: $results results, $files files, $rejected rejected (abdb query rejects)"
    echo
    echo "pictures  demo/mlperf-llm.svg  demo/roofline.svg"
    echo "next      export PATH=$build:\$PATH ABDB_DB=demo/abdb.db"
    echo "          abdb query                     what can be asked"
    echo "          abdb query kernels             what was measured here"
    echo "          abdb query specs --vendor AMD  peaks, memory, bandwidth, power, with sources"
    echo "          abdb compare device=H200-SXM device=MI355X --where model=llama2-70b-99,devices=8 --per device"
    echo "          abdb rank --workload llama2-70b-99 --scenario Server --per device --where round=v6.0"
    echo "          abdb compare tag=as-installed tag=core-type-auto"
    echo "          abdb explain perf-per-dollar exaflop_per_usd device=Gaudi2"
    echo "          abdb audit claims              what documents claim, recomputed"
    echo "          make deps, then make           the other backends, SQL extension, man pages"
}

"$1"
