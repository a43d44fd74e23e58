-- title: Best price for {tokens_per_s} tokens/s: {model} {scenario}
-- site: Price and cost
-- param: tokens_per_s | number | 100000 | throughput that is wanted
-- param: model | text | llama2-70b-99 | benchmark | SELECT canon FROM v_name WHERE kind = 'model' ORDER BY 1
-- param: scenario | text | Server | Offline, Server, Interactive
-- param: provider | text | | only prices of this provider | SELECT DISTINCT provider FROM v_price ORDER BY 1
-- param: price_kind | text | | on-demand, reserved, spot | SELECT DISTINCT kind FROM v_price ORDER BY 1
-- param: price | price | | your own quotes: 'DEVICE=2.49 USD/h', several joined by a comma | SELECT spelling FROM v_name WHERE kind = 'device' AND parts = 1 ORDER BY 1
-- column: device | device | cut24 | canonical device
-- column: tokens_per_s_per_device | tokens/s/device† | 1 | derived: best result / devices
-- column: needed | devices | | whole systems of the size that was measured
-- column: usd_per_device_hour | USD/h/device | 2 | as stored, or your quote
-- column: usd_per_hour | USD/h | 2 | for all of them
-- column: provider | provider | | you: --price
-- column: price_date | price of | |
-- column: public_id | ID | | of the result
-- @with
WITH best AS (
  SELECT r.device, r.value_per_device AS each, r.devices, r.public_id, r.result_id,
         row_number() OVER (PARTITION BY r.device ORDER BY r.value_per_device DESC, r.result_id) AS place
    FROM v_mlperf r
   WHERE r.raw_model IN (SELECT spelling FROM v_name WHERE kind = 'model' AND canon = :model) AND r.scenario = :scenario
     AND r.unit = 'token/s' AND r.division = 'closed' AND r.left_out = ''),
quote AS (
  SELECT coalesce((SELECT n.canon FROM v_name n WHERE n.kind = 'device' AND n.spelling = trim(substr(value, 1, instr(value, '=') - 1))),
                  trim(substr(value, 1, instr(value, '=') - 1))) AS device,
         CAST(trim(substr(value, instr(value, '=') + 1)) AS REAL) AS per_device_hour
    FROM json_each('[' || replace(json_quote(coalesce(:price, '')), ',', '","') || ']') WHERE value <> ''),
offer AS (
  SELECT device, per_device_hour, provider, valid_from, price_id FROM (
    SELECT *, row_number() OVER (PARTITION BY device, provider, kind ORDER BY valid_from DESC, devices) AS place FROM v_price_used
     WHERE per = 'hour' AND currency = 'USD' AND (:provider IS NULL OR provider = :provider)
       AND (:price_kind IS NULL OR kind = :price_kind) AND device NOT IN (SELECT device FROM quote)) WHERE place = 1
  UNION ALL SELECT device, per_device_hour, 'you', NULL, NULL FROM quote)
-- @rows
SELECT b.device, b.each AS tokens_per_s_per_device,
       CAST(ceil(:tokens_per_s / (b.each * b.devices)) AS INTEGER) * b.devices AS needed, o.per_device_hour AS usd_per_device_hour,
       CAST(ceil(:tokens_per_s / (b.each * b.devices)) AS INTEGER) * b.devices * o.per_device_hour AS usd_per_hour, o.provider,
       o.valid_from AS price_date, b.public_id, b.result_id || coalesce(' ' || o.price_id, '') AS _facts
  FROM best b JOIN offer o ON o.device = b.device
 WHERE b.place = 1 ORDER BY usd_per_hour, b.device, o.provider;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, count(*) || ' devices with results have no price: --price gives one' AS line
    FROM best WHERE place = 1 AND device NOT IN (SELECT device FROM offer) HAVING count(*) > 0
  UNION ALL SELECT 2, '† derived by abdb; whole systems are multiplied, which no result of MLPerf® shows.')
 ORDER BY place;
