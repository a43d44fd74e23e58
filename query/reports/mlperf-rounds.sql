-- title: MLPerf® Inference, best submission per accelerator by round: {model} {scenario}
-- question: MLPerf inference: the best of each device, round by round
-- group: Which accelerator is faster?
-- site: MLPerf®
-- explore: view=points&across=round&by=key&round=all
-- param: model | text | llama2-70b-99 | benchmark | SELECT model, mlperf FROM model_named ORDER BY 2 DESC, 1
-- param: scenario | text | Server | Offline, Server, Interactive, SingleStream, ... | SELECT DISTINCT scenario, 1 FROM description WHERE scenario <> '' UNION ALL SELECT column1, 0 FROM (VALUES ('Offline'), ('Server'), ('Interactive'), ('SingleStream'), ('MultiStream'), ('training'), ('serving')) ORDER BY 2 DESC, 1
-- param: division | text | closed | closed or open
-- param: system_type | text | datacenter | datacenter or edge
-- param: device | text | | only this one; several by * (B*00-SXM)
-- column: round | round | | round of MLPerf
-- column: device | device | cut28 | canonical device
-- column: per_chip | /chip† | g6 | the best of the round | per_device@1
-- column: unit | unit | | of the total
-- column: chips | chips | | devices of that submission
-- column: submitter | submitter | cut22 |
-- column: of | of | | submissions of the round with this device
-- column: public_id | ID | | result ID
-- column: verified | verified | | yes: reviewed by MLCommons, or stated so
-- column: verified_by | verified by | | mlcommons: an official list has it; file: its file says so
-- hoist: unit verified verified_by
-- @table first
WITH chosen AS (
  SELECT r.round, r.round_order, r.device, r.each, r.unit, r.devices, r.submitter, r.public_id, r.verified, r.verified_by, r.key
    FROM (SELECT DISTINCT spelling FROM v_name WHERE kind = 'model' AND canon = :model) n -- an index of models leads on
    JOIN v_mlperf r ON r.raw_model = n.spelling
   WHERE r.scenario = :scenario AND r.division = :division AND r.system_type = :system_type AND r.left_out = ''
     AND r.adds = 1 AND (:device IS NULL OR r.device GLOB :device)
     AND ' ' || r.flags || ' ' NOT LIKE '% power %'),
best AS (
  SELECT *, row_number() OVER (PARTITION BY round, device ORDER BY each DESC, key) AS place,
         count(*) OVER (PARTITION BY round, device) AS of,
         count(*) OVER (PARTITION BY device) AS known, max(each) OVER (PARTITION BY device) AS top
    FROM chosen WHERE unit = (SELECT unit FROM chosen GROUP BY unit ORDER BY count(*) DESC, unit LIMIT 1))
SELECT *, row_number() OVER (PARTITION BY round ORDER BY each DESC, key) AS nth FROM best WHERE place = 1
-- @rows
SELECT f.round, f.device, f.each AS per_chip, f.unit, f.devices AS chips, f.submitter, f.of, f.public_id,
       CASE f.verified_by WHEN 'mlcommons' THEN 'yes' ELSE f.verified END AS verified, f.verified_by,
       (SELECT min(o.nth) FROM first o WHERE o.device = f.device) AS _lead, f.key AS _facts
  FROM first f
 ORDER BY f.round_order, (SELECT count(*) FROM first o WHERE o.device = f.device) DESC, f.top DESC, f.device;
-- @notes
SELECT column1 FROM (VALUES ('† derived by abdb (result / devices); not an official or verified MLPerf® metric.'),
                           ('rules, software and the benchmark''s version change between rounds'))
 WHERE EXISTS (SELECT 1 FROM first);
