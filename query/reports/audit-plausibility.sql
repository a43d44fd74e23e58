-- title: Values that are hard to believe
-- site: Evidence
-- param: device | text | | one device; several by * |
-- column: problem | problem | | above a ceiling, superlinear, unit looks wrong
-- column: what | what | cut60 | the value
-- column: value | value | g5 | as it is
-- column: limit | limit | g5 | what it should not exceed
-- column: unit | unit | | base unit
-- column: source | source | | who says it
-- column: locator | where | cut50 |
-- @rows
SELECT 'above the published dense peak' AS problem, coalesce(r.model, r.workload) || ' on ' || r.device AS what,
       CASE WHEN f.text = 'device' THEN r.value ELSE r.value / r.devices END AS value,
       (SELECT max(s.value) FROM v_spec s WHERE s.device = r.device AND s.quantity = 'peak_flops' AND s.basis = 'card'
           AND s.dtype = r.dtype AND coalesce(s.sparsity, 'dense') = 'dense') AS "limit",
       r.unit AS unit, r.source AS source, r.locator AS locator, r.result_id AS _facts
  FROM v_result r LEFT JOIN v_factor_given f ON f.entry_id = r.entry_id AND f.ordinal = r.ordinal AND f.factor = 'per'
 WHERE r.metric = 'flops_per_s' AND +r.devices > 0 AND (:device IS NULL OR r.device GLOB :device)
   AND CASE WHEN f.text = 'device' THEN r.value ELSE r.value / r.devices END >
       (SELECT max(s.value) FROM v_spec s WHERE s.device = r.device AND s.quantity = 'peak_flops' AND s.basis = 'card'
           AND s.dtype = r.dtype AND coalesce(s.sparsity, 'dense') = 'dense')
UNION ALL
SELECT 'more than all of it', r.metric || ' of ' || coalesce(r.model, r.workload) || ' on ' || r.device, r.value, 1, r.unit,
       r.source, r.locator, r.result_id
  FROM v_result r
 WHERE r.metric IN ('utilisation', 'bandwidth_utilisation', 'mfu', 'hfu', 'mbu', 'scaling_efficiency') AND r.value > 1
   AND (:device IS NULL OR r.device GLOB :device)
UNION ALL
SELECT 'an LLM counted in ' || r.raw_unit, r.round || ' ' || coalesce(r.submitter, '') || ' ' || r.model || ' ' || r.scenario,
       r.value, NULL, r.unit, r.source, r.locator, r.result_id
  FROM v_statement r JOIN v_model m ON m.model = r.model
 WHERE m.task = 'llm' AND r.evidence = 'mlperf' AND r.metric IN ('samples_per_s', 'queries_per_s')
   AND r.flags LIKE '%unit-disagree%' AND (:device IS NULL OR r.device GLOB :device)
UNION ALL
SELECT 'dense peak equals another''s sparse one', a.device || ' ' || a.dtype, a.value, b.value / 2, a.unit, a.source, a.locator,
       a.spec_id || ' ' || b.spec_id
  FROM v_spec a JOIN v_spec b ON b.device = a.device AND b.quantity = a.quantity AND b.dtype = a.dtype
 WHERE a.sparsity = 'dense' AND b.sparsity = '2:4' AND a.value = b.value AND (:device IS NULL OR a.device GLOB :device)
UNION ALL
SELECT 'a dense peak twice that of another source', a.device || ' ' || a.dtype, a.value, b.value, a.unit, a.source, a.locator,
       a.spec_id || ' ' || b.spec_id
  FROM v_spec a JOIN v_spec b ON b.device = a.device AND b.quantity = a.quantity AND b.dtype = a.dtype AND b.basis = a.basis
   AND coalesce(b.engine, '') = coalesce(a.engine, '') AND b.source <> a.source
 WHERE a.sparsity = 'dense' AND b.sparsity = 'dense' AND a.value BETWEEN 1.95 * b.value AND 2.05 * b.value
   AND (:device IS NULL OR a.device GLOB :device)
UNION ALL
SELECT 'a dense peak above twice that of a format twice as wide', a.device || ' ' || a.dtype || ' against ' || b.dtype, a.value,
       2 * b.value, a.unit, a.source, a.locator, a.spec_id || ' ' || b.spec_id
  FROM v_spec a JOIN v_spec b ON b.device = a.device AND b.basis = a.basis AND b.source = a.source
 WHERE a.quantity IN ('peak_flops', 'peak_ops') AND a.dtype IN ('fp8', 'int8') AND b.quantity = 'peak_flops'
   AND b.dtype IN ('fp16', 'bf16') AND a.sparsity = 'dense' AND b.sparsity = 'dense' AND a.value > 2.05 * b.value
   AND coalesce(b.engine, '') = coalesce(a.engine, '') AND (:device IS NULL OR a.device GLOB :device)
 ORDER BY 1, 2, 7;
