-- 075_roof.sql - the roof: the most operations a second that a device can do at an operational intensity.

-- One rate of operations, and how many of them there are for a byte: as it was counted beside it, else of a matrix product
-- of a stated shape (factors m, n, k), each operand moved once: 2 m n k FLOP over (m k + k n + m n) numbers.
CREATE VIEW v_intensity AS
SELECT f.result_id AS result_id, f.entry_id AS entry_id, f.device AS device, f.source AS source, f.floor AS floor,
       CAST(coalesce(f.floor / (SELECT b.floor FROM floor_of b
                            WHERE b.entry_id = f.entry_id AND b.quantity = 'memory_bandwidth' AND b.floor > 0
                            ORDER BY b.result_id LIMIT 1),
                (SELECT 2 * m.num * n.num * k.num / (d.size_B * (m.num * k.num + k.num * n.num + m.num * n.num))
                   FROM point_factor m
                   JOIN point_factor n ON n.point_id = m.point_id AND n.factor = 'n' AND n.num > 0
                   JOIN point_factor k ON k.point_id = m.point_id AND k.factor = 'k' AND k.num > 0
                   JOIN v_number_format d ON d.number_format = f.number_format
                  WHERE m.point_id = f.point_id AND m.factor = 'm' AND m.num > 0)) AS DOUBLE PRECISION) AS intensity_flop_per_B
  FROM floor_of f
 WHERE f.quantity IN ('peak_flops', 'peak_ops');

-- One rate of operations against the roof: the peak of its device, or what its bandwidth lets through at this intensity.
-- basis: as in v_ceiling_of, but a clock scales no bandwidth. roof = min(peak, intensity x bandwidth), Williams et al. 2009.
CREATE VIEW v_roof AS
SELECT w.result_id AS result_id, w.entry_id AS entry_id, w.basis AS basis, w.intensity_flop_per_B AS intensity_flop_per_B,
       w.peak AS peak, w.peak_key AS peak_key, CAST(w.bandwidth AS DOUBLE PRECISION) AS bandwidth, CAST(w.bandwidth_key AS TEXT) AS bandwidth_key,
       CAST(CASE WHEN w.peak < w.intensity_flop_per_B * w.bandwidth THEN w.peak ELSE w.intensity_flop_per_B * w.bandwidth END AS DOUBLE PRECISION) AS roof,
       CAST(w.floor / CASE WHEN w.peak < w.intensity_flop_per_B * w.bandwidth THEN w.peak ELSE w.intensity_flop_per_B * w.bandwidth END AS DOUBLE PRECISION)
         AS fraction
  FROM (SELECT c.result_id, c.entry_id, c.basis, c.floor, i.intensity_flop_per_B, c.ceiling AS peak, c.ceiling_key AS peak_key,
               coalesce(p.value, k.value / (SELECT coalesce(nullif(e.devices, 0), 1) FROM entry e WHERE e.entry_id = k.entry_id))
                 AS bandwidth,
               coalesce((SELECT s.key FROM spec_stated s WHERE s.spec_id = p.spec_id),
                        (SELECT 'r-' || substr(e.run, 3) || '-' || k.ordinal FROM entry e WHERE e.entry_id = k.entry_id)) AS bandwidth_key
          FROM v_ceiling_of c
          JOIN v_intensity i ON i.result_id = c.result_id
          LEFT JOIN spec p ON p.spec_id = CASE c.basis WHEN 'published' THEN (
                                SELECT q.spec_id
                                  FROM (SELECT o.spec_id, o.preference, CASE WHEN o.source = c.source AND o.guess = 0 THEN 0 ELSE 1 END AS other
                                          FROM v_peak o WHERE o.device = c.device AND o.quantity = 'memory_bandwidth') q
                                 ORDER BY q.other, q.preference LIMIT 1) END
          LEFT JOIN result_row k ON k.result_id = CASE c.basis WHEN 'measured' THEN (
                                      SELECT o.result_id FROM ceiling_spelt o WHERE o.device = c.device AND o.quantity = 'memory_bandwidth'
                                       ORDER BY o.value DESC, o.entry_key LIMIT 1) END
         WHERE c.quantity IN ('peak_flops', 'peak_ops') AND c.ceiling IS NOT NULL) w;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
('v_intensity', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_intensity', 2, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_intensity', 3, 'device', '', 'canonical device'),
('v_intensity', 4, 'source', '', 'who states the result'),
('v_intensity', 5, 'floor', '', 'operations per second and device that the result stands for'),
('v_intensity', 6, 'intensity_flop_per_B', 'FLOP/B', 'operational intensity; NULL: not known'),
('v_roof', 1, 'result_id', '', 'number of the result in this file (v_result)'),
('v_roof', 2, 'entry_id', '', 'number of the run in this file (v_run)'),
('v_roof', 3, 'basis', '', 'published or measured'),
('v_roof', 4, 'intensity_flop_per_B', 'FLOP/B', 'operational intensity'),
('v_roof', 5, 'peak', '', 'the most operations per second of one device'),
('v_roof', 6, 'peak_key', '', 'printed key of that number'),
('v_roof', 7, 'bandwidth', 'B/s', 'of the memory of one device'),
('v_roof', 8, 'bandwidth_key', '', 'printed key of that number'),
('v_roof', 9, 'roof', '', 'the smaller of peak and intensity x bandwidth'),
('v_roof', 10, 'fraction', '1', 'operations per second and device / roof');
