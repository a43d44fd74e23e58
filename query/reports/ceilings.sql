-- title: Ceilings of a machine: registers, caches, memory
-- question: what registers, caches and memory of a machine give at most
-- group: What was measured here?
-- site: Measured here
-- param: device | text | | a machine (default: the one measured last) | SELECT device FROM device_measured ORDER BY 1
-- param: marks | text | | any: with the results that marks leave out (abdb query "SELECT * FROM v_mark") | SELECT 'any'
-- column: level | level | | registers, L1, L2, L3 or memory
-- column: what | what | | a number format, an operation with its stores, or latency
-- column: gop_per_s | Gop/s | g4 | multiply-adds, in registers or of a product, the best that was measured
-- column: gb_per_s | GB/s | g4 | the best that was measured
-- column: latency_ns | ns | g3 | of one dependent load, the least
-- column: kernel | kernel | | of the best
-- column: backend | by | | program of the best
-- column: threads | threads | |
-- column: of | of | | verified results
-- column: device | device | |
-- column: flags | flags | | of the best; imprecise: fewer than 10 samples; unsteady
-- hoist: device backend threads flags
-- @table machine
SELECT coalesce(:device, (SELECT device FROM v_kernel
                                   WHERE campaign = (SELECT campaign FROM v_campaign ORDER BY date DESC, campaign LIMIT 1) AND device IS NOT NULL LIMIT 1)) AS device
-- @table judged
-- made to find the peak of a number format, or a wait for every load, or a walk over memory
SELECT k.kernel, k.backend, CASE CAST(k.threads AS integer) || '' WHEN k.threads THEN CAST(k.threads AS integer) ELSE k.threads END AS threads, k.device, k.key, k.dtype, k.level, k.operation, k.bound, k.ceiling, k.flops_per_s, k.bytes_per_s,
       k.time_s, k.entry_id, k.flags, (SELECT f.num FROM v_run_factor f WHERE f.entry_id = k.entry_id AND f.factor = 'hops') AS hops,
       (SELECT CASE WHEN :marks = 'any' OR s.marks = '' THEN NULL ELSE (SELECT min(x.mark) FROM v_mark_out x WHERE ' ' || s.marks || ' ' LIKE x.pattern) END FROM v_statement s WHERE s.result_id = coalesce(k.bound_id, k.result_id)) AS out_by
  FROM machine m CROSS JOIN v_kernel k ON k.raw_device IN (SELECT n.spelling FROM name n WHERE n.kind = 'device' AND n.whole = m.device)
 WHERE k.status = 'ok' AND k.verified = 'pass'
-- @table cell
SELECT * FROM judged WHERE out_by IS NULL
-- @rows
WITH one AS (
  SELECT kernel, backend, threads, device, flags, key, 'registers' AS level, dtype AS what, flops_per_s / 1e9 AS gop_per_s, NULL AS gb_per_s,
         NULL AS latency_ns, -flops_per_s AS place
    FROM cell WHERE ceiling IN ('peak_flops', 'peak_ops')
  UNION ALL
  SELECT kernel, backend, threads, device, flags, key, level,
         coalesce(operation, kernel) || coalesce(' ' || nullif((SELECT f.text FROM v_run_factor f WHERE f.entry_id = c.entry_id AND f.factor = 'stores'), 'plain'), ''),
         NULL, bytes_per_s / 1e9, NULL, -bytes_per_s
    FROM cell c WHERE bound = 'bytes' AND (operation IN ('read', 'write', 'copy', 'triad') OR (operation IS NULL AND ceiling IS NOT NULL))
  UNION ALL
  SELECT kernel, backend, threads, device, flags, key, level, 'latency', NULL, NULL, 1e9 * time_s / hops, time_s / hops
    FROM cell WHERE hops > 0),
best AS (
  SELECT *, row_number() OVER (PARTITION BY level, what ORDER BY place, key) AS nth, count(*) OVER (PARTITION BY level, what) AS of
    FROM one)
SELECT level, what, gop_per_s, gb_per_s, latency_ns, kernel, backend, threads, of, device, flags, key AS _facts
  FROM best WHERE nth = 1
 ORDER BY CASE level WHEN 'registers' THEN 0 WHEN 'L1' THEN 1 WHEN 'L2' THEN 2 WHEN 'L3' THEN 3 ELSE 4 END, gb_per_s IS NOT NULL, what;
-- @notes
SELECT 'device: ' || device FROM machine WHERE device IS NOT NULL
UNION ALL
SELECT 'bytes count no write-allocate traffic; a level is half of that cache; pages are small where nothing else is said' FROM machine WHERE device IS NOT NULL
UNION ALL
SELECT printf('%d row%s left out: %s (%s); --marks any shows %s', count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END, m.mark, m.sentence,
                   CASE count(*) WHEN 1 THEN 'it' ELSE 'them' END) FROM judged s JOIN v_mark m ON m.mark = s.out_by GROUP BY m.mark, m.sentence;
