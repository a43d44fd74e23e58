-- title: Data-parallel training by ranks, as measured here
-- question: how training scales over ranks: the same batch (strong) or the same of each rank (weak), own runs
-- group: What was measured here?
-- site: Measured here
-- param: campaign | text | all | runs of one command of abdb run, latest, or all; their bases may be of others
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
-- @table wanted
SELECT :campaign AS campaign WHERE :campaign NOT IN ('latest', 'all')
UNION SELECT (SELECT c.campaign FROM v_campaign c WHERE EXISTS (SELECT 1 FROM v_kernel k WHERE k.campaign = c.campaign AND k.kernel = 'gpt-train')
               ORDER BY c.date DESC, c.campaign LIMIT 1) WHERE :campaign = 'latest'
UNION SELECT campaign FROM v_campaign WHERE :campaign = 'all'
-- @rows
SELECT b.model || coalesce(' (' || b.slice || ')', '') AS model,
       b.dtype, b.scaling, b.overlap, b.ranks, b.batch, b.tokens_per_s, b.speedup, 100 * b.efficiency AS efficiency_percent,
       100 * b.all_reduce_s / b.whole_s AS all_reduce_percent,
       CASE b.scaling WHEN 'strong' THEN (
         SELECT abs(n.value - o.value) / o.value FROM v_result n JOIN v_result o ON o.entry_id = b.base_entry AND o.metric = 'loss' AND o.x = n.x
          WHERE n.entry_id = b.entry_id AND n.metric = 'loss' ORDER BY n.x DESC LIMIT 1) END AS loss_shift,
       b.device, b.model || coalesce(' (' || b.slice || ')', '') || ' ' || b.dtype || ' ' || b.scaling || CASE b.overlap WHEN 'yes' THEN ', overlapped' ELSE '' END AS _label,
       b.key || ' ' || b.base_key AS _facts
  FROM (SELECT s.model, e.dtype, s.kind AS scaling, s.overlap, s.ranks, s.batch, s.speedup, s.value AS efficiency, s.device, s.key, s.base_key,
               s.entry_id, (SELECT r.entry_id FROM v_stored r WHERE r.result_id = s.base_id) AS base_entry, (SELECT r.total FROM v_rate r WHERE r.result_id = s.result_id) AS tokens_per_s,
               (SELECT m.slice FROM v_kernel m WHERE m.entry_id = s.entry_id) AS slice,
               (SELECT sum(p.time_s) FROM v_span p WHERE p.entry_id = s.entry_id AND p.span = 'all-reduce') AS all_reduce_s,
               (SELECT sum(p.time_s) FROM v_span p WHERE p.entry_id = s.entry_id AND p.within IS NULL) AS whole_s
          FROM v_rank_scaling s JOIN v_run e ON e.entry_id = s.entry_id
         WHERE s.workload = 'gpt-train' AND e.campaign IN (SELECT campaign FROM wanted)) b
 ORDER BY 1, b.dtype, b.scaling, b.overlap, b.base_key, b.ranks, b.key;
