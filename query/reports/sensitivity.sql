-- title: Sensitivity to {factor}: throughput against the smallest value
-- site: Training
-- param: factor | text | sequence_length | sequence_length, gas, batch, sparsity, ...
-- param: source | text | | only this source | SELECT DISTINCT source FROM v_source ORDER BY 1
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- column: device | device | cut24 | canonical device
-- column: devices | devices | | that took part
-- column: model | model | |
-- column: metric | metric | |
-- column: setting | setting | g6 | of the factor
-- column: rate | value | g5 | in the unit
-- column: unit | unit | |
-- column: of_base | of base | 3 | value / value at the smallest setting; for a stated speedup the speedup
-- column: base | base | g6 | the smallest setting
-- column: source | source | |
-- hoist: metric unit source
-- @rows
WITH chosen AS (
  SELECT * FROM (
    SELECT r.device, r.devices, r.model, r.metric, r.value, r.unit, r.source, r.result_id,
           (SELECT p.num FROM v_factor_given p WHERE p.entry_id = r.entry_id AND p.ordinal = r.ordinal AND p.factor = :factor) AS setting,
           (SELECT b.num FROM v_factor_given b WHERE b.entry_id = r.entry_id AND b.ordinal = r.ordinal
               AND b.factor = 'base_' || :factor) AS stated_base
      FROM v_result r
     WHERE r.evidence = 'published' AND (r.unit LIKE '%/s' OR r.metric = 'speedup')
       AND r.source IN (SELECT source FROM v_source WHERE :source IS NULL OR source = :source)
       AND (:device IS NULL OR r.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND canon = :device)))
   WHERE setting IS NOT NULL),
based AS (
  SELECT c.*, first_value(value) OVER w AS base_value, first_value(setting) OVER w AS base, first_value(result_id) OVER w AS base_id,
         count(*) OVER (PARTITION BY source, device, devices, model, metric) AS n
    FROM chosen c
  WINDOW w AS (PARTITION BY source, device, devices, model, metric ORDER BY setting, result_id))
SELECT device, devices, model, device || CASE WHEN devices > 1 THEN ' x' || devices ELSE '' END || ' ' || coalesce(model, '') AS _label, metric, setting, value AS rate, unit,
       CASE WHEN metric = 'speedup' THEN value ELSE value / base_value END AS of_base,
       CASE WHEN metric = 'speedup' THEN coalesce(stated_base, 0) ELSE base END AS base, source,
       result_id || CASE WHEN base_id <> result_id AND metric <> 'speedup' THEN ' ' || base_id ELSE '' END AS _facts
  FROM based WHERE n > 1 OR metric = 'speedup'
 ORDER BY source, model, device, devices, setting;
