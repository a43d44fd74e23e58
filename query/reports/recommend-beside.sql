-- title: Recommendation by batch and embedding vector: measured here, and published elsewhere
-- question: how inference of recommendation models follows batch and vector size, what each part takes: own runs beside the published
-- group: What was measured here?
-- site: Measured here
-- param: source | text | kaist-gaudi2 | published figures of this source | SELECT DISTINCT source FROM v_source ORDER BY 1
-- param: campaign | text | latest | own runs of one command of abdb run, latest, or all
-- column: evidence | who | | measured: here; published: as its source states it, on other machines, with other software
-- column: device | device | cut24 | canonical device
-- column: model | model | | of tables with fewer rows than the model has: how many of how many
-- column: dtype | dtype | | number format
-- column: bytes | bytes | | of an embedding vector
-- column: batch | batch | | samples of an inference
-- column: samples_per_s | samples/s | g4 | one inference after another
-- column: ms | ms | g4 | of an inference, median
-- column: embeddings_percent | embeddings % | 1 | share of the time: bags of the tables
-- column: mlp_percent | MLPs % | 1 | share of the time: bottom and top MLP
-- column: cross_percent | cross % | 1 | share of the time: cross layers
-- column: stated | stated | | what the source says: a ratio of two devices, of no batch or vector size
-- column: source | source | |
-- column: backend | backend | | of own runs
-- hoist: dtype
-- note: what is published are ratios of two accelerators, averaged over cells whose numbers the source draws and does not print: they stand beside own rates and are not compared with them
-- @table own
WITH wanted (campaign) AS (
  SELECT :campaign WHERE :campaign NOT IN ('latest', 'all')
  UNION SELECT (SELECT c.campaign FROM v_campaign c WHERE EXISTS (SELECT 1 FROM v_kernel k WHERE k.campaign = c.campaign AND k.kernel = 'dlrm')
                 ORDER BY c.date DESC, c.campaign LIMIT 1) WHERE :campaign = 'latest'
  UNION SELECT campaign FROM v_campaign WHERE :campaign = 'all')
SELECT k.entry_id, k.device, k.dtype, k.backend, k.key,
       (SELECT m.text FROM v_run_factor m WHERE m.entry_id = k.entry_id AND m.factor = 'model') AS model,
       (SELECT m.num FROM v_run_factor m WHERE m.entry_id = k.entry_id AND m.factor = 'bytes') AS bytes,
       (SELECT m.num FROM v_run_factor m WHERE m.entry_id = k.entry_id AND m.factor = 'batch') AS batch,
       k.slice,
       (SELECT r.total FROM v_rate r WHERE r.entry_id = k.entry_id AND r.metric = 'samples_per_s') AS samples_per_s,
       (SELECT sum(s.time_s) FROM v_span s WHERE s.entry_id = k.entry_id AND s.within IS NULL) AS whole_s,
       (SELECT sum(s.time_s) FROM v_span s WHERE s.entry_id = k.entry_id AND s.span = 'embeddings') AS embeddings_s,
       (SELECT sum(s.time_s) FROM v_span s WHERE s.entry_id = k.entry_id AND s.span IN ('bottom MLP', 'top MLP')) AS mlp_s,
       (SELECT sum(s.time_s) FROM v_span s WHERE s.entry_id = k.entry_id AND s.span IN ('cross products', 'cross sums')) AS cross_s
  FROM v_kernel k
 WHERE k.campaign IN (SELECT campaign FROM wanted) AND k.kernel = 'dlrm' AND k.status = 'ok' AND k.verified = 'pass'
-- @rows
SELECT 'measured' AS evidence, o.device, o.model || coalesce(' (' || o.slice || ')', '') AS model,
       o.dtype, o.bytes, o.batch, o.samples_per_s, 1000 * o.batch / o.samples_per_s AS ms, 100 * o.embeddings_s / o.whole_s AS embeddings_percent,
       100 * o.mlp_s / o.whole_s AS mlp_percent, 100 * o.cross_s / o.whole_s AS cross_percent, NULL AS stated, 'abdb-run' AS source, o.backend,
       o.model || ' ' || o.dtype || ' ' || CAST(o.bytes AS INTEGER) || '-byte, ' || o.device || coalesce(', ' || o.slice, '') || ', ' || o.backend AS _label, o.key AS _facts
  FROM own o
UNION ALL
SELECT 'published', r.device, r.model, r.dtype, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
       r.metric || ' ' || printf('%.4g', r.value) || ' (' || r.statistic || ')'
         || coalesce(' against ' || (SELECT b.text FROM v_run_factor b WHERE b.entry_id = r.entry_id AND b.factor = 'base'), ''),
       r.source, NULL, NULL, r.key
  FROM v_result r
 WHERE r.evidence = 'published' AND r.workload = 'dlrm' AND r.model LIKE 'RM%' AND r.source IN (SELECT source FROM v_source WHERE source = :source)
 ORDER BY evidence, model, dtype, backend, bytes, batch, stated, _facts;
