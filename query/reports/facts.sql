-- title: Facts, where they come from, and what uses them
-- footnotes: none
-- param: keys | text | | keys (r-, s-, p-, or their first letters), names of facts, claims; blanks between them
-- column: key | key | | r- result, s- specification, p- price, c- number that a claim states
-- column: fact | fact | | its name, where it has one
-- column: kind | kind | | result, spec, price or claim
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
-- @with
WITH word (word) AS (
  SELECT value FROM json_each('[' || replace(json_quote(coalesce(:keys, '')), ' ', '","') || ']') WHERE value <> ''),
start (word) AS ( -- of keys
  SELECT replace(word, 'e-', 'r-') FROM word
   WHERE word GLOB '[ersp]-[0-9a-f]*' AND length(word) BETWEEN 6 AND CASE WHEN word GLOB '[sp]*' THEN 17 ELSE 18 END),
asked (word) AS (
  SELECT word FROM word
  UNION SELECT 'c-' || word FROM word
  UNION SELECT t.key FROM v_claim_term t JOIN word w ON w.word = t.claim WHERE t.key IS NOT NULL)
-- @rows
, used (key, claims) AS (
  SELECT t.key, group_concat(c.claim || ' (' || c.verdict || ')', ', ')
    FROM v_claim_term t JOIN v_claim c ON c.claim = t.claim WHERE t.key IS NOT NULL GROUP BY t.key)
SELECT f.key, f.fact, f.kind, f.what, f.value, f.unit, f.raw_value, f.raw_unit, f.evidence, f.source, f.locator, f.date,
       f.artifact, f.formula, used.claims AS used_by, s.title, s.author, s.url, s.published, s.retrieved,
       f.key AS _facts
  FROM v_fact f LEFT JOIN used ON used.key = f.key LEFT JOIN v_source s ON s.source = f.source
 WHERE f.key IN (SELECT word FROM asked) OR f.fact IN (SELECT word FROM asked)
    OR EXISTS (SELECT 1 FROM start w WHERE substr(f.key, 1, length(w.word)) = w.word)
 ORDER BY f.kind <> 'claim', f.kind = 'price', f.kind = 'spec', f.fact, f.key;
-- @notes
SELECT DISTINCT '! ' || a.word || ' was withdrawn ' || g.date || ': ' || g.reason
  FROM asked a JOIN v_gone g ON g.key = replace(substr(a.word, 1, 18), 'e-', 'r-') OR g.fact = a.word;
