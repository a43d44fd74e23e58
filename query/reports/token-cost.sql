-- title: Cost of a million output tokens {model} {scenario}
-- site: Price and cost
-- param: model | text | | what was run | SELECT canon FROM v_name WHERE kind = 'model' ORDER BY 1
-- param: scenario | text | | Offline, Server, Interactive, ...
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: provider | text | | only prices of this provider | SELECT DISTINCT provider FROM v_price ORDER BY 1
-- param: price_kind | text | | on-demand, reserved, spot | SELECT DISTINCT kind FROM v_price ORDER BY 1
-- param: price_date | date | | prices as they were on this day (default: the latest)
-- param: limit | number | 30 | rows at most
-- column: model | model | | what was run
-- column: scenario | scenario | |
-- column: device | device | cut24 | canonical device
-- column: devices | chips | | devices that took part
-- column: tokens_per_s | tokens/s | 1 | in total
-- column: usd_per_device_hour | USD/h/device | 2 | as stored
-- column: usd_per_million_tokens | USD/Mtoken | 4 | usd_per_million_tokens@1 = price per hour x 10^6 / (3600 x tokens/s)
-- column: provider | provider | |
-- column: price_kind | kind | |
-- column: price_date | price of | |
-- column: source | source | | who states the rate
-- hoist: model scenario
-- @rows
WITH one AS (
  SELECT r.model, r.scenario, r.device, r.devices, r.value AS tokens_per_s, p.per_device_hour,
         p.per_device_hour * 1e6 / (3600 * r.value / r.devices) AS usd_per_million_tokens, p.provider, p.kind, p.valid_from,
         r.source, r.result_id, p.price_id,
         row_number() OVER (PARTITION BY r.model, r.scenario, r.device, p.provider, p.kind
                            ORDER BY r.value / r.devices DESC, p.valid_from DESC, p.devices) AS place
    FROM v_price_used p
    JOIN v_name n ON n.kind = 'device' AND n.canon = p.device AND n.parts = 1
    JOIN v_result r ON r.raw_device = n.spelling
   WHERE r.metric = 'tokens_per_s' AND r.devices > 0 AND r.disagree = 0 AND r.scenario <> 'training'
     AND p.per = 'hour' AND p.currency = 'USD'
     AND (:model IS NULL OR r.raw_model IN (SELECT spelling FROM v_name WHERE kind = 'model' AND canon = :model))
     AND (:scenario IS NULL OR r.scenario = :scenario) AND (:device IS NULL OR p.device = :device)
     AND (:provider IS NULL OR p.provider = :provider) AND (:price_kind IS NULL OR p.kind = :price_kind)
     AND (:price_date IS NULL OR p.valid_from <= :price_date))
SELECT model, scenario, device, devices, tokens_per_s, per_device_hour AS usd_per_device_hour, usd_per_million_tokens,
       provider, kind AS price_kind, valid_from AS price_date, source, result_id || ' ' || price_id AS _facts
  FROM one WHERE place = 1 ORDER BY model, scenario, usd_per_million_tokens LIMIT :limit;
-- @notes
SELECT 'derived by abdb: the best rate of each device and the latest price of each provider; output tokens only; not an official or verified MLPerf® metric.';
