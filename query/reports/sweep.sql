-- title: {kernel}: {metric} by {x}
-- question: a kernel over one of its factors, other factors as lines: bandwidth, rate, time, share of the ceiling
-- group: What was measured here?
-- site: Measured here
-- param: kernel | text | stream | one kernel
-- param: x | text | threads | factor across: a number
-- param: by | text | operation | factors that tell lines apart, separated by commas or +; dtype, backend and tag too
-- param: only | text | | conditions, separated by commas or +: FACTOR=VALUE, or FACTOR alone: it must be given
-- param: metric | text | gb_per_s | gb_per_s, gop_per_s, ms or of_ceiling_percent: rates of the formula's bytes or operations, time, or the share of the measured ceiling
-- param: campaign | text | all | one command of abdb run, latest, or all
-- column: x | x | g6 | factor across
-- column: series | series | | the factors that tell lines apart; what ran them, where that is several
-- column: value | value | g4 | median over repetitions
-- column: least | least | g4 | of the repetitions
-- column: most | most | g4 |
-- column: n | n | | verified results
-- column: unit | unit | | of the value
-- column: x_factor | across | | name of the factor
-- column: device | device | |
-- column: by_factor | lines | | names of the factors that tell lines apart
-- hoist: unit x_factor by_factor device
-- @with
WITH RECURSIVE wanted (campaign) AS (
  SELECT :campaign WHERE :campaign NOT IN ('latest', 'all')
  UNION SELECT (SELECT campaign FROM v_campaign ORDER BY date DESC, campaign LIMIT 1) WHERE :campaign = 'latest'),
piece (kind, rest, word, place) AS (
  SELECT 'by', replace(coalesce(:by, ''), '+', ',') || ',', '', 0 UNION ALL SELECT 'only', replace(coalesce(:only, ''), '+', ',') || ',', '', 0
  UNION ALL
  SELECT kind, substr(rest, instr(rest, ',') + 1), trim(substr(rest, 1, instr(rest, ',') - 1)), place + 1 FROM piece WHERE rest <> ''),
line_by (factor, place) AS (SELECT word, place FROM piece WHERE kind = 'by' AND word <> ''),
condition (factor, value) AS (
  SELECT CASE WHEN instr(word, '=') THEN substr(word, 1, instr(word, '=') - 1) ELSE word END, CASE WHEN instr(word, '=') THEN substr(word, instr(word, '=') + 1) END
    FROM piece WHERE kind = 'only' AND word <> ''),
machine (device) AS ( -- the one measured last of those that have what is asked for
  SELECT device
    FROM (SELECT c.campaign, c.date,
                 (SELECT k.device FROM v_kernel k
                   WHERE k.campaign = c.campaign AND +k.kernel = :kernel AND k.device IS NOT NULL AND k.status = 'ok' AND k.verified = 'pass'
                     AND EXISTS (SELECT 1 FROM v_run_factor f WHERE f.entry_id = k.entry_id AND f.factor = :x AND f.num IS NOT NULL)
                     AND NOT EXISTS (
                       SELECT 1 FROM condition q
                        WHERE NOT coalesce(CASE q.factor WHEN 'dtype' THEN q.value IS NULL OR k.dtype = q.value
                                                         WHEN 'backend' THEN q.value IS NULL OR k.backend = q.value
                                           ELSE (SELECT q.value IS NULL OR f.text = q.value FROM v_run_factor f
                                                  WHERE f.entry_id = k.entry_id AND f.factor = q.factor) END, 0))
                   LIMIT 1) AS device
            FROM v_campaign c) c
   WHERE device IS NOT NULL ORDER BY date DESC, campaign LIMIT 1),
cell AS MATERIALIZED (
  SELECT k.*, (SELECT f.num FROM v_run_factor f WHERE f.entry_id = k.entry_id AND f.factor = :x) AS x
    FROM machine m CROSS JOIN v_kernel k ON k.raw_device IN (SELECT n.spelling FROM name n WHERE n.kind = 'device' AND n.whole = m.device)
   WHERE k.kernel = :kernel AND k.status = 'ok' AND k.verified = 'pass' AND (:campaign = 'all' OR k.campaign IN (SELECT campaign FROM wanted))),
named AS MATERIALIZED (
  SELECT c.*,
         (SELECT group_concat(text, ' ') FROM (
            SELECT coalesce(CASE b.factor WHEN 'dtype' THEN c.dtype WHEN 'backend' THEN c.backend WHEN 'tag' THEN c.tag
                                 ELSE (SELECT f.text FROM v_run_factor f WHERE f.entry_id = c.entry_id AND f.factor = b.factor) END,
                            'no ' || b.factor) AS text FROM line_by b ORDER BY b.place)) AS series
    FROM cell c
   WHERE c.x IS NOT NULL AND NOT EXISTS (
     SELECT 1 FROM condition q
      WHERE NOT coalesce(CASE q.factor WHEN 'dtype' THEN q.value IS NULL OR c.dtype = q.value WHEN 'backend' THEN q.value IS NULL OR c.backend = q.value
                         ELSE (SELECT q.value IS NULL OR f.text = q.value FROM v_run_factor f
                                WHERE f.entry_id = c.entry_id AND f.factor = q.factor) END, 0))),
several (dtypes, backends, providers) AS MATERIALIZED ( -- number formats and what ran them, where the lines do not tell them apart
  SELECT :x <> 'dtype' AND (SELECT count(DISTINCT dtype) > 1 FROM named) AND NOT EXISTS (SELECT 1 FROM line_by WHERE factor = 'dtype'),
         (SELECT count(DISTINCT backend) > 1 FROM named) AND NOT EXISTS (SELECT 1 FROM line_by WHERE factor = 'backend'),
         (SELECT max(n) > 1 FROM (SELECT count(DISTINCT provider) AS n FROM named GROUP BY backend) p)
         AND NOT EXISTS (SELECT 1 FROM line_by WHERE factor = 'provider')),
held AS MATERIALIZED ( -- operations and bytes of each
  SELECT c.entry_id, c.fraction FROM named n CROSS JOIN v_ceiling_of c ON c.entry_id = n.entry_id AND c.basis = 'measured'
   WHERE :metric = 'of_ceiling_percent'),
one AS (
  SELECT n.x, trim(coalesce(n.series, '') || CASE WHEN s.dtypes THEN ' ' || coalesce(n.dtype, '') ELSE '' END || CASE WHEN s.backends THEN ' ' || n.backend ELSE '' END
                || CASE WHEN s.providers THEN ' ' || coalesce(n.provider, '') ELSE '' END || CASE WHEN :x NOT IN ('layers', 'd', 'heads', 'vocabulary', 'rows', 'tables', 'lookups') THEN coalesce(' (' || n.slice || ')', '') ELSE '' END) AS series, n.device, n.key, n.entry_id, substr(n.cell, 1, instr(n.cell || ' #', ' #') - 1) AS cell, -- without its repeat
         n.in_doubt,
         CASE :metric WHEN 'gb_per_s' THEN n.bytes_per_s / 1e9 WHEN 'gop_per_s' THEN n.flops_per_s / 1e9 WHEN 'ms' THEN 1e3 * n.time_s
              ELSE 100 * (SELECT max(h.fraction) FROM held h WHERE h.entry_id = n.entry_id) END AS value
    FROM named n CROSS JOIN several s),
pooled AS ( -- points that are medians of different cells
  SELECT series, x FROM one WHERE value > 0 GROUP BY series, x HAVING count(DISTINCT cell) > 1)
-- @rows
SELECT x, series, median(value) AS value, min(value) AS least, max(value) AS most, count(*) AS n,
       CASE :metric WHEN 'gb_per_s' THEN 'GB/s' WHEN 'gop_per_s' THEN 'Gop/s' WHEN 'ms' THEN 'ms' ELSE '% of the measured ceiling' END AS unit,
       replace(:x, '_', ' ') AS x_factor, device, nullif(replace(replace(replace(:by, ' ', ''), '+', ','), ',', ', '), '') AS by_factor, group_concat(key, ' ') AS _facts
  FROM one WHERE value > 0 GROUP BY series, x ORDER BY series, x;
-- @notes
SELECT 'kernel ' || :kernel || ' on ' || device || coalesce('; only ' || nullif(:only, ''), '') || '; bytes and operations as the kernel''s formula counts them'
  FROM machine
UNION ALL
SELECT printf('%d of %d result%s %s unsteady, or imprecise (fewer than 10 samples)', sum(in_doubt), count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END, CASE sum(in_doubt) WHEN 1 THEN 'is' ELSE 'are' END) FROM one WHERE value > 0 HAVING sum(in_doubt) > 0
UNION ALL
SELECT (SELECT count(*) || CASE count(*) WHEN 1 THEN ' point is a median' ELSE ' points are medians' END FROM pooled) || ' of cells that differ in ' || group_concat(factor, ', ') || ': --by tells them apart, --only picks some'
  FROM (SELECT DISTINCT factor FROM (
          SELECT f.factor FROM pooled p JOIN one o ON o.series = p.series AND o.x = p.x JOIN v_run_factor f ON f.entry_id = o.entry_id
           WHERE o.value > 0 AND instr(o.cell, ' ' || CASE f.factor WHEN 'operation' THEN 'op' ELSE f.factor END || '=') > 0
           GROUP BY p.series, p.x, f.factor HAVING count(DISTINCT f.text) > 1) ORDER BY factor)
 HAVING count(*) > 0;
