-- 003_scenario_limit.sql - latency limits that rounds of MLPerf set.

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
