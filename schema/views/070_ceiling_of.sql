-- 070_ceiling_of.sql - the names of the formulas, rates, and what fraction of a ceiling of its device a result reaches.

-- One formula, with a version: a metric never changes its meaning silently. Sources of the formulas: query/README.md, "How it
-- counts". fraction: the formula of v_ceiling_of that it begins with; power: of the price that it wants (1 grows with
-- it, -1 falls; 0 none).
CREATE VIEW v_formula (formula, fraction, power, meaning) AS
SELECT CAST(c.column1 AS TEXT) AS formula, CAST(c.column2 AS TEXT) AS fraction, CAST(c.column3 AS INTEGER) AS power,
       CAST(c.column4 AS TEXT) AS meaning
  FROM (VALUES ('per_device@1', '', 0, 'rate of one device: total / devices, or as its source states it per device'),
       ('per_node@1', '', 0, 'rate of one node: total / nodes, or as its source states it per node'),
       ('per_watt@1', '', 0, 'total rate / measured power of the same run; never from a TDP'),
       ('per_joule@1', '', 0, 'units / measured energy of the same run: total rate / power, or total rate x time / energy'),
       ('per_dollar@1', '', -1, 'units for a dollar: 3600 x rate of one device / price of a device and hour'),
       ('usd_per_million_tokens@1', '', 1, 'price of a device and hour x 10^6 / (3600 x rate of one device)'),
       ('mfu@1', 'mfu@1', 0, 'model operations / dense peak of that number format, engine and number of cores: what is recomputed does not count'),
       ('hfu@1', 'mfu@1', 0, 'executed operations / peak: full recomputation runs the forward pass twice, 8N for 6N'),
       ('mbu@1', 'mbu@1', 0, 'bytes / memory bandwidth; of decoding weights and key-value cache / time per output token'),
       ('mbu_weights@1', 'mbu_weights@1', 0, 'mbu@1 with the weights alone, where the cache is not known: a lower bound'),
       ('roofline_fraction@1', 'mfu@1', 0, 'rate / min(peak, intensity x bandwidth)'),
       ('busbw@1', '', 0, 'algorithm bandwidth x what a wire carries (v_collective)'),
       ('device_hours@1', '', 0, 'time to train x devices')) c;

-- Each formula once; one that begins with a fraction once for each ceiling that it can be of. (Constants, made once for a
-- query. The formulas and ceilings multiplied, with a condition, are looked through for every result.) unit: the only one that a
-- formula is of; '' any.
CREATE VIEW formula_basis (formula, fraction, power, basis, unit) AS
SELECT CAST(c.column1 AS TEXT) AS formula, CAST(c.column2 AS TEXT) AS fraction, CAST(c.column3 AS INTEGER) AS power,
       CAST(c.column4 AS TEXT) AS basis, CAST(c.column5 AS TEXT) AS unit
  FROM (VALUES ('per_device@1', '', 0, '', ''), ('per_node@1', '', 0, '', ''), ('per_watt@1', '', 0, '', ''), ('per_joule@1', '', 0, '', ''),
       ('per_dollar@1', '', -1, '', ''), ('usd_per_million_tokens@1', '', 1, '', 'token/s'), ('busbw@1', '', 0, '', 'B/s'),
       ('device_hours@1', '', 0, '', 's'),
       ('mfu@1', 'mfu@1', 0, 'published', ''), ('mfu@1', 'mfu@1', 0, 'measured', ''), ('mfu@1', 'mfu@1', 0, 'clock', ''),
       ('hfu@1', 'mfu@1', 0, 'published', ''), ('hfu@1', 'mfu@1', 0, 'measured', ''), ('hfu@1', 'mfu@1', 0, 'clock', ''),
       ('mbu@1', 'mbu@1', 0, 'published', ''), ('mbu@1', 'mbu@1', 0, 'measured', ''), ('mbu@1', 'mbu@1', 0, 'clock', ''),
       ('mbu_weights@1', 'mbu_weights@1', 0, 'published', ''), ('mbu_weights@1', 'mbu_weights@1', 0, 'measured', ''),
       ('mbu_weights@1', 'mbu_weights@1', 0, 'clock', ''),
       ('roofline_fraction@1', 'mfu@1', 0, 'published', ''), ('roofline_fraction@1', 'mfu@1', 0, 'measured', ''),
       ('roofline_fraction@1', 'mfu@1', 0, 'clock', '')) c;

-- One rate that adds over devices; total and each say it over all of them and for one.
CREATE VIEW v_rate AS SELECT * FROM v_result WHERE adds = 1;

-- The engine that a workload runs on, where it is always the same one. A factor `engine` of a result says otherwise.
CREATE VIEW v_engine AS SELECT workload, engine, why FROM workload_engine;

-- The checks of `abdb accept`: what counts as of its kind, and from where on a device is slow.
CREATE VIEW v_accept_check AS
SELECT place, name, suite, workload, measured, pair, same, least_factor, least, others, floor, near, effect, why, source, locator FROM accept_check;

-- Factors that count the cores of a device that took part, and the specification that counts all of them.
CREATE VIEW v_core (factor, quantity) AS
SELECT CAST(c.column1 AS TEXT) AS factor, CAST(c.column2 AS TEXT) AS quantity
  FROM (VALUES ('tpcs', 'tensor_processor_cores'), ('multiprocessors', 'streaming_multiprocessors'), ('cus', 'compute_units')) c;

-- One rate or time per output token, and what it needs of a ceiling of its device per second and device: `floor`, operations
-- or bytes of memory; NULL where it needs none that is known.
-- Training tokens: 6N + 12 L h T operations each (N parameters, L layers of width h, T tokens of a sequence; Chowdhery et al.
-- 2022, PaLM, appendix B), no operation left out for causality.
-- Time per output token: the weights are read once a step, and the cache of every sequence. Sequences: batch, else
-- concurrency, else users; tokens: sequence_length, else the prompt and half of the answer. Where they are not known the
-- weights alone count, a lower bound under another name. A system of MLPerf holds several copies of its model: not counted.
-- share: of the cores of a device, those that took part (v_core). cached_tokens: sequences x tokens, over all devices.
CREATE VIEW floor_of AS
SELECT r.*, CAST(CASE WHEN r.unit IN ('FLOP/s', 'OP/s') THEN coalesce(
         (SELECT p.text FROM point_factor p WHERE p.point_id = r.point_id AND p.factor = 'engine' AND p.text IN ('matrix', 'vector')),
         (SELECT e.engine FROM workload_engine e WHERE e.workload = r.workload)) END AS TEXT) AS engine,
       CAST(CASE WHEN r.unit NOT IN ('FLOP/s', 'OP/s')
                 OR NOT EXISTS (SELECT 1 FROM point_factor p JOIN v_core c ON c.factor = p.factor WHERE p.point_id = r.point_id) THEN 1.0
            ELSE (SELECT p.num / s.value
                    FROM point_factor p JOIN v_core c ON c.factor = p.factor
                    JOIN single_device n ON n.device = r.device
                    JOIN spec_stated s ON s.device = n.spelling AND s.quantity = c.quantity AND s.basis = 'card'
                   WHERE p.point_id = r.point_id ORDER BY s.key LIMIT 1) END AS DOUBLE PRECISION) AS share,
       CAST(CASE WHEN length(r.unit) > 2 THEN substr(r.unit, 1, length(r.unit) - 2) END AS TEXT) AS work,
       CAST(CASE r.unit WHEN 'OP/s' THEN 'peak_ops' WHEN 'B/s' THEN 'memory_bandwidth' WHEN 's' THEN 'memory_bandwidth' ELSE 'peak_flops' END AS TEXT)
         AS quantity,
       CAST(CASE r.unit WHEN 'B/s' THEN 'mbu@1'
                   WHEN 's' THEN CASE WHEN r.cached_tokens * (SELECT b.cache_per_token_B FROM v_model_bytes b
                                                                WHERE b.model = r.model AND b.number_format = r.number_format) IS NULL
                                      THEN 'mbu_weights@1' ELSE 'mbu@1' END
                   ELSE 'mfu@1' END AS TEXT) AS fraction_formula,
       CAST(CASE r.unit
         WHEN 's' THEN CASE WHEN r.evidence <> 'mlperf' AND r.metric = 'tpot_s' THEN
                       (SELECT b.weights_B + coalesce(b.cache_per_token_B * r.cached_tokens, 0) FROM v_model_bytes b
                         WHERE b.model = r.model AND b.number_format = r.number_format) / nullif(r.value, 0) / nullif(r.devices, 0) END
         ELSE r.each * CASE r.unit WHEN 'token/s' THEN CASE r.scenario WHEN 'training' THEN
                         (SELECT 6 * m.parameters + 12.0 * m.layers * m.hidden_size * p.num
                            FROM model m JOIN point_factor p ON p.point_id = r.point_id AND p.factor = 'sequence_length'
                           WHERE m.model = r.model) END
                       WHEN 'B/s' THEN CASE r.medium WHEN 'memory' THEN 1 END
                       WHEN 'FLOP/s' THEN 1 WHEN 'OP/s' THEN 1 END END AS DOUBLE PRECISION) AS floor
  FROM (SELECT t.*,
               (SELECT p.num FROM point_factor p WHERE p.point_id = t.point_id AND p.factor IN ('batch', 'concurrency', 'users')
                   AND p.num IS NOT NULL ORDER BY p.factor LIMIT 1)
                 * coalesce((SELECT p.num FROM point_factor p WHERE p.point_id = t.point_id AND p.factor = 'sequence_length'),
                            (SELECT p.num FROM point_factor p WHERE p.point_id = t.point_id AND p.factor = 'input_tokens')
                            + (SELECT p.num FROM point_factor p WHERE p.point_id = t.point_id AND p.factor = 'output_tokens') / 2)
                 AS cached_tokens
          FROM v_result t) r
 WHERE r.adds = 1 OR r.metric = 'tpot_s' OR r.metric = 'bytes_per_s' OR r.metric = 'time_to_train_s';

-- The same under each formula, and where that begins with a fraction of a ceiling against three: published (by the result's
-- own source, where it states one that is no guess), measured (the best found on this device, if abdb run measured it), clock
-- (published, scaled to the clock that was held, if telemetry says so). What runs on the vector engine has its peaks alone, and
-- what ran on some cores their share of them; how many they were is unknown where the factor is no number.
CREATE VIEW against AS
SELECT f.*, m.formula AS formula_name, m.power AS power, m.basis, p.spec_id AS spec_id, CAST(p.value * f.share AS DOUBLE PRECISION) AS published,
       CAST(CASE m.basis
         WHEN 'published' THEN p.value * f.share
         WHEN 'measured' THEN k.value / (SELECT coalesce(nullif(e.devices, 0), 1) FROM entry e WHERE e.entry_id = k.entry_id)
         WHEN 'clock' THEN CASE WHEN f.quantity <> 'memory_bandwidth' THEN p.value * f.share END
              * (SELECT avg(t.value) FROM telemetry t WHERE t.entry_id = f.entry_id AND t.quantity = 'clock')
              / (SELECT s.value FROM single_device n JOIN spec_stated s ON s.device = n.spelling
                  WHERE n.device = f.device AND s.quantity = 'clock' ORDER BY s.key LIMIT 1) END AS DOUBLE PRECISION) AS ceiling,
       CAST(CASE m.basis
         WHEN '' THEN NULL
         WHEN 'measured' THEN (SELECT 'r-' || substr(e.run, 3) || '-' || k.ordinal FROM entry e WHERE e.entry_id = k.entry_id)
         ELSE (SELECT s.key FROM spec_stated s WHERE s.spec_id = p.spec_id) END AS TEXT) AS ceiling_key
  FROM floor_of f
 CROSS JOIN formula_basis m
  LEFT JOIN spec p
    ON p.spec_id = CASE WHEN m.basis <> '' THEN (
       SELECT q.spec_id
         FROM (SELECT o.spec_id, o.preference, CASE WHEN o.source = f.source AND o.guess = 0 THEN 0 ELSE 1 END AS other
                 FROM v_peak o
                WHERE o.device = f.device AND o.quantity = f.quantity
                  AND (f.quantity = 'memory_bandwidth'
                       OR (o.dtype = f.number_format AND (f.engine IS NULL OR o.engine = f.engine)))) q
        ORDER BY q.other, q.preference LIMIT 1) END
  LEFT JOIN result_row k
    ON k.result_id = CASE WHEN m.basis = 'measured' THEN (
       SELECT c.result_id FROM ceiling_spelt c
        WHERE c.device = f.device AND c.quantity = f.quantity AND (f.quantity = 'memory_bandwidth' OR c.dtype = f.dtype)
        ORDER BY c.value DESC, c.entry_key LIMIT 1) END
 WHERE (m.basis = '' AND (m.unit = '' OR m.unit = f.unit))
    OR (m.fraction = f.fraction_formula
        AND (f.unit IN ('FLOP/s', 'OP/s') OR f.metric = 'tpot_s' OR (f.unit = 'token/s' AND f.scenario = 'training')
             OR (f.unit = 'B/s' AND f.medium = 'memory'))
        AND (m.basis = 'published'
             OR (m.basis = 'measured' AND EXISTS (SELECT 1 FROM single_device n JOIN description d ON d.device = n.spelling
                                                   WHERE n.device = f.device AND d.source = 'abdb-run'))
             OR (m.basis = 'clock' AND EXISTS (SELECT 1 FROM telemetry t WHERE t.entry_id = f.entry_id AND t.quantity = 'clock'))));

-- One result against one ceiling.
CREATE VIEW v_ceiling_of AS
SELECT a.result_id AS result_id, a.entry_id AS entry_id, a.ordinal AS ordinal, a.point_id AS point_id, a.source AS source,
       a.device AS device, a.dtype AS dtype, a.number_format AS number_format, a.basis AS basis, a.quantity AS quantity,
       a.floor AS floor, a.published AS published, (SELECT s.key FROM spec_stated s WHERE s.spec_id = a.spec_id) AS published_key,
       a.ceiling AS ceiling, a.ceiling_key AS ceiling_key, a.formula_name AS formula,
       CAST(a.floor / nullif(a.ceiling, 0) AS DOUBLE PRECISION) AS fraction,
       a.key AS key, a.evidence AS evidence, a.workload AS workload, a.model AS model, a.scenario AS scenario, a.statistic AS statistic,
       a.unit AS unit, a.raw_device AS raw_device
  FROM against a
 WHERE a.formula_name IN ('mfu@1', 'mbu@1', 'mbu_weights@1');

INSERT INTO column_doc (view, place, column_name, unit, meaning)
SELECT 'v_rate', place, column_name, unit, meaning FROM column_doc WHERE view = 'v_result';
INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_formula', 1, 'formula', '', 'name@version'),
('v_formula', 2, 'fraction', '', 'the formula of v_ceiling_of that it begins with, for each basis; else empty'),
('v_formula', 3, 'power', '', 'of the price that it wants: 1 grows with it, -1 falls; 0: it wants none'),
('v_formula', 4, 'meaning', '', 'in words'),
('v_accept_check', 1, 'place', '', 'the first that fits a result counts'),
('v_accept_check', 2, 'name', '', 'as people read it'),
('v_accept_check', 3, 'suite', '', 'suite of the results; NULL: of none'),
('v_accept_check', 4, 'workload', '', 'workload of the results; * stands for anything'),
('v_accept_check', 5, 'measured', '', 'metric of the results'),
('v_accept_check', 6, 'pair', '', 'fields and factors that must be known and equal'),
('v_accept_check', 7, 'same', '', 'fields and factors that must be equal where both are known'),
('v_accept_check', 8, 'least_factor', '', 'factor that must be at least'),
('v_accept_check', 9, 'least', '', 'so much'),
('v_accept_check', 10, 'others', '', 'all; peers: only the devices or nodes of one report are held against one another'),
('v_accept_check', 11, 'floor', '1', 'slow below so much of the lowest value of others, where they are of fewer than five origins'),
('v_accept_check', 12, 'near', '1', 'normal from so much of it on'),
('v_accept_check', 13, 'effect', '1', 'least slowness that counts where the spread is known'),
('v_accept_check', 14, 'why', '', 'reason'),
('v_accept_check', 15, 'source', '', 'who says so'),
('v_accept_check', 16, 'locator', '', 'where'),
('v_engine', 1, 'workload', '', 'workload'),
('v_engine', 2, 'engine', '', 'matrix or vector'),
('v_engine', 3, 'why', '', 'in words'),
('v_core', 1, 'factor', '', 'factor of a result that says how many cores took part'),
('v_core', 2, 'quantity', '', 'specification that counts those of the device'),
('v_ceiling_of', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_ceiling_of', 2, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_ceiling_of', 3, 'ordinal', '', 'place of the result in the run'),
('v_ceiling_of', 4, 'point_id', '', 'number of its set of factors in this file (v_run_factor)'),
('v_ceiling_of', 5, 'source', '', 'who states the result'),
('v_ceiling_of', 6, 'device', '', 'canonical device'),
('v_ceiling_of', 7, 'dtype', '', 'number format'),
('v_ceiling_of', 8, 'number_format', '', 'as specifications spell it'),
('v_ceiling_of', 9, 'basis', '', 'published, measured or clock; choose one: of its own measured ceiling a result is 1'),
('v_ceiling_of', 10, 'quantity', '', 'peak_flops, peak_ops or memory_bandwidth'),
('v_ceiling_of', 11, 'floor', '', 'operations or bytes per second and device that the result stands for'),
('v_ceiling_of', 12, 'published', '', 'the published ceiling'),
('v_ceiling_of', 13, 'published_key', '', 'printed key of that number'),
('v_ceiling_of', 14, 'ceiling', '', 'the most that one device can do'),
('v_ceiling_of', 15, 'ceiling_key', '', 'printed key of that number'),
('v_ceiling_of', 16, 'formula', '', 'name@version of the fraction: mfu, mbu, or mbu_weights where the cache of decoding is not known'),
('v_ceiling_of', 17, 'fraction', '1', 'floor / ceiling'),
('v_ceiling_of', 18, 'key', '', 'printed key of the result'),
('v_ceiling_of', 19, 'evidence', '', 'measured, published or mlperf'),
('v_ceiling_of', 20, 'workload', '', 'what was run'),
('v_ceiling_of', 21, 'model', '', 'canonical model'),
('v_ceiling_of', 22, 'scenario', '', 'of the result'),
('v_ceiling_of', 23, 'statistic', '', 'of the result'),
('v_ceiling_of', 24, 'unit', '', 'of the result'),
('v_ceiling_of', 25, 'raw_device', '', 'device as its source spells it');
