#!/bin/sh
# import_realdata.sh - every file of the folder of real files, imported by itself: what became of it, a line each. Compared with
# tests/golden/walk.txt by realdata.bats; `sh tests/checks/import_realdata.sh FOLDER >tests/golden/walk.txt` makes it anew.
cd "$1" || exit 1
db=$(mktemp -d)
abdb init --db "$db/new.db" >/dev/null
find . -type f | sort | while read -r f; do
    cp "$db/new.db" "$db/w.db"
    abdb import "$f" --db "$db/w.db" >"$db/out" 2>"$db/err"
    code=$?
    if [ $code = 0 ] || [ $code = 5 ]; then
        sqlite3 "$db/w.db" "SELECT group_concat(word, '; ') FROM (SELECT format || ' ' || sum(accepted) || ' ' || sum(duplicate) || ' ' || sum(rejected) ||
            ' ' || sum(ignored) AS word FROM artifact WHERE path NOT LIKE '(built in)%' GROUP BY format ORDER BY format)" >"$db/word"
        echo "$f: $code $(cat "$db/word")"
    else
        echo "$f: $code $(sed -n 's/^abdb: //; s/^.*: line/line/; s/ (it begins.*//; s/^\.\/[^:]*: //; 1p' "$db/err")"
    fi
done
rm -r "$db"
