-- title: Ratios that hardware obeys: which specifications break them
-- question: ratios that hardware obeys (fp8 to fp16, dense to sparse, bytes a second of a stack): what breaks them, what is accepted and why
-- group: May it be believed, and compared?
-- site: Evidence
-- param: device | text | | one device; several by * |
-- param: verdict | text | | holds, accepted or breaks; without it all that do not hold |
-- column: device | device | |
-- column: ratio | ratio | |
-- column: value | value | g4 | of stacks of memory GB/s
-- column: allowed | may be | cut40 | the spans, from low to high
-- column: verdict | verdict | |
-- column: above | above | g5 | T/s, GB or W
-- column: above_source | says | |
-- column: below | below | g5 |
-- column: below_source | says | |
-- column: why | why accepted | cut70 | with its source
-- @table judged
SELECT * FROM v_ratio WHERE :device IS NULL OR device GLOB :device
-- @rows
SELECT r.device, r.ratio, CASE WHEN r.value > 1e8 THEN r.value / 1e9 ELSE r.value END AS value,
       (SELECT group_concat(CASE WHEN o.high > 1e8 THEN format('%g to %g', o.low / 1e9, o.high / 1e9) ELSE format('%.3g to %.3g', o.low, o.high) END, ', ')
          FROM v_spec_ratio o WHERE o.ratio = r.ratio) AS allowed, r.verdict,
       CASE WHEN r.of_value > 1e11 THEN r.of_value / 1e12 ELSE r.of_value END AS above, r.of_source AS above_source,
       CASE WHEN r.to_value > 1e11 THEN r.to_value / 1e12 WHEN r.to_value > 1e7 THEN r.to_value / 1e9 ELSE r.to_value END AS below,
       r.to_source AS below_source, CASE r.verdict WHEN 'accepted' THEN d.sentence || ' (' || d.source || ', ' || d.locator || ')' END AS why,
       r.of_key || ' ' || r.to_key AS _facts
  FROM judged r LEFT JOIN v_spec_doubt d ON d.doubt = r.doubt
 WHERE CASE WHEN :verdict IS NULL THEN r.verdict <> 'holds' ELSE r.verdict = :verdict END
 ORDER BY r.verdict DESC, r.device, r.ratio;
-- @notes
SELECT count(*) || CASE count(*) WHEN 1 THEN ' ratio' ELSE ' ratios' END || ' of ' || count(DISTINCT device) || CASE count(DISTINCT device) WHEN 1 THEN ' device: ' ELSE ' devices: ' END ||
       sum(verdict = 'holds') || CASE sum(verdict = 'holds') WHEN 1 THEN ' holds, ' ELSE ' hold, ' END || sum(verdict = 'accepted') ||
       CASE sum(verdict = 'accepted') WHEN 1 THEN ' is' ELSE ' are' END || ' accepted, ' || sum(verdict = 'breaks') || CASE sum(verdict = 'breaks') WHEN 1 THEN ' breaks' ELSE ' break' END FROM judged;
