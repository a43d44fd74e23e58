-- title: Collectives by message size and ranks {operation} {device}
-- question: collectives by message size and ranks: algorithm and bus bandwidth
-- group: Which accelerator is faster?
-- site: Collectives and memory
-- param: operation | text | | all_reduce, all_gather, ...
-- param: device | text | | only this device | SELECT canon FROM v_name WHERE kind = 'device' ORDER BY 1
-- param: source | text | | only results of this source | SELECT DISTINCT source FROM v_source ORDER BY 1
-- param: tag | text | | only measurements of this name
-- param: place | text | out-of-place | out-of-place, in-place or all
-- column: operation | operation | | collective
-- column: device | device | cut24 | canonical device
-- column: ranks | ranks | | devices that took part
-- column: nodes | nodes | |
-- column: place | place | | in or out of place
-- column: file | file | cut40 | that says it, or the name of the measurement: files of unknown ranks are never pooled
-- column: message_bytes | bytes | | size of the message
-- column: algbw_gb_per_s | algbw GB/s | g4 | size / time, median of the runs
-- column: busbw_gb_per_s | busbw GB/s | g4 | what a wire carries, median of the runs | busbw@1 or stated x 1e-9
-- column: low_gb_per_s | busbw low | g4 | least of the runs
-- column: high_gb_per_s | busbw high | g4 | most of the runs
-- column: n | n | | runs
-- column: wrong | wrong | | elements that were wrong: such a run is quarantined
-- screen: operation device ranks message_bytes algbw_gb_per_s busbw_gb_per_s low_gb_per_s high_gb_per_s wrong
-- hoist: operation device place file
-- @table one
SELECT r.workload AS operation, r.device, r.devices, r.nodes, r.source, r.tag, r.artifact, r.campaign, r.result_id, r.key, r.value AS algbw,
       CASE WHEN r.source = 'abdb-run' THEN -- what a launch of ours can differ in
            CASE WHEN r.dtype <> 'f32' THEN ' ' || r.dtype ELSE '' END ||
            coalesce((SELECT group_concat(' ' || CASE f.factor WHEN 'apart' THEN 'together' ELSE f.text END, '') FROM v_run_factor f
                       WHERE f.entry_id = r.entry_id AND f.factor IN ('pattern', 'redop', 'apart') AND f.text NOT IN ('sum', 'yes')), '') ELSE '' END AS way,
       (SELECT b.result_id FROM v_stored b WHERE b.entry_id = r.entry_id AND b.metric = 'busbw_bytes_per_s' AND b.statistic = r.statistic
         ORDER BY b.ordinal LIMIT 1) AS stated_id,
       (SELECT f.num FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'message_bytes') AS size,
       (SELECT f.text FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'message_size') AS printed,
       (SELECT f.text FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'place') AS place,
       coalesce((SELECT f.num FROM v_run_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'wrong'), 0) AS wrong
  FROM v_result r
 WHERE r.metric = 'bytes_per_s' AND r.statistic IN ('mean', 'value', 'median') AND r.evidence <> 'mlperf'
   AND r.source IN (SELECT source FROM v_source WHERE :source IS NULL AND source IN ('nccl-tests', 'osu-micro-benchmarks', 'ml-engineering', 'abdb-run') OR source = :source)
   AND (r.source <> 'abdb-run' OR r.devices > 1 AND r.medium = 'wire')
   AND (:operation IS NULL OR r.workload = :operation) AND (:tag IS NULL OR r.tag = :tag)
   AND (:device IS NULL OR r.raw_device IN (SELECT spelling FROM v_name WHERE kind = 'device' AND canon = :device))
-- @table placed
WITH sized AS (
  SELECT o.*, coalesce(o.size, CAST(o.printed AS REAL) * CASE WHEN o.printed LIKE '%KiB' THEN 1024 WHEN o.printed LIKE '%MiB' THEN 1048576
                                                              WHEN o.printed LIKE '%GiB' THEN 1073741824 ELSE 1 END) AS bytes,
         coalesce((SELECT s.value FROM v_stored s WHERE s.result_id = o.stated_id),
                  (SELECT n.value FROM v_normalised n WHERE n.result_id = o.result_id AND n.formula = 'busbw@1')) AS bus,
         CASE WHEN o.stated_id IS NULL THEN o.key ELSE (SELECT s.key FROM v_result s WHERE s.result_id = o.stated_id) END AS bus_key
    FROM one o
   WHERE :place = 'all' OR o.place IS NULL OR o.place = :place),
apart AS ( -- runs of one file, or that the user named alike (tag) and whose ranks are known: other files may differ in what none says
  SELECT *, coalesce(CASE WHEN tag IS NULL OR devices IS NULL THEN artifact ELSE tag END, tag, campaign) || way AS together FROM sized WHERE bytes > 0)
SELECT *, row_number() OVER (PARTITION BY operation, device, devices, nodes, place, source, together, bytes ORDER BY algbw) AS nth,
       count(*) OVER (PARTITION BY operation, device, devices, nodes, place, source, together, bytes) AS n,
       replace(replace(together, rtrim(together, replace(together, '/', '')), ''), '.txt', '') AS file FROM apart
-- @rows
WITH several AS (SELECT operation, device, devices FROM placed GROUP BY 1, 2, 3 HAVING count(DISTINCT together) > 1),
known AS (SELECT count(DISTINCT operation) AS operations, count(DISTINCT coalesce(device, '')) AS devices, count(DISTINCT source) AS sources FROM placed)
SELECT p.operation, p.device, p.devices AS ranks, p.nodes, p.place, p.file, CAST(p.bytes AS INTEGER) AS message_bytes,
       avg(CASE WHEN nth IN ((n + 1) / 2, (n + 2) / 2) THEN algbw END) / 1e9 AS algbw_gb_per_s,
       avg(CASE WHEN nth IN ((n + 1) / 2, (n + 2) / 2) THEN bus END) / 1e9 AS busbw_gb_per_s,
       CASE WHEN max(n) > 1 THEN min(bus) / 1e9 END AS low_gb_per_s, CASE WHEN max(n) > 1 THEN max(bus) / 1e9 END AS high_gb_per_s,
       max(n) AS n, sum(wrong) AS wrong,
       trim(CASE WHEN p.devices IS NULL THEN '' ELSE p.devices || ' ranks ' END || CASE WHEN k.operations > 1 OR p.devices IS NULL THEN p.operation || ' ' ELSE '' END ||
            CASE WHEN k.devices > 1 THEN coalesce(p.device, '') || ' ' ELSE '' END || CASE WHEN k.sources > 1 THEN p.source || ' ' ELSE '' END ||
            CASE WHEN EXISTS (SELECT 1 FROM several s WHERE s.operation = p.operation AND s.device IS p.device AND s.devices IS p.devices)
                 THEN p.file ELSE '' END) AS _label,
       group_concat(p.key, ' ') AS _facts, group_concat(CASE WHEN p.bus IS NOT NULL THEN p.bus_key END, ' ') AS _facts_busbw_gb_per_s
  FROM placed p CROSS JOIN known k
 GROUP BY p.operation, p.device, p.devices, p.nodes, p.place, p.source, p.together, p.bytes
 ORDER BY p.operation, p.device, p.devices, p.source, p.together, p.place, p.bytes;
-- @notes
SELECT line FROM (
  SELECT 1 AS place, 'n = ' || count(*) || CASE count(*) WHEN 1 THEN ' value' ELSE ' values' END || ' of ' || count(DISTINCT source) || CASE count(DISTINCT source) WHEN 1 THEN ' source' ELSE ' sources' END || '; a line is of one file or name: the median of its runs of a size, the bar their range' AS line
    FROM placed HAVING count(*) > 0
  UNION ALL SELECT 2, count(*) || CASE count(*) WHEN 1 THEN ' value' ELSE ' values' END || ' came with wrong elements: quarantined, drawn as crosses' FROM placed WHERE wrong > 0 HAVING count(*) > 0)
 ORDER BY place;
