-- title: Roofline of this machine
-- param: dtype | text | f32 | number format of the ceiling and the points | SELECT DISTINCT dtype FROM v_kernel WHERE dtype IS NOT NULL ORDER BY 1
-- param: campaign | text | latest | one command of abdb run, latest, or all
-- column: kind | kind | | ceiling or point
-- column: label | what | | ceiling, or kernel and parameters
-- column: backend | backend | | program that ran it
-- column: intensity_flop_per_B | FLOP/B | g4 | operational intensity
-- column: gflop_per_s | GFLOP/s | 1 | reached
-- column: gb_per_s | GB/s | 1 | moved
-- column: roof_gflop_per_s | roof | 1 | min(peak, intensity x bandwidth), both measured
-- column: fraction_percent | of roof % | 0 | reached / roof
-- note: ceilings are the best that was measured here: the best verified matrix product and the best verified stream
WITH top AS (
  SELECT k.device,
         (SELECT max(value) FROM v_ceiling c WHERE c.device = k.device AND c.quantity = 'peak_flops'
             AND c.dtype = :dtype) AS peak,
         (SELECT max(value) FROM v_ceiling c WHERE c.device = k.device
             AND c.quantity = 'memory_bandwidth') AS bandwidth,
         (SELECT group_concat(c.result_id, ' ') FROM v_ceiling c WHERE c.device = k.device
             AND (c.quantity = 'memory_bandwidth' OR c.dtype = :dtype)) AS facts
    FROM v_kernel k ORDER BY k.date DESC LIMIT 1)
SELECT 'ceiling' AS kind, 'peak ' || :dtype AS label, NULL AS backend, peak / bandwidth AS intensity_flop_per_B,
       peak / 1e9 AS gflop_per_s, NULL AS gb_per_s, peak / 1e9 AS roof_gflop_per_s, NULL AS fraction_percent,
       device AS _device, facts AS _facts
  FROM top WHERE peak IS NOT NULL AND bandwidth IS NOT NULL
UNION ALL
SELECT 'ceiling', 'bandwidth', NULL, NULL, NULL, bandwidth / 1e9, NULL, NULL, device, facts
  FROM top WHERE peak IS NOT NULL AND bandwidth IS NOT NULL
UNION ALL
SELECT * FROM (
SELECT 'point', replace(replace(replace(replace(k.cell, k.backend || ' ', ''), ' dtype=' || k.dtype, ''), ' n=auto', ''), 'op=', ''), k.backend, k.intensity_flop_per_B, k.flops_per_s / 1e9, k.bytes_per_s / 1e9,
       min(t.peak, k.intensity_flop_per_B * t.bandwidth) / 1e9,
       100 * (k.flops_per_s / min(t.peak, k.intensity_flop_per_B * t.bandwidth)), k.device,
       k.result_id || ' ' || t.facts
  FROM v_kernel k JOIN top t ON t.device = k.device
 WHERE k.dtype = :dtype AND k.status = 'ok' AND k.verified = 'pass' AND k.flops_per_s > 0
   AND t.peak IS NOT NULL AND t.bandwidth IS NOT NULL
   AND (:campaign = 'all' OR k.campaign = CASE WHEN :campaign = 'latest'
        THEN (SELECT campaign FROM v_kernel ORDER BY date DESC LIMIT 1) ELSE :campaign END)
 ORDER BY k.intensity_flop_per_B, k.cell, k.backend);
