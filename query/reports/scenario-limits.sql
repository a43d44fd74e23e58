-- title: Latency limits of MLPerf
-- question: which latency each benchmark and scenario of MLPerf allows, by round
-- group: May it be believed, and compared?
-- param: benchmark | text | | one benchmark, such as llama2-70b; with * and ?, all that fit | SELECT DISTINCT benchmark FROM v_scenario_limit ORDER BY 1
-- param: round | text | | one round | SELECT DISTINCT round FROM v_scenario_limit ORDER BY 1
-- column: benchmark | benchmark | | without its accuracy target
-- column: scenario | scenario | | Server or Interactive
-- column: quantity | quantity | | ttft_s: time to first token; tpot_s: time per output token; latency_s: of a whole query
-- column: percentile | of requests | g4 | in percent, that must keep the limit
-- column: limit_s | limit, s | g4 | the longest that counts
-- column: first_round | from | | first round that is listed with this limit
-- column: last_round | to | | last round that is listed with it
-- column: locator | where | cut60 | place of the rule in the last of these rounds
-- column: source | source | | who sets it
-- hoist: source
SELECT l.benchmark, l.scenario, l.quantity, l.percentile, l.limit_s,
       (SELECT f.round FROM v_scenario_limit f JOIN v_mlperf_round r ON r.suite = f.suite AND r.round = f.round
         WHERE (f.suite, f.benchmark, f.scenario, f.quantity, f.percentile, f.limit_s) = (l.suite, l.benchmark, l.scenario, l.quantity, l.percentile, l.limit_s)
           AND (:round IS NULL OR f.round = :round) ORDER BY r.round_order LIMIT 1) AS first_round,
       l.round AS last_round, l.locator, l.source, printf('l-%s/%s/%s/%s/%s', l.suite, l.round, l.benchmark, l.scenario, l.quantity) AS _facts
  FROM (SELECT v.*, row_number() OVER (PARTITION BY v.suite, v.benchmark, v.scenario, v.quantity, v.percentile, v.limit_s
                                           ORDER BY r.round_order DESC) AS newest
          FROM v_scenario_limit v JOIN v_mlperf_round r ON r.suite = v.suite AND r.round = v.round
         WHERE (:benchmark IS NULL OR v.benchmark GLOB :benchmark) AND (:round IS NULL OR v.round = :round)) l
 WHERE l.newest = 1
 ORDER BY l.benchmark, l.scenario, l.quantity <> 'ttft_s', l.quantity, first_round;
