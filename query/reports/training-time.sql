-- title: MLPerf® Training: time to train by system {model} {round}
-- question: MLPerf training: time to train by system
-- group: Which accelerator is faster?
-- first: yes
-- site: MLPerf®
-- param: model | text | | benchmark | SELECT model, mlperf FROM model_named ORDER BY 2 DESC, 1
-- param: round | text | | one round | SELECT round FROM round_told ORDER BY 1
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: limit | number 1.. | 30 | rows at most
-- param: marks | text | | any: with the results that marks leave out (abdb query "SELECT * FROM v_mark") | SELECT 'any'
-- column: model | benchmark | | what was trained
-- column: round | round | |
-- column: minutes | minutes | 2 | official score
-- column: devices | chips | | devices that took part
-- column: device | device | cut24 | canonical device
-- column: chip_hours | chip-hours† | 1 | time x devices | device_hours@1
-- column: submitter | submitter | cut20 |
-- column: system | system | cut32 | as published
-- column: division | division | |
-- column: public_id | ID | |
-- hoist: model round division
-- @table judged
SELECT r.model, r.round, r.round_order, r.value, r.value / 60 AS minutes, r.devices, r.device,
       (SELECT n.value FROM v_normalised n WHERE n.result_id = r.result_id AND n.formula = 'device_hours@1') AS chip_hours, r.submitter,
       r.system, r.division, r.public_id, r.key,
       CASE WHEN :marks = 'any' OR r.marks = '' THEN NULL ELSE (SELECT min(x.mark) FROM v_mark_out x WHERE ' ' || r.marks || ' ' LIKE x.pattern) END AS out_by
  FROM v_result r
 WHERE r.metric = 'time_to_train_s' AND r.evidence = 'mlperf'
   AND (:model IS NULL OR r.raw_model IN (SELECT spelling FROM v_name WHERE kind = 'model' AND canon = :model))
   AND (:round IS NULL OR r.round = :round)
   AND r.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND (:device IS NULL OR canon = :device))
-- @rows
SELECT r.model, r.round, r.minutes, r.devices, r.device, r.chip_hours, r.submitter, r.system, r.division, r.public_id, r.key AS _facts,
       count(*) OVER () AS _whole
  FROM judged r WHERE r.out_by IS NULL
 ORDER BY r.model, r.round_order DESC, r.value, r.key LIMIT :limit;
-- @notes
SELECT '† derived by abdb (time x devices): not an official or verified MLPerf® metric; systems of different size are not ranked by it.'
 WHERE EXISTS (SELECT 1 FROM v_result WHERE metric = 'time_to_train_s')
UNION ALL SELECT printf('%d row%s left out: %s (%s); --marks any shows %s', count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END, m.mark, m.sentence,
                   CASE count(*) WHEN 1 THEN 'it' ELSE 'them' END) FROM judged s JOIN v_mark m ON m.mark = s.out_by GROUP BY m.mark, m.sentence;
