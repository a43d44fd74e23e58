-- title: History of a measurement, with change points {kernel} {device}
-- site: Measured here
-- param: kernel | text | | one kernel
-- param: cell | text | | one cell; several by *
-- param: device | text | | one machine (default: the one measured last)
-- param: cells | number | 4 | cells at most: those measured most often on that machine
-- param: window | number | 5 | runs on each side of a change point
-- column: label | cell | cut44 | kernel, parameters and backend
-- column: run | run | | number of the run, oldest first
-- column: date | date | cut16 | when, UTC
-- column: ms | ms | g5 | median of the run
-- column: low_ms | low | g5 | of its 95 % interval
-- column: high_ms | high | g5 |
-- column: n | n | | samples
-- column: change | change | | 1: the runs before and from here on differ: p at most 0.01, and 1 % or more
-- column: ratio | ratio | 3 | time after / before a change
-- column: p | p | g2 | Mann-Whitney, window against window
-- column: tag | tag | |
-- @table seen
SELECT k.cell, k.device, k.date, k.tag, k.n, k.time_s, k.time_low_s, k.time_high_s, k.key,
       row_number() OVER (PARTITION BY k.cell, k.device ORDER BY k.date, k.key) AS run, count(*) OVER (PARTITION BY k.cell, k.device) AS runs
  FROM v_kernel k WHERE k.status = 'ok' AND k.verified <> 'fail' AND k.time_s > 0
   AND (:kernel IS NULL OR k.kernel = :kernel)
   AND k.raw_device IN (SELECT n.spelling FROM name n WHERE n.kind = 'device' AND n.whole = coalesce(:device, (SELECT device FROM v_kernel
                               WHERE campaign = (SELECT campaign FROM v_campaign ORDER BY date DESC, campaign LIMIT 1) AND device IS NOT NULL LIMIT 1)))
   AND (:cell IS NULL OR k.cell GLOB :cell)
-- @table one
WITH chosen AS (SELECT cell, device, runs FROM seen WHERE runs > 1 GROUP BY cell, device ORDER BY runs DESC, cell LIMIT :cells)
SELECT s.* FROM chosen c JOIN seen s ON s.cell = c.cell AND s.device = c.device
-- @rows
WITH tested AS ( -- as many runs before as from here on
  SELECT a.cell, a.device, a.run, mwu_p(b.time_s, b.run >= a.run) AS p, hl_ratio(b.time_s, b.run >= a.run) AS ratio
    FROM one a JOIN one b ON b.cell = a.cell AND b.device = a.device AND b.run >= a.run - :window AND b.run < a.run + :window
   WHERE a.run > :window AND a.run + :window <= a.runs + 1 GROUP BY a.cell, a.device, a.run),
marked AS ( -- of neighbours, the one with the most evidence and the largest effect
  SELECT t.*, row_number() OVER (PARTITION BY cell, device, grp ORDER BY p, abs(ln(ratio)) DESC, run) AS place
    FROM (SELECT *, run - row_number() OVER (PARTITION BY cell, device ORDER BY run) AS grp
            FROM tested WHERE p <= 0.01 AND abs(ln(ratio)) > 0.01) t)
SELECT replace(o.cell, ' n=auto', '') AS label, o.run, substr(o.date, 1, 16) AS date, 1000 * o.time_s AS ms, 1000 * o.time_low_s AS low_ms,
       1000 * o.time_high_s AS high_ms, o.n, m.run IS NOT NULL AS change, m.ratio, m.p, o.tag, o.key AS _facts,
       (SELECT count(*) FROM seen WHERE runs > 1) AS _whole
  FROM one o LEFT JOIN marked m ON m.cell = o.cell AND m.device = o.device AND m.run = o.run AND m.place = 1
 ORDER BY o.cell, o.device, o.run;
-- @notes
SELECT printf('n = %d runs; change: the %d runs before and the %d from there on differ, Mann-Whitney p at most 0.01 and at least 1 %%; p is of each window alone, not of all looked at',
              count(*), :window, :window) FROM one HAVING count(*) > 0;
