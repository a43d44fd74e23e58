-- 001_source.sql - who says it, in which file, and what was refused.

-- Whoever states facts: a document, a publisher's export, a program, a user.
CREATE TABLE source (
    source    TEXT NOT NULL PRIMARY KEY,    -- short name, such as 'databricks-gaudi2'
    kind      TEXT NOT NULL,                -- vendor, paper, blog, mlperf, price-list, program, user
    title     TEXT,                         -- title of the document
    author    TEXT,                         -- who wrote it
    url       TEXT,                         -- where it is published
    published TEXT,                         -- date of publication, ISO 8601
    retrieved TEXT,                         -- date of retrieval, ISO 8601; NULL: not recorded
    licence   TEXT,                         -- licence of the document
    rank      INTEGER NOT NULL DEFAULT 50   -- the written preference where sources repeat a result: lowest first
) STRICT;

-- One imported file, or member of an archive. The key is a digest of content, format and `--set`.
CREATE TABLE artifact (
    artifact_id INTEGER PRIMARY KEY,        -- 63 bits of SHA-256
    sha256      TEXT NOT NULL,              -- of the bytes
    path        TEXT NOT NULL,              -- as given on the command line, or inside the archive
    format      TEXT NOT NULL,              -- importer that read it
    words       TEXT NOT NULL DEFAULT '',   -- what `--set` supplied: the user's word
    size_B      INTEGER NOT NULL CHECK (size_B >= 0),  -- bytes
    accepted    INTEGER NOT NULL,           -- input rows with something new
    duplicate   INTEGER NOT NULL,           -- input rows that only repeat
    rejected    INTEGER NOT NULL,           -- input rows refused, see reject
    ignored     INTEGER NOT NULL,           -- input rows with nothing to keep
    imported    TEXT NOT NULL               -- when, UTC, ISO 8601
) STRICT;

-- One refused row, kept with its reason.
CREATE TABLE reject (
    artifact_id INTEGER NOT NULL REFERENCES artifact,  -- the file
    line        INTEGER NOT NULL,           -- line in the file, 0 unknown
    field       TEXT,                       -- column or key
    reason      TEXT NOT NULL,              -- what is wrong and what to do
    raw         TEXT                        -- the row as it was, cut at 4096 bytes
) STRICT;
CREATE INDEX reject_artifact ON reject (artifact_id, line);
