-- title: Throughput within a latency limit {at}
-- question: what each serving system delivers within a latency limit, read off its curve over load
-- group: Which accelerator is faster?
-- site: Serving
-- param: at | text | tpot=50ms | limits, such as ttft=2s,tpot=50ms (ttft, tpot, latency)
-- param: percentile | number 0..100 | 99 | of the requests, in percent, that keep them
-- param: between | text | step | step: the best measured point; linear, monotone: interpolated | VALUES ('step'), ('linear'), ('monotone')
-- param: model | text | | what was served
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: where | text | | conditions: column OP value, ...
-- param: usd_per_hour | number | | what an hour of one device costs you: for dollars per million tokens
-- column: device | device | cut24 | canonical device
-- column: devices | chips | | devices that took part
-- column: model | model | cut30 | as served
-- column: dtype | weights | | number format
-- column: input_tokens | prompt | g4 | mean tokens of a prompt
-- column: output_tokens | answer | g4 | mean tokens of an answer
-- column: tokens_per_s | tokens/s | g5 | output tokens of all devices
-- column: tokens_per_s_per_device | /device | g5 | of one device
-- column: load | load | g4 | at the point that answers; between points the lower one
-- column: load_high | to | g4 | the upper one
-- column: load_kind | of | | concurrency, users, requests a second or sequences at once
-- column: shortest_ms | from ms | g4 | shortest latency of the curve, of the limit that binds
-- column: longest_ms | to ms | g4 | longest one, of points that no other beats
-- column: points | points | | that state the latency
-- column: errors_percent | errors % | | of each inner point, were it left out and interpolated
-- column: users | users | g4 | who wait for answers: the load of a closed loop
-- column: usd_per_million | USD/Mtoken | g4 | output tokens
-- column: standing | standing | | within: inside the measured range; clamped: beyond its end, so the last point counts; too short: no point keeps the limit
-- column: why | no answer because | cut80 | and the measured range
-- column: metric | limit on | | that binds: ttft_s, tpot_s or latency_s
-- column: percentile | percentile | g4 | at which it was read: as asked, or the next higher one that its runs state
-- column: curve | curve | cut60 | what its points agree in; ~: to two or three digits
-- screen: device devices model tokens_per_s load shortest_ms longest_ms users usd_per_million
-- hoist: device devices model dtype input_tokens output_tokens load_kind standing metric percentile
-- bare: load_high errors_percent usd_per_million why users
-- @table served
SELECT DISTINCT workload FROM v_curve WHERE (:model IS NULL OR model = :model) AND (:device IS NULL OR device = :device)
-- @table read
SELECT c.* FROM served w, abdb_curve_at(json_object('selection', 'workload=' || quote(w.workload) || iif(:model IS NULL, '', ',model=' || quote(:model)) || iif(:device IS NULL, '', ',device=' || quote(:device)),
       'where', :where, 'at', :at, 'percentile', :percentile, 'between', :between)) c
-- @table answered
SELECT r.*, v.input_tokens, v.output_tokens, m.tokens_per_s AS measured, m.tokens_per_s_per_device / m.tokens_per_s AS of_device,
       (SELECT a.at_one FROM v_at_price a WHERE a.result_id = r.result_id AND a.formula = 'usd_per_million_tokens@1') AS at_one
  FROM read r
  LEFT JOIN v_curve m ON m.result_id = r.result_id
  LEFT JOIN (SELECT curve, avg(input_tokens) AS input_tokens, avg(output_tokens) AS output_tokens FROM v_curve GROUP BY curve) v ON v.curve = r.curve
-- @rows
SELECT p.device, p.devices, p.model, p.dtype, p.input_tokens, p.output_tokens, p.value AS tokens_per_s, p.value * p.of_device AS tokens_per_s_per_device,
       p.load, p.load_high, p.load_kind, 1000 * p.shortest_s AS shortest_ms, 1000 * p.longest_s AS longest_ms, p.points,
       (SELECT group_concat(printf('%.3g', 100 * value), ' ') FROM json_each(p.errors)) AS errors_percent,
       CASE WHEN p.load_kind IN ('users', 'concurrency') THEN p.load END AS users,
       :usd_per_hour * p.at_one * p.measured / p.value AS usd_per_million, p.standing, p.why, p.metric, p.percentile, p.curve,
       trim(coalesce(p.device, 'device not stated') || coalesce(' ' || p.dtype, '') || coalesce(' ' || CAST(round(p.input_tokens) AS INTEGER) || ' tokens in', '')) AS _label,
       p.key || coalesce(' ' || p.key_high, '') AS _facts
  FROM answered p
 ORDER BY p.model, p.input_tokens, p.output_tokens, p.value * p.of_device DESC, p.curve;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, 'read off each curve ' ||
         CASE :between WHEN 'step' THEN 'the best measured point within the limit' ELSE :between || ' between measured points, never beyond them' END AS line FROM (SELECT 1 FROM read LIMIT 1)
  UNION ALL
  SELECT 2, printf('%d of %d curves were read at a higher percentile than p%g, which their runs do not state', sum(percentile > :percentile), count(*), :percentile) FROM read HAVING sum(percentile > :percentile) > 0
  UNION ALL
  SELECT 2, printf('clamped: %d of %d curves end before the limit is reached; their last point is a lower bound', sum(standing = 'clamped'), count(*)) FROM read HAVING sum(standing = 'clamped') > 0
  UNION ALL
  SELECT 3, 'no curve is here: `abdb import FILE --set device=...` reads vLLM, SGLang and InferenceX; `abdb run --kernel llama-serve` measures one' WHERE NOT EXISTS (SELECT 1 FROM served))
 ORDER BY place;
