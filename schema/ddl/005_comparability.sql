-- 005_comparability.sql - what may be compared with what: rules, versions, and what workloads declare. Dictionaries,
-- filled from data/rules/*.csv and from the user's own files of that form.

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
    role     TEXT NOT NULL CHECK (role IN ('pair', 'load', 'agree', 'free', 'report')),  -- pair: like meets like; load: so does compare, while rank takes the best load; agree: a difference is said; free: the thing compared; report: only shown
    needed   INTEGER NOT NULL DEFAULT 0 CHECK (needed IN (0, 1)),  -- 1: it may not be unknown
    why      TEXT,                          -- in words
    PRIMARY KEY (workload, factor)
) STRICT, WITHOUT ROWID;
