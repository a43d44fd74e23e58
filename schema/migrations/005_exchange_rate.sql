-- 005_exchange_rate.sql - what currencies were worth.

-- One exchange rate of a day: dollars for one unit of a currency. Filled from CSV files: currency,usd,day.
CREATE TABLE exchange_rate (
    currency TEXT NOT NULL,                 -- ISO 4217, as prices state it
    day      TEXT NOT NULL,                 -- of the rate: 2026-11-20
    usd      REAL NOT NULL CHECK (usd > 0), -- dollars for one
    source   TEXT,                          -- who says so
    locator  TEXT,                          -- where
    PRIMARY KEY (currency, day)
) STRICT, WITHOUT ROWID;
