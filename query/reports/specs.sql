-- title: Devices: dense peaks, memory, bandwidth, power, with sources
-- question: dense peaks by dtype, memory, bandwidth, power, each value marked with its source, `≠` where another source differs, `!` where a stated value is left out
-- group: What is a device made for?
-- first: yes
-- site: Devices
-- param: device | pattern | | one device, or several by * | SELECT DISTINCT device FROM v_spec ORDER BY 1
-- param: vendor | text | | one vendor | SELECT DISTINCT vendor FROM v_device ORDER BY 1
-- param: basis | text | card | card, pair, package, die or system | SELECT DISTINCT basis FROM v_spec ORDER BY 1
-- column: device | device | | canonical device
-- column: vendor | vendor | |
-- column: fp64_tflop_per_s | fp64 | g4 | TFLOP/s, dense, matrix engine where it is stated
-- column: fp32_tflop_per_s | fp32 | g4 | TFLOP/s, dense, vector engine where it is stated
-- column: tf32_tflop_per_s | tf32 | g4 | TFLOP/s, dense
-- column: fp16_tflop_per_s | fp16 | g4 | TFLOP/s, dense, matrix engine where it is stated
-- column: bf16_tflop_per_s | bf16 | g4 | TFLOP/s, dense
-- column: fp8_tflop_per_s | fp8 | g4 | TFLOP/s, dense
-- column: fp4_tflop_per_s | fp4 | g4 | TFLOP/s, dense
-- column: int8_top_per_s | int8 | g4 | TOP/s, dense
-- column: memory_gb | GB | g4 | memory
-- column: bandwidth_tb_per_s | TB/s | g4 | memory bandwidth
-- column: power_w | W | g4 | power limit as stated
-- screen: device vendor fp32_tflop_per_s bf16_tflop_per_s fp8_tflop_per_s fp4_tflop_per_s memory_gb bandwidth_tb_per_s power_w
-- @table stated
-- a letter for each source, and what a value is worth
SELECT s.*, CASE WHEN quantity IN ('peak_flops', 'peak_ops') THEN dtype ELSE quantity END AS what
  FROM v_spec s
 WHERE basis = :basis AND power_limit IS NULL AND coalesce(sparsity, 'dense') = 'dense' AND (:device IS NULL OR device GLOB :device)
   AND (:vendor IS NULL OR device IN (SELECT d.device FROM v_device d WHERE d.vendor = :vendor))
-- @table shown
SELECT device, what, value, source, engine, key,
       row_number() OVER (PARTITION BY device, what ORDER BY CASE WHEN what = 'fp32' THEN engine = 'matrix' ELSE engine = 'vector' END, key) AS place
  FROM stated WHERE preferred = 1
   AND what IN ('fp64', 'fp32', 'tf32', 'fp16', 'bf16', 'fp8', 'fp4', 'int8', 'memory_size', 'memory_bandwidth', 'power')
-- @table letter
SELECT source, substr('ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁᵂ', row_number() OVER (ORDER BY source), 1) AS mark
  FROM (SELECT DISTINCT source FROM shown WHERE place = 1)
-- @table others
-- whether another source differs from what is shown, and whether some statement is doubted
SELECT c.device, c.what, max(o.trust <> 'stands') AS doubted,
       max(coalesce(o.engine, '') = coalesce(c.engine, '') AND o.trust <> 'quarantined' AND coalesce(o.standing, '') <> 'projection'
           AND (o.value < 0.99 * c.value OR o.value > 1.01 * c.value)) AS differs
  FROM shown c JOIN stated o ON o.device = c.device AND o.what = c.what WHERE c.place = 1 GROUP BY c.device, c.what
-- @rows
WITH cell AS (
  SELECT c.device, c.what, c.value, c.key,
         l.mark || CASE WHEN c.engine = 'vector' AND c.what IN ('fp64', 'fp16', 'bf16', 'int8') THEN 'ᵛ' WHEN c.engine = 'matrix' AND c.what = 'fp32' THEN '§' ELSE '' END ||
         CASE WHEN o.differs THEN '≠' ELSE '' END || CASE WHEN o.doubted THEN '!' ELSE '' END AS mark
    FROM shown c JOIN letter l USING (source) JOIN others o ON o.device = c.device AND o.what = c.what WHERE c.place = 1)
SELECT c.device, d.vendor,
       max(CASE WHEN what = 'fp64' THEN value / 1e12 END) AS fp64_tflop_per_s,
       max(CASE WHEN what = 'fp64' THEN mark END) AS fp64_tflop_per_s__mark,
       max(CASE WHEN what = 'fp32' THEN value / 1e12 END) AS fp32_tflop_per_s,
       max(CASE WHEN what = 'fp32' THEN mark END) AS fp32_tflop_per_s__mark,
       max(CASE WHEN what = 'tf32' THEN value / 1e12 END) AS tf32_tflop_per_s,
       max(CASE WHEN what = 'tf32' THEN mark END) AS tf32_tflop_per_s__mark,
       max(CASE WHEN what = 'fp16' THEN value / 1e12 END) AS fp16_tflop_per_s,
       max(CASE WHEN what = 'fp16' THEN mark END) AS fp16_tflop_per_s__mark,
       max(CASE WHEN what = 'bf16' THEN value / 1e12 END) AS bf16_tflop_per_s,
       max(CASE WHEN what = 'bf16' THEN mark END) AS bf16_tflop_per_s__mark,
       max(CASE WHEN what = 'fp8' THEN value / 1e12 END) AS fp8_tflop_per_s,
       max(CASE WHEN what = 'fp8' THEN mark END) AS fp8_tflop_per_s__mark,
       max(CASE WHEN what = 'fp4' THEN value / 1e12 END) AS fp4_tflop_per_s,
       max(CASE WHEN what = 'fp4' THEN mark END) AS fp4_tflop_per_s__mark,
       max(CASE WHEN what = 'int8' THEN value / 1e12 END) AS int8_top_per_s,
       max(CASE WHEN what = 'int8' THEN mark END) AS int8_top_per_s__mark,
       max(CASE WHEN what = 'memory_size' THEN value / 1e9 END) AS memory_gb,
       max(CASE WHEN what = 'memory_size' THEN mark END) AS memory_gb__mark,
       max(CASE WHEN what = 'memory_bandwidth' THEN value / 1e12 END) AS bandwidth_tb_per_s,
       max(CASE WHEN what = 'memory_bandwidth' THEN mark END) AS bandwidth_tb_per_s__mark,
       max(CASE WHEN what = 'power' THEN value END) AS power_w,
       max(CASE WHEN what = 'power' THEN mark END) AS power_w__mark,
       max(CASE WHEN what = 'fp64' THEN key END) AS _facts_fp64_tflop_per_s,
       max(CASE WHEN what = 'fp32' THEN key END) AS _facts_fp32_tflop_per_s,
       max(CASE WHEN what = 'tf32' THEN key END) AS _facts_tf32_tflop_per_s,
       max(CASE WHEN what = 'fp16' THEN key END) AS _facts_fp16_tflop_per_s,
       max(CASE WHEN what = 'bf16' THEN key END) AS _facts_bf16_tflop_per_s,
       max(CASE WHEN what = 'fp8' THEN key END) AS _facts_fp8_tflop_per_s,
       max(CASE WHEN what = 'fp4' THEN key END) AS _facts_fp4_tflop_per_s,
       max(CASE WHEN what = 'int8' THEN key END) AS _facts_int8_top_per_s,
       max(CASE WHEN what = 'memory_size' THEN key END) AS _facts_memory_gb,
       max(CASE WHEN what = 'memory_bandwidth' THEN key END) AS _facts_bandwidth_tb_per_s,
       max(CASE WHEN what = 'power' THEN key END) AS _facts_power_w,
       group_concat(key, ' ') AS _facts
  FROM cell c LEFT JOIN v_device d ON d.device = c.device
 GROUP BY c.device
 ORDER BY d.vendor, max(CASE WHEN what IN ('bf16', 'fp16') THEN value END), c.device;
-- @notes
SELECT mark || ' ' || source || ': ' || coalesce((SELECT title FROM v_source v WHERE v.source = l.source), '') FROM letter l
UNION ALL
SELECT 'peaks in TFLOP/s (int8: TOP/s), dense, of the matrix engine, fp32 of the vector engine. ᵛ: of the vector engine, §: of the matrix engine, as nothing else is stated. Each value with table and row: abdb query "SELECT * FROM v_spec"'
UNION ALL
SELECT '≠: another source differs by over 1 %: abdb audit conflicts --kind spec'
 WHERE EXISTS (SELECT 1 FROM others WHERE differs)
UNION ALL
SELECT '!: ' || count(*) || ' stated value' || CASE count(*) WHEN 1 THEN ' is' ELSE 's are' END || ' left out or doubted' ||
       CASE WHEN count(*) <= 6 THEN ': ' || group_concat(device || ' ' || what || ' ' || raw_value || ' ' || coalesce(raw_unit, '') || ' (' || source || ')', ', ')
            ELSE '' END || '. Why: abdb audit doubts'
  FROM stated WHERE trust <> 'stands' HAVING count(*) > 0;
