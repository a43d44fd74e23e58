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
