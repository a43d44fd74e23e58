-- title: Training throughput by {factor}: measured here, and published elsewhere
-- question: how training throughput follows sequence length, accumulation, sparsity: own runs beside the published
-- group: What was measured here?
-- site: Measured here
-- param: factor | text | sequence | of own runs: sequence, accumulation, sparsity, micro_batch, layers
-- param: source | text | argonne-llm | published figures of this source | SELECT DISTINCT source FROM v_source ORDER BY 1
-- param: campaign | text | latest | own runs of one command of abdb run, latest, or all
-- column: evidence | who | | measured: here; published: as its source states it, on other machines, with other software
-- column: device | device | cut24 | canonical device
-- column: devices | devices | |
-- column: model | model | | of a slice of its layers: how many of how many
-- column: dtype | dtype | | number format
-- column: setting | setting | g6 | of the factor
-- column: tokens_per_s | tokens/s | g5 | all devices together; empty where the source states a speed-up alone
-- column: of_base | of base | 3 | value / value at the smallest setting of the same line; for a stated speed-up that
-- column: mfu_percent | MFU % | 1 | operations needed / best measured here of the same number format
-- column: hfu_percent | HFU % | 1 | the same of the operations that were done
-- column: source | source | |
-- column: backend | backend | | of own runs
-- hoist: dtype
-- note: lines are shapes, each relative to its own smallest setting, and no ranking: models, layers, software and machines differ; operations needed count causal attention by half, where the sources count all of it
-- @table own
WITH wanted (campaign) AS (
  SELECT :campaign WHERE :campaign NOT IN ('latest', 'all')
  UNION SELECT (SELECT c.campaign FROM v_campaign c WHERE EXISTS (SELECT 1 FROM v_kernel k WHERE k.campaign = c.campaign AND k.kernel = 'gpt-train')
                 ORDER BY c.date DESC, c.campaign LIMIT 1) WHERE :campaign = 'latest'
  UNION SELECT campaign FROM v_campaign WHERE :campaign = 'all')
SELECT k.entry_id, k.device, k.dtype, k.backend, f.num AS setting, k.key,
       (SELECT e.devices FROM v_run e WHERE e.entry_id = k.entry_id) AS devices,
       (SELECT m.text FROM v_run_factor m WHERE m.entry_id = k.entry_id AND m.factor = 'model') AS model,
       CASE WHEN :factor <> 'layers' THEN k.slice END AS slice,
       (SELECT m.text FROM v_run_factor m WHERE m.entry_id = k.entry_id AND m.factor = 'recompute') AS recompute,
       (SELECT r.total FROM v_rate r WHERE r.entry_id = k.entry_id AND r.metric = 'tokens_per_s') AS tokens_per_s,
       (SELECT c.fraction FROM v_stored r JOIN v_ceiling_of c ON c.result_id = r.result_id AND c.basis = 'measured'
         WHERE r.entry_id = k.entry_id AND r.metric = 'flops_per_s') AS mfu,
       (SELECT c.fraction FROM v_stored r JOIN v_ceiling_of c ON c.result_id = r.result_id AND c.basis = 'measured'
         WHERE r.entry_id = k.entry_id AND r.metric = 'hardware_flops_per_s') AS hfu
  FROM v_kernel k JOIN v_run_factor f ON f.entry_id = k.entry_id AND f.factor = :factor AND f.num IS NOT NULL
 WHERE k.campaign IN (SELECT campaign FROM wanted) AND k.kernel = 'gpt-train' AND k.status = 'ok' AND k.verified = 'pass'
-- @table line
SELECT 'measured' AS evidence, o.device, o.devices, o.dtype, o.setting, o.tokens_per_s, 'tokens' AS what, o.key, 'abdb-run' AS source,
       o.model || coalesce(' (' || o.slice || ')', '')
         || CASE WHEN o.recompute = 'yes' THEN ' recomputed' ELSE '' END AS model,
       100 * o.mfu AS mfu_percent, 100 * o.hfu AS hfu_percent, o.backend
  FROM own o
UNION ALL
SELECT 'published', r.device, r.devices, r.dtype, p.num, CASE r.adds WHEN 1 THEN r.total ELSE r.value END, CASE r.adds WHEN 1 THEN 'tokens' ELSE 'speedup' END,
       r.key, r.source, r.model, NULL, NULL, NULL
  FROM v_result r
  JOIN v_run_factor p ON p.entry_id = r.entry_id AND p.num IS NOT NULL
   AND p.factor = CASE :factor WHEN 'sequence' THEN 'sequence_length' WHEN 'accumulation' THEN 'gas' ELSE :factor END
 WHERE r.evidence = 'published' AND (r.adds = 1 OR r.metric = 'speedup')
   AND r.source IN (SELECT source FROM v_source WHERE source = :source)
-- @rows
WITH based AS (
  SELECT l.*, first_value(l.tokens_per_s) OVER w AS base, count(*) OVER (PARTITION BY evidence, source, device, devices, model, dtype, backend, what) AS n
    FROM line l WINDOW w AS (PARTITION BY evidence, source, device, devices, model, dtype, backend, what ORDER BY setting, key))
SELECT evidence, device, devices, model, dtype, setting, CASE WHEN what = 'tokens' THEN tokens_per_s END AS tokens_per_s,
       CASE WHEN what = 'tokens' THEN tokens_per_s / base ELSE tokens_per_s END AS of_base, mfu_percent, hfu_percent, source, backend,
       CASE evidence WHEN 'measured' THEN 'here: ' ELSE '' END || coalesce(device, '') || CASE WHEN devices > 1 THEN ' x' || devices ELSE '' END
         || ' ' || coalesce(model, '') || CASE evidence WHEN 'measured' THEN ' ' || coalesce(dtype, '') || ' ' || backend ELSE '' END AS _label, replace(:factor, '_', ' ') AS _factor, key AS _facts
  FROM based WHERE n > 1 OR what = 'speedup' OR evidence = 'measured'
 ORDER BY evidence, source, model, device, devices, dtype, backend, setting, key;
