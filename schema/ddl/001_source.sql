-- 001_source.sql - who says it, in which file, and what was refused.
--
-- The files of this folder are today's tables, in the order in which they are read: what comes later builds on what
-- came before. A number such as artifact_id is given by this file and joins its tables; what is the same in every
-- database is a key, made from content (schema/store/entry_key.h).

-- Whoever states facts: a document, a publisher's export, a program, a user.
CREATE TABLE source (
    source    TEXT NOT NULL PRIMARY KEY,    -- short name, such as 'databricks-gaudi2'
    kind      TEXT NOT NULL,                -- vendor, paper, blog, mlperf, price-list, program, user
    title     TEXT,                         -- title of the document
    author    TEXT,                         -- who wrote it
    url       TEXT,                         -- where it is published
    published TEXT,                         -- date of publication, ISO 8601: '2024', '2024-01' or '2024-01-31'
    retrieved TEXT,                         -- date of retrieval, ISO 8601; NULL: not recorded
    licence   TEXT,                         -- licence of the document
    rank      INTEGER NOT NULL DEFAULT 50   -- which source is preferred where several state one result: the lowest
) STRICT;

-- One imported file, or member of an archive: the same bytes, format and words are one artifact.
CREATE TABLE artifact (
    artifact_id INTEGER PRIMARY KEY,        -- number in this file
    sha256      TEXT NOT NULL,              -- of the bytes; of a folder: of the list of its files and their digests
    path        TEXT NOT NULL,              -- as given on the command line, or inside the archive
    format      TEXT NOT NULL,              -- importer that read it
    importer    INTEGER NOT NULL,           -- version of that importer: `abdb import --refresh` reads older ones again
    words       TEXT NOT NULL DEFAULT '',   -- what `--set` supplied: the user's word
    size_B      INTEGER NOT NULL CHECK (size_B >= 0),  -- bytes
    accepted    INTEGER NOT NULL,           -- input rows with something new
    duplicate   INTEGER NOT NULL,           -- input rows that only repeat
    rejected    INTEGER NOT NULL,           -- input rows refused, see reject
    ignored     INTEGER NOT NULL,           -- input rows with nothing to keep
    imported    TEXT NOT NULL,              -- when, UTC, ISO 8601
    UNIQUE (sha256, format, words, importer)
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
