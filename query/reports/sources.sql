-- title: Sources: who says it, and how much
-- question: who says it, how much
-- group: What is in the database, and where from?
-- site: Evidence
-- footnotes: none
-- column: source | source | | short name
-- column: kind | kind | | vendor, paper, blog, mlperf, price-list, program, user
-- column: results | results | | values of this source
-- column: preferred | preferred | | of these: stand for their result
-- column: specs | specs | | stated specifications
-- column: prices | prices | | stated prices
-- column: published | published | | date
-- column: retrieved | retrieved | | date; empty: not recorded
-- column: title | title | cut60 |
-- column: url | url | cut60 |
WITH counted AS (SELECT source, count(*) AS results FROM v_stored GROUP BY source),
second AS ( -- statements of results that another statement stands for
  SELECT v.source, count(*) AS results FROM subject s JOIN v_stored v USING (result_id) WHERE s.preferred = 0 GROUP BY v.source),
spec AS (SELECT source, count(*) AS specs, group_concat(key, ' ') AS facts FROM v_spec GROUP BY source),
price AS (SELECT source, count(*) AS prices, group_concat(key, ' ') AS facts FROM v_price GROUP BY source)
SELECT s.source, s.kind, coalesce(r.results, 0) AS results, coalesce(r.results, 0) - coalesce(o.results, 0) AS preferred,
       coalesce(p.specs, 0) AS specs, coalesce(m.prices, 0) AS prices, s.published, s.retrieved, s.title, s.url,
       (SELECT group_concat(key, ' ') FROM (SELECT key FROM v_statement t WHERE t.source = s.source LIMIT 200)) AS _facts_results,
       (SELECT group_concat(key, ' ') FROM (SELECT key FROM v_result t WHERE t.source = s.source LIMIT 200)) AS _facts_preferred,
       p.facts AS _facts_specs, m.facts AS _facts_prices
  FROM v_source s LEFT JOIN counted r ON r.source = s.source LEFT JOIN second o ON o.source = s.source
  LEFT JOIN spec p ON p.source = s.source LEFT JOIN price m ON m.source = s.source
 ORDER BY s.rank, s.source;
