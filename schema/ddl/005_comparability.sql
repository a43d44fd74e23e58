-- 005_comparability.sql - what may be compared with what: rules, versions, what workloads declare, and which specifications
-- count. Dictionaries, filled from data/rules/*.csv and from the user's own files of that form.

-- One rule about a pair of results. It speaks of pairs whose sides both have `scope_value` in `scope_factor`.
CREATE TABLE rule (
    rule         TEXT NOT NULL PRIMARY KEY, -- short name, such as 'mlperf-with-mlperf-only'
    effect       TEXT NOT NULL CHECK (effect IN ('refuse', 'note', 'formula')),  -- not comparable; said below the table; part of a formula
    scope_factor TEXT,                      -- factor that both sides must have, NULL: every pair
    scope_value  TEXT,                      -- its value, a glob
    factor       TEXT,                      -- the factor that is looked at
    test         TEXT CHECK (test IN ('differ', 'pair', 'either', 'needed')),  -- differ: known and unlike; pair: one is a, the other b; either: one is a; needed: declared so and unknown
    a            TEXT,                      -- a glob
    b            TEXT,                      -- a glob; with '!' before it: anything else
    sentence     TEXT NOT NULL,             -- what it says
    source       TEXT NOT NULL,             -- who says so
    locator      TEXT NOT NULL              -- where
) STRICT;

-- One span of rounds within which a benchmark of MLPerf did not change.
CREATE TABLE compatibility (
    suite       TEXT NOT NULL,              -- inference, training, ...
    system_type TEXT NOT NULL DEFAULT '',   -- datacenter, edge, or '' where the suite has none
    benchmark   TEXT NOT NULL,              -- family of v_model
    scenario    TEXT NOT NULL DEFAULT '',   -- '' for all
    since       TEXT NOT NULL,              -- first round
    until       TEXT NOT NULL,              -- last round that is listed
    source      TEXT NOT NULL,              -- who says so
    locator     TEXT NOT NULL,              -- where
    PRIMARY KEY (suite, system_type, benchmark, scenario, since)
) STRICT, WITHOUT ROWID;

-- What a workload declares about a factor.
CREATE TABLE workload_factor (
    workload TEXT NOT NULL,                 -- a workload, a kind of evidence, 'specification', 'environment', or '*'
    factor   TEXT NOT NULL,                 -- name of the factor, or '*'
    role     TEXT NOT NULL CHECK (role IN ('pair', 'load', 'agree', 'free', 'report')),  -- pair: only equal values are compared; load: likewise, but rank takes the best; agree: a difference is said; free: it is what is compared; report: only shown
    needed   INTEGER NOT NULL DEFAULT 0 CHECK (needed IN (0, 1)),  -- 1: it may not be unknown
    why      TEXT,                          -- in words
    PRIMARY KEY (workload, factor)
) STRICT, WITHOUT ROWID;

-- One rule of which statement of a specification is preferred: the lowest place. Of the rules that fit a statement the one
-- that asks about its note counts, then the one that asks about the kind of its source.
CREATE TABLE spec_order (
    place       INTEGER NOT NULL PRIMARY KEY, -- 1 before 2
    standing    TEXT NOT NULL,              -- vendor, citing, document, estimate, projection, ...
    source_kind TEXT,                       -- kind of the source; NULL: any
    note        TEXT,                       -- what its note says, for LIKE; NULL: anything
    sentence    TEXT NOT NULL,              -- why
    source      TEXT NOT NULL,              -- who says so
    locator     TEXT NOT NULL               -- where
) STRICT;

-- One ratio of two specifications of one device that hardware obeys: one row for each span in which it may lie.
CREATE TABLE spec_ratio (
    ratio       TEXT NOT NULL,              -- short name, such as 'fp8 of 16 bit'
    low         REAL NOT NULL CHECK (low >= 0),  -- lower end of the span
    high        REAL NOT NULL CHECK (high < 9e999),  -- its upper end
    of_quantity TEXT NOT NULL,              -- above: quantity
    of_dtype    TEXT,                       -- number format; NULL: any or none
    of_engine   TEXT,                       -- matrix or vector; NULL: any
    of_sparsity TEXT NOT NULL DEFAULT 'dense',  -- of a peak
    to_quantity TEXT NOT NULL,              -- below: quantity
    to_dtype    TEXT,                       -- as above
    to_engine   TEXT,                       -- as above
    to_sparsity TEXT NOT NULL DEFAULT 'dense',  -- of a peak
    to_basis    TEXT,                       -- of memory stacks: their generation; NULL: as above the line
    sentence    TEXT NOT NULL,              -- why
    source      TEXT NOT NULL,              -- who says so
    locator     TEXT NOT NULL,              -- where
    PRIMARY KEY (ratio, low)
) STRICT, WITHOUT ROWID;

-- One judgement on specifications: quarantine takes those that it fits out of every answer, accept says that they stand
-- although they break a ratio, missing what was searched and not found. It fits what agrees in all that it names.
CREATE TABLE spec_doubt (
    doubt        TEXT NOT NULL PRIMARY KEY, -- short name
    effect       TEXT NOT NULL CHECK (effect IN ('quarantine', 'accept', 'missing')),  -- what follows
    device       TEXT,                      -- canonical device
    architecture TEXT,                      -- of the device
    quantity     TEXT NOT NULL,             -- quantity
    dtype        TEXT,                      -- number format
    engine       TEXT,                      -- matrix or vector
    sparsity     TEXT,                      -- dense or 2:4
    said_by      TEXT,                      -- source of the statement
    stated       REAL,                      -- value, in the base unit
    sentence     TEXT NOT NULL,             -- why
    source       TEXT NOT NULL,             -- who says so
    locator      TEXT NOT NULL              -- where
) STRICT;
CREATE INDEX spec_doubt_dtype ON spec_doubt (quantity, dtype);

-- The engine that a workload runs on, where it is always the same one.
CREATE TABLE workload_engine (
    workload TEXT NOT NULL PRIMARY KEY,     -- a workload
    engine   TEXT NOT NULL CHECK (engine IN ('matrix', 'vector')),  -- matrix or vector
    why      TEXT                           -- in words
) STRICT, WITHOUT ROWID;

-- How many runs make the score of a benchmark of MLPerf Training or HPC. Importing reads the rules of its build; the table shows them.
CREATE TABLE score_rule (
    place     INTEGER NOT NULL PRIMARY KEY, -- 1, 2, ...: the first that fits counts
    since     TEXT,                         -- first round, NULL: from the first
    until     TEXT,                         -- last round, NULL: still
    benchmark TEXT NOT NULL,                -- folder of the benchmark
    runs      INTEGER NOT NULL CHECK (runs > 0),  -- runs of a folder
    dropped   INTEGER NOT NULL CHECK (dropped >= 0),  -- how many of each end are left out of the mean
    source    TEXT NOT NULL,                -- who says so
    locator   TEXT NOT NULL                 -- where
) STRICT;

-- Which figure of LoadGen's log the submission checker of a round takes for the result. Importing reads the rules of its build; the
-- table shows them.
CREATE TABLE figure_rule (
    place    INTEGER NOT NULL PRIMARY KEY,  -- 1, 2, ...: the first that fits counts
    since    TEXT,                          -- first round, NULL: from the first
    until    TEXT,                          -- last round, NULL: still
    model    TEXT NOT NULL,                 -- benchmark; with a * behind it what begins so; before a colon the suite, if not inference
    scenario TEXT NOT NULL,                 -- scenario of the result
    ran      TEXT,                          -- scenario that LoadGen ran, where the result is inferred from another
    counted  TEXT CHECK (counted = 'tokens'),  -- tokens: only where LoadGen counted them
    figure   TEXT NOT NULL,                 -- name of the figure in the detail log
    times    REAL NOT NULL CHECK (times > 0),  -- the result is so many times the figure
    raw_unit TEXT NOT NULL,                 -- its unit, as checkers call it
    source   TEXT NOT NULL,                 -- who says so
    locator  TEXT NOT NULL                  -- where
) STRICT;

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

-- One latency limit that a round of MLPerf sets for a benchmark and scenario. Filled from data/rules/limits.csv.
CREATE TABLE scenario_limit (
    suite      TEXT NOT NULL,               -- inference
    round      TEXT NOT NULL,               -- version of the suite
    benchmark  TEXT NOT NULL,               -- without its accuracy target: llama2-70b
    scenario   TEXT NOT NULL,               -- Server, Interactive
    quantity   TEXT NOT NULL,               -- ttft_s, tpot_s, or latency_s of a whole query
    percentile REAL NOT NULL CHECK (percentile > 0 AND percentile < 100),  -- of the requests, in percent, that must keep it
    limit_s    REAL NOT NULL CHECK (limit_s > 0 AND limit_s < 9e999),      -- the longest that counts
    source     TEXT,                        -- who sets it
    locator    TEXT,                        -- where
    PRIMARY KEY (suite, round, benchmark, scenario, quantity)
) STRICT, WITHOUT ROWID;

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
