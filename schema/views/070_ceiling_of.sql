-- 070_ceiling_of.sql - rates, what decoding reads, and what fraction of a ceiling of its device a result reaches.

-- One rate that adds over devices; total and each say it over all of them and for one.
CREATE VIEW v_rate AS
SELECT r.*, coalesce((SELECT f.number_format FROM v_number_format f WHERE f.dtype = r.dtype), r.dtype) AS number_format
  FROM v_result r
 WHERE r.adds = 1;

-- One time per output token, and the bytes that a step of decoding reads: the weights once, and the key-value cache of
-- every sequence. Sequences: batch, else concurrency, else users; tokens: sequence_length, else prompt and half the answer.
-- A system of MLPerf holds several copies of its model, so that it is not known which devices read them.
CREATE VIEW v_decode AS
SELECT r.result_id AS result_id, r.value AS step_s, r.devices AS devices, d.size_B * m.parameters_active AS weights_B,
       2.0 * m.layers * m.kv_heads * (m.hidden_size / m.heads) * d.size_B
         * (SELECT p.num FROM point_factor p WHERE p.point_id = r.point_id AND p.factor IN ('batch', 'concurrency', 'users')
               AND p.num IS NOT NULL ORDER BY p.factor LIMIT 1)
         * coalesce((SELECT p.num FROM point_factor p WHERE p.point_id = r.point_id AND p.factor = 'sequence_length'),
                    (SELECT p.num FROM point_factor p WHERE p.point_id = r.point_id AND p.factor = 'input_tokens')
                    + (SELECT p.num FROM point_factor p WHERE p.point_id = r.point_id AND p.factor = 'output_tokens') / 2) AS cache_B
  FROM v_result r
  JOIN model m ON m.model = r.model
  JOIN v_number_format d ON d.dtype = r.dtype
 WHERE r.metric = 'tpot_s' AND r.evidence <> 'mlperf' AND r.value > 0 AND r.devices > 0 AND m.parameters_active > 0;

-- What a result needs of a ceiling of its device, per second and device: operations, or bytes of memory.
-- Training tokens: 6N + 12 L h T operations each, no operation left out for causality. Where the cache of decoding is not
-- known, its weights alone count: a lower bound, under another name.
CREATE VIEW floor_of AS
SELECT r.result_id AS result_id, r.entry_id AS entry_id, r.ordinal AS ordinal, r.point_id AS point_id, r.source AS source,
       r.device AS device, r.dtype AS dtype, r.number_format AS number_format,
       CASE r.unit WHEN 'OP/s' THEN 'peak_ops' WHEN 'B/s' THEN 'memory_bandwidth' WHEN 's' THEN 'memory_bandwidth' ELSE 'peak_flops' END
         AS quantity,
       CASE WHEN r.unit IN ('FLOP/s', 'OP/s', 'token/s') THEN 'mfu@1' WHEN r.unit = 'B/s' THEN 'mbu@1'
            WHEN (SELECT d.cache_B FROM v_decode d WHERE d.result_id = r.result_id) IS NULL THEN 'mbu_weights@1' ELSE 'mbu@1' END
         AS formula,
       CASE r.unit
         WHEN 's' THEN (SELECT (d.weights_B + coalesce(d.cache_B, 0)) / d.step_s / d.devices FROM v_decode d WHERE d.result_id = r.result_id)
         WHEN 'token/s' THEN r.each * (SELECT 6 * m.parameters + 12.0 * m.layers * m.hidden_size * p.num
                                         FROM model m JOIN point_factor p ON p.point_id = r.point_id AND p.factor = 'sequence_length'
                                        WHERE m.model = r.model)
         ELSE r.each END AS floor
  FROM (SELECT t.*, coalesce((SELECT f.number_format FROM v_number_format f WHERE f.dtype = t.dtype), t.dtype) AS number_format
          FROM v_result t) r
 WHERE r.metric = 'tpot_s'
    OR (r.unit IN ('FLOP/s', 'OP/s') AND r.adds = 1) OR (r.unit = 'token/s' AND r.scenario = 'training' AND r.adds = 1)
    OR (r.unit = 'B/s' AND r.medium = 'memory' AND r.adds = 1);

-- One result against one ceiling. basis: published (by the result's own source, where it states one), measured (the best
-- found on this device), clock (published, scaled to the clock that was held).
CREATE VIEW v_ceiling_of AS
SELECT w.*, CASE WHEN w.floor / w.ceiling IS NOT NULL THEN w.floor / w.ceiling END AS fraction
  FROM (SELECT u.result_id, u.entry_id, u.ordinal, u.point_id, u.source, u.device, u.dtype, u.number_format, u.basis, u.quantity,
               u.floor, p.value AS published, (SELECT s.key FROM spec_stated s WHERE s.spec_id = p.spec_id) AS published_key,
               CASE u.basis
               WHEN 'published' THEN p.value
               WHEN 'measured' THEN k.value / (SELECT coalesce(nullif(e.devices, 0), 1) FROM entry e WHERE e.entry_id = k.entry_id)
               ELSE CASE WHEN u.quantity <> 'memory_bandwidth' THEN p.value END
                    * (SELECT avg(t.value) FROM telemetry t WHERE t.entry_id = u.entry_id AND t.quantity = 'clock')
                    / (SELECT s.value FROM name n JOIN spec_stated s ON s.device = n.spelling
                        WHERE n.kind = 'device' AND n.canon = u.device AND s.quantity = 'clock' ORDER BY s.key LIMIT 1) END AS ceiling,
               CASE u.basis
               WHEN 'measured' THEN (SELECT 'r-' || substr(e.run, 3) || '-' || k.ordinal FROM entry e WHERE e.entry_id = k.entry_id)
               ELSE (SELECT s.key FROM spec_stated s WHERE s.spec_id = p.spec_id) END AS ceiling_key,
               u.formula
          FROM (SELECT f.*, b.basis FROM floor_of f
                 CROSS JOIN (SELECT 'published' AS basis UNION ALL SELECT 'measured' UNION ALL SELECT 'clock') b) u
          LEFT JOIN spec p ON p.spec_id = (SELECT q.spec_id
                                             FROM (SELECT o.spec_id, o.preference, CASE WHEN o.source = u.source THEN 0 ELSE 1 END AS other
                                                     FROM v_peak o
                                                    WHERE o.device = u.device AND o.quantity = u.quantity
                                                      AND (u.quantity = 'memory_bandwidth' OR o.dtype = u.number_format)) q
                                            ORDER BY q.other, q.preference LIMIT 1)
          LEFT JOIN result_row k ON k.result_id = CASE u.basis WHEN 'measured' THEN (
                                            SELECT c.result_id FROM v_ceiling_cell c
                                             WHERE c.device = u.device AND c.quantity = u.quantity
                                               AND (u.quantity = 'memory_bandwidth' OR c.dtype = u.dtype)
                                             ORDER BY c.value DESC, c.key LIMIT 1) END) w;

INSERT INTO column_doc (view, place, column_name, unit, meaning)
SELECT 'v_rate', place, column_name, unit, meaning FROM column_doc WHERE view = 'v_result';
INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_rate', 70, 'number_format', '', 'dtype as specifications spell it'),
('v_decode', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_decode', 2, 'step_s', 's', 'time per output token'),
('v_decode', 3, 'devices', '', 'devices that took part'),
('v_decode', 4, 'weights_B', 'B', 'bytes of the weights that are used for a token'),
('v_decode', 5, 'cache_B', 'B', 'bytes of the key-value cache of all sequences; NULL: not known'),
('v_ceiling_of', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_ceiling_of', 2, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_ceiling_of', 3, 'ordinal', '', 'place of the result in the run'),
('v_ceiling_of', 4, 'point_id', '', 'number of its set of factors in this file (v_run_factor)'),
('v_ceiling_of', 5, 'source', '', 'who states the result'),
('v_ceiling_of', 6, 'device', '', 'canonical device'),
('v_ceiling_of', 7, 'dtype', '', 'number format'),
('v_ceiling_of', 8, 'number_format', '', 'as specifications spell it'),
('v_ceiling_of', 9, 'basis', '', 'published, measured or clock'),
('v_ceiling_of', 10, 'quantity', '', 'peak_flops, peak_ops or memory_bandwidth'),
('v_ceiling_of', 11, 'floor', '', 'operations or bytes per second and device that the result stands for'),
('v_ceiling_of', 12, 'published', '', 'the published ceiling'),
('v_ceiling_of', 13, 'published_key', '', 'printed key of that number'),
('v_ceiling_of', 14, 'ceiling', '', 'the most that one device can do'),
('v_ceiling_of', 15, 'ceiling_key', '', 'printed key of that number'),
('v_ceiling_of', 16, 'formula', '', 'name@version of the fraction: mfu, mbu, or mbu_weights where the cache of decoding is not known'),
('v_ceiling_of', 17, 'fraction', '1', 'floor / ceiling');
