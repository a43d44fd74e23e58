-- title: Utilisation of matrix products over M and N {dtype} {backend}
-- question: utilisation of matrix products over M and N
-- group: Which accelerator is faster?
-- site: Measured here
-- param: dtype | text | f32 | number format | SELECT DISTINCT dtype FROM description WHERE campaign IS NOT NULL AND dtype IS NOT NULL ORDER BY 1
-- param: backend | text | | one backend
-- param: provider | text | | one provider of a backend that has several
-- param: campaign | text | latest | one command of abdb run, latest (with a product), or all
-- param: k | number | | only this K (default: M = K where squares were run, else the K most often run)
-- param: basis | text | measured | measured: the best found on the device; published: its sheet
-- param: kernel | text | gemm | the kernel: one with factors m, n and k
-- column: m | M | | rows
-- column: n | N | | columns
-- column: k | K | | inner length
-- column: gflop_per_s | GFLOP/s | g4 | the best of the runs
-- column: percent | of peak % | 0 | mfu@1
-- column: of | of | | runs
-- column: backend | backend | |
-- column: device | device | cut30 |
-- column: provider | provider | | of the backend
-- column: flags | flags | | imprecise: fewer than 10 samples; unsteady
-- hoist: k backend provider device flags
-- @table latest
-- of one command what comes first
SELECT k.device, k.campaign
  FROM (SELECT campaign FROM v_campaign c
         WHERE EXISTS (SELECT 1 FROM v_kernel k WHERE k.campaign = c.campaign AND +k.kernel = :kernel AND +k.dtype = :dtype)
         ORDER BY date DESC, campaign LIMIT 1) c
  JOIN v_kernel k ON k.campaign = c.campaign AND +k.kernel = :kernel AND +k.dtype = :dtype LIMIT 1
-- @table best
WITH cell AS (
  SELECT k.device, k.backend, k.provider, k.flops_per_s, k.key, k.entry_id, k.flags,
         max(CASE f.factor WHEN 'm' THEN CAST(f.num AS INTEGER) END) AS m, max(CASE f.factor WHEN 'n' THEN CAST(f.num AS INTEGER) END) AS n,
         max(CASE f.factor WHEN 'k' THEN CAST(f.num AS INTEGER) END) AS k
    FROM v_kernel k JOIN v_run_factor f ON f.entry_id = k.entry_id AND f.factor IN ('m', 'n', 'k')
   WHERE k.kernel = :kernel AND k.status = 'ok' AND k.verified = 'pass' AND k.dtype = :dtype AND (:backend IS NULL OR k.backend = :backend)
     AND (:provider IS NULL OR k.provider = :provider)
     -- a product alone: one that also adds to C, or does more to it, is another work
     AND NOT EXISTS (SELECT 1 FROM v_run_factor p WHERE p.entry_id = k.entry_id
                      AND (p.factor = 'beta' AND p.num <> 0 OR p.factor = 'epilogue' AND p.text <> 'none' OR p.factor = 'transpose' AND p.text <> 'nn'))
     AND k.raw_device IN (SELECT n.spelling FROM name n WHERE n.kind = 'device' AND n.whole = (SELECT device FROM latest))
     AND (:campaign = 'all' OR k.campaign = CASE WHEN :campaign = 'latest'
          THEN (SELECT campaign FROM latest) ELSE :campaign END)
   GROUP BY k.entry_id),
chosen AS (
  SELECT * FROM cell
   WHERE k = coalesce(:k, (SELECT k FROM cell GROUP BY k ORDER BY count(DISTINCT m || 'x' || n) DESC, k DESC LIMIT 1))
     AND (backend, coalesce(provider, '')) = (SELECT backend, coalesce(provider, '') FROM cell ORDER BY flops_per_s DESC, key LIMIT 1))
SELECT b.*
  FROM (SELECT *, row_number() OVER (PARTITION BY m, n ORDER BY flops_per_s DESC, key) AS place, count(*) OVER (PARTITION BY m, n) AS of
          FROM chosen) b
 WHERE b.place = 1
-- @table held
SELECT c.entry_id, c.fraction, c.ceiling, c.ceiling_key
  FROM best b CROSS JOIN v_ceiling_of c ON c.entry_id = b.entry_id AND c.formula = 'mfu@1' AND c.basis = :basis
-- @rows
SELECT b.m, b.n, b.k, b.flops_per_s / 1e9 AS gflop_per_s, 100 * h.fraction AS percent, b.of, b.backend, b.provider, b.device, b.flags,
       b.key || coalesce(' ' || h.ceiling_key, '') AS _facts
  FROM best b LEFT JOIN held h ON h.entry_id = b.entry_id ORDER BY b.n, b.m;
-- @notes
SELECT printf('K = %d; 100 %% is %s, %s; each cell is the best of its runs, n = %d cell%s', max(k),
              coalesce(printf('%.1f GFLOP/s', (SELECT max(ceiling) FROM held) / 1e9), 'not known'),
              CASE :basis WHEN 'published' THEN 'the published peak' ELSE 'the best that was measured on this device' END, count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END)
  FROM best HAVING count(*) > 0;
