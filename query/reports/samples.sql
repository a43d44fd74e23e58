-- title: Every sample of what was measured {kernel} {tag}
-- question: every sample of what was measured
-- group: What was measured here?
-- site: Measured here
-- param: kernel | text | | one kernel
-- param: backend | text | | one backend
-- param: tag | text | | measurements of this name | SELECT tag FROM tag_told ORDER BY 1
-- param: campaign | text | latest | one command of abdb run, latest, or all
-- param: cells | number | 8 | cells at most
-- column: label | cell | cut44 | kernel, parameters, backend and tag; of several commands of abdb run the date, too
-- column: seq | # | | place in the run
-- column: ms | ms | g5 | one launch
-- column: median_ms | median | g5 | of the cell
-- column: low_ms | low | g5 | of its 95 % interval
-- column: high_ms | high | g5 |
-- column: mark | mark | | outlier, warm-up, ...
-- column: n | n | | samples of the cell
-- @table every
WITH wanted (campaign) AS (
  SELECT DISTINCT campaign FROM v_run WHERE tag = :tag
  UNION SELECT :campaign WHERE :tag IS NULL AND :campaign NOT IN ('latest', 'all')
  UNION SELECT (SELECT campaign FROM v_campaign ORDER BY date DESC, campaign LIMIT 1) WHERE :tag IS NULL AND :campaign = 'latest'
  UNION SELECT campaign FROM v_campaign WHERE :tag IS NULL AND :campaign = 'all')
SELECT k.result_id, k.date, k.cell AS name, k.key, k.time_s, k.time_low_s, k.time_high_s, k.n,
       replace(k.cell, ' n=auto', '') || coalesce(' (' || k.slice || ')', '') || coalesce(' ' || k.tag, '')
       || CASE WHEN min(k.campaign) OVER () < max(k.campaign) OVER () THEN ' ' || k.date ELSE '' END AS label,
       substr(k.cell, 1, instr(k.cell || ' #', ' #') - 1) AS base, k.tag, CAST(substr(k.cell, instr(k.cell || ' #', ' #') + 2) AS integer) AS place
  FROM v_kernel k
 WHERE k.campaign IN (SELECT campaign FROM wanted) AND k.status = 'ok' AND (:tag IS NULL OR k.tag = :tag)
   AND (:kernel IS NULL OR k.kernel = :kernel) AND (:backend IS NULL OR k.backend = :backend)
-- @table cell
SELECT * FROM every ORDER BY date, name LIMIT :cells
-- @rows
SELECT c.label, s.seq, 1000 * s.value AS ms, 1000 * c.time_s AS median_ms, 1000 * c.time_low_s AS low_ms, 1000 * c.time_high_s AS high_ms,
       coalesce(s.mark, '') AS mark, c.n, c.key AS _facts,
       CASE WHEN (SELECT count(*) FROM every) > (SELECT count(*) FROM cell)
            THEN (SELECT count(*) FROM every e JOIN v_sample v USING (result_id)) END AS _whole
  FROM cell c JOIN v_sample s USING (result_id)
 ORDER BY c.base, c.tag, c.place, c.label, c.result_id, s.seq;
-- @notes
SELECT printf('%d cell%s, n = %d%s sample%s%s; bar: median and its 95 %% interval where there are samples enough', count(*),
              CASE count(*) WHEN 1 THEN '' ELSE 's' END, min(n), CASE WHEN max(n) > min(n) THEN ' to ' || max(n) ELSE '' END,
              CASE max(n) WHEN 1 THEN '' ELSE 's' END, CASE count(*) WHEN 1 THEN '' ELSE ' each' END)
  FROM cell HAVING count(*) > 0;
