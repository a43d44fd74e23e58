-- title: What was added and withdrawn, by day and source
-- question: what is new in this database, from which source, and what was withdrawn?
-- group: What is in the database, and where from?
-- param: since | date | | no earlier days
-- param: limit | number 1.. | 100 | rows at most
-- column: day | day | | day of the first import (UTC), of a measurement here, or of the withdrawal
-- column: change | change | | added or withdrawn
-- column: source | source | cut40 | who states it
-- column: what | what | cut60 | the kind of facts, with round or benchmark program; of a withdrawal its reason
-- column: n | n | | how many results, specifications or prices; of a withdrawal how many files or facts it names
-- column: title | title | cut60 | title of the source
-- column: url | url | | where the source is published
WITH added AS (
    SELECT coalesce(substr(a.imported, 1, 10), substr(e.date, 1, 10)) AS day, e.source AS source,
           'results' || coalesce(' of ' || e.suite || ' ' || e.round, '') AS what, count(*) AS n
      FROM entry e JOIN result_row r ON r.entry_id = e.entry_id LEFT JOIN artifact a ON a.artifact_id = e.artifact_id
     GROUP BY 1, 2, 3
     UNION ALL
    SELECT f.day, coalesce(s.source, p.source), CASE f.kind WHEN 'spec' THEN 'specifications' ELSE 'prices' END, count(*)
      FROM (SELECT o.kind AS kind, o.id AS id, substr(min(a.imported), 1, 10) AS day
              FROM origin o JOIN artifact a ON a.artifact_id = o.artifact_id GROUP BY o.kind, o.id) f
      LEFT JOIN spec s ON f.kind = 'spec' AND s.spec_id = f.id
      LEFT JOIN price p ON f.kind = 'price' AND p.price_id = f.id
     WHERE NOT EXISTS (SELECT 1 FROM gone_fact g WHERE g.kind = f.kind AND g.id = f.id)
     GROUP BY 1, 2, 3
), changed AS (
    SELECT day, 'added' AS change, source, what, n FROM added
     UNION ALL
    SELECT substr(date, 1, 10), 'withdrawn', NULL, rtrim(substr(reason, 1, instr(reason || ' (instead: ', ' (instead: ') - 1)), count(*)
      FROM withdrawn GROUP BY 1, 4
)
SELECT c.day AS day, c.change AS change, c.source AS source, c.what AS what, c.n AS n, q.title AS title, q.url AS url,
       count(*) OVER () AS _whole
  FROM changed c LEFT JOIN source q ON q.source = c.source
 WHERE :since IS NULL OR c.day >= :since
 ORDER BY c.day DESC, c.change, c.source, c.what LIMIT :limit;
