-- title: Price of {tokens_per_s} tokens/s at the best rate per device: {model} {scenario}
-- question: what a throughput costs per hour, in whole systems
-- group: What does it cost?
-- site: Price and cost
-- param: tokens_per_s | number | 100000 | throughput that is wanted
-- param: model | text | llama2-70b-99 | benchmark | SELECT model, mlperf FROM model_named ORDER BY 2 DESC, 1
-- param: scenario | text | Server | Offline, Server, Interactive | SELECT DISTINCT scenario, 1 FROM description WHERE scenario <> '' UNION ALL SELECT column1, 0 FROM (VALUES ('Offline'), ('Server'), ('Interactive'), ('SingleStream'), ('MultiStream'), ('training'), ('serving')) ORDER BY 2 DESC, 1
-- param: provider | text | | only prices of this provider | SELECT DISTINCT provider FROM v_price ORDER BY 1
-- param: price_kind | text | on-demand | on-demand, reserved, spot, list; any: of all kinds | SELECT DISTINCT kind FROM v_price UNION SELECT 'any' UNION SELECT 'on-demand' ORDER BY 1
-- param: price_max_age | days | | leave out prices older than so many days, and undated ones
-- param: price | price | | your own quotes: 'DEVICE=2.49 USD/h', several joined by a comma | SELECT spelling FROM v_name WHERE kind = 'device' AND parts = 1 ORDER BY 1
-- param: today | date | | the day to which a price's age is counted (default: today)
-- column: device | device | cut24 | canonical device
-- column: tokens_per_s_per_device | tokens/s/device† | 1 | of the best result | per_device@1
-- column: needed | devices | | whole systems of the size that was measured
-- column: usd_per_device_hour | USD/h/device | 2 | as stored, or your quote
-- column: usd_per_hour | USD/h | 2 | for all of them
-- column: provider | provider | | you: --price
-- column: price_date | price of | |
-- column: price_age_days | days old | 0 | of the price; from its first day where that is a range
-- column: price_kind | kind | |
-- column: public_id | ID | | of the result
-- column: warnings | warnings | | for programs: what the lines that begin with ! say
-- bare: warnings
-- @table rate
SELECT r.device, r.each, r.devices, r.nodes, ceil(:tokens_per_s / r.total) AS systems, r.public_id, r.key
  FROM v_mlperf r
 WHERE r.raw_model IN (SELECT spelling FROM v_name WHERE kind = 'model' AND canon = :model) AND r.scenario = :scenario
   AND r.unit = 'token/s' AND r.division = 'closed' AND r.left_out = '' AND r.each > 0
-- @table offer
SELECT * FROM abdb_offers(:price, NULL, :provider, :price_kind, :today)
 WHERE :price_max_age IS NULL OR age_days <= :price_max_age
-- @offers rate BY provider, kind
-- @table best
-- of the results that fit into an offer, where one does
SELECT r.*, row_number() OVER (PARTITION BY r.device ORDER BY u.device IS NULL, r.each DESC, r.key) AS place
  FROM rate r
  LEFT JOIN (SELECT DISTINCT device, size, nodes FROM used) u ON u.device = r.device AND u.size IS r.devices AND u.nodes IS r.nodes
-- @table small
SELECT m.* FROM met m JOIN (SELECT DISTINCT device, devices, nodes FROM best WHERE place = 1) b ON m.device = b.device AND m.size IS b.devices AND m.nodes IS b.nodes
 WHERE m.small
-- @table priced
SELECT b.device, b.each, CAST(b.systems * b.devices AS INTEGER) AS needed, o.per_device_hour, o.provider, o.provider_kind, o.kind,
       o.valid_from, o.age_days, b.public_id,
       b.key || coalesce(' ' || o.key, '') AS facts
  FROM best b JOIN used o ON o.device = b.device AND o.size IS b.devices AND o.nodes IS b.nodes
 WHERE b.place = 1
-- @rows
SELECT device, each AS tokens_per_s_per_device, needed, per_device_hour AS usd_per_device_hour, needed * per_device_hour AS usd_per_hour,
       provider, valid_from AS price_date, age_days AS price_age_days, kind AS price_kind, public_id, facts AS _facts, NULL AS warnings
  FROM priced ORDER BY usd_per_hour, device, provider;
-- @notes
-- @prices priced small
SELECT line FROM (
  SELECT 1 AS place, line FROM prices_said
  UNION ALL
  SELECT 1, count(*) || CASE count(*) WHEN 1 THEN ' device with results has' ELSE ' devices with results have' END || ' no price: --price gives one'
    FROM best WHERE place = 1 AND device NOT IN (SELECT device FROM offer) HAVING count(*) > 0
  UNION ALL SELECT 1, 'systems of the best rate per device only, at a price per device; abdb choose takes the cheapest of all measured systems, in whole offers: '
           || 'abdb choose ' || quote(:model) || ' ' || CASE WHEN :scenario GLOB '*[^A-Za-z0-9_.-]*' THEN quote(:scenario) ELSE :scenario END || printf(' --rate %.17g/s', :tokens_per_s)
  UNION ALL SELECT 2, '† derived by abdb; whole systems are multiplied, which no result of MLPerf® shows.')
 ORDER BY place;
