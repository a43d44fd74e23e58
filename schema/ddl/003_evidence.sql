-- 003_evidence.sql - entries, their results, samples and circumstances. Facts: inserted, never updated.

-- An interned set of factors, shared by every entry that agrees on all of them.
CREATE TABLE point (
    point_id INTEGER PRIMARY KEY            -- 63 bits of SHA-256 of the sorted factors
) STRICT;

-- One factor of an interned set.
CREATE TABLE point_factor (
    point_id INTEGER NOT NULL REFERENCES point,  -- the set of factors
    factor   TEXT NOT NULL REFERENCES factor,  -- name of the factor
    state    TEXT NOT NULL CHECK (state IN ('known', 'unknown', 'inapplicable')),  -- known, unknown or inapplicable
    text     TEXT NOT NULL,                 -- never NULL, so that '=' joins everywhere
    num      REAL CHECK (abs(num) < 9e999), -- the value as a number, where it is one
    unit     TEXT,                          -- base unit
    PRIMARY KEY (point_id, factor)
) STRICT, WITHOUT ROWID;
CREATE INDEX point_factor_text ON point_factor (factor, text, point_id);
CREATE INDEX point_factor_num ON point_factor (factor, num, point_id);

-- The machine and software around a measurement, as a JSON object.
CREATE TABLE environment (
    environment_id INTEGER PRIMARY KEY,     -- 63 bits of SHA-256 of the body
    body           TEXT NOT NULL CHECK (json_valid(body))  -- JSON object
) STRICT;

-- One run, score, average or statement as ONE source tells it; its metrics belong together.
-- The columns are those of schema/core/field.def, where each is explained.
CREATE TABLE entry (
    entry_id       INTEGER PRIMARY KEY,     -- 63 bits of SHA-256 of the content; no artifact, line, import time
    point_id       INTEGER NOT NULL REFERENCES point,  -- the set of factors
    environment_id INTEGER REFERENCES environment,  -- the environment
    evidence       TEXT NOT NULL CHECK (evidence IN ('measured', 'published', 'mlperf')),
    kind           TEXT NOT NULL CHECK (kind IN ('run', 'score', 'average', 'statement')),
    status         TEXT NOT NULL DEFAULT 'ok',  -- not 'ok': no results
    reason         TEXT,
    verified       TEXT NOT NULL DEFAULT 'unknown',
    suite          TEXT,
    system_type    TEXT,
    round          TEXT,
    division       TEXT,
    availability   TEXT,
    public_id      TEXT,
    submitter      TEXT,
    system         TEXT,
    platform       TEXT,
    workload       TEXT,
    model          TEXT,
    scenario       TEXT,
    device         TEXT,
    devices        INTEGER CHECK (devices >= 0),
    nodes          INTEGER CHECK (nodes > 0),
    backend        TEXT,
    dtype          TEXT,
    date           TEXT,
    tag            TEXT,
    campaign       TEXT,
    cell           TEXT,
    flags          TEXT NOT NULL DEFAULT '',
    source         TEXT NOT NULL REFERENCES source,
    url            TEXT,
    retrieved      TEXT
) STRICT;
CREATE INDEX entry_device ON entry (device, model, scenario);
CREATE INDEX entry_model ON entry (model, scenario, round);
CREATE INDEX entry_workload ON entry (workload, device);
CREATE INDEX entry_point ON entry (point_id);
CREATE INDEX entry_campaign ON entry (campaign) WHERE campaign IS NOT NULL;

-- Every place that says an entry: the artifact it came from first, and all that repeat it.
CREATE TABLE witness (
    entry_id    INTEGER NOT NULL REFERENCES entry,  -- the entry
    artifact_id INTEGER NOT NULL REFERENCES artifact,  -- the file
    locator     TEXT NOT NULL,              -- line, JSON path or cell
    PRIMARY KEY (entry_id, artifact_id, locator)
) STRICT, WITHOUT ROWID;

-- A whole made of pieces: a score of its runs, an average of its rows.
CREATE TABLE part (
    whole INTEGER NOT NULL REFERENCES entry,  -- the score or average
    piece INTEGER NOT NULL REFERENCES entry,  -- what it was made of
    role  TEXT NOT NULL,                    -- what the piece is to the whole
    PRIMARY KEY (whole, piece)
) STRICT, WITHOUT ROWID;

-- One value of one metric of an entry.
CREATE TABLE result (
    entry_id  INTEGER NOT NULL REFERENCES entry,  -- the entry
    ordinal   INTEGER NOT NULL,             -- place in the entry, by metric, statistic, rank, x
    metric    TEXT NOT NULL,                -- 'tokens_per_s', 'accuracy.rouge1'
    statistic TEXT NOT NULL,                -- value mean median min max p50 ... p99.9 sd olympic-mean
    rank      INTEGER NOT NULL DEFAULT -1,  -- MPI rank
    x         REAL NOT NULL DEFAULT 0 CHECK (abs(x) < 9e999),  -- place in a series (step, seconds)
    value     REAL NOT NULL CHECK (abs(value) < 9e999),  -- in the base unit
    unit      TEXT NOT NULL,                -- base unit
    raw_value TEXT,                         -- as published
    raw_unit  TEXT,                         -- as published; NULL: the source states none
    cell      TEXT,                         -- where in the artifact, finer than the entry's locator
    n         INTEGER CHECK (n > 0),        -- samples behind it
    low       REAL CHECK (abs(low) < 9e999),  -- lower end of the spread
    high      REAL CHECK (abs(high) < 9e999),  -- upper end of the spread
    spread    TEXT CHECK (spread IN ('ci95', 'minmax', 'iqr', 'sd')),  -- what low and high are
    formula   TEXT,                         -- identifier/version where abdb computed the value from the artifact
    PRIMARY KEY (entry_id, ordinal)
) STRICT, WITHOUT ROWID;

-- Raw values behind a result.
CREATE TABLE sample (
    entry_id INTEGER NOT NULL,              -- the entry
    ordinal  INTEGER NOT NULL,              -- the result in the entry
    seq      INTEGER NOT NULL,              -- number of the sample
    rank     INTEGER NOT NULL DEFAULT -1,   -- MPI rank, -1 none
    t_s      REAL CHECK (abs(t_s) < 9e999), -- since the first sample
    value    REAL NOT NULL CHECK (abs(value) < 9e999),  -- in the base unit
    mark     TEXT,                          -- outlier, throttled; no sample is deleted
    PRIMARY KEY (entry_id, ordinal, seq, rank),
    FOREIGN KEY (entry_id, ordinal) REFERENCES result
) STRICT, WITHOUT ROWID;

-- Clocks, power, temperature during a run.
CREATE TABLE telemetry (
    entry_id INTEGER NOT NULL REFERENCES entry,  -- the entry
    t_s      REAL NOT NULL CHECK (abs(t_s) < 9e999),  -- seconds since the start
    device   TEXT NOT NULL,
    quantity TEXT NOT NULL,                 -- what was measured or stated
    value    REAL NOT NULL CHECK (abs(value) < 9e999),  -- in the base unit
    unit     TEXT NOT NULL,                 -- base unit
    PRIMARY KEY (entry_id, quantity, device, t_s)
) STRICT, WITHOUT ROWID;

-- Derived, rebuilt as an index is: which statements are about one result (names first; values decide
-- where a source repeats a name). Only results that more than one place can state have a row.
CREATE TABLE subject (
    entry_id  INTEGER NOT NULL,             -- the entry
    ordinal   INTEGER NOT NULL,             -- the result in the entry
    subject   INTEGER NOT NULL,             -- smallest entry_id of the group
    preferred INTEGER NOT NULL CHECK (preferred IN (0, 1)),  -- 1: stands for the result
    sources   INTEGER NOT NULL,             -- sources that state it
    disagree  INTEGER NOT NULL CHECK (disagree IN (0, 1)),  -- 1: their values differ beyond rounding
    flags     TEXT NOT NULL DEFAULT '',     -- averaged, repeated, devices-disagree, unit-disagree
    public_id TEXT,                         -- an ID that any of the statements gives
    verified  INTEGER NOT NULL CHECK (verified IN (0, 1)),  -- 1: one of the statements is a reviewed publication
    PRIMARY KEY (entry_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX subject_subject ON subject (subject);
