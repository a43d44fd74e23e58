-- title: Serving by load: latency, throughput, MBU and cost {model}
-- site: Serving
-- param: model | text | | what was served
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: tag | text | | only measurements of this name
-- param: statistic | text | median | of the latencies: mean, median, p90, p99, ...
-- param: input_tokens | number | | only this length of the prompt
-- param: price | price | | your own quotes: 'DEVICE=2.49 USD/h', several joined by a comma | SELECT spelling FROM v_name WHERE kind = 'device' AND parts = 1 ORDER BY 1
-- column: device | device | cut24 | canonical device
-- column: devices | chips | | devices that took part
-- column: model | model | cut30 | as served
-- column: input_tokens | prompt | | tokens
-- column: users | users | g4 | concurrency, users or request rate
-- column: ttft_ms | TTFT ms | g4 | time to the first token
-- column: tpot_ms | TPOT ms | g4 | time per output token
-- column: tokens_per_s | tokens/s | g5 | in total
-- column: tokens_per_s_per_device | /device | g5 | tokens/s / devices
-- column: mbu_percent | MBU % | 1 | mbu@1: (weights + key-value cache) / time per output token / (devices x bandwidth)
-- column: usd_per_million_tokens | USD/Mtoken | g4 | usd_per_million_tokens@1 = price per hour x 10^6 / (3600 x tokens/s)
-- column: price | USD/h/device | 2 | the lowest that is stored, or your quote
-- column: source | source | |
-- hoist: device devices model source price
-- @with
WITH run AS MATERIALIZED (
  SELECT t.entry_id, t.ordinal, t.point_id, t.device, t.devices, t.model, t.dtype, t.tag, t.source, t.value AS tokens_per_s, t.result_id
    FROM v_result t -- sets of factors with a load lead on
   WHERE t.point_id IN (SELECT point_id FROM point_factor
                         WHERE factor IN ('users', 'concurrency', 'request_rate', 'batch') AND num IS NOT NULL)
     AND t.metric = 'tokens_per_s' AND t.evidence <> 'mlperf'
     AND EXISTS (SELECT 1 FROM v_stored l WHERE l.entry_id = t.entry_id AND l.metric IN ('tpot_s', 'ttft_s'))
     AND (:model IS NULL OR t.model = :model) AND (:tag IS NULL OR t.tag = :tag)
     AND (:device IS NULL OR t.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND canon = :device))),
loaded AS (
  SELECT r.*,
         (SELECT f.num FROM v_factor_given f WHERE f.entry_id = r.entry_id AND f.ordinal = r.ordinal AND f.num IS NOT NULL
             AND f.factor IN ('users', 'concurrency', 'request_rate', 'batch')
           ORDER BY CASE f.factor WHEN 'users' THEN 0 WHEN 'concurrency' THEN 1 WHEN 'batch' THEN 2 ELSE 3 END LIMIT 1) AS users,
         (SELECT f.num FROM v_factor_given f WHERE f.entry_id = r.entry_id AND f.ordinal = r.ordinal AND f.factor = 'input_tokens') AS input_tokens,
         (SELECT f.num FROM v_factor_given f WHERE f.entry_id = r.entry_id AND f.ordinal = r.ordinal AND f.factor = 'output_tokens') AS output_tokens,
         (SELECT l.value FROM v_result l WHERE l.entry_id = r.entry_id AND l.metric = 'tpot_s' AND l.statistic = :statistic LIMIT 1) AS tpot_s,
         (SELECT l.value FROM v_result l WHERE l.entry_id = r.entry_id AND l.metric = 'ttft_s' AND l.statistic = :statistic LIMIT 1) AS ttft_s
    FROM run r),
quote AS (
  SELECT coalesce((SELECT n.canon FROM v_name n WHERE n.kind = 'device' AND n.spelling = trim(substr(value, 1, instr(value, '=') - 1))),
                  trim(substr(value, 1, instr(value, '=') - 1))) AS device,
         CAST(trim(substr(value, instr(value, '=') + 1)) AS REAL) AS per_device_hour
    FROM json_each('[' || replace(json_quote(coalesce(:price, '')), ',', '","') || ']') WHERE value <> ''),
offer AS (
  SELECT device, per_device_hour, NULL AS price_id FROM quote
  UNION ALL
  SELECT device, per_device_hour, price_id FROM (
    SELECT *, row_number() OVER (PARTITION BY device ORDER BY per_device_hour, valid_from DESC) AS place FROM v_price_used
     WHERE per = 'hour' AND currency = 'USD' AND device NOT IN (SELECT device FROM quote)) WHERE place = 1),
counted AS (SELECT count(DISTINCT coalesce(device, '')) AS devices, count(DISTINCT model) AS models, count(DISTINCT input_tokens) AS prompts,
                   count(DISTINCT coalesce(tag, '')) AS tags FROM loaded),
size (dtype, bytes) AS (VALUES ('fp32', 4.0), ('bf16', 2), ('fp16', 2), ('fp8', 1), ('int8', 1), ('fp4', 0.5), ('int4', 0.5)),
whole AS MATERIALIZED (
  SELECT l.*, o.per_device_hour AS price, o.price_id, m.model AS known,
         (s.bytes * m.parameters_active + 2.0 * m.layers * m.kv_heads * (m.hidden_size / m.heads) * s.bytes * l.users
            * coalesce(l.input_tokens + l.output_tokens / 2.0, 0)) / l.tpot_s
           / (l.devices * (SELECT p.value FROM v_peak p WHERE p.device = l.device AND p.quantity = 'memory_bandwidth'
                            ORDER BY p.preference LIMIT 1)) AS mbu,
         (SELECT p.spec_id FROM v_peak p WHERE p.device = l.device AND p.quantity = 'memory_bandwidth' ORDER BY p.preference LIMIT 1) AS spec_id
    FROM loaded l LEFT JOIN offer o ON o.device = l.device
    LEFT JOIN v_model m ON m.model = l.model LEFT JOIN size s ON s.dtype = l.dtype)
-- @rows
SELECT trim(CASE WHEN c.devices > 1 THEN coalesce(w.device, 'device not said') || ' ' ELSE '' END ||
            CASE WHEN c.models > 1 THEN coalesce(w.model || ' ', '') ELSE '' END ||
            CASE WHEN c.prompts > 1 THEN coalesce(CAST(CAST(w.input_tokens AS INTEGER) AS TEXT) || ' tokens ', '') ELSE '' END ||
            CASE WHEN c.tags > 1 THEN coalesce(w.tag, '') ELSE '' END ||
            CASE WHEN c.devices = 1 AND c.models = 1 AND c.prompts < 2 AND c.tags = 1 THEN coalesce(w.device, w.model, 'not said') ELSE '' END) AS _label,
       w.device, w.devices, w.model, w.input_tokens, w.users, 1000 * w.ttft_s AS ttft_ms, 1000 * w.tpot_s AS tpot_ms, w.tokens_per_s,
       w.tokens_per_s / w.devices AS tokens_per_s_per_device, 100 * w.mbu AS mbu_percent,
       w.price * 1e6 / (3600 * w.tokens_per_s / w.devices) AS usd_per_million_tokens, w.price, w.source,
       w.result_id || coalesce(' ' || w.price_id, '') || CASE WHEN w.mbu IS NULL THEN '' ELSE ' ' || w.spec_id END AS _facts
  FROM whole w, counted c
 WHERE w.users IS NOT NULL AND (:input_tokens IS NULL OR w.input_tokens = :input_tokens)
 ORDER BY w.device, w.model, w.input_tokens, w.tag, w.users;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, 'latencies: ' || :statistic || ' of the requests of a run; a run is one point' AS line FROM (SELECT 1 FROM whole LIMIT 1)
  UNION ALL SELECT 2, 'no device is said by the files: `abdb import FILE --set device=... --set devices=... --set dtype=...`'
    FROM whole WHERE device IS NULL GROUP BY 1
  UNION ALL SELECT 3, 'no MBU: the model is not in the dictionary (abdb query "SELECT model FROM v_model"), or the number format or the bandwidth is not known'
    FROM whole WHERE (SELECT count(mbu) FROM whole) = 0 GROUP BY 1
  UNION ALL SELECT 4, 'MBU counts the weights alone where the lengths of prompt and answer are not said: a lower bound'
    FROM whole WHERE mbu IS NOT NULL AND (input_tokens IS NULL OR output_tokens IS NULL) GROUP BY 1
  UNION ALL SELECT 5, 'no cost: no price of the device is stored; --price gives one' FROM whole WHERE (SELECT count(price) FROM whole) = 0 GROUP BY 1)
 ORDER BY place;
