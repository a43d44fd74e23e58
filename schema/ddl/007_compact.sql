-- 007_compact.sql - the same facts in less room and less time: what many entries say alike is kept once (description,
-- quantity), keys of 63 bits stand once a row with a small number to join by, and the file that said an entry first
-- stands in its row. entry, result and witness are views of that name over these tables (schema/views/005_stored.sql).

-- The fields of entries, interned: 31 texts shared by every entry that agrees on all of them. See schema/core/field.def.
-- (x = a OR x = b, since IN with a list makes SQLite build a table for every row.)
CREATE TABLE description (
    description_id  INTEGER PRIMARY KEY,    -- number in this file
    description_key INTEGER NOT NULL,       -- 63 bits of SHA-256 of the fields
    evidence        TEXT NOT NULL CHECK (evidence = 'measured' OR evidence = 'published' OR evidence = 'mlperf'),
    kind            TEXT NOT NULL CHECK (kind = 'run' OR kind = 'score' OR kind = 'average' OR kind = 'statement'),
    status          TEXT NOT NULL DEFAULT 'ok',  -- not 'ok': no results
    reason          TEXT,
    verified        TEXT NOT NULL DEFAULT 'unknown',
    suite           TEXT,
    system_type     TEXT,
    round           TEXT,
    division        TEXT,
    availability    TEXT,
    public_id       TEXT,
    submitter       TEXT,
    system          TEXT,
    platform        TEXT,
    workload        TEXT,
    model           TEXT,
    scenario        TEXT,
    device          TEXT,
    devices         INTEGER CHECK (devices >= 0),
    nodes           INTEGER CHECK (nodes > 0),
    backend         TEXT,
    dtype           TEXT,
    date            TEXT,
    tag             TEXT,
    campaign        TEXT,
    cell            TEXT,
    flags           TEXT NOT NULL DEFAULT '',
    source          TEXT NOT NULL REFERENCES source,
    url             TEXT,
    retrieved       TEXT
) STRICT;

-- What a number is, interned.
CREATE TABLE quantity (
    quantity_id INTEGER PRIMARY KEY,        -- number in this file
    metric      TEXT NOT NULL,              -- 'tokens_per_s', 'accuracy.rouge1'
    statistic   TEXT NOT NULL,              -- value mean median min max p50 ... p99.9 sd olympic-mean
    unit        TEXT NOT NULL,              -- base unit
    raw_unit    TEXT,                       -- as published; NULL: the source states none
    spread      TEXT CHECK (spread IN ('ci95', 'minmax', 'iqr', 'sd')),  -- what low and high are
    formula     TEXT                        -- identifier/version where abdb computed the value from the artifact
) STRICT;
CREATE UNIQUE INDEX quantity_all ON quantity (metric, statistic, unit, coalesce(raw_unit, ''), coalesce(spread, ''), coalesce(formula, ''));

-- Artifacts with a small number beside their key.
CREATE TABLE artifact_numbered (
    artifact_id  INTEGER PRIMARY KEY,       -- number in this file
    artifact_key INTEGER NOT NULL UNIQUE,   -- 63 bits of SHA-256 of digest, format and words
    sha256       TEXT NOT NULL,             -- of the bytes; of a folder: of the list of its files and their digests
    path         TEXT NOT NULL,             -- as given on the command line, or inside the archive
    format       TEXT NOT NULL,             -- importer that read it
    words        TEXT NOT NULL DEFAULT '',  -- what `--set` supplied: the user's word
    size_B       INTEGER NOT NULL CHECK (size_B >= 0),  -- bytes
    accepted     INTEGER NOT NULL,          -- input rows with something new
    duplicate    INTEGER NOT NULL,          -- input rows that only repeat
    rejected     INTEGER NOT NULL,          -- input rows refused, see reject
    ignored      INTEGER NOT NULL,          -- input rows with nothing to keep
    imported     TEXT NOT NULL              -- when, UTC, ISO 8601
) STRICT;
INSERT INTO artifact_numbered SELECT row_number() OVER (ORDER BY imported, artifact_id), artifact_id, sha256, path, format, words,
       size_B, accepted, duplicate, rejected, ignored, imported FROM artifact;
-- Points with a small number beside their key.
CREATE TABLE point_numbered (
    point_id  INTEGER PRIMARY KEY,          -- number in this file
    point_key INTEGER NOT NULL UNIQUE       -- 63 bits of SHA-256 of the sorted factors
) STRICT;
INSERT INTO point_numbered SELECT row_number() OVER (ORDER BY point_id), point_id FROM point;

-- One factor of an interned set.
CREATE TABLE point_factor_new (
    point_id INTEGER NOT NULL REFERENCES point,  -- the set of factors
    factor   TEXT NOT NULL REFERENCES factor,  -- name of the factor
    state    TEXT NOT NULL CHECK (state IN ('known', 'unknown', 'inapplicable')),  -- known, unknown or inapplicable
    text     TEXT NOT NULL,                 -- never NULL, so that '=' joins everywhere
    num      REAL CHECK (num > -9e999 AND num < 9e999), -- the value as a number, where it is one
    unit     TEXT,                          -- base unit
    PRIMARY KEY (point_id, factor)
) STRICT, WITHOUT ROWID;
INSERT INTO point_factor_new SELECT n.point_id, p.factor, p.state, p.text, p.num, p.unit
  FROM point_factor p JOIN point_numbered n ON n.point_key = p.point_id;

-- One run, score, average or statement as ONE source tells it.
CREATE TABLE entry_row (
    entry_id       INTEGER PRIMARY KEY,     -- number in this file: to join by
    entry_key      INTEGER NOT NULL,        -- 63 bits of SHA-256 of the content; no artifact, line, import time
    description_id INTEGER NOT NULL REFERENCES description,  -- the fields
    point_id       INTEGER NOT NULL REFERENCES point,  -- the set of factors
    environment_id INTEGER REFERENCES environment,  -- the environment
    artifact_id    INTEGER REFERENCES artifact,  -- the file that said it first; NULL: a run here
    place          ANY                      -- where in it: a number is a line
) STRICT;
CREATE TEMP TABLE entry_number AS SELECT row_number() OVER (ORDER BY entry_id) AS entry_id, entry_id AS entry_key FROM entry;
CREATE UNIQUE INDEX temp.entry_number_key ON entry_number (entry_key);
CREATE TEMP TABLE told AS SELECT *, row_number() OVER (ORDER BY evidence, entry_id) AS number FROM (
SELECT *, min(entry_id) OVER (PARTITION BY evidence, kind, status, reason, verified, suite, system_type, round, division, availability,
       public_id, submitter, system, platform, workload, model, scenario, device, devices, nodes, backend, dtype, date, tag, campaign,
       cell, flags, source, url, retrieved) AS first FROM entry);
-- keys of descriptions are made by abdb: a migrated one has the key of an entry until it is said again
INSERT INTO description SELECT number, -1 - number, evidence, kind, status, reason, verified, suite, system_type, round, division,
       availability, public_id, submitter, system, platform, workload, model, scenario, device, devices, nodes, backend, dtype, date,
       tag, campaign, cell, flags, source, url, retrieved FROM told WHERE entry_id = first;
INSERT INTO entry_row SELECT n.entry_id, t.entry_id, (SELECT f.number FROM told f WHERE f.entry_id = t.first), p.point_id,
       t.environment_id, a.artifact_id, CASE WHEN w.locator GLOB 'line [1-9]*' AND substr(w.locator, 6) NOT GLOB '*[^0-9]*'
         AND length(w.locator) < 20 THEN CAST(substr(w.locator, 6) AS INTEGER) ELSE w.locator END
  FROM told t JOIN entry_number n ON n.entry_key = t.entry_id JOIN point_numbered p ON p.point_key = t.point_id
  LEFT JOIN witness w ON w.entry_id = t.entry_id AND (w.artifact_id, w.locator) = (SELECT x.artifact_id, x.locator FROM witness x
    JOIN artifact_numbered y ON y.artifact_key = x.artifact_id WHERE x.entry_id = t.entry_id ORDER BY y.artifact_id, x.locator LIMIT 1)
  LEFT JOIN artifact_numbered a ON a.artifact_key = w.artifact_id ORDER BY 1;

-- Every other place that says an entry.
CREATE TABLE witness_row (
    entry_id    INTEGER NOT NULL REFERENCES entry_row,  -- the entry
    artifact_id INTEGER NOT NULL REFERENCES artifact,  -- the file
    place       ANY NOT NULL,               -- where in it: a number is a line
    PRIMARY KEY (entry_id, artifact_id, place)
) STRICT, WITHOUT ROWID;
INSERT INTO witness_row SELECT n.entry_id, a.artifact_id, CASE WHEN w.locator GLOB 'line [1-9]*' AND substr(w.locator, 6)
       NOT GLOB '*[^0-9]*' AND length(w.locator) < 20 THEN CAST(substr(w.locator, 6) AS INTEGER) ELSE w.locator END
  FROM witness w JOIN entry_number n ON n.entry_key = w.entry_id JOIN artifact_numbered a ON a.artifact_key = w.artifact_id
 WHERE NOT EXISTS (SELECT 1 FROM entry_row e WHERE e.entry_id = n.entry_id AND e.artifact_id = a.artifact_id AND
       CASE typeof(e.place) WHEN 'integer' THEN 'line ' || e.place ELSE e.place END = w.locator);

-- A whole made of pieces: a score of its runs, an average of its rows.
CREATE TABLE part_new (
    whole INTEGER NOT NULL REFERENCES entry_row,  -- the score or average
    piece INTEGER NOT NULL REFERENCES entry_row,  -- what it was made of
    role  TEXT NOT NULL,                    -- what the piece is to the whole
    PRIMARY KEY (whole, piece)
) STRICT, WITHOUT ROWID;
INSERT INTO part_new SELECT a.entry_id, b.entry_id, p.role FROM part p JOIN entry_number a ON a.entry_key = p.whole
  JOIN entry_number b ON b.entry_key = p.piece;

-- One value of one metric of an entry.
CREATE TABLE result_row (
    entry_id    INTEGER NOT NULL REFERENCES entry_row,  -- the entry
    ordinal     INTEGER NOT NULL,           -- place in the entry, by metric, statistic, rank, x
    quantity_id INTEGER NOT NULL REFERENCES quantity,  -- what it is
    value       REAL NOT NULL CHECK (value > -9e999 AND value < 9e999),  -- in the base unit
    raw_value   TEXT,                       -- as published
    cell        TEXT,                       -- where in the artifact, finer than the entry's locator
    rank        INTEGER NOT NULL DEFAULT -1,  -- MPI rank
    x           REAL NOT NULL DEFAULT 0 CHECK (x > -9e999 AND x < 9e999),  -- place in a series (step, seconds)
    n           INTEGER CHECK (n > 0),      -- samples behind it
    low         REAL CHECK (low > -9e999 AND low < 9e999),  -- lower end of the spread
    high        REAL CHECK (high > -9e999 AND high < 9e999),  -- upper end of the spread
    PRIMARY KEY (entry_id, ordinal)
) STRICT, WITHOUT ROWID;
INSERT INTO quantity SELECT row_number() OVER (ORDER BY metric, statistic, unit), metric, statistic, unit, raw_unit, spread, formula
  FROM (SELECT DISTINCT metric, statistic, unit, raw_unit, spread, formula FROM result);
INSERT INTO result_row SELECT e.entry_id, r.ordinal, q.quantity_id, r.value, r.raw_value, r.cell, r.rank, r.x, r.n, r.low, r.high
  FROM result r JOIN entry_number e ON e.entry_key = r.entry_id
  JOIN quantity q ON q.metric = r.metric AND q.statistic = r.statistic AND q.unit = r.unit AND q.raw_unit IS r.raw_unit
   AND q.spread IS r.spread AND q.formula IS r.formula ORDER BY 1, 2;

-- Raw values behind a result.
CREATE TABLE sample_new (
    entry_id INTEGER NOT NULL,              -- the entry
    ordinal  INTEGER NOT NULL,              -- the result in the entry
    seq      INTEGER NOT NULL,              -- number of the sample
    rank     INTEGER NOT NULL DEFAULT -1,   -- MPI rank, -1 none
    t_s      REAL CHECK (t_s > -9e999 AND t_s < 9e999), -- since the first sample
    value    REAL NOT NULL CHECK (value > -9e999 AND value < 9e999),  -- in the base unit
    mark     TEXT,                          -- outlier, throttled; no sample is deleted
    PRIMARY KEY (entry_id, ordinal, seq, rank),
    FOREIGN KEY (entry_id, ordinal) REFERENCES result_row
) STRICT, WITHOUT ROWID;
INSERT INTO sample_new SELECT n.entry_id, s.ordinal, s.seq, s.rank, s.t_s, s.value, s.mark
  FROM sample s JOIN entry_number n ON n.entry_key = s.entry_id ORDER BY 1, 2, 3, 4;

-- Clocks, power, temperature during a run.
CREATE TABLE telemetry_new (
    entry_id INTEGER NOT NULL REFERENCES entry_row,  -- the entry
    t_s      REAL NOT NULL CHECK (t_s > -9e999 AND t_s < 9e999),  -- seconds since the start
    device   TEXT NOT NULL,
    quantity TEXT NOT NULL,                 -- what was measured or stated
    value    REAL NOT NULL CHECK (value > -9e999 AND value < 9e999),  -- in the base unit
    unit     TEXT NOT NULL,                 -- base unit
    PRIMARY KEY (entry_id, quantity, device, t_s)
) STRICT, WITHOUT ROWID;
INSERT INTO telemetry_new SELECT n.entry_id, t.t_s, t.device, t.quantity, t.value, t.unit
  FROM telemetry t JOIN entry_number n ON n.entry_key = t.entry_id;

UPDATE fact SET id = (SELECT n.entry_id FROM entry_number n WHERE n.entry_key = fact.id) WHERE kind = 'result';
-- One refused row, kept with its reason.
CREATE TABLE reject_new (
    artifact_id INTEGER NOT NULL REFERENCES artifact,  -- the file
    line        INTEGER NOT NULL,           -- line in the file, 0 unknown
    field       TEXT,                       -- column or key
    reason      TEXT NOT NULL,              -- what is wrong and what to do
    raw         TEXT                        -- the row as it was, cut at 4096 bytes
) STRICT;
INSERT INTO reject_new SELECT a.artifact_id, r.line, r.field, r.reason, r.raw FROM reject r
  JOIN artifact_numbered a ON a.artifact_key = r.artifact_id ORDER BY r.rowid;
-- Where a specification or price was said: the twin of witness for facts that are no entries.
CREATE TABLE origin_new (
    kind        TEXT NOT NULL CHECK (kind IN ('spec', 'price')),  -- which table
    id          INTEGER NOT NULL,           -- spec_id or price_id
    artifact_id INTEGER NOT NULL REFERENCES artifact,  -- the file
    locator     TEXT NOT NULL,              -- line in it
    PRIMARY KEY (kind, id, artifact_id, locator)
) STRICT, WITHOUT ROWID;
INSERT INTO origin_new SELECT o.kind, o.id, a.artifact_id, o.locator FROM origin o
  JOIN artifact_numbered a ON a.artifact_key = o.artifact_id;

DROP TABLE sample;
DROP TABLE telemetry;
DROP TABLE part;
DROP TABLE result;
DROP TABLE witness;
DROP TABLE entry;
DROP TABLE point_factor;
DROP TABLE point;
DROP TABLE reject;
DROP TABLE origin;
DROP TABLE artifact;
ALTER TABLE artifact_numbered RENAME TO artifact;
ALTER TABLE point_numbered RENAME TO point;
ALTER TABLE point_factor_new RENAME TO point_factor;
ALTER TABLE part_new RENAME TO part;
ALTER TABLE sample_new RENAME TO sample;
ALTER TABLE telemetry_new RENAME TO telemetry;
ALTER TABLE reject_new RENAME TO reject;
ALTER TABLE origin_new RENAME TO origin;
DROP TABLE temp.entry_number;
DROP TABLE temp.told;

CREATE UNIQUE INDEX entry_row_key ON entry_row (entry_key);
CREATE INDEX entry_row_description ON entry_row (description_id);
CREATE INDEX entry_row_point ON entry_row (point_id);
CREATE UNIQUE INDEX description_key ON description (description_key);
CREATE INDEX description_device ON description (device, model, scenario);
CREATE INDEX description_model ON description (model, scenario, round);
CREATE INDEX description_workload ON description (workload, device);
CREATE INDEX description_campaign ON description (campaign) WHERE campaign IS NOT NULL;
CREATE INDEX description_round ON description (round, model) WHERE round IS NOT NULL;
CREATE INDEX description_source ON description (source, device, devices);
CREATE INDEX description_tag ON description (tag) WHERE tag IS NOT NULL;
CREATE INDEX description_date ON description (date, campaign) WHERE campaign IS NOT NULL;
CREATE INDEX point_factor_text ON point_factor (factor, text, point_id);
CREATE INDEX point_factor_num ON point_factor (factor, num, point_id);
CREATE INDEX reject_artifact ON reject (artifact_id, line);
DELETE FROM gone;
DELETE FROM subject;
INSERT OR REPLACE INTO meta VALUES ('index', 'stale');
