-- title: Dense peak by number format {source}
-- question: dense peaks by device and number format, a row each
-- group: What is a device made for?
-- site: Devices
-- param: device | pattern | | one device, or several by * | SELECT DISTINCT device FROM v_spec ORDER BY 1
-- param: vendor | text | | one vendor | SELECT DISTINCT vendor FROM v_device WHERE vendor IS NOT NULL ORDER BY 1
-- param: source | text | | only devices that this source tells of | SELECT source FROM v_source ORDER BY 1
-- param: limit | number 1.. | 24 | devices at most: those with the highest peaks
-- column: device | device | cut28 | canonical device
-- column: dtype | dtype | | number format
-- column: tera_per_s | T/s | g4 | TFLOP/s, TOP/s for integers; dense, per card
-- column: unit | unit | | TFLOP/s or TOP/s
-- column: source | source | |
-- column: locator | where | cut40 |
-- column: standing | stands | | vendor, citing, document, estimate or projection
-- column: others | ≠ | 0 | other statements of it that differ beyond rounding: abdb audit conflicts
-- @table peak
SELECT p.device, p.dtype, p.value, p.quantity, p.source, p.spec_id, p.key, p.engine,
       row_number() OVER (PARTITION BY p.device, p.dtype ORDER BY p.dtype = 'fp32' AND coalesce(p.engine, '') = 'matrix', p.preference, p.value DESC) AS place
  FROM v_peak p JOIN v_device d ON d.device = p.device
 WHERE p.quantity IN ('peak_flops', 'peak_ops') AND p.dtype IN ('fp64', 'fp32', 'tf32', 'bf16', 'fp16', 'fp8', 'int8', 'fp4')
   AND (:device IS NULL OR p.device GLOB :device) AND (:vendor IS NULL OR d.vendor = :vendor)
   AND (:source IS NULL OR p.device IN (SELECT o.device FROM v_peak o WHERE o.source = :source))
-- @table one
SELECT * FROM peak WHERE place = 1 AND NOT (engine = 'vector' AND dtype IN ('fp16', 'bf16', 'int8') AND EXISTS (
        SELECT 1 FROM peak b WHERE b.device = peak.device AND b.engine = 'matrix' AND b.dtype IN ('fp16', 'bf16'))) AND NOT (dtype = 'fp16' AND EXISTS (
        SELECT 1 FROM peak b WHERE b.device = peak.device AND b.dtype = 'bf16' AND b.value = peak.value))
-- @table stated
-- with half a unit of the last place that was printed
SELECT s.*, coalesce(d.half, CASE WHEN s.raw_value LIKE '%.%' THEN 0 ELSE 0.5 END) * s.value / CAST(replace(s.raw_value, ',', '') AS REAL) AS half
  FROM v_spec s LEFT JOIN v_decimals d ON s.raw_value LIKE d.pattern
 WHERE s.value > 0 AND s.basis = 'card' AND s.quantity IN ('peak_flops', 'peak_ops') AND s.trust <> 'quarantined'
-- @table differing
SELECT a.spec_id, count(*) AS n
  FROM one o JOIN stated a ON a.spec_id = o.spec_id
  JOIN stated b ON b.device = a.device AND b.quantity = a.quantity AND coalesce(b.dtype, '') = coalesce(a.dtype, '')
   AND coalesce(b.engine, '') = coalesce(a.engine, '') AND coalesce(b.sparsity, '') = coalesce(a.sparsity, '')
   AND coalesce(b.power_limit, 0) = coalesce(a.power_limit, 0)
 WHERE abs(a.value - b.value) > (coalesce(a.half, 0) + coalesce(b.half, 0)) * 1.000001 GROUP BY a.spec_id
-- @table ranked
SELECT device, max(CASE WHEN dtype IN ('bf16', 'fp16') THEN value END) AS half, max(value) AS top
         FROM one GROUP BY device ORDER BY half DESC NULLS LAST, top DESC, device LIMIT :limit
-- @rows
SELECT o.device, o.dtype, o.value / 1e12 AS tera_per_s, CASE o.quantity WHEN 'peak_ops' THEN 'TOP/s' ELSE 'TFLOP/s' END AS unit,
       o.source, s.locator, s.standing, d.n AS others, o.key AS _facts, (SELECT count(*) FROM one) AS _whole
  FROM ranked r JOIN one o ON o.device = r.device LEFT JOIN stated s ON s.spec_id = o.spec_id
  LEFT JOIN differing d ON d.spec_id = o.spec_id
 ORDER BY r.half DESC NULLS LAST, r.top DESC, o.device,
       CASE o.dtype WHEN 'fp64' THEN 0 WHEN 'fp32' THEN 1 WHEN 'tf32' THEN 2 WHEN 'fp16' THEN 3 WHEN 'bf16' THEN 4 WHEN 'int8' THEN 5 WHEN 'fp8' THEN 6 ELSE 7 END;
-- @notes
SELECT 'as stated: dense, per card, of the matrix engine, fp32 of the vector engine; fp16 is not shown where bf16 is the same'
UNION ALL
SELECT 'as nothing else is stated, of the ' || engine || ' engine: ' || group_concat(what, ', ')
  FROM (SELECT CASE o.dtype WHEN 'fp32' THEN 'matrix' ELSE 'vector' END AS engine, o.dtype || ' of ' || group_concat(o.device, ', ') AS what
          FROM (SELECT * FROM one ORDER BY device) o JOIN ranked r ON r.device = o.device
         WHERE o.engine = CASE o.dtype WHEN 'fp32' THEN 'matrix' ELSE 'vector' END GROUP BY o.dtype) GROUP BY engine
UNION ALL
SELECT count(*) || CASE count(*) WHEN 1 THEN ' peak has another value stated for it' ELSE ' peaks have other values stated for them' END ||
       ' that ' || CASE sum(d.n) WHEN 1 THEN 'differs' ELSE 'differ' END || ' beyond rounding: abdb audit conflicts'
  FROM one o JOIN ranked r ON r.device = o.device JOIN differing d ON d.spec_id = o.spec_id HAVING count(*) > 0
UNION ALL
SELECT count(*) || CASE count(*) WHEN 1 THEN ' stated peak is' ELSE ' stated peaks are' END || ' left out (abdb audit doubts)' FROM v_spec s
 WHERE s.trust = 'quarantined' AND s.quantity IN ('peak_flops', 'peak_ops') AND coalesce(s.sparsity, 'dense') = 'dense'
   AND s.device IN (SELECT device FROM ranked) HAVING count(*) > 0;
