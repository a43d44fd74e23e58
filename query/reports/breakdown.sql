-- title: Where the time goes {workload} {tag}
-- question: where the time of a workload goes, and how far each part is from its roof
-- group: What was measured here?
-- site: Measured here
-- param: workload | text | | one workload
-- param: backend | text | | one backend
-- param: tag | text | | measurements of this name | SELECT tag FROM tag_told ORDER BY 1
-- param: campaign | text | latest | one command of abdb run, latest, or all
-- column: cell | cell | cut44 | workload and parameters; the tag, where there are several
-- column: backend | backend | | program that ran it
-- column: phase | phase | | what the part is a part of
-- column: part | part | | named by the workload; between kernels: what no kernel of a phase accounts for; between phases: what no phase does
-- column: calls | calls | | launches in one repetition
-- column: ms | ms | g4 | of one repetition, that of the median time
-- column: share_percent | share % | 1 | of the repetition
-- column: gflop_per_s | GFLOP/s | g4 | operations that were done / time
-- column: gb_per_s | GB/s | g4 | bytes of the formula / time
-- column: roof_ms | at roof | g4 | time that it would take at the roof: the longer of operations at the measured peak of its number format and bytes at the measured bandwidth
-- column: of_roof_percent | of roof % | 0 | at roof / ms; above 100: in a cache
-- column: bound | bound | | which of both is longer
-- hoist: backend
-- note: roofs are the best that was measured on the device (abdb run --plan ceilings); operations are those that were done, done again too
-- @table run
WITH RECURSIVE newest (place, campaign) AS MATERIALIZED (
  SELECT row_number() OVER (ORDER BY c.date DESC, c.campaign), c.campaign
    FROM v_campaign c WHERE :tag IS NULL AND :campaign = 'latest' AND EXISTS (SELECT 1 FROM span)),
walked (place, campaign, has) AS ( -- from the newest on, no farther than to the first whose parts were timed
  SELECT 0, '', 0
  UNION ALL
  SELECT n.place, n.campaign,
         CASE WHEN EXISTS (SELECT 1 FROM v_run e JOIN v_span s ON s.entry_id = e.entry_id
                            WHERE e.campaign = n.campaign AND e.source = 'abdb-run') THEN 1 ELSE 0 END
    FROM walked w JOIN newest n ON n.place = w.place + 1 WHERE w.has = 0),
wanted (campaign) AS (
  SELECT DISTINCT campaign FROM v_run WHERE tag = :tag
  UNION SELECT :campaign WHERE :tag IS NULL AND :campaign NOT IN ('latest', 'all')
  UNION SELECT campaign FROM walked WHERE has = 1
  UNION SELECT campaign FROM v_campaign WHERE :tag IS NULL AND :campaign = 'all')
SELECT k.entry_id, k.kernel, k.backend, k.dtype, k.device, k.date, k.key, k.verified, k.time_s,
       replace(k.cell, k.backend || ' ', '') || coalesce(' (' || k.slice || ')', '')
       || CASE WHEN min(coalesce(k.tag, '')) OVER () < max(coalesce(k.tag, '')) OVER () THEN coalesce(' ' || k.tag, '') ELSE '' END AS cell
  FROM v_kernel k
 WHERE k.campaign IN (SELECT campaign FROM wanted) AND (:tag IS NULL OR k.tag = :tag) AND k.status = 'ok'
   AND (:workload IS NULL OR k.kernel = :workload) AND (:backend IS NULL OR k.backend = :backend)
   AND EXISTS (SELECT 1 FROM v_span s WHERE s.entry_id = k.entry_id)
-- @table roof
SELECT r.entry_id, p.value AS peak, p.key AS peak_key, b.value AS bandwidth, b.key AS bandwidth_key
  FROM run r
  LEFT JOIN v_ceiling p ON p.device = r.device AND p.quantity = 'peak_flops' AND p.dtype = r.dtype
  LEFT JOIN v_ceiling b ON b.device = r.device AND b.quantity = 'memory_bandwidth'
-- @table spent
SELECT r.entry_id, coalesce(s.within, '') AS phase, s.span AS part, s.place, s.calls, s.time_s, s.ops, s.bytes_B AS bytes, s.kernel
  FROM run r JOIN v_span s ON s.entry_id = r.entry_id
 WHERE s.kernel IS NOT NULL OR NOT EXISTS (SELECT 1 FROM v_span i WHERE i.entry_id = s.entry_id AND i.within = s.span)
UNION ALL
SELECT h.entry_id, h.span, 'between kernels', (SELECT max(i.place) FROM v_span i WHERE i.entry_id = h.entry_id AND i.within = h.span) + 0.5,
       NULL, h.time_s - (SELECT sum(i.time_s) FROM v_span i WHERE i.entry_id = h.entry_id AND i.within = h.span), NULL, NULL, NULL
  FROM run r JOIN v_span h ON h.entry_id = r.entry_id
 WHERE h.kernel IS NULL AND EXISTS (SELECT 1 FROM v_span i WHERE i.entry_id = h.entry_id AND i.within = h.span)
UNION ALL
SELECT entry_id, '', 'between phases', 1e9, NULL, left_s, NULL, NULL, NULL
  FROM (SELECT r.entry_id, r.time_s, -- of the repetition whose parts they are
               (SELECT sum(i.time_s) FROM v_span i WHERE i.entry_id = r.entry_id AND i.kernel IS NOT NULL)
               / (1 - (SELECT o.value FROM v_stored o WHERE o.entry_id = r.entry_id AND o.metric = 'overhead'))
               - (SELECT sum(i.time_s) FROM v_span i WHERE i.entry_id = r.entry_id AND i.within IS NULL) AS left_s FROM run r) b
 WHERE left_s > 1e-6 * time_s
-- @rows
WITH whole AS (SELECT entry_id, sum(time_s) AS time_s FROM spent GROUP BY entry_id),
ideal AS (
  SELECT p.*, f.peak_key, f.bandwidth_key, p.ops / f.peak AS by_ops, p.bytes / f.bandwidth AS by_bytes
    FROM spent p JOIN roof f ON f.entry_id = p.entry_id)
SELECT r.cell, r.backend, nullif(i.phase, '') AS phase, i.part, i.calls, 1000 * i.time_s AS ms, 100 * i.time_s / nullif(w.time_s, 0) AS share_percent,
       i.ops / nullif(i.time_s, 0) / 1e9 AS gflop_per_s, i.bytes / nullif(i.time_s, 0) / 1e9 AS gb_per_s,
       CASE WHEN i.by_ops >= i.by_bytes THEN 1000 * i.by_ops ELSE 1000 * i.by_bytes END AS roof_ms,
       CASE WHEN i.by_ops >= i.by_bytes THEN 100 * i.by_ops ELSE 100 * i.by_bytes END / nullif(i.time_s, 0) AS of_roof_percent,
       CASE WHEN i.by_ops >= i.by_bytes THEN 'operations' WHEN i.by_ops < i.by_bytes THEN 'bytes' END AS bound,
       r.key || coalesce(' ' || i.peak_key, '') || coalesce(' ' || i.bandwidth_key, '') AS _facts
  FROM run r JOIN ideal i ON i.entry_id = r.entry_id JOIN whole w ON w.entry_id = r.entry_id
 ORDER BY r.date, r.cell, r.backend, i.place;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, printf('%s: %.4g ms a repetition, %.1f %% between kernels%s', r.cell, 1000 * sum(p.time_s),
                            100 * sum(CASE WHEN p.part LIKE 'between %' THEN p.time_s ELSE 0 END) / sum(p.time_s),
                            CASE WHEN r.verified = 'pass' THEN '' ELSE '; its verification FAILED' END) AS line
    FROM run r JOIN spent p ON p.entry_id = r.entry_id GROUP BY r.entry_id, r.cell, r.verified
  UNION ALL
  SELECT DISTINCT 2, 'no roof of ' || r.dtype || ' was measured on this device: abdb run --plan ceilings'
    FROM run r JOIN roof f ON f.entry_id = r.entry_id WHERE f.peak IS NULL OR f.bandwidth IS NULL)
 ORDER BY place;
