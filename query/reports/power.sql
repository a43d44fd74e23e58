-- title: Power and energy, with their definitions
-- question: which power or energy was measured, where, and which of them may be set against one another
-- group: May it be believed, and compared?
-- param: definition | text | | wall, supply, counters, provisioned, rated or unknown | VALUES ('counters'), ('provisioned'), ('rated'), ('supply'), ('unknown'), ('wall')
-- param: device | text | | one device; with * and ?, all that fit | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: limit | number 1.. | 60 | rows at most
-- column: definition | definition | | rows of two definitions are never compared
-- column: device | device | | accelerator
-- column: devices | devices | | that took part
-- column: what | of | cut40 | benchmark, model or workload, with scenario
-- column: metric | metric | | power_w, energy_j, or the energy of one unit of work
-- column: value | value | g4 | of all devices together
-- column: unit | unit | | base unit
-- column: scope | covers | cut20 | of counters: what they cover
-- column: meter | meter | cut20 | meter or interface, where stated
-- column: level | level | | of the EE HPC WG methodology, where stated
-- column: round | round | | of MLPerf
-- column: source | source | | who states it
-- hoist: definition
-- hoist: source
WITH listed AS (
  SELECT coalesce(p.definition, 'unknown') AS definition, p.device, p.devices,
         coalesce(p.model, p.workload) || coalesce(' ' || p.scenario, '') AS what, p.metric, p.value, p.unit, p.scope, p.meter, p.level,
         p.round, p.source, p.key
    FROM v_power p
   WHERE (:definition IS NULL OR coalesce(p.definition, 'unknown') = :definition) AND (:device IS NULL OR p.device GLOB :device))
SELECT definition, device, devices, what, metric, value, unit, scope, meter, level, round, source, key AS _facts, count(*) OVER () AS _whole
  FROM listed
 ORDER BY definition, device, devices, what, metric, round DESC, value LIMIT :limit;
