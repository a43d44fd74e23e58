-- title: Scaling efficiency, recomputed
-- question: scaling efficiency, recomputed, and where a source disagrees with itself
-- group: Which accelerator is faster?
-- first: yes
-- site: Training
-- param: source | text | | only this source | SELECT DISTINCT source FROM v_source ORDER BY 1
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- column: device | device | cut24 | canonical device
-- column: model | model | | what was run
-- column: base_devices | from | | devices of the base
-- column: devices | to | | devices
-- column: speedup | speedup | 2 | as stated, or the ratio of the rates
-- column: stated_percent | stated % | 1 | what the source says of its efficiency
-- column: recomputed_percent | recomputed % | 1 | out of the speedup | scaling_efficiency@1 x 100
-- column: agrees | agrees | | within the rounding of the speedup (half of its last digit)
-- column: kind | kind | | stated speedup, throughput, strong or weak
-- column: source | source | |
-- hoist: source model
-- @rows
WITH found AS ( -- beside a stated speedup the efficiency that the source prints for it
  SELECT v.device, v.model, v.base_devices, v.devices, v.speedup, v.value, v.kind, v.source, v.key || coalesce(' ' || v.base_key, '') AS keys,
         CASE v.kind WHEN 'stated' THEN (SELECT r.raw_value FROM v_result r WHERE r.result_id = v.result_id) END AS raw_value,
         CASE v.kind WHEN 'stated' THEN (
           SELECT e.result_id FROM v_result r JOIN v_result e ON e.raw_device = r.raw_device
            WHERE r.result_id = v.result_id AND e.source = v.source AND e.metric = 'scaling_efficiency' AND e.devices = v.devices
              AND coalesce(e.raw_model, '') = coalesce(r.raw_model, '') ORDER BY e.key LIMIT 1) END AS stated_id
    FROM v_scaling v
   WHERE (:source IS NULL OR v.source = :source) AND (:device IS NULL OR v.device = :device)),
checked AS ( -- slack: half of the last digit of the speedup, and of the percentage
  SELECT f.*, 100 * (SELECT e.value FROM v_stored e WHERE e.result_id = f.stated_id) AS stated, 100 * f.value AS recomputed,
         (SELECT e.key FROM v_result e WHERE e.result_id = f.stated_id) AS stated_key,
         CASE WHEN instr(f.raw_value, '.') > 0 THEN 0.5 * pow(10, instr(f.raw_value, '.') - length(rtrim(f.raw_value, 'x'))) ELSE 0.5 END
           * 100 * f.value / f.speedup + 0.05 AS slack
    FROM found f)
SELECT device, model, base_devices, devices, speedup, stated AS stated_percent, recomputed AS recomputed_percent,
       CASE WHEN abs(stated - recomputed) <= slack + CASE WHEN stated = round(stated) THEN 0.5 ELSE 0.05 END THEN 'yes'
            WHEN stated IS NOT NULL THEN 'NO' END AS agrees,
       CASE kind WHEN 'stated' THEN 'stated speedup' ELSE kind END AS kind, source, keys || coalesce(' ' || stated_key, '') AS _facts
  FROM checked
 ORDER BY source, 9, device, devices;
