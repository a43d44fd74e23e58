-- title: Facts, where they come from, and what uses them
-- question: single facts by key or name, with source, place and file (`abdb explain` draws them as a tree)
-- group: What is in the database, and where from?
-- footnotes: none
-- param: keys | text | | keys (r-, s-, p-, e- of a run; 4 digits or more of one; l- of a limit), names of facts, claims, public IDs (v6.0-0010); blanks between them
-- column: key | key | | r- result, s- specification, p- price, c- number that a claim states, l- latency limit
-- column: fact | fact | | its name, where it has one
-- column: kind | kind | | result, spec, price, claim or limit
-- column: what | what | cut50 | in words
-- column: value | value | g6 | in the base unit
-- column: unit | unit | | base unit, or currency
-- column: raw_value | printed | | as published
-- column: raw_unit | in | | as published
-- column: evidence | evidence | | measured, published or mlperf
-- column: source | source | | who says it
-- column: locator | where | cut40 | table, figure, section or line
-- column: date | of | | date of the statement
-- column: artifact | read from | cut40 | file, and line of it
-- column: formula | formula | | identifier@version where abdb computed it
-- column: used_by | claims | cut40 | claims recomputed from it, with their verdict
-- column: title | title | cut40 | of the source
-- column: author | author | cut30 | of the source
-- column: url | url | | of the source
-- column: published | published | | date of the source
-- column: retrieved | retrieved | | date when it was read
-- likelihood() tells the planner that a key, or its beginning, is that of few.
-- @table word
WITH one_word (word) AS (
  SELECT DISTINCT value FROM json_each('[' || replace(json_quote(coalesce(:keys, '')), ' ', '","') || ']') WHERE value <> '')
SELECT * FROM one_word
-- @table asked
WITH one_asked (claim) AS (
  SELECT claim FROM claim WHERE claim IN (SELECT CASE WHEN word GLOB 'c-*' THEN substr(word, 3) ELSE word END FROM word))
SELECT * FROM one_asked
-- @table range
-- a key, or the beginning of one, is a range of an index
WITH one_range (kind, word, low, high) AS (  SELECT substr(word, 1, 1), word, key_number(substr(substr(word, 1, 34) || '00000000000000000000000000000000', 1, 34)),
         key_number(substr(substr(word, 1, 34) || 'ffffffffffffffffffffffffffffffff', 1, 34))
    FROM word WHERE word GLOB '[ersp]-[0-9a-f][0-9a-f][0-9a-f][0-9a-f]*')
SELECT * FROM one_range
-- @table named
WITH one_named (fact, kind, id) AS (
  SELECT fact, kind, id FROM fact
   WHERE fact IN (SELECT word FROM word UNION SELECT t.fact FROM asked a JOIN claim_term t ON t.claim = a.claim))
SELECT * FROM one_named
-- @table again
-- results of readings that a newer one replaced
WITH one_again (word, entry_key, entry_key_low, ordinal) AS (
  SELECT w.word, e.entry_key, e.entry_key_low, r.ordinal
    FROM range w
   CROSS JOIN entry_row e ON likelihood(e.entry_key >= w.low, 0.00001) AND likelihood(e.entry_key <= w.high, 0.1)
    JOIN result_row r ON r.entry_id = e.entry_id
   WHERE w.kind IN ('r', 'e') AND e.entry_id IN (SELECT id FROM gone WHERE kind = 'entry')
     AND (length(w.word) <= 34 AND substr(printf('%016x%016x', e.entry_key, e.entry_key_low), 1, length(w.word) - 2) = substr(w.word, 3)
          OR w.word = printf('r-%016x%016x-%d', e.entry_key, e.entry_key_low, r.ordinal)))
SELECT * FROM one_again
-- @rows
WITH meant (kind, id) AS MATERIALIZED (
  SELECT kind, id FROM named
  UNION
  SELECT 'result', s.result_id
    FROM word w JOIN subject s ON w.word GLOB '*[0-9].[0-9]-[0-9]*' AND s.preferred = 1 AND ltrim(s.public_id, 'v') = ltrim(w.word, 'v')
    JOIN result r ON r.result_id = s.result_id JOIN metric m ON m.metric = r.metric_stem AND m.metric_class = 'performance'
  UNION
  SELECT 'result', f.result_id
    FROM range w CROSS JOIN v_fact_result f ON likelihood(f.entry_key >= w.low, 0.00001) AND likelihood(f.entry_key <= w.high, 0.1)
   WHERE f.key = w.word OR (length(w.word) <= 34 AND w.kind IN ('r', 'e') AND substr(f.key, 3, length(w.word) - 2) = substr(w.word, 3))
  UNION -- what was read again under another key
  SELECT 'result', (SELECT s.result_id FROM successor s
                     WHERE s.old_key = a.entry_key AND s.old_key_low = a.entry_key_low AND s.old_ordinal = a.ordinal
                     ORDER BY s.other_value, s.result_id LIMIT 1)
    FROM again a
  UNION
  SELECT 'spec', f.spec_id
    FROM range w CROSS JOIN v_fact_spec f ON likelihood(f.spec_key >= w.low, 0.00001) AND likelihood(f.spec_key <= w.high, 0.1)
   WHERE substr(f.key, 1, length(w.word)) = w.word
  UNION
  SELECT 'price', f.price_id
    FROM range w CROSS JOIN v_fact_price f ON likelihood(f.price_key >= w.low, 0.00001) AND likelihood(f.price_key <= w.high, 0.1)
   WHERE substr(f.key, 1, length(w.word)) = w.word),
cited (kind, id, claim) AS MATERIALIZED (
  SELECT DISTINCT m.kind, m.id, t.claim FROM meant m JOIN fact n ON n.kind = m.kind AND n.id = m.id JOIN claim_term t ON t.fact = n.fact),
stated AS MATERIALIZED (SELECT * FROM v_claim WHERE claim IN (SELECT claim FROM asked UNION SELECT claim FROM cited)),
found AS (
  SELECT m.kind, m.id, f.key, f.what, f.value, f.unit,
         f.raw_value, f.raw_unit, f.evidence, f.source, f.locator, f.date, f.artifact, f.formula
    FROM meant m CROSS JOIN v_fact_result f ON f.result_id = m.id WHERE m.kind = 'result'
  UNION ALL
  SELECT m.kind, m.id, f.key, f.what, f.value, f.unit,
         f.raw_value, f.raw_unit, f.evidence, f.source, f.locator, f.date, f.artifact, f.formula
    FROM meant m CROSS JOIN v_fact_spec f ON f.spec_id = m.id WHERE m.kind = 'spec'
  UNION ALL
  SELECT m.kind, m.id, f.key, f.what, f.value, f.unit,
         f.raw_value, f.raw_unit, f.evidence, f.source, f.locator, f.date, f.artifact, f.formula
    FROM meant m CROSS JOIN v_fact_price f ON f.price_id = m.id WHERE m.kind = 'price'
  UNION ALL
  SELECT 'claim', NULL, 'c-' || claim, sentence, stated, '1', raw_value, NULL, 'published', source, locator, NULL, NULL, NULL
    FROM stated WHERE claim IN (SELECT claim FROM asked)
  UNION ALL
  SELECT 'limit', NULL, w.word, printf('%s %s %s p%g, %s %s', l.benchmark, l.scenario, l.quantity, l.percentile, l.suite, l.round), l.limit_s, 's',
         NULL, NULL, 'published', l.source, l.locator, NULL, NULL, NULL
    FROM word w JOIN v_scenario_limit l ON w.word = printf('l-%s/%s/%s/%s/%s', l.suite, l.round, l.benchmark, l.scenario, l.quantity)
   WHERE w.word GLOB 'l-*/*')
SELECT f.key, f.fact, f.kind, f.what, f.value, f.unit, f.raw_value, f.raw_unit, f.evidence, f.source, f.locator, f.date,
       f.artifact, f.formula, f.used_by, s.title, s.author, s.url, s.published, s.retrieved, f.key AS _facts
  FROM (SELECT f.*, (SELECT min(n.fact) FROM fact n WHERE n.kind = f.kind AND n.id = f.id) AS fact,
               (SELECT group_concat(line, ', ')
                  FROM (SELECT c.claim || ' (' || c.verdict || ')' AS line FROM cited t JOIN stated c ON c.claim = t.claim
                         WHERE t.kind = f.kind AND t.id = f.id ORDER BY c.claim)) AS used_by
          FROM found f) f
  LEFT JOIN v_source s ON s.source = f.source
 ORDER BY f.kind <> 'claim', f.kind = 'price', f.kind = 'spec', f.fact, f.key;
-- @notes
WITH sought (word, kind, low, high) AS ( -- by key; by the name of what is not there any more
  SELECT word, kind, low, high FROM range
  UNION ALL SELECT n.fact, 'e', e.entry_key, e.entry_key FROM named n JOIN result_row r ON r.result_id = n.id JOIN entry_row e ON e.entry_id = r.entry_id
   WHERE n.kind = 'result'
  UNION ALL SELECT n.fact, 's', s.spec_key, s.spec_key FROM named n JOIN spec s ON s.spec_id = n.id WHERE n.kind = 'spec'
  UNION ALL SELECT n.fact, 'p', p.price_key, p.price_key FROM named n JOIN price p ON p.price_id = n.id WHERE n.kind = 'price')
SELECT DISTINCT (SELECT '! ' || a.word || ' was withdrawn ' || g.date || ': ' || g.reason
                   FROM v_gone g WHERE likelihood(g.fact_key >= a.low, 0.00001) AND likelihood(g.fact_key <= a.high, 0.1)
                    AND (g.fact = a.word OR substr(g.key, 3, length(a.word) - 2) = substr(a.word, 3, 32)))
  FROM sought a;
