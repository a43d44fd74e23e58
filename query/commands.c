/* commands.c - the one command table: dispatch, help, man page and completion come from it. */
#include <string.h>

#include "query/cli.h"

/* Of every verb that writes. */
#define BUSY_OPTION                                                                     \
    {                                                                                   \
        "busy", 0, "SECONDS", "wait so long while another program writes (default 300)" \
    }

static const abdb_option import_options[] = {
    {"format", 0, "NAME", "force a format instead of finding it by content"},
    {"set", 0, "COLUMN=VALUE", "say what the file does not (repeatable), stored as your word"},
    {"map", 0, "FILE", "read a table as this map file says"},
    {"suggest-map", 0, "FILE", "print a first draft of a map for a table, read nothing"},
    {"retry-rejects", 0, NULL, "read again what had rejected rows (PATH: only these files)"},
    {"refresh", 0, NULL,
     "read again what an older version of its importer read (PATH: only these)"},
    {"timing", 0, NULL, "say where the time went"},
    BUSY_OPTION,
    {"dry-run", 'n', NULL, "read and count, keep nothing"},
    {"strict", 0, NULL, "a rejected row refuses its file, exit 1"},
    {"quiet", 'q', NULL, "only errors"},
    {NULL, 0, NULL, NULL}};

static const abdb_option export_options[] = {
    {"format", 'o', "FORM", "jsonl (default), csv, sql or db"},
    {"out", 0, "FILE", "into a file (default: standard output)"},
    {"redacted", 0, NULL, "without host names, user names and folders"},
    {NULL, 0, NULL, NULL}};

static const abdb_option run_options[] = {
    {"list", 'l', NULL, "backends, devices, kernels and plans that are here"},
    {"plan", 'p', "NAME", "a named plan, or a file"},
    {"kernel", 'k', "NAME", "one kernel; its other parameters by --axis"},
    {"axis", 'a', "KEY=VALUES", "1024, 256,512, 256-4096*2 or 1-8+1 (repeatable)"},
    {"search", 's', "mamf", "search the fastest matrix product: shapes that it finds itself"},
    {"budget", 0, "SECONDS", "of a search, for each backend (default 60)"},
    {"backend", 'b', "NAME,...", "backends to run (default: all that are here, but ref)"},
    {"quick", 0, NULL, "few samples, small cells: an impression, marked so"},
    {"repeat", 'r', "N", "whole processes, N times: what a ratio that is claimed wants"},
    {"interleave", 0, NULL, "cell by cell through all backends, to and fro, a process each"},
    {"energy", 0, NULL, "sample for 5 s where the machine counts its energy"},
    {"resume", 0, NULL, "go on with the last interrupted command of the same plan"},
    {"spool", 0, "FOLDER", "into a file of a spool directory instead of the database"},
    {"tag", 't', "NAME", "name these measurements"},
    {"threads", 0, "N", "threads of each backend (default: all processors allowed)"},
    {"core-type", 0, "NAME",
     "kernels that OpenBLAS chooses: sets OPENBLAS_CORETYPE (auto: the best that"
     " this processor can run)"},
    {"timeout", 0, "SECONDS", "of one cell (default 300)"},
    BUSY_OPTION,
    {"dry-run", 'n', NULL, "print the cells, run nothing"},
    {"quiet", 'q', NULL, "no summary, no estimate"},
    {NULL, 0, NULL, NULL}};

#define TIMEOUT_OPTION                                                                            \
    {                                                                                             \
        "timeout", 0, "SECONDS",                                                                  \
            "give up after this long (default 60, 0: never), at a value of 256 MiB, at 2 GiB of " \
            "memory"                                                                              \
    }

static const abdb_option query_options[] = {
    {"sql", 0, NULL, "print the SQL of a report"},
    {"schema", 0, NULL, "columns, units and meaning of the public views (or of the one named)"},
    {"interactive", 'i', NULL, "a read-only shell"},
    {"file", 'f', "FILE", "SQL, or a report, from a file"},
    {"allow-files", 0, NULL, "let SQL read files: abdb_csv(path), abdb_archive(path)"},
    {"allow-run", 0, NULL, "let SQL run kernels: abdb_measure(kernel, backend, params)"},
    TIMEOUT_OPTION,
    {NULL, 0, NULL, NULL}};

/* How compare and rank normalise. */
#define MEASURE_OPTIONS                                                                            \
    {"where", 'w', "SELECTION", "conditions on all: column OP value, ..."},                        \
        {"metric", 'm', "NAME", "the metric (default: the workload's own)"},                       \
        {"per", 0, "WHAT", "device, node, watt, joule, dollar, peak, bandwidth, none (default)"},  \
        {"peak", 0, "BASIS", "of --per peak: published (default), measured, clock"},               \
        {"provider", 0, "NAME", "of --per dollar: only prices of this provider"},                  \
        {"price-kind", 0, "KIND", "of --per dollar: on-demand (default), reserved, spot; any"},    \
        {"price-date", 0, "DATE", "of --per dollar: prices as they were on this day"},             \
        {"price-max-age", 0, "DAYS", "of --per dollar: leave out older and undated prices (90d)"}, \
        {"price", 0, "QUOTES",                                                                     \
         "your own: 'DEVICE=2.49 USD/h' (of a node of 8: '19.92 USD/h/8'), ..."},                  \
        {"today", 0, "DATE", "the day to which a price's age is counted (default: today)"},        \
        TIMEOUT_OPTION,                                                                            \
    {                                                                                              \
        NULL, 0, NULL, NULL                                                                        \
    }

static const abdb_option compare_options[] = {
    {"baseline", 0, "SELECTION", "what the others are compared with (default: the first)"},
    {"contender", 0, "SELECTION", "one more to compare (repeatable)"},
    {"pick", 0, "best|median|each", "what stands for several submissions (default best)"},
    {"exploratory", 0, NULL, "show pairs that may not be compared, stamped as such"},
    {"environment", 0, NULL, "what differs between the machines and software of two runs"},
    {"fail-on", 0, "VERDICTS", "exit 1 where a pair is one of these: slower,unclear"},
    {"effect", 0, "FRACTION", "the least difference that counts (default 0.01)"},
    {"alpha", 0, "P", "the evidence that counts (default 0.01)"},
    MEASURE_OPTIONS};

static const abdb_option rank_options[] = {
    {"workload", 0, "NAME", "what was run: a benchmark, model or kernel"},
    {"scenario", 0, "NAME", "as MLCommons spells it"},
    {"by", 0, "COLUMN", "what is ranked: device (default), system, submitter, backend, ..."},
    {"pareto", 0, "METRIC",
     "the front on a second metric of the same run (ttft_s:p99), or a column"},
    {"suite", 0, NULL, "one number for each: the geometric mean of its ratios to the baseline"},
    {"baseline", 0, "NAME", "of --suite (default: the first)"},
    {"pick", 0, "best|median|each", "what stands for several submissions (default best)"},
    {"limit", 0, "N", "rows of each group (default 20)"},
    {"all", 0, NULL, "every row"},
    {"exploratory", 0, NULL, "rank what may not be compared, stamped as such"},
    MEASURE_OPTIONS};

static const abdb_option plot_options[] = {
    {"type", 0, "svg|png|pdf|dumb|sixel|html",
     "kind of picture (default: from the name of --out, else svg); dumb and sixel go to the "
     "terminal"},
    {"term", 0, "TYPE", "the same as --type"},
    {"out", 0, "PATH",
     "where to write (default: NAME.svg; - for standard output; with --set a folder)"},
    {"set", 0, "NAME", "draw all figures of a set (all: every one) that have something to draw"},
    {"bundle", 0, "DIR",
     "write picture, table, script, caption, sources and footnotes into a folder"},
    {"markdown", 0, NULL, "print the lines that put the picture into a markdown text"},
    {"latex", 0, NULL, "print those for LaTeX (draws a PDF)"},
    {"script", 0, NULL, "print the gnuplot script with its data instead of drawing"},
    {"dark", 0, NULL, "light lines on a dark ground"},
    TIMEOUT_OPTION,
    {NULL, 0, NULL, NULL}};

static const abdb_option site_options[] = {
    {"out", 0, "DIR", "folder to write into, made if need be (default: site)"},
    TIMEOUT_OPTION,
    {NULL, 0, NULL, NULL}};

static const abdb_option explain_options[] = {
    {"uses", 0, NULL, "run every report, too, and name those and the figures that use a fact"},
    {"cite", 0, "text|bibtex", "print the sources instead, ready to be cited"},
    TIMEOUT_OPTION,
    {NULL, 0, NULL, NULL}};

static const abdb_option audit_options[] = {TIMEOUT_OPTION, {NULL, 0, NULL, NULL}};

static const abdb_option withdraw_options[] = {
    {"reason", 0, "TEXT", "why, kept with the date"}, BUSY_OPTION, {NULL, 0, NULL, NULL}};

static const abdb_option write_options[] = {BUSY_OPTION, {NULL, 0, NULL, NULL}};

static const abdb_option help_options[] = {{"man", 0, NULL, "the manual page"},
                                           {"completion", 0, NULL, "completion for bash"},
                                           {NULL, 0, NULL, NULL}};

static const abdb_option doctor_options[] = {
    {"rebuild", 0, NULL,
     "make what is derived from facts anew: names, subjects, what withdrawals leave out"},
    BUSY_OPTION,
    {NULL, 0, NULL, NULL}};

static const abdb_option no_options[] = {{NULL, 0, NULL, NULL}};

const abdb_command abdb_commands[] = {
    {"init", "", "make an empty database, or bring an older one up to date", abdb_cmd_init,
     write_options, 0,
     "import and run make the database too. An older file is copied to FILE.vN.bak before it is "
     "migrated.",
     "abdb init --db results.db"},
    {"import", "PATH...|-", "read files, folders, archives and standard input into the database",
     abdb_cmd_import, import_options, 0,
     "The format is found by content. Containers and compressed files (tar, zip, 7z, gz, xz, zst, "
     "...) are"
     " read member by member; - is standard input. A file or member is one transaction: it is "
     "imported whole or not at all, and"
     " a file that is there already changes nothing. Bad rows are kept as rejects with their "
     "reason while"
     " the good rows stay. The word data, where no such path exists, means the data that abdb "
     "ships. Importers have versions: what an older one read, `abdb doctor` counts and --refresh "
     "reads again as it was read then; the old reading is withdrawn when the new one is there.",
     "abdb import data\nabdb import summary.csv --set round=v0.7 --set submitter=NVIDIA\n"
     "abdb import inference_results_v5.1.tar.gz\ncurl -L URL | abdb import -\n"
     "abdb import --suggest-map table.csv >my.map\nabdb import --map my.map table.csv\n"
     "abdb import results/ --dry-run"},
    {"run", "", "measure here", abdb_cmd_run, run_options, 0,
     "Starts a program abdb-run-BACKEND for each backend, hands it the cells of a plan and keeps "
     "what it"
     " measures: samples, verification, environment. A cell that fails is a row too. Exit 4: a "
     "cell failed"
     " verification; 5: a cell failed, crashed, timed out, ran out of memory or was answered "
     "wrongly."
     " ^C (or SIGTERM) finishes the sample at hand, once more ends it at once; what was measured is"
     " kept, --resume goes on, exit 130 (143).",
     "abdb run --list\nabdb run --plan quick --quick\nabdb run --search mamf --axis dtype=bf16\n"
     "abdb run --kernel gemm --backend openblas --axis n=256-4096*2 --tag before"},
    {"query", "[NAME | SQL]", "a named report or read-only SQL; alone: what can be asked",
     abdb_cmd_query, query_options, ABDB_PRINTS_ROWS | ABDB_TAKES_NAME | ABDB_HAS_DEADLINE,
     "Reports take their own options: abdb query NAME --help. Your own reports are .sql files in"
     " $ABDB_PATH/reports or ~/.config/abdb/reports. Nothing that query runs can change the "
     "database. CSV and JSON hold every digit and every byte of a text, also a text that a "
     "spreadsheet would take for a formula: -o csv --spreadsheet quotes texts and puts ' before "
     "those that begin with = + - @ or a tab; numbers stay numbers. On a terminal what would "
     "command it, or cannot be seen, is shown as \\u001b or \\u202e.",
     "abdb query mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server\n"
     "abdb query \"SELECT device, count(*) FROM v_result GROUP BY device\" -o markdown\n"
     "abdb query --schema v_result"},
    {"compare", "SELECTION SELECTION...", "comparable? what differs, by how much", abdb_cmd_compare,
     compare_options, ABDB_PRINTS_ROWS | ABDB_HAS_DEADLINE,
     "Puts sets of results side by side; the first is the baseline. A selection is `column OP "
     "value`"
     " joined by commas, OP one of = != < <= > >= ~ (glob); columns are those of v_comparable, "
     "every"
     " factor, and metrics of the same run. run=latest, run=latest~1 and tag=NAME pick "
     "measurements."
     " Each pair is comparable, comparable except the factors that differ, or not comparable, with "
     "the"
     " rule that says so: then it is left out and the exit code is 3, unless --exploratory.",
     "abdb compare device=H200-SXM device=MI355X --where model=llama2-70b-99,devices=8 --per "
     "device\n"
     "abdb compare tag=before run=latest --fail-on slower\n"
     "abdb compare run=latest~1 run=latest --environment"},
    {"rank", "[SELECTION]", "best under constraints", abdb_cmd_rank, rank_options,
     ABDB_PRINTS_ROWS | ABDB_HAS_DEADLINE,
     "Orders devices (or systems, ...) for a workload: the best result of each that the constraints"
     " leave. Constraints are a selection, over columns, factors and other metrics of the same run"
     " (--where 'tpot_s < 0.05'). Results that may not be compared are ranked apart.",
     "abdb rank --workload llama2-70b-99 --scenario Server --per device\n"
     "abdb rank --workload llama2-70b-99 --scenario Server --per dollar --price-max-age 900d\n"
     "abdb rank round=v6.0,scenario=Offline,division=closed --suite --baseline H200-SXM --per "
     "device"},
    {"plot", "[NAME]", "draw a figure, or a set; alone: what can be drawn", abdb_cmd_plot,
     plot_options, ABDB_TAKES_NAME | ABDB_HAS_DEADLINE,
     "A figure is one .gp file that draws a report; it takes the options of that report. Your own "
     "are"
     " in $ABDB_PATH/figures or ~/.config/abdb/figures.",
     "abdb plot mlperf-llm --round v6.0 --scenario Server --out llm.png\nabdb plot roofline\n"
     "abdb plot --set mlperf --out pictures\nabdb plot training --bundle post"},
    {"site", "", "write the database as HTML pages", abdb_cmd_site, site_options, ABDB_HAS_DEADLINE,
     "A page for each figure that has something to draw and for each report that says `-- site:`, "
     "with "
     "their tables, and a page for each source with the facts that they use: every number leads "
     "there. "
     "The pages need no network and no server, and work in print, on a phone, with a keyboard and "
     "without scripts.",
     "abdb site --out public\nabdb site --db rack.db --out /srv/www/bench"},
    {"explain", "KEY | FACT | CLAIM | REPORT COLUMN SELECTION", "where a number comes from",
     abdb_cmd_explain, explain_options, ABDB_PRINTS_ROWS | ABDB_HAS_DEADLINE,
     "The facts behind a number, each with value, source, place and file, and which claims use "
     "them. "
     "A key is r- (a result), e- (a run), s- (a specification), p- (a price) or c- (a claim); its "
     "first 4 digits will do where no other begins so. Of a report: the row that the selection "
     "picks (column=value,..., also != < <= > >= ~); several rows are listed, exit 2. The options "
     "of the report go behind.",
     "abdb explain perf-per-dollar exaflop_per_usd device=Gaudi2\n"
     "abdb explain r-7f3a91c2 --cite bibtex\nabdb explain db.t2.gaudi2.rate --uses"},
    {"audit", "[NAME]", "check what is held: claims, conflicts, plausibility, gaps", abdb_cmd_audit,
     audit_options, ABDB_PRINTS_ROWS | ABDB_TAKES_NAME | ABDB_HAS_DEADLINE,
     "Each audit is a report audit-NAME and takes its options: abdb audit NAME --help.",
     "abdb audit claims --source databricks-gaudi2\nabdb audit conflicts --device 'H100*'"},
    {"withdraw", "FILE | FACT | KEY", "take an import or a fact back, with a reason",
     abdb_cmd_withdraw, withdraw_options, 0,
     "An event, not a deletion: nothing counts any more that only withdrawn files say, explain "
     "shows "
     "it and"
     " `abdb query withdrawals` lists it.",
     "abdb withdraw data/prices.csv --reason \"these prices are of another region\""},
    {"merge", "OTHER.db...", "join databases", abdb_cmd_merge, write_options, 0,
     "The union by identity: what both hold is there once, with all places that say it; repeating "
     "it"
     " changes nothing. One transaction a file.",
     "abdb merge rack1.db rack2.db"},
    {"export", "[SELECTION...]", "copy out, redacted if asked", abdb_cmd_export, export_options, 0,
     "jsonl holds everything and comes back by `abdb import`; csv is one row an entry, for"
     " spreadsheets and back; sql makes the same file in sqlite3; db is a new database without file"
     " names. A selection (column OP value, ...) limits jsonl, csv and db to the entries it means.",
     "abdb export -o jsonl >facts.jsonl\nabdb export device=H100-SXM -o csv --out h100.csv\n"
     "abdb export -o db --redacted --out public.db"},
    {"doctor", "", "this build, this machine, this file", abdb_cmd_doctor, doctor_options, 0,
     "Versions, backends present and absent with the reason, the database, what an older version"
     " of an importer read, gnuplot, and which kernels the BLAS chose against what the processor"
     " can do. What is derived from facts follows each import; --rebuild makes it from nothing.",
     "abdb doctor\nabdb doctor --rebuild"},
    {"help", "[VERB]", "help, the manual page, completion", abdb_cmd_help, help_options, 0, "",
     "abdb help import\nabdb help --man | man -l -"},
    {"version", "", "the version of this program", abdb_cmd_version, no_options, 0, "",
     "abdb version"},
    {NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL}};

const abdb_command *abdb_command_find(const char *name)
{
    for (const abdb_command *c = abdb_commands; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}
