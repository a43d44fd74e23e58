-- title: What the sheet says, and what was achieved
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: dtype | text | | number format
-- param: basis | text | published | published, measured or clock
-- param: limit | number | 40 | rows at most
-- column: device | device | cut24 | canonical device
-- column: dtype | dtype | | number format
-- column: quantity | quantity | | peak_flops, peak_ops or memory_bandwidth
-- column: ceiling | ceiling | g4 | dense, per card, T/s of its unit
-- column: achieved | achieved | g4 | per device
-- column: percent | % | 1 | mfu@1 or mbu@1
-- column: what | by | cut40 | workload, model and scenario
-- column: source | source | | who says what was achieved
-- column: evidence | evidence | |
-- hoist: quantity evidence
-- @rows
SELECT c.device, c.dtype, c.quantity, c.ceiling / 1e12 AS ceiling, c.floor / 1e12 AS achieved, 100 * c.floor / c.ceiling AS percent,
       trim(coalesce(r.model, r.workload, '') || ' ' || coalesce(r.scenario, '') || ' ' || r.statistic) AS what,
       r.source, r.evidence, c.result_id || ' ' || c.ceiling_key AS _facts
  FROM v_ceiling_of c JOIN v_result r ON r.entry_id = c.entry_id AND r.ordinal = c.ordinal
 WHERE c.basis = :basis AND c.floor / c.ceiling IS NOT NULL
   AND (:device IS NULL OR r.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND canon = :device))
   AND (:dtype IS NULL OR c.number_format = :dtype OR c.dtype = :dtype)
 ORDER BY c.quantity, c.device, c.dtype, percent DESC LIMIT :limit;
-- @notes
SELECT '! above its ceiling: ' || count(*) || ' (`abdb audit plausibility`)' FROM v_ceiling_of c
 WHERE c.basis = :basis AND c.floor > 1.005 * c.ceiling AND (:device IS NULL OR c.device = :device) HAVING count(*) > 0;
