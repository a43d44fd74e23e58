-- title: Throughput against price per device: {model} {scenario}
-- question: the best rate of each device against its lowest price, and the Pareto front
-- group: What does it cost?
-- site: Price and cost
-- explore: view=points&across=price
-- param: model | text | llama2-70b-99 | what was run | SELECT model, used FROM model_named ORDER BY 2 DESC, 1
-- param: scenario | text | Server | Offline, Server, Interactive, training, ... | SELECT DISTINCT scenario, 1 FROM description WHERE scenario <> '' UNION ALL SELECT column1, 0 FROM (VALUES ('Offline'), ('Server'), ('Interactive'), ('SingleStream'), ('MultiStream'), ('training'), ('serving')) ORDER BY 2 DESC, 1
-- param: round | text | | one round of MLPerf (default: the best of all) | SELECT round FROM round_told ORDER BY 1
-- param: provider | text | | only prices of this provider | SELECT DISTINCT provider FROM v_price ORDER BY 1
-- param: tier | text | | only prices of providers of this kind; any: of all (default: the kind that offers most of the devices) | SELECT DISTINCT kind FROM v_provider UNION SELECT 'any' ORDER BY 1
-- param: price_kind | text | on-demand | on-demand, reserved, spot, list; any: of all kinds | SELECT DISTINCT kind FROM v_price UNION SELECT 'any' UNION SELECT 'on-demand' ORDER BY 1
-- param: price_date | date | | prices as they were on this day (default: the latest)
-- param: price_max_age | days | | leave out prices older than so many days, and undated ones
-- param: price | price | | your own quotes: 'DEVICE=2.49 USD/h', several joined by a comma | SELECT spelling FROM v_name WHERE kind = 'device' AND parts = 1 ORDER BY 1
-- param: today | date | | the day to which a price's age is counted (default: today)
-- param: marks | text | | any: with the results that marks leave out (abdb query "SELECT * FROM v_mark") | SELECT 'any'
-- column: device | device | cut24 | canonical device
-- column: usd_per_device_hour | USD/h/device | 2 | the lowest that counts, or your quote
-- column: rate_per_device | rate/device† | g5 | of the best result | per_device@1
-- column: unit | unit | | of the rate
-- column: per_usd | rate per USD | g5 | units for a dollar | per_dollar@1
-- column: front | front | | 1: no other device is both cheaper and faster
-- column: devices | chips | | of the system that was measured
-- column: provider | provider | | you: --price
-- column: price_kind | kind | |
-- column: price_date | price of | |
-- column: price_age_days | days old | 0 | of the price; from its first day where that is a range
-- column: source | source | | who states the rate
-- column: public_id | ID | | of the result
-- column: tier | tier | | kind of the providers whose prices count; empty: of all, or not known
-- column: warnings | warnings | | for programs: what the lines that begin with ! say
-- hoist: unit tier
-- bare: warnings
-- @table judged
  SELECT r.device, r.unit, r.devices, r.nodes, r.source, r.public_id, r.result_id, r.key, r.evidence, r.each,
         CASE WHEN :marks = 'any' OR r.marks = '' THEN NULL ELSE (SELECT min(x.mark) FROM v_mark_out x WHERE ' ' || r.marks || ' ' LIKE x.pattern) END AS out_by
    FROM (SELECT DISTINCT spelling FROM v_name WHERE kind = 'model' AND canon = :model) n
    JOIN v_rate r ON r.raw_model = n.spelling
   WHERE r.scenario = :scenario AND r.metric_class = 'performance' AND r.devices > 0 AND r.disagree = 0
     AND coalesce(r.division, 'closed') = 'closed' AND (:round IS NULL OR r.round = :round)
     AND ' ' || coalesce(r.flags, '') || ' ' NOT LIKE '% power %'
-- @table rate
-- of another kind of evidence only what MLPerf has nothing of: the two are not compared
WITH stated AS (SELECT * FROM judged WHERE out_by IS NULL)
SELECT *, evidence = 'mlperf' OR NOT EXISTS (SELECT 1 FROM stated m WHERE m.evidence = 'mlperf') AS counts FROM stated
-- @table offered
SELECT * FROM abdb_offers(:price, :price_date, :provider, :price_kind, :today)
 WHERE :price_max_age IS NULL OR age_days <= :price_max_age
-- @table lead
-- one tier, in which most devices are offered, of several the one with the lowest price
SELECT coalesce(:tier, CASE WHEN :provider IS NULL THEN (SELECT coalesce(provider_kind, '') FROM offered
         WHERE kind <> 'own quote' AND device IN (SELECT device FROM rate WHERE counts)
         GROUP BY coalesce(provider_kind, '') ORDER BY count(DISTINCT device) DESC, min(per_device_hour), 1 LIMIT 1) END, 'any') AS tier
-- @table offer
SELECT o.* FROM lead l CROSS JOIN offered o WHERE l.tier = 'any' OR coalesce(o.provider_kind, '') = l.tier COLLATE NOCASE OR o.kind = 'own quote'
-- @offers rate WHERE counts
-- @table best
-- of the results that fit into an offer, where one does
SELECT r.*, row_number() OVER (PARTITION BY r.device ORDER BY u.device IS NULL, r.each DESC, r.key) AS place
  FROM rate r
  LEFT JOIN (SELECT DISTINCT device, size, nodes FROM used) u ON u.device = r.device AND u.size IS r.devices AND u.nodes IS r.nodes
 WHERE r.counts AND r.unit = (SELECT unit FROM rate WHERE counts GROUP BY unit ORDER BY count(*) DESC, unit LIMIT 1)
-- @table small
SELECT m.* FROM met m JOIN (SELECT DISTINCT device, devices, nodes FROM best WHERE place = 1) b ON m.device = b.device AND m.size IS b.devices AND m.nodes IS b.nodes
 WHERE m.small
-- @table priced
SELECT b.*, o.per_device_hour AS price, a.at_one / o.per_device_hour AS per_usd, o.provider, o.kind, o.valid_from, o.age_days,
       o.provider_kind, o.key AS price_key
  FROM best b
  JOIN used o ON o.device = b.device AND o.size IS b.devices AND o.nodes IS b.nodes
  JOIN v_at_price a ON a.result_id = b.result_id AND a.formula = 'per_dollar@1'
 WHERE b.place = 1
-- @rows
SELECT p.device, p.price AS usd_per_device_hour, p.each AS rate_per_device, p.unit, p.per_usd,
       NOT EXISTS (SELECT 1 FROM priced q WHERE (q.price < p.price AND q.each >= p.each) OR (q.price <= p.price AND q.each > p.each)) AS front,
       p.devices, p.provider, p.kind AS price_kind, p.valid_from AS price_date, p.age_days AS price_age_days, p.source, p.public_id,
       nullif(nullif((SELECT tier FROM lead), ''), 'any') AS tier, replace(p.unit, '/s', 's') AS _units,
       CASE (SELECT tier FROM lead) WHEN 'any' THEN 'at the lowest price of any provider' WHEN '' THEN 'at the lowest price' ELSE 'at ' || (SELECT tier FROM lead) || ' prices' END
       || CASE WHEN EXISTS (SELECT 1 FROM priced WHERE length(valid_from) = 21) THEN ', some of unknown age' ELSE coalesce(printf(', up to %d days old', (SELECT max(age_days) FROM priced)), '') END AS _prices,
       p.key || coalesce(' ' || p.price_key, '') AS _facts, NULL AS warnings
  FROM priced p ORDER BY p.price, p.each DESC;
-- @notes
-- @prices priced small
SELECT line FROM (
  SELECT 0 AS place, 'price: the lowest ' || CASE WHEN :price_kind = 'any' THEN '' ELSE coalesce(:price_kind, 'on-demand') || ' ' END || 'one of each device' ||
         coalesce(', of ' || min(dated) || CASE WHEN max(dated) > min(dated) THEN ' to ' || max(dated) ELSE '' END ||
                  printf(CASE WHEN min(age_days) < max(age_days) THEN ', %d to %d days old' ELSE ', %d days old' END, min(CASE WHEN dated IS NOT NULL THEN age_days END), max(CASE WHEN dated IS NOT NULL THEN age_days END)), '') ||
         CASE count(valid_from) - count(dated) WHEN 0 THEN '' ELSE printf(', %d of unknown age', count(valid_from) - count(dated)) END || '; n = ' || count(*) || CASE count(*) WHEN 1 THEN ' device' ELSE ' devices' END AS line
    FROM (SELECT *, CASE WHEN length(valid_from) <> 21 THEN valid_from END AS dated FROM priced) HAVING count(*) > 0
  UNION ALL
  SELECT 1, line FROM prices_said
  UNION ALL SELECT 2, count(*) || CASE count(*) WHEN 1 THEN ' device with results has' ELSE ' devices with results have' END || ' no price: --price gives one'
    FROM best WHERE place = 1 AND device NOT IN (SELECT device FROM offered) HAVING count(*) > 0
  UNION ALL SELECT 2, 'offered only by providers of another kind: ' || group_concat(device, ', ') || ': --tier any takes their prices too'
    FROM (SELECT device FROM best WHERE place = 1 AND device IN (SELECT device FROM offered) AND device NOT IN (SELECT device FROM offer) ORDER BY 1) HAVING count(*) > 0
  UNION ALL SELECT 3, '† derived by abdb (best result / devices); not an official or verified MLPerf® metric.'
    FROM best WHERE evidence = 'mlperf' GROUP BY 1
  UNION ALL SELECT 3, '† derived by abdb: best result / devices' WHERE EXISTS (SELECT 1 FROM best) AND NOT EXISTS (SELECT 1 FROM best WHERE evidence = 'mlperf')
  UNION ALL SELECT 4, count(*) || CASE count(*) WHEN 1 THEN ' result' ELSE ' results' END || ' of other evidence left out: not compared with MLPerf® results'
    FROM rate WHERE NOT counts HAVING count(*) > 0
  UNION ALL SELECT 5, printf('%d row%s left out: %s (%s); --marks any shows %s', count(*), CASE count(*) WHEN 1 THEN '' ELSE 's' END, m.mark, m.sentence,
                   CASE count(*) WHEN 1 THEN 'it' ELSE 'them' END) FROM judged s JOIN v_mark m ON m.mark = s.out_by GROUP BY m.mark, m.sentence)
 ORDER BY place;
