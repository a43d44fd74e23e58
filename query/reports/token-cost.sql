-- title: Cost of a million output tokens {model} {scenario}
-- question: dollars per million output tokens
-- group: What does it cost?
-- site: Price and cost
-- explore: per=million
-- param: model | text | | what was run | SELECT model, used FROM model_named ORDER BY 2 DESC, 1
-- param: scenario | text | | Offline, Server, Interactive, ... | SELECT DISTINCT scenario, 1 FROM description WHERE scenario <> '' UNION ALL SELECT column1, 0 FROM (VALUES ('Offline'), ('Server'), ('Interactive'), ('SingleStream'), ('MultiStream'), ('training'), ('serving')) ORDER BY 2 DESC, 1
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: provider | text | | only prices of this provider | SELECT DISTINCT provider FROM v_price ORDER BY 1
-- param: price_kind | text | on-demand | on-demand, reserved, spot, list; any: of all kinds | SELECT DISTINCT kind FROM v_price UNION SELECT 'any' UNION SELECT 'on-demand' ORDER BY 1
-- param: price_date | date | | prices as they were on this day (default: the latest)
-- param: price_max_age | days | | leave out prices older than so many days, and undated ones
-- param: today | date | | the day to which a price's age is counted (default: today)
-- param: limit | number 1.. | 30 | rows at most
-- param: marks | text | | any: with the results that marks leave out (abdb query "SELECT * FROM v_mark") | SELECT 'any'
-- column: model | model | | what was run
-- column: scenario | scenario | |
-- column: device | device | cut24 | canonical device
-- column: devices | chips | | devices that took part
-- column: tokens_per_s | tokens/s | 1 | in total
-- column: usd_per_device_hour | USD/h/device | 2 | as stored
-- column: usd_per_million_tokens | USD/Mtoken | 4 | for a million | usd_per_million_tokens@1
-- column: provider | provider | |
-- column: price_kind | kind | |
-- column: price_date | price of | |
-- column: price_age_days | days old | 0 | of the price; from its first day where that is a range
-- column: source | source | | who states the rate
-- column: warnings | warnings | | for programs: what the lines that begin with ! say
-- screen: model scenario device tokens_per_s usd_per_device_hour usd_per_million_tokens provider price_kind price_age_days
-- hoist: model scenario
-- bare: warnings
-- @table offer
SELECT * FROM abdb_offers(NULL, :price_date, :provider, :price_kind, :today)
 WHERE :price_max_age IS NULL OR age_days <= :price_max_age
-- @table judged
SELECT r.model, r.scenario, r.device, r.devices, r.nodes, r.total, r.each, r.source, r.result_id, r.key, r.evidence,
       CASE WHEN :marks = 'any' OR r.marks = '' THEN NULL ELSE (SELECT min(x.mark) FROM v_mark_out x WHERE ' ' || r.marks || ' ' LIKE x.pattern) END AS out_by
  FROM (SELECT DISTINCT device FROM offer WHERE :device IS NULL OR device = :device) o
  JOIN v_name n ON n.kind = 'device' AND n.canon = o.device AND n.parts = 1
  JOIN v_rate r ON r.raw_device = n.spelling
 WHERE r.metric = 'tokens_per_s' AND r.each > 0 AND r.disagree = 0 AND r.scenario <> 'training'
   AND (:model IS NULL OR r.raw_model IN (SELECT spelling FROM v_name WHERE kind = 'model' AND canon = :model))
   AND (:scenario IS NULL OR r.scenario = :scenario)
-- @table rate
-- of another kind of evidence only what MLPerf has nothing of: the two are not compared
SELECT r.*, r.evidence = 'mlperf' OR max(r.evidence = 'mlperf') OVER (PARTITION BY r.model, r.scenario) = 0 AS counts FROM judged r WHERE out_by IS NULL
-- @offers rate WHERE counts BY provider, kind
-- @table best
-- of the results that fit into an offer, where one does
SELECT r.*, row_number() OVER (PARTITION BY r.model, r.scenario, r.device ORDER BY u.device IS NULL, r.each DESC, r.key) AS place
  FROM rate r
  LEFT JOIN (SELECT DISTINCT device, size, nodes FROM used) u ON u.device = r.device AND u.size IS r.devices AND u.nodes IS r.nodes
 WHERE r.counts
-- @table small
SELECT m.* FROM met m JOIN (SELECT DISTINCT device, devices, nodes FROM best WHERE place = 1) b ON m.device = b.device AND m.size IS b.devices AND m.nodes IS b.nodes
 WHERE m.small
-- @table priced
SELECT b.model, b.scenario, b.device, b.devices, b.total, o.per_device_hour, a.at_one * o.per_device_hour AS cost, o.provider, o.provider_kind,
       o.kind, o.valid_from, o.age_days, b.source, b.key || ' ' || o.key AS facts,
       count(*) OVER () AS whole
  FROM best b
  JOIN used o ON o.device = b.device AND o.size IS b.devices AND o.nodes IS b.nodes
  JOIN v_at_price a ON a.result_id = b.result_id AND a.formula = 'usd_per_million_tokens@1'
 WHERE b.place = 1 ORDER BY b.model, b.scenario, cost LIMIT :limit
-- @rows
SELECT model, scenario, device, devices, total AS tokens_per_s, per_device_hour AS usd_per_device_hour, cost AS usd_per_million_tokens,
       provider, kind AS price_kind, valid_from AS price_date, age_days AS price_age_days, source, facts AS _facts, NULL AS warnings,
       whole AS _whole
  FROM priced ORDER BY model, scenario, usd_per_million_tokens;
-- @notes
-- @prices priced small
SELECT line FROM (
  SELECT 1 AS place, line FROM prices_said
  UNION ALL
  SELECT 2, 'derived by abdb: the best rate of each device and the latest price of each provider; output tokens only; not an official or verified MLPerf® metric.'
  UNION ALL SELECT 3, count(*) || CASE count(*) WHEN 1 THEN ' result' ELSE ' results' END || ' of other evidence left out: not compared with MLPerf® results'
    FROM rate WHERE NOT counts HAVING count(*) > 0
  UNION ALL SELECT 4, printf('%d row%s left out: %s (%s); --marks any shows %s', count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END, m.mark, m.sentence,
                   CASE count(*) WHEN 1 THEN 'it' ELSE 'them' END) FROM judged s JOIN v_mark m ON m.mark = s.out_by GROUP BY m.mark, m.sentence)
 ORDER BY place, line;
