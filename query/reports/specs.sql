-- title: Devices: dense peaks, memory, bandwidth, power, with sources
-- site: Devices
-- param: device | text | | one device, or several by * | 
-- param: vendor | text | | one vendor | SELECT DISTINCT vendor FROM v_device ORDER BY 1
-- param: basis | text | card | card, package, die or system | SELECT DISTINCT basis FROM v_spec ORDER BY 1
-- column: device | device | | canonical device
-- column: vendor | vendor | |
-- column: fp64_tflop_per_s | fp64 | g4 | TFLOP/s, dense, matrix engine where there is one
-- column: fp32_tflop_per_s | fp32 | g4 | TFLOP/s, dense
-- column: bf16_tflop_per_s | bf16 | g4 | TFLOP/s, dense (fp16 where bf16 is not stated)
-- column: fp8_tflop_per_s | fp8 | g4 | TFLOP/s, dense
-- column: int8_top_per_s | int8 | g4 | TOP/s, dense
-- column: memory_gb | GB | g4 | memory
-- column: bandwidth_tb_per_s | TB/s | g4 | memory bandwidth
-- column: power_w | W | g4 | power limit as stated
-- @with
WITH spec AS (
  SELECT * FROM v_spec WHERE preferred = 1 AND basis = :basis AND power_limit IS NULL
     AND coalesce(sparsity, 'dense') = 'dense'
     AND (:device IS NULL OR device GLOB :device))
-- @rows
, letter AS (
  SELECT source, substr('ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ', row_number() OVER (ORDER BY source), 1) AS mark
    FROM (SELECT DISTINCT source FROM spec)),
cell AS (
  SELECT s.device, l.mark, s.value, s.key,
         CASE WHEN s.quantity IN ('peak_flops', 'peak_ops')
              THEN CASE s.dtype WHEN 'fp16' THEN 'bf16' ELSE s.dtype END ELSE s.quantity END AS what,
         row_number() OVER (PARTITION BY s.device, CASE WHEN s.quantity IN ('peak_flops', 'peak_ops')
              THEN CASE s.dtype WHEN 'fp16' THEN 'bf16' ELSE s.dtype END ELSE s.quantity END
              ORDER BY s.dtype = 'fp16', s.engine = 'vector', s.key) AS place
    FROM spec s JOIN letter l USING (source))
SELECT c.device, d.vendor,
       max(CASE WHEN what = 'fp64' THEN value / 1e12 END) AS fp64_tflop_per_s,
       max(CASE WHEN what = 'fp64' THEN mark END) AS fp64_tflop_per_s__mark,
       max(CASE WHEN what = 'fp32' THEN value / 1e12 END) AS fp32_tflop_per_s,
       max(CASE WHEN what = 'fp32' THEN mark END) AS fp32_tflop_per_s__mark,
       max(CASE WHEN what = 'bf16' THEN value / 1e12 END) AS bf16_tflop_per_s,
       max(CASE WHEN what = 'bf16' THEN mark END) AS bf16_tflop_per_s__mark,
       max(CASE WHEN what = 'fp8' THEN value / 1e12 END) AS fp8_tflop_per_s,
       max(CASE WHEN what = 'fp8' THEN mark END) AS fp8_tflop_per_s__mark,
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
       max(CASE WHEN what = 'bf16' THEN key END) AS _facts_bf16_tflop_per_s,
       max(CASE WHEN what = 'fp8' THEN key END) AS _facts_fp8_tflop_per_s,
       max(CASE WHEN what = 'int8' THEN key END) AS _facts_int8_top_per_s,
       max(CASE WHEN what = 'memory_size' THEN key END) AS _facts_memory_gb,
       max(CASE WHEN what = 'memory_bandwidth' THEN key END) AS _facts_bandwidth_tb_per_s,
       max(CASE WHEN what = 'power' THEN key END) AS _facts_power_w,
       group_concat(key, ' ') AS _facts
  FROM cell c LEFT JOIN v_device d ON d.device = c.device
 WHERE place = 1 AND what IN ('fp64', 'fp32', 'bf16', 'fp8', 'int8', 'memory_size', 'memory_bandwidth', 'power')
   AND (:vendor IS NULL OR d.vendor = :vendor)
 GROUP BY c.device
 ORDER BY d.vendor, max(CASE WHEN what = 'bf16' THEN value END), c.device;
-- @notes
SELECT substr('ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖ', row_number() OVER (ORDER BY source), 1) || ' ' || source || ': ' ||
       coalesce((SELECT title FROM v_source v WHERE v.source = s.source), '')
  FROM (SELECT DISTINCT source FROM spec) s
UNION ALL
SELECT 'peaks in TFLOP/s (int8: TOP/s), dense. Each value with table and row: abdb query "SELECT * FROM v_spec"';
