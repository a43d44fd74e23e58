-- price-performance.sql - what a million tokens cost: for each benchmark, scenario and device the best closed MLPerf result of
-- one device, by the lowest on-demand price that counts today. Derived; not an official or verified MLPerf metric.
SELECT b.model, b.scenario, b.device, b.round, b.each AS tokens_per_s, p.per_device_hour AS usd_per_hour,
       p.per_device_hour / b.each * 1000000 / 3600 AS usd_per_million_tokens, b.key
  FROM (SELECT m.model AS model, m.scenario AS scenario, m.device AS device, m.round AS round, m.value_per_device AS each, m.key AS key,
               row_number() OVER (PARTITION BY m.model, m.scenario, m.device ORDER BY m.value_per_device DESC, m.key) AS place
          FROM v_mlperf m
         WHERE m.metric = 'tokens_per_s' AND m.division = 'closed' AND m.left_out = '' AND m.value_per_device > 0) b
  JOIN (SELECT o.device AS device, min(o.per_device_hour) AS per_device_hour
          FROM v_price_offer o
         WHERE o.kind = 'on-demand' AND o.valid_to IS NULL
         GROUP BY o.device) p ON p.device = b.device
 WHERE b.place = 1
 ORDER BY b.model NULLS FIRST, b.scenario NULLS FIRST, usd_per_million_tokens, b.device;
