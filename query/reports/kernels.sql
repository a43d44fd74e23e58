-- title: Kernels measured on this machine
-- question: what was measured here, as a fraction of the measured and of the published ceiling
-- group: What was measured here?
-- first: yes
-- site: Measured here
-- param: kernel | text | | one kernel
-- param: backend | text | | one backend 
-- param: tag | text | | measurements of this name | SELECT tag FROM tag_told ORDER BY 1
-- param: campaign | text | latest | one command of abdb run, latest, or all
-- param: failed | flag | | only cells without a result or that failed verification
-- column: cell | cell | | kernel and parameters
-- column: backend | backend | | program that ran it
-- column: dtype | dtype | | number format
-- column: threads | threads | | threads used
-- column: time_ms | ms | g4 | median of one launch
-- column: spread_percent | ± % | 1 | half of the 95 % interval of the median within this process, widened where samples are correlated; other processes may differ by more. Empty: too few samples
-- column: n | n | | samples
-- column: gflop_per_s | GFLOP/s | 1 | operations of the formula / median time
-- column: gb_per_s | GB/s | 1 | bytes of the formula / median time
-- column: of_measured_percent | of best % | 0 | of the best that was measured on this device of what bounds the kernel: operations (mfu@1) or bytes of memory (mbu@1)
-- column: of_published_percent | of spec % | 0 | the same of the published peak or bandwidth, where one is known
-- column: chosen | library chose | | kernels that the library picked
-- column: verified | verified | | outputs against the reference
-- column: status | status | | ok, or why there is no result
-- column: flags | flags | | quick: an impression; wide: ± above 10 %; trend, two-modes: of the samples
-- column: tag | tag | | name given by the user; of abdb run --command that of the program
-- column: command | command | cut44 | words of the program (abdb run --command)
-- column: reason | why | cut60 | why there is no result
-- hoist: backend dtype threads chosen status verified flags tag command reason
-- bare: gflop_per_s gb_per_s of_measured_percent of_published_percent
-- @table chosen
WITH wanted (campaign) AS (
  SELECT DISTINCT campaign FROM v_run WHERE tag = :tag
  UNION SELECT :campaign WHERE :tag IS NULL AND :campaign NOT IN ('latest', 'all')
  UNION SELECT (SELECT campaign FROM v_campaign ORDER BY date DESC, campaign LIMIT 1) WHERE :tag IS NULL AND :campaign = 'latest'
  UNION SELECT campaign FROM v_campaign WHERE :tag IS NULL AND :campaign = 'all')
SELECT k.*, substr(k.cell, 1, instr(k.cell || ' #', ' #') - 1) AS base, CAST(substr(k.cell, instr(k.cell || ' #', ' #') + 2) AS integer) AS place,
       (SELECT c.text FROM v_run_factor c WHERE c.entry_id = k.entry_id AND c.factor = 'command') AS command,
       CASE WHEN k.status = 'ok' THEN k.verified = 'fail' -- is it missing? Not what the same command of abdb run measured later (--resume)
            ELSE json_array(k.campaign, k.tag, k.cell) NOT IN
                 (SELECT json_array(l.campaign, l.tag, l.cell) FROM v_run l WHERE l.campaign IN (SELECT campaign FROM wanted) AND l.status = 'ok') END AS missing
  FROM v_kernel k
 WHERE k.campaign IN (SELECT campaign FROM wanted) AND (:tag IS NULL OR k.tag = :tag)
   AND (:kernel IS NULL OR k.kernel = :kernel) AND (:backend IS NULL OR k.backend = :backend)
-- @rows
WITH held AS MATERIALIZED ( -- the rate that limits each, against both ceilings
  -- (likelihood() tells the planner that few are chosen, so that it reads no table whole for them)
  SELECT c.result_id, c.basis, c.fraction, c.ceiling_key FROM chosen k CROSS JOIN v_ceiling_of c ON c.result_id = k.bound_id
   WHERE likelihood(k.bound_id IS NOT NULL, 0.0001) AND c.basis IN ('measured', 'published'))
SELECT replace(replace(replace(replace(k.cell, k.backend || ' ', ''), ' dtype=' || coalesce(k.dtype, ''), ''), ' n=auto', ''), 'op=', '') || coalesce(' (' || k.slice || ')', '') AS cell,
       k.backend, k.dtype,
       CASE CAST(k.threads AS integer) || '' WHEN k.threads THEN CAST(k.threads AS integer) ELSE k.threads END AS threads, 1000 * k.time_s AS time_ms,
       CASE WHEN k.time_low_s IS NOT NULL THEN 50 * (k.time_high_s - k.time_low_s) / k.time_s END AS spread_percent,
       k.n, k.flops_per_s / 1e9 AS gflop_per_s, k.bytes_per_s / 1e9 AS gb_per_s, 100 * m.fraction AS of_measured_percent,
       CASE WHEN m.fraction > 1.05 THEN CASE WHEN k.bound = 'bytes' THEN coalesce(k.resident, '!') ELSE '!' END END AS of_measured_percent__mark,
       100 * p.fraction AS of_published_percent, k.chosen, k.verified, k.status, k.flags, k.tag, k.command, k.reason,
       CASE WHEN k.verified <> 'pass' THEN NULL WHEN EXISTS (SELECT 1 FROM v_run_factor f WHERE f.entry_id = k.entry_id AND f.factor = 'verified_at') THEN ' (small)'
            ELSE (SELECT CASE WHEN f.num < 1 THEN printf(' (%.2g %%)', 100 * f.num) END FROM v_run_factor f WHERE f.entry_id = k.entry_id AND f.factor = 'checked') END AS verified__mark,
       k.key || coalesce(' ' || m.ceiling_key, '') || coalesce(' ' || p.ceiling_key, '') AS _facts
  FROM chosen k
  LEFT JOIN held m ON m.result_id = k.bound_id AND m.basis = 'measured'
  LEFT JOIN held p ON p.result_id = k.bound_id AND p.basis = 'published'
 WHERE CASE WHEN :failed THEN k.missing ELSE k.status = 'ok' AND k.verified <> 'fail' END
 ORDER BY k.kernel, k.dtype, k.backend, k.operation, k.flops_per_s, length(k.base), k.base, k.tag, k.place, k.cell;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, printf('%d cell%s without a result or with a failed verification: --failed', n, CASE n WHEN 1 THEN '' ELSE 's' END) AS line
    FROM (SELECT count(DISTINCT json_array(campaign, tag, cell)) AS n FROM chosen WHERE NOT :failed AND missing) c WHERE n > 0
  UNION ALL
  SELECT 2, 'device ' || device || '; bytes of a stream count no write-allocate traffic'
    FROM (SELECT DISTINCT device FROM chosen WHERE device IS NOT NULL)
  UNION ALL
  SELECT DISTINCT 4, resident || ' beside a share: the data stay in that cache, which gives more than memory'
    FROM chosen k JOIN v_ceiling_of c ON c.result_id = k.bound_id
   WHERE c.basis = 'measured' AND c.fraction > 1.05 AND k.bound = 'bytes' AND k.resident IS NOT NULL
  UNION ALL
  SELECT DISTINCT 5, '! beside a share: more than the most that was found here, which no cache explains; find it again (abdb run --plan ceilings) before you believe it'
    FROM chosen k JOIN v_ceiling_of c ON c.result_id = k.bound_id
   WHERE c.basis = 'measured' AND c.fraction > 1.05 AND (k.bound <> 'bytes' OR k.resident IS NULL)
  UNION ALL
  SELECT 6, printf('%d cell%s verified in part: of the largest outputs as many rows as there was time for (factor checked), at least %.3g %%', count(*),
                   CASE count(*) WHEN 1 THEN '' ELSE 's' END, 100 * min(f.num))
    FROM chosen k JOIN v_run_factor f ON f.entry_id = k.entry_id AND f.factor = 'checked'
   WHERE k.status = 'ok' AND k.verified = 'pass' AND f.num < 1 HAVING count(*) > 0
  UNION ALL
  SELECT 7, printf('%d cell%s verified at a smaller size, as computing the reference would take far longer (factor verified_at): %s', count(*),
                   CASE count(*) WHEN 1 THEN '' ELSE 's' END, group_concat(DISTINCT f.text))
    FROM chosen k JOIN v_run_factor f ON f.entry_id = k.entry_id AND f.factor = 'verified_at'
   WHERE k.status = 'ok' AND k.verified = 'pass' HAVING count(*) > 0
  UNION ALL
  SELECT DISTINCT 8, 'implausible: faster than its device, a launch or its clock can be; in no ranking, comparison or ceiling'
    FROM chosen k WHERE ' ' || flags || ' ' LIKE '% implausible %'
  UNION ALL
  SELECT DISTINCT 8, 'unknown-formula: abdb cannot count this work again; in no ranking, comparison or ceiling'
    FROM chosen k WHERE ' ' || flags || ' ' LIKE '% unknown-formula %'
  UNION ALL
  SELECT DISTINCT 9, '± holds within one process: others may differ by more (abdb run --repeat)' FROM chosen WHERE time_low_s IS NOT NULL
  UNION ALL
  SELECT 9, printf('%d cell%s without ±: too few samples (at most %d) for an interval of the median; measure without --quick, or repeat processes (abdb run --repeat 10)', count(*),
                   CASE count(*) WHEN 1 THEN '' ELSE 's' END, max(n))
    FROM chosen WHERE status = 'ok' AND command IS NULL AND n >= 1 AND time_s IS NOT NULL AND time_low_s IS NULL HAVING count(*) > 0
  UNION ALL
  SELECT 10, printf('%d cell%s measured while a fixed piece of work took up to %.0f %% longer than at the best time of this machine: something else ran beside it',
                    count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END, 100 * (max(seen.canary_s / best.canary_s) - 1))
    FROM (SELECT k.raw_device, r.value AS canary_s FROM chosen k JOIN result r ON r.entry_id = k.entry_id AND r.metric = 'canary_s') seen
    JOIN (SELECT e.device AS raw_device, min(r.value) AS canary_s FROM result r JOIN entry e ON e.entry_id = r.entry_id
           WHERE r.metric = 'canary_s' AND e.device IN (SELECT raw_device FROM chosen) GROUP BY e.device) best ON best.raw_device = seen.raw_device
   WHERE seen.canary_s > 1.1 * best.canary_s HAVING count(*) > 0
  UNION ALL
  SELECT DISTINCT 3, 'quick: few samples of small cells; an impression, not a result to publish'
    FROM chosen k WHERE flags LIKE '%quick%')
 ORDER BY place;
