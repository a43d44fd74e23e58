-- title: Data-parallel training by ranks, as measured here
-- question: how training scales over ranks: the same batch (strong) or the same of each rank (weak), own runs
-- group: What was measured here?
-- site: Measured here
-- param: campaign | text | all | own runs of one command of abdb run, latest, or all
-- column: model | model | | of a slice of its layers: how many of how many
-- column: dtype | dtype | | number format
-- column: scaling | scaling | | strong: the same batch; weak: the same of each rank
-- column: overlap | overlap | | gradients are added up while others are made
-- column: ranks | ranks | |
-- column: batch | batch | | sequences of an update, of all ranks
-- column: tokens_per_s | tokens/s | g5 | all ranks together, the slowest one's time
-- column: speedup | speedup | 2 | tokens/s / those of the fewest ranks
-- column: efficiency_percent | efficiency % | 1 | speedup over the growth in ranks | scaling_efficiency@1 x 100
-- column: all_reduce_percent | all-reduce % | 1 | share of the time that rank 0 spent in it
-- column: loss_shift | loss differs | g2 | of the last loss that both tell, relative to that of the fewest ranks; weak: other tokens, none
-- column: device | device | cut24 | canonical device
-- note: ranks that share processors or memory do not scale as those of their own do: v_run_factor says of each binding and oversubscribed
-- @table own
WITH wanted (campaign) AS (
  SELECT :campaign WHERE :campaign NOT IN ('latest', 'all')
  UNION SELECT (SELECT c.campaign FROM v_campaign c WHERE EXISTS (SELECT 1 FROM v_kernel k WHERE k.campaign = c.campaign AND k.kernel = 'gpt-train')
                 ORDER BY c.date DESC, c.campaign LIMIT 1) WHERE :campaign = 'latest'
  UNION SELECT campaign FROM v_campaign WHERE :campaign = 'all')
SELECT k.entry_id, k.device, k.dtype, k.key, k.date, f.num AS ranks,
       (SELECT m.text FROM v_run_factor m WHERE m.entry_id = k.entry_id AND m.factor = 'model') AS model,
       (SELECT m.text FROM v_run_factor m WHERE m.entry_id = k.entry_id AND m.factor = 'layers') AS layers,
       (SELECT m.text FROM v_run_factor m WHERE m.entry_id = k.entry_id AND m.factor = 'layers_of') AS layers_of,
       (SELECT m.num FROM v_run_factor m WHERE m.entry_id = k.entry_id AND m.factor = 'sequence') AS sequence,
       (SELECT m.num FROM v_run_factor m WHERE m.entry_id = k.entry_id AND m.factor = 'batch') AS batch,
       coalesce((SELECT m.text FROM v_run_factor m WHERE m.entry_id = k.entry_id AND m.factor = 'overlap'), 'no') AS overlap,
       (SELECT r.value FROM v_stored r WHERE r.entry_id = k.entry_id AND r.metric = 'tokens_per_s') AS tokens_per_s,
       (SELECT sum(s.time_s) FROM v_span s WHERE s.entry_id = k.entry_id AND s.span = 'all-reduce') AS all_reduce_s,
       (SELECT sum(s.time_s) FROM v_span s WHERE s.entry_id = k.entry_id AND s.within IS NULL) AS whole_s
  FROM v_kernel k JOIN v_run_factor f ON f.entry_id = k.entry_id AND f.factor = 'ranks' AND f.num IS NOT NULL
 WHERE k.campaign IN (SELECT campaign FROM wanted) AND k.kernel = 'gpt-train' AND k.status = 'ok' AND k.verified = 'pass'
-- @table line
SELECT o.*, 'strong' AS scaling, o.batch AS same FROM own o
UNION ALL
SELECT o.*, 'weak', o.batch / o.ranks FROM own o
-- @table based
SELECT l.*, first_value(l.ranks) OVER w AS base_ranks, first_value(l.tokens_per_s) OVER w AS base, first_value(l.entry_id) OVER w AS base_id,
       min(l.ranks) OVER p AS least, max(l.ranks) OVER p AS most
  FROM line l
WINDOW p AS (PARTITION BY scaling, device, model, layers, dtype, sequence, overlap, same),
       w AS (PARTITION BY scaling, device, model, layers, dtype, sequence, overlap, same ORDER BY ranks, date DESC, key)
-- @rows
SELECT b.model || CASE WHEN b.layers <> b.layers_of THEN ' (' || b.layers || ' of ' || b.layers_of || ' layers)' ELSE '' END AS model,
       b.dtype, b.scaling, b.overlap, b.ranks, b.batch, b.tokens_per_s, b.tokens_per_s / b.base AS speedup,
       100 * (b.tokens_per_s / b.ranks) / (b.base / b.base_ranks) AS efficiency_percent, 100 * b.all_reduce_s / b.whole_s AS all_reduce_percent,
       CASE b.scaling WHEN 'strong' THEN (
         SELECT abs(n.value - o.value) / o.value FROM v_result n JOIN v_result o ON o.entry_id = b.base_id AND o.metric = 'loss' AND o.x = n.x
          WHERE n.entry_id = b.entry_id AND n.metric = 'loss' ORDER BY n.x DESC LIMIT 1) END AS loss_shift,
       b.device, b.model || ' ' || b.dtype || ' ' || b.scaling || CASE b.overlap WHEN 'yes' THEN ', overlapped' ELSE '' END AS _label, b.key AS _facts
  FROM based b
 WHERE b.least < b.most
 ORDER BY b.model, b.dtype, b.scaling, b.same, b.overlap, b.ranks, b.key;
