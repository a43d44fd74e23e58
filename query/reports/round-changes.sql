-- title: MLPerf® Inference: what changed from {from} to {to}
-- question: what changed between two rounds of MLPerf®
-- group: Which accelerator is faster?
-- param: from | text | v5.1 | earlier round
-- param: to | text | v6.0 | later round
-- param: model | text | | one benchmark | SELECT model, mlperf FROM model_named ORDER BY 2 DESC, 1
-- param: division | text | closed | closed or open
-- param: system_type | text | datacenter | datacenter or edge
-- param: limit | number 1.. | 60 | rows at most
-- column: model | benchmark | | in both rounds unchanged by MLCommons' table, else it is not listed
-- column: scenario | scenario | |
-- column: device | device | cut24 | canonical device
-- column: before | before/device† | 1 | best of the earlier round | per_device@1
-- column: after | after/device† | 1 | best of the later round | per_device@1
-- column: ratio | ratio | 2 | after / before; stated values, not a test
-- column: unit | unit | |
-- column: what | what | | changed, new or gone
-- hoist: model scenario unit
-- @table best
WITH chosen AS (
  SELECT r.round, r.model, r.scenario, r.device, r.unit, r.each AS value, r.key, c.compatibility,
         row_number() OVER (PARTITION BY r.round, r.model, r.scenario, r.device, r.unit
                            ORDER BY r.each DESC, r.key) AS place
    FROM v_mlperf r JOIN v_comparable c ON c.result_id = r.result_id
   WHERE r.round IN (:from, :to) AND r.division = :division AND r.system_type = :system_type AND r.left_out = ''
     AND c.power_submission = 'no' AND r.better = 'higher'
     AND (:model IS NULL OR r.raw_model IN (SELECT spelling FROM v_name WHERE kind = 'model' AND canon = :model)))
SELECT * FROM chosen WHERE place = 1
-- @rows
SELECT coalesce(b.model, a.model) AS model, coalesce(b.scenario, a.scenario) AS scenario, coalesce(b.device, a.device) AS device,
       b.value AS before, a.value AS after, a.value / b.value AS ratio, coalesce(b.unit, a.unit) AS unit,
       CASE WHEN b.value IS NULL THEN 'new' WHEN a.value IS NULL THEN 'gone' ELSE 'changed' END AS what,
       trim(coalesce(b.key, '') || ' ' || coalesce(a.key, '')) AS _facts, b.key AS _facts_before, a.key AS _facts_after, count(*) OVER () AS _whole
  FROM (SELECT * FROM best WHERE round = :from) b
  FULL JOIN (SELECT * FROM best WHERE round = :to) a
    ON a.model = b.model AND a.scenario = b.scenario AND a.device = b.device AND a.unit = b.unit AND a.compatibility = b.compatibility
 ORDER BY CASE WHEN b.value IS NOT NULL AND a.value IS NOT NULL THEN 0 WHEN b.value IS NULL THEN 1 ELSE 2 END, 1, 2, ratio DESC, 3
 LIMIT :limit;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, group_concat(model, ', ') || ': changed by MLCommons between the rounds, not compared' AS line
    FROM (SELECT DISTINCT a.model FROM best a JOIN best b ON a.model = b.model AND a.round = :from AND b.round = :to
           WHERE a.compatibility <> b.compatibility ORDER BY 1) HAVING count(*) > 0
  UNION ALL SELECT 2, '† derived by abdb (result / devices): best of each device; not an official or verified MLPerf® metric.')
 ORDER BY place;
