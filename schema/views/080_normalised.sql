-- 080_normalised.sql - the formulas of v_formula, each once. scaling_efficiency@1, which is of two results, stands in v_scaling.

-- One result under one formula; where it wants a price, at 1 US dollar for a device and hour. What is known beside a rate
-- is found once, by its number: measured power, energy and time of the same run, and for a roofline the bytes that the run
-- moves in a second (m) against their ceilings (mp, mk).
CREATE VIEW reckoned AS
SELECT a.result_id AS result_id, a.formula_name AS formula, a.power AS power, CAST(nullif(a.basis, '') AS TEXT) AS basis, a.device AS device,
       CASE a.formula_name
         WHEN 'per_device@1' THEN a.each
         WHEN 'per_node@1' THEN CASE WHEN a.adds = 1 AND a.per = 'node' THEN a.value ELSE a.total / a.nodes END
         WHEN 'per_watt@1' THEN a.total / w.value
         WHEN 'per_joule@1' THEN CASE WHEN w.value > 0 THEN a.total / w.value ELSE a.total * t.value / j.value END
         WHEN 'per_dollar@1' THEN 3600 * a.each
         WHEN 'usd_per_million_tokens@1' THEN CASE WHEN a.unit = 'token/s' AND a.each > 0 THEN 1e6 / (3600 * a.each) END
         WHEN 'busbw@1' THEN CASE WHEN a.metric = 'bytes_per_s' AND a.devices > 0 THEN
              a.value * (SELECT c.scale * (a.devices - c.less) / a.devices FROM v_collective c
                          WHERE c.collective = replace(a.raw_workload, '-', '_')) END
         WHEN 'device_hours@1' THEN CASE WHEN a.metric = 'time_to_train_s' THEN a.value / 3600 * a.devices END
         ELSE (SELECT CASE a.formula_name
                WHEN 'hfu@1' THEN x.fraction * (SELECT CASE p.text WHEN 'full' THEN 4.0 / 3 WHEN 'none' THEN 1 END
                     FROM point_factor p WHERE p.point_id = a.point_id AND p.factor = 'recomputation')
                WHEN 'roofline_fraction@1' THEN -- rate / min(peak, intensity x bandwidth) is the larger of both fractions
                     (SELECT CASE WHEN x.fraction > y.bytes THEN x.fraction ELSE y.bytes END
                        FROM (SELECT m.value * a.each / nullif(a.value, 0) / nullif(CASE a.basis WHEN 'published' THEN mp.value WHEN 'measured' THEN
                                mk.value / (SELECT coalesce(nullif(e.devices, 0), 1) FROM entry e WHERE e.entry_id = mk.entry_id) END, 0) AS bytes) y
                       WHERE y.bytes > 0)
                ELSE x.fraction END
                 FROM (SELECT a.floor / nullif(a.ceiling, 0) AS fraction) x) END AS value,
       CAST(CASE a.formula_name WHEN 'per_device@1' THEN a.unit || '/device' WHEN 'per_node@1' THEN a.unit || '/node'
         WHEN 'per_watt@1' THEN a.unit || '/W' WHEN 'per_joule@1' THEN a.work || '/J'
         WHEN 'per_dollar@1' THEN a.work || '/USD' WHEN 'usd_per_million_tokens@1' THEN 'USD/Mtoken'
         WHEN 'busbw@1' THEN 'B/s' WHEN 'device_hours@1' THEN 'h' ELSE '1' END AS TEXT) AS unit,
       CAST(CASE a.formula_name
         WHEN 'per_watt@1' THEN (SELECT 'r-' || substr(e.run, 3) FROM entry e WHERE e.entry_id = w.entry_id) || '-' || w.ordinal
         WHEN 'per_joule@1' THEN CASE WHEN w.value > 0 THEN (SELECT 'r-' || substr(e.run, 3) FROM entry e WHERE e.entry_id = w.entry_id) || '-' || w.ordinal
                                      ELSE 'r-' || substr(a.run, 3) || '-' || j.ordinal || ' r-' || substr(a.run, 3) || '-' || t.ordinal END
         WHEN 'roofline_fraction@1' THEN a.ceiling_key || ' ' ||
              CASE a.basis WHEN 'published' THEN (SELECT s.key FROM spec_stated s WHERE s.spec_id = mp.spec_id)
                           ELSE (SELECT 'r-' || substr(e.run, 3) || '-' || mk.ordinal FROM entry e WHERE e.entry_id = mk.entry_id) END
         ELSE a.ceiling_key END AS TEXT) AS facts,
       a.entry_id AS entry_id, a.ordinal AS ordinal
  FROM against a
  LEFT JOIN result_row w
    ON w.result_id = CASE WHEN a.formula_name IN ('per_watt@1', 'per_joule@1') THEN (
       SELECT coalesce((
              SELECT o.result_id FROM result o WHERE o.entry_id = a.entry_id AND o.metric = 'power_w' AND o.value > 0
               ORDER BY CASE o.statistic WHEN 'mean' THEN 0 WHEN 'value' THEN 1 ELSE 2 END, o.ordinal LIMIT 1),
              CASE WHEN a.evidence = 'mlperf' THEN ( -- of another statement of the same result
              SELECT o.result_id FROM subject m JOIN subject t ON t.subject = m.subject JOIN result_row r ON r.result_id = t.result_id
                JOIN result o ON o.entry_id = r.entry_id JOIN entry e ON e.entry_id = r.entry_id
               WHERE m.result_id = a.result_id AND o.metric = 'power_w' AND o.value > 0
               ORDER BY e.run, o.ordinal LIMIT 1) END)) END
  LEFT JOIN result_row j
    ON j.result_id = CASE WHEN a.formula_name = 'per_joule@1' THEN (
       SELECT o.result_id FROM result o WHERE o.entry_id = a.entry_id AND o.metric = 'energy_j' AND o.value > 0
        ORDER BY CASE o.statistic WHEN 'mean' THEN 0 WHEN 'value' THEN 1 ELSE 2 END, o.ordinal LIMIT 1) END
  LEFT JOIN result_row t
    ON t.result_id = CASE WHEN j.value > 0 THEN (
       SELECT o.result_id FROM result o
        WHERE o.entry_id = a.entry_id AND o.metric = 'time_s' AND o.statistic IN ('median', 'value', 'mean')
        ORDER BY CASE o.statistic WHEN 'median' THEN 0 WHEN 'value' THEN 1 ELSE 2 END, o.ordinal LIMIT 1) END
  LEFT JOIN result_row m
    ON m.result_id = CASE WHEN a.formula_name = 'roofline_fraction@1' AND a.medium = 'memory' AND a.quantity IN ('peak_flops', 'peak_ops') THEN (
       SELECT o.result_id FROM result o WHERE o.entry_id = a.entry_id AND o.metric = 'bytes_per_s' AND o.value > 0
        ORDER BY o.ordinal LIMIT 1) END
  LEFT JOIN spec mp
    ON mp.spec_id = CASE WHEN m.value > 0 AND a.basis = 'published' THEN (
       SELECT q.spec_id
         FROM (SELECT o.spec_id, o.preference, CASE WHEN o.source = a.source AND o.guess = 0 THEN 0 ELSE 1 END AS other
                 FROM v_peak o WHERE o.device = a.device AND o.quantity = 'memory_bandwidth') q
        ORDER BY q.other, q.preference LIMIT 1) END
  LEFT JOIN result_row mk
    ON mk.result_id = CASE WHEN m.value > 0 AND a.basis = 'measured' THEN (
       SELECT c.result_id FROM ceiling_spelt c WHERE c.device = a.device AND c.quantity = 'memory_bandwidth'
        ORDER BY c.value DESC, c.entry_key LIMIT 1) END;

-- One result under one formula that wants a price, at 1 US dollar for a device and hour: at a price of one's own it is
-- at_one x price where power is 1, at_one / price where it is -1.
CREATE VIEW v_at_price AS
SELECT k.result_id AS result_id, k.formula AS formula,
       CAST(k.value AS DOUBLE PRECISION) AS at_one, k.power AS power, k.unit AS unit, k.device AS device,
       k.entry_id AS entry_id, k.ordinal AS ordinal
  FROM reckoned k
 WHERE k.power <> 0 AND k.value IS NOT NULL;

-- One result under one formula. facts: keys of the numbers beside the result's own. A formula that wants a price has a row
-- for every price of its device; v_price_offer tells until when each counts.
-- (Outer joins and CASE, not UNION ALL: SQLite brings no condition into the parts of a union that a query counts or averages.)
CREATE VIEW v_normalised AS
SELECT n.result_id AS result_id, n.formula AS formula,
       CAST(n.value AS DOUBLE PRECISION) AS value, n.unit AS unit, n.basis AS basis, n.provider AS provider,
       n.price_kind AS price_kind, n.price_date AS price_date,
       CAST(CASE n.power WHEN 0 THEN n.facts ELSE (SELECT o.key FROM price_stated o WHERE o.price_id = n.price_id) END AS TEXT) AS facts,
       n.entry_id AS entry_id, n.ordinal AS ordinal, n.price_id AS price_id,
       (SELECT o.valid_to FROM v_price_offer o WHERE o.price_id = n.price_id) AS price_valid_to
  FROM (SELECT k.result_id, k.formula, k.unit, k.basis, k.facts, k.entry_id, k.ordinal, k.power, p.price_id, p.provider,
               p.kind AS price_kind, p.valid_from AS price_date,
               k.value * CASE k.power WHEN 1 THEN (SELECT o.per_device_hour FROM v_price_offer o WHERE o.price_id = p.price_id) ELSE 1 END
                 / CASE k.power WHEN -1 THEN (SELECT o.per_device_hour FROM v_price_offer o WHERE o.price_id = p.price_id) ELSE 1 END
                 AS value
          FROM reckoned k
          LEFT JOIN single_device d ON k.power <> 0 AND d.device = k.device
          LEFT JOIN price p ON p.device = d.spelling) n
 WHERE n.value IS NOT NULL;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_at_price', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_at_price', 2, 'formula', '', 'name@version'),
('v_at_price', 3, 'at_one', 'unit', 'its value at 1 USD for a device and hour'),
('v_at_price', 4, 'power', '', '1: multiply by the price; -1: divide by it'),
('v_at_price', 5, 'unit', '', 'unit of the value'),
('v_at_price', 6, 'device', '', 'canonical device'),
('v_at_price', 7, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_at_price', 8, 'ordinal', '', 'place of the result in the run'),
('v_normalised', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_normalised', 2, 'formula', '', 'name@version (v_formula)'),
('v_normalised', 3, 'value', 'unit', 'derived by abdb, also from results that have marks (v_result)'),
('v_normalised', 4, 'unit', '', 'unit of the value'),
('v_normalised', 5, 'basis', '', 'ceiling of a fraction: published, measured or clock; choose one: of its own measured ceiling a result is 1'),
('v_normalised', 6, 'provider', '', 'of a value that has a price: who asks it'),
('v_normalised', 7, 'price_kind', '', 'on-demand, reserved, spot'),
('v_normalised', 8, 'price_date', '', 'date of the price'),
('v_normalised', 9, 'facts', '', 'printed keys of the numbers beside the result''s own'),
('v_normalised', 10, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_normalised', 11, 'ordinal', '', 'place of the result in the run'),
('v_normalised', 12, 'price_id', '', 'number of the price in this file (v_price_offer)'),
('v_normalised', 13, 'price_valid_to', '', 'date of the next price of the same provider and kind; NULL: this is the latest');
