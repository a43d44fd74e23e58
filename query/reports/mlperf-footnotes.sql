-- title: Footnotes that MLCommons asks for, of the results named
-- question: the footnotes that MLCommons asks for, for any results by their keys
-- group: May it be believed, and compared?
-- param: keys | text | | keys of results (r-...), blanks between them
-- column: footnote | footnote | | ready to be printed below a table or a figure
-- @rows
WITH key (key) AS (
  SELECT DISTINCT value FROM json_each('[' || replace(json_quote(coalesce(:keys, '')), ' ', '","') || ']') WHERE value GLOB 'r-*'),
told AS MATERIALIZED ( -- what is looked up for each, once
  SELECT r.suite, r.round, r.round_order, r.division, r.model, CASE WHEN r.raw_model IS NULL THEN r.workload END AS workload, r.scenario,
         r.public_id, r.verified, r.url, r.retrieved, r.flags,
         replace(r.artifact, rtrim(r.artifact, replace(r.artifact, '/', '')), '') AS artifact, -- without its folder
         -- 3: an official list says so; of others that their file calls verified 2: of a round whose list is not held, 1: of one whose list is
         CASE WHEN r.verified_by = 'mlcommons' THEN 3 WHEN r.verified_by IS NULL THEN 0
              WHEN EXISTS (SELECT 1 FROM v_official_result o WHERE o.suite = r.suite AND o.round = r.round
                              AND (r.system_type IS NULL OR o.system_type = r.system_type)) THEN 1 ELSE 2 END AS sure
    FROM key JOIN v_statement r ON r.entry_key = key_number(key.key) AND r.ordinal = key_ordinal(key.key) AND r.key = key.key
   WHERE r.evidence = 'mlperf'),
shown AS (
  SELECT r.suite, r.round, r.round_order, r.division, coalesce(r.model, r.workload) AS model, r.scenario, r.public_id, r.sure, r.artifact,
         CASE WHEN r.url GLOB 'https://github.com/*/blob/*' THEN substr(r.url, 1, instr(r.url, '/blob/') - 1)
              WHEN r.url GLOB 'https://github.com/*/tree/*' THEN substr(r.url, 1, instr(r.url, '/tree/') - 1) ELSE r.url END AS url,
         coalesce((SELECT m.family FROM v_model m WHERE m.model = r.model), r.model, r.workload) AS benchmark, r.retrieved,
         CASE WHEN instr(r.retrieved, '/') > 0 THEN substr(r.retrieved, 1, instr(r.retrieved, '/') - 1) ELSE r.retrieved END AS first,
         substr(r.retrieved, instr(r.retrieved, '/') + 1) AS last
    FROM told r),
flagged AS MATERIALIZED (SELECT flags, count(*) AS n FROM told WHERE flags <> '' GROUP BY flags),
one AS ( -- of a round and benchmark, its accuracy targets and scenarios together
  SELECT row_number() OVER (ORDER BY round_order DESC, round DESC, benchmark, division, sure DESC) AS number, *
    FROM (SELECT suite, round, max(round_order) AS round_order, division, benchmark, json_group_array(DISTINCT model) AS models,
                 json_group_array(DISTINCT scenario) AS scenarios, json_group_array(DISTINCT public_id) AS ids,
                 count(DISTINCT public_id) AS n, min(first) AS first, max(last) AS last, count(*) - count(retrieved) AS undated,
                 count(DISTINCT url) AS urls, min(url) AS url, sure, sure > 1 AS verified,
                 CASE count(DISTINCT artifact) WHEN 1 THEN min(artifact) ELSE 'their files' END AS file
            FROM shown GROUP BY suite, round, division, benchmark, sure)),
inferred AS ( -- which word, how many, and what it means
  SELECT v.word, v.meaning, coalesce((SELECT sum(s.n) FROM flagged s WHERE ' ' || s.flags || ' ' LIKE '% ' || v.word || ' %'), 0) AS n
    FROM (SELECT 'not-inferred:log' AS word, 'run, not inferred, as the log says (the submission checker''s column says otherwise)' AS meaning
    UNION ALL SELECT 'not-inferred:value', 'run, not inferred: no other scenario has the same value (the submission checker''s column says otherwise)'
    UNION ALL SELECT 'inferred:log', 'inferred from another scenario, as the log says'
    UNION ALL SELECT 'inferred:value', 'inferred: another scenario of the system has the same value'
    UNION ALL SELECT 'inferred:column', 'inferred from another scenario, as the file says'
    UNION ALL SELECT 'inferred:unknown', 'inferred or run: the submission checker''s column cannot tell, and no log is here') v),
total AS (SELECT count(*) AS n, min(verified) AS some, max(verified) AS every FROM one)
SELECT footnote FROM (
  SELECT 1 AS place, number, printf('[%d] ', number) || CASE WHEN verified THEN '' ELSE 'Unverified ' END || 'MLPerf® ' ||
         coalesce(round, 'version not recorded') || ' ' || upper(substr(coalesce(suite, 'inference'), 1, 1)) || substr(coalesce(suite, 'inference'), 2) || ' ' ||
         coalesce(upper(substr(division, 1, 1)) || substr(division, 2) || ' ', '') ||
         (SELECT group_concat(name, ', ') FROM (SELECT value AS name FROM json_each(models) ORDER BY value)) ||
         coalesce(' ' || (SELECT group_concat(name, ', ') FROM (SELECT value AS name FROM json_each(scenarios) ORDER BY value)), '') ||
         CASE WHEN n > 40 THEN printf(', %d entries (explain lists them)', n)
              WHEN n > 0 THEN ', entries ' || (SELECT group_concat(id, ', ') FROM (SELECT value AS id FROM json_each(ids) ORDER BY value))
              ELSE ', entry IDs not recorded' END ||
         '. Retrieved ' || CASE WHEN first IS NULL THEN 'on a date not recorded' WHEN undated > 0 THEN 'on dates recorded for some only'
              WHEN first = last THEN first ELSE 'between ' || first || ' and ' || last END || ' from ' ||
         CASE urls WHEN 0 THEN 'a place not recorded' WHEN 1 THEN url ELSE 'mlcommons.org and the results repositories' END ||
         '. Result ' || CASE sure WHEN 3 THEN 'verified by MLCommons Association.' WHEN 0 THEN 'not verified by MLCommons Association.'
           WHEN 2 THEN 'published, list of the round not held; stated as verified by ' || file || '.'
           ELSE 'stated as verified by ' || file || ', not in the official list of its round.' END AS footnote
    FROM one WHERE number <= 40
  UNION ALL
  SELECT 2, 0, printf('[...] and %d more benchmarks of MLPerf®: -o csv lists the results, `abdb query mlperf-footnotes --keys` their footnotes', n - 40)
    FROM total WHERE n > 40
  UNION ALL
  SELECT 3, 0, 'Unverified results have not been through an MLPerf® review and may use measurement methodologies and/or workload implementations that are inconsistent with the MLPerf specification for verified results.'
    FROM total WHERE some = 0 AND every = 1
  UNION ALL
  SELECT 4, row_number() OVER (ORDER BY word), printf('%d %s %s.', n, CASE n WHEN 1 THEN 'result was' ELSE 'results were' END, meaning)
    FROM inferred WHERE n > 0
  UNION ALL
  SELECT 5, 0, printf('%d of these are of a column of averages (Avg. Result at System Name) and no second source shows of what.', sum(n))
    FROM flagged WHERE ' ' || flags || ' ' LIKE '% perhaps-averaged %' HAVING count(*) > 0
  UNION ALL
  SELECT 6, 0, 'The MLPerf name and logo are registered and unregistered trademarks of MLCommons Association in the United States and other countries. All rights reserved. Unauthorized use strictly prohibited. See www.mlcommons.org for more information.'
    FROM total WHERE n > 0)
 ORDER BY place, number;
