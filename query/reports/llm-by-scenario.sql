-- title: MLPerf® Inference, LLM by device and scenario, tokens/s per device: {model} {round}
-- question: MLPerf LLM inference by device and scenario, per device
-- group: Which accelerator is faster?
-- site: MLPerf®
-- param: model | text | llama2-70b-99 | benchmark | SELECT model, mlperf FROM model_named ORDER BY 2 DESC, 1
-- param: round | text | | one round (default: the best of all) | SELECT DISTINCT since FROM v_compatibility UNION SELECT DISTINCT until FROM v_compatibility ORDER BY 1
-- param: division | text | closed | closed or open
-- param: limit | number 1.. | 40 | rows at most
-- column: device | device | cut28 | canonical device
-- column: offline | Offline† | 1 | the best | per_device@1
-- column: server | Server† | 1 | the best | per_device@1
-- column: interactive | Interactive† | 1 | the best | per_device@1
-- column: rounds | rounds | | rounds of the best results
-- column: of | of | | results
-- @table chosen
SELECT r.device, r.scenario, r.round || CASE WHEN r.verified_by = 'mlcommons' THEN '' WHEN r.verified_by = 'file' THEN ' stated as verified' ELSE ' unverified' END AS round, r.each, r.key
  FROM (SELECT DISTINCT spelling FROM v_name WHERE kind = 'model' AND canon = :model) n -- an index of models leads on
  JOIN v_mlperf r ON r.raw_model = n.spelling
 WHERE r.unit = 'token/s' AND r.division = :division AND r.left_out = '' AND (:round IS NULL OR r.round = :round)
   AND ' ' || r.flags || ' ' NOT LIKE '% power %'
-- @rows
WITH best AS (
  SELECT *, row_number() OVER (PARTITION BY device, scenario ORDER BY each DESC, key) AS place,
         count(*) OVER (PARTITION BY device) AS of
    FROM chosen)
SELECT device, max(CASE scenario WHEN 'Offline' THEN each END) AS offline,
       max(CASE scenario WHEN 'Server' THEN each END) AS server,
       max(CASE scenario WHEN 'Interactive' THEN each END) AS interactive,
       (SELECT group_concat(o.round, ', ') FROM (SELECT DISTINCT i.round FROM best i WHERE i.place = 1 AND i.device = best.device ORDER BY 1) o) AS rounds, max(of) AS of,
       group_concat(key, ' ') AS _facts,
       max(CASE scenario WHEN 'Offline' THEN key END) AS _facts_offline,
       max(CASE scenario WHEN 'Server' THEN key END) AS _facts_server,
       max(CASE scenario WHEN 'Interactive' THEN key END) AS _facts_interactive, count(*) OVER () AS _whole
  FROM best WHERE place = 1
 GROUP BY device
 ORDER BY coalesce(max(CASE scenario WHEN 'Server' THEN each END), 0) DESC, 2 DESC, device
 LIMIT :limit;
-- @notes
SELECT '† derived by abdb (result / devices); not an official or verified MLPerf® metric.' FROM (SELECT 1 FROM chosen LIMIT 1) c;
