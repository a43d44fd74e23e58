-- title: What changed on this machine since {since}
-- question: what changed on this machine since a date
-- group: What was measured here?
-- site: Measured here
-- param: since | date | | the day from which on is "after" (default: the day of the latest run)
-- param: kernel | text | | one kernel
-- param: device | text | | one machine
-- column: cell | cell | cut44 | kernel, backend and parameters; of abdb run --command the program, too, as NAME=COMMAND
-- column: before_ms | before ms | g4 | median of the medians before that day
-- column: before_n | n | | runs
-- column: after_ms | after ms | g4 | median of the medians since
-- column: after_n | n | | runs
-- column: ratio | time ratio | 3 | after / before
-- column: verdict | verdict | | apart: every run after is on one side of every run before; else ~
-- column: device | device | |
-- hoist: device
-- @with
WITH day AS (SELECT coalesce(:since, (SELECT substr(max(date), 1, 10) FROM v_campaign)) AS day),
chosen AS (
  SELECT substr(k.cell, 1, instr(k.cell || ' #', ' #') - 1)
         || coalesce((SELECT ' ' || coalesce(k.tag || '=', '') || c.text FROM v_run_factor c WHERE c.entry_id = k.entry_id AND c.factor = 'command'), '') AS cell, k.device, k.time_s, k.key, k.date >= (SELECT day FROM day) AS after
    FROM v_kernel k WHERE k.status = 'ok' AND k.verified <> 'fail' AND k.time_s > 0
     AND (:kernel IS NULL OR k.kernel = :kernel) AND (:device IS NULL OR k.device = :device)),
ordered AS (
  SELECT *, row_number() OVER (PARTITION BY cell, device, after ORDER BY time_s) AS place,
         count(*) OVER (PARTITION BY cell, device, after) AS n FROM chosen),
side AS (
  SELECT cell, device, after, avg(CASE WHEN place IN ((n + 1) / 2, (n + 2) / 2) THEN time_s END) AS time_s, max(n) AS n,
         min(time_s) AS least, max(time_s) AS most, group_concat(key, ' ') AS facts
    FROM ordered GROUP BY cell, device, after)
-- @rows
SELECT a.cell, 1000 * b.time_s AS before_ms, b.n AS before_n, 1000 * a.time_s AS after_ms, a.n AS after_n, a.time_s / b.time_s AS ratio,
       CASE WHEN a.n >= 3 AND b.n >= 3 AND (a.least > b.most OR a.most < b.least) THEN 'apart' ELSE '~' END AS verdict, a.device,
       a.facts || ' ' || b.facts AS _facts
  FROM side a JOIN side b ON b.cell = a.cell AND b.device = a.device AND b.after = 0
 WHERE a.after = 1 ORDER BY abs(ln(a.time_s / b.time_s)) DESC, a.cell;
-- @notes
SELECT '~ no evidence: fewer than 3 runs on a side, or they overlap; `abdb compare run=latest~1 run=latest` tests the samples.';
