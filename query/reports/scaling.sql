-- title: Scaling efficiency, recomputed
-- site: Training
-- param: source | text | | only this source | SELECT DISTINCT source FROM v_source ORDER BY 1
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- column: device | device | cut24 | canonical device
-- column: model | model | | what was run
-- column: base_devices | from | | devices of the base
-- column: devices | to | | devices
-- column: speedup | speedup | 2 | as stated, or the ratio of the rates
-- column: stated_percent | stated % | 1 | what the source says of its efficiency
-- column: recomputed_percent | recomputed % | 1 | scaling_efficiency@1 = speedup / (devices / base)
-- column: agrees | agrees | | within the rounding of the speedup (half of its last digit)
-- column: kind | kind | | stated speedup, throughput, strong or weak
-- column: source | source | |
-- hoist: source model
-- @rows
WITH stated AS ( -- a speedup with its base, and the efficiency that the source prints beside it
  SELECT s.device, s.model, CAST(s.base AS INTEGER) AS base, s.devices, s.value AS speedup, s.raw_value,
         (SELECT e.value FROM v_result e WHERE e.raw_device = s.raw_device AND e.source = s.source AND e.metric = 'scaling_efficiency'
             AND e.devices = s.devices AND e.raw_model IS s.raw_model) AS stated,
         s.source, s.result_id AS speedup_id,
         (SELECT e.result_id FROM v_result e WHERE e.raw_device = s.raw_device AND e.source = s.source AND e.metric = 'scaling_efficiency'
             AND e.devices = s.devices AND e.raw_model IS s.raw_model) AS stated_id
    FROM (SELECT *, (SELECT b.text FROM v_factor_given b WHERE b.entry_id = r.entry_id AND b.ordinal = r.ordinal
                        AND b.factor = 'base_devices') AS base
            FROM (SELECT * FROM v_result WHERE source = :source AND evidence = 'published' AND metric = 'speedup'
                  UNION ALL
                  SELECT * FROM v_result WHERE :source IS NULL AND evidence = 'published' AND metric = 'speedup') r) s
   WHERE s.base IS NOT NULL),
found AS (
  SELECT device, model, base, devices, speedup, 100 * stated AS stated, 100 * speedup / (devices * 1.0 / base) AS recomputed,
         100 * CASE WHEN instr(raw_value, '.') THEN 0.5 * pow(10, instr(raw_value, '.') - length(rtrim(raw_value, 'x'))) ELSE 0.5 END
           / (devices * 1.0 / base) + 0.05 AS slack,
         'stated speedup' AS kind, source, speedup_id || coalesce(' ' || stated_id, '') AS facts
    FROM stated
  UNION ALL
  SELECT v.device, v.model, v.base_devices, v.devices, v.value * v.devices / v.base_devices, NULL, 100 * v.value, NULL, v.kind,
         v.source, v.result_id || ' ' || v.base_id
    FROM v_scaling v WHERE v.source = :source
  UNION ALL -- all sources: evaluated only where none is named
  SELECT j.value ->> 0, j.value ->> 1, j.value ->> 2, j.value ->> 3, (j.value ->> 4) * (j.value ->> 3) / (j.value ->> 2), NULL,
         100 * (j.value ->> 4), NULL, j.value ->> 5, j.value ->> 6, j.value ->> 7
    FROM json_each(CASE WHEN :source IS NULL THEN (
           SELECT json_group_array(json_array(v.device, v.model, v.base_devices, v.devices, v.value, v.kind, v.source,
                                              v.result_id || ' ' || v.base_id)) FROM v_scaling v) ELSE '[]' END) j)
SELECT device, model, base AS base_devices, devices, speedup, stated AS stated_percent, recomputed AS recomputed_percent,
       CASE WHEN stated IS NULL THEN NULL WHEN abs(stated - recomputed) <= slack + CASE WHEN stated = round(stated) THEN 0.5 ELSE 0.05 END
            THEN 'yes' ELSE 'NO' END AS agrees, kind, source, facts AS _facts
  FROM found
 WHERE (:source IS NULL OR source = :source) AND (:device IS NULL OR device = :device)
 ORDER BY source, kind, device, devices;
