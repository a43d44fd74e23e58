-- title: MLPerf® Inference, every submission by size: {model} {scenario} {round}
-- question: MLPerf inference: every submission of a benchmark by size, those in doubt marked
-- group: Which accelerator is faster?
-- site: MLPerf®
-- explore: by=key&view=points&per=none
-- param: model | text | llama2-70b-99 | benchmark | SELECT model, mlperf FROM model_named ORDER BY 2 DESC, 1
-- param: scenario | text | Server | Offline, Server, Interactive | SELECT DISTINCT scenario, 1 FROM description WHERE scenario <> '' UNION ALL SELECT column1, 0 FROM (VALUES ('Offline'), ('Server'), ('Interactive'), ('SingleStream'), ('MultiStream'), ('training'), ('serving')) ORDER BY 2 DESC, 1
-- param: round | text | | one round (default: the latest with this benchmark) | SELECT round FROM round_told ORDER BY 1
-- param: division | text | closed | closed or open
-- column: device | device | cut28 | canonical device
-- column: chips | chips | | devices that took part
-- column: value | total | g6 | official
-- column: unit | unit | | of the total
-- column: per_chip | /chip† | g6 | of one chip | per_device@1
-- column: submitter | submitter | cut22 |
-- column: system | system | cut30 | as published
-- column: doubt | doubt | | why the result stands for nothing: a disagreement of sources, power-capped, ...
-- column: public_id | ID | | result ID
-- hoist: unit
-- @table one
WITH chosen AS (
  SELECT r.round, r.round_order, r.device, r.devices, r.total, r.unit, r.each, r.submitter, r.system, r.left_out, r.public_id, r.key
    FROM (SELECT DISTINCT spelling FROM v_name WHERE kind = 'model' AND canon = :model) n
    JOIN v_mlperf r ON r.raw_model = n.spelling
   WHERE r.scenario = :scenario AND r.division = :division AND r.adds = 1
     AND r.devices > 0 AND (:round IS NULL OR r.round = :round))
SELECT *, max(each) OVER (PARTITION BY device) AS top FROM chosen
 WHERE round = coalesce(:round, (SELECT round FROM chosen ORDER BY round_order DESC LIMIT 1))
-- @rows
SELECT device, devices AS chips, total AS value, unit, each AS per_chip, submitter, system, left_out AS doubt, public_id,
       key AS _facts
  FROM one WHERE unit = (SELECT unit FROM one GROUP BY unit ORDER BY count(*) DESC, unit LIMIT 1)
 ORDER BY top DESC, device, devices, total, key;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, printf('round %s, n = %d submission%s; drawn hollow: %d of which sources disagree or that stand for nothing (column doubt)',
                            min(round), count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END, sum(CASE WHEN left_out <> '' THEN 1 ELSE 0 END)) AS line FROM one HAVING count(*) > 0
  UNION ALL SELECT 2, '† derived by abdb (result / chips); not an official or verified MLPerf® metric.' FROM (SELECT 1 FROM one LIMIT 1) o)
 ORDER BY place;
