-- title: Spellings that no alias explains
-- question: which spellings no alias explains
-- group: What is in the database, and where from?
-- footnotes: none
-- param: kind | text | device | device or model; submitters and systems are called what they call themselves | SELECT 'device' UNION SELECT 'model'
-- column: spelling | spelling | cut70 | as published
-- column: results | results | | values that carry it
WITH counted AS (
  SELECT n.kind, n.spelling,
         CASE n.kind WHEN 'device' THEN (SELECT count(*) FROM v_stored s WHERE s.raw_device = n.spelling)
                     WHEN 'model' THEN (SELECT count(*) FROM v_stored s WHERE s.raw_model = n.spelling) END AS results
    FROM v_name n WHERE n.how = 'unresolved' AND n.kind = :kind AND n.kind IN ('device', 'model') AND n.used = 1)
SELECT kind, spelling, results,
       CASE kind WHEN 'device' THEN (SELECT group_concat(key, ' ') FROM (
                      SELECT key FROM v_statement s WHERE s.raw_device = c.spelling LIMIT 200))
                 WHEN 'model' THEN (SELECT group_concat(key, ' ') FROM (
                      SELECT key FROM v_statement s WHERE s.raw_model = c.spelling LIMIT 200)) END AS _facts
  FROM counted c
 WHERE results IS NOT 0 -- a name of a kernel or an axis is no model
 ORDER BY results DESC, spelling;
