-- title: Latency against throughput of the same run {model}
-- question: latency against throughput of the same run
-- group: Which accelerator is faster?
-- site: Serving
-- param: model | text | | what was run | SELECT model, used FROM model_named ORDER BY 2 DESC, 1
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: latency | text | tpot_s | ttft_s, tpot_s, itl_s, latency_s or time_s
-- param: statistic | text | | of the latency: mean, median, p99, ...
-- param: source | text | | only results of this source
-- param: marks | text | | any: with the results that marks leave out (abdb query "SELECT * FROM v_mark") | SELECT 'any'
-- column: device | device | cut24 | canonical device
-- column: devices | chips | | devices that took part
-- column: model | model | |
-- column: load | load | g4 | users, concurrency or request rate, where the source gives one
-- column: statistic | statistic | | of the latency
-- column: latency_ms | latency ms | 2 | of the metric that was asked for
-- column: throughput | throughput | 1 | in total
-- column: unit | unit | |
-- column: source | source | |
-- column: latency_kind | latency | | TTFT, TPOT, ITL (time to the first token, per output token, between tokens), latency or time
-- hoist: device devices model latency_kind statistic unit source
-- @with
WITH found AS MATERIALIZED ( -- an index of devices, or of sources, leads on; kernels have one latency and no rate of tokens
  SELECT x.entry_id FROM v_stored x
   WHERE :device IS NOT NULL AND x.metric = :latency
     AND x.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND canon = :device)
  UNION
  SELECT x.entry_id
    FROM (SELECT source FROM v_source WHERE source <> 'abdb-run' AND (:source IS NULL OR source = :source)) s
    JOIN v_stored x ON x.source = s.source AND x.metric = :latency
   WHERE :device IS NULL)
-- @rows
SELECT r.device, r.devices, r.model,
       trim(coalesce(r.device, 'device not said') || CASE WHEN r.devices > 1 THEN ' x' || r.devices ELSE '' END || ' ' || coalesce(r.model, '') ||
            coalesce(' ' || (SELECT CAST(p.num AS INTEGER) FROM v_run_factor p WHERE p.entry_id = r.entry_id AND p.factor = 'input_tokens')
                     || ' tokens in', '')) AS _label,
       (SELECT p.num FROM v_run_factor p WHERE p.entry_id = r.entry_id AND p.num IS NOT NULL
           AND p.factor IN ('users', 'concurrency', 'request_rate', 'batch') ORDER BY p.factor DESC LIMIT 1) AS load,
       l.statistic, 1000 * l.value AS latency_ms, r.total AS throughput, r.unit, r.source,
       CASE :latency WHEN 'ttft_s' THEN 'TTFT' WHEN 'tpot_s' THEN 'TPOT' WHEN 'itl_s' THEN 'ITL' WHEN 'time_s' THEN 'time' ELSE 'latency' END AS latency_kind,
       r.key || ' ' || l.key AS _facts
  FROM v_result l JOIN v_rate r ON r.entry_id = l.entry_id AND r.unit IN ('token/s', 'sample/s', 'query/s')
   AND (r.unit = 'token/s' OR NOT EXISTS (SELECT 1 FROM v_stored t WHERE t.entry_id = r.entry_id AND t.unit = 'token/s'))
 WHERE l.metric = :latency AND l.entry_id IN (SELECT entry_id FROM found)
   AND (:model IS NULL OR l.raw_model IN (SELECT spelling FROM v_name WHERE kind = 'model' AND canon = :model))
   AND (:device IS NULL OR l.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND canon = :device))
   AND (:statistic IS NULL OR l.statistic = :statistic)
   AND (:source IS NULL OR l.source = :source)
   AND (:marks = 'any' OR (r.marks = '' AND l.marks = '') OR NOT EXISTS (SELECT 1 FROM v_mark_out x WHERE ' ' || r.marks || ' ' || l.marks || ' ' LIKE x.pattern))
 ORDER BY r.model, r.device, r.devices, (SELECT p.num FROM v_run_factor p WHERE p.entry_id = r.entry_id AND p.factor = 'input_tokens'),
          _label, l.statistic, load, r.total;
