-- title: Training throughput per dollar
-- site: Price and cost
-- param: source | text | | only results of this source | SELECT source FROM v_source ORDER BY 1
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: statistic | text | mean | mean: averages over models; value: single ones; all
-- param: provider | text | | only prices of this provider | SELECT DISTINCT provider FROM v_price ORDER BY 1
-- param: price_kind | text | | on-demand, reserved, spot | SELECT DISTINCT kind FROM v_price ORDER BY 1
-- param: price_date | date | | prices as they were on this day (default: the latest)
-- param: price_max_age | days | | leave out prices older than so many days
-- param: price | price | | your own quotes, instead of what is stored: 'DEVICE=2.49 USD/h', several joined by a comma | SELECT spelling FROM v_name WHERE kind = 'device' AND parts = 1 ORDER BY 1
-- param: today | date | | the day to which a price's age is counted (default: today)
-- column: device | device | | canonical device
-- column: model | model | | what was trained
-- column: devices | devices | | devices of the system that was measured
-- column: dtype | dtype | | number format
-- column: tflop_per_s_per_device | TFLOP/s/device | 1 | as published, or total / devices
-- column: usd_per_device_hour | USD/h/device | 2 | as published per device, else amount / devices
-- column: exaflop_per_usd | ExaFLOP/$ | 4 | units_per_dollar@1 = 3600 x rate / price per hour
-- column: provider | provider | | who asks that price; you: --price
-- column: price_kind | kind | | on-demand, reserved, spot, own quote
-- column: price_date | price of | | date of the price
-- column: price_age_days | days old | 0 | age of the price
-- column: source | source | | who states the rate
-- column: rate_locator | rate from | | where
-- column: price_locator | price from | | where
-- hoist: source price_kind model dtype
-- @with
WITH stated AS ( -- two halves, so that an index leads to one source where it is named
  SELECT * FROM v_result WHERE source = :source AND evidence = 'published' AND metric = 'flops_per_s' AND scenario = 'training'
  UNION ALL
  SELECT * FROM v_result WHERE :source IS NULL AND evidence = 'published' AND metric = 'flops_per_s' AND scenario = 'training'),
rate AS (
  SELECT r.*, CASE WHEN f.text = 'device' THEN r.value ELSE r.value / r.devices END AS per_device
    FROM stated r
    LEFT JOIN v_factor_given f ON f.entry_id = r.entry_id AND f.ordinal = r.ordinal AND f.factor = 'per'
   WHERE (:statistic = 'all' OR r.statistic = :statistic)
     AND (:device IS NULL OR r.device = :device)),
quote AS ( -- the reader's own
  SELECT coalesce((SELECT n.canon FROM v_name n WHERE n.kind = 'device' AND n.spelling = trim(substr(value, 1, instr(value, '=') - 1))),
                  trim(substr(value, 1, instr(value, '=') - 1))) AS device,
         CAST(trim(substr(value, instr(value, '=') + 1)) AS REAL) AS per_device_hour, trim(value) AS words
    FROM json_each('[' || replace(json_quote(coalesce(:price, '')), ',', '","') || ']') WHERE value <> ''),
stored AS (
  SELECT *, julianday(coalesce(:today, date('now'))) - julianday(valid_from) AS age_days,
         row_number() OVER (PARTITION BY provider, instance, device, kind, region ORDER BY valid_from DESC, devices) AS place
    FROM v_price
   WHERE per = 'hour' AND currency = 'USD' AND (:provider IS NULL OR provider = :provider)
     AND (:price_kind IS NULL OR kind = :price_kind) AND (:price_date IS NULL OR valid_from <= :price_date)
     AND device NOT IN (SELECT device FROM quote)),
offer AS (
  SELECT device, per_device_hour, provider, kind, valid_from, age_days, locator, price_id
    FROM stored WHERE place = 1 AND (:price_max_age IS NULL OR age_days <= :price_max_age)
  UNION ALL
  SELECT device, per_device_hour, 'you', 'own quote', coalesce(:today, date('now')), 0, '--price ' || words, NULL FROM quote)
-- @rows
SELECT rate.device, rate.model, rate.devices, rate.dtype, rate.per_device / 1e12 AS tflop_per_s_per_device,
       offer.per_device_hour AS usd_per_device_hour,
       3600 * rate.per_device / offer.per_device_hour / 1e18 AS exaflop_per_usd,
       offer.provider, offer.kind AS price_kind, offer.valid_from AS price_date, offer.age_days AS price_age_days,
       rate.source, rate.locator AS rate_locator, offer.locator AS price_locator,
       rate.result_id || coalesce(' ' || offer.price_id, '') AS _facts
  FROM rate
  LEFT JOIN offer ON offer.device = rate.device
 ORDER BY exaflop_per_usd IS NULL, exaflop_per_usd DESC, rate.device, offer.provider;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, printf('! prices are up to %d days old: ask for a quote of today, and give it by --price', max(age_days)) AS line
    FROM offer JOIN rate USING (device) HAVING max(age_days) > 180
  UNION ALL
  SELECT 1, printf('%d prices older than %d days left out', count(*), :price_max_age)
    FROM stored JOIN (SELECT DISTINCT device FROM rate) USING (device)
   WHERE place = 1 AND age_days > :price_max_age HAVING count(*) > 0
  UNION ALL
  SELECT 1, '! your own quote, not stored: ' || words FROM quote
  UNION ALL
  SELECT 2, printf('! %s %s: %.2f per hour for %d is %.4f each, but %.2f is published per device (used)',
                   s.provider, s.instance, s.amount, s.devices, s.per_device_hour, d.amount)
    FROM stored s JOIN stored d ON d.source = s.source AND d.provider = s.provider AND d.device = s.device
     AND d.instance = s.instance AND d.kind = s.kind AND d.devices = 1 AND s.devices > 1 AND d.place = 1
   WHERE abs(s.per_device_hour - d.amount) > 1e-9 AND s.device IN (SELECT device FROM rate)
  UNION ALL
  SELECT 3, 'derived by abdb from published figures: rate and price as their sources state them.')
 ORDER BY place, line;
