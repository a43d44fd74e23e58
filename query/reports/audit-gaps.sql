-- title: What is missing
-- param: limit | number | 60 | rows at most
-- column: gap | gap | | what is missing
-- column: what | where | cut60 | device, model or spelling
-- column: results | results | | values that would gain by it
-- @rows
WITH device AS MATERIALIZED (
  SELECT device, count(*) AS results, group_concat(result_id, ' ') AS facts, sum(evidence <> 'measured') AS published
    FROM v_result WHERE device IS NOT NULL GROUP BY device),
spelling AS MATERIALIZED (
  SELECT raw_device AS spelling, count(*) AS results, group_concat(result_id, ' ') AS facts
    FROM v_statement WHERE raw_device IS NOT NULL GROUP BY raw_device),
model AS MATERIALIZED (
  SELECT model AS spelling, count(*) AS results, group_concat(result_id, ' ') AS facts
    FROM v_statement WHERE model IS NOT NULL GROUP BY model)
SELECT 'no dense bf16 or fp16 peak' AS gap, d.device AS what, coalesce(r.results, 0) AS results, r.facts AS _facts
  FROM v_device d LEFT JOIN device r ON r.device = d.device
 WHERE d.kind <> 'memory' AND NOT EXISTS (
       SELECT 1 FROM v_spec s WHERE s.device = d.device AND s.quantity = 'peak_flops' AND s.dtype IN ('bf16', 'fp16')
          AND coalesce(s.sparsity, 'dense') = 'dense')
UNION ALL
SELECT 'no price per hour', r.device, r.results, r.facts
  FROM device r
 WHERE r.published > 0 AND NOT EXISTS (SELECT 1 FROM v_price p WHERE p.device = r.device AND p.per = 'hour')
UNION ALL
SELECT 'a spelling that no alias explains', n.spelling, coalesce(s.results, 0), s.facts
  FROM v_name n LEFT JOIN spelling s ON s.spelling = n.spelling WHERE n.kind = 'device' AND n.how = 'unresolved'
UNION ALL
SELECT 'a model that no dictionary knows', n.spelling, coalesce(m.results, 0), m.facts
  FROM v_name n LEFT JOIN model m ON m.spelling = n.spelling WHERE n.kind = 'model' AND n.how = 'unresolved'
UNION ALL
SELECT 'a claim that cannot be recomputed', c.claim, NULL, 'c-' || c.claim FROM v_claim c WHERE c.verdict = 'unknown'
 ORDER BY 3 DESC, 1, 2 LIMIT :limit;
