-- title: Kernels by backend: measured, not implemented, failed {device}
-- question: which kernel each backend has measured here, which it lacks, which was never asked
-- group: What was measured here?
-- param: device | text | | one machine | SELECT device FROM device_measured ORDER BY 1
-- param: backend | text | | one backend
-- param: kernel | text | | one kernel
-- param: state | text | | measured, wrong, not-implemented, failed or not asked
-- column: kernel | kernel | | the mathematics
-- column: backend | backend | | program that was asked
-- column: device | device | cut40 | device that it ran on
-- column: state | state | | measured: verified at one cell at least; wrong: measured, and no cell verified; failed: neither that nor not-implemented; not asked
-- column: measured | measured | | cells verified
-- column: wrong | wrong | | cells whose result is not the reference's
-- column: not_implemented | not implemented | | cells that the backend does not have
-- column: failed | failed | | cells that failed, crashed, ran out of time or memory
-- column: dtypes | formats | | number formats of the verified ones
-- column: reason | reason | cut60 | of what is not implemented or failed, the last word
-- hoist: device
-- @table asked
SELECT k.kernel, k.backend, coalesce(k.device, '') AS device, k.dtype, k.status, k.verified, k.reason, k.date, k.key FROM v_kernel k
 WHERE k.backend IS NOT NULL AND k.status <> 'cancelled' AND (:device IS NULL OR k.device = :device)
-- @rows
WITH pair AS (
  SELECT n.kernel AS kernel, b.backend AS backend, b.device AS device
    FROM (SELECT DISTINCT kernel FROM asked) n CROSS JOIN (SELECT DISTINCT backend, device FROM asked) b),
counted AS (
  SELECT p.kernel, p.backend, p.device, count(a.kernel) AS cells,
         count(CASE WHEN a.status = 'ok' AND a.verified = 'pass' THEN 1 END) AS measured,
         count(CASE WHEN a.status = 'ok' AND a.verified <> 'pass' THEN 1 END) AS wrong,
         count(CASE WHEN a.status = 'not-implemented' THEN 1 END) AS not_implemented,
         count(CASE WHEN a.status NOT IN ('ok', 'not-implemented') THEN 1 END) AS failed,
         max(CASE WHEN a.status <> 'ok' THEN a.date || a.reason END) AS last,
         group_concat(CASE WHEN a.status = 'ok' AND a.verified = 'pass' THEN a.key END, ' ') AS keys
    FROM pair p LEFT JOIN asked a ON a.kernel = p.kernel AND a.backend = p.backend AND a.device = p.device
   GROUP BY p.kernel, p.backend, p.device),
stated AS (
  SELECT c.*, CASE WHEN measured > 0 THEN 'measured' WHEN wrong > 0 THEN 'wrong' WHEN failed > 0 THEN 'failed'
                   WHEN not_implemented > 0 THEN 'not-implemented' ELSE 'not asked' END AS state
    FROM counted c)
SELECT s.kernel, s.backend, nullif(s.device, '') AS device, s.state, nullif(s.measured, 0) AS measured, nullif(s.wrong, 0) AS wrong,
       nullif(s.not_implemented, 0) AS not_implemented, nullif(s.failed, 0) AS failed,
       (SELECT group_concat(dtype, ' ') FROM (SELECT DISTINCT a.dtype FROM asked a WHERE a.kernel = s.kernel AND a.backend = s.backend
           AND a.device = s.device AND a.status = 'ok' AND a.verified = 'pass' AND a.dtype IS NOT NULL ORDER BY a.dtype)) AS dtypes,
       (SELECT a.reason FROM asked a WHERE a.kernel = s.kernel AND a.backend = s.backend AND a.device = s.device
           AND a.status <> 'ok' AND a.date || a.reason = s.last LIMIT 1) AS reason, s.keys AS _facts
  FROM stated s
 WHERE (:backend IS NULL OR s.backend = :backend) AND (:kernel IS NULL OR s.kernel = :kernel) AND (:state IS NULL OR s.state = :state)
 ORDER BY s.kernel, s.backend, s.device;
-- @notes
SELECT 'a kernel that no backend was ever asked for is in no row; abdb run --list says what each has, abdb run --plan all --quick asks all'
 WHERE EXISTS (SELECT 1 FROM asked);
