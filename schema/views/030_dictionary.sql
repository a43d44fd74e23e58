-- 030_dictionary.sql - sources, devices, models, names, rounds, files, refusals and withdrawals, and the words of the views.

-- Who says it.
CREATE VIEW v_source AS
SELECT source, kind, title, author, url, published, retrieved, licence, rank FROM source;

-- One device.
CREATE VIEW v_device AS
SELECT device, vendor, architecture, form_factor, memory, kind, dies, year, source, locator FROM device;

-- One model.
CREATE VIEW v_model AS
SELECT model, task, family, accuracy_target, parameters, parameters_active, layers, hidden_size,
       heads, kv_heads, vocabulary, source, locator
  FROM model;

-- One spelling that was read and what it means.
CREATE VIEW v_name AS
SELECT n.kind AS kind, n.spelling AS spelling, n.part AS part, n.canon AS canon, n.share AS share, n.parts AS parts, n.how AS how,
       CAST(CASE n.kind
         WHEN 'device' THEN CASE WHEN EXISTS (SELECT 1 FROM entry e WHERE e.device = n.spelling)
                                   OR EXISTS (SELECT 1 FROM spec_stated s WHERE s.device = n.spelling)
                                   OR EXISTS (SELECT 1 FROM price_stated p WHERE p.device = n.spelling) THEN 1 ELSE 0 END
         WHEN 'model' THEN CASE WHEN EXISTS (SELECT 1 FROM entry e WHERE e.model = n.spelling)
                                  OR EXISTS (SELECT 1 FROM entry e WHERE e.workload = n.spelling) THEN 1 ELSE 0 END
         WHEN 'submitter' THEN CASE WHEN n.spelling IN (SELECT e.submitter FROM entry e WHERE e.submitter IS NOT NULL) THEN 1 ELSE 0 END
         WHEN 'system' THEN CASE WHEN n.spelling IN (SELECT e.system FROM entry e WHERE e.system IS NOT NULL) THEN 1 ELSE 0 END
         END AS INTEGER) AS used
  FROM name n;

-- Names that models stand under, and whether a run or statement that was not withdrawn is of one: used, mlperf (of that evidence).
-- (Asked spelling by spelling of an index; what all rows say would take as long as there are rows.)
CREATE VIEW model_named AS
SELECT n.whole AS model, CAST(max(CASE WHEN EXISTS (SELECT 1 FROM entry e WHERE e.model = n.spelling) THEN 1 ELSE 0 END) AS INTEGER) AS used,
       CAST(max(CASE WHEN EXISTS (SELECT 1 FROM entry e WHERE e.model = n.spelling AND e.evidence = 'mlperf') THEN 1 ELSE 0 END) AS INTEGER) AS mlperf
  FROM name n
 WHERE n.kind = 'model' GROUP BY n.whole;

-- What the spelling of a device says beside the device: a power limit, a partition mode.
CREATE VIEW v_name_factor AS
SELECT spelling, factor, text, num, unit FROM name_factor;

-- One rule of what decorates the name of a device.
CREATE VIEW v_decoration AS
SELECT place, pattern, says, meaning, factor, factor_unit, source, locator FROM decoration;

-- One provider of prices.
CREATE VIEW v_provider AS SELECT provider, kind, source, locator FROM provider;

-- One instance that is known to be connected with others of its kind.
CREATE VIEW v_exchange_rate AS SELECT currency, day, usd, source, locator FROM exchange_rate;
CREATE VIEW v_fabric AS SELECT provider, instance, fabric, source, locator FROM fabric;

-- One round of MLPerf: when its results were published.
CREATE VIEW v_mlperf_round AS
SELECT suite, round, round_order, published, source, locator FROM round_ordered;

-- What is withdrawn: targets whose last event says so. (Without Z the texts of dates sort as the dates do.)
CREATE VIEW withdrawn AS
SELECT w.target AS target, w.reason AS reason, w.date AS date
  FROM withdrawal w
 WHERE w.event = 'withdrawn'
   AND NOT EXISTS (SELECT 1 FROM withdrawal l WHERE l.target = w.target
                   AND (rtrim(l.date, 'Z') > rtrim(w.date, 'Z')
                        OR (rtrim(l.date, 'Z') = rtrim(w.date, 'Z') AND l.event = 'withdrawn' AND l.reason > w.reason)));

-- Readings of files that do not count: of a withdrawn file, withdrawn themselves, or of an older importer that a newer one replaced.
CREATE VIEW gone_artifact AS
SELECT a.artifact_id AS artifact_id
  FROM artifact a
 WHERE a.sha256 IN (SELECT target FROM withdrawn)
    OR a.sha256 || '?' || a.format || '?' || a.words IN (SELECT target FROM withdrawn)
    OR (a.sha256 || '@' || a.importer IN (SELECT target FROM withdrawn)
        AND EXISTS (SELECT 1 FROM artifact n
                     WHERE n.sha256 = a.sha256 AND n.format = a.format AND n.words = a.words AND n.importer > a.importer));

-- One imported file or member, counted in input rows.
CREATE VIEW v_artifact AS
SELECT path AS artifact, format, sha256, accepted, duplicate, rejected, ignored, imported, words, size_B, importer,
       CAST(CASE WHEN artifact_id IN (SELECT artifact_id FROM gone_artifact) THEN 1 ELSE 0 END AS INTEGER) AS withdrawn
  FROM artifact;

-- One refused row of a reading that counts.
CREATE VIEW v_reject AS
SELECT a.path AS artifact, r.line AS line, r.field AS field, r.reason AS reason, r.raw AS raw
  FROM reject r JOIN artifact a ON a.artifact_id = r.artifact_id
 WHERE r.artifact_id NOT IN (SELECT artifact_id FROM gone_artifact);

-- One withdrawal and one fact that it leaves out: by its own key, by that of a result of it, or by a file that says it.
CREATE VIEW v_gone AS
SELECT g.kind AS kind, g.key AS key,
       CAST(CASE WHEN g.kind <> 'entry' THEN (SELECT min(f.fact) FROM fact f WHERE f.kind = g.kind AND f.id = g.id)
            ELSE (SELECT min(f.fact) FROM fact f
                   WHERE f.kind = 'result' AND f.id IN (SELECT r.result_id FROM result_row r WHERE r.entry_id = g.id)) END AS TEXT) AS fact,
       w.target AS target, w.reason AS reason, w.date AS date, g.fact_key AS fact_key,
       CAST(CASE WHEN length(w.date) >= 10 THEN substr(w.date, 1, 10) ELSE substr(w.date || '-01-01', 1, 10) END AS TEXT) AS day
  FROM gone_fact g
  JOIN withdrawn w
    ON w.target IN (SELECT g.key
                    UNION ALL
                    SELECT x.target FROM withdrawn x
                     WHERE g.kind = 'entry' AND x.target >= 'r-' || substr(g.key, 3) || '-' AND x.target < 'r-' || substr(g.key, 3) || '.'
                    UNION ALL -- by the name of it, or of a result of it
                    SELECT f.fact FROM fact f
                     WHERE (g.kind <> 'entry' AND f.kind = g.kind AND f.id = g.id)
                        OR (g.kind = 'entry' AND f.kind = 'result'
                            AND f.id IN (SELECT r.result_id FROM result_row r WHERE r.entry_id = g.id))
                    UNION ALL
                    SELECT CASE v.reading WHEN 0 THEN a.sha256 WHEN 1 THEN a.sha256 || '@' || a.importer
                                          ELSE a.sha256 || '?' || a.format || '?' || a.words END
                      FROM (SELECT 0 AS reading UNION ALL SELECT 1 UNION ALL SELECT 2) v
                     CROSS JOIN artifact a
                     WHERE a.artifact_id IN (SELECT e.artifact_id FROM entry_row e WHERE g.kind = 'entry' AND e.entry_id = g.id
                                             UNION ALL
                                             SELECT m.artifact_id FROM witness_row m WHERE g.kind = 'entry' AND m.entry_id = g.id
                                             UNION ALL
                                             SELECT o.artifact_id FROM origin o WHERE o.kind = g.kind AND o.id = g.id));

-- One event that takes something back, or lets it count again: the last of a target holds.
CREATE VIEW v_withdrawal AS SELECT target, reason, date, event,
       CAST(CASE WHEN length(date) >= 10 THEN substr(date, 1, 10) ELSE substr(date || '-01-01', 1, 10) END AS TEXT) AS day FROM withdrawal;

-- One column of a public view.
CREATE VIEW v_column AS SELECT view, place, column_name, unit, meaning FROM column_doc;

INSERT INTO column_doc (view, place, column_name, unit, meaning) VALUES
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
('v_device', 2, 'vendor', '', 'who makes it'),
('v_device', 3, 'architecture', '', 'family of the design'),
('v_device', 4, 'form_factor', '', 'SXM, PCIe, OAM, ...'),
('v_device', 5, 'memory', '', 'what a name of it may say of its memory: sizes in GB and the kind'),
('v_device', 6, 'kind', '', 'gpu, accelerator, tpu, cpu'),
('v_device', 7, 'dies', '', 'compute dies'),
('v_device', 8, 'year', '', 'of first availability'),
('v_device', 9, 'source', '', 'who says it'),
('v_device', 10, 'locator', '', 'where'),
('v_name_factor', 1, 'spelling', '', 'of a device, as published'),
('v_name_factor', 2, 'factor', '', 'name of the factor'),
('v_name_factor', 3, 'text', '', 'its value as text'),
('v_name_factor', 4, 'num', 'unit', 'its value as a number, where it is one'),
('v_name_factor', 5, 'unit', '', 'unit of num'),
('v_decoration', 1, 'place', '', 'those before take their words away first'),
('v_decoration', 2, 'pattern', '', 'words; # is a number, ... any words up to the closing bracket'),
('v_decoration', 3, 'says', '', 'vendor, form_factor, memory, kind: columns of v_device; else any sort of word'),
('v_decoration', 4, 'meaning', '', 'what it says; NULL: the number'),
('v_decoration', 5, 'factor', '', 'factor that it becomes; NULL: none'),
('v_decoration', 6, 'factor_unit', '', 'unit of its number'),
('v_decoration', 7, 'source', '', 'who writes names so'),
('v_decoration', 8, 'locator', '', 'where'),
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
('v_provider', 1, 'provider', '', 'as prices name it'),
('v_provider', 2, 'kind', '', 'tier-1 cloud, GPU cloud, marketplace, vendor'),
('v_provider', 3, 'source', '', 'who says so'),
('v_provider', 4, 'locator', '', 'where'),
('v_exchange_rate', 1, 'currency', '', 'ISO 4217'),
('v_exchange_rate', 2, 'day', '', 'of the rate'),
('v_exchange_rate', 3, 'usd', 'USD', 'for one unit of the currency'),
('v_exchange_rate', 4, 'source', '', 'who says so'),
('v_exchange_rate', 5, 'locator', '', 'where'),
('v_fabric', 1, 'provider', '', 'as prices name it'),
('v_fabric', 2, 'instance', '', 'as prices name it'),
('v_fabric', 3, 'fabric', '', 'network between instances: InfiniBand, EFA, ...'),
('v_fabric', 4, 'source', '', 'who says so'),
('v_fabric', 5, 'locator', '', 'where'),
('v_name', 1, 'kind', '', 'device, model, submitter, system, provider'),
('v_name', 2, 'spelling', '', 'as published'),
('v_name', 3, 'part', '', 'part of a mixed system'),
('v_name', 4, 'canon', '', 'canonical name'),
('v_name', 5, 'share', '', 'devices of the part'),
('v_name', 6, 'parts', '', 'parts of the spelling'),
('v_name', 7, 'how', '', 'canon, alias, folded, decorated, unresolved'),
('v_name', 8, 'used', '', '1: facts that were not withdrawn are spelt so'),
('v_mlperf_round', 1, 'suite', '', 'inference, training, hpc, tiny, storage, ...'),
('v_mlperf_round', 2, 'round', '', 'version of the suite'),
('v_mlperf_round', 3, 'round_order', '', 'the round as a number that sorts'),
('v_mlperf_round', 4, 'published', '', 'date on which its results were published'),
('v_mlperf_round', 5, 'source', '', 'who says so'),
('v_mlperf_round', 6, 'locator', '', 'where'),
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
('v_artifact', 11, 'importer', '', 'version of the importer'),
('v_artifact', 12, 'withdrawn', '', '1: this reading does not count; its rejects are kept in the table reject, and v_reject leaves them out'),
('v_reject', 1, 'artifact', '', 'file'),
('v_reject', 2, 'line', '', 'line in it'),
('v_reject', 3, 'field', '', 'column'),
('v_reject', 4, 'reason', '', 'what is wrong and what to do'),
('v_reject', 5, 'raw', '', 'the row as it was'),
('v_gone', 1, 'kind', '', 'entry, spec or price'),
('v_gone', 2, 'key', '', 'printed key of what is left out: e- (of the run), s- or p-'),
('v_gone', 3, 'fact', '', 'its name, where it has one'),
('v_gone', 4, 'target', '', 'what was withdrawn: sha256 of an artifact, or a key'),
('v_gone', 5, 'reason', '', 'why'),
('v_gone', 6, 'date', '', 'when, UTC'),
('v_gone', 7, 'fact_key', '', 'first 16 hexadecimal digits of the key as a number: an index leads to it'),
('v_withdrawal', 1, 'target', '', 'sha256 of an artifact (with @N: as version N of its importer read it), or a key r-, e-, s-, p-'),
('v_withdrawal', 2, 'reason', '', 'why'),
('v_withdrawal', 3, 'date', '', 'when, UTC'),
('v_withdrawal', 4, 'event', '', 'withdrawn, or restored: it counts again; the last of a target holds'),
('v_column', 1, 'view', '', 'public view'),
('v_column', 2, 'place', '', 'order'),
('v_column', 3, 'column_name', '', 'name'),
('v_column', 4, 'unit', '', 'unit; ''unit'': that of the row'),
('v_column', 5, 'meaning', '', 'what it says');
