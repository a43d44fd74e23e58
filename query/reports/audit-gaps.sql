-- title: What is missing
-- param: limit | number | 60 | rows at most
-- column: gap | gap | | what is missing
-- column: what | where | cut60 | device, model or spelling
-- column: results | results | | values that would gain by it
-- @rows
SELECT 'no dense bf16 or fp16 peak' AS gap, d.device AS what,
       (SELECT count(*) FROM v_result r WHERE r.device = d.device) AS results,
       (SELECT group_concat(r.result_id, ' ') FROM v_result r WHERE r.device = d.device) AS _facts
  FROM v_device d WHERE d.kind <> 'memory' AND NOT EXISTS (
       SELECT 1 FROM v_spec s WHERE s.device = d.device AND s.quantity = 'peak_flops' AND s.dtype IN ('bf16', 'fp16')
          AND coalesce(s.sparsity, 'dense') = 'dense')
UNION ALL
SELECT 'no price per hour', r.device, count(*), group_concat(r.result_id, ' ')
  FROM v_result r WHERE r.evidence <> 'measured' AND r.device IS NOT NULL
   AND NOT EXISTS (SELECT 1 FROM v_price p WHERE p.device = r.device AND p.per = 'hour')
 GROUP BY r.device
UNION ALL
SELECT 'a spelling that no alias explains', n.spelling, (SELECT count(*) FROM v_statement s WHERE s.raw_device = n.spelling),
       (SELECT group_concat(s.result_id, ' ') FROM v_statement s WHERE s.raw_device = n.spelling)
  FROM v_name n WHERE n.kind = 'device' AND n.how = 'unresolved'
UNION ALL
SELECT 'a model that no dictionary knows', n.spelling, (SELECT count(*) FROM v_statement s WHERE s.model = n.spelling),
       (SELECT group_concat(s.result_id, ' ') FROM v_statement s WHERE s.model = n.spelling)
  FROM v_name n WHERE n.kind = 'model' AND n.how = 'unresolved'
UNION ALL
SELECT 'a claim that cannot be recomputed', c.claim, NULL, NULL FROM v_claim c WHERE c.verdict = 'unknown'
 ORDER BY 3 DESC, 1, 2 LIMIT :limit;
