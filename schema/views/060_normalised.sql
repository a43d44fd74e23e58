-- 060_normalised.sql - rates divided by what produced them. Plain SQL, no extension. Each formula has a version:
-- a metric never changes its meaning silently. Sources of the formulas: README, "How it counts".

-- One rate with its total over all devices that took part. A source may state it per device (factor `per`).
CREATE VIEW v_rate AS
SELECT r.*,
       CASE WHEN (SELECT p.text FROM point_factor p WHERE p.point_id = r.point_id AND p.factor = 'per') = 'device'
            THEN r.value * coalesce(r.devices, 1) ELSE r.value END AS total,
       CASE WHEN (SELECT p.text FROM point_factor p WHERE p.point_id = r.point_id AND p.factor = 'per') = 'device'
            THEN r.value ELSE r.value / nullif(r.devices, 0) END AS each,
       CASE r.dtype WHEN 'f32' THEN 'fp32' WHEN 'f64' THEN 'fp64' ELSE r.dtype END AS number_format
  FROM v_result r
 WHERE r.better = 'higher' AND r.unit LIKE '%/s';

-- One stated ceiling of a device, dense, per card; `preference` orders those of one quantity, smallest first.
CREATE VIEW v_peak AS
SELECT n.canon AS device, s.quantity AS quantity, s.dtype AS dtype, s.value AS value, s.unit AS unit,
       s.source AS source, printf('s-%016x', s.spec_id) AS spec_id,
       printf('%d %d %03d %s %016x', coalesce(s.engine, '') <> 'matrix', s.power_limit IS NOT NULL,
              coalesce((SELECT q.rank FROM source q WHERE q.source = s.source), 50),
              9999 - CAST(substr(coalesce(s.date, (SELECT q.published FROM source q WHERE q.source = s.source), '0000'),
                                 1, 4) AS INTEGER),
              s.spec_id) AS preference
  FROM name n
  JOIN spec s ON s.device = n.spelling
 WHERE n.kind = 'device' AND n.parts = 1 AND s.basis = 'card' AND coalesce(s.sparsity, 'dense') = 'dense'
   AND s.quantity IN ('peak_flops', 'peak_ops', 'memory_bandwidth')
   AND NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'spec' AND g.id = s.spec_id);

-- One result against one ceiling: `floor` is what it needs of the ceiling's unit per second and device.
-- basis: published (by the result's own source, where it states one), measured (the best found on this device), clock
-- (published, scaled to the clock that was held).
CREATE VIEW v_ceiling_of AS
SELECT w.*,
       CASE w.basis
       WHEN 'published' THEN w.published
       WHEN 'measured' THEN CASE w.quantity -- as v_ceiling has it, but by device
            WHEN 'memory_bandwidth' THEN (SELECT max(k.bytes_per_s) FROM v_kernel k WHERE k.device = w.device
                                             AND k.kernel = 'stream' AND k.level = 'memory' AND k.verified = 'pass')
            ELSE (SELECT max(k.flops_per_s) FROM v_kernel k WHERE k.device = w.device AND k.kernel IN ('gemm', 'fma')
                     AND k.dtype = w.dtype AND k.verified = 'pass') END
       ELSE CASE WHEN w.quantity <> 'memory_bandwidth' THEN w.published END
            * (SELECT avg(t.value) FROM telemetry t WHERE t.entry_id = w.entry_id AND t.quantity = 'clock')
            / (SELECT s.value FROM name n JOIN spec s ON s.device = n.spelling WHERE n.kind = 'device'
                  AND n.canon = w.device AND s.quantity = 'clock' ORDER BY s.spec_id LIMIT 1) END AS ceiling,
       CASE w.basis
       WHEN 'measured' THEN CASE w.quantity
            WHEN 'memory_bandwidth' THEN (SELECT k.result_id FROM v_kernel k WHERE k.device = w.device AND k.kernel = 'stream' AND k.level = 'memory'
                                             AND k.verified = 'pass' ORDER BY k.bytes_per_s DESC LIMIT 1)
            ELSE (SELECT k.result_id FROM v_kernel k WHERE k.device = w.device AND k.kernel IN ('gemm', 'fma') AND k.dtype = w.dtype
                     AND k.verified = 'pass' ORDER BY k.flops_per_s DESC LIMIT 1) END
       ELSE w.published_key END AS ceiling_key
  FROM (SELECT u.*,
               coalesce((SELECT p.value FROM v_peak p WHERE p.device = u.device AND p.quantity = u.quantity
                            AND p.source = u.source AND (u.quantity = 'memory_bandwidth' OR p.dtype = u.number_format)
                          ORDER BY p.preference LIMIT 1),
                        (SELECT p.value FROM v_peak p WHERE p.device = u.device AND p.quantity = u.quantity
                            AND (u.quantity = 'memory_bandwidth' OR p.dtype = u.number_format)
                          ORDER BY p.preference LIMIT 1)) AS published,
               coalesce((SELECT p.spec_id FROM v_peak p WHERE p.device = u.device AND p.quantity = u.quantity
                            AND p.source = u.source AND (u.quantity = 'memory_bandwidth' OR p.dtype = u.number_format)
                          ORDER BY p.preference LIMIT 1),
                        (SELECT p.spec_id FROM v_peak p WHERE p.device = u.device AND p.quantity = u.quantity
                            AND (u.quantity = 'memory_bandwidth' OR p.dtype = u.number_format)
                          ORDER BY p.preference LIMIT 1)) AS published_key
          FROM (SELECT r.result_id, r.entry_id, r.ordinal, r.point_id, r.source, r.device, r.dtype, r.number_format, b.basis,
               CASE r.unit WHEN 'OP/s' THEN 'peak_ops' WHEN 'B/s' THEN 'memory_bandwidth' ELSE 'peak_flops' END AS quantity,
               r.each * CASE r.unit WHEN 'token/s' THEN -- training: 6N + 12 L h T, no operation left out for causality
                 (SELECT 6 * m.parameters + 12.0 * m.layers * m.hidden_size * p.num FROM model m, point_factor p
                   WHERE m.model = r.model AND p.point_id = r.point_id AND p.factor = 'sequence_length')
                 ELSE 1 END AS floor
          FROM v_rate r
          JOIN (SELECT 'published' AS basis UNION ALL SELECT 'measured' UNION ALL SELECT 'clock') b
         WHERE r.unit IN ('FLOP/s', 'OP/s') OR (r.unit = 'token/s' AND r.scenario = 'training')
            OR (r.unit = 'B/s' AND r.metric = 'bytes_per_s' -- of memory, not of wires
                AND r.source NOT IN ('nccl-tests', 'osu-micro-benchmarks')
                AND replace(r.workload, '-', '_') NOT IN ('all_reduce', 'all_gather', 'reduce_scatter', 'all_to_all', 'broadcast', 'reduce'))) u) w;

-- One result under one formula. facts: keys of the numbers beside the result's own.
CREATE VIEW v_normalised AS
SELECT result_id, 'per_device@1' AS formula, each AS value, unit || '/device' AS unit, NULL AS basis, NULL AS provider,
       NULL AS price_kind, NULL AS price_date, NULL AS facts, entry_id, ordinal
  FROM v_rate WHERE each IS NOT NULL
UNION ALL
SELECT result_id, 'per_node@1', total / nodes, unit || '/node', NULL, NULL, NULL, NULL, NULL, entry_id, ordinal
  FROM v_rate WHERE nodes > 0
UNION ALL -- measured power of the same run; units per joule is the same number
SELECT r.result_id, 'per_watt@1', r.total / p.value, r.unit || '/W', NULL, NULL, NULL, NULL,
       printf('r-%016x-%d', (SELECT k.entry_key FROM entry_row k WHERE k.entry_id = p.entry_id), p.ordinal), r.entry_id, r.ordinal
  FROM v_rate r JOIN result p ON p.entry_id = r.entry_id AND p.metric = 'power_w' AND p.value > 0
UNION ALL
SELECT r.result_id, 'per_joule@1', r.total / p.value, replace(r.unit, '/s', '') || '/J', NULL, NULL, NULL, NULL,
       printf('r-%016x-%d', (SELECT k.entry_key FROM entry_row k WHERE k.entry_id = p.entry_id), p.ordinal), r.entry_id, r.ordinal
  FROM v_rate r JOIN result p ON p.entry_id = r.entry_id AND p.metric = 'power_w' AND p.value > 0
UNION ALL
SELECT r.result_id, 'per_joule@1', r.total * t.value / j.value, replace(r.unit, '/s', '') || '/J', NULL, NULL, NULL, NULL,
       printf('r-%016x-%d r-%016x-%d', (SELECT k.entry_key FROM entry_row k WHERE k.entry_id = j.entry_id), j.ordinal, (SELECT k.entry_key FROM entry_row k WHERE k.entry_id = t.entry_id), t.ordinal), r.entry_id, r.ordinal
  FROM v_rate r
  JOIN result j ON j.entry_id = r.entry_id AND j.metric = 'energy_j' AND j.value > 0
  JOIN result t ON t.entry_id = r.entry_id AND t.metric = 'time_s' AND t.statistic IN ('median', 'value', 'mean')
 WHERE NOT EXISTS (SELECT 1 FROM result p WHERE p.entry_id = r.entry_id AND p.metric = 'power_w')
UNION ALL
SELECT r.result_id, 'per_dollar@1', 3600 * r.each / p.per_device_hour, replace(r.unit, '/s', '') || '/USD', NULL,
       p.provider, p.kind, p.valid_from, p.price_id, r.entry_id, r.ordinal
  FROM v_rate r JOIN v_price_used p ON p.device = r.device AND p.per = 'hour' AND p.currency = 'USD' AND p.per_device_hour > 0
 WHERE r.each IS NOT NULL
UNION ALL
SELECT r.result_id, 'usd_per_million_tokens@1', p.per_device_hour * 1e6 / (3600 * r.each), 'USD/Mtoken', NULL,
       p.provider, p.kind, p.valid_from, p.price_id, r.entry_id, r.ordinal
  FROM v_rate r JOIN v_price_used p ON p.device = r.device AND p.per = 'hour' AND p.currency = 'USD'
 WHERE r.unit = 'token/s' AND r.each > 0
UNION ALL -- model operations only: what is recomputed does not count
SELECT result_id, 'mfu@1', floor / ceiling, '1', basis, NULL, NULL, NULL, ceiling_key, entry_id, ordinal
  FROM v_ceiling_of WHERE quantity <> 'memory_bandwidth' AND floor / ceiling IS NOT NULL
UNION ALL -- executed operations: full recomputation runs the forward pass twice, 8N for 6N
SELECT c.result_id, 'hfu@1', c.floor / c.ceiling * CASE p.text WHEN 'full' THEN 4.0 / 3 ELSE 1 END, '1', c.basis, NULL,
       NULL, NULL, c.ceiling_key, c.entry_id, c.ordinal
  FROM v_ceiling_of c JOIN point_factor p ON p.point_id = c.point_id AND p.factor = 'recomputation' AND p.text IN ('none', 'full')
 WHERE c.quantity <> 'memory_bandwidth' AND c.floor / c.ceiling IS NOT NULL
UNION ALL
SELECT result_id, 'mbu@1', floor / ceiling, '1', basis, NULL, NULL, NULL, ceiling_key, entry_id, ordinal
  FROM v_ceiling_of WHERE quantity = 'memory_bandwidth' AND floor / ceiling IS NOT NULL
UNION ALL -- decoding: weights and key-value cache are read once a step
SELECT r.result_id, 'mbu@1', (d.size * m.parameters_active
         + 2.0 * m.layers * m.kv_heads * (m.hidden_size / m.heads) * d.size * b.num * s.num) / r.value
         / (r.devices * (SELECT p.value FROM v_peak p WHERE p.device = r.device AND p.quantity = 'memory_bandwidth'
                          ORDER BY p.preference LIMIT 1)), '1', 'published', NULL, NULL, NULL,
       (SELECT p.spec_id FROM v_peak p WHERE p.device = r.device AND p.quantity = 'memory_bandwidth'
         ORDER BY p.preference LIMIT 1), r.entry_id, r.ordinal
  FROM v_result r
  JOIN model m ON m.model = r.model
  JOIN (SELECT 'fp32' AS dtype, 4.0 AS size UNION ALL SELECT 'bf16', 2 UNION ALL SELECT 'fp16', 2 UNION ALL
        SELECT 'fp8', 1 UNION ALL SELECT 'int8', 1 UNION ALL SELECT 'fp4', 0.5 UNION ALL SELECT 'int4', 0.5) d
    ON d.dtype = r.dtype
  JOIN point_factor b ON b.point_id = r.point_id AND b.factor = 'batch'
  JOIN point_factor s ON s.point_id = r.point_id AND s.factor = 'sequence_length'
 WHERE r.metric = 'tpot_s' AND r.value > 0 AND r.devices > 0 AND m.parameters_active > 0
   AND EXISTS (SELECT 1 FROM v_peak p WHERE p.device = r.device AND p.quantity = 'memory_bandwidth')
UNION ALL -- rate / min(peak, intensity x bandwidth)
SELECT c.result_id, 'roofline_fraction@1', c.floor / min(c.ceiling, c.floor / m.floor * m.ceiling), '1', c.basis, NULL,
       NULL, NULL, c.ceiling_key || ' ' || m.ceiling_key, c.entry_id, c.ordinal
  FROM v_ceiling_of c
  JOIN v_ceiling_of m ON m.entry_id = c.entry_id AND m.basis = c.basis AND m.quantity = 'memory_bandwidth'
 WHERE c.quantity = 'peak_flops' AND m.floor > 0 AND c.floor / c.ceiling IS NOT NULL AND m.ceiling IS NOT NULL
UNION ALL -- algorithm bandwidth x what the wires carry, n ranks
SELECT r.result_id, 'busbw@1', r.value * CASE replace(r.workload, '-', '_')
         WHEN 'all_reduce' THEN 2.0 * (r.devices - 1) / r.devices
         WHEN 'broadcast' THEN 1 WHEN 'reduce' THEN 1 ELSE (r.devices - 1.0) / r.devices END, 'B/s', NULL, NULL, NULL, NULL,
       NULL, r.entry_id, r.ordinal
  FROM v_result r
 WHERE r.metric = 'bytes_per_s' AND r.devices > 0
   AND replace(r.workload, '-', '_') IN ('all_reduce', 'all_gather', 'reduce_scatter', 'all_to_all', 'broadcast', 'reduce');

-- One result of more devices against the one of fewest that its source tells of the same work, with the same factors.
-- throughput: (R_n/n)/(R_base/n_base); strong: T_base n_base/(n T_n); weak: T_base/T_n (factor `scaling`).
-- Submissions of MLPerf are systems of their own and not compared here.
CREATE VIEW v_scaling AS
SELECT result_id, 'scaling_efficiency@1' AS formula,
       CASE kind WHEN 'throughput' THEN value / devices / (base_value / base_devices)
                 WHEN 'strong' THEN base_value * base_devices / (devices * value)
                 ELSE base_value / value END AS value,
       kind, device, workload, model, metric, devices, base_devices, base_id, source, entry_id, ordinal
  FROM (SELECT s.*,
               first_value(s.devices) OVER w AS base_devices, first_value(s.value) OVER w AS base_value,
               first_value(s.result_id) OVER w AS base_id
          FROM (SELECT r.result_id, r.entry_id, r.ordinal, r.source, r.device, r.workload, r.model, r.scenario, r.metric,
                       r.statistic, r.x, r.devices, r.point_id, r.campaign, r.tag, r.dtype,
                       CASE WHEN (SELECT f.text FROM point_factor f WHERE f.point_id = r.point_id AND f.factor = 'per') = 'device'
                            THEN r.value * r.devices ELSE r.value END AS value,
                       CASE WHEN r.unit LIKE '%/s' THEN 'throughput'
                            ELSE (SELECT g.text FROM point_factor g WHERE g.point_id = r.point_id AND g.factor = 'scaling') END AS kind
                  FROM (SELECT e.source, e.device FROM entry e GROUP BY e.source, e.device
                        HAVING min(e.devices) < max(e.devices)) more -- else there is nothing to scale
                 CROSS JOIN v_result r ON r.source = more.source AND r.raw_device = more.device
                 WHERE r.evidence <> 'mlperf' AND r.devices > 0 AND r.value > 0
                   AND ((r.unit LIKE '%/s' AND r.unit <> 'B/s') OR (r.metric = 'time_s' AND EXISTS ( -- a wire's rate does not scale
                        SELECT 1 FROM point_factor g WHERE g.point_id = r.point_id AND g.factor = 'scaling'
                           AND g.text IN ('strong', 'weak'))))) s
        WINDOW w AS (PARTITION BY s.source, s.device, s.workload, s.model, s.scenario, s.metric, s.statistic, s.x,
                                  s.dtype, s.point_id, s.campaign, s.tag, s.kind
                     ORDER BY s.devices, s.result_id)) grown
 WHERE devices > base_devices;

INSERT INTO column_doc (view, place, column, unit, meaning)
SELECT 'v_rate', place, column, unit, meaning FROM column_doc WHERE view = 'v_result';
INSERT INTO column_doc (view, place, column, unit, meaning) VALUES
('v_rate', 59, 'total', 'unit', 'over all devices that took part'),
('v_rate', 60, 'each', 'unit', 'total / devices, or as the source states it per device'),
('v_rate', 61, 'number_format', '', 'dtype as specifications spell it'),
('v_peak', 1, 'device', '', 'canonical device'),
('v_peak', 2, 'quantity', '', 'peak_flops, peak_ops or memory_bandwidth'),
('v_peak', 3, 'dtype', '', 'number format of a peak'),
('v_peak', 4, 'value', 'unit', 'dense, per card'),
('v_peak', 5, 'unit', '', 'base unit'),
('v_peak', 6, 'source', '', 'who says it'),
('v_peak', 7, 'spec_id', '', 'key of the specification'),
('v_peak', 8, 'preference', '', 'smallest first: matrix engine, no power limit, rank of the source, newest'),
('v_ceiling_of', 1, 'result_id', '', 'the result'),
('v_ceiling_of', 2, 'entry_id', '', 'key of the entry'),
('v_ceiling_of', 3, 'ordinal', '', 'place in the entry'),
('v_ceiling_of', 4, 'point_id', '', 'set of factors'),
('v_ceiling_of', 5, 'source', '', 'who states the result'),
('v_ceiling_of', 6, 'device', '', 'canonical device'),
('v_ceiling_of', 7, 'dtype', '', 'number format'),
('v_ceiling_of', 8, 'number_format', '', 'as specifications spell it'),
('v_ceiling_of', 9, 'basis', '', 'published, measured or clock'),
('v_ceiling_of', 10, 'quantity', '', 'peak_flops, peak_ops or memory_bandwidth'),
('v_ceiling_of', 11, 'floor', '', 'operations or bytes per second and device that the result stands for'),
('v_ceiling_of', 12, 'published', '', 'the published ceiling'),
('v_ceiling_of', 13, 'published_key', '', 'key of that number'),
('v_ceiling_of', 14, 'ceiling', '', 'the most that the device can do'),
('v_ceiling_of', 15, 'ceiling_key', '', 'key of that number'),
('v_normalised', 1, 'result_id', '', 'the result'),
('v_normalised', 2, 'formula', '', 'name@version'),
('v_normalised', 3, 'value', 'unit', 'derived by abdb'),
('v_normalised', 4, 'unit', '', 'unit of the value'),
('v_normalised', 5, 'basis', '', 'of a fraction: published, measured or clock'),
('v_normalised', 6, 'provider', '', 'of a value per dollar: who asks the price'),
('v_normalised', 7, 'price_kind', '', 'on-demand, reserved, spot'),
('v_normalised', 8, 'price_date', '', 'date of the price'),
('v_normalised', 9, 'facts', '', 'keys of the numbers beside the result''s own'),
('v_normalised', 10, 'entry_id', '', 'key of the entry'),
('v_normalised', 11, 'ordinal', '', 'place in the entry'),
('v_scaling', 1, 'result_id', '', 'the result of more devices'),
('v_scaling', 2, 'formula', '', 'name@version'),
('v_scaling', 3, 'value', '1', 'efficiency; 1: perfect'),
('v_scaling', 4, 'kind', '', 'throughput, strong or weak'),
('v_scaling', 5, 'device', '', 'canonical device'),
('v_scaling', 6, 'workload', '', 'what was run'),
('v_scaling', 7, 'model', '', 'model'),
('v_scaling', 8, 'metric', '', 'metric'),
('v_scaling', 9, 'devices', '', 'devices that took part'),
('v_scaling', 10, 'base_devices', '', 'devices of the base'),
('v_scaling', 11, 'base_id', '', 'key of the base'),
('v_scaling', 12, 'source', '', 'who states both'),
('v_scaling', 13, 'entry_id', '', 'key of the entry'),
('v_scaling', 14, 'ordinal', '', 'place in the entry');
