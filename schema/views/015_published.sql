-- 015_published.sql - specifications and prices, and which of them count.

-- One stated specification, judged. engine: as stated; where the source does not say, by what else it says of the device: a
-- peak of 16 bit that equals that of its matrix engine, is a half to a quarter of its peak of 8 bit, or is more than four
-- times the vector peak of fp32 is of the matrix engine. trust: 2 quarantined (spec_doubt), 1 suspect (a peak of 8 bit above twice that of
-- 16 bit by the same source, as one with sparsity is), 0 it stands. place: of v_spec_order. basis: of a pair of cards, where
-- the device is one. (2.05, 4.1, 0.9 to 1.1: twice, four times and equal, with room for figures that are printed rounded.)
CREATE VIEW spec_judged AS
SELECT t.spec_id AS spec_id, CAST(t.engine AS TEXT) AS engine, CAST(t.judged_basis AS TEXT) AS basis,
       CAST(t.device AS TEXT) AS device, t.kind AS source_kind, CAST(t.rank AS INTEGER) AS rank, t.published AS published,
       CAST(CASE WHEN EXISTS (
              SELECT 1 FROM spec_doubt d
               WHERE d.effect = 'quarantine' AND d.quantity = t.quantity AND (d.dtype IS NULL OR d.dtype = t.dtype)
                 AND (d.device IS NULL OR d.device = t.device) AND (d.architecture IS NULL OR d.architecture = t.architecture)
                 AND (d.engine IS NULL OR d.engine = t.engine) AND (d.sparsity IS NULL OR d.sparsity = t.sparsity)
                 AND (d.said_by IS NULL OR d.said_by = t.source)
                 AND (d.stated IS NULL OR t.value BETWEEN 0.999999 * d.stated AND 1.000001 * d.stated)) THEN 2
            WHEN t.dtype IN ('fp8', 'int8') AND t.sparsity = 'dense' AND t.engine = 'matrix' AND t.value > 2.05 * (
              SELECT max(b.value) FROM spec_stated b
               WHERE b.device = t.raw_device AND b.source = t.source AND b.basis = t.basis AND b.dtype IN ('fp16', 'bf16')
                 AND b.quantity = 'peak_flops' AND b.sparsity = 'dense' AND b.engine = 'matrix')
             AND NOT EXISTS (
              SELECT 1 FROM spec_doubt d
               WHERE d.effect = 'accept' AND d.quantity = t.quantity AND (d.dtype IS NULL OR d.dtype = t.dtype)
                 AND (d.device IS NULL OR d.device = t.device) AND (d.architecture IS NULL OR d.architecture = t.architecture)
                 AND (d.said_by IS NULL OR d.said_by = t.source)) THEN 1
            ELSE 0 END AS INTEGER) AS trust,
       (SELECT o.place FROM spec_order o
         WHERE (o.source_kind IS NULL OR o.source_kind = t.kind) AND (o.note IS NULL OR lower(t.note) LIKE o.note)
         ORDER BY CASE WHEN o.note IS NULL THEN 1 ELSE 0 END, CASE WHEN o.source_kind IS NULL THEN 1 ELSE 0 END, o.place LIMIT 1)
         AS place
  FROM (SELECT s.spec_id, s.quantity, s.dtype, s.sparsity, s.basis, s.value, s.source, s.note, s.device AS raw_device,
               coalesce(n.canon, s.device) AS device, d.architecture,
               CASE WHEN s.basis = 'card' AND d.form_factor = 'pair' THEN 'pair' ELSE s.basis END AS judged_basis, q.kind, q.published,
               CASE WHEN q.kind = 'user' AND q.rank = 50 THEN 99 ELSE q.rank END AS rank,
               CASE WHEN s.engine IS NOT NULL OR s.quantity NOT IN ('peak_flops', 'peak_ops') THEN s.engine
                    WHEN EXISTS (SELECT 1 FROM spec_stated b
                                  WHERE b.device = s.device AND b.source = s.source AND b.basis = s.basis AND b.engine = 'matrix'
                                    AND (b.dtype IN ('fp16', 'bf16') AND b.value BETWEEN 0.9 * s.value AND 1.1 * s.value
                                         OR b.dtype IN ('fp8', 'int8') AND b.value BETWEEN 1.9 * s.value AND 4.1 * s.value)) THEN 'matrix'
                    ELSE (SELECT CASE WHEN s.value > 4.1 * b.value THEN 'matrix' ELSE 'vector' END FROM spec_stated b
                           WHERE b.device = s.device AND b.source = s.source AND b.basis = s.basis AND b.engine = 'vector'
                             AND b.dtype = 'fp32' ORDER BY b.value DESC LIMIT 1) END AS engine
          FROM spec_stated s
          LEFT JOIN name n ON n.kind = 'device' AND n.spelling = s.device AND n.part = 1
          LEFT JOIN device d ON d.device = coalesce(n.canon, s.device)
          LEFT JOIN source q ON q.source = s.source) t;

-- One stated specification. Preferred, of those that are not quarantined: the lowest place of v_spec_order, then the source
-- of lowest rank (one that no row of sources describes comes behind all that one does, so that an import does not take the
-- place of what is there), then the latest date, then the key.
CREATE VIEW v_spec AS
WITH judged AS MATERIALIZED (SELECT * FROM spec_judged)
SELECT s.device AS device, s.quantity AS quantity, s.dtype AS dtype, s.engine AS engine, s.sparsity AS sparsity, s.basis AS basis,
       s.power_limit AS power_limit, s.value AS value, s.unit AS unit,
       CAST(CASE WHEN s.place = 1 AND s.trust < 2 THEN 1 ELSE 0 END AS INTEGER) AS preferred,
       s.source AS source, s.locator AS locator, CAST(s.date AS TEXT) AS date, s.raw_value AS raw_value, s.raw_unit AS raw_unit, s.note AS note,
       s.spec_id AS spec_id, s.key AS key, s.spec_key AS spec_key, s.raw_device AS raw_device,
       CAST(CASE s.trust WHEN 2 THEN 'quarantined' WHEN 1 THEN 'suspect' ELSE 'stands' END AS TEXT) AS trust,
       (SELECT o.standing FROM spec_order o WHERE o.place = s.order_place) AS standing,
       CAST(CASE WHEN length(s.date) >= 10 THEN substr(s.date, 1, 10) ELSE substr(s.date || '-01-01', 1, 10) END AS TEXT) AS day
  FROM (SELECT j.device AS device, t.quantity AS quantity, t.dtype AS dtype, j.engine AS engine,
               t.sparsity AS sparsity, j.basis AS basis, t.power_limit AS power_limit, t.value AS value, t.unit AS unit,
               t.source AS source, t.locator AS locator, coalesce(t.date, j.published) AS date, t.raw_value AS raw_value,
               t.raw_unit AS raw_unit, t.note AS note, t.spec_id AS spec_id, t.key AS key, t.spec_key AS spec_key,
               t.device AS raw_device, j.trust AS trust, j.place AS order_place,
               row_number() OVER (PARTITION BY j.device, t.quantity, j.basis, coalesce(t.dtype, ''), coalesce(j.engine, ''),
                                               coalesce(t.sparsity, ''), coalesce(t.power_limit, 0)
                                  ORDER BY j.trust, coalesce(j.place, 99), coalesce(j.rank, 50), coalesce(t.date, j.published, '') DESC,
                                           t.key) AS place
          FROM spec_stated t
          JOIN judged j ON j.spec_id = t.spec_id) s;

-- One stated ceiling of a device, dense, per card, that is not quarantined; `preference` orders those of one quantity,
-- smallest first. guess: 1 for an estimate or a projection. (preference is text that sorts as its parts do, one after the other:
-- numbers are padded to a fixed width, and years counted down from 9999, so that the newest comes first.)
CREATE VIEW v_peak AS
SELECT n.device AS device, s.quantity AS quantity, s.dtype AS dtype, s.value AS value, s.unit AS unit, s.source AS source,
       s.spec_id AS spec_id, s.key AS key,
       CAST(CASE WHEN j.engine = 'matrix' THEN '0 ' ELSE '1 ' END || CASE WHEN s.power_limit IS NULL THEN '0 ' ELSE '1 ' END ||
         j.trust || ' ' || substr('' || (100 + coalesce(j.place, 99)), 2) || ' ' || substr('' || (1000 + coalesce(j.rank, 50)), 2) || ' ' ||
         (9999 - CAST(substr(coalesce(s.date, j.published, '0000'), 1, 4) AS INTEGER)) || ' ' || s.key AS TEXT) AS preference,
       j.engine AS engine,
       CAST(CASE WHEN (SELECT o.standing FROM spec_order o WHERE o.place = j.place) IN ('estimate', 'projection') THEN 1 ELSE 0 END AS INTEGER) AS guess
  FROM single_device n
  JOIN spec_stated s ON s.device = n.spelling
  JOIN spec_judged j ON j.spec_id = s.spec_id
 WHERE j.basis = 'card' AND coalesce(s.sparsity, 'dense') = 'dense'
   AND s.quantity IN ('peak_flops', 'peak_ops', 'memory_bandwidth') AND j.trust < 2;

-- The peak of one device in one number format: of one card, dense, without quarantined values; of its engines the best, of what is
-- stated of that what v_peak prefers. accumulation: the number format in which its products are added, where the source says so.
CREATE VIEW v_device_peak AS
SELECT b.device AS device, b.dtype AS dtype, b.quantity AS quantity, b.value AS value, b.unit AS unit, b.engine AS engine,
       CAST(b.accumulation AS TEXT) AS accumulation, b.source AS source, b.spec_id AS spec_id, b.key AS key, b.guess AS guess
  FROM (SELECT e.*, row_number() OVER (PARTITION BY e.device, e.dtype ORDER BY e.guess, e.value DESC, e.key) AS place
          FROM (SELECT p.*, CASE WHEN s.note LIKE '%fp16 accumulation%' THEN 'fp16' WHEN s.note LIKE '%fp32 accumulation%' THEN 'fp32' END
                         AS accumulation,
                       row_number() OVER (PARTITION BY p.device, p.dtype, p.engine ORDER BY p.guess, p.preference) AS nth
                  FROM v_peak p JOIN spec_stated s ON s.spec_id = p.spec_id
                 WHERE p.dtype IS NOT NULL) e
         WHERE e.nth = 1) b
 WHERE b.place = 1;

-- Which statement of a specification is preferred.
CREATE VIEW v_spec_order AS SELECT place, standing, source_kind, note, sentence, source, locator FROM spec_order;

-- One ratio that hardware obeys, one span of it.
CREATE VIEW v_spec_ratio AS
SELECT ratio, low, high, of_quantity, of_dtype, of_engine, of_sparsity, to_quantity, to_dtype, to_engine, to_sparsity, to_basis, sentence,
       source, locator
  FROM spec_ratio;

-- One judgement on stated specifications.
CREATE VIEW v_spec_doubt AS
SELECT doubt, effect, device, architecture, quantity, dtype, engine, sparsity, said_by, stated, sentence, source, locator FROM spec_doubt;

-- Which figure of LoadGen's log is the official one of a round, as its submission checker has it.
CREATE VIEW v_figure_rule AS
SELECT place, since, until, model, scenario, ran, counted, figure, times, raw_unit, source, locator FROM figure_rule;

-- How many runs make the score of a benchmark of training or HPC.
CREATE VIEW v_score_rule AS
SELECT place, since, until, benchmark, runs, dropped, source, locator FROM score_rule;

-- One ratio of two specifications that count (preferred in v_spec), of one device and basis, against v_spec_ratio: holds,
-- accepted (an accept of v_spec_doubt, which says why), breaks.
CREATE VIEW v_ratio AS
SELECT k.ratio AS ratio, k.device AS device,
       CAST(k.value AS DOUBLE PRECISION) AS value, k.of_value AS of_value, k.of_unit AS of_unit, k.of_source AS of_source,
       k.of_key AS of_key, k.to_value AS to_value, k.to_unit AS to_unit, k.to_source AS to_source, k.to_key AS to_key,
       CAST(CASE WHEN EXISTS (SELECT 1 FROM spec_ratio r WHERE r.ratio = k.ratio AND k.value BETWEEN r.low AND r.high) THEN 'holds'
            WHEN k.doubt IS NOT NULL THEN 'accepted' ELSE 'breaks' END AS TEXT) AS verdict,
       CAST(k.doubt AS TEXT) AS doubt
  FROM (SELECT r.ratio, a.device, a.value / b.value AS value, a.value AS of_value, a.unit AS of_unit, a.source AS of_source,
               a.key AS of_key, b.value AS to_value, b.unit AS to_unit, b.source AS to_source, b.key AS to_key,
               (SELECT min(d.doubt) FROM spec_doubt d LEFT JOIN device v ON v.device = a.device
                 WHERE d.effect = 'accept' AND (d.device IS NULL OR d.device = a.device)
                   AND (d.architecture IS NULL OR d.architecture = v.architecture) AND (d.sparsity IS NULL OR d.sparsity = a.sparsity)
                   AND d.quantity = a.quantity AND (d.dtype IS NULL OR d.dtype = a.dtype)
                   AND (d.engine IS NULL OR d.engine = a.engine)) AS doubt
          FROM (SELECT DISTINCT ratio, of_quantity, of_dtype, of_engine, of_sparsity, to_quantity, to_dtype, to_engine, to_sparsity,
                       to_basis FROM spec_ratio) r
          JOIN v_spec a ON a.quantity = r.of_quantity AND a.preferred = 1 AND (r.of_dtype IS NULL OR a.dtype = r.of_dtype)
           AND (r.of_engine IS NULL OR a.engine = r.of_engine) AND coalesce(a.sparsity, 'dense') = r.of_sparsity AND a.power_limit IS NULL
          JOIN v_spec b ON b.quantity = r.to_quantity AND b.preferred = 1 AND b.device = a.device AND b.value > 0
           AND (r.to_dtype IS NULL OR b.dtype = r.to_dtype) AND (r.to_engine IS NULL OR b.engine = r.to_engine)
           AND coalesce(b.sparsity, 'dense') = r.to_sparsity AND b.power_limit IS NULL
           AND a.basis <> 'SRAM' AND CASE WHEN r.to_basis IS NULL THEN b.basis = a.basis ELSE b.basis = r.to_basis AND a.basis = 'card' END) k;

-- One stated price; the price of one device for an hour is derived, all else as published.
CREATE VIEW v_price AS
SELECT p.provider AS provider, p.instance AS instance,
       CAST(coalesce((SELECT n.canon FROM name n WHERE n.kind = 'device' AND n.spelling = p.device AND n.part = 1),
                p.device) AS TEXT) AS device,
       p.devices AS devices, p.kind AS kind, p.region AS region, p.currency AS currency, p.amount AS amount, p.per AS per,
       CAST(CASE WHEN p.per = 'hour' THEN p.amount / p.devices END AS DOUBLE PRECISION) AS per_device_hour,
       p.valid_from AS valid_from,
       CAST(CASE WHEN length(p.valid_from) >= 10 THEN substr(p.valid_from, 1, 10) ELSE substr(p.valid_from || '-01-01', 1, 10) END AS TEXT) AS first_day,
       CAST(CASE WHEN length(p.valid_from) = 21 THEN substr(p.valid_from, 12) ELSE p.valid_from END AS TEXT) AS last_day, p.source AS source, p.locator AS locator,
       p.raw_value AS raw_value, p.price_id AS price_id, p.key AS key, p.price_key AS price_key, p.device AS raw_device,
       CAST(coalesce((SELECT d.half FROM v_decimals d WHERE p.raw_value LIKE d.pattern),
                CASE WHEN p.raw_value LIKE '%.%' THEN 0.0 ELSE 0.5 END) / p.devices AS DOUBLE PRECISION) AS half
  FROM price_stated p;

-- One price that counts: where an offer is stated per device and for all devices together, the former; and none of more
-- devices than another of the same list and day that costs as much (spot prices apart): it is the price of fewer.
CREATE VIEW v_price_used AS
SELECT p.* FROM v_price p
 WHERE NOT (p.devices > 1 AND EXISTS (
       SELECT 1 FROM price_stated o
        WHERE o.device = p.raw_device AND o.source = p.source AND o.provider = p.provider
          AND coalesce(o.instance, '') = coalesce(p.instance, '') AND o.kind = p.kind AND coalesce(o.region, '') = coalesce(p.region, '')
          AND o.per = p.per AND o.currency = p.currency AND coalesce(o.valid_from, '') = coalesce(p.valid_from, '') AND o.devices = 1))
   AND NOT (p.devices > 1 AND p.kind <> 'spot' AND EXISTS (
       SELECT 1 FROM price_stated o
        WHERE o.device = p.raw_device AND o.source = p.source AND o.provider = p.provider AND o.kind = p.kind
          AND coalesce(o.region, '') = coalesce(p.region, '') AND o.per = p.per AND o.currency = p.currency
          AND coalesce(o.valid_from, '') = coalesce(p.valid_from, '') AND o.devices < p.devices AND o.amount >= p.amount));

-- One price that a rate can be divided by, and until when it counts: until the same provider states a later one of the
-- same kind. Today's: valid_to IS NULL; of day D: last_day <= D AND (valid_to IS NULL OR valid_to > D). A price whose day is
-- a range counts from its last day on, is as old as its first, and is later than what is before its first. Other
-- currencies are turned into US dollars by the latest rate (exchange_rate) on the day of the price or before it, else the first. One dated before the year of its device is a mistake. offered: an instance of one is
-- no price of a device in a node of eight; where a price names no instance, or is stated beside the instance's, it is. Of those that count at one time, those of one kind meet, and the lowest is taken.
CREATE VIEW v_price_offer AS
SELECT n.device AS device, CAST(p.per_device_hour * CASE p.currency WHEN 'USD' THEN 1 ELSE x.usd END AS DOUBLE PRECISION) AS per_device_hour, p.provider AS provider, p.kind AS kind, p.valid_from AS valid_from,
       CAST((SELECT min(o.last_day) FROM single_device m JOIN v_price_used o ON o.raw_device = m.spelling
         WHERE m.device = n.device AND o.provider = p.provider AND o.kind = p.kind
           AND o.per = 'hour' AND (o.currency = 'USD' OR EXISTS (SELECT 1 FROM exchange_rate c WHERE c.currency = o.currency)) AND o.valid_from > coalesce(p.last_day, '')) AS TEXT) AS valid_to,
       p.instance AS instance, p.region AS region, p.devices AS devices, p.source AS source, p.locator AS locator,
       p.price_id AS price_id, p.key AS key, p.first_day AS first_day, p.last_day AS last_day,
       CAST(CASE WHEN p.devices = 1 AND (coalesce(p.instance, '') = '' OR EXISTS (
                 SELECT 1 FROM price_stated o WHERE o.provider = p.provider AND o.instance = p.instance AND o.device = p.raw_device AND o.devices > 1))
            THEN 0 ELSE p.devices END AS INTEGER) AS offered,
       p.currency AS currency, p.per_device_hour AS stated, x.usd AS usd, x.day AS rate_day, x.source AS rate_source
  FROM single_device n
  JOIN v_price_used p ON p.raw_device = n.spelling
  LEFT JOIN exchange_rate x ON x.currency = p.currency AND x.day = coalesce(
       (SELECT max(c.day) FROM exchange_rate c WHERE c.currency = p.currency AND c.day <= coalesce(p.last_day, '')),
       (SELECT min(c.day) FROM exchange_rate c WHERE c.currency = p.currency))
 WHERE p.per = 'hour' AND (p.currency = 'USD' OR x.usd IS NOT NULL) AND p.per_device_hour > 0
   AND NOT EXISTS (SELECT 1 FROM device d WHERE d.device = n.device AND d.year > CAST(substr(p.last_day, 1, 4) AS INTEGER));

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_spec', 1, 'device', '', 'canonical device'),
('v_spec', 2, 'quantity', '', 'peak_flops peak_ops memory_size memory_bandwidth link_bandwidth power'),
('v_spec', 3, 'dtype', '', 'number format of a peak'),
('v_spec', 4, 'engine', '', 'matrix or vector; where its source does not say, by the ratios of its peaks'),
('v_spec', 5, 'sparsity', '', 'dense or 2:4'),
('v_spec', 6, 'basis', '', 'die, package, card, pair (of cards), system'),
('v_spec', 7, 'power_limit', 'W', 'where the figure holds for one'),
('v_spec', 8, 'value', 'unit', 'in the base unit, for the whole that basis names; v_device_peak has the dense peak of one card'),
('v_spec', 9, 'unit', '', 'base unit'),
('v_spec', 10, 'preferred', '', '1: counts among the rows of one device, quantity, dtype, engine, sparsity, basis and power_limit, which still differ: not quarantined, lowest place of v_spec_order, then lowest rank of source (last: one that no row of sources describes), then latest date'),
('v_spec', 11, 'source', '', 'who says it'),
('v_spec', 12, 'locator', '', 'table, figure or section'),
('v_spec', 13, 'date', '', 'of the statement'),
('v_spec', 14, 'raw_value', '', 'as published'),
('v_spec', 15, 'raw_unit', '', 'as published'),
('v_spec', 16, 'note', '', 'what the source adds'),
('v_spec', 17, 'spec_id', '', 'number of the specification in this file: to join by; another database has other numbers'),
('v_spec', 18, 'key', '', 'printed key made from the content, the same in every database: to cite'),
('v_spec', 19, 'spec_key', '', 'first 16 hexadecimal digits of the printed key as a number'),
('v_spec', 20, 'raw_device', '', 'device as published'),
('v_spec', 21, 'trust', '', 'stands; suspect: a peak of 8 bit above twice that of 16 bit by the same source; quarantined: v_spec_doubt says why'),
('v_spec', 22, 'standing', '', 'vendor, citing, document, estimate or projection (v_spec_order)'),
('v_peak', 1, 'device', '', 'canonical device'),
('v_peak', 2, 'quantity', '', 'peak_flops, peak_ops or memory_bandwidth'),
('v_peak', 3, 'dtype', '', 'number format of a peak'),
('v_peak', 4, 'value', 'unit', 'dense, per card, as each source states it; v_device_peak has the one that counts'),
('v_peak', 5, 'unit', '', 'base unit'),
('v_peak', 6, 'source', '', 'who says it'),
('v_peak', 7, 'spec_id', '', 'number of the specification in this file (v_spec)'),
('v_peak', 8, 'key', '', 'its printed key'),
('v_peak', 9, 'preference', '', 'smallest first: matrix engine, no power limit, not suspect, place of v_spec_order, rank of the source, newest'),
('v_peak', 10, 'engine', '', 'matrix or vector'),
('v_peak', 11, 'guess', '', '1: an estimate or a projection'),
('v_device_peak', 1, 'device', '', 'canonical device'),
('v_device_peak', 2, 'dtype', '', 'number format'),
('v_device_peak', 3, 'quantity', '', 'peak_flops or peak_ops'),
('v_device_peak', 4, 'value', 'unit', 'of one card, dense, of its best engine: one row for each device and number format'),
('v_device_peak', 5, 'unit', '', 'base unit'),
('v_device_peak', 6, 'engine', '', 'matrix or vector'),
('v_device_peak', 7, 'accumulation', '', 'fp16 or fp32: in what products are added; NULL: the source does not say'),
('v_device_peak', 8, 'source', '', 'who says it'),
('v_device_peak', 9, 'spec_id', '', 'number of the specification in this file (v_spec)'),
('v_device_peak', 10, 'key', '', 'its printed key'),
('v_device_peak', 11, 'guess', '', '1: an estimate or a projection, as nothing else is stated'),
('v_ratio', 1, 'ratio', '', 'short name (v_spec_ratio)'),
('v_ratio', 2, 'device', '', 'canonical device'),
('v_ratio', 3, 'value', '1', 'the ratio; of stacks of memory B/s'),
('v_ratio', 4, 'of_value', 'unit', 'above the line, in the base unit'),
('v_ratio', 5, 'of_unit', '', 'its base unit'),
('v_ratio', 6, 'of_source', '', 'who says it'),
('v_ratio', 7, 'of_key', '', 'its printed key'),
('v_ratio', 8, 'to_value', 'unit', 'below the line, in the base unit'),
('v_ratio', 9, 'to_unit', '', 'its base unit'),
('v_ratio', 10, 'to_source', '', 'who says it'),
('v_ratio', 11, 'to_key', '', 'its printed key'),
('v_ratio', 12, 'verdict', '', 'holds, accepted (doubt says why), breaks'),
('v_ratio', 13, 'doubt', '', 'the judgement that accepts it (v_spec_doubt)'),
('v_spec_order', 1, 'place', '', '1 before 2'),
('v_spec_order', 2, 'standing', '', 'vendor, citing, document, estimate, projection'),
('v_spec_order', 3, 'source_kind', '', 'kind of the source; NULL: any'),
('v_spec_order', 4, 'note', '', 'what its note says, for LIKE; NULL: anything'),
('v_spec_order', 5, 'sentence', '', 'why'),
('v_spec_order', 6, 'source', '', 'who says so'),
('v_spec_order', 7, 'locator', '', 'where'),
('v_spec_ratio', 1, 'ratio', '', 'short name'),
('v_spec_ratio', 2, 'low', '', 'lower end of the span'),
('v_spec_ratio', 3, 'high', '', 'its upper end'),
('v_spec_ratio', 4, 'of_quantity', '', 'above the line: quantity'),
('v_spec_ratio', 5, 'of_dtype', '', 'number format; NULL: any or none'),
('v_spec_ratio', 6, 'of_engine', '', 'matrix or vector; NULL: any'),
('v_spec_ratio', 7, 'of_sparsity', '', 'of a peak'),
('v_spec_ratio', 8, 'to_quantity', '', 'below the line: quantity'),
('v_spec_ratio', 9, 'to_dtype', '', 'number format; NULL: any or none'),
('v_spec_ratio', 10, 'to_engine', '', 'matrix or vector; NULL: any'),
('v_spec_ratio', 11, 'to_sparsity', '', 'of a peak'),
('v_spec_ratio', 12, 'to_basis', '', 'of memory stacks: their generation; NULL: the basis above the line'),
('v_spec_ratio', 13, 'sentence', '', 'why'),
('v_spec_ratio', 14, 'source', '', 'who says so'),
('v_spec_ratio', 15, 'locator', '', 'where'),
('v_spec_doubt', 1, 'doubt', '', 'short name'),
('v_spec_doubt', 2, 'effect', '', 'quarantine: in no answer; accept: it stands although it breaks a ratio; missing: searched and not found'),
('v_spec_doubt', 3, 'device', '', 'canonical device; NULL: any'),
('v_spec_doubt', 4, 'architecture', '', 'of the device; NULL: any'),
('v_spec_doubt', 5, 'quantity', '', 'quantity'),
('v_spec_doubt', 6, 'dtype', '', 'number format; NULL: any or none'),
('v_spec_doubt', 7, 'engine', '', 'matrix or vector; NULL: any'),
('v_spec_doubt', 8, 'sparsity', '', 'dense or 2:4; NULL: any'),
('v_spec_doubt', 9, 'said_by', '', 'source of the statement; NULL: any'),
('v_spec_doubt', 10, 'stated', 'unit', 'the value, in the base unit; NULL: any'),
('v_spec_doubt', 11, 'sentence', '', 'why'),
('v_spec_doubt', 12, 'source', '', 'who says so'),
('v_spec_doubt', 13, 'locator', '', 'where'),
('v_score_rule', 1, 'place', '', 'the first that fits counts'),
('v_score_rule', 2, 'since', '', 'first round; NULL: from the first'),
('v_score_rule', 3, 'until', '', 'last round; NULL: still'),
('v_score_rule', 4, 'benchmark', '', 'folder of the benchmark'),
('v_score_rule', 5, 'runs', '', 'runs of a folder'),
('v_score_rule', 6, 'dropped', '', 'how many of each end are left out of the mean'),
('v_score_rule', 7, 'source', '', 'who says so'),
('v_score_rule', 8, 'locator', '', 'where'),
('v_figure_rule', 1, 'place', '', 'the first that fits counts'),
('v_figure_rule', 2, 'since', '', 'first round; NULL: from the first'),
('v_figure_rule', 3, 'until', '', 'last round; NULL: still'),
('v_figure_rule', 4, 'model', '', 'benchmark; with a * behind it what begins so; before a colon the suite, if not inference'),
('v_figure_rule', 5, 'scenario', '', 'scenario of the result'),
('v_figure_rule', 6, 'ran', '', 'what LoadGen ran, where the result is inferred from another scenario'),
('v_figure_rule', 7, 'counted', '', 'tokens: only where LoadGen counted them'),
('v_figure_rule', 8, 'figure', '', 'its name in the detail log'),
('v_figure_rule', 9, 'times', '', 'the result is so many times the figure'),
('v_figure_rule', 10, 'raw_unit', '', 'as checkers call it'),
('v_figure_rule', 11, 'source', '', 'who says so'),
('v_figure_rule', 12, 'locator', '', 'where'),
('v_price', 1, 'provider', '', 'who asks it'),
('v_price', 2, 'instance', '', 'name of the offer'),
('v_price', 3, 'device', '', 'canonical device'),
('v_price', 4, 'devices', '', 'devices that the amount buys; 1: published per device'),
('v_price', 5, 'kind', '', 'on-demand, reserved, spot, purchase'),
('v_price', 6, 'region', '', 'where it is offered'),
('v_price', 7, 'currency', '', 'ISO 4217'),
('v_price', 8, 'amount', 'currency', 'for all devices together'),
('v_price', 9, 'per', '', 'hour or unit'),
('v_price', 10, 'per_device_hour', 'currency', 'derived: amount / devices, for prices per hour, of every date, kind and currency; v_price_offer has prices that can be compared'),
('v_price', 11, 'valid_from', '', 'date of the price; FIRST/LAST where only two days are known between which it was stated'),
('v_price', 12, 'first_day', '', 'the earliest that valid_from may mean: its age is counted from there'),
('v_price', 13, 'last_day', '', 'the latest that valid_from may mean, as precise as it is'),
('v_price', 14, 'source', '', 'who says it'),
('v_price', 15, 'locator', '', 'table, figure or section'),
('v_price', 16, 'raw_value', '', 'as published'),
('v_price', 17, 'price_id', '', 'number of the price in this file: to join by; another database has other numbers'),
('v_price', 18, 'key', '', 'printed key made from the content, the same in every database: to cite'),
('v_price', 19, 'price_key', '', 'first 16 hexadecimal digits of the printed key as a number: an index leads to it'),
('v_price', 20, 'raw_device', '', 'device as published; an index leads to it'),
('v_price', 21, 'half', 'currency', 'half of the last digit that was printed, of one device'),
('v_price_offer', 1, 'device', '', 'canonical device'),
('v_price_offer', 2, 'per_device_hour', 'USD', 'for one device and hour; the current ones have no valid_to'),
('v_price_offer', 3, 'provider', '', 'who asks it'),
('v_price_offer', 4, 'kind', '', 'on-demand, reserved, spot: choose one, their terms differ'),
('v_price_offer', 5, 'valid_from', '', 'date of the price'),
('v_price_offer', 6, 'valid_to', '', 'date of the next price of the same provider and kind; NULL: this is the latest'),
('v_price_offer', 7, 'instance', '', 'name of the offer'),
('v_price_offer', 8, 'region', '', 'where it is offered'),
('v_price_offer', 9, 'devices', '', 'devices that the stated amount buys'),
('v_price_offer', 10, 'source', '', 'who says it'),
('v_price_offer', 11, 'locator', '', 'table, figure or section'),
('v_price_offer', 12, 'price_id', '', 'number of the price in this file (v_price)'),
('v_price_offer', 13, 'key', '', 'its printed key'),
('v_price_offer', 14, 'first_day', '', 'the earliest that valid_from may mean: its age is counted from there'),
('v_price_offer', 15, 'last_day', '', 'the latest that valid_from may mean'),
('v_price_offer', 16, 'offered', '', 'devices that are rented together; 0: any number, at a price stated for one'),
('v_price_offer', 17, 'currency', '', 'in which it is stated, ISO 4217'),
('v_price_offer', 18, 'stated', 'currency', 'for one device and hour'),
('v_price_offer', 19, 'usd', 'USD', 'for one unit of the currency; NULL: it is stated in USD'),
('v_price_offer', 20, 'rate_day', '', 'of that exchange rate'),
('v_price_offer', 21, 'rate_source', '', 'who says it');
INSERT INTO column_doc (view, place, column_name, unit, meaning)
SELECT 'v_price_used', place, column_name, unit, meaning FROM column_doc WHERE view = 'v_price';
