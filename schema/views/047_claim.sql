-- 047_claim.sql - claims, recomputed from the facts that they cite.

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
       CAST(d.recomputed AS DOUBLE PRECISION) AS recomputed, CAST(CASE WHEN d.recomputed IS NOT NULL THEN d.low END AS DOUBLE PRECISION) AS low,
       CAST(CASE WHEN d.recomputed IS NOT NULL THEN d.high END AS DOUBLE PRECISION) AS high, CAST(a.low AS DOUBLE PRECISION) AS least,
       CAST(CASE WHEN a.bounded = 1 THEN a.high END AS DOUBLE PRECISION) AS most,
       CAST(CASE WHEN d.recomputed IS NULL OR a.words IS NULL THEN 'unknown'
            WHEN d.high >= a.low - 1e-9 * abs(a.low) AND (a.bounded = 0 OR d.low <= a.high + 1e-9 * abs(a.high)) THEN 'holds'
            ELSE 'fails' END AS TEXT) AS verdict,
       CAST(CASE WHEN a.words IS NULL THEN 'no such words in v_claim_word: ' || c.words
            WHEN d.recomputed IS NOT NULL THEN NULL WHEN c.missing IS NOT NULL THEN c.missing
            WHEN d.lacking <> '' THEN 'no fact ' || d.lacking ELSE 'no terms' END AS TEXT) AS reason,
       c.sentence AS sentence, c.raw_value AS raw_value, c.upper AS upper, c.words AS words, c.how AS how,
       CAST((SELECT count(*) FROM claim_term t WHERE t.claim = c.claim) AS INTEGER) AS terms
  FROM claim c JOIN allowed a ON a.claim = c.claim LEFT JOIN done d ON d.claim = c.claim;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_claim_part', 1, 'claim', '', 'the claim'),
('v_claim_part', 2, 'part', '', '1, 2, ...; below the line -1, -2, ...'),
('v_claim_part', 3, 'value', '', 'the product of its terms; NULL: a fact is missing'),
('v_claim_part', 4, 'low', '', 'the least that it can be, by the rounding of its terms'),
('v_claim_part', 5, 'high', '', 'the most that it can be'),
('v_claim_part', 6, 'lacking', '', 'facts that are missing, up to here'),
('v_claim_part', 7, 'term', '', 'its last term'),
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
('v_claim', 17, 'terms', '', 'facts that it is recomputed from');
