-- title: Sources that give different values for the same thing {device}
-- question: where sources give different values for the same quantity, beyond rounding, and which one is used
-- group: May it be believed, and compared?
-- site: Evidence
-- param: device | text | | one device; several by * |
-- param: kind | text | | spec, price, product, mlperf, devices or id |
-- column: kind | kind | | spec, price, product (measured matrix products: both stand), mlperf (values), devices (counts), id (public IDs)
-- column: what | what | cut60 | the quantity
-- column: preferred | preferred | g5 | the value that stands
-- column: preferred_source | says | | its source
-- column: other | other | g5 | the value that does not
-- column: other_source | says | | its source
-- column: unit | unit | | base unit
-- column: ratio | other / preferred | g4 |
-- column: why | why preferred | cut60 |
-- note: differences within the rounding of the printed digits are no conflict
-- @table stated
-- specifications, and half a unit of the last place that was printed
SELECT s.*, coalesce(d.half, CASE WHEN s.raw_value LIKE '%.%' THEN 0 ELSE 0.5 END) * s.value / CAST(replace(s.raw_value, ',', '') AS REAL) AS half
  FROM v_spec s LEFT JOIN v_decimals d ON s.raw_value LIKE d.pattern
 WHERE s.value > 0
-- @table product
-- published matrix products: the best of each source for each shape, and of all shapes
SELECT p.*, row_number() OVER (PARTITION BY p.source, p.device, p.dtype, p.shape ORDER BY p.value DESC, p.key) AS nth_of_shape,
       row_number() OVER (PARTITION BY p.source, p.device, p.dtype ORDER BY p.value DESC, p.key) AS nth
  FROM (SELECT r.source, r.device, r.dtype, r.unit, r.value, r.key, r.locator,
               (SELECT group_concat(f.text, ' x ') FROM (SELECT x.text FROM v_run_factor x WHERE x.entry_id = r.entry_id AND x.factor IN ('m', 'n', 'k')
                                                          ORDER BY CASE x.factor WHEN 'm' THEN 1 WHEN 'n' THEN 2 ELSE 3 END) f) AS shape
          FROM v_result r
         WHERE r.workload = 'gemm' AND r.evidence = 'published' AND r.metric IN ('flops_per_s', 'ops_per_s') AND r.devices = 1
           AND (:kind IS NULL OR :kind = 'product') AND (:device IS NULL OR r.device GLOB :device)) p
-- @rows
WITH doubtful AS MATERIALIZED ( -- results of which there is more than one statement
  SELECT * FROM v_statement WHERE evidence = 'mlperf'
   AND (sources > 1 OR subject IN (SELECT s.subject FROM subject s WHERE s.flags LIKE '%quarantined%' OR s.flags LIKE '%conflict%'))),
price AS MATERIALIZED (
  SELECT p.*, julianday(p.first_day) AS day FROM v_price p WHERE p.per = 'hour')
SELECT 'spec' AS kind, a.device || ' ' || a.quantity || coalesce(' ' || a.dtype, '') || coalesce(' ' || a.sparsity, '') ||
       ' per ' || a.basis AS what, a.value AS preferred, a.source || ' ' || a.locator AS preferred_source,
       b.value AS other, b.source || ' ' || b.locator AS other_source, a.unit AS unit, b.value / a.value AS ratio,
       'rank of the source, then the latest date' AS why, a.key || ' ' || b.key AS _facts
  FROM stated a JOIN stated b ON b.device = a.device AND b.quantity = a.quantity AND b.basis = a.basis
   AND coalesce(b.dtype, '') = coalesce(a.dtype, '') AND coalesce(b.engine, '') = coalesce(a.engine, '')
   AND coalesce(b.sparsity, '') = coalesce(a.sparsity, '') AND b.spec_id <> a.spec_id
 WHERE a.preferred = 1 AND abs(a.value - b.value) > (coalesce(a.half, 0) + coalesce(b.half, 0)) * 1.000001
   AND (:device IS NULL OR a.device GLOB :device) AND (:kind IS NULL OR :kind = 'spec')
UNION ALL
SELECT 'price', d.provider || ' ' || d.instance || ' ' || d.device, d.amount, d.source || ' ' || d.locator,
       s.per_device_hour, s.source || ' ' || s.locator || ' / ' || s.devices, d.currency || '/h',
       s.per_device_hour / d.amount, 'published per device', d.key || ' ' || s.key
  FROM price d JOIN price s ON s.source = d.source AND s.provider = d.provider AND s.instance = d.instance
   AND s.kind = d.kind AND s.device = d.device AND s.devices > 1 AND d.devices = 1
 WHERE abs(s.per_device_hour - d.amount) > (s.half + d.half) * 1.000001 AND (:device IS NULL OR d.device GLOB :device)
   AND (:kind IS NULL OR :kind = 'price')
UNION ALL
SELECT 'price', a.provider || ' ' || a.instance || ' ' || a.device, a.per_device_hour, a.source || ' ' || a.locator,
       b.per_device_hour, b.source || ' ' || b.locator, a.currency || '/h', b.per_device_hour / a.per_device_hour,
       'of prices a month apart or less, the lowest is shown first', a.key || ' ' || b.key
  FROM price a JOIN price b ON b.provider = a.provider AND b.instance = a.instance AND b.kind = a.kind AND b.device = a.device
   AND b.devices = a.devices AND b.source <> a.source
   AND (a.per_device_hour < b.per_device_hour OR (a.per_device_hour = b.per_device_hour AND a.key < b.key))
 WHERE abs(b.day - a.day) <= 31 AND (a.region IS NULL OR b.region IS NULL OR b.region = a.region)
   AND abs(b.per_device_hour - a.per_device_hour) > (a.half + b.half) * 1.000001 AND (:device IS NULL OR a.device GLOB :device)
   AND (:kind IS NULL OR :kind = 'price')
UNION ALL
SELECT 'product', a.device || ' gemm ' || a.dtype || ' ' || a.shape, a.value, a.source || ' ' || a.locator, b.value, b.source || ' ' || b.locator,
       a.unit, b.value / a.value, 'both stand: a measured ceiling belongs to its source, library and version', a.key || ' ' || b.key
  FROM product a JOIN product b ON b.device = a.device AND b.dtype = a.dtype AND b.shape = a.shape AND b.source <> a.source
   AND (b.value < a.value OR (b.value = a.value AND b.key > a.key))
 WHERE a.nth_of_shape = 1 AND b.nth_of_shape = 1
UNION ALL
SELECT 'product', a.device || ' gemm ' || a.dtype || ' best of all shapes', a.value, a.source || ' ' || a.locator, b.value,
       b.source || ' ' || b.locator, a.unit, b.value / a.value, 'both stand: a measured ceiling belongs to its source, library and version',
       a.key || ' ' || b.key
  FROM product a JOIN product b ON b.device = a.device AND b.dtype = a.dtype AND b.source <> a.source
   AND (b.value < a.value OR (b.value = a.value AND b.key > a.key))
 WHERE a.nth = 1 AND b.nth = 1
UNION ALL
SELECT 'mlperf', a.round || ' ' || coalesce(a.submitter, '') || ' ' || a.model || ' ' || a.scenario || ' ' || a.system, a.value,
       a.source || ' ' || a.locator, b.value, b.source || ' ' || b.locator, a.unit, b.value / a.value,
       CASE WHEN b.flags LIKE '%quarantined%' THEN 'quarantined: the log''s value in another unit'
            ELSE 'rank of the source, then the most digits' END, a.key || ' ' || b.key
  FROM doubtful a JOIN doubtful b ON b.subject = a.subject AND b.metric_class = a.metric_class AND b.preferred = 0
 WHERE a.preferred = 1 AND (a.disagree = 1 OR b.flags LIKE '%quarantined%') AND ' ' || b.flags || ' ' NOT LIKE '% averaged %' AND (:device IS NULL OR a.device GLOB :device)
   AND abs(a.value - b.value) > 1e-4 * a.value AND (:kind IS NULL OR :kind = 'mlperf')
UNION ALL
SELECT DISTINCT 'devices', a.round || ' ' || coalesce(a.submitter, '') || ' ' || a.model || ' ' || a.scenario || ' ' || a.system,
       a.devices, a.source || ' ' || a.locator, b.devices, b.source || ' ' || b.locator, 'devices',
       1.0 * b.devices / a.devices, 'rank of the source', a.key || ' ' || b.key
  FROM doubtful a JOIN doubtful b ON b.subject = a.subject AND b.metric_class = a.metric_class AND b.preferred = 0
 WHERE a.preferred = 1 AND a.flags LIKE '%devices-disagree%' AND a.devices <> b.devices AND (:device IS NULL OR a.device GLOB :device)
   AND (:kind IS NULL OR :kind = 'devices')
UNION ALL
SELECT DISTINCT 'id', a.round || ' ' || coalesce(a.submitter, '') || ' ' || a.model || ' ' || a.scenario || ' ' || a.system,
       a.public_id, a.source || ' ' || a.locator, b.public_id, b.source || ' ' || b.locator, 'public ID', NULL,
       'rank of the source', a.key || ' ' || b.key
  FROM doubtful a JOIN doubtful b ON b.subject = a.subject AND b.metric = a.metric AND b.source <> a.source
 WHERE a.preferred = 1 AND a.flags LIKE '%ids-disagree%' AND a.public_id <> b.public_id AND (:device IS NULL OR a.device GLOB :device)
   AND (:kind IS NULL OR :kind = 'id')
UNION ALL
SELECT 'id', a.round || ' ' || coalesce(a.submitter, '') || ' ' || a.model || ' ' || a.scenario || ' ' || a.public_id,
       a.value, a.source || ' ' || a.locator, b.value, b.source || ' ' || b.locator, a.unit, b.value / a.value,
       'neither: one ID, two values; withdraw the older', a.key || ' ' || b.key
  FROM doubtful a JOIN doubtful b ON b.source = a.source AND b.public_id = a.public_id AND b.round IS a.round AND b.system IS a.system
   AND b.model IS a.model AND b.scenario IS a.scenario AND b.metric = a.metric AND b.value > a.value * 1.0001
 WHERE a.flags LIKE '%conflict%' AND (:device IS NULL OR a.device GLOB :device) AND (:kind IS NULL OR :kind = 'id')
 ORDER BY 1, 2, 7, _facts;
