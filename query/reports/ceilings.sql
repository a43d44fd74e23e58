-- title: Ceilings of a machine: registers, caches, memory
-- site: Measured here
-- param: device | text | | a machine (default: the one measured last) | SELECT DISTINCT device FROM v_kernel WHERE device IS NOT NULL ORDER BY 1
-- column: level | level | | registers, L1, L2, L3 or memory
-- column: what | what | | multiply-adds of a number format, an operation with its stores, or latency
-- column: gop_per_s | Gop/s | g4 | operations, the best that was measured
-- column: gb_per_s | GB/s | g4 | the best that was measured
-- column: latency_ns | ns | g3 | of one dependent load, the least
-- column: backend | by | | program of the best
-- column: threads | threads | |
-- column: of | of | | verified results
-- column: device | device | |
-- hoist: device backend threads
-- @with
WITH machine (device) AS (SELECT coalesce(:device, (SELECT device FROM v_kernel WHERE campaign IS NOT NULL ORDER BY date DESC LIMIT 1))),
one AS MATERIALIZED (
  SELECT k.device, k.kernel, k.backend, k.threads, k.time_s, k.flops_per_s, k.bytes_per_s, k.result_id,
         CASE k.kernel WHEN 'fma' THEN 'registers' ELSE k.level END AS level,
         CASE k.kernel WHEN 'fma' THEN k.dtype WHEN 'latency' THEN 'latency'
              ELSE k.operation || coalesce(' ' || nullif((SELECT f.text FROM v_factor_given f WHERE f.entry_id = k.entry_id AND f.ordinal = 0
                                                             AND f.factor = 'stores'), 'plain'), '') END AS what,
         (SELECT f.num FROM v_factor_given f WHERE f.entry_id = k.entry_id AND f.ordinal = 0 AND f.factor = 'hops') AS hops
    FROM machine m CROSS JOIN v_kernel k ON k.device = m.device
   WHERE k.kernel IN ('fma', 'stream', 'latency') AND k.status = 'ok' AND k.verified = 'pass'
     AND coalesce(k.operation, '') IN ('', 'read', 'write', 'copy', 'triad')),
best AS (
  SELECT *, row_number() OVER (PARTITION BY level, what ORDER BY CASE kernel WHEN 'fma' THEN -flops_per_s WHEN 'stream' THEN -bytes_per_s
                                                                  ELSE time_s / hops END) AS place,
         count(*) OVER (PARTITION BY level, what) AS of
    FROM one)
-- @rows
SELECT level, what, CASE kernel WHEN 'fma' THEN flops_per_s / 1e9 END AS gop_per_s, CASE kernel WHEN 'stream' THEN bytes_per_s / 1e9 END AS gb_per_s,
       CASE kernel WHEN 'latency' THEN 1e9 * time_s / hops END AS latency_ns, backend, threads, of, device, result_id AS _facts
  FROM best WHERE place = 1
 ORDER BY CASE level WHEN 'registers' THEN 0 WHEN 'L1' THEN 1 WHEN 'L2' THEN 2 WHEN 'L3' THEN 3 ELSE 4 END, kernel, what;
-- @notes
SELECT 'device: ' || device || '; bytes count no write-allocate traffic; a level is half of that cache; pages are small where nothing else is said'
  FROM machine WHERE device IS NOT NULL;
