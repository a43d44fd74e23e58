-- 005_stored.sql - entries, results and witnesses as one row each, put together from the tables that hold them. To join
-- them use entry_id and ordinal: numbers of this file; entry_key is the same in every database.

CREATE VIEW entry AS
SELECT w.entry_id AS entry_id, w.entry_key AS entry_key, w.point_id AS point_id, w.environment_id AS environment_id, d.evidence AS evidence,
       d.kind AS kind, d.status AS status, d.reason AS reason, d.verified AS verified, d.suite AS suite, d.system_type AS system_type,
       d.round AS round, d.division AS division, d.availability AS availability, d.public_id AS public_id, d.submitter AS submitter,
       d.system AS system, d.platform AS platform, d.workload AS workload, d.model AS model, d.scenario AS scenario, d.device AS device,
       d.devices AS devices, d.nodes AS nodes, d.backend AS backend, d.dtype AS dtype, d.date AS date, d.tag AS tag,
       d.campaign AS campaign, d.cell AS cell, d.flags AS flags, d.source AS source, d.url AS url, d.retrieved AS retrieved
  FROM description d -- first, so that a CROSS JOIN before entry holds for it
  JOIN entry_row w ON w.description_id = d.description_id;

CREATE VIEW result AS
SELECT w.entry_id AS entry_id, w.ordinal AS ordinal, q.metric AS metric, q.statistic AS statistic, w.rank AS rank, w.x AS x,
       w.value AS value, q.unit AS unit, w.raw_value AS raw_value, q.raw_unit AS raw_unit, w.cell AS cell, w.n AS n, w.low AS low,
       w.high AS high, q.spread AS spread, q.formula AS formula
  FROM result_row w
  JOIN quantity q ON q.quantity_id = w.quantity_id;

CREATE VIEW witness AS
SELECT entry_id, artifact_id, CASE typeof(place) WHEN 'integer' THEN 'line ' || place ELSE place END AS locator
  FROM entry_row WHERE artifact_id IS NOT NULL
UNION ALL
SELECT entry_id, artifact_id, CASE typeof(place) WHEN 'integer' THEN 'line ' || place ELSE place END FROM witness_row;

INSERT INTO column_doc (view, place, column, unit, meaning) VALUES
('entry', 1, 'entry_id', '', 'number in this file: to join by'),
('entry', 2, 'entry_key', '', '63 bits of SHA-256 of the content, the same in every database'),
('entry', 3, 'point_id', '', 'the set of factors'),
('entry', 4, 'environment_id', '', 'the environment'),
('result', 1, 'entry_id', '', 'the entry'),
('result', 2, 'ordinal', '', 'place in the entry, by metric, statistic, rank, x'),
('result', 3, 'metric', '', 'fixed name'),
('result', 4, 'statistic', '', 'value mean median min max p50 ... sd olympic-mean'),
('result', 5, 'rank', '', 'MPI rank'),
('result', 6, 'x', '', 'place in a series'),
('result', 7, 'value', 'unit', 'in the base unit'),
('result', 8, 'unit', '', 'base unit'),
('result', 9, 'raw_value', '', 'as published'),
('result', 10, 'raw_unit', '', 'as published'),
('result', 11, 'cell', '', 'where in the artifact, finer than the locator of the entry'),
('result', 12, 'n', '', 'samples behind it'),
('result', 13, 'low', 'unit', 'lower end of the spread'),
('result', 14, 'high', 'unit', 'upper end of the spread'),
('result', 15, 'spread', '', 'what low and high are'),
('result', 16, 'formula', '', 'identifier/version where abdb computed the value from the artifact'),
('witness', 1, 'entry_id', '', 'the entry'),
('witness', 2, 'artifact_id', '', 'the file'),
('witness', 3, 'locator', '', 'line, JSON path or cell');
INSERT INTO column_doc (view, place, column, unit, meaning)
SELECT 'entry', cid + 1, name, '', 'of the entry; see abdb help and schema/core/field.def'
  FROM pragma_table_info('entry') WHERE name NOT IN ('entry_id', 'entry_key', 'point_id', 'environment_id');
