-- 004_published.sql - specifications, prices and claims as others state them.

-- One stated specification.
CREATE TABLE spec (
    spec_id     INTEGER PRIMARY KEY,        -- number in this file
    spec_key    INTEGER NOT NULL,           -- of the row, as in 003_evidence.sql
    spec_key_low INTEGER NOT NULL,           -- the other half of it
    device      TEXT NOT NULL,              -- as the source spells it
    quantity    TEXT NOT NULL,              -- peak_flops peak_ops memory_size memory_bandwidth link_bandwidth power ...
    dtype       TEXT,                       -- of a peak: fp64 fp32 tf32 bf16 fp16 fp8 fp4 int8 ...
    engine      TEXT CHECK (engine IN ('matrix', 'vector')),  -- matrix or vector
    sparsity    TEXT CHECK (sparsity IN ('dense', '2:4')),  -- dense or 2:4
    basis       TEXT NOT NULL DEFAULT 'card',  -- what the value is of: card, pair, package, die, system ...
    power_limit REAL CHECK (power_limit > 0 AND power_limit < 9e999),  -- W, where the figure holds for one
    value       REAL NOT NULL CHECK (value >= 0 AND value < 9e999),  -- base unit
    unit        TEXT NOT NULL,              -- base unit
    raw_value   TEXT NOT NULL,              -- as published
    raw_unit    TEXT,                       -- unit as published
    note        TEXT,                       -- what the source adds
    source      TEXT NOT NULL REFERENCES source,  -- who says it
    locator     TEXT NOT NULL,              -- table, figure or section
    date        TEXT                        -- of the statement
) STRICT;
CREATE INDEX spec_by_key ON spec (spec_key);
CREATE INDEX spec_device ON spec (device, quantity);

-- One stated price, for all devices of the instance together.
CREATE TABLE price (
    price_id   INTEGER PRIMARY KEY,         -- number in this file
    price_key  INTEGER NOT NULL,            -- of the row, as in 003_evidence.sql
    price_key_low INTEGER NOT NULL,          -- the other half of it
    provider   TEXT NOT NULL,               -- who asks it
    instance   TEXT,                        -- name of the offer
    device     TEXT NOT NULL,               -- as the source spells it
    devices    INTEGER NOT NULL CHECK (devices > 0),  -- 1: the price is published per device
    kind       TEXT NOT NULL,               -- on-demand, reserved, spot, list, purchase
    region     TEXT,                        -- where it is offered
    amount     REAL NOT NULL CHECK (amount >= 0 AND amount < 9e999),  -- for all devices together
    currency   TEXT NOT NULL,               -- ISO 4217
    per        TEXT NOT NULL CHECK (per IN ('hour', 'unit')),  -- hour or unit
    valid_from TEXT,                        -- date of the price, ISO 8601; FIRST/LAST where it lies between two days
    raw_value  TEXT NOT NULL,               -- as published
    source     TEXT NOT NULL REFERENCES source,  -- who says it
    locator    TEXT NOT NULL                -- table, figure or section
) STRICT;
CREATE INDEX price_by_key ON price (price_key);
CREATE INDEX price_device ON price (device, valid_from);

-- One provider, and what kind of provider it is: what a price includes differs between kinds.
CREATE TABLE provider (
    provider TEXT NOT NULL PRIMARY KEY,     -- as prices name it
    kind     TEXT NOT NULL,                 -- tier-1 cloud, GPU cloud, marketplace, vendor
    source   TEXT,                          -- who says so
    locator  TEXT                           -- where
) STRICT;

-- One instance that its provider connects with others by a network. Filled from data/fabrics.csv.
CREATE TABLE fabric (
    provider TEXT NOT NULL,                 -- as prices name it
    instance TEXT NOT NULL,                 -- as prices name it
    fabric   TEXT NOT NULL,                 -- InfiniBand, EFA, ...
    source   TEXT,                          -- who says so
    locator  TEXT,                          -- where
    PRIMARY KEY (provider, instance)
) STRICT, WITHOUT ROWID;

-- One exchange rate of a day: dollars for one unit of a currency. Filled from CSV files: currency,usd,day.
CREATE TABLE exchange_rate (
    currency TEXT NOT NULL,                 -- ISO 4217, as prices state it
    day      TEXT NOT NULL,                 -- of the rate: 2026-11-20
    usd      REAL NOT NULL CHECK (usd > 0), -- dollars for one
    source   TEXT,                          -- who says so
    locator  TEXT,                          -- where
    PRIMARY KEY (currency, day)
) STRICT, WITHOUT ROWID;

-- Where a specification or price was said: the twin of witness for facts that are no entries.
CREATE TABLE origin (
    kind        TEXT NOT NULL CHECK (kind IN ('spec', 'price')),  -- which table
    id          INTEGER NOT NULL,           -- spec_id or price_id
    artifact_id INTEGER NOT NULL REFERENCES artifact,  -- the file
    locator     TEXT NOT NULL,              -- line in it
    PRIMARY KEY (kind, id, artifact_id, locator)
) STRICT, WITHOUT ROWID;

-- A fact with a name of its own, so that a claim can cite it.
CREATE TABLE fact (
    fact    TEXT NOT NULL PRIMARY KEY,      -- short name, such as 'db.t2.gaudi2.rate'
    kind    TEXT NOT NULL CHECK (kind IN ('result', 'spec', 'price')),  -- which table
    id      INTEGER NOT NULL                -- result_id, spec_id or price_id
) STRICT, WITHOUT ROWID;
CREATE INDEX fact_id ON fact (kind, id);

-- A numerical statement that facts can confirm: coefficient x what `how` makes of its parts, + offset. A part is a product
-- of fact^power. product: the only part; sum, mean: of the parts (over those below the line, where there are any); rank: the
-- place of the first part among all, the largest being 1; falls, rises: how many parts do not fall, or rise, from the one before.
CREATE TABLE claim (
    claim       TEXT NOT NULL PRIMARY KEY,  -- short name
    source      TEXT NOT NULL REFERENCES source,  -- who claims it
    locator     TEXT NOT NULL,              -- where
    sentence    TEXT NOT NULL,              -- in our words
    raw_value   TEXT NOT NULL,              -- as printed
    stated      REAL NOT NULL CHECK (stated > -9e999 AND stated < 9e999),  -- the number claimed
    upper       REAL CHECK (upper >= stated AND upper < 9e999),  -- the other end, where a range is claimed
    words       TEXT NOT NULL DEFAULT '',   -- how exactly it is said: a row of v_claim_word
    how         TEXT NOT NULL DEFAULT 'product' CHECK (how IN ('product', 'sum', 'mean', 'rank', 'falls', 'rises')),  -- what is made of the parts
    coefficient REAL NOT NULL DEFAULT 1 CHECK (coefficient > -9e999 AND coefficient < 9e999),    -- before the terms
    "offset"    REAL NOT NULL DEFAULT 0 CHECK ("offset" > -9e999 AND "offset" < 9e999),       -- added: -100 for per cent more
    missing     TEXT                        -- what would be needed to recompute it
) STRICT;

-- One term of a claim: a fact and its exponent. A term may not cite the claim's own cell.
CREATE TABLE claim_term (
    claim TEXT NOT NULL REFERENCES claim,   -- short name
    term  INTEGER NOT NULL,                 -- 1, 2, ...
    part  INTEGER NOT NULL DEFAULT 1 CHECK (part <> 0),  -- 1, 2, ... of the claim; below the line -1, -2, ...
    power INTEGER NOT NULL CHECK (power BETWEEN -3 AND 3 AND power <> 0),  -- exponent
    fact  TEXT NOT NULL,                    -- name of the fact; it may come later
    PRIMARY KEY (claim, term)
) STRICT, WITHOUT ROWID;
CREATE INDEX claim_term_fact ON claim_term (fact);
