-- 004_published.sql - specifications, prices and claims as others state them.

-- One stated specification.
CREATE TABLE spec (
    spec_id     INTEGER PRIMARY KEY,        -- 63 bits of SHA-256 of the row
    device      TEXT NOT NULL,              -- as the source spells it
    quantity    TEXT NOT NULL,              -- peak_flops peak_ops memory_size memory_bandwidth link_bandwidth power
    dtype       TEXT,                       -- fp64 fp32 tf32 bf16 fp16 fp8 int8 fp4, for a peak
    engine      TEXT CHECK (engine IN ('matrix', 'vector')),  -- matrix or vector
    sparsity    TEXT CHECK (sparsity IN ('dense', '2:4')),  -- dense or 2:4
    basis       TEXT NOT NULL DEFAULT 'card',  -- die, package, card, system
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
CREATE INDEX spec_device ON spec (device, quantity);

-- One stated price, for all devices of the instance together.
CREATE TABLE price (
    price_id   INTEGER PRIMARY KEY,         -- 63 bits of SHA-256 of the row
    provider   TEXT NOT NULL,               -- who asks it
    instance   TEXT,                        -- name of the offer
    device     TEXT NOT NULL,               -- as the source spells it
    devices    INTEGER NOT NULL CHECK (devices > 0),  -- 1: the price is published per device
    kind       TEXT NOT NULL,               -- on-demand, reserved, spot, purchase
    region     TEXT,                        -- where it is offered
    amount     REAL NOT NULL CHECK (amount >= 0 AND amount < 9e999),  -- for all devices together
    currency   TEXT NOT NULL,               -- ISO 4217
    per        TEXT NOT NULL CHECK (per IN ('hour', 'unit')),  -- hour or unit
    valid_from TEXT,                        -- date of the price, ISO 8601
    raw_value  TEXT NOT NULL,               -- as published
    source     TEXT NOT NULL REFERENCES source,  -- who says it
    locator    TEXT NOT NULL                -- table, figure or section
) STRICT;
CREATE INDEX price_device ON price (device, valid_from);

-- A numerical statement that facts can confirm: coefficient x product of term^power.
CREATE TABLE claim (
    claim       TEXT NOT NULL PRIMARY KEY,  -- short name
    source      TEXT NOT NULL REFERENCES source,  -- who says it
    locator     TEXT NOT NULL,              -- table, figure or section
    sentence    TEXT NOT NULL,              -- in our words
    stated      REAL NOT NULL CHECK (abs(stated) < 9e999),  -- the number claimed
    tolerance   REAL NOT NULL CHECK (tolerance >= 0 AND tolerance < 9e999),  -- of its own rounding
    coefficient REAL NOT NULL DEFAULT 1 CHECK (abs(coefficient) < 9e999)  -- factor before the terms
) STRICT;

-- One term of a claim: a fact and its exponent.
CREATE TABLE claim_term (
    claim TEXT NOT NULL REFERENCES claim,   -- short name
    term  INTEGER NOT NULL,                 -- 1, 2, ...
    power INTEGER NOT NULL,                 -- exponent of the term
    fact  TEXT NOT NULL,                    -- key of a fact: a result_id, spec or price
    PRIMARY KEY (claim, term)
) STRICT, WITHOUT ROWID;

-- Which version of the views this file carries.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,        -- name of the setting
    value TEXT NOT NULL                     -- its value
) STRICT, WITHOUT ROWID;

-- The words of v_column: made anew with the views.
CREATE TABLE column_doc (
    view    TEXT NOT NULL,                  -- public view
    place   INTEGER NOT NULL,               -- order of the columns
    column  TEXT NOT NULL,                  -- name of the column
    unit    TEXT NOT NULL,                  -- base unit
    meaning TEXT NOT NULL,                  -- in words
    PRIMARY KEY (view, place)
) STRICT, WITHOUT ROWID;
