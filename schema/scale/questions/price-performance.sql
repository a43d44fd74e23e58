-- price-performance.sql - what a million tokens cost: for each benchmark, scenario and device the best closed MLPerf result of
-- one device, by the lowest on-demand price that counts today of those that hold a node of its system (schema/core/offer_capacity.h).
-- Derived; not an official or verified MLPerf metric.
SELECT b.model, b.scenario, b.device, b.round, b.each AS tokens_per_s, min(p.per_device_hour) AS usd_per_hour,
       min(p.per_device_hour) / b.each * 1000000 / 3600 AS usd_per_million_tokens, b.key
  FROM (SELECT m.model AS model, m.scenario AS scenario, m.device AS device, m.round AS round, m.value_per_device AS each, m.key AS key,
               m.devices AS devices, m.nodes AS nodes,
               row_number() OVER (PARTITION BY m.model, m.scenario, m.device ORDER BY m.value_per_device DESC, m.key) AS place
          FROM v_mlperf m
         WHERE m.metric = 'tokens_per_s' AND m.division = 'closed' AND m.left_out = '' AND m.value_per_device > 0) b
  JOIN v_price_offer p ON p.device = b.device AND p.kind = 'on-demand' AND p.valid_to IS NULL
   AND (p.devices <= 1 OR p.devices >= CASE WHEN b.nodes >= 1 THEN 1.0 * b.devices / b.nodes WHEN b.devices % p.devices = 0 THEN p.devices
                                            ELSE b.devices END)
 WHERE b.place = 1
 GROUP BY b.model, b.scenario, b.device, b.round, b.each, b.key
 ORDER BY b.model NULLS FIRST, b.scenario NULLS FIRST, usd_per_million_tokens, b.device;
