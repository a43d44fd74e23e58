-- title: What is covered, and what is missing {round}
-- question: which benchmarks a device has no result for, whether its peak and price are known
-- group: What is a device made for?
-- first: yes
-- site: Devices
-- footnotes: legend
-- param: round | text | v6.1 | round of MLPerf | SELECT round FROM round_told ORDER BY 1
-- param: division | text | closed | closed or open
-- param: system_type | text | datacenter | datacenter or edge
-- column: device | device | cut28 | canonical device
-- column: results | results | | performance results
-- column: benchmarks | benchmarks | | of those that the round has
-- column: of | of | |
-- column: missing | missing | cut60 | benchmarks without a result
-- column: peak | peak | | yes: a dense bf16, fp16 or fp8 peak is known
-- column: price | price | | yes: a price per hour is known
-- @table covered
SELECT r.device, r.model, count(*) AS results, group_concat(r.key, ' ') AS keys FROM v_mlperf r
 WHERE r.round = :round AND r.division = :division AND r.system_type = :system_type GROUP BY r.device, r.model
-- @rows
WITH benchmark AS MATERIALIZED (SELECT DISTINCT model FROM covered ORDER BY model),
lacking AS MATERIALIZED (
  SELECT d.device, group_concat(b.model, ', ') AS missing
    FROM (SELECT DISTINCT device FROM covered WHERE device IS NOT NULL) d CROSS JOIN benchmark b
    LEFT JOIN covered o ON o.device = d.device AND o.model = b.model WHERE o.device IS NULL GROUP BY d.device),
priced AS MATERIALIZED (SELECT DISTINCT device FROM v_price WHERE per = 'hour'),
counted AS MATERIALIZED (
  SELECT device, sum(results) AS results, count(model) AS benchmarks, group_concat(keys, ' ') AS keys
    FROM covered WHERE device IS NOT NULL GROUP BY device)
SELECT c.device, c.results, c.benchmarks, (SELECT count(*) FROM benchmark) AS of, l.missing,
       CASE WHEN EXISTS (SELECT 1 FROM v_peak p WHERE p.device = c.device AND p.dtype IN ('bf16', 'fp16', 'fp8')) THEN 'yes' ELSE 'no' END AS peak,
       CASE WHEN p.device IS NULL THEN 'no' ELSE 'yes' END AS price, c.keys AS _facts
  FROM counted c LEFT JOIN lacking l ON l.device = c.device LEFT JOIN priced p ON p.device = c.device
 ORDER BY c.benchmarks DESC, c.results DESC, c.device;
