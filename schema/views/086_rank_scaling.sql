-- 086_rank_scaling.sql - how well a measured rate of tokens scales with the ranks that share the work.

-- One run measured here against the one of fewest ranks of the same work: strong: the same batch over all ranks; weak: the
-- same of each rank. speedup: R_n/R_base; efficiency: speedup / (n/n_base), as v_scaling has it for devices. A run of the fewest ranks
-- is its own base, with 1. Work is the same where device, backend, workload, number format, network (shape, biases, sparsity), layers, sequence,
-- threads of a rank and overlap are; the newest run of the fewest ranks is the base. Ranks may share processors: they are no devices.
CREATE VIEW v_rank_scaling AS
SELECT g.result_id AS result_id, CAST('scaling_efficiency@1' AS TEXT) AS formula,
       CAST(g.value / g.ranks / (g.base_value / g.base_ranks) AS DOUBLE PRECISION) AS value,
       CAST(g.value / g.base_value AS DOUBLE PRECISION) AS speedup, CAST(g.kind AS TEXT) AS kind,
       g.device AS device, g.workload AS workload, g.model AS model, g.batch AS batch, CAST(g.overlap AS TEXT) AS overlap, g.ranks AS ranks,
       CAST(g.base_ranks AS DOUBLE PRECISION) AS base_ranks, CAST(g.base_id AS BIGINT) AS base_id, g.entry_id AS entry_id,
       CAST(g.key AS TEXT) AS key, CAST(g.base_key AS TEXT) AS base_key
  FROM (SELECT s.*, min(s.ranks) OVER p AS least, max(s.ranks) OVER p AS most, first_value(s.ranks) OVER w AS base_ranks,
               first_value(s.value) OVER w AS base_value, first_value(s.result_id) OVER w AS base_id,
               first_value(s.key) OVER w AS base_key
          FROM (SELECT o.*, f.kind, CASE f.kind WHEN 'strong' THEN o.batch ELSE o.batch / o.ranks END AS same
                  FROM (SELECT r.result_id, 'r-' || substr(e.run, 3) || '-' || r.ordinal AS key, e.entry_id, e.campaign, e.device,
                               e.backend, e.workload, e.dtype, e.date, r.total AS value, n.num AS ranks,
                               (SELECT b.num FROM point_factor b WHERE b.point_id = e.point_id AND b.factor = 'batch') AS batch,
                               (SELECT m.text FROM point_factor m WHERE m.point_id = e.point_id AND m.factor = 'model') AS model,
                               (SELECT l.text FROM point_factor l WHERE l.point_id = e.point_id AND l.factor = 'layers') AS layers,
                               (SELECT q.num FROM point_factor q WHERE q.point_id = e.point_id AND q.factor = 'sequence') AS sequence,
                               coalesce((SELECT v.text FROM point_factor v WHERE v.point_id = e.point_id AND v.factor = 'overlap'),
                                        'no') AS overlap,
                               (SELECT coalesce(max(CASE x.factor WHEN 'd' THEN x.text END), '') || ' ' ||
                                       coalesce(max(CASE x.factor WHEN 'heads' THEN x.text END), '') || ' ' ||
                                       coalesce(max(CASE x.factor WHEN 'vocabulary' THEN x.text END), '') || ' ' ||
                                       coalesce(max(CASE x.factor WHEN 'bias' THEN x.text END), '') || ' ' ||
                                       coalesce(max(CASE x.factor WHEN 'recompute' THEN x.text END), '') || ' ' ||
                                       coalesce(max(CASE x.factor WHEN 'sparsity' THEN x.text END), '') || ' ' ||
                                       coalesce(max(CASE x.factor WHEN 'tokens' THEN x.text END), '') || ' ' ||
                                       coalesce(max(CASE x.factor WHEN 'steps' THEN x.text END), '') || ' ' ||
                                       coalesce(max(CASE x.factor WHEN 'threads' THEN x.text END), '')
                                  FROM point_factor x WHERE x.point_id = e.point_id) AS shape
                          FROM v_run e
                          JOIN point_factor n ON n.point_id = e.point_id AND n.factor = 'ranks' AND n.num > 0
                          JOIN v_rate r ON r.entry_id = e.entry_id AND r.metric = 'tokens_per_s' AND r.total > 0
                         WHERE e.evidence = 'measured' AND e.source = 'abdb-run' AND e.status = 'ok' AND e.verified = 'pass') o
                  JOIN (SELECT 'strong' AS kind UNION ALL SELECT 'weak') f ON 1 = 1
                 WHERE o.batch IS NOT NULL) s
        WINDOW p AS (PARTITION BY s.kind, s.device, s.backend, s.workload, s.model, s.layers, s.dtype, s.sequence, s.overlap, s.shape, s.same),
               w AS (PARTITION BY s.kind, s.device, s.backend, s.workload, s.model, s.layers, s.dtype, s.sequence, s.overlap, s.shape, s.same
                     ORDER BY s.ranks, s.date DESC, s.key)) g
 WHERE g.least < g.most;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_rank_scaling', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_rank_scaling', 2, 'formula', '', 'name@version'),
('v_rank_scaling', 3, 'value', '1', 'efficiency; 1: perfect'),
('v_rank_scaling', 4, 'speedup', '1', 'against the base'),
('v_rank_scaling', 5, 'kind', '', 'strong: the same batch over all ranks; weak: the same of each rank'),
('v_rank_scaling', 6, 'device', '', 'canonical device'),
('v_rank_scaling', 7, 'workload', '', 'what was run'),
('v_rank_scaling', 8, 'model', '', 'model'),
('v_rank_scaling', 9, 'batch', '', 'sequences of an update, of all ranks together'),
('v_rank_scaling', 10, 'overlap', '', 'yes: exchanged while others are computed'),
('v_rank_scaling', 11, 'ranks', '', 'ranks that took part'),
('v_rank_scaling', 12, 'base_ranks', '', 'ranks of the base'),
('v_rank_scaling', 13, 'base_id', '', 'number of the result of the base in this file'),
('v_rank_scaling', 14, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_rank_scaling', 15, 'key', '', 'printed key of the result'),
('v_rank_scaling', 16, 'base_key', '', 'printed key of the base');
