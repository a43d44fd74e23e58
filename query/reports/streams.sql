-- title: Memory bandwidth by device and operation (STREAM, BabelStream, abdb) {operation}
-- question: memory bandwidth by device and operation, against the sheet
-- group: Which accelerator is faster?
-- site: Collectives and memory
-- param: operation | text | | copy, scale, add, triad, dot
-- param: device | text | | one device; several by *
-- param: limit | number 1.. | 24 | devices at most: the fastest
-- column: device | device | cut28 | canonical device
-- column: operation | operation | | copy, mul (scale), add, triad, dot
-- column: gb_per_s | GB/s | g4 | the best rate of the least time
-- column: by | by | cut30 | program of the best
-- column: of | of | | results of this device and operation
-- column: least_gb_per_s | worst | g4 | of them
-- column: spec_gb_per_s | sheet GB/s | g4 | published bandwidth, where it is known
-- column: percent | of sheet % | 0 | the best / published
-- column: evidence | evidence | |
-- column: flags | flags | | of the best; imprecise: fewer than 10 samples; unsteady
-- @table best
WITH one AS (
  SELECT r.device, r.value, r.key, r.evidence, r.flags,
         coalesce((SELECT f.text FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'operation'),
                  (SELECT f.text FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'op')) AS operation,
         trim(coalesce(r.backend || ' ', '') || coalesce((SELECT f.text FROM v_run_factor f WHERE f.entry_id = r.entry_id
            AND f.factor = 'software'), r.source)) AS by
    FROM (SELECT result_id FROM v_stored WHERE source IN ('babelstream', 'mccalpin-stream') AND metric = 'bytes_per_s'
          UNION ALL -- of abdb's own the machine that was measured last
          SELECT k.bound_id FROM v_kernel k
           WHERE k.ceiling = 'memory_bandwidth' AND k.raw_device IN (SELECT n.spelling FROM name n WHERE n.kind = 'device' AND n.whole = (SELECT device FROM v_kernel
             WHERE campaign = (SELECT campaign FROM v_campaign ORDER BY date DESC, campaign LIMIT 1) AND device IS NOT NULL LIMIT 1))) f
   CROSS JOIN v_result r ON r.result_id = f.result_id
   WHERE r.device IS NOT NULL AND coalesce(r.verified, '') <> 'fail' AND (:device IS NULL OR r.device GLOB :device)),
named AS (SELECT *, CASE operation WHEN 'mul' THEN 'scale' ELSE operation END AS op FROM one)
SELECT *, row_number() OVER (PARTITION BY device, op ORDER BY value DESC, key) AS place,
       count(*) OVER (PARTITION BY device, op) AS of, min(value) OVER (PARTITION BY device, op) AS least
  FROM named WHERE op IN ('copy', 'scale', 'add', 'triad', 'dot') AND (:operation IS NULL OR op = :operation)
-- @table ranked
SELECT device, max(value) AS top FROM best GROUP BY device ORDER BY top DESC, device LIMIT :limit
-- @rows
SELECT b.device, b.op AS operation, b.value / 1e9 AS gb_per_s, b.by, b.of, b.least / 1e9 AS least_gb_per_s, p.value / 1e9 AS spec_gb_per_s,
       100 * b.value / p.value AS percent, b.evidence, b.flags, b.key || coalesce(' ' || p.key, '') AS _facts,
       (SELECT count(*) FROM best WHERE place = 1) AS _whole
  FROM ranked r JOIN best b ON b.device = r.device AND b.place = 1
  LEFT JOIN v_peak p ON p.device = r.device AND p.quantity = 'memory_bandwidth'
   AND p.preference = (SELECT min(q.preference) FROM v_peak q WHERE q.device = r.device AND q.quantity = 'memory_bandwidth')
 ORDER BY r.top DESC, b.device, CASE b.op WHEN 'copy' THEN 0 WHEN 'scale' THEN 1 WHEN 'add' THEN 2 WHEN 'triad' THEN 3 ELSE 4 END;
-- @notes
SELECT 'each point is the best of its results (column of); of abdb''s own measurements the machine measured last; scale is called mul by BabelStream; bytes are counted without write-allocate';
