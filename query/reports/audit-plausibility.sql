-- title: Values that are hard to believe
-- question: values above a physical ceiling, impossible units, tokens labelled samples
-- group: May it be believed, and compared?
-- site: Evidence
-- param: device | text | | one device; several by * |
-- column: problem | problem | | above a ceiling, superlinear, unit looks wrong
-- column: what | what | cut60 | the value
-- column: value | value | g5 | as it is
-- column: limit | limit | g5 | what it should not exceed
-- column: unit | unit | | base unit
-- column: source | source | | who says it
-- column: locator | where | cut50 |
-- @table peak
-- stated peaks, compared with each other below
SELECT device, quantity, dtype, engine, sparsity, basis, value, unit, source, locator, key
  FROM v_spec WHERE dtype IS NOT NULL
-- @rows
SELECT 'above the published dense peak' AS problem, r.what, r.each AS value, r."limit", r.unit AS unit, r.source AS source, r.locator AS locator,
       r.key AS _facts
  FROM (SELECT coalesce(r.model, r.workload) || ' on ' || r.device AS what, r.each, r.unit, r.source, r.locator, r.key,
               (SELECT max(p.value) FROM v_peak p WHERE p.device = r.device AND p.quantity = 'peak_flops' AND p.dtype = r.number_format) AS "limit"
          FROM v_rate r
         WHERE r.metric = 'flops_per_s' AND (:device IS NULL OR r.device GLOB :device)
           AND r.raw_device IN (SELECT n.spelling FROM v_name n WHERE n.kind = 'device' AND n.canon IN (SELECT device FROM v_peak))) r
 WHERE r.each > r."limit"
UNION ALL
SELECT 'more than all of it', r.metric || ' of ' || coalesce(r.model, r.workload) || ' on ' || r.device, r.value, 1, r.unit,
       r.source, r.locator, r.key
  FROM v_result r
 WHERE r.metric IN ('utilisation', 'bandwidth_utilisation', 'mfu', 'hfu', 'mbu', 'scaling_efficiency') AND r.value > 1
   AND r.source <> 'abdb-run' -- whose cells state none
   AND (:device IS NULL OR r.device GLOB :device)
UNION ALL
SELECT 'an LLM counted in ' || r.raw_unit, r.round || ' ' || coalesce(r.submitter, '') || ' ' || r.model || ' ' || r.scenario,
       r.value, NULL, r.unit, r.source, r.locator, r.key
  FROM v_statement r JOIN v_model m ON m.model = r.model
 WHERE m.task = 'llm' AND r.evidence = 'mlperf' AND r.metric IN ('samples_per_s', 'queries_per_s')
   AND r.flags LIKE '%unit-disagree%' AND (:device IS NULL OR r.device GLOB :device)
UNION ALL
SELECT 'dense peak equals another''s sparse one', a.device || ' ' || a.dtype, a.value, b.value / 2, a.unit, a.source, a.locator,
       a.key || ' ' || b.key
  FROM peak a JOIN peak b ON b.device = a.device AND b.quantity = a.quantity AND b.dtype = a.dtype
 WHERE a.sparsity = 'dense' AND b.sparsity = '2:4' AND a.value = b.value AND (:device IS NULL OR a.device GLOB :device)
UNION ALL
SELECT 'a dense peak twice that of another source', a.device || ' ' || a.dtype, a.value, b.value, a.unit, a.source, a.locator,
       a.key || ' ' || b.key
  FROM peak a JOIN peak b ON b.device = a.device AND b.quantity = a.quantity AND b.dtype = a.dtype AND b.basis = a.basis
   AND coalesce(b.engine, '') = coalesce(a.engine, '') AND b.source <> a.source
 WHERE a.sparsity = 'dense' AND b.sparsity = 'dense' AND a.value BETWEEN 1.95 * b.value AND 2.05 * b.value
   AND (:device IS NULL OR a.device GLOB :device)
UNION ALL
SELECT 'a dense peak above twice that of a format twice as wide', a.device || ' ' || a.dtype || ' against ' || b.dtype, a.value,
       2 * b.value, a.unit, a.source, a.locator, a.key || ' ' || b.key
  FROM peak a JOIN peak b ON b.device = a.device AND b.basis = a.basis AND b.source = a.source
 WHERE a.quantity IN ('peak_flops', 'peak_ops') AND a.dtype IN ('fp8', 'int8') AND b.quantity = 'peak_flops'
   AND b.dtype IN ('fp16', 'bf16') AND a.sparsity = 'dense' AND b.sparsity = 'dense' AND a.value > 2.05 * b.value
   AND coalesce(b.engine, '') = coalesce(a.engine, '') AND (:device IS NULL OR a.device GLOB :device)
 ORDER BY 1, 2, 7;
