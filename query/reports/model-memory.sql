-- title: Memory of {model} at {dtype}
-- question: how many devices hold the weights of a model, and the cache of a context
-- group: What does it cost?
-- site: Price and cost
-- param: model | text | llama3.1-405b | a model | SELECT model FROM v_model WHERE parameters IS NOT NULL ORDER BY 1
-- param: dtype | text | fp8 | number format of weights and cache | SELECT number_format FROM v_number_format ORDER BY 1
-- param: context | number 0.. | 8192 | tokens of one sequence in the cache
-- param: sequences | number 0.. | 1 | sequences at a time
-- param: device | text | | one device | SELECT device FROM v_device ORDER BY 1
-- column: device | device | |
-- column: memory_gb | memory | g4 | GB of one device, as specified
-- column: weights_gb | weights† | g4 | GB: parameters x bytes of the format
-- column: cache_gb | cache† | g4 | GB: 2 x layers x heads of keys and values x their width x bytes x context x sequences; empty: the model's shape is not known
-- column: devices | devices | | the fewest whose memory holds both, or the weights alone where the cache is not known
-- column: used | used | 2 | fraction of their memory
-- column: format | computes | | yes: a source states a peak in this format; empty: none does
-- column: largest_offer | offered | | most devices that are rented together, of the prices stored
-- hoist: weights_gb cache_gb
-- @table need
SELECT b.model, b.all_weights_B / 1e9 AS weights, b.cache_per_token_B * :context * :sequences / 1e9 AS cache
  FROM v_model_bytes b WHERE b.number_format = :dtype AND b.model = :model AND b.all_weights_B IS NOT NULL
-- @table memory
SELECT s.device, s.value / 1e9 AS gb, s.key FROM v_spec s
 WHERE s.quantity = 'memory_size' AND s.preferred = 1 AND s.basis = 'card' AND s.value > 0
   AND CASE WHEN :device IS NULL THEN s.device IN (SELECT device FROM v_price) ELSE s.device = :device END
-- @rows
SELECT y.device, y.gb AS memory_gb, n.weights AS weights_gb, n.cache AS cache_gb, CAST(ceil((n.weights + coalesce(n.cache, 0)) / y.gb) AS INTEGER) AS devices,
       (n.weights + coalesce(n.cache, 0)) / y.gb / ceil((n.weights + coalesce(n.cache, 0)) / y.gb) AS used,
       (SELECT 'yes' FROM v_spec p WHERE p.device = y.device AND p.quantity IN ('peak_flops', 'peak_ops') AND p.dtype = :dtype AND p.preferred = 1 LIMIT 1) AS format,
       (SELECT max(o.offered) FROM v_price_offer o WHERE o.device = y.device) AS largest_offer, y.key AS _facts
  FROM need n CROSS JOIN memory y ORDER BY devices, used DESC, y.device;
-- @notes
SELECT line FROM (
  SELECT 0 AS place, 'a lower bound: activations, buffers and copies of parallel parts come on top' AS line FROM need
  UNION ALL SELECT 1, '! the size of this model is not known: no answer' WHERE NOT EXISTS (SELECT 1 FROM need)
  UNION ALL SELECT 2, 'memory not known: ' || group_concat(device, ', ') FROM (SELECT DISTINCT device FROM v_price WHERE :device IS NULL AND device NOT IN (SELECT device FROM memory) ORDER BY 1) HAVING count(*) > 0
  UNION ALL SELECT 3, '† derived by abdb from parameters and shape of the model' FROM need)
 ORDER BY place;
