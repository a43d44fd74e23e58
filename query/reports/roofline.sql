-- title: Roofline of {device}
-- site: Measured here
-- param: dtype | text | f32 | number format of the points and of the lowest roof; all
-- param: device | text | | a device (default: the one measured last) | SELECT DISTINCT device FROM v_kernel WHERE device IS NOT NULL UNION SELECT device FROM v_peak ORDER BY 1
-- param: campaign | text | | points of this command of abdb run alone
-- param: since | date | | points measured on this day or later (default: the day of the last run)
-- column: kind | kind | | ceiling or point
-- column: label | what | | ceiling, or kernel and parameters
-- column: backend | by | | program that ran it; measured or published
-- column: intensity_flop_per_B | FLOP/B | g4 | operational intensity; of a ceiling: where it meets the bandwidth
-- column: gflop_per_s | GFLOP/s | g5 | reached
-- column: gb_per_s | GB/s | g5 | moved; of a ceiling: its bandwidth
-- column: roof_gflop_per_s | roof | g5 | min(peak, intensity x bandwidth) of the same number format
-- column: fraction_percent | of roof % | 0 | reached / roof
-- note: measured ceilings are the best that was measured here: multiply-adds in registers or the best verified matrix product, and the best verified stream of memory
-- @with
WITH last AS MATERIALIZED (SELECT device, date FROM v_kernel WHERE campaign IS NOT NULL ORDER BY date DESC LIMIT 1),
machine (device) AS (SELECT coalesce(:device, (SELECT device FROM last))),
format (dtype, number) AS (VALUES ('f64', 'fp64'), ('f32', 'fp32'), ('bf16', 'bf16'), ('f16', 'fp16'), ('f8', 'fp8')),
peak AS MATERIALIZED (
  SELECT k.dtype, max(k.flops_per_s) AS value, k.result_id AS fact, 'measured' AS by, k.dtype AS points -- as v_ceiling has it
    FROM machine m CROSS JOIN v_kernel k ON k.device = m.device WHERE +k.kernel IN ('gemm', 'fma') AND k.verified = 'pass' GROUP BY k.dtype
  UNION ALL
  SELECT p.dtype, p.value, p.spec_id, 'published', f.dtype FROM machine m JOIN v_peak p ON p.device = m.device JOIN format f ON f.number = p.dtype
   WHERE p.quantity = 'peak_flops'
     AND p.preference = (SELECT min(q.preference) FROM v_peak q WHERE q.device = p.device AND q.quantity = p.quantity AND q.dtype = p.dtype)),
stream AS MATERIALIZED (
  SELECT max(k.bytes_per_s) AS value, k.result_id AS fact, 'measured' AS by
    FROM machine m CROSS JOIN v_kernel k ON k.device = m.device WHERE +k.kernel = 'stream' AND k.level = 'memory' AND k.verified = 'pass' HAVING count(*) > 0
  UNION ALL
  SELECT * FROM (SELECT p.value, p.spec_id, 'published' FROM machine m JOIN v_peak p ON p.device = m.device WHERE p.quantity = 'memory_bandwidth'
                  ORDER BY p.preference LIMIT 1)),
point AS MATERIALIZED (
  SELECT replace(replace(replace(replace(k.cell, k.backend || ' ', ''), ' dtype=' || k.dtype, ''), ' n=auto', ''), 'op=', '') AS label, k.backend,
         k.dtype, k.intensity_flop_per_B AS intensity, k.flops_per_s AS rate, k.bytes_per_s AS moved, k.result_id AS fact
    FROM machine m CROSS JOIN v_kernel k ON k.device = m.device
   WHERE k.status = 'ok' AND k.verified = 'pass' AND k.level = 'memory' AND k.kernel <> 'fma' AND k.flops_per_s > 0 AND k.intensity_flop_per_B > 0 AND (:dtype = 'all' OR k.dtype = :dtype)
     AND (:campaign IS NULL OR k.campaign = :campaign)
     AND (:campaign IS NOT NULL OR k.date >= coalesce(:since, (SELECT substr(date, 1, 10) FROM last)))
  UNION ALL -- published products with their shape: gemm@1, elements of that number format
  SELECT printf('gemm %dx%dx%d', m, n, k), source, dtype, 2.0 * m * n * k / (size * (m * k + k * n + m * n)), value, NULL, result_id
    FROM (SELECT r.value, r.source, r.dtype, r.result_id, CASE r.dtype WHEN 'fp64' THEN 8.0 WHEN 'fp32' THEN 4 WHEN 'fp8' THEN 1 ELSE 2 END AS size,
                 max(CASE f.factor WHEN 'm' THEN f.num END) AS m, max(CASE f.factor WHEN 'n' THEN f.num END) AS n, max(CASE f.factor WHEN 'k' THEN f.num END) AS k
            FROM v_result r
            JOIN v_factor_given f ON f.entry_id = r.entry_id AND f.ordinal = r.ordinal AND f.factor IN ('m', 'n', 'k')
           WHERE r.evidence = 'published' AND +r.raw_workload = 'gemm' AND r.metric = 'flops_per_s'
             AND r.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND canon = (SELECT device FROM machine))
           GROUP BY r.entry_id, r.ordinal) WHERE m AND n AND k),
roof AS (
  SELECT p.*, (SELECT max(c.value) FROM peak c WHERE p.dtype IN (c.dtype, c.points) AND c.by = coalesce(
            (SELECT 'measured' FROM peak d WHERE d.by = 'measured' AND p.dtype = d.dtype), 'published')) AS peak,
         coalesce((SELECT value FROM stream WHERE by = 'measured'), (SELECT value FROM stream)) AS bandwidth FROM point p)
-- @rows
SELECT 'ceiling' AS kind, p.by || ' ' || p.dtype AS label, p.by AS backend, p.value / s.value AS intensity_flop_per_B, p.value / 1e9 AS gflop_per_s,
       s.value / 1e9 AS gb_per_s, p.value / 1e9 AS roof_gflop_per_s, NULL AS fraction_percent, p.fact || ' ' || s.fact AS _facts
  FROM peak p JOIN stream s ON s.by = coalesce((SELECT by FROM stream t WHERE t.by = p.by), (SELECT by FROM stream))
UNION ALL
SELECT * FROM (
SELECT 'point', r.label, r.backend, r.intensity, r.rate / 1e9, r.moved / 1e9, min(r.peak, r.intensity * r.bandwidth) / 1e9,
       100 * (r.rate / min(r.peak, r.intensity * r.bandwidth)), r.fact
  FROM roof r WHERE r.bandwidth IS NOT NULL ORDER BY r.intensity, r.label, r.backend);
-- @notes
SELECT 'device: ' || device FROM machine WHERE device IS NOT NULL;
