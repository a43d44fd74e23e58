-- 004_published.sql - specifications, prices and claims as others state them.

-- One stated specification.
CREATE TABLE spec (
    spec_id     INTEGER PRIMARY KEY,         -- 63 bits of SHA-256 of the row
    device      TEXT NOT NULL,               -- as the source spells it
    quantity    TEXT NOT NULL,               -- peak_flops peak_ops memory_size memory_bandwidth link_bandwidth power
    dtype       TEXT,                        -- fp64 fp32 tf32 bf16 fp16 fp8 int8 fp4, for a peak
    engine      TEXT CHECK (engine IN ('matrix', 'vector')),
    sparsity    TEXT CHECK (sparsity IN ('dense', '2:4')),
    basis       TEXT NOT NULL DEFAULT 'card',  -- die, package, card, system
    power_limit REAL CHECK (power_limit > 0 AND power_limit < 9e999),  -- W, where the figure holds for one
    value       REAL NOT NULL CHECK (value >= 0 AND value < 9e999),    -- base unit
    unit        TEXT NOT NULL,
    raw_value   TEXT NOT NULL,
    raw_unit    TEXT,
    note        TEXT,
    source      TEXT NOT NULL REFERENCES source,
    locator     TEXT NOT NULL,
    date        TEXT
) STRICT;
CREATE INDEX spec_device ON spec (device, quantity);

-- One stated price, for all devices of the instance together.
CREATE TABLE price (
    price_id   INTEGER PRIMARY KEY,          -- 63 bits of SHA-256 of the row
    provider   TEXT NOT NULL,
    instance   TEXT,
    device     TEXT NOT NULL,                -- as the source spells it
    devices    INTEGER NOT NULL CHECK (devices > 0),  -- 1: the price is published per device
    kind       TEXT NOT NULL,                -- on-demand, reserved, spot, purchase
    region     TEXT,
    amount     REAL NOT NULL CHECK (amount >= 0 AND amount < 9e999),
    currency   TEXT NOT NULL,
    per        TEXT NOT NULL CHECK (per IN ('hour', 'unit')),
    valid_from TEXT,                         -- date of the price, ISO 8601
    raw_value  TEXT NOT NULL,
    source     TEXT NOT NULL REFERENCES source,
    locator    TEXT NOT NULL
) STRICT;
CREATE INDEX price_device ON price (device, valid_from);

-- A numerical statement that facts can confirm: coefficient x product of term^power.
CREATE TABLE claim (
    claim       TEXT NOT NULL PRIMARY KEY,
    source      TEXT NOT NULL REFERENCES source,
    locator     TEXT NOT NULL,
    sentence    TEXT NOT NULL,               -- in our words
    stated      REAL NOT NULL CHECK (abs(stated) < 9e999),
    tolerance   REAL NOT NULL CHECK (tolerance >= 0 AND tolerance < 9e999),
    coefficient REAL NOT NULL DEFAULT 1 CHECK (abs(coefficient) < 9e999)
) STRICT;

CREATE TABLE claim_term (
    claim TEXT NOT NULL REFERENCES claim,
    term  INTEGER NOT NULL,
    power INTEGER NOT NULL,
    fact  TEXT NOT NULL,                     -- key of a fact: a result_id, spec or price
    PRIMARY KEY (claim, term)
) STRICT, WITHOUT ROWID;

-- Which version of the views this file carries.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The words of v_column: made anew with the views.
CREATE TABLE column_doc (
    view    TEXT NOT NULL,
    place   INTEGER NOT NULL,
    column  TEXT NOT NULL,
    unit    TEXT NOT NULL,
    meaning TEXT NOT NULL,
    PRIMARY KEY (view, place)
) STRICT, WITHOUT ROWID;
