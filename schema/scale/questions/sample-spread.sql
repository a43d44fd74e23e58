-- sample-spread.sql - how far the samples of a cell spread: the 95th percentile of its times divided by the 50th, each the least
-- sample that so many do not exceed, by machine and month; the widest first. Outliers are samples like others here.
-- Without programs of abdb run --command: all are one cell.
SELECT device, cell, month, samples, p50_s, p95_s, p95_s / p50_s AS spread
  FROM (SELECT device, cell, month, max(samples) AS samples, min(CASE WHEN 100 * place >= 50 * samples THEN value END) AS p50_s,
               min(CASE WHEN 100 * place >= 95 * samples THEN value END) AS p95_s
          FROM (SELECT r.device AS device, r.cell AS cell, substr(r.date, 1, 7) AS month, s.value AS value,
                       row_number() OVER (PARTITION BY r.device, r.cell, substr(r.date, 1, 7) ORDER BY s.value) AS place,
                       count(*) OVER (PARTITION BY r.device, r.cell, substr(r.date, 1, 7)) AS samples
                  FROM v_result r
                  JOIN v_sample s ON s.entry_id = r.entry_id AND s.result_id = r.result_id
                 WHERE r.evidence = 'measured' AND r.metric = 'time_s' AND r.statistic = 'median' AND r.rank IS NULL
                   AND coalesce(r.backend, '') <> 'command' AND r.cell IS NOT NULL AND r.device IS NOT NULL AND r.date IS NOT NULL) placed
         GROUP BY device, cell, month) cells
 WHERE samples >= 20 AND p50_s > 0
 ORDER BY spread DESC, device, cell, month;
