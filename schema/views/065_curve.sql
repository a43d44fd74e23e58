-- 065_curve.sql - a serving system under several loads: its throughput and latencies are a curve. Which points belong to one curve
-- is decided by rows `curve` of data/rules/workloads.csv, and by the columns that curve names.

-- The loads of a set of factors, the axis of its curve first: an open loop of requests a second comes before users.
CREATE VIEW curve_load AS
SELECT p.point_id AS point_id, p.factor AS factor, p.num AS load,
       CASE p.factor WHEN 'request_rate' THEN 1 WHEN 'rate' THEN 2 WHEN 'users' THEN 3 WHEN 'concurrency' THEN 4 ELSE 5 END AS place
  FROM point_factor p
 WHERE p.num IS NOT NULL
   AND EXISTS (SELECT 1 FROM workload_factor c WHERE c.workload = 'curve' AND c.factor = p.factor AND c.role = 'load');

-- One point of a curve: the throughput of a serving system under one load, whose run states a latency, too. (Subqueries and no
-- joins: what some results cost must not grow with the file.)
CREATE VIEW v_curve AS
SELECT r.entry_id AS entry_id, r.result_id AS result_id, r.key AS key,
       CAST(r.source || coalesce(', ' || r.device, '') || coalesce(' x' || CAST(r.devices AS TEXT), '') ||
       coalesce(', nodes=' || CAST(r.nodes AS TEXT), '') || coalesce(', ' || r.model, ', ' || r.workload, '') || coalesce(', ' || r.dtype, '') ||
       coalesce(', backend=' || r.backend, '') || coalesce(', submitter=' || r.submitter, '') || coalesce(', system=' || r.system, '') ||
       coalesce(', platform=' || r.platform, '') || coalesce(', round=' || r.round, '') || coalesce(', division=' || r.division, '') ||
       coalesce(', scenario=' || nullif(r.scenario, 'serving'), '') || coalesce(', tag=' || r.tag, '') ||
       coalesce((SELECT ', ' || s.settings FROM curve_setting s WHERE s.entry_id = r.entry_id), '') || ', over ' || r.load_kind ||
       coalesce((SELECT min(', ' || o.factor || '=' || CAST(o.load AS TEXT)) FROM curve_load o WHERE o.point_id = r.point_id AND o.factor <> r.load_kind), '') AS TEXT) AS curve,
       r.load_kind AS load_kind, (SELECT l.load FROM curve_load l WHERE l.point_id = r.point_id AND l.factor = r.load_kind) AS load,
       r.total AS tokens_per_s, r.each AS tokens_per_s_per_device,
       r.evidence AS evidence, r.source AS source, r.device AS device, r.devices AS devices, r.nodes AS nodes, r.model AS model,
       r.workload AS workload, r.dtype AS dtype, r.backend AS backend, r.tag AS tag,
       (SELECT p.num FROM point_factor p WHERE p.point_id = r.point_id AND p.factor = 'input_tokens') AS input_tokens,
       (SELECT p.num FROM point_factor p WHERE p.point_id = r.point_id AND p.factor = 'output_tokens') AS output_tokens,
       r.marks AS marks, r.run AS run, r.ordinal AS ordinal
  FROM (SELECT t.*, (SELECT l.factor FROM curve_load l WHERE l.point_id = t.point_id ORDER BY l.place, l.factor LIMIT 1) AS load_kind
          FROM v_result t) r
 WHERE r.metric = 'tokens_per_s' AND r.rank IS NULL AND r.load_kind IS NOT NULL
   AND EXISTS (SELECT 1 FROM v_stored s WHERE s.entry_id = r.entry_id AND s.metric IN ('ttft_s', 'tpot_s', 'itl_s', 'latency_s'));

-- One latency at a point of a curve. percentile: 50 of a median; NULL: a mean, a least or a largest, which are no percentile.
CREATE VIEW v_curve_latency AS
SELECT s.entry_id AS entry_id, s.result_id AS result_id, s.metric AS metric, s.statistic AS statistic, s.value AS value,
       CAST(CASE WHEN s.statistic = 'median' THEN 50.0 WHEN s.statistic LIKE 'p_%' THEN CAST(substr(s.statistic, 2) AS DOUBLE PRECISION) END AS DOUBLE PRECISION) AS percentile,
       s.ordinal AS ordinal
  FROM v_stored s
 WHERE s.metric IN ('ttft_s', 'tpot_s', 'itl_s', 'latency_s');

-- One value of the quality of a model in a number format. yardstick: what it was measured with, as far as it is known.
CREATE VIEW v_quality AS
SELECT c.result_id AS result_id, c.key AS key, c.benchmark AS base_model, c.model AS model, c.dtype AS dtype, c.metric AS metric,
       c.statistic AS statistic, c.value AS value, c.unit AS unit, c.better AS better,
       CAST(substr(coalesce((SELECT min(', ' || p.text) FROM point_factor p WHERE p.point_id = c.point_id AND p.factor IN ('corpus', 'task')), '') ||
              coalesce((SELECT ', context ' || p.text FROM point_factor p WHERE p.point_id = c.point_id AND p.factor = 'n_ctx'), '') ||
              coalesce((SELECT ', judge ' || p.text FROM point_factor p WHERE p.point_id = c.point_id AND p.factor = 'judge'), ''), 3) AS TEXT) AS yardstick,
       c.evidence AS evidence, c.source AS source, c.entry_id AS entry_id, c.ordinal AS ordinal
  FROM v_comparable c
 WHERE c.metric_class IN ('accuracy', 'perplexity', 'kl_divergence') AND c.dtype IS NOT NULL;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_curve', 1, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_curve', 2, 'result_id', '', 'number of the throughput in this file (v_result)'),
('v_curve', 3, 'key', '', 'printed key of the throughput: the member of the curve'),
('v_curve', 4, 'curve', '', 'what all points of the curve agree in; ~: to two or three digits'),
('v_curve', 5, 'load_kind', '', 'the axis: users, concurrency, requests a second, or sequences at once (batch)'),
('v_curve', 6, 'load', '', 'place on the axis'),
('v_curve', 7, 'tokens_per_s', 'token/s', 'output tokens of all devices'),
('v_curve', 8, 'tokens_per_s_per_device', 'token/s', 'of one device'),
('v_curve', 9, 'evidence', '', 'measured, published or mlperf'),
('v_curve', 10, 'source', '', 'who says it (v_source)'),
('v_curve', 11, 'device', '', 'canonical device'),
('v_curve', 12, 'devices', '', 'devices that took part'),
('v_curve', 13, 'nodes', '', 'nodes'),
('v_curve', 14, 'model', '', 'canonical model'),
('v_curve', 15, 'workload', '', 'what was run'),
('v_curve', 16, 'dtype', '', 'number format'),
('v_curve', 17, 'backend', '', 'program that served'),
('v_curve', 18, 'tag', '', 'name given by the user'),
('v_curve', 19, 'input_tokens', 'token', 'mean length of a prompt'),
('v_curve', 20, 'output_tokens', 'token', 'mean length of an answer'),
('v_curve', 21, 'marks', '', 'judgements on the point (v_mark)'),
('v_curve', 22, 'run', '', 'printed key of the run'),
('v_curve', 23, 'ordinal', '', 'place of the throughput in the run'),
('v_curve_latency', 1, 'entry_id', '', 'number of the run in this file'),
('v_curve_latency', 2, 'result_id', '', 'number of the result in this file (v_result)'),
('v_curve_latency', 3, 'metric', '', 'ttft_s, tpot_s, itl_s or latency_s'),
('v_curve_latency', 4, 'statistic', '', 'as stated: p99, median, mean'),
('v_curve_latency', 5, 'value', 's', 'the latency'),
('v_curve_latency', 6, 'percentile', '', 'of the requests; NULL: a mean, a least or a largest is none'),
('v_curve_latency', 7, 'ordinal', '', 'place in the run'),
('v_quality', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_quality', 2, 'key', '', 'printed key of the result'),
('v_quality', 3, 'base_model', '', 'the model without its number format: benchmark of v_comparable'),
('v_quality', 4, 'model', '', 'canonical model'),
('v_quality', 5, 'dtype', '', 'number format'),
('v_quality', 6, 'metric', '', 'accuracy, perplexity or kl_divergence; accuracy.NAME where a benchmark has several'),
('v_quality', 7, 'statistic', '', 'value, mean'),
('v_quality', 8, 'value', 'unit', 'the quality'),
('v_quality', 9, 'unit', '', 'base unit'),
('v_quality', 10, 'better', '', 'higher or lower'),
('v_quality', 11, 'yardstick', '', 'corpus or task, context and judge, as far as known'),
('v_quality', 12, 'evidence', '', 'measured, published or mlperf'),
('v_quality', 13, 'source', '', 'who says it (v_source)'),
('v_quality', 14, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_quality', 15, 'ordinal', '', 'place in the run');
