-- title: What is covered, and what is missing {round}
-- question: which benchmarks a device has no result for, whether its peak and price are known
-- group: What is a device made for?
-- site: Devices
-- param: round | text | v6.0 | round of MLPerf | SELECT DISTINCT round FROM description WHERE round IS NOT NULL ORDER BY 1
-- param: division | text | closed | closed or open
-- param: system_type | text | datacenter | datacenter or edge
-- column: device | device | cut28 | canonical device
-- column: results | results | | performance results
-- column: benchmarks | benchmarks | | of those that the round has
-- column: of | of | |
-- column: missing | missing | cut60 | benchmarks without a result
-- column: peak | peak | | yes: a dense bf16, fp16 or fp8 peak is known
-- column: price | price | | yes: a price per hour is known
-- @table chosen
SELECT r.device, r.model, r.key FROM v_mlperf r
 WHERE r.round = :round AND r.division = :division AND r.system_type = :system_type
-- @table benchmark
SELECT DISTINCT model FROM chosen
-- @table covered
SELECT DISTINCT device, model FROM chosen
-- @rows
SELECT c.device, count(*) AS results, count(DISTINCT c.model) AS benchmarks, (SELECT count(*) FROM benchmark) AS of,
       (SELECT group_concat(model, ', ') FROM (SELECT b.model FROM benchmark b
           WHERE NOT EXISTS (SELECT 1 FROM covered o WHERE o.device = c.device AND o.model = b.model) ORDER BY b.model)) AS missing,
       CASE WHEN EXISTS (SELECT 1 FROM v_peak p WHERE p.device = c.device AND p.dtype IN ('bf16', 'fp16', 'fp8')) THEN 'yes' ELSE 'no' END AS peak,
       CASE WHEN EXISTS (SELECT 1 FROM v_price p WHERE p.device = c.device AND p.per = 'hour') THEN 'yes' ELSE 'no' END AS price,
       group_concat(c.key, ' ') AS _facts
  FROM chosen c WHERE c.device IS NOT NULL GROUP BY c.device ORDER BY benchmarks DESC, results DESC, c.device;
