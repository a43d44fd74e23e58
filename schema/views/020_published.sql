-- 020_published.sql - specifications, prices, claims, files, rejects, and the words of the views.

-- One stated specification. Preferred: the source of lowest rank, then the latest date, then the key.
CREATE VIEW v_spec AS
SELECT device, quantity, dtype, engine, sparsity, basis, power_limit, value, unit,
       CASE WHEN place = 1 THEN 1 ELSE 0 END AS preferred, source, locator, date, raw_value, raw_unit, note,
       printf('s-%016x', id) AS spec_id, id
  FROM (SELECT coalesce(n.canon, s.device) AS device, s.quantity AS quantity, s.dtype AS dtype,
               s.engine AS engine, s.sparsity AS sparsity, s.basis AS basis, s.power_limit AS power_limit,
               s.value AS value, s.unit AS unit, s.source AS source, s.locator AS locator,
               coalesce(s.date, src.published) AS date, s.raw_value AS raw_value, s.raw_unit AS raw_unit,
               s.note AS note, s.spec_id AS id,
               row_number() OVER (PARTITION BY coalesce(n.canon, s.device), s.quantity, s.basis, coalesce(s.dtype, ''),
                                               coalesce(s.engine, ''), coalesce(s.sparsity, ''),
                                               coalesce(s.power_limit, 0)
                                  ORDER BY coalesce(src.rank, 50), coalesce(s.date, src.published, '') DESC,
                                           s.spec_id) AS place
          FROM spec s
          LEFT JOIN name n ON n.kind = 'device' AND n.spelling = s.device AND n.part = 1
          LEFT JOIN source src ON src.source = s.source
         WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'spec' AND g.id = s.spec_id)) stated;

-- One stated price; the price of one device for an hour is derived, all else as published.
CREATE VIEW v_price AS
SELECT p.provider AS provider, p.instance AS instance,
       coalesce((SELECT n.canon FROM name n WHERE n.kind = 'device' AND n.spelling = p.device AND n.part = 1),
                p.device) AS device,
       p.devices AS devices, p.kind AS kind, p.region AS region, p.currency AS currency,
       p.amount AS amount, p.per AS per,
       CASE WHEN p.per = 'hour' THEN p.amount / p.devices END AS per_device_hour,
       p.valid_from AS valid_from, p.source AS source, p.locator AS locator,
       p.raw_value AS raw_value, printf('p-%016x', p.price_id) AS price_id, p.price_id AS id
  FROM price p
 WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'price' AND g.id = p.price_id);

-- One price that counts: where an offer is stated per device and for all devices together, the former.
CREATE VIEW v_price_used AS
SELECT p.* FROM v_price p
 WHERE NOT (p.devices > 1 AND EXISTS (
       SELECT 1 FROM price o WHERE o.source = p.source AND o.provider = p.provider AND coalesce(o.instance, '') = coalesce(p.instance, '')
          AND o.kind = p.kind AND coalesce(o.region, '') = coalesce(p.region, '') AND o.per = p.per AND o.currency = p.currency
          AND coalesce(o.valid_from, '') = coalesce(p.valid_from, '') AND o.devices = 1
          AND NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'price' AND g.id = o.price_id)));

-- One result, specification or price as a fact with a key; the three halves of v_fact.
CREATE VIEW v_fact_result AS
SELECT r.result_id AS key,
       coalesce(r.device || ' ', '') || coalesce(r.model || ' ', r.workload || ' ', '') ||
       coalesce(r.scenario || ' ', '') || r.metric || ' ' || r.statistic AS what,
       r.value AS value, r.unit AS unit, r.raw_value AS raw_value, r.raw_unit AS raw_unit,
       r.evidence AS evidence, r.source AS source, r.locator AS locator,
       (SELECT min(a.path || ', ' || w.locator) FROM witness w JOIN artifact a USING (artifact_id)
         WHERE w.entry_id = r.entry_id) AS artifact,
       r.date AS date, r.formula AS formula, r.entry_id AS id, r.ordinal AS ordinal
  FROM v_statement r;
CREATE VIEW v_fact_spec AS
SELECT s.spec_id AS key,
       s.device || ' ' || s.quantity || coalesce(' ' || s.dtype, '') || coalesce(' ' || s.sparsity, '') ||
       ' per ' || s.basis AS what,
       s.value AS value, s.unit AS unit, s.raw_value AS raw_value, s.raw_unit AS raw_unit, 'published' AS evidence,
       s.source AS source, s.locator AS locator,
       (SELECT min(a.path || ', ' || o.locator) FROM origin o JOIN artifact a USING (artifact_id)
         WHERE o.kind = 'spec' AND o.id = s.id) AS artifact,
       s.date AS date, NULL AS formula, s.id AS id, 0 AS ordinal
  FROM v_spec s;
CREATE VIEW v_fact_price AS
SELECT p.price_id AS key,
       p.provider || ' ' || coalesce(p.instance || ' ', '') || p.device || ' x' || p.devices || ' ' || p.kind ||
       ' per ' || p.per AS what,
       p.amount AS value, p.currency AS unit, p.raw_value AS raw_value, p.currency AS raw_unit, 'published' AS evidence,
       p.source AS source, p.locator AS locator,
       (SELECT min(a.path || ', ' || o.locator) FROM origin o JOIN artifact a USING (artifact_id)
         WHERE o.kind = 'price' AND o.id = p.id) AS artifact,
       p.valid_from AS date, NULL AS formula, p.id AS id, 0 AS ordinal
  FROM v_price p;

-- One fact by its key (r- result, s- specification, p- price, c- claim): value, source and every place.
CREATE VIEW v_fact AS
SELECT v.key AS key, (SELECT f.fact FROM fact f WHERE f.kind = 'result' AND f.id = v.id AND f.ordinal = v.ordinal) AS fact,
       'result' AS kind, v.what AS what, v.value AS value, v.unit AS unit, v.raw_value AS raw_value, v.raw_unit AS raw_unit,
       v.evidence AS evidence, v.source AS source, v.locator AS locator, v.artifact AS artifact, v.date AS date,
       v.formula AS formula
  FROM v_fact_result v
UNION ALL
SELECT v.key, (SELECT f.fact FROM fact f WHERE f.kind = 'spec' AND f.id = v.id), 'spec', v.what, v.value, v.unit, v.raw_value,
       v.raw_unit, v.evidence, v.source, v.locator, v.artifact, v.date, v.formula
  FROM v_fact_spec v
UNION ALL
SELECT v.key, (SELECT f.fact FROM fact f WHERE f.kind = 'price' AND f.id = v.id), 'price', v.what, v.value, v.unit, v.raw_value,
       v.raw_unit, v.evidence, v.source, v.locator, v.artifact, v.date, v.formula
  FROM v_fact_price v
UNION ALL
SELECT 'c-' || c.claim, NULL, 'claim', c.sentence, c.stated, '1', c.raw_value, NULL, 'published', c.source, c.locator,
       NULL, NULL, NULL
  FROM claim c;

-- One fact that has a name, found by the name: v_fact without those that have none.
CREATE VIEW v_fact_named AS
SELECT f.fact AS fact, v.key AS key, v.value AS value, v.unit AS unit, v.what AS what
  FROM fact f JOIN v_fact_result v ON v.id = f.id AND v.ordinal = f.ordinal WHERE f.kind = 'result'
UNION ALL
SELECT f.fact, v.key, v.value, v.unit, v.what FROM fact f JOIN v_fact_spec v ON v.id = f.id WHERE f.kind = 'spec'
UNION ALL
SELECT f.fact, v.key, v.value, v.unit, v.what FROM fact f JOIN v_fact_price v ON v.id = f.id WHERE f.kind = 'price';

-- One term of a claim, with the fact that it cites.
CREATE VIEW v_claim_term AS
SELECT t.claim AS claim, t.term AS term, t.power AS power, t.fact AS fact, v.key AS key,
       v.value AS value, v.unit AS unit, v.what AS what
  FROM claim_term t
  LEFT JOIN v_fact_named v ON v.fact = t.fact;

-- One statement to check: recomputed = coefficient x product of value^power, + offset.
CREATE VIEW v_claim AS
WITH RECURSIVE product (claim, term, value) AS (
  SELECT claim, 0, coefficient FROM claim
  UNION ALL
  SELECT p.claim, p.term + 1,
         CASE t.power WHEN 1 THEN p.value * t.value WHEN -1 THEN p.value / t.value
                      WHEN 2 THEN p.value * t.value * t.value
                      WHEN -2 THEN p.value / t.value / t.value
                      WHEN 3 THEN p.value * t.value * t.value * t.value
                      ELSE p.value / t.value / t.value / t.value END
    FROM product p JOIN v_claim_term t ON t.claim = p.claim AND t.term = p.term + 1),
done AS (
  SELECT c.claim AS claim, p.value + c."offset" AS recomputed
    FROM claim c JOIN product p ON p.claim = c.claim
   WHERE p.term = (SELECT count(*) FROM claim_term t WHERE t.claim = c.claim) AND p.term > 0)
SELECT c.claim AS claim, c.source AS source, c.locator AS locator, c.stated AS stated,
       d.recomputed AS recomputed, c.tolerance AS tolerance,
       CASE WHEN d.recomputed IS NULL THEN 'unknown'
            WHEN abs(d.recomputed - c.stated) <= c.tolerance * (1 + 1e-9) THEN 'holds'
            ELSE 'fails' END AS verdict,
       CASE WHEN d.recomputed IS NOT NULL THEN NULL
            WHEN c.missing IS NOT NULL THEN c.missing
            ELSE coalesce((SELECT 'no fact ' || group_concat(t.fact, ', ') FROM v_claim_term t
                            WHERE t.claim = c.claim AND t.value IS NULL), 'no terms') END AS reason,
       c.sentence AS sentence, c.raw_value AS raw_value,
       (SELECT count(*) FROM claim_term t WHERE t.claim = c.claim) AS terms
  FROM claim c LEFT JOIN done d ON d.claim = c.claim;

-- One imported file or member, counted in input rows.
CREATE VIEW v_artifact AS
SELECT path AS artifact, format, sha256, accepted, duplicate, rejected, ignored, imported, words, size_B
  FROM artifact;

-- One refused row.
CREATE VIEW v_reject AS
SELECT a.path AS artifact, r.line AS line, r.field AS field, r.reason AS reason, r.raw AS raw
  FROM reject r JOIN artifact a USING (artifact_id);

-- One withdrawal and one fact that it leaves out.
CREATE VIEW v_gone AS
WITH g AS (
  SELECT CASE kind WHEN 'entry' THEN 'r' WHEN 'spec' THEN 's' ELSE 'p' END || printf('-%016x', CASE kind WHEN 'entry' THEN (SELECT k.entry_key FROM entry_row k WHERE k.entry_id = gone.id) ELSE id END) AS key,
         kind, id
    FROM gone)
SELECT g.key AS key, f.fact AS fact, w.target AS target, w.reason AS reason, w.date AS date
  FROM g LEFT JOIN fact f ON f.kind = replace(g.kind, 'entry', 'result') AND f.id = g.id
  JOIN withdrawal w
    ON substr(w.target, 1, 18) = g.key OR (g.kind = 'entry' AND w.target = 'e' || substr(g.key, 2)) OR w.target = f.fact
       OR substr(w.target, 1, 64) IN (
       SELECT a.sha256 FROM origin o JOIN artifact a USING (artifact_id) WHERE o.kind = g.kind AND o.id = g.id
       UNION
       SELECT a.sha256 FROM witness x JOIN artifact a USING (artifact_id) WHERE g.kind = 'entry' AND x.entry_id = g.id);

-- One event that takes something back.
CREATE VIEW v_withdrawal AS SELECT target, reason, date FROM withdrawal;

-- Who says it.
CREATE VIEW v_source AS
SELECT source, kind, title, author, url, published, retrieved, licence, rank FROM source;

-- One device.
CREATE VIEW v_device AS
SELECT device, vendor, architecture, form_factor, kind, dies, year, source, locator FROM device;

-- One model.
CREATE VIEW v_model AS
SELECT model, task, family, accuracy_target, parameters, parameters_active, layers, hidden_size,
       heads, kv_heads, vocabulary, source, locator
  FROM model;

-- One spelling in use and what it means.
CREATE VIEW v_name AS
SELECT kind, spelling, part, canon, share, parts, how FROM name;

-- One column of a public view.
CREATE VIEW v_column AS SELECT view, place, column, unit, meaning FROM column_doc;

INSERT INTO column_doc (view, place, column, unit, meaning) VALUES
('v_spec', 1, 'device', '', 'canonical device'),
('v_spec', 2, 'quantity', '', 'peak_flops peak_ops memory_size memory_bandwidth link_bandwidth power'),
('v_spec', 3, 'dtype', '', 'number format of a peak'),
('v_spec', 4, 'engine', '', 'matrix or vector'),
('v_spec', 5, 'sparsity', '', 'dense or 2:4'),
('v_spec', 6, 'basis', '', 'die, package, card, system'),
('v_spec', 7, 'power_limit', 'W', 'where the figure holds for one'),
('v_spec', 8, 'value', 'unit', 'in the base unit'),
('v_spec', 9, 'unit', '', 'base unit'),
('v_spec', 10, 'preferred', '', '1: lowest rank of source, then latest date'),
('v_spec', 11, 'source', '', 'who says it'),
('v_spec', 12, 'locator', '', 'table, figure or section'),
('v_spec', 13, 'date', '', 'of the statement'),
('v_spec', 14, 'raw_value', '', 'as published'),
('v_spec', 15, 'raw_unit', '', 'as published'),
('v_spec', 16, 'note', '', 'what the source adds'),
('v_spec', 17, 'spec_id', '', 'key made from the content'),
('v_spec', 18, 'id', '', 'the same as a number'),
('v_price', 1, 'provider', '', 'who asks it'),
('v_price', 2, 'instance', '', 'name of the offer'),
('v_price', 3, 'device', '', 'canonical device'),
('v_price', 4, 'devices', '', 'devices that the amount buys; 1: published per device'),
('v_price', 5, 'kind', '', 'on-demand, reserved, spot, purchase'),
('v_price', 6, 'region', '', ''),
('v_price', 7, 'currency', '', 'ISO 4217'),
('v_price', 8, 'amount', 'currency', 'for all devices together'),
('v_price', 9, 'per', '', 'hour or unit'),
('v_price', 10, 'per_device_hour', 'currency', 'derived: amount / devices, for prices per hour'),
('v_price', 11, 'valid_from', '', 'date of the price'),
('v_price', 12, 'source', '', 'who says it'),
('v_price', 13, 'locator', '', 'table, figure or section'),
('v_price', 14, 'raw_value', '', 'as published'),
('v_price', 15, 'price_id', '', 'key made from the content'),
('v_price', 16, 'id', '', 'the same as a number'),
('v_claim', 1, 'claim', '', 'name'),
('v_claim', 2, 'source', '', 'who claims it'),
('v_claim', 3, 'locator', '', 'where'),
('v_claim', 4, 'stated', '', 'the number claimed'),
('v_claim', 5, 'recomputed', '', 'from facts; NULL: cannot be'),
('v_claim', 6, 'tolerance', '', 'of its own rounding'),
('v_claim', 7, 'verdict', '', 'holds, fails, unknown'),
('v_claim', 8, 'reason', '', 'what is missing'),
('v_claim', 9, 'sentence', '', 'in our words'),
('v_claim', 10, 'raw_value', '', 'as printed'),
('v_claim', 11, 'terms', '', 'facts that it is recomputed from'),
('v_claim_term', 1, 'claim', '', 'the claim'),
('v_claim_term', 2, 'term', '', '1, 2, ...'),
('v_claim_term', 3, 'power', '', 'exponent'),
('v_claim_term', 4, 'fact', '', 'name of the fact'),
('v_claim_term', 5, 'key', '', 'its key; NULL: no such fact here'),
('v_claim_term', 6, 'value', 'unit', 'its value'),
('v_claim_term', 7, 'unit', '', 'base unit'),
('v_claim_term', 8, 'what', '', 'in words'),
('v_fact', 1, 'key', '', 'r- result, s- specification, p- price, c- number that a claim states'),
('v_fact', 2, 'fact', '', 'its name, where it has one'),
('v_fact', 3, 'kind', '', 'result, spec, price or claim'),
('v_fact', 4, 'what', '', 'in words'),
('v_fact', 5, 'value', 'unit', 'in the base unit'),
('v_fact', 6, 'unit', '', 'base unit, or currency'),
('v_fact', 7, 'raw_value', '', 'as published'),
('v_fact', 8, 'raw_unit', '', 'as published'),
('v_fact', 9, 'evidence', '', 'measured, published or mlperf'),
('v_fact', 10, 'source', '', 'who says it'),
('v_fact', 11, 'locator', '', 'table, figure, line or cell'),
('v_fact', 12, 'artifact', '', 'file, and line of it'),
('v_fact', 13, 'date', '', 'of the statement'),
('v_fact', 14, 'formula', '', 'identifier/version where abdb computed it'),
('v_fact_named', 1, 'fact', '', 'its name'),
('v_fact_named', 2, 'key', '', 'its key'),
('v_fact_named', 3, 'value', 'unit', 'in the base unit'),
('v_fact_named', 4, 'unit', '', 'base unit, or currency'),
('v_fact_named', 5, 'what', '', 'in words'),
('v_fact_result', 1, 'key', '', 'its key'),
('v_fact_result', 2, 'what', '', 'in words'),
('v_fact_result', 3, 'value', 'unit', 'in the base unit'),
('v_fact_result', 4, 'unit', '', 'base unit, or currency'),
('v_fact_result', 5, 'raw_value', '', 'as published'),
('v_fact_result', 6, 'raw_unit', '', 'as published'),
('v_fact_result', 7, 'evidence', '', 'measured, published or mlperf'),
('v_fact_result', 8, 'source', '', 'who says it'),
('v_fact_result', 9, 'locator', '', 'table, figure, line or cell'),
('v_fact_result', 10, 'artifact', '', 'file, and line of it'),
('v_fact_result', 11, 'date', '', 'of the statement'),
('v_fact_result', 12, 'formula', '', 'identifier/version where abdb computed it'),
('v_fact_result', 13, 'id', '', 'the key as a number'),
('v_fact_result', 14, 'ordinal', '', 'place in the entry'),
('v_fact_spec', 1, 'key', '', 'its key'),
('v_fact_spec', 2, 'what', '', 'in words'),
('v_fact_spec', 3, 'value', 'unit', 'in the base unit'),
('v_fact_spec', 4, 'unit', '', 'base unit, or currency'),
('v_fact_spec', 5, 'raw_value', '', 'as published'),
('v_fact_spec', 6, 'raw_unit', '', 'as published'),
('v_fact_spec', 7, 'evidence', '', 'measured, published or mlperf'),
('v_fact_spec', 8, 'source', '', 'who says it'),
('v_fact_spec', 9, 'locator', '', 'table, figure, line or cell'),
('v_fact_spec', 10, 'artifact', '', 'file, and line of it'),
('v_fact_spec', 11, 'date', '', 'of the statement'),
('v_fact_spec', 12, 'formula', '', 'identifier/version where abdb computed it'),
('v_fact_spec', 13, 'id', '', 'the key as a number'),
('v_fact_spec', 14, 'ordinal', '', 'place in the entry'),
('v_fact_price', 1, 'key', '', 'its key'),
('v_fact_price', 2, 'what', '', 'in words'),
('v_fact_price', 3, 'value', 'unit', 'in the base unit'),
('v_fact_price', 4, 'unit', '', 'base unit, or currency'),
('v_fact_price', 5, 'raw_value', '', 'as published'),
('v_fact_price', 6, 'raw_unit', '', 'as published'),
('v_fact_price', 7, 'evidence', '', 'measured, published or mlperf'),
('v_fact_price', 8, 'source', '', 'who says it'),
('v_fact_price', 9, 'locator', '', 'table, figure, line or cell'),
('v_fact_price', 10, 'artifact', '', 'file, and line of it'),
('v_fact_price', 11, 'date', '', 'of the statement'),
('v_fact_price', 12, 'formula', '', 'identifier/version where abdb computed it'),
('v_fact_price', 13, 'id', '', 'the key as a number'),
('v_fact_price', 14, 'ordinal', '', 'place in the entry'),
('v_artifact', 1, 'artifact', '', 'path'),
('v_artifact', 2, 'format', '', 'importer that read it'),
('v_artifact', 3, 'sha256', '', 'of the bytes'),
('v_artifact', 4, 'accepted', '', 'input rows with something new'),
('v_artifact', 5, 'duplicate', '', 'input rows that only repeat'),
('v_artifact', 6, 'rejected', '', 'input rows refused'),
('v_artifact', 7, 'ignored', '', 'input rows with nothing to keep'),
('v_artifact', 8, 'imported', '', 'when, UTC'),
('v_artifact', 9, 'words', '', 'what --set supplied'),
('v_artifact', 10, 'size_B', 'B', 'size of the file'),
('v_reject', 1, 'artifact', '', 'file'),
('v_reject', 2, 'line', '', 'line in it'),
('v_reject', 3, 'field', '', 'column'),
('v_reject', 4, 'reason', '', 'what is wrong and what to do'),
('v_reject', 5, 'raw', '', 'the row as it was'),
('v_gone', 1, 'key', '', 'r- (of the entry), s- or p-'),
('v_gone', 2, 'fact', '', 'its name, where it has one'),
('v_gone', 3, 'target', '', 'what was withdrawn: sha256 of an artifact, or a key'),
('v_gone', 4, 'reason', '', 'why'),
('v_gone', 5, 'date', '', 'when, UTC'),
('v_withdrawal', 1, 'target', '', 'sha256 of an artifact, or a key r-, e-, s-, p-'),
('v_withdrawal', 2, 'reason', '', 'why'),
('v_withdrawal', 3, 'date', '', 'when, UTC'),
('v_source', 1, 'source', '', 'short name'),
('v_source', 2, 'kind', '', 'vendor, paper, blog, mlperf, price-list, program, user'),
('v_source', 3, 'title', '', 'title'),
('v_source', 4, 'author', '', 'who wrote it'),
('v_source', 5, 'url', '', 'where it is published'),
('v_source', 6, 'published', '', 'date'),
('v_source', 7, 'retrieved', '', 'date; NULL: not recorded'),
('v_source', 8, 'licence', '', 'licence'),
('v_source', 9, 'rank', '', 'written preference, lowest first'),
('v_device', 1, 'device', '', 'canonical name'),
('v_device', 2, 'vendor', '', ''),
('v_device', 3, 'architecture', '', ''),
('v_device', 4, 'form_factor', '', 'SXM, PCIe, OAM, ...'),
('v_device', 5, 'kind', '', 'gpu, accelerator, tpu, cpu'),
('v_device', 6, 'dies', '', 'compute dies'),
('v_device', 7, 'year', '', 'of first availability'),
('v_device', 8, 'source', '', 'who says it'),
('v_device', 9, 'locator', '', 'where'),
('v_model', 1, 'model', '', 'canonical name'),
('v_model', 2, 'task', '', 'llm, vision, speech, recommendation, ...'),
('v_model', 3, 'family', '', 'the same network at other accuracy targets'),
('v_model', 4, 'accuracy_target', '1', 'fraction of the reference accuracy'),
('v_model', 5, 'parameters', '', 'all weights'),
('v_model', 6, 'parameters_active', '', 'weights used per token'),
('v_model', 7, 'layers', '', 'transformer blocks'),
('v_model', 8, 'hidden_size', '', 'width of the residual stream'),
('v_model', 9, 'heads', '', 'attention heads'),
('v_model', 10, 'kv_heads', '', 'heads of keys and values'),
('v_model', 11, 'vocabulary', '', 'tokens'),
('v_model', 12, 'source', '', 'who says it'),
('v_model', 13, 'locator', '', 'where'),
('v_name', 1, 'kind', '', 'device, model, submitter, system, provider'),
('v_name', 2, 'spelling', '', 'as published'),
('v_name', 3, 'part', '', 'part of a mixed system'),
('v_name', 4, 'canon', '', 'canonical name'),
('v_name', 5, 'share', '', 'devices of the part'),
('v_name', 6, 'parts', '', 'parts of the spelling'),
('v_name', 7, 'how', '', 'canon, alias, folded, unresolved'),
('v_column', 1, 'view', '', 'public view'),
('v_column', 2, 'place', '', 'order'),
('v_column', 3, 'column', '', 'name'),
('v_column', 4, 'unit', '', 'unit; ''unit'': that of the row'),
('v_column', 5, 'meaning', '', 'what it says');
INSERT INTO column_doc (view, place, column, unit, meaning)
SELECT 'v_price_used', place, column, unit, meaning FROM column_doc WHERE view = 'v_price';
