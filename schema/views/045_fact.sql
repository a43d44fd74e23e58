-- 045_fact.sql - results, specifications and prices as facts with a key and sometimes a name, and the claims that cite them.

-- One result, specification or price as a fact with a key; the three parts of v_fact.
CREATE VIEW v_fact_result AS
SELECT r.key AS key,
       CAST(coalesce(r.device || ' ', '') || coalesce(r.model || ' ', r.workload || ' ', '') ||
       coalesce(r.scenario || ' ', '') || r.metric || ' ' || r.statistic AS TEXT) AS what,
       r.value AS value, r.unit AS unit, r.raw_value AS raw_value, r.raw_unit AS raw_unit,
       r.evidence AS evidence, r.source AS source, r.locator AS locator,
       CAST(coalesce((SELECT min(CASE WHEN a.path || ', ' || e.locator < b.path || ', ' || x.locator THEN a.path || ', ' || e.locator
                                 ELSE b.path || ', ' || x.locator END)
                   FROM witness_again x JOIN artifact b ON b.artifact_id = x.artifact_id
                   JOIN entry e ON e.entry_id = x.entry_id LEFT JOIN artifact a ON a.artifact_id = e.artifact_id
                  WHERE x.entry_id = r.entry_id AND x.locator IS NOT NULL),
                (SELECT a.path || ', ' || e.locator FROM entry e JOIN artifact a ON a.artifact_id = e.artifact_id
                  WHERE e.entry_id = r.entry_id)) AS TEXT) AS artifact,
       r.date AS date, r.formula AS formula, r.result_id AS result_id, r.entry_key AS entry_key, r.ordinal AS ordinal,
       CAST(CASE WHEN length(r.date) >= 10 THEN substr(r.date, 1, 10) ELSE substr(r.date || '-01-01', 1, 10) END AS TEXT) AS day
  FROM v_statement r;
CREATE VIEW v_fact_spec AS
SELECT s.key AS key,
       CAST(coalesce((SELECT n.canon FROM name n WHERE n.kind = 'device' AND n.spelling = s.device AND n.part = 1), s.device) || ' ' ||
       s.quantity || coalesce(' ' || s.dtype, '') || coalesce(' ' || s.sparsity, '') || ' per ' || s.basis AS TEXT) AS what,
       s.value AS value, s.unit AS unit, s.raw_value AS raw_value, s.raw_unit AS raw_unit, CAST('published' AS TEXT) AS evidence,
       s.source AS source, s.locator AS locator,
       CAST((SELECT min(a.path || ', ' || o.locator) FROM origin o JOIN artifact a ON a.artifact_id = o.artifact_id
         WHERE o.kind = 'spec' AND o.id = s.spec_id) AS TEXT) AS artifact,
       CAST(coalesce(s.date, (SELECT q.published FROM source q WHERE q.source = s.source)) AS TEXT) AS date, CAST(NULL AS TEXT) AS formula,
       s.spec_id AS spec_id, s.spec_key AS spec_key,
       (SELECT CAST(CASE WHEN length(x.date) >= 10 THEN substr(x.date, 1, 10) ELSE substr(x.date || '-01-01', 1, 10) END AS TEXT)
          FROM (SELECT coalesce(s.date, (SELECT q.published FROM source q WHERE q.source = s.source)) AS date) x) AS day
  FROM spec_stated s;
CREATE VIEW v_fact_price AS
SELECT p.key AS key,
       CAST(p.provider || ' ' || coalesce(p.instance || ' ', '') || p.device || ' x' || p.devices || ' ' || p.kind ||
       ' per ' || p.per AS TEXT) AS what,
       p.amount AS value, p.currency AS unit, p.raw_value AS raw_value, p.currency AS raw_unit, CAST('published' AS TEXT) AS evidence,
       p.source AS source, p.locator AS locator,
       CAST((SELECT min(a.path || ', ' || o.locator) FROM origin o JOIN artifact a ON a.artifact_id = o.artifact_id
         WHERE o.kind = 'price' AND o.id = p.price_id) AS TEXT) AS artifact,
       p.valid_from AS date, CAST(NULL AS TEXT) AS formula, p.price_id AS price_id, p.price_key AS price_key,
       CAST(CASE WHEN length(p.valid_from) >= 10 THEN substr(p.valid_from, 1, 10) ELSE substr(p.valid_from || '-01-01', 1, 10) END AS TEXT) AS day
  FROM v_price p;

-- One fact by its key (r- result, s- specification, p- price, c- claim): value, source and every place.
-- fact_key, the first half of the key as a number, leads to it by an index.
CREATE VIEW v_fact AS
SELECT CAST(v.key AS TEXT) AS key, (SELECT f.fact FROM fact f WHERE f.kind = 'result' AND f.id = v.result_id) AS fact,
       CAST('result' AS TEXT) AS kind, v.what AS what, v.value AS value, v.unit AS unit, v.raw_value AS raw_value, v.raw_unit AS raw_unit,
       v.evidence AS evidence, v.source AS source, v.locator AS locator, v.artifact AS artifact, v.date AS date,
       CAST(v.formula AS TEXT) AS formula, v.entry_key AS fact_key,
       CAST(CASE WHEN length(v.date) >= 10 THEN substr(v.date, 1, 10) ELSE substr(v.date || '-01-01', 1, 10) END AS TEXT) AS day
  FROM v_fact_result v
UNION ALL
SELECT CAST(v.key AS TEXT), (SELECT f.fact FROM fact f WHERE f.kind = 'spec' AND f.id = v.spec_id), CAST('spec' AS TEXT), v.what, v.value, v.unit,
       v.raw_value, v.raw_unit, v.evidence, v.source, v.locator, v.artifact, v.date, CAST(v.formula AS TEXT), v.spec_key,
       CAST(CASE WHEN length(v.date) >= 10 THEN substr(v.date, 1, 10) ELSE substr(v.date || '-01-01', 1, 10) END AS TEXT)
  FROM v_fact_spec v
UNION ALL
SELECT CAST(v.key AS TEXT), (SELECT f.fact FROM fact f WHERE f.kind = 'price' AND f.id = v.price_id), CAST('price' AS TEXT), v.what, v.value, v.unit,
       v.raw_value, v.raw_unit, v.evidence, v.source, v.locator, v.artifact, v.date, CAST(v.formula AS TEXT), v.price_key,
       CAST(CASE WHEN length(v.date) >= 10 THEN substr(v.date, 1, 10) ELSE substr(v.date || '-01-01', 1, 10) END AS TEXT)
  FROM v_fact_price v
UNION ALL
SELECT CAST('c-' || c.claim AS TEXT), NULL, CAST('claim' AS TEXT), c.sentence, c.stated, '1', c.raw_value, NULL, 'published', c.source, c.locator,
       NULL, NULL, CAST(NULL AS TEXT), CAST(NULL AS INTEGER),
       NULL
  FROM claim c;

-- One fact that has a name, found by the name: v_fact without those that have none. half: half of the last digit that was
-- printed, in the base unit; what is counted has none.
CREATE VIEW v_fact_named AS
SELECT v.fact AS fact, v.key AS key, v.value AS value, v.unit AS unit, v.what AS what,
       CAST(CASE WHEN (v.raw_unit = '1' AND v.raw_value NOT LIKE '%.%') OR v.raw_value LIKE '%e%' THEN 0.0
            ELSE abs(coalesce((SELECT max(d.half) FROM v_decimals d WHERE v.raw_value LIKE d.pattern),
                              CASE WHEN v.raw_value LIKE '%.%' THEN 0.0 ELSE 0.5 END) * v.value
                     / nullif(CAST(replace(v.raw_value, ',', '') AS DOUBLE PRECISION), 0)) END AS DOUBLE PRECISION) AS half
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

-- One term of a claim as what it multiplies by. Steps: bound (value +- half), raised (to the power's size: 1, 2 or 3), then 1 / it where
-- the power is negative, which swaps the ends.
CREATE VIEW claim_factor AS
WITH bound AS ( -- the terms with what the rounding leaves open
  SELECT claim, term, part, power, fact, value, value - CASE WHEN half < abs(value) THEN half ELSE 0 END AS low,
         value + CASE WHEN half < abs(value) THEN half ELSE 0 END AS high
    FROM v_claim_term),
raised AS (
  SELECT claim, term, part, power, fact, CASE abs(power) WHEN 1 THEN value WHEN 2 THEN value * value ELSE value * value * value END AS value,
         CASE abs(power) WHEN 1 THEN low WHEN 2 THEN low * low ELSE low * low * low END AS low,
         CASE abs(power) WHEN 1 THEN high WHEN 2 THEN high * high ELSE high * high * high END AS high
    FROM bound)
SELECT claim, term, part, fact, CAST(CASE WHEN power > 0 THEN value ELSE 1 / nullif(value, 0) END AS DOUBLE PRECISION) AS value,
         CAST(CASE WHEN power > 0 THEN low ELSE 1 / nullif(high, 0) END AS DOUBLE PRECISION) AS low,
       CAST(CASE WHEN power > 0 THEN high ELSE 1 / nullif(low, 0) END AS DOUBLE PRECISION) AS high
    FROM raised;

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
