-- title: Training throughput per dollar
-- question: training throughput per dollar, with the age of the prices and where sources contradict themselves
-- group: What does it cost?
-- first: yes
-- site: Price and cost
-- explore: per=dollar
-- param: source | text | | only results of this source | SELECT source FROM v_source ORDER BY 1
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: statistic | text | mean | mean: averages over models; value: single ones; all
-- param: provider | text | | only prices of this provider | SELECT DISTINCT provider FROM v_price ORDER BY 1
-- param: price_kind | text | on-demand | on-demand, reserved, spot, list; any: of all kinds | SELECT DISTINCT kind FROM v_price UNION SELECT 'any' UNION SELECT 'on-demand' ORDER BY 1
-- param: price_date | date | | prices as they were on this day (default: the latest)
-- param: price_max_age | days | | leave out prices older than so many days, and undated ones
-- param: price | price | | your own quotes, instead of what is stored: 'DEVICE=2.49 USD/h', several joined by a comma | SELECT spelling FROM v_name WHERE kind = 'device' AND parts = 1 ORDER BY 1
-- param: today | date | | the day to which a price's age is counted (default: today)
-- param: marks | text | | any: with the results that marks leave out (abdb query "SELECT * FROM v_mark") | SELECT 'any'
-- column: device | device | | canonical device
-- column: model | model | | what was trained
-- column: devices | devices | | devices of the system that was measured
-- column: dtype | dtype | | number format
-- column: tflop_per_s_per_device | TFLOP/s/device | 1 | of one device | per_device@1 x 1e-12
-- column: usd_per_device_hour | USD/h/device | 2 | as published per device, else of the system, shared
-- column: exaflop_per_usd | ExaFLOP/$ | 4 | operations for a dollar | per_dollar@1 x 1e-18
-- column: provider | provider | | who asks that price; you: --price
-- column: price_kind | kind | | on-demand, reserved, spot, own quote
-- column: price_date | price of | | date of the price
-- column: price_age_days | days old | 0 | age of the price
-- column: source | source | | who states the rate
-- column: rate_locator | rate from | | where
-- column: price_locator | price from | | where
-- column: warnings | warnings | | for programs: what the lines that begin with ! say
-- hoist: source price_kind model dtype
-- bare: warnings
-- @table judged
WITH stated AS ( -- two halves, so that an index leads to one source where it is named
  SELECT * FROM v_rate WHERE source = :source AND evidence = 'published' AND metric = 'flops_per_s' AND scenario = 'training'
  UNION ALL
  SELECT * FROM v_rate WHERE :source IS NULL AND evidence = 'published' AND metric = 'flops_per_s' AND scenario = 'training')
SELECT r.device, r.model, r.devices, r.nodes, r.dtype, r.each, r.source, r.locator, r.key,
       (SELECT a.at_one FROM v_at_price a WHERE a.result_id = r.result_id AND a.formula = 'per_dollar@1') AS at_one,
       CASE WHEN :marks = 'any' OR r.marks = '' THEN NULL ELSE (SELECT min(x.mark) FROM v_mark_out x WHERE ' ' || r.marks || ' ' LIKE x.pattern) END AS out_by
  FROM stated r
 WHERE (:statistic = 'all' OR r.statistic = :statistic) AND (:device IS NULL OR r.device = :device)
-- @table rate
SELECT * FROM judged WHERE out_by IS NULL
-- @table offered
SELECT * FROM abdb_offers(:price, :price_date, :provider, :price_kind, :today)
-- @table offer
SELECT * FROM offered WHERE :price_max_age IS NULL OR age_days <= :price_max_age
-- @offers rate
-- @table small
SELECT * FROM met WHERE small
-- @rows
SELECT r.device, r.model, r.devices, r.dtype, r.each / 1e12 AS tflop_per_s_per_device, o.per_device_hour AS usd_per_device_hour,
       r.at_one / o.per_device_hour / 1e18 AS exaflop_per_usd, o.provider, o.kind AS price_kind,
       CASE o.kind WHEN 'own quote' THEN coalesce(:today, date('now')) ELSE o.valid_from END AS price_date, o.age_days AS price_age_days,
       r.source, r.locator AS rate_locator, o.locator AS price_locator, r.key || coalesce(' ' || o.key, '') AS _facts, NULL AS warnings
  FROM rate r
  LEFT JOIN used o ON o.device = r.device AND o.size IS r.devices AND o.nodes IS r.nodes
 ORDER BY exaflop_per_usd IS NULL, exaflop_per_usd DESC, r.device, o.provider;
-- @notes
-- @prices used small
SELECT line FROM (
  SELECT 1 AS place, line FROM prices_said
  UNION ALL
  SELECT 1, printf('%d price%s older than %d days left out%s', count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END, :price_max_age,
                   CASE WHEN count(age_days) < count(*) THEN printf(', %d of them undated', count(*) - count(age_days)) ELSE '' END)
    FROM offered WHERE device IN (SELECT device FROM rate) AND :price_max_age IS NOT NULL AND coalesce(age_days > :price_max_age, 1) HAVING count(*) > 0
  UNION ALL
  SELECT 1, '! your own quote, not stored: ' || substr(locator, 9) FROM offered WHERE kind = 'own quote'
  UNION ALL
  SELECT 2, printf('! %s %s: %.2f per hour for %d is %.4f each, but %.2f is published per device (used)',
                   s.provider, s.instance, s.amount, s.devices, s.per_device_hour, d.per_device_hour)
    FROM (SELECT DISTINCT key FROM used) o
    JOIN v_price d ON d.key = o.key AND d.devices = 1
    JOIN v_price s ON s.source = d.source AND s.provider = d.provider AND s.device = d.device AND s.instance = d.instance
     AND s.kind = d.kind AND s.valid_from = d.valid_from AND s.devices > 1
   WHERE abs(s.per_device_hour - d.per_device_hour) > s.half + d.half -- beyond the rounding of both
  UNION ALL
  SELECT 2, printf('%d row%s left out: %s (%s); --marks any shows %s', count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END, m.mark, m.sentence,
                   CASE count(*) WHEN 1 THEN 'it' ELSE 'them' END) FROM judged s JOIN v_mark m ON m.mark = s.out_by GROUP BY m.mark, m.sentence
  UNION ALL
  SELECT 3, '† derived by abdb from published figures: rate and price as their sources state them.')
 ORDER BY place, line;
