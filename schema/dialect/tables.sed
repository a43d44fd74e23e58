# tables.sed - schema/ddl in the words of PostgreSQL. Texts sort and compare as in SQLite: by their bytes. What refers to other tables is
# checked by tests, as there.
s/\) STRICT(, WITHOUT ROWID)?;/);/
s/ REAL( |,|$)/ DOUBLE PRECISION\1/
s/ INTEGER( |,|$)/ BIGINT\1/
s/ TEXT( |,|$)/ TEXT COLLATE "C"\1/
s/ REFERENCES [a-z_]+//
s/9e999/DOUBLE PRECISION 'infinity'/g
s/ *-- .*$//
