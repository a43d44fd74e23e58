-- texts in order, as bytes: large letters before small ones
SELECT device, count(*) AS n FROM v_result WHERE device IS NOT NULL GROUP BY device ORDER BY device
-- spellings in order, backwards
SELECT DISTINCT raw_device FROM v_result WHERE raw_device IS NOT NULL ORDER BY raw_device DESC
-- LIKE with both wildcards
SELECT DISTINCT system FROM v_result WHERE lower(system) LIKE '%h_00%' ORDER BY system
-- LIKE of a prefix
SELECT key, device FROM v_spec WHERE device LIKE 'H100%' ORDER BY key
-- rounds in order, as numbers
SELECT round, count(*) AS n, max(value) AS most FROM v_mlperf WHERE round IS NOT NULL GROUP BY round, round_order ORDER BY round_order, round
-- the best of each device, by value then key
SELECT device, value, key FROM v_rate WHERE metric = 'tokens_per_s' AND device IS NOT NULL ORDER BY value DESC, key
