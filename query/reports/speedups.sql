-- title: Speed and energy efficiency against a base, as stated {source}
-- question: speed and energy efficiency against a base, as a source states them
-- group: Which accelerator is faster?
-- site: Training
-- param: source | text | | who states them | SELECT source FROM v_source ORDER BY 1
-- column: what | workload | cut40 | model or workload, and how many devices
-- column: device | device | cut24 | canonical device
-- column: base | base | cut24 | what it is compared with
-- column: quantity | quantity | | performance or energy efficiency
-- column: ratio | ratio | 2 | of the base: above 1 is better
-- column: statistic | of | | mean, max, value
-- column: stated | stated | | as printed
-- column: locator | where | cut40 |
-- hoist: device base source
-- @table said
SELECT r.*, (SELECT f.text FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'base') AS base
  FROM v_result r WHERE r.source IN (SELECT source FROM v_source WHERE :source IS NULL OR source = :source) AND r.evidence = 'published'
   AND (r.metric IN ('slowdown', 'efficiency_ratio', 'efficiency_gain', 'energy_increase') OR (r.metric = 'speedup' AND r.raw_unit = 'x'))
-- @rows
SELECT coalesce(model, workload) || CASE WHEN devices > 1 THEN ' on ' || devices ELSE '' END AS what, device, base,
       CASE WHEN metric IN ('speedup', 'slowdown') THEN 'performance' ELSE 'energy efficiency' END AS quantity,
       CASE metric WHEN 'slowdown' THEN 1 - value WHEN 'efficiency_gain' THEN 1 + value WHEN 'energy_increase' THEN 1 / (1 + value) ELSE value END AS ratio,
       statistic, raw_value || ' ' || raw_unit AS stated, locator, key AS _facts
  FROM said WHERE base IS NOT NULL AND workload IN ('dlrm', 'serving')
 ORDER BY workload, what, statistic, quantity DESC;
-- @notes
SELECT 'stated by the source, without samples: a slowdown of 22 % is drawn as 0.78, 8 % more energy as 1/1.08' FROM (SELECT 1 FROM said LIMIT 1) s;
