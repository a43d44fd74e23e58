#!/usr/bin/env bats
# dates.bats - the rounds of MLPerf and their dates; dates as ISO 8601, no digit more or less than the source prints.
load common

@test "every round that the data name has a date, with its source and place" {
    abdb import data -q
    same "$(ask "SELECT count(*) FROM (SELECT suite, round FROM v_result WHERE round IS NOT NULL
        UNION SELECT suite, since FROM v_compatibility UNION SELECT suite, until FROM v_compatibility) r
        WHERE (suite, round) NOT IN (SELECT suite, round FROM round)
        AND (suite, round) NOT IN (VALUES ('mobile', 'v1.0'))")" 0 # no date of that one was found
    same "$(ask "SELECT count(*) FROM round r LEFT JOIN source s USING (source) WHERE s.url IS NULL OR locator = ''")" 0
    # rounds of a suite follow one another
    same "$(ask "SELECT count(*) FROM (SELECT published, lag(published) OVER (PARTITION BY suite ORDER BY
        CAST(substr(round, 2) AS REAL)) AS before FROM round) WHERE published < substr(before, 1, length(published))")" 0
    [ "$(ask "SELECT count(*) FROM round")" -ge 45 ]
}

@test "a round of one's own: a row of CSV, later words replace; it is exported and merged" {
    printf 'suite,round,published,source,locator\ninference,v9.0,2031-04,mlcommons-news,announcement\n' >mine.csv
    run abdb import mine.csv
    [[ "$output" == *"1 accepted"* ]] || { echo "$output"; return 1; }
    sed -i 's/2031-04/2031-04-02/' mine.csv
    abdb import mine.csv -q
    same "$(ask "SELECT published FROM round WHERE round = 'v9.0'")" 2031-04-02
    abdb export | abdb import - -q --db other.db
    same "$(sqlite3 other.db "SELECT published FROM round WHERE round = 'v9.0'")" 2031-04-02
    abdb init --db third.db
    abdb merge t.db --db third.db
    same "$(sqlite3 third.db "SELECT published FROM round WHERE round = 'v9.0'")" 2031-04-02
    printf 'suite,round,published,source,locator\ninference,v9.1,2031-05,,\n' | abdb import - -q
    same "$(ask "SELECT reason FROM reject")" "source is empty"
}
