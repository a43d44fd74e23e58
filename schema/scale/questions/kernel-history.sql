-- kernel-history.sql - each measured cell by month: runs, least, lower median and greatest time, and the median of a month
-- divided by that of the month before in which it was measured. Without programs of abdb run --command: all are one cell.
SELECT device, cell, month, runs, least_s, median_s, most_s,
       median_s / lag(median_s) OVER (PARTITION BY device, cell ORDER BY month) AS change
  FROM (SELECT device, cell, month, max(runs) AS runs, min(time_s) AS least_s, max(time_s) AS most_s,
               min(CASE WHEN 2 * place >= runs THEN time_s END) AS median_s
          FROM (SELECT k.device AS device, k.cell AS cell, substr(k.date, 1, 7) AS month, k.time_s AS time_s,
                       row_number() OVER (PARTITION BY k.device, k.cell, substr(k.date, 1, 7) ORDER BY k.time_s) AS place,
                       count(*) OVER (PARTITION BY k.device, k.cell, substr(k.date, 1, 7)) AS runs
                  FROM v_kernel k
                 WHERE k.status = 'ok' AND k.time_s > 0 AND coalesce(k.backend, '') <> 'command' AND k.cell IS NOT NULL AND k.device IS NOT NULL AND k.date IS NOT NULL) placed
         GROUP BY device, cell, month) months
 ORDER BY device, cell, month;
