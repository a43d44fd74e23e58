-- title: Latency and bandwidth of collectives {operation} {device}
-- question: what a message costs: latency and bandwidth fitted to its sizes
-- group: Which accelerator is faster?
-- param: operation | text | | all-reduce, point-to-point, ...
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: source | text | | only results of this source | SELECT DISTINCT source FROM v_source ORDER BY 1
-- param: tag | text | | only measurements of this name
-- column: operation | operation | | collective
-- column: device | device | cut24 | canonical device
-- column: ranks | ranks | | devices that took part
-- column: nodes | nodes | |
-- column: dtype | dtype | | number format
-- column: campaign | name | cut40 | the name of the measurement, or its campaign or file
-- column: latency_us | latency us | g4 | time of an empty message, as fitted: alpha
-- column: bandwidth_gb_per_s | bandwidth GB/s | g4 | of an endless one: size / time, 1 / beta
-- column: half_bytes | half size | g3 | bytes at which half of that bandwidth is reached
-- column: worst_percent | off by % | g3 | how far the line is from the worst of its sizes
-- column: sizes | sizes | | that it was fitted to
-- hoist: operation device
-- @table timed
SELECT r.workload AS operation, r.device, r.devices, r.nodes, r.dtype, r.key, coalesce(r.tag, r.campaign, r.artifact) AS campaign,
       (SELECT f.num FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'message_bytes') AS size,
       coalesce((SELECT group_concat(' ' || CASE f.factor WHEN 'apart' THEN 'together' ELSE f.text END, '') FROM v_run_factor f
                  WHERE f.entry_id = r.entry_id AND f.factor IN ('pattern', 'redop', 'apart', 'place') AND f.text NOT IN ('sum', 'yes')), '') AS pattern,
       (SELECT f.num FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'message_bytes') / r.value AS time_s
  FROM v_result r
 WHERE r.metric = 'bytes_per_s' AND r.statistic IN ('mean', 'value', 'median') AND r.evidence <> 'mlperf' AND r.value > 0 AND r.rank IS NULL
   AND r.source IN (SELECT source FROM v_source WHERE :source IS NULL AND source IN ('abdb-run', 'nccl-tests') OR source = :source)
   AND r.medium = 'wire'
   AND (:operation IS NULL OR r.workload = :operation) AND (:tag IS NULL OR r.tag = :tag)
   AND (:device IS NULL OR r.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND canon = :device))
-- @table fitted
WITH sums AS ( -- each size counts alike: errors are relative, weights 1 / time^2
  SELECT operation, device, devices, nodes, dtype, campaign, pattern, sum(1 / (time_s * time_s)) AS w, sum(size / (time_s * time_s)) AS wx,
         sum(size * size / (time_s * time_s)) AS wxx, sum(1 / time_s) AS wt, sum(size / time_s) AS wxt, count(DISTINCT size) AS sizes,
         group_concat(key, ' ') AS facts
    FROM timed WHERE size > 0 AND devices > 1
   GROUP BY 1, 2, 3, 4, 5, 6, 7)
SELECT s.*, (wt * wxx - wx * wxt) / (w * wxx - wx * wx) AS alpha, (w * wxt - wx * wt) / (w * wxx - wx * wx) AS beta FROM sums s WHERE sizes > 2
-- @rows
SELECT f.operation || f.pattern AS operation, f.device, f.devices AS ranks, f.nodes,
       f.dtype, f.campaign, CASE WHEN f.alpha > 0 THEN f.alpha * 1e6 END AS latency_us,
       CASE WHEN f.beta > 0 THEN 1 / f.beta / 1e9 END AS bandwidth_gb_per_s,
       CASE WHEN f.alpha > 0 AND f.beta > 0 THEN f.alpha / f.beta END AS half_bytes,
       100 * (SELECT max(abs(f.alpha + f.beta * t.size - t.time_s) / t.time_s) FROM timed t
               WHERE t.operation = f.operation AND t.device IS f.device AND t.devices = f.devices AND t.nodes IS f.nodes AND t.dtype IS f.dtype
                 AND t.campaign IS f.campaign AND t.pattern = f.pattern AND t.size > 0) AS worst_percent,
       f.sizes, f.facts AS _facts
  FROM fitted f
 ORDER BY f.operation, f.pattern, f.device, f.devices, f.dtype, f.campaign;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, 'time = latency + size / bandwidth, fitted by least squares of relative errors; way and caches change with the size, so one line is off' AS line
   WHERE EXISTS (SELECT 1 FROM fitted)
  UNION ALL SELECT 2, count(*) || CASE count(*) WHEN 1 THEN ' set of fewer than three sizes is' ELSE ' sets of fewer than three sizes are' END || ' left out'
    FROM (SELECT 1 FROM timed WHERE size > 0 AND devices > 1 GROUP BY operation, device, devices, nodes, dtype, campaign, pattern HAVING count(DISTINCT size) < 3) HAVING count(*) > 0)
 ORDER BY place;
