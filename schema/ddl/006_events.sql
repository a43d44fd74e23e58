-- 006_events.sql - what happened to facts after they were stored: events, never updates; and what the file says of itself.

-- A withdrawn import or fact, or one that counts again: events that later reads respect, not deletions. The last of a target
-- holds, by its date; of two of one date the withdrawal. So files that are merged agree in whatever order. (The columns stand in the
-- order of the key: SQLite 3.40 finds NULLs that are none where they do not.)
CREATE TABLE withdrawal (
    target   TEXT NOT NULL,                 -- sha256 of an artifact (with '@N': as version N of its importer read it; with '?FORMAT?WORDS': as it was read by that format and those words), or a key r-, e-, s-, p-
    date     TEXT NOT NULL,                 -- when, UTC, ISO 8601
    event    TEXT NOT NULL DEFAULT 'withdrawn' CHECK (event IN ('withdrawn', 'restored')),  -- withdrawn, or restored: it counts again
    reason   TEXT NOT NULL,                 -- why
    PRIMARY KEY (target, date, event, reason)
) STRICT, WITHOUT ROWID;

-- Derived, kept up to date as an index is: what withdrawals leave out.
CREATE TABLE gone (
    kind TEXT NOT NULL CHECK (kind IN ('entry', 'spec', 'price')),  -- which table
    id   INTEGER NOT NULL,                  -- entry_id, spec_id or price_id
    PRIMARY KEY (kind, id)
) STRICT, WITHOUT ROWID;

-- What somebody wrote down about a campaign, a tag, a commit or a fact. Appended, never changed.
CREATE TABLE note (
    note_id      INTEGER PRIMARY KEY,       -- number in this file
    note_key     INTEGER NOT NULL,          -- of the other columns, as in 003_evidence.sql
    note_key_low INTEGER NOT NULL,           -- the other half of it
    kind         TEXT NOT NULL CHECK (kind IN ('campaign', 'tag', 'commit', 'key')),  -- what it is about
    target       TEXT NOT NULL,             -- its name
    text         TEXT NOT NULL,             -- in words
    author       TEXT,                      -- who wrote it
    date         TEXT NOT NULL              -- when, UTC, ISO 8601
) STRICT;
CREATE INDEX note_by_key ON note (note_key);
CREATE INDEX note_target ON note (kind, target);

-- Entries that were here before and whose derived rows must be made anew: a file says them again, or was withdrawn.
CREATE TABLE touched (
    entry_id INTEGER PRIMARY KEY            -- the entry
) STRICT;

-- What the file says of itself: version of the views, and up to where derived rows were made.
CREATE TABLE meta (
    key   TEXT NOT NULL PRIMARY KEY,        -- name of the setting
    value TEXT NOT NULL                     -- its value
) STRICT, WITHOUT ROWID;

-- The words of v_column: made anew with the views.
CREATE TABLE column_doc (
    view        TEXT NOT NULL,              -- public view
    place       INTEGER NOT NULL,           -- order of the columns
    column_name TEXT NOT NULL,              -- name of the column
    unit        TEXT NOT NULL,              -- base unit
    meaning     TEXT NOT NULL,              -- in words
    PRIMARY KEY (view, place)
) STRICT, WITHOUT ROWID;
