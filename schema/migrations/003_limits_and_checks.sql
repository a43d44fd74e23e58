-- 003_limits_and_checks.sql - latency limits that rounds of MLPerf set, and the checks of abdb accept.

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
