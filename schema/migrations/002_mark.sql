-- 002_mark.sql - judgements on results, and what official rounds of MLPerf list.

-- One judgement on a result: a word of its flags, or one that the views find. Filled from data/rules/marks.csv.
CREATE TABLE mark (
    mark     TEXT NOT NULL PRIMARY KEY,     -- the word, such as 'failed'
    effect   TEXT NOT NULL CHECK (effect IN ('show', 'leave out', 'refuse')),  -- only shown; not ranked; not compared
    sentence TEXT NOT NULL,                 -- what it says
    source   TEXT,                          -- who says so
    locator  TEXT                           -- where
) STRICT;

-- One result of an official round of MLPerf, as its publisher lists it. Filled from data/rules/official.csv. Of a round and system
-- type with a row all results are listed.
CREATE TABLE official_result (
    suite     TEXT NOT NULL,                -- inference, training, ...
    round     TEXT NOT NULL,                -- version of the suite
    system_type TEXT NOT NULL,              -- datacenter, edge
    public_id TEXT NOT NULL,                -- without the v that some write before it
    model     TEXT NOT NULL,                -- benchmark, canonical
    scenario  TEXT NOT NULL DEFAULT '',     -- '' where the suite has none
    submitter TEXT NOT NULL,                -- canonical
    system    TEXT NOT NULL,                -- as published
    stated    REAL NOT NULL CHECK (abs(stated) < 9e999),  -- the result, in its base unit
    source    TEXT,                         -- who lists it
    PRIMARY KEY (suite, round, public_id, model, scenario, stated)
) STRICT, WITHOUT ROWID;
CREATE INDEX official_result_system ON official_result (suite, round, system, model, scenario);

-- One check of `abdb accept`: which results are held against one another, and from where on one is slow. Filled from
-- data/rules/accept.csv.
CREATE TABLE accept_check (
    place        INTEGER NOT NULL PRIMARY KEY, -- the first that fits a result counts
    name         TEXT NOT NULL,             -- as people read it
    suite        TEXT,                      -- suite of the results; NULL: of none
    workload     TEXT NOT NULL,             -- workload of the results; * stands for anything
    measured     TEXT NOT NULL,             -- metric of the results
    pair         TEXT NOT NULL,             -- fields and factors that must be known and equal, blanks between
    same         TEXT NOT NULL DEFAULT '',  -- fields and factors that must be equal where both are known
    least_factor TEXT,                      -- factor that must be at least
    least        REAL,                      -- so much
    others       TEXT NOT NULL CHECK (others IN ('all', 'peers')),  -- peers: results of others say nothing
    floor        REAL NOT NULL CHECK (floor > 0 AND floor < 1),  -- slow below so much of the lowest value, where origins are few
    near         REAL NOT NULL CHECK (near >= floor AND near <= 1),  -- normal from so much of it on
    effect       REAL NOT NULL CHECK (effect >= 0 AND effect < 1),  -- least slowness that counts
    why          TEXT NOT NULL,             -- why these
    source       TEXT NOT NULL,             -- who says so
    locator      TEXT NOT NULL              -- where
) STRICT;
