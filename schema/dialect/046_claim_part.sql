-- 046_claim_part.sql - the parts of a claim without recursion, for which Citus has no plan.

CREATE VIEW v_claim_part AS
SELECT f.claim, f.part, CASE WHEN count(*) = count(f.value) THEN multiplied(f.value ORDER BY f.term) END AS value,
       CASE WHEN count(*) = count(f.low) THEN multiplied(f.low ORDER BY f.term) END AS low,
       CASE WHEN count(*) = count(f.high) THEN multiplied(f.high ORDER BY f.term) END AS high,
       coalesce(max(f.lacking), '') AS lacking, max(f.term) AS term
  FROM (SELECT t.*, string_agg(CASE WHEN t.value IS NULL THEN t.fact END, ', ') OVER (PARTITION BY t.claim ORDER BY t.term) AS lacking
          FROM claim_factor t) f
 GROUP BY f.claim, f.part;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_claim_part', 1, 'claim', '', 'the claim'),
('v_claim_part', 2, 'part', '', '1, 2, ...; below the line -1, -2, ...'),
('v_claim_part', 3, 'value', '', 'the product of its terms; NULL: a fact is missing'),
('v_claim_part', 4, 'low', '', 'the least that it can be, by the rounding of its terms'),
('v_claim_part', 5, 'high', '', 'the most that it can be'),
('v_claim_part', 6, 'lacking', '', 'facts that are missing, up to here'),
('v_claim_part', 7, 'term', '', 'its last term');
