-- title: {contender} against {baseline}, cell by cell
-- question: two sets cell by cell, with intervals and verdicts
-- group: What was measured here?
-- site: Measured here
-- param: baseline | text | | selection of the base (default: tag=FIRST)
-- param: contender | text | | selection of the other (default: tag=LAST)
-- param: metric | text | time_s | metric
-- param: exploratory | flag | | pairs that a rule refuses, too, stamped
-- param: limit | number 1.. | 30 | pairs at most: the largest effects
-- column: what | cell | cut44 | what was measured
-- column: ratio | ratio | 3 | contender / baseline: of trimmed means of process medians where there are samples
-- column: low | low | 3 | of its interval
-- column: high | high | 3 |
-- column: verdict | verdict | | faster, slower, same, ~ (no evidence), too-few, stated
-- column: p | p | g2 | of this pair alone (abdb compare)
-- column: baseline_n | n | | of the baseline
-- column: contender_n | n | | of the contender
-- column: standing | standing | | comparable, or what differs
-- column: exploratory | exploratory | | stamped where a rule refuses the pair
-- @table pair
WITH side (a, b) AS (
  SELECT coalesce(:baseline, 'tag=''' || (SELECT tag FROM v_run WHERE tag IS NOT NULL AND tag NOT LIKE '%''%' ORDER BY date, tag LIMIT 1) || ''''),
         coalesce(:contender, 'tag=''' || (SELECT tag FROM v_run WHERE tag IS NOT NULL AND tag NOT LIKE '%''%' ORDER BY date DESC, tag DESC LIMIT 1) || ''''))
SELECT c.* FROM side s JOIN abdb_compare(s.a, s.b, :metric, NULL, :exploratory) c WHERE s.a <> s.b
-- @rows
SELECT coalesce((SELECT replace(e.cell, ' n=auto', '') FROM v_run e
                  WHERE e.entry_key = key_number(substr(facts, 1, instr(facts || ' ', ' ') - 1)) AND e.run = 'e-' || substr(facts, 3, 32)
                    AND e.source = 'abdb-run'),
                trim(coalesce(workload, '') || ' ' || coalesce(scenario, ''))) AS what, ratio, ratio_low AS low, ratio_high AS high, verdict, p,
       baseline_n, contender_n, standing, exploratory, facts AS _facts, count(*) OVER () AS _whole
  FROM pair
 WHERE ratio IS NOT NULL AND statistic IN ('median', 'mean', 'value', 'olympic-mean') ORDER BY abs(ln(ratio)) DESC, 1 LIMIT :limit;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, 'n = ' || count(ratio) || CASE count(ratio) WHEN 1 THEN ' pair' ELSE ' pairs' END || '; interval and p by processes (abdb compare); stated: single values, no interval' AS line FROM pair HAVING count(*) > 0
  UNION ALL SELECT 2, count(*) || CASE count(*) WHEN 1 THEN ' pair' ELSE ' pairs' END || ' refused: ' || max(sentence) FROM pair WHERE ratio IS NULL AND rule <> '' HAVING count(*) > 0
  UNION ALL SELECT 0, 'EXPLORATORY: a rule refuses ' || count(*) || ' of these pairs: ' || max(sentence)
    FROM pair WHERE coalesce(exploratory, '') <> '' HAVING count(*) > 0)
 ORDER BY place;
