-- title: Sensitivity to {factor}: throughput against the smallest value
-- question: throughput against sequence length, gradient accumulation or any factor
-- group: Which accelerator is faster?
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
WITH chosen AS ( -- amount: of a rate in total, whatever its source states it for
  SELECT r.device, r.devices, r.model, r.metric, r.value, r.unit, r.source, r.key, p.num AS setting,
         CASE r.adds WHEN 1 THEN r.total ELSE r.value END AS amount,
         (SELECT b.num FROM v_run_factor b WHERE b.entry_id = r.entry_id AND b.factor = 'base_' || :factor) AS stated_base
    FROM v_result r
    JOIN v_run_factor p ON p.entry_id = r.entry_id AND p.factor = :factor AND p.num IS NOT NULL
   WHERE r.evidence = 'published' AND (r.adds = 1 OR r.metric = 'speedup')
     AND r.source IN (SELECT source FROM v_source WHERE :source IS NULL OR source = :source)
     AND (:device IS NULL OR r.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND canon = :device))),
based AS (
  SELECT c.*, first_value(amount) OVER w AS base_amount, first_value(setting) OVER w AS base, first_value(key) OVER w AS base_key,
         count(*) OVER (PARTITION BY source, device, devices, model, metric) AS n
    FROM chosen c
  WINDOW w AS (PARTITION BY source, device, devices, model, metric ORDER BY setting, key))
SELECT device, devices, model, device || CASE WHEN devices > 1 THEN ' x' || devices ELSE '' END || ' ' || coalesce(model, '') AS _label, metric, setting, value AS rate, unit,
       CASE WHEN metric = 'speedup' THEN value ELSE amount / base_amount END AS of_base,
       CASE WHEN metric = 'speedup' THEN coalesce(stated_base, 0) ELSE base END AS base, source,
       key || CASE WHEN base_key <> key AND metric <> 'speedup' THEN ' ' || base_key ELSE '' END AS _facts
  FROM based WHERE n > 1 OR metric = 'speedup'
 ORDER BY source, model, device, devices, setting, key;
