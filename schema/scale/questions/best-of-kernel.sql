-- best-of-kernel.sql - the best verified rate of each device by kernel and number format, and which backend reached it.
SELECT kernel, dtype, metric, device, backend, value, unit, key
  FROM (SELECT r.workload AS kernel, r.dtype AS dtype, r.metric AS metric, r.device AS device, r.backend AS backend, r.value AS value,
               r.unit AS unit, r.key AS key,
               row_number() OVER (PARTITION BY r.workload, r.dtype, r.metric, r.device ORDER BY r.value DESC, r.key) AS place
          FROM v_result r
         WHERE r.evidence = 'measured' AND r.adds = 1 AND r.verified = 'pass' AND r.device IS NOT NULL) best
 WHERE place = 1
 ORDER BY kernel NULLS FIRST, dtype NULLS FIRST, metric, value DESC, device, key;
