-- title: What the sheet says, and what was achieved
-- question: what the sheet says, and what was achieved
-- group: Which accelerator is faster?
-- first: yes
-- site: Devices
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: dtype | text | | number format
-- param: basis | text | published | published, measured or clock
-- param: quantity | text | | peak_flops, peak_ops or memory_bandwidth
-- param: best | flag | | only the best of each device, number format, workload and source
-- param: limit | number 1.. | 40 | rows at most
-- column: device | device | cut24 | canonical device
-- column: dtype | dtype | | number format
-- column: quantity | quantity | | peak_flops, peak_ops or memory_bandwidth
-- column: ceiling | ceiling | g4 | dense, per card, T/s of its unit
-- column: achieved | achieved | g4 | per device
-- column: percent | % | 1 | of the ceiling | mfu@1 or mbu@1 x 100
-- column: what | by | cut40 | workload, model and scenario
-- column: source | source | | who says what was achieved
-- column: evidence | evidence | |
-- hoist: quantity evidence
-- @rows
SELECT device, dtype, quantity, ceiling / 1e12 AS ceiling, floor / 1e12 AS achieved, 100 * fraction AS percent, what, source, evidence,
       CASE WHEN scenario = 'training' THEN 'Training' WHEN work IN ('gemm', 'matmul') THEN 'Matrix products'
            WHEN work = 'stream' THEN 'Vectors in memory (STREAM)' ELSE 'Others' END AS _group,
       CASE WHEN scenario = 'training' THEN 2 WHEN work IN ('gemm', 'matmul') THEN 1 WHEN work = 'stream' THEN 3 ELSE 4 END AS _nth,
       facts AS _facts, count(*) OVER () AS _whole
  FROM (SELECT c.scenario, c.workload AS work, c.device, c.dtype, c.quantity, c.ceiling, c.floor, c.fraction, c.source, c.evidence, c.key || ' ' || c.ceiling_key AS facts, c.key,
               trim(coalesce(c.model, c.workload, '') || coalesce(' ' || c.scenario, '') || coalesce(' ' || (SELECT f.text FROM v_run_factor f
                 WHERE f.entry_id = c.entry_id AND f.factor = 'operation'), '') || ' ' || c.statistic) AS what,
               row_number() OVER (PARTITION BY c.quantity, c.device, c.dtype, c.source, c.workload, c.scenario ORDER BY c.fraction DESC, c.key) AS place,
               -- a source's table of one product by shape: its best that is within the ceiling stands for it
               c.evidence = 'published' AND c.workload LIKE 'gemm%' AND row_number() OVER (PARTITION BY c.quantity, c.device, c.dtype, c.source, c.workload ORDER BY c.fraction > 1, c.fraction DESC, c.key) > 1 AS smaller
          FROM v_ceiling_of c
         WHERE (c.unit IN ('FLOP/s', 'OP/s', 'B/s') OR (c.unit = 'token/s' AND c.scenario = 'training')) AND c.basis = :basis
           AND c.fraction IS NOT NULL AND (:quantity IS NULL OR c.quantity = :quantity)
           AND c.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND (:device IS NULL OR canon = :device)
                                   AND (:basis = 'measured' OR canon IN (SELECT device FROM v_peak)))
           AND (:dtype IS NULL OR c.number_format = :dtype OR c.dtype = :dtype)) b
 WHERE (NOT :best OR place = 1) AND NOT smaller
 ORDER BY quantity, _nth, device, dtype, percent DESC, what, source, key LIMIT :limit;
-- @notes
SELECT 'of published products that differ in shape alone the best is shown'
UNION ALL SELECT 'a value above its ceiling is implausible or was divided by the wrong one: `abdb audit plausibility` lists them';
