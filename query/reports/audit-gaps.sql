-- title: What is missing
-- question: devices without a peak, memory, bandwidth, power or price, with what was searched
-- group: May it be believed, and compared?
-- param: limit | number 1.. | 60 | rows at most
-- column: gap | gap | | what is missing
-- column: what | where | cut60 | device, model or spelling
-- column: results | results | | values that would gain by it
-- column: searched | searched | cut70 | what was searched without finding it
-- @table known
-- what a device has a number for, looked up below for each device: v_spec is ranked as a whole each time it is asked
SELECT DISTINCT device, quantity FROM v_spec WHERE trust <> 'quarantined'
-- @rows
WITH spelt AS MATERIALIZED ( -- results by spelling: an index is in this order
  SELECT raw_device AS spelling, count(*) AS results FROM v_stored WHERE raw_device IS NOT NULL GROUP BY raw_device),
counted AS MATERIALIZED (
  SELECT n.canon AS device, sum(s.results) AS results
    FROM spelt s JOIN v_name n ON n.kind = 'device' AND n.spelling = s.spelling GROUP BY n.canon),
told AS (
  SELECT 'no dense bf16 or fp16 peak' AS gap, d.device AS what, coalesce(r.results, 0) AS results, 'device' AS kind
    FROM v_device d LEFT JOIN counted r ON r.device = d.device
   WHERE d.kind <> 'memory' AND d.device NOT IN (
         SELECT s.device FROM v_peak s WHERE s.quantity = 'peak_flops' AND s.dtype IN ('bf16', 'fp16'))
  UNION ALL
  SELECT 'no ' || q.name, d.device, coalesce(r.results, 0), 'device'
    FROM v_device d
    JOIN (SELECT 'memory_size' AS quantity, 'memory size' AS name UNION ALL SELECT 'memory_bandwidth', 'memory bandwidth'
          UNION ALL SELECT 'power', 'power') q
    LEFT JOIN counted r ON r.device = d.device
   WHERE d.kind NOT IN ('memory', 'cpu') AND NOT EXISTS (
         SELECT 1 FROM known k WHERE k.device = d.device AND k.quantity = q.quantity)
     AND (coalesce(r.results, 0) > 0 OR EXISTS (SELECT 1 FROM v_spec_doubt o
          WHERE o.effect = 'missing' AND o.device = d.device AND o.quantity = q.quantity))
  UNION ALL
  SELECT 'no price per hour', r.device, r.results, 'device'
    FROM counted r JOIN v_device d ON d.device = r.device AND d.kind <> 'cpu'
   WHERE r.device NOT IN (SELECT p.device FROM v_price p WHERE p.per = 'hour')
  UNION ALL
  SELECT 'a spelling that no alias explains', n.spelling, coalesce(s.results, 0), 'spelling'
    FROM v_name n LEFT JOIN spelt s ON s.spelling = n.spelling WHERE n.kind = 'device' AND n.how = 'unresolved' AND n.used = 1
  UNION ALL
  SELECT 'a model that no dictionary knows', n.spelling, (SELECT count(*) FROM v_stored s WHERE s.raw_model = n.spelling), 'model'
    FROM v_name n WHERE n.kind = 'model' AND n.how = 'unresolved' AND n.used = 1
  UNION ALL
  SELECT 'a claim that cannot be recomputed', c.claim, NULL, 'claim' FROM v_claim c WHERE c.verdict = 'unknown'),
gap AS (SELECT *, count(*) OVER () AS whole FROM told ORDER BY results DESC, gap, what LIMIT :limit)
SELECT gap, what, results,
       (SELECT min(o.sentence) FROM v_spec_doubt o WHERE o.effect = 'missing'
           AND (o.device = g.what OR o.architecture = (SELECT d.architecture FROM v_device d WHERE d.device = g.what))
           AND o.quantity = CASE g.gap WHEN 'no dense bf16 or fp16 peak' THEN 'peak_flops' WHEN 'no memory size' THEN 'memory_size'
                                       WHEN 'no memory bandwidth' THEN 'memory_bandwidth' WHEN 'no power' THEN 'power'
                                       WHEN 'no price per hour' THEN 'price' END) AS searched,
       CASE kind WHEN 'claim' THEN 'c-' || what
                 WHEN 'model' THEN (SELECT group_concat(key, ' ') FROM (
                      SELECT key FROM v_statement s WHERE s.raw_model = g.what LIMIT 200))
                 WHEN 'spelling' THEN (SELECT group_concat(key, ' ') FROM (
                      SELECT key FROM v_statement s WHERE s.raw_device = g.what LIMIT 200))
                 ELSE (SELECT group_concat(key, ' ') FROM (
                      SELECT key FROM v_statement s WHERE s.raw_device IN (
                             SELECT spelling FROM v_name WHERE kind = 'device' AND canon = g.what) LIMIT 200)) END AS _facts, whole AS _whole
  FROM gap g ORDER BY 3 DESC, 1, 2;
