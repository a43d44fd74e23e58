-- 046_claim_part.sql - the parts of a claim without recursion, for which Citus has no plan.

CREATE VIEW v_claim_part AS
SELECT f.claim, f.part, CASE WHEN count(*) = count(f.value) THEN multiplied(f.value ORDER BY f.term) END AS value,
       CASE WHEN count(*) = count(f.low) THEN multiplied(f.low ORDER BY f.term) END AS low,
       CASE WHEN count(*) = count(f.high) THEN multiplied(f.high ORDER BY f.term) END AS high,
       coalesce(max(f.lacking), '') AS lacking, max(f.term) AS term
  FROM (SELECT t.*, string_agg(CASE WHEN t.value IS NULL THEN t.fact END, ', ') OVER (PARTITION BY t.claim ORDER BY t.term) AS lacking
          FROM claim_factor t) f
 GROUP BY f.claim, f.part;
