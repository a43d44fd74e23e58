-- explore.sql - what the page explore.html holds, as one JSON text: every result as `abdb rank` sees it (abdb_members), the offers,
-- the rules. The page orders, divides by a price that its reader types, and applies the rules; it computes nothing else.
WITH
offered AS MATERIALIZED ( -- of which kind of evidence and metric there are as many as a page takes
  SELECT * FROM (
    SELECT k.evidence, k.metric, 'evidence=' || k.evidence AS selection, k.rate,
           (SELECT count(*) FROM (SELECT 1 FROM v_result r WHERE r.evidence = k.evidence AND r.metric = k.metric LIMIT 20001)) AS n
      FROM (SELECT DISTINCT e.evidence, m.metric, m.better = 'higher' AND m.unit LIKE '%/s' AS rate
              FROM (SELECT 'mlperf' AS evidence UNION ALL SELECT 'published' UNION ALL SELECT 'measured') e
              JOIN metric m ON e.evidence <> 'measured' OR m.metric_class IN ('performance', 'bandwidth', 'time', 'ttft', 'tpot', 'itl', 'item_rate', 'power', 'energy')) k)
   WHERE n > 0),
fit AS MATERIALIZED (SELECT * FROM offered WHERE n <= 20000),
plain AS MATERIALIZED (SELECT f.evidence, f.metric, m.* FROM fit f, abdb_members(f.selection, 'none', f.metric) m),
device AS MATERIALIZED (SELECT m.result_id, m.value, m.unit, m.why FROM fit f, abdb_members(f.selection, 'device', f.metric) m WHERE f.rate),
powered AS MATERIALIZED (SELECT DISTINCT evidence FROM offered WHERE metric IN ('power_w', 'energy_j')),
watt AS MATERIALIZED (SELECT m.result_id, m.value, m.unit, m.why, m.facts FROM fit f, abdb_members(f.selection, 'watt', f.metric) m
                       WHERE f.rate AND f.evidence IN (SELECT evidence FROM powered)),
priced AS MATERIALIZED (SELECT p.result_id, p.formula, p.at_one, p.unit FROM plain b JOIN v_at_price p ON p.result_id = b.result_id
                         WHERE p.formula IN ('per_dollar@1', 'usd_per_million_tokens@1')),
-- one row a result, by grouping: a join of two tables that functions fill would look at all pairs
told AS (
  SELECT result_id, key, part, needs, factors, better, value, why, unit, NULL AS device, NULL AS device_why, NULL AS device_unit,
         NULL AS watt, NULL AS watt_why, NULL AS watt_unit, NULL AS watt_facts, NULL AS dollar, NULL AS dollar_unit, NULL AS million, NULL AS million_unit FROM plain
  UNION ALL SELECT result_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, value, why, unit, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM device
  UNION ALL SELECT result_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, value, why, unit, facts, NULL, NULL, NULL, NULL FROM watt
  UNION ALL SELECT result_id, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                   CASE formula WHEN 'per_dollar@1' THEN at_one END, CASE formula WHEN 'per_dollar@1' THEN unit END,
                   CASE formula WHEN 'usd_per_million_tokens@1' THEN at_one END, CASE formula WHEN 'usd_per_million_tokens@1' THEN unit END FROM priced),
one AS MATERIALIZED (
  SELECT result_id, max(key) AS key, max(part) AS part, max(needs) AS needs, max(factors) AS factors, max(better) AS better, max(value) AS value,
         max(why) AS why, max(device) AS device, max(device_why) AS device_why, max(watt) AS watt, max(watt_why) AS watt_why, max(watt_facts) AS watt_facts,
         max(dollar) AS dollar, max(million) AS million,
         json_array(max(unit), max(device_unit), max(watt_unit), max(dollar_unit), max(million_unit)) AS units
    FROM told GROUP BY result_id),
row AS MATERIALIZED (
  SELECT o.*, c.public_id, c.round_order,
         json_array(CASE WHEN c.url GLOB 'https://github.com/*/blob/*' THEN substr(c.url, 1, instr(c.url, '/blob/') - 1)
                    WHEN c.url GLOB 'https://github.com/*/tree/*' THEN substr(c.url, 1, instr(c.url, '/tree/') - 1) ELSE c.url END, c.retrieved, c.date,
                    -- as mlperf-footnotes tells it
                    CASE WHEN c.verified_by = 'mlcommons' THEN 3 WHEN c.verified_by IS NULL OR c.evidence <> 'mlperf' THEN 0
                         WHEN EXISTS (SELECT 1 FROM v_official_result f WHERE f.suite = c.suite AND f.round = c.round
                                         AND (c.system_type IS NULL OR f.system_type = c.system_type)) THEN 1 ELSE 2 END,
                    CASE c.verified_by WHEN 'file' THEN (SELECT replace(t.artifact, rtrim(t.artifact, replace(t.artifact, '/', '')), '')
                                                           FROM v_statement t WHERE t.result_id = c.result_id) END) AS place
    FROM one o CROSS JOIN v_comparable c ON c.result_id = o.result_id),
-- texts that many rows share stand once, and rows have their numbers
item AS MATERIALIZED (SELECT r.result_id, j.value AS text FROM row r, json_each(r.factors) j),
factor AS MATERIALIZED (SELECT text, row_number() OVER (ORDER BY n DESC, text) - 1 AS i FROM (SELECT text, count(*) AS n FROM item GROUP BY text)), -- the frequent ones have few digits
-- asked one by one: for a join with what a window function numbers SQLite 3.40 makes no index
own AS MATERIALIZED (SELECT x.result_id, json_group_array((SELECT f.i FROM factor f WHERE f.text = x.text)) AS factors FROM item x GROUP BY x.result_id),
part AS MATERIALIZED (SELECT part AS text, row_number() OVER (ORDER BY part) - 1 AS i FROM (SELECT DISTINCT part FROM row)),
why AS MATERIALIZED (
  SELECT text, row_number() OVER (ORDER BY text) - 1 AS i
    FROM (SELECT why AS text FROM row UNION SELECT device_why FROM row UNION SELECT watt_why FROM row UNION SELECT needs FROM row) WHERE text IS NOT NULL),
unit AS MATERIALIZED (SELECT units AS text, row_number() OVER (ORDER BY units) - 1 AS i FROM (SELECT DISTINCT units FROM row)),
place AS MATERIALIZED (SELECT place AS text, row_number() OVER (ORDER BY place) - 1 AS i FROM (SELECT DISTINCT place FROM row))
SELECT json_object(
  'columns', json_array('key', 'part', 'value', 'why', 'device', 'device_why', 'watt', 'watt_why', 'watt_facts', 'dollar', 'million', 'needs', 'units',
                        'better', 'public_id', 'place', 'factors'),
  'rows', (SELECT json_group_array(json(line)) FROM (
     SELECT json_array(r.key, p.i, r.value, y.i, r.device, yd.i, r.watt, yw.i, r.watt_facts, r.dollar, r.million, yn.i, u.i,
                       CASE r.better WHEN 'higher' THEN 1 WHEN 'lower' THEN -1 ELSE 0 END, r.public_id, l.i, json(o.factors)) AS line
       FROM row r JOIN own o ON o.result_id = r.result_id JOIN part p ON p.text = r.part JOIN unit u ON u.text = r.units JOIN place l ON l.text = r.place
       LEFT JOIN why y ON y.text = r.why LEFT JOIN why yd ON yd.text = r.device_why LEFT JOIN why yw ON yw.text = r.watt_why
       LEFT JOIN why yn ON yn.text = r.needs ORDER BY r.round_order, r.key)),
  'factors', (SELECT json_group_array(json(text)) FROM (SELECT text FROM factor ORDER BY i)),
  'parts', (SELECT json_group_array(text) FROM (SELECT text FROM part ORDER BY i)),
  'whys', (SELECT json_group_array(text) FROM (SELECT text FROM why ORDER BY i)),
  'units', (SELECT json_group_array(json(text)) FROM (SELECT text FROM unit ORDER BY i)),
  'places', (SELECT json_group_array(json(text)) FROM (SELECT text FROM place ORDER BY i)),
  'rounds', (SELECT json_group_array(round) FROM (SELECT round FROM v_round GROUP BY round ORDER BY max(round_order))),
  'offers', (SELECT json_group_array(json(line)) FROM (
     SELECT json_array(o.device, o.per_device_hour, o.provider, o.kind, o.valid_from, o.key,
                       (SELECT p.source FROM v_price p WHERE p.key = o.key), o.devices) AS line FROM abdb_offers(NULL, NULL, NULL, 'any') o)),
  'rules', (SELECT json_group_array(json_array(rule, effect, coalesce(scope_factor, ''), coalesce(scope_value, ''), coalesce(factor, ''), coalesce(test, ''),
                                               coalesce(a, ''), coalesce(b, ''), sentence, source, locator)) FROM v_rule WHERE effect <> 'formula'),
  'formulas', (SELECT json_group_object(formula, json_array(power, meaning)) FROM v_formula),
  'left', (SELECT json_group_array(evidence || ' ' || metric) FROM offered WHERE n > 20000)) AS data,
  (SELECT group_concat(key, ' ') FROM (SELECT key FROM row UNION SELECT key FROM abdb_offers(NULL, NULL, NULL, 'any')
                                       UNION SELECT watt_facts FROM row WHERE watt_facts IS NOT NULL)) AS keys;
