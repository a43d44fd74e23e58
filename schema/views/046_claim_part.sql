-- 046_claim_part.sql - the parts of a claim. schema/dialect has another form of it for PostgreSQL.

-- One part of a claim: the product of its terms, term after term, and the least and the most that it can be, since each is rounded.
CREATE VIEW v_claim_part AS
WITH RECURSIVE factor AS MATERIALIZED (SELECT * FROM claim_factor),
product (claim, term, part, value, low, high, lacking) AS (
  SELECT claim, term, part, value, low, high, CASE WHEN value IS NULL THEN fact ELSE CAST('' AS TEXT) END FROM factor WHERE term = 1
  UNION ALL
  SELECT p.claim, f.term, f.part, CASE WHEN f.part = p.part THEN p.value * f.value ELSE f.value END,
         CASE WHEN f.part = p.part THEN p.low * f.low ELSE f.low END, CASE WHEN f.part = p.part THEN p.high * f.high ELSE f.high END,
         CASE WHEN f.value IS NOT NULL THEN p.lacking WHEN p.lacking = '' THEN f.fact ELSE p.lacking || ', ' || f.fact END
    FROM product p JOIN factor f ON f.claim = p.claim AND f.term = p.term + 1)
SELECT p.claim AS claim, p.part AS part, p.value AS value, p.low AS low, p.high AS high, CAST(p.lacking AS TEXT) AS lacking, p.term AS term
  FROM product p
 WHERE NOT EXISTS (SELECT 1 FROM claim_term t WHERE t.claim = p.claim AND t.term = p.term + 1 AND t.part = p.part);
