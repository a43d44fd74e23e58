-- 002_dictionary.sql - names: metrics, factors, devices, models, and how others spell them.

-- A metric by its fixed name; filled from metric.def.
CREATE TABLE metric (
    metric       TEXT NOT NULL PRIMARY KEY, -- fixed name
    unit         TEXT NOT NULL,             -- base unit
    better       TEXT NOT NULL CHECK (better IN ('higher', 'lower', 'none')),  -- higher, lower or none
    metric_class TEXT NOT NULL,             -- metrics of one class are one quantity when results are told apart
    meaning      TEXT NOT NULL              -- in words
) STRICT;

-- A factor that can make two results differ: the open registry.
CREATE TABLE factor (
    factor  TEXT NOT NULL PRIMARY KEY,      -- name of the factor
    unit    TEXT,                           -- unit of its number, where it has one
    meaning TEXT                            -- NULL: nobody has described it yet
) STRICT;

-- One row per SKU.
CREATE TABLE device (
    device       TEXT NOT NULL PRIMARY KEY, -- canonical name, such as 'H100-SXM'
    vendor       TEXT,                      -- who makes it
    architecture TEXT,                      -- family of the design
    form_factor  TEXT,                      -- SXM, PCIe, OAM, chip, ...
    memory       TEXT,                      -- what spellings of it may say of its memory, such as '80 HBM2e': sizes in GB, its kind
    kind         TEXT,                      -- gpu, accelerator, tpu, cpu
    dies         INTEGER CHECK (dies > 0),  -- compute dies of one device
    year         INTEGER CHECK (year BETWEEN 1990 AND 2100),  -- of first availability
    source       TEXT,
    locator      TEXT                       -- table, figure, line or section
) STRICT;

-- A model or benchmark and what it is.
CREATE TABLE model (
    model             TEXT NOT NULL PRIMARY KEY,  -- canonical name, such as 'llama2-70b-99'
    task              TEXT NOT NULL,        -- llm, vision, speech, recommendation, ...
    family            TEXT,                 -- 'llama2-70b' for 'llama2-70b-99' and '-99.9'
    accuracy_target   REAL CHECK (abs(accuracy_target) < 9e999),  -- fraction of the reference accuracy
    parameters        REAL CHECK (parameters > 0 AND parameters < 9e999),  -- all weights
    parameters_active REAL CHECK (parameters_active > 0 AND parameters_active < 9e999),  -- used per token
    layers            INTEGER CHECK (layers > 0),         -- transformer blocks
    hidden_size       INTEGER CHECK (hidden_size > 0),    -- width of the residual stream
    heads             INTEGER CHECK (heads > 0),          -- attention heads
    kv_heads          INTEGER CHECK (kv_heads > 0),       -- heads of keys and values
    vocabulary        INTEGER CHECK (vocabulary > 0),     -- tokens
    source            TEXT,
    locator           TEXT                  -- table, figure, line or section
) STRICT;

-- One round of a suite of MLPerf: its place in time. Filled from data/rules/rounds.csv.
CREATE TABLE round (
    suite     TEXT NOT NULL,                -- inference, training, hpc, tiny, storage, ...
    round     TEXT NOT NULL,                -- version of the suite, such as 'v6.0'
    published TEXT NOT NULL,                -- date on which its results were published, ISO 8601
    source    TEXT NOT NULL,                -- who says so
    locator   TEXT NOT NULL,                -- where
    PRIMARY KEY (suite, round)
) STRICT, WITHOUT ROWID;

-- A spelling as published and the canonical name it means. A mixed system has a row per part.
CREATE TABLE alias (
    kind     TEXT NOT NULL CHECK (kind IN ('device', 'model', 'submitter', 'system', 'provider')),
    spelling TEXT NOT NULL,                 -- as published
    part     INTEGER NOT NULL DEFAULT 1,    -- 1, 2, ... of a mixed system
    canon    TEXT NOT NULL,                 -- canonical name
    share    INTEGER CHECK (share > 0),     -- devices of this part in a mixed system
    source   TEXT,
    PRIMARY KEY (kind, spelling, part)
) STRICT, WITHOUT ROWID;

-- What decorates the name of a device and is no part of the product: vendor, memory, power, partitions. What a decoration says of a
-- column of `device` must be true of the device, else the name is another product's.
CREATE TABLE decoration (
    place   INTEGER NOT NULL PRIMARY KEY,   -- 1, 2, ...: those before take their words away first
    pattern TEXT NOT NULL,                  -- words; '#' is a number, '...' any words up to the closing bracket
    says    TEXT NOT NULL,                  -- vendor, form_factor, memory, kind: columns of device; else any sort of word
    meaning TEXT,                           -- what it says; NULL: the number
    factor  TEXT,                           -- factor that it becomes, NULL: none
    factor_unit TEXT,                       -- unit of its number
    source  TEXT NOT NULL,                  -- who writes names so
    locator TEXT NOT NULL                   -- where
) STRICT;

-- Derived, kept up to date as an index is: every spelling in use and what it means today.
CREATE TABLE name (
    kind     TEXT NOT NULL,
    spelling TEXT NOT NULL,                 -- as published
    part     INTEGER NOT NULL,              -- 1, 2, ... of a mixed system
    canon    TEXT NOT NULL,                 -- the spelling itself where nothing better is known
    folded   TEXT NOT NULL,                 -- canon without case and punctuation: the key of identity
    share    INTEGER,                       -- devices of this part
    parts    INTEGER NOT NULL,              -- parts of this spelling
    whole    TEXT NOT NULL,                 -- canon of all parts together, 'A + B'
    how      TEXT NOT NULL CHECK (how IN ('canon', 'alias', 'folded', 'decorated', 'unresolved')),  -- which of these
    PRIMARY KEY (kind, spelling, part)
) STRICT, WITHOUT ROWID;

-- Derived with it: what the spelling of a device says beside the device.
CREATE TABLE name_factor (
    spelling TEXT NOT NULL,                 -- of a device, as published
    factor   TEXT NOT NULL,                 -- name of the factor
    text     TEXT NOT NULL,                 -- its value
    num      REAL,                          -- as a number, where it is one
    unit     TEXT,                          -- of the number
    PRIMARY KEY (spelling, factor)
) STRICT, WITHOUT ROWID;
CREATE INDEX name_canon ON name (kind, canon);
CREATE INDEX name_whole ON name (kind, whole);
CREATE INDEX name_folded ON name (kind, folded);
