-- title: Throughput of a device against tokens per second of a user {model}
-- question: throughput of a device against tokens per second of a user, over the loads of each serving system
-- group: Which accelerator is faster?
-- site: Serving
-- param: percentile | number 0..100 | 50 | of TPOT: a user of so many percent of the requests is at least as fast
-- param: model | text | | what was served
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: marks | text | | any: with the results that marks leave out (abdb query "SELECT * FROM v_mark") | SELECT 'any'
-- column: device | device | cut24 | canonical device
-- column: devices | chips | | devices that took part
-- column: model | model | cut30 | as served
-- column: dtype | weights | | number format
-- column: input_tokens | prompt | g4 | mean tokens of a prompt
-- column: output_tokens | answer | g4 | mean tokens of an answer
-- column: load | load | g4 | place on the axis of the curve
-- column: load_kind | of | | concurrency, users, requests a second or sequences at once
-- column: tokens_per_s_per_user | tokens/s/user | g4 | 1 / TPOT
-- column: tokens_per_s_per_device | tokens/s/device | g5 | output tokens of one device
-- column: front | front | | front: no other point of its curve is at least as good in both
-- column: percentile | percentile | g4 | of TPOT, as stated
-- column: source | source | |
-- column: curve | curve | cut60 | what its points agree in; ~: to two or three digits
-- hoist: device devices model dtype input_tokens output_tokens load_kind percentile source
-- @table point_of_curve
SELECT c.*, l.value AS tpot_s, l.percentile, (SELECT r.key FROM v_result r WHERE r.result_id = l.result_id) AS tpot_key
  FROM v_curve c JOIN v_curve_latency l ON l.entry_id = c.entry_id AND l.metric = 'tpot_s' AND l.percentile = :percentile AND l.value > 0
 WHERE (:model IS NULL OR c.model = :model) AND (:device IS NULL OR c.device = :device) AND c.tokens_per_s_per_device > 0
   AND (:marks = 'any' OR c.marks = '' OR NOT EXISTS (SELECT 1 FROM v_mark_out x WHERE ' ' || c.marks || ' ' LIKE x.pattern))
-- @rows
SELECT p.device, p.devices, p.model, p.dtype, p.input_tokens, p.output_tokens, p.load, p.load_kind, 1 / p.tpot_s AS tokens_per_s_per_user, p.tokens_per_s_per_device,
       iif(EXISTS (SELECT 1 FROM point_of_curve o WHERE o.curve = p.curve AND o.tpot_s <= p.tpot_s AND o.tokens_per_s_per_device >= p.tokens_per_s_per_device
                      AND (o.tpot_s < p.tpot_s OR o.tokens_per_s_per_device > p.tokens_per_s_per_device)), NULL, 'front') AS front,
       p.percentile, p.source,
       p.curve, trim(coalesce(p.device, 'device not stated') || coalesce(' x' || p.devices, '') || coalesce(' ' || p.dtype, '') || coalesce(' ' || CAST(round(p.input_tokens) AS INTEGER) || ' tokens in', '') || coalesce(' ' || p.tag, '')) AS _label,
       p.key || ' ' || p.tpot_key AS _facts
  FROM point_of_curve p ORDER BY p.model, p.curve, p.load;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, printf('tokens per second of a user: 1 / TPOT p%g; of a run that states another percentile alone there is no point', :percentile) AS line
  UNION ALL SELECT 2, printf('%d point%s without TPOT p%g', n, iif(n = 1, '', 's'), :percentile)
    FROM (SELECT (SELECT count(*) FROM v_curve WHERE (:model IS NULL OR model = :model) AND (:device IS NULL OR device = :device)) - (SELECT count(*) FROM point_of_curve) AS n) WHERE n > 0)
 ORDER BY place;
