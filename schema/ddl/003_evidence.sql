-- 003_evidence.sql - entries, their results, samples and circumstances. Facts: inserted, never updated.
--
-- A key is the first 127 bits of a SHA-256, in two columns: NAME_key (63 bits, indexed) and NAME_key_low (64 bits,
-- compared where the first agree). Printed, it is 32 hexadecimal digits. What many entries say alike is kept once
-- (description, point, quantity, environment, process). The views entry, result and sample put it together again
-- (schema/views/005_stored.sql); they leave out what was withdrawn.

-- An interned set of factors, shared by every entry that agrees on all of them.
CREATE TABLE point (
    point_id      INTEGER PRIMARY KEY,      -- number in this file
    point_key     INTEGER NOT NULL,         -- of the sorted factors
    point_key_low INTEGER NOT NULL           -- the other half of it
) STRICT;
CREATE INDEX point_by_key ON point (point_key);

-- One factor of an interned set.
CREATE TABLE point_factor (
    point_id INTEGER NOT NULL REFERENCES point,  -- the set of factors
    factor   TEXT NOT NULL REFERENCES factor,  -- name of the factor
    state    TEXT NOT NULL CHECK (state IN ('known', 'unknown', 'inapplicable')),  -- known, unknown or inapplicable
    text     TEXT NOT NULL,                 -- never NULL, so that '=' joins everywhere
    num      REAL CHECK (num > -9e999 AND num < 9e999),  -- the value as a number, where it is one
    unit     TEXT,                          -- base unit
    PRIMARY KEY (point_id, factor)
) STRICT, WITHOUT ROWID;
CREATE INDEX point_factor_text ON point_factor (factor, text, point_id);
CREATE INDEX point_factor_num ON point_factor (factor, num, point_id);

-- The machine and software around a measurement.
CREATE TABLE environment (
    environment_id      INTEGER PRIMARY KEY,  -- number in this file
    environment_key     INTEGER NOT NULL,   -- of the body
    environment_key_low INTEGER NOT NULL,   -- the other half of it
    body                TEXT NOT NULL       -- a JSON object; in a database of others perhaps none: ask json_valid
) STRICT;
CREATE INDEX environment_by_key ON environment (environment_key);

-- One process of a backend: what was measured in one life of a program shares its luck, so it is the unit of evidence.
CREATE TABLE process (
    process_id      INTEGER PRIMARY KEY,    -- number in this file
    process_key     INTEGER NOT NULL,       -- of the other columns
    process_key_low INTEGER NOT NULL,        -- the other half of it
    campaign        TEXT NOT NULL,          -- the command of abdb run that started it
    backend         TEXT NOT NULL,          -- the program
    repetition      INTEGER NOT NULL CHECK (repetition > 0),  -- 1, 2, ... of `abdb run --repeat`
    start           INTEGER NOT NULL CHECK (start > 0),  -- 1, 2, ... of this repetition: started again after a crash
    started         TEXT NOT NULL           -- when, UTC, ISO 8601
) STRICT;
CREATE INDEX process_by_key ON process (process_key);

-- The fields of entries that many share, interned. See schema/core/field.def.
-- (x = a OR x = b, since IN with a list makes SQLite build a table for every row.)
CREATE TABLE description (
    description_id      INTEGER PRIMARY KEY,  -- number in this file
    description_key     INTEGER NOT NULL,   -- of the fields
    description_key_low INTEGER NOT NULL,    -- the other half of it
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
    tag             TEXT,
    campaign        TEXT,
    flags           TEXT NOT NULL DEFAULT '',
    source          TEXT NOT NULL REFERENCES source,
    url             TEXT,
    retrieved       TEXT
) STRICT;
CREATE INDEX description_by_key ON description (description_key);
CREATE INDEX description_device ON description (device);
CREATE INDEX description_model ON description (model, scenario);
CREATE INDEX description_round ON description (round, model) WHERE round IS NOT NULL;
CREATE INDEX description_workload ON description (workload);
CREATE INDEX description_source ON description (source, device, devices);
CREATE INDEX description_campaign ON description (campaign) WHERE campaign IS NOT NULL;
CREATE INDEX description_tag ON description (tag) WHERE tag IS NOT NULL;

-- What a number is, interned.
CREATE TABLE quantity (
    quantity_id INTEGER PRIMARY KEY,        -- number in this file
    metric      TEXT NOT NULL,              -- 'tokens_per_s', 'accuracy.rouge1'
    statistic   TEXT NOT NULL,              -- value mean median min max p50 ... p99.9 sd olympic-mean
    unit        TEXT NOT NULL,              -- base unit
    raw_unit    TEXT,                       -- as published; NULL: the source states none
    spread      TEXT CHECK (spread IN ('ci95', 'minmax', 'iqr', 'sd')),  -- what low and high are
    formula     TEXT                        -- identifier@version where abdb computed the value from the artifact
) STRICT;
CREATE UNIQUE INDEX quantity_all ON quantity (metric, statistic, unit, coalesce(raw_unit, ''), coalesce(spread, ''), coalesce(formula, ''));

-- One run, score, average or statement as ONE source tells it; its metrics belong together.
-- The key is of the content. A measured row of an imported file has an origin beside it, so that two runs with equal
-- numbers stay two, while an archive, its folder and a renamed copy agree; never a path, line or time of import.
CREATE TABLE entry_row (
    entry_id       INTEGER PRIMARY KEY,     -- number in this file
    entry_key      INTEGER NOT NULL,        -- of the content and the origin
    entry_key_low  INTEGER NOT NULL,         -- the other half of it
    description_id INTEGER NOT NULL REFERENCES description,  -- the fields that many share
    point_id       INTEGER NOT NULL REFERENCES point,  -- the set of factors
    environment_id INTEGER REFERENCES environment,  -- the machine and software
    process_id     INTEGER REFERENCES process,  -- the life of the backend that measured it
    date           TEXT,                    -- when it was measured or stated, ISO 8601 as precise as it is known
    cell           TEXT,                    -- place of a measurement in its plan
    origin         INTEGER,                 -- 63 bits of SHA-256 of the file's digest and the row's place in it
    artifact_id    INTEGER REFERENCES artifact,  -- the file that said it first; NULL: a run here
    line           INTEGER,                 -- where in it: a line, or
    place          TEXT                     -- JSON path, cell, ...
) STRICT;
CREATE INDEX entry_by_key ON entry_row (entry_key);
CREATE INDEX entry_by_description ON entry_row (description_id);

-- Every other place that says an entry.
CREATE TABLE witness_row (
    entry_id    INTEGER NOT NULL REFERENCES entry_row,  -- the entry
    artifact_id INTEGER NOT NULL REFERENCES artifact,  -- the file
    line        INTEGER NOT NULL,           -- where in it: a line, or 0 and
    place       TEXT NOT NULL,              -- JSON path, cell, ...; else ''
    PRIMARY KEY (entry_id, artifact_id, line, place)
) STRICT, WITHOUT ROWID;

-- A whole made of pieces: a score of its runs, an average of its rows.
CREATE TABLE part (
    whole INTEGER NOT NULL REFERENCES entry_row,  -- the score or average
    piece INTEGER NOT NULL REFERENCES entry_row,  -- what it was made of
    role  TEXT NOT NULL,                    -- what the piece is to the whole
    PRIMARY KEY (whole, piece)
) STRICT, WITHOUT ROWID;
CREATE INDEX part_piece ON part (piece);

-- One value of one metric of an entry.
CREATE TABLE result_row (
    result_id    INTEGER PRIMARY KEY,       -- number in this file
    entry_id     INTEGER NOT NULL REFERENCES entry_row,  -- the entry
    ordinal      INTEGER NOT NULL,          -- place in the entry, by metric, statistic, rank, x: part of the printed key
    quantity_id  INTEGER NOT NULL REFERENCES quantity,  -- what it is
    value        REAL NOT NULL CHECK (value > -9e999 AND value < 9e999),  -- in the base unit
    raw_value    TEXT,                      -- as published
    cell         TEXT,                      -- where in the artifact, finer than the entry's place
    mpi_rank     INTEGER,                   -- MPI rank; NULL: none
    x            REAL CHECK (x IS NULL OR (x > -9e999 AND x < 9e999)),  -- place in a series (step, seconds); NULL: none
    n            INTEGER CHECK (n > 0),     -- samples behind it, as far as they are known
    low          REAL CHECK (low IS NULL OR (low > -9e999 AND low < 9e999)),  -- lower end of the spread
    high         REAL CHECK (high IS NULL OR (high > -9e999 AND high < 9e999)),  -- upper end of the spread
    first_sample INTEGER,                   -- the samples that are kept: sample_row from here
    last_sample  INTEGER                    -- to here; NULL: none
) STRICT;
CREATE INDEX result_by_entry ON result_row (entry_id);

-- Raw values behind a result, those of a result side by side. No sample is ever deleted.
CREATE TABLE sample_row (
    sample_id INTEGER PRIMARY KEY,          -- number in this file; result_row says which are whose
    value     REAL NOT NULL CHECK (value > -9e999 AND value < 9e999),  -- in the base unit
    t_s       REAL CHECK (t_s > -9e999 AND t_s < 9e999),  -- since the first sample
    mpi_rank  INTEGER,                      -- MPI rank; NULL: none
    mark      TEXT                          -- outlier, throttled
) STRICT;

-- Clocks, power, temperature during a run.
CREATE TABLE telemetry (
    entry_id INTEGER NOT NULL REFERENCES entry_row,  -- the entry
    sensor   TEXT NOT NULL,                 -- which one: 'cpu', 'gpu 0', ...
    quantity TEXT NOT NULL,                 -- clock (Hz), temperature (degC), power (W)
    t_s      REAL NOT NULL CHECK (t_s > -9e999 AND t_s < 9e999),  -- since the first sample of the entry
    value    REAL NOT NULL CHECK (value > -9e999 AND value < 9e999),  -- in the base unit
    unit     TEXT NOT NULL,                 -- base unit
    PRIMARY KEY (entry_id, sensor, quantity, t_s)
) STRICT, WITHOUT ROWID;

-- A named part of a workload's time: where the seconds of one repetition went.
CREATE TABLE span (
    entry_id INTEGER NOT NULL REFERENCES entry_row,  -- the entry
    place    INTEGER NOT NULL,              -- 1, 2, ... in the order of the workload
    span     TEXT NOT NULL,                 -- its name: 'forward', 'attention', ...
    within   TEXT,                          -- the span that it is a part of; NULL: the whole
    kernel   TEXT,                          -- kernel that it runs
    provider TEXT,                          -- library that ran it
    calls    INTEGER NOT NULL CHECK (calls > 0),  -- launches
    time_s   REAL NOT NULL CHECK (time_s >= 0 AND time_s < 9e999),  -- all calls together
    ops      REAL CHECK (ops >= 0 AND ops < 9e999),  -- operations of all calls
    bytes_B  REAL CHECK (bytes_B >= 0 AND bytes_B < 9e999),  -- bytes of all calls
    PRIMARY KEY (entry_id, place)
) STRICT, WITHOUT ROWID;

-- One rank of a run on several processes: where it ran.
CREATE TABLE rank (
    entry_id INTEGER NOT NULL REFERENCES entry_row,  -- the entry
    mpi_rank INTEGER NOT NULL CHECK (mpi_rank >= 0),  -- 0, 1, ...
    host     TEXT NOT NULL,                 -- name or pseudonym of the node
    device   TEXT,                          -- as the backend names it
    binding  TEXT,                          -- processors or device that it was bound to
    PRIMARY KEY (entry_id, mpi_rank)
) STRICT, WITHOUT ROWID;

-- Derived, kept up to date as an index is: which statements are about one result (names first; values decide where a
-- source repeats a name). Only results that more than one place can state have a row.
CREATE TABLE subject (
    result_id INTEGER PRIMARY KEY,          -- the statement
    subject   INTEGER NOT NULL,             -- smallest entry_key of the group
    preferred INTEGER NOT NULL CHECK (preferred IN (0, 1)),  -- 1: stands for the result
    sources   INTEGER NOT NULL,             -- sources that state it
    disagree  INTEGER NOT NULL CHECK (disagree IN (0, 1)),  -- 1: their values differ beyond rounding
    flags     TEXT NOT NULL DEFAULT '',     -- averaged, repeated, devices-disagree, unit-disagree
    public_id TEXT,                         -- an ID that any of the statements gives
    verified  INTEGER NOT NULL CHECK (verified IN (0, 1))  -- 1: one of the statements is a reviewed publication
) STRICT;
CREATE INDEX subject_subject ON subject (subject);

-- Derived, kept up to date as an index is: the best verified result of each machine, quantity and number format among the
-- cells that were made to find a ceiling (factor `ceiling`).
CREATE TABLE ceiling_best (
    device    TEXT NOT NULL,                -- as its source spells it; '' where it says none
    quantity  TEXT NOT NULL,                -- peak_flops, peak_ops or memory_bandwidth
    dtype     TEXT NOT NULL,                -- number format of a peak; else ''
    result_id INTEGER NOT NULL,             -- the result
    PRIMARY KEY (device, quantity, dtype)
) STRICT, WITHOUT ROWID;
