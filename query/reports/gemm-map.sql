-- title: Utilisation of matrix products over M and N {dtype} {backend}
-- site: Measured here
-- param: dtype | text | f32 | number format | SELECT DISTINCT dtype FROM v_kernel WHERE dtype IS NOT NULL ORDER BY 1
-- param: backend | text | | one backend
-- param: campaign | text | latest | one command of abdb run, latest (with a product), or all
-- param: k | number | | only this K (default: M = K where squares were run, else the K most often run)
-- param: basis | text | measured | measured: the best product found on the device; published: its sheet
-- column: m | M | | rows
-- column: n | N | | columns
-- column: k | K | | inner length
-- column: gflop_per_s | GFLOP/s | g4 | the best of the runs
-- column: percent | of peak % | 0 | mfu@1
-- column: of | of | | runs
-- column: backend | backend | |
-- column: device | device | cut30 |
-- hoist: k backend device
-- @with
WITH latest AS MATERIALIZED (SELECT device, campaign FROM v_kernel WHERE +kernel = 'gemm' AND campaign IS NOT NULL AND +dtype = :dtype ORDER BY date DESC LIMIT 1),
cell AS (
  SELECT k.device, k.backend, k.flops_per_s, k.result_id,
         max(CASE f.factor WHEN 'm' THEN CAST(f.num AS INTEGER) END) AS m, max(CASE f.factor WHEN 'n' THEN CAST(f.num AS INTEGER) END) AS n,
         max(CASE f.factor WHEN 'k' THEN CAST(f.num AS INTEGER) END) AS k
    FROM v_kernel k JOIN v_factor_given f ON f.entry_id = k.entry_id AND f.ordinal = 0 AND f.factor IN ('m', 'n', 'k')
   WHERE k.kernel = 'gemm' AND k.status = 'ok' AND k.verified = 'pass' AND k.dtype = :dtype AND (:backend IS NULL OR k.backend = :backend)
     AND k.device = (SELECT device FROM latest)
     AND (:campaign = 'all' OR k.campaign = CASE WHEN :campaign = 'latest'
          THEN (SELECT campaign FROM latest) ELSE :campaign END)
   GROUP BY k.entry_id),
chosen AS (
  SELECT * FROM cell
   WHERE k = coalesce(:k, (SELECT k FROM cell GROUP BY k ORDER BY count(DISTINCT m || 'x' || n) DESC, k DESC LIMIT 1))
     AND backend = coalesce(:backend, (SELECT backend FROM cell ORDER BY flops_per_s DESC LIMIT 1))),
best AS (SELECT *, row_number() OVER (PARTITION BY m, n ORDER BY flops_per_s DESC) AS place, count(*) OVER (PARTITION BY m, n) AS of FROM chosen),
peak AS (
  SELECT CASE :basis WHEN 'published' THEN (SELECT p.value FROM v_peak p WHERE p.device = (SELECT device FROM cell LIMIT 1)
            AND p.quantity = 'peak_flops' AND p.dtype = replace(replace(:dtype, 'f32', 'fp32'), 'f64', 'fp64') ORDER BY p.preference LIMIT 1)
         ELSE (SELECT max(flops_per_s) FROM cell) END AS value)
-- @rows
SELECT b.m, b.n, b.k, b.flops_per_s / 1e9 AS gflop_per_s, 100 * b.flops_per_s / p.value AS percent, b.of, b.backend, b.device, b.result_id AS _facts
  FROM best b, peak p WHERE b.place = 1 ORDER BY b.n, b.m;
-- @notes
SELECT printf('K = %d; 100 %% is %.1f GFLOP/s, %s; each cell is the best of its runs, n = %d cells', max(k), max(p.value) / 1e9,
              CASE :basis WHEN 'published' THEN 'the published peak' ELSE 'the best product measured on this device' END, count(*))
  FROM best, peak p WHERE place = 1 HAVING count(*) > 0;
