-- 045_fact.sql - results, specifications and prices as facts with a key and sometimes a name, and the claims that cite them.

-- One result, specification or price as a fact with a key; the three parts of v_fact.
CREATE VIEW v_fact_result AS
SELECT r.key AS key,
       coalesce(r.device || ' ', '') || coalesce(r.model || ' ', r.workload || ' ', '') ||
       coalesce(r.scenario || ' ', '') || r.metric || ' ' || r.statistic AS what,
       r.value AS value, r.unit AS unit, r.raw_value AS raw_value, r.raw_unit AS raw_unit,
       r.evidence AS evidence, r.source AS source, r.locator AS locator,
       (SELECT min(w.place) FROM (SELECT a.path || ', ' || e.locator AS place FROM entry e JOIN artifact a ON a.artifact_id = e.artifact_id
                                   WHERE e.entry_id = r.entry_id
                                  UNION ALL
                                  SELECT a.path || ', ' || x.locator FROM witness_again x JOIN artifact a ON a.artifact_id = x.artifact_id
                                   WHERE x.entry_id = r.entry_id) w) AS artifact,
       r.date AS date, r.formula AS formula, r.result_id AS result_id, r.entry_key AS entry_key, r.ordinal AS ordinal
  FROM v_statement r;
CREATE VIEW v_fact_spec AS
SELECT s.key AS key,
       coalesce((SELECT n.canon FROM name n WHERE n.kind = 'device' AND n.spelling = s.device AND n.part = 1), s.device) || ' ' ||
       s.quantity || coalesce(' ' || s.dtype, '') || coalesce(' ' || s.sparsity, '') || ' per ' || s.basis AS what,
       s.value AS value, s.unit AS unit, s.raw_value AS raw_value, s.raw_unit AS raw_unit, 'published' AS evidence,
       s.source AS source, s.locator AS locator,
       (SELECT min(a.path || ', ' || o.locator) FROM origin o JOIN artifact a ON a.artifact_id = o.artifact_id
         WHERE o.kind = 'spec' AND o.id = s.spec_id) AS artifact,
       coalesce(s.date, (SELECT q.published FROM source q WHERE q.source = s.source)) AS date, CAST(NULL AS TEXT) AS formula,
       s.spec_id AS spec_id, s.spec_key AS spec_key
  FROM spec_stated s;
CREATE VIEW v_fact_price AS
SELECT p.key AS key,
       p.provider || ' ' || coalesce(p.instance || ' ', '') || p.device || ' x' || p.devices || ' ' || p.kind ||
       ' per ' || p.per AS what,
       p.amount AS value, p.currency AS unit, p.raw_value AS raw_value, p.currency AS raw_unit, 'published' AS evidence,
       p.source AS source, p.locator AS locator,
       (SELECT min(a.path || ', ' || o.locator) FROM origin o JOIN artifact a ON a.artifact_id = o.artifact_id
         WHERE o.kind = 'price' AND o.id = p.price_id) AS artifact,
       p.valid_from AS date, CAST(NULL AS TEXT) AS formula, p.price_id AS price_id, p.price_key AS price_key
  FROM v_price p;

-- One fact by its key (r- result, s- specification, p- price, c- claim): value, source and every place.
-- fact_key, the first half of the key as a number, leads to it by an index.
CREATE VIEW v_fact AS
SELECT CAST(v.key AS TEXT) AS key, (SELECT f.fact FROM fact f WHERE f.kind = 'result' AND f.id = v.result_id) AS fact,
       'result' AS kind, v.what AS what, v.value AS value, v.unit AS unit, v.raw_value AS raw_value, v.raw_unit AS raw_unit,
       v.evidence AS evidence, v.source AS source, v.locator AS locator, v.artifact AS artifact, v.date AS date,
       CAST(v.formula AS TEXT) AS formula, v.entry_key AS fact_key
  FROM v_fact_result v
UNION ALL
SELECT CAST(v.key AS TEXT), (SELECT f.fact FROM fact f WHERE f.kind = 'spec' AND f.id = v.spec_id), 'spec', v.what, v.value, v.unit,
       v.raw_value, v.raw_unit, v.evidence, v.source, v.locator, v.artifact, v.date, CAST(v.formula AS TEXT), v.spec_key
  FROM v_fact_spec v
UNION ALL
SELECT CAST(v.key AS TEXT), (SELECT f.fact FROM fact f WHERE f.kind = 'price' AND f.id = v.price_id), 'price', v.what, v.value, v.unit,
       v.raw_value, v.raw_unit, v.evidence, v.source, v.locator, v.artifact, v.date, CAST(v.formula AS TEXT), v.price_key
  FROM v_fact_price v
UNION ALL
SELECT CAST('c-' || c.claim AS TEXT), NULL, 'claim', c.sentence, c.stated, '1', c.raw_value, NULL, 'published', c.source, c.locator,
       NULL, NULL, CAST(NULL AS TEXT), CAST(NULL AS INTEGER)
  FROM claim c;

-- One fact that has a name, found by the name: v_fact without those that have none. half: half of the last digit that was
-- printed, in the base unit; what is counted has none.
CREATE VIEW v_fact_named AS
SELECT v.fact AS fact, v.key AS key, v.value AS value, v.unit AS unit, v.what AS what,
       CASE WHEN (v.raw_unit = '1' AND v.raw_value NOT LIKE '%.%') OR v.raw_value LIKE '%e%' THEN 0.0
            ELSE abs(coalesce((SELECT max(d.half) FROM v_decimals d WHERE v.raw_value LIKE d.pattern),
                              CASE WHEN v.raw_value LIKE '%.%' THEN 0.0 ELSE 0.5 END) * v.value
                     / nullif(CAST(replace(v.raw_value, ',', '') AS DOUBLE PRECISION), 0)) END AS half
  FROM (SELECT f.fact AS fact, v.key AS key, v.value AS value, v.unit AS unit, v.what AS what, v.raw_value AS raw_value,
               v.raw_unit AS raw_unit
          FROM fact f JOIN v_fact_result v ON f.kind = 'result' AND v.result_id = f.id
        UNION ALL
        SELECT f.fact, v.key, v.value, v.unit, v.what, v.raw_value, v.raw_unit FROM fact f JOIN v_fact_spec v ON f.kind = 'spec' AND v.spec_id = f.id
        UNION ALL
        SELECT f.fact, v.key, v.value, v.unit, v.what, v.raw_value, v.raw_unit FROM fact f JOIN v_fact_price v ON f.kind = 'price' AND v.price_id = f.id) v;

-- One term of a claim, with the fact that it cites.
CREATE VIEW v_claim_term AS
SELECT t.claim AS claim, t.term AS term, t.part AS part, t.power AS power, t.fact AS fact, v.key AS key,
       v.value AS value, v.half AS half, v.unit AS unit, v.what AS what
  FROM claim_term t
  LEFT JOIN v_fact_named v ON v.fact = t.fact;

-- One part of a claim: the product of its terms, and the least and the most that it can be, since each is rounded. Steps: bound
-- (value +- half), raised (to the power's size: 1, 2 or 3), factor (1 / it where the power is negative, which swaps the ends),
-- product (term after term of one part).
CREATE VIEW v_claim_part AS
WITH RECURSIVE bound AS ( -- the terms with what the rounding leaves open
  SELECT claim, term, part, power, fact, value, value - CASE WHEN half < abs(value) THEN half ELSE 0 END AS low,
         value + CASE WHEN half < abs(value) THEN half ELSE 0 END AS high
    FROM v_claim_term),
raised AS (
  SELECT claim, term, part, power, fact, CASE abs(power) WHEN 1 THEN value WHEN 2 THEN value * value ELSE value * value * value END AS value,
         CASE abs(power) WHEN 1 THEN low WHEN 2 THEN low * low ELSE low * low * low END AS low,
         CASE abs(power) WHEN 1 THEN high WHEN 2 THEN high * high ELSE high * high * high END AS high
    FROM bound),
factor AS (
  SELECT claim, term, part, fact, CASE WHEN power > 0 THEN value ELSE 1 / nullif(value, 0) END AS value,
         CASE WHEN power > 0 THEN low ELSE 1 / nullif(high, 0) END AS low, CASE WHEN power > 0 THEN high ELSE 1 / nullif(low, 0) END AS high
    FROM raised),
product (claim, term, part, value, low, high, lacking) AS (
  SELECT claim, term, part, value, low, high, CASE WHEN value IS NULL THEN fact ELSE CAST('' AS TEXT) END FROM factor WHERE term = 1
  UNION ALL
  SELECT p.claim, f.term, f.part, CASE WHEN f.part = p.part THEN p.value * f.value ELSE f.value END,
         CASE WHEN f.part = p.part THEN p.low * f.low ELSE f.low END, CASE WHEN f.part = p.part THEN p.high * f.high ELSE f.high END,
         CASE WHEN f.value IS NOT NULL THEN p.lacking WHEN p.lacking = '' THEN f.fact ELSE p.lacking || ', ' || f.fact END
    FROM product p JOIN factor f ON f.claim = p.claim AND f.term = p.term + 1)
SELECT p.claim AS claim, p.part AS part, p.value AS value, p.low AS low, p.high AS high, p.lacking AS lacking, p.term AS term
  FROM product p
 WHERE NOT EXISTS (SELECT 1 FROM claim_term t WHERE t.claim = p.claim AND t.term = p.term + 1 AND t.part = p.part);

-- One statement to check: recomputed = coefficient x what `how` makes of its parts, + offset. low, high: what the rounding of
-- every number that it cites leaves open. It holds where that and what its words allow have a number in common.
-- how: product, sum and mean are those of the parts above the line, divided by those below it; rank is 1 + how many parts are
-- larger than the first; falls and rises count the steps that go the other way, each part against the one before, so that 0
-- is what is claimed. low counts what is certain, high also what rounding leaves possible. 1e-9: the rounding of doubles.
CREATE VIEW v_claim AS
WITH part AS MATERIALIZED (SELECT * FROM v_claim_part),
made AS MATERIALIZED (
  SELECT c.claim AS claim, count(*) - count(p.value) AS missing, max(p.lacking) AS lacking,
         CASE c.how
           WHEN 'mean' THEN avg(CASE WHEN p.part > 0 THEN p.value END) / coalesce(avg(CASE WHEN p.part < 0 THEN p.value END), 1)
           WHEN 'rank' THEN 1 + sum(CASE WHEN p.value > f.value THEN 1 ELSE 0 END)
           WHEN 'falls' THEN sum(CASE WHEN p.value >= b.value THEN 1 ELSE 0 END)
           WHEN 'rises' THEN sum(CASE WHEN p.value <= b.value THEN 1 ELSE 0 END)
           ELSE sum(CASE WHEN p.part > 0 THEN p.value END) / coalesce(sum(CASE WHEN p.part < 0 THEN p.value END), 1) END AS value,
         CASE c.how
           WHEN 'mean' THEN avg(CASE WHEN p.part > 0 THEN p.low END) / coalesce(avg(CASE WHEN p.part < 0 THEN p.high END), 1)
           WHEN 'rank' THEN 1 + sum(CASE WHEN p.low > f.high THEN 1 ELSE 0 END)
           WHEN 'falls' THEN sum(CASE WHEN p.low >= b.high THEN 1 ELSE 0 END)
           WHEN 'rises' THEN sum(CASE WHEN p.high <= b.low THEN 1 ELSE 0 END)
           ELSE sum(CASE WHEN p.part > 0 THEN p.low END) / coalesce(sum(CASE WHEN p.part < 0 THEN p.high END), 1) END AS low,
         CASE c.how
           WHEN 'mean' THEN avg(CASE WHEN p.part > 0 THEN p.high END) / coalesce(avg(CASE WHEN p.part < 0 THEN p.low END), 1)
           WHEN 'rank' THEN 1 + sum(CASE WHEN p.high > f.low AND p.part <> 1 THEN 1 ELSE 0 END)
           WHEN 'falls' THEN sum(CASE WHEN p.high >= b.low THEN 1 ELSE 0 END)
           WHEN 'rises' THEN sum(CASE WHEN p.low <= b.high THEN 1 ELSE 0 END)
           ELSE sum(CASE WHEN p.part > 0 THEN p.high END) / coalesce(sum(CASE WHEN p.part < 0 THEN p.low END), 1) END AS high
    FROM claim c
    JOIN part p ON p.claim = c.claim
    LEFT JOIN part f ON f.claim = p.claim AND f.part = 1           -- the first
    LEFT JOIN part b ON b.claim = p.claim AND b.part = p.part - 1  -- the one before
   GROUP BY c.claim, c.how),
done AS (
  SELECT c.claim AS claim, m.lacking AS lacking, CASE WHEN m.missing = 0 THEN c.coefficient * m.value + c."offset" END AS recomputed,
         CASE WHEN c.coefficient < 0 THEN c.coefficient * m.high ELSE c.coefficient * m.low END + c."offset" AS low,
         CASE WHEN c.coefficient < 0 THEN c.coefficient * m.low ELSE c.coefficient * m.high END + c."offset" AS high
    FROM claim c JOIN made m ON m.claim = c.claim),
allowed AS (
  SELECT c.claim AS claim, w.low * c.stated - w.digit * c.half AS low, w.high * coalesce(c.upper, c.stated) + w.digit * c.half AS high,
         w.words AS words, w.bounded AS bounded
    FROM (SELECT s.claim AS claim, s.stated AS stated, s.upper AS upper, s.words AS words,
                 coalesce((SELECT max(d.half) FROM v_decimals d WHERE s.raw_value LIKE d.pattern), -- of 1.8-1.95 the larger
                          CASE WHEN s.raw_value LIKE '%.%' THEN 0.0 ELSE 0.5 END) AS half
            FROM claim s) c
    LEFT JOIN v_claim_word w ON w.words = c.words)
SELECT c.claim AS claim, c.source AS source, c.locator AS locator, c.stated AS stated,
       d.recomputed AS recomputed, CASE WHEN d.recomputed IS NOT NULL THEN d.low END AS low,
       CASE WHEN d.recomputed IS NOT NULL THEN d.high END AS high, a.low AS least, CASE WHEN a.bounded = 1 THEN a.high END AS most,
       CASE WHEN d.recomputed IS NULL OR a.words IS NULL THEN 'unknown'
            WHEN d.high >= a.low - 1e-9 * abs(a.low) AND (a.bounded = 0 OR d.low <= a.high + 1e-9 * abs(a.high)) THEN 'holds'
            ELSE 'fails' END AS verdict,
       CASE WHEN a.words IS NULL THEN 'no such words in v_claim_word: ' || c.words
            WHEN d.recomputed IS NOT NULL THEN NULL WHEN c.missing IS NOT NULL THEN c.missing
            WHEN d.lacking <> '' THEN 'no fact ' || d.lacking ELSE 'no terms' END AS reason,
       c.sentence AS sentence, c.raw_value AS raw_value, c.upper AS upper, c.words AS words, c.how AS how,
       (SELECT count(*) FROM claim_term t WHERE t.claim = c.claim) AS terms
  FROM claim c JOIN allowed a ON a.claim = c.claim LEFT JOIN done d ON d.claim = c.claim;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_fact', 1, 'key', '', 'r- result, s- specification, p- price, c- number that a claim states'),
('v_fact', 2, 'fact', '', 'its name, where it has one'),
('v_fact', 3, 'kind', '', 'result, spec, price or claim'),
('v_fact', 4, 'what', '', 'in words'),
('v_fact', 5, 'value', 'unit', 'in the base unit'),
('v_fact', 6, 'unit', '', 'base unit, or currency'),
('v_fact', 7, 'raw_value', '', 'as published'),
('v_fact', 8, 'raw_unit', '', 'as published'),
('v_fact', 9, 'evidence', '', 'measured, published or mlperf'),
('v_fact', 10, 'source', '', 'who says it'),
('v_fact', 11, 'locator', '', 'table, figure, line or cell'),
('v_fact', 12, 'artifact', '', 'file, and line of it'),
('v_fact', 13, 'date', '', 'of the statement'),
('v_fact', 14, 'formula', '', 'identifier/version where abdb computed it'),
('v_fact', 15, 'fact_key', '', 'first 16 hexadecimal digits of the key as a number: an index leads to it; NULL for a claim'),
('v_fact_named', 1, 'fact', '', 'its name'),
('v_fact_named', 2, 'key', '', 'its printed key'),
('v_fact_named', 3, 'value', 'unit', 'in the base unit'),
('v_fact_named', 4, 'unit', '', 'base unit, or currency'),
('v_fact_named', 5, 'what', '', 'in words'),
('v_fact_named', 6, 'half', 'unit', 'half of the last digit that was printed; 0 of what is counted'),
('v_claim', 1, 'claim', '', 'name'),
('v_claim', 2, 'source', '', 'who claims it'),
('v_claim', 3, 'locator', '', 'where'),
('v_claim', 4, 'stated', '', 'the number claimed'),
('v_claim', 5, 'recomputed', '', 'from facts; NULL: cannot be'),
('v_claim', 6, 'low', '', 'the least that recomputed can be, by the rounding of every number that it cites'),
('v_claim', 7, 'high', '', 'the most that it can be'),
('v_claim', 8, 'least', '', 'what the number claimed allows, by its words (v_claim_word) and its last digit: from here'),
('v_claim', 9, 'most', '', 'to here; NULL: no bound'),
('v_claim', 10, 'verdict', '', 'holds, fails, unknown'),
('v_claim', 11, 'reason', '', 'what is missing'),
('v_claim', 12, 'sentence', '', 'in our words'),
('v_claim', 13, 'raw_value', '', 'as printed'),
('v_claim', 14, 'upper', '', 'the other end, where a range is claimed'),
('v_claim', 15, 'words', '', 'how exactly it is said (v_claim_word)'),
('v_claim', 16, 'how', '', 'what is made of its parts: product, sum, mean, rank, falls, rises'),
('v_claim', 17, 'terms', '', 'facts that it is recomputed from'),
('v_claim_part', 1, 'claim', '', 'the claim'),
('v_claim_part', 2, 'part', '', '1, 2, ...; below the line -1, -2, ...'),
('v_claim_part', 3, 'value', '', 'the product of its terms; NULL: a fact is missing'),
('v_claim_part', 4, 'low', '', 'the least that it can be, by the rounding of its terms'),
('v_claim_part', 5, 'high', '', 'the most that it can be'),
('v_claim_part', 6, 'lacking', '', 'facts that are missing, up to here'),
('v_claim_part', 7, 'term', '', 'its last term'),
('v_claim_term', 1, 'claim', '', 'the claim'),
('v_claim_term', 2, 'term', '', '1, 2, ...'),
('v_claim_term', 3, 'part', '', 'of the claim: 1, 2, ...; below the line -1, -2, ...'),
('v_claim_term', 4, 'power', '', 'exponent'),
('v_claim_term', 5, 'fact', '', 'name of the fact'),
('v_claim_term', 6, 'key', '', 'its printed key; NULL: no such fact here'),
('v_claim_term', 7, 'value', 'unit', 'its value'),
('v_claim_term', 8, 'half', 'unit', 'half of the last digit that was printed'),
('v_claim_term', 9, 'unit', '', 'base unit'),
('v_claim_term', 10, 'what', '', 'in words');
INSERT INTO column_doc (view, place, column_name, unit, meaning)
SELECT v.view, c.place - CASE WHEN c.place > 3 THEN 2 ELSE 0 END, c.column_name, c.unit, c.meaning
  FROM column_doc c
  CROSS JOIN (SELECT 'v_fact_result' AS view UNION ALL SELECT 'v_fact_spec' UNION ALL SELECT 'v_fact_price') v
 WHERE c.view = 'v_fact' AND c.column_name NOT IN ('fact', 'kind', 'fact_key');
UPDATE column_doc SET meaning = 'its printed key' WHERE view IN ('v_fact_result', 'v_fact_spec', 'v_fact_price') AND place = 1;
INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_fact_result', 13, 'result_id', '', 'number of the result in this file (v_result)'),
('v_fact_result', 14, 'entry_key', '', 'first 16 hexadecimal digits of the key as a number: an index leads to it'),
('v_fact_result', 15, 'ordinal', '', 'place in the run, the end of the key'),
('v_fact_spec', 13, 'spec_id', '', 'number of the specification in this file (v_spec)'),
('v_fact_spec', 14, 'spec_key', '', 'first 16 hexadecimal digits of the key as a number: an index leads to it'),
('v_fact_price', 13, 'price_id', '', 'number of the price in this file (v_price)'),
('v_fact_price', 14, 'price_key', '', 'first 16 hexadecimal digits of the key as a number: an index leads to it');
