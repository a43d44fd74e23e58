-- 080_normalised.sql - the formulas, each once, with a version: a metric never changes its meaning silently. Sources of the
-- formulas: README, "How it counts". scaling_efficiency@1, which is of two results, stands in v_scaling.

-- One formula. based: has a basis, as v_ceiling_of; power: of the price that it wants (1 grows with it, -1 falls; 0 none).
CREATE VIEW v_formula (formula, based, power, meaning) AS
VALUES ('per_device@1', 0, 0, 'rate of one device: total / devices, or as its source states it per device'),
       ('per_node@1', 0, 0, 'rate of one node: total / nodes, or as its source states it per node'),
       ('per_watt@1', 0, 0, 'total rate / measured power of the same run; never from a TDP'),
       ('per_joule@1', 0, 0, 'units / measured energy of the same run: total rate / power, or total rate x time / energy'),
       ('per_dollar@1', 0, -1, 'units for a dollar: 3600 x rate of one device / price of a device and hour'),
       ('usd_per_million_tokens@1', 0, 1, 'price of a device and hour x 10^6 / (3600 x rate of one device)'),
       ('mfu@1', 1, 0, 'model operations / dense peak of that number format: what is recomputed does not count'),
       ('hfu@1', 1, 0, 'executed operations / peak: full recomputation runs the forward pass twice, 8N for 6N'),
       ('mbu@1', 1, 0, 'bytes / memory bandwidth; of decoding weights and key-value cache / time per output token'),
       ('mbu_weights@1', 1, 0, 'mbu@1 with the weights alone, where the cache is not known: a lower bound'),
       ('roofline_fraction@1', 1, 0, 'rate / min(peak, intensity x bandwidth)'),
       ('busbw@1', 0, 0, 'algorithm bandwidth x what a wire carries (v_collective)'),
       ('device_hours@1', 0, 0, 'time to train x devices');

-- One result under one formula; where it wants a price, at 1 US dollar for a device and hour.
CREATE VIEW reckoned AS
SELECT r.result_id AS result_id, f.formula AS formula, f.power AS power, b.basis AS basis, r.device AS device,
       CASE f.formula
         WHEN 'per_device@1' THEN r.each
         WHEN 'per_node@1' THEN CASE WHEN r.adds = 1 AND r.per = 'node' THEN r.value ELSE r.total / r.nodes END
         WHEN 'per_watt@1' THEN r.total / (SELECT p.value FROM result p WHERE p.result_id = r.power_id)
         WHEN 'per_joule@1' THEN coalesce(r.total / (SELECT p.value FROM result p WHERE p.result_id = r.power_id),
                                          r.total * (SELECT t.value FROM result t WHERE t.result_id = r.time_id)
                                                  / (SELECT j.value FROM result j WHERE j.result_id = r.energy_id))
         WHEN 'per_dollar@1' THEN 3600 * r.each
         WHEN 'usd_per_million_tokens@1' THEN CASE WHEN r.unit = 'token/s' AND r.each > 0 THEN 1e6 / (3600 * r.each) END
         WHEN 'busbw@1' THEN CASE WHEN r.metric = 'bytes_per_s' AND r.devices > 0 THEN
              r.value * (SELECT c.scale * (r.devices - c.less) / r.devices FROM v_collective c
                          WHERE c.collective = replace(r.raw_workload, '-', '_')) END
         WHEN 'hfu@1' THEN
              (SELECT c.fraction * CASE p.text WHEN 'full' THEN 4.0 / 3 ELSE 1 END
                 FROM v_ceiling_of c
                 JOIN point_factor p ON p.point_id = c.point_id AND p.factor = 'recomputation' AND p.text IN ('none', 'full')
                WHERE c.result_id = r.result_id AND c.basis = b.basis AND c.formula = 'mfu@1')
         WHEN 'roofline_fraction@1' THEN
              (SELECT o.fraction FROM v_roof o WHERE o.result_id = r.result_id AND o.basis = b.basis)
         WHEN 'device_hours@1' THEN CASE WHEN r.metric = 'time_to_train_s' THEN r.value / 3600 * r.devices END
         ELSE (SELECT c.fraction FROM v_ceiling_of c WHERE c.result_id = r.result_id AND c.basis = b.basis AND c.formula = f.formula)
         END AS value,
       CASE WHEN f.based = 1 THEN '1'
            ELSE CASE f.formula WHEN 'per_device@1' THEN r.unit || '/device' WHEN 'per_node@1' THEN r.unit || '/node'
                   WHEN 'per_watt@1' THEN r.unit || '/W' WHEN 'per_joule@1' THEN substr(r.unit, 1, length(r.unit) - 2) || '/J'
                   WHEN 'per_dollar@1' THEN substr(r.unit, 1, length(r.unit) - 2) || '/USD' WHEN 'busbw@1' THEN 'B/s'
                   WHEN 'device_hours@1' THEN 'h'
                   ELSE 'USD/Mtoken' END END AS unit,
       CASE f.formula
         WHEN 'per_watt@1' THEN 'r-' || substr(r.run, 3) || '-' || (SELECT p.ordinal FROM result p WHERE p.result_id = r.power_id)
         WHEN 'per_joule@1' THEN
              coalesce('r-' || substr(r.run, 3) || '-' || (SELECT p.ordinal FROM result p WHERE p.result_id = r.power_id),
                       'r-' || substr(r.run, 3) || '-' || (SELECT j.ordinal FROM result j WHERE j.result_id = r.energy_id) ||
                       ' r-' || substr(r.run, 3) || '-' || (SELECT t.ordinal FROM result t WHERE t.result_id = r.time_id))
         WHEN 'roofline_fraction@1' THEN
              (SELECT o.peak_key || ' ' || o.bandwidth_key FROM v_roof o WHERE o.result_id = r.result_id AND o.basis = b.basis)
         ELSE CASE f.based WHEN 1 THEN (SELECT c.ceiling_key FROM v_ceiling_of c WHERE c.result_id = r.result_id AND c.basis = b.basis) END
         END AS facts,
       r.entry_id AS entry_id, r.ordinal AS ordinal
  FROM (SELECT t.*,
               (SELECT p.result_id FROM result p WHERE p.entry_id = t.entry_id AND p.metric = 'power_w' AND p.value > 0
                 ORDER BY CASE p.statistic WHEN 'mean' THEN 0 WHEN 'value' THEN 1 ELSE 2 END, p.ordinal LIMIT 1) AS power_id,
               (SELECT j.result_id FROM result j WHERE j.entry_id = t.entry_id AND j.metric = 'energy_j' AND j.value > 0
                 ORDER BY CASE j.statistic WHEN 'mean' THEN 0 WHEN 'value' THEN 1 ELSE 2 END, j.ordinal LIMIT 1) AS energy_id,
               (SELECT s.result_id FROM result s WHERE s.entry_id = t.entry_id AND s.metric = 'time_s'
                   AND s.statistic IN ('median', 'value', 'mean')
                 ORDER BY CASE s.statistic WHEN 'median' THEN 0 WHEN 'value' THEN 1 ELSE 2 END, s.ordinal LIMIT 1) AS time_id
          FROM v_result t) r
  CROSS JOIN v_formula f
  LEFT JOIN (SELECT 'published' AS basis UNION ALL SELECT 'measured' UNION ALL SELECT 'clock') b ON f.based = 1
 WHERE r.adds = 1 OR r.metric IN ('tpot_s', 'bytes_per_s', 'time_to_train_s');

-- One result under one formula that wants a price, at 1 US dollar for a device and hour: at a price of one's own it is
-- at_one x price where power is 1, at_one / price where it is -1.
CREATE VIEW v_at_price AS
SELECT k.result_id AS result_id, k.formula AS formula, k.value AS at_one, k.power AS power, k.unit AS unit, k.device AS device,
       k.entry_id AS entry_id, k.ordinal AS ordinal
  FROM reckoned k
 WHERE k.power <> 0 AND k.value IS NOT NULL;

-- One result under one formula. facts: keys of the numbers beside the result's own. A formula that wants a price has a row
-- for every price of its device; v_price_offer tells until when each counts.
-- (Outer joins and CASE, not UNION ALL: SQLite brings no condition into the parts of a union that a query counts or averages.)
CREATE VIEW v_normalised AS
SELECT n.result_id AS result_id, n.formula AS formula, n.value AS value, n.unit AS unit, n.basis AS basis,
       (SELECT o.provider FROM v_price_offer o WHERE o.price_id = n.price_id) AS provider,
       (SELECT o.kind FROM v_price_offer o WHERE o.price_id = n.price_id) AS price_kind,
       (SELECT o.valid_from FROM v_price_offer o WHERE o.price_id = n.price_id) AS price_date,
       CASE n.power WHEN 0 THEN n.facts ELSE (SELECT o.key FROM v_price_offer o WHERE o.price_id = n.price_id) END AS facts,
       n.entry_id AS entry_id, n.ordinal AS ordinal, n.price_id AS price_id,
       (SELECT o.valid_to FROM v_price_offer o WHERE o.price_id = n.price_id) AS price_valid_to
  FROM (SELECT k.result_id, k.formula, k.unit, k.basis, k.facts, k.entry_id, k.ordinal, k.power, p.price_id,
               CASE k.power WHEN 0 THEN k.value
                    WHEN 1 THEN k.value * (SELECT o.per_device_hour FROM v_price_offer o WHERE o.price_id = p.price_id)
                    ELSE k.value / (SELECT o.per_device_hour FROM v_price_offer o WHERE o.price_id = p.price_id) END AS value
          FROM reckoned k
          LEFT JOIN name d ON k.power <> 0 AND d.kind = 'device' AND d.canon = k.device AND d.parts = 1
          LEFT JOIN price p ON p.device = d.spelling) n
 WHERE n.value IS NOT NULL;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_formula', 1, 'formula', '', 'name@version'),
('v_formula', 2, 'based', '', '1: a fraction of a ceiling, by its basis (v_ceiling_of)'),
('v_formula', 3, 'power', '', 'of the price that it wants: 1 grows with it, -1 falls; 0: it wants none'),
('v_formula', 4, 'meaning', '', 'in words'),
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
('v_normalised', 3, 'value', 'unit', 'derived by abdb'),
('v_normalised', 4, 'unit', '', 'unit of the value'),
('v_normalised', 5, 'basis', '', 'of a fraction: published, measured or clock'),
('v_normalised', 6, 'provider', '', 'of a value that has a price: who asks it'),
('v_normalised', 7, 'price_kind', '', 'on-demand, reserved, spot'),
('v_normalised', 8, 'price_date', '', 'date of the price'),
('v_normalised', 9, 'facts', '', 'printed keys of the numbers beside the result''s own'),
('v_normalised', 10, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_normalised', 11, 'ordinal', '', 'place of the result in the run'),
('v_normalised', 12, 'price_id', '', 'number of the price in this file (v_price_offer)'),
('v_normalised', 13, 'price_valid_to', '', 'date of the next price of the same provider and kind; NULL: this is the latest');
