-- title: Throughput by number of devices {source} {model}
-- question: throughput by number of devices, against the ideal
-- group: Which accelerator is faster?
-- site: Training
-- param: source | text | | only this source | SELECT DISTINCT source FROM v_source ORDER BY 1
-- param: model | text | | what was run
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: scenario | text | training | training, or another | SELECT DISTINCT scenario, 1 FROM description WHERE scenario <> '' UNION ALL SELECT column1, 0 FROM (VALUES ('Offline'), ('Server'), ('Interactive'), ('SingleStream'), ('MultiStream'), ('training'), ('serving')) ORDER BY 2 DESC, 1
-- param: sequence_length | number | | only this length
-- param: marks | text | | any: with the results that marks leave out (abdb query "SELECT * FROM v_mark") | SELECT 'any'
-- column: device | device | cut24 | canonical device
-- column: model | model | | what was run
-- column: devices | devices | | that took part
-- column: rate | rate | g5 | the best in total at that number of devices
-- column: unit | unit | | base unit
-- column: ideal | ideal | g5 | rate of one device at the fewest x devices
-- column: percent | of ideal % | 1 | rate / ideal
-- column: of | of | | results of that size
-- column: source | source | |
-- hoist: unit source
-- @table judged
  SELECT r.device, r.model, r.devices, r.unit, r.source, r.key, r.total, r.each,
         CASE WHEN :marks = 'any' OR r.marks = '' THEN NULL ELSE (SELECT min(x.mark) FROM v_mark_out x WHERE ' ' || r.marks || ' ' LIKE x.pattern) END AS out_by
    FROM v_rate r
   WHERE r.evidence = 'published' AND r.metric IN ('tokens_per_s', 'samples_per_s', 'flops_per_s') AND r.each > 0 AND r.device IS NOT NULL
     AND r.statistic IN ('value', 'mean') AND r.source IN (SELECT source FROM v_source WHERE :source IS NULL OR source = :source)
     AND (:model IS NULL OR r.model = :model) AND coalesce(r.scenario, 'training') = :scenario
     AND (:device IS NULL OR r.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND canon = :device))
     AND (:sequence_length IS NULL OR (SELECT f.num FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'sequence_length')
                                      = :sequence_length)
-- @table drawn
WITH best AS (
  SELECT *, row_number() OVER (PARTITION BY source, device, model, unit, devices ORDER BY total DESC, key) AS place,
         count(*) OVER (PARTITION BY source, device, model, unit, devices) AS of FROM judged WHERE out_by IS NULL),
grown AS (
  SELECT *, first_value(each) OVER w AS first_each, first_value(key) OVER w AS first_key,
         count(*) OVER (PARTITION BY source, device, model, unit) AS sizes
    FROM best WHERE place = 1 WINDOW w AS (PARTITION BY source, device, model, unit ORDER BY devices))
SELECT * FROM grown WHERE sizes > 1
   AND unit = (SELECT unit FROM grown WHERE sizes > 1 GROUP BY unit ORDER BY count(*) DESC, unit LIMIT 1)
-- @rows
WITH counted AS (SELECT count(DISTINCT device) AS devices, count(DISTINCT model) AS models FROM drawn)
SELECT trim(CASE WHEN c.devices > 1 OR c.models = 1 THEN d.device || ' ' ELSE '' END || CASE WHEN c.models > 1 THEN coalesce(d.model, '') ELSE '' END) AS _label,
       d.device, d.model, d.devices, d.total AS rate, d.unit, d.first_each * d.devices AS ideal, 100 * d.each / d.first_each AS percent,
       d.of, d.source, d.key || CASE WHEN d.first_key <> d.key THEN ' ' || d.first_key ELSE '' END AS _facts
  FROM drawn d CROSS JOIN counted c ORDER BY d.source, d.device, d.model, d.devices;
-- @notes
SELECT 'each point is the best of the results of that size (column of), whatever their batch and sharding; ideal: the rate at the fewest devices, multiplied'
  FROM (SELECT 1 FROM drawn LIMIT 1) d
UNION ALL SELECT printf('%d row%s left out: %s (%s); --marks any shows %s', count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END, m.mark, m.sentence,
                   CASE count(*) WHEN 1 THEN 'it' ELSE 'them' END) FROM judged s JOIN v_mark m ON m.mark = s.out_by GROUP BY m.mark, m.sentence;
