-- title: Generation of text by {factor}: measured here, and published elsewhere
-- question: how generation of text follows batch and lengths: own runs beside the published
-- group: What was measured here?
-- site: Measured here
-- param: factor | text | batch | of own runs: batch, input_tokens, output_tokens, concurrency, rate, layers
-- param: source | text | kaist-gaudi2 | published figures of this source | SELECT DISTINCT source FROM v_source ORDER BY 1
-- param: campaign | text | latest | own runs of one command of abdb run, latest, or all
-- param: usd_per_hour | number | | what an hour of one device costs you: for dollars per million tokens, of whole models
-- column: evidence | who | | measured: here; published: as its source states it, on other machines, with other software
-- column: device | device | cut24 | canonical device
-- column: devices | devices | |
-- column: model | model | | of a slice of its layers: how many of how many
-- column: dtype | dtype | | number format; of weights where they have another
-- column: shape | other factors | | what tells lines apart
-- column: setting | setting | g6 | of the factor
-- column: tokens_per_s | tokens/s | g5 | that were made, all devices together; empty where the source states a ratio alone
-- column: ttft_ms | TTFT ms | g4 | to the first token, median
-- column: tpot_ms | TPOT ms | g4 | for each after it, median
-- column: mbu_percent | MBU % | 1 | of decode: bytes needed / bandwidth of reading the same weights in the same process
-- column: mfu_percent | MFU % | 1 | of prefill: operations needed / best measured here of the same number format
-- column: ratio | ratio | 2 | where the source states one, in the words of `what`
-- column: what | what | | metric of that ratio, its statistic, and to what it is
-- column: source | source | |
-- column: backend | backend | | of own runs
-- column: usd_per_million | USD/Mtoken | g4 | tokens that were made, one load after another; not of a slice
-- column: tokens_per_joule | tokens/J | g4 | where the machine counts its energy; not of a slice
-- hoist: source
-- note: published figures are evidence of another kind, and no ranking: models, layers, lengths, software and machines differ
-- @table own
WITH wanted (campaign) AS (
  SELECT :campaign WHERE :campaign NOT IN ('latest', 'all')
  UNION SELECT (SELECT c.campaign FROM v_campaign c WHERE EXISTS (SELECT 1 FROM v_kernel k WHERE k.campaign = c.campaign AND k.kernel IN ('llama-generate', 'llama-serve'))
                 ORDER BY c.date DESC, c.campaign LIMIT 1) WHERE :campaign = 'latest'
  UNION SELECT campaign FROM v_campaign WHERE :campaign = 'all')
SELECT k.entry_id, k.device, k.backend, k.dtype, k.kernel, f.num AS setting, k.key,
       (SELECT e.devices FROM v_run e WHERE e.entry_id = k.entry_id) AS devices,
       (SELECT m.text FROM v_run_factor m WHERE m.entry_id = k.entry_id AND m.factor = 'model') AS model,
       (SELECT m.text FROM v_run_factor m WHERE m.entry_id = k.entry_id AND m.factor = 'weights') AS weights,
       k.slice,
       (SELECT group_concat(o.text || CASE o.factor WHEN 'input_tokens' THEN ' in' WHEN 'output_tokens' THEN ' out' WHEN 'rate' THEN '/s' ELSE ' ' || o.factor END, ', ')
          FROM (SELECT o.factor, o.text FROM v_run_factor o
                 WHERE o.entry_id = k.entry_id AND o.factor <> :factor
                   AND NOT (:factor = 'batch' AND o.factor = 'concurrency') AND o.factor IN ('batch', 'input_tokens', 'output_tokens', 'layout', 'concurrency', 'rate') ORDER BY o.factor) o) AS shape,
       (SELECT r.total FROM v_rate r WHERE r.entry_id = k.entry_id AND r.metric = 'tokens_per_s') AS tokens_per_s,
       (SELECT r.value FROM v_stored r WHERE r.entry_id = k.entry_id AND r.metric = 'ttft_s' AND r.statistic = 'median') AS ttft_s,
       (SELECT r.value FROM v_stored r WHERE r.entry_id = k.entry_id AND r.metric = 'tpot_s' AND r.statistic = 'median') AS tpot_s,
       (SELECT r.value FROM v_stored r WHERE r.entry_id = k.entry_id AND r.metric = 'mbu') AS mbu,
       (SELECT r.result_id FROM v_stored r WHERE r.entry_id = k.entry_id AND r.metric = 'tokens_per_s') AS tokens_id,
       (SELECT c.fraction FROM v_stored r JOIN v_ceiling_of c ON c.result_id = r.result_id AND c.basis = 'measured'
         WHERE r.entry_id = k.entry_id AND r.metric = 'prefill_flops_per_s') AS mfu
  FROM v_kernel k JOIN v_run_factor f ON f.entry_id = k.entry_id AND f.factor = :factor AND f.num IS NOT NULL
 WHERE k.campaign IN (SELECT campaign FROM wanted) AND k.kernel IN ('llama-generate', 'llama-serve') AND k.status = 'ok' AND k.verified = 'pass'
-- @table line
SELECT 'measured' AS evidence, o.device, o.devices, o.dtype || CASE WHEN o.weights <> 'same' THEN ', weights ' || o.weights ELSE '' END AS dtype,
       o.model || CASE WHEN :factor <> 'layers' THEN coalesce(' (' || o.slice || ')', '') ELSE '' END AS model, o.backend,
       o.shape, o.setting, o.tokens_per_s, 1000 * o.ttft_s AS ttft_ms, 1000 * o.tpot_s AS tpot_ms, 100 * o.mbu AS mbu_percent,
       100 * o.mfu AS mfu_percent, CASE WHEN o.slice IS NULL THEN :usd_per_hour * (SELECT a.at_one FROM v_at_price a
           WHERE a.result_id = o.tokens_id AND a.formula = 'usd_per_million_tokens@1') END AS usd_per_million,
       CASE WHEN o.slice IS NULL THEN (SELECT n.value FROM v_normalised n WHERE n.result_id = o.tokens_id AND n.formula = 'per_joule@1') END AS tokens_per_joule,
       NULL AS ratio, NULL AS what, o.key, 'abdb-run' AS source
  FROM own o
UNION ALL
SELECT 'published', r.device, r.devices, r.dtype, r.model, NULL,
       (SELECT CAST(i.num AS INTEGER) || ' in' FROM v_run_factor i WHERE i.entry_id = r.entry_id AND i.factor = 'input_tokens' AND i.num IS NOT NULL),
       (SELECT p.num FROM v_run_factor p WHERE p.entry_id = r.entry_id AND p.num IS NOT NULL
           AND (p.factor = :factor OR :factor IN ('batch', 'concurrency') AND p.factor IN ('users', 'batch', 'concurrency')) ORDER BY p.factor LIMIT 1),
       CASE WHEN r.metric = 'tokens_per_s' THEN r.total END, CASE WHEN r.metric = 'ttft_s' THEN 1000 * r.value END,
       CASE WHEN r.metric = 'tpot_s' THEN 1000 * r.value END, NULL, NULL, NULL, NULL,
       CASE WHEN r.metric NOT IN ('tokens_per_s', 'ttft_s', 'tpot_s') THEN r.value END,
       CASE WHEN r.metric NOT IN ('tokens_per_s', 'ttft_s', 'tpot_s') THEN replace(r.metric, '_', ' ') || ' (' || r.statistic || ')' ||
         coalesce(' to ' || (SELECT b.text FROM v_run_factor b WHERE b.entry_id = r.entry_id AND b.factor = 'base'), '') END,
       r.key, r.source
  FROM v_result r
 WHERE r.evidence = 'published' AND lower(r.model) LIKE '%llama%'
   AND r.metric IN ('tokens_per_s', 'ttft_s', 'tpot_s', 'speedup', 'power_ratio', 'efficiency_gain', 'efficiency_ratio')
   AND r.source IN (SELECT source FROM v_source WHERE source = :source)
-- @rows
SELECT evidence, device, devices, model, dtype, shape, setting, tokens_per_s, ttft_ms, tpot_ms, mbu_percent, mfu_percent, ratio, what, source, backend, usd_per_million, tokens_per_joule,
       CASE evidence WHEN 'measured' THEN 'here: ' ELSE '' END || coalesce(device, '') || CASE WHEN devices > 1 THEN ' x' || devices ELSE '' END
         || ' ' || coalesce(model, '') || CASE evidence WHEN 'measured' THEN ' ' || coalesce(dtype, '') || ' ' || backend ELSE '' END || coalesce(', ' || shape, '') AS _label,
       replace(:factor, '_', ' ') AS _factor, key AS _facts
  FROM line ORDER BY evidence, source, model, device, devices, dtype, backend, shape, setting, key;
