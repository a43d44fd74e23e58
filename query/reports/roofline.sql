-- title: Roofline of {device}
-- question: ceilings and kernels of this machine
-- group: What was measured here?
-- site: Measured here
-- param: dtype | text | f32 | number format of the points and of the lowest roof; all
-- param: device | text | | a device (default: the one measured last) | SELECT device FROM device_measured UNION SELECT device FROM v_peak ORDER BY 1
-- param: campaign | text | | points of this command of abdb run alone
-- param: since | date | | points measured on this day or later (default: the day of the last run)
-- column: kind | kind | | ceiling or point
-- column: label | what | | ceiling, or kernel and parameters
-- column: backend | by | | program that ran it; measured or published
-- column: intensity_flop_per_B | FLOP/B | g4 | operational intensity; of a ceiling: where it meets the bandwidth
-- column: gflop_per_s | GFLOP/s | g5 | reached
-- column: gb_per_s | GB/s | g5 | moved; of a ceiling: its bandwidth
-- column: roof_gflop_per_s | roof | g5 | min(peak, intensity x bandwidth) of the same number format and basis
-- column: fraction_percent | of roof % | 0 | reached, of the roof | roofline_fraction@1 x 100
-- note: measured ceilings are the best that was measured here: multiply-adds in registers or the best verified matrix product, and the best verified stream of memory
-- @table last
SELECT device, date FROM v_kernel WHERE campaign = (SELECT campaign FROM v_campaign ORDER BY date DESC, campaign LIMIT 1)
 ORDER BY date DESC LIMIT 1
-- @table machine
SELECT coalesce(:device, (SELECT device FROM last)) AS device
-- @table ceiling
-- found once, not for each point: a machine can have thousands of cells that were made to find one
SELECT 'measured' AS by, c.quantity, c.dtype, c.value, c.key
  FROM machine m JOIN v_ceiling c ON c.device = m.device
UNION ALL
SELECT 'published', quantity, dtype, value, key
  FROM (SELECT p.*, row_number() OVER (PARTITION BY p.quantity, CASE p.quantity WHEN 'peak_flops' THEN p.dtype END
                                      ORDER BY p.preference) AS place
          FROM machine m JOIN v_peak p ON p.device = m.device
         WHERE p.quantity = 'memory_bandwidth' OR (p.quantity = 'peak_flops' AND p.dtype IN ('fp64', 'fp32', 'bf16', 'fp16', 'fp8'))) b
 WHERE place = 1
-- @table cell
SELECT replace(replace(replace(replace(k.cell, k.backend || ' ', ''), ' dtype=' || k.dtype, ''), ' n=auto', ''), 'op=', '') AS label, k.backend,
       k.dtype, k.intensity_flop_per_B AS intensity, k.flops_per_s AS rate, k.bytes_per_s AS moved,
       (SELECT r.result_id FROM v_stored r WHERE r.entry_id = k.entry_id AND r.metric IN ('flops_per_s', 'ops_per_s')) AS result_id,
       (SELECT f.text FROM v_run_factor f WHERE f.entry_id = k.entry_id AND f.factor = 'resident') AS resident, k.in_doubt
  FROM machine m JOIN v_kernel k ON k.raw_device IN (SELECT n.spelling FROM name n WHERE n.kind = 'device' AND n.whole = m.device)
 WHERE k.status = 'ok' AND k.verified = 'pass' AND k.level = 'memory' AND k.flops_per_s > 0 AND k.intensity_flop_per_B > 0
   AND (:dtype = 'all' OR k.dtype = :dtype) AND (:campaign IS NULL OR k.campaign = :campaign)
   AND (:campaign IS NOT NULL OR k.date >= coalesce(:since, (SELECT substr(date, 1, 10) FROM last)))
UNION ALL -- published products with their shape
SELECT printf('gemm %dx%dx%d', m.num, n.num, k.num), r.source, r.dtype, i.intensity_flop_per_B, r.each, NULL, r.result_id, NULL, NULL
  FROM v_rate r
  JOIN v_run_factor m ON m.entry_id = r.entry_id AND m.factor = 'm'
  JOIN v_run_factor n ON n.entry_id = r.entry_id AND n.factor = 'n'
  JOIN v_run_factor k ON k.entry_id = r.entry_id AND k.factor = 'k'
  JOIN v_intensity i ON i.result_id = r.result_id AND i.intensity_flop_per_B > 0
 WHERE r.evidence = 'published' AND r.unit = 'FLOP/s'
   AND r.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND canon = (SELECT device FROM machine))
-- @table rates
-- against published ceilings; not by a LEFT JOIN of the view, which SQLite would make whole
SELECT c.result_id, n.value, n.facts
  FROM cell c CROSS JOIN v_normalised n ON n.result_id = c.result_id AND n.formula = 'roofline_fraction@1' AND n.basis = 'published'
-- @table cells
-- of the roof: of the peak or of the bandwidth, whichever is the larger part
SELECT c.label, c.backend, c.intensity, c.rate, c.moved, c.resident, c.in_doubt, r.key, p.key || ' ' || s.key AS measured_keys, n.facts,
       CASE WHEN s.key IS NULL OR p.key IS NULL THEN n.value
            WHEN c.rate / p.value > c.rate / c.intensity / s.value THEN c.rate / p.value
            ELSE c.rate / c.intensity / s.value END AS fraction
  FROM cell c
  JOIN v_result r ON r.result_id = c.result_id
  LEFT JOIN ceiling p ON p.by = 'measured' AND p.quantity <> 'memory_bandwidth' AND p.dtype = c.dtype
  LEFT JOIN ceiling s ON s.by = 'measured' AND s.quantity = 'memory_bandwidth'
  LEFT JOIN rates n ON n.result_id = c.result_id
-- @rows
WITH peak AS (SELECT * FROM ceiling WHERE quantity <> 'memory_bandwidth'),
stream AS (SELECT * FROM ceiling WHERE quantity = 'memory_bandwidth')
SELECT 'ceiling' AS kind, p.by || ' ' || p.dtype AS label, p.by AS backend, p.value / s.value AS intensity_flop_per_B, p.value / 1e9 AS gflop_per_s,
       s.value / 1e9 AS gb_per_s, p.value / 1e9 AS roof_gflop_per_s, NULL AS fraction_percent, p.key || ' ' || s.key AS _facts, NULL AS _facts_fraction_percent
  FROM peak p JOIN stream s ON s.by = coalesce((SELECT t.by FROM stream t WHERE t.by = p.by), (SELECT max(t.by) FROM stream t))
UNION ALL
SELECT * FROM (
SELECT 'point', label, backend, intensity, rate / 1e9, moved / 1e9, rate / fraction / 1e9, 100 * fraction,
       key || coalesce(' ' || coalesce(measured_keys, facts), ''), key || coalesce(' ' || coalesce(measured_keys, facts), '')
  FROM cells WHERE EXISTS (SELECT 1 FROM stream) ORDER BY intensity, label, backend) d;
-- @notes
SELECT 'device: ' || device FROM machine WHERE device IS NOT NULL
UNION ALL
SELECT printf('above the roof of memory: %d point%s whose operands a cache holds (%s)', count(*), CASE WHEN count(*) > 1 THEN 's' ELSE '' END,
              group_concat(DISTINCT resident))
  FROM cells WHERE fraction > 1 AND resident <> 'memory' HAVING count(*) > 0
UNION ALL
SELECT printf('%d of %d point%s %s unsteady, or imprecise (fewer than 10 samples)', sum(in_doubt), count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END, CASE sum(in_doubt) WHEN 1 THEN 'is' ELSE 'are' END) FROM cells HAVING sum(in_doubt) > 0;
