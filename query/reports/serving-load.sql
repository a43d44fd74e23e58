-- title: Serving by load: latency, throughput, MBU and cost {model}
-- question: serving by number of users: TTFT, TPOT, throughput, MBU, cost of a million tokens
-- group: Which accelerator is faster?
-- site: Serving
-- param: model | text | | what was served
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: tag | text | | only measurements of this name
-- param: statistic | text | median | of the latencies: mean, median, p90, p99, ...
-- param: input_tokens | number | | only this length of the prompt
-- param: price | price | | your own quotes: 'DEVICE=2.49 USD/h', several joined by a comma | SELECT spelling FROM v_name WHERE kind = 'device' AND parts = 1 ORDER BY 1
-- param: price_kind | text | on-demand | on-demand, reserved, spot, list; any: of all kinds | SELECT DISTINCT kind FROM v_price UNION SELECT 'any' UNION SELECT 'on-demand' ORDER BY 1
-- param: price_max_age | days | | leave out prices older than so many days, and undated ones
-- param: today | date | | the day to which a price's age is counted (default: today)
-- param: marks | text | | any: with the results that marks leave out (abdb query "SELECT * FROM v_mark") | SELECT 'any'
-- column: device | device | cut24 | canonical device
-- column: devices | chips | | devices that took part
-- column: model | model | cut30 | as served
-- column: input_tokens | prompt | | tokens
-- column: users | users | g4 | concurrency, users or request rate
-- column: ttft_ms | TTFT ms | g4 | time to the first token
-- column: tpot_ms | TPOT ms | g4 | time per output token
-- column: tokens_per_s | tokens/s | g5 | in total
-- column: tokens_per_s_per_device | /device | g5 | of one device | per_device@1
-- column: mbu_percent | MBU % | 1 | weights and key-value cache that a step reads, of the bandwidth | mbu@1 or mbu_weights@1 x 100
-- column: usd_per_million_tokens | USD/Mtoken† | g4 | at the lowest price | usd_per_million_tokens@1
-- column: price | USD/h/device | 2 | the lowest that counts, or your quote
-- column: provider | provider | | who asks that price; you: --price
-- column: price_kind | kind | | of the price
-- column: price_date | price of | |
-- column: price_age_days | days old | 0 | of the price; from its first day where that is a range
-- column: source | source | |
-- hoist: device devices model source price provider price_kind price_date price_age_days
-- @table judged
WITH run AS MATERIALIZED (
  SELECT t.entry_id, t.point_id, t.device, t.devices, t.nodes, t.model, t.tag, t.source, t.total, t.each, t.result_id, t.key,
         CASE WHEN :marks = 'any' OR t.marks = '' THEN NULL ELSE (SELECT min(x.mark) FROM v_mark_out x WHERE ' ' || t.marks || ' ' LIKE x.pattern) END AS out_by
    FROM (SELECT source FROM v_source WHERE source <> 'abdb-run') s -- kernels serve nobody
    JOIN v_rate t ON t.source = s.source
   WHERE t.point_id IN (SELECT point_id FROM point_factor
                         WHERE factor IN ('users', 'concurrency', 'request_rate', 'batch') AND num IS NOT NULL)
     AND t.metric = 'tokens_per_s' AND t.evidence <> 'mlperf'
     AND EXISTS (SELECT 1 FROM v_stored l WHERE l.entry_id = t.entry_id AND l.metric IN ('tpot_s', 'ttft_s'))
     AND (:model IS NULL OR t.model = :model) AND (:tag IS NULL OR t.tag = :tag)
     AND (:device IS NULL OR t.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND canon = :device)))
SELECT r.*,
       (SELECT f.num FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.num IS NOT NULL
           AND f.factor IN ('users', 'concurrency', 'request_rate', 'batch')
         ORDER BY CASE f.factor WHEN 'users' THEN 0 WHEN 'concurrency' THEN 1 WHEN 'batch' THEN 2 ELSE 3 END LIMIT 1) AS users,
       (SELECT f.num FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'input_tokens') AS input_tokens,
       (SELECT l.result_id FROM v_stored l WHERE l.entry_id = r.entry_id AND l.metric = 'tpot_s' AND l.statistic = :statistic
         ORDER BY l.ordinal LIMIT 1) AS tpot_id,
       (SELECT l.value FROM v_stored l WHERE l.entry_id = r.entry_id AND l.metric = 'ttft_s' AND l.statistic = :statistic
         ORDER BY l.ordinal LIMIT 1) AS ttft_s
  FROM run r
-- @table loaded
SELECT * FROM judged WHERE out_by IS NULL
-- @table offer
SELECT * FROM abdb_offers(:price, NULL, NULL, :price_kind, :today) WHERE :price_max_age IS NULL OR age_days <= :price_max_age
-- @offers loaded
-- @table small
SELECT * FROM met WHERE small
-- @table reached
WITH whole AS (
  SELECT l.*, o.per_device_hour AS price, o.key AS price_key, o.provider, o.provider_kind, o.kind, o.valid_from, o.age_days,
         (SELECT a.at_one FROM v_at_price a WHERE a.result_id = l.result_id AND a.formula = 'usd_per_million_tokens@1') * o.per_device_hour
           AS usd_per_million_tokens,
         (SELECT t.value FROM v_stored t WHERE t.result_id = l.tpot_id) AS tpot_s,
         (SELECT t.key FROM v_result t WHERE t.result_id = l.tpot_id) AS tpot_key,
         (SELECT json_array(n.value, n.formula, n.facts) FROM v_normalised n
           WHERE n.result_id = l.tpot_id AND n.formula IN ('mbu@1', 'mbu_weights@1') AND n.basis = 'published') AS mbu_of
    FROM loaded l
    LEFT JOIN used o ON o.device = l.device AND o.size IS l.devices AND o.nodes IS l.nodes)
SELECT w.*, mbu_of ->> 0 AS mbu, mbu_of ->> 1 AS formula, mbu_of ->> 2 AS mbu_facts FROM whole w
-- @rows
WITH counted AS (SELECT count(DISTINCT coalesce(device, '')) AS devices, count(DISTINCT model) AS models, count(DISTINCT input_tokens) AS prompts,
                   count(DISTINCT coalesce(tag, '')) AS tags FROM loaded)
SELECT trim(CASE WHEN c.devices > 1 THEN coalesce(w.device, 'device not said') || ' ' ELSE '' END ||
            CASE WHEN c.models > 1 THEN coalesce(w.model || ' ', '') ELSE '' END ||
            CASE WHEN c.prompts > 1 THEN coalesce(CAST(CAST(w.input_tokens AS INTEGER) AS TEXT) || ' tokens ', '') ELSE '' END ||
            CASE WHEN c.tags > 1 THEN coalesce(w.tag, '') ELSE '' END ||
            CASE WHEN c.devices = 1 AND c.models = 1 AND c.prompts < 2 AND c.tags = 1 THEN coalesce(w.device, w.model, 'not said') ELSE '' END) AS _label,
       w.device, w.devices, w.model, w.input_tokens, w.users, 1000 * w.ttft_s AS ttft_ms, 1000 * w.tpot_s AS tpot_ms, w.total AS tokens_per_s,
       w.each AS tokens_per_s_per_device, 100 * w.mbu AS mbu_percent, w.usd_per_million_tokens, w.price, w.provider,
       w.kind AS price_kind, w.valid_from AS price_date, w.age_days AS price_age_days, w.source,
       w.key || coalesce(' ' || w.price_key, '') AS _facts, w.tpot_key || coalesce(' ' || w.mbu_facts, '') AS _facts_mbu_percent
  FROM reached w CROSS JOIN counted c
 WHERE w.users IS NOT NULL AND (:input_tokens IS NULL OR w.input_tokens = :input_tokens)
 ORDER BY w.device, w.model, w.input_tokens, w.tag, w.users;
-- @notes
-- @prices reached small
SELECT line FROM (
  SELECT 1 AS place, line FROM prices_said
  UNION ALL SELECT 1, 'latencies: ' || :statistic || ' of the requests of a run; a run is one point' FROM (SELECT 1 FROM reached LIMIT 1) w
  UNION ALL SELECT 2, printf('%d row%s left out: %s (%s); --marks any shows %s', count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END, m.mark, m.sentence,
                   CASE count(*) WHEN 1 THEN 'it' ELSE 'them' END) FROM judged s JOIN v_mark m ON m.mark = s.out_by GROUP BY m.mark, m.sentence
  UNION ALL SELECT 2, 'no device is said by the files: `abdb import FILE --set device=... --set devices=... --set dtype=...`'
    FROM reached WHERE device IS NULL GROUP BY 1
  UNION ALL SELECT 3, 'no MBU: the model is not in the dictionary (abdb query "SELECT model FROM v_model"), or the number format or the bandwidth is not known'
    FROM reached WHERE (SELECT count(mbu) FROM reached) = 0 GROUP BY 1
  UNION ALL SELECT 4, 'MBU counts the weights alone where the lengths of prompt and answer are not said: a lower bound'
    FROM reached WHERE formula = 'mbu_weights@1' GROUP BY 1
  UNION ALL SELECT 5, 'no cost: no price of the device is stored; --price gives one' FROM reached WHERE (SELECT count(price) FROM reached) = 0 GROUP BY 1
  UNION ALL SELECT 6, '† derived by abdb: price of all devices / tokens in an hour' FROM reached WHERE price IS NOT NULL GROUP BY 1)
 ORDER BY place;
