-- title: Throughput against price per device: {model} {scenario}
-- site: Price and cost
-- param: model | text | llama2-70b-99 | what was run | SELECT canon FROM v_name WHERE kind = 'model' ORDER BY 1
-- param: scenario | text | Server | Offline, Server, Interactive, training, ...
-- param: round | text | | one round of MLPerf (default: the best of all)
-- param: provider | text | | only prices of this provider | SELECT DISTINCT provider FROM v_price ORDER BY 1
-- param: price_kind | text | | on-demand, reserved, spot | SELECT DISTINCT kind FROM v_price ORDER BY 1
-- param: price_date | date | | prices as they were on this day (default: the latest)
-- param: price | price | | your own quotes: 'DEVICE=2.49 USD/h', several joined by a comma | SELECT spelling FROM v_name WHERE kind = 'device' AND parts = 1 ORDER BY 1
-- column: device | device | cut24 | canonical device
-- column: usd_per_device_hour | USD/h/device | 2 | the lowest that is stored, or your quote
-- column: rate_per_device | rate/device† | g5 | best rate / devices
-- column: unit | unit | | of the rate
-- column: per_usd | rate per USD | g5 | units_per_dollar@1 = 3600 x rate / price per hour
-- column: front | front | | 1: no other device is both cheaper and faster
-- column: devices | chips | | of the system that was measured
-- column: provider | provider | | you: --price
-- column: price_kind | kind | |
-- column: price_date | price of | |
-- column: source | source | | who states the rate
-- column: public_id | ID | | of the result
-- hoist: unit
-- @with
WITH rate AS (
  SELECT r.device, r.unit, r.devices, r.source, r.public_id, r.result_id, r.evidence,
         CASE WHEN (SELECT f.text FROM v_factor_given f WHERE f.entry_id = r.entry_id AND f.ordinal = r.ordinal AND f.factor = 'per') = 'device'
              THEN r.value ELSE r.value / r.devices END AS each
    FROM (SELECT DISTINCT spelling FROM v_name WHERE kind = 'model' AND canon = :model) n
   CROSS JOIN v_result r ON r.raw_model = n.spelling
   WHERE r.scenario = :scenario AND r.unit LIKE '%/s' AND r.metric_class = 'performance' AND r.devices > 0 AND r.disagree = 0
     AND coalesce(r.division, 'closed') = 'closed' AND (:round IS NULL OR r.round = :round)
     AND ' ' || coalesce(r.flags, '') || ' ' NOT LIKE '% power %'),
best AS (
  SELECT *, row_number() OVER (PARTITION BY device ORDER BY each DESC, result_id) AS place FROM rate
   WHERE unit = (SELECT unit FROM rate GROUP BY unit ORDER BY count(*) DESC, unit LIMIT 1)),
quote AS (
  SELECT coalesce((SELECT n.canon FROM v_name n WHERE n.kind = 'device' AND n.spelling = trim(substr(value, 1, instr(value, '=') - 1))),
                  trim(substr(value, 1, instr(value, '=') - 1))) AS device,
         CAST(trim(substr(value, instr(value, '=') + 1)) AS REAL) AS per_device_hour
    FROM json_each('[' || replace(json_quote(coalesce(:price, '')), ',', '","') || ']') WHERE value <> ''),
offer AS (
  SELECT device, per_device_hour, provider, kind, valid_from, price_id FROM (
    SELECT *, row_number() OVER (PARTITION BY device ORDER BY per_device_hour, valid_from DESC, devices) AS place FROM v_price_used
     WHERE per = 'hour' AND currency = 'USD' AND (:provider IS NULL OR provider = :provider)
       AND (:price_kind IS NULL OR kind = :price_kind) AND (:price_date IS NULL OR valid_from <= :price_date)
       AND device NOT IN (SELECT device FROM quote)) WHERE place = 1
  UNION ALL SELECT device, per_device_hour, 'you', 'own quote', NULL, NULL FROM quote),
priced AS (
  SELECT b.*, o.per_device_hour AS price, o.provider, o.kind, o.valid_from, o.price_id
    FROM best b JOIN offer o ON o.device = b.device WHERE b.place = 1)
-- @rows
SELECT p.device, p.price AS usd_per_device_hour, p.each AS rate_per_device, p.unit, 3600 * p.each / p.price AS per_usd,
       NOT EXISTS (SELECT 1 FROM priced q WHERE (q.price < p.price AND q.each >= p.each) OR (q.price <= p.price AND q.each > p.each)) AS front,
       p.devices, p.provider, p.kind AS price_kind, p.valid_from AS price_date, p.source, p.public_id,
       p.result_id || coalesce(' ' || p.price_id, '') AS _facts
  FROM priced p ORDER BY p.price, p.each DESC;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, 'price: the lowest stored for each device, of ' || coalesce(min(valid_from), 'your own word') ||
         CASE WHEN max(valid_from) > min(valid_from) THEN ' to ' || max(valid_from) ELSE '' END || '; n = ' || count(*) || ' devices' AS line
    FROM priced HAVING count(*) > 0
  UNION ALL SELECT 2, count(*) || ' devices with results have no price: --price gives one'
    FROM best WHERE place = 1 AND device NOT IN (SELECT device FROM offer) HAVING count(*) > 0
  UNION ALL SELECT 3, '† derived by abdb (best result / devices); not an official or verified MLPerf® metric.'
    FROM best WHERE evidence = 'mlperf' GROUP BY 1)
 ORDER BY place;
