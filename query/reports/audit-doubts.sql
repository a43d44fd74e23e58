-- title: Stated specifications that no answer uses, and why
-- question: stated specifications that no answer uses, each with the reason and its source
-- group: May it be believed, and compared?
-- site: Evidence
-- param: device | text | | one device; several by * |
-- column: what | what | | device, quantity, number format
-- column: value | value | g5 | as stated
-- column: unit | unit | | as stated
-- column: source | says | | its source
-- column: locator | where | cut50 | its table, figure or row
-- column: instead | instead | g5 | the value that is used, in that unit; none: nothing else is stated
-- column: trust | trust | | quarantined: in no answer; suspect: only where nothing else is stated
-- column: why | why | cut70 |
-- column: evidence | evidence | cut60 | source of the reason
-- note: the judgements are data: abdb query "SELECT * FROM v_spec_doubt"
-- @table used
-- what answers use instead
SELECT device, quantity, dtype, engine, sparsity, basis, value FROM v_spec WHERE preferred = 1
-- @rows
SELECT s.device || ' ' || s.quantity || coalesce(' ' || s.dtype, '') || coalesce(' ' || s.engine, '') AS what,
       CAST(replace(s.raw_value, ',', '') AS DOUBLE PRECISION) AS value, s.raw_unit AS unit, s.source, s.locator,
       (SELECT b.value / s.value * CAST(replace(s.raw_value, ',', '') AS DOUBLE PRECISION) FROM used b
         WHERE b.device = s.device AND b.quantity = s.quantity AND coalesce(b.dtype, '') = coalesce(s.dtype, '')
           AND coalesce(b.engine, '') = coalesce(s.engine, '') AND coalesce(b.sparsity, '') = coalesce(s.sparsity, '')
           AND b.basis = s.basis) AS instead,
       s.trust, coalesce(d.sentence, 'above twice the peak of 16 bit by the same source, as a peak with sparsity is') AS why,
       coalesce(d.source || ', ' || d.locator, s.source || ', ' || s.locator) AS evidence, s.key AS _facts
  FROM v_spec s
  LEFT JOIN v_device v ON v.device = s.device
  LEFT JOIN v_spec_doubt d ON d.doubt = (
       SELECT min(o.doubt) FROM v_spec_doubt o
        WHERE o.effect = 'quarantine' AND s.trust = 'quarantined' AND o.quantity = s.quantity AND (o.dtype IS NULL OR o.dtype = s.dtype)
          AND (o.device IS NULL OR o.device = s.device) AND (o.architecture IS NULL OR o.architecture = v.architecture)
          AND (o.engine IS NULL OR o.engine = s.engine) AND (o.sparsity IS NULL OR o.sparsity = s.sparsity)
          AND (o.said_by IS NULL OR o.said_by = s.source) AND (o.stated IS NULL OR s.value BETWEEN 0.999999 * o.stated AND 1.000001 * o.stated))
 WHERE s.trust <> 'stands' AND (:device IS NULL OR s.device GLOB :device)
 ORDER BY s.device, s.quantity, s.dtype, s.source, s.key;
