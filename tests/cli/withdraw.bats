#!/usr/bin/env bats
# withdraw.bats - what was withdrawn is in no view, ceiling, claim, report or figure any more.
load common

# Where it may still be seen: what tells of files and of withdrawals, dictionaries (words carry no origin), what people
# wrote, and parts that other views join with entry.
exempt="v_artifact v_reject v_gone v_withdrawal gone_fact gone_artifact single_device v_source v_name model_named v_note withdrawn result witness witness_again v_official_result v_accept_check"
# Dictionaries and constants: no fact is in them. v_claim, v_claim_part and claim_factor have no column with a mark: see below.
words="v_exchange_rate v_device v_model v_mlperf_round round_ordered v_column v_rule v_workload_factor v_compatibility compatibility_ordered
    v_formula v_number_format v_model_bytes v_collective v_column_factor v_claim v_claim_part claim_factor v_claim_word v_decimals v_provider v_core v_engine v_spec_order v_spec_ratio v_spec_doubt v_figure_rule formula_basis v_decoration v_name_factor v_score_rule v_mark v_mark_out
    v_scenario_limit v_fabric device_measured tag_told successor curve_load" # see below; successor: of older readings, which are withdrawn; curve_load: of sets of factors, which stay

fill() {
    abdb import -q "$fixtures/standing.jsonl" "$fixtures/withdrawn.jsonl"
    # what only the second file says: its keys and numbers, and words of it
    sqlite3 marks.db "ATTACH '$ABDB_DB' AS db;
        CREATE TABLE said AS SELECT e.entry_id AS id, e.run AS key FROM db.entry e JOIN db.artifact a USING (artifact_id) WHERE a.path LIKE '%withdrawn.jsonl';
        CREATE TABLE number AS SELECT 'entry_id' AS name, id FROM said
            UNION ALL SELECT 'result_id', r.result_id FROM db.result_row r JOIN said s ON s.id = r.entry_id
            UNION ALL SELECT kind || '_id', id FROM db.origin o JOIN db.artifact a USING (artifact_id) WHERE a.path LIKE '%withdrawn.jsonl'
            UNION ALL SELECT 'process_id', process_id FROM db.process WHERE campaign = 'c-gone';
        INSERT INTO number SELECT 'bound_id', id FROM number WHERE name = 'result_id' UNION ALL SELECT 'base_id', id FROM number WHERE name = 'result_id';
        CREATE TABLE word AS SELECT substr(key, 3) AS word FROM said
            UNION SELECT substr(s.key, 3) FROM db.spec_stated s JOIN number n ON n.name = 'spec_id' AND n.id = s.spec_id
            UNION SELECT substr(p.key, 3) FROM db.price_stated p JOIN number n ON n.name = 'price_id' AND n.id = p.price_id;
        INSERT INTO word VALUES ('c-gone'), ('gone-'), (' gone'), ('gone '), ('Gone '), ('2031-07-07'), ('v9.9')"
    same "$(sqlite3 marks.db "SELECT name, count(*) FROM number GROUP BY 1")" $'base_id|18\nbound_id|18\nentry_id|13\nprice_id|2\nprocess_id|1\nresult_id|18\nspec_id|5'
}
# Of every view of a database: how many of its rows have one of these numbers or words in them.
marked() { # DB
    sqlite3 "$1" "ATTACH 'marks.db' AS marks;
        SELECT 'SELECT ''' || s.name || ''', count(*) FROM ' || s.name || ' WHERE ' || group_concat(CASE
            WHEN s.name = 'v_comparable_spec' AND t.name = 'result_id' THEN 'result_id IN (SELECT id FROM marks.number WHERE name = ''spec_id'')'
            WHEN t.name IN (SELECT name FROM marks.number)
            THEN '\"' || t.name || '\" IN (SELECT id FROM marks.number WHERE name = ''' || t.name || ''')'
            ELSE 'EXISTS (SELECT 1 FROM marks.word WHERE instr(\"' || t.name || '\", word))' END, ' OR ') || ';'
          FROM sqlite_schema s, pragma_table_info(s.name) t WHERE s.type = 'view' AND s.name NOT IN ('$(sed "s/ /', '/g" <<<"$exempt")')
         GROUP BY s.name ORDER BY s.name" >count.sql
    [ "$(wc -l <count.sql)" -gt 40 ]
    { echo "ATTACH 'marks.db' AS marks;"; cat count.sql; } | sqlite3 "$1"
}
none_marked() { # DB
    marked "$1" | grep -v '|0$' >seen || true
    [ ! -s seen ] || { echo "still seen in:"; cat seen; return 1; }
}

@test "a withdrawn file is in no view, and every view showed it before" {
    fill
    same "$(ask "SELECT count(*) FROM tag_told WHERE tag = 'gone'")" 1
    marked "$ABDB_DB" >before
    for view in $(grep '|0$' before | cut -d'|' -f1); do
        [[ " $(echo $words) " == *" $view "* ]] || { echo "no row of $view tells of withdrawn.jsonl: add to the fixture what would, or say why none can"; false; }
    done
    abdb withdraw withdrawn.jsonl --reason "the wrong machine"
    none_marked "$ABDB_DB"
    same "$(sqlite3 "$ABDB_DB" "SELECT count(*) FROM sample_row")" 25 # and nothing is deleted
    # its words stay in the dictionary, unused
    same "$(ask "SELECT count(*), sum(used) FROM v_name WHERE lower(spelling) LIKE '%gone%'")" "7,0"
    [ "$(ask "SELECT sum(used) FROM v_name WHERE spelling IN ('Shared Box', 'Acme', 'Acme One', 'stream', 'llama2-70b-99')")" -eq 5 ]
    same "$(ask "SELECT sum(used), sum(mlperf) FROM model_named WHERE lower(model) LIKE '%gone%'")" "0,0"
    same "$(ask "SELECT count(*) FROM tag_told WHERE tag = 'gone'")" 0
    cp "$ABDB_DB" more.db
    same "$(sqlite3 more.db "SELECT device FROM device_measured")" "Shared Box"
    abdb withdraw --db more.db standing.jsonl --reason "all of it"
    same "$(sqlite3 more.db "SELECT count(*) FROM device_measured")" 0
    abdb export >all.jsonl # nor is it handed on
    no grep -q 'c-gone\|Gone \|gone-000\|2031-07-07' all.jsonl
    # so is one that was withdrawn before it came
    abdb init --db fresh.db >/dev/null
    sqlite3 "$ABDB_DB" "SELECT * FROM withdrawal" -cmd ".mode insert withdrawal" | sqlite3 fresh.db
    abdb import -q --db fresh.db "$fixtures/standing.jsonl" "$fixtures/withdrawn.jsonl"
    sqlite3 marks.db "DELETE FROM number" # the numbers of another file are others
    none_marked fresh.db
}

@test "a run, result, specification or price withdrawn by its key is in no view" {
    fill
    cp "$ABDB_DB" was.db
    for how in run result; do
        cp was.db "$ABDB_DB"
        for key in $(sqlite3 marks.db "SELECT key FROM said"; sqlite3 was.db "ATTACH 'marks.db' AS m; SELECT key FROM spec_stated JOIN m.number n ON n.name = 'spec_id' AND n.id = spec_id
            UNION ALL SELECT key FROM price_stated JOIN m.number n ON n.name = 'price_id' AND n.id = price_id"); do
            [[ $how = run || $key != e-* ]] || key=r-${key#e-}-0
            abdb withdraw "$key" --reason "the wrong machine" >/dev/null
            run abdb explain "$key"
            fails 0 "! $key was withdrawn "
            fails 0 "the wrong machine"
        done
        none_marked "$ABDB_DB"
    done
}

@test "no export brings back withdrawn or replaced facts" {
    fill
    abdb withdraw withdrawn.jsonl --reason "the wrong machine"
    abdb import -q --set devices=8 "$fixtures/hyperfine.json"
    abdb import -q --set devices=4 --replace "$fixtures/hyperfine.json"
    sql="SELECT count(*), sum(tag IS 'gone'), group_concat(DISTINCT devices) FROM (SELECT tag, devices FROM v_run ORDER BY devices)"
    ask "$sql" >was
    ask "SELECT count(*) FROM v_price" >>was
    grep -q ',0,' was
    abdb export >all.jsonl
    abdb export -o db --out copy.db
    abdb export -o csv --out columns
    abdb import -q --db lines.db all.jsonl
    abdb import -q --db table.db columns
    for copy in copy lines table; do
        ABDB_DB=$copy.db ask "$sql" >is
        if [ $copy = table ]; then tail -1 was >>is; else ABDB_DB=$copy.db ask "SELECT count(*) FROM v_price" >>is; fi # a table of results has no prices
        diff was is || { echo "$copy.db has other facts"; false; }
    done
}

@test "the check finds a view that reads withdrawn rows" {
    fill
    abdb withdraw withdrawn.jsonl --reason "the wrong machine"
    for view in v_span v_ceiling_cell spec_judged v_sample; do
        cp "$ABDB_DB" wrong.db
        sqlite3 "$ABDB_DB" "SELECT sql FROM sqlite_schema WHERE name = '$view'" | sed 's/FROM entry e/FROM (SELECT *, entry_key AS run FROM entry_row JOIN description USING (description_id)) e/
            s/JOIN entry e/JOIN (SELECT *, entry_key AS run FROM entry_row JOIN description USING (description_id)) e/
            s/FROM spec_stated \([sb]\)/FROM (SELECT *, spec_key AS key FROM spec) \1/
            s/FROM sample s/FROM (SELECT r.result_id, r.entry_id, r.ordinal, 0 AS seq, s.mpi_rank AS rank, s.t_s, s.value, s.mark FROM result_row r JOIN sample_row s ON s.sample_id BETWEEN r.first_sample AND r.last_sample) s/' >view.sql
        no grep -q "FROM sample s$\|spec_stated\|FROM entry e$\|JOIN entry e " view.sql
        { echo "DROP VIEW $view;"; cat view.sql; echo ";"; } | sqlite3 wrong.db
        run none_marked wrong.db
        [ "$status" -eq 1 ]
        [[ $output == *"$view|"* ]] || { echo "$view: $output"; false; }
    done
}

@test "every report, figure and comparison is as before the import of the withdrawn file" {
    abdb import -q "$fixtures/standing.jsonl"
    cp "$ABDB_DB" never.db
    abdb import -q "$fixtures/withdrawn.jsonl"
    say() { echo "\$ $*" && abdb "$@" 2>&1 || echo "exit $?"; }
    answers() { # DB: every report without options, every figure's data, and some with options
        local name
        export ABDB_DB=$dir/$1
        for name in $(abdb query --names); do
            case $name in artifacts | changes | withdrawals | sources) ;; *) say query "$name" -o csv ;; esac
        done
        for name in $(abdb plot --names); do say plot "$name" --script; done
        rm -rf bundle
        say plot ceilings --device "Shared Box" --bundle bundle
        cat bundle/ceilings.csv bundle/ceilings.md
        say query kernels --campaign all -o csv
        say query sweep --metric of_ceiling_percent -o csv
        say query specs --device "Shared Box" -o csv
        say query prices --device "Shared Box" --today 2032-01-01 -o csv
        say query coverage --round v9.8 -o csv
        say compare scenario=training,devices=8 scenario=training,devices=1 -m tokens_per_s -o csv
        say compare workload=stream,tag=gone workload=stream,tag=standing -o csv
        say rank --where metric=tokens_per_s,scenario=Offline -o csv
        say rank --where metric=bytes_per_s -o csv
        export ABDB_DB=$dir/t.db
    }
    answers never.db >never
    answers t.db >with
    [ "$(diff never with | grep -c '^>')" -gt 100 ]
    grep -q '^memory,copy,,300,' with
    grep -q '^eight,holds,' with
    grep -q '"workload=stream,tag=gone","workload=stream,tag=standing",stream' with
    grep -q '^llama2-70b-99,Offline,.*,yes,gone-0001' with
    same "$(abdb query kernels --tag standing -o csv 2>/dev/null | grep stream | cut -d, -f10 | cut -c1-8)" 66.66666
    abdb withdraw withdrawn.jsonl --reason "the wrong machine"
    answers t.db >after
    diff never after
    grep -q '^memory,copy,,200,' after
    grep -q '^eight,unknown,.*"no fact x.bandwidth, x.price"' after
    same "$(abdb query kernels --tag standing -o csv 2>/dev/null | grep stream | cut -d, -f10)" 100
    same "$(ask "SELECT sources, public_id, verified FROM v_result WHERE round = 'v9.8'")" "1,,unknown"
}

@test "a fact of two files stays until both are withdrawn" {
    fill
    cp "$fixtures/withdrawn.jsonl" again.jsonl
    echo >>again.jsonl
    abdb import -q again.jsonl
    count="SELECT count(*) FROM v_run WHERE campaign = 'c-gone'"
    same "$(ask "$count")" 5
    abdb withdraw withdrawn.jsonl --reason "the wrong file" >/dev/null
    same "$(ask "$count")" 5
    same "$(ask "SELECT count(*) FROM v_spec WHERE source = 'gone-site'")" 5
    abdb withdraw again.jsonl --reason "of it, too" >/dev/null
    same "$(ask "$count")" 0
    none_marked "$ABDB_DB"
}
